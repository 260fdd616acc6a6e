"""The memory of a KB by names: what each meant in people's corrections, and how often."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from eigenthemes.kb.memory import Answer, Memory, document_key, key_of
from eigenthemes.kb.store import KB
from eigenthemes.records import Document
from eigenthemes.text.normalize import squash


@dataclass(slots=True)
class NameMemory:
    """What is remembered of one name: in how many documents it meant what. Names that people gave count as one.

    linked      entity -> documents
    none        documents in which it was none of the KG, or something that the KG lacks
    not_a_name  documents in which it was no name
    spellings   how it was written
    """

    linked: dict[int, int] = field(default_factory=dict)
    none: int = 0
    not_a_name: int = 0
    spellings: set[str] = field(default_factory=set)

    @property
    def total(self) -> int:
        """In how many documents it was a name."""
        return sum(self.linked.values()) + self.none

    def add(self, said: DocumentAnswer, times: int) -> None:
        """Count what one document says, or, with -1, take it back."""
        for entity in said.entities:
            self.linked[entity] = self.linked.get(entity, 0) + times
        self.none += times * said.none
        self.not_a_name += times * said.not_a_name

    def without(self, said: DocumentAnswer) -> NameMemory:
        """Return what is remembered but for what one document says."""
        rest = NameMemory(dict(self.linked), self.none, self.not_a_name, self.spellings)
        rest.add(said, -1)
        rest.linked = {entity: count for entity, count in rest.linked.items() if count}
        return rest


@dataclass(slots=True)
class DocumentAnswer:
    """What one document says of one name; a name may mean several things in it."""

    entities: set[int] = field(default_factory=set)
    none: bool = False
    not_a_name: bool = False


class NameMemories:
    """The memory of a KB by names, in the KB's own entities. Never changes once made: any number of threads may share it."""

    def __init__(self, kb: KB, memory: Memory) -> None:
        self._names: dict[str, NameMemory] = {}
        self._said: dict[str, dict[str, DocumentAnswer]] = {}
        for key, document in memory.documents.items():
            said = self._said[key] = _by_name(kb, document.answers)
            for name, answer in said.items():
                self._names.setdefault(name, NameMemory()).add(answer, 1)
            for answered in document.answers:
                self._names[key_of(answered.text)].spellings.add(answered.text)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, document: Document) -> bool:
        """Return whether a document is one of those remembered."""
        return document_key(document) in self._said

    def find(self, normalized: str, *, without: DocumentAnswer | None = None) -> NameMemory | None:
        """Return what is remembered of a normalised name, but for what one document says; None: nothing."""
        found = self._names.get(squash(normalized))
        return found if found is None or without is None else found.without(without)

    def said_by(self, document: Document) -> dict[str, DocumentAnswer]:
        """Return what a document itself said of each name, normalised and without spaces."""
        return self._said.get(document_key(document), {})

    def items(self) -> Iterator[tuple[str, NameMemory]]:
        """Yield each name, normalised and without spaces, and what is remembered of it."""
        return iter(self._names.items())


def _by_name(kb: KB, answers: Sequence[Answer]) -> dict[str, DocumentAnswer]:
    said: dict[str, DocumentAnswer] = {}
    for answer in answers:
        of_name = said.setdefault(key_of(answer.text), DocumentAnswer())
        entities = {entity for entity_id in answer.gold if (entity := kb.index_of(entity_id)) is not None}
        of_name.entities |= entities
        of_name.not_a_name |= answer.not_a_name
        of_name.none |= not entities and not answer.not_a_name
    return said


def name_memories(kb: KB) -> NameMemories | None:
    """Return the memory of a KB by names; None: it has none. All threads share it."""

    def make() -> NameMemories | None:
        memory = Memory.of(kb)
        return NameMemories(kb, memory) if memory else None

    return kb.cached("name memories", make)


def remembering(kb: KB, memory: Memory) -> KB:
    """Open a KB again as if it held this memory, in this process only: to measure what a memory is worth."""
    opened = KB.open(kb.path)
    opened.cached("name memories", lambda: NameMemories(opened, memory))
    return opened

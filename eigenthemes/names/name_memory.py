"""Corrections stored in a KB: which entity a name was linked to by people, and look-ups by name."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import orjson

from eigenthemes.core.strings import Strings
from eigenthemes.kb.entity_records import damaged
from eigenthemes.kb.store import KB
from eigenthemes.names.analysis import NameAnalysis
from eigenthemes.names.weak_words import is_common
from eigenthemes.records import Document, Mention
from eigenthemes.text.normalize import normalize, squash
from eigenthemes.text.stems import stem

if TYPE_CHECKING:
    from eigenthemes.kb.writer import KBWriter


NOT_A_NAME, GONE = "not_a_name", "gone"  # fields of a mention: it is no name; its entity was in the KB, and is no more
ADDED = "added names"  # the key of the document of names that people gave
FILES = ("memory_blob", "memory_offsets")
_SHORTEST_STEMS = 4  # letters: Mar is no form of Mars


@dataclass(frozen=True, slots=True)
class Answer:
    """A correction of a name: its right ids, NIL (`gold` is empty), or not a name.

    gone  the KB had such an entity when the name was corrected, and has none now: the correction is kept without effect
    """

    text: str
    gold: tuple[str, ...]
    not_a_name: bool = False
    gone: bool = False

    @classmethod
    def of(cls, mention: Mention) -> Answer:
        """Return the correction of a mention with gold."""
        gold, source = mention.gold or (), mention.source
        return cls(mention.name, gold, bool(source.get(NOT_A_NAME)), bool(gold and source.get(GONE)))

    def to_dict(self) -> dict[str, Any]:
        """Describe it as a mention with gold."""
        marks = {name: True for name in (NOT_A_NAME, GONE) if getattr(self, name)}
        return {"text": self.text, "gold": list(self.gold), **marks}

    def entities(self, kb: KB) -> set[int]:
        """Return the right entities of a KB."""
        return {entity for entity_id in self.gold if (entity := kb.index_of(entity_id)) is not None}

    def carried_over(self, old: KB, new: KB) -> Answer:
        """Return the correction for a KB that replaces another: with the ids of the new one, or marked as gone."""
        known = [(entity_id, old.index_of(entity_id)) for entity_id in self.gold]
        gold = [i if i in new or index is None or old.id_of(index) not in new else old.id_of(index) for i, index in known]
        is_known = any(entity_id in new for entity_id in gold)
        gone = not is_known and (self.gone or any(index is not None for _, index in known))
        return replace(self, gold=tuple(gold), gone=gone)


@dataclass(frozen=True, slots=True)
class RememberedDocument:
    """The corrections of one document.

    key  what makes it the same document: its text or, without one, its id or, without either, its names
    """

    key: str
    id: str | int | None
    answers: tuple[Answer, ...]

    @classmethod
    def of(cls, document: Document) -> RememberedDocument:
        """Return the corrections in a document with gold."""
        answers = (Answer.of(mention) for mention in document.mentions or () if mention.gold is not None)
        return cls(document_key(document), document.id, tuple(answers))

    def to_dict(self) -> dict[str, Any]:
        """Describe it as a line of the memory."""
        named = {} if self.id is None else {"id": self.id}
        return {"key": self.key, **named, "mentions": [answer.to_dict() for answer in self.answers]}

    def to_document(self) -> Document:
        """Return it as a document with gold, without the text it had and without corrections that have no effect."""
        effective = (answer for answer in self.answers if not answer.gone)
        mentions = (Mention(answer.text, gold=answer.gold, source=answer.to_dict()) for answer in effective)
        return Document(id=self.id, mentions=tuple(mentions), source={"key": self.key})


@dataclass(frozen=True, slots=True)
class Memory:
    """All corrections in order; immutable."""

    documents: Mapping[str, RememberedDocument] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def answers(self) -> int:
        """Return the number of corrections without added names."""
        return sum(len(document.answers) for key, document in self.documents.items() if key != ADDED)

    @property
    def corrected(self) -> Iterator[RememberedDocument]:
        """The documents that were corrected; not the names that were given."""
        return (document for key, document in self.documents.items() if key != ADDED)

    def with_documents(self, documents: Iterable[Document]) -> Memory:
        """Add documents with gold; a document with a known id replaces its earlier version."""
        new = {said.key: said for said in map(RememberedDocument.of, documents) if said.answers}
        return Memory({**self.documents, **new})

    def with_names(self, names: Iterable[tuple[str, str]]) -> Memory:
        """Remember pairs of a name and the id of an entity."""
        before = self.documents.get(ADDED, RememberedDocument(ADDED, None, ())).answers
        answers = dict.fromkeys((*before, *(Answer(name, (entity_id,)) for name, entity_id in names)))
        return Memory({**self.documents, ADDED: RememberedDocument(ADDED, None, tuple(answers))}) if answers else self

    def carried_over(self, old: KB, new: KB) -> Memory:
        """Return the memory for a KB that replaces another; corrections to entities that are gone are marked."""
        documents = {}
        for key, document in self.documents.items():
            answers = tuple(answer.carried_over(old, new) for answer in document.answers)
            documents[key] = replace(document, answers=answers)
        return Memory(documents)

    def without(self, *, names: Collection[str] = (), document_ids: Collection[str] = ()) -> Memory:
        """Remove the corrections of some names, and of some documents by their ids or keys."""
        keys = set(map(key_of, names))
        kept = {}
        for key, document in self.documents.items():
            answers = tuple(answer for answer in document.answers if key_of(answer.text) not in keys)
            if answers and not {str(document.id), key} & set(document_ids):
                kept[key] = RememberedDocument(key, document.id, answers)
        return Memory(kept)

    # in the KB folder

    @classmethod
    def of(cls, kb: KB) -> Memory:
        """Return the memory of a KB; an empty one where it has none."""
        if not all(map(kb.has, FILES)):
            return cls()
        try:
            return cls({said.key: said for said in map(_parsed, kb.memory_lines)})
        except (orjson.JSONDecodeError, KeyError, TypeError, ValueError):
            raise damaged(kb.path, "memory_blob.npy holds a line that is no document") from None

    def write(self, writer: KBWriter) -> None:
        """Write it beside the other files of a KB."""
        lines = [orjson.dumps(document.to_dict()).decode() for document in self.documents.values()]
        writer.add_strings("memory", Strings.of(lines))

    def described(self) -> dict[str, Any]:
        """Return its manifest entry; empty without corrections."""
        if not self:
            return {}
        answers = [answer for document in self.corrected for answer in document.answers]
        counts = {
            "documents": len(list(self.corrected)),
            "corrections": len(answers),
            "names": len({key_of(answer.text) for answer in answers}),
            "none": sum(not answer.gold and not answer.not_a_name for answer in answers),
            NOT_A_NAME: sum(answer.not_a_name for answer in answers),
            "added_names": len(self.documents[ADDED].answers) if ADDED in self.documents else 0,
        }
        gone = sum(answer.gone for document in self.documents.values() for answer in document.answers)
        return {"memory": {**counts, **({GONE: gone} if gone else {})}}


def document_key(document: Document) -> str:
    """Return what makes a document the same: its text or table or, without one, its id or, without either, its names."""
    known = document.source.get("key") if document.text is None and document.table is None else None
    if isinstance(known, str):
        return known
    if document.text is not None:
        return _digest("text", document.text)
    if document.table is not None:
        return _digest("table", *("\t".join(row) for row in (document.table.header, *document.table.rows)))
    if document.id is not None:
        return _digest("id", str(document.id))
    return _digest("names", *(mention.name for mention in document.mentions or ()))


def _digest(kind: str, *parts: str) -> str:
    content = "\0".join(parts).encode("utf-8", "surrogatepass")
    return f"{kind}-{hashlib.sha256(content).hexdigest()[:16]}"


def key_of(name: str) -> str:
    """Return the form of a name under which it is remembered: as names are compared, in small letters, without spaces."""
    return squash(normalize(name))


def _parsed(line: str) -> RememberedDocument:
    record = orjson.loads(line)
    answers = (
        Answer(str(each["text"]), tuple(map(str, each["gold"])), bool(each.get(NOT_A_NAME)), bool(each.get(GONE)))
        for each in record["mentions"]
    )
    return RememberedDocument(str(record["key"]), record.get("id"), tuple(answers))


@dataclass(slots=True)
class NameMemory:
    """Counts of documents per meaning of one name; added names count once.

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
        """Add the counts of one document, or subtract them with `times=-1`."""
        for entity in said.entities:
            self.linked[entity] = self.linked.get(entity, 0) + times
        self.none += times * said.none
        self.not_a_name += times * said.not_a_name

    def include(self, other: NameMemory) -> None:
        """Add the counts of another name."""
        for entity, count in other.linked.items():
            self.linked[entity] = self.linked.get(entity, 0) + count
        self.none += other.none
        self.not_a_name += other.not_a_name
        self.spellings |= other.spellings

    def without(self, said: DocumentAnswer) -> NameMemory:
        """Return the counts without one document."""
        rest = NameMemory(dict(self.linked), self.none, self.not_a_name, self.spellings)
        rest.add(said, -1)
        rest.linked = {entity: count for entity, count in rest.linked.items() if count}
        return rest


@dataclass(slots=True)
class DocumentAnswer:
    """The meanings of one name in one document."""

    entities: set[int] = field(default_factory=set)
    none: bool = False
    not_a_name: bool = False


class NameMemories:
    """The memory of a KB by names, in the KB's own entities. Never changes once made: any number of threads may share it."""

    def __init__(self, kb: KB, memory: Memory) -> None:
        self._names: dict[str, NameMemory] = {}
        self._said: dict[str, dict[str, DocumentAnswer]] = {}
        for key, document in memory.documents.items():
            effective = [answer for answer in document.answers if not answer.gone]
            said = self._said[key] = _by_name(kb, effective)
            for name, answer in said.items():
                self._names.setdefault(name, NameMemory()).add(answer, 1)
            for answered in effective:
                self._names[key_of(answered.text)].spellings.add(answered.text)
        self._analysis = NameAnalysis.of(kb)
        self.by_core: dict[str, NameMemory] = {}
        self._by_stems: dict[str, NameMemory] = {}
        for said_of_name in self._names.values():
            cores = set().union(*(self._analysis.name_cores(spelling, "") for spelling in said_of_name.spellings))
            stems = set().union(*map(self._stems, map(normalize, said_of_name.spellings)))
            for forms, memories in ((cores, self.by_core), (stems, self._by_stems)):
                for form in forms:
                    memories.setdefault(form, NameMemory()).include(said_of_name)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, document: Document) -> bool:
        """Return whether a document is one of those remembered."""
        return document_key(document) in self._said

    def find(self, normalized: str, *, without: DocumentAnswer | None = None) -> NameMemory | None:
        """Return the counts of a normalised name, or of one with its core or stems; None if there are none.

        without  a document that does not count
        """
        key = squash(normalized)
        found = self._names.get(key)
        if found is None:
            found = next(filter(None, map(self.by_core.get, sorted(self._analysis.cores(normalized)))), None)
        if found is None:
            found = next(filter(None, map(self._by_stems.get, self._stems(normalized))), None)
            if found is not None and len(key) <= min(len(key_of(spelling)) for spelling in found.spellings):
                found = None  # "gate" is no form of Gates
        return found if found is None or without is None else found.without(without)

    def strong_words(self, name: str) -> str:
        """Return the strong words of a name, normalised."""
        return " ".join(self._analysis.strong_words(normalize(name).split()))

    def _stems(self, normalized: str) -> list[str]:
        """Return the stems of a name in each language, also of a proper name: people give it a plural and a possessive."""
        words = normalized.split()
        strong = self._analysis.strong_words(words)
        if not (len(strong) == 1 < len(words) and is_common(strong[0])):  # "the markets" are The Market, "markets" are not
            words = list(strong)
        joined = ("".join(stem(word, language) for word in words) for language in self._analysis.languages)
        return [stems for stems in joined if len(stems) >= _SHORTEST_STEMS]

    def corrections_in(self, document: Document) -> dict[str, DocumentAnswer]:
        """Return the document's own corrections by name, normalised and without spaces."""
        return self._said.get(document_key(document), {})

    def items(self) -> Iterator[tuple[str, NameMemory]]:
        """Yield each name, normalised and without spaces, and what is remembered of it."""
        return iter(self._names.items())


def _by_name(kb: KB, answers: Sequence[Answer]) -> dict[str, DocumentAnswer]:
    said: dict[str, DocumentAnswer] = {}
    for answer in answers:
        of_name = said.setdefault(key_of(answer.text), DocumentAnswer())
        entities = answer.entities(kb)
        of_name.entities |= entities
        of_name.not_a_name |= answer.not_a_name
        of_name.none |= not entities and not answer.not_a_name
    return said


def name_memories(kb: KB) -> NameMemories | None:
    """Return the memory of a KB by names; None: it has none. All threads share it."""
    return kb.cached(_read_memories)


def _read_memories(kb: KB) -> NameMemories | None:
    memory = Memory.of(kb)
    return NameMemories(kb, memory) if memory else None


def remembering(kb: KB, memory: Memory) -> KB:
    """Open a KB again as if it held this memory, in this process only: to measure what a memory is worth."""
    opened = KB.open(kb.path)
    opened.set_cached(NameMemories(opened, memory), _read_memories)
    return opened

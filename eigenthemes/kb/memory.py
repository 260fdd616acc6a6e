"""What people said names mean, kept in the KB: their corrections, and names that they gave.

The memory is a list of small documents, a line of JSON each, as training reads them: {"key", "id"?, "mentions": [{"text",
"gold"} ...]}. Texts are not kept. Entities stand there by their ids, so that the memory outlives a new build of the KB.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import orjson

from eigenthemes.core.strings import Strings
from eigenthemes.kb.store import KB
from eigenthemes.kb.stored_strings import damaged
from eigenthemes.records import Document, Mention
from eigenthemes.text.normalize import normalize, squash

if TYPE_CHECKING:
    from eigenthemes.kb.writer import KBWriter

NOT_A_NAME = "not_a_name"  # the field of a mention that says so
ADDED = "added names"  # the key of the document of names that people gave
FILES = ("memory_blob", "memory_offsets")


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody said a name means: ids of which any is right, none (`gold` is empty), or that it is no name at all."""

    text: str
    gold: tuple[str, ...]
    not_a_name: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Describe it as a mention with gold."""
        return {"text": self.text, "gold": list(self.gold), **({NOT_A_NAME: True} if self.not_a_name else {})}


@dataclass(frozen=True, slots=True)
class RememberedDocument:
    """What one document says.

    key  what makes it the same document: its text or, without one, its id or, without either, its names
    """

    key: str
    id: str | int | None
    answers: tuple[Answer, ...]

    @classmethod
    def of(cls, document: Document) -> RememberedDocument:
        """Return what the mentions of a document with gold say."""
        said = [mention for mention in document.mentions or () if mention.gold is not None]
        answers = [Answer(mention.name, mention.gold or (), bool(mention.source.get(NOT_A_NAME))) for mention in said]
        return cls(document_key(document), document.id, tuple(answers))

    def to_dict(self) -> dict[str, Any]:
        """Describe it as a line of the memory."""
        named = {} if self.id is None else {"id": self.id}
        return {"key": self.key, **named, "mentions": [answer.to_dict() for answer in self.answers]}

    def to_document(self) -> Document:
        """Return it as a document with gold, without the text it had."""
        mentions = (Mention(answer.text, gold=answer.gold, source=answer.to_dict()) for answer in self.answers)
        return Document(id=self.id, mentions=tuple(mentions), source={"key": self.key})


@dataclass(frozen=True, slots=True)
class Memory:
    """All that people said, in order; any change makes a new one."""

    documents: Mapping[str, RememberedDocument] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.documents)

    def __bool__(self) -> bool:
        return bool(self.documents)

    @property
    def answers(self) -> int:
        """How many answers there are; names that were given are none."""
        return sum(len(document.answers) for key, document in self.documents.items() if key != ADDED)

    @property
    def corrected(self) -> Iterator[RememberedDocument]:
        """The documents that were corrected; not the names that were given."""
        return (document for key, document in self.documents.items() if key != ADDED)

    def with_documents(self, documents: Iterable[Document]) -> Memory:
        """Remember documents with gold; the same document again replaces what it said, one without gold says nothing."""
        new = {said.key: said for said in map(RememberedDocument.of, documents) if said.answers}
        return Memory({**self.documents, **new})

    def with_names(self, names: Iterable[tuple[str, str]]) -> Memory:
        """Remember pairs of a name and the id of an entity."""
        before = self.documents.get(ADDED, RememberedDocument(ADDED, None, ())).answers
        answers = dict.fromkeys((*before, *(Answer(name, (entity_id,)) for name, entity_id in names)))
        return Memory({**self.documents, ADDED: RememberedDocument(ADDED, None, tuple(answers))}) if answers else self

    def without(self, *, names: Collection[str] = (), document_ids: Collection[str] = ()) -> Memory:
        """Forget what was said of some names, and what some documents said, by their ids or keys."""
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
        """Return what the manifest says of it; nothing where there is none."""
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
        return {"memory": counts}


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
    said = ((str(each["text"]), tuple(map(str, each["gold"])), bool(each.get(NOT_A_NAME))) for each in record["mentions"])
    return RememberedDocument(str(record["key"]), record.get("id"), tuple(Answer(*each) for each in said))

"""Text and mentions -> the words of their sentences, as rows of word vectors."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import HashTable
from eigenthemes.core.arrays import unit_rows
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.embeddings.word_vectors import KeptWordVectors, WordVectors
from eigenthemes.errors import DocumentError, OptionError, VectorError
from eigenthemes.kb.store import KB
from eigenthemes.records import Document, Mention

MAX_WORDS = 100  # of a sentence
MAX_DISTANCE = 10  # of a word from the mention, from which on all are alike
KNOWN_WORDS = 200_000  # the model keeps its words: those that come first, for files begin with the frequent ones

_WORD = re.compile(r"\w+|[^\w\s]")
# A line, or what ends after two small letters or digits ("Mr. Jordan" is one sentence) and is followed by something capital.
_BOUNDARY = re.compile(r"\n|(?<=[^\WA-Z_]{2}[.!?])[\"'”’)\]]*\s+(?=[\"'“‘(\[]*[A-Z0-9])")
_REACH = 20 * MAX_WORDS  # letters on each side in which a sentence is looked for


@dataclass(frozen=True, slots=True)
class Words:
    """Words and their vectors.

    table    hash of a word -> row
    vectors  [w + 1, d] float32, of unit length; the last one, zeros, is that of every unknown word
    """

    table: HashTable
    vectors: NDArray[np.float32]

    @classmethod
    def of(cls, source: Any, kb: KB) -> Words:
        """Make it from a file of word vectors, gensim's KeyedVectors or a `WordVectors`; None: those the KB holds."""
        if source is not None:
            return cls._of_vectors(source if isinstance(source, WordVectors) else WordVectors.open(source))
        context = KeptWordVectors.of(kb)
        if context is None:
            raise OptionError(
                f"{kb.path} holds no word vectors, and none were given; give a file of them with --word-vectors",
                code="word-vectors-needed",
            )
        return cls.make(np.asarray(context.hashes), np.asarray(context.vectors))

    @classmethod
    def _of_vectors(cls, words: WordVectors) -> Words:
        kept = [(word, row) for word, row in words.row_of.items() if row < KNOWN_WORDS]
        hashes = hash_strings(Strings.of([word for word, _ in kept]))
        order = np.argsort(hashes, kind="stable")
        rows = np.array([row for _, row in kept], dtype=np.int64)[order]
        return cls.make(hashes[order], words.vectors[rows].astype(np.float32))

    @classmethod
    def make(cls, hashes: NDArray[np.uint64], vectors: NDArray[np.float32]) -> Words:
        """Make it from sorted hashes and the vector of each."""
        if not np.isfinite(vectors).all():
            raise VectorError("the word vectors hold NaN or infinite values; mend or remove them")
        unknown = np.zeros((1, vectors.shape[1]), dtype=np.float32)
        return cls(HashTable.of(hashes), np.concatenate((unit_rows(vectors), unknown)))

    @property
    def unknown(self) -> int:
        return len(self.vectors) - 1

    def rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the row of each word as it stands, or else in small letters."""
        given = list(words)
        rows = self.table.find_all(hash_strings(Strings.of(given)))
        missing = np.flatnonzero(rows < 0)
        rows[missing] = self.table.find_all(hash_strings(Strings.of([given[i].lower() for i in missing.tolist()])))
        return np.where(rows < 0, self.unknown, rows)


@dataclass(frozen=True, slots=True)
class Padded:
    """A padded batch of sentences.

    words, positions  [m, longest] int64: rows of word vectors; distance to the mention, -10 to 10, plus 10
    lengths           [m] int64
    first, last       [m] int64: the mention's first and last word
    """

    words: NDArray[np.int64]
    positions: NDArray[np.int64]
    lengths: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sentences:
    """The sentence of each mention.

    words        [all words] int64, one sentence after the other
    starts       [m + 1] int64
    first, last  [m] int64: the mention's first and last word within its sentence
    """

    words: NDArray[np.int64]
    starts: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]

    @classmethod
    def read(cls, spans: Iterable[tuple[str, int, int]], words: Words) -> Sentences:
        """Read the sentences of mentions at (text, start, end)."""
        all_words: list[str] = []
        starts, first, last = [0], [], []
        for text, start, end in spans:
            sentence, begin, stop = sentence_of(text, start, end)
            all_words += sentence
            starts.append(len(all_words))
            first.append(begin)
            last.append(stop)
        arrays = (np.array(column, dtype=np.int64) for column in (starts, first, last))
        return cls(words.rows(all_words), *arrays)

    def __len__(self) -> int:
        return len(self.first)

    @property
    def lengths(self) -> NDArray[np.int64]:
        return np.diff(self.starts)

    def padded(self, which: NDArray[np.int64], fill: int) -> Padded:
        """Return some of the sentences, filled up to the longest."""
        lengths = self.lengths[which]
        position = np.arange(int(lengths.max(initial=1)))
        inside = position < lengths[:, None]
        words = np.where(inside, self.words[np.where(inside, self.starts[which, None] + position, 0)], fill)
        first, last = self.first[which], self.last[which]
        distance = np.minimum(position - first[:, None], 0) + np.maximum(position - last[:, None], 0)
        return Padded(words, np.clip(distance, -MAX_DISTANCE, MAX_DISTANCE) + MAX_DISTANCE, lengths, first, last)


def sentence_of(text: str, start: int, end: int) -> tuple[list[str], int, int]:
    """Return the words of the sentence around a mention, at most 100, and where the mention's first and last stand."""
    mention = _WORD.findall(text[start:end])[:MAX_WORDS] or [text[start:end]]
    begin, stop = max(0, start - _REACH), end + _REACH
    for boundary in _BOUNDARY.finditer(text, begin, start + 2):  # the mention itself may begin the sentence
        begin = boundary.end() if boundary.end() <= start else begin
    following = _BOUNDARY.search(text, end, stop)
    left = _WORD.findall(text[begin:start])
    right = _WORD.findall(text[end : stop if following is None else following.start()])
    room = MAX_WORDS - len(mention)
    keep_left = min(len(left), max(room // 2, room - len(right)))
    left, right = left[len(left) - keep_left :], right[: room - keep_left]
    return left + mention + right, len(left), len(left) + len(mention) - 1


def mention_spans(document: Document) -> Iterator[tuple[str, int, int]]:
    """Yield text, start and end of each mention of a document."""
    check_text(document)
    for mention in document.mentions or ():
        assert document.text is not None
        yield (document.text, *_offsets(document, mention))


def check_text(document: Document) -> None:
    """Refuse a document without text, or with a mention that does not occur in its text."""
    has_names = bool(document.mentions) if document.mentions is not None else document.table is not None
    if document.text is None and has_names:
        raise DocumentError(
            f"{_named(document)} has no text, and tau-MIL-ND reads the words around a mention; "
            "give documents with text, or choose another method"
        )
    for mention in document.mentions or ():
        _offsets(document, mention)


def _offsets(document: Document, mention: Mention) -> tuple[int, int]:
    start = document.start_of(mention)
    if start < 0:
        raise DocumentError(
            f"{_named(document)} has the mention {mention.text[:40]!r}, which does not stand in its text, and tau-MIL-ND reads "
            'the words around it; give its "start" and "end", or choose another method'
        )
    return start, start + len(mention.text) if mention.end is None else mention.end


def _named(document: Document) -> str:
    return "a document without id" if document.id is None else f"the document {document.id!r}"

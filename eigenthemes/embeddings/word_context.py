"""What the text around a name says: the words near it, and all words of its document, beside the description of a candidate.

Words have vectors, a text is the average of its words, rare ones counting more; so is a description. Kept in the KB, mapped,
nothing is loaded to link a document.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import unit_rows
from eigenthemes.core.strings import HashTable, Strings, hash_strings
from eigenthemes.embeddings.descriptions import description_vectors, rarity
from eigenthemes.embeddings.word_vectors import WordVectors
from eigenthemes.kb.store import KB
from eigenthemes.kb.writer import KBWriter
from eigenthemes.records import Mention

WINDOW = 5  # words on each side of a mention
_WORD = re.compile(r"[^\W\d_]{2,}")  # no numbers, no single letters
_FILES = ("context_hashes", "context_buckets", "context_words", "context_rarity", "context_entities")


@dataclass(frozen=True, slots=True)
class WordContext:
    """Vectors of words and of descriptions.

    table     hash of a word in small letters -> row
    words     [w, d] float32: the vector of each word
    rarity    [w] float32: rare words count more
    entities  [entities, d] float32, of unit length; zero: no description, or none of its words is known
    """

    table: HashTable
    words: NDArray[np.float32]
    rarity: NDArray[np.float32]
    entities: NDArray[np.float32]

    @classmethod
    def make(cls, kb: KB, vectors: WordVectors) -> WordContext:
        """Make it for a KB from word vectors."""
        small = {word.lower(): row for word, row in reversed(list(vectors.row_of.items()))}  # the first spelling counts
        hashes = hash_strings(Strings.of(small))
        order = np.argsort(hashes, kind="stable")
        rows = np.fromiter(small.values(), dtype=np.int64)[order]
        entities, _ = description_vectors(kb, vectors, weighted=True)
        rare = rarity(kb.descriptions, vectors)[rows]
        return cls(HashTable.of(hashes[order]), vectors.vectors[rows].astype(np.float32), rare, entities)

    @classmethod
    def of(cls, kb: KB) -> WordContext | None:
        """Return the one a KB holds, or None."""
        if not cls.kept(kb):
            return None
        hashes, buckets, words, rare, entities = map(kb.array, _FILES)
        return cls(HashTable(hashes, buckets), words, rare, entities)

    @staticmethod
    def kept(kb: KB) -> bool:
        """Return whether the KB holds word vectors."""
        return _FILES[0] in kb.manifest["files"]

    def write(self, writer: KBWriter) -> None:
        """Add it to the files of a KB."""
        arrays: tuple[NDArray[Any], ...] = (self.table.hashes, self.table.buckets, self.words, self.rarity, self.entities)
        for name, array in zip(_FILES, arrays, strict=True):
            writer.add(name, array)

    def read(self, text: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return the known words of a text: where each starts [k], and its row [k]."""
        starts_and_words = [(match.start(), match[0].lower()) for match in _WORD.finditer(text)]
        rows = self.rows([word for _, word in starts_and_words])
        starts = np.array([start for start, _ in starts_and_words], dtype=np.int64)
        return starts[rows >= 0], rows[rows >= 0]

    def rows(self, words: list[str]) -> NDArray[np.int64]:
        """Return the row of each word in small letters; -1: unknown."""
        return self.table.find_all(hash_strings(Strings.of(words)))

    def near(self, starts: NDArray[np.int64], rows: NDArray[np.int64], mention: Mention) -> NDArray[np.int64]:
        """Return the rows of the words on both sides of a mention."""
        if mention.start is None or mention.end is None:
            return rows[:0]
        before, after = np.searchsorted(starts, (mention.start, mention.end))
        return np.concatenate((rows[max(0, before - WINDOW) : before], rows[after : after + WINDOW]))

    def vector(self, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        """Return the average vector of words [d], of unit length; zeros for no words."""
        return np.asarray(unit_rows((self.rarity[rows] @ self.words[rows])[None, :])[0])

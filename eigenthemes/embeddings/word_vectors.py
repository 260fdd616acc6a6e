"""Vectors of words, from a file in any of the formats that can be imported, or from gensim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from eigenthemes.embeddings.imported import read_vectors
from eigenthemes.errors import VectorError


class KeyedVectors(Protocol):
    """What gensim calls by this name, and whatever else has these two."""

    @property
    def key_to_index(self) -> Mapping[str, int]: ...
    @property
    def vectors(self) -> NDArray[Any]: ...


@dataclass(frozen=True, slots=True)
class WordVectors:
    """Words and their vectors: the row of each word in `vectors` [m, d]."""

    row_of: Mapping[str, int]
    vectors: NDArray[Any]

    @classmethod
    def open(cls, source: str | Path | KeyedVectors) -> WordVectors:
        """Read a file of vectors in any of the formats that can be imported, or take gensim's KeyedVectors.

        Where a file has a word twice, the first counts, as in gensim.
        """
        if not isinstance(source, str | Path):
            return cls._of_keyed(source)
        words, vectors = read_vectors(source, first_of_repeated=True)
        return cls({word: row for row, word in enumerate(words)}, vectors)

    @classmethod
    def _of_keyed(cls, source: KeyedVectors) -> WordVectors:
        row_of, vectors = getattr(source, "key_to_index", None), getattr(source, "vectors", None)
        if not isinstance(row_of, Mapping) or not isinstance(vectors, np.ndarray):
            raise VectorError(
                f"an object of the type {type(source).__name__} holds no word vectors; give the path of a file, or an object "
                "with key_to_index and vectors, as gensim's KeyedVectors"
            )
        if vectors.ndim != 2 or vectors.dtype.kind != "f" or max(row_of.values(), default=-1) >= len(vectors):
            raise VectorError(
                f"the word vectors hold {vectors.dtype.name} values in the shape {vectors.shape} for {len(row_of):,} words; "
                "expected a matrix of floats with a row for each word: load them again"
            )
        return cls(row_of, vectors)

    def __len__(self) -> int:
        return len(self.row_of)

    def row(self, word: str) -> int:
        """Return the row of a word as it stands, or else in small letters; -1: unknown."""
        row = self.row_of.get(word)
        return self.row_of.get(word.lower(), -1) if row is None else row

    def rows(self, words: Iterable[str]) -> NDArray[np.int64]:
        """Return the row of each word; -1: unknown."""
        return np.fromiter(map(self.row, words), dtype=np.int64)

"""Profiles of entities: the words of their descriptions and of their neighbours' labels, without those of their own names.

Words are the tokens of the KB's names, by their number in the name index; other words of descriptions do not count.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.kb.name_arrays import SpelledNames
from eigenthemes.kb.store import KB
from eigenthemes.text.normalize import normalize
from eigenthemes.text.segment import FUNCTION_WORDS

FILES = ("profile_indptr", "profile_words", "profile_rarity")
_CHUNK = 20_000  # descriptions


@dataclass(frozen=True, slots=True)
class EntityProfiles:
    """The words of each entity, and how rare they are.

    indptr  [n + 1] int64
    words   [q] uint32: those of entity i are words[indptr[i]:indptr[i + 1]], in order
    rarity  [tokens] float32: log of the number of profiles over the number of those with the word; 0: no profile has it
    """

    indptr: NDArray[np.int64]
    words: NDArray[np.uint32]
    rarity: NDArray[np.float32]

    @property
    def lists(self) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
        """The words of each entity, as kernels take them."""
        return self.indptr, self.words

    def files(self) -> dict[str, NDArray[Any]]:
        """Return the arrays that a KB keeps, by name."""
        return dict(zip(FILES, (self.indptr, self.words, self.rarity), strict=True))

    @classmethod
    def of(cls, kb: KB) -> EntityProfiles | None:
        """Return those that a KB keeps; None: it has no ranker."""
        return cls(*(kb.array(name) for name in FILES)) if all(map(kb.has, FILES)) else None


def collect_profiles(kb: KB, spelled: SpelledNames) -> EntityProfiles:
    """Collect the profiles of the entities of a KB, given how its names are spelled."""
    from eigenthemes.kernels.profiles import collect_words

    many = len(kb.name_index.tokens)
    names = kb.array("entity_names"), spelled.indptr, spelled.tokens
    graph = kb.graph.indptr, kb.graph.neighbors
    collect = collect_words.select_backend(len(kb.graph.neighbors) + len(spelled.tokens))
    indptr, words = _without_function_words(kb, *collect(_words_of_descriptions(kb), names, graph, many))
    counts = np.bincount(words, minlength=many)
    having = np.count_nonzero(np.diff(indptr))
    rarity = np.where(counts > 0, np.log(max(1, having) / np.maximum(1, counts)), 0.0)
    return EntityProfiles(indptr, words, rarity.astype(np.float32))


def _without_function_words(
    kb: KB, indptr: NDArray[np.int64], words: NDArray[np.uint32]
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Remove function words from profiles; in a small KB they look as rare as content words."""
    found = kb.name_index.token_table.find_all(hash_strings(Strings.of(sorted(FUNCTION_WORDS))))
    tells = np.ones(len(kb.name_index.tokens), dtype=bool)
    tells[found[found >= 0]] = False
    kept = tells[words]
    return np.concatenate(([0], np.cumsum(kept)))[indptr], words[kept]


def _words_of_descriptions(kb: KB) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the words of each description (indptr [n + 1], words, -1 where no name has it)."""
    counts, found = np.zeros(len(kb), np.int64), [np.zeros(0, np.int64)]
    for first in range(0, len(kb), _CHUNK):
        rows = range(first, min(len(kb), first + _CHUNK))
        words = [normalize(text).split() if (text := kb.description_of(row)) else [] for row in rows]
        counts[first : rows.stop] = [len(of_row) for of_row in words]
        hashes = hash_strings(Strings.of([word for of_row in words for word in of_row]))
        found.append(kb.name_index.token_table.find_all(hashes))
    return np.concatenate(([0], np.cumsum(counts))), np.concatenate(found)

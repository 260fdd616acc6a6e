"""Spans of a text that are names because people said so, whatever the KB calls its entities and however it writes names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import HashTable, Strings, bit_filter, hash_strings
from eigenthemes.kb.name_memory import NameMemories
from eigenthemes.mentions.inflection import no_other_forms
from eigenthemes.mentions.matching import Keys, Matches, WordForms
from eigenthemes.text.segment import Pieces, Words

FindMatches = Callable[[Pieces, WordForms, Keys], Matches]
_NO_KEY = -1  # as the row of a match: the name may be none of the KB's


class RememberedNames:
    """Finds the names that people linked, and did not more often call no name.

    A name that was always written with a capital ("Aids") is not found in small letters.

    allowed  [entities] bool: those that may be meant; names that only meant others are no names. None: all
    """

    def __init__(self, memory: NameMemories, allowed: NDArray[np.bool_] | None) -> None:
        small = {
            name: any(spelling.islower() for spelling in said.spellings)
            for name, said in memory.items()
            if sum(said.linked.values()) > said.not_a_name and (allowed is None or allowed[list(said.linked)].any())
        }
        hashes = hash_strings(Strings.of(list(small)))
        order = np.argsort(hashes)
        self._small = np.array(list(small.values()), dtype=bool)[order]
        self._keys = _keys(hashes[order])

    def matches(self, text: str, pieces: Pieces, words: Words, find_matches: FindMatches) -> Matches:
        """Return the spans that are such a name, as rows of `matching`."""
        found = find_matches(pieces, WordForms(words.forms, words.possessive, no_other_forms(words)), self._keys)
        spans = zip(pieces.starts[found[:, 0]].tolist(), pieces.ends[found[:, 1]].tolist(), strict=True)
        capital = np.array([not text[start:end].islower() for start, end in spans], dtype=bool)
        kept: Matches = found[capital | self._small[found[:, 2]]]
        kept[:, 2] = _NO_KEY
        return kept


def _keys(hashes: NDArray[np.uint64]) -> Keys:
    """Return what spans are looked up in; read-only like the KB's own keys, so that the same compiled code takes them."""
    table = HashTable.of(hashes)
    keys = Keys(table, np.arange(len(hashes) + 1), np.zeros(len(hashes), dtype=np.uint8), bit_filter(hashes))
    for array in (table.hashes, table.buckets, keys.indptr, keys.kinds, keys.filter):
        array.flags.writeable = False
    return keys

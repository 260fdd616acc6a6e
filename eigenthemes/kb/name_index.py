"""The arrays of the name index, as they lie in the KB folder; `candidates` builds them and looks names up in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import HashTable, Strings

# How a whole name can equal a mention, best first. The first two are the name itself; the others are made from it:
# UNBRACKETED is the label without what stands in brackets, or turned round at its commas.
LABEL, ALIAS, UNBRACKETED, INITIALS, ACRONYM = range(5)
SHORT_ACRONYM = 2  # letters of an acronym that only mentions in capitals find: BC is British Columbia, "la" is not Los Angeles
WHOLE = ALIAS  # kinds up to this one are names the KG itself gives


@dataclass(frozen=True, slots=True)
class SpelledNames:
    """How each name is spelled.

    indptr   [names + 1] int64, tokens [t] uint32: the tokens of each name, in order
    letters  [names] uint64: hash of its letters and digits as they are written
    """

    indptr: NDArray[np.int64]
    tokens: NDArray[np.uint32]
    letters: NDArray[np.uint64]


@dataclass(frozen=True, slots=True)
class NameIndexArrays:
    """The arrays of the index, as they lie in the KB folder.

    tokens          the vocabulary, in order of hash
    token_table     hash -> token
    postings_indptr [tokens + 1] int64, postings [p] uint32 entities ascending, in_label [p] uint8 (0: only in an alias)
    key_table       hash of a squashed name -> key
    key_indptr      [keys + 1] int64, key_entities [q] uint32 ascending, key_kinds [q] uint8
    key_filter      `bit_filter` of the keys that are a name, or a label but for brackets or commas
    typos           tokens a slip of the pen away
    spelled         how each name is spelled; of a KB that is opened it is apart, as `KB.spelled_names`
    """

    tokens: Strings
    token_table: HashTable
    postings_indptr: NDArray[np.int64]
    postings: NDArray[np.uint32]
    in_label: NDArray[np.uint8]
    key_table: HashTable
    key_indptr: NDArray[np.int64]
    key_entities: NDArray[np.uint32]
    key_kinds: NDArray[np.uint8]
    key_filter: NDArray[np.uint8]
    typos: TypoIndex
    spelled: SpelledNames | None = None


@dataclass(frozen=True, slots=True)
class TypoIndex:
    """Bucket of a hash -> tokens: `indptr` [2^b + 1] uint32, `members` [r] uint32, `checks` [r] uint8; and a `bit_filter`.

    A check spares most looks at the token itself: its low 4 bits are those of the hash, its high ones the length of the token
    less 5, at most 15.
    """

    indptr: NDArray[np.uint32]
    members: NDArray[np.uint32]
    checks: NDArray[np.uint8]
    filter: NDArray[np.uint8]

"""The arrays of the name index as the KB folder stores them, and kernels that hash and find words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import OFFSET, HashTable, fill, finish, grown, place_of, step, table_size
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import Strings

# How a whole name can equal a mention, best first. The first two are the name itself; the others are made from it:
# UNBRACKETED is the label without what stands in brackets, or turned round at its commas; CORE a name without weak words, by
# the stems of its words (`names.analysis`).
LABEL, ALIAS, UNBRACKETED, CORE, INITIALS, ACRONYM = range(6)
SHORT_ACRONYM = 2  # letters of an acronym that only mentions in capitals find: BC is British Columbia, "la" is not Los Angeles
WHOLE = ALIAS  # kinds up to this one are names the KG itself gives
BEST_KIND, SMALL, POSSESSIVE = 7, 8, 16  # parts of a summary; SMALL: a name has no capital after its first letter
IN_ALIAS, IN_LABEL, BEGINS_LABEL = range(3)  # where an entity has a token: in an alias only, in its label, or first in it


@dataclass(frozen=True, slots=True)
class SpelledNames:
    """Names with letter case.

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
    postings_indptr [tokens + 1] int64, postings [p] uint32 entities ascending
    in_label        [p] uint8: IN_ALIAS, IN_LABEL or BEGINS_LABEL
    key_table       hash of a squashed name -> key
    key_indptr      [keys + 1] int64, key_entities [q] uint32 ascending, key_kinds [q] uint8
    key_summary     [keys] uint8: BEST_KIND of its match types, and how its names are written: SMALL, POSSESSIVE
    key_filter      `bit_filter` of the keys that are a name, a label but for brackets or commas, or a core
    typos           tokens a slip of the pen away
    share           [p] uint8: the share of a name's information that the token has, in the name where it is highest; 255: all
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
    key_summary: NDArray[np.uint8]
    key_filter: NDArray[np.uint8]
    typos: TypoIndex
    share: NDArray[np.uint8] | None = None
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


# those of its arrays that have the same name in the folder
INDEX_FILES = ("postings_indptr", "postings", "key_indptr", "key_entities", "key_kinds", "key_summary", "key_filter")


MOST_LONGER = 32  # names with the first word of a name that are looked at to find longer ones
_SPACE = 32
_BEYOND_ASCII = 128


@kernel
def hash_words(text: Any, starts: Any, ends: Any) -> Any:
    """Return the hashes of the words of each name text[starts[i]:ends[i]], of all of its words, and of all of its letters.

    text  [b] uint8: normalised names, words apart by spaces

    Returns (indptr [n + 1] int64, words [w] uint64, names [n] uint64, keys [n] uint64).
    """
    indptr, of_names = np.zeros(len(starts) + 1, np.int64), np.zeros(len(starts), np.uint64)
    keys = np.zeros(len(starts), np.uint64)
    hashes, many = np.zeros(len(text) + 1, np.uint64), 0
    for name in range(len(starts)):
        h, of_name, key, inside = OFFSET, OFFSET, OFFSET, False
        for at in range(starts[name], ends[name] + 1):
            if at < ends[name] and text[at] != _SPACE:
                h, key, inside = step(h, text[at]), step(key, text[at]), True
            elif inside:
                hashes[many] = finish(h)
                of_name = step(of_name, hashes[many])
                many += 1
                h, inside = OFFSET, False
        of_names[name], keys[name] = finish(of_name), finish(key)
        indptr[name + 1] = many
    return indptr, hashes[:many], of_names, keys


@kernel
def hash_letters(text: Any, starts: Any, ends: Any) -> Any:
    """Return the hash of the letters and digits of each name [n] uint64; whatever is beyond ASCII is taken for a letter.

    text  [b] uint8; name i is text[starts[i]:ends[i]]
    """
    hashes = np.zeros(len(starts), np.uint64)
    for name in range(len(starts)):
        h = OFFSET
        for at in range(starts[name], ends[name]):
            byte = text[at]
            if byte >= _BEYOND_ASCII or 48 <= byte <= 57 or 97 <= (byte | 32) <= 122:
                h = step(h, byte)
        hashes[name] = finish(h)
    return hashes


@kernel
def longer_names(documents: Any, indptr: Any, words: Any) -> Any:
    """Return the names of the same document that contain each name, word for word (indptr [n + 1], names [q]), int64.

    documents      [d + 1] names of each document
    indptr, words  of the names, as of `hash_words`

    Names are counted within their document. Of those that have the first word of a name, the first MOST_LONGER are looked at.
    """
    size = table_size(16, 2 * len(words))  # of which a document uses a part
    table, head = np.empty(size, np.int64), np.empty(size, np.int64)
    following, owner = np.empty(len(words), np.int64), np.empty(len(words), np.int64)
    starts, found, many = np.zeros(len(indptr), np.int64), np.empty(64, np.int64), 0
    for document in range(len(documents) - 1):
        first, last = documents[document], documents[document + 1]
        of_document = table[: table_size(16, 2 * (indptr[last] - indptr[first]))]
        fill(of_document, 0, len(of_document), -1)
        _list_by_word(first, last, indptr, words, of_document, head, following, owner)
        for name in range(first, last):
            if indptr[name + 1] > indptr[name]:
                at = place_of(of_document, _number(words[indptr[name]]))
                k = head[at] if of_document[at] >= 0 else -1
                looked_at = 0
                while k >= 0 and looked_at < MOST_LONGER:
                    if _contains(owner[k], name, indptr, words):
                        found = grown(found, many, 1)
                        found[many] = owner[k] - first
                        many += 1
                    k = following[k]
                    looked_at += 1
            starts[name + 1] = many
    return starts, found[:many]


@kernel
def _list_by_word(first: Any, last: Any, indptr: Any, words: Any, table: Any, head: Any, following: Any, owner: Any) -> None:
    """Chain the names of several words of a document by each of their words, in order; a word that a name has twice once."""
    for name in range(last - 1, first - 1, -1):
        if indptr[name + 1] - indptr[name] > 1:
            for k in range(indptr[name], indptr[name + 1]):
                at = place_of(table, _number(words[k]))
                if table[at] < 0:
                    table[at], head[at] = _number(words[k]), -1
                if head[at] < 0 or owner[head[at]] != name:
                    following[k], owner[k], head[at] = head[at], name, k


@kernel
def _contains(other: Any, name: Any, indptr: Any, words: Any) -> Any:
    """Return whether a longer name has the words of another one, side by side."""
    size, length = indptr[name + 1] - indptr[name], indptr[other + 1] - indptr[other]
    for start in range(length - size + 1 if length > size else 0):
        same = True
        for k in range(size):
            if words[indptr[other] + start + k] != words[indptr[name] + k]:
                same = False
                break
        if same:
            return True
    return False


@kernel
def _number(word: Any) -> Any:
    """Return a hash as a number that hash tables take: not negative."""
    return np.int64(word >> np.uint64(1))

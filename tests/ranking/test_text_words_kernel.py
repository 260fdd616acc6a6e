"""The words around places of a text, compiled, against the plain ones."""

from __future__ import annotations

from typing import Any

import numpy as np
from helpers.kernels import same_bits
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.core.array_kernels import HashTable
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.ranking.features.text_words import OTHER, SEPARATOR, words_around
from eigenthemes.text import words as letters_of_texts
from eigenthemes.text.normalize import normalize
from eigenthemes.text.words import WORD, plain_letters

TABLE = HashTable.of(np.sort(hash_strings(Strings.of(("a", "x", "aa", "49", "e", "ae", "xe")))))


def around(text: str, *places: tuple[int, ...], owners: int = 1, table: HashTable = TABLE) -> list[list[int]]:
    """The words of each owner; places: (owner, low, begin, end, high, reach)."""
    columns = tuple(np.array(places, np.int64).reshape(-1, 6).T.copy())
    indptr, words = same_bits(words_around, *plain_letters(text), columns, owners, table.hashes, table.buckets)
    return [words[indptr[owner] : indptr[owner + 1]].tolist() for owner in range(owners)]


def row_of(word: str) -> int:
    return int(TABLE.find_all(hash_strings(Strings.of([normalize(word)])))[0])


texts = st.text(st.sampled_from("aAxX49éÉ²ß東\u0301 .,-_’\n"), max_size=60)


@given(texts, st.lists(st.tuples(st.integers(0, 2), *[st.integers(0, 60)] * 4, st.integers(0, 4)), max_size=4))
def test_words_are_those_of_the_plain_pattern(text: str, drawn: list[tuple[int, ...]]) -> None:
    places = [(owner, *sorted(min(at, len(text)) for at in spans), reach) for owner, *spans, reach in drawn]
    words = [(match.start(), match[0]) for match in WORD.finditer(text)]
    expected: list[list[int]] = [[], [], []]
    for owner, low, begin, end, high, reach in places:
        before = [word for word in words if low <= word[0] < begin]
        after = [word for word in words if end <= word[0] < high]
        for start, word in (*before[max(0, len(before) - reach) :], *after[:reach]):
            plain = all(len(normalize(char)) == 1 and normalize(char).isascii() for char in word) and "\u0301" not in word
            expected[owner].append(row_of(word) if plain else -2 - start)
    assert around(text, *places, owners=3) == expected


def test_letters_are_plain_small_ones_or_told_apart() -> None:
    codes, letters = plain_letters("aZ9éß東-’\ud800\u0301\U0001f600")
    plain = letters[codes].tolist()
    assert plain == [*b"az9e", OTHER, OTHER, SEPARATOR, SEPARATOR, SEPARATOR, OTHER, SEPARATOR]
    assert (SEPARATOR, OTHER) == (letters_of_texts.SEPARATOR, letters_of_texts.OTHER)


def test_an_empty_table_or_text_knows_no_word() -> None:
    empty: Any = HashTable.of(np.zeros(0, np.uint64))
    assert around("one two", (0, 0, 0, 0, 7, 9), table=empty) == [[-1, -1]]
    assert around("", (0, 0, 0, 0, 0, 9)) == [[]]
    assert around("one two") == [[]]

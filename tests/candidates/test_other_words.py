"""Words that a KB's own names use for each other."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.candidates.other_words import LEAST, MOST, OtherWords, no_other_words, pairs_of

Names = list[list[list[int]]]  # of each entity its names, each a list of tokens
_TOKENS = 6


def found(names: Names, are_words: list[bool] | None = None) -> OtherWords:
    flat = [name for of_entity in names for name in of_entity]
    owner = np.repeat(np.arange(len(names)), [len(of_entity) for of_entity in names])
    indptr = np.concatenate(([0], np.cumsum([len(name) for name in flat]))).astype(np.int64)
    tokens = np.array([token for name in flat for token in name], dtype=np.uint32)
    words = np.ones(_TOKENS, dtype=bool) if are_words is None else np.array(are_words)
    return pairs_of(indptr, tokens, owner, words)


def test_words_stand_for_each_other_where_enough_entities_say_so() -> None:
    said = [[[token, 0], [token, 1]] for token in (2, 3, 4)]
    assert found(said).of(0) == [1]
    assert found(said).of(1) == [0]
    assert found(said).of(2) == []
    assert found(said[:-1]).of(0) == []
    assert LEAST == 3


def test_the_order_of_words_says_nothing() -> None:
    assert found([[[2, 0], [1, 2]], [[3, 0], [3, 1]], [[0, 4], [4, 1]]]).of(0) == [1]


def test_what_is_no_word_stands_for_nothing() -> None:
    said = [[[token, 0], [token, 1]] for token in (2, 3, 4)]
    assert found(said, [True, False, True, True, True, True]).of(0) == []


def test_a_list_of_names_says_nothing() -> None:
    many = [[[token, 0] for token in range(MOST + 1)] for _ in range(LEAST)]
    indptr = 2 * np.arange(len(many) * (MOST + 1) + 1)
    tokens = np.array(many, dtype=np.uint32).reshape(-1)
    owner = np.repeat(np.arange(len(many)), MOST + 1)
    assert len(pairs_of(indptr, tokens, owner, np.ones(MOST + 1, dtype=bool)).tokens) == 0


def test_no_names_have_no_other_words() -> None:
    assert len(found([]).tokens) == 0
    assert no_other_words().of(0) == []
    assert no_other_words().of(-1) == []


@given(st.lists(st.lists(st.lists(st.integers(0, _TOKENS - 1), min_size=1, max_size=3), max_size=4), max_size=12))
def test_they_are_what_comparing_all_names_of_each_entity_finds(names: Names) -> None:
    counts: Counter[tuple[int, int]] = Counter()
    for of_entity in names:
        frames: dict[tuple[int, ...], set[int]] = {}
        for name in of_entity:
            for at in range(len(name) if len(name) > 1 else 0):
                frames.setdefault(tuple(sorted(name[:at] + name[at + 1 :])), set()).add(name[at])
        for words in frames.values():
            if len(words) <= MOST:
                counts.update(combinations(sorted(words), 2))
    expected = {pair for pair, count in counts.items() if count >= LEAST}
    other_words = found(names)
    said = {(one, other) for one in range(_TOKENS) for other in other_words.of(one)}
    assert said == expected | {(other, one) for one, other in expected}

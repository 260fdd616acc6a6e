"""Similar spellings: the distance of two words, and the index that finds the nearest."""

from __future__ import annotations

import time

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from eigenthemes.candidates.compiled_typos import edit_distance
from eigenthemes.core.strings import Strings
from eigenthemes.names.typos import LONGEST, build_typo_index, similar_to_all, similar_tokens, slips

short = st.text(alphabet="abcde", max_size=10)


@given(short, short, st.integers(0, 2))
def test_the_compiled_distance_is_optimal_string_alignment(one: str, other: str, limit: int) -> None:
    a, b = (np.array([ord(c) for c in text] + [0] * (LONGEST + 1 - len(text))) for text in (one, other))
    found = edit_distance(a, len(one), b, len(other), limit, np.zeros((3, LONGEST + 1), dtype=np.int64))
    assert found == min(OSA.distance(one, other), limit + 1)


@given(st.lists(st.text(alphabet="abcdü", min_size=4, max_size=11), min_size=1, max_size=30, unique=True), st.data())
def test_similar_tokens_are_just_the_nearest_within_the_slips(vocabulary: list[str], data: st.DataObject) -> None:
    word = data.draw(st.one_of(st.sampled_from(vocabulary), st.text(alphabet="abcdü", min_size=4, max_size=11)))
    tokens = Strings.of(vocabulary)
    near = {
        i: OSA.distance(word, other)
        for i, other in enumerate(vocabulary)
        if OSA.distance(word, other) <= min(slips(word), slips(other)) and slips(word) and slips(other)
    }
    nearest = [i for i, distance in near.items() if distance == min(near.values())]
    assert similar_tokens(word, tokens, build_typo_index(tokens)) == nearest


def test_slips_depend_on_length_and_digits_are_never_mended() -> None:
    assert [slips(word) for word in ("four", "fives", "eightlet", "nineletts", "abcde1")] == [0, 1, 1, 2, 0]


def test_many_words_together_take_much_less_than_one_by_one() -> None:
    letters = "abcdefghij"
    words = ["".join(letters[(i // 10**place) % 10] for place in range(6)) for i in range(0, 300_000, 1000)]
    tokens = Strings.of([word[:3] + "z" + word[3:] for word in words[::7]])
    index = build_typo_index(tokens)
    began = time.perf_counter()
    one_by_one = [similar_tokens(word, tokens, index) for word in words]
    between = time.perf_counter()
    together = similar_to_all(words, tokens, index)
    assert together == one_by_one
    assert any(together)
    assert time.perf_counter() - between < (between - began) / 2

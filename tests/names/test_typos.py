"""Similar spellings: the distance of two words, and the index that finds the nearest."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import OSA

from eigenthemes.core.strings import Strings
from eigenthemes.names.typos import LONGEST, MOST_SIMILAR, build_typo_index, edit_distance, find_similar, similar_tokens

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
    index = build_typo_index(tokens)
    [(found, edits)] = similar_tokens([word], tokens, index)
    assert found == nearest[:MOST_SIMILAR]
    assert not found or edits == min(near.values())
    arrays = (tokens.blob, tokens.offsets), (index.indptr, index.members, index.checks, index.filter)
    encoded = Strings.of([word, *vocabulary[:3]])
    plain, compiled = (run((encoded.blob, encoded.offsets), *arrays) for run in (find_similar.plain, find_similar))
    assert all(np.array_equal(one, other) for one, other in zip(plain, compiled, strict=True))


def slips(word: str) -> int:
    """Return how many edits are allowed in a word."""
    return 0 if len(word) < 5 or any(map(str.isdigit, word)) else 2 if len(word) >= 9 else 1


def test_words_with_digits_and_short_ones_have_no_typos() -> None:
    tokens = Strings.of(["fours", "abcde1", "fived", "ninelettes"])
    index = build_typo_index(tokens)
    assert [found for found, _ in similar_tokens(["four", "abcde2", "fivex", "ninlettas"], tokens, index)] == [[], [], [2], [3]]

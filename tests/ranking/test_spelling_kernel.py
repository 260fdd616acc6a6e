"""How mentions are spelled beside names, against plain lists."""

from __future__ import annotations

import numpy as np
from helpers.kernels import same_bits
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes.ranking.features.name import BEGINS, CASED, COVERED, ENDS, IN_LABEL, SPELLING_OVERLAP, spelling

WORST_WHOLE, SHARING, OTHER = 1, (7, 8), 6
Words = list[int]


def bounds_of(parts: list[list[int]] | list[list[Words]]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum([len(part) for part in parts]))).astype(np.int64)


def letters_of(words: Words) -> int:
    return sum(7 * word + 1 for word in words)


def by_hand(mention: Words, names: list[Words], match_type: int) -> list[float]:
    row = [0.0] * 6
    if match_type <= WORST_WHOLE:
        row[COVERED], row[CASED] = 1, float(any(letters_of(name) == letters_of(mention) for name in names))
    elif match_type in SHARING:
        common = [sum(word in name for word in mention) for name in names]
        shares = [c / max(1, len(mention) + len(name) - c) for c, name in zip(common, names, strict=True)]
        row[SPELLING_OVERLAP] = max(shares, default=0.0)
    elif mention:
        for number, name in enumerate(names):
            for start in range(len(name) - len(mention) + 1):
                if name[start : start + len(mention)] == mention:
                    row[COVERED] = max(row[COVERED], len(mention) / len(name))
                    row[BEGINS] = max(row[BEGINS], float(start == 0))
                    row[ENDS] = max(row[ENDS], float(start + len(mention) == len(name)))
                    row[IN_LABEL] = max(row[IN_LABEL], float(number == 0))
    return [float(np.float32(value)) for value in row]


entities = st.lists(st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=4), max_size=3), min_size=3, max_size=3)
candidates = st.lists(st.tuples(st.integers(0, 2), st.sampled_from([0, WORST_WHOLE, OTHER, *SHARING])), max_size=4)


@given(st.lists(st.tuples(st.lists(st.integers(-1, 3), max_size=3), candidates), max_size=4), entities)
def test_columns_are_as_by_hand(mentions: list[tuple[Words, list[tuple[int, int]]]], names_of: list[list[Words]]) -> None:
    names = [name for of_entity in names_of for name in of_entity]
    spelled = (
        bounds_of(names_of),
        bounds_of(names),
        np.array([word for name in names for word in name], np.uint32),
        np.array([letters_of(name) for name in names], np.uint64),
    )
    rows = [row for _, of_mention in mentions for row in of_mention]
    words = [mention for mention, _ in mentions]
    found = same_bits(
        spelling,
        (bounds_of(words), np.array([word for mention in words for word in mention], np.int64)),
        np.array([letters_of(mention) % 2**32 for mention in words], np.uint64),
        bounds_of([[entity for entity, _ in of_mention] for _, of_mention in mentions]),
        np.array([entity for entity, _ in rows], np.int64),
        np.array([match_type for _, match_type in rows], np.uint8),
        (WORST_WHOLE, *SHARING),
        spelled,
    )
    expected = [by_hand(mention, names_of[entity], kind) for mention, of_mention in mentions for entity, kind in of_mention]
    assert found.tolist() == expected

"""Strings as arrays, and the hash table over them."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.timing import seconds
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.core import array_kernels as hashing
from eigenthemes.core.array_kernels import HashTable
from eigenthemes.core.strings import StringBuilder, Strings, hash_bytes, hash_strings

texts = st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"])))


@given(texts)
def test_what_goes_in_comes_out(strings: list[str]) -> None:
    pile = StringBuilder()
    for text in strings:
        pile.append(text)
    assert list(pile.strings()) == list(Strings.of(strings)) == strings
    assert [Strings.of(strings)[i] for i in range(len(strings))] == strings


@given(texts, texts)
def test_piles_join(one: list[str], other: list[str]) -> None:
    piles = [StringBuilder(), StringBuilder()]
    for pile, strings in zip(piles, (one, other), strict=True):
        for text in strings:
            pile.append(text)
    piles[0].extend(piles[1])
    assert list(piles[0].strings()) == one + other


def test_take_picks_rows_in_order() -> None:
    strings = Strings.of(["a", "", "ccc", "東京"])
    assert list(strings.take(np.array([3, 0, 0, 1]))) == ["東京", "a", "a", ""]
    assert strings[-1] == "東京"
    with pytest.raises(IndexError):
        strings[4]


def test_a_lone_surrogate_does_not_stop_a_build() -> None:
    assert list(Strings.of(["a\ud800b"])) == ["a\ufffdb"]


@given(texts)
def test_three_hashes_are_one(strings: list[str]) -> None:
    encoded = [text.encode() for text in strings]
    one_by_one = [hash_bytes(data) for data in encoded]
    assert hash_strings(Strings.of(strings)).tolist() == one_by_one
    for data, expected in zip(encoded, one_by_one, strict=True):
        state = hashing.OFFSET
        for byte in data:
            state = np.uint64(hashing.step(state, byte))
        assert int(hashing.finish(state)) == expected


def test_long_strings_among_short_ones_have_the_same_hash() -> None:
    strings = ["", "a", "Ada" * 5000, "b", "東京" * 700, "x" * 1025, "y" * 1024]
    assert hash_strings(Strings.of(strings)).tolist() == [hash_bytes(text.encode()) for text in strings]


@pytest.mark.parametrize("count", [1, 10])
def test_long_strings_are_hashed_in_linear_time(count: int) -> None:
    short, long = (Strings.of(["a" * (size // count)] * count) for size in (200_000, 2_000_000))
    assert seconds(lambda: hash_strings(long)) < 30 * seconds(lambda: hash_strings(short))


@given(st.lists(st.integers(0, 2**64 - 1), unique=True), st.integers(0, 2**64 - 1))
def test_the_table_finds_what_it_holds_and_nothing_else(values: list[int], other: int) -> None:
    hashes = np.sort(np.array(values, dtype=np.uint64))
    table = HashTable.of(hashes)
    shift = hashing.shift_of(table.buckets)
    for row, h in enumerate(hashes.tolist()):
        assert table.find(h) == row
        assert hashing.find(np.uint64(h), table.hashes, table.buckets, shift) == row
    assert (table.find(other) >= 0) == (other in values)

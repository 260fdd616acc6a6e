"""Words and letters of names by their hashes, and names that contain others: compiled, in plain Python, and word by word."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.core.array_kernels import HashTable, find_words
from eigenthemes.core.arrays import lists_of, read_only
from eigenthemes.core.jit import Kernel
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.kb.name_arrays import MOST_LONGER, hash_letters, hash_words, longer_names
from eigenthemes.names.name_index import letters_of
from eigenthemes.text.normalize import normalize

words = st.sampled_from(["a", "b", "paris", "texas", "łódź", "東京", "c3po"])
names = st.lists(st.lists(words, max_size=4).map(" ".join), max_size=6)


def both(kernel: Kernel, *arguments: Any) -> Any:
    """What a kernel gives, compiled and as plain Python."""
    compiled, plain = kernel(*arguments), kernel.plain(*arguments)
    for one, other in zip(compiled, plain, strict=True) if isinstance(compiled, tuple) else [(compiled, plain)]:
        assert np.array_equal(one, other)
    return compiled


def hashed(names: list[str]) -> Any:
    strings = Strings.of(names)
    return both(hash_words, read_only(strings.blob), strings.offsets[:-1], strings.offsets[1:])


@given(names)
def test_words_have_the_hashes_of_the_index(names: list[str]) -> None:
    indptr, hashes, of_names, keys = hashed(names)
    split = [name.split() for name in names]
    assert np.array_equal(keys, hash_strings(Strings.of("".join(each) for each in split)))
    assert len(set(of_names.tolist())) == len({tuple(each) for each in split})
    assert np.diff(indptr).tolist() == [len(each) for each in split]
    assert np.array_equal(hashes, hash_strings(Strings.of(word for each in split for word in each)))


@given(st.lists(st.text(max_size=8), max_size=5))
def test_letters_have_the_hashes_of_the_index(names: list[str]) -> None:
    written = Strings.of(name if name.isascii() else letters_of(name) for name in names)
    letters = both(hash_letters, read_only(written.blob), written.offsets[:-1], written.offsets[1:])
    assert np.array_equal(letters, hash_strings(Strings.of(map(letters_of, names))))


@given(names, names)
def test_words_are_found_or_not(known: list[str], asked: list[str]) -> None:
    table = HashTable.of(np.unique(hashed(known)[1]))
    hashes = hashed(asked)[1]
    assert both(find_words, hashes, table.hashes, table.buckets).tolist() == [table.find(int(h)) for h in hashes]


def containing(names: list[str]) -> list[list[int]]:
    """The names that contain each name, read off the strings."""
    found = []
    for name in names:
        near = [i for i, other in enumerate(names) if " " in other and name and name.split()[0] in other.split()]
        found.append([i for i in near[:MOST_LONGER] if len(names[i]) > len(name) and f" {name} " in f" {names[i]} "])
    return found


@given(st.lists(names, max_size=3))
def test_names_that_contain_others_are_found_word_for_word(documents: list[list[str]]) -> None:
    bounds = np.concatenate(([0], np.cumsum([len(each) for each in documents]))).astype(np.int64)
    starts, longer = both(longer_names, bounds, *hashed([name for each in documents for name in each])[:2])
    of_names = [longer[first:last].tolist() for first, last in pairwise(starts)]
    assert of_names == [found for each in documents for found in containing(each)]


def test_a_first_word_that_many_names_have_is_not_followed_for_ever() -> None:
    names = ["a", *(f"a w{i}" for i in range(3 * MOST_LONGER))]
    starts, longer = both(longer_names, np.array([0, len(names)]), *hashed(names)[:2])
    assert longer[: starts[1]].tolist() == list(range(1, 1 + MOST_LONGER))
    assert starts[-1] == starts[1]


@pytest.mark.parametrize("rows", [[], [0, 1, 2], [2, 0], [1, 1]])
def test_lists_of_some_rows(rows: list[int]) -> None:
    lists = np.array([0, 2, 2, 3]), np.array([7, 8, 9])
    indptr, values = lists_of(lists, np.array(rows, np.int64))
    of_rows = [values[first:last].tolist() for first, last in pairwise(indptr)]
    assert of_rows == [[[7, 8], [], [9]][row] for row in rows]


def test_a_name_without_a_letter_has_a_word() -> None:
    assert np.diff(hashed([normalize("+/-"), normalize("")])[0]).tolist() == [1, 0]

"""The words of a text, compiled, against the plain ones."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.core.strings import HashTable, Strings, hash_strings
from eigenthemes.kernels.text_words import ascii_words
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.features.words import read_words
from eigenthemes.text.normalize import normalize
from eigenthemes.text.words import WORD

TOKENS = ("texas", "paris", "42", "a", "malaga")


def table_of(tokens: tuple[str, ...]) -> HashTable:
    return HashTable.of(np.sort(hash_strings(Strings.of(tokens))))


@given(st.text(st.sampled_from("aAxX49 .,-_\n"), max_size=60))
def test_words_are_runs_of_letters_and_digits(text: str) -> None:
    table = table_of(("a", "x", "aa", "49"))
    starts, rows = ascii_words(np.frombuffer(text.encode(), np.uint8), table.hashes, table.buckets)
    found = [(match.start(), match[0].lower()) for match in WORD.finditer(text)]
    assert starts.tolist() == [start for start, _ in found]
    assert rows.tolist() == table.find_all(hash_strings(Strings.of([word for _, word in found]))).tolist()


def test_an_empty_table_knows_no_word() -> None:
    table = table_of(())
    starts, rows = ascii_words(np.frombuffer(b"one two", np.uint8), table.hashes, table.buckets)
    assert (starts.tolist(), rows.tolist()) == ([0, 4], [-1, -1])


@given(st.text(st.sampled_from("aéÉxß9 .’東"), max_size=40))
def test_texts_in_other_letters_are_read_word_by_word(tiny: KB, text: str) -> None:
    context = FeatureContext(tiny, None)
    starts, known = read_words(text, context)
    found = [(match.start(), normalize(match[0])) for match in WORD.finditer(text)]
    assert starts.tolist() == [start for start, _ in found]
    assert known.tolist() == context.token_table.find_all(hash_strings(Strings.of([word for _, word in found]))).tolist()

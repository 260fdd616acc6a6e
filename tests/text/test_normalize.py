"""One tokeniser for names and mentions, for any script."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eigenthemes.text import segment
from eigenthemes.text.normalize import normalize, normalize_many, squash, tokenize


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("O'Neill", "O’Neill"),
        ("O'Neill", "ONEILL"),
        ("al-Qaeda", "Al Qaeda"),
        ("U.S.", "US"),
        ("U.S.A.", "USA"),
        ("U.S. Army", "US Army"),
        ("Málaga", "Malaga"),
        ("MÜNCHEN", "munchen"),
        ("Straße", "STRASSE"),
        ("Ørsted", "orsted"),
        ("İstanbul", "istanbul"),
        ("ﬁnance", "finance"),
        ("Ｔｏｋｙｏ", "tokyo"),
        ("TGF-β1", "TGF beta1"),
        ("Apple™", "apple"),
        ("Москва", "МОСКВА"),
        ("مُحَمَّد", "محمد"),
        ("a_b", "a b"),
        ("co\u00adoperate", "cooperate"),
        ("e\u0301cole", "école"),
    ],
)
def test_spellings_of_one_name_are_equal(one: str, other: str) -> None:
    assert normalize(one) == normalize(other)


@pytest.mark.parametrize(
    ("one", "other"), [("Wal-Mart", "Walmart"), ("IL-6", "IL6"), ("C sharp", "C#"), ("J. K. Rowling", "J.K. Rowling")]
)
def test_spacing_is_gone_once_squashed(one: str, other: str) -> None:
    assert squash(normalize(one)) == squash(normalize(other))


@pytest.mark.parametrize(
    ("one", "other"), [("C", "C++"), ("C++", "C#"), ("हिन्दी", "हन्द"), ("IL-6", "IL-7"), ("Αθήνα", "athena")]
)
def test_different_names_stay_apart(one: str, other: str) -> None:
    assert normalize(one) != normalize(other)


def test_scripts_without_spaces_become_bigrams() -> None:
    assert tokenize("東京都") == ["東京", "京都"]
    assert tokenize("東京") == ["東京"]
    assert tokenize("Tokyo東京都2020") == ["tokyo", "東京", "京都", "2020"]
    assert tokenize("กรุงเทพ")[:2] == ["กร", "รุ"]


def test_hangul_and_devanagari_words_stay_whole() -> None:
    assert tokenize("한국어 사전") == ["한국어", "사전"]
    assert tokenize("हिन्दी भाषा") == ["हिन्दी", "भाषा"]


def test_a_name_of_symbols_is_still_a_name() -> None:
    assert tokenize("!!!") == ["!!!"]
    assert tokenize("+/-") == ["+/-"]


def test_blank_text_has_no_tokens() -> None:
    assert tokenize("") == tokenize(" \t\n") == []


@given(st.text())
def test_tokens_hold_no_white_space_and_normalising_again_changes_nothing(text: str) -> None:
    tokens = tokenize(text)
    assert all(token and not any(char.isspace() for char in token) for token in tokens)
    assert normalize(text).split() == tokens
    assert text.strip() or not tokens


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_case_never_matters_in_ascii(text: str) -> None:
    assert normalize(text.upper()) == normalize(text.lower())


@given(st.text(max_size=8), st.text(alphabet="abzABZ09'’é", max_size=8))
def test_a_plain_word_looks_the_same_told_quickly(other: str, text: str) -> None:
    for word in filter(None, (other, text)):
        words, _ = segment._words([word])
        flat = word[1:] == word[1:].lower()
        assert words.plain == [squash(normalize(word))]
        assert words.striking[0] == (not flat or word.lower() == word.upper() or any(map(str.isdigit, word)))
        assert words.number[0] == word.isdigit()
        assert words.possessive[0] == (segment.POSSESSIVE.fullmatch(word) is not None)


def test_long_words_are_not_remembered() -> None:
    segment._word.cache_clear()
    segment.split("short " + "long" * 1000, np.zeros(1, np.int64))
    assert segment._word.cache_info().currsize == 1


@given(st.lists(st.text(alphabet=st.one_of(st.characters(), st.sampled_from("aB3 .+#'`-\n\t\x00\u00e9"))), min_size=1))
@example(["", "!!!", "a\nb", "\n", "U.S.", "C++", "\ud800", "Caf\u00e9 M\u00fcller", "x" * 256, "y" * 258, "O'Neill"])
def test_many_names_at_once_are_normalised_as_one_by_one(names: list[str]) -> None:
    many = normalize_many(names)
    texts = [many.text[first:last].tobytes() for first, last in zip(many.starts, many.ends, strict=True)]
    expected = [normalize(name).encode("utf-8", "replace") for name in names]
    assert [b" ".join(filter(None, text.split(b" "))) for text in texts] == expected
    assert many.letters.tolist() == [sum(byte > 32 for byte in text) for text in expected]


MARKS = "\u0301\u0316\u0327\u0334\u0e38\u0e48\u0f73\u3099\u0308\uff9e"  # of different classes: normal forms sort these


@given(
    st.text("aé\u0e01 '\u200d", max_size=4),
    st.text(MARKS, min_size=2, max_size=5),
    st.sampled_from(("", "'", "\u200d", "™")),
    st.text(max_size=4),
)
@example("a", "\u0301\u0316", "", "")
@example("\u0e01", "\u0e48\u0e38", "\u200d", "b")
def test_a_longer_run_of_marks_is_the_same_name(before: str, marks: str, between: str, after: str) -> None:
    run = between.join(marks * 16)
    names = [f"{before}a{run * times}{after}" for times in (2, 3, 40)]
    assert len({normalize(name) for name in names[1:]}) == 1
    assert len(normalize(names[2])) <= 200


@pytest.mark.parametrize("run", ["\u0301\u0316", "\u0301'\u0316'", "\u0e48\u200d\u0e38\u200d", "\uff9e\u0334", "\u0f73\u0f74"])
def test_the_time_for_marks_is_linear(run: str) -> None:
    def seconds(marks: int) -> float:
        text = "\u0e01" + run * (marks // len(run))
        begin = time.process_time()
        normalize(text)
        return time.process_time() - begin

    seconds(100)
    short = min(seconds(20_000) for _ in range(3))
    assert min(seconds(160_000) for _ in range(3)) < 24 * short  # 8 times the marks; quadratic time would be 64 times as long


def test_offsets_of_a_text_with_many_marks_are_those_of_the_text() -> None:
    name = "a" + "\u0301\u0316" * 100
    pieces, words = segment.split(f"see {name} and Paris", np.zeros(1, np.int64))
    assert list(zip(pieces.starts, pieces.ends, strict=True)) == [(0, 3), (4, 205), (206, 209), (210, 215)]
    assert words.plain == ["see", "a", "and", "paris"]

"""Clues around a span: what speaks against a name."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.names.evidence import NO_NAME, are_items, clues, follows_title
from eigenthemes.records import Document, Mention


def clue(text: str, name: str) -> float:
    start = text.index(name)
    mention = Mention(name, start, start + len(name))
    return clues(Document(text=text, mentions=(mention,)), [mention])[0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("OR = 1.4", "OR"),
        ("(p < CI)", "CI"),
        ("as Moore et al. found", "Moore"),
        ("Peiris M, Yuen KY, Guan Y, Chen H.", "KY"),
        ("Peiris M, Yuen KY, Guan Y, Chen H.", "Guan"),
        ("strain A/CA/04/09 was", "CA"),
    ],
)
def test_what_is_no_name(text: str, name: str) -> None:
    assert clue(text, name) == NO_NAME


@pytest.mark.parametrize(
    ("text", "name"), [("in Paris, where", "Paris"), ("Houston, TX and", "Houston"), ("either Iowa/Ohio is", "Iowa")]
)
def test_what_says_nothing(text: str, name: str) -> None:
    assert clue(text, name) == 0


def test_a_title_before_a_name_is_evidence_for_persons_not_against_names() -> None:
    for text, expected in (("said Mr. Baker on", True), ("Capt Baker", True), ("XCapt. Baker", False), ("the Baker", False)):
        start = text.index("Baker")
        mention = Mention("Baker", start, start + 5)
        assert follows_title(Document(text=text, mentions=(mention,)), mention) == expected
        assert clue(text, "Baker") == 0
    assert not follows_title(Document(text="Mr. Baker", mentions=()), Mention("Baker"))


def test_doubts_add_up() -> None:
    assert clue("an RT-PCR of", "PCR") < clue("a PCR of", "PCR") < 0
    assert clue("on Baker Street", "Baker") < 0


def test_a_mention_without_a_span_has_no_clue() -> None:
    assert clues(Document(text="Mr. Baker", mentions=()), [Mention("Baker")]) == [0.0]


# as they read: what the quick checks must agree with
_SYMBOL_BEFORE, _SYMBOL_AFTER = re.compile(r"[=<>±]\s*$"), re.compile(r"\s*[=<>]")
_HYPHEN_BEFORE, _HYPHEN_AFTER = re.compile(r"\w[-\u2010\u2011]$"), re.compile(r"[-\u2010\u2011]\w")
_AUTHORS = re.compile(r"(?:\b[A-Z][\w'\u2019-]+ [A-Z]{1,3}(?:, (?:and )?|; | and |\.)){3,}")
_SLASHED = re.compile(r"[\w.-]+(?:/[\w.-]+){2,}")


def as_it_reads(text: str, start: int, end: int) -> float:
    before, after, name = text[max(0, start - 24) : start], text[end : end + 24], text[start:end]
    spans = [match.span() for match in _AUTHORS.finditer(text)]
    spans += [match.span() for match in _SLASHED.finditer(text) if any(map(str.isdigit, match[0]))]
    if _SYMBOL_BEFORE.search(before) or _SYMBOL_AFTER.match(after):
        return NO_NAME
    if re.match(r",? et al\b", after):
        return NO_NAME
    if any(first <= start and end <= last and end - start < last - first for first, last in spans):
        return NO_NAME
    short = len(name) <= 3 and name.isupper()
    part = bool(_HYPHEN_BEFORE.search(before)) or (short and bool(_HYPHEN_AFTER.match(after)))
    return -1.0 * short - 1.0 * part - 0.7 * (" " not in name and bool(re.match(r" [A-Z][a-z]+\b", after)))


pieces = st.sampled_from(
    ["Mr. ", "Capt ", "XCapt. ", "Baker", "KY", " ", "\n", "=", "± ", "<", "-", "\u2010", " et al.", ", et al", "A/CA/04/09",
     "a/b", "/", "9", "Peiris M, Yuen KY, Guan Y, ", "Street ", " Iowa", ".", "-x/y-z/1", "RT"]
)  # fmt: skip


@given(st.lists(pieces, max_size=12).map("".join), st.integers(0, 60), st.integers(1, 8))
def test_clues_are_as_they_read(text: str, start: int, size: int) -> None:
    if start + size > len(text):
        return
    mention = Mention(text[start : start + size], start, start + size)
    found = clues(Document(text=text, mentions=(mention,)), [mention])[0]
    assert found == pytest.approx(as_it_reads(text, start, start + size))


@pytest.mark.parametrize(
    ("text", "name", "expected"),
    [
        ("Keywords: wages; mortgages", "wages", True),
        ("Keywords: wages; mortgages", "mortgages", True),
        ("Keywords: wages; mortgages.", "mortgages", True),
        ("Wages | Mortgages | Prices", "Mortgages", True),
        ("Present: Mr. Baker; Ms Cole", "Baker", True),
        ("Keywords: wages, mortgages, prices", "mortgages", True),
        ("Keywords\n- wages\n- mortgages\n", "wages", True),
        ("Keywords: minimum wages; mortgages", "wages", False),
        ("Keywords: minimum wages, mortgages, prices", "wages", False),
        ("He said: the wages of all these people, prices, and so on", "prices", False),
        ("It fell; wages rose", "wages", False),
        ("We read about wages, mortgages and prices.", "wages", False),
        ("wages", "wages", False),
    ],
)
def test_whole_items_of_lists_are_recognised(text: str, name: str, expected: bool) -> None:
    start = text.index(name)
    mention = Mention(name, start, start + len(name))
    assert are_items(Document(text=text), [mention]) == [expected]

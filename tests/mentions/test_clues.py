"""Clues around a span: what speaks against a name."""

from __future__ import annotations

import pytest

from eigenthemes.mentions.clues import NO_NAME, clues
from eigenthemes.records import Document, Mention


def clue(text: str, name: str) -> float:
    start = text.index(name)
    mention = Mention(name, start, start + len(name))
    return clues(Document(text=text, mentions=(mention,)), [mention])[0]


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("said Mr. Baker on", "Baker"),
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


def test_doubts_add_up() -> None:
    assert clue("an RT-PCR of", "PCR") < clue("a PCR of", "PCR") < 0
    assert clue("on Baker Street", "Baker") < 0


def test_a_mention_without_a_span_has_no_clue() -> None:
    assert clues(Document(text="Mr. Baker", mentions=()), [Mention("Baker")]) == [0.0]

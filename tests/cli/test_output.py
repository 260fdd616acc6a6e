"""Progress where stderr is no terminal: a line every few seconds, with an estimate."""

from __future__ import annotations

import re

import pytest

from eigenthemes.cli.output import Lines, _fitted_table, _wide_table


def test_a_long_step_says_how_far_it_is_and_how_long_it_will_take(capsys: pytest.CaptureFixture[str]) -> None:
    with Lines(seconds=0.0).step("training", total=200, unit="documents") as advance:
        advance(50)
        advance(100)
    lines = capsys.readouterr().err.splitlines()
    assert [re.sub(r"[\d,]+ (documents/s|s left)", r"N \1", line) for line in lines] == [
        "  training: 25%, N documents/s, about N s left",
        "  training: 75%, N documents/s, about N s left",
    ]


def test_a_step_of_unknown_length_says_how_fast_it_goes(capsys: pytest.CaptureFixture[str]) -> None:
    with Lines(seconds=0.0).step("reading", total=None, unit="bytes") as advance:
        advance(1e6)
    assert re.fullmatch(r"  reading: [\d.]+ MB/s, 0 s so far\n", capsys.readouterr().err)


def test_a_short_step_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with Lines(seconds=60.0).step("training", total=10, unit="documents") as advance:
        advance(10)
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    "rows", [[], [["Paris", "東京都", "0.5"]], [["", "é", ""], ["a long name", "", "12.25"], ["x", "y", "z"]]]
)
def test_a_table_is_the_same_whoever_lays_it_out(rows: list[list[str]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    header = ("name", "label", "score")
    assert _wide_table(header, rows, (2,)) == _fitted_table(header, rows, (2,))

"""Garbage in a source: each broken line is counted, thousands in a row are given up, and what is not read is counted, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from eigenthemes.core import diagnostics
from eigenthemes.kg.read import read_sources
from eigenthemes.kg.statements import Statements

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
FORMATS = {  # format: head, sound record, broken record, problem, what is counted
    "nt": ("", f'<http://e.org/%d> {LABEL} "Ada" .\n', "lorem ipsum\n", "broken statement", "lines"),
    "nq": ("", f'<http://e.org/%d> {LABEL} "Ada" <http://e.org/g> .\n', "<http://e.org/ <x> .\n", "broken statement", "lines"),
    "jsonl": ("", '{"id": "%d", "name": "Ada"}\n', "{{[[\n", "broken JSON line", "lines"),
    "wikidata": ("", '{"id": "Q%d", "labels": {"en": {"language": "en", "value": "Ada"}}}\n', "{]\n", "broken entity", "lines"),
    "obo": ("format-version: 1.2\n\n", "[Term]\nid: X:%d\nname: Ada\n\n", "[Term]\nid\n\n", "broken OBO frame", "frames"),
}


def read(path: Path, format_name: str, records: list[bool]) -> Statements:
    """Read a file of sound and broken records."""
    head, sound, broken, _, _ = FORMATS[format_name]
    path.write_text(head + "".join(sound % number if good else broken for number, good in enumerate(records)))
    statements, _ = read_sources([path], format_name=format_name)
    return statements


@pytest.mark.parametrize("format_name", FORMATS)
def test_every_record_is_read_or_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, format_name: str) -> None:
    monkeypatch.setattr(diagnostics, "MAX_ERRORS", 1000)
    *_, problem, what = FORMATS[format_name]
    for records in ([True, False] * 1500, [True] + [False] * 990 + [True] * 2000, [False] * 3000 + [True] * 3000):
        statements = read(tmp_path / "kg", format_name, records)
        counts = statements.diagnostics.counts
        assert len(statements.name_text.strings()) + counts[problem] + counts[f"{what} not read"] == len(records)
        assert counts["given up"] == (records[0] is False)
    [example] = statements.diagnostics.examples["given up"]
    assert f"errors in a row; the {counts[f'{what} not read']:,} {what} behind them are not read" in example


def test_the_last_errors_of_a_file_are_no_reason_to_give_up(tmp_path: Path) -> None:
    for format_name, (*_, problem, _) in FORMATS.items():
        statements = read(tmp_path / "kg", format_name, [True] + [False] * diagnostics.MAX_ERRORS)
        assert statements.diagnostics.counts == {problem: diagnostics.MAX_ERRORS}

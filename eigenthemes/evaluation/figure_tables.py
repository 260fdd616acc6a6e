"""Figures of an evaluation as CSV and LaTeX, and a file with a row for each mention and method."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, TextIO

from eigenthemes.core.storage import check_output
from eigenthemes.errors import OptionError
from eigenthemes.evaluation.comparison import Evaluation
from eigenthemes.tables.delimited import is_formula

_LATEX_COLUMNS = {
    "p_at_1": "P@1",
    "mrr": "MRR",
    "easy_p_at_1": "easy P@1",
    "hard_p_at_1": "hard P@1",
    "macro_p_at_1": "macro P@1",
    "gold_in_kb_p_at_1": "gold in KB",
}
_LATEX_SPECIAL = {character: f"\\{character}" for character in "&%$#_{}"} | {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
}


def to_csv(sets: Mapping[str, Evaluation]) -> str:
    """Return a line for each set and method, with its settings and figures."""
    out = io.StringIO()
    rows = [{"set": name, **row} for name, run in sets.items() for row in run.to_rows()]
    writer = csv.DictWriter(out, list(rows[0]) if rows else ["set", "method"], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return out.getvalue()


def to_latex(sets: Mapping[str, Evaluation]) -> str:
    """Return a table for LaTeX (package booktabs): methods down, the best figure of each column of a set in bold."""
    lines = [r"\begin{tabular}{l" + "r" * len(_LATEX_COLUMNS) + "}", r"\toprule"]
    lines.append(" & ".join(("method", *_LATEX_COLUMNS.values())) + r" \\")
    for name, run in sets.items():
        rows = run.to_rows()
        best = {column: max(row[column] for row in rows) for column in _LATEX_COLUMNS}
        title = f"{name}: {len(run.mentions):,} mentions, ceiling {rows[0]['ceiling']:.3f}, {_settings(rows)}"
        lines += [r"\midrule", rf"\multicolumn{{{1 + len(_LATEX_COLUMNS)}}}{{l}}{{{_latex(title)}}} \\"]
        for row in rows:
            figures = {column: f"{row[column]:.3f}" for column in _LATEX_COLUMNS}
            cells = (rf"\textbf{{{each}}}" if row[column] == best[column] else each for column, each in figures.items())
            lines.append(" & ".join((_latex(row["method"]), *cells)) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}", ""])


def _settings(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return vectors, generator and T of the methods of a set."""
    vectors = ", ".join(dict.fromkeys(row["vectors"] for row in rows if row["vectors"] is not None)) or "none"
    return f"vectors {vectors}, generator {rows[0]['generator']}, T = {rows[0]['max_candidates'] or 'all'}"


def _latex(text: str) -> str:
    return "".join(_LATEX_SPECIAL.get(character, character) for character in text)


@contextmanager
def open_mention_file(path: str | None) -> Iterator[Callable[[str, Evaluation], None] | None]:
    """Open a CSV or JSON lines file, by its suffix; yield what writes a row for each mention and method of a set, or None."""
    if path is None:
        yield None
        return
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".jsonl"):
        raise OptionError(f"{path} is neither CSV nor JSON lines; give a name that ends in .csv or .jsonl", where=path)
    check_output(path, OptionError)
    with open(path, "w", encoding="utf-8", newline="") as file:
        yield partial(_write_json if suffix == ".jsonl" else _write_csv, file)


def _write_json(file: TextIO, name: str, run: Evaluation) -> None:
    for row in run.mention_rows():
        file.write(json.dumps({"set": name, **row}, ensure_ascii=False) + "\n")


def _write_csv(file: TextIO, name: str, run: Evaluation) -> None:
    writer, is_new = csv.writer(file, lineterminator="\n"), not file.tell()
    for number, row in enumerate(run.mention_rows()):
        if is_new and number == 0:
            writer.writerow(["set", *row])
        ours = {key: f"'{row[key]}" for key in ("predicted", "label") if is_formula(row[key] or "")}
        writer.writerow([name, *{**row, **ours, "gold": " ".join(row["gold"])}.values()])

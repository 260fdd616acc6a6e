"""Tables, the paper's Wikilinks setting: what is found of what could be, and which cells are decided together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.progress import Advance
from eigenthemes.evaluation.comparison import Evaluation
from eigenthemes.records import Document, Mention
from eigenthemes_paper.mention_scores import MentionScores, mean
from eigenthemes_paper.plan import Section, SectionPlan, candidate_options
from eigenthemes_paper.rows import RIVALS, Claim, Outcome, Row, Rows, Table, above, by, is_gain, judge, marked
from eigenthemes_paper.workspace import Workspace

_OWN = "selftrained"
_TABLE = "table"


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Evaluate methods on whole tables, and this project's on parts of them: columns, rows, single cells."""
    for name in workspace.available(planned.sets):
        methods = workspace.methods(name, planned.options["methods"])
        yield from _rows(workspace, planned, name, methods, _TABLE)
        for context in planned.options["contexts"] if _OWN in methods else ():
            yield from _rows(workspace, planned, name, [_OWN], context)
        advance(1)


def _rows(workspace: Workspace, planned: SectionPlan, name: str, methods: Sequence[str], context: str) -> Rows:
    parts, table_of_part = split_tables(workspace.documents(name), context)
    run = workspace.run(name, methods, documents=parts, **candidate_options(planned))
    scores = MentionScores.of(run)
    differs = scores.differs_from("eigen")
    for method in methods:
        p_at_1 = scores.values[method]["p_at_1"]
        yield {
            "set": name,
            "method": method,
            "context": context,
            "tables": len(workspace.documents(name)),
            **scores.counts(),
            **scores.metrics(method),
            "p_at_1_in_kb": mean(p_at_1[scores.in_kb]),
            "p_at_1_per_table": _per_table(p_at_1, table_of_part[scores.document]),
            "links": _links(run, method),
            "differs_from_eigen": differs.get(method),
        }


def split_tables(documents: Sequence[Document], context: str) -> tuple[list[Document], NDArray[np.int64]]:
    """Return documents split by columns, rows or cells, and which document each part is of."""

    def place(mention: Mention) -> Any:
        row, col = mention.row or 0, mention.col or 0
        return {"column": col, "row": row, "none": (row, col)}[context]

    if context == _TABLE:
        return list(documents), np.arange(len(documents))
    parts, table_of_part = list[Document](), list[int]()
    for number, document in enumerate(documents):
        for _, mentions in groupby(sorted(document.mentions or (), key=place), key=place):
            parts.append(replace(document, mentions=tuple(mentions)))
            table_of_part.append(number)
    return parts, np.array(table_of_part, np.int64)


def _per_table(values: NDArray[np.float64], table: NDArray[np.int64]) -> float:
    counts = np.bincount(table)
    sums = np.bincount(table, weights=values)
    return mean(sums[counts > 0] / counts[counts > 0])


def _links(run: Evaluation, method: str) -> dict[str, float] | None:
    """Return precision, recall and F1 of links; None for methods that always link."""
    confidence = run.summary()[method].get("confidence")
    return None if confidence is None else {key: confidence["links"][key] for key in ("precision", "recall", "f1")}


def tables(rows: Sequence[Row]) -> list[Table]:
    """Show a table per set: the methods on whole tables, then this project's in other contexts."""
    return [_table_of_set(name, of_set) for name, of_set in by(rows, "set").items()]


def _table_of_set(name: str, rows: Sequence[Row]) -> Table:
    columns = ("overall_p_at_1", "p_at_1_in_kb", "p_at_1_per_table", "overall_mrr")
    best = {column: max(row[column] for row in rows) for column in columns}
    lines = [
        (
            row["method"] if row["context"] == _TABLE else f"{row['method']}, context {row['context']}",
            *(marked(row[column], best[column]) for column in columns),
            f"{row['links']['f1']:.3f}" if row["links"] else "",
        )
        for row in rows
    ]
    first = rows[0]
    counts = f"{first['tables']:,} tables, {first['mentions']:,} cells, gold in the KG {first['gold_in_kb']:.1%}"
    header = ("method", "P@1", "gold in the KG", "per table", "MRR", "link F1")
    return Table(f"{name}: {counts}, ceiling {first['ceiling']:.3f}", header, lines)


def claims(rows: Sequence[Row]) -> list[Claim]:
    whole, own = ([row for row in rows if test(row)] for test in (_is_table_context, _is_own))

    def context_helps(of_set: list[Row]) -> tuple[Outcome, str] | None:
        value = {row["context"]: row["overall_p_at_1"] for row in of_set}
        if _TABLE not in value or "none" not in value:
            return None
        return is_gain(value[_TABLE] - value["none"]), f"{value[_TABLE]:.3f} against {value['none']:.3f}"

    metric = "overall_p_at_1"
    return [
        judge("Eigenthemes are the best of the paper's methods", whole, above(metric, "method", "eigen", *RIVALS)),
        judge(
            "(ours) the self-trained ranker is the best of all",
            whole,
            above(metric, "method", _OWN, "eigen", *RIVALS, "prior-name"),
        ),
        judge("(ours) the other cells of a table help", own, context_helps),
    ]


def _is_table_context(row: Row) -> bool:
    return bool(row["context"] == _TABLE)


def _is_own(row: Row) -> bool:
    return bool(row["method"] == _OWN)


SECTION = Section(
    title="Tables: what is found of what could be",
    about="The paper's Wikilinks sets are cells of tables. P@1 counts all cells with gold, those whose gold is not in the KG, "
    "too; then come those whose gold is in the KG alone, and the mean over tables, each counted once. Link F1 is of the links "
    "that are given: only of methods that may decline. The candidates are this project's, unless the plan says otherwise. "
    "Context: which cells are decided together, by default all of a table.",
    compute=compute,
    tables=tables,
    claims=claims,
    options={
        "generator": "default",
        "max_candidates": 20,
        "vectors": "",
        "methods": ["namematch", "degree", "average", "eigen", "prior-name", "selftrained"],
        "contexts": ["column", "row", "none"],
    },
    long=True,
)

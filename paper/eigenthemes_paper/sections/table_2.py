"""Table 2: precision@1 and MRR of every method."""

from __future__ import annotations

from collections.abc import Sequence

from eigenthemes.core.progress import Advance
from eigenthemes_paper.mention_scores import MentionScores
from eigenthemes_paper.plan import PAPER_OPTIONS, Section, SectionPlan, candidate_options
from eigenthemes_paper.rows import (
    DIVIDER,
    GROUPS,
    METRICS,
    OWN_METHODS,
    PAPER_METHODS,
    RIVALS,
    Claim,
    Row,
    Rows,
    Table,
    above,
    by,
    by_method,
    judge,
    marked,
)
from eigenthemes_paper.workspace import Workspace


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Evaluate every method, overall, easy and hard; note where the best is significantly better."""
    for name in workspace.available(planned.sets):
        methods = workspace.methods(name, planned.options["methods"])
        run = workspace.run(name, methods, **candidate_options(planned), ties=planned.options["ties"])
        scores = MentionScores.of(run)
        bests, differs = scores.significant_bests(), scores.differs_from("eigen")
        for method in methods:
            metrics = {**scores.counts(), **scores.metrics(method)}
            compared = {"significant": bests[method], "differs_from_eigen": differs.get(method)}
            yield {"set": name, "method": method, **metrics, **compared}
        advance(1)


def tables(rows: Sequence[Row]) -> list[Table]:
    """Show P@1 of all sets at a glance, then all metrics of each set."""
    sets = by(rows, "set")
    overview = [_overview(rows)] if len(sets) > 1 else []
    return overview + [_table_of_set(name, of_set) for name, of_set in sets.items()]


def _overview(rows: Sequence[Row]) -> Table:
    """P@1: methods down, sets across."""
    sets = by(rows, "set")
    best = {name: max(row["overall_p_at_1"] for row in of_set) for name, of_set in sets.items()}
    lines: list[tuple[str, ...]] = []
    for method, of_method in by_method(rows).items():
        value = {row["set"]: row["overall_p_at_1"] for row in of_method}
        lines.append((method, *(marked(value[name], best[name]) if name in value else "" for name in sets)))
    lines.append(("ceiling", *(f"{of_set[0]['ceiling']:.3f}" for of_set in sets.values())))
    return Table("Precision@1, all mentions", ("method", *sets), lines)


def _table_of_set(name: str, rows: Sequence[Row]) -> Table:
    columns = [f"{group}_{metric}" for metric in METRICS for group in GROUPS]
    best = {column: max(row[column] for row in rows) for column in columns}
    lines: list[tuple[str, ...]] = []
    for row in rows:
        if row["method"] == "prior-name":
            lines.append(DIVIDER)
        cells = (marked(row[column], best[column], significant=column in row["significant"]) for column in columns)
        lines.append((row["method"], *cells))
    counts = f"{rows[0]['mentions']:,} mentions, {rows[0]['easy']:,} easy, {rows[0]['hard']:,} hard"
    title = f"{name}: {counts}, ceiling {rows[0]['ceiling']:.3f}"
    return Table(title, ("method", "P@1", "easy", "hard", "MRR", "easy", "hard"), lines)


def claims(rows: Sequence[Row]) -> list[Claim]:
    metric = "overall_p_at_1"
    tests = {
        "Eigenthemes are the best of the paper's methods": above(metric, "method", "eigen", *RIVALS),
        "Eigenthemes are better than the average": above(metric, "method", "eigen", "average"),
        "Eigenthemes are better than degree": above(metric, "method", "eigen", "degree"),
        "on hard mentions Eigenthemes are the best of the paper's methods": above("hard_p_at_1", "method", "eigen", *RIVALS),
        "degree is better than both contexts": above(metric, "method", "degree", "local-context", "global-context"),
        "(ours) the self-trained ranker is the best of all": above(
            metric, "method", "selftrained", "eigen", *RIVALS, "prior-name"
        ),
    }
    return [judge(statement, rows, test) for statement, test in tests.items()]


SECTION = Section(
    title="Table 2: precision@1 and MRR",
    about="Every mention with gold counts, those whose gold is not in the KB too. **Bold**: best of its column; †: "
    "significantly better than the second best (p < 0.01 by Student's paired t-test over mentions, and the 99 % interval of "
    "a bootstrap over documents excludes 0). In the findings, here and in all sections, a difference under half a point is "
    "no clear one; in this table, neither is one between Eigenthemes and another method that these tests do not confirm. "
    "Below the line: methods of this project. Context "
    "methods need a text and descriptions.",
    compute=compute,
    tables=tables,
    claims=claims,
    options={**PAPER_OPTIONS, "methods": [*PAPER_METHODS, *OWN_METHODS], "ties": "share"},
    long=True,
)

"""Run times."""

from __future__ import annotations

from collections.abc import Sequence

from eigenthemes.core.progress import Advance
from eigenthemes.text.words import clear_tagger_cache
from eigenthemes_paper.plan import PAPER_OPTIONS, Section, SectionPlan, candidate_options
from eigenthemes_paper.rows import OWN_METHODS, PAPER_METHODS, Claim, Row, Rows, Table, by, by_method, judge, value_of
from eigenthemes_paper.workspace import Workspace, reads_text


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Time each method, candidates and scores apart, one thread.

    The best of some runs; of methods that read the text the first, since nouns and descriptions are remembered afterwards.
    """
    for name in workspace.available(planned.sets):
        methods = workspace.methods(name, planned.options["methods"])
        fresh = Workspace(workspace.plan, workspace.folder)  # nothing is remembered
        clear_tagger_cache()
        runs = [fresh.run(name, methods, **candidate_options(planned)) for _ in range(planned.options["runs"])]
        for_candidates, documents = min(run.seconds for run in runs), len(workspace.documents(name))
        for method in methods:
            seconds = [run.methods[method].seconds for run in runs]
            for_scores = seconds[0] if reads_text(method) else min(seconds)
            yield {
                "set": name,
                "method": method,
                "documents": documents,
                "mentions": len(runs[0].mentions),
                "candidate_seconds": for_candidates,
                "seconds": for_scores,
                "documents_per_second": documents / (for_candidates + for_scores),
            }
        advance(1)


def tables(rows: Sequence[Row]) -> list[Table]:
    """Show documents a second: methods down, sets across."""
    sets = list(by(rows, "set"))
    lines = []
    for method, of_method in by_method(rows).items():
        value = {row["set"]: row["documents_per_second"] for row in of_method}
        lines.append((method, *(f"{value[name]:,.0f}" if name in value else "" for name in sets)))
    counts = {row["set"]: f"{row['mentions'] / row['documents']:.0f}" for row in rows}
    lines.append(("(mentions a document)", *(counts[name] for name in sets)))
    return [Table("Documents a second", ("method", *sets), lines)]


def claims(rows: Sequence[Row]) -> list[Claim]:
    def fast(of_set: list[Row]) -> tuple[bool, str] | None:
        value = value_of(of_set, "documents_per_second", method="eigen")
        return None if value is None else (value > 100, f"{value:,.0f} documents/s")

    return [judge("Eigenthemes link more than 100 documents a second", rows, fast)]


SECTION = Section(
    title="Run times",
    about="Documents a second on one core, candidates and scores: the best of several runs; of methods that read the text the "
    "first run, since tagged nouns and description vectors are remembered.",
    compute=compute,
    tables=tables,
    claims=claims,
    options={**PAPER_OPTIONS, "methods": [*PAPER_METHODS, *OWN_METHODS], "runs": 3},
    alone=True,
)

"""Ablations the paper states in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from eigenthemes.core.progress import Advance
from eigenthemes_paper.mention_scores import MentionScores
from eigenthemes_paper.plan import PAPER_OPTIONS, Section, SectionPlan, candidate_options
from eigenthemes_paper.rows import Claim, Row, Rows, Table, above, by, judge
from eigenthemes_paper.workspace import Workspace

_VARIANTS: dict[str, dict[str, Any]] = {
    "as in the paper": {},
    "without strengths": {"strengths": False},
    "vectors of any length": {"unit_length": False},
    "an entity once a document": {"unique": True},
    "all themes": {"k": None},
}


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Evaluate Eigenthemes with one thing changed at a time."""
    for name in workspace.available(planned.sets):
        kb = workspace.kb_of(name)
        measured = [vectors for vectors in kb.vector_sets if kb.vectors(vectors).known_lengths is not None]
        for vectors in dict.fromkeys([*measured, next(iter(kb.vector_sets))]):
            for variant, changed in _VARIANTS.items():
                if "unit_length" in changed and vectors not in measured:
                    continue
                options = {**candidate_options(planned), **changed, "vectors": vectors}
                scores = MentionScores.of(workspace.run(name, ["eigen"], **options))
                yield {"set": name, "vectors": vectors, "variant": variant, **scores.metrics("eigen")}
        advance(1)


def tables(rows: Sequence[Row]) -> list[Table]:
    """Show how P@1 of the variants differs from the paper's way."""
    paper, *others = dict.fromkeys(row["variant"] for row in rows)
    lines = []
    for (name, vectors), some in by(rows, "set", "vectors").items():
        value = {row["variant"]: row["overall_p_at_1"] for row in some}
        differences = (f"{value[variant] - value[paper]:+.3f}" if variant in value else "" for variant in others)
        lines.append((f"{name}, {vectors}", f"{value[paper]:.3f}", *differences))
    return [Table("P@1 as in the paper, and what the variants change", ("set, vectors", paper, *others), lines)]


def claims(rows: Sequence[Row]) -> list[Claim]:
    labelled = [{**row, "set": f"{row['set']}, {row['vectors']}"} for row in rows]
    return [
        judge(statement, labelled, above("overall_p_at_1", "variant", "as in the paper", variant))
        for statement, variant in (
            ("scaling themes by their strength is better", "without strengths"),
            ("vectors of unit length are better", "vectors of any length"),
        )
    ]


SECTION = Section(
    title="Ablations the paper states in words",
    about="Themes scaled by their strength against themes that count the same; vectors of unit length against vectors as they "
    "were learned (known for DeepWalk and imported ones). The last two are choices the paper leaves open.",
    compute=compute,
    tables=tables,
    claims=claims,
    options=PAPER_OPTIONS,
)

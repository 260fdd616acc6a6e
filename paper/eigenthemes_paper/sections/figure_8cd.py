"""Figure 8c-d: what the weights come from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from eigenthemes.core.progress import Advance
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.baselines import context_rank
from eigenthemes_paper.drawing import draw_bars_by_set
from eigenthemes_paper.mention_scores import Floats, MentionScores
from eigenthemes_paper.plan import PAPER_OPTIONS, Section, SectionPlan, candidate_options
from eigenthemes_paper.rows import Claim, Row, Rows, above, judge
from eigenthemes_paper.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_COLORS = {"degree": "#e6550d", "local": "#c49c5a", "global": "#8c6d31", "none": "#bbbbbb"}


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Evaluate what candidates are ranked by for their weights, and how good that ranking is alone."""
    candidates = candidate_options(planned)
    for name in workspace.available(planned.sets):
        for scheme in ("degree", "local", "global", "none"):
            if scheme in ("local", "global") and not workspace.is_readable(name):
                continue
            scores = MentionScores.of(workspace.run(name, ["eigen"], weights=scheme, **candidates))
            yield {"set": name, "scheme": scheme, "ranking": "eigen", **scores.metrics("eigen")}
            if scheme == "degree":
                alone = MentionScores.of(workspace.run(name, ["degree"], **candidates))
                yield {"set": name, "scheme": scheme, "ranking": "weight", **alone.metrics("degree")}
            elif scheme != "none":
                alone = _by_context(workspace, name, scheme, planned)
                yield {"set": name, "scheme": scheme, "ranking": "weight", **alone.metrics(scheme)}
        advance(1)


def _by_context(workspace: Workspace, name: str, scheme: str, planned: SectionPlan) -> MentionScores:
    """Evaluate the ranking behind the weights alone: all words of the document where the context is global."""

    def score(batch: Batch) -> Floats:
        return -context_rank(batch, workspace.context_scores(name, batch, scheme)).astype(np.float64)

    return MentionScores.of(workspace.run_scorer(name, scheme, score, **candidate_options(planned)))


def draw(rows: Sequence[Row]) -> Figure:
    lines = {"weighted Eigenthemes": {"ranking": "eigen"}, "the ranking behind the weights, alone": {"ranking": "weight"}}
    return draw_bars_by_set(rows, lines, "scheme", list(_COLORS), _COLORS)


def claims(rows: Sequence[Row]) -> list[Claim]:
    metric = "overall_p_at_1"
    eigen, alone = ([row for row in rows if row["ranking"] == ranking] for ranking in ("eigen", "weight"))
    return [
        judge("weights by degree are the best", eigen, above(metric, "scheme", "degree", "local", "global", "none")),
        judge("text alone ranks worse than degree alone", alone, above(metric, "scheme", "degree", "local", "global")),
        judge("weights by local context are better than none", eigen, above(metric, "scheme", "local", "none")),
        judge("weights by global context are better than none", eigen, above(metric, "scheme", "global", "none")),
    ]


SECTION = Section(
    title="Figure 8c-d: what the weights come from",
    about="Candidates are ranked by prior, by local or by global context (all words of the document) for their weights. "
    "Below, what that ranking earns alone; ties go to the higher prior, as in the weights (in Table 2 they share the "
    "credit).",
    compute=compute,
    draw=draw,
    claims=claims,
    options=PAPER_OPTIONS,
)

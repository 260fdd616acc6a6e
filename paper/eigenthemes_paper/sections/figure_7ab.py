"""Figure 7a-b: which vectors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import cycle
from typing import TYPE_CHECKING

from eigenthemes.core.progress import Advance
from eigenthemes_paper.drawing import LINE_COLORS, draw_bars_by_set
from eigenthemes_paper.mention_scores import MentionScores
from eigenthemes_paper.plan import Section, SectionPlan
from eigenthemes_paper.rows import Claim, Outcome, Row, Rows, is_gain, judge
from eigenthemes_paper.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_METHODS = ("average", "eigen")


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Evaluate all vectors of a KB. The candidates are the same for all; those without a vector come last."""
    for name in workspace.available(planned.sets):
        for vectors in sorted(workspace.kb_of(name).vector_sets):
            scores = MentionScores.of(workspace.run(name, _METHODS, vectors=vectors))
            for method in _METHODS:
                yield {"set": name, "vectors": vectors, "method": method, **scores.metrics(method)}
        advance(1)


def draw(rows: Sequence[Row]) -> Figure:
    names = sorted({row["vectors"] for row in rows})
    colors = dict(zip(names, cycle(LINE_COLORS), strict=False)) | {"random": "#bbbbbb"}
    return draw_bars_by_set(rows, {method: {"method": method} for method in _METHODS}, "vectors", names, colors)


def claims(rows: Sequence[Row]) -> list[Claim]:
    def best_against(of_set: list[Row], other: str, but: tuple[str, ...]) -> tuple[Outcome, str] | None:
        """Compare the best vectors, but for some, with others."""
        value = {row["vectors"]: row["overall_p_at_1"] for row in of_set}
        rivals = {name: value[name] for name in value if name not in but}
        if not rivals or other not in value:
            return None
        best = max(rivals, key=lambda name: rivals[name])
        return is_gain(rivals[best] - value[other]), f"{best} {rivals[best]:.3f} against {value[other]:.3f}"

    def graph_is_best(of_set: list[Row]) -> tuple[Outcome, str] | None:
        return best_against(of_set, "descriptions", ("descriptions", "random"))

    def mean_something(of_set: list[Row]) -> tuple[Outcome, str] | None:
        return best_against(of_set, "random", ("random",))

    eigen, average = ([row for row in rows if row["method"] == method] for method in ("eigen", "average"))
    return [
        judge("vectors of the graph are better than vectors of descriptions, for Eigenthemes", eigen, graph_is_best),
        judge("the same, for the average", average, graph_is_best),
        judge("(control) vectors are better than random ones, for Eigenthemes", eigen, mean_something),
    ]


SECTION = Section(
    title="Figure 7a-b: which vectors",
    about="The same candidates for all vectors, found by this project's generator, which drops none; entities without a "
    "vector come last. *random* is a control: directions without any meaning, so that nothing but priors and "
    "repetitions can help.",
    compute=compute,
    draw=draw,
    claims=claims,
)

"""Figure 3a: mutilation, fewer and fewer easy mentions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from eigenthemes.core.progress import Advance
from eigenthemes.metrics.precision import EASY
from eigenthemes.records import Document
from eigenthemes_paper.drawing import METHOD_COLORS, common_legend, grid_of_axes
from eigenthemes_paper.mention_scores import MentionScores, difficulty_of
from eigenthemes_paper.plan import PAPER_OPTIONS, Section, SectionPlan, candidate_options
from eigenthemes_paper.rows import Claim, Outcome, Row, Rows, above, by, judge
from eigenthemes_paper.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Place = tuple[int, int]  # number of a document, and of a mention in it


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Take out easy mentions before anything is linked, so that subspaces are fitted to what remains."""
    for name in workspace.available(planned.sets):
        methods = workspace.methods(name, planned.options["methods"])
        easy = _easy_mentions(workspace, name, planned)
        random = np.random.default_rng(workspace.plan.seed)
        for fraction in np.linspace(1, 0, 11).round(1).tolist():
            p_at_1: dict[str, list[float]] = {method: [] for method in methods}
            for _ in range(1 if fraction in (0, 1) else planned.options["runs"]):  # nothing is drawn there
                kept = random.permutation(len(easy))[: round(fraction * len(easy))]
                documents = _without(workspace.documents(name), set(easy) - {easy[i] for i in kept.tolist()})
                run = workspace.run(name, methods, documents=documents, **candidate_options(planned))
                scores = MentionScores.of(run)
                for method in methods:
                    p_at_1[method].append(scores.metrics(method, ["overall"])["overall_p_at_1"])
            for method, values in p_at_1.items():
                yield {
                    "set": name,
                    "method": method,
                    "fraction": fraction,
                    "p_at_1": float(np.mean(values)),
                    "deviation": float(np.std(values)),
                    "runs": len(values),
                }
            advance(1 / 11)


def _easy_mentions(workspace: Workspace, name: str, planned: SectionPlan) -> list[Place]:
    places, before = [], 0
    for batch in workspace.batches(name, **candidate_options(planned)):
        for i in np.flatnonzero(difficulty_of(batch, workspace.kb_of(name)) == EASY).tolist():
            document = int(np.searchsorted(batch.mention_bounds, i, side="right")) - 1
            places.append((before + document, i - int(batch.mention_bounds[document])))
        before += len(batch.documents)
    return places


def _without(documents: list[Document], places: set[Place]) -> list[Document]:
    """Return the documents without the mentions in these places."""
    return [
        replace(
            document,
            mentions=tuple(mention for i, mention in enumerate(document.mentions or ()) if (number, i) not in places),
        )
        for number, document in enumerate(documents)
    ]


def draw(rows: Sequence[Row]) -> Figure:
    sets = by(rows, "set")
    figure, all_axes = grid_of_axes(len(sets))
    for axes, (name, of_set) in zip(all_axes, sets.items(), strict=True):
        for method, line in by(of_set, "method").items():
            x, y = [row["fraction"] for row in line], np.array([row["p_at_1"] for row in line])
            band = 2 * np.array([row["deviation"] for row in line])
            axes.plot(x, y, marker="o", markersize=3, color=METHOD_COLORS[method], label=method)
            axes.fill_between(x, y - band, y + band, color=METHOD_COLORS[method], alpha=0.15, linewidth=0)
        axes.set(title=name, xlim=(1.02, -0.02), xlabel="share of easy mentions kept", ylabel="P@1")
        axes.set_ylim(bottom=0)
    common_legend(figure, all_axes)
    return figure


def claims(rows: Sequence[Row]) -> list[Claim]:
    return [
        judge("Eigenthemes are above degree and average at every share of easy mentions", rows, _always_best),
        judge("degree falls to the last place, and to 0, without easy mentions", rows, _degree_falls),
        judge("the average overtakes degree when about half (0.3 to 0.7) of the easy mentions are gone", rows, _overtaken),
    ]


def _outcomes_by_fraction(rows: list[Row], one: str, *others: str) -> dict[float, Outcome]:
    """Return fraction -> is one method above others there? Without those where they were not measured."""
    test = above("p_at_1", "method", one, *others)
    results = {fraction: test(some) for fraction, some in by(rows, "fraction").items()}
    return {fraction: result[0] for fraction, result in results.items() if result is not None}


def _always_best(of_set: list[Row]) -> tuple[bool, str] | None:
    outcomes = _outcomes_by_fraction(of_set, "eigen", "degree", "average")
    lost = [str(fraction) for fraction, outcome in outcomes.items() if outcome is False]
    return (not lost, f"not at {', '.join(lost)}" if lost else "") if outcomes else None


def _degree_falls(of_set: list[Row]) -> tuple[bool, str] | None:
    left = {row["method"]: row["p_at_1"] for row in of_set if row["fraction"] == 0}
    if "degree" not in left or len(left) < 2:
        return None
    return left["degree"] == 0 == min(left.values()), f"{left['degree']:.3f} without any easy mention"


def _overtaken(of_set: list[Row]) -> tuple[bool, str] | None:
    outcomes = _outcomes_by_fraction(of_set, "average", "degree")
    if not outcomes:
        return None
    ahead = [fraction for fraction, outcome in outcomes.items() if outcome]
    since = "never" if not ahead else "always above" if max(ahead) == 1 else f"from {max(ahead)} on"
    return bool(ahead) and 0.3 <= max(ahead) <= 0.7, since


SECTION = Section(
    title="Figure 3a: mutilation, fewer and fewer easy mentions",
    about="A share of the easy mentions is taken out before linking; subspaces are fitted to what remains. Not-found mentions "
    "stay in the denominator. Mean over runs; a band shows twice the deviation.",
    compute=compute,
    draw=draw,
    claims=claims,
    options={**PAPER_OPTIONS, "methods": ["degree", "average", "eigen", "prior-name", "selftrained"], "runs": 10},
    long=True,
)

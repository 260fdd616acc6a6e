"""Figure 6: recall of the candidates."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from eigenthemes.core.progress import Advance
from eigenthemes_paper.drawing import LINE_COLORS, common_legend, grid_of_axes, log_ticks
from eigenthemes_paper.mention_scores import GoldMentions, mean
from eigenthemes_paper.plan import Section, SectionPlan
from eigenthemes_paper.rows import Claim, Row, Rows, by, judge, value_of
from eigenthemes_paper.workspace import Workspace

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_LINES = {  # generator, with aliases -> label, colour and style of its line
    ("paper", True): ("paper's, with aliases", LINE_COLORS[1], "o-"),
    ("paper", False): ("paper's, labels only", LINE_COLORS[6], "o--"),
    ("default", True): ("this project's", LINE_COLORS[2], "s-"),
}


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Measure the share of mentions whose gold is among the first T candidates, with and without aliases."""
    limits = planned.options["limits"]
    for name in workspace.available(planned.sets):
        kb = workspace.kb_of(name)
        for aliases in (True, False):
            everything = workspace.batches(name, generator="paper", max_candidates=None, aliases=aliases)
            rank = GoldMentions.of(everything, kb).gold_rank
            for limit in limits:
                recall = mean(rank <= limit if limit else np.isfinite(rank))
                yield {"set": name, "generator": "paper", "aliases": aliases, "limit": limit or None, "recall": recall}
        for limit in filter(None, limits):
            rank = GoldMentions.of(workspace.batches(name, generator="default", max_candidates=limit), kb).gold_rank
            recall = mean(np.isfinite(rank))
            yield {"set": name, "generator": "default", "aliases": True, "limit": limit, "recall": recall}
        advance(1)


def draw(rows: Sequence[Row]) -> Figure:
    sets = by(rows, "set")
    figure, all_axes = grid_of_axes(len(sets))
    for axes, (name, of_set) in zip(all_axes, sets.items(), strict=True):
        x_of_all = 4 * max(row["limit"] or 1 for row in of_set)
        for key, line in by(of_set, "generator", "aliases").items():
            label, color, style = _LINES[key]
            x, y = [row["limit"] or x_of_all for row in line], [row["recall"] for row in line]
            axes.plot(x, y, style, color=color, label=label, markersize=3)
        log_ticks(axes, [1, 5, 20, 100, x_of_all], ["1", "5", "20", "100", "all"])
        axes.set(title=name, xlabel="T", ylabel="recall", ylim=(0, 1))
    common_legend(figure, all_axes)
    return figure


def claims(rows: Sequence[Row]) -> list[Claim]:
    def aliases_help(of_set: list[Row]) -> tuple[bool, str] | None:
        on, off = (value_of(of_set, "recall", limit=20, aliases=aliases) for aliases in (True, False))
        return None if on is None or off is None else (on > off, f"{on:.3f} against {off:.3f} at T = 20")

    def twenty_are_enough(of_set: list[Row]) -> tuple[bool, str] | None:
        twenty, everything = (value_of(of_set, "recall", limit=limit, aliases=True) for limit in (20, None))
        if not twenty or not everything:
            return None
        return twenty >= 0.95 * everything, f"{twenty / everything:.0%}"

    def ours_finds_more(of_set: list[Row]) -> tuple[bool, str] | None:
        ours, theirs = (
            value_of(of_set, "recall", limit=20, aliases=True, generator=generator) for generator in ("default", "paper")
        )
        return None if ours is None or theirs is None else (ours > theirs, f"{ours:.3f} against {theirs:.3f}")

    paper = [row for row in rows if row["generator"] == "paper"]
    return [
        judge("aliases raise the recall", paper, aliases_help),
        judge("20 candidates have 95 % of the recall of all", paper, twenty_are_enough),
        judge("(ours) the generator of this project finds more with 20", rows, ours_finds_more),
    ]


SECTION = Section(
    title="Figure 6: recall of the candidates",
    about="The share of mentions whose gold is among the first T candidates, with and without aliases (the paper's "
    "generator), and with the generator of this project.",
    compute=compute,
    draw=draw,
    claims=claims,
    options={"limits": [1, 2, 5, 10, 20, 50, 100, 0]},
    method=None,
)

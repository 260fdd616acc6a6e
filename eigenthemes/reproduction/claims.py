"""Claims: what the paper finds, or we say, and on which sets it holds in the rows that were measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from eigenthemes.reproduction.mention_scores import SIGNIFICANT
from eigenthemes.reproduction.rows import Row, by, value_of

SLACK = 0.005  # half a point: no difference

Outcome = bool | None  # does it hold? None: there is no clear difference
Test = Callable[[list[Row]], tuple[Outcome, str] | None]  # the outcome and its numbers; None: it was not measured


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim, and the sets where it holds, where there is no clear difference, and where it fails: "set (numbers)" each."""

    statement: str
    holds: tuple[str, ...]
    unclear: tuple[str, ...]
    fails: tuple[str, ...]

    @property
    def was_measured(self) -> bool:
        return bool(self.holds or self.unclear or self.fails)


def judge(statement: str, rows: Sequence[Row], test: Test, *, key: str = "set") -> Claim:
    """Test a claim set by set."""
    sets: dict[Outcome, list[str]] = {True: [], None: [], False: []}
    for name, of_set in by(rows, key).items():
        if (result := test(of_set)) is not None:
            outcome, numbers = result
            sets[outcome].append(f"{name} ({numbers})" if numbers else str(name))
    return Claim(statement, tuple(sets[True]), tuple(sets[None]), tuple(sets[False]))


def above(metric: str, key: str, one: str, *others: str) -> Test:
    """Test whether one is above all others that were measured.

    Less than half a point is no difference; neither is one that a t-test does not confirm, where rows have its p-value.
    """

    def test(rows: list[Row]) -> tuple[Outcome, str] | None:
        mine = value_of(rows, metric, **{key: one})
        rivals = {other: value for other in others if (value := value_of(rows, metric, **{key: other})) is not None}
        if mine is None or not rivals:
            return None
        best = max(rivals, key=lambda other: rivals[other])
        p_value = value_of(rows, "p_against_eigen", **{key: best}) if one == "eigen" and metric == "overall_p_at_1" else None
        clear = abs(mine - rivals[best]) >= SLACK and (p_value is None or p_value < SIGNIFICANT)
        numbers = f"{mine:.3f} against {rivals[best]:.3f}" + (f" of {best}" if len(others) > 1 else "")
        return (mine > rivals[best] if clear else None), numbers

    return test


def is_gain(difference: float) -> Outcome:
    """Tell a gain from a loss; less than half a point is neither."""
    return None if abs(difference) < SLACK else difference > 0

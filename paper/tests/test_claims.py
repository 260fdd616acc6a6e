"""Claims: where they hold, where there is no clear difference, where they fail."""

from __future__ import annotations

from typing import Any

from eigenthemes_paper.rows import Claim, judge
from eigenthemes_paper.sections import figure_3a, table_2


def test_a_claim_names_the_sets_where_it_holds() -> None:
    outcomes = {"a": (True, "x"), "b": (False, ""), "c": (None, "y"), "d": None}
    found = judge("it is so", [{"set": name} for name in outcomes], lambda some: outcomes[some[0]["set"]])
    assert found == Claim("it is so", ("a (x)",), ("c (y)",), ("b",))


def test_what_is_not_clear_is_not_claimed() -> None:
    """Half a point, or a p-value that is too large, is no difference."""

    def outcome(mine: float, theirs: float, p: float) -> Claim:
        rows = [{"set": "s", "method": name, "overall_p_at_1": value, "hard_p_at_1": value, "differs_from_eigen": p < 0.01}
                for name, value in (("eigen", mine), ("degree", theirs))]  # fmt: skip
        return next(each for each in table_2.claims(rows) if each.statement == "Eigenthemes are better than degree")

    assert outcome(0.6, 0.5, 0.001).holds
    assert outcome(0.5, 0.6, 0.001).fails
    assert outcome(0.6, 0.5, 0.2).unclear
    assert outcome(0.503, 0.5, 0.001).unclear


def test_crossing_lines_must_cross() -> None:
    def rows(average: list[float]) -> list[dict[str, Any]]:
        fractions = (1.0, 0.5, 0.0)
        lines = {"degree": [0.6, 0.4, 0.0], "average": average, "eigen": [0.7, 0.6, 0.5]}
        return [{"set": "s", "method": method, "fraction": fraction, "p_at_1": value}
                for method, values in lines.items() for fraction, value in zip(fractions, values, strict=True)]  # fmt: skip

    def overtaken(average: list[float]) -> Claim:
        return next(each for each in figure_3a.claims(rows(average)) if "overtakes" in each.statement)

    assert overtaken([0.5, 0.45, 0.3]).holds
    assert overtaken([0.65, 0.5, 0.3]).fails == ("s (always above)",)
    assert overtaken([0.3, 0.2, 0.0]).fails == ("s (never)",)
    without = [row for row in rows([0.5, 0.4, 0.3]) if row["method"] == "eigen"]
    assert all(not each.holds and not each.fails for each in figure_3a.claims(without))

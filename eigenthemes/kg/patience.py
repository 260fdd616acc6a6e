"""How many errors in a row a reader bears: behind thousands there is nothing of its format, and each takes its time."""

from __future__ import annotations

from eigenthemes.core.diagnostics import Diagnostics

MOST_IN_A_ROW = 5000


class Patience:
    """Counts errors without anything sound between them."""

    def __init__(self) -> None:
        self.in_a_row = 0

    def good(self) -> None:
        """Note something sound."""
        self.in_a_row = 0

    def bad(self) -> None:
        """Note an error."""
        self.in_a_row += 1

    @property
    def is_over(self) -> bool:
        return self.in_a_row >= MOST_IN_A_ROW

    def give_up(self, diagnostics: Diagnostics, where: str, left: int, what: str = "lines") -> None:
        """Note how many lines, or what else, are not read any more: what is lost is counted."""
        if not left:
            return
        detail = f"{self.in_a_row:,} errors in a row; the {left:,} {what} behind them are not read"
        diagnostics.add("given up", where, detail)
        diagnostics.counts[f"{what} not read"] += left

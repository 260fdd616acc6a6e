"""Diagnostics of reading: problems are counted, the first few with file and line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from eigenthemes.errors import SourceError

EXAMPLES = 5  # that are kept of each problem
MAX_ERRORS = 5000  # in a row: what follows has nothing of the format, and each error takes its time


@dataclass
class Diagnostics:
    """Problems in the sources, counted by kind, the first few with file and line."""

    strict: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, problem: str, where: str, detail: str = "") -> None:
        """Count a problem at `where`; under `strict` it is an error."""
        message = " ".join((f"{where}: {detail}" if detail else where).split())  # one line, whatever the source holds
        if self.strict:
            raise SourceError(
                f"{problem} at {message}; mend the file or build without strict to leave it out", code="strict", where=where
            )
        self.counts[problem] += 1
        kept = self.examples.setdefault(problem, [])
        if len(kept) < EXAMPLES:
            kept.append(message)

    def merge(self, other: Diagnostics) -> None:
        """Add what was counted elsewhere."""
        self.counts.update(other.counts)
        for problem, messages in other.examples.items():
            kept = self.examples.setdefault(problem, [])
            kept.extend(messages[: EXAMPLES - len(kept)])


@dataclass
class ErrorBudget:
    """Consecutive errors of a reader, which stops after `MAX_ERRORS` of them and counts from 0 after something valid."""

    errors: int = 0

    @property
    def is_spent(self) -> bool:
        """Return whether there are too many errors in a row."""
        return self.errors >= MAX_ERRORS

    def report(self, diagnostics: Diagnostics, where: str, left: int, unit: str = "lines") -> None:
        """Report how many lines, or other units, are not read any more."""
        if left:
            diagnostics.add("given up", where, f"{self.errors:,} errors in a row; the {left:,} {unit} behind them are not read")
            diagnostics.counts[f"{unit} not read"] += left


def json_objects(
    lines: Iterable[bytes], first_line: int, origin: str, problem: str, diagnostics: Diagnostics
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the object of each line; brackets and commas of an array are skipped.

    problem  what a broken line is called
    """
    budget, numbered = ErrorBudget(), enumerate(lines, first_line)
    for number, line in numbered:
        line = line.strip().removeprefix(b"[").removesuffix(b"]").strip().rstrip(b", ")
        if not line:
            continue
        try:
            record, cause = orjson.loads(line), "not an object"
        except orjson.JSONDecodeError as error:
            record, cause = None, str(error)
        if isinstance(record, dict):
            budget.errors = 0
            yield number, record
            continue
        diagnostics.add(problem, f"{origin}:{number}", cause)
        budget.errors += 1
        if budget.is_spent:
            budget.report(diagnostics, f"{origin}:{number}", sum(1 for _, line in numbered if line.strip()))

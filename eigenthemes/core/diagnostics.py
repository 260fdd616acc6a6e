"""What went wrong while reading: counted by problem, the first few kept with file and line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from eigenthemes.errors import SourceError

EXAMPLES = 5  # that are kept of each problem


@dataclass
class Diagnostics:
    """What was wrong in the sources: counted by problem, the first few kept with file and line."""

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

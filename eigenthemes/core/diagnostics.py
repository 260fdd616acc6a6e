"""What went wrong while reading: counted by kind, the first few kept with file and line."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from eigenthemes.errors import SourceError

SHOWN = 5  # examples kept of each kind of problem


@dataclass
class Diagnostics:
    """What was wrong in the sources: counted by kind, the first few kept with file and line."""

    strict: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, where: str, detail: str = "") -> None:
        message = " ".join((f"{where}: {detail}" if detail else where).split())  # one line, whatever the source holds
        if self.strict:
            raise SourceError(f"{kind} at {message}; mend the file or build without --strict to leave it out")
        self.counts[kind] += 1
        kept = self.examples.setdefault(kind, [])
        if len(kept) < SHOWN:
            kept.append(message)

    def merge(self, other: Diagnostics) -> None:
        self.counts.update(other.counts)
        for kind, messages in other.examples.items():
            kept = self.examples.setdefault(kind, [])
            kept.extend(messages[: SHOWN - len(kept)])

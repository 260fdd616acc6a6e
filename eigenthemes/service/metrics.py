"""What the processes of a service count, in one small mapped file: each writes a row of its own, anyone may add them up."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eigenthemes.service.batching import Tally

COLUMNS = 4096  # numbers of a process
BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
STATUSES = (200, 204, 304, 400, 401, 403, 404, 405, 408, 413, 415, 421, 422, 500, 501, 503)
OTHER = "other"

GAUGES = {
    "ready": "Processes that are ready to link.",
    "connections": "Open connections.",
    "in_flight": "Requests that are being answered.",
    "resident_bytes": "Memory of the processes; pages of the KB are counted in each.",
}
COUNTERS = {
    "documents": "Documents linked.",
    "mentions": "Mentions in them.",
    "links": "Mentions that were linked to an entity.",
    "batches": "Times that documents were decided together.",
    "reloads": "Times that a KB was replaced by a new one.",
    "failed_reloads": "Times that a new KB could not be opened.",
    "corrections": "Corrected documents stored.",
    "restarts": "Processes started again after they ended.",
}


class Metrics:
    """The numbers of a process, `slot` of `slots`; without a file they are of this process alone."""

    def __init__(self, *, file: Path | None = None, slots: int = 1, slot: int = 0) -> None:
        size = 8 * COLUMNS * slots
        if file is None:
            self._map = mmap.mmap(-1, size)
        else:
            with open(file, "r+b") as opened:
                self._map = mmap.mmap(opened.fileno(), size)
        self._numbers = memoryview(self._map).cast("d")
        self.slots, self.slot, self._first = slots, slot, slot * COLUMNS
        self._column = {name: i for i, name in enumerate((*GAUGES, *COUNTERS))}
        self._per_route = len(STATUSES) + 1 + len(BUCKETS) + 2
        self._status = {status: i for i, status in enumerate(STATUSES)}
        self.name_routes([])

    def name_routes(self, routes: Sequence[str]) -> None:
        """Tell these routes apart, the same in every process; all others are counted together."""
        room = (COLUMNS - len(self._column)) // self._per_route - 1
        names = (OTHER, *sorted(set(routes))[:room])
        self._route = {name: len(self._column) + i * self._per_route for i, name in enumerate(names)}

    @staticmethod
    def create(file: Path, slots: int) -> None:
        """Make the file for some processes."""
        file.write_bytes(bytes(8 * COLUMNS * slots))

    def set(self, name: str, value: float) -> None:
        self._numbers[self._first + self._column[name]] = value

    def add(self, name: str, value: float = 1) -> None:
        self._numbers[self._first + self._column[name]] += value

    def own(self, name: str) -> float:
        """Return a number of this process."""
        return self._numbers[self._first + self._column[name]]

    def clear_gauges(self, slot: int) -> None:
        """Forget the state of a process that has ended; what it counted stays."""
        for name in GAUGES:
            self._numbers[slot * COLUMNS + self._column[name]] = 0

    def of_others(self, name: str) -> list[float]:
        """Return a number of each other process."""
        column = self._column[name]
        return [self._numbers[slot * COLUMNS + column] for slot in range(self.slots) if slot != self.slot]

    def total(self, name: str) -> float:
        """Return a number of all processes together."""
        return self._sum(self._column[name])

    def count_request(self, route: str | None, status: int, seconds: float) -> None:
        """Count a request: by its route and status, and by how long it took."""
        first = self._first + self._route.get(route or OTHER, self._route[OTHER])
        numbers = self._numbers
        numbers[first + self._status.get(status, len(STATUSES))] += 1
        first += len(STATUSES) + 1
        bucket = next((i for i, limit in enumerate(BUCKETS) if seconds <= limit), len(BUCKETS))
        numbers[first + bucket] += 1
        numbers[first + len(BUCKETS) + 1] += seconds

    def count_decided(self, tally: Tally) -> None:
        """Count documents that were decided together."""
        for name in ("batches", "documents", "mentions", "links"):
            self.add(name, getattr(tally, name))

    def _sum(self, column: int) -> float:
        return sum(self._numbers[slot * COLUMNS + column] for slot in range(self.slots))

    def text(self) -> str:
        """Return all numbers as Prometheus reads them."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        for name, about in GAUGES.items():
            yield from _head(f"eigenthemes_{name}", "gauge", about)
            yield f"eigenthemes_{name} {self._sum(self._column[name]):.15g}"
        for name, about in COUNTERS.items():
            yield from _head(f"eigenthemes_{name}_total", "counter", about)
            yield f"eigenthemes_{name}_total {self._sum(self._column[name]):.15g}"
        yield from _head("eigenthemes_requests_total", "counter", "Requests answered, by route and status.")
        for route, first in self._route.items():
            for i, status in enumerate((*STATUSES, OTHER)):
                if count := self._sum(first + i):
                    yield f'eigenthemes_requests_total{{route="{_escaped(route)}",status="{status}"}} {count:.15g}'
        yield from _head("eigenthemes_request_seconds", "histogram", "How long requests took, by route.")
        for route, first in self._route.items():
            yield from self._histogram(route, first + len(STATUSES) + 1)

    def _histogram(self, route: str, first: int) -> Iterator[str]:
        counts = [self._sum(first + i) for i in range(len(BUCKETS) + 1)]
        if not any(counts):
            return
        label, below = f'route="{_escaped(route)}"', 0.0
        for limit, count in zip((*(f"{limit:g}" for limit in BUCKETS), "+Inf"), counts, strict=True):
            below += count
            yield f'eigenthemes_request_seconds_bucket{{{label},le="{limit}"}} {below:.15g}'
        yield f"eigenthemes_request_seconds_sum{{{label}}} {self._sum(first + len(BUCKETS) + 1):.15g}"
        yield f"eigenthemes_request_seconds_count{{{label}}} {below:.15g}"


def _head(name: str, kind: str, about: str) -> Iterator[str]:
    yield f"# HELP {name} {about}"
    yield f"# TYPE {name} {kind}"


def _escaped(text: str) -> str:
    return text.replace("\\", r"\\").replace('"', r"\"").replace("\n", " ")

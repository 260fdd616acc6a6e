"""Metrics for Prometheus, summed over the processes of the service.

The processes count in files of one folder if $PROMETHEUS_MULTIPROC_DIR names one before `prometheus_client` is imported.
"""

from __future__ import annotations

import os
import struct
import time
from contextlib import suppress

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest, multiprocess

from eigenthemes.service.batching import Tally

FOLDER = "PROMETHEUS_MULTIPROC_DIR"
_ATTEMPTS = 10
_PAUSE = 0.02  # seconds
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_GAUGES = {
    "ready": "Processes that are ready to link.",
    "connections": "Open connections.",
    "in_flight": "Requests that are being answered.",
    "resident_bytes": "Memory of the processes; pages of the KB are counted in each.",
}
_COUNTERS = {
    "documents": "Documents linked.",
    "mentions": "Mentions in them.",
    "links": "Mentions that were linked to an entity.",
    "batches": "Batches of documents decided together.",
    "reloads": "KBs replaced by a new one.",
    "failed_reloads": "Reloads that failed.",
    "corrections": "Corrected documents stored.",
    "restarts": "Processes started again after they ended.",
}


class Metrics:
    """The counters and gauges of one process."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self._gauges = {
            name: Gauge(f"eigenthemes_{name}", text, registry=registry, multiprocess_mode="livesum")
            for name, text in _GAUGES.items()
        }
        self._counters = {name: Counter(f"eigenthemes_{name}", text, registry=registry) for name, text in _COUNTERS.items()}
        self._requests = Counter(
            "eigenthemes_requests", "Requests answered, by route and status.", ("route", "status"), registry=registry
        )
        self._seconds = Histogram(
            "eigenthemes_request_seconds", "Duration of requests, by route.", ("route",), registry=registry, buckets=_BUCKETS
        )

    def set(self, name: str, value: float) -> None:
        """Set a gauge."""
        self._gauges[name].set(value)

    def add(self, name: str, value: float = 1) -> None:
        """Add to a counter."""
        self._counters[name].inc(value)

    def count_request(self, route: str, status: int, seconds: float) -> None:
        """Count an answered request."""
        self._requests.labels(route, status).inc()
        self._seconds.labels(route).observe(seconds)

    def count_decided(self, tally: Tally) -> None:
        """Count documents that were decided together."""
        for name, number in tally.items():
            self.add(name, number)

    def measure_process(self, connections: int) -> None:
        """Set the gauges of this process's connections and memory."""
        self.set("connections", connections)
        self.set("resident_bytes", resident_bytes())

    def text(self) -> bytes:
        """Return the metrics of all processes in the text format of Prometheus; call it in a thread."""
        if FOLDER not in os.environ:
            return generate_latest(self.registry)
        registry = CollectorRegistry()
        multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
        for _ in range(_ATTEMPTS - 1):
            with suppress(struct.error):  # a process that starts has created its file and not written to it
                return generate_latest(registry)
            time.sleep(_PAUSE)
        return generate_latest(registry)


def resident_bytes() -> int:
    """Return the memory of this process; 0 where /proc is not available."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError):
        return 0

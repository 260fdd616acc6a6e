"""Build one KB and print seconds and memory: python -m benchmarks.build_once OUT JOBS EMBEDDING FILE...

`--max-memory 4G` is that of `eigenthemes build`; `--train` trains the ranker, too.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from eigenthemes.build import build_kb
from eigenthemes.core.progress import Advance


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", help="the KB folder to write")
    parser.add_argument("jobs", type=int, help="processes")
    parser.add_argument("embedding", help="how vectors are made, or none")
    parser.add_argument("files", nargs="+", help="the source files of the KG")
    parser.add_argument("--max-memory", help="as of eigenthemes build")
    parser.add_argument("--train", action="store_true", help="train the ranker")
    arguments = parser.parse_args()
    embedding = None if arguments.embedding == "none" else arguments.embedding
    options = {"jobs": arguments.jobs, "embedding": embedding, "max_memory": arguments.max_memory, "train": arguments.train}
    print(json.dumps(measure(arguments.files, arguments.out, **options)))


class StepTimes:
    """Measures the seconds of each step; all reading is one step."""

    def __init__(self, clock: Callable[[], float] = time.perf_counter) -> None:
        self.seconds: dict[str, float] = {}
        self._clock, self._start = clock, clock()

    @contextmanager
    def step(self, label: str, *, total: float | None, unit: str) -> Iterator[Advance]:
        start = self._clock()
        yield lambda amount: None
        self.add("reading" if label.startswith("reading") else label, self._clock() - start)

    def add(self, label: str, seconds: float) -> None:
        """Add seconds to a step."""
        self.seconds[label] = self.seconds.get(label, 0.0) + seconds

    @property
    def elsewhere(self) -> float:
        """The time since the beginning that belongs to no step."""
        return self._clock() - self._start - sum(self.seconds.values())


def measure(files: Sequence[str], out: str, *, jobs: int, **options: Any) -> dict[str, Any]:
    """Build the KB; seconds of each step, and memory."""
    steps = StepTimes()
    start = time.perf_counter()
    kb = build_kb(files, out, jobs=jobs, force=True, progress=steps, **options)
    seconds = time.perf_counter() - start
    steps.add("everything else", steps.elsewhere)
    statements = kb.manifest["counts"]["statements"]
    return {
        "jobs": jobs,
        "seconds": seconds,
        "cpu_seconds": _cpu_seconds(),
        "statements": statements,
        "statements_per_second": statements / seconds,
        "entities": len(kb),
        "kb_mb": sum(file["bytes"] for file in kb.manifest["files"].values()) / 1e6,
        "peak_mb": _peak_mb(),
        "steps": steps.seconds,
    }


def _cpu_seconds() -> float:
    """Of this process and its workers, imports included: other people's work on the machine disturbs it less."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


def _peak_mb() -> float:
    unit = 1e6 if sys.platform == "darwin" else 1e3
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit


if __name__ == "__main__":
    main()

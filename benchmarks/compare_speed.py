"""How much faster linking is than it was: another commit and this checkout side by side.

    python -m benchmarks.compare_speed                          # commit 31f0be2 against this checkout
    python -m benchmarks.compare_speed --sets wned-cweb --methods selftrained,degree --rounds 9

The baseline commit is installed into an environment of its own, and each version builds its own KBs with its own command line,
as in `compare_versions`. Then a process of each version links the same file, one after the other, round by round, on one
core, from the lines of the file to the lines of output; what counts is CPU time, the best round of each, and their ratio.
Opening the KB and compiling are not counted: each process links the file once before.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.common import CHECKOUT, data_folder, parse_arguments, print_table, save_results, say
from benchmarks.compare_versions import BASELINE, SETS, Version, install

KINDS = {
    "selftrained": ("selftrained", "-"),
    "degree": ("degree", "-"),
    "eigen, k = 10": ("eigen", "10"),
    "eigen, k = all": ("eigen", "all"),
}
OF_SETS = ("wned-cweb", "lgl", "gwn", "biored-train")
_LEAST = 1000  # documents of a file: a shorter set is repeated


class Worker:
    """A process of a version that links a file when asked to, on one core."""

    def __init__(self, version: Version, kb: Path, file: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": version.source, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [str(version.python), str(CHECKOUT / "benchmarks" / "link_worker.py"), str(kb), str(file)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=version.folder
        )

    def link(self, method: str, k: str) -> tuple[float, int]:
        """Link the file once; return the seconds of CPU time, and the documents."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(method, k, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline().split()
        if not answer:
            sys.exit(f"{' '.join(map(str, self.process.args))} ended; its message stands above")  # type: ignore[arg-type]
        return float(answer[0]), int(answer[1])

    def close(self) -> None:
        self.process.communicate()


def plain_file(name: str, folder: Path) -> Path:
    """The documents of a set, not compressed, and repeated until they are enough to be measured."""
    file = folder / f"{name}.jsonl"
    lines = gzip.decompress((data_folder() / f"{SETS[name][1]}.jsonl.gz").read_bytes()).splitlines(keepends=True)
    file.write_bytes(b"".join(lines * -(-_LEAST // len(lines))))
    return file


def measure(kind: str, old: Worker, new: Worker, rounds: int) -> dict[str, Any]:
    """The best round of each version, taking turns."""
    times = [(old.link(*KINDS[kind]), new.link(*KINDS[kind])) for _ in range(rounds)]
    (before, documents), (now, _) = (min(each) for each in zip(*times, strict=True))
    return {
        "method": kind,
        "documents/s before": documents / before,
        "documents/s now": documents / now,
        "ratio": round(before / now, 2),
    }


def main() -> None:
    def add(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--baseline", default=BASELINE, help=f"the commit to compare with (default {BASELINE})")
        parser.add_argument("--sets", default=",".join(OF_SETS), help="some of the sets of compare_versions")
        parser.add_argument("--methods", default="", help="only those that begin with one of these, e.g. eigen,degree")
        parser.add_argument("--rounds", type=int, default=5, help="of which the best counts (default 5)")

    arguments = parse_arguments(__doc__, add)
    baseline = install(arguments.baseline, arguments.cache / f"baseline-{arguments.baseline}")
    present = Version("this checkout", Path(sys.executable), arguments.cache / "present", str(CHECKOUT))
    present.folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for name in arguments.sets.split(","):
        file = plain_file(name, arguments.cache)
        old, new = (Worker(version, version.kb(SETS[name][0]), file) for version in (baseline, present))
        for kind in KINDS:
            if kind.startswith(tuple(arguments.methods.split(","))):
                rows.append({"set": name, **measure(kind, old, new, arguments.rounds)})
                say(str(rows[-1]))
        old.close()
        new.close()
    save_results("speed", {"linking": rows})
    print_table(f"Linking, one core, CPU time: {arguments.baseline} against this checkout", rows)


if __name__ == "__main__":
    main()

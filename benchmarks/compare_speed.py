"""Measure how fast another commit and this checkout link and look names up, by turns.

    python -m benchmarks.compare_speed                          # commit 363a144 against this checkout
    python -m benchmarks.compare_speed --sets wned-cweb --methods selftrained,degree --rounds 9

A process of each version runs the same command on the same file, one after the other, round by round, on one core; what counts
is CPU time, the best round of each, and their ratio. Opening the KB counts, loading and compiling do not: each process runs the
command once before. The options are those of `compare_versions`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from benchmarks.common import CHECKOUT, parse_arguments, print_table, save_results, say
from benchmarks.compare_versions import SETS, Version, add_versions, documents_of, open_versions

KINDS = {
    "selftrained": ("--method", "selftrained"),
    "degree": ("--method", "degree"),
    "eigen, k = 10": ("--method", "eigen"),
    "eigen, k = all": ("--method", "eigen", "--k", "all"),
    "plain text": (),
    "batch look-ups": None,
}
MEASURED_SETS = ("wned-cweb", "lgl", "gsc", "biored-train")
_LEAST = 1000  # documents of a file: a shorter set is repeated
_LEAST_TEXTS = 200


class Worker:
    """A process of a version that works when a line comes, on one core."""

    def __init__(self, version: Version) -> None:
        environment = {**version.environment(), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [str(version.python), str(CHECKOUT / "benchmarks" / "link_worker.py")]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=version.folder
        )

    def seconds(self, task: list[str] | dict[str, str]) -> float:
        """Run a task once; return the seconds of CPU time."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(json.dumps(task), file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            sys.exit(f"{' '.join(map(str, self.process.args))} ended; its message stands above")  # type: ignore[arg-type]
        return float(answer)

    def close(self) -> None:
        self.process.communicate()


def write_files(name: str, folder: Path) -> dict[str, tuple[Path, int]]:
    """Write the documents, texts and distinct names of a set; return the files, and how many each holds."""
    documents = documents_of(name, 0)
    texts = [{"text": each["text"]} for each in documents if each.get("text")][:_LEAST_TEXTS]
    names = dict.fromkeys(" ".join(mention["text"].split()) for each in documents for mention in each["mentions"])
    files = {}
    for kind, items, least in (("documents", documents, _LEAST), ("texts", texts, _LEAST_TEXTS)):
        lines = [json.dumps(item) + "\n" for item in items] * -(-least // max(1, len(items)))
        files[kind] = folder / f"speed-{name}-{kind}.jsonl", len(lines)
        files[kind][0].write_text("".join(lines), encoding="utf-8")
    files["names"] = folder / f"speed-{name}.names", len(names)
    files["names"][0].write_text("".join(f"{each}\n" for each in names), encoding="utf-8")
    return files


def task_of(kind: str, kb: Path, files: dict[str, tuple[Path, int]]) -> tuple[list[str] | dict[str, str], int]:
    """Return what a worker is given, and how many documents or names that is."""
    options = KINDS[kind]
    file, count = files["names" if options is None else "documents" if options else "texts"]
    if options is None:
        return {"kb": str(kb), "names": str(file)}, count
    return ["link", str(kb), str(file), "--jobs", "1", *options], count


def measure(kind: str, kbs: tuple[Path, Path], workers: tuple[Worker, Worker], files: Any, rounds: int) -> dict[str, Any]:
    """Return the speed of both versions in their best round, taking turns."""
    tasks = [task_of(kind, kb, files) for kb in kbs]
    times = [[worker.seconds(task) for worker, (task, _) in zip(workers, tasks, strict=True)] for _ in range(rounds)]
    before, now = (min(each) for each in zip(*times, strict=True))
    count = tasks[0][1]
    return {"kind": kind, "per s before": count / before, "per s now": count / now, "ratio": round(before / now, 2)}


def main() -> None:
    def add(parser: argparse.ArgumentParser) -> None:
        add_versions(parser)
        parser.add_argument("--sets", default=",".join(MEASURED_SETS), help="some of the sets of compare_versions")
        parser.add_argument("--methods", default="", help="only kinds that begin with one of these, e.g. eigen,plain")
        parser.add_argument("--rounds", type=int, default=5, help="of which the best counts (default 5)")

    arguments = parse_arguments(__doc__, add)
    versions = open_versions(arguments)
    rows = []
    for name in arguments.sets.split(","):
        files = write_files(name, arguments.cache)
        kbs = versions[0].kb(SETS[name][0]), versions[1].kb(SETS[name][0])
        workers = Worker(versions[0]), Worker(versions[1])
        for kind in KINDS:
            if kind.startswith(tuple(arguments.methods.split(","))):
                rows.append({"set": name, **measure(kind, kbs, workers, files, arguments.rounds)})
                say(str(rows[-1]))
        for worker in workers:
            worker.close()
    save_results("speed", {"linking": rows})
    print_table(f"One core, CPU time: {arguments.baseline} against this checkout", rows)


if __name__ == "__main__":
    main()

"""The first second and the first run: python -m benchmarks.bench_start [--only start|first-run] [--kb my.kb]

start      from the start of the process to its end: `candidates` of a name and `link` of one sentence, best of five, on the KB
           given (a trained one), else on the small one of the demo
first-run  `build` of the demo's KG and `link` of one sentence with nothing compiled before, and again with what that compiled

Wall and CPU seconds; targets of `start`: 0.2 and 0.5 s. PYTHONDONTWRITEBYTECODE is left out: people have bytecode.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.common import CHECKOUT, child_environment, parse_arguments, print_table, save_results
from eigenthemes.kb.store import KB
from eigenthemes.kg.demo import SMALL

ROUNDS = 5
SENTENCE = "Michael Jordan and his students David Blei and Andrew Ng wrote on LDA at Berkeley."
Row = dict[str, Any]


def main() -> None:
    def add_options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--only", choices=("start", "first-run"))
        parser.add_argument("--kb", type=Path, help="a trained KB for `start`")

    arguments = parse_arguments(__doc__, add_options)
    with tempfile.TemporaryDirectory() as scratch:
        if arguments.only != "first-run":
            path = arguments.kb or _demo_kb(Path(scratch))
            rows = measure_start(path)
            save_results("start", {"start": rows})
            print_table(f"From start to end of a process, {path.name}, best of {ROUNDS}", rows)
        if arguments.only != "start":
            rows = measure_first_run(Path(scratch))
            save_results("start", {"first-run": rows})
            print_table("The first run, and the second", rows)


def measure_start(path: Path) -> list[Row]:
    """Measure the commands on a KB; the sentence is made of its own names."""
    kb = KB.open(path)
    names = [kb.label_of(i) for i in range(min(3, len(kb)))]
    commands = {
        "python alone": ["-c", "pass"],
        "candidates": ["-m", "eigenthemes", "candidates", str(path), names[0]],
        "link, one sentence": ["-m", "eigenthemes", "link", str(path), "-"],
    }
    text = f"{names[0]} was seen with {' and '.join(names[1:]) or names[0]}.\n"
    return [{"what": what, **_best(command, text, ROUNDS)} for what, command in commands.items()]


def measure_first_run(scratch: Path) -> list[Row]:
    """Measure a build and one sentence where nothing is compiled, then where everything of that is."""
    environment = {"NUMBA_CACHE_DIR": str(scratch / "compiled")}
    rows = []
    for run in ("first", "second"):
        out = scratch / f"{run}.kb"
        build = ["-m", "eigenthemes", "build", str(SMALL), "-o", str(out)]
        rows.append({"what": f"build, {run}", **_best(build, "", 1, environment)})
        rows.append({"what": f"link, {run}", **_best(["-m", "eigenthemes", "link", str(out), "-"], SENTENCE, 1, environment)})
    return rows


def _demo_kb(scratch: Path) -> Path:
    _best(["-m", "eigenthemes", "build", str(SMALL), "-o", str(scratch / "demo.kb")], "", 1)
    return scratch / "demo.kb"


def _best(arguments: list[str], text: str, rounds: int, more: dict[str, str] | None = None) -> Row:
    """Return the least wall and CPU seconds that a new process takes."""
    environment = {**child_environment(), **(more or {})}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    wall = cpu = float("inf")
    for _ in range(rounds):
        before, start = _children(), time.perf_counter()
        done = subprocess.run(
            [sys.executable, *arguments], input=text.encode(), capture_output=True, env=environment, cwd=CHECKOUT
        )
        wall, cpu = min(wall, time.perf_counter() - start), min(cpu, _children() - before)
        if done.returncode:
            sys.exit(f"{' '.join(arguments)} failed: {done.stderr.decode(errors='replace')}")
    return {"wall s": wall, "CPU s": cpu}


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()

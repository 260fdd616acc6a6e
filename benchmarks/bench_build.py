"""How fast and in how much memory KBs are built: python -m benchmarks.bench_build [--only general|all|growth] [--sizes 10000,30000]

general   general/kg.nt.gz with one and two jobs, best of three, the two taking turns
all       every KG of the data folder
growth    synthetic dumps of growing size; also a picture

Each build runs in a process of its own, so that its peak memory is its own.
"""

from __future__ import annotations

import argparse
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from benchmarks.common import (
    RESULTS,
    SOURCES,
    add_sizes,
    build_in_new_process,
    parse_arguments,
    print_table,
    save_results,
    say,
    sources,
    synthetic_dump,
)

PARTS = ("general", "all", "growth")
Row = dict[str, Any]


def main() -> None:
    arguments = parse_arguments(__doc__, add_sizes, _add_only)
    scratch = arguments.cache / "bench-build.kb"
    if arguments.only in (None, "general"):
        report("general", "Build of general/kg.nt.gz", build_general(scratch, arguments.rounds))
    if arguments.only in (None, "all"):
        report("all", "Build of every KG of the data folder", build_all(scratch))
    if arguments.only in (None, "growth"):
        rows = build_growing(arguments.sizes, arguments.cache, scratch, arguments.rounds)
        report("growth", "Build of synthetic dumps", rows)
        plot_growth(rows, RESULTS / "build-growth.png")
    shutil.rmtree(scratch, ignore_errors=True)


def build_general(scratch: Path, rounds: int) -> list[Row]:
    """With one and two jobs."""
    return best_builds("general", sources("general"), scratch, rounds)


def build_all(scratch: Path) -> list[Row]:
    """Each KG of the data folder once, with two jobs."""
    return [row for name in SOURCES for row in best_builds(name, sources(name), scratch, 1, jobs=(2,))]


def build_growing(sizes: Sequence[int], cache: Path, scratch: Path, rounds: int) -> list[Row]:
    """Synthetic dumps with one and two jobs; small ones, which are noisy, more often."""
    rows = []
    for size in sizes:
        dump = synthetic_dump(size, cache)
        rows += best_builds(f"synthetic {size:,}", [dump], scratch, rounds if size <= 100_000 else 1)
    return rows


def best_builds(name: str, files: Sequence[Path], scratch: Path, rounds: int, jobs: Sequence[int] = (1, 2)) -> list[Row]:
    """The fastest of several builds for each number of jobs, taking turns."""
    best: dict[int, Row] = {}
    for _ in range(rounds):
        for each in jobs:
            say(f"building {name} with {each} job(s)")
            row = {"kg": name, **build_in_new_process(files, scratch, jobs=each)}
            if each not in best or row["seconds"] < best[each]["seconds"]:
                best[each] = row
    return list(best.values())


def report(part: str, title: str, rows: list[Row]) -> None:
    """Save and print."""
    save_results("build", {part: rows})
    print_table(title, [_shown(row) for row in rows])


def plot_growth(rows: list[Row], file: Path) -> None:
    """Time and memory against statements, both axes logarithmic, with a line of slope 1 beside."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for axis, column, title in zip(axes, ("seconds", "peak_mb_all"), ("seconds", "peak memory, MB"), strict=True):
        for jobs in sorted({row["jobs"] for row in rows}):
            some = [row for row in rows if row["jobs"] == jobs]
            label = f"{jobs} job" + "s" * (jobs > 1)
            axis.plot([row["statements"] for row in some], [row[column] for row in some], "o-", label=label)
        x = [rows[0]["statements"], rows[-1]["statements"]]
        y = rows[-1][column] * 2
        axis.plot(x, [y * x[0] / x[1], y], "--", color="grey", label="slope 1")
        axis.set(xscale="log", yscale="log", xlabel="statements", title=title)
        axis.grid(visible=True, which="both", alpha=0.2)
        axis.legend()
    figure.savefig(file, dpi=110)
    plt.close(figure)


def _shown(row: Row) -> Row:
    return {
        "KG": row["kg"],
        "jobs": row["jobs"],
        "statements": row["statements"],
        "seconds": row["seconds"],
        "statements/s": row["statements_per_second"],
        "KB, MB": row["kb_mb"],
        "peak MB": row["peak_mb"],
        "worker MB": row["peak_mb_worker"],
        "all MB": row["peak_mb_all"],
        "seconds by step": ", ".join(f"{step} {seconds:.2f}" for step, seconds in row["steps"].items()),
    }


def _add_only(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", choices=PARTS, help="measure one part only")
    parser.add_argument("--rounds", type=int, default=3, help="builds of each kind, the best counts (default 3)")


if __name__ == "__main__":
    main()

"""Measure the speed and memory of builds: python -m benchmarks.bench_build [--only PART] [--sizes N,N]

general   general/kg.nt.gz with one and two jobs, and as a yardstick pyoxigraph reading the same file and doing nothing with it
all       every KG of the data folder
growth    synthetic dumps of growing size; also a picture
limit     the same in memory and with `--max-memory 4G`, without and with vectors; are the KBs the same? Also a picture.
          `--sizes 1e5,1e6,1e7 --limits 8G --made vectors` builds within 8G only, and with vectors only
forecast  what `--dry-run` tells of the KGs of the data folder and of synthetic ones, beside what their builds take; ontologies
          were held out: nothing was fitted on them, nor chosen while looking at them. `--kgs envo,genes` names some of them

Each build runs in a process of its own. "peak MB" is that process alone, "worker MB" its largest worker, "all MB" the most that
all of them held at one moment.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.common import (
    RESULTS,
    SOURCES,
    add_sizes,
    build_in_new_process,
    child_environment,
    data_folder,
    parse_arguments,
    print_table,
    save_results,
    say,
    sources,
    synthetic_dump,
)

PARTS = ("general", "all", "growth", "limit", "forecast")
LIMIT = "4G"
HELD_OUT = {
    "envo": "envo.obo.gz",
    "do_nci": "do_nci.obo.gz",
    "cl_blood": "cl_blood.owl.gz",
    "unesco": "unesco.ttl.gz",
}  # files of the data folder's ontologies
MADE = ("nothing", "vectors", "ranker")  # beside the graph and the names; a ranker with vectors
Row = dict[str, Any]


def main() -> None:
    arguments = parse_arguments(__doc__, add_sizes, _add_only)
    scratch = arguments.cache / "bench-build.kb"
    if arguments.only in (None, "general"):
        report("general", "Build of general/kg.nt.gz", build_general(scratch, arguments.rounds))
    if arguments.only in (None, "all"):
        report("all", "Build of every KG of the data folder", build_all(scratch, arguments.rounds))
    if arguments.only in (None, "growth"):
        rows = build_growing(arguments.sizes, arguments.cache, scratch, arguments.rounds)
        report("growth", "Build of synthetic dumps", rows)
        plot_growth(rows, RESULTS / "build-growth.png")
    if arguments.only == "limit":
        made = [each for each in arguments.made if each != "ranker"]
        rows = build_within_limit(arguments.sizes, arguments.cache, scratch, arguments.limits, made, arguments.jobs)
        report("limit", "Build of synthetic dumps in memory and within a limit", rows)
        plot_growth(rows, RESULTS / "build-limit.png", seconds="cpu_seconds", memory="peak_mb_own")
    if arguments.only == "forecast":
        rows = compare_forecasts(arguments.sizes, arguments.cache, scratch, arguments.kgs, arguments.made)
        save_results("build", {"forecast": rows})
        print_table("Forecasts (CPU seconds, MB), each beside what the build took", rows)
    shutil.rmtree(scratch, ignore_errors=True)


def build_within_limit(
    sizes: Sequence[int], cache: Path, scratch: Path, limits: Sequence[str], made: Sequence[str], jobs: int
) -> list[Row]:
    """Build each dump within each limit once; "same": the KB equals that of the first limit."""
    rows = []
    for what in made:
        for size in sizes:
            dump, first = synthetic_dump(size, cache), b""
            for limit in limits:
                row = build_limited(dump, scratch, limit, what, jobs)
                manifest = (scratch / "manifest.json").read_bytes()
                first = first or manifest
                same = {} if len(limits) == 1 else {"same": manifest == first}
                rows.append({"kg": f"synthetic {size:,}", **row, **same})
    return rows


def build_limited(dump: Path, scratch: Path, limit: str, made: str, jobs: int) -> Row:
    """One build within a limit, or in memory where that is "none"."""
    series = f"{'in memory' if limit == 'none' else limit}{', vectors' * (made == 'vectors')}, {jobs} job{'s' * (jobs > 1)}"
    say(f"building {dump.name}, {series}")
    embedding = "prone" if made == "vectors" else "none"
    limits = None if limit == "none" else limit
    return {"series": series, **build_in_new_process([dump], scratch, jobs=jobs, embedding=embedding, max_memory=limits)}


def compare_forecasts(
    sizes: Sequence[int], cache: Path, scratch: Path, kgs: Sequence[str] | None, made: Sequence[str]
) -> list[Row]:
    """Forecasts beside builds of one process, in CPU seconds: the machine may be busy."""
    real = {name: sources(name) for name in SOURCES}
    held_out = {name: [data_folder() / "ontologies" / file] for name, file in HELD_OUT.items()}
    rows = []
    for what in made:
        for name in kgs or [*real, *held_out, *map(str, sizes)]:
            files = real.get(name) or held_out.get(name) or [synthetic_dump(int(float(name)), cache)]
            say(f"{name}, {what}")
            embedding, train = "none" if what == "nothing" else "prone", what == "ranker"
            row = {"KG": name, "held out": name in held_out, "made": what}
            rows.append({**row, **compare_forecast(files, scratch, embedding, train)})
            say(str(rows[-1]))
    return rows


def compare_forecast(files: Sequence[Path], scratch: Path, embedding: str, train: bool) -> Row:
    """Return the forecast of one build, its measured cost, and their ratio."""
    command = [sys.executable, "-c", _FORECAST, embedding, str(int(train)), *map(str, files)]
    done = subprocess.run(command, stdout=subprocess.PIPE, env=child_environment(), check=True)
    told, took = json.loads(done.stdout), build_in_new_process(files, scratch, jobs=1, embedding=embedding, train=train)
    pairs = {
        "entities": (told["entities"], took["entities"]),
        "seconds": (told["seconds"], took["cpu_seconds"]),
        "memory": (told["memory"] / 1e6, took["peak_mb_own"]),
        "disk": (told["disk"] / 1e6, took["kb_mb"]),
    }
    row: Row = {}
    for what, (forecast, measured) in pairs.items():
        row |= {f"{what} told": forecast, what: measured, f"{what} ratio": forecast / measured}
    return row


_FORECAST = """
import dataclasses, json, sys
from eigenthemes.forecast import forecast_build
embedding, train, *files = sys.argv[1:]
told = forecast_build(files, embedding=None if embedding == "none" else embedding, train=train == "1")
print(json.dumps(dataclasses.asdict(told)))
"""


def build_general(scratch: Path, rounds: int) -> list[Row]:
    """With one and two jobs, beside the parser alone."""
    files = sources("general")
    return best_rows(rounds, {"parser alone": partial(parse_only, files[0]), **_builds("general", files, scratch)})


def build_all(scratch: Path, rounds: int) -> list[Row]:
    """Each KG of the data folder, with two jobs."""
    builds: dict[str, Callable[[], Row]] = {}
    for name in SOURCES:
        builds |= _builds(name, sources(name), scratch, jobs=(2,))
    return best_rows(rounds, builds)


def build_growing(sizes: Sequence[int], cache: Path, scratch: Path, rounds: int) -> list[Row]:
    """Synthetic dumps with one and two jobs, beside the parser alone; the large ones, which are less noisy, fewer times."""
    rows = []
    for size in sizes:
        dump = synthetic_dump(size, cache)
        tasks: dict[str, Callable[[], Row]] = {
            "parser alone": partial(parse_only, dump),
            **_builds(f"synthetic {size:,}", [dump], scratch),
        }
        rows += best_rows(rounds if size <= 100_000 else max(1, rounds - 1), tasks)
    return rows


def best_rows(rounds: int, tasks: dict[str, Callable[[], Row]]) -> list[Row]:
    """The fastest run of each task, the tasks taking turns."""
    best: dict[str, Row] = {}
    for _ in range(rounds):
        for name, task in tasks.items():
            say(name)
            row = task()
            if name not in best or row["seconds"] < best[name]["seconds"]:
                best[name] = row
    return list(best.values())


def parse_only(file: Path) -> Row:
    """Decompress and parse N-Triples with pyoxigraph in a fresh process: the least any reader must do."""
    command = [sys.executable, "-c", _PARSE, str(file)]
    done = subprocess.run(command, stdout=subprocess.PIPE, env=child_environment(), check=True)
    row: Row = json.loads(done.stdout)
    return {"kg": "pyoxigraph alone", "jobs": 1, **row, "statements_per_second": row["statements"] / row["seconds"]}


_PARSE = """
import gzip, json, sys, time
import pyoxigraph as ox
start = time.perf_counter()
count = sum(1 for _ in ox.parse(gzip.open(sys.argv[1]), format=ox.RdfFormat.N_TRIPLES))
print(json.dumps({"statements": count, "seconds": time.perf_counter() - start, "cpu_seconds": time.process_time()}))
"""


def _builds(name: str, files: Sequence[Path], scratch: Path, jobs: Sequence[int] = (1, 2)) -> dict[str, Callable[[], Row]]:
    def build(count: int) -> Row:
        return {"kg": name, **build_in_new_process(files, scratch, jobs=count)}

    return {f"building {name}, jobs {count}": partial(build, count) for count in jobs}


def report(part: str, title: str, rows: list[Row]) -> None:
    """Save and print."""
    save_results("build", {part: rows})
    print_table(title, [_printed(row) for row in rows])


def plot_growth(rows: list[Row], file: Path, *, seconds: str = "seconds", memory: str = "peak_mb_all") -> None:
    """Time and memory against statements, both axes logarithmic, with a line of slope 1 beside."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for axis, column, title in zip(axes, (seconds, memory), (seconds.replace("_", " "), "peak memory, MB"), strict=True):
        measured = [row for row in rows if column in row]
        for label in dict.fromkeys(map(_series, measured)):
            points = [(row["statements"], row[column]) for row in measured if _series(row) == label]
            axis.plot(*zip(*points, strict=True), "o-", label=label, color=_COLOURS.get(label))
        x = [pick(row["statements"] for row in measured) for pick in (min, max)]
        y = 2 * max(row[column] for row in measured)
        axis.plot(x, [y * x[0] / x[1], y], "--", color="grey", label="slope 1")
        axis.set(xscale="log", yscale="log", xlabel="statements", title=title)
        axis.grid(visible=True, which="both", alpha=0.2)
        axis.legend(loc="best", fontsize="small")
    figure.savefig(file, dpi=110)
    plt.close(figure)


_COLOURS = {"1 job": "C0", "2 jobs": "C1", "pyoxigraph alone": "C2"}


def _series(row: Row) -> str:
    if "series" in row:
        return str(row["series"])
    return f"{row['jobs']} job" + "s" * (row["jobs"] > 1) if "steps" in row else str(row["kg"])


def _printed(row: Row) -> Row:
    titles = {
        "kg": "KG",
        "jobs": "jobs",
        "statements": "statements",
        "seconds": "seconds",
        "cpu_seconds": "CPU seconds",
        "statements_per_second": "statements/s",
        "kb_mb": "KB, MB",
        "peak_mb": "peak MB",
        "peak_mb_worker": "worker MB",
        "peak_mb_all": "all MB",
        "peak_mb_own": "all without mapped files, MB",
        "series": "how",
        "same": "the same KB",
    }
    steps = ", ".join(f"{step} {seconds:.2f}" for step, seconds in row.get("steps", {}).items())
    return {title: row.get(key) for key, title in titles.items()} | {"seconds by step": steps}


def _listed(text: str) -> list[str]:
    return text.split(",")


def _add_only(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", choices=PARTS, help="measure one part only")
    parser.add_argument("--kgs", type=_listed, help="with --only forecast: these KGs, by name or number of entities")
    parser.add_argument(
        "--made", type=_listed, default=list(MADE), help=f"with --only limit and forecast (default {','.join(MADE)})"
    )
    parser.add_argument("--limits", type=_listed, default=["none", LIMIT], help=f"with --only limit (default none,{LIMIT})")
    parser.add_argument("--jobs", type=int, default=2, help="with --only limit: processes (default 2)")
    parser.add_argument("--rounds", type=int, default=3, help="builds of each kind, the best counts (default 3)")


if __name__ == "__main__":
    main()

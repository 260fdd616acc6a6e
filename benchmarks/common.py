"""Share the data, cached KBs, interleaved timing and result files between benchmarks."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from eigenthemes.core.jit import always_compile
from eigenthemes.kb.store import KB

HERE = Path(__file__).parent
CHECKOUT = HERE.parent
RESULTS = HERE / "results"
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000)

# KB -> its source files under the data folder
SOURCES = {
    "general": ("general/kg.nt.gz",),
    "places": ("places/nodes.tsv.gz", "places/edges.tsv.gz"),
    "genes": ("genes/nodes.jsonl.gz", "genes/edges.tsv.gz"),
    "phenotypes": ("phenotypes/hp.obo.gz",),
    "aida": ("aida/nodes.tsv.gz", "aida/edges.tsv.gz"),
}
NO_BUILDERS = ("cli", "display", "evaluation", "integrations", "reproduction", "service")  # they do not decide what a KB holds


def parse_arguments(doc: str | None, *add: Callable[[argparse.ArgumentParser], Any]) -> argparse.Namespace:
    """The command line: `--cache`, and what `add` adds to the parser. What is measured here is long work: it is compiled."""
    always_compile()
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    default = Path(tempfile.gettempdir()) / "eigenthemes-bench"
    parser.add_argument("--cache", type=Path, default=default, help=f"folder for KBs and dumps (default {default})")
    for add_options in add:
        add_options(parser)
    arguments = parser.parse_args()
    arguments.cache.mkdir(parents=True, exist_ok=True)
    return arguments


def add_sizes(parser: argparse.ArgumentParser) -> None:
    """`--sizes 10000,30000`: entities of the synthetic dumps."""
    parser.add_argument(
        "--sizes",
        type=lambda text: [int(float(size)) for size in text.split(",")],
        default=list(SIZES),
        help=f"entities of the synthetic dumps (default {','.join(map(str, SIZES))})",
    )


def data_folder() -> Path:
    """The folder of the real data, or an end in one sentence."""
    folder = Path(os.environ.get("EIGENTHEMES_DATA", CHECKOUT / "../shared/data"))
    if not folder.is_dir():
        sys.exit(f"this benchmark needs the real data, and {folder} is missing; set EIGENTHEMES_DATA to its folder")
    return folder.resolve()


def sources(name: str) -> list[Path]:
    """The source files of a KB of the data folder."""
    return [data_folder() / file for file in SOURCES[name]]


def read_documents(file: Path) -> Iterator[dict[str, Any]]:
    """The documents of a compressed JSON lines file."""
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            yield json.loads(line)


def read_mentions(name: str) -> list[tuple[str, tuple[str, ...]]]:
    """(text, gold ids) of every mention of a document set, named like `general/wned-cweb`."""
    mentions = []
    for document in read_documents(data_folder() / f"{name}.jsonl.gz"):
        for mention in document["mentions"]:
            gold = mention["gold"]
            mentions.append((mention["text"], tuple(gold) if isinstance(gold, list) else (gold,)))
    return mentions


def synthetic_dump(size: int, folder: Path) -> Path:
    """A synthetic dump of `size` entities, written once."""
    from benchmarks import synthetic

    file = folder / f"synthetic-{size}-{_digest([Path(synthetic.__file__)])}.nt.gz"
    if not file.exists():
        say(f"writing {file.name}")
        unfinished = file.with_suffix(".new")
        synthetic.write_dump(size, unfinished)
        unfinished.rename(file)
    return file


def real_kb(name: str, folder: Path) -> KB:
    """A KB of the data folder, built once for each state of the code that builds."""
    return _cached_kb(name, sources(name), folder)


def synthetic_kb(size: int, folder: Path) -> KB:
    """The KB of a synthetic dump, built once for each state of the code that builds."""
    dump = synthetic_dump(size, folder)
    return _cached_kb(dump.name.removesuffix(".nt.gz"), [dump], folder)


def build_in_new_process(
    files: Sequence[Path],
    out: Path,
    *,
    jobs: int,
    embedding: str = "none",
    max_memory: str | None = None,
    train: bool = False,
) -> dict[str, Any]:
    """Build a KB in a fresh process: what `build_once` measured of itself, and its memory with that of its workers."""
    command = [sys.executable, "-m", "benchmarks.build_once", str(out), str(jobs), embedding, *map(str, files)]
    command += [] if max_memory is None else ["--max-memory", max_memory]
    command += ["--train"] if train else []
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=CHECKOUT, env=child_environment()) as process:
        memory = _watch_memory(process)
        printed = process.communicate()[0]
    if process.returncode:
        sys.exit(f"the build of {out.name} failed; its message stands above")
    measured = json.loads(printed)
    memory["peak_mb_all"] = max(memory["peak_mb_all"], measured["peak_mb"])  # the looks may miss a short peak
    return {**measured, **memory}


def child_environment() -> dict[str, str]:
    """The environment of fresh processes: the package of this checkout."""
    return {**os.environ, "PYTHONPATH": str(CHECKOUT)}


def best_times(rounds: int, tasks: dict[str, Callable[[], Any]]) -> dict[str, float]:
    """Seconds of each task: the best of several rounds, the tasks taking turns so that noise meets all of them."""
    best = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.perf_counter()
            task()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def say(message: str) -> None:
    """Print progress to stderr; tables go to stdout."""
    print(f"... {message}", file=sys.stderr, flush=True)


def print_table(title: str, rows: Sequence[dict[str, Any]]) -> None:
    """A small Markdown table; columns are the keys of the rows."""
    print(f"\n{title}\n")
    if rows:
        columns = list(dict.fromkeys(key for row in rows for key in row))
        cells = [columns, *([_cell(row.get(column)) for column in columns] for row in rows)]
        widths = [max(len(line[i]) for line in cells) for i in range(len(columns))]
        lines = ["| " + " | ".join(map(str.ljust, line, widths)) + " |" for line in cells]
        print("\n".join([lines[0], "|" + "|".join("-" * (width + 2) for width in widths) + "|", *lines[1:]]), flush=True)


def _without_folder(argument: str) -> str:
    """Return an argument of the command line as anybody may read it: of a path, its name only."""
    return Path(argument).name if Path(argument).is_absolute() else argument


def save_results(name: str, results: dict[str, Any]) -> None:
    """Write results with the machine and the versions beside them; parts measured earlier stay."""
    RESULTS.mkdir(exist_ok=True)
    file = RESULTS / f"{name}.json"
    before = json.loads(file.read_text()) if file.exists() else {}
    stamped = {key: {**machine(), "rows": rows} for key, rows in results.items()}
    file.write_text(json.dumps({**before, **stamped}, indent=1) + "\n")


def machine() -> dict[str, Any]:
    """Return the machine and the versions a result was measured with."""
    import numpy

    return {
        "command": "python -m benchmarks." + " ".join([Path(sys.argv[0]).stem, *map(_without_folder, sys.argv[1:])]),
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "numpy": numpy.__version__,
        "commit": _commit(),
        "code": code_digest(),
    }


@cache
def code_digest() -> str:
    """Return a short name for the state of the code that builds KBs."""
    package = CHECKOUT / "eigenthemes"
    return _digest([file for file in sorted(package.rglob("*.py")) if file.relative_to(package).parts[0] not in NO_BUILDERS])


def _cached_kb(name: str, files: Sequence[Path], folder: Path) -> KB:
    path = folder / f"{name}-{code_digest()}.kb"
    if not (path / "manifest.json").exists():
        say(f"building {path.name}")
        build_in_new_process(files, path, jobs=min(2, os.cpu_count() or 1), embedding="prone")
    return KB.open(path)


def _watch_memory(process: subprocess.Popen[bytes]) -> dict[str, float]:
    """The most MB resident at one moment, 50 looks a second: of the largest worker, and of all processes together.

    `peak_mb_own` is of all together without files that are mapped, which the system takes away where it needs the room.
    Not RUSAGE_CHILDREN: a worker starts as a copy of its parent, and Linux counts the parent's size then as the worker's peak.
    """
    peaks = {"peak_mb_worker": 0.0, "peak_mb_all": 0.0, "peak_mb_own": 0.0}
    while process.poll() is None:
        pids = family(process.pid)
        own, *workers = map(_resident_mb, pids)
        peaks["peak_mb_own"] = max(peaks["peak_mb_own"], sum(map(_own_bytes, pids)) / 1e6)
        peaks["peak_mb_worker"] = max(peaks["peak_mb_worker"], *workers, 0.0)
        peaks["peak_mb_all"] = max(peaks["peak_mb_all"], own + sum(workers))
        time.sleep(0.02)
    return peaks


def _own_bytes(pid: int) -> int:
    """Return the bytes of a process that are no mapped files: anonymous and shared memory."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon:", "RssShmem:"))) << 10


def family(pid: int) -> list[int]:
    """A process and its children."""
    try:
        lists = [file.read_text() for file in Path(f"/proc/{pid}/task").glob("*/children")]
    except OSError:
        lists = []
    return [pid, *(int(child) for text in lists for child in text.split())]


def _resident_mb(pid: int) -> float:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except (OSError, IndexError):
        return 0.0


def _digest(files: Sequence[Path]) -> str:
    joined = hashlib.sha256()
    for file in files:
        joined.update(file.read_bytes())
    return joined.hexdigest()[:8]


def _commit() -> str:
    """The commit, with a + where the package was changed since; empty outside a clone."""
    try:
        commit = _git("rev-parse", "--short", "HEAD")
        return commit + "+" * bool(_git("status", "--porcelain", "--", "eigenthemes"))
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=CHECKOUT, capture_output=True, check=True, text=True)
    return done.stdout.strip()


def _cpu() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        return platform.processor() or "unknown"


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}" if abs(value) < 10 else f"{value:.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)

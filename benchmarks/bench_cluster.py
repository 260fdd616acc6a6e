"""A corpus into a folder: documents/s of processes (`--jobs`) and of Ray, against the number of workers.

Wall times say what people wait for; processor time per 1,000 documents, of all processes that are started, says what Ray costs
beside `--jobs` also on a machine that is busy with other things. Starting processes and Ray costs the same for any number of
documents: `steady` is what a corpus takes longer than a quarter of it. The runs are interleaved.

    python -m benchmarks.bench_cluster --kb my.kb --documents 8000
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from benchmarks.common import (
    CHECKOUT,
    RESULTS,
    child_environment,
    data_folder,
    parse_arguments,
    print_table,
    read_documents,
    real_kb,
    save_results,
    say,
)

Row = dict[str, Any]
ENGINES = ("jobs", "ray")


def main() -> None:
    arguments = parse_arguments(__doc__, _add_options)
    if arguments.once:
        print(json.dumps(run_once(*arguments.once)))
        return
    rows = measure(arguments)
    print_table("cluster", rows)
    if arguments.write:
        save_results("cluster", {"corpus": rows})
        draw(rows, RESULTS / "cluster.png")


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--kb", type=Path, help="a KB; default: the general one, built once into the cache, without a ranker")
    parser.add_argument("--set", default="general/wned-cweb", help="documents of the data folder, repeated")
    parser.add_argument("--documents", type=int, default=8000)
    parser.add_argument("--parts", type=int, default=32)
    parser.add_argument("--workers", type=lambda text: [int(each) for each in text.split(",")], default=[1, 2])
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--write", action="store_true", help="keep the results and the picture")
    parser.add_argument("--once", nargs=5, help=argparse.SUPPRESS)  # a process of its own for each run


def measure(arguments: argparse.Namespace) -> list[Row]:
    """Link a corpus by each engine with each number of workers, some rounds; return the best of each."""
    kb = arguments.kb or real_kb("general", arguments.cache).path
    with tempfile.TemporaryDirectory(dir=arguments.cache) as place:
        corpus, quarter = write_corpus(Path(place) / "in", arguments), Path(place) / "quarter"
        quarter.mkdir()
        for file in sorted(corpus.iterdir())[::4]:
            shutil.copy(file, quarter)
        _run(kb, quarter, Path(place) / "out", "jobs", 1)  # compiles what was not, and counts for nothing
        rows: dict[tuple[str, int], list[Row]] = {}
        for number in range(arguments.rounds):
            for workers in arguments.workers:
                for engine in ENGINES:
                    few, all_ = (_run(kb, each, Path(place) / f"out-{number}", engine, workers) for each in (quarter, corpus))
                    rows.setdefault((engine, workers), []).append(_with_steady(few, all_))
                    say(f"{engine} {workers}: {rows[engine, workers][-1]}")
    return _best(rows)


def write_corpus(folder: Path, arguments: argparse.Namespace) -> Path:
    """Write documents of a set as parts of JSON lines, repeated until there are enough."""
    folder.mkdir()
    documents = list(read_documents(data_folder() / f"{arguments.set}.jsonl.gz"))
    lines = [json.dumps(document, ensure_ascii=False) + "\n" for document in islice(cycle(documents), arguments.documents)]
    size = -(-len(lines) // arguments.parts)
    for number in range(0, len(lines), size):
        (folder / f"part-{number:07}.jsonl").write_text("".join(lines[number : number + size]), encoding="utf-8")
    return folder


def _run(kb: Path, corpus: Path, out: Path, engine: str, workers: int) -> Row:
    command = [sys.executable, "-m", "benchmarks.bench_cluster", "--once", str(kb), str(corpus), str(out), engine, str(workers)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True, cwd=CHECKOUT, env=child_environment())
    shutil.rmtree(out)
    measured: Row = json.loads(done.stdout.splitlines()[-1])
    return measured


def _with_steady(few: Row, all_: Row) -> Row:
    """Return the figures of a corpus, with what it took longer than a part of it, per document of the difference."""
    documents = all_["documents"] - few["documents"]
    processor = all_["cpu_s_per_1000"] * all_["documents"] - few["cpu_s_per_1000"] * few["documents"]
    return {**all_, "steady_cpu_s_per_1000": round(processor / documents, 3)}


def run_once(kb: str, corpus: str, out: str, engine: str, workers: str) -> Row:
    """Link a corpus in this process and those it starts; return the times, without the start of Ray, which is told apart."""
    from eigenthemes import Linker
    from eigenthemes.corpus.engine import link_corpus, on_processes

    linker = Linker(kb)
    start, run = time.perf_counter(), on_processes(int(workers), linker)
    if engine == "ray":
        import ray

        from eigenthemes.integrations.ray import on_ray

        options: dict[str, Any] = {"num_cpus": int(workers), "include_dashboard": False, "object_store_memory": 100 << 20}
        ray.init(address="local", log_to_driver=False, logging_level=logging.ERROR, **options)
        run = on_ray(workers=int(workers))
    started = time.perf_counter()
    report = link_corpus([corpus], out, linker, engine=run)
    seconds = time.perf_counter() - started
    processor = _processor_seconds()
    if engine == "ray":
        ray.shutdown()
    if report.problems or report.failures:
        sys.exit(f"{len(report.problems)} parts and {report.failures} records could not be linked; see {out}")
    return {
        "documents": report.documents,
        "start_s": round(started - start, 2),
        "wall_s": round(seconds, 2),
        "documents_per_second": round(report.documents / seconds, 1),
        "cpu_s_per_1000": round(1000 * processor / report.documents, 3),
        "load": round(os.getloadavg()[0], 1),
    }


def _processor_seconds() -> float:
    """Return the processor time of this process, of those it waited for, and of those below it that still run."""
    own = sum(sum(resource.getrusage(who)[:2]) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own + sum(_time_of(process) for process in _below(os.getpid()))


def _below(process: int) -> list[int]:
    try:
        children = [int(each) for each in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except FileNotFoundError:
        return []
    return children + [each for child in children for each in _below(child)]


def _time_of(process: int) -> float:
    try:
        fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")  # its own, and of those it waited for


def _best(rows: dict[tuple[str, int], list[Row]]) -> list[Row]:
    """Return the round of each engine that waited least for others."""
    found = []
    for (engine, workers), rounds in rows.items():
        best = max(rounds, key=lambda row: float(row["documents_per_second"]))
        least = {name: min(float(row[name]) for row in rounds) for name in ("cpu_s_per_1000", "steady_cpu_s_per_1000")}
        found.append({"engine": engine, "workers": workers, **best, **least})
    by_key = {(row["engine"], row["workers"]): row for row in found}
    for row in found:
        beside = by_key["jobs", row["workers"]]["steady_cpu_s_per_1000"]
        row["steady_ratio_to_jobs"] = round(row["steady_cpu_s_per_1000"] / beside, 3)
    return found


def draw(rows: list[Row], path: Path) -> None:
    """Draw documents/s and processor time against workers."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    for engine, marker in zip(ENGINES, "os", strict=True):
        mine = sorted((row for row in rows if row["engine"] == engine), key=lambda row: int(row["workers"]))
        workers = [row["workers"] for row in mine]
        name = "--jobs" if engine == "jobs" else "--engine ray"
        axes[0].plot(workers, [row["documents_per_second"] for row in mine], marker=marker, label=name)
        axes[1].plot(workers, [row["steady_cpu_s_per_1000"] for row in mine], marker=marker, label=name)
    for axis, label in zip(axes, ("documents/s", "processor s per 1,000 documents"), strict=True):
        axis.set(xlabel="workers", ylabel=label, xticks=sorted({row["workers"] for row in rows}))
        axis.set_ylim(0, 1.15 * axis.dataLim.y1)
        axis.legend(frameon=False)
    figure.savefig(path, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()

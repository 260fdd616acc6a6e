"""Measure the speed of linking: python -m benchmarks.bench_link [--only kernel|stream|growth|large|quality]

kernel    disambiguation alone, candidates and vectors given, one thread: ours against the paper's equations as
          the tests write them down
stream    `eigenthemes link` end to end on wned-cweb repeated to 20,000 documents: kernels against the rest, processes, memory
growth    time per document against mentions, candidates, themes and dimensions; also a picture
large     one document of 10,000 mentions with 20 candidates each: seconds and memory
quality   `eval` of all plain methods on every set of documents and tables

Whatever is compared takes turns, and the best of several rounds counts.
"""

from __future__ import annotations

import argparse
import gzip
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import (
    CHECKOUT,
    RESULTS,
    best_times,
    child_environment,
    data_folder,
    family,
    parse_arguments,
    print_table,
    real_kb,
    save_results,
    say,
)
from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.names.generator import CandidateTable
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.methods import method_named
from eigenthemes.ranking.options import EigenOptions
from eigenthemes.records import Document, Mention

sys.path.insert(0, str(CHECKOUT / "tests"))
from helpers.paper_equations import eigen_scores

ROUNDS = 7
FEW, DOCUMENTS = 2_000, 20_000
CHUNKS = 40  # of documents, linked in this process
METHODS = ("eigen", "degree", "average", "namematch", "prior-name")
SETS = {
    "general": ("general/aida-testa", "general/dwie-train", "general/wned-cweb", "general/wned-wiki"),
    "places": ("places/lgl", "places/gwn"),
    "genes": ("genes/biored-train",),
    "phenotypes": ("phenotypes/gsc",),
    "aida": ("aida/testa",),
    "general, tables": ("tables/t2d-dev", "tables/wikitables-dev"),
}
Row = dict[str, Any]


def main() -> None:
    parts: dict[str, tuple[str, Callable[[argparse.Namespace], list[Row]]]] = {
        "kernel": ("Disambiguation alone, 20 mentions x 20 candidates, d = 128, one thread", measure_kernel),
        "stream": (f"`eigenthemes link`, wned-cweb repeated to {DOCUMENTS:,} documents, general KB", measure_stream),
        "growth": ("Time per document (ms)", measure_growth),
        "large": ("One document of 10,000 mentions x 20 candidates", measure_large),
        "quality": ("P@1 over all mentions", measure_quality),
    }

    def add_only(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--only", choices=parts, help="measure one part only")

    arguments = parse_arguments(__doc__, add_only)
    for part, (title, measure) in parts.items():
        if arguments.only in (None, part):
            say(part)
            rows = measure(arguments)
            save_results("link", {part: rows})
            print_table(title, rows)
            if part == "growth":
                plot_growth(rows, RESULTS / "link-growth.png")


# one document made up


def made_up(mentions: int, candidates: int, d: int, *, documents: int = 1, seed: int = 0) -> Batch:
    """Documents of random candidates with random vectors around a few themes."""
    random = np.random.default_rng(seed)
    n = documents * mentions * candidates
    entities = max(50_000, n // 4)
    themes = random.normal(size=(200, d))
    rows = themes[random.integers(0, 200, entities)] + 2 * random.normal(size=(entities, d))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    mention_of = np.repeat(np.arange(documents * mentions), candidates)
    rank = np.tile(np.arange(1, candidates + 1), documents * mentions).astype(np.int32)
    entity = random.integers(0, entities, n).astype(np.uint32)
    table = CandidateTable(documents * mentions, mention_of, entity, rank, 1.0 / rank, np.zeros(n, dtype=np.uint8))
    names = tuple(Mention("x") for _ in range(mentions))
    mention_bounds = np.arange(documents + 1) * mentions
    return Batch(
        [Document(mentions=names) for _ in range(documents)],
        mention_bounds,
        mention_bounds * candidates,
        table,
        Vectors("made up", rows, np.ones(entities, dtype=bool)),
        {},
    )


def score(batch: Batch, k: int | None) -> np.ndarray[Any, Any]:
    """The scores of `eigen`, with one thread of BLAS, as a linker computes them."""
    nothing: Any = None  # the method asks the KB for nothing
    hold_blas_to_one_thread()
    return method_named("eigen")(batch, nothing, EigenOptions(k=k)).scores


def naive(batch: Batch, k: int) -> list[list[float]]:
    """The paper's equations, document by document."""
    assert batch.vectors is not None
    rows = batch.vectors.rows
    scores = []
    per_mention = len(batch.table) // len(batch.mentions)
    for first, last in zip(batch.bounds[:-1].tolist(), batch.bounds[1:].tolist(), strict=True):
        entities = batch.table.entity[first:last].reshape(-1, per_mention)
        vectors = [[rows[entity].astype(np.float64) for entity in of_mention] for of_mention in entities.tolist()]
        scores.append(eigen_scores(vectors, k))
    return scores


def vectorised(batch: Batch, k: int) -> list[np.ndarray[Any, Any]]:
    """As one would write it in numpy: float64, one full decomposition per document."""
    assert batch.vectors is not None
    scores = []
    for first, last in zip(batch.bounds[:-1].tolist(), batch.bounds[1:].tolist(), strict=True):
        embedding = batch.vectors.rows[batch.table.entity[first:last]].astype(np.float64)
        weighted = embedding / batch.table.rank[first:last, None]
        values, vectors = np.linalg.eigh(weighted.T @ weighted)
        scores.append(np.linalg.norm((embedding @ vectors[:, -k:]) * np.sqrt(np.maximum(values[-k:], 0)), axis=1))
    return scores


def measure_kernel(arguments: argparse.Namespace) -> list[Row]:
    batch = made_up(20, 20, 128, documents=50)
    tasks: dict[str, Callable[[], Any]] = {
        "the paper's equations (tests/helpers/paper_equations.py)": lambda: naive(batch, 10),
        "vectorised numpy, float64, full eigh": lambda: vectorised(batch, 10),
        "ours, k = 10": lambda: score(batch, 10),
        "ours, k = all": lambda: score(batch, None),
    }
    hold_blas_to_one_thread()
    assert np.abs(np.concatenate(naive(batch, 10)) - score(batch, 10)).max() < 1e-4
    times = best_times(ROUNDS, tasks)
    slowest = next(iter(times.values()))
    return [
        {
            "": name,
            "ms/document": 1000 * seconds / 50,
            "documents/s": 50 / seconds,
            "times the equations": slowest / seconds,
        }
        for name, seconds in times.items()
    ]


# end to end


def measure_stream(arguments: argparse.Namespace) -> list[Row]:
    kb, file = real_kb("general", arguments.cache), _repeated(arguments.cache, FEW)
    rows = []
    for k in ("10", "all"):
        for jobs in (1, 2):
            rows.append({"k": k, "jobs": jobs, **_link_steadily(kb, arguments.cache, k, jobs)})
            say(str(rows[-1]))
        kernels = _inside(kb, file, None if k == "all" else 10)
        for row in rows[-2:]:
            row["ratio to one job"] = row["documents/s"] / rows[-2]["documents/s"]
            row.update(kernels)
    return rows


def _repeated(folder: Path, documents: int) -> Path:
    """wned-cweb again and again, plain, so that decompressing is not measured."""
    file = folder / f"wned-cweb-{documents}.jsonl"
    if not file.exists():
        lines = gzip.decompress((data_folder() / "general/wned-cweb.jsonl.gz").read_bytes()).splitlines(keepends=True)
        file.write_bytes(b"".join((lines * (documents // len(lines) + 1))[:documents]))
    return file


def _link_steadily(kb: KB, cache: Path, k: str, jobs: int) -> Row:
    """Documents/s of the steady state: what 20,000 documents take longer than 2,000. The best of two runs of each."""
    few, many = (min(_link_once(kb, _repeated(cache, n), k, jobs) for _ in range(2)) for n in (FEW, DOCUMENTS))
    return {
        "documents/s": (DOCUMENTS - FEW) / (many[0] - few[0]),
        "seconds from start to end": many[0],
        "MB of its own, worker": many[1],
    }


def _link_once(kb: KB, file: Path, k: str, jobs: int) -> tuple[float, float]:
    """Seconds of a run, and the memory that a worker has for itself, beside the mapped KB."""
    command = [sys.executable, *_link_command(kb, file), "--k", k, "--jobs", str(jobs)]
    start, memory = time.perf_counter(), 0.0
    with subprocess.Popen(command, cwd=CHECKOUT, env=child_environment(), stderr=subprocess.DEVNULL) as process:
        while process.poll() is None:
            memory = max([memory, *map(_own_mb, family(process.pid)[1 if jobs > 1 else 0 :])])
            time.sleep(0.2)
    if process.returncode:
        sys.exit(f"eigenthemes link ended with {process.returncode}")
    return time.perf_counter() - start, memory


def _link_command(kb: KB, file: Path) -> list[str]:
    """Return the command that links a file; it names the method, because another benchmark may have trained the KB."""
    return ["-m", "eigenthemes", "link", str(kb.path), str(file), "-o", "/dev/null", "--method", "eigen"]


def _own_mb(pid: int) -> float:
    """Memory that is not backed by a file: neither the KB nor libraries."""
    try:
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) for line in lines if line.startswith("Anonymous:")) / 1000


def _inside(kb: KB, file: Path, k: int | None) -> Row:
    """Milliseconds per document in the kernels and outside them, in this process, steady state."""
    from eigenthemes.documents.reader import DocumentFiles
    from eigenthemes.linker import Linker
    from eigenthemes.stream import chunks_of, collect_garbage_rarely, link_chunk

    chunks = list(islice(chunks_of(DocumentFiles(file)), CHUNKS))
    collect_garbage_rarely()  # as the command does
    linker = Linker(kb, method="eigen", scoring=EigenOptions(k=k))
    method, spent = linker.method, 0.0

    def timed(batch: Batch, kb: KB, options: Any) -> Any:
        nonlocal spent
        start = time.perf_counter()
        scores = method.score(batch, kb, options)
        spent += time.perf_counter() - start
        return scores

    linker.method = replace(method, score=timed)
    best: tuple[float, float] = (float("inf"), 0.0)
    for _ in range(4):  # the first round warms up
        spent, start = 0.0, time.perf_counter()
        documents = sum(link_chunk(linker, chunk).documents for chunk in chunks)
        best = min(best, (time.perf_counter() - start, spent))
    return {
        "kernels, ms per document": 1000 * best[1] / documents,
        "the rest, ms per document": 1000 * (best[0] - best[1]) / documents,
    }


# growth


def measure_growth(arguments: argparse.Namespace) -> list[Row]:
    usual = {"mentions": 20, "candidates": 20, "k": 10, "d": 128}
    steps: dict[str, list[int]] = {
        "mentions": [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000],
        "candidates": [1, 2, 5, 10, 20, 50, 100, 200],
        "k": [1, 2, 5, 10, 20, 50, 100, 128],
        "d": [16, 32, 64, 128, 256, 512],
    }
    rows = []
    for what, values in steps.items():
        for value in values:
            size = {**usual, what: value}
            batch = made_up(size["mentions"], size["candidates"], size["d"], documents=max(1, 200 // size["mentions"]))
            documents = len(batch.documents)
            times = best_times(5, {"k": partial(score, batch, size["k"]), "all": partial(score, batch, None)})
            rows.append(
                {
                    "varied": what,
                    "value": value,
                    "ms": 1000 * times["k"] / documents,
                    "ms, k = all": 1000 * times["all"] / documents,
                }
            )
    return rows


def plot_growth(rows: list[Row], file: Path) -> None:
    """Four panels: time per document against each size."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    names = {
        "mentions": "mentions (20 candidates each)",
        "candidates": "candidates per mention (20 mentions)",
        "k": "eigenthemes k",
        "d": "dimensions",
    }
    figure, panels = pyplot.subplots(2, 2, figsize=(9, 6.5), layout="constrained")
    for panel, (what, title) in zip(panels.flat, names.items(), strict=True):
        points = [row for row in rows if row["varied"] == what]
        sizes = [row["value"] for row in points]
        panel.loglog(sizes, [row["ms"] for row in points], "o-", label="k = 10" if what != "k" else "k")
        panel.loglog(sizes, [row["ms, k = all"] for row in points], "s--", label="k = all")
        if what in ("mentions", "candidates"):
            last = points[-1]["ms, k = all"] / sizes[-1]
            panel.loglog(sizes, [last * size for size in sizes], ":", color="grey", label="linear")
        ticks = sizes[::2]
        panel.set_xticks(ticks, [f"{size:,}" for size in ticks], minor=False)
        panel.set_xticks([], minor=True)
        panel.set(xlabel=title, ylabel="ms per document")
        panel.grid(alpha=0.3)
        panel.legend()
    figure.suptitle("Time per document: 20 mentions, 20 candidates, d = 128 unless varied; one thread")
    figure.savefig(file, dpi=110)


def measure_large(arguments: argparse.Namespace) -> list[Row]:
    """In a fresh process each: the peak is the whole program's."""
    rows = []
    for k in ("10", "None"):
        code = (
            "import resource, time; from benchmarks.bench_link import made_up, score; batch = made_up(10_000, 20, 128); "
            "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss; start = time.perf_counter(); "
            f"score(batch, {k}); print(time.perf_counter() - start, before / 1000, "
            "resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=CHECKOUT, env=child_environment(), capture_output=True, check=True
        )
        seconds, before, after = map(float, done.stdout.split())
        rows.append({"k": k.replace("None", "all"), "seconds": seconds, "MB before": before, "peak MB": after})
    rows.append(_large_document(arguments.cache))
    return rows


def _large_document(cache: Path) -> Row:
    """The same through the command line: a real document repeated until it has 10,000 mentions."""
    import orjson

    kb, file = real_kb("general", cache), cache / "large.jsonl"
    with gzip.open(data_folder() / "general/dwie-train.jsonl.gz") as lines:
        mentions = [mention for line in lines for mention in orjson.loads(line)["mentions"]][:10_000]
    file.write_bytes(orjson.dumps({"id": "large", "mentions": mentions}) + b"\n")
    code = (
        "import resource, subprocess, sys; "
        f"subprocess.run([sys.executable, *{_link_command(kb, file)}], check=True); "
        "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000)"
    )
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, env=child_environment(), capture_output=True, check=True)
    return {
        "k": "10, `link` from its start, dwie mentions",
        "seconds": time.perf_counter() - start,
        "peak MB": float(done.stdout),
    }


# quality


def measure_quality(arguments: argparse.Namespace) -> list[Row]:
    from eigenthemes.documents.reader import document_name, read_gold
    from eigenthemes.evaluation.comparison import evaluate

    rows = []
    for kg, files in SETS.items():
        kb = real_kb(kg.partition(",")[0], arguments.cache)
        for file in files:
            path = data_folder() / f"{file}.jsonl.gz"
            figures = evaluate(kb, read_gold(path), METHODS).summary()
            overall = figures["eigen"]["overall"]
            difference = figures["eigen"]["against"]["degree"]
            rows.append(
                {
                    "KG": kg.partition(",")[0],
                    "set": document_name(path),
                    "mentions": overall["mentions"],
                    "ceiling": round(overall["ceiling"], 4),
                    **{method: round(figures[method]["overall"]["p_at_1"], 4) for method in METHODS},
                    "eigen - degree": f"{difference['low']:+.3f} to {difference['high']:+.3f}",
                }
            )
            say(str(rows[-1]))
    return rows


if __name__ == "__main__":
    main()

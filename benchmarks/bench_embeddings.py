"""Vectors: python -m benchmarks.bench_embeddings [--only methods|growth|svd] [--methods prone,deepwalk]

methods  each way of making vectors from the edges, on each KG: seconds, memory, P@1 of `eigen` and `average` on its documents,
         and relatedness: hidden edges against 100 random entities, MRR (a proxy: the paper does not define its task)
growth   seconds and memory on synthetic power-law graphs of 10,000 to 2,000,000 nodes; also a picture
svd      ProNE's factorisation against scikit-learn's randomized_svd of the same matrix (needs scikit-learn)

Vectors are made in a fresh process each, so that the peak of memory is theirs; two threads.
"""

from __future__ import annotations

import argparse
import json
import operator
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import (
    CHECKOUT,
    RESULTS,
    child_environment,
    data_folder,
    parse_arguments,
    print_table,
    real_kb,
    save_results,
    say,
)
from benchmarks.relatedness import hide_edges, relatedness
from eigenthemes.embeddings.vector_sets import GRAPH_METHODS, make_vectors
from eigenthemes.kb.graph import Graph, build_graph, distinct_edges
from eigenthemes.kb.store import KB, Vectors

SETS = {
    "general": ("general/aida-testa", "general/dwie-train", "general/wned-cweb"),
    "places": ("places/lgl",),
    "genes": ("genes/biored-train",),
    "phenotypes": ("phenotypes/gsc",),
    "aida": ("aida/testa",),
}
SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 2_000_000)
DOCUMENTS = 200  # of each set
Row = dict[str, Any]


def main() -> None:
    parts: dict[str, tuple[str, Callable[[argparse.Namespace], list[Row]]]] = {
        "methods": ("Vectors by method", measure_methods),
        "growth": ("Growth on synthetic power-law graphs (5 edges per node), two threads", measure_growth),
        "svd": ("Randomised factorisation of the general KG's matrix, one thread", measure_svd),
    }

    def add_options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--only", choices=parts, help="measure one part only")
        parser.add_argument("--methods", default=",".join((*GRAPH_METHODS, "random")), help="methods to measure")
        parser.add_argument("--kgs", default=",".join(SETS), help="KGs to measure on")

    arguments = parse_arguments(__doc__, add_options)
    for part, (title, measure) in parts.items():
        if arguments.only in (None, part):
            say(part)
            rows = _with_earlier(part, measure(arguments))
            save_results("embeddings", {part: rows})
            print_table(title, rows)
            if part == "growth":
                plot_growth(rows, RESULTS / "embeddings-growth.png")
            if part == "methods":
                plot_methods(rows, RESULTS / "embeddings.png")


def _with_earlier(part: str, rows: list[Row]) -> list[Row]:
    """The rows of earlier runs with other methods or KGs stay."""
    file = RESULTS / "embeddings.json"
    earlier = json.loads(file.read_text()).get(part, {}).get("rows", []) if file.exists() else []
    key = operator.itemgetter("KG", "method") if part == "methods" else operator.itemgetter("method")
    if part not in ("methods", "growth"):
        return rows
    new = {key(row) for row in rows}
    return sorted([row for row in earlier if key(row) not in new] + rows, key=lambda row: str(row.get("KG")))


# in a fresh process


def make_once(source: str, method: str, out: str, hidden: str) -> Row:
    """Make vectors of a KB or of a synthetic graph; return seconds and peak memory."""
    graph = synthetic_graph(int(source)) if source.isdigit() else KB.open(source).graph
    if hidden == "hidden":
        graph, _ = hide_edges(graph, 0.05, np.random.default_rng(0))
    _make(synthetic_graph(2000), method)  # kernels are loaded
    before = _resident_gb()
    start = time.perf_counter()
    rows = _make(graph, method)
    seconds = time.perf_counter() - start
    np.save(out, rows)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return {"nodes": len(graph), "edges": graph.edges, "seconds": seconds, "GB before": before, "peak GB": peak}


def _make(graph: Graph, method: str) -> NDArray[np.float32]:
    if method == "random":  # the control: what methods make of vectors that know nothing
        rows = np.random.default_rng(0).standard_normal((len(graph), 128), dtype=np.float32)
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True))
    return make_vectors(graph, method=method, jobs=2, dimensions=128).rows


def _in_new_process(source: str, method: str, out: Path, *, hidden: bool = False) -> Row:
    command = [
        sys.executable,
        "-m",
        "benchmarks.bench_embeddings",
        "make",
        source,
        method,
        str(out),
        "hidden" if hidden else "whole",
    ]
    done = subprocess.run(command, cwd=CHECKOUT, env=child_environment(), capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    cost: Row = json.loads(done.stdout)
    return cost


def _resident_gb() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e9


def synthetic_graph(nodes: int) -> Graph:
    """Five edges per node: three of five within groups of a thousand, the others to popular nodes (a power law)."""
    random = np.random.default_rng(0)
    source = random.integers(0, nodes, 5 * nodes)
    target = (nodes * random.random(5 * nodes) ** 3).astype(np.int64)
    near = random.random(5 * nodes) < 0.6
    target[near] = np.minimum(nodes - 1, source[near] // 1000 * 1000 + random.integers(0, 1000, int(near.sum())))
    edges = distinct_edges(source.astype(np.uint32), target.astype(np.uint32), np.zeros(len(source), dtype=np.uint32), nodes)
    return build_graph(edges, np.arange(nodes, dtype=np.uint32))


# methods


def measure_methods(arguments: argparse.Namespace) -> list[Row]:
    rows = []
    for kg in arguments.kgs.split(","):
        kb = real_kb(kg, arguments.cache)
        gold_sets = [GoldSet(kb, data_folder() / f"{name}.jsonl.gz") for name in SETS[kg]]
        _, pairs = hide_edges(kb.graph, 0.05, np.random.default_rng(0))
        for method in arguments.methods.split(","):
            made, hidden = arguments.cache / "vectors.npy", arguments.cache / "hidden.npy"
            cost = _in_new_process(str(kb.path), method, made)
            _in_new_process(str(kb.path), method, hidden, hidden=True)
            vectors = np.load(made)
            related = relatedness(np.load(hidden), pairs[:20_000], np.random.default_rng(1))
            for gold_set in gold_sets:
                rows.append(
                    {
                        "KG": kg,
                        "set": gold_set.name,
                        "method": method,
                        "seconds": cost["seconds"],
                        "peak GB": cost["peak GB"],
                        "relatedness": related,
                        "eigen": gold_set.p_at_1("eigen", vectors),
                        "average": gold_set.p_at_1("average", vectors),
                    }
                )
            say(str(rows[-1]))
    return rows


class GoldSet:
    """The first documents of a set, to measure a method on with any vectors."""

    def __init__(self, kb: KB, path: Path) -> None:
        from eigenthemes.documents.reader import document_name, read_gold
        from eigenthemes.pipeline.batch import batch_maker, gold_rows

        self.kb, self.name = kb, document_name(path)
        documents = [document for document, _ in zip(read_gold(path), range(DOCUMENTS), strict=False)]
        self.batch = batch_maker(kb, needs_vectors=True).make(documents)
        self.is_gold = gold_rows(self.batch, kb)

    def p_at_1(self, method: str, vectors: NDArray[np.float32]) -> float:
        """Score every candidate with these vectors; the mean over all mentions."""
        from eigenthemes.core.threads import hold_blas_to_one_thread
        from eigenthemes.metrics.precision import credit
        from eigenthemes.ranking.methods import method_named

        batch = replace(self.batch, vectors=Vectors("measured", vectors, np.asarray(vectors.any(axis=1))))
        hold_blas_to_one_thread()
        scores = method_named(method)(batch, self.kb).scores
        return float(credit(batch.table.mentions, batch.table.mention_of, self.is_gold, scores)[0].mean())


def plot_methods(rows: list[Row], file: Path) -> None:
    """P@1 of eigen against seconds, a mark for each method, a panel for each KG."""
    from matplotlib import pyplot

    kgs = list(dict.fromkeys(row["KG"] for row in rows))
    figure, panels = pyplot.subplots(1, len(kgs), figsize=(3.2 * len(kgs), 3.4), layout="constrained", squeeze=False)
    for panel, kg in zip(panels[0], kgs, strict=True):
        for method in dict.fromkeys(row["method"] for row in rows):
            measured = [row for row in rows if row["KG"] == kg and row["method"] == method]
            if measured:
                p_at_1 = np.mean([row["eigen"] for row in measured])
                panel.semilogx([measured[0]["seconds"]], [p_at_1], "o", label=method, markersize=9)
        panel.set(title=kg, xlabel="seconds", ylabel="P@1 of eigen")
        panel.grid(alpha=0.3)
    panels[0][0].legend()
    figure.savefig(file, dpi=110)


# growth


def measure_growth(arguments: argparse.Namespace) -> list[Row]:
    rows = []
    for method in arguments.methods.split(","):
        for size in SIZES[: {"prone": 6, "deepwalk": 2}.get(method, 4)]:
            rows.append({"method": method, **_in_new_process(str(size), method, arguments.cache / "vectors.npy")})
            say(str(rows[-1]))
    return rows


def plot_growth(rows: list[Row], file: Path) -> None:
    """Seconds and memory against nodes."""
    from matplotlib import pyplot

    figure, panels = pyplot.subplots(1, 2, figsize=(9, 3.6), layout="constrained")
    for panel, what in zip(panels, ("seconds", "peak GB"), strict=True):
        for method in dict.fromkeys(row["method"] for row in rows):
            measured = [row for row in rows if row["method"] == method]
            panel.loglog([row["nodes"] for row in measured], [row[what] for row in measured], "o-", label=method)
        panel.set(xlabel="nodes (5 edges each)", ylabel=what)
        panel.grid(alpha=0.3)
        panel.legend()
    figure.savefig(file, dpi=110)


# others


def measure_svd(arguments: argparse.Namespace) -> list[Row]:
    from scipy.sparse import csr_matrix
    from sklearn.utils.extmath import randomized_svd

    from eigenthemes.core.threads import hold_blas_to_one_thread
    from eigenthemes.embeddings.blocks import Blocks
    from eigenthemes.embeddings.prone import factorize, logarithms

    graph = real_kb("general", arguments.cache).graph
    rows = []
    with Blocks(graph, 1) as blocks:
        of_row, of_column = logarithms(blocks)
        start = time.perf_counter()
        factorize(blocks, 128, 0)
        rows.append({"": "ours", "seconds": time.perf_counter() - start})
    source = np.repeat(np.arange(len(graph)), graph.degree)
    matrix = csr_matrix((of_row[source] + of_column[graph.neighbors], graph.neighbors, graph.indptr), shape=(len(graph),) * 2)
    for iterations in (0, 5):
        hold_blas_to_one_thread()
        start = time.perf_counter()
        randomized_svd(matrix, 128, n_iter=iterations, random_state=0)
        rows.append({"": f"scikit-learn, {iterations} power iterations", "seconds": time.perf_counter() - start})
    return rows


if __name__ == "__main__":
    if sys.argv[1:2] == ["make"]:
        print(json.dumps(make_once(*sys.argv[2:])))
    else:
        main()

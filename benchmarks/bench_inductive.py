"""Vectors for entities that had none: python -m benchmarks.bench_inductive [--seeds 3]

A tenth of the named entities of the general KB is hidden: all their edges are removed before vectors are made. They are given
vectors in several ways, and `eigen` links with them; P@1 of mentions whose gold is hidden, of the others, and of all. The
last two tell what new entities take from old ones: whoever ranks hidden entities first wins the first column alone.
Candidates and `degree` are those of the whole KB. Mean over the seeds, each of which hides other entities.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import data_folder, parse_arguments, print_table, real_kb, save_results, say
from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.documents.reader import read_gold
from eigenthemes.embeddings.prone import prone
from eigenthemes.embeddings.vector_sets import from_descriptions, from_neighbors
from eigenthemes.embeddings.word_vectors import WordVectors, description_vectors
from eigenthemes.kb.graph import Graph
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.metrics.precision import credit
from eigenthemes.pipeline.batch import Batch, batch_maker, gold_of, has_gold
from eigenthemes.ranking.methods import method_named

SETS = ("general/wned-cweb", "general/dwie-train")
WORDS = "vectors/words-100d.txt.gz"
SHARE = 0.1
Given = tuple[NDArray[np.float32], NDArray[np.bool_]]


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Documents with gold: `gold` of each mention as indices of entities, `is_gold` of each candidate."""

    name: str
    batch: Batch
    gold: list[set[int]]
    is_gold: NDArray[np.bool_]


def main() -> None:
    def add_seeds(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--seeds", type=int, default=3, help="how often other entities are hidden (default 3)")
        parser.add_argument("--first-seed", type=int, default=0, help="the first of them (default 0)")

    arguments = parse_arguments(__doc__, add_seeds)
    kb = real_kb("general", arguments.cache)
    rows = measure(kb, range(arguments.first_seed, arguments.first_seed + arguments.seeds))
    save_results("inductive", {"hidden": rows})
    print_table(f"P@1 with a tenth of the named entities hidden, mean of {arguments.seeds} seeds", rows)


def measure(kb: KB, seeds: range) -> list[dict[str, Any]]:
    """A row for each way to give vectors."""
    gold_sets = [read_set(kb, name) for name in SETS]
    described, coverage = description_vectors(kb, WordVectors.open(data_folder() / WORDS))
    say(f"{coverage.share:.1%} of the words of descriptions known, {coverage.covered:,} of {len(kb):,} entities covered")
    whole = with_has(prone(kb.graph, jobs=2))
    figures_of: dict[str, list[dict[str, float]]] = defaultdict(list)
    for seed in seeds:
        hidden = hide(kb, seed)
        left = with_has(prone(without(kb.graph, hidden), jobs=2))
        for way, give in ways(kb.graph, left, described, whole).items():
            vectors, has = give()
            method = "degree" if way == "degree" else "eigen"
            figures = {"hidden with a vector": float(has[hidden].mean())}
            for gold_set in gold_sets:
                figures.update(p_at_1(kb, gold_set, Vectors(way, vectors, has), hidden, method))
            figures_of[way].append(figures)
            say(f"seed {seed}, {way}: {figures}")
    return [{"": way, **mean_of(figures)} for way, figures in figures_of.items()]


def ways(graph: Graph, left: Given, described: NDArray[np.float32], whole: Given) -> dict[str, Callable[[], Given]]:
    """Each way to give the hidden entities vectors; `left` are the vectors made without them."""
    return {
        "degree": lambda: left,
        "no vector": lambda: left,
        "neighbours": lambda: from_neighbors(graph, *left),
        "descriptions": lambda: from_descriptions(described, *left),
        "neighbours, then descriptions": lambda: from_descriptions(described, *from_neighbors(graph, *left)),
        "made with all edges": lambda: whole,
    }


def hide(kb: KB, seed: int) -> NDArray[np.bool_]:
    """A tenth of the entities with a name."""
    named = np.flatnonzero(np.diff(kb.array("entity_names")) > 0)
    hidden = np.zeros(len(kb), dtype=bool)
    hidden[np.random.default_rng(seed).choice(named, int(SHARE * len(named)), replace=False)] = True
    return hidden


def without(graph: Graph, hidden: NDArray[np.bool_]) -> Graph:
    """The graph without the edges of hidden nodes."""
    source = np.repeat(np.arange(len(graph)), graph.degree)
    kept = ~(hidden[source] | hidden[graph.neighbors])
    indptr = np.concatenate(([0], np.cumsum(np.bincount(source[kept], minlength=len(graph))))).astype(np.int64)
    return Graph(indptr, graph.neighbors[kept], graph.relations[kept])


def with_has(vectors: NDArray[np.float32]) -> Given:
    return vectors, np.asarray(vectors.any(axis=1))


def read_set(kb: KB, name: str) -> GoldSet:
    documents = read_gold(data_folder() / f"{name}.jsonl.gz")
    batch = batch_maker(kb, needs_vectors=False).make(documents)
    return GoldSet(name.partition("/")[2], batch, *gold_of(batch, kb))


def p_at_1(kb: KB, gold_set: GoldSet, vectors: Vectors, hidden: NDArray[np.bool_], method: str) -> dict[str, float]:
    """P@1 of the mentions with gold: where it is hidden, elsewhere, and of all."""
    hold_blas_to_one_thread()
    scores = method_named(method)(replace(gold_set.batch, vectors=vectors), kb).scores
    table = gold_set.batch.table
    right = credit(table.mentions, table.mention_of, gold_set.is_gold, scores)[0]
    counted = has_gold(gold_set.batch)
    is_hidden = np.array([any(hidden[entity] for entity in entities) for entities in gold_set.gold], dtype=bool)
    parts = {"hidden": is_hidden & counted, "others": ~is_hidden & counted, "all": counted}
    return {f"{gold_set.name}, {part}": float(right[chosen].mean()) for part, chosen in parts.items()}


def mean_of(figures: list[dict[str, float]]) -> dict[str, float]:
    return {key: round(float(np.mean([of_seed[key] for of_seed in figures])), 4) for key in figures[0]}


if __name__ == "__main__":
    main()

"""Small KBs: built without a ranker unless a test wants one, copied where a test changes them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from eigenthemes import KB, build_kb
from eigenthemes.build import embed_kb, import_vectors, store
from eigenthemes.embeddings.vector_sets import VectorSet
from eigenthemes.kg.demo import SMALL
from eigenthemes.selftrain.training import self_train
from eigenthemes.train import store_ranker
from helpers.files import write_jsonl

DEMO = "https://example.org/demo/"  # what the ids of the demo KG begin with

TINY_NODES: list[dict[str, Any]] = [
    {"id": "mj", "name": "Michael Jordan", "aliases": ["Air Jordan", "MJ"], "description": "basketball player"},
    {"id": "mij", "name": "Michael I. Jordan", "aliases": ["Michael Jordan"], "description": "computer scientist"},
    {"id": "jo", "name": "Jordan", "aliases": ["Hashemite Kingdom of Jordan"]},
    {"id": "nba", "name": "National Basketball Association"},
    {"id": "who", "name": "World Health Organization"},
    {"id": "thewho", "name": "The Who"},
    {"id": "paris-tx", "name": "Paris (Texas)"},
    {"id": "paris", "name": "Paris", "aliases": ["City of Light", "Ville Lumière"]},
    {"id": "iowa", "name": "Iowa"},
    {"id": "oneill", "name": "Shaquille O'Neill"},
    {"id": "qaeda", "name": "al-Qaeda"},
    {"id": "us", "name": "United States", "aliases": ["U.S.", "America"]},
    {"id": "tokyo", "name": "東京都", "aliases": ["Tokyo"]},
    {"id": "wittgenstein", "name": "Ludwig Wittgenstein"},
    {"id": "tumor", "name": "Tumor"},
]
TINY_EDGES = [
    ("mj", "nba"), ("mj", "us"), ("mj", "iowa"), ("mj", "paris"), ("jo", "us"), ("jo", "who"), ("mij", "us"),
    ("paris", "tokyo"),
    ("paris-tx", "us"), ("thewho", "nameless"), ("oneill", "nba"), ("qaeda", "us"), ("iowa", "us"), ("wittgenstein", "paris"),
]  # fmt: skip


def build_bare(folder: Path) -> KB:
    """Build a KB of two entities without vectors and ranker."""
    records = [{"id": "a", "name": "Alpha", "aliases": ["First letter"]}, {"id": "b", "name": "Beta"}]
    sources = write_sources(folder, records, [("a", "b")], relation="before")
    return build_untrained(sources, folder / "bare.kb", embedding=None)


def write_sources(
    folder: Path, nodes: Sequence[Mapping[str, Any]], edges: Sequence[tuple[str, str]] = (), relation: str = "knows"
) -> list[Path]:
    """Write the files of a KG: nodes as JSON objects, edges as pairs of ids."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = [write_jsonl(folder / "nodes.jsonl", nodes)]
    if edges:
        records = [{"source": source, "target": target, "relation": relation} for source, target in edges]
        sources.append(write_jsonl(folder / "edges.jsonl", records))
    return sources


def build_untrained(sources: Sequence[str | Path], path: str | Path, **options: Any) -> KB:
    """Build a KB as `build_kb` does, but without a ranker, whose training takes seconds."""
    return build_kb(sources, path, train=False, **options)


def build_from_records(
    folder: Path, nodes: Sequence[Mapping[str, Any]], edges: Sequence[tuple[str, str]] = (), **options: Any
) -> KB:
    """Build a KB of a few nodes in `folder`; without vectors unless `embedding` is given, and without a ranker."""
    return build_untrained(write_sources(folder, nodes, edges), folder / "small.kb", **{"embedding": None, **options})


def build_tiny(folder: Path) -> KB:
    """Build the KB of 15 entities and a connector without a name."""
    return build_untrained(write_sources(folder, TINY_NODES, TINY_EDGES), folder / "tiny.kb")


def build_demo(folder: Path) -> KB:
    """Build the KB of the demo, with the ranker that `eigenthemes build` trains."""
    return build_kb([SMALL], folder / "demo.kb")


def train_quickly(kb: KB, documents: int = 60, seed: int = 0) -> KB:
    """Train a ranker on few synthetic documents and store it in a KB."""
    return store_ranker(kb, self_train(kb, documents=documents, seed=seed))


def embed_untrained(path: str | Path, **options: Any) -> KB:
    """Make vectors as `embed_kb` does, but train no ranker."""
    return embed_kb(path, train=False, **options)


def import_untrained(path: str | Path, file: str | Path, **options: Any) -> KB:
    """Import vectors as `import_vectors` does, but train no ranker."""
    return import_vectors(path, file, train=False, **options)


def store_vectors(kb: KB, name: str, rows: Any) -> KB:
    """Give a KB a set of vectors made by hand, one row per entity; no ranker is trained."""
    return store(kb, VectorSet(name, np.asarray(rows, dtype=np.float32), {}), train=False)


def copy_kb(kb: KB, path: Path) -> KB:
    """Copy a KB that others use, so that a test may change it."""
    return KB.open(shutil.copytree(kb.path, path))

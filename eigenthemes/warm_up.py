"""Compile every kernel that building and linking use, so that no later process has to wait for it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from eigenthemes.build import build_kb
from eigenthemes.core.jit import always_compile, cache_folder
from eigenthemes.core.progress import Progress
from eigenthemes.core.workers import temporary_folder
from eigenthemes.embeddings.blocks import SMALL as SMALL_GRAPH
from eigenthemes.embeddings.vector_sets import GRAPH_METHODS, make_vectors
from eigenthemes.kb.graph import Graph, build_graph, distinct_edges
from eigenthemes.kg.demo import SMALL
from eigenthemes.linker import Linker
from eigenthemes.ranking.options import EigenOptions

_TEXT = "Michael Jordan and his students David Blei and Andrew Ng wrote on LDA at Berkeley."
_PAIRS = (("Michael Jordan", "Berkeley"), ("David Blei", "LDA"), ("Andrew Ng", "Berkeley"), ("Scottie Pippen", "Chicago Bulls"))
_TABLE = {"header": ["who", "what"], "rows": [list(pair) for pair in _PAIRS]}
_NODES = 3000
_DIMENSIONS = 32


def warm_up(*, every_vectors: bool = False, progress: Progress | None = None) -> Path | None:
    """Build a small KB and link with it, compiled; return the folder of compiled kernels, None where none can be written.

    numba compiles kernels for mapped files apart from those for arrays in memory, so the KB is one on disk.

    every_vectors  also compile the kernels of vectors other than the default
    """
    always_compile()
    with temporary_folder() as scratch:
        kb = scratch / "small.kb"
        build_kb(SMALL, kb, progress=progress)
        linker = Linker(kb, explain=True)
        linker.link(_TEXT)
        linker.link_table(_TABLE, columns=["who", "what"])
        Linker(linker.kb, method="eigen", scoring=EigenOptions(k=2)).link(_TEXT)
    graph = _graph()
    for method in GRAPH_METHODS if every_vectors else GRAPH_METHODS[:1]:
        make_vectors(graph, method=method, dimensions=_DIMENSIONS, progress=progress)
    return cache_folder()


def _graph() -> Graph:
    """Return a graph large enough for compiled code: each node is connected to the next ones."""
    steps = np.arange(1, SMALL_GRAPH // _NODES + 2, dtype=np.uint32)
    source = np.repeat(np.arange(_NODES, dtype=np.uint32), len(steps))
    target = (source + np.tile(steps, _NODES)) % np.uint32(_NODES)
    edges = distinct_edges(source, target, np.zeros_like(source), _NODES)
    return build_graph(edges, np.arange(_NODES, dtype=np.uint32))

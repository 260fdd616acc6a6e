"""Vectors into a KB: made from its graph, or brought by the user."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.errors import OptionError, VectorError
from eigenthemes.graph import Graph
from eigenthemes.kb import KB, KBWriter

METHODS = ("prone",)
DIMENSIONS = 128  # unless told otherwise, and a fifth of the nodes at most: more would tell every node of a small graph apart

_NAME = re.compile(r"[a-z0-9][a-z0-9-]{0,39}")


@dataclass(frozen=True, slots=True)
class VectorSet:
    """Vectors ready for a KB, and how they came about."""

    name: str
    rows: NDArray[np.float32]  # [entities, d], of unit length; zero: no vector
    described: dict[str, Any]

    @property
    def has(self) -> NDArray[np.bool_]:
        return np.asarray(self.rows.any(axis=1))


def embed_kb(
    path: str | Path,
    *,
    method: str = "prone",
    dimensions: int | None = None,
    seed: int = 0,
    name: str | None = None,
    jobs: int = 1,
) -> KB:
    """Make vectors from the graph of a KB and keep them in it; they become the ones used unless others are asked for."""
    kb = KB.open(path)
    made = make_vectors(kb.graph, method=method, dimensions=dimensions, seed=seed, name=name, jobs=jobs)
    return store(kb, made)


def import_vectors(
    path: str | Path,
    file: str | Path,
    *,
    ids: str | Path | None = None,
    format_name: str | None = None,
    name: str = "imported",
) -> KB:
    """Keep vectors somebody already has in a KB; they become the ones used unless others are asked for."""
    from eigenthemes.embeddings.imported import read_vectors

    kb = KB.open(path)
    _check_name(name)
    external, vectors = read_vectors(file, ids=ids, format_name=format_name)
    rows, matched = place_vectors(external, vectors, kb.entity, len(kb))
    if not matched:
        raise VectorError(
            f"none of the {len(external):,} ids of {file} is in the KB (they are like {external[0]}, the KB's are like "
            f"{kb.id(0)}); give vectors with the KB's ids"
        )
    described = {"method": "import", "source": Path(file).name, "rows": len(external), "matched": matched}
    return store(kb, VectorSet(name, rows, described))


def make_vectors(
    graph: Graph,
    *,
    method: str = "prone",
    dimensions: int | None = None,
    seed: int = 0,
    name: str | None = None,
    jobs: int = 1,
) -> VectorSet:
    """Vectors from a graph by one of METHODS."""
    check_embedding(method, dimensions)
    if not graph.edges:
        raise VectorError("the graph has no edges, so no vectors can be made from it; import vectors with embed --import")
    from eigenthemes.embeddings.prone import prone

    size = dimensions or min(DIMENSIONS, max(2, len(graph) // 5))
    rows = prone(graph, dimensions=size, seed=seed, jobs=jobs)
    return VectorSet(_check_name(name or method), rows, {"method": method, "seed": seed})


def check_embedding(method: str | None, dimensions: int | None) -> None:
    """Asked before hours of reading."""
    if method is not None and method not in METHODS:
        raise OptionError(f"embedding {method!r} is unknown; expected one of {', '.join(METHODS)}, or none")
    if dimensions is not None and dimensions < 1:
        raise OptionError(f"dimensions is {dimensions}; expected 1 or more")


def place_vectors(
    ids: Sequence[str], vectors: NDArray[np.float32], entity_of: Callable[[str], int | None], entities: int
) -> tuple[NDArray[np.float32], int]:
    """The vectors in the order of the KB's entities, of unit length, and how many ids were known.

    Where an id and a redirect to it both have a vector, the first of them counts.
    """
    rows = np.zeros((entities, vectors.shape[1]), dtype=np.float32)
    place: dict[int, int] = {}
    matched = 0
    for row, external in enumerate(ids):
        entity = entity_of(external)
        if entity is not None:
            matched += 1
            place.setdefault(entity, row)
    if place:
        chosen = vectors[list(place.values())].astype(np.float64)
        lengths = np.linalg.norm(chosen, axis=1, keepdims=True)
        rows[list(place)] = chosen / np.where(lengths > 0, lengths, 1)
    return rows, matched


def store(kb: KB, vectors: VectorSet) -> KB:
    """Write a set of vectors into a KB: new files beside the old ones, the manifest last."""
    with KBWriter(kb.path, base=kb) as writer:
        kept = {
            key: value for key, value in kb.manifest.items() if key not in ("format", "version", "data", "files", "vectors")
        }
        others = {name: described for name, described in kb.vector_sets.items() if name != vectors.name}
        return writer.commit({**kept, "vectors": {**add_vectors(writer, vectors), **others}})


def add_vectors(writer: KBWriter, vectors: VectorSet) -> dict[str, Any]:
    """Write the arrays; the manifest's entry for them."""
    writer.add(f"vectors-{vectors.name}", vectors.rows)
    writer.add(f"vectors-{vectors.name}-has", vectors.has)
    described = {**vectors.described, "dimensions": vectors.rows.shape[1], "entities": int(vectors.has.sum())}
    return {vectors.name: described}


def _check_name(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise OptionError(f"{name!r} cannot name a set of vectors; expected small letters, digits and hyphens, 40 at most")
    return name

"""Estimate the time, memory and disk space of a build from the sizes of its source files; nothing is built.

The rates were measured with `bench_build --only forecast` on the KGs that docs/scale.md lists, together with the errors of the
estimates: a factor of two is usual, since KGs of the same size differ that much in their names and edges.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import SNIFF, check_readable, open_decompressed, source_size
from eigenthemes.core.scratch import check_memory
from eigenthemes.embeddings.vector_sets import DIMENSIONS
from eigenthemes.errors import OptionError
from eigenthemes.kg.source_formats import detect_format


class _Rates(NamedTuple):
    """Quantities per MB of decompressed source; `disk` is MB of the KB without vectors, `seconds` are of one core."""

    seconds: float
    disk: float
    statements: float
    entities: float
    names: float
    edges: float


_TRIPLES = _Rates(0.05, 0.5, 7_800, 870, 1_600, 4_400)  # general: 0.04, 0.4, synthetic dumps: 0.06, 0.65
_TURTLE = _Rates(0.22, 3.4, 26_000, 2_300, 13_000, 4_400)  # unesco: 0.22, 3.1, mop-iaml: 0.4, 3.7 (short lines, five languages)
_NODES = _Rates(0.3, 4.0, 6_500, 6_500, 25_000, 0)  # nodes of places: 0.48, 5.9, of genes: 0.17, 2.9
_EDGES = _Rates(0.15, 0.55, 40_000, 1_500, 0, 38_000)  # edges of genes: 0.15, 0.54
_RATES = {
    "nt": _TRIPLES,
    "nq": _TRIPLES,
    "ttl": _TURTLE,
    "trig": _TURTLE,
    "xml": _Rates(0.06, 0.35, 11_000, 400, 1_000, 600),  # cl_blood: 0.05, 0.25, do_cancer: 0.1, 0.44
    "jsonld": _Rates(0.13, 1.35, 11_600, 2_200, 1_900, 5_400),  # schema.org alone
    "obo": _Rates(0.28, 1.2, 17_000, 2_000, 4_000, 2_600),  # phenotypes: 0.25, 1.1, envo: 0.38, 1.1, do_nci: 0.31, 1.4
    "json": _Rates(0.05, 0.55, 1_300, 660, 1_800, 600),  # do_cancer alone
    "wikidata": _Rates(0.02, 0.033, 1_070, 73, 100, 530),  # calculated in docs/scale.md, not measured
}
_EXPANSION = {"parquet": 3.0, "xlsx": 4.0}  # formats that are compressed inside; guessed
_EDGE_HEADER = re.compile(rb"\b(source|target|subject|object|head|tail|from|to|:?start_id|:?end_id)\b", re.IGNORECASE)
_HEAD = 8 << 20  # bytes that are decompressed to measure the compression of a file
_START_SECONDS, _TRAINING_SECONDS, _VECTOR_SECONDS = 0.6, 25.0, 25e-6  # the last per entity
_BASE, _WORKER, _COMPILED, _TRAINING = 55e6, 50e6, 35e6, 500e6  # bytes of memory: program, each process, vectors, training
_MEMORY_PER_DISK, _IN_WORKERS = 2.7, 0.9  # bytes per byte of the KB, and more if a worker indexes misspellings meanwhile
_MEMORY_PER_VECTOR = 180 + 8 * (DIMENSIONS + 10) + 320  # bytes per entity: its id, two matrices, columns in work
_TEMPORARY = 4.0, 3.0  # per byte of the KB, and of its vectors; guessed


@dataclass(frozen=True, slots=True)
class Forecast:
    """The estimated size and costs of a build; memory, disk and temporary files in bytes."""

    statements: int
    entities: int
    names: int
    edges: int
    seconds: float
    memory: int
    disk: int
    temporary: int


def forecast_build(
    sources: str | Path | Sequence[str | Path],
    *,
    embedding: str | None = "prone",
    dimensions: int | None = None,
    train: bool = True,
    jobs: int = 1,
    max_memory: str | int | None = None,
    format_name: str | None = None,
    **options: Any,
) -> Forecast:
    """Estimate what `build_kb` with the same options takes; options that hardly matter are ignored."""
    paths = [sources] if isinstance(sources, str | Path) else list(sources)
    if "-" in map(str, paths):
        raise OptionError("the size of standard input is not known; give files")
    limit = None if max_memory is None else check_memory(max_memory, jobs)
    measured = [_measure(path, format_name) for path in paths]
    total = _Rates(*(sum(size * rates[column] for size, rates in measured) for column in range(len(_Rates._fields))))
    arrays, entities = 1e6 * total.disk, total.entities
    width = dimensions or min(DIMENSIONS, max(2, int(entities) // 5))
    vectors = entities * (4 * width + 1) if embedding is not None and total.edges else 0.0
    program = _BASE + (_WORKER * jobs if jobs > 1 else 0)
    assembling = (_MEMORY_PER_DISK + (_IN_WORKERS if jobs > 1 else 0)) * arrays
    embedded = _COMPILED + arrays + entities * _MEMORY_PER_VECTOR if vectors else 0
    memory = max(program + max(assembling, embedded), _TRAINING if train else 0)
    return Forecast(
        statements=round(total.statements),
        entities=round(entities),
        names=round(total.names),
        edges=round(total.edges),
        seconds=_START_SECONDS
        + total.seconds
        + (_VECTOR_SECONDS * entities if vectors else 0)
        + (_TRAINING_SECONDS if train else 0),
        memory=round(memory if limit is None else min(memory, limit)),
        disk=round(arrays + vectors),
        temporary=0 if limit is None else round(_TEMPORARY[0] * arrays + _TEMPORARY[1] * vectors),
    )


def _measure(path: str | Path, format_name: str | None) -> tuple[float, _Rates]:
    """Return the decompressed size of a source in MB, by the compression of its first part, and its rates."""
    check_readable(path)
    consumed = list[float]()
    with open_decompressed(path, Diagnostics(), consumed.append, ahead=1 << 13) as stream:
        head = stream.read(_HEAD)
    size = (source_size(path) or 0) * len(head) / max(1.0, sum(consumed))
    name = format_name or detect_format(head[:SNIFF], str(path)) or ""
    first_line = head[:SNIFF].partition(b"\n")[0]
    table = _EDGES if len(_EDGE_HEADER.findall(first_line)) > 1 else _NODES
    return size / 1e6 * _EXPANSION.get(name, 1.0), _RATES.get(name, table)

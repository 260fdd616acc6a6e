"""What a build will take, told from a sample: time, memory, disk. The offline story, rehearsed.

Pieces from all over every source are built twice, a quarter of them and all of them. What a KG has (statements, names, edges)
grows with the sources; the words of names grow less than their number, by the power that the two samples show. A node that an
edge leads to may have its name outside the sample: how many nodes have none is told from how many are named in the sample.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eigenthemes.build import build_kb, train_kb
from eigenthemes.core.files import check_readable, source_size
from eigenthemes.core.memory import PeakMemory
from eigenthemes.core.progress import StepTimes
from eigenthemes.core.spill import check_memory
from eigenthemes.embeddings.vector_sets import DIMENSIONS
from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB
from eigenthemes.kg.sample import sample_source

SAMPLE = 2_500_000  # bytes of all sources together that are read of compressed ones; of plain ones several times as many
_PLAIN = 8
_FEW = 20  # past one piece of so many, the sample is built once before: what is loaded and compiled once is not multiplied
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
# what files of a KB grow with; all others grow with the sources
_OF_ENTITIES = ("ids_", "id_", "prior", "answers", "entity_names", "type_indptr", "graph_indptr", "descriptions_offsets")
_OF_TOKENS = ("tokens_", "token_", "postings_indptr", "typo_")
_FLATTENS = 0.035  # the power falls by this for each factor of 4; fitted on a synthetic dump of a million entities
# memory of a build in bytes, fitted on the builds of docs/scale.md; what training takes is looked at while it trains the sample
_BASE = 55e6  # program and libraries
_WORKER = 50e6  # each further process, where there are any
_OF_KB = 2.68  # for each byte of the KB without vectors
_OF_KB_IN_WORKER = 0.9  # more for each, where a worker indexes misspellings meanwhile
_OF_VECTORS = 4 * 2 * (DIMENSIONS + 10) + 5 * 64  # for each entity: two matrices, and columns that are worked on
_COMPILED = 35e6  # the compiled code that makes vectors
_ID = 180  # for each id that is known while sources are read
_UNSPILLED = 100e6, 30  # what stays in memory within a limit: for blocks of rows; for each entity
_COLUMNS = 5 * 4 * 16  # and for each entity of columns that are worked on, if they may be
_OF_LIMIT = 0.6, 300e6  # share of the limit that columns may take at the most, without the program: see core.spill
_SORTED = 0.5  # for each byte of the KB, what the engine takes for a sort if it may
_OF_SPILL = 4.0  # temporary bytes for each of the KB; not measured yet


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a build is expected to take; memory, disk and temporary files in bytes.

    share  of the sources that was built to tell
    """

    share: float
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
    """Tell what `build_kb` with the same options will take; nothing is written but a sample in a temporary folder."""
    paths = [sources] if isinstance(sources, str | Path) else list(sources)
    if "-" in map(str, paths):
        raise OptionError("a build of standard input cannot be forecast, it can be read only once; give files")
    for path in paths:
        check_readable(path)
    limit = None if max_memory is None else check_memory(max_memory, jobs)
    every = _every(paths)
    options |= {"embedding": embedding, "dimensions": dimensions, "jobs": jobs, "format_name": format_name}
    with tempfile.TemporaryDirectory() as folder:
        quarter = _build(paths, 4 * every if every > 1 else 1, Path(folder) / "quarter", train=False, **options)
        if every > _FEW:
            _build(paths, every, Path(folder) / "loading", train=False, **options)
        sample = _build(paths, every, Path(folder) / "sample", train=train, **options)
    return _extrapolate(quarter, sample, embedding=embedding, dimensions=dimensions, jobs=jobs, limit=limit)


@dataclass(frozen=True, slots=True)
class _Sample:
    """A KB of a share of the sources: what it holds, and what it took."""

    share: float
    counts: dict[str, Any]
    files: dict[str, int]
    seconds: dict[str, float]
    nodes: _Nodes
    training: int  # the most memory while its ranker was trained


@dataclass(frozen=True, slots=True)
class _Nodes:
    """How many nodes of a sample have a name; are the source of an edge, and also named; are a target, and also one of both."""

    named: int
    sources: int
    named_sources: int
    targets: int
    known_targets: int

    @staticmethod
    def of(kb: KB) -> _Nodes:
        graph = kb.graph
        row, incoming = np.repeat(np.arange(len(graph)), graph.degree), graph.relations & 1 == 1
        named, source, target = np.diff(kb.array("entity_names")) > 0, *np.zeros((2, len(graph)), dtype=bool)
        source[row[~incoming]], target[row[incoming]] = True, True
        sets = named, source, named & source, target, target & (named | source)
        return _Nodes(*(int(np.count_nonzero(each)) for each in sets))


def _build(
    paths: Sequence[str | Path], every: int, folder: Path, *, train: bool, word_vectors: Any = None, **options: Any
) -> _Sample:
    """Build a sample. The ranker is trained by itself: all that takes time there takes about as long for any KG."""
    folder.mkdir()
    samples = []
    for number, path in enumerate(paths):
        part = folder / str(number)  # two sources may have the same name
        part.mkdir()
        samples.append(sample_source(path, part, every, seed=number, format_name=options["format_name"]))
    sizes = [max(1, source_size(path) or 0) for path in paths]
    share = sum(share * size for (_, share), size in zip(samples, sizes, strict=True)) / sum(sizes)
    times, training = StepTimes(time.perf_counter), 0
    kb = build_kb([file for file, _ in samples], folder / "sample.kb", train=False, progress=times, **options)
    times.add("else", times.elsewhere)
    if train:
        kb.close()
        with PeakMemory() as peak:
            kb = train_kb(folder / "sample.kb", word_vectors=word_vectors, seed=options.get("seed", 0))
        times.add("training", times.elsewhere)
        training = peak.bytes
    with kb:
        files = {name: int(file["bytes"]) for name, file in kb.manifest["files"].items()}
        return _Sample(share, kb.manifest["counts"], files, times.seconds, _Nodes.of(kb), training)


def _every(paths: Sequence[str | Path]) -> int:
    """Return of how many pieces of the sources to build one."""
    size = 0.0
    for path in paths:
        with open(path, "rb") as file:
            packed = file.read(8).startswith(_COMPRESSED)
        size += (source_size(path) or 0) / (1 if packed else _PLAIN)
    return max(1, round(size / SAMPLE))


def _extrapolate(
    quarter: _Sample, sample: _Sample, *, embedding: str | None, dimensions: int | None, jobs: int, limit: int | None
) -> Forecast:
    scale = 1 / sample.share
    entities = _entities(quarter, sample)
    tokens = _grown(quarter, sample, lambda each: each.counts["tokens"])
    growth = {"entities": entities / sample.counts["entities"], "tokens": tokens / max(1, sample.counts["tokens"])}
    arrays = sum(size * _growth_of(name, growth, scale) for name, size in sample.files.items() if "vectors-" not in name)
    has_vectors = embedding is not None and sample.counts["edges"] > 0
    wide = dimensions or min(DIMENSIONS, max(2, int(entities) // 5))
    vectors = entities * (4 * wide + 1) if has_vectors else 0
    return Forecast(
        share=sample.share,
        statements=round(sample.counts["statements"] * scale),
        entities=round(entities),
        names=round(sample.counts["names"] * scale),
        edges=round(sample.counts["edges"] * scale),
        seconds=_seconds(sample, scale, growth["entities"], (arrays + vectors) / sum(sample.files.values())),
        memory=round(max(sample.training, _memory(arrays, entities, has_vectors=has_vectors, jobs=jobs, limit=limit))),
        disk=round(arrays + vectors),
        temporary=0 if limit is None else round(_OF_SPILL * arrays + 3 * vectors),
    )


def _memory(arrays: float, entities: float, *, has_vectors: bool, jobs: int, limit: int | None) -> float:
    """Return the most memory of all processes before training: reading, assembling, making vectors come one after the other."""
    program = _BASE + (_WORKER * jobs if jobs > 1 else 0)
    assembling = (_OF_KB + (_OF_KB_IN_WORKER if jobs > 1 else 0)) * arrays
    with_vectors = _COMPILED + arrays + entities * (_ID + _OF_VECTORS) if has_vectors else 0
    memory = program + max(assembling, with_vectors)
    if limit is None:
        return memory
    blocks, each = _UNSPILLED
    sorting = min(limit / 4, _SORTED * arrays) + blocks + each * entities
    share, loaded = _OF_LIMIT
    most = max(0.0, share * (limit - loaded))
    columns = _COMPILED + blocks + each * entities + min(most, _COLUMNS * entities) if has_vectors else 0
    return min(memory, limit, program + max(_ID * entities, sorting, columns))


def _entities(quarter: _Sample, sample: _Sample) -> float:
    """Return how many entities there will be: those with a name, and those that are only ends of edges.

    Either names and edges stand together (N-Triples, Wikidata): a source that is met without a name has none. Or they stand
    apart (two tables): a source that has a name is met together with it by chance only. So are targets, always.
    """
    share, nodes = sample.share, sample.nodes
    if share >= 1:
        return float(sample.counts["entities"])
    if nodes.named_sources > math.sqrt(share) * min(nodes.named, nodes.sources):
        unnamed_sources = (nodes.sources - nodes.named_sources) / share
    else:
        unnamed_sources = _by_chance(nodes.named_sources, nodes.sources, share) * _grown(
            quarter, sample, lambda each: each.nodes.sources
        )
    unknown = _by_chance(nodes.known_targets, nodes.targets, share)
    targets = _grown(quarter, sample, lambda each: each.nodes.targets)
    return float(nodes.named / share + unnamed_sources + unknown * targets)


def _by_chance(known: int, nodes: int, share: float) -> float:
    """Return the share of nodes of which nothing would be known with all of the sources."""
    return 1 - min(1.0, known / max(1, nodes) / share)


def _grown(quarter: _Sample, sample: _Sample, count: Callable[[_Sample], int]) -> float:
    """Return what a count grows to with all of the sources, by the power that it grew by between the samples."""
    small, large = max(1, count(quarter)), max(1, count(sample))
    if quarter.share >= sample.share:
        return float(large)
    power = min(1.0, max(0.0, math.log(large / small) / math.log(sample.share / quarter.share)))
    power = max(0.0, power + _FLATTENS * math.log(sample.share, 4))
    return float(large * sample.share**-power)


def _growth_of(file: str, growth: dict[str, float], scale: float) -> float:
    if file.startswith(_OF_ENTITIES):
        return growth["entities"]
    return growth["tokens"] if file.startswith(_OF_TOKENS) else scale


def _seconds(sample: _Sample, scale: float, of_entities: float, of_disk: float) -> float:
    """Return the time of all steps; what trains the ranker takes as long for any KG."""
    grows = {"reading": scale, "indexing names": scale, "else": scale, "writing": of_disk}
    grows["spreading over the graph"] = of_entities
    return sum(seconds * grows.get(step, 1.0) for step, seconds in sample.seconds.items())

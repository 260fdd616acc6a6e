"""What a build will take, told from a sample: time, memory, disk. The offline story, rehearsed.

The same share of the beginning of every source is built twice, a quarter of it and all of it. What a KG has (statements, names,
edges) grows with the sources; the words of names grow less than their number, by the power that the two samples show. A node
that others point to may have its record outside the sample: how many nodes have one is told from how many of those pointed to
have one in the sample.
"""

from __future__ import annotations

import math
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eigenthemes.build import build_kb
from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import SNIFF, check_readable, open_decompressed, source_size
from eigenthemes.core.progress import Advance
from eigenthemes.core.spill import check_memory
from eigenthemes.embeddings.vector_sets import DIMENSIONS
from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB
from eigenthemes.kg.read import detect_format

SAMPLE = 2_500_000  # bytes of all sources together that are read of compressed ones; of plain ones several times as many
_PLAIN = 8
_BY_LINE = ("nt", "nq", "wikidata", "csv", "tsv", "jsonl", "obo")  # formats whose beginning can be read alone
_COMPRESSED = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd")
# what files of a KB grow with; all others grow with the sources
_OF_ENTITIES = ("ids_", "id_", "prior", "answers", "entity_names", "type_indptr", "graph_indptr", "descriptions_offsets")
_OF_TOKENS = ("tokens_", "token_", "postings_indptr", "typo_")
_FLATTENS = 0.035  # the power falls by this for each factor of 4; fitted on a synthetic dump of a million entities
# memory of a build, as measured (benchmarks/README.md)
_BASE = 120e6
_OF_KB = 2.6  # bytes for each of the KB without vectors
_OF_VECTORS = 4 * 2 * (DIMENSIONS + 10) + 8 * 64  # bytes for each entity: two matrices, and columns that are worked on
_OF_SPILL = 4.0  # temporary bytes for each of the KB
_ID = 180  # bytes for each id that is known while sources are read


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
    share = _share(paths)
    options |= {"embedding": embedding, "dimensions": dimensions, "jobs": jobs, "format_name": format_name}
    with tempfile.TemporaryDirectory() as folder:
        quarter = _build(paths, share / 4, Path(folder) / "quarter", train=False, **options)
        sample = _build(paths, share, Path(folder) / "sample", train=train, **options)
    return _extrapolate(quarter, sample, embedding=embedding, dimensions=dimensions, limit=limit)


@dataclass(frozen=True, slots=True)
class _Sample:
    """A KB of a share of the sources: what it holds, and what it took.

    pointed_to  nodes that some edge leads to; with_record: those of them that have a name
    """

    share: float
    counts: dict[str, Any]
    files: dict[str, int]
    seconds: dict[str, float]
    pointed_to: int
    with_record: int


def _build(paths: Sequence[str | Path], share: float, folder: Path, **options: Any) -> _Sample:
    folder.mkdir()
    cut = [_cut(path, share, folder, options["format_name"]) for path in paths]
    clock = _Clock()
    start = time.perf_counter()
    with build_kb([file for file, _ in cut], folder / "sample.kb", progress=clock, **options) as kb:
        clock.seconds["else"] = time.perf_counter() - start - sum(clock.seconds.values())
        files = {name: int(file["bytes"]) for name, file in kb.manifest["files"].items()}
        read = sum(size for _, size in cut) / sum(max(1, source_size(path) or 0) for path in paths)
        return _Sample(min(1.0, read), kb.manifest["counts"], files, clock.seconds, *_pointed_to(kb))


def _share(paths: Sequence[str | Path]) -> float:
    """Return which share of the sources to read, the same of each."""
    size = 0.0
    for path in paths:
        with open(path, "rb") as file:
            packed = file.read(8).startswith(_COMPRESSED)
        size += (source_size(path) or 0) / (1 if packed else _PLAIN)
    return min(1.0, SAMPLE / max(1.0, size))


def _cut(path: str | Path, share: float, folder: Path, format_name: str | None) -> tuple[Path, int]:
    """Write the beginning of a source; return the file and how many bytes of the source it is.

    Of formats that cannot be cut, or where nothing is to be cut, it is the source itself.
    """
    size, read = source_size(path) or 0, 0

    def advance(amount: float) -> None:
        nonlocal read
        read += int(amount)

    with open_decompressed(path, Diagnostics(False), advance, ahead=SNIFF) as stream:
        head = stream.read(SNIFF)
        if share >= 1 or (format_name or detect_format(head, str(path))) not in _BY_LINE:
            return Path(path), size
        file = folder / _plain_name(Path(path))
        with open(file, "wb") as out:
            out.write(head)
            while read < share * size:
                piece = stream.read(SNIFF)
                if not piece:
                    return Path(path), size
                out.write(piece)
            out.write(stream.readline())
    return file, min(size, read)


def _plain_name(path: Path) -> str:
    return path.name.removesuffix(path.suffix) if path.suffix in (".gz", ".bz2", ".xz", ".zst") else path.name


def _pointed_to(kb: KB) -> tuple[int, int]:
    """Return how many nodes some edge leads to, and how many of them have a name."""
    graph = kb.graph
    row = np.repeat(np.arange(len(graph)), graph.degree)
    ends = np.unique(row[graph.relations & 1 == 1])
    return len(ends), int((np.diff(kb.array("entity_names"))[ends] > 0).sum())


def _extrapolate(
    quarter: _Sample, sample: _Sample, *, embedding: str | None, dimensions: int | None, limit: int | None
) -> Forecast:
    scale = 1 / sample.share
    entities = _entities(quarter, sample)
    tokens = _grown(quarter, sample, lambda each: each.counts["tokens"])
    growth = {"entities": entities / sample.counts["entities"], "tokens": tokens / max(1, sample.counts["tokens"])}
    arrays = sum(size * _growth_of(name, growth, scale) for name, size in sample.files.items() if "vectors-" not in name)
    has_vectors = embedding is not None and sample.counts["edges"] > 0
    wide = dimensions or min(DIMENSIONS, max(2, int(entities) // 5))
    vectors = entities * (4 * wide + 1) if has_vectors else 0
    memory = _BASE + max(_OF_KB * arrays, (arrays + entities * (_ID + _OF_VECTORS)) if has_vectors else 0)
    return Forecast(
        share=sample.share,
        statements=round(sample.counts["statements"] * scale),
        entities=round(entities),
        names=round(sample.counts["names"] * scale),
        edges=round(sample.counts["edges"] * scale),
        seconds=_seconds(sample, scale, growth["entities"], (arrays + vectors) / sum(sample.files.values())),
        memory=round(memory if limit is None else min(memory, limit)),
        disk=round(arrays + vectors),
        temporary=0 if limit is None else round(_OF_SPILL * arrays + 3 * vectors),
    )


def _entities(quarter: _Sample, sample: _Sample) -> float:
    """Return how many entities there will be: those with a name, and those that are only pointed to."""
    named = sample.counts["named"] / sample.share
    if sample.share >= 1:
        return float(sample.counts["entities"])
    known = min(1.0, max(1, sample.with_record) / max(1, sample.pointed_to) / sample.share)
    pointed_to = min(_grown(quarter, sample, lambda each: each.pointed_to), named / known)
    return float(named + (1 - known) * pointed_to)


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


class _Clock:
    """A `Progress` that only looks at the clock."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def step(self, label: str, *, total: float | None, unit: str) -> Iterator[Advance]:
        start = time.perf_counter()
        yield lambda amount: None
        step = "reading" if label.startswith("reading") else label
        self.seconds[step] = self.seconds.get(step, 0.0) + time.perf_counter() - start

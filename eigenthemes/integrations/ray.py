"""Corpora on a Ray cluster: a dataset by a pool of actors, files by tasks.

    linked = link_dataset(ray.data.read_parquet("folder/"), "my.kb")              every row with its links
    link_corpus(["folder/"], "out/", Linker("my.kb"), engine=on_ray("auto"))      every file, written once

Each process opens the KB once; it is mapped, so the processes of a machine share its memory. Ray's usage statistics are off.
"""

from __future__ import annotations

import logging
import os
import socket
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # before ray is imported

import pyarrow as pa
import ray
import ray.data
import ray.exceptions

from eigenthemes.arrow import ERROR, link_arrow
from eigenthemes.core.checks import check_whole
from eigenthemes.corpus.job import Job, PartReport
from eigenthemes.corpus.parts import Part
from eigenthemes.corpus.run import Engine, link_part_here
from eigenthemes.errors import EigenthemesError, OptionError, SourceError
from eigenthemes.kb.archive import archive_hash
from eigenthemes.linker import Linker
from eigenthemes.stream import collect_garbage_rarely

BATCH_ROWS = 256
_RETRIES = 10  # of a part whose process or machine died; a file that kills every process that reads it is given up
_LOST = (
    ray.exceptions.WorkerCrashedError,
    ray.exceptions.NodeDiedError,
    ray.exceptions.OutOfMemoryError,
    ray.exceptions.ObjectLostError,
)
_REACHED_WITHIN = 10.0  # seconds
_STORE = 100 << 20  # bytes of the object store of a cluster that is started here: parts do not pass through it


def link_dataset(
    dataset: ray.data.Dataset,
    kb_path: str,
    *,
    workers: int | tuple[int, int] | None = None,
    columns: Mapping[str, str] | None = None,
    error_column: str = ERROR,
    kb_archive: str | None = None,
    preserve_order: bool = False,
    batch_size: int = BATCH_ROWS,
    **options: Any,
) -> ray.data.Dataset:
    """Return a dataset with the links of its rows, as `link_arrow` adds them; like all datasets it is computed when it is used.

    kb_path         the KB, at this path on every machine
    workers         actors, or the fewest and the most; None: one to all CPUs of the cluster but one, which is left for
                    reading and writing. The fewest must find a place on what is left of the cluster when machines are lost
    columns         what the columns of documents are called, by role; see `link_arrow`
    kb_archive      the KB as an archive, which each machine unpacks once; `kb_path` then only serves to check the options here
    preserve_order  rows come out in the order in which they went in
    options         of the `Linker`
    """
    check_whole("batch_size", batch_size)
    linker = Linker(kb_path, **options)  # what is wrong with the options is said here
    fewest, most = _pool(workers)
    archive = None if kb_archive is None else (kb_archive, archive_hash(kb_archive))
    linked = dataset.map_batches(
        ArrowLinker,
        batch_size=batch_size,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(min_size=fewest, max_size=most),
        fn_constructor_kwargs={"job": Job.of(linker, "", columns=columns, archive=archive), "error_column": error_column},
        num_cpus=1,
        udf_modifying_row_count=False,
    )
    if preserve_order:
        linked.context.execution_options.preserve_order = True
    return linked


def _pool(workers: int | tuple[int, int] | None) -> tuple[int, int]:
    fewest, most = (
        (1, max(1, _cluster_cpus() - 1)) if workers is None else workers if isinstance(workers, tuple) else (workers, workers)
    )
    check_whole("workers", fewest)
    check_whole("workers", most, least=fewest)
    return fewest, most


class ArrowLinker:
    """An actor that links batches of Arrow."""

    def __init__(self, *, job: Job, error_column: str) -> None:
        collect_garbage_rarely()
        self.linker = job.open_linker()
        self.options: dict[str, Any] = {"columns": job.columns, "error_column": error_column}

    def __call__(self, table: pa.Table) -> pa.Table:
        batches = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
        return pa.Table.from_batches([link_arrow(batch, self.linker, **self.options) for batch in batches])


# files


def on_ray(address: str | None = None, *, workers: int | None = None) -> Engine:
    """Return the engine that links the parts of a corpus on a cluster, for `link_corpus`.

    address  of a running cluster, or "auto"; None: the one this process is connected to, else one is started on this machine
    workers  parts that are linked at once; None: as many as the cluster has CPUs, also when it grows or shrinks

    A part is a task, not a call of an actor: where a machine is lost, its parts go to whichever is free, while the actors of a
    pool wait for a machine of their own that may never come.
    """

    def run(job: Job, parts: Sequence[Part]) -> Iterator[PartReport]:
        if not parts:
            return
        with _connected(address):
            yield from _link_parts(job, parts, workers)

    return run


def _link_parts(job: Job, parts: Sequence[Part], workers: int | None) -> Iterator[PartReport]:
    link = ray.remote(num_cpus=1, max_retries=_RETRIES)(link_part_here)
    shared = ray.put(job)
    waiting, running = deque(parts), dict[Any, Part]()
    while waiting or running:
        while waiting and len(running) < (workers or 2 * _cluster_cpus()):  # some wait in Ray, so that no machine has to
            part = waiting.popleft()
            running[link.remote(shared, part)] = part
        ready, _ = ray.wait(list(running), num_returns=1)
        for reference in ready:
            yield _report(reference, running.pop(reference))


def _report(reference: Any, part: Part) -> PartReport:
    try:
        report: PartReport = ray.get(reference)
        return report
    except _LOST as error:
        return PartReport.of(part, problem=f"the process that linked it was lost {_RETRIES} times ({type(error).__name__})")
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, EigenthemesError):
            raise error.cause from None  # of the KB, or the archive: no part will do better
        return PartReport.of(part, problem=" ".join(f"{type(error.cause).__name__}: {error.cause}".split()))


def _cluster_cpus() -> int:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(1, int(resources.get("CPU", 1)))


@contextmanager
def _connected(address: str | None) -> Iterator[None]:
    """Connect to a cluster, or start one; what was connected before stays so, and is used."""
    if ray.is_initialized():
        if address not in (None, "auto"):
            raise OptionError("this process is connected to a Ray cluster already; leave the address out", where="address")
        yield
        return
    _check_reachable(address)
    own: dict[str, Any] = {} if address else {"include_dashboard": False, "object_store_memory": _STORE}
    try:
        ray.init(address=address or "local", log_to_driver=False, logging_level=logging.ERROR, **own)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise _no_cluster(address, error) from None
    try:
        yield
    finally:
        ray.shutdown()


def _check_reachable(address: str | None) -> None:
    """Refuse an address at which nobody listens; Ray itself would try for minutes."""
    host, found, port = (address or "").rpartition(":")
    if not found or "/" in host or not port.isdecimal():
        return  # auto, or ray://host:port, which has its own way
    try:
        socket.create_connection((host, int(port)), timeout=_REACHED_WITHIN).close()
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, error) from None


def _no_cluster(address: str | None, error: Exception) -> SourceError:
    told = " ".join(str(error).split())[:200]
    return SourceError(
        f"there is no Ray cluster at {address} ({told}); check the address, or start a cluster there", where=address
    )

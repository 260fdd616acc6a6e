"""Link corpora on a Ray cluster: a dataset by a pool of actors, files by tasks.

    linked = link_dataset(ray.data.read_parquet("folder/"), "my.kb")              every row with its links
    link_corpus(["folder/"], "out/", Linker("my.kb"), engine=on_ray("auto"))      every file, written once

Each process opens the KB once; it is memory-mapped, so the processes of a machine share it. Ray's usage statistics are off.
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

from eigenthemes.core.checks import check_integer
from eigenthemes.core.storage import FileEntry, reason
from eigenthemes.corpus.engine import Engine, link_file_in_worker
from eigenthemes.corpus.job import FileReport, Job
from eigenthemes.errors import EigenthemesError, OptionError, SourceError
from eigenthemes.kb.archive import archive_hash
from eigenthemes.linker import Linker
from eigenthemes.stream import collect_garbage_rarely
from eigenthemes.tables.arrow_batches import ERROR, link_arrow

_RETRIES = 10  # of a file whose process or machine died
_CONNECT_SECONDS = 10.0
_STORE = 100 << 20  # bytes of the object store of a cluster started here: documents do not pass through it


def link_dataset(
    dataset: ray.data.Dataset,
    kb_path: str,
    *,
    workers: int | tuple[int, int] | None = None,
    columns: Mapping[str, str] | None = None,
    error_column: str = ERROR,
    kb_archive: str | None = None,
    preserve_order: bool = False,
    batch_size: int = 256,
    **options: Any,
) -> ray.data.Dataset:
    """Return a dataset with the links of its rows, as `link_arrow` adds them; it is computed lazily.

    Parameters
    ----------
    dataset : ray.data.Dataset
        Rows with documents.
    kb_path : str
        The KB, at this path on every machine.
    workers : int or (int, int), optional
        Number of actors, or the fewest and the most. By default one to all CPUs of the cluster but one, which is left for
        reading and writing. The fewest must fit on the machines that are left when some are lost.
    columns : mapping, optional
        Columns of the documents by role; see `link_arrow`.
    error_column : str
        Column for the cause if a row could not be linked.
    kb_archive : str, optional
        The KB as an archive, which each machine unpacks once; `kb_path` then only serves to check the options here.
    preserve_order : bool
        Keep the order of the rows.
    batch_size : int
        Rows that are linked together.
    **options
        Options of the `Linker`.

    Returns
    -------
    ray.data.Dataset
    """
    check_integer("batch_size", batch_size)
    linker = Linker(kb_path, **options)  # refuses wrong options here rather than on the cluster
    fewest, most = _pool_size(workers)
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


def _pool_size(workers: int | tuple[int, int] | None) -> tuple[int, int]:
    if workers is None:
        workers = (1, max(1, _cluster_cpus() - 1))
    fewest, most = workers if isinstance(workers, tuple) else (workers, workers)
    check_integer("workers", fewest)
    check_integer("workers", most, least=fewest)
    return fewest, most


class ArrowLinker:
    """An actor that links Arrow batches."""

    def __init__(self, *, job: Job, error_column: str) -> None:
        collect_garbage_rarely()
        self.linker = job.open_linker()
        self.options: dict[str, Any] = {"columns": job.columns, "error_column": error_column}

    def __call__(self, table: pa.Table) -> pa.Table:
        """Link the rows of a table."""
        batches = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
        return pa.Table.from_batches([link_arrow(batch, self.linker, **self.options) for batch in batches])


def on_ray(address: str | None = None, *, workers: int | None = None) -> Engine:
    """Return the engine that links the files of a corpus on a cluster, for `link_corpus`.

    address  of a running cluster, or "auto"; None: the cluster this process is connected to, or a new one on this machine
    workers  files that are linked at once; None: as many as the cluster has CPUs, also when it grows or shrinks

    A file is a task and not a call of an actor: if a machine is lost, its files are linked by the others, while the actors of a
    pool wait for a new machine.
    """

    def run(job: Job, files: Sequence[FileEntry]) -> Iterator[FileReport]:
        if files:
            with _connected(address):
                yield from _link_files(job, files, workers)

    return run


def _link_files(job: Job, files: Sequence[FileEntry], workers: int | None) -> Iterator[FileReport]:
    link = ray.remote(num_cpus=1, max_retries=_RETRIES)(link_file_in_worker)
    shared = ray.put(job)
    waiting, running = deque(files), dict[Any, FileEntry]()
    while waiting or running:
        while waiting and len(running) < (workers or 2 * _cluster_cpus()):  # queued in Ray, so that no machine is idle
            file = waiting.popleft()
            running[link.remote(shared, file)] = file
        ready, _ = ray.wait(list(running), num_returns=1)
        for reference in ready:
            yield _report(reference, running.pop(reference))


def _report(reference: Any, file: FileEntry) -> FileReport:
    try:
        report: FileReport = ray.get(reference)
        return report
    except ray.exceptions.RayTaskError as error:
        if isinstance(error.cause, EigenthemesError):
            raise error.cause from None  # of the KB or the archive: it would fail every file
        return FileReport(file.name, problem=f"{type(error.cause).__name__}: {' '.join(str(error.cause).split())}")
    except ray.exceptions.RayError as error:
        return FileReport(file.name, problem=f"its process was lost {_RETRIES} times ({type(error).__name__})")


def _cluster_cpus() -> int:
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    return max(1, int(resources.get("CPU", 1)))


@contextmanager
def _connected(address: str | None) -> Iterator[None]:
    """Connect to a cluster or start one; an existing connection is used and kept."""
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
    """Refuse an address where nothing listens; Ray itself would try for minutes."""
    host, separator, port = (address or "").rpartition(":")
    if not separator or "/" in host or not port.isdecimal():
        return  # auto, or ray://host:port, which Ray checks quickly
    try:
        socket.create_connection((host, int(port)), timeout=_CONNECT_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise _no_cluster(address, error) from None


def _no_cluster(address: str | None, error: Exception) -> SourceError:
    return SourceError(
        f"there is no Ray cluster at {address} ({reason(error)}); check the address, or start a cluster there", where=address
    )

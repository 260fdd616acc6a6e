"""A cluster of several nodes on this machine, killed while it links: every document once, the bytes of `link --jobs 1`.

make test-cluster
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.commands import PROGRAM, child_processes, json_lines
from helpers.documents import json_line

from eigenthemes import KB, arrow_json_lines

pytestmark = pytest.mark.cluster

DOCUMENTS, ROWS = 20_000, 250  # in all, and in a small file
LARGE = 2_000  # of them in one file of LARGE_BYTES
LARGE_BYTES = 64 << 20
FILES = (DOCUMENTS - LARGE) // ROWS + 1
PATIENCE = 600  # seconds
NODE = {"num_cpus": 1, "object_store_memory": 100 << 20}

_SENTENCES = [
    "Michael Jordan and his students David Blei and Andrew Ng wrote on LDA at Berkeley.",
    "Jordan lies between Israel, Syria, Iraq and Saudi Arabia; most visitors land in Amman.",
    "Michael Jordan won six titles with the Chicago Bulls.",
    "Nobody knows the way to Xanadu.",
    "Paris and Berlin are far from Amman.",
]


def text_of(number: int) -> str:
    return " ".join(_SENTENCES[(number // 5**place + number) % 5] for place in range(1 + number % 3))


def table_of(number: int) -> dict[str, Any]:
    names = ["Jordan", "Israel", "Syria", "Iraq", "Michael Jordan", "Andrew Ng"]
    cells = [[names[(number + row) % 6], names[(number * 7 + row) % 6]] for row in range(1 + number % 3)]
    return {"header": ["name", "other"], "rows": cells}


def write_small(folder: Path, first: int, count: int) -> None:
    """Write a small file: Parquet with columns of its owner's, texts as JSON lines, or tables; one record of each is bad."""
    numbers = range(first, first + count)
    kind = first // count % 4
    if kind < 2:
        rows: list[dict[str, Any]] = [
            {"url": f"https://example.org/{number}", "id": f"d{number}", "text": text_of(number), "views": number}
            for number in numbers
        ]
        rows[count // 2]["text"] = None
        pq.write_table(pa.Table.from_pylist(rows), folder / f"part-{first:06}.parquet")
        return
    made: Callable[[int], Any] = text_of if kind == 2 else table_of
    lines = [json_line({"id": f"d{number}", "text" if kind == 2 else "table": made(number), "n": number}) for number in numbers]
    lines[count // 2] = b"{broken\n"
    (folder / f"part-{first:06}.jsonl").write_bytes(b"".join(lines))


def write_large(folder: Path, first: int, count: int) -> None:
    """Write a file that is large by what its owner keeps beside the texts; one record is bad."""
    more = "x" * (LARGE_BYTES // count)
    lines = [json_line({"id": f"d{number}", "text": text_of(number), "more": more}) for number in range(first, first + count)]
    lines[count // 2] = b"{broken\n"
    (folder / "large.jsonl").write_bytes(b"".join(lines))


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("corpus")
    for first in range(0, DOCUMENTS - LARGE, ROWS):
        write_small(folder, first, ROWS)
    write_large(folder, DOCUMENTS - LARGE, LARGE)
    return folder


@pytest.fixture(scope="module")
def linked_alone(corpus: Path, demo_kb: KB) -> list[bytes]:
    """What `link --jobs 1` writes for all files, a line for each document."""
    command = [*PROGRAM, "link", str(demo_kb.path), *map(str, sorted(corpus.iterdir())), "--jobs", "1"]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 1, done.stderr  # for the bad records
    return done.stdout.splitlines(keepends=True)


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A head and a second node, each with a CPU; nothing of them is left afterwards."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    utilities = pytest.importorskip("ray.cluster_utils")
    made = utilities.Cluster(initialize_head=True, head_node_args={**NODE, "include_dashboard": False})
    made.add_node(**NODE)
    started = [process for node in made.list_all_nodes() for process in processes_of(node)]
    yield made
    made.shutdown()
    until = time.monotonic() + 60
    while any(map(is_alive, started)) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(map(is_alive, started))


def processes_of(node: Any) -> list[int]:
    """Return the processes of a node, and those that they have started."""
    own = [info.process.pid for infos in node.all_processes.values() for info in infos]
    return own + [child for process in own for child in child_processes(process)]


def is_alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def linking_processes(node: Any) -> list[int]:
    """Return the workers of a node that are linking a file at the moment."""
    found = []
    for process in processes_of(node):
        try:
            title = Path(f"/proc/{process}/cmdline").read_bytes()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if title.startswith(b"ray::") and b"link_file" in title:
            found.append(process)
    return found


class Run:
    """The command on a cluster, under way."""

    def __init__(self, cluster: Any, kb: KB, corpus: Path, out: Path) -> None:
        self.out = out
        options = ["-o", f"{out}/", "--engine", "ray", "--address", cluster.address]
        self.process = subprocess.Popen(
            [*PROGRAM, "link", str(kb.path), str(corpus), *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    def done(self) -> int:
        folder = self.out / "_eigenthemes" / "done"
        return len(list(folder.iterdir())) if folder.exists() else 0

    def wait_for(self, moment: Callable[[], Any]) -> Any:
        until = time.monotonic() + PATIENCE
        while not (found := moment()):
            assert self.process.poll() is None, self.process.communicate()
            assert time.monotonic() < until
            time.sleep(0.01)
        return found

    def end(self) -> str:
        try:
            out, told = self.process.communicate(timeout=PATIENCE)
        finally:
            self.process.kill()
        assert out == ""
        assert "Traceback" not in told, told
        return told


def lines_of(folder: Path, corpus: Path) -> list[bytes]:
    """Return the documents of all files, in the order of the input, as JSON lines."""
    lines: list[bytes] = []
    for name in sorted(path.name for path in corpus.iterdir()):
        if name.endswith(".parquet"):
            for batch in pq.read_table(folder / name).to_batches():
                lines += arrow_json_lines(batch).splitlines(keepends=True)
        else:
            lines += (folder / name).read_bytes().splitlines(keepends=True)
    return lines


def bad_records(folder: Path) -> int:
    files = sorted((folder / "errors").iterdir())
    return sum(
        pq.read_table(file).num_rows if file.suffix == ".parquet" else len(json_lines(file.read_bytes())) for file in files
    )


def test_a_worker_and_a_node_die_and_no_document_is_lost(
    cluster: Any, demo_kb: KB, corpus: Path, linked_alone: list[bytes], tmp_path: Path
) -> None:
    files = FILES
    run = Run(cluster, demo_kb, corpus, tmp_path / "out")
    head, second = cluster.head_node, cluster.worker_nodes.copy().pop()
    run.wait_for(lambda: run.done() >= files // 8)
    worker = run.wait_for(lambda: linking_processes(head))[0]
    os.kill(worker, signal.SIGKILL)
    run.wait_for(lambda: run.done() >= files // 3)
    run.wait_for(lambda: linking_processes(second))
    at_node_death = run.done()
    cluster.remove_node(second, allow_graceful=False)
    told = run.end()
    assert at_node_death < files  # in the middle
    assert f"{files} files: {DOCUMENTS - files:,} documents" in told
    assert f"{files} records could not be linked" in told
    found = lines_of(tmp_path / "out", corpus)
    assert found == linked_alone
    ids = Counter(json.loads(line)["id"] for line in found)
    bad = {f"d{first + ROWS // 2}" for first in range(0, DOCUMENTS - LARGE, ROWS)} | {f"d{DOCUMENTS - LARGE // 2}"}
    assert ids == Counter({f"d{number}" for number in range(DOCUMENTS)} - bad)
    assert bad_records(tmp_path / "out") == files
    own = {path.name for path in (tmp_path / "out" / "_eigenthemes").iterdir()}
    assert own == {"job.json", "manifest.json", "done"}


def test_the_driver_dies_and_the_same_command_goes_on(
    cluster: Any, demo_kb: KB, corpus: Path, linked_alone: list[bytes], tmp_path: Path
) -> None:
    files = FILES
    first = Run(cluster, demo_kb, corpus, tmp_path / "out")
    first.wait_for(lambda: first.done() >= files // 4)
    first.process.kill()
    first.process.communicate()
    time.sleep(2)  # the workers of a driver that is gone end by themselves
    before = {path.name: path.stat().st_mtime_ns for path in (tmp_path / "out").iterdir() if path.is_file()}
    assert 0 < first.done() < files
    told = Run(cluster, demo_kb, corpus, tmp_path / "out").end()
    assert "linked before" in told
    assert lines_of(tmp_path / "out", corpus) == linked_alone
    again = {name: (tmp_path / "out" / name).stat().st_mtime_ns for name in before}
    assert sum(again[name] != at for name, at in before.items()) <= 2 * 2  # those under way; all others were left as they were


_DATASET = """
import sys, ray
from eigenthemes import arrow_json_lines
from eigenthemes.integrations.ray import link_dataset
kb, folder, address, out = sys.argv[1:]
ray.init(address=address, log_to_driver=False, logging_level="ERROR")
ray.data.DataContext.get_current().enable_progress_bars = False
dataset = ray.data.read_parquet(folder, override_num_blocks=8)
linked = link_dataset(dataset, kb, workers=1, preserve_order=True)
with open(out, "wb") as file:
    for batch in linked.iter_batches(batch_format="pyarrow", batch_size=None):
        for rows in batch.filter(batch["error"].is_null()).drop_columns("error").to_batches():
            file.write(arrow_json_lines(rows))
"""


def test_a_dataset_over_two_nodes(cluster: Any, demo_kb: KB, corpus: Path, linked_alone: list[bytes], tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for file in sorted(corpus.glob("*.parquet"))[:8]:
        (folder / file.name).symlink_to(file)
    command = [sys.executable, "-c", _DATASET, str(demo_kb.path), str(folder), cluster.address, str(tmp_path / "out.jsonl")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr
    rows = [line for line in linked_alone if b'"url":' in line]
    assert (tmp_path / "out.jsonl").read_bytes() == b"".join(rows[: 8 * (ROWS - 1)])

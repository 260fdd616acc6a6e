"""Ray: datasets by a pool of actors, files by tasks; the bytes of `link`. A cluster of several nodes is in tests/cluster."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.commands import assert_one_sentence, call
from helpers.documents import json_line
from helpers.files import file_bytes
from helpers.streaming import SENTENCE, mixed_documents

from eigenthemes import KB, Linker, OptionError, arrow_json_lines, link_arrow
from eigenthemes.corpus.engine import link_corpus

ray = pytest.importorskip("ray")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.filterwarnings("default"),  # Ray's own, in its threads
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[None]:
    """A cluster of one node with two CPUs, and a small object store."""
    from eigenthemes.integrations import ray as imported  # which switches the usage statistics off

    assert imported
    ray.init(
        address="local",
        num_cpus=2,
        include_dashboard=False,
        object_store_memory=100 << 20,
        log_to_driver=False,
        logging_level="ERROR",
    )
    ray.data.DataContext.get_current().enable_progress_bars = False
    yield
    ray.shutdown()


def rows(count: int) -> list[dict[str, Any]]:
    return [{"id": number, "text": f"{SENTENCE} {number}", "more": [number]} for number in range(count)]


def test_a_dataset_has_the_answers_of_link_arrow(cluster: None, tiny: KB, tmp_path: Path) -> None:
    from eigenthemes.integrations.ray import link_dataset

    given = rows(300)
    given[7]["text"] = None
    linker = Linker(tiny, method="degree")
    expected = link_arrow(pa.RecordBatch.from_pylist(given), linker)
    dataset = ray.data.from_arrow([pa.Table.from_pylist(given[at : at + 50]) for at in range(0, 300, 50)])
    archive = shutil.make_archive(str(tmp_path / "tiny"), "gztar", tiny.path.parent, tiny.path.name)
    for options in ({}, {"kb_archive": archive}):
        linked = link_dataset(
            dataset, str(tiny.path), workers=1, preserve_order=True, batch_size=32, method="degree", **options
        )
        found = pa.concat_tables(ray.get(linked.to_arrow_refs())).combine_chunks()
        assert arrow_json_lines(found.to_batches()[0]) == arrow_json_lines(expected)
        assert found.column("error").null_count == 299


def test_what_is_wrong_with_a_dataset_is_said_at_once(cluster: None, tiny: KB) -> None:
    from eigenthemes.integrations.ray import link_dataset

    dataset = ray.data.from_items(rows(2))
    assert os.environ["RAY_USAGE_STATS_ENABLED"] == "0"
    with pytest.raises(OptionError, match="workers"):
        link_dataset(dataset, str(tiny.path), workers=0)
    with pytest.raises(OptionError, match="method"):
        link_dataset(dataset, str(tiny.path), method="no such method")


def test_files_have_the_bytes_of_the_local_engine(cluster: None, tiny: KB, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for number in range(4):
        (folder / f"{number}.jsonl").write_bytes(b"".join(map(json_line, mixed_documents(20))) + b"broken\n")
    pq.write_table(pa.Table.from_pylist(rows(50)), folder / "rows.parquet")
    (folder / "cut.parquet").write_bytes(b"PAR1")
    pq.write_table(pa.table({"body": ["Paris"]}), folder / "a.parquet")
    (folder / "report.pdf").write_bytes(b"%PDF-1.7")
    link_corpus([str(folder)], str(tmp_path / "here"), Linker(tiny, method="degree"))
    command = ("link", tiny.path, f"file://{folder}", "-o", f"file://{tmp_path}/there", "--engine", "ray", "--method", "degree")
    done = call(*command)
    assert "8 files: 130 documents" in done.stderr
    assert "a.parquet: a.parquet has no column 'text'" in done.stderr
    assert "3 files could not be linked" in done.stderr
    assert "4 records could not be linked" in done.stderr
    assert done.returncode == 1
    here, there = (
        {name: data for name, data in file_bytes(tmp_path / place).items() if "_eig" not in name} for place in ("here", "there")
    )
    assert here == there
    assert "errors/2.jsonl" in there
    assert "8 files (5 linked before)" in call(*command).stderr


@pytest.mark.parametrize("address", ["127.0.0.1:1", "no.such.host.invalid:6379", "127.0.0.1:99999"])
def test_an_address_without_a_cluster_is_told_at_once(address: str) -> None:
    from eigenthemes.errors import SourceError
    from eigenthemes.integrations.ray import _check_reachable

    with pytest.raises(SourceError, match="there is no Ray cluster at"):
        _check_reachable(address)
    _check_reachable("auto")


def test_an_archive_of_another_kb_is_one_sentence(cluster: None, tiny: KB, trained_tiny: KB, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(json_line({"text": "Paris"}))
    archive = shutil.make_archive(str(tmp_path / "kb"), "zip", trained_tiny.path)
    options = ("--engine", "ray", "--kb-archive", archive, "--workers", "1", "--method", "degree")
    done = call("link", tiny.path, tmp_path / "a.jsonl", "-o", tmp_path / "out", *options)
    assert_one_sentence(done, "kb.zip is not the KB that the job started with")
    same = shutil.make_archive(str(tmp_path / "same"), "gztar", tiny.path)
    options = ("--engine", "ray", "--kb-archive", same, "--workers", "1", "--method", "degree")
    assert call("link", tiny.path, tmp_path / "a.jsonl", "-o", tmp_path / "out", *options).returncode == 0

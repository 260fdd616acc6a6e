"""A corpus in an object store: S3 as moto plays it on this machine, where s3fs and moto[server] are installed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.commands import call
from helpers.documents import json_line
from helpers.streaming import SENTENCE, mixed_documents

from eigenthemes import KB, Linker
from eigenthemes.corpus.engine import link_corpus

s3fs = pytest.importorskip("s3fs")
moto = pytest.importorskip("moto.server")

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("default")]  # of boto's own


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """An empty bucket, found by the environment as users of AWS have it."""
    server = moto.ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    settings = {"AWS_ACCESS_KEY_ID": "key", "AWS_SECRET_ACCESS_KEY": "secret", "AWS_ENDPOINT_URL": f"http://{host}:{port}"}
    for name, value in {**settings, "AWS_DEFAULT_REGION": "us-east-1"}.items():
        monkeypatch.setenv(name, value)
    s3fs.S3FileSystem.clear_instance_cache()
    s3fs.S3FileSystem().mkdir("corpus")
    yield "s3://corpus"
    s3fs.S3FileSystem.clear_instance_cache()
    server.stop()


def test_a_corpus_in_s3_has_the_bytes_of_files(degree_linker: Linker, tiny: KB, bucket: str, tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "lines.jsonl").write_bytes(b"".join(map(json_line, mixed_documents(60))) + b"broken\n")
    pq.write_table(pa.table({"id": range(90), "text": [SENTENCE] * 90}), folder / "rows.parquet")
    store = s3fs.S3FileSystem()
    store.put(str(folder), "corpus/in", recursive=True)
    link_corpus([str(folder)], str(tmp_path / "out"), degree_linker)
    told = [link_corpus([f"{bucket}/in"], f"{bucket}/out", degree_linker) for _ in range(2)]
    assert [(each.files, each.before, each.documents, each.failures) for each in told] == [(2, 0, 150, 1), (2, 2, 150, 1)]
    for name in ("lines.jsonl", "rows.parquet", "errors/lines.jsonl"):
        assert store.cat_file(f"corpus/out/{name}") == (tmp_path / "out" / name).read_bytes()
    left = {path.removeprefix("corpus/out/").partition("/")[0] for path in store.find("corpus/out/_eigenthemes")}
    assert left == {"_eigenthemes"}
    assert not store.exists("corpus/out/_eigenthemes/unfinished")
    by_command = call("link", tiny.path, f"{bucket}/in/*.jsonl", "-o", f"{bucket}/command", "--method", "degree")
    assert by_command.returncode == 1  # for the bad record
    assert store.cat_file("corpus/command/lines.jsonl") == (tmp_path / "out" / "lines.jsonl").read_bytes()

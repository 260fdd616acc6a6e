"""Source files: compression, cut archives, encodings, standard input, and the format by content rather than by name."""

from __future__ import annotations

import bz2
import gc
import gzip
import hashlib
import io
import lzma
import os
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.inspecting import diagnostics_of
from helpers.kbs import build_untrained

from eigenthemes.core import files
from eigenthemes.errors import BuildError, EigenthemesError, OptionError, SourceError
from eigenthemes.kb.store import KB
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.read import read_sources

pytestmark = pytest.mark.usefixtures("quick_disk")

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


def build(folder: Path, name: str, data: bytes | str, *, format_name: str | None = None, **options: Any) -> KB:
    (folder / name).write_bytes(data.encode() if isinstance(data, str) else data)
    return build_untrained([folder / name], folder / "my.kb", format_name=format_name, options=ReadOptions(**options))


def labels(kb: KB) -> list[str]:
    return sorted(kb.label_of(number) for number in range(len(kb)) if kb.names_of(number))


def triples(count: int) -> bytes:
    """N-Triples that do not pack too well."""
    names = (hashlib.sha256(b"%d" % number).hexdigest() for number in range(count))
    return "".join(f'<http://example.org/{name[:8]}> {LABEL} "{name}" .\n' for name in names).encode()


def parquet(**columns: list[Any]) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file)
    return file.getvalue()


CONTENT: dict[str, bytes] = {
    "nt": f'# a comment\n<http://example.org/a> {LABEL} "Ada" .\n'.encode(),
    "nq": f'<http://example.org/a> {LABEL} "Ada" <http://example.org/graph> .\n'.encode(),
    "ttl": f'@prefix ex: <http://example.org/> .\n\nex:a {LABEL} "Ada" ; a ex:Person .\n'.encode(),
    "trig": f'PREFIX ex: <http://example.org/>\nex:graph {{ ex:a {LABEL} "Ada" }}\n'.encode(),
    "rdf": b'<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    b'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#"><rdf:Description rdf:about="http://example.org/a">'
    b"<rdfs:label>Ada</rdfs:label></rdf:Description></rdf:RDF>\n",
    "json": b'{"id": "Q1", "labels": {"en": {"language": "en", "value": "Ada"}}, "claims": []}\n',
    "obo": b"format-version: 1.2\n\n[Term]\nid: X:1\nname: Ada\n",
    "csv": b"id,name\na,Ada\n",
    "tsv": b"id\tname\na\tAda\n",
    "jsonl": b'{"id": "a", "name": "Ada"}\n',
    "parquet": parquet(id=["a"], name=["Ada"]),
}


# the format


@pytest.mark.parametrize("suffix", CONTENT)
def test_every_format_is_read_by_its_usual_suffix(tmp_path: Path, suffix: str) -> None:
    kb = build(tmp_path, f"kg.{suffix}", CONTENT[suffix])
    assert (labels(kb), diagnostics_of(kb)) == (["Ada"], {})


@pytest.mark.parametrize("suffix", CONTENT)
def test_every_format_is_recognised_without_a_suffix(tmp_path: Path, suffix: str) -> None:
    kb = build(tmp_path, "kg", CONTENT[suffix])
    assert (labels(kb), diagnostics_of(kb)) == (["Ada"], {})


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("ttl", "kg.nt"),
        ("ttl", "kg.nq"),
        ("trig", "kg.ttl"),
        ("nt", "kg.ttl"),
        ("nq", "kg.nt"),
        ("rdf", "kg.ttl"),
        ("rdf", "kg.nt"),
        ("json", "kg.jsonl"),
        ("obo", "kg.owl"),
        ("tsv", "kg.csv"),
        ("csv", "kg.tsv"),
        ("csv", "kg.txt"),
        ("jsonl", "kg.json"),
        ("jsonl", "kg.csv"),
        ("jsonl", "kg.tsv"),
        ("parquet", "kg.csv"),
        ("nt", "kg.nt.backup"),
        ("nt", "kg.2024.01"),
    ],
)
def test_content_wins_over_a_misleading_name(tmp_path: Path, content: str, name: str) -> None:
    kb = build(tmp_path, name, CONTENT[content])
    assert (labels(kb), diagnostics_of(kb)) == (["Ada"], {})


@pytest.mark.parametrize("word", ["base", "prefix", "Base camp"])
def test_a_row_that_begins_with_base_or_prefix_is_no_turtle(tmp_path: Path, word: str) -> None:
    kb = build(tmp_path, "triples.tsv", f"camp\tis\tplace\n{word}\tis\tcamp\n{word}\tlabel\tBase\n")
    assert labels(kb) == ["Base"]


def test_a_node_with_a_list_of_labels_is_no_wikidata(tmp_path: Path) -> None:
    kb = build(tmp_path, "n.jsonl", '{"id": "a", "name": "Ada", "labels": ["Person", "Writer"]}\n')
    assert (labels(kb), diagnostics_of(kb)) == (["Ada"], {})


def test_the_format_can_be_forced(tmp_path: Path) -> None:
    turtle = f'<http://example.org/a> a <http://example.org/Person> ; {LABEL} "Ada" .'
    assert labels(build(tmp_path, "kg", turtle, format_name="ttl")) == ["Ada"]


def test_a_forced_format_is_not_second_guessed(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"^nothing could be read .*kg\.nt:1: .+of which format they are"):
        build(tmp_path, "kg.nt", CONTENT["csv"], format_name="nt")


def test_an_unknown_format_is_refused_with_those_that_are_known(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="format 'rtf' is unknown; expected one of nt, nq, ttl"):
        build(tmp_path, "kg.nt", CONTENT["nt"], format_name="rtf")


def test_content_that_is_no_kg_is_refused_with_the_formats(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"^the format of letter was not recognised .+; say which it is: nt, nq"):
        build(tmp_path, "letter", "Dear Ada\nhow are you\n")


# compression


@pytest.mark.parametrize("content", ["nt", "ttl", "rdf", "json", "obo", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("packing", COMPRESS)
def test_packed_files_are_read_like_plain_ones(tmp_path: Path, packing: str, content: str) -> None:
    kb = build(tmp_path, f"kg.{content}.{packing}", COMPRESS[packing](CONTENT[content]))
    assert (labels(kb), diagnostics_of(kb)) == (["Ada"], {})


@pytest.mark.parametrize("packing", COMPRESS)
def test_packing_is_found_without_a_suffix(tmp_path: Path, packing: str) -> None:
    assert labels(build(tmp_path, "kg", COMPRESS[packing](CONTENT["nt"]))) == ["Ada"]


@pytest.mark.parametrize("packing", COMPRESS)
def test_archives_in_several_parts_are_read_to_the_end(tmp_path: Path, packing: str) -> None:
    parts = [f'<http://example.org/{name}> {LABEL} "{name}" .\n'.encode() for name in ("ada", "bob")]
    assert labels(build(tmp_path, f"kg.nt.{packing}", b"".join(map(COMPRESS[packing], parts)))) == ["ada", "bob"]


@pytest.mark.parametrize("packing", COMPRESS)
def test_a_cut_archive_keeps_what_came_before_and_is_reported(tmp_path: Path, packing: str) -> None:
    whole = COMPRESS[packing](triples(12_000))  # more than one block of every packing
    kb = build(tmp_path, f"kg.nt.{packing}", whole[: len(whole) * 3 // 4])
    assert 3_000 < len(kb) < 12_000
    assert diagnostics_of(kb)["truncated or damaged archive"] == 1
    (example,) = kb.manifest["problem_examples"]["truncated or damaged archive"]
    assert example.startswith(f"kg.nt.{packing}: ")
    assert example.endswith("the rest is lost")


@pytest.mark.parametrize("packing", ["gz", "xz", "zst"])
def test_a_cut_archive_loses_its_last_block_at_most(tmp_path: Path, packing: str) -> None:
    kb = build(tmp_path, f"kg.nt.{packing}", COMPRESS[packing](triples(4_000))[:-9])
    assert len(kb) > 2_000
    assert diagnostics_of(kb)["truncated or damaged archive"] == 1


@pytest.mark.parametrize("packing", COMPRESS)
def test_strict_stops_at_a_cut_archive(tmp_path: Path, packing: str) -> None:
    whole = COMPRESS[packing](triples(1_000))
    with pytest.raises(SourceError, match=rf"archive at kg\.nt\.{packing}: .+; mend the file or"):
        build(tmp_path, f"kg.nt.{packing}", whole[: len(whole) // 2], strict=True)
    assert not (tmp_path / "my.kb").exists()


@pytest.mark.parametrize("packing", COMPRESS)
def test_an_archive_cut_at_once_stops_in_one_sentence(tmp_path: Path, packing: str) -> None:
    with pytest.raises(BuildError) as error:
        build(tmp_path, f"kg.nt.{packing}", COMPRESS[packing](triples(1_000))[:12])
    assert f"kg.nt.{packing}" in str(error.value)
    assert "\n" not in str(error.value)
    assert not (tmp_path / "my.kb").exists()


@pytest.mark.parametrize("packing", COMPRESS)
def test_an_archive_in_an_archive_is_told(tmp_path: Path, packing: str) -> None:
    with pytest.raises(SourceError, match=r"^kg\.nt\.gz is compressed twice; decompress it once$"):
        build(tmp_path, "kg.nt.gz", gzip.compress(COMPRESS[packing](triples(10))))


@pytest.mark.parametrize("name", ["kg.nt", "kg.ttl", "kg.csv", "kg.tsv", "kg.jsonl", "kg.json", "kg.obo"])
def test_a_line_without_end_is_refused_before_it_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 3 << 20)
    data = CONTENT[name.partition(".")[2]] + b"x" * (64 << 20)
    asked: list[int] = []
    monkeypatch.setattr(files, "_decompressed", _counting(files._decompressed, asked))
    line = data.count(b"\n") + 1
    with pytest.raises(SourceError, match=rf"^line {line} of {name}\.gz has more than 3 MB; .+check the file") as caught:
        build(tmp_path, f"{name}.gz", gzip.compress(data, 1))
    assert caught.value.where == f"{name}.gz:{line}"
    assert sum(asked) < 16 << 20


def _counting(read: Callable[..., Iterator[bytes]], counts: list[int]) -> Callable[..., Iterator[bytes]]:
    def blocks(*arguments: Any) -> Iterator[bytes]:
        for block in read(*arguments):
            counts.append(len(block))
            yield block

    return blocks


def test_a_file_that_begins_with_white_space_is_not_called_empty(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="it begins with 65,536 bytes of white space; nothing behind them is read"):
        build(tmp_path, "kg.nt", b"\n" * 100_000 + CONTENT["nt"])


@pytest.mark.parametrize("packing", ["gz", "bz2", "xz"])  # which have checksums
def test_a_damaged_archive_is_reported(tmp_path: Path, packing: str) -> None:
    data = bytearray(COMPRESS[packing](triples(2_000)))
    middle = len(data) // 2
    data[middle : middle + 40] = bytes(255 - byte for byte in data[middle : middle + 40])
    (tmp_path / "kg.nt").write_bytes(data)
    statements, _ = read_sources([tmp_path / "kg.nt"])
    assert statements.diagnostics.counts["truncated or damaged archive"] == 1


def test_a_zip_archive_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"^kg\.zip is a zip archive; extract it first"):
        build(tmp_path, "kg.zip", b"PK\x03\x04" + bytes(30))


# encodings


@pytest.mark.parametrize("content", ["nt", "ttl", "csv", "tsv", "jsonl", "json", "obo"])
def test_a_byte_order_mark_does_no_harm(tmp_path: Path, content: str) -> None:
    kb = build(tmp_path, "kg", b"\xef\xbb\xbf" + CONTENT[content])
    assert (labels(kb), diagnostics_of(kb)) == (["Ada"], {})


@pytest.mark.parametrize(
    ("content", "line"), [("nt", 2), ("ttl", 3), ("csv", 2), ("tsv", 2), ("jsonl", 1), ("json", 1), ("obo", 5)]
)
def test_latin_1_bytes_are_read_and_reported_with_file_and_line(tmp_path: Path, content: str, line: int) -> None:
    kb = build(tmp_path, f"kg.{content}", CONTENT[content].replace(b"Ada", "Zoë".encode("latin-1")))
    assert labels(kb) == ["Zoë"]
    assert diagnostics_of(kb) == {"bytes that are not UTF-8 (read as Latin-1)": 1}
    assert kb.manifest["problem_examples"]["bytes that are not UTF-8 (read as Latin-1)"] == [f"kg.{content}:{line}"]


def test_one_latin_1_line_does_not_change_the_others(tmp_path: Path) -> None:
    kb = build(tmp_path, "n.csv", "id,name\na,Zoë\n".encode() + "b,Noël\n".encode("latin-1") + "c,東京\n".encode())
    assert labels(kb) == ["Noël", "Zoë", "東京"]


def test_strict_stops_at_latin_1_bytes(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"not UTF-8 .+ at n\.csv:2; mend the file or build without strict"):
        build(tmp_path, "n.csv", "id,name\na,Zoë\n".encode("latin-1"), strict=True)


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_refused_with_the_remedy(tmp_path: Path, encoding: str) -> None:
    with pytest.raises(SourceError, match=r"^n\.csv is UTF-16; convert it first: iconv"):
        build(tmp_path, "n.csv", "\ufeffid,name\na,Ada\n".encode(encoding))


def test_a_character_split_between_two_blocks_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenthemes.core.files.BLOCK", 7)
    kb = build(tmp_path, "n.csv", "id,name\na,東京都\nb,京都市\n")
    assert (labels(kb), diagnostics_of(kb)) == (["京都市", "東京都"], {})


def test_a_line_longer_than_a_block_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenthemes.core.files.BLOCK", 10)
    kb = build(tmp_path, "kg.nt", f'<http://example.org/a> {LABEL} "{"Ada" * 50}" .')
    assert labels(kb) == ["Ada" * 50]


# standard input


def pipe(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


@pytest.mark.parametrize("content", CONTENT)
def test_a_dash_reads_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str) -> None:
    pipe(monkeypatch, CONTENT[content])
    kb = build_untrained(["-"], tmp_path / "my.kb")
    assert (labels(kb), diagnostics_of(kb)) == (["Ada"], {})
    assert kb.manifest["sources"][0]["name"] == "stdin"


def test_standard_input_may_be_packed_and_one_of_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, gzip.compress(CONTENT["nt"]))
    (tmp_path / "n.csv").write_text("id,name\nb,Bob\n")
    assert labels(build_untrained([tmp_path / "n.csv", "-"], tmp_path / "my.kb")) == ["Ada", "Bob"]


def test_problems_of_standard_input_are_named_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, CONTENT["nt"] + b"nonsense\n")
    kb = build_untrained(["-"], tmp_path / "my.kb")
    assert kb.manifest["problem_examples"]["broken statement"][0].startswith("stdin:3: ")


def test_standard_input_stays_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pipe(monkeypatch, CONTENT["nt"])
    build_untrained(["-"], tmp_path / "my.kb")
    assert not sys.stdin.closed
    assert not sys.stdin.buffer.closed


# the files themselves


def test_the_manifest_has_name_size_and_hash_of_every_source(tmp_path: Path) -> None:
    data = gzip.compress(CONTENT["rdf"], mtime=0)
    kb = build(tmp_path, "kg.rdf.gz", data)
    digest = hashlib.sha256(data).hexdigest()
    assert kb.manifest["sources"] == [{"name": "kg.rdf.gz", "bytes": len(data), "sha256": digest}]


@pytest.mark.parametrize(
    ("name", "why"),
    [("nowhere.nt", "does not exist; give the path"), ("folder", "is a folder; give the files in it")],
)
def test_a_source_that_is_no_file_is_refused_before_any_work(tmp_path: Path, name: str, why: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SourceError, match=why):
        build_untrained([tmp_path / name], tmp_path / "my.kb")
    assert not (tmp_path / "my.kb").exists()


def test_a_named_pipe_is_refused_at_once_though_nobody_writes_to_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.nt")
    code = "import sys; from eigenthemes.kg.read import read_sources; read_sources(sys.argv[1:])"
    ended = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "pipe.nt")], capture_output=True, text=True, timeout=60, check=False
    )
    last = ended.stderr.strip().splitlines()[-1]
    assert "pipe.nt is a named pipe; " in last
    assert last.endswith("give - and send it to standard input")


@pytest.mark.skipif(not Path("/dev/stdin").exists(), reason="this system has no /dev/stdin")
@pytest.mark.parametrize("path", ["/dev/stdin", "-"])
def test_a_pipe_to_standard_input_is_read_by_either_name(path: str) -> None:
    code = "import sys; from eigenthemes.kg.read import read_sources; print(*read_sources(sys.argv[1:])[0].ids)"
    ended = subprocess.run([sys.executable, "-c", code, path], input=CONTENT["nt"], capture_output=True, timeout=60, check=True)
    assert ended.stdout.split()


@pytest.mark.parametrize("name", ["kg.nt", "kg.nq", "kg.ttl", "kg.trig"])
def test_a_file_of_nothing_but_errors_is_given_up_and_that_is_told(tmp_path: Path, name: str) -> None:
    def seconds(size: int) -> float:
        (tmp_path / name).write_bytes(b"\0" * size)
        began = time.perf_counter()
        problems = read_sources([tmp_path / name])[0].diagnostics
        assert problems.examples["given up"][0].startswith(name)
        assert "the rest of the file is not read" in problems.examples["given up"][0]
        return time.perf_counter() - began

    assert seconds(10_000_000) < 5 * seconds(1_000_000) + 1


EMPTY = {"no byte": b"", "blank": b"\n \n", "BOM": b"\xef\xbb\xbf", "packed": gzip.compress(b"")}


@pytest.mark.parametrize("name", ["kg.nt", "kg.csv", "kg"])
@pytest.mark.parametrize("data", EMPTY.values(), ids=EMPTY)
def test_an_empty_file_alone_stops_and_is_called_empty(tmp_path: Path, name: str, data: bytes) -> None:
    with pytest.raises(BuildError, match="empty") as error:
        build(tmp_path, name, data)
    assert name in str(error.value)
    assert not (tmp_path / "my.kb").exists()


def test_an_empty_file_among_others_is_counted(tmp_path: Path) -> None:
    (tmp_path / "empty.nt").touch()
    (tmp_path / "kg.nt").write_bytes(CONTENT["nt"])
    kb = build_untrained([tmp_path / "empty.nt", tmp_path / "kg.nt"], tmp_path / "my.kb")
    assert (labels(kb), kb.manifest["problem_examples"]["empty file"]) == (["Ada"], ["empty.nt"])


def test_strict_stops_at_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "kg.nt").write_bytes(CONTENT["nt"])
    (tmp_path / "empty.nt").touch()
    with pytest.raises(SourceError, match=r"^empty file at empty\.nt; "):
        build_untrained([tmp_path / "kg.nt", tmp_path / "empty.nt"], tmp_path / "my.kb", options=ReadOptions(strict=True))


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("kg.parquet", CONTENT["parquet"]),
        ("kg.rdf", CONTENT["rdf"]),
        ("kg.nt", CONTENT["nt"] + b"nonsense\n"),
        ("kg.ttl", CONTENT["ttl"] + b"nonsense\n"),
        ("kg.obo", CONTENT["obo"] + b"nonsense\n"),
        ("n.csv", b"code,name,size,age\na,Ada,1,2\n"),
        ("letter", b"Dear Ada\n"),
        ("kg.gz", gzip.compress(CONTENT["nt"])[:-6]),
        ("kg.zip", b"PK\x03\x04"),
    ],
    ids=["parquet", "xml", "broken nt", "broken ttl", "broken obo", "no id column", "no format", "cut gz", "zip"],
)
def test_no_file_is_left_open_whether_the_build_ends_well_or_not(tmp_path: Path, name: str, data: bytes) -> None:
    gc.collect()  # what others left is not ours
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with suppress(EigenthemesError):
            build(tmp_path, name, data, strict=True)
        gc.collect()
    assert [str(each.message) for each in caught if each.category is ResourceWarning] == []

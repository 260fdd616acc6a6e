"""Large files in pieces: the bytes of the whole, whatever is cut where, killed when, and linked by whom."""

from __future__ import annotations

import io
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.commands import json_lines
from helpers.documents import json_line
from helpers.files import file_bytes
from helpers.streaming import SENTENCE, mixed_documents
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB, Linker, SourceError
from eigenthemes.corpus import pieces
from eigenthemes.corpus.job import Job
from eigenthemes.corpus.parts import Piece, find_parts
from eigenthemes.corpus.pieces import cut, lines_between
from eigenthemes.corpus.run import Engine, link_corpus, on_processes

pytestmark = pytest.mark.usefixtures("quick_disk")


def outputs(folder: Path) -> dict[str, bytes]:
    return {name: data for name, data in file_bytes(folder).items() if not name.startswith("_eigenthemes")}


def write_large(folder: Path) -> Path:
    """Write a file of lines and one of Parquet, of several kilobytes, with blank lines and bad records."""
    folder.mkdir()
    lines = [json_line({**record, "n": number}) for number, record in enumerate(mixed_documents(120))]
    lines[17], lines[90], lines[40] = b"{broken\n", b"[]\n", b"\n"
    (folder / "lines.jsonl").write_bytes(b"".join(lines).rstrip(b"\n"))
    rows: list[dict[str, Any]] = [{"id": number, "text": f"{SENTENCE} {number}"} for number in range(700)]
    rows[3]["text"] = rows[600]["text"] = None
    pq.write_table(pa.Table.from_pylist(rows), folder / "rows.parquet", row_group_size=300, compression="zstd")
    return folder


@given(st.lists(st.binary(max_size=9).map(lambda line: line.replace(b"\n", b"") + b"\n")), st.lists(st.integers(0, 60)))
def test_every_line_is_in_one_piece(lines: list[bytes], cuts: list[int]) -> None:
    data = b"".join(lines)[:-1]  # the last line has no end
    bounds = sorted({0, len(data), *(at for at in cuts if at <= len(data))})
    ranges = [Piece(0, first, last) for first, last in pairwise(bounds)]
    found = [line for piece in ranges for line in lines_between(io.BytesIO(data), piece, "a")]
    assert found == io.BytesIO(data).readlines()


@pytest.mark.parametrize("size", [700, 3000])
def test_pieces_give_the_bytes_of_the_whole(
    degree_linker: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int
) -> None:
    folder = str(write_large(tmp_path / "in"))
    whole = link_corpus([folder], str(tmp_path / "whole"), degree_linker)
    monkeypatch.setattr(pieces, "BYTES", size)
    told: list[int | None] = []
    report = link_corpus([folder], str(tmp_path / "cut"), degree_linker, on_part=lambda each: told.append(each.piece))
    assert len(told) > 8
    assert None not in told
    assert (report.parts, report.documents, report.mentions, report.linked, report.failures, report.linked_now) == (
        whole.parts, whole.documents, whole.mentions, whole.linked, whole.failures, whole.linked_now
    )  # fmt: skip
    cut_up, expected = outputs(tmp_path / "cut"), outputs(tmp_path / "whole")
    assert cut_up.keys() == expected.keys() == {"lines.jsonl", "rows.parquet", "errors/lines.jsonl", "errors/rows.parquet"}
    assert cut_up["lines.jsonl"] == expected["lines.jsonl"]
    assert cut_up["errors/lines.jsonl"] == expected["errors/lines.jsonl"]
    assert [told["line"] for told in json_lines(cut_up["errors/lines.jsonl"])] == [18, 91]
    for name in ("rows.parquet", "errors/rows.parquet"):
        assert pq.read_table(tmp_path / "cut" / name).equals(pq.read_table(tmp_path / "whole" / name))
    assert pq.read_table(tmp_path / "cut" / "errors" / "rows.parquet")["line"].to_pylist() == [4, 601]
    assert pq.ParquetFile(tmp_path / "cut" / "rows.parquet").metadata.row_group(0).column(0).compression == "ZSTD"
    assert not (tmp_path / "cut" / "_eigenthemes" / "pieces").exists()
    assert link_corpus([folder], str(tmp_path / "cut"), degree_linker).before == 2


def test_any_engine_and_order_gives_the_same_bytes(
    degree_linker: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = str(write_large(tmp_path / "in"))
    monkeypatch.setattr(pieces, "BYTES", 900)

    def backwards(job: Job, parts: Any) -> Any:
        yield from on_processes(1, degree_linker)(job, parts[::-1])

    engines: dict[str, Engine] = {
        "one": on_processes(1, degree_linker),
        "back": backwards,
        "two": on_processes(2, degree_linker),
    }
    for name, engine in engines.items():
        link_corpus([folder], str(tmp_path / name), degree_linker, engine=engine)
    assert outputs(tmp_path / "one") == outputs(tmp_path / "back") == outputs(tmp_path / "two")


def test_a_kill_loses_no_piece(degree_linker: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, out = str(write_large(tmp_path / "in")), tmp_path / "out"
    link_corpus([folder], str(tmp_path / "whole"), degree_linker)
    monkeypatch.setattr(pieces, "BYTES", 900)
    linked: list[str] = []

    def killed(job: Job, parts: Any) -> Any:
        for part in parts[:3]:
            linked.append(part.key)
            yield from on_processes(1, degree_linker)(job, [part])
        raise KeyboardInterrupt

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            link_corpus([folder], str(out), degree_linker, engine=killed)
    assert len(set(linked)) == 6  # none twice

    def dies(*arguments: Any) -> Any:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:  # all are linked, and it dies while they are joined
        patch.setattr(pieces, "join_pieces", dies)
        with pytest.raises(KeyboardInterrupt):
            link_corpus([folder], str(out), degree_linker)
    report = link_corpus([folder], str(out), degree_linker)
    assert (report.parts, report.before) == (2, 0)
    assert outputs(out)["lines.jsonl"] == outputs(tmp_path / "whole")["lines.jsonl"]
    assert pq.read_table(out / "rows.parquet").equals(pq.read_table(tmp_path / "whole" / "rows.parquet"))


def test_other_pieces_are_not_taken_for_these(degree_linker: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, out = write_large(tmp_path / "in"), tmp_path / "out"
    (folder / "rows.parquet").unlink()
    monkeypatch.setattr(pieces, "BYTES", 900)
    keys: list[str] = []

    def two(job: Job, parts: Any) -> Any:
        for part in parts[:2]:
            keys.append(part.key)
            yield from on_processes(1, degree_linker)(job, [part])
        raise KeyboardInterrupt

    for size in (900, 1300):
        monkeypatch.setattr(pieces, "BYTES", size)
        with pytest.raises(KeyboardInterrupt):
            link_corpus([str(folder)], str(out), degree_linker, engine=two)
    assert keys == ["lines.jsonl#0", "lines.jsonl#1"] * 2
    monkeypatch.setattr(pieces, "BYTES", 10**9)
    link_corpus([str(folder)], str(out), degree_linker)
    assert outputs(out)["lines.jsonl"]


def test_a_piece_that_cannot_be_linked_holds_up_its_file_alone(
    degree_linker: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = write_large(tmp_path / "in"), tmp_path / "out"
    monkeypatch.setattr(pieces, "BYTES", 3000)
    good = (folder / "rows.parquet").read_bytes()
    (folder / "rows.parquet").write_bytes(good[:4] + bytes(60) + good[64:])  # in the first group of rows
    report = link_corpus([str(folder)], str(out), degree_linker)
    assert [problem.name for problem in report.problems] == ["rows.parquet"]
    assert outputs(out).keys() == {"lines.jsonl", "errors/lines.jsonl"}
    assert list((out / "_eigenthemes" / "pieces").iterdir())  # those that could be linked
    linked = link_corpus([str(folder)], str(out), degree_linker).linked_now
    assert linked < 698  # only what is missing
    (folder / "rows.parquet").write_bytes(good)
    assert link_corpus([str(folder)], str(out), degree_linker).problems == []
    assert pq.read_table(out / "rows.parquet").num_rows == 698
    assert not (out / "_eigenthemes" / "pieces").exists()


def test_pieces_that_somebody_removed_are_linked_again(
    degree_linker: Linker, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder, out = write_large(tmp_path / "in"), tmp_path / "out"
    monkeypatch.setattr(pieces, "BYTES", 3000)

    def killed(job: Job, parts: Any) -> Any:
        yield from on_processes(1, degree_linker)(job, parts[:2])
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        link_corpus([str(folder)], str(out), degree_linker, engine=killed)
    shutil.rmtree(out / "_eigenthemes" / "pieces")
    (problem,) = link_corpus([str(folder)], str(out), degree_linker).problems
    assert "does not exist" in str(problem.problem)
    assert link_corpus([str(folder)], str(out), degree_linker).problems == []
    assert len(json_lines(outputs(out)["lines.jsonl"])) == 117


def test_what_cannot_be_cut(tiny: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "BYTES", 10)
    (tmp_path / "broken.parquet").write_bytes(b"PAR1" + 100 * b"x")
    (tmp_path / "plain.txt").write_text(100 * "words ")
    (tmp_path / "lines.jsonl.gz").write_bytes(100 * b"x")
    (tmp_path / "small.jsonl").write_bytes(b"{}\n")
    assert [cut(part) for part in find_parts([str(tmp_path)], str(tmp_path / "out"))] == [[], [], [], []]
    monkeypatch.setattr(pieces, "LONGEST_LINE", 5)
    with pytest.raises(SourceError, match="a line of a has more than"):
        list(lines_between(io.BytesIO(b"123456789\n"), Piece(0, 0, 9), "a"))

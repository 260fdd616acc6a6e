"""A corpus into a folder: a file for each file, written once, gone on with after a kill, nothing lost."""

from __future__ import annotations

import gzip
import json
import resource
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.commands import assert_one_sentence, call, json_lines
from helpers.documents import json_line
from helpers.files import COMPRESS, file_bytes
from helpers.streaming import SENTENCE, link_lines, mixed_documents

from eigenthemes import KB, DocumentError, EigenthemesError, Linker, OptionError, SourceError, arrow_json_lines
from eigenthemes.core.storage import FileEntry
from eigenthemes.corpus.engine import Engine, link_corpus, on_processes
from eigenthemes.corpus.job import FileReport, Job

pytestmark = pytest.mark.usefixtures("quick_disk")


def write_corpus(folder: Path, files: int = 3, documents: int = 4) -> Path:
    """Write files of JSON lines and one of Parquet."""
    folder.mkdir()
    for number in range(files):
        records = [{**record, "id": f"{number}-{record['id']}"} for record in mixed_documents(documents)]
        (folder / f"part-{number}.jsonl").write_bytes(b"".join(map(json_line, records)))
    rows = [{"id": number, "text": SENTENCE, "score": number / 2} for number in range(documents)]
    pq.write_table(pa.Table.from_pylist(rows), folder / "rows.parquet", compression="zstd")
    return folder


def outputs(folder: Path) -> dict[str, bytes]:
    """Return what a job wrote, without what it knows of itself."""
    return {name: data for name, data in file_bytes(folder).items() if not name.startswith("_eigenthemes")}


def killed_after(count: int, linker: Linker) -> Engine:
    """Return an engine whose process is killed after some parts."""

    def run(job: Job, parts: Any) -> Any:
        for number, report in enumerate(on_processes(1, linker)(job, parts)):
            if number == count:
                raise KeyboardInterrupt
            yield report

    return run


def test_each_file_has_the_bytes_of_link(tiny: KB, degree_linker: Linker, tmp_path: Path) -> None:
    folder, out = write_corpus(tmp_path / "in"), tmp_path / "out"
    report = link_corpus([str(folder)], str(out), degree_linker)
    assert (report.files, report.documents, report.failures, report.problems) == (4, 16, 0, [])
    assert outputs(out).keys() == file_bytes(folder).keys()
    for name in ("part-0.jsonl", "part-2.jsonl"):
        lines = (folder / name).read_bytes().splitlines(keepends=True)
        assert (out / name).read_bytes() == link_lines(tiny, lines, method="degree")[0]
    rows = pq.read_table(out / "rows.parquet")
    alone = call("link", tiny.path, folder / "rows.parquet", "--method", "degree")
    assert arrow_json_lines(rows.combine_chunks().to_batches()[0]).decode() == alone.stdout
    assert rows.schema.field("score").type == pa.float64()
    assert pq.ParquetFile(out / "rows.parquet").metadata.row_group(0).column(0).compression == "ZSTD"
    assert report.mentions > report.linked > 0


def test_a_killed_job_goes_on_with_what_is_missing(degree_linker: Linker, tmp_path: Path) -> None:
    folder = str(write_corpus(tmp_path / "in"))
    whole, out = tmp_path / "whole", tmp_path / "out"
    link_corpus([folder], str(whole), degree_linker)
    with pytest.raises(KeyboardInterrupt):
        link_corpus([folder], str(out), degree_linker, engine=killed_after(2, degree_linker))
    written = {name: (out / name).stat().st_mtime_ns for name in outputs(out)}
    assert len(written) == 3  # the kill came before the report of the third, not before its file
    assert not (out / "_eigenthemes" / "manifest.json").exists()
    (out / "_eigenthemes" / "unfinished").mkdir(exist_ok=True)
    (out / "_eigenthemes" / "unfinished" / "half").write_text("what a killed process leaves")
    report = link_corpus([folder], str(out), degree_linker)
    assert (report.files, report.before, report.documents) == (4, 3, 16)
    assert outputs(out) == outputs(whole)
    assert {name: (out / name).stat().st_mtime_ns for name in written} == written
    assert not (out / "_eigenthemes" / "unfinished").exists()
    again = link_corpus([folder], str(out), degree_linker, engine=killed_after(0, degree_linker))  # nothing is left to do
    assert (again.before, again.linked_now) == (4, 0)
    manifest = json.loads((out / "_eigenthemes" / "manifest.json").read_text())
    assert [part["name"] for part in manifest["parts"]] == ["part-0.jsonl", "part-1.jsonl", "part-2.jsonl", "rows.parquet"]


def test_an_output_without_its_record_is_written_again(degree_linker: Linker, tmp_path: Path) -> None:
    folder, out = write_corpus(tmp_path / "in"), tmp_path / "out"
    link_corpus([str(folder)], str(out), degree_linker)
    before = outputs(out)
    for record in (out / "_eigenthemes" / "done").iterdir():
        record.unlink()
    (out / "part-1.jsonl").write_text("of a machine that lost its power")
    assert link_corpus([str(folder)], str(out), degree_linker).before == 0
    assert outputs(out) == before


def test_a_file_that_changed_is_linked_again(degree_linker: Linker, tmp_path: Path) -> None:
    folder, out = write_corpus(tmp_path / "in"), tmp_path / "out"
    link_corpus([str(folder)], str(out), degree_linker)
    (folder / "part-1.jsonl").write_bytes(json_line({"id": "new", "text": "Iowa"}))
    assert link_corpus([str(folder)], str(out), degree_linker).before == 3
    assert [record["id"] for record in json_lines((out / "part-1.jsonl").read_bytes())] == ["new"]


@pytest.mark.parametrize(
    ("options", "columns", "words"),
    [
        ({"method": "eigen"}, None, 'method "degree", now "eigen"'),
        ({"method": "degree", "top": 5}, None, "top 3, now 5"),
        ({"method": "degree"}, {"id": "number"}, "columns"),
    ],
)
def test_a_job_of_other_options_is_refused(
    tiny: KB, degree_linker: Linker, tmp_path: Path, options: Any, columns: Any, words: str
) -> None:
    folder, out = write_corpus(tmp_path / "in"), tmp_path / "out"
    link_corpus([str(folder)], str(out), degree_linker)
    before = file_bytes(out)
    with pytest.raises(OptionError, match=words) as told:
        link_corpus([str(folder)], str(out), Linker(tiny, **options), columns=columns)
    assert told.value.code == "resume-differs"
    assert file_bytes(out) == before


def test_a_job_of_another_kb_is_refused(tiny: KB, trained_tiny: KB, degree_linker: Linker, tmp_path: Path) -> None:
    folder, out = write_corpus(tmp_path / "in"), tmp_path / "out"
    link_corpus([str(folder)], str(out), degree_linker)
    with pytest.raises(OptionError, match="another KB"):
        link_corpus([str(folder)], str(out), Linker(trained_tiny, method="degree"))
    job = Job.of(degree_linker, str(out))
    with pytest.raises(EigenthemesError, match="not the KB that the job started with"):
        Job(job.folder, str(trained_tiny.path), job.kb_state, job.options).open_linker()


def test_a_job_that_cannot_be_begun(degree_linker: Linker, tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "in")
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(SourceError, match="cannot be written"):
        link_corpus([str(folder)], str(tmp_path / "file" / "out"), degree_linker)
    link_corpus([str(folder)], str(tmp_path / "out"), degree_linker)
    record = next((tmp_path / "out" / "_eigenthemes" / "done").iterdir())
    record.write_text("{")
    assert link_corpus([str(folder)], str(tmp_path / "out"), degree_linker).before == 3
    (tmp_path / "out" / "_eigenthemes" / "job.json").write_text("[")
    with pytest.raises(OptionError, match="damaged"):
        link_corpus([str(folder)], str(tmp_path / "out"), degree_linker)


def test_a_job_of_which_nothing_is_done_may_be_begun_anew(degree_linker: Linker, eigen_linker: Linker, tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_bytes(b"PAR1")
    assert link_corpus([str(tmp_path / "bad.parquet")], str(tmp_path / "out"), degree_linker).problems
    folder = write_corpus(tmp_path / "in")
    assert link_corpus([str(folder)], str(tmp_path / "out"), eigen_linker).problems == []


def test_columns_that_are_not_there_are_told_before_anything_is_done(tiny: KB, tmp_path: Path) -> None:
    for name in ("a", "b"):
        pq.write_table(pa.table({"body": ["Paris"]}), tmp_path / f"{name}.parquet")
    done = call("link", tiny.path, "a.parquet", "b.parquet", "-o", "out/", cwd=tmp_path)
    assert_one_sentence(done, "a.parquet has no column 'text' (it has body)", "--column text=NAME")
    assert not (tmp_path / "out").exists()
    done = call("link", tiny.path, "a.parquet", "b.parquet", "-o", "out/", "--column", "text=body", cwd=tmp_path)
    assert "2 files: 2 documents, 2 of 2 mentions linked" in done.stderr
    assert pq.read_table(tmp_path / "out" / "a.parquet").schema.names == ["body", "mentions"]


# bad records and bad files


def test_bad_records_go_to_errors(degree_linker: Linker, tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    lines = [
        json_line({"id": 1, "text": "Paris"}),
        b"{broken\n",
        b'{"id": 3}\n',
        b"\xff\n",
        json_line({"id": 4, "text": "Iowa"}),
    ]
    (folder / "a.jsonl.gz").write_bytes(gzip.compress(b"".join(lines)))
    when = pa.array([1, 2, 3], pa.timestamp("us"))
    table = pa.table({"text": ["Paris", None, "Iowa"], "cause": ["x", "y", "z"], "when": when})
    pq.write_table(table, folder / "b.parquet")
    report = link_corpus([str(folder)], str(out), degree_linker)
    assert (report.documents, report.failures, report.problems) == (4, 4, [])
    errors = json_lines((out / "errors" / "a.jsonl").read_bytes())
    assert [(error["file"], error["line"], error["record"]) for error in errors] == [
        ("a.jsonl.gz", 2, "{broken"),
        ("a.jsonl.gz", 3, '{"id": 3}'),
        ("a.jsonl.gz", 4, "\\xff"),
    ]
    assert "nothing to link" in errors[1]["cause"]
    assert [record["id"] for record in json_lines(gzip.decompress((out / "a.jsonl.gz").read_bytes()))] == [1, 4]
    (bad,) = pq.read_table(out / "errors" / "b.parquet").to_pylist()
    assert (bad["cause"], bad["line"], bad["text"]) == ("y", 2, None)
    assert "nothing to link" in bad["cause_"]
    good = pq.read_table(out / "b.parquet")
    assert good.column("cause").to_pylist() == ["x", "z"]
    assert good.schema.names == ["text", "cause", "when", "mentions"]
    # mended, the file of errors goes
    pq.write_table(table.set_column(0, "text", pa.array(["Paris", "Tokyo", "Iowa"])), folder / "b.parquet")
    assert link_corpus([str(folder)], str(out), degree_linker).failures == 3
    assert not (out / "errors" / "b.parquet").exists()


def test_a_file_that_cannot_be_read_costs_no_other_and_is_tried_again(degree_linker: Linker, tmp_path: Path) -> None:
    folder, out = write_corpus(tmp_path / "in"), tmp_path / "out"
    data = (folder / "rows.parquet").read_bytes()
    (folder / "rows.parquet").write_bytes(data[: len(data) // 2])
    (folder / "cut.jsonl.gz").write_bytes(gzip.compress(json_line({"text": SENTENCE}) * 5000)[:-200])
    (folder / "prose.txt").write_text("Paris is in France.")
    (folder / "report.pdf").write_bytes(b"%PDF-1.7")
    pq.write_table(pa.table({"body": ["Paris"]}), folder / "a.parquet")
    report = link_corpus([str(folder)], str(out), degree_linker)
    problems = {problem.name: problem.problem or "" for problem in report.problems}
    assert problems.keys() == {"a.parquet", "rows.parquet", "cut.jsonl.gz", "prose.txt", "report.pdf"}
    assert "has no column 'text' (it has body)" in problems["a.parquet"]
    assert "is a PDF file" in problems["report.pdf"]
    assert "not a complete Parquet file" in problems["rows.parquet"]
    assert "truncated" in problems["cut.jsonl.gz"]
    assert "has the format text" in problems["prose.txt"]
    assert outputs(out).keys() == {"part-0.jsonl", "part-1.jsonl", "part-2.jsonl"}
    (folder / "rows.parquet").write_bytes(data)
    for name in ("a.parquet", "cut.jsonl.gz", "prose.txt", "report.pdf"):
        (folder / name).unlink()
    report = link_corpus([str(folder)], str(out), degree_linker)
    assert (report.before, report.files, report.problems) == (3, 4, [])


def test_a_full_disk_is_reported_for_each_file(degree_linker: Linker, tmp_path: Path) -> None:
    folder, out = write_corpus(tmp_path / "in"), tmp_path / "out"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2000, limits[1]))  # enough for the manifest
    try:
        report = link_corpus([str(folder)], str(out), degree_linker)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert len(report.problems) == report.files
    assert {problem.problem for problem in report.problems} == {
        f"its output cannot be written (File too large); free some space in {out}"
    }
    assert outputs(out) == {}
    assert link_corpus([str(folder)], str(out), degree_linker).problems == []


def test_a_file_without_documents(degree_linker: Linker, tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "out"
    folder.mkdir()
    (folder / "empty.jsonl").write_bytes(b"")
    pq.write_table(pa.table({"text": pa.array([], pa.string())}), folder / "empty.parquet")
    assert link_corpus([str(folder)], str(out), degree_linker).problems == []
    assert (out / "empty.jsonl").read_bytes() == b""
    assert pq.read_table(out / "empty.parquet").num_rows == 0


@pytest.mark.parametrize("suffix", COMPRESS)
def test_compression_is_kept(degree_linker: Linker, tmp_path: Path, suffix: str) -> None:
    file, out = tmp_path / f"a.jsonl.{suffix}", tmp_path / "out"
    file.write_bytes(COMPRESS[suffix](json_line({"text": "Paris"})))
    link_corpus([str(file)], str(out), degree_linker)
    again = link_corpus([str(out / file.name)], str(tmp_path / "again"), degree_linker)
    assert (again.documents, again.linked) == (1, 1)
    assert (out / file.name).read_bytes()[:3] == file.read_bytes()[:3]


# which files


def test_folders_patterns_and_files(degree_linker: Linker, tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "in")
    (folder / "deep").mkdir()
    shutil.copy(folder / "part-0.jsonl", folder / "deep" / "part-0.jsonl")
    for name in ("_SUCCESS", ".hidden.jsonl"):
        (folder / name).write_text("no documents")
    out = tmp_path / "in" / "out"  # within the folder that is read
    for _ in range(2):
        assert link_corpus([str(folder)], str(out), degree_linker).files == 5
    assert "deep/part-0.jsonl" in outputs(out)
    assert link_corpus([f"{folder}/part-*.jsonl"], str(tmp_path / "some"), degree_linker).files == 3


@pytest.mark.parametrize(
    "files", [["a.jsonl", "a.jsonl"], ["a.jsonl", "b/a.jsonl"], ["nothing.jsonl"], ["no-*.jsonl"], ["empty"]]
)
def test_files_that_cannot_be_a_corpus(degree_linker: Linker, tmp_path: Path, files: list[str]) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "empty").mkdir()
    for name in ("a.jsonl", "b/a.jsonl"):
        (tmp_path / name).write_bytes(json_line({"text": "Paris"}))
    with pytest.raises((OptionError, SourceError)):
        link_corpus([str(tmp_path / name) for name in files], str(tmp_path / "out"), degree_linker)
    assert not (tmp_path / "out").exists()


def test_a_folder_with_other_files_is_refused(degree_linker: Linker, tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "in")
    with pytest.raises(OptionError, match="in the output folder"):
        link_corpus([str(folder / "part-0.jsonl")], str(folder), degree_linker)
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "precious.txt").write_text("mine")
    with pytest.raises(OptionError, match=r"precious\.txt, which is not of such a job"):
        link_corpus([str(folder)], str(tmp_path / "full"), degree_linker)
    assert not list(tmp_path.rglob("_eigenthemes"))


def test_paths_of_fsspec(degree_linker: Linker, tmp_path: Path) -> None:
    fsspec = pytest.importorskip("fsspec")
    folder = write_corpus(tmp_path / "in")
    link_corpus([str(folder)], str(tmp_path / "out"), degree_linker)
    memory = fsspec.filesystem("memory")
    memory.put(str(folder), "/corpus", recursive=True)
    try:
        first = link_corpus(["memory://corpus/part-*.jsonl", "memory://corpus/rows.parquet"], "memory://linked", degree_linker)
        again = link_corpus(["memory://corpus"], "memory://linked", degree_linker)
        assert (first.files, first.before, again.before) == (4, 0, 4)
        for name, data in outputs(tmp_path / "out").items():
            assert memory.cat(f"/linked/{name}") == data
        assert not memory.exists("/linked/_eigenthemes/unfinished")
    finally:
        for place in ("/corpus", "/linked"):
            memory.rm(place, recursive=True)


# processes, commands


@pytest.mark.slow
def test_the_command_with_several_processes(tiny: KB, tmp_path: Path) -> None:
    folder = write_corpus(tmp_path / "in")
    options = ("--method", "degree")
    for jobs in (1, 2):
        done = call("link", tiny.path, folder, "-o", f"{tmp_path}/out{jobs}/", "--jobs", jobs, *options)
        assert done.returncode == 0, done.stderr
        assert "4 files: 16 documents, " in done.stderr
    assert outputs(tmp_path / "out1") == outputs(tmp_path / "out2")
    done = call("link", tiny.path, folder, "-o", f"{tmp_path}/out1", "--engine", "local", *options)
    assert "4 files (4 linked before): 16 documents" in done.stderr
    done = call("link", tiny.path, folder, "-o", f"{tmp_path}/out1/", "--method", "eigen")
    assert_one_sentence(done, "was started with", "give another folder")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--engine", "local"], "-o FOLDER/"),
        (["-o", "out/", "--table"], "--table"),
        (["-o", "out/", "--errors", "e.jsonl"], "--errors"),
        (["-o", "out/", "--workers", "2"], "--engine ray"),
        (["--address", "auto"], "--engine ray"),
        (["-o", "out/", "--engine", "ray", "--jobs", "2"], "--workers"),
        (["-o", "out/", "--column", "texts=a"], "texts"),
        (["-o", "out/", "--column", "text"], "ROLE=NAME"),
    ],
)
def test_wrong_options_of_the_command(tiny: KB, tmp_path: Path, options: list[str], words: str) -> None:
    (tmp_path / "a.jsonl").write_bytes(json_line({"text": "Paris"}))
    assert_one_sentence(call("link", tiny.path, "a.jsonl", *options, cwd=tmp_path), words)
    assert not (tmp_path / "out").exists()


def test_the_command_tells_what_could_not_be_linked(tiny: KB, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"broken\n" + json_line({"text": "Paris"}))
    (tmp_path / "b.parquet").write_bytes(b"PAR1")
    done = call("link", tiny.path, "a.jsonl", "b.parquet", "-o", "out/", "--method", "degree", cwd=tmp_path)
    assert done.returncode == 1
    assert "1 record could not be linked; see errors/ in out/" in done.stderr
    assert "b.parquet: b.parquet is not a complete Parquet file" in done.stderr
    assert "correct or remove them: the same command tries them again" in done.stderr


def test_reports_and_files_can_be_pickled() -> None:
    import pickle

    for value in (FileReport("a", 1, 2, 3), FileEntry("a", "b", 1, "c"), DocumentError("x", where="y")):
        assert str(pickle.loads(pickle.dumps(value))) == str(value)

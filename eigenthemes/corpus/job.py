"""The files of a corpus, and the output folder that lets an interrupted run continue.

    out/a.parquet                     a file of the corpus with its links: written elsewhere, then renamed
    out/errors/a.parquet              its bad records, each with the cause
    out/_eigenthemes/job.json         KB, options and version: a run with others is refused
    out/_eigenthemes/done/*.json      a record per finished file: size and state of the input, and the counts
    out/_eigenthemes/unfinished/      files being written; removed at the end
    out/_eigenthemes/manifest.json    all files with their counts, written last

A file is linked again unless its record matches the input. Two processes that link the same file, because one was taken for
dead, write the same bytes under the same name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

import eigenthemes
from eigenthemes.core import storage
from eigenthemes.core.files import name_without_compression
from eigenthemes.core.storage import FileEntry
from eigenthemes.errors import KBError, OptionError, SourceError
from eigenthemes.kb.archive import unpacked
from eigenthemes.linker import Linker, LinkOptions

_OWN_FOLDER, _ERRORS = "_eigenthemes", "errors"
_FORMAT, _VERSION = "eigenthemes-job", 2


def find_corpus_files(paths: Sequence[str], output: str) -> list[FileEntry]:
    """Return the files of paths, folders, patterns and URLs in order, without those in the output folder.

    Each is a unit of work, and its output has its name.
    """
    files: dict[str, FileEntry] = {}
    for path in paths:
        listing = storage.list_files(path)
        inputs = [file for file in listing if not _is_in(file.path, output)]
        if listing and not inputs:
            raise OptionError(f"{path} is in the output folder {output}; give another folder", code="job-folder", where=path)
        if not inputs:
            raise SourceError(f"{path} is neither a file of documents nor a folder with any; check the path", where=path)
        for file in inputs:
            _check_name(file, files.get(file.name))
            files[file.name] = file
    return list(files.values())


def _check_name(file: FileEntry, other: FileEntry | None) -> None:
    """Refuse a file whose output would replace another one."""
    if other is not None and other.path == file.path:
        raise OptionError(f"{file.path} is given twice; give each file of documents once", where=file.path)
    if other is not None:
        problem = f"{other.path} and {file.path} would both be written as {file.name}; give the folder that contains both"
        raise OptionError(problem, where=file.path)
    if file.name.startswith(f"{_ERRORS}/"):
        raise OptionError(f"{file.path} would be written as {file.name}, which is for errors; rename it", where=file.path)


def _is_in(path: str, folder: str) -> bool:
    if storage.is_url(path) or storage.is_url(folder):
        return path.startswith(folder.rstrip("/") + "/")
    return Path(folder).absolute() in Path(path).parents


@dataclass(frozen=True, slots=True)
class FileReport:
    """The counts of a linked file; `problem` is the reason if it could not be linked at all."""

    name: str
    documents: int = 0
    mentions: int = 0
    linked: int = 0
    failures: int = 0
    seconds: float = 0.0
    problem: str | None = None


@dataclass(frozen=True)
class Job:
    """Links the files of a corpus into a folder; can be sent to other machines.

    kb_state  identifies the KB's contents: a machine whose KB differs is refused
    options   of the linker
    columns   of Parquet files, by role
    archive   path and hash of the KB as an archive, used in place of `kb_path`
    """

    folder: str
    kb_path: str
    kb_state: str
    options: LinkOptions
    columns: Mapping[str, str] | None = field(default=None, hash=False)
    archive: tuple[str, str] | None = None

    @staticmethod
    def of(
        linker: Linker, folder: str, *, columns: Mapping[str, str] | None = None, archive: tuple[str, str] | None = None
    ) -> Job:
        """Return the job of linking with this linker into a folder."""
        path, options = linker.path_and_options
        return Job(folder, path, linker.kb.state, replace(options, method=linker.method_name), columns, archive)

    def open_linker(self) -> Linker:
        """Open the linker on this machine."""
        path = self.kb_path if self.archive is None else str(unpacked(*self.archive))
        linker = Linker(path, options=self.options)
        if linker.kb.state != self.kb_state:
            where = path if self.archive is None else self.archive[0]
            problem = f"{where} is not the KB that the job started with; give every machine the same one"
            raise KBError(problem, code="kb-replaced", where=where)
        return linker

    def output_of(self, file: FileEntry) -> str:
        """Return the path of a file's output."""
        return storage.join(self.folder, file.name)

    def errors_of(self, file: FileEntry) -> str:
        """Return the path of a file's bad records, which are not compressed."""
        return storage.join(self.folder, _ERRORS, name_without_compression(file.name))

    @property
    def unfinished(self) -> str:
        """The folder of files that are being written."""
        return self._own("unfinished")

    def _own(self, *names: str) -> str:
        return storage.join(self.folder, _OWN_FOLDER, *names)

    def start(self) -> None:
        """Write the description of the job, or check that the folder's finished files have the same one."""
        started = storage.read_file(self._own("job.json"))
        if started is not None and storage.read_folder(self._own("done")):
            self._check_same(_parsed(started))
            return
        existing = storage.list_files(self.folder)
        if existing and started is None:
            raise self._error(f"contains {existing[0].name}, which is not of such a job; give a new or an empty folder")
        self._write("job.json", self._description())

    def _description(self) -> dict[str, Any]:
        description = {
            "format": _FORMAT,
            "version": _VERSION,
            "eigenthemes": eigenthemes.__version__,
            "kb": self.kb_state,
            "columns": dict(self.columns or {}),
            "options": asdict(self.options),
        }
        return _parsed(_json(description))

    def _error(self, problem: str, code: str = "job-folder") -> OptionError:
        return OptionError(f"{self.folder} {problem}", code=code, where=self.folder)

    def _check_same(self, started: dict[str, Any]) -> None:
        """Refuse a folder whose finished files were linked with another KB, version or options."""
        if not started:
            raise self._error("contains a job whose job.json is damaged; give another folder")
        old, new = (each | each.pop("options", {}) for each in (started, self._description()))
        name = next((name for name, value in new.items() if old.get(name) != value), None)
        if name is not None:
            difference = f"{name} {_short(old.get(name))}, now {_short(new[name])}" if name != "kb" else "another KB"
            problem = f"contains a job that was started with {difference}; continue with the same, or give another folder"
            raise self._error(problem, "resume-differs")

    def finished(self, files: Iterable[FileEntry]) -> dict[str, FileReport]:
        """Return the reports of the files that an earlier run has linked, by name."""
        records = storage.read_folder(self._own("done"))
        reports = {file.name: _report(file, records.get(_record_name(file))) for file in files}
        return {name: report for name, report in reports.items() if report is not None}

    def mark_finished(self, file: FileEntry, report: FileReport) -> None:
        """Write the record of a file whose output is complete."""
        self._write(f"done/{_record_name(file)}", {**file._asdict(), **asdict(report)})

    def finish(self, reports: Iterable[FileReport]) -> None:
        """Write the manifest of all files, and remove the unfinished files of killed processes."""
        self._write("manifest.json", {**self._description(), "parts": [asdict(report) for report in reports]})
        storage.remove(self.unfinished)

    def _write(self, name: str, record: dict[str, Any]) -> None:
        try:
            with storage.write_atomically(self._own(*name.split("/")), self.unfinished) as out:
                out.write(_json(record))
        except OSError as error:
            problem = f"{self.folder} cannot be written ({storage.reason(error)})"
            remedy = "free some space there, or give another folder"
            raise SourceError(f"{problem}; {remedy}", code="job-folder", where=self.folder) from None


def _report(file: FileEntry, record: bytes | None) -> FileReport | None:
    """Return the report of a record; None without one, or if the input has changed since."""
    values = _parsed(record or b"")
    if (values.get("size"), values.get("state")) != (file.size, file.state):
        return None
    return FileReport(**{name: values[name] for name in FileReport.__slots__ if name in values})


def _record_name(file: FileEntry) -> str:
    """Return a readable and unique name for the record of a file."""
    digest = hashlib.sha256(file.name.encode("utf-8", "surrogateescape")).hexdigest()[:12]
    return f"{file.name.replace('/', '-')[-100:]}.{digest}.json"


def _parsed(record: bytes) -> dict[str, Any]:
    """Return a record, or an empty one if it is damaged."""
    try:
        values = json.loads(record)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}


def _json(record: dict[str, Any]) -> bytes:
    return json.dumps(record, indent=1, default=str).encode() + b"\n"


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:60] + "…"

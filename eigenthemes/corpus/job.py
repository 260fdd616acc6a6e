"""The folder that a corpus is linked into, and how it is gone on with after a kill.

    out/part-0001.parquet              a part of the input with its links: written elsewhere, then renamed
    out/errors/part-0001.parquet       its bad records, each with the cause
    out/_eigenthemes/job.json          what is linked, with what: another KB, other options, another version are refused
    out/_eigenthemes/done/*.json       a file for each part that is done, written after it: what it was made of, and the counts
    out/_eigenthemes/pieces/           of large files: the pieces that are done, until they are joined
    out/_eigenthemes/unfinished/       what is being written; removed at the end
    out/_eigenthemes/manifest.json     all parts with their counts, written last: the job is done

A part is linked again unless its record says that it was made of the file as it is now. Two processes that link the same part,
since one was thought dead, write the same bytes under the same name.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, is_dataclass, replace
from typing import Any

import eigenthemes
from eigenthemes.core.places import find, join, read_file, read_folder, remove, written_at_once
from eigenthemes.corpus.parts import Part, errors_name
from eigenthemes.errors import KBError, OptionError, SourceError
from eigenthemes.kb.archive import unpacked
from eigenthemes.linker import Linker, LinkOptions

OWN_FOLDER = "_eigenthemes"
_FORMAT, _VERSION = "eigenthemes-job", 1


@dataclass(frozen=True, slots=True)
class PartReport:
    """What became of a part, or of a piece of it; `problem` says why it was not linked at all.

    piece  its number, of a piece
    lines  of a piece of lines: how many it has
    """

    name: str
    documents: int = 0
    mentions: int = 0
    linked: int = 0
    failures: int = 0
    seconds: float = 0.0
    problem: str | None = None
    piece: int | None = None
    lines: int = 0

    @staticmethod
    def of(part: Part, **what: Any) -> PartReport:
        """Return a report of a part or piece."""
        return PartReport(part.name, piece=None if part.piece is None else part.piece.number, **what)


@dataclass(frozen=True)
class Job:
    """What links the parts of a corpus; it travels to other machines.

    folder          of the output
    kb_path         of the KB, wherever a part is linked
    kb_state        what the KB there must be: changes whenever a KB is changed
    options         of the linker
    columns         of Parquet files, by role
    archive         the KB as an archive, and its hash: used in place of the path
    """

    folder: str
    kb_path: str
    kb_state: str
    options: LinkOptions
    columns: Mapping[str, str] | None = None
    archive: tuple[str, str] | None = None

    @staticmethod
    def of(
        linker: Linker, folder: str, *, columns: Mapping[str, str] | None = None, archive: tuple[str, str] | None = None
    ) -> Job:
        """Return the job of linking with this linker into a folder."""
        path, options = linker.path_and_options
        return Job(folder, path, linker.kb.state, replace(options, method=linker.method_name), columns, archive)

    def open_linker(self) -> Linker:
        """Open the linker on this machine; a KB that is not the one the job began with is refused."""
        path = self.kb_path if self.archive is None else str(unpacked(*self.archive))
        linker = Linker(path, options=self.options)
        if linker.kb.state != self.kb_state:
            where = path if self.archive is None else self.archive[0]
            raise KBError(
                f"{where} is not the KB that the job began with; give every machine the same one",
                code="kb-replaced",
                where=where,
            )
        return linker

    # where things are

    def output_of(self, part: Part) -> str:
        if part.piece is not None:
            return join(self.pieces_of(part), str(part.piece.number))
        return join(self.folder, *part.name.split("/"))

    def errors_of(self, part: Part) -> str:
        if part.piece is not None:
            return join(self.pieces_of(part), f"{part.piece.number}.errors")
        return join(self.folder, *errors_name(part.name).split("/"))

    def pieces_of(self, part: Part) -> str:
        """Return the folder of the pieces of a part."""
        return join(self.folder, OWN_FOLDER, "pieces", _file_name(part.name))

    @property
    def unfinished(self) -> str:
        return join(self.folder, OWN_FOLDER, "unfinished")

    def _own(self, name: str) -> str:
        return join(self.folder, OWN_FOLDER, name)

    def _record_of(self, part: Part) -> str:
        return join(self.folder, OWN_FOLDER, "done", _file_name(part.key))

    # begin, go on, end

    def begin(self) -> None:
        """Write what the job is, or check that it is the one of which parts are done in the folder."""
        begun = read_file(self._own("job.json"))
        if begun is not None and read_folder(self._own("done")):
            self._check(_parsed(begun))
            return
        found = find(self.folder)
        if found and begun is None:
            raise OptionError(
                f"{self.folder} holds {found[0][0]}, which is no part of a job; give a new or an empty folder",
                code="job-folder",
                where=self.folder,
            )
        try:
            self._write("job.json", self._description)
        except OSError as error:
            raise SourceError(
                f"{self.folder} cannot be written ({error.strerror or error}); give another folder",
                code="job-folder",
                where=self.folder,
            ) from None

    @property
    def _description(self) -> dict[str, Any]:
        return {
            "format": _FORMAT,
            "version": _VERSION,
            "eigenthemes": eigenthemes.__version__,
            "kb": self.kb_state,
            "options": json.loads(json.dumps(self.options, default=_plain)),
            "columns": dict(self.columns or {}),
        }

    def _check(self, begun: dict[str, Any]) -> None:
        """Refuse to go on with another job than the one that was begun."""
        if not begun:
            raise OptionError(
                f"{self.folder} holds a job whose job.json is damaged; give another folder",
                code="job-folder",
                where=self.folder,
            )
        ours = self._description
        different = [f"{key} {_shown(begun.get(key))}, now {_shown(value)}" for key, value in ours.items() if key in _TOLD
                     and begun.get(key) != value]  # fmt: skip
        if begun.get("kb") != ours["kb"]:
            different.insert(0, "another KB, or the KB before it was changed")
        old = begun.get("options", {})
        different += [
            f"{name} {_shown(old.get(name))}, now {_shown(value)}"
            for name, value in ours["options"].items()
            if old.get(name) != value
        ]
        if different:
            raise OptionError(
                f"{self.folder} holds a job that was begun with {different[0]}; go on with what it was begun with, or give "
                "another folder",
                code="resume-differs",
                where=self.folder,
            )

    def done(self, parts: Iterable[Part]) -> dict[str, PartReport]:
        """Return the reports of those parts that are done, by key."""
        records = read_folder(self._own("done"))
        found = {part.key: _report_of(part, records.get(_file_name(part.key))) for part in parts}
        return {key: report for key, report in found.items() if report is not None}

    def report_of(self, part: Part) -> PartReport | None:
        """Return the report of a part, if it is done."""
        return _report_of(part, read_file(self._record_of(part)))

    def mark_done(self, part: Part, report: PartReport) -> None:
        """Write that a part is done; its output is there by now."""
        with written_at_once(self._record_of(part), self.unfinished) as out:
            out.write(_json({**part._asdict(), **asdict(report), "bounds": part.piece}))

    def forget(self, parts: Iterable[Part]) -> None:
        """Take parts for not done any more."""
        for part in parts:
            remove(self._record_of(part))

    def finish(self, reports: Iterable[PartReport]) -> None:
        """Write the manifest of all parts, and remove what processes that were killed have left."""
        parts = list(reports)
        self._write("manifest.json", {**self._description, "parts": [asdict(report) for report in parts]})
        remove(self.unfinished)
        if all(report.problem is None for report in parts):
            remove(self._own("pieces"))  # else what is done of a part is there for the next run

    def _write(self, name: str, record: dict[str, Any]) -> None:
        with written_at_once(self._own(name), self.unfinished) as out:
            out.write(_json(record))


_TOLD = ("format", "version", "eigenthemes", "columns")


def _report_of(part: Part, record: bytes | None) -> PartReport | None:
    found = _parsed(record or b"")
    if any(found.get(name) != getattr(part, name) for name in ("size", "state")):
        return None  # no record, or the input is another by now
    if part.piece is not None and found.get("bounds") != list(part.piece):
        return None  # it was cut elsewhere
    return PartReport(**{name: found[name] for name in asdict(PartReport(part.name)) if name in found})


def _parsed(record: bytes) -> dict[str, Any]:
    """Return a record; an empty one where it is damaged."""
    try:
        found = json.loads(record)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _file_name(name: str) -> str:
    """Return a name for the record of a part: legible, and no other part's."""
    readable = name.replace("/", "-")[-100:]
    return f"{readable}.{hashlib.sha256(name.encode('utf-8', 'surrogateescape')).hexdigest()[:12]}.json"


def _json(record: dict[str, Any]) -> bytes:
    return json.dumps(record, indent=1, default=_plain).encode() + b"\n"


def _plain(value: Any) -> Any:
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else str(value)


def _shown(value: Any) -> str:
    text = json.dumps(value, default=_plain)
    return text if len(text) <= 60 else text[:60] + "…"

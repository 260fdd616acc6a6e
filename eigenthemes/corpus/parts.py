"""The parts of a corpus: which files are linked, and what each is called in the output."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from eigenthemes.core.places import find, is_url
from eigenthemes.errors import OptionError, SourceError

COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
OWN = ("errors",)  # folders of the output that no part may be in


class Piece(NamedTuple):
    """A range of a large file: the lines that begin in these bytes, or these rows of Parquet."""

    number: int
    first: int
    last: int


class Part(NamedTuple):
    """A file of documents, or a piece of a large one: the unit of work.

    name   what it is called in the output: its name, or its path within the folder that was given
    size   of the file, in bytes
    state  changes whenever the file does, as far as a listing tells
    """

    name: str
    path: str
    size: int
    state: str
    piece: Piece | None = None

    @property
    def key(self) -> str:
        """Its name, and which piece of it."""
        return self.name if self.piece is None else f"{self.name}#{self.piece.number}"


def find_parts(paths: Sequence[str], output: str) -> list[Part]:
    """Return the files of some paths, folders, patterns and URLs, in order; those in the output folder are not among them.

    Hidden files and those that begin with _ (as other programs mark their own) are left out of folders.
    """
    parts: dict[str, Part] = {}
    for path in paths:
        listing = find(path)
        found = [(name, listed) for name, listed in listing if not _is_in(listed.path, output)]
        if listing and not found:
            raise OptionError(f"{path} is in the output folder {output}; give another folder", code="job-folder", where=path)
        if not found:
            raise SourceError(f"{path} is no file of documents, and no folder with any; check the path", where=path)
        for name, listed in found:
            if name in parts and parts[name].path == listed.path:
                raise OptionError(f"{listed.path} is given twice; give each file of documents once", where=listed.path)
            if name in parts:
                raise OptionError(
                    f"{parts[name].path} and {listed.path} would both be written as {name}; give the folder that holds both",
                    where=listed.path,
                )
            if name.partition("/")[0] in OWN:
                raise OptionError(
                    f"{listed.path} would be written into {name}, which is for errors; rename it", where=listed.path
                )
            parts[name] = Part(name, listed.path if is_url(listed.path) else str(Path(listed.path).absolute()), *listed[1:])
    return list(parts.values())


def _is_in(path: str, folder: str) -> bool:
    if is_url(path) != is_url(folder):
        return False
    if is_url(path):
        return path.startswith(folder.rstrip("/") + "/")
    return Path(folder).absolute() in Path(path).absolute().parents


def errors_name(name: str) -> str:
    """Return what the file of a part's bad records is called; it is not compressed."""
    suffix = next((suffix for suffix in COMPRESSED if name.lower().endswith(suffix)), "")
    return f"errors/{name[: len(name) - len(suffix)]}"

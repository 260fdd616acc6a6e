"""Which files of documents are meant: those given, and those in folders that are given."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from eigenthemes.errors import OptionError, SourceError

Paths = str | Path | Sequence[str | Path]

_SETTINGS = ".conf"  # of BRAT, beside its annotations


class DocumentFile(NamedTuple):
    """A file of documents.

    path    `-` is standard input
    name    what it is called in sentences and ids: its name, within its folder, or the whole path where two are called alike
    walked  it was found in a folder, so that it is told and left out where it cannot be read
    """

    path: str
    name: str
    walked: bool = False


def find_files(paths: Paths) -> list[DocumentFile]:
    """Return the files of some paths; folders are walked in order of names, hidden files left out. A missing one is refused.

    The text of BRAT annotations that are among the files is no document of its own.
    """
    listed = [os.fspath(path) for path in ([paths] if isinstance(paths, str | Path) else paths)]
    if not listed:
        raise OptionError("there is no file of documents; give the path of at least one, or - for standard input")
    _refuse_twice(listed)
    files: list[DocumentFile] = []
    for path in listed:
        files += _walk(path) if _is_folder(path) else [DocumentFile(path, "stdin" if path == "-" else Path(path).name)]
    files = _without_texts(files)
    _refuse_twice([file.path for file in files])
    counts = Counter(file.name for file in files)
    return [file if counts[file.name] == 1 else file._replace(name=file.path) for file in files]


def _refuse_twice(paths: list[str]) -> None:
    twice = [path for path, count in Counter(paths).items() if count > 1]
    if twice:
        raise OptionError(f"{twice[0]} is given twice; give each file of documents once", where=twice[0])


def _is_folder(path: str) -> bool:
    if path == "-":
        return False
    with suppress(PermissionError):  # opening it will say so
        if Path(path).is_dir():
            return True
        if not Path(path).exists():
            raise SourceError(f"{path} does not exist; give the path of a file of documents", where=path)
    return False


def _walk(folder: str) -> list[DocumentFile]:
    found = list(_walked(Path(folder)))
    if not found:
        raise SourceError(f"{folder} is a folder; it holds no file of documents: give another one", where=folder)
    return found


def _walked(folder: Path) -> Iterator[DocumentFile]:
    def refuse(error: OSError) -> None:
        raise SourceError(
            f"{error.filename} cannot be read ({error.strerror}); check its permissions", where=str(error.filename)
        )

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        annotated = any(name.endswith(".ann") for name in names)
        for name in sorted(names):
            if name.startswith(".") or (annotated and name.endswith(_SETTINGS)):
                continue
            path = Path(parent) / name
            yield DocumentFile(str(path), path.relative_to(folder).as_posix(), walked=True)


def _without_texts(files: list[DocumentFile]) -> list[DocumentFile]:
    """Leave out texts whose annotations are there, too."""
    annotated = {file.path.removesuffix(".ann") for file in files if file.path.endswith(".ann")}
    if not annotated:
        return files
    return [file for file in files if not (file.path.endswith(".txt") and file.path.removesuffix(".txt") in annotated)]

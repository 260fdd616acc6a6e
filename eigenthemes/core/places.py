"""Files on this machine, or wherever fsspec reaches by a URL: s3://, gs://, hdfs://, http://, file://, memory://.

A path without :// needs no further package. What is written appears at once or not at all: it is written elsewhere in the same
place, and then renamed; a store without renaming (S3) has objects that appear whole.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple
from uuid import uuid4

from eigenthemes.core.paths import check_input
from eigenthemes.errors import MissingExtraError, SourceError


class Listed(NamedTuple):
    """A file as a listing shows it; `state` changes whenever the file does, as far as a listing can tell."""

    path: str
    size: int
    state: str


def is_url(path: str) -> bool:
    """Return whether a path is of another file system, named by its beginning."""
    scheme, found, _ = path.partition("://")
    return bool(found) and scheme.replace("+", "").replace("-", "").replace(":", "").isalnum()


def join(folder: str, *names: str) -> str:
    """Return the path of a file in a folder."""
    return "/".join([folder.rstrip("/"), *names]) if is_url(folder) else str(Path(folder, *names))


def open_to_read(path: str) -> IO[bytes]:
    """Open a file for reading, from any place in it."""
    try:
        if is_url(path):
            system, inner = _system(path)
            opened: IO[bytes] = system.open(inner, "rb")
            return opened
        check_input(path)
        return open(path, "rb")
    except (FileNotFoundError, ValueError):
        raise SourceError(f"{path} does not exist; give the path of a file that is there", where=path) from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({_reason(error)}); check its permissions", where=path) from None


def read_file(path: str) -> bytes | None:
    """Return the bytes of a small file, or None where there is none."""
    try:
        if is_url(path):
            system, inner = _system(path)
            data: bytes = system.cat_file(inner)
            return data
        return Path(path).read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None


@contextmanager
def written_at_once(path: str, temporary_folder: str) -> Iterator[IO[bytes]]:
    """Write a file that appears under its name when the block ends, and not at all where it fails.

    temporary_folder  in the same place; what a process that was killed left there can be removed by anybody
    """
    unfinished = join(temporary_folder, uuid4().hex)
    if is_url(path):
        system, inner = _system(path)
        _, beside = _system(unfinished)
        system.makedirs(os.path.dirname(beside), exist_ok=True)  # noqa: PTH120
        system.makedirs(os.path.dirname(inner), exist_ok=True)  # noqa: PTH120
        try:
            with system.open(beside, "wb") as file:
                yield file
            system.mv(beside, inner)
        finally:
            with suppress(OSError):
                system.rm_file(beside)
        return
    final, beside_it = Path(path), Path(unfinished)
    for folder in (beside_it.parent, final.parent):
        folder.mkdir(parents=True, exist_ok=True)
    try:
        with open(beside_it, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        beside_it.replace(final)
    finally:
        beside_it.unlink(missing_ok=True)


def remove(path: str) -> None:
    """Remove a file or a folder with all that is in it; nothing happens where there is none."""
    with suppress(FileNotFoundError):
        if is_url(path):
            system, inner = _system(path)
            system.rm(inner, recursive=True)
        elif Path(path).is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            Path(path).unlink()


def is_folder(path: str) -> bool:
    """Return whether there is a folder."""
    if is_url(path):
        system, inner = _system(path)
        return bool(system.isdir(inner))
    return Path(path).is_dir()


def read_folder(folder: str) -> dict[str, bytes]:
    """Return the small files right in a folder by their names; a store that can fetches them all together."""
    names = [name for name, _ in _walk(folder) if "/" not in name]
    if not is_url(folder):
        return {name: Path(folder, name).read_bytes() for name in names}
    system, inner = _system(folder)
    paths = [f"{inner.rstrip('/')}/{name}" for name in names]
    found = system.cat(paths) if paths else {}
    found = found if isinstance(found, dict) else {paths[0]: found}
    return {name: found[path] for name, path in zip(names, paths, strict=True) if path in found}


def find(path: str) -> list[tuple[str, Listed]]:
    """Return the files that a path means, each with its name: a file, those below a folder, or what a pattern with * fits."""
    if is_url(path):
        return _found_by_fsspec(path)
    if Path(path).is_dir():
        return [(name, listed) for name, listed in _walk(path) if not _is_hidden(name)]
    if Path(path).exists():
        return [(Path(path).name, _local(Path(path)))]
    if any(letter in path for letter in "*?["):
        import glob

        return [(Path(each).name, _local(Path(each))) for each in sorted(glob.glob(path)) if Path(each).is_file()]  # noqa: PTH207
    return []


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in name.split("/"))


def _walk(folder: str) -> list[tuple[str, Listed]]:
    """Return all files below a folder by their paths in it, in order of names."""
    if not is_url(folder):
        found = [file for file in Path(folder).rglob("*") if file.is_file()]
        return sorted((file.relative_to(folder).as_posix(), _local(file)) for file in found)
    system, inner = _system(folder)
    try:
        details = system.find(inner, detail=True)
    except FileNotFoundError:
        return []
    start = inner.rstrip("/") + "/"
    return sorted((path.removeprefix(start), _remote(system, path, info)) for path, info in details.items())


def _found_by_fsspec(path: str) -> list[tuple[str, Listed]]:
    system, inner = _system(path)
    try:
        if any(letter in inner for letter in "*?["):
            found = system.glob(inner, detail=True).items()
            return sorted((each.rpartition("/")[2], _remote(system, each, info)) for each, info in found)
        if system.isdir(inner):
            return [(name, listed) for name, listed in _walk(path) if not _is_hidden(name)]
        return [(inner.rpartition("/")[2], _remote(system, inner, system.info(inner)))]
    except FileNotFoundError:
        return []
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({_reason(error)}); check the URL and the permissions", where=path) from None


def _local(file: Path) -> Listed:
    status = file.stat()
    return Listed(str(file), status.st_size, str(status.st_mtime_ns))


def _remote(system: Any, path: str, info: dict[str, Any]) -> Listed:
    state = next((info[key] for key in ("ETag", "etag", "md5Hash", "mtime", "LastModified", "created") if info.get(key)), "")
    if isinstance(state, datetime):  # of one file, where a listing of many gives seconds
        state = state.timestamp()
    return Listed(system.unstrip_protocol(path), int(info.get("size") or 0), str(state))


def _system(path: str) -> tuple[Any, str]:
    """Return the file system of a URL, and the path within it."""
    try:
        import fsspec
    except ImportError:
        raise MissingExtraError(f"the path {path}", "fsspec", "ray") from None
    try:
        system, inner = fsspec.core.url_to_fs(path)
    except (ImportError, ValueError) as error:
        raise SourceError(f"{path} cannot be reached ({_reason(error)}); install what fsspec asks for", where=path) from None
    return system, inner


def _reason(error: Exception) -> str:
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(told.split())[:200] or type(error).__name__

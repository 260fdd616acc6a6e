"""Files on this machine or at a URL of fsspec (s3://, gs://, hdfs://, http://, file://, memory://): open, list, write, remove.

fsspec handles local files, too, with one exception: they are opened for reading with `open`, because fsspec cannot read pipes
and its import takes longer than a short command may.
"""

from __future__ import annotations

import errno
import glob
import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import IO, Any, NamedTuple
from uuid import uuid4

from eigenthemes.errors import EigenthemesError, SourceError

# the shell's <(...) and >(...), standard streams and terminals
_STREAMS = ("/dev/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/pts/", "/proc/")
_STATE_KEYS = ("ETag", "etag", "md5Hash", "mtime", "LastModified", "created")  # of various file systems, most reliable first


class FileEntry(NamedTuple):
    """A file of a listing.

    name   its file name, or its path within the folder that was listed
    state  changes when the file changes, as far as the listing shows
    """

    name: str
    path: str
    size: int
    state: str


def is_url(path: str) -> bool:
    """Return whether a path begins with a protocol, like s3://."""
    scheme, separator, _ = path.partition("://")
    return bool(separator) and scheme.replace("+", "").replace("-", "").replace(":", "").isalnum()


def join(folder: str, *names: str) -> str:
    """Return the path of a file in a folder."""
    return "/".join([folder.rstrip("/"), *names])


def filesystem(path: str) -> tuple[Any, str]:
    """Return the fsspec file system of a path, and the path within it."""
    import fsspec

    if not is_url(path):  # not parsed as a URL: a local name may contain :: or begin with ~
        return fsspec.filesystem("file"), str(Path(path).absolute())
    try:
        system, inner = fsspec.core.url_to_fs(path)
    except (ImportError, ValueError) as error:
        raise SourceError(
            f"{path} cannot be opened ({reason(error)}); install the package that fsspec names", where=path
        ) from None
    return system, inner


def _is_local(system: Any) -> bool:
    return "file" in system.protocol


def open_input(path: str, *, once: bool = False) -> IO[bytes]:
    """Open a file for reading; `-` is standard input.

    once  it is read from front to back, so that a pipe of the shell is accepted
    """
    if path == "-":
        return sys.stdin.buffer
    try:
        if is_url(path):
            system, inner = filesystem(path)
            opened: IO[bytes] = system.open(inner, "rb")
            return opened
        remedy = "give the files in it one by one" if Path(path).is_dir() else "give the path of a file"
        check_input(path, once=once, remedy=remedy)
        return open(path, "rb")
    except (FileNotFoundError, ValueError):  # ValueError: the name contains a NUL
        raise SourceError(f"{path} does not exist; give the path of a file that is there", where=path) from None
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({reason(error)}); check its permissions", where=path) from None


def read_file(path: str) -> bytes | None:
    """Return the bytes of a small file, or None if it does not exist."""
    system, inner = filesystem(path)
    try:
        data: bytes = system.cat_file(inner)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return data


def read_text(path: str | Path, what: str, remedy: str) -> str:
    """Return the text of a small local file; errors name what it should hold, and the remedy."""
    check_input(path, remedy=remedy, once=True)
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{what} cannot be read from {path} ({error}); {remedy}", where=str(path)) from None


def read_folder(folder: str) -> dict[str, bytes]:
    """Return the small files directly in a folder by name; object stores fetch them concurrently."""
    system, inner = filesystem(folder)
    try:
        paths = system.find(inner, maxdepth=1)
    except FileNotFoundError:
        return {}
    contents = system.cat_ranges(paths, None, None) if paths else []
    return {path.rpartition("/")[2]: data for path, data in zip(paths, contents, strict=True) if isinstance(data, bytes)}


@contextmanager
def write_atomically(path: str, temporary_folder: str) -> Iterator[IO[bytes]]:
    """Write a file that appears under its name when the block ends, or not at all if it fails.

    temporary_folder  on the same file system; a killed process leaves its unfinished file there
    """
    system, final = filesystem(path)
    unfinished = join(filesystem(temporary_folder)[1], uuid4().hex)
    for file in (unfinished, final):
        system.makedirs(file.rpartition("/")[0], exist_ok=True)
    try:
        with system.open(unfinished, "wb") as out:
            yield out
        if _is_local(system):
            with open(unfinished, "rb") as written:
                os.fsync(written.fileno())
        system.mv(unfinished, final)
    finally:
        with suppress(OSError):
            system.rm_file(unfinished)


def remove(path: str) -> None:
    """Remove a file, or a folder with its files; do nothing if it does not exist."""
    system, inner = filesystem(path)
    with suppress(FileNotFoundError):
        system.rm(inner, recursive=True)


def list_files(path: str) -> list[FileEntry]:
    """Return the files of a path: the file itself, those below a folder, or the matches of a pattern.

    Hidden files and those that begin with _ are left out.
    """
    system, inner = filesystem(path)
    try:
        if system.isdir(inner):
            start = inner.rstrip("/") + "/"
            infos = {
                each.removeprefix(start): _followed(system, info) for each, info in system.find(inner, detail=True).items()
            }
            infos = {name: info for name, info in infos.items() if not _is_hidden(name)}
        else:
            infos = {each: system.info(each) for each in _matches(system, path, inner)}
            return [_entry(each.rpartition("/")[2], system, info) for each, info in sorted(infos.items())]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise SourceError(f"{path} cannot be read ({reason(error)}); check the path and its permissions", where=path) from None
    return [_entry(name, system, info) for name, info in sorted(infos.items()) if info["type"] == "file"]


def _matches(system: Any, path: str, inner: str) -> list[str]:
    """Return the paths that match a pattern; a path that exists is no pattern."""
    if not any(letter in inner for letter in "*?[") or system.exists(inner):
        return [inner]
    if is_url(path):
        return list(system.glob(inner))
    return [str(Path(each).absolute()) for each in glob.glob(path) if Path(each).is_file()]  # noqa: PTH207


def _followed(system: Any, info: dict[str, Any]) -> dict[str, Any]:
    """Return the description of a file that a link leads to; listings describe the link."""
    with suppress(OSError):
        if info.get("islink"):
            return dict(system.info(info["name"]))
    return info


def _is_hidden(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in name.split("/"))


def _entry(name: str, system: Any, info: dict[str, Any]) -> FileEntry:
    state = next((info[key] for key in _STATE_KEYS if info.get(key)), "")
    if isinstance(state, datetime):  # some file systems give a date for one file and seconds in a listing
        state = state.timestamp()
    path = info["name"] if _is_local(system) else system.unstrip_protocol(info["name"])
    return FileEntry(name, path, int(info.get("size") or 0), str(state))


def reason(error: Exception) -> str:
    """Return the message of an error on one line."""
    text = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return " ".join(text.split())[:200] or type(error).__name__


@contextmanager
def report_write_errors(path: str | Path, remedy: str) -> Iterator[None]:
    """Say in one sentence which file a system error is about; a closed pipe is no error of a file."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SourceError(f"{path} cannot be written ({reason(error)}); {remedy}", where=str(path)) from None


def lock(handle: int, *, shared: bool = False, wait: bool = False) -> None:
    """Lock an open file or folder until it is closed or the process ends; raise an OSError if another process holds it.

    wait  until the other process releases it
    """
    try:
        import fcntl
    except ImportError:  # pragma: no cover: Windows is not tested
        import msvcrt

        msvcrt.locking(handle, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(handle, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB))


def is_full(error: OSError) -> bool:
    """Return whether an error is about a disk that is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


# paths that are no files


def check_input(
    path: str | Path,
    error: type[EigenthemesError] = SourceError,
    *,
    remedy: str = "give the path of a file",
    once: bool = False,
) -> None:
    """Refuse to read a folder, pipe, socket or device; a missing file is left to the code that opens it.

    once  it is read from front to back, so that a pipe of the shell is accepted
    """
    kind = kind_of(path)
    if kind is None or (once and str(path).startswith(_STREAMS)):
        return
    if kind == "a named pipe":
        remedy = (
            "to read the output of a program, give - and send it to standard input"
            if once
            else f"{remedy}: save the output of the program first"
        )
    raise error(f"{path} is {kind}; {remedy}", where=str(path))


def check_output(
    path: str | Path,
    error: type[EigenthemesError] = SourceError,
    *,
    remedy: str = "give another place",
    replaced: bool = False,
) -> None:
    """Refuse to write to a folder, pipe, socket or disk.

    replaced  a new file replaces the old one; otherwise it is written to directly, which streams and /dev/null allow
    """
    kind = kind_of(path)
    if replaced and kind is None and Path(path).exists() and not Path(path).is_file():
        kind = "a device"
    writable = not replaced and (str(path).startswith(_STREAMS) or kind == "a device without end")
    if kind is not None and not writable:
        raise error(f"{path} is {kind} and cannot be written to as a file; {remedy}", code="output-place", where=str(path))


def kind_of(path: str | Path) -> str | None:
    """Return what a path is if it is no file; None for a file, /dev/null or a missing file."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    mode = status.st_mode
    if stat.S_ISCHR(mode):
        return None if status.st_rdev == os.stat(os.devnull).st_rdev else "a device without end"  # noqa: PTH116
    kinds = {stat.S_ISDIR: "a folder", stat.S_ISFIFO: "a named pipe", stat.S_ISSOCK: "a socket", stat.S_ISBLK: "a disk"}
    return next((kind for test, kind in kinds.items() if test(mode)), None)

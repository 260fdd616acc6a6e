"""What stands at a path: a file, or something that is none, such as a pipe that nobody writes to or a device without end."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from eigenthemes.errors import EigenthemesError, SourceError

# what a shell makes of <(...) and >(...), and the streams and terminals somebody sits at
_ATTACHED = ("/dev/fd/", "/dev/stdin", "/dev/stdout", "/dev/stderr", "/dev/tty", "/dev/pts/", "/proc/")
_TO_STDIN = "to read what a program writes, give - and send it to standard input"


def check_input(
    path: str | Path,
    error: type[EigenthemesError] = SourceError,
    *,
    remedy: str = "give the path of a file",
    once: bool = False,
) -> None:
    """Refuse to read what is no file. What is not there, or may not be looked at, is left to whoever opens it.

    once  it is read once from front to back, so that a pipe of the shell's will do; else it is opened several times
    """
    found = kind_of(path)
    if found is None or (once and str(path).startswith(_ATTACHED)):
        return
    if found == "a named pipe":
        remedy = _TO_STDIN if once else f"{remedy}: save what a program writes first"
    raise error(f"{path} is {found}; {remedy}", where=str(path))


def check_output(
    path: str | Path,
    error: type[EigenthemesError] = SourceError,
    *,
    remedy: str = "give another place",
    replaced: bool = False,
) -> None:
    """Refuse to write to what is no file.

    replaced  a new file takes the place of what is there; else it is written to, which streams and nothing (/dev/null) allow
    """
    found = kind_of(path)
    if replaced and found is None and Path(path).exists() and not Path(path).is_file():
        found = "a device"
    writable = not replaced and (str(path).startswith(_ATTACHED) or found == "a device without end")
    if found is not None and not writable:
        raise error(f"{path} is {found} and cannot be written to as a file; {remedy}", code="output-place", where=str(path))


def kind_of(path: str | Path) -> str | None:
    """Say what stands at a path, if it is no file; None for a file, for nothing (/dev/null), and where nothing is."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    mode = status.st_mode
    if stat.S_ISCHR(mode):
        return None if status.st_rdev == os.stat(os.devnull).st_rdev else "a device without end"  # noqa: PTH116
    for test, found in (
        (stat.S_ISDIR, "a folder"),
        (stat.S_ISFIFO, "a named pipe"),
        (stat.S_ISSOCK, "a socket"),
        (stat.S_ISBLK, "a disk"),
    ):
        if test(mode):
            return found
    return None

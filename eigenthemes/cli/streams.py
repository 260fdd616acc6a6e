"""Standard streams as a shell may leave them: closed (`<&-`, `>&-`), or unable to show a letter."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any


class _Closed(io.RawIOBase):
    """In place of a stream that is closed: an error only for who needs it."""

    def __init__(self, name: str) -> None:
        self.name = name

    def readable(self) -> bool:
        return True

    def writable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        raise OSError(errno.EBADF, f"{self.name} is closed")

    def write(self, data: Any) -> int:
        raise OSError(errno.EBADF, f"{self.name} is closed")


def prepare_streams() -> None:
    """Put something in place of closed streams, and let letters that cannot be shown be replaced."""
    for handle in (0, 1, 2):
        _occupy(handle)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed("standard input")), encoding="utf-8")
    if sys.stdout is None:
        # unbuffered: what could not be written is not tried again when the program ends
        sys.stdout = io.TextIOWrapper(_Closed("standard output"), encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a letter is no reason to stop


def _occupy(handle: int) -> None:
    """Give the number of a closed stream to nothing, before a file of ours gets it and somebody's output with it."""
    try:
        os.fstat(handle)
    except OSError:
        nothing = os.open(os.devnull, os.O_RDWR)
        if nothing != handle:
            os.dup2(nothing, handle)
            os.close(nothing)

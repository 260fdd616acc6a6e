"""Repair standard streams that the shell has closed (`<&-`, `>&-`) or that cannot encode some letters."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any


class _Closed(io.RawIOBase):
    """Replaces a closed stream: an error only if it is used."""

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
    """Replace closed streams, and replace letters that cannot be encoded."""
    for handle in (0, 1, 2):
        _occupy(handle)
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(_Closed("standard input")), encoding="utf-8")
    if sys.stdout is None:
        # unbuffered, so that a failed write is not tried again at exit
        sys.stdout = io.TextIOWrapper(_Closed("standard output"), encoding="utf-8", write_through=True)
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot encode a letter is no reason to stop


def _occupy(handle: int) -> None:
    """Open /dev/null as a closed stream, so that no file of ours gets its number and with it the output of others."""
    try:
        os.fstat(handle)
    except OSError:
        nothing = os.open(os.devnull, os.O_RDWR)
        if nothing != handle:
            os.dup2(nothing, handle)
            os.close(nothing)

"""A full disk and other errors of the system while files are written, told in one sentence."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from eigenthemes.errors import EigenthemesError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


@contextmanager
def told_of_disk(full: Callable[[], EigenthemesError], other: Callable[[str], EigenthemesError]) -> Iterator[None]:
    """Raise `full()` where the disk is full, and `other(reason)` for any other error of the system."""
    try:
        yield
    except OSError as error:
        raise (full() if error.errno in _FULL else other(error.strerror or str(error))) from error

"""Helpers for reading files of vectors: opening, ids, quotations in errors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import TRUNCATED, Source, clean_utf8
from eigenthemes.core.storage import check_input
from eigenthemes.errors import SourceError, VectorError

Vectors = tuple[list[str], NDArray[Any]]  # ids, and a matrix with a row for each


def check_file(path: Path, remedy: str) -> None:
    """Raise VectorError for a file that cannot be read or is empty."""
    check_input(path, VectorError, remedy=remedy)
    try:
        with open(path, "rb") as file:
            empty = not file.read(1)
    except FileNotFoundError:
        raise VectorError(f"{path} does not exist; {remedy}", where=str(path)) from None
    except OSError as error:
        raise VectorError(f"{path} cannot be read ({error.strerror}); check its permissions", where=str(path)) from None
    if empty:
        raise VectorError(f"{path.name} is empty; {remedy}", where=str(path))


@contextmanager
def opened(path: Path) -> Iterator[Source]:
    """Open a file, decompressed; if the archive is damaged, report that rather than any error that follows."""
    diagnostics = Diagnostics()
    try:
        with Source(path, diagnostics, lambda amount: None) as source:
            yield source
    except (SourceError, VectorError) as error:
        if not diagnostics.counts[TRUNCATED]:
            code = error.code if isinstance(error, VectorError) else VectorError.code
            raise VectorError(str(error), code=code, where=error.where or str(path)) from None
    if diagnostics.counts[TRUNCATED]:
        raise VectorError(f"{TRUNCATED}: {diagnostics.examples[TRUNCATED][0]}; get the file again", where=str(path))


def quoted(name: str) -> str:
    """Return an id for an error message: in quotes, and not too long."""
    return repr(name if len(name) <= 80 else name[:80] + "…")


def names_of(values: Any, origin: str) -> list[str]:
    """Return ids (strings, bytes or integers) as text."""
    if isinstance(values, np.ndarray):
        try:
            values = values.tolist()
        except (ValueError, SystemError):  # numpy does not check code points before
            raise VectorError(f"{origin} has ids with letters that Unicode does not know; save them again") from None
    if not isinstance(values, Iterable) or isinstance(values, str | bytes):
        raise VectorError(f"{origin} has a single value for its ids; save a list of them")
    return [name_of(value, origin) for value in values]


def name_of(value: Any, origin: str) -> str:
    """Return an id as text."""
    if isinstance(value, bytes):
        return clean_utf8(value, 1, origin, Diagnostics()).decode()
    if isinstance(value, str) or (
        isinstance(value, int | np.integer) and type(value) is not bool and abs(int(value)) < 1 << 64
    ):
        return str(value)
    raise VectorError(f"{origin} has an id of the type {type(value).__name__}; save the ids as strings")

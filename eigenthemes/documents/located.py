"""Errors that say where in a file they are."""

from __future__ import annotations

from eigenthemes.errors import DocumentError


def located(where: str, problem: object) -> DocumentError:
    """Return the error of a document at a file, or file and line: the message begins with that."""
    return DocumentError(f"{where}: {problem}", where=where)


def at_line(line: int, problem: object) -> DocumentError:
    """Return the error at a line of a record, for whoever knows the name of the file."""
    return DocumentError(str(problem), where=str(line))


def line_of(error: DocumentError, otherwise: int) -> int:
    """Return the line of an error that knows only this, or else another one."""
    return int(error.where) if error.where is not None and error.where.isdecimal() else otherwise


def without_location(error: DocumentError) -> str:
    """Return the message of an error, but not where it is."""
    return str(error) if error.where is None else str(error).removeprefix(f"{error.where}: ")

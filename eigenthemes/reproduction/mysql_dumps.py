"""The rows of a table in a MySQL dump, as Wikipedia publishes them, read as a stream."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from eigenthemes.errors import SourceError

_CHUNK = 1 << 20  # bytes read at a time
_LONGEST = 1 << 20  # bytes of a row: the longest values of these tables have 64 KB
_STRING = rb"'[^'\\]*+(?:(?:\\.|'')[^'\\]*+)*+'"
_FIELD = rb"(?:_binary )?(%b|[^\s',()]++)" % _STRING
_OTHERS = rb"(?:,\s*+(?:_binary )?(?:%b|[^\s',()]++)\s*+)*+" % _STRING
_ESCAPE = re.compile(rb"\\(.)|''", re.DOTALL)
_ESCAPED = {b"0": b"\0", b"b": b"\b", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"Z": b"\x1a"}


def read_dump_rows(
    stream: IO[bytes], table: str, columns: int, *, second: bytes | None = None, origin: str
) -> Iterator[tuple[bytes | None, ...]]:
    """Yield the first columns of every row that a dump inserts into a table; numbers come as their digits, NULL as None.

    second   only rows whose second column is written like this, `'wikibase_item'` or `0`: decoding is most of the work

    A string may hold anything, a line break or `),(` too, and a statement any number of rows: what is cut by the end of a
    chunk does not match and is read again with the next.
    """
    insert = re.compile(rb"INSERT INTO `?%b`? VALUES" % re.escape(table.encode()))
    row = re.compile(rb"\s*+\(\s*+" + rb"\s*+,\s*+".join([_FIELD] * columns) + rb"\s*+" + _OTHERS + rb"\)\s*+([,;])", re.DOTALL)
    number, inside, buffer = 0, False, b""
    while chunk := stream.read(_CHUNK):
        buffer += chunk
        at = 0
        while True:
            if not inside:
                statement = insert.search(buffer, at)
                if statement is None:
                    at = max(at, len(buffer) - 100)  # where the next statement may have begun
                    break
                at, inside = statement.end(), True
            match = row.match(buffer, at)
            if match is None:
                break
            number += 1
            *fields, end = match.groups()
            at, inside = match.end(), end == b","
            if second is None or fields[1] == second:
                yield tuple(map(_value, fields))
        buffer = buffer[at:]
        if inside and len(buffer) > _LONGEST:
            content = buffer[:40].decode(errors="replace")
            expected = f"expected at least {columns} columns of a MySQL dump"
            raise SourceError(f"{origin}: row {number + 1:,} of {table} cannot be read ({content!r}); {expected}", where=origin)
    if inside:
        raise SourceError(
            f"{origin} ends within row {number + 1:,} of {table}, or that row is broken; fetch the file again", where=origin
        )
    if not number:
        raise SourceError(
            f"{origin} holds no rows of the table {table}; give the file ...-{table}.sql.gz of a Wikipedia dump", where=origin
        )


def _value(raw: bytes) -> bytes | None:
    if not raw.startswith(b"'"):
        return None if raw == b"NULL" else raw
    body = raw[1:-1]
    if b"\\" in body or b"'" in body:
        return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]) if match[1] else b"'", body)
    return body

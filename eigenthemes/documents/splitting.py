"""Split a file into records that are parsed later: lines, blocks of lines, JSON values. Errors of records name their line."""

from __future__ import annotations

import re
from codecs import BOM_UTF8 as BOM
from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any

import orjson

from eigenthemes.core.files import LONGEST_LINE
from eigenthemes.errors import DocumentError

_BLOCK = 1 << 20
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BETWEEN = re.compile(rb"(?:[\s,]|" + BOM + rb")*")
_SCALAR = re.compile(_STRING + rb'|[^\s,"\[\]{}]+|[\]}]', re.DOTALL)
_NEXT_BRACKET = re.compile(rb'(?:[^"\[\]{}]++|' + _STRING + rb")*+([\[\]{}])", re.DOTALL)


def numbered_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield the lines that are not blank, each with its number from 1; a byte-order mark is no part of a line."""
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(BOM)
        if line and not line.isspace():
            yield number, line


def split_blocks(
    lines: Iterable[bytes], begins: Callable[[bytes], bool], ends: Callable[[bytes], bool] | None = None
) -> Iterator[tuple[int, bytes]]:
    """Yield blocks of lines, each with the number of its first line.

    begins  recognises the first line of a block; lines before the first block are skipped if `ends` is not given
    ends    recognises a line that ends a block and is not part of any
    """
    block: list[bytes] = []
    first = 1
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(BOM) if number == 1 else line
        is_end = ends is not None and ends(line)
        if block and (is_end or begins(line)):
            yield first, b"".join(block)
            block = []
        if block or (begins(line) if ends is None else not is_end):
            first = first if block else number
            block.append(line)
    if block:
        yield first, b"".join(block)


def split_values(stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each element of a JSON array, or each of several JSON values in a row, with the line where it begins.

    Only strings and brackets are looked at, and memory holds one value. A value or an array that never ends is yielded as far
    as it goes, for the parser to refuse.
    """
    buffer, at, line = b"", 0, 1
    is_last = in_array = False
    while True:
        begin = _end(_BETWEEN.match(buffer, at))
        line += buffer.count(b"\n", at, begin)
        at = begin
        if buffer.startswith(b"]" if in_array else b"[", at):  # of the array of documents
            in_array = not in_array
            at += 1
        elif end := _end_of_value(buffer, at, is_last):
            yield line, buffer[at:end]
            line += buffer.count(b"\n", at, end)
            at = end
        elif is_last:
            break
        else:
            buffer, at = buffer[at:], 0
            if len(buffer) > LONGEST_LINE:
                problem = f"the value that begins there has more than {LONGEST_LINE >> 20:,} MB, or never ends"
                raise at_line(line, f"{problem}; expected one document: check the file")
            block = stream.read(max(_BLOCK, len(buffer)))
            buffer += block
            is_last = not block
    if at < len(buffer):
        yield line, buffer[at:]
    elif in_array:
        yield line, b"["


def _end_of_value(buffer: bytes, start: int, is_last: bool) -> int:
    """Return where the value ends; 0 if that is not in the buffer."""
    if buffer[start : start + 1] not in (b"{", b"["):
        end = _end(_SCALAR.match(buffer, start))
        return end if is_last or end < len(buffer) else 0
    at, depth = start, 0
    while bracket := _NEXT_BRACKET.match(buffer, at):
        at = bracket.end()
        depth += 1 if bracket[1] in (b"{", b"[") else -1
        if depth == 0:
            return at
    return 0


def _end(match: re.Match[bytes] | None) -> int:
    return 0 if match is None else match.end()


def load_json(data: bytes, line: int, expected: str) -> Any:
    """Parse the JSON of a record that begins in a line.

    expected  the end of the sentence for what is no JSON
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        try:
            before = data.decode().rstrip()[: error.pos]
            problem, more = "no JSON", f" ({error.msg}); {expected}"
        except UnicodeDecodeError as broken:
            before = data[: broken.start].decode()
            problem, more = "a byte that is not UTF-8", "; save the file as UTF-8"
        column = len(before) - before.rfind("\n")
        raise at_line(line + before.count("\n"), f"{problem} at character {column}{more}") from None


# errors at lines


def located(where: str, problem: object) -> DocumentError:
    """Return an error whose message begins with its place: a file, or file and line."""
    return DocumentError(f"{where}: {problem}", where=where)


def at_line(line: int, problem: object) -> DocumentError:
    """Return an error at a line; the caller adds the name of the file."""
    return DocumentError(str(problem), where=str(line))


def line_of(error: DocumentError, otherwise: int) -> int:
    """Return the line of an error made by `at_line`, or else another one."""
    return int(error.where) if error.where is not None and error.where.isdecimal() else otherwise


def decode_line(line: bytes, number: int) -> str:
    """Decode a line of UTF-8 without its line end."""
    try:
        return line.decode().rstrip("\r\n")
    except UnicodeDecodeError:
        raise at_line(number, "the line is not UTF-8; save the file as UTF-8") from None

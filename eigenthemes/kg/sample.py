"""A sample of a source: pieces from all over it. Sources are often in some order, and their beginning is like no other part."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.files import SNIFF, open_decompressed, source_size
from eigenthemes.kg.source_formats import detect_format

PIECE = 1 << 15  # bytes of a piece, and what is missing to the end of its last line, row or stanza
SCAN = 300_000_000  # bytes of a source that are looked through at the most, compressed ones if it is compressed: seconds
_TABLES, _OBO = ("csv", "tsv"), "obo"
_BY_LINE = ("nt", "nq", "wikidata", "jsonl", _OBO, *_TABLES)  # formats that can be cut into pieces


def sample_source(
    path: str | Path, folder: Path, every: int, *, seed: int = 0, format_name: str | None = None
) -> tuple[Path, float]:
    """Write one piece of every so many of a source into a folder; return the file and the share of the source that it is.

    Of formats that cannot be cut, and of sources too small to be, it is the source itself.
    """
    read = 0

    def advance(amount: float) -> None:
        nonlocal read
        read += int(amount)

    with open_decompressed(path, Diagnostics(False), lambda _: None, ahead=SNIFF) as stream:
        format_name = format_name or detect_format(stream.read(SNIFF), str(path))
    if every == 1 or format_name not in _BY_LINE:
        return Path(path), 1.0
    file = folder / _plain_name(Path(path))
    random = np.random.default_rng(seed)
    passed = written = chosen = 0
    with open_decompressed(path, Diagnostics(False), advance, ahead=SNIFF) as stream, open(file, "wb") as out:
        out.write(_header(stream, format_name))
        for number, piece in enumerate(_pieces(stream, format_name)):
            if number % every == 0:
                chosen = number + int(random.integers(every))
            if number == chosen:
                out.write(piece)
                written += len(piece)
            passed += len(piece)
            if read > SCAN:
                break
    if not written:
        return Path(path), 1.0
    size = source_size(path) or read
    return file, written / passed * (min(1.0, read / size) if read > SCAN else 1.0)


def _plain_name(path: Path) -> str:
    return path.name.removesuffix(path.suffix) if path.suffix in (".gz", ".bz2", ".xz", ".zst") else path.name


def _header(stream: IO[bytes], format_name: str) -> bytes:
    """Return what stands at the beginning of every sample: the names of columns, or the first clauses of an ontology."""
    return _to_its_end(b"", stream, format_name) if format_name in (_OBO, *_TABLES) else b""


def _pieces(stream: IO[bytes], format_name: str) -> Iterator[bytes]:
    while piece := stream.read(PIECE):
        yield piece + _to_its_end(piece, stream, format_name)


def _to_its_end(piece: bytes, stream: IO[bytes], format_name: str) -> bytes:
    """Read on to the end of a line; of a row, which goes on where a quote is open; of a stanza, which an empty line ends."""
    lines = [stream.readline()]
    if format_name in _TABLES:
        quotes = piece.count(b'"') + lines[0].count(b'"')
        while quotes % 2 and (line := stream.readline()):
            lines.append(line)
            quotes += line.count(b'"')
    elif format_name == _OBO:
        while (line := stream.readline()).strip():
            lines.append(line)
        lines.append(line)
    return b"".join(lines)

"""Read source files as streams of clean UTF-8: any compression, truncated files, byte-order marks, stray Latin-1.

A `Source` is read once, front to back. Problems with its bytes are added to `Diagnostics`. Compression is recognised by
content and not by suffix as in fsspec, because names are often wrong.
"""

from __future__ import annotations

import bz2
import codecs
import gzip
import hashlib
import io
import lzma
import re
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from itertools import chain
from pathlib import Path
from typing import IO, Any, BinaryIO, cast

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.progress import Advance
from eigenthemes.core.storage import filesystem, is_url, open_input
from eigenthemes.errors import SourceError

BLOCK = 4 << 20  # bytes of text handed to a parser at a time
LONGEST_LINE = 1 << 28  # bytes
TRUNCATED = "truncated or damaged archive"  # the name of the problem in diagnostics
SNIFF = 1 << 16
ZIP = b"PK\x03\x04"
SPREADSHEETS = (".xlsx", ".xlsm", ".xlsb", ".ods")  # those that are zip archives

# by byte-order mark, or by the NULs beside the first letters of a file; the mark of UTF-32 begins with that of UTF-16
_LETTER = rb"[\t\n\r -~\xa0-\xff]"
_ENCODINGS = {
    "UTF-32": re.compile(rb"\xff\xfe\0\0|\0\0\xfe\xff"),
    "UTF-16": re.compile(rb"\xff\xfe|\xfe\xff"),
    "UTF-32LE": re.compile(rb"(?:" + _LETTER + rb"\0\0\0){2}"),
    "UTF-32BE": re.compile(rb"(?:\0\0\0" + _LETTER + rb"){2}"),
    "UTF-16LE": re.compile(rb"(?:" + _LETTER + rb"\0){3}"),
    "UTF-16BE": re.compile(rb"(?:\0" + _LETTER + rb"){3}"),
}

_BROKEN_STREAM = (EOFError, zlib.error, gzip.BadGzipFile, lzma.LZMAError, OSError)


def _decompressed(compressed: IO[bytes], name: str, diagnostics: Diagnostics) -> Iterator[bytes]:
    """Yield decompressed bytes; a truncated or damaged archive ends at the damage, and the problem is reported."""
    read, size = getattr(compressed, "read1", compressed.read), 0
    try:
        while data := read(1 << 16):  # small blocks, so that few bytes before the damage are lost
            size += len(data)
            yield data
    except _BROKEN_STREAM as error:
        diagnostics.add(TRUNCATED, name, f"{error} after {size:,} decompressed bytes; the rest is lost")


class Source:
    """A source file (or `-` for standard input), opened for one pass.

    spreadsheets  accept spreadsheets, which are zip archives; otherwise they are refused
    hashed        compute the hash for `description`
    """

    def __init__(
        self,
        path: str | Path,
        diagnostics: Diagnostics,
        advance: Advance,
        *,
        spreadsheets: bool = False,
        hashed: bool = False,
    ) -> None:
        self.path = str(path)
        self.name = "stdin" if self.path == "-" else Path(self.path).name
        self.diagnostics = diagnostics
        self.is_lines = False  # set by readers of lines
        self._size, self._sha256 = 0, hashlib.sha256() if hashed else None
        self._raw = open_input(self.path, once=True)
        self._read = self._counted(advance)
        try:
            raw = io.BufferedReader(Joined(self._read), 1 << 20)
            stream = _decompress(raw, self.name, spreadsheets=spreadsheets)
            self.is_compressed = stream is not raw
            self._open(_decompressed(stream, self.name, diagnostics))
        except BaseException:
            self.__exit__()
            raise

    def _counted(self, advance: Advance) -> Iterator[bytes]:
        """Yield the bytes of the file in blocks; count them, and hash them on request."""
        for data in _blocks(self._raw, 1 << 20, advance):
            self._size += len(data)
            if self._sha256 is not None:
                self._sha256.update(data)
            yield data

    def _open(self, decompressed: Iterator[bytes]) -> None:
        stream = io.BufferedReader(Joined(decompressed), 1 << 20)
        self.head = stream.read(SNIFF)  # enough to detect the format
        if self.head.startswith(tuple(_DECOMPRESSORS)):
            raise SourceError(f"{self.name} is compressed twice; decompress it once", code="compressed-twice", where=self.name)
        if encoding := wide_encoding(self.head):
            remedy = f"convert it first: iconv -f {encoding} -t UTF-8 {self.name}"
            raise SourceError(f"{self.name} is {encoding}; {remedy}", code="encoding", where=self.name)
        self.stream = io.BufferedReader(Joined(self._chunks(stream)), 1 << 20)

    def _chunks(self, stream: IO[bytes]) -> Iterator[bytes]:
        """Yield the bytes; if they are lines, refuse an endless line before it fills the memory."""
        line, length = 1, 0
        for chunk in chain([self.head], iter(lambda: stream.read(1 << 20), b"")):
            if self.is_lines:
                line += chunk.count(b"\n")
                length = len(chunk) - 1 - last if (last := chunk.rfind(b"\n")) >= 0 else length + len(chunk)
                if length > LONGEST_LINE:
                    raise SourceError(
                        f"line {line:,} of {self.name} has more than {LONGEST_LINE >> 20:,} MB; it is not a line of "
                        "text: check the file",
                        code="endless-line",
                        where=f"{self.name}:{line}",
                    )
            yield chunk

    def blocks(self) -> Iterator[tuple[bytes, int]]:
        """Yield blocks of complete lines with the number of their first line; a byte-order mark is removed."""
        self.is_lines = True
        first_line = 1
        for block in _line_blocks(self.stream):
            if first_line == 1:
                block = block.removeprefix(codecs.BOM_UTF8)
            yield block, first_line
            first_line += block.count(b"\n")

    def text(self) -> BinaryIO:
        """Return the file as a stream of clean UTF-8."""
        clean = (clean_utf8(block, line, self.name, self.diagnostics) for block, line in self.blocks())
        return cast(BinaryIO, io.BufferedReader(Joined(clean), 1 << 20))

    def xml(self) -> BinaryIO:
        """Return an XML file as a stream of UTF-8, the only encoding of the parser, whatever it declares."""
        declared = re.match(rb"""\s*<\?xml[^>]*?encoding\s*=\s*["']([\w.-]+)["']""", self.head)
        return self.decoded(declared[1].decode()) if declared else cast(BinaryIO, self.stream)

    def decoded(self, encoding: str) -> BinaryIO:
        """Return a file that declares an encoding as a stream of UTF-8."""
        try:
            b"<".decode(encoding, "replace")  # refuses codecs that are no encodings of text, like hex and zip
            decoder = codecs.getincrementaldecoder(encoding)("replace")
        except (LookupError, UnicodeError):
            raise SourceError(
                f"{self.name} declares the encoding {encoding}, which is unknown; convert it to UTF-8",
                code="encoding",
                where=self.name,
            ) from None
        if encoding.lower() in ("utf-8", "utf8", "ascii", "us-ascii"):
            return cast(BinaryIO, self.stream)
        return cast(BinaryIO, io.BufferedReader(Joined(self._decoded(decoder, encoding)), 1 << 20))

    def _decoded(self, decoder: codecs.IncrementalDecoder, encoding: str) -> Iterator[bytes]:
        """Yield the file as UTF-8 in blocks; bytes that are invalid in its encoding are counted."""
        old, new = encoding, "UTF-8"  # in the declaration, once
        for block in iter(lambda: self.stream.read(BLOCK), b""):
            text = decoder.decode(block)
            for _ in range(text.count("\ufffd")):
                self.diagnostics.add(f"bytes that are not {encoding} (replaced)", self.name)
            yield text.replace(old, new, 1).encode()
            old = new

    def lines(self) -> Iterator[str]:
        """Return the lines as text, without line ends."""
        return (line.rstrip("\r\n") for line in io.TextIOWrapper(self.text(), encoding="utf-8", newline="\n"))

    def description(self) -> dict[str, Any]:
        """Return the name, size and hash of a file that was opened with `hashed`, for the manifest."""
        assert self._sha256 is not None
        for _ in self._read:  # parsers may stop early; the hash is of the complete file
            pass
        return {"name": self.name, "bytes": self._size, "sha256": self._sha256.hexdigest()}

    def __enter__(self) -> Source:
        return self

    def __exit__(self, *_: object) -> None:
        if self.path != "-":
            self._raw.close()


class Joined(io.RawIOBase):
    """A stream of blocks of bytes."""

    def __init__(self, blocks: Iterator[bytes]) -> None:
        self.blocks = blocks
        self.rest = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer from the next block that is not empty; return 0 at the end."""
        while not self.rest:
            block = next(self.blocks, None)
            if block is None:
                return 0
            self.rest = memoryview(block)
        count = min(len(buffer), len(self.rest))
        buffer[:count] = self.rest[:count]
        self.rest = self.rest[count:]
        return count


def _blocks(file: IO[bytes], size: int, advance: Advance) -> Iterator[bytes]:
    while data := file.read(size):
        advance(len(data))
        yield data


def clean_utf8(block: bytes, first_line: int, origin: str, diagnostics: Diagnostics) -> bytes:
    """Return a block of lines as UTF-8; invalid lines are read as Latin-1 and counted."""
    if block.isascii():
        return block
    try:
        block.decode("utf-8")
        return block
    except UnicodeDecodeError:
        lines = block.split(b"\n")
    for i, line in enumerate(lines):
        try:
            line.decode("utf-8")
        except UnicodeDecodeError:
            diagnostics.add("bytes that are not UTF-8 (read as Latin-1)", f"{origin}:{first_line + i}")
            lines[i] = _from_latin_1(line).encode("utf-8")
    return b"\n".join(lines)


def _from_latin_1(line: bytes) -> str:
    try:
        return line.decode("cp1252")  # the Latin-1 of Windows, with dashes, quotes and the euro
    except UnicodeDecodeError:
        return line.decode("latin-1")


def source_size(path: str | Path) -> int | None:
    """Return the size of a file in bytes, or None for standard input."""
    if str(path) == "-":
        return None
    if not is_url(str(path)):
        return Path(path).stat().st_size
    system, inner = filesystem(str(path))
    return system.size(inner) or 0  # of some web servers it is not known


def check_readable(path: str | Path) -> None:
    """Refuse a source that cannot be read, before any work is done."""
    if str(path) != "-":
        open_input(str(path), once=True).close()


@contextmanager
def open_decompressed(
    path: str | Path, diagnostics: Diagnostics, advance: Advance, *, ahead: int = 1 << 20
) -> Iterator[IO[bytes]]:
    """Open a file for one pass over its decompressed bytes.

    ahead  size of the read buffer in bytes
    """
    name = "stdin" if str(path) == "-" else Path(path).name
    with open_input(str(path), once=True) as raw:
        stream = _decompress(io.BufferedReader(Joined(_blocks(raw, ahead, advance)), ahead), name, spreadsheets=True)
        yield io.BufferedReader(Joined(_decompressed(stream, name, diagnostics)), ahead)


def compressing(name: str, out: IO[bytes]) -> Any:
    """Return a context manager: a stream that compresses by the suffix of a name, or `out` itself, which stays open."""
    return _COMPRESSORS.get(Path(name.lower()).suffix, nullcontext)(out)


def _decompress(stream: io.BufferedReader[Any], name: str, *, spreadsheets: bool = False) -> IO[bytes]:
    magic = stream.peek(6)[:6]
    for beginning, decompressor in _DECOMPRESSORS.items():
        if magic.startswith(beginning):
            return cast(IO[bytes], decompressor(stream))
    if not magic.startswith(ZIP) or (spreadsheets and (name == "stdin" or is_spreadsheet_name(name))):
        return stream
    if is_spreadsheet_name(name):
        raise SourceError(f"{name} is a spreadsheet, not a text; link it as a table", code="spreadsheet-input", where=name)
    if name.lower().endswith((".docx", ".odt", ".pptx", ".epub")):
        raise SourceError(f"{name} is an office document; save it as plain text", where=name)
    raise SourceError(f"{name} is a zip archive; extract it first, or compress the file with gzip", where=name)


def _compress_zstd(out: IO[bytes]) -> Any:
    import pyarrow

    return pyarrow.CompressedOutputStream(pyarrow.PythonFile(out, mode="w"), "zstd")


def _decompress_zstd(stream: IO[bytes]) -> Any:
    import pyarrow

    return pyarrow.CompressedInputStream(pyarrow.PythonFile(stream, mode="r"), "zstd")


_COMPRESSORS: dict[str, Callable[[Any], Any]] = {
    ".gz": lambda out: gzip.GzipFile("", "wb", 6, out, mtime=0),  # the same bytes at any time
    ".bz2": lambda out: bz2.BZ2File(out, "wb"),
    ".xz": lambda out: lzma.LZMAFile(out, "wb"),  # noqa: SIM115
    ".zst": _compress_zstd,
}
COMPRESSED = tuple(_COMPRESSORS)  # suffixes
_DECOMPRESSORS: dict[bytes, Callable[[Any], Any]] = {  # by the first bytes of a file
    b"\x1f\x8b": lambda stream: gzip.GzipFile(fileobj=stream),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
    b"\x28\xb5\x2f\xfd": _decompress_zstd,
}


def is_spreadsheet_name(name: str) -> bool:
    """Return whether a file is a spreadsheet by its name."""
    return name.lower().endswith(SPREADSHEETS)


def name_without_compression(name: str) -> str:
    """Return the name of a file without the suffix of a compression."""
    return name.rpartition(".")[0] if name.lower().endswith(COMPRESSED) else name


def wide_encoding(head: bytes) -> str | None:
    """Return UTF-16 or UTF-32 if a file is in it, with the byte order if there is no byte-order mark."""
    return next((encoding for encoding, beginning in _ENCODINGS.items() if beginning.match(head)), None)


def _line_blocks(stream: IO[bytes]) -> Iterator[bytes]:
    rest: list[bytes] = []
    while chunk := stream.read(BLOCK):
        cut = chunk.rfind(b"\n") + 1
        if not cut:
            rest.append(chunk)
            continue
        yield b"".join((*rest, chunk[:cut]))
        rest = [chunk[cut:]]
    last = b"".join(rest)
    if last:
        yield last

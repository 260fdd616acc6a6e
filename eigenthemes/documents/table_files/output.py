"""Where a table is written: a new file that takes its place when it is whole, or a stream."""

from __future__ import annotations

import bz2
import contextlib
import gzip
import lzma
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, cast

from eigenthemes.core.storage import check_output
from eigenthemes.errors import OptionError, SourceError


@contextlib.contextmanager
def whole_file(path: str | Path, *, inputs: tuple[str | Path, ...] = ()) -> Iterator[IO[bytes]]:
    """Open a file to write; it is there only when all of it is, and what was there before stays until then.

    inputs  files that must not be written over
    """
    target = Path(path)
    check_output(target, remedy="give the path of a file", replaced=True)
    for source in inputs:
        if str(source) != "-" and target.exists() and Path(source).exists() and target.samefile(source):
            raise OptionError(f"{path} is the input itself; give another file to write to", where=str(path))
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    except OSError as error:
        raise SourceError(f"{path} cannot be written ({error.strerror}); give another place", code="output-place") from None
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as raw:
            with _compressed(cast(IO[bytes], raw), target.name) as stream:
                yield stream
            raw.flush()
            os.fsync(raw.fileno())
        temporary.chmod(target.stat().st_mode if target.exists() else 0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise SourceError(
            f"{path} cannot be written ({error.strerror or error}); free some space, or give another place", code="output-place"
        ) from None
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def _compressed(raw: IO[bytes], name: str) -> Iterator[IO[bytes]]:
    stream: Any = raw
    if name.lower().endswith(".gz"):
        stream = gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0)  # the same bytes for the same table
    elif name.lower().endswith(".bz2"):
        stream = bz2.BZ2File(raw, "wb")
    elif name.lower().endswith(".xz"):
        stream = lzma.LZMAFile(raw, "wb")  # noqa: SIM115
    elif name.lower().endswith(".zst"):
        import pyarrow

        stream = pyarrow.CompressedOutputStream(pyarrow.PythonFile(raw, mode="w"), "zstd")
    try:
        yield stream
    finally:
        if stream is not raw:
            stream.close()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask

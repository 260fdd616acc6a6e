"""Files of vectors in every format, read back or refused."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from numpy.typing import NDArray

from eigenthemes.embeddings.imported import read_vectors
from eigenthemes.errors import EigenthemesError, VectorError

IDS = ["Q1", "http://example.org/é", "東京", "7"]
MATRIX = np.array([[1, -2.5, 3e-8], [0.1, 0, 1e30], [-1, 1 / 3, 2], [4, 5, 6]], dtype=np.float32)
Matrix = NDArray[Any]


def npy(matrix: Matrix) -> bytes:
    file = io.BytesIO()
    np.save(file, matrix)
    return file.getvalue()


def npz(**arrays: Any) -> bytes:
    file = io.BytesIO()
    np.savez_compressed(file, **arrays)
    return file.getvalue()


def text(ids: list[str], matrix: Matrix, *, header: bool = True, separator: str = " ", end: str = "\n") -> bytes:
    rows = [[name, *map(str, row)] for name, row in zip(ids, matrix, strict=True)]
    first = [[str(len(ids)), str(matrix.shape[1])]] if header else []
    return "".join(separator.join(row) + end for row in first + rows).encode()


def binary(ids: list[str], matrix: Matrix, *, end: bytes = b"\n") -> bytes:
    rows = (name.encode() + b" " + row.astype("<f4").tobytes() + end for name, row in zip(ids, matrix, strict=True))
    return b"%d %d\n" % matrix.shape + b"".join(rows)


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    file = io.BytesIO()
    pq.write_table(pa.table(columns), file, **options)
    return file.getvalue()


def vector_column(matrix: Matrix) -> pa.Array:
    return pa.array(matrix.tolist(), pa.list_(pa.from_numpy_dtype(matrix.dtype)))


def in_every_format(ids: list[str], matrix: Matrix) -> dict[str, bytes]:
    return {
        "npy": npy(matrix),
        "npz": npz(ids=np.array(ids), vectors=matrix),
        "word2vec-text": text(ids, matrix),
        "word2vec-binary": binary(ids, matrix),
        "parquet": parquet({"id": pa.array(ids, pa.string()), "vector": vector_column(matrix)}),
    }


def read(
    folder: Path, data: bytes, name: str = "v", *, ids: list[str] | None = None, **options: Any
) -> tuple[list[str], Matrix]:
    (folder / name).write_bytes(data)
    if ids is not None:
        (folder / "of.ids").write_text("".join(f"{each}\n" for each in ids), encoding="utf-8", newline="")
        options["ids"] = folder / "of.ids"
    return read_vectors(folder / name, **options)


def same(found: tuple[list[str], Matrix], ids: list[str] = IDS, matrix: Matrix = MATRIX) -> bool:
    return found[0] == ids and found[1].dtype == np.float32 and np.array_equal(found[1], matrix)


def refusal(folder: Path, data: bytes, name: str = "v", **options: Any) -> str:
    """The sentence a file is refused with."""
    with pytest.raises(VectorError) as caught:
        read(folder, data, name, **options)
    message = str(caught.value)
    assert "\n" not in message
    assert "; " in message or ": " in message
    return message


def outcome(folder: Path, data: bytes, **options: Any) -> str:
    """The sentence a file is refused with, or nothing; any other exception is a fault."""
    try:
        read(folder, data, **options)
    except EigenthemesError as error:
        return str(error)
    return ""

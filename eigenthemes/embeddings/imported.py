"""Read vectors from files: numpy, word2vec text and binary, and Parquet.

An error names the row that is wrong.
"""

from __future__ import annotations

import codecs
import io
import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.files import BLOCK, name_without_compression
from eigenthemes.core.storage import reason
from eigenthemes.embeddings.reading import Vectors, check_file, name_of, names_of, opened, quoted
from eigenthemes.errors import OptionError, VectorError

FORMATS = ("npy", "npz", "word2vec-text", "word2vec-binary", "parquet")

_SUFFIXES = {
    ".npy": "npy", ".npz": "npz", ".txt": "word2vec-text", ".vec": "word2vec-text", ".bin": "word2vec-binary",
    ".parquet": "parquet", ".pq": "parquet",
}  # fmt: skip
_IDS = (".ids", ".ids.txt", ".txt")

_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?(\d{1,15})[ \t]+(\d{1,15})[ \t\r]*(?:\n|\Z)")
_NUMBER = re.compile(rb"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
# protocol 2 and later begin with their number, 0 and 1 with the dict, list, tuple or name they hold
_PICKLE = re.compile(rb"\x80[\x02-\x05]|\(*(?:\}q\x00|\]q\x00|[dl]p\d+\n|c[\w.]+\n\w+\n)")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1f]")


def read_vectors(
    path: str | Path,
    *,
    ids: str | Path | None = None,
    format_name: str | None = None,
    first_of_repeated: bool = False,
) -> tuple[list[str], NDArray[np.float32]]:
    """Read the external ids, and a matrix [m, d] float32 with a finite row for each; the matrix may be read-only.

    ids                the file of ids, one per line, that goes with a .npy matrix
    format_name        one of FORMATS; None: found by content, then by name
    first_of_repeated  where an id is there twice, the first counts (files of words are like that), else the file is refused
    """
    path = Path(path)
    if format_name is not None and format_name not in FORMATS:
        raise OptionError(f"format {format_name!r} is unknown; expected one of {', '.join(FORMATS)}")
    check_file(path, "give the path of a file of vectors")
    format_found = format_name or _find_format(path)
    if ids is not None and format_found != "npy":
        raise OptionError(
            f"{path.name} ({format_found}) holds its own ids, so a file of ids cannot be used; leave it out",
            code="own-ids",
            where=str(ids),
        )
    try:
        names, matrix = _read_npy(path, ids) if format_found == "npy" else _READERS[format_found](path)
        return _checked(names, matrix, path.name, first_of_repeated)
    except VectorError as error:
        error.where = error.where or str(path)
        raise


# files


def _find_format(path: Path) -> str:
    """Return the format, by content first, then by name, as for the files of a KG."""
    with open(path, "rb") as file:
        if file.read(4) in (b"PK\x03\x04", b"PK\x05\x06"):
            return "npz"
    with opened(path) as source:
        head = source.head
    if _PICKLE.match(head):
        raise VectorError(f"{path.name} is a pickle, which is not read; save the vectors as .npz", where=str(path))
    format_found = _format_of_content(head) or _SUFFIXES.get(Path(name_without_compression(path.name)).suffix.lower())
    if format_found is None:
        raise VectorError(
            f"the format of {path.name} was not recognised by its content or name; give it, one of {', '.join(FORMATS)}",
            where=str(path),
        )
    return format_found


def _format_of_content(head: bytes) -> str | None:
    if head.startswith(b"\x93NUMPY"):
        return "npy"
    if head.startswith(b"PAR1"):
        return "parquet"
    header = _HEADER.match(head)
    if header is None:
        return "word2vec-text" if _dimension(_first_line(head)) else None
    rest = head[header.end() :]
    as_text = _dimension(_first_line(rest)) == int(header[2]) or _is_text(rest)
    return "word2vec-text" if as_text else "word2vec-binary"


def _is_text(head: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(head)  # whose last letter may be cut
    except UnicodeDecodeError:
        return False
    return not _CONTROL.search(head)


def _first_line(data: bytes) -> bytes:
    return data.lstrip().partition(b"\n")[0]


# checks that all formats share


def _checked(
    names: list[str], matrix: NDArray[Any], origin: str, first_of_repeated: bool
) -> tuple[list[str], NDArray[np.float32]]:
    if matrix.ndim != 2 or matrix.dtype.kind not in "fiu":
        raise VectorError(
            f"{origin} holds {matrix.dtype.name} values in the shape {matrix.shape}; "
            "expected a matrix of numbers: save one row for each id"
        )
    if len(names) != len(matrix):
        raise VectorError(f"{origin} has {len(names):,} ids for {len(matrix):,} vectors; save one id for each vector")
    if not matrix.size:
        raise VectorError(
            f"{origin} has {len(matrix):,} vectors of {matrix.shape[1]} dimensions; expected at least one of each"
        )
    if first_of_repeated:
        names, matrix = _without_repeated(names, matrix)
    _check_names(names, origin)
    with np.errstate(over="ignore"):  # too large for float32 is infinite, and refused as such
        vectors = np.ascontiguousarray(matrix, dtype=np.float32)
    _check_finite(names, vectors, origin)
    return names, vectors


def _without_repeated(names: list[str], matrix: NDArray[Any]) -> Vectors:
    first = {name: row for row, name in reversed(list(enumerate(names)))}
    if len(first) == len(names):
        return names, matrix
    rows = sorted(first.values())
    return [names[row] for row in rows], matrix[rows]


def _check_names(names: list[str], origin: str) -> None:
    if "" in names:
        raise VectorError(f"vector {names.index('') + 1:,} of {origin} has an empty id; name it or remove it")
    if len(set(names)) < len(names):
        twice = next(name for name, count in Counter(names).items() if count > 1)
        raise VectorError(f"{origin} has more than one vector of {quoted(twice)}; remove all but one")


def _check_finite(names: list[str], vectors: NDArray[np.float32], origin: str) -> None:
    step = 1 << 14  # rows at a time: the answer for all would be a quarter of the matrix
    blocks = (~np.isfinite(vectors[i : i + step]).all(axis=1) for i in range(0, len(vectors), step))
    bad = np.flatnonzero(np.concatenate(list(blocks)))
    if len(bad):
        raise VectorError(
            f"{origin} has NaN or infinite values (or too large for float32) in {len(bad):,} of {len(vectors):,} vectors, "
            f"first in that of {quoted(names[bad[0]])}; mend or remove them"
        )


# numpy files


def _read_npy(path: Path, ids: str | Path | None) -> Vectors:
    unpacked = _unpacked(path)
    with _reporting_damage(path, ".npy file of numbers"):
        matrix = np.load(unpacked or path, mmap_mode=None if unpacked else "r", allow_pickle=False)
    if not isinstance(matrix, np.ndarray):
        raise VectorError(f"{path.name} is not a .npy file but another of numpy's; leave its format to be found")
    ids_file = _find_ids(path) if ids is None else Path(ids)
    names = _read_ids(ids_file)
    if matrix.ndim == 2 and len(names) != len(matrix):
        raise VectorError(
            f"{ids_file.name} has {len(names):,} ids, but {path.name} {len(matrix):,} rows; give one id a line, in their order"
        )
    return names, matrix


@contextmanager
def _reporting_damage(path: Path, kind: str) -> Iterator[None]:
    """Report a file that cannot be read as such: a damaged one fails in whatever way its parts do."""
    try:
        yield
    except VectorError:
        raise
    except Exception as error:
        raise VectorError(f"{path.name} is not a whole {kind} ({reason(error)}); save it again") from None


def _unpacked(path: Path) -> io.BytesIO | None:
    """Return the content of a compressed file; None if it is not compressed."""
    with opened(path) as source:
        return io.BytesIO(source.stream.read()) if source.is_compressed else None


def _find_ids(path: Path) -> Path:
    stem = name_without_compression(str(path)).removesuffix(".npy")
    files = [Path(stem + ending) for ending in _IDS]
    for file in files:
        if file.exists():
            return file
    names = ", ".join(file.name for file in files)
    raise VectorError(
        f"there is no file of ids beside {path.name} (none of {names}); give one, with one id per line",
        code="no-ids-file",
        where=str(path),
    )


def _read_ids(path: Path) -> list[str]:
    check_file(path, "give a file of ids, one a line, in the order of the rows")
    with opened(path) as source:
        names = list(source.lines())
    while names and not names[-1]:
        names.pop()
    return names


def _read_npz(path: Path) -> Vectors:
    with _reporting_damage(path, ".npz file of strings and numbers"):
        with zipfile.ZipFile(path) as archive:
            held = [name.removesuffix(".npy") for name in archive.namelist()]
        if not {"ids", "vectors"} <= set(held):
            listed = ascii(", ".join(held[:8]))[1:-1] or "nothing"
            raise VectorError(f"{path.name} holds {listed}; expected numpy's arrays ids and vectors: write it with np.savez")
        with np.load(path, allow_pickle=False) as arrays:
            names, matrix = arrays["ids"], arrays["vectors"]
    return names_of(names, path.name), matrix


# word2vec text


def _read_text(path: Path) -> Vectors:
    names: list[str] = []
    numbers = bytearray()  # grows with what is really there, whatever the header promises
    promised, dimension, rule = None, 0, "as in the first row"
    with opened(path) as source:
        for block, first_line in source.blocks():
            if first_line == 1 and (header := _HEADER.match(block)):
                promised, dimension, rule = int(header[1]), _header_dimension(header, source.name), "as the header says"
                block, first_line = block[header.end() :], 2
            dimension = dimension or _dimension(_first_line(block))
            ids, values = _rows(block, dimension, first_line, source.name, rule)
            names += (name_of(name, source.name) for name in ids)
            numbers += values.tobytes()
        rows = len(names)
        if promised not in (None, rows):
            raise VectorError(
                f"{source.name} has {rows:,} rows, but its header says {promised:,}; get the file again or mend the header"
            )
    return names, np.frombuffer(numbers, dtype=np.float32).reshape(rows, max(dimension, 1))


def _header_dimension(header: re.Match[bytes], origin: str) -> int:
    dimension = int(header[2])
    if not dimension:
        raise VectorError(f"the header of {origin} says vectors of 0 dimensions; expected at least 1: mend it")
    return dimension


def _dimension(line: bytes) -> int:
    """Return the count of numbers at the end of a row, without its first word; 0 if it is no row."""
    words = line.split()
    count = 0
    for word in reversed(words[1:]):
        if not _is_number(word):
            break
        count += 1
    return count


def _is_number(word: bytes) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return b"_" not in word


def _rows(block: bytes, dimension: int, first_line: int, origin: str, rule: str) -> tuple[list[bytes], NDArray[np.float32]]:
    """Read rows of an id, which may have several words, and numbers, with any white space between."""
    lines = enumerate(map(bytes.strip, block.replace(b"\t", b" ").split(b"\n")), first_line)
    rows = [(number, *_split(line, dimension, number, origin, rule)) for number, line in lines if line]
    values = _floats(b"\n".join([numbers for _, _, numbers in rows]).replace(b" ", b"\n")) if rows else np.zeros(0, np.float32)
    if values is None:
        number, wrong = next((row, word) for row, _, words in rows for word in words.split() if not _is_number(word))
        raise VectorError(
            f"line {number:,} of {origin} has {quoted(wrong.decode('utf-8', 'replace'))} where a number was expected "
            f"({dimension} of them, {rule}); mend the line"
        )
    return [name for _, name, _ in rows], values


def _split(line: bytes, dimension: int, number: int, origin: str, rule: str) -> tuple[bytes, bytes]:
    """Return the id of a row, and its numbers with one space between."""
    if dimension and line.count(b" ") == dimension and b"  " not in line:
        name, _, numbers = line.partition(b" ")
        return name, numbers
    where, (name, *words) = f"line {number:,} of {origin}", line.rsplit(None, dimension)
    if not dimension:
        raise VectorError(f"{where} has no numbers; expected an id and its vector, with spaces between")
    if len(words) < dimension:
        raise VectorError(f"{where} has {len(words)} numbers, expected {dimension} {rule}; mend the line")
    if len(name.split()) > 1 and _NUMBER.fullmatch(name.split()[-1]):
        raise VectorError(
            f"{where} has {_dimension(line)} numbers, expected {dimension} {rule}; mend the line "
            "(an id whose last word is a number cannot be told from its vector: write it without spaces)"
        )
    return name, b" ".join(words)


def _floats(lines: bytes) -> NDArray[np.float32] | None:
    """Return numbers, one a line; None where one is none. Arrow reads them several times faster than Python; it knows fewer."""
    import pyarrow
    from pyarrow import csv

    try:
        column = csv.read_csv(
            pyarrow.py_buffer(lines),
            read_options=csv.ReadOptions(column_names=["number"], use_threads=False, block_size=len(lines) + 1),
            parse_options=csv.ParseOptions(quote_char=False),
            convert_options=csv.ConvertOptions(column_types={"number": pyarrow.float32()}, null_values=[]),
        ).column(0)
        return np.asarray(column.to_numpy())
    except pyarrow.ArrowInvalid:
        words = lines.split(b"\n")
    if not all(map(_is_number, words)):
        return None
    with np.errstate(over="ignore"):
        return np.array(words, dtype=np.float32)


# word2vec binary


def _read_binary(path: Path) -> Vectors:
    names: list[str] = []
    numbers = bytearray()
    with opened(path) as source:
        header = _HEADER.fullmatch(source.stream.readline(64))
        if header is None:
            raise VectorError(
                f"{source.name} does not begin with a line `count dimension`, as word2vec binary does; save it again"
            )
        promised, width = int(header[1]), 4 * _header_dimension(header, source.name)
        rest = bytearray()
        while len(names) < promised:
            space = rest.find(b" ")
            if space < 0 or len(rest) < space + 1 + width:
                more = source.stream.read(BLOCK)
                if not more:
                    raise VectorError(
                        f"{source.name} ends in row {len(names) + 1:,}, but its header says {promised:,} rows of "
                        f"{width // 4} numbers; get the file again or mend the header"
                    )
                rest += more
                continue
            names.append(name_of(bytes(rest[:space].lstrip(b"\n")), source.name))
            numbers += rest[space + 1 : space + 1 + width]
            del rest[: space + 1 + width]
        if rest.strip() or source.stream.read(BLOCK).strip():
            raise VectorError(
                f"{source.name} goes on after the {promised:,} rows of {width // 4} numbers its header says; mend the header"
            )
    return names, np.frombuffer(numbers, dtype="<f4").reshape(len(names), width // 4)


# Parquet


def _read_parquet(path: Path) -> Vectors:
    """Read the column `id` with the column `vector`, lists of numbers; without that, every other column is a dimension."""
    from pyarrow import parquet

    unpacked = _unpacked(path)
    with _reporting_damage(path, "Parquet file"):
        with parquet.ParquetFile(unpacked or path) as file:
            columns = _vector_columns(file.schema_arrow, path.name)
            table = file.read(columns=["id", *columns])
        names = names_of(table.column("id").to_pylist(), path.name)
        if columns == ["vector"]:
            return names, _matrix_of_lists(table.column("vector"), path.name)
        return names, np.column_stack([table.column(name).to_numpy() for name in columns])


def _vector_columns(schema: Any, origin: str) -> list[str]:
    """Return ["vector"], or the columns that are dimensions, without the index of pandas."""
    from pyarrow import types

    types_of_columns = {field.name: field.type for field in schema if not field.name.startswith("__index_level_")}
    others = [name for name in types_of_columns if name != "id"]
    columns = ["vector"] if "vector" in others else others
    if schema.names.count("id") != 1 or not columns:
        listed = ascii(", ".join(schema.names[:8]))[1:-1] or "none"
        raise VectorError(
            f"{origin} has the columns {listed}; expected id and vector (lists of numbers), or id and a column of numbers for "
            "each dimension: rename them"
        )
    for name in columns:
        column_type = types_of_columns[name]
        is_list = types.is_list(column_type) or types.is_large_list(column_type) or types.is_fixed_size_list(column_type)
        number = column_type.value_type if is_list and name == "vector" else column_type
        if is_list != (name == "vector") or not (types.is_integer(number) or types.is_floating(number)):
            expected = "lists of numbers" if name == "vector" else "numbers, or a column vector with lists of them"
            raise VectorError(f"the column {quoted(name)} of {origin} holds {column_type}; expected {expected}: save it so")
    return columns


def _matrix_of_lists(column: Any, origin: str) -> NDArray[Any]:
    import pyarrow.compute as pc

    lengths = pc.fill_null(pc.list_value_length(column), 0).to_numpy()
    dimension = int(lengths[0]) if len(lengths) else 0
    wrong = np.flatnonzero(lengths != dimension)
    if len(wrong):
        raise VectorError(
            f"vector {wrong[0] + 1:,} of {origin} has {lengths[wrong[0]]} numbers, the first {dimension}; give all the same"
        )
    return np.asarray(pc.list_flatten(column).to_numpy()).reshape(len(lengths), dimension)  # an empty value is NaN


_READERS = {
    "npz": _read_npz,
    "word2vec-text": _read_text,
    "word2vec-binary": _read_binary,
    "parquet": _read_parquet,
}

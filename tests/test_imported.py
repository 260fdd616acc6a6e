"""Vectors somebody already has: every format gives the same ids and values, bad files are named, pickles run nothing."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import pickle
import pickletools
import re
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes.embeddings import imported, pickles
from eigenthemes.embeddings.imported import FORMATS, read_vectors
from eigenthemes.errors import EigenthemesError, OptionError, VectorError

IDS = ["Q1", "http://example.org/é", "東京", "7"]
MATRIX = np.array([[1, -2.5, 3e-8], [0.1, 0, 1e30], [-1, 1 / 3, 2], [4, 5, 6]], dtype=np.float32)
PACK: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}
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


def pickled(held: Any, protocol: int = 4) -> bytes:
    return pickle.dumps(held, protocol)


def in_every_format(ids: list[str], matrix: Matrix) -> dict[str, bytes]:
    return {
        "npy": npy(matrix),
        "npz": npz(ids=np.array(ids), vectors=matrix),
        "word2vec-text": text(ids, matrix),
        "word2vec-binary": binary(ids, matrix),
        "parquet": parquet({"id": pa.array(ids, pa.string()), "vector": vector_column(matrix)}),
        "pickle": pickled(dict(zip(ids, matrix, strict=True))),
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


# every format


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("name", ["v", "v.npy", "v.npz", "v.txt", "v.bin", "v.pickle"])
def test_the_format_is_found_by_content_whatever_the_name(tmp_path: Path, format_name: str, name: str) -> None:
    data = in_every_format(IDS, MATRIX)[format_name]
    assert same(read(tmp_path, data, name, ids=IDS if format_name == "npy" else None))


@pytest.mark.parametrize("format_name", FORMATS)
def test_the_format_can_be_forced(tmp_path: Path, format_name: str) -> None:
    data = in_every_format(IDS, MATRIX)[format_name]
    assert same(read(tmp_path, data, ids=IDS if format_name == "npy" else None, format_name=format_name))


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("format_name", ["npy", "word2vec-text", "word2vec-binary", "parquet", "pickle"])
def test_packed_files_are_unpacked(tmp_path: Path, format_name: str, suffix: str) -> None:
    data = PACK[suffix](in_every_format(IDS, MATRIX)[format_name])
    assert same(read(tmp_path, data, f"v.{suffix}", ids=IDS if format_name == "npy" else None))


letters = st.characters(codec="utf-8")
# no line end, no white space that the format uses, no word that could be part of the vector; numpy cuts a last NUL
plain_ids = st.lists(
    st.text(letters, min_size=1).filter(lambda name: not re.search(r"[ \t\n\r\v\f\0]", name)),
    min_size=1,
    max_size=5,
    unique=True,
)
numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)


@given(ids=plain_ids, row=st.lists(numbers, min_size=1, max_size=4))
def test_any_ids_and_numbers_come_back_from_every_format(
    ids: list[str], row: list[float], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("any")
    matrix = np.array([row] * len(ids), dtype=np.float32)
    for format_name, data in in_every_format(ids, matrix).items():
        found = read(folder, data, ids=ids if format_name == "npy" else None, format_name=format_name)
        assert same(found, ids, matrix), format_name


@given(words=st.lists(st.sampled_from(["New", "York", ".", "#", '"', "é", "10a", "nan", "\u00a0"]), min_size=1, max_size=4))
def test_ids_of_several_words_come_back_from_text(words: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    ids = ["first", " ".join(words)]
    for header in (True, False):
        assert same(read(tmp_path_factory.mktemp("words"), text(ids, MATRIX[:2], header=header)), ids, MATRIX[:2])


@given(data=st.binary(max_size=200), format_name=st.sampled_from([None, *FORMATS]))
def test_any_bytes_are_read_or_refused(data: bytes, format_name: str | None, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert "\n" not in outcome(tmp_path_factory.mktemp("bytes"), data, format_name=format_name)


@given(format_name=st.sampled_from(FORMATS), at=st.integers(0, 10**6), byte=st.integers(0, 255))
def test_a_changed_byte_is_read_or_refused(
    format_name: str, at: int, byte: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    data = bytearray(in_every_format(IDS, MATRIX)[format_name])
    data[at % len(data)] = byte
    ids = IDS if format_name == "npy" else None
    assert "\n" not in outcome(tmp_path_factory.mktemp("byte"), bytes(data), ids=ids, format_name=format_name)


@pytest.mark.parametrize("format_name", FORMATS)
def test_a_cut_file_is_refused_wherever_it_is_cut(tmp_path: Path, format_name: str) -> None:
    data = in_every_format(IDS, MATRIX)[format_name]
    for end in range(len(data) - 3):  # whether its last number was longer, no text can tell
        assert refusal(tmp_path, data[:end], format_name=format_name, ids=IDS if format_name == "npy" else None)


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8", ">f4", "i1", "i8", "u2"])
@pytest.mark.parametrize("format_name", ["npy", "npz", "pickle"])
def test_numbers_of_any_type_become_float32(tmp_path: Path, format_name: str, dtype: str) -> None:
    matrix = np.array([[1, 2], [3, 4]], dtype=dtype)
    data = in_every_format(["a", "b"], matrix)[format_name]
    found = read(tmp_path, data, ids=["a", "b"] if format_name == "npy" else None)
    assert same(found, ["a", "b"], np.array([[1, 2], [3, 4]], dtype=np.float32))
    assert found[1].dtype.isnative


def test_columns_first_in_memory_is_rows_first_in_the_result(tmp_path: Path) -> None:
    for data in (npz(ids=IDS, vectors=np.asfortranarray(MATRIX)), pickled((IDS, np.asfortranarray(MATRIX)), 5)):
        names, matrix = read(tmp_path, data)
        assert same((names, matrix))
        assert matrix.flags.c_contiguous


def test_the_reference_layout_has_whole_numbers_as_ids(tmp_path: Path) -> None:
    assert read(tmp_path, npz(ids=np.array([7, 8]), vectors=MATRIX[:2]))[0] == ["7", "8"]
    assert read(tmp_path, npz(ids=np.array(["é".encode(), b"b"]), vectors=MATRIX[:2]))[0] == ["é", "b"]


# npy and its ids


@pytest.mark.parametrize("name", ["v.ids", "v.ids.txt", "v.txt"])
@pytest.mark.parametrize("packed", [False, True])
def test_ids_stand_beside_the_matrix(tmp_path: Path, name: str, packed: bool) -> None:
    (tmp_path / name).write_bytes("\ufeff".encode() + "\r\n".join(IDS).encode())
    assert same(read(tmp_path, gzip.compress(npy(MATRIX)) if packed else npy(MATRIX), "v.npy.gz" if packed else "v.npy"))


def test_a_missing_file_of_ids_is_named(tmp_path: Path) -> None:
    assert "none of v.ids, v.ids.txt, v.txt); give one, with one id per line" in refusal(tmp_path, npy(MATRIX), "v.npy")
    (tmp_path / "v.npy").write_bytes(npy(MATRIX))
    with pytest.raises(VectorError, match=r"other\.ids does not exist; give a file of ids"):
        read_vectors(tmp_path / "v.npy", ids=tmp_path / "other.ids")


def test_another_number_of_ids_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, npy(MATRIX), ids=IDS[:3]).startswith("of.ids has 3 ids, but v 4 rows; ")
    assert "v has 3 ids for 4 vectors; " in refusal(tmp_path, npz(ids=IDS[:3], vectors=MATRIX))
    assert "v has 3 ids for 4 vectors; " in refusal(tmp_path, pickled((IDS[:3], MATRIX)))


def test_an_empty_id_is_refused(tmp_path: Path) -> None:
    assert "vector 2 of v has an empty id" in refusal(tmp_path, npy(MATRIX), ids=["a", "", "b", "c"])


@pytest.mark.parametrize("matrix", [np.ones(4), np.ones((4, 1, 1)), np.ones((4, 2), dtype=bool), np.array([["a"]] * 4)])
def test_what_is_no_matrix_of_numbers_is_refused(tmp_path: Path, matrix: Matrix) -> None:
    for data, ids in ((npy(matrix), IDS), (npz(ids=IDS, vectors=matrix), None)):
        assert f"in the shape {matrix.shape}; expected a matrix of numbers" in refusal(tmp_path, data, ids=ids)


def test_arrays_of_python_objects_are_refused(tmp_path: Path) -> None:
    matrix = np.array([[1, 2], [3, 4]], dtype=object)
    assert "not a whole .npy file of numbers" in refusal(tmp_path, npy(matrix), ids=["a", "b"])
    assert "not a whole .npz file" in refusal(tmp_path, npz(ids=["a", "b"], vectors=matrix))
    assert "array of the dtype 'O8'; " in refusal(tmp_path, pickled((["a", "b"], matrix)))
    assert "array of the dtype 'O8'; " in refusal(tmp_path, pickled({"a": [matrix]}, 5))


def test_a_packed_npz_is_no_npy(tmp_path: Path) -> None:
    data = gzip.compress(npz(ids=IDS, vectors=MATRIX))
    assert "v is not a .npy file but another of numpy's" in refusal(tmp_path, data, format_name="npy")


@pytest.mark.parametrize("change", [(b"'descr': '<f4'", b"'descr': d<f4'"), (b"(4, 3)", b"(4, 4)"), (b"(4, 3)", b"(4((3")])
def test_a_damaged_header_is_refused(tmp_path: Path, change: tuple[bytes, bytes]) -> None:
    assert "v is not a whole .npy file of numbers (" in refusal(tmp_path, npy(MATRIX).replace(*change), ids=IDS)


def test_an_npz_without_the_arrays_is_refused_with_what_it_has(tmp_path: Path) -> None:
    assert "v holds keys, matrix; expected numpy's arrays ids and vectors" in refusal(tmp_path, npz(keys=IDS, matrix=MATRIX))
    assert "expected numpy's arrays" in refusal(tmp_path, npz())
    assert "id of the type float" in refusal(tmp_path, npz(ids=np.ones(4), vectors=MATRIX))
    assert "single value for its ids" in refusal(tmp_path, npz(ids="Q1", vectors=MATRIX))


# what is wrong in any format


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(VectorError, match=r"gone\.npy does not exist; give the path"):
        read_vectors(tmp_path / "gone.npy")
    with pytest.raises(VectorError, match=r"is a folder; give the path"):
        read_vectors(str(tmp_path))
    assert refusal(tmp_path, b"").startswith("v is empty; ")


def test_unknown_content_and_options_are_refused(tmp_path: Path) -> None:
    assert "was not recognised by its content or name; give it, one of npy, npz" in refusal(
        tmp_path, b"Dear Ada,\nhow are you?\n"
    )
    assert "is UTF-16; convert it first" in refusal(tmp_path, text(IDS, MATRIX).decode().encode("utf-16"))
    with pytest.raises(OptionError, match="format 'csv' is unknown; expected one of npy"):
        read(tmp_path, text(IDS, MATRIX), format_name="csv")
    with pytest.raises(OptionError, match=r"v \(word2vec-text\) holds its own ids.+; leave it out"):
        read(tmp_path, text(IDS, MATRIX), ids=IDS)


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_counted_and_the_first_is_named(tmp_path: Path, format_name: str, value: float) -> None:
    matrix = MATRIX.copy()
    matrix[2, 1] = matrix[3] = value
    message = refusal(tmp_path, in_every_format(IDS, matrix)[format_name], ids=IDS if format_name == "npy" else None)
    assert "in 2 of 4 vectors, first in that of '東京'; mend or remove them" in message


def test_values_too_large_for_float32_are_refused(tmp_path: Path) -> None:
    matrix = np.array([[1, 1e300]])
    datas = [npz(ids=["a"], vectors=matrix), text(["a"], matrix), b"a b 1 1e300\n", pickled({"a": [1, 10**400]})]
    for data in [*datas, *(pickled({"a": vector}) for vector in (matrix[0], [1, 1e300]))]:
        assert "too large for float32) in 1 of 1 vectors" in refusal(tmp_path, data)


def test_values_that_are_not_finite_are_found_in_a_long_file(tmp_path: Path) -> None:
    matrix = np.zeros((40_000, 1), dtype=np.float32)
    matrix[[20_000, 39_999]] = np.nan
    message = refusal(tmp_path, npz(ids=np.arange(40_000), vectors=matrix))
    assert "in 2 of 40,000 vectors, first in that of '20000'" in message


@pytest.mark.parametrize("format_name", ["npy", "npz", "word2vec-text", "word2vec-binary", "parquet"])
def test_an_id_that_is_there_twice_is_named(tmp_path: Path, format_name: str) -> None:
    ids = ["c", "a", "b", "a"]
    message = refusal(tmp_path, in_every_format(ids, MATRIX)[format_name], ids=ids if format_name == "npy" else None)
    assert message == "v has more than one vector of 'a'; remove all but one"


@pytest.mark.parametrize("format_name", ["npy", "npz", "word2vec-text", "word2vec-binary", "parquet"])
def test_the_first_of_a_repeated_id_may_count(tmp_path: Path, format_name: str) -> None:
    ids = ["c", "a", "b", "a"]
    data = in_every_format(ids, MATRIX)[format_name]
    found = read(tmp_path, data, ids=ids if format_name == "npy" else None, first_of_repeated=True)
    assert same(found, ids[:3], MATRIX[:3])


def test_keys_that_become_the_same_id_are_refused(tmp_path: Path) -> None:
    assert "more than one vector of '7'" in refusal(tmp_path, pickled({7: [1.0], "7": [2.0]}))


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
@pytest.mark.parametrize("format_name", ["npy", "npz", "word2vec-text", "word2vec-binary", "parquet", "pickle"])
def test_no_vectors_or_no_dimensions_are_refused(tmp_path: Path, format_name: str, shape: tuple[int, int]) -> None:
    ids, matrix = IDS[: shape[0]], np.zeros(shape, dtype=np.float32)
    if format_name == "npy" and not ids:
        assert "of.ids is empty" in refusal(tmp_path, npy(matrix), ids=ids)
        return
    data = in_every_format(ids, matrix)[format_name]
    message = refusal(tmp_path, data, ids=ids if format_name == "npy" else None)
    assert re.search(r"(\d vectors of \d dimensions|vectors of 0 dimensions); expected at least", message)


# text


@pytest.mark.parametrize("header", [True, False])
@pytest.mark.parametrize("separator", [" ", "\t", "  "])
@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\n\n"])
def test_text_with_any_white_space(tmp_path: Path, header: bool, separator: str, end: str) -> None:
    assert same(read(tmp_path, text(IDS, MATRIX, header=header, separator=separator, end=end)))


def test_text_with_a_byte_order_mark_and_without_a_last_line_end(tmp_path: Path) -> None:
    for header in (True, False):
        assert same(read(tmp_path, "\ufeff".encode() + text(IDS, MATRIX, header=header)[:-1]))


def test_text_with_numbers_that_only_python_reads(tmp_path: Path) -> None:
    assert same(read(tmp_path, b"a +1 .5 5. 1E2\n"), ["a"], np.array([[1, 0.5, 5, 100]]))


def test_text_that_is_not_utf_8_is_read_as_latin_1(tmp_path: Path) -> None:
    assert read(tmp_path, text(["é"], MATRIX[:1]).decode().encode("latin-1"))[0] == ["é"]


def test_the_quick_and_the_careful_way_agree() -> None:
    values = np.random.default_rng(0).standard_normal((50, 7)).astype(np.float32)
    block = text([f"Q{i}" for i in range(50)], values, header=False)
    quick, careful = imported._usual_rows(block, 7), imported._rows(block, 7, 1, "v", "")
    assert quick is not None
    assert quick[0] == careful[0]
    assert np.array_equal(quick[1], careful[1])
    assert np.array_equal(quick[1].reshape(50, 7), values)


def test_rows_in_many_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenthemes.core.files.BLOCK", 40)
    monkeypatch.setattr(imported, "BLOCK", 5)
    assert same(read(tmp_path, text(IDS, MATRIX)))
    assert same(read(tmp_path, binary(IDS, MATRIX)))
    message = refusal(tmp_path, text(IDS, MATRIX, header=False) + b"a 1 2 x\n")
    assert message.startswith("line 5 of v has 'x' where a number was expected (3 of them, as in the first row); ")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a 1 2 3\nb 1 2\n", "line 2 of v has 2 numbers, expected 3 as in the first row; mend the line"),
        (b"a 1 2 3\n\nb 1 2 3 4\n", "line 3 of v has 4 numbers, expected 3 as in the first row; mend the line"),
        (b"a 1 2 3\nNew York 1.5 2\n", "line 2 of v has 'York' where a number was expected (3 of them, as in"),
        (
            b"a 1 2 3\nWindows 95 1 2 3\n",
            "line 2 of v has 4 numbers, expected 3 as in the first row; mend the line (an id whose",
        ),
        (b"a 1 2 3\nb 1 2,5 3\n", "line 2 of v has '2,5' where a number was expected"),
        (b"a 1 2 3\nb 1 1_0 3\n", "line 2 of v has '1_0' where a number was expected"),
        (b"a 1 2 3\nb 1 0x10 3\n", "line 2 of v has '0x10' where a number was expected"),
        (b"a 1 2 3\nb 1 NA 3\n", "line 2 of v has 'NA' where a number was expected"),
        (b"a 1 2 3\nb 1 \xff 3\n", "line 2 of v has '\ufffd' where a number was expected"),
        (b"a 1 2 3\nb\n", "line 2 of v has 0 numbers, expected 3"),
        (b"a 1 2 3\n4 1 2\n", "line 2 of v has 2 numbers, expected 3"),
        (b"2 4\na 1 2 3\nb 1 2 3\n", "line 2 of v has 3 numbers, expected 4 as the header says; mend the line"),
        (b"2 2\na 1 2 3\nb 1 2 3\n", "line 2 of v has 3 numbers, expected 2 as the header says; mend the line"),
        (b"3 3\na 1 2 3\nb 1 2 3\n", "v has 2 rows, but its header says 3; get the file again or mend the header"),
        (b"1 3\na 1 2 3\nb 1 2 3\n", "v has 2 rows, but its header says 1; get the file again or mend the header"),
        (b"3 3\n", "v has 0 rows, but its header says 3; "),
        (b"2 0\na\nb\n", "the header of v says vectors of 0 dimensions; expected at least 1: mend it"),
    ],
)
def test_bad_text_is_refused_with_its_line(tmp_path: Path, data: bytes, message: str) -> None:
    assert refusal(tmp_path, data).startswith(message)


def test_a_forced_text_without_numbers_is_refused(tmp_path: Path) -> None:
    assert "line 1 of v has no numbers" in refusal(tmp_path, b"Dear Ada\nhow are you\n", format_name="word2vec-text")
    assert "at least one of each" in refusal(tmp_path, b"\n \n", format_name="word2vec-text")


@pytest.mark.parametrize("suffix", PACK)
@pytest.mark.parametrize("format_name", ["npy", "word2vec-text", "word2vec-binary", "parquet", "pickle"])
def test_a_cut_archive_is_the_reason_given(tmp_path: Path, format_name: str, suffix: str) -> None:
    matrix = np.random.default_rng(0).standard_normal((300, 200)).astype(np.float32)
    ids = [f"Q{i}" for i in range(300)]
    data = PACK[suffix](in_every_format(ids, matrix)[format_name])
    message = refusal(tmp_path, data[: len(data) * 9 // 10], ids=ids if format_name == "npy" else None)
    assert message.startswith("truncated or damaged archive: v: ")
    assert message.endswith("; get the file again")


# binary


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_binary_with_and_without_line_ends(tmp_path: Path, end: bytes) -> None:
    assert same(read(tmp_path, binary(IDS, MATRIX, end=end)))


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (binary(IDS, MATRIX)[:-5], "v ends in row 4, but its header says 4 rows of 3 numbers; "),
        (b"9" + binary(IDS, MATRIX), "v ends in row 5, but its header says 94 rows of 3 numbers; "),
        (b"999999999999999 999999999999999\na \0\0\0\0", "v ends in row 1, but its header says 999,999,999,999,999 rows"),
        (binary(IDS, MATRIX).replace(b"4 3", b"4 4", 1), "v ends in row "),
        (
            binary(IDS, MATRIX).replace(b"4 3", b"4 2", 1),
            "v goes on after the 4 rows of 2 numbers its header says; mend the header",
        ),
        (binary(IDS, MATRIX).replace(b"4 3", b"3 3", 1), "v goes on after the 3 rows of 3 numbers"),
    ],
)
def test_bad_binary_is_refused(tmp_path: Path, data: bytes, message: str) -> None:
    assert refusal(tmp_path, data).startswith(message)
    assert refusal(tmp_path, data, format_name="word2vec-binary").startswith(message)


def test_binary_needs_its_header(tmp_path: Path) -> None:
    message = refusal(tmp_path, b"Q1 \0\0\0\0", "v.bin")
    assert message.startswith("v.bin does not begin with a line `count dimension`")


# Parquet


@pytest.mark.parametrize("kind", [pa.float16(), pa.float32(), pa.float64(), pa.int8(), pa.uint64()])
@pytest.mark.parametrize("list_of", [pa.list_, pa.large_list, lambda kind: pa.list_(kind, 2)])
def test_parquet_with_lists_of_any_kind(tmp_path: Path, kind: pa.DataType, list_of: Callable[..., pa.DataType]) -> None:
    rows = np.array([[1, 2], [3, 4], [5, 6]]).astype(kind.to_pandas_dtype())
    data = parquet({"extra": ["x"] * 3, "vector": pa.array(list(map(list, rows)), list_of(kind)), "id": ["a", "b", "c"]})
    assert same(read(tmp_path, data), ["a", "b", "c"], np.array([[1, 2], [3, 4], [5, 6]]))


def test_parquet_with_a_column_for_each_dimension(tmp_path: Path) -> None:
    columns = {f"d{i}": MATRIX[:, i] for i in range(3)}
    assert same(read(tmp_path, parquet({"id": IDS, **columns})))
    assert same(read(tmp_path, parquet({"id": IDS, **columns, "__index_level_0__": [0, 1, 2, 3]})))  # pandas adds it
    assert same(read(tmp_path, parquet({"id": IDS, "x": [1, 2, 3, 4]})), IDS, np.array([[1], [2], [3], [4]]))


def test_parquet_in_many_row_groups_and_with_other_ids(tmp_path: Path) -> None:
    data = parquet({"id": IDS, "vector": vector_column(MATRIX)}, row_group_size=1, compression="zstd")
    assert same(read(tmp_path, data))
    for ids in (pa.array([7, 8]), pa.array(["7", "8"]).dictionary_encode(), pa.array([b"7", b"8"])):
        assert read(tmp_path, parquet({"id": ids, "vector": vector_column(MATRIX[:2])}))[0] == ["7", "8"]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"key": ["a"], "vector": [[1.0]]}, "v has the columns key, vector; expected id and vector (lists of numbers), or id"),
        ({"id": ["a"]}, "v has the columns id; expected id and vector"),
        ({"id": ["a"], "vector": ["1 2"]}, "the column 'vector' of v holds string; expected lists of numbers: "),
        ({"id": ["a"], "vector": [1.0]}, "the column 'vector' of v holds double; expected lists of numbers: "),
        ({"id": ["a"], "vector": [["x"]]}, "the column 'vector' of v holds list<element: string>; expected lists of numbers: "),
        ({"id": ["a"], "x": [1.0], "y": ["b"]}, "the column 'y' of v holds string; expected numbers, or a column vector"),
        ({"id": ["a"], "x": [True]}, "the column 'x' of v holds bool; expected numbers"),
        ({"id": ["a"], "x": [[1.0]]}, "the column 'x' of v holds list<element: double>; expected numbers, or a column vector"),
        ({"id": ["a", "b"], "x": [1.0, None]}, "the column 'x' of v has 1 empty values; fill or remove them"),
        ({"id": ["a", "b"], "vector": [[1.0], [None]]}, "the column 'vector' of v has 1 empty values; fill or remove them"),
        ({"id": ["a", "b"], "vector": [[1.0], None]}, "vector 2 of v has 0 numbers, the first 1; give all the same"),
        ({"id": ["a", "b"], "vector": [[1.0, 2.0], [1.0]]}, "vector 2 of v has 1 numbers, the first 2; give all the same"),
        ({"id": ["a", None], "x": [1.0, 2.0]}, "v has an id of the type NoneType; save the ids as strings"),
        ({"id": [1.5], "x": [1.0]}, "v has an id of the type float; save the ids as strings"),
    ],
)
def test_bad_parquet_is_refused(tmp_path: Path, columns: dict[str, Any], message: str) -> None:
    assert refusal(tmp_path, parquet(columns)).startswith(message)


def test_an_empty_vector_of_a_fixed_size_is_refused(tmp_path: Path) -> None:
    column = pa.array([[1.0, 2.0], None], pa.list_(pa.float32(), 2))
    assert refusal(tmp_path, parquet({"id": ["a", "b"], "vector": column})).startswith("vector 2 of v ")


def test_what_only_begins_as_parquet_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, b"PAR1 and so on").startswith("v is not a whole Parquet file (")


# pickles


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[Path]:
    """A file that only a program in a pickle would make."""
    yield tmp_path / "ran"
    assert not (tmp_path / "ran").exists()


class Exploit:
    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.reduced = (function, arguments)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.reduced


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_of_vectors_in_every_protocol(tmp_path: Path, protocol: int) -> None:
    by_id = dict(zip(IDS, MATRIX, strict=True))
    as_lists = [[float(number) for number in row] for row in MATRIX]
    for held in (
        by_id,
        OrderedDict(by_id),
        dict(zip(IDS, as_lists, strict=True)),
        {np.str_(name): list(row) for name, row in by_id.items()},
        {name: MATRIX.T[:, i] for i, name in enumerate(IDS)},
        (IDS, MATRIX),
        (IDS, MATRIX.astype(np.float64)),
        [np.array(IDS), np.asfortranarray(MATRIX)],
        (tuple(IDS), as_lists),
    ):
        assert same(read(tmp_path, pickled(held, protocol), "v.pickle")), held


def test_a_pickle_of_numpy_1_and_of_python_2(tmp_path: Path) -> None:
    by_id = {"a": np.array([1, 2], dtype=np.float32)}
    for protocol in range(3):
        data = pickled(by_id, protocol)
        assert b"numpy._core" in data
        assert same(read(tmp_path, data.replace(b"numpy._core", b"numpy.core")), ["a"], np.array([[1, 2]]))
    old = (  # as Python 2 wrote {"Q1": np.float32([1, 2])} with protocol 2: bytes are strings
        b"\x80\x02}q\x01U\x02Q1q\x02cnumpy.core.multiarray\n_reconstruct\nq\x03cnumpy\nndarray\nq\x04K\x00\x85U\x01b\x87Rq\x05"
        b"(K\x01K\x02\x85cnumpy\ndtype\nq\x06U\x02f4K\x00K\x01\x87Rq\x07(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
        b"\x89U\x08" + struct.pack("<2f", 1, 2) + b"tbs."
    )
    assert same(read(tmp_path, old), ["Q1"], np.array([[1, 2]]))


@pytest.mark.parametrize("protocol", range(6))
def test_a_program_in_a_pickle_does_not_run(tmp_path: Path, marker: Path, protocol: int) -> None:
    exploit = Exploit(os.system, f"touch {marker}")
    vector = np.ones(2, dtype=np.float32)
    for held in (
        exploit,
        {"a": exploit},
        {"a": vector, "b": [1.0, exploit]},
        OrderedDict(a=vector, b={"c": (exploit,)}),
        (IDS, exploit),
        [[exploit], MATRIX],
        (IDS, np.array([exploit], dtype=object)),
    ):
        message = refusal(tmp_path, pickled(held, protocol))
        assert re.search(
            r"the pickle (asks for (posix|nt)\.system; only numpy arrays are|holds an array of the dtype 'O8')", message
        )


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (eval, ("1",)),
        (exec, ("1",)),
        (getattr, (1, "real")),
        (__import__, ("os",)),
        (np.load, ("v",)),
        (np.fromfile, ("v",)),
        (bytearray, (10,)),
        (pickle.loads, (b"N.",)),
    ],
)
def test_other_functions_are_refused_by_name(tmp_path: Path, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    for protocol in range(6):
        message = refusal(tmp_path, pickled({"a": Exploit(function, *arguments)}, protocol))
        assert f".{function.__name__}; only numpy arrays are admitted" in message


def test_a_name_behind_an_admitted_one_is_refused(tmp_path: Path) -> None:
    """Protocol 4 follows dots: numpy.dtype.__class__ or collections.OrderedDict.fromkeys."""
    for module, name in (("numpy", "dtype.__class__"), ("collections", "OrderedDict.fromkeys"), ("numpy", "a\nb\x1b[31m")):
        data = b"\x80\x04" + b"".join(b"\x8c" + bytes([len(part)]) + part.encode() for part in (module, name)) + b"\x93."
        message = refusal(tmp_path, data)
        assert "the pickle asks for " in message
        assert message.isprintable()


def test_only_latin_1_is_encoded(tmp_path: Path) -> None:
    import _codecs

    for encoding in ("rot13", "utf-8", "zlib_codec"):
        message = refusal(tmp_path, pickled({"a": Exploit(_codecs.encode, "x", encoding)}))
        assert f"the pickle asks for the encoding '{encoding}'; " in message


def test_a_pickle_cannot_change_what_it_is_handed(tmp_path: Path) -> None:
    """BUILD gives any object a state: here the functions and classes that stand in for numpy's."""
    state = b"(N}V__doc__\nVchanged\nstb"  # (None, {"__doc__": "changed"}): setattr for each
    for (module, name), given_object in pickles._ADMITTED.items():
        before = given_object.__doc__
        refusal(tmp_path, f"c{module}\n{name}\n".encode() + state + b".", format_name="pickle")
        refusal(tmp_path, f"c{module}\n{name}\n".encode() + b"}V__doc__\nVchanged\nsb.", format_name="pickle")
        assert given_object.__doc__ == before


def test_a_forged_dtype_makes_no_objects_of_bytes(tmp_path: Path) -> None:
    """numpy itself would take the flags of a dtype from the pickle, and bytes for pointers."""

    class Forged:
        def __reduce__(self) -> Any:
            return np.dtype, ("O8", False, True), (3, "|", None, None, None, -1, -1, 0)

    class Array:
        def __reduce__(self) -> Any:
            reconstruct = np.zeros(1).__reduce__()[0]
            return reconstruct, (np.ndarray, (0,), b"b"), (1, (1,), Forged(), False, b"\x01" * 8)

    assert "array of the dtype 'O8'; only plain numbers" in refusal(tmp_path, pickled({"a": Array()}))


@pytest.mark.parametrize(
    ("held", "message"),
    [
        ({}, "v has 0 vectors of 0 dimensions; expected at least one of each"),
        (MATRIX, "v holds a ndarray that is neither a dict from id to vector nor a pair (ids, matrix); save one of these"),
        (IDS, "v holds a list that is neither"),
        ("Q1", "v holds a str that is neither"),
        (None, "v holds a NoneType that is neither"),
        ((IDS, MATRIX, 1), "v holds a tuple that is neither"),
        ((IDS, None), "v holds a tuple that is neither"),
        ((None, MATRIX), "v has a single value for its ids; save a list of them"),
        ({"a": "text"}, "v has a str as the vector of 'a'; expected a list or array of numbers: mend it"),
        ({"a": [1.0, "b"]}, "v has a list as the vector of 'a'"),
        ({"a": [True]}, "v has a list as the vector of 'a'"),
        ({"a": [[1.0]]}, "v has a list as the vector of 'a'"),
        ({"a": {"b": 1.0}}, "v has a dict as the vector of 'a'"),
        ({"a": MATRIX}, "v has an array of the shape (4, 3) as the vector of 'a'"),
        (
            {"a": [1.0, 2.0], "b\n": [1.0]},
            r"v has a vector of 1 numbers for 'b\n', expected 2 as for the first; mend or remove it",
        ),
        ({1.5: [1.0]}, "v has an id of the type float; save the ids as strings"),
        ({10**5000: [1.0]}, "v has an id of the type int; save the ids as strings"),
        ({True: [1.0]}, "v has an id of the type bool; save the ids as strings"),
        ({("a", "b"): [1.0]}, "v has an id of the type tuple; save the ids as strings"),
    ],
)
def test_a_pickle_of_something_else_is_refused(tmp_path: Path, held: Any, message: str) -> None:
    for protocol in (2, 4, 5):
        assert refusal(tmp_path, pickled(held, protocol)).startswith(message)


def test_a_pickle_of_unfinished_arrays_is_refused(tmp_path: Path) -> None:
    unfinished = b"cnumpy.core.multiarray\n_reconstruct\n)\x81"  # made without arguments and never given its numbers
    assert "v holds a ndarray that is neither" in refusal(tmp_path, b"\x80\x02" + unfinished + b".")
    assert "v has 1 vectors of 0 dimensions" in refusal(tmp_path, b"\x80\x02}Va\n" + unfinished + b"s.")
    unicode = pickled((np.array(["a"]), MATRIX[:1])).replace(b"a\0\0\0", b"\xff" * 4)
    assert "ids with letters that Unicode does not know" in refusal(tmp_path, unicode)


def test_a_damaged_pickle_is_refused(tmp_path: Path) -> None:
    whole = pickled({"a": np.ones(2, dtype=np.float32)})
    assert "v is not a whole pickle of numpy arrays (" in refusal(tmp_path, whole[:-20])
    assert "v is not a whole pickle" in refusal(tmp_path, b"\x80\x04\x8e" + b"\xff" * 7 + b"\x00.")  # bytes without end
    assert "v is not a whole pickle" in refusal(tmp_path, b"\x80\x04Pid\n.")  # an object kept elsewhere
    assert "v is not a whole pickle" in refusal(tmp_path, pickletools.optimize(whole).replace(b"K\x02\x85", b"K\x03\x85"))


# real data


@pytest.mark.real_data
def test_real_word_vectors(real_data: Callable[[str], Path]) -> None:
    ids, matrix = read_vectors(real_data("vectors/words-100d.txt.gz"))
    assert matrix.shape == (31_376, 100)
    assert ids[0] == "the"
    assert matrix[0, :3].tolist() == np.array([-0.0382, -0.245, 0.728], dtype=np.float32).tolist()

"""Vectors somebody already has: every format gives the same ids and values, bad files are refused by name."""

from __future__ import annotations

import bz2
import gzip
import lzma
import pickle
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from helpers.vector_files import IDS, MATRIX, Matrix, in_every_format, npy, npz, outcome, read, refusal, same, text
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.cli.advice import advise
from eigenthemes.embeddings.imported import FORMATS, read_vectors
from eigenthemes.errors import OptionError, VectorError

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: pa.compress(data, codec="zstd", asbytes=True),
}


# every format


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("name", ["v", "v.npy", "v.npz", "v.txt", "v.bin", "v.parquet"])
def test_the_format_is_found_by_content_whatever_the_name(tmp_path: Path, format_name: str, name: str) -> None:
    data = in_every_format(IDS, MATRIX)[format_name]
    assert same(read(tmp_path, data, name, ids=IDS if format_name == "npy" else None))


@pytest.mark.parametrize("format_name", FORMATS)
def test_the_format_can_be_forced(tmp_path: Path, format_name: str) -> None:
    data = in_every_format(IDS, MATRIX)[format_name]
    assert same(read(tmp_path, data, ids=IDS if format_name == "npy" else None, format_name=format_name))


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("format_name", ["npy", "word2vec-text", "word2vec-binary", "parquet"])
def test_packed_files_are_unpacked(tmp_path: Path, format_name: str, suffix: str) -> None:
    data = COMPRESS[suffix](in_every_format(IDS, MATRIX)[format_name])
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
@pytest.mark.parametrize("format_name", ["npy", "npz"])
def test_numbers_of_any_type_become_float32(tmp_path: Path, format_name: str, dtype: str) -> None:
    matrix = np.array([[1, 2], [3, 4]], dtype=dtype)
    data = in_every_format(["a", "b"], matrix)[format_name]
    found = read(tmp_path, data, ids=["a", "b"] if format_name == "npy" else None)
    assert same(found, ["a", "b"], np.array([[1, 2], [3, 4]], dtype=np.float32))
    assert found[1].dtype.isnative


def test_columns_first_in_memory_is_rows_first_in_the_result(tmp_path: Path) -> None:
    for data in (npz(ids=IDS, vectors=np.asfortranarray(MATRIX)),):
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
    with pytest.raises(VectorError, match=r"none of v\.ids, v\.ids\.txt, v\.txt\); give one, with one id per line") as refused:
        read(tmp_path, npy(MATRIX), "v.npy")
    assert advise(refused.value, "embed") == f"{refused.value} (--ids FILE)"
    (tmp_path / "v.npy").write_bytes(npy(MATRIX))
    with pytest.raises(VectorError, match=r"other\.ids does not exist; give a file of ids"):
        read_vectors(tmp_path / "v.npy", ids=tmp_path / "other.ids")


def test_another_number_of_ids_is_refused(tmp_path: Path) -> None:
    assert refusal(tmp_path, npy(MATRIX), ids=IDS[:3]).startswith("of.ids has 3 ids, but v 4 rows; ")
    assert "v has 3 ids for 4 vectors; " in refusal(tmp_path, npz(ids=IDS[:3], vectors=MATRIX))


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
    with pytest.raises(OptionError, match=r"v \(word2vec-text\) holds its own ids.+; leave it out") as refused:
        read(tmp_path, text(IDS, MATRIX), ids=IDS)
    assert advise(refused.value, "embed") == f"{refused.value} (leave out --ids)"


@pytest.mark.parametrize("format_name", FORMATS)
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_values_that_are_not_finite_are_counted_and_the_first_is_named(tmp_path: Path, format_name: str, value: float) -> None:
    matrix = MATRIX.copy()
    matrix[2, 1] = matrix[3] = value
    message = refusal(tmp_path, in_every_format(IDS, matrix)[format_name], ids=IDS if format_name == "npy" else None)
    assert "in 2 of 4 vectors, first in that of '東京'; mend or remove them" in message


def test_values_too_large_for_float32_are_refused(tmp_path: Path) -> None:
    matrix = np.array([[1, 1e300]])
    datas = [npz(ids=["a"], vectors=matrix), text(["a"], matrix), b"a b 1 1e300\n"]
    for data in datas:
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


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_is_refused(tmp_path: Path, protocol: int) -> None:
    message = refusal(tmp_path, pickle.dumps(dict(zip(IDS, MATRIX.tolist(), strict=True)), protocol), "v.pickle")
    assert message == "v.pickle is a pickle, which is not read; save the vectors as .npz"


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
@pytest.mark.parametrize("format_name", ["npy", "npz", "word2vec-text", "word2vec-binary", "parquet"])
def test_no_vectors_or_no_dimensions_are_refused(tmp_path: Path, format_name: str, shape: tuple[int, int]) -> None:
    ids, matrix = IDS[: shape[0]], np.zeros(shape, dtype=np.float32)
    if format_name == "npy" and not ids:
        assert "of.ids is empty" in refusal(tmp_path, npy(matrix), ids=ids)
        return
    data = in_every_format(ids, matrix)[format_name]
    message = refusal(tmp_path, data, ids=ids if format_name == "npy" else None)
    assert re.search(r"(\d vectors of \d dimensions|vectors of 0 dimensions); expected at least", message)


# real data


@pytest.mark.real_data
def test_real_word_vectors(real_data: Callable[[str], Path]) -> None:
    ids, matrix = read_vectors(real_data("vectors/words-100d.txt.gz"))
    assert matrix.shape == (31_376, 100)
    assert ids[0] == "the"
    assert matrix[0, :3].tolist() == np.array([-0.0382, -0.245, 0.728], dtype=np.float32).tolist()

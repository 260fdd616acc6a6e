"""word2vec's text and binary formats."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.files import COMPRESS
from helpers.vector_files import IDS, MATRIX, binary, in_every_format, read, refusal, same, text

from eigenthemes.embeddings import imported

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
    plus = block.replace(b" 0.", b"  +0.")  # which Arrow does not read
    quick, careful = (imported._rows(each, 7, 1, "v", "") for each in (block, plus))
    assert quick[0] == careful[0]
    assert np.array_equal(quick[1], careful[1])
    assert np.array_equal(quick[1].reshape(50, 7), values)


def test_a_second_space_is_no_number(tmp_path: Path) -> None:
    assert "line 2 of" in refusal(tmp_path, b"a 1 2\nb  1\n")


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


@pytest.mark.parametrize("suffix", COMPRESS)
@pytest.mark.parametrize("format_name", ["npy", "word2vec-text", "word2vec-binary", "parquet"])
def test_a_cut_archive_is_the_reason_given(tmp_path: Path, format_name: str, suffix: str) -> None:
    matrix = np.random.default_rng(0).standard_normal((300, 200)).astype(np.float32)
    ids = [f"Q{i}" for i in range(300)]
    data = COMPRESS[suffix](in_every_format(ids, matrix)[format_name])
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

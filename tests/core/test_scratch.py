"""Arrays in memory and arrays on disk: the same numbers, whoever sorts them; and what is said where there is no room."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenthemes.core import scratch as scratches
from eigenthemes.core.scratch import (
    LEAST,
    GrowingColumn,
    GrowingStrings,
    Scratch,
    SpillScratch,
    blocks,
    check_memory,
    parse_memory,
    scratch_for,
)
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.errors import BuildError, MissingExtraError, OptionError

NUMBERS = st.lists(st.tuples(st.integers(0, 2**64 - 1), st.integers(0, 6), st.integers(0, 2**32 - 1)), max_size=40)


@pytest.fixture(scope="module")
def on_disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SpillScratch]:
    """A scratch that keeps the smallest arrays on disk and sorts all of them with duckdb, some rows at a time."""
    with pytest.MonkeyPatch.context() as patch, SpillScratch(tmp_path_factory.mktemp("spill"), LEAST) as scratch:
        patch.setattr(scratches, "_SMALL", 0)
        patch.setattr(scratches, "_BATCH", 7)
        patch.setattr(scratches, "_ROWS", 7)
        patch.setattr(SpillScratch, "at_once", -1)
        yield scratch


@settings(deadline=None, max_examples=25)
@given(NUMBERS, st.sampled_from([(2**64, 7, 2**32), (2**64, 8, 2**64), (2**64, 2**40, 2**33)]))
def test_rows_are_sorted_the_same_in_memory_and_by_the_engine(
    on_disk: SpillScratch, rows: list[tuple[int, int, int]], limits: tuple[int, ...]
) -> None:
    columns = [np.array([row[column] for row in rows], dtype=np.uint64) for column in range(3)]
    for scratch in (Scratch(), on_disk):
        found = scratch.sort_rows(columns, limits)
        assert list(zip(*(column.tolist() for column in found), strict=True)) == sorted(rows)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.text(max_size=9), max_size=30))
def test_strings_are_ordered_taken_and_hashed_the_same(on_disk: SpillScratch, texts: list[str]) -> None:
    strings = Strings.of(texts)
    texts = list(strings)  # lone surrogates are gone
    for scratch in (Scratch(), on_disk):
        order = scratch.order_of_strings(strings)
        assert [texts[row] for row in order.tolist()] == sorted(texts)
        assert list(scratch.take_strings(strings, order)) == sorted(texts)
        assert scratch.hashes(strings).tolist() == hash_strings(strings).tolist()
        growing = GrowingStrings(scratch)
        growing.append(strings)
        growing.append(strings)
        assert (len(growing), list(growing.concatenate())) == (2 * len(texts), 2 * texts)


@settings(deadline=None, max_examples=25)
@given(st.lists(st.integers(0, 9), max_size=40))
def test_what_is_done_by_blocks_is_what_numpy_does_at_once(on_disk: SpillScratch, numbers: list[int]) -> None:
    column = np.array(numbers, dtype=np.uint32)
    ascending = np.sort(column)
    for scratch in (Scratch(), on_disk):
        assert scratch.counts(column, 10).tolist() == np.bincount(column, minlength=10).tolist()
        assert scratch.offsets(column).tolist() == [0, *np.cumsum(column).tolist()]
        assert scratch.indptr(ascending, 10).tolist() == [0, *np.cumsum(np.bincount(column, minlength=10)).tolist()]
        distinct = scratch.chosen(scratch.first_of_equal(ascending), ascending)[0]
        assert distinct.tolist() == sorted(set(numbers))
        growing = GrowingColumn(scratch, np.uint32)
        for first, last in blocks(len(column), 3):
            growing.append(column[first:last])
        assert (len(growing), growing.concatenate().tolist()) == (len(column), numbers)


def test_files_have_no_name_and_the_folder_goes(tmp_path: Path) -> None:
    with SpillScratch(tmp_path, LEAST) as scratch:
        array = scratch.empty((1 << 20, 3), np.float32)
        array[:] = 1
        assert array.shape == (1 << 20, 3)
        assert list(scratch.folder.iterdir()) == []
    assert list(tmp_path.iterdir()) == []
    assert array.sum() == 3 << 20  # whoever holds an array still has it


def test_a_full_disk_is_one_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*arguments: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with (
        pytest.raises(BuildError, match="too full for the temporary files") as caught,
        SpillScratch(tmp_path, LEAST) as scratch,
    ):
        scratch.empty(1 << 20, np.uint64)
    assert caught.value.code == "spill"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "size"), [("4G", 4 * 10**9), ("500M", 5 * 10**8), ("1.5 GB", 15 * 10**8), ("2gib", 2 * 10**9), (10**9, 10**9)]
)
def test_amounts_of_memory_have_suffixes(text: str | int, size: int) -> None:
    assert parse_memory(text) == size


@pytest.mark.parametrize("text", ["", "much", "-4G", "4X", "4 G B"])
def test_what_is_no_amount_of_memory_is_refused(text: str) -> None:
    with pytest.raises(OptionError, match="like 4G or 800M"):
        parse_memory(text)


def test_too_little_memory_is_refused_with_what_is_the_least() -> None:
    with pytest.raises(OptionError, match=r"10M of memory; give it 400M at least with 1 process$"):
        check_memory("10M", 1)
    with pytest.raises(OptionError, match="600M at least with 2 processes, or fewer processes"):
        check_memory("500M", 2)
    assert check_memory("600M", 2) == 6 * 10**8


def test_without_the_engine_the_command_to_install_it_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(MissingExtraError, match=r"duckdb.*pip install 'eigenthemes\[big\]'"):
        SpillScratch(tmp_path, LEAST)


def test_temporary_files_lie_beside_the_kb_unless_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def folder_for(temporary: str | None) -> Path:
        with scratch_for(tmp_path / "my.kb", "1G", temporary, 1) as scratch:
            assert isinstance(scratch, SpillScratch)
            return scratch.folder.parent

    for name in ("there", "here"):
        (tmp_path / name).mkdir()
    monkeypatch.delenv("EIGENTHEMES_TMP", raising=False)
    assert folder_for(None) == tmp_path
    monkeypatch.setenv("EIGENTHEMES_TMP", str(tmp_path / "there"))
    assert folder_for(None) == tmp_path / "there"
    assert folder_for(str(tmp_path / "here")) == tmp_path / "here"


def test_a_folder_that_cannot_be_written_to_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BuildError, match=r"temporary files cannot be written to .*; choose another") as caught:
        SpillScratch(tmp_path / "file", LEAST).__enter__()
    assert caught.value.code == "spill"

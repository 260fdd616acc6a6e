"""A file is there only when all of it is, and an input is never written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from eigenthemes import OptionError, SourceError
from eigenthemes.tables.open_table import replacing_file


def test_what_was_there_stays_until_all_is_written(tmp_path: Path) -> None:
    path = tmp_path / "o.csv"
    path.write_bytes(b"before")
    path.chmod(0o640)
    half = replacing_file(path)
    half.__enter__().write(b"half")
    assert half.__exit__(ValueError, ValueError(), None) is not True
    assert path.read_bytes() == b"before"
    with replacing_file(path) as file:
        file.write(b"whole")
        assert path.read_bytes() == b"before"
    assert path.read_bytes() == b"whole"
    assert path.stat().st_mode & 0o777 == 0o640
    assert list(tmp_path.iterdir()) == [path]


def test_the_input_is_not_written_over(tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(b"x")
    (tmp_path / "link.csv").symlink_to(path)
    for other in (path, tmp_path / "link.csv", tmp_path / "." / "in.csv"):
        with pytest.raises(OptionError, match="is the input itself"), replacing_file(other, inputs=(path,)):
            pass
    assert path.read_bytes() == b"x"


def test_places_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    for place in (tmp_path, tmp_path / "none" / "o.csv"):
        with pytest.raises(SourceError, match="cannot be written"), replacing_file(place):
            pass

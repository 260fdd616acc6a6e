"""Commands and methods of other distributions: found by entry points, and one sentence where eigenthemes-paper is missing."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
from collections.abc import Iterator

import pytest
from helpers.commands import assert_one_sentence, call

from eigenthemes import KB, Linker
from eigenthemes.cli import cli
from eigenthemes.core.extensions import load_extensions
from eigenthemes.errors import MissingExtraError, OptionError
from eigenthemes.ranking.methods import METHODS, all_methods, method_named

POINTS = [
    importlib.metadata.EntryPoint("best", "eigenthemes.ranking.methods:_SAMPLE", "eigenthemes.methods"),
    importlib.metadata.EntryPoint("greet", "eigenthemes.cli.inspect:show", "eigenthemes.commands"),
]


@pytest.fixture
def installed(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install nothing but these entry points."""
    points = importlib.metadata.EntryPoints(request.param)
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda group: points.select(group=group))
    monkeypatch.setattr("eigenthemes.ranking.methods._SAMPLE", METHODS["degree"], raising=False)
    monkeypatch.setattr(cli, "commands", {})  # click keeps commands that other tests have used
    load_extensions.cache_clear()
    yield
    load_extensions.cache_clear()


@pytest.mark.parametrize("installed", [POINTS], indirect=True)
@pytest.mark.usefixtures("installed")
def test_a_method_of_an_extension_is_a_method(tiny: KB) -> None:
    assert list(all_methods()) == [*METHODS, "best"]
    assert Linker(tiny, method="best").link("Iowa").links == Linker(tiny, method="degree").link("Iowa").links
    with pytest.raises(OptionError, match=r"method 'worst' is unknown; expected one of selftrained, .*, best"):
        method_named("worst")


@pytest.mark.parametrize("installed", [POINTS], indirect=True)
@pytest.mark.usefixtures("installed")
def test_a_command_of_an_extension_is_listed_and_runs() -> None:
    assert "greet" in call("--help").stdout
    assert "Usage: eigenthemes greet" in call("greet", "--help").stdout


@pytest.mark.parametrize("installed", [()], indirect=True)
@pytest.mark.usefixtures("installed")
def test_what_the_paper_brings_is_named_where_it_is_missing() -> None:
    with pytest.raises(MissingExtraError, match=r"the method taumil needs the package eigenthemes-paper, .*install ./paper"):
        method_named("taumil")
    for command in ("experiment", "prepare", "train-taumil"):
        assert_one_sentence(call(command, "x"), f"the command {command} needs the package eigenthemes-paper")
    assert call("nothing").returncode == 2


def test_a_built_in_command_reads_no_metadata(tiny: KB) -> None:
    check = f"""
import sys
sys.argv = ["eigenthemes", "candidates", {str(tiny.path)!r}, "Iowa"]
from eigenthemes.cli import main
try:
    main()
except SystemExit as done:
    print(done.code, "importlib.metadata" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "0 False"

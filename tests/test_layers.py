"""The layers of the package: folders, the contract of import-linter and the drawing in CONTRIBUTING.md name the same parts."""

from __future__ import annotations

import re
from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "eigenthemes"
NO_PART = {"__init__", "__main__"}


def parts() -> set[str]:
    """The folders and modules in the root of the package."""
    folders = {file.parent.name for file in PACKAGE.glob("*/__init__.py")}
    return folders | {file.stem for file in PACKAGE.glob("*.py")} - NO_PART


def contract() -> list[set[str]]:
    """The layers of the contract, highest first."""
    parser = ConfigParser()
    parser.read(ROOT / ".importlinter", encoding="utf-8")
    layers = parser["importlinter:contract:layers"]["layers"].split("\n")
    return [{part.strip(" ()") for part in re.split(r"[|:]", layer)} for layer in layers if layer.strip()]


def drawing() -> list[set[str]]:
    """The layers of the drawing, highest first; each line begins with a part, and a blank line separates two layers."""
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    drawn = re.search(r"\*\*Where things go\.\*\*.*?```\n(.*?)```", page, re.DOTALL)
    assert drawn is not None
    layers = [[line.split()[0] for line in layer.splitlines()] for layer in drawn[1].split("\n\n")]
    assert len([name for layer in layers for name in layer]) == len({name for layer in layers for name in layer})
    return [{name.removesuffix("/").removesuffix(".py").replace("/", ".") for name in layer} for layer in layers]


def test_the_contract_names_every_part() -> None:
    named = set().union(*contract())
    assert {name.partition(".")[0] for name in named} == parts()
    for part in {name.partition(".")[0] for name in named if "." in name}:
        modules = {f"{part}.{file.stem}" for file in (PACKAGE / part).glob("*.py")} - {f"{part}.__init__"}
        assert {name for name in named if name.partition(".")[0] == part} == modules


def test_the_drawing_is_the_contract() -> None:
    drawn = drawing()
    lines = set().union(*drawn)
    assert drawn == [{name if name in lines else name.partition(".")[0] for name in layer} for layer in contract()]


def test_folders_are_drawn_as_folders() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for part in parts():
        name = f"{part}/" if (PACKAGE / part).is_dir() else f"{part}.py"
        assert re.search(rf"^{re.escape(name)} ", page, re.MULTILINE), name

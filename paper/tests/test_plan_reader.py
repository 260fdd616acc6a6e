"""Plans: those that come along, and what is wrong with others."""

from __future__ import annotations

from pathlib import Path

import pytest

from eigenthemes.errors import EigenthemesError, OptionError, SourceError
from eigenthemes_paper.plan_reader import PLANS, read_plan
from eigenthemes_paper.sections import SECTIONS


def test_those_that_come_along_can_be_read() -> None:
    for path in PLANS.glob("*.toml"):
        plan = read_plan(path.name)
        assert plan.sections
        assert {each for section in plan.sections.values() for each in section.sets} <= set(plan.sets)
    assert {path.name for path in PLANS.glob("*.toml")} == {"demo.toml", "paper.toml", "local.toml", "tables.toml"}


def test_both_have_every_section() -> None:
    for name in ("paper", "local"):
        kinds = {section.kind for section in read_plan(name).sections.values()}
        assert kinds == set(SECTIONS), name


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("title = ", "is no TOML"),
        ("title = 'x'", "has no section; add at least one"),
        ("tilte = 'x'\n[section.graphs]", "tilte is unknown; expected some of about, data"),
        ("[section.table-9]", r"\[section.table-9\]: there is no such section; expected one of figure-1"),
        ("[section.graphs]\nsets = ['x']", r"there is no \[set.x\]; the plan has none"),
        ("[section.graphs]\ncolour = 1", "colour is unknown"),
        ("[section.figure-3a]\nruns = 'many'", "runs is 'many'; expected a whole number"),
        ("[section.graphs]\nsets = [1]", "expected a list of texts"),
        ("[set.x]\nkb = 'y'\ndocuments = 'z'\n[section.graphs]", r"there is no \[kb.y\]"),
        ("[set.x]\ndocuments = 'z'\n[section.graphs]", "has no kb; add it"),
        ("[kb.x]\n[section.graphs]", "needs sources .* or published"),
        (
            "[kb.x]\nsources = ['a']\nvectors = ['magic']\n[section.graphs]",
            "vectors 'magic' is unknown; expected some of prone",
        ),
        ("[section.table-2]\nmethods = ['egen']", "methods 'egen' is unknown; expected some of selftrained, eigen"),
        ("[section.table-2]\ngenerator = 'magic'", "generator 'magic' is unknown; expected some of default, paper"),
        ("[section.table-2]\nvectors = 'magic'", "vectors 'magic' is unknown"),
        ("[section.figure-9]\nlimits = ['x']", r"limits is \['x'\]; expected a list of numbers like"),
        ("[section.figure-9]\nlimits = []", r"limits is \[\]; expected a list of numbers"),
        ("[section.figure-7cd]\ncomponents = [0]", r"components is \[0\]; expected a list of numbers"),
        ("[section.figure-3a]\nruns = 0", "runs is 0; expected a number above 0"),
        ("[section.figure-3a]\nruns = true", "runs is True; expected a whole number"),
        ("[section.table-3]\ntraining_share = 1.5", "training_share is 1.5; expected a number above 0"),
        ("[kb.y]\nsources=['a']\n[set.x]\nkb='y'\ndocuments='z'\nlimit=0\n[section.graphs]", "limit is 0; expected 1"),
        ("[section.figure-8ab]", r"shows the rows of table-2, which is not in the plan; add \[section.table-2\]"),
        ("kb = 1\n[section.graphs]", "kb is 1; expected a table"),
        ("[kb]\nx = 1\n[section.graphs]", r"\[kb.x\] is 1; expected a table"),
    ],
)
def test_what_is_wrong_is_said(text: str, said: str, tmp_path: Path) -> None:
    (tmp_path / "p.toml").write_text(text)
    with pytest.raises(OptionError, match=said):
        read_plan(str(tmp_path / "p.toml"))


@pytest.mark.parametrize("given", ["folder", "/dev/zero"])
def test_a_plan_that_is_no_file_is_refused(tmp_path: Path, given: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(EigenthemesError, match=r" is a (folder|device)"):
        read_plan(str(tmp_path / given))


def test_a_plan_that_is_not_there() -> None:
    with pytest.raises(SourceError, match=r"nowhere.toml does not exist; .*: demo.toml, local.toml, paper.toml, tables.toml"):
        read_plan("nowhere.toml")

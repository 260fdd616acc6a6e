"""What the documents say is what happens: commands are run, snippets executed, the list of options generated."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import click
import pytest
from helpers.commands import without_progress
from helpers.files import ROOT

from eigenthemes import KB
from eigenthemes.cli import all_commands
from eigenthemes.kg.demo import DOCUMENTS, SMALL

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
COOKBOOK = ROOT / "docs" / "cookbook"


def page_name(page: Path) -> str:
    return str(page.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    shutil.copy(SMALL, tmp_path / "demo.ttl")
    shutil.copy(DOCUMENTS["small"], tmp_path / "demo.jsonl")
    return tmp_path


def files_of(page: Path) -> list[Path]:
    """The files that a recipe of the cookbook starts from: small ones, in the format of the published ones."""
    return sorted((COOKBOOK / "files" / page.stem).iterdir()) if page.parent == COOKBOOK and page.stem != "index" else []


def shell(command: str, place: Path) -> str:
    function = f'eigenthemes() {{ {sys.executable} -m eigenthemes "$@"; }}; '
    environment = {name: value for name, value in os.environ.items() if name != "EIGENTHEMES_DATA"}  # the pages assume none
    done = subprocess.run(
        ["bash", "-c", function + command], cwd=place, capture_output=True, text=True, check=False, env=environment
    )
    return without_progress(done.stdout + done.stderr)


def timeless(line: str) -> str:
    return re.sub(r" in [\d.]+ s( \([\d,]+ documents/s\))?$", " in N s", line.rstrip())


FIGURE = re.compile(r"(\d+[.,]\d+)(%?)")


def alike(shown: str, printed: str) -> bool:
    """Are two lines the same but for last digits? Those of KBs as small as the cookbook's change with every ranker."""
    figures = [FIGURE.findall(line) for line in (shown, printed)]
    if FIGURE.sub("#", shown) != FIGURE.sub("#", printed):
        return False
    pairs = ((float(a.replace(",", ".")), float(b.replace(",", ".")), unit) for (a, unit), (b, _) in zip(*figures, strict=True))
    return all(abs(a - b) <= (5 if unit else 0.05) for a, b, unit in pairs)


def test_lines_alike() -> None:
    assert alike("Paris 0.57 x 12.1%", "Paris 0.55 x 13.0%")
    assert not alike("Paris 0.57", "Paris 0.75")
    assert not alike("Paris 0.57", "London 0.57")
    assert not alike("5 of 5 names 0,57", "4 of 5 names 0,57")


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "console")], ids=page_name)
def test_commands_print_what_the_page_shows(page: Path, place: Path) -> None:
    for file in files_of(page):
        shutil.copy(file, place)
    for block in blocks(page, "console"):
        for command, shown in re.findall(r"^\$ ((?:.*\\\n)*.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            printed, expected = shell(command, place).splitlines(), shown.splitlines()
            at = expected.index("...") if "..." in expected else max(len(printed), len(expected))
            if os.environ.get("UPDATE_DOCS"):
                expected = [*printed[:at], *expected[at:]]
                old, new = f"$ {command}\n{shown}", "\n".join([f"$ {command}", *expected, ""])
                page.write_text(page.read_text(encoding="utf-8").replace(old, new, 1), encoding="utf-8")
            found, wanted = list(map(timeless, printed[:at])), list(map(timeless, expected[:at]))
            if page.parent == COOKBOOK and len(found) == len(wanted):
                found = [line if alike(line, other) else other for line, other in zip(wanted, found, strict=True)]
            assert found == wanted, command
            assert len(printed) > at or "..." not in expected


def run_snippets(page: Path) -> dict[str, Any]:
    """Execute the Python of a page from top to bottom, and return the names it defines."""
    names: dict[str, Any] = {}
    for snippet in blocks(page, "python"):
        exec(compile(snippet, str(page), "exec"), names)
    return names


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in PAGES[1:] if blocks(page, "python")], ids=page_name)
def test_python_snippets_run(
    page: Path, place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """They run, print what they say they print, and the KBs they build are trained as a reader's are."""
    monkeypatch.chdir(place)
    names = run_snippets(page)
    snippets = "".join(blocks(page, "python"))
    assert set(re.findall(r"^(\w+) = ", snippets, re.MULTILINE)) <= names.keys()
    assert bool(capsys.readouterr().out) == ("print(" in snippets)
    for path in place.glob("*.kb"):
        kb = KB.open(path)
        assert next(iter(kb.vector_sets)) in kb.rankers
    assert any(place.glob("*.kb")) == ("build_kb(" in snippets)


def test_the_python_of_the_readme_gives_probabilities(
    place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(place)
    names = run_snippets(ROOT / "README.md")
    assert names["linker"].method_name == "selftrained"
    links = names["linked"].links
    assert len(links) > 3
    assert sum(link.probability is not None for link in links) > len(links) / 2
    assert [line.split()[-1] for line in capsys.readouterr().out.splitlines()] == [str(link.probability) for link in links]


def test_every_recipe_has_its_files_and_is_in_the_list() -> None:
    recipes = {page.stem for page in COOKBOOK.glob("*.md")} - {"index"}
    assert recipes == {folder.name for folder in (COOKBOOK / "files").iterdir()}
    assert recipes == set(re.findall(r"\]\((\w+)\.md\)", (COOKBOOK / "index.md").read_text(encoding="utf-8")))
    for recipe in recipes:
        page = COOKBOOK / f"{recipe}.md"
        assert "## Trouble" in page.read_text(encoding="utf-8")
        assert "eigenthemes build" in "".join(blocks(page, "console"))
        assert not [file for file in files_of(page) if file.name not in page.read_text(encoding="utf-8")]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert not [target for target in targets if not (page.parent / target).exists()]


def help_page() -> str:
    """docs/cli.md, from the help texts themselves."""
    parts = ["# Commands\n\nGenerated from the help texts: `UPDATE_DOCS=1 python -m pytest tests/test_docs.py`.\n"]
    for name, command in sorted(all_commands().items()):
        context = click.Context(command, info_name=f"eigenthemes {name}", terminal_width=110, **command.context_settings)
        parts.append(f"## eigenthemes {name}\n\n```\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def test_every_command_is_in_the_docs_as_its_help_says() -> None:
    page = ROOT / "docs" / "cli.md"
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(help_page(), encoding="utf-8")
    assert page.read_text(encoding="utf-8") == help_page()
    assert all(command.help for command in all_commands().values())

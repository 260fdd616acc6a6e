"""What the documents say is what happens: commands are run, snippets executed, the list of options generated."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from eigenthemes.cli import cli
from eigenthemes.kg.demo import DOCUMENTS, SMALL

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    shutil.copy(SMALL, tmp_path / "demo.ttl")
    shutil.copy(DOCUMENTS["small"], tmp_path / "demo.jsonl")
    (tmp_path / "mine.toml").write_text(blocks(ROOT / "docs" / "experiments.md", "toml")[0])
    return tmp_path


def shell(command: str, place: Path) -> str:
    function = f'eigenthemes() {{ {sys.executable} -m eigenthemes "$@"; }}; '
    done = subprocess.run(["bash", "-c", function + command], cwd=place, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def timeless(line: str) -> str:
    return re.sub(r" in [\d.]+ s$", " in N s", line.rstrip())


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_print_what_the_page_shows(page: Path, place: Path) -> None:
    for block in blocks(page, "console"):
        for command, shown in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.MULTILINE):
            printed = [timeless(line) for line in shell(command, place).splitlines()]
            expected = [timeless(line) for line in shown.splitlines()]
            if "..." in expected:
                at = expected.index("...")
                assert printed[:at] == expected[:at], command
                assert len(printed) > at
            else:
                assert printed == expected, command


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_snippets_run(page: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(place)
    names: dict[str, object] = {}
    for snippet in blocks(page, "python"):
        exec(snippet, names)
    assert "__builtins__" in names or not blocks(page, "python")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert not [target for target in targets if not (page.parent / target).exists()]


def help_page() -> str:
    """docs/cli.md, from the help texts themselves."""
    parts = ["# Commands\n\nGenerated from the help texts: `UPDATE_DOCS=1 python -m pytest tests/test_docs.py`.\n"]
    for name, command in sorted(cli.commands.items()):
        context = click.Context(
            command, info_name=f"eigenthemes {name}", terminal_width=110, help_option_names=["-h", "--help"]
        )
        parts.append(f"## eigenthemes {name}\n\n```\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def test_every_command_is_in_the_docs_as_its_help_says() -> None:
    page = ROOT / "docs" / "cli.md"
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(help_page(), encoding="utf-8")
    assert page.read_text(encoding="utf-8") == help_page()
    assert all(command.help for command in cli.commands.values())

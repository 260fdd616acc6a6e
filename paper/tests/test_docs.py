"""The documents of the paper: links lead somewhere, commands print what the page shows, the options are listed."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import click
import pytest
from helpers.commands import call

from eigenthemes.kg.demo import DOCUMENTS, SMALL
from eigenthemes_paper import commands

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "results").rglob("*.md"))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8"))
    assert not [target for target in targets if not (page.parent / target).exists()]


def test_the_plan_of_the_page_is_listed(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "experiments.md").read_text(encoding="utf-8")
    (plan,) = re.findall(r"^```toml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (shown,) = re.findall(r"^\$ eigenthemes experiment mine.toml --list\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    shutil.copy(SMALL, tmp_path / "demo.ttl")
    shutil.copy(DOCUMENTS["small"], tmp_path / "demo.jsonl")
    (tmp_path / "mine.toml").write_text(plan)
    done = call("experiment", "mine.toml", "--list", "--data", tmp_path, cwd=tmp_path)
    assert [line.rstrip() for line in done.stdout.splitlines()] == shown.splitlines()


def help_page() -> str:
    """Return docs/cli.md, from the help texts themselves."""
    parts = [
        "# Commands of the paper\n\nGenerated from the help texts: `UPDATE_DOCS=1 python -m pytest paper/tests/test_docs.py`.\n"
    ]
    for command in (commands.experiment, commands.prepare, commands.train_taumil):
        name = f"eigenthemes {command.name}"
        context = click.Context(command, info_name=name, terminal_width=110, help_option_names=["-h", "--help"])
        parts.append(f"## {name}\n\n```\n{command.get_help(context)}\n```\n")
    return "\n".join(parts)


def test_every_command_is_in_the_docs_as_its_help_says() -> None:
    page = ROOT / "docs" / "cli.md"
    if os.environ.get("UPDATE_DOCS"):
        page.write_text(help_page(), encoding="utf-8")
    assert page.read_text(encoding="utf-8") == help_page()

"""The tutorial notebook runs, and what it shows is what it showed: words as they are, figures nearly."""

from __future__ import annotations

import os
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from helpers.files import ROOT

nbformat = pytest.importorskip("nbformat", reason="the notebook is run where nbclient and ipykernel are: the extra [test]")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")

NOTEBOOK = ROOT / "docs" / "tutorial.ipynb"
NUMBER = re.compile(r"[-+]?\d+(\.\d+)?%?")
MISSING = {"None", "NaN", "<NA>"}  # how versions of pandas write nothing


class _Text(HTMLParser):
    def __init__(self, html: str) -> None:
        super().__init__()
        self.parts, self.hidden = list[str](), False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.hidden = tag == "style"
        self.parts += [value or "" for name, value in attrs if name == "title"]

    def handle_endtag(self, tag: str) -> None:
        self.hidden = False

    def handle_data(self, data: str) -> None:
        self.parts += [] if self.hidden else [data]


def facts(output: Any) -> list[str]:
    """The words and figures of an output of a cell."""
    if output.output_type == "stream":
        text = output.text
    else:
        html = output.data.get("text/html")
        text = output.data["text/plain"] if html is None else " ".join(_Text(html).parts)
    return re.findall(r"[-+]?\d+(?:\.\d+)?%?|<NA>|[^\W\d]+", text)


def same(shown: str, printed: str) -> bool:
    if NUMBER.fullmatch(shown) and NUMBER.fullmatch(printed):
        allowed = 5.0 if shown.endswith("%") else 0.05
        return float(shown.rstrip("%")) == pytest.approx(float(printed.rstrip("%")), abs=allowed)
    return shown == printed or {shown, printed} <= MISSING


@pytest.fixture(scope="module")
def committed() -> Any:
    return nbformat.read(NOTEBOOK, as_version=4)


@pytest.fixture(scope="module")
def executed(committed: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook, run from top to bottom in an empty folder; UPDATE_DOCS=1 keeps what it shows."""
    notebook = nbformat.from_dict(committed)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    place = tmp_path_factory.mktemp("notebook")
    resources = {"metadata": {"path": str(place)}}
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources, record_timing=False).execute()
    notebook.metadata.language_info = {"name": "python"}  # not which Python
    if os.environ.get("UPDATE_DOCS"):
        nbformat.write(notebook, NOTEBOOK)
    return notebook


@pytest.mark.slow
def test_the_notebook_shows_what_it_showed(executed: Any) -> None:
    committed = nbformat.read(NOTEBOOK, as_version=4)
    for before, now in zip(committed.cells, executed.cells, strict=True):
        if now.cell_type != "code":
            continue
        assert [each.output_type for each in before.outputs] == [each.output_type for each in now.outputs], now.source
        for shown, printed in zip(before.outputs, now.outputs, strict=True):
            expected, found = facts(shown), facts(printed)
            assert len(expected) == len(found), now.source
            assert not [pair for pair in zip(expected, found, strict=True) if not same(*pair)], now.source


@pytest.mark.slow
def test_the_notebook_says_what_is_right(executed: Any) -> None:
    """Facts that a reader takes home, not just the same as before."""
    shown = {
        cell.source: " ".join(" ".join(facts(each)) for each in cell.outputs) for cell in executed.cells if "outputs" in cell
    }

    def output_of(part: str) -> str:
        (found,) = [text for source, text in shown.items() if part in source]
        return found

    assert "Michael I Jordan https example org demo michael_i_jordan" in output_of("his students David Blei")
    assert "demo michael_jordan probability" in output_of("Chicago Bulls")
    assert "no_candidate" in output_of("Tirana")
    assert output_of("threshold 0.9").count("low_probability") == 2  # only Andrew Ng is that sure
    assert "Stanford University" in output_of("link_frame")
    assert "worked at" in output_of("report_table")
    assert "Apex GmbH c 2" in output_of("Max Korn opened")
    assert "Apex Ltd c 1" in output_of("Ada Stone says")


def test_the_notebook_was_committed_with_its_outputs(committed: Any) -> None:
    """Whole, in the order of its cells, with nothing of the machine it ran on."""
    code = [cell for cell in committed.cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in code] == list(range(1, len(code) + 1))
    assert all(cell.outputs for cell in code)
    assert not [each for cell in code for each in cell.outputs if each.output_type == "error"]
    text = NOTEBOOK.read_text(encoding="utf-8")
    assert not re.search(r"/tmp/|/home/|/work/|/root/", text)
    nbformat.validate(committed)


def test_links_of_the_notebook_lead_somewhere(committed: Any) -> None:
    text = "\n".join(cell.source for cell in committed.cells if cell.cell_type == "markdown")
    targets = re.findall(r"\]\((?!https?:)([^)#]+)", text)
    assert targets
    assert not [target for target in targets if not (Path(NOTEBOOK).parent / target).exists()]

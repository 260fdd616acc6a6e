"""Every method has its label on the page, its row in the docs, its colour in figures and its place in tables."""

from __future__ import annotations

import re

import pytest
from helpers.files import ROOT

from eigenthemes.ranking.methods import METHODS
from eigenthemes_paper.drawing import METHOD_COLORS
from eigenthemes_paper.rows import OWN_METHODS, PAPER_METHODS

PAGE = (ROOT / "eigenthemes" / "service" / "page" / "options_bar.js").read_text(encoding="utf-8")
DOCS = (ROOT / "docs" / "methods.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", METHODS)
def test_a_method_is_listed_wherever_methods_are(name: str) -> None:
    listed = re.search(r"const METHODS = \{(.*?)\n\};", PAGE, re.DOTALL)
    assert listed is not None
    assert re.search(rf'^  "?{name}"?: "', listed[1], re.MULTILINE), "add a label to METHODS in service/page/options_bar.js"
    assert re.search(rf"^\| `{name}`", DOCS, re.MULTILINE), "add a row to the table in docs/methods.md"
    assert name in METHOD_COLORS, "add a colour to METHOD_COLORS in paper/eigenthemes_paper/drawing.py"
    assert name in (*PAPER_METHODS, *OWN_METHODS), "add it to the methods in paper/eigenthemes_paper/rows.py"


def test_colours_are_distinct() -> None:
    assert len(set(METHOD_COLORS.values())) == len(METHOD_COLORS)

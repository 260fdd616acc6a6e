"""Abbreviations that a text defines."""

from __future__ import annotations

import pytest

from eigenthemes.names.evidence import definitions


@pytest.mark.parametrize(
    ("text", "short", "long_form"),
    [
        ("with chronic allograft nephropathy (CAN) after", "CAN", "chronic allograft nephropathy"),
        ("AIV: avian influenza virus; HA: hemagglutinin", "AIV", "avian influenza virus"),
        ("Abbreviations: NA, neuraminidase; HA, hemagglutinin.", "NA", "neuraminidase"),
        ("the NA (neuraminidase) gene", "NA", "neuraminidase"),
        ("systemic lupus erythematosus (SLE, 12 cases)", "SLE", "systemic lupus erythematosus"),
        ("the 5-hydroxytryptamine receptor (5-HTR)", "HTR", None),  # begins with a digit: not told
        ("tumor necrosis factor alpha (TNFa)", "TNFa", "tumor necrosis factor alpha"),
    ],
)
def test_definitions(text: str, short: str, long_form: str | None) -> None:
    assert definitions(text).get(short) == (None if long_form is None else (long_form,))


@pytest.mark.parametrize(
    "text", ["", "in Paris (France)", "the city (see below)", "Boston (USA) and", "a (b) c", "((()))", "X (Y"]
)
def test_brackets_that_define_nothing(text: str) -> None:
    assert definitions(text) == {}

"""Cells of tables: what one that is no name as it stands may mean."""

from __future__ import annotations

import pytest

from eigenthemes.names.detector import cells
from eigenthemes.names.detectors import cell_forms
from eigenthemes.records import Table


@pytest.mark.parametrize(
    ("cell", "forms"),
    [
        ("Paris", []),
        ("Museum of Modern Art (MoMA)", ["Museum of Modern Art"]),
        ("Grand Lisboa [hotel]", ["Grand Lisboa"]),
        ("Korea, Republic of", ["Republic of Korea", "Korea"]),
        ("Savannah, Georgia, USA", ["Savannah, Georgia", "Savannah"]),
        ("Rome (city), Italy", ["Rome , Italy", "Italy Rome", "Rome, Italy", "Rome"]),
        ("(1984)", []),
        ("12, 13", []),
        (", ,", []),
    ],
)
def test_forms_of_a_cell(cell: str, forms: list[str]) -> None:
    assert cell_forms(cell) == forms


def test_cells_that_say_that_nothing_is_known_are_no_names() -> None:
    table = Table(
        ("a",), tuple((cell,) for cell in ("N/A", "null", " Unknown ", "-", "3", "", "Nandi", "NA", "Unknown Pleasures"))
    )
    assert [mention.text for mention in cells(table)] == ["Nandi", "NA", "Unknown Pleasures"]

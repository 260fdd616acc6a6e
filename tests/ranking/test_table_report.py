"""What a linked table is about: types of columns, relations of pairs of columns."""

from __future__ import annotations

import json

import pytest
from helpers.city_tables import CITIES, COUNTRIES, build_cities, city_table, country_of
from helpers.shared_builds import build_once

from eigenthemes import KB, Linker
from eigenthemes.ranking.table_report import Cell, report_cells
from eigenthemes.records import LinkedTable


@pytest.fixture(scope="module")
def cities(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return KB.open(build_once(tmp_path_factory, "cities", build_cities) / "cities.kb")


def cells_of(kb: KB, linked: int, many: int = 12) -> list[Cell]:
    """Rows of a city and its country, of which the first ones are linked."""
    pairs = [(f"c-{name}", f"s-{country_of(name)}") for name in CITIES[:many]]
    return [
        (row, column, kb.index_of(entity) if row < linked else None)
        for row, pair in enumerate(pairs)
        for column, entity in enumerate(pair)
    ]


def test_a_linked_table_is_reported(cities: KB) -> None:
    linker = Linker(cities)
    linked = linker.link_table(city_table(), columns=["city", "country"])
    assert all(link.entity for link in linked.links)
    report = linker.report_table(linked)
    assert [(each.column, each.id, each.support, each.cells) for each in report.types] == [
        ("city", "City", 10, 10),
        ("country", "Country", 10, 10),
    ]
    assert [(each.subject, each.object, each.id, each.support) for each in report.relations] == [
        ("city", "country", "located in", 10)
    ]
    assert list(report.sentences())[:3] == [
        "city: city (10 of 10 cells)",
        "country: country (10 of 10 cells)",
        "city -> country: located in (10 of 10 rows)",
    ]
    assert list(report.sentences())[-1].startswith("on made-up tables ")
    assert json.loads(json.dumps(report.to_dict()))["relations"][0]["rows"] == 10


def test_the_other_way_round_the_relation_keeps_its_direction(cities: KB) -> None:
    cells = ((row, 1 - column, entity) for row, column, entity in cells_of(cities, 12))
    (relation,) = report_cells(cities, {0: "country", 1: "city"}, cells).relations
    assert (relation.subject, relation.object) == ("city", "country")


@pytest.mark.parametrize(("linked", "types", "relations"), [(12, 2, 1), (6, 2, 1), (5, 0, 1), (4, 0, 1), (3, 0, 0), (0, 0, 0)])
def test_half_of_the_cells_or_a_third_of_the_rows_must_agree(cities: KB, linked: int, types: int, relations: int) -> None:
    report = report_cells(cities, {0: "city", 1: "country"}, cells_of(cities, linked))
    assert sum(bool(each.id) for each in report.types) == types
    assert len(report.relations) == relations
    if not types:
        assert next(report.sentences()) == "city: no type that half of its 12 cells have"


def test_one_cell_agrees_with_nobody(cities: KB) -> None:
    report = report_cells(cities, {0: "city", 1: "country"}, cells_of(cities, 1, many=1))
    assert not any(each.id for each in report.types)
    assert not report.relations


def test_nothing_is_reported_of_nothing(cities: KB) -> None:
    linker = Linker(cities)
    empty = LinkedTable(city_table(0), (0,), ())
    assert [each.id for each in linker.report_table(empty).types] == [""]
    assert len(COUNTRIES) == 3

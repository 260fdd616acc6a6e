"""Rows of tables: one name of a column may mean two things, and the other cells of a row say which."""

from __future__ import annotations

from dataclasses import replace

import pytest
from helpers.city_tables import CITIES, COUNTRIES, TWIN, build_twins, city_table, country_of
from helpers.shared_builds import build_once

from eigenthemes import KB, Linker
from eigenthemes.records import Document, Table

ROWS = (*city_table().rows, (TWIN, COUNTRIES[1]))  # the first row is the twin in its own country


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return KB.open(build_once(tmp_path_factory, "twins", build_twins) / "twins.kb")


def cities_of(kb: KB, rows: tuple[tuple[str, ...], ...], **options: str) -> list[str | None]:
    linked = Linker(kb, allow_nil=False).link_table(Table(("city", "country"), rows), columns=[0, 1], **options)  # type: ignore[arg-type]
    return [link.entity for link in linked.links if link.mention.col == 0]


def test_the_country_of_the_row_says_which_city_is_meant(twins: KB) -> None:
    assert country_of(TWIN) == COUNTRIES[0]
    found = cities_of(twins, ROWS)
    assert found == [*(f"c-{name}" for name in CITIES[:10]), "c-twin"]


def test_columns_alone_cannot_say(twins: KB) -> None:
    found = cities_of(twins, ROWS, context="column")
    assert found[0] == found[-1]


def test_the_order_of_rows_and_tables_does_not_matter(twins: KB) -> None:
    assert cities_of(twins, ROWS[::-1]) == cities_of(twins, ROWS)[::-1]
    linker = Linker(twins)
    documents = [Document(table=Table(("city", "country"), rows)) for rows in (ROWS, ROWS[:2], ROWS[4:])]
    assert list(linker.link_batch(documents)) == [linker.link(document) for document in documents]


def test_two_rows_say_nothing_of_each_other(twins: KB) -> None:
    linker = Linker(twins)
    ranking = linker.explainer([Document(table=Table(("city", "country"), ROWS[:2]))]).ranking
    assert ranking.rows is None


def test_a_text_has_no_rows(twins: KB) -> None:
    assert Linker(twins).explainer([Document(text=f"{TWIN} and {CITIES[1]} in {COUNTRIES[1]}")]).ranking.rows is None


def test_an_explanation_says_which_cell_of_the_row_decided(twins: KB) -> None:
    linker = Linker(twins, allow_nil=False, explain=True)
    linked = linker.link_table(Table(("city", "country"), ROWS), columns=[0, 1])
    first, last = (linked.links[place] for place in (0, -2))
    for link, entity, country in ((first, f"c-{TWIN}", COUNTRIES[0]), (last, "c-twin", COUNTRIES[1])):
        found = link.explanation
        assert found is not None
        assert found.best is not None
        assert found.row is not None
        assert (found.best.id, found.row.text, found.row.id) == (entity, country, f"s-{country}")
        assert (found.row.relation, found.row.reverse) == ("located in", False)
        assert 9 <= found.row.having <= found.row.rows <= 11  # by what is likely
        assert f'"located in" leads from it to {country} in its row, as in' in found.sentence
        assert found.best.probability == pytest.approx(link.probability)
        assert found.best.contributions["row"] > 0
        assert found.to_dict()["row"]["text"] == country
    country_link = linked.links[1]
    assert country_link.explanation is not None
    assert country_link.explanation.row is not None
    assert country_link.explanation.row.reverse
    assert "in its row to it" in country_link.explanation.sentence
    assert "row" not in replace(country_link.explanation, row=None).to_dict()

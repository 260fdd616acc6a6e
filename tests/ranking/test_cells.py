"""Cells of tables: their column speaks for a candidate, and a text stays as it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.city_tables import CITIES, NAMESAKES, build_cities, city_table
from helpers.kbs import copy_kb
from helpers.shared_builds import build_once

from eigenthemes import KB, Linker
from eigenthemes.kb.attributes import EntityAttributes
from eigenthemes.names.alignment import COVERAGE
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features import FeatureContext, name
from eigenthemes.ranking.features.coincidence import CellEvidence
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document, LinkedTable, Mention, Table
from eigenthemes.train import store_ranker


@pytest.fixture(scope="module")
def cities(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return KB.open(build_once(tmp_path_factory, "cities", build_cities) / "cities.kb")


@pytest.fixture(scope="module")
def linker(cities: KB) -> Linker:
    return Linker(cities, allow_nil=False)


def evidence_of(kb: KB, documents: list[Document]) -> CellEvidence | None:
    attributes = EntityAttributes.of(kb)
    assert attributes is not None
    groups = MentionGroups.of(batch_maker(kb, needs_vectors=False).make(documents))
    coverage = name.compute(groups, FeatureContext(kb, kb.vectors()))[:, COVERAGE]
    return CellEvidence.of(groups, coverage, attributes)


def entities(linked: LinkedTable, column: int) -> list[str | None]:
    return [link.entity for link in linked.links if link.mention.col == column]


def test_a_column_of_cities_means_cities(linker: Linker) -> None:
    linked = linker.link_table(city_table(), columns=["city"])
    assert entities(linked, 0) == [f"c-{name}" for name in CITIES[:10]]


def test_a_column_of_persons_means_persons(linker: Linker) -> None:
    rows = [*((name,) for name in NAMESAKES), *((f"Fan {number}",) for number in range(8))]
    linked = linker.link_table(Table(("name",), tuple(rows)), columns=["name"])
    assert entities(linked, 0)[: len(NAMESAKES)] == [f"p-{name}" for name in NAMESAKES]


@pytest.mark.parametrize("context", ["row", "none"])
def test_columns_say_nothing_where_their_cells_are_not_decided_together(
    linker: Linker, monkeypatch: pytest.MonkeyPatch, context: str
) -> None:
    seen: list[CellEvidence] = []
    make = CellEvidence.of.__func__  # type: ignore[attr-defined]

    def note(cls: type[CellEvidence], *given: Any) -> CellEvidence | None:
        evidence: CellEvidence | None = make(cls, *given)
        seen.extend([] if evidence is None else [evidence])
        return evidence

    monkeypatch.setattr(CellEvidence, "of", classmethod(note))
    linker.link_table(city_table(), columns=["city", "country"], context=context)
    assert seen
    assert not any(evidence.evidence.any() for evidence in seen)


def test_tables_of_one_batch_are_apart(linker: Linker) -> None:
    documents = [Document(table=city_table(many)) for many in (2, 10, 4)]
    together = list(linker.link_batch(documents))
    assert together == [linker.link(document) for document in documents]


def test_a_text_beside_tables_is_linked_as_alone(cities: KB) -> None:
    linker = Linker(cities)
    text = Document(text="Avon and Cork and Fan 1", mentions=(Mention("Avon", 0, 4), Mention("Cork", 9, 13)))
    alone = linker.link(text)
    assert list(linker.link_batch([Document(table=city_table()), text]))[1] == alone


def test_a_ranker_without_a_model_of_cells_links_texts_the_same_and_tables_as_before(cities: KB, tmp_path: Path) -> None:
    ranker = Ranker.of(cities.rankers["prone"])
    assert ranker.cells is not None
    before = store_ranker(copy_kb(cities, tmp_path / "before.kb"), replace(ranker, cells=None))
    text = "Avon and Cork and Fan 1"
    assert Linker(before).link(text) == Linker(cities).link(text)
    assert Linker(before).rule.cells is None
    linked = Linker(before, allow_nil=False).link_table(city_table(), columns=["city"])
    told = Linker(cities, allow_nil=False).link_table(city_table(), columns=["city"])
    assert [link.ranking for link in linked.links] != [link.ranking for link in told.links]


def test_the_model_comes_back_from_the_manifest(cities: KB) -> None:
    described = cities.rankers["prone"]
    assert Ranker.of(described).to_dict() == described
    assert set(described["tables"]) == {"threshold", "training", "made_up", "reports", "choice", "none"}


def test_a_threshold_that_was_asked_for_holds_for_cells_too(cities: KB) -> None:
    assert Linker(cities).rule.cells == cities.rankers["prone"]["tables"]["threshold"]
    assert Linker(cities, threshold=0.0).rule.cells is None
    assert all(link.entity for link in Linker(cities, threshold=0.0).link_table(city_table()).links)


def test_elsewhere_is_the_highest_weight_of_the_entity_for_another_name(cities: KB) -> None:
    rows = (("Avon", "Avon"), ("Avon (town)", "x"), ("Fan 1", "Avon"), ("Fan", "Fan 2"), ("Fans", "Fan 1"))
    evidence = evidence_of(
        cities, [Document(table=Table(("a", "b"), rows)), Document(text="Avon"), Document(table=city_table())]
    )
    assert evidence is not None
    groups, rng = evidence.groups, np.random.default_rng(1)
    weight = np.round(rng.random(len(groups.entity)), 1)
    held = defaultdict[tuple[int, int], list[tuple[int, float]]](list)
    for entity, group, w in zip(groups.entity.tolist(), groups.group.tolist(), weight.tolist(), strict=True):
        held[int(groups.column_of[group]), entity].append((group, w))
    expected = [
        max([w for other, w in held[int(groups.column_of[group]), entity] if other != group], default=0.0)
        if groups.column_of[group] >= 0
        else 0.0
        for entity, group in zip(groups.entity.tolist(), groups.group.tolist(), strict=True)
    ]
    assert any(expected)
    assert evidence.elsewhere(weight).tolist() == expected


@pytest.mark.parametrize("rows", [(("Xyzzy",), ("Qwfp",)), (("",),), ()])
def test_a_table_of_which_nothing_is_known_is_linked_to_nothing(linker: Linker, rows: tuple[tuple[str, ...], ...]) -> None:
    linked = linker.link_table(Table(("a",), rows), columns=[0])
    assert not any(link.entity for link in linked.links)


def test_a_text_has_no_evidence_of_columns(cities: KB) -> None:
    assert evidence_of(cities, [Document(text="Avon")]) is None


def test_the_other_names_of_a_column_are_known_or_not(cities: KB) -> None:
    evidence = evidence_of(cities, [Document(table=Table(("a",), (("Avon",), ("Bern",), ("Nowhere",), ("Noplace",))))])
    assert evidence is not None
    assert evidence.known.tolist() == [2 / 5, 2 / 5, 3 / 5, 3 / 5]


def test_a_name_is_known_in_other_forms(cities: KB) -> None:
    evidence = evidence_of(cities, [Document(table=Table(("a",), (("Avon's",), ("BERN",), ("Nowhere",), ("Noplace",))))])
    assert evidence is not None
    assert evidence.known.tolist() == [2 / 5, 2 / 5, 3 / 5, 3 / 5]


def test_other_forms_are_looked_up_where_the_cell_is_no_name(cities: KB) -> None:
    rows = (("Avon (town)",), ("Bern, Borduria",), ("Cork",))
    maker = batch_maker(cities, needs_vectors=False)
    batch = maker.make([Document(table=Table(("city",), rows))])
    assert batch.forms == {0: "Avon", 1: "Bern"}
    assert MentionGroups.of(batch).names == ["avon", "bern", "cork"]
    names = [[cities.label_of(int(e)) for e in batch.table.entity[batch.table.mention_of == i]] for i in range(3)]
    assert names[1] == ["Bern"]
    in_text = maker.make([Document(mentions=(Mention("Bern, Borduria"),))])
    assert not in_text.forms


def test_an_explanation_says_what_the_column_has_in_common(cities: KB) -> None:
    linked = Linker(cities, explain=True, allow_nil=False).link_table(city_table(), columns=["city", "country"])
    found = linked.links[0].explanation
    assert found is not None
    assert found.column is not None
    assert (found.column.having, found.column.others) == (9, 9)
    assert "9 of the 9 other names in this column can " in found.sentence
    assert found.best is not None
    assert found.best.contributions["column"] > 0
    assert found.to_dict()["column"]["others"] == 9
    text = Linker(cities, explain=True).link("Avon and Cork").links[0].explanation
    assert text is not None
    assert text.column is None
    assert "column" not in text.to_dict()


def test_a_kb_without_its_attributes_links_as_before(cities: KB, tmp_path: Path, damage_manifest: Callable[..., Any]) -> None:
    path = damage_manifest(copy_kb(cities, tmp_path / "lacking.kb"), EntityAttributes.FILES)
    linked = Linker(path, allow_nil=False).link_table(city_table(), columns=["city"])
    told = Linker(cities, allow_nil=False).link_table(city_table(), columns=["city"])
    assert [link.ranking for link in linked.links] != [link.ranking for link in told.links]


@pytest.fixture
def damage_manifest() -> Callable[[KB, tuple[str, ...]], KB]:
    """Take files out of a KB, as if it had never had them."""
    from eigenthemes.kb.writer import KBWriter

    def without(kb: KB, files: tuple[str, ...]) -> KB:
        with KBWriter(kb.path, base=kb) as writer:
            return writer.commit(kb.described, left_out=set(files))

    return without

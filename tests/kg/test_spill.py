"""Statements on disk: the same ids and columns as in memory."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.core.scratch import LEAST, Scratch, SpillScratch
from eigenthemes.core.strings import Strings
from eigenthemes.kg import spill
from eigenthemes.kg.rdf import iris_over_lines
from eigenthemes.kg.spill import IdTable, Spill, join_numbers
from eigenthemes.kg.statements import Statements


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), unique=True), st.text(max_size=6))
def test_a_table_of_ids_is_a_mapping(ids: list[str], other: str) -> None:
    table = IdTable(Strings.of(ids), Scratch())
    known = {entity_id: number for number, entity_id in enumerate(ids)}
    assert dict(table.items()) == {entity_id: table[entity_id] for entity_id in ids} == known
    assert (list(table), len(table), list(table.values())) == (ids, len(ids), list(known.values()))
    assert table.get(other) == known.get(other)
    assert (other in table) == (other in known)


def test_statements_come_back_from_disk_as_they_were(tmp_path: Path) -> None:
    with SpillScratch(tmp_path, LEAST) as scratch:
        statements = Statements(scratch=scratch)
        spilling = Spill(statements, scratch)
        nodes = [statements.node(f"Q{number}") for number in range(4)]
        statements.name(nodes[0], "Zürich", 0, "de")
        statements.edge(nodes[0], nodes[1], "in")
        statements.spill()
        statements.name(nodes[1], "Schweiz", 1, "de")
        statements.record_edge(nodes[2], nodes[3], "near", 7)
        assert statements.size("edge_source") == 2
        spilling.settle()
        assert list(statements.texts("name_text")) == ["Zürich", "Schweiz"]
        assert statements.numbers("edge_source").tolist() == [0, 2]
        assert statements.numbers("edge_number").tolist() == [1]  # counted over all parts
        statements.edge(nodes[3], nodes[0], "in")  # what ontologies say is added after reading
        assert statements.numbers("edge_target").tolist() == [1, 3, 0]
        assert statements.ids["Q3"] == 3


@given(st.data())
def test_ids_that_are_forgotten_have_the_same_numbers_in_the_end(data: st.DataObject) -> None:
    said = data.draw(st.lists(st.tuples(*2 * [st.sampled_from(["a", "b", "ab", "", "\n", "ä", "x1", "x2"])]), max_size=20))
    forget = data.draw(st.lists(st.booleans(), min_size=len(said), max_size=len(said)))
    plain = Statements()
    with TemporaryDirectory() as folder, SpillScratch(Path(folder), LEAST) as scratch:
        spilled = Statements(scratch=scratch)
        spilling = Spill(spilled, scratch)
        for (one, other), forgets in zip(said, forget, strict=True):
            for statements in (plain, spilled):
                statements.edge(statements.node(one), statements.node(other), "r")
                statements.leave_out(statements.node(other), "why")
            if forgets:
                spilled.spill()
                spilling.write_ids()
        told = list(iris_over_lines(spilled))
        spilling.settle()
        assert list(spilled.ids) == list(plain.ids)
        assert spilled.left_out == plain.left_out
        for column in ("edge_source", "edge_target"):
            assert spilled.numbers(column).tolist() == plain.numbers(column).tolist()
    assert told == list(iris_over_lines(plain))


@given(st.lists(st.sampled_from(["a", "b", "ab", "c", ""])))
def test_ids_get_their_first_numbers(ids: list[str]) -> None:
    joined, rows = join_numbers(Strings.of(ids), Scratch())
    assert list(joined) == list(dict.fromkeys(ids))
    assert [joined[row] for row in rows.tolist()] == ids


def test_ids_are_forgotten_before_they_fill_the_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spill, "_ID", LEAST // 8)
    with SpillScratch(tmp_path, LEAST) as scratch:
        statements = Statements(scratch=scratch)
        spilling = Spill(statements, scratch)
        held = []
        for number in range(6):
            assert statements.node(f"Q{number}") == number
            spilling.write_if_large()
            held.append(dict.__len__(statements.ids))
        assert held == [1, 0, 1, 0, 1, 0]
        assert statements.node("Q0") == 6
        spilling.settle()
        assert list(statements.ids) == [f"Q{number}" for number in range(6)]

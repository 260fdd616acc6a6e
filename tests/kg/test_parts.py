"""Statements on disk: the same ids and columns as in memory."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.core.scratch import Scratch
from eigenthemes.core.spill import LEAST, SpillScratch
from eigenthemes.core.strings import Strings
from eigenthemes.errors import BuildError
from eigenthemes.kg import parts as statement_parts
from eigenthemes.kg.parts import IdTable, Parts
from eigenthemes.kg.statements import Statements


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=6), unique=True), st.text(max_size=6))
def test_a_table_of_ids_is_a_mapping(ids: list[str], other: str) -> None:
    table = IdTable(Strings.of(ids), Scratch())
    known = {entity_id: number for number, entity_id in enumerate(ids)}
    assert dict(table.items()) == {entity_id: table[entity_id] for entity_id in ids} == known
    assert (list(table), len(table), list(table.values())) == (ids, len(ids), list(known.values()))
    assert table.get(other) == known.get(other)
    assert (other in table) == (other in known)


def test_parts_are_arrow_files_and_come_back_as_they_were(tmp_path: Path) -> None:
    with SpillScratch(tmp_path, LEAST) as scratch:
        statements, parts = Statements(scratch=scratch), Parts(scratch)
        nodes = [statements.node(f"Q{number}") for number in range(4)]
        statements.name(nodes[0], "Zürich", 0, "de")
        statements.edge(nodes[0], nodes[1], "in")
        parts.write(statements)
        statements.name(nodes[1], "Schweiz", 1, "de")
        statements.record_edge(nodes[2], nodes[3], "near", 7)
        assert statements.size("edge_source") == 2
        with pa.OSFile(str(scratch.folder / "statements" / "names-00000.arrow")) as file:
            assert pa.ipc.open_file(file).read_all()["name_text"].to_pylist() == ["Zürich"]
        parts.settle(statements)
        assert list(statements.texts("name_text")) == ["Zürich", "Schweiz"]
        assert statements.numbers("edge_source").tolist() == [0, 2]
        assert statements.numbers("edge_number").tolist() == [1]  # counted over all parts
        statements.edge(nodes[3], nodes[0], "in")  # what ontologies say is added after reading
        assert statements.numbers("edge_target").tolist() == [1, 3, 0]
        assert statements.ids["Q3"] == 3


def test_ids_that_fill_the_memory_are_an_error_and_no_surprise(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statement_parts, "_ID", 10**8)
    with SpillScratch(tmp_path, LEAST) as scratch:
        statements, parts = Statements(scratch=scratch), Parts(scratch)
        for number in range(2):
            statements.node(f"Q{number}")
            parts.write_if_large(statements)
        statements.node("Q2")
        with pytest.raises(BuildError, match="ids of the first 3 nodes fill the memory"):
            parts.write_if_large(statements)

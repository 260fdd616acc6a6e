"""Tables: which columns hold names, which cells are decided together, and what can be meant in which column."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.kbs import build_untrained, write_sources

from eigenthemes import KB, DocumentError, Linker, OptionError
from eigenthemes.records import LinkedTable, Table
from eigenthemes.tables.table_documents import CONTEXTS, profile_columns

NODES: list[dict[str, Any]] = [
    {"id": "p1", "name": "Paris", "types": ["City"]},
    {"id": "p2", "name": "Paris", "types": ["Person"]},
    {"id": "l1", "name": "Lyon", "types": ["City"]},
    {"id": "m1", "name": "Milan", "types": ["City"]},
    {"id": "f", "name": "France", "types": ["Country"]},
    {"id": "i", "name": "Italy", "types": ["Country"]},
    {"id": "h", "name": "Helen", "types": ["Person"]},
]
EDGES = [("p1", "f"), ("l1", "f"), ("m1", "i"), ("p2", "h"), ("h", "f"), ("p2", "i"), ("p2", "m1")]
CITIES = Table(
    ("id", "city", "country", "notes"),
    (("1", "Paris", "France", ""), ("2", "Lyon", "France", "a long way " * 20), ("3", "", "Italy", "x"), ("4", "Milan")),
)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    folder = tmp_path_factory.mktemp("tables")
    return build_untrained(write_sources(folder / "sources", NODES, EDGES), folder / "my.kb")


def answers(linked: LinkedTable) -> dict[tuple[int | None, int | None], str | None]:
    return {(link.mention.row, link.mention.col): link.entity for link in linked.links}


def test_every_named_cell_of_the_columns_has_a_link(kb: KB) -> None:
    linked = Linker(kb, method="degree").link_table(CITIES, columns=["country", "city"])
    assert linked.columns == (1, 2)
    assert list(answers(linked)) == [(0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (3, 1)]
    assert answers(linked)[1, 2] == "f"
    assert linked.link_of(2, 1) is None
    assert linked.link_of(0, 0) is None


def test_columns_of_names_are_found_and_told(kb: KB) -> None:
    linker = Linker(kb, method="degree")
    assert linker.link_table(CITIES).columns == (1, 2)
    profiles = profile_columns(CITIES, linker.batches.generator)
    assert [profile.named for profile in profiles] == [False, True, True, False]
    assert [profile.why for profile in profiles] == [
        "its cells have no letters",
        "100% of its cells are names of the KB",
        "100% of its cells are names of the KB",
        "its cells are whole texts",
    ]


def test_a_header_that_is_a_name_like_its_cells_is_doubted(kb: KB) -> None:
    (profile,) = profile_columns(Table(("Paris",), (("Lyon",), ("Paris",))), Linker(kb, method="degree").batches.generator)
    assert profile.named
    assert profile.why.endswith("so is its header 'Paris'; if that is a row, read the table without a header")


def test_single_letters_are_no_names(tmp_path: Path) -> None:
    sources = write_sources(tmp_path / "sources", [{"id": name, "name": name} for name in ("a", "b", "US", "FR")], [("a", "b")])
    kb = build_untrained(sources, tmp_path / "my.kb")
    table = Table(("mark", "country"), (("a", "US"), ("b", "FR")))
    profiles = profile_columns(table, Linker(kb, method="degree").batches.generator)
    assert [(profile.named, profile.why) for profile in profiles] == [
        (False, "its cells are single letters"),
        (True, "100% of its cells are names of the KB"),
    ]


def test_types_filter_a_column_and_leave_the_others_alone(kb: KB) -> None:
    table = Table(("who", "where"), (("Paris", "Paris"), ("Helen", "Lyon")))
    linker = Linker(kb, method="degree")
    free = answers(linker.link_table(table, columns=["who", "where"]))
    typed = answers(linker.link_table(table, columns=["who", "where"], only_types={"where": ["City"]}))
    assert (free[0, 0], free[0, 1]) == ("p2", "p2")
    assert (typed[0, 0], typed[0, 1], typed[1, 0], typed[1, 1]) == ("p2", "p1", "h", "l1")
    persons = answers(linker.link_table(table, columns=["where"], only_types={"where": ["Person"]}))
    assert persons == {(0, 1): "p2", (1, 1): None}


def test_types_of_a_mention_narrow_those_of_the_linker(kb: KB) -> None:
    from eigenthemes.names.generator import CandidateOptions

    linker = Linker(kb, method="degree", candidates=CandidateOptions(not_types=("Person",)))
    mentions = [{"text": "Paris"}, {"text": "Paris", "only_types": ["Person"]}, {"text": "Paris", "only_types": "City"}]
    assert [link.entity for link in linker.link({"mentions": mentions}).links] == ["p1", None, "p1"]


def test_one_name_of_two_types_is_two_names(kb: KB) -> None:
    mentions = [{"text": "Paris", "only_types": "Person"}, {"text": "Paris", "only_types": "City"}, {"text": "Lyon"}]
    for method in ("degree", "prior-name"):
        links = Linker(kb, method=method).link({"mentions": mentions}).links
        assert [link.entity for link in links] == ["p2", "p1", "l1"]


def test_types_of_a_mention_hold_for_given_candidates(kb: KB) -> None:
    mention = {"text": "Paris", "candidates": ["p2", "p1"], "only_types": ["City"]}
    (link,) = Linker(kb, method="degree").link({"mentions": [mention]}).links
    assert [candidate.id for candidate in link.ranking] == ["p1"]


@pytest.mark.parametrize(
    ("types", "said"),
    [(["Cty"], "mention 0: no entity is of the type Cty; the nearest .*: City"), (7, "only_types")],
)
def test_types_that_are_none_are_refused_with_their_mention(kb: KB, types: Any, said: str) -> None:
    with pytest.raises(DocumentError, match=said):
        Linker(kb, method="degree").link({"mentions": [{"text": "Paris", "only_types": types}]})


@pytest.mark.parametrize("context", CONTEXTS)
def test_every_context_answers_every_cell(kb: KB, context: str) -> None:
    linker = Linker(kb, method="eigen") if kb.vector_sets else Linker(kb, method="degree")
    linked = linker.link_table(CITIES, columns=["city", "country"], context=context)
    assert len(linked.links) == 6
    assert linked.to_dict()["context"] == context


def test_a_row_is_decided_without_the_other_rows(kb: KB) -> None:
    linker = Linker(kb, method="degree")
    whole = answers(linker.link_table(CITIES, columns=["city", "country"], context="row"))
    for row in range(len(CITIES.rows)):
        alone = linker.link_table(Table(CITIES.header, (CITIES.rows[row],)), columns=["city", "country"])
        assert {(row, col): entity for (_, col), entity in answers(alone).items()}.items() <= whole.items()


def test_the_table_comes_back_with_three_columns_more(kb: KB) -> None:
    table = Linker(kb, method="degree").link_table(CITIES, columns=["city"]).to_table()
    assert table.header == (*CITIES.header, "city_id", "city_label", "city_probability")
    assert [row[4:6] for row in table.rows] == [("p2", "Paris"), ("l1", "Lyon"), ("", ""), ("m1", "Milan")]
    assert {len(row) for row in table.rows} == {7}


def test_the_answer_can_be_linked_again(kb: KB) -> None:
    linker = Linker(kb, method="degree")
    linked = linker.link_table({"header": ["city"], "rows": [["Lyon"], [None], [3]]}, columns=[0], id="t")
    record = linked.to_dict()
    assert (record["id"], record["columns"], len(record["mentions"])) == ("t", ["city"], 1)
    assert [link.entity for link in linker.link(record).links] == ["l1"]


def test_tables_without_rows_names_or_header(kb: KB) -> None:
    linker = Linker(kb, method="degree")
    assert linker.link_table(Table((), ())).links == ()
    assert linker.link_table(Table(("a",), (("1",), ("",)))).links == ()
    headless = linker.link_table(Table((), (("Lyon",), ("Milan",))))
    assert (headless.columns, headless.to_dict()["columns"]) == ((0,), ["column 1"])


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda linker: linker.link_table(CITIES, columns=["town"]), "no column 'town'; the table has 'id', 'city'"),
        (lambda linker: linker.link_table(CITIES, columns="city"), "expected a list of names"),
        (lambda linker: linker.link_table(CITIES, columns=[]), "name at least one column"),
        (lambda linker: linker.link_table("a,b"), "table is 'a,b'; expected a Table or a dict"),
        (lambda linker: linker.link_table(CITIES, only_types=["City"]), "only_types is .*; expected a dict"),
        (lambda linker: linker.link_table(CITIES, columns=[9]), "expected a number from 0 to 3"),
        (lambda linker: linker.link_table(Table(("a", "a"), ()), columns=["a"]), r"give the number of one \(0 and 1\)"),
        (
            lambda linker: linker.link_table(CITIES, columns=["city"], context="page"),
            "one of table, column, row, none",
        ),
        (lambda linker: linker.link_table(CITIES, columns=["city"], only_types={"town": ["City"]}), "no column 'town'"),
    ],
)
def test_bad_options_are_told(kb: KB, call: Callable[[Linker], Any], said: str) -> None:
    with pytest.raises(OptionError, match=said):
        call(Linker(kb, method="degree"))


@pytest.mark.parametrize("table", [{"rows": "x"}, {"rows": [["a", ["b"]]]}])
def test_what_is_no_table_is_told(kb: KB, table: Any) -> None:
    with pytest.raises(DocumentError):
        Linker(kb, method="degree").link_table(table)


def test_a_linker_links_the_same_table_from_a_path(kb: KB) -> None:
    assert Linker(Path(kb.path), method="degree").link_table(CITIES, columns=["city"]).links

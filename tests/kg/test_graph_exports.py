"""GraphML, and exports of Neo4j as JSON lines and as CSV."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.inspecting import diagnostics_of, names_of, neighbours_of
from helpers.kbs import build_untrained

from eigenthemes.errors import BuildError, SourceError
from eigenthemes.kb.store import KB
from eigenthemes.kg.options import ReadOptions

pytestmark = pytest.mark.usefixtures("quick_disk")

NETWORKX = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="name" attr.type="string"/><key id="d1" for="node" attr.name="type" attr.type="string"/>
<key id="d2" for="edge" attr.name="relation" attr.type="string"/>
<graph edgedefault="undirected">
<node id="a"><data key="d0">Ada &amp; Co</data><data key="d1">person</data></node><node id="b"><data key="d0">Bob</data></node>
<edge source="a" target="b"><data key="d2">knows</data></edge>
</graph></graphml>
"""
NEO4J = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph id="G" edgedefault="directed">
<node id="a" labels=":Person:Actor"><data key="labels">:Person:Actor</data><data key="name">Ada &amp; Co</data></node>
<node id="b" labels=":Person"><data key="labels">:Person</data><data key="name">Bob</data></node>
<edge id="e0" source="a" target="b" label="knows"><data key="label">knows</data><data key="since">1993</data></edge>
</graph></graphml>
"""
YED = """<graphml xmlns:y="http://www.yworks.com/xml/graphml"><key for="node" id="d6" yfiles.type="nodegraphics"/><graph>
<node id="a"><data key="d6"><y:ShapeNode><y:NodeLabel>Ada &amp; Co</y:NodeLabel></y:ShapeNode></data></node>
<node id="b"><data key="d6"><y:ShapeNode><y:NodeLabel>Bob</y:NodeLabel></y:ShapeNode></data></node>
<edge source="a" target="b"><data key="d10"><y:EdgeLabel>knows</y:EdgeLabel></data></edge>
</graph></graphml>
"""


def build(folder: Path, files: dict[str, str], **options: Any) -> KB:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return build_untrained([folder / name for name in files], folder / "my.kb", embedding=None, options=ReadOptions(**options))


@pytest.mark.parametrize("text", [NETWORKX, NEO4J, YED], ids=["networkx", "neo4j", "yed"])
def test_graphml_gives_names_and_edges(tmp_path: Path, text: str) -> None:
    kb = build(tmp_path, {"kg.graphml": text})
    assert (names_of(kb, "a"), names_of(kb, "b")) == (["Ada & Co"], ["Bob"])
    assert [(n.id, n.relation, n.reverse) for n in kb.neighbors("a")] == [("b", "knows", False)]


@pytest.mark.parametrize(("text", "types"), [(NETWORKX, ("person",)), (NEO4J, ("Person", "Actor"))])
def test_graphml_gives_types(tmp_path: Path, text: str, types: tuple[str, ...]) -> None:
    assert set(build(tmp_path, {"kg.xml": text})["a"].types) == set(types)


def test_graphml_that_is_cut_is_counted_and_read_so_far(tmp_path: Path) -> None:
    kb = build(tmp_path, {"kg.graphml": NETWORKX[: NETWORKX.index("<edge")]})
    assert names_of(kb, "b") == ["Bob"]
    assert diagnostics_of(kb) == {"broken XML": 1}


def test_graphml_without_names_says_which_attributes_there_are(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"say which of the columns .*bezeichnung.* holds them"):
        build(tmp_path, {"kg.graphml": NETWORKX.replace('attr.name="name"', 'attr.name="bezeichnung"')})


def test_entities_of_xml_are_refused(tmp_path: Path) -> None:
    bomb = '<?xml version="1.0"?><!DOCTYPE g [<!ENTITY a "aaaa">]><graphml><graph/></graphml>'
    with pytest.raises(SourceError, match="declares entities"):
        build(tmp_path, {"kg.graphml": bomb})


APOC = """\
{"type":"node","id":"0","labels":["User","Admin"],"properties":{"name":"Adam","age":42,"kids":["Sam"]}}
{"type":"node","id":"1","labels":["User"],"properties":{"name":"Jim"}}
{"id":"0","type":"relationship","label":"KNOWS","properties":{"since":1993},"start":{"id":"0","labels":["User"]},"end":{"id":"1"}}
"""


def test_json_lines_of_apoc_are_read(tmp_path: Path) -> None:
    kb = build(tmp_path, {"all.json": APOC})
    assert (names_of(kb, "0"), set(kb["0"].types)) == (["Adam"], {"User", "Admin"})
    assert [(n.id, n.relation, n.reverse) for n in kb.neighbors("0")] == [("1", "KNOWS", False)]


def test_csv_for_neo4j_admin_is_read_and_each_space_has_ids_of_its_own(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        {
            "movies.csv": "movieId:ID(Movie),title,year:int,:LABEL\n1,The Matrix,1999,Movie;Film\n",
            "actors.csv": "personId:ID(Actor),name:string,aliases:string[],:LABEL\n1,Keanu Reeves,Neo;Ted,Actor\n",
            "roles.csv": ":START_ID(Actor),role,:END_ID(Movie),:TYPE\n1,Neo,1,ACTED_IN\n",
        },
    )
    assert names_of(kb, "Movie:1") == ["The Matrix"]
    assert (names_of(kb, "Actor:1"), set(kb["Movie:1"].types)) == (["Keanu Reeves", "Neo", "Ted"], {"Movie", "Film"})
    assert neighbours_of(kb, "Actor:1") == {"Movie:1"}
    assert list(kb.relations) == ["ACTED_IN"]


# tables without a header, aliases in one cell

AIRPORTS = '1,"Goroka Airport","Goroka",\\N,-6.08\n2,"Madang Airport","Madang","MAG",-5.2\n'


def test_a_table_without_a_header_is_read_by_the_numbers_of_its_columns(tmp_path: Path) -> None:
    columns = (("id", "1"), ("name", "2"), ("aliases", "4"))
    kb = build(tmp_path, {"airports.dat": AIRPORTS}, header=False, columns=columns)
    assert (names_of(kb, "1"), names_of(kb, "2")) == (["Goroka Airport"], ["Madang Airport", "MAG"])


def test_triples_without_a_header_lose_no_row_when_that_is_said(tmp_path: Path) -> None:
    kb = build(tmp_path, {"kg.tsv": "a\tlabel\tAda\na\tknows\tb\n"}, header=False)
    assert names_of(kb, "a") == ["Ada"]
    assert sorted(kb.ids) == ["a", "b"]


def test_columns_may_be_given_for_one_file_only(tmp_path: Path) -> None:
    columns = (("airports.dat:id", "1"), ("airports.dat:name", "2"), ("routes.dat:source", "1"), ("routes.dat:target", "3"))
    kb = build(tmp_path, {"airports.dat": AIRPORTS, "routes.dat": "1,x,2\n"}, header=False, columns=columns)
    assert neighbours_of(kb, "1") == {"2"}


@pytest.mark.parametrize(
    ("cell", "aliases"),
    [
        ("a|b", ("a", "b")),
        ("a;b", ("a", "b")),
        ("a; b|c", ("a; b", "c")),
        ("R&amp;D", ("R&amp;D",)),
        ("a;", ("a",)),
    ],
)
def test_aliases_are_split_at_bars_or_else_at_semicolons(tmp_path: Path, cell: str, aliases: tuple[str, ...]) -> None:
    kb = build(tmp_path, {"n.tsv": f"id\tname\taliases\n1\tx\t{cell}\n"})
    assert kb["1"].aliases == aliases


def test_what_separates_aliases_can_be_given(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.tsv": "id\tname\taliases\n1\tx\ta; b / c\n"}, split="/")
    assert kb["1"].aliases == ("a; b", "c")

"""JSON that is one value: JSON-LD, OBO graphs, arrays of records, nodes and edges."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.inspecting import diagnostics_of, names_of, neighbours_of
from helpers.kbs import build_untrained

from eigenthemes.errors import SourceError
from eigenthemes.kb.store import KB
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.read import read_sources
from eigenthemes.kg.source_formats import detect_format

pytestmark = pytest.mark.usefixtures("quick_disk")

OBO = "http://purl.obolibrary.org/obo/"
OBO_IN_OWL = "http://www.geneontology.org/formats/oboInOwl#"
GRAPH = {
    "graphs": [
        {
            "id": "http://example.org/x.json",
            "nodes": [
                {
                    "id": f"{OBO}X_1",
                    "lbl": "heart",
                    "type": "CLASS",
                    "meta": {
                        "definition": {"val": "It pumps.", "xrefs": []},
                        "comments": ["a note"],
                        "synonyms": [
                            {"pred": "hasExactSynonym", "val": "cor"},
                            {"pred": "hasRelatedSynonym", "val": "ticker"},
                        ],
                        "basicPropertyValues": [
                            {"pred": f"{OBO_IN_OWL}hasAlternativeId", "val": "X:9"},
                            {"pred": f"{OBO_IN_OWL}hasOBONamespace", "val": "organs"},
                        ],
                    },
                },
                {"id": f"{OBO}X_2", "lbl": "body"},
                {
                    "id": f"{OBO}X_3",
                    "lbl": "obsolete heart",
                    "meta": {"deprecated": True, "basicPropertyValues": [{"pred": f"{OBO}IAO_0100001", "val": f"{OBO}X_1"}]},
                },
                {"id": f"{OBO}BFO_0000050", "lbl": "part of", "type": "PROPERTY"},
                {"id": f"{OBO}BFO_0000051", "lbl": "has part", "type": "PROPERTY"},
                {"lbl": "nobody"},
            ],
            "edges": [
                {"sub": f"{OBO}X_1", "pred": f"{OBO}BFO_0000050", "obj": f"{OBO}X_2"},
                {"sub": f"{OBO}X_1", "pred": "is_a", "obj": f"{OBO}X_4"},
                {"sub": f"{OBO}BFO_0000050", "pred": "inverseOf", "obj": f"{OBO}BFO_0000051"},
                {"sub": f"{OBO}X_1"},
            ],
        }
    ]
}
CONTEXT = {"name": "http://www.w3.org/2000/01/rdf-schema#label", "knows": {"@id": "http://example.org/knows", "@type": "@id"}}
ADA = {"@id": "http://example.org/a", "name": "Ada", "knows": "http://example.org/b"}


def build(folder: Path, value: Any, name: str = "kg.json", indent: int | None = 1, **options: Any) -> KB:
    text = value if isinstance(value, str) else json.dumps(value, indent=indent)
    (folder / name).write_text(text, encoding="utf-8")
    return build_untrained([folder / name], folder / "my.kb", embedding=None, options=ReadOptions(**options), force=True)


@pytest.mark.parametrize("indent", [None, 1])
def test_obo_graphs_are_read_as_obo_is(tmp_path: Path, indent: int | None) -> None:
    kb = build(tmp_path, GRAPH, indent=indent)
    heart = kb["X:1"]
    assert (heart.label, heart.aliases, heart.description, heart.types) == ("heart", ("cor",), "It pumps.", ("organs",))
    assert sorted(kb.ids) == [f"{OBO}X_1", f"{OBO}X_2", f"{OBO}X_4"]
    assert sorted(kb.relations) == ["is_a", "part of"]
    assert kb["X:9"] == kb["X:3"] == heart
    assert kb.manifest["left_out"] == {"deprecated": 1}
    assert {"record without an id", "broken edge"} <= set(diagnostics_of(kb))


def test_scopes_of_synonyms_and_properties_can_be_chosen(tmp_path: Path) -> None:
    kb = build(tmp_path, GRAPH, synonyms=("related",), with_properties=True)
    assert names_of(kb, "X:1") == ["heart", "ticker"]
    assert kb["BFO:0000050"].label == "part of"


@pytest.mark.parametrize("value", [{"@context": CONTEXT, **ADA}, {"@context": CONTEXT, "@graph": [ADA]}], ids=["one", "graph"])
def test_json_ld_is_read(tmp_path: Path, value: Any) -> None:
    kb = build(tmp_path, value)
    assert kb["http://example.org/a"].label == "Ada"
    assert neighbours_of(kb, "http://example.org/a") == {"http://example.org/b"}


@pytest.mark.parametrize("context", ["https://schema.org/", ["https://schema.org/", CONTEXT]])
def test_a_remote_context_is_refused_and_never_fetched(tmp_path: Path, context: Any) -> None:
    with pytest.raises(
        SourceError, match=r"kg\.json names a remote @context, and nothing is fetched .*; write the context into"
    ):
        build(tmp_path, {"@context": context, **ADA})


NODES = [{"id": "a", "name": "Ada"}, {"id": "b", "name": "Bob"}]


@pytest.mark.parametrize(
    "value",
    [
        [*NODES, {"source": "a", "target": "b"}],
        {"nodes": NODES, "links": [{"source": "a", "target": "b"}]},
        {"nodes": [{"data": node} for node in NODES], "edges": [{"data": {"source": "a", "target": "b"}}]},
        {
            "nodes": [{"type": "node", "id": n["id"], "labels": ["P"], "properties": {"name": n["name"]}} for n in NODES],
            "rels": [{"type": "relationship", "label": "KNOWS", "start": {"id": "a"}, "end": {"id": "b"}}],
        },
    ],
    ids=["array", "nodes and links", "cytoscape", "apoc"],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_arrays_and_objects_with_nodes_and_edges_are_read(tmp_path: Path, value: Any, indent: int | None) -> None:
    kb = build(tmp_path, value, indent=indent)
    assert (names_of(kb, "a"), names_of(kb, "b")) == (["Ada"], ["Bob"])
    assert neighbours_of(kb, "a") == {"b"}


@pytest.mark.parametrize("odd", [None, 7, "x", [], {}, [7], ["x"], {"a": 1}, [{}]])
def test_odd_values_in_obo_graphs_do_no_harm(tmp_path: Path, odd: Any) -> None:
    parts = ("definition", "comments", "synonyms", "basicPropertyValues", "subsets")
    nodes = [
        {"id": "a", "lbl": "Ada"},
        {"id": "b", "lbl": odd, "meta": odd},
        {"id": "c", "meta": dict.fromkeys(parts, odd)},
        odd,
    ]
    kb = build(tmp_path, {"graphs": [odd, {"nodes": nodes, "edges": odd}, {"nodes": odd}]})
    assert kb["a"].label == "Ada"


@pytest.mark.parametrize("odd", [None, 7, "x", [], [7], {"a": {"b": 1}}])
def test_odd_values_in_exports_of_neo4j_do_no_harm(tmp_path: Path, odd: Any) -> None:
    records = [{"id": "a", "name": "Ada"}, {"type": "node", "id": "b", "labels": odd, "properties": odd}]
    records += [{"type": "relationship", "label": odd, "start": odd, "end": odd}, {"type": "node", "id": odd, "labels": []}]
    assert build(tmp_path, "".join(json.dumps(record) + "\n" for record in records), name="kg.jsonl")["a"].label == "Ada"


def test_any_other_json_value_is_refused_with_what_it_holds(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"kg\.json is one JSON value \(settings, version\), but neither OBO graphs"):
        build(tmp_path, {"settings": {}, "version": 1})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"id": "a"}\n{"id": "b"}\n', "jsonl"),
        ('[\n{"id": "a"},\n{"id": "b"}\n]', "jsonl"),
        ('[\n {\n  "id": "a"\n }\n]', "json"),
        ('{"@context": {}}', "jsonld"),
        ('{\n "graphs" : [ {', "json"),
        ('<?xml version="1.0"?>\n<graphml xmlns="http://graphml.graphdrawing.org/xmlns">', "graphml"),
    ],
)
def test_json_and_graphml_are_recognised(text: str, expected: str) -> None:
    assert detect_format(text.encode(), "kg") == expected


@pytest.mark.real_data
def test_an_ontology_gives_the_same_entities_as_owl_and_as_obo_graphs(tmp_path: Path, real_data: Any) -> None:
    kbs = [
        build_untrained([real_data(f"ontologies/do_cancer.{suffix}.gz")], tmp_path / f"{suffix}.kb", embedding=None)
        for suffix in ("owl", "json")
    ]
    of_owl, of_json = ({e.id: (sorted(names_of(kb, e.id)), e.description, e.types) for e in kb} for kb in kbs)
    assert of_owl == of_json
    assert kbs[0].manifest["counts"]["edges"] == kbs[1].manifest["counts"]["edges"] == 657


@pytest.mark.real_data
def test_schema_org_keeps_its_properties_by_itself_and_says_so(tmp_path: Path, real_data: Any) -> None:
    kb = build_untrained([real_data("ontologies/schema.jsonld.gz")], tmp_path / "schema.kb", embedding=None)
    assert kb["https://schema.org/birthDate"].label == "birthDate"
    assert kb.manifest["notes"] == ["1,521 properties are entities, too: the sources have only 1,466 others"]


def test_a_value_that_breaks_off_is_told_with_its_place(tmp_path: Path) -> None:
    whole = json.dumps({"graphs": [{"nodes": [{"id": f"X:{i}", "lbl": f"cell {i}"} for i in range(9)]}]}, indent=1)
    (tmp_path / "kg.json").write_text(whole[: len(whole) // 2])
    with pytest.raises(SourceError, match=r"kg.json is one JSON value that breaks off .* line \d+, column \d+"):
        read_sources([tmp_path / "kg.json"])


def test_one_broken_line_does_not_cost_the_others(tmp_path: Path) -> None:
    (tmp_path / "kg.json").write_text('{"id": "a", "na\n{"id": "b", "name": "Bern"}\n{"id": "c", "name": "Chur"}\n')
    statements, _ = read_sources([tmp_path / "kg.json"])
    assert set(statements.ids) == {"b", "c"}

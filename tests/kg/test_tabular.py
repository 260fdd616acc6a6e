"""Tables: nodes and edges as CSV, TSV, JSON lines and Parquet; triples with and without a header; broken rows."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from helpers.files import REAL_DATA
from helpers.inspecting import diagnostics_of, index_of, names_of, neighbours_of
from helpers.kbs import build_untrained

from eigenthemes.errors import BuildError, OptionError, SourceError
from eigenthemes.kb.store import KB
from eigenthemes.kg.options import ReadOptions

pytestmark = pytest.mark.usefixtures("quick_disk")


def build(folder: Path, files: dict[str, str], **options: Any) -> KB:
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8", newline="")
    return build_untrained([folder / name for name in files], folder / "my.kb", options=ReadOptions(**options))


def examples(kb: KB, word: str) -> list[str]:
    """The examples of the problems whose kind has this word in it."""
    return [each for kind, found in kb.manifest["problem_examples"].items() if word in kind for each in found]


def check_ada(kb: KB) -> None:
    """The KB of all the tables below: Ada in full, Bob by name, an edge between them."""
    ada = index_of(kb, "a")
    assert (names_of(kb, "a"), names_of(kb, "b")) == (["Ada", "Countess", "AAL"], ["Bob"])
    assert (kb.description_of(ada), sorted(kb.types_of(ada))) == ("wrote programs", ["person", "writer"])
    assert (neighbours_of(kb, "a"), list(kb.relations)) == ({"b"}, ["knows"])
    assert kb.prior[ada] == 7.5
    assert kb.manifest["counts"]["prior"] == "given"
    assert diagnostics_of(kb) == {}


NODES = "id,name,aliases,description,prior,type\na,Ada,Countess|AAL,wrote programs,7.5,person|writer\nb,Bob,,,,\n"
EDGES = "source,target,relation\na,b,knows\n"


# formats


@pytest.mark.parametrize("separator", [",", ";"])
def test_csv_with_commas_or_semicolons(tmp_path: Path, separator: str) -> None:
    files = {"nodes.csv": NODES.replace(",", separator), "edges.csv": EDGES.replace(",", separator)}
    check_ada(build(tmp_path, files))


def test_tsv(tmp_path: Path) -> None:
    check_ada(build(tmp_path, {"nodes.tsv": NODES.replace(",", "\t"), "edges.tsv": EDGES.replace(",", "\t")}))


def test_windows_line_ends_do_no_harm(tmp_path: Path) -> None:
    nodes, edges = (text.replace("\n", "\r\n") for text in (NODES.replace(",", "\t"), EDGES))
    check_ada(build(tmp_path, {"nodes.tsv": nodes, "edges.csv": edges}))


def test_json_lines_with_nodes_and_edges_in_one_file(tmp_path: Path) -> None:
    text = """\
{"id": "a", "name": "Ada", "aliases": ["Countess", "AAL"], "description": "wrote programs", "prior": 7.5, "type": TYPES}
{"source": "a", "target": "b", "relation": "knows"}

{"id": "b", "name": "Bob", "aliases": null, "description": "", "type": []}
"""
    check_ada(build(tmp_path, {"kg.jsonl": text.replace("TYPES", '["person", "writer"]')}))


def test_lists_in_json_lines_may_be_strings_with_bars(tmp_path: Path) -> None:
    kb = build(tmp_path, {"kg.jsonl": '{"id": 1, "name": "Ada", "aliases": "Countess|AAL", "type": "person|writer"}\n'})
    assert (names_of(kb, "1"), kb.types_of(0)) == (["Ada", "Countess", "AAL"], ["person", "writer"])


def test_parquet(tmp_path: Path) -> None:
    nodes = {
        "id": ["a", "b"],
        "name": ["Ada", "Bob"],
        "aliases": [["Countess", "AAL"], None],
        "description": ["wrote programs", None],
        "prior": [7.5, None],
        "type": ["person|writer", None],
    }
    pq.write_table(pa.table(nodes), tmp_path / "nodes.parquet")
    pq.write_table(pa.table({"source": ["a"], "target": ["b"], "relation": ["knows"]}), tmp_path / "edges.parquet")
    check_ada(build_untrained([tmp_path / "nodes.parquet", tmp_path / "edges.parquet"], tmp_path / "my.kb"))


def test_parquet_ids_may_be_numbers(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": [1, 2], "name": ["Ada", "Bob"]}), tmp_path / "nodes.parquet")
    assert names_of(build_untrained([tmp_path / "nodes.parquet"], tmp_path / "my.kb"), "2") == ["Bob"]
    assert names_of(build_untrained([f"file://{tmp_path}/nodes.parquet"], tmp_path / "other.kb"), "2") == ["Bob"]


def test_nodes_and_edges_may_come_in_any_order(tmp_path: Path) -> None:
    check_ada(build(tmp_path, {"edges.csv": EDGES, "nodes.csv": NODES}))


# headers


@pytest.mark.parametrize("header", ["id", "ID", " Id ", "iri", "qid", "node_id", "Entity ID", "curie", ":ID"])
def test_headers_of_ids(tmp_path: Path, header: str) -> None:
    assert names_of(build(tmp_path, {"n.csv": f"{header},name\na,Ada\n"}), "a") == ["Ada"]


@pytest.mark.parametrize("header", ["name", "Name", "label", "prefLabel", "Preferred Label", "title"])
def test_headers_of_names(tmp_path: Path, header: str) -> None:
    assert names_of(build(tmp_path, {"n.csv": f"id,{header}\na,Ada\n"}), "a") == ["Ada"]


@pytest.mark.parametrize("header", ["aliases", "alias", "synonyms", "alt_labels", "alternateNames"])
def test_headers_of_aliases(tmp_path: Path, header: str) -> None:
    assert names_of(build(tmp_path, {"n.csv": f"id,name,{header}\na,Ada,Countess|AAL\n"}), "a") == [
        "Ada",
        "Countess",
        "AAL",
    ]


@pytest.mark.parametrize("header", ["prior", "degree", "population"])
def test_headers_of_priors(tmp_path: Path, header: str) -> None:
    kb = build(tmp_path, {"n.csv": f"id,name,{header}\na,Ada,3\nb,Bob,1e3\n"})
    assert (list(kb.ids), kb.prior.tolist()) == (["b", "a"], [1000, 3])


@pytest.mark.parametrize(("header", "text"), [("description", "x, y"), ("definition", "x, y"), ("comment", "x, y")])
def test_headers_of_descriptions(tmp_path: Path, header: str, text: str) -> None:
    assert build(tmp_path, {"n.csv": f'id,name,{header}\na,Ada,"{text}"\n'}).description_of(0) == text


@pytest.mark.parametrize("header", ["type", "types", "class", "category"])
def test_headers_of_types(tmp_path: Path, header: str) -> None:
    assert build(tmp_path, {"n.csv": f"id,name,{header}\na,Ada,person|writer\n"}).types_of(0) == ["person", "writer"]


@pytest.mark.parametrize(
    "header",
    [
        "source,relation,target",
        "Subject,Predicate,Object",
        "head,relation,tail",
        "from,type,to",
        ":START_ID,:TYPE,:END_ID",
    ],
)
def test_headers_of_edges(tmp_path: Path, header: str) -> None:
    kb = build(tmp_path, {"n.csv": "id,name\na,Ada\nb,Bob\n", "e.csv": f"{header}\na,knows,b\n"})
    assert (neighbours_of(kb, "a"), list(kb.relations)) == ({"b"}, ["knows"])


def test_edges_need_no_relation(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": "id,name\na,Ada\nb,Bob\n", "e.csv": "source,target,weight\na,b,3\n"})
    assert neighbours_of(kb, "a") == {"b"}


def test_nodes_with_a_start_and_an_end_are_still_nodes(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": "id,name,start,end\nww1,World War I,1914,1918\n"})
    assert (list(kb.ids), kb.names_of(0)) == (["ww1"], ["World War I"])


@pytest.mark.parametrize("name", ["n.csv", "n.jsonl"])
def test_a_table_with_name_and_label_has_both_as_names(tmp_path: Path, name: str) -> None:
    texts = {
        "n.csv": "id,name,label\na,Ada,Ada Lovelace\n",
        "n.jsonl": '{"id": "a", "name": "Ada", "label": "Ada Lovelace"}\n',
    }
    assert names_of(build(tmp_path, {name: texts[name]}), "a") == ["Ada", "Ada Lovelace"]


@pytest.mark.parametrize("name", ["n.csv", "n.jsonl"])
def test_a_table_with_prior_and_degree_takes_the_prior(tmp_path: Path, name: str) -> None:
    texts = {
        "n.csv": "id,name,degree,prior\na,Ada,3,7\n",
        "n.jsonl": '{"id": "a", "name": "Ada", "degree": 3, "prior": 7}\n',
    }
    kb = build(tmp_path, {name: texts[name]})
    assert (kb.prior.tolist(), diagnostics_of(kb)) == ([7], {})


@pytest.mark.parametrize("name", ["n.csv", "n.jsonl"])
def test_columns_can_be_named(tmp_path: Path, name: str) -> None:
    texts = {
        "n.csv": "code,titel,nick\na,Ada,Countess\n",
        "n.jsonl": '{"code": "a", "titel": "Ada", "nick": "Countess"}\n',
    }
    kb = build(tmp_path, {name: texts[name]}, columns=(("id", "code"), ("name", "titel"), ("aliases", "nick")))
    assert names_of(kb, "a") == ["Ada", "Countess"]


def test_columns_of_edges_can_be_named(tmp_path: Path) -> None:
    columns = (("source", "wer"), ("target", "wen"), ("relation", "wie"))
    kb = build(tmp_path, {"n.csv": "id,name\na,Ada\nb,Bob\n", "e.csv": "wer,wen,wie\na,b,kennt\n"}, columns=columns)
    assert (neighbours_of(kb, "a"), list(kb.relations)) == ({"b"}, ["kennt"])


def test_a_column_that_is_named_wins_over_one_that_is_recognised(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": "id,name,pretty\na,ADA_L,Ada Lovelace\n"}, columns=(("name", "pretty"),))
    assert kb.label_of(0) == "Ada Lovelace"


FIRMS = "id,name,parent,town\nc1,Apex,,Ulm\nc2,Apex North,c1,Ulm|Bonn\nc3,Apex South,c1,\n"


def test_a_column_of_nodes_may_hold_edges(tmp_path: Path) -> None:
    kb = build(tmp_path, {"firms.csv": FIRMS}, columns=(("edge", "parent"), ("edge", "town")))
    assert neighbours_of(kb, "c1") == {"c2", "c3", "Ulm"}
    assert neighbours_of(kb, "c2") == {"c1", "Ulm", "Bonn"}
    assert {(each.id, each.relation, each.reverse) for each in kb.neighbors("c1")} == {
        ("c2", "parent", True),
        ("c3", "parent", True),
        ("Ulm", "town", False),
    }
    assert names_of(kb, "Ulm") == []  # it connects only
    assert diagnostics_of(kb) == {"edge to a node without a record (kept as a connector)": 3}


def test_edges_of_a_node_without_a_header_and_in_records(tmp_path: Path) -> None:
    rows = FIRMS.partition("\n")[2]
    columns = (("id", "1"), ("name", "2"), ("edge", "3"))
    kb = build(tmp_path, {"firms.csv": rows}, columns=columns, header=False)
    assert (neighbours_of(kb, "c1"), list(kb.relations)) == ({"c2", "c3"}, ["link"])
    (tmp_path / "again").mkdir()
    records = (
        '{"id": 1, "name": "Apex"}\n{"id": 2, "name": "Apex North", "parents": [1, 3]}\n'
        '{"id": 3, "name": "Ida", "parents": null}\n'
    )
    kb = build(tmp_path / "again", {"firms.jsonl": records}, columns=(("edge", "parents"),))
    assert neighbours_of(kb, "2") == {"1", "3"}


def test_a_column_that_no_table_has_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="titel"):
        build(tmp_path, {"n.csv": "id,name\na,Ada\n"}, columns=(("aliases", "titel"),))


def test_an_unknown_role_of_a_column_is_refused() -> None:
    with pytest.raises(OptionError, match="nickname"):
        ReadOptions(columns=(("nickname", "nick"),))


def test_a_table_without_ids_is_refused_with_its_columns_and_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"n\.csv has the columns code, name, size, age; .+source=code and target=age"):
        build(tmp_path, {"n.csv": "code,name,size,age\na,Ada,1,2\n"})


@pytest.mark.parametrize("name", ["n.jsonl", "n.parquet"])
def test_records_without_ids_are_refused_with_their_keys_and_the_remedy(tmp_path: Path, name: str) -> None:
    pq.write_table(pa.table({"code": ["a"], "name": ["Ada"]}), tmp_path / "n.parquet")
    (tmp_path / "n.jsonl").write_text('{"code": "a", "name": "Ada"}\n')
    with pytest.raises((SourceError, BuildError), match=r"code, name.*id=code for nodes, or source=code"):
        build_untrained([tmp_path / name], tmp_path / "my.kb")


# cells


def test_a_bar_in_a_name_is_part_of_it(tmp_path: Path) -> None:
    assert names_of(build(tmp_path, {"n.csv": "id,name\na,|x| + 1\n"}), "a") == ["|x| + 1"]


def test_quoted_cells_of_csv_may_hold_commas_quotes_and_line_ends(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": 'id,name,description\na,"Ada ""AAL"" King, Countess","two\nlines"\nb,Bob,\n'})
    assert names_of(kb, "a") + names_of(kb, "b") == ['Ada "AAL" King, Countess', "Bob"]
    assert kb.description_of(index_of(kb, "a")) == "two\nlines"


def test_a_quote_inside_a_cell_of_tsv_is_a_letter(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.tsv": 'id\tname\na\t12" record\nb\t"whole ""cell"""\n'})
    assert names_of(kb, "a") + names_of(kb, "b") == ['12" record', 'whole "cell"']


def test_spaces_around_ids_make_no_other_node(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": "id, name\na, Ada\nb, Bob\n", "e.csv": "source, target\na, b\n"})
    assert sorted(kb.ids) == ["a", "b"]
    assert neighbours_of(kb, "a") == {"b"}


def test_a_list_of_names_in_json_is_a_label_and_aliases(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.jsonl": '{"id": "a", "name": ["Ada", "Countess"], "aliases": ["AAL", null]}\n'})
    assert names_of(kb, "a") == ["Ada", "Countess", "AAL"]


# triples

TRIPLES = "Q1\tknows\tQ2\nQ1\tlabel\tAda\nQ1\talias\tCountess\nQ1\tdescription\twriter\nQ1\tP31\tQ5\nQ2\tlabel\tBob\n"


def test_triples_without_a_header(tmp_path: Path) -> None:
    kb = build(tmp_path, {"triples.tsv": TRIPLES})
    ada = index_of(kb, "Q1")
    assert (names_of(kb, "Q1"), kb.description_of(ada)) == (["Ada", "Countess"], "writer")
    assert (kb.types_of(ada), neighbours_of(kb, "Q1")) == (["Q5"], {"Q2"})
    assert len(kb) == 2


def test_triples_without_a_header_may_begin_with_a_name(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        {"triples.tsv": "".join(sorted(TRIPLES.splitlines(keepends=True), key=lambda line: "label" not in line))},
    )
    assert names_of(kb, "Q1") == ["Ada", "Countess"]
    assert neighbours_of(kb, "Q1") == {"Q2"}


def test_pairs_without_a_header_are_edges(tmp_path: Path) -> None:
    kb = build(tmp_path, {"pairs.tsv": "Q1\tQ2\nQ2\tQ3\n", "n.csv": "id,name\nQ1,Ada\n"})
    assert neighbours_of(kb, "Q2") == {"Q1", "Q3"}


def test_a_relation_of_names_can_be_given(tmp_path: Path) -> None:
    text = "Q1\tknows\tQ2\nQ1\thttp://example.org/name\tAda\n"
    kb = build(tmp_path, {"triples.tsv": text}, label=("http://example.org/name",))
    assert names_of(kb, "Q1") == ["Ada"]
    assert len(kb) == 2


KGTK = (
    "id\tnode1\tlabel\tnode2\n"
    "e1\tQ1\tlabel\t'Ada'@en\n"
    "e2\tQ1\talias\t'Ada Byron'@de\n"
    "e3\tQ1\tdescription\t'wrote programs'@en\n"
    "e4\tQ1\tP31\tQ5\n"
    "e5\tQ1\tP26\tQ2\n"
    "e6\tQ2\tlabel\t'William \\'Bill\\' King'@en\n"
)


def test_kgtk_edges(tmp_path: Path) -> None:
    kb = build(tmp_path, {"edges.tsv": KGTK})
    ada = index_of(kb, "Q1")
    assert (names_of(kb, "Q1"), names_of(kb, "Q2")) == (["Ada", "Ada Byron"], ["William 'Bill' King"])
    assert (kb.description_of(ada), kb.types_of(ada)) == ("wrote programs", ["Q5"])
    assert (neighbours_of(kb, "Q1"), list(kb.relations)) == ({"Q2"}, ["P26"])


def test_kgtk_languages_are_chosen_like_all_others(tmp_path: Path) -> None:
    assert names_of(build(tmp_path, {"edges.tsv": KGTK}, languages=("de",)), "Q1") == ["Ada Byron"]


@pytest.mark.parametrize(
    "literal", ["^1815-12-10T00:00:00Z/11", '"AAL"', "'Ada'@en", "+1.7Q11573", "@51.5/-0.1"], ids=lambda text: text[0]
)
def test_literals_of_kgtk_are_no_nodes(tmp_path: Path, literal: str) -> None:
    kb = build(tmp_path, {"edges.tsv": KGTK + f"e7\tQ1\tP1\t{literal}\n"})
    assert sorted(kb.ids) == ["Q1", "Q2"]


def test_kgtk_nodes_file(tmp_path: Path) -> None:
    kb = build(tmp_path, {"nodes.tsv": "id\tlabel\taliases\nQ1\tAda\tCountess|AAL\n"})
    assert names_of(kb, "Q1") == ["Ada", "Countess", "AAL"]


# broken input


@pytest.mark.parametrize(
    ("name", "text", "kind"),
    [
        ("n.csv", "id,name\na,Ada\nb,Bob,what,is,this\nc,Cy\n", "too many cells"),
        ("n.csv", "id,name\na,Ada\n,Nobody\nc,Cy\n", "without an id"),
        ("n.jsonl", '{"id": "a", "name": "Ada"}\n{"id": "b", "na\n{"id": "c", "name": "Cy"}\n', "JSON"),
        ("n.jsonl", '{"id": "a", "name": "Ada"}\n["b", "Bob"]\n{"id": "c", "name": "Cy"}\n', "JSON"),
        ("n.jsonl", '{"id": "a", "name": "Ada"}\n{"name": "Nobody"}\n{"id": "c", "name": "Cy"}\n', "without an id"),
    ],
    ids=["too many cells", "no id in CSV", "cut JSON", "no JSON object", "no id in JSON"],
)
def test_a_broken_row_is_counted_with_file_and_line_and_the_rest_is_read(
    tmp_path: Path, name: str, text: str, kind: str
) -> None:
    line = 3 if name == "n.csv" else 2
    kb = build(tmp_path, {name: text})
    assert names_of(kb, "a") + names_of(kb, "c") == ["Ada", "Cy"]
    (example,) = examples(kb, kind)
    assert example.split(" ")[0].rstrip(":") == f"{name}:{line}"


@pytest.mark.parametrize("value", ['{"a": 1}', "[[1]]", "true", '[{"a": "b"}]'])
@pytest.mark.parametrize("role", ["id", "name", "aliases", "description", "type", "source", "target", "relation"])
def test_a_value_that_is_neither_text_nor_number_is_one_counted_problem(tmp_path: Path, role: str, value: str) -> None:
    fields = {"source": '"a"', "target": '"c"', "relation": '"knows"'} if role in ("source", "target", "relation") else {}
    fields = {**(fields or {"id": '"b"', "name": '"Bob"'}), role: value}
    odd = ", ".join(f'"{key}": {text}' for key, text in fields.items())
    kb = build(tmp_path, {"n.jsonl": f'{{"id": "a", "name": "Ada"}}\n{{{odd}}}\n{{"id": "c", "name": "Cy"}}\n'})
    assert diagnostics_of(kb) == {"value that is neither text nor number": 1}
    assert examples(kb, "neither")[0].startswith(f"n.jsonl:2: {role}: ")
    assert set(kb.ids) == ({"a", "b", "c"} if role in ("name", "aliases", "description", "type") else {"a", "c"})
    assert all(isinstance(name, str) and name in ("Ada", "Bob", "Cy") for name in kb.names)


@pytest.mark.parametrize("record", ["{}", '{"colour": "red"}', '{"": 1}', '\n{"colour": "red"}', '{}\n{"colour": "red"}'])
def test_records_without_any_known_field_are_refused_with_the_remedy(tmp_path: Path, record: str) -> None:
    with pytest.raises(SourceError, match=r"n\.jsonl .*a table of nodes needs a column id.*source and target"):
        build(tmp_path, {"n.jsonl": f"{record}\n{record}\n"})
    assert not (tmp_path / "my.kb").exists()


def test_an_empty_record_does_not_hide_the_others(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.jsonl": '{}\n{"id": "a", "name": "Ada"}\n{}\n'})
    assert (names_of(kb, "a"), diagnostics_of(kb)) == (["Ada"], {"record without an id": 2})


def test_an_edge_without_a_target_is_counted_with_file_and_line(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": NODES, "e.csv": EDGES + "a,,knows\n"})
    assert examples(kb, "broken row")[0].startswith("e.csv:3: ")


def test_a_quote_that_is_never_closed_is_reported(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": 'id,name\na,Ada\nb,"Bob\nc,Cy\nd,Di\n'})
    assert names_of(kb, "a") == ["Ada"]
    assert sum(diagnostics_of(kb).values()) == 1


def rows(count: int) -> str:
    return "".join(f"r{i},Name {i}\n" for i in range(count))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('b,"Bob\n', ""),
        ('b,"Bob\n', 'z,Zoe "Z"\n'),
        ('b,"Bob\n', 'z,Zoe",x,y\n'),
        ('b,"Bob\n', 'z,Zoe"\n'),
        ('"b,Bob\n', 'z,"Zoe"\n'),
    ],
    ids=["never closed", "closed inside a cell", "closed with too many cells", "closed at a row's end", "closed by another"],
)
def test_rows_behind_a_stray_quote_are_read_and_the_row_of_the_quote_is_counted(
    tmp_path: Path, before: str, after: str
) -> None:
    kb = build(tmp_path, {"n.csv": f"id,name\na,Ada\n{before}{rows(3000)}{after}"})
    assert names_of(kb, "a") + names_of(kb, "r0") + names_of(kb, "r2999") == ["Ada", "Name 0", "Name 2999"]
    (example,) = examples(kb, "broken row")
    assert example.startswith("n.csv:3: a quote ")
    assert f"{3001 + bool(after):,} lines" in example
    lost = 1 + ("x,y" in after)
    assert sum(diagnostics_of(kb).values()) == lost
    assert len(kb) == 1 + 3000 + bool(after) + 1 - lost


def test_a_stray_quote_in_every_row_costs_that_row_only(tmp_path: Path) -> None:
    odd = "".join(f'b{i},"Bob\n' for i in range(3000))
    kb = build(tmp_path, {"n.csv": f"id,name\na,Ada\n{odd}c,Cy\n"})
    assert (names_of(kb, "a"), names_of(kb, "c"), diagnostics_of(kb)) == (["Ada"], ["Cy"], {"broken row": 3000})


def test_quotes_that_close_and_open_in_every_row_take_no_longer_than_rows_do(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": "id,name,description\na,Ada,\n" + 'b",Bob,"c\n' * 20_000})
    assert names_of(kb, "a") == ["Ada"]
    assert sum(diagnostics_of(kb).values()) >= 20_000  # nothing lost that is not counted


def test_a_cell_of_many_lines_of_prose_is_a_cell(tmp_path: Path) -> None:
    prose = "".join(f"line {i}, with a comma,\nand a line without\n" for i in range(200))
    kb = build(tmp_path, {"n.csv": f'id,name,description\na,Ada,"{prose}"\nb,"Bo\nb",\n'})
    assert kb.description_of(index_of(kb, "a")) == prose.strip()
    assert (names_of(kb, "b"), diagnostics_of(kb)) == (["Bo\nb"], {})


@pytest.mark.parametrize("value", ["many", "nan", "inf"])
def test_a_prior_that_is_no_number_is_counted_with_file_and_line(tmp_path: Path, value: str) -> None:
    kb = build(tmp_path, {"n.csv": f"id,name,prior\na,Ada,3\nb,Bob,{value}\n"})
    assert kb.prior.tolist() == [3, 0]
    assert examples(kb, "prior")[0].startswith("n.csv:3: ")


def test_a_negative_prior_is_kept(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": "id,name,prior\na,Ada,-2\nb,Bob,-1\n"})
    assert list(kb.ids) == ["b", "a"]
    assert kb.prior.tolist() == [-1, -2]


def test_a_duplicate_id_is_counted_and_its_names_are_merged(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": "id,name\na,Ada\nb,Bob\na,Countess\n"})
    assert names_of(kb, "a") == ["Ada", "Countess"]
    assert examples(kb, "duplicate id") == ["n.csv:4: a"]


def test_a_duplicate_id_in_another_file_is_counted_too(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": "id,name\na,Ada\n", "m.csv": "id,name\na,Countess\n"})
    assert examples(kb, "duplicate id") == ["m.csv:2: a"]


# ids that mean other things in other tables

PRODUCTS = "productID,name,supplierID\n1,Chai,1\n2,Chang,2\n3,Tofu,NULL\n"
SUPPLIERS = "supplierID,name\n1,Exotic Liquids\n2,Cajun Delights\n3,Kelly Homestead\n"
OWN_IDS = (("products.csv:id", "productID"), ("suppliers.csv:id", "supplierID"))
PREFIXED = (
    ("products.csv:id", "product:{productID}"),
    ("suppliers.csv:id", "supplier:{supplierID}"),
    ("products.csv:edge", "supplier:{supplierID}"),
)


def test_tables_that_number_different_things_alike_are_refused_with_templates_of_ids(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as refused:
        build(tmp_path, {"products.csv": PRODUCTS, "suppliers.csv": SUPPLIERS}, columns=OWN_IDS)
    assert refused.value.code == "ids-collide"
    for part in ("3 ids", "'Chai' and 'Exotic Liquids'", "products.csv:id=product:{productID}", "supplier:{supplierID}"):
        assert part in str(refused.value)
    assert not (tmp_path / "my.kb").exists()


def test_a_template_gives_ids_and_edges_a_prefix(tmp_path: Path) -> None:
    kb = build(tmp_path, {"products.csv": PRODUCTS, "suppliers.csv": SUPPLIERS}, columns=PREFIXED)
    assert (names_of(kb, "product:1"), names_of(kb, "supplier:1")) == (["Chai"], ["Exotic Liquids"])
    assert (neighbours_of(kb, "product:2"), neighbours_of(kb, "product:3")) == ({"supplier:2"}, set())
    assert (len(kb), list(kb.relations), diagnostics_of(kb)) == (6, ["supplierID"], {})
    assert kb.manifest["options"]["column"] == [f"{role}={header}" for role, header in PREFIXED]


def test_a_template_of_the_ends_of_edges(tmp_path: Path) -> None:
    columns = (("n.csv:id", "x-{id}"), ("e.csv:source", "x-{von}-y"), ("e.csv:target", "x-{nach}"))
    kb = build(tmp_path, {"n.csv": "id,name\n1,Ada\n", "e.csv": "von,nach\n1,1\n2,1\n"}, columns=columns)
    assert neighbours_of(kb, "x-1") == {"x-1-y", "x-2-y"}


@pytest.mark.parametrize("template", ["product:{nope}", "{nope}"])
def test_a_template_of_an_unknown_column_is_refused(tmp_path: Path, template: str) -> None:
    with pytest.raises(OptionError, match="no table has the column nope"):
        build(tmp_path, {"n.csv": "id,name\n1,Ada\n"}, columns=(("edge", template),))


@pytest.mark.parametrize("edges", [("supplierID", "categoryID"), ("supplier:{supplierID}", "category:{categoryID}")])
def test_all_edges_of_a_file_are_in_the_manifest(tmp_path: Path, edges: tuple[str, str]) -> None:
    columns = tuple(("products.csv:edge", edge) for edge in edges)
    kb = build(tmp_path, {"products.csv": "id,name,supplierID,categoryID\np,Chai,1,2\n"}, columns=columns)
    assert kb.manifest["options"]["column"] == [f"products.csv:edge={edge}" for edge in edges]
    assert sorted(kb.relations) == ["categoryID", "supplierID"]


@pytest.mark.parametrize(
    "other",
    [
        "id,name\n1,tofu\n2,The Chang beer\n3,Chai tea\n",  # in other words
        "id,aliases\n1,Tofeu\n2,Bier\n3,Tee\n",  # other names
        "id,name\n1,Bohnenquark\n4,Bier\n5,Tee\n",  # one id only
        "id,prior\n1,7\n2,5\n3,1\n",  # no names
    ],
)
def test_tables_about_the_same_things_are_merged(tmp_path: Path, other: str) -> None:
    kb = build(tmp_path, {"n.csv": "id,name\n1,Tofu\n2,Chang\n3,Chai\n", "m.csv": other})
    assert names_of(kb, "1")[0] == "Tofu"


def test_a_template_without_a_prefix_says_that_ids_mean_the_same(tmp_path: Path) -> None:
    files = {"en.csv": "id,name\n1,house\n2,tree\n3,dog\n", "de.csv": "id,name\n1,Haus\n2,Baum\n3,Hund\n"}
    with pytest.raises(SourceError, match=r"or id=\{id\} if they do mean the same"):
        build(tmp_path, files)
    assert names_of(build(tmp_path, files, columns=(("de.csv:id", "{id}"),)), "1") == ["house", "Haus"]


def test_ids_that_mean_the_same_everywhere_are_merged(tmp_path: Path) -> None:
    files = {f"{tag}.csv": "id,name\n" + "".join(f"Q{i}00,{tag}{i}\n" for i in range(5)) for tag in ("en", "de")}
    assert names_of(build(tmp_path, files), "Q100") == ["en1", "de1"]


@pytest.mark.skipif(not REAL_DATA.exists(), reason="no real data")
def test_northwind(tmp_path: Path) -> None:
    tables = sorted((REAL_DATA / "names" / "northwind").glob("*.csv"))
    names = {"products": "productName", "categories": "categoryName", "employees": "lastName"}
    ids = {table.stem: table.read_text(encoding="utf-8").partition(",")[0] for table in tables}
    columns = [(f"{table}.csv:name", names.get(table, "companyName")) for table in ids]
    plain = tuple(columns + [(f"{table}.csv:id", header) for table, header in ids.items()])
    with pytest.raises(SourceError, match=r"products\.csv:id=product:\{productID\}"):
        build_untrained(tables, tmp_path / "my.kb", options=ReadOptions(columns=plain))
    columns += [(f"{table}.csv:id", f"{table}:{{{header}}}") for table, header in ids.items()]
    columns += [("products.csv:edge", "categories:{categoryID}"), ("employees.csv:edge", "employees:{reportsTo}")]
    kb = build_untrained(tables, tmp_path / "my.kb", options=ReadOptions(columns=tuple(columns)))
    assert names_of(kb, "products:1") == ["Chai"]
    assert neighbours_of(kb, "products:1") == {"categories:1"}
    assert "employees:NULL" not in kb
    assert all("suppliers:" in each and "is not part of the KB" in each for each in examples(kb, "too many cells"))


@pytest.mark.parametrize("empty", ["NULL", "\\N", ""])
def test_an_empty_value_of_a_database_is_no_node_and_no_name(tmp_path: Path, empty: str) -> None:
    nodes = f"id,name,aliases,parent\na,Ada,{empty},b|{empty}\nb,{empty},Bob,{empty}\n{empty},Nobody,,\n"
    kb = build(tmp_path, {"n.csv": nodes}, columns=(("edge", "parent"),))
    assert (sorted(kb.ids), list(kb.names), neighbours_of(kb, "a")) == (["a", "b"], ["Ada", "Bob"], {"b"})
    assert diagnostics_of(kb) == {"record without an id": 1}


def test_a_row_with_too_many_cells_is_reported_with_what_became_of_its_entity(tmp_path: Path) -> None:
    nodes = "id,name,parent\na,Ada,b\nb,Bob,of,the,West\nc,Cy,,,\nd,Di,x,y\na,Ada,Countess,of\n"
    kb = build(tmp_path, {"n.csv": nodes}, columns=(("edge", "parent"),))
    assert names_of(kb, "c") == ["Cy"]  # cells without content are none too many
    assert examples(kb, "too many cells (not read)") == [
        "n.csv:3: 5 cells, the header has 3; b is kept as a connector without a name",
        "n.csv:5: 4 cells, the header has 3; d is not part of the KB",
        "n.csv:6: 4 cells, the header has 3; a has its other names only",
    ]


def test_an_edge_to_an_unknown_node_is_counted_with_file_and_line(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": NODES, "e.csv": EDGES + "a,ghost,knows\n"})
    (example,) = examples(kb, "edge to a")
    assert example.startswith("e.csv:3")
    assert "ghost" in example


def test_an_unknown_node_is_a_connector_without_a_name(tmp_path: Path) -> None:
    kb = build(tmp_path, {"n.csv": NODES, "e.csv": EDGES + "a,ghost,knows\n"})
    assert names_of(kb, "ghost") == []
    assert neighbours_of(kb, "ghost") == {"a"}


def test_triples_alone_have_no_unknown_nodes(tmp_path: Path) -> None:
    assert diagnostics_of(build(tmp_path, {"triples.tsv": TRIPLES})) == {}


@pytest.mark.parametrize(
    "files",
    [
        {"n.csv": NODES, "e.csv": EDGES + "a,ghost,knows\n"},
        {"n.csv": NODES + "a,Countess,,,,\n", "e.csv": EDGES},
        {"n.csv": NODES + "c,Cy,,,,,x\n", "e.csv": EDGES},
        {"n.csv": NODES, "e.csv": EDGES + "a,,knows\n"},
        {"n.csv": NODES + "c,Cy,,,many,\n", "e.csv": EDGES},
    ],
    ids=["unknown node", "duplicate id", "too many cells", "no target", "prior"],
)
def test_strict_stops_at_a_bad_row_and_says_where(tmp_path: Path, files: dict[str, str]) -> None:
    with pytest.raises(SourceError, match=r" at [ne]\.csv:\d.*; mend the file or build without strict"):
        build(tmp_path, files, strict=True)
    assert not (tmp_path / "my.kb").exists()


def test_a_table_without_names_stops_with_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"^0 of 2 .+have the ids read as names"):
        build(tmp_path, {"e.csv": EDGES})


def test_cut_parquet_is_refused_in_one_sentence(tmp_path: Path) -> None:
    pq.write_table(pa.table({"id": ["a"], "name": ["Ada"]}), tmp_path / "n.parquet")
    (tmp_path / "n.parquet").write_bytes((tmp_path / "n.parquet").read_bytes()[:-20])
    with pytest.raises(SourceError, match=r"n\.parquet is not a whole Parquet file .+; write it again"):
        build_untrained([tmp_path / "n.parquet"], tmp_path / "my.kb")


def test_damaged_parquet_is_refused_in_one_sentence(tmp_path: Path) -> None:
    ids = [f"{number * 7919 % 10007:x}" for number in range(5000)]
    pq.write_table(pa.table({"id": ids, "name": ids}), tmp_path / "n.parquet")
    data = bytearray((tmp_path / "n.parquet").read_bytes())
    data[len(data) // 3 : len(data) // 3 + 500] = b"\xff" * 500
    (tmp_path / "n.parquet").write_bytes(data)
    with pytest.raises(SourceError, match=r"n\.parquet"):
        build_untrained([tmp_path / "n.parquet"], tmp_path / "my.kb")

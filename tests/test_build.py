"""From files to a KB: what is part of it, in which order, the same bytes every time, and never half a KB."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.files import file_bytes, write_jsonl
from helpers.inspecting import index_of, neighbours_of
from helpers.kbs import build_untrained
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenthemes.core.workers import Workers
from eigenthemes.errors import BuildError, EigenthemesError, KBExistsError, OptionError, SourceError
from eigenthemes.kb.store import KB
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.source_formats import FORMATS
from eigenthemes.names.generator import CandidateGenerator

pytestmark = pytest.mark.usefixtures("quick_disk")

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"


def iri(name: object) -> str:
    return f"<http://example.org/{name}>"


def one_sentence(error: pytest.ExceptionInfo[EigenthemesError]) -> str:
    """The message, which is one line: what was found, a semicolon, what to do."""
    message = str(error.value)
    assert "\n" not in message
    assert "; " in message
    assert "Traceback" not in message
    return message


@pytest.fixture
def star(tmp_path: Path) -> list[Path]:
    """A hub with three neighbours, one of which has no name; a lonely node; each named node described and typed."""
    nodes: list[dict[str, object]] = [
        {"id": name, "name": name.title(), "description": f"the {name}", "type": f"kind of {name}"}
        for name in ("hub", "rim", "spoke", "lonely")
    ]
    edges: list[dict[str, object]] = [{"source": "hub", "target": name} for name in ("rim", "spoke", "nameless")]
    return [write_jsonl(tmp_path / "nodes.jsonl", nodes), write_jsonl(tmp_path / "edges.jsonl", edges)]


# whatever goes in comes out

IDS = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=8)
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=12).filter(str.strip)


@st.composite
def small_kgs(draw: st.DrawFn) -> tuple[dict[str, list[str]], list[tuple[str, str, str]]]:
    """Names by id, and edges between some of these ids."""
    named = draw(st.dictionaries(IDS, st.lists(TEXTS, min_size=1, max_size=4), min_size=1, max_size=6))
    ids = st.sampled_from(sorted(named))
    return named, draw(st.lists(st.tuples(ids, st.sampled_from(["knows", "likes"]), ids), max_size=12))


@pytest.mark.slow
@settings(max_examples=30)
@given(kg=small_kgs())
def test_whatever_goes_in_comes_out(
    tmp_path_factory: pytest.TempPathFactory, kg: tuple[dict[str, list[str]], list[tuple[str, str, str]]]
) -> None:
    named, edges = kg
    folder = tmp_path_factory.mktemp("kg")
    nodes = write_jsonl(folder / "nodes.jsonl", [{"id": i, "name": n[0], "aliases": n[1:]} for i, n in named.items()])
    links = write_jsonl(folder / "edges.jsonl", [{"source": a, "relation": r, "target": b} for a, r, b in edges])
    kb = build_untrained([nodes, links], folder / "my.kb")
    assert sorted(kb.ids) == sorted(named)
    for external_id, names in named.items():
        number = index_of(kb, external_id)
        around = {b for a, _, b in edges if a == external_id} | {a for a, _, b in edges if b == external_id}
        assert kb.names_of(number) == list(dict.fromkeys(name.strip() for name in names))
        assert neighbours_of(kb, external_id) == around - {external_id}
        assert kb.graph.degree[number] == kb.prior[number] == len(around - {external_id})


PIECES = [
    *(b"<http://a/b> ", b"_:x ", LABEL.encode(), b'"Ada"@en', b" .\n", b"@prefix a: <b>", b"<rdf:RDF", b"</a>"),
    *(b'{"id": "Q1"', b', "labels": {', b', "name": 5', b"[", b"]", b"{", b"}", b",\n", b"null", b'"', b"\\ud800"),
    *(b"id,name\n", b"a\tb\tc\n", b"source,target\n", b"|", b"3\n", b"[Term]\n", b"id: X:1\n", b"name: a\n", b"! x\n"),
    *(b"\n", b"\r", b"\x00", b"\xff", b"\xe2\x80\xa8", b"a", b";", b" "),
]


@settings(max_examples=60)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=15), format_name=st.sampled_from([None, *FORMATS]))
def test_no_content_is_met_with_a_traceback(
    tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes], format_name: str | None
) -> None:
    folder = tmp_path_factory.mktemp("any")
    (folder / "kg").write_bytes(b"".join(pieces))
    refused = ""
    try:
        build_untrained([folder / "kg"], folder / "my.kb", format_name=format_name)
    except EigenthemesError as error:
        refused = str(error)
    assert "\n" not in refused
    assert (folder / "my.kb").exists() == (not refused)
    assert refused or KB.open(folder / "my.kb").manifest["counts"]["named"] > 0


# which nodes


def test_nodes_without_a_name_connect_but_are_never_candidates(tmp_path: Path, star: list[Path]) -> None:
    kb = build_untrained(star, tmp_path / "my.kb")
    nameless = index_of(kb, "nameless")
    assert neighbours_of(kb, "nameless") == {"hub"}
    assert kb.names_of(nameless) == []
    assert kb.label_of(nameless) == "nameless"
    for generator in ("default", "paper"):
        assert len(CandidateGenerator(kb, generator=generator).find("nameless")) == 0


def test_several_files_of_several_formats_make_one_kb(tmp_path: Path) -> None:
    (tmp_path / "a.nt").write_text(f'{iri("a")} {LABEL} "Ada" .\n')
    (tmp_path / "b.csv").write_text("id,name\nhttp://example.org/b,Bob\n")
    (tmp_path / "c.ttl").write_text("@prefix ex: <http://example.org/> .\nex:a ex:knows ex:b .\n")
    kb = build_untrained([tmp_path / name for name in ("a.nt", "b.csv", "c.ttl")], tmp_path / "my.kb")
    assert len(kb) == 2
    assert neighbours_of(kb, "http://example.org/a") == {"http://example.org/b"}
    assert [source["name"] for source in kb.manifest["sources"]] == ["a.nt", "b.csv", "c.ttl"]


def test_a_node_named_by_another_source_is_not_unknown_to_an_edge(tmp_path: Path) -> None:
    (tmp_path / "names.nt").write_text(f'{iri("a")} {LABEL} "Ada" .\n')
    (tmp_path / "nodes.csv").write_text("id,name\nhttp://example.org/b,Bob\n")
    (tmp_path / "edges.csv").write_text("source,target\nhttp://example.org/a,http://example.org/b\n")
    kb = build_untrained([tmp_path / name for name in ("names.nt", "nodes.csv", "edges.csv")], tmp_path / "my.kb")
    assert kb.manifest["problems"] == {}


def test_keep_restricts_the_kb_to_its_ids(tmp_path: Path, star: list[Path]) -> None:
    (tmp_path / "ids.txt").write_bytes(b"\xef\xbb\xbfhub\r\n\r\n  rim  \r\nunheard-of\r\n")
    kb = build_untrained(star, tmp_path / "my.kb", keep=tmp_path / "ids.txt")
    assert sorted(kb.ids) == ["hub", "rim"]
    assert neighbours_of(kb, "hub") == {"rim"}
    assert kb.manifest["left_out"] == {"not among the ids to keep": 3}
    assert kb.index_of("spoke") is None
    assert len(CandidateGenerator(kb).find("Spoke")) == 0


def test_keep_takes_iris_in_brackets(tmp_path: Path) -> None:
    (tmp_path / "kg.nt").write_text(f'{iri("a")} {LABEL} "A" .\n{iri("b")} {LABEL} "B" .\n')
    (tmp_path / "ids.txt").write_text(iri("b") + "\n")
    assert list(build_untrained([tmp_path / "kg.nt"], tmp_path / "my.kb", keep=tmp_path / "ids.txt").ids) == [
        "http://example.org/b"
    ]


def test_the_degree_counts_what_is_kept_only(tmp_path: Path, star: list[Path]) -> None:
    (tmp_path / "ids.txt").write_text("hub\nrim\n")
    assert build_untrained(star, tmp_path / "my.kb", keep=tmp_path / "ids.txt").prior.tolist() == [1, 1]


def test_the_manifest_counts_what_is_kept_only(tmp_path: Path, star: list[Path]) -> None:
    (tmp_path / "ids.txt").write_text("hub\nrim\n")
    counts = build_untrained(star, tmp_path / "my.kb", keep=tmp_path / "ids.txt").manifest["counts"]
    assert [counts[each] for each in ("entities", "named", "names", "edges", "described", "types")] == [
        2,
        2,
        2,
        1,
        2,
        2,
    ]


def test_keep_ids_that_are_all_unknown_stop_with_an_id_to_compare(tmp_path: Path, star: list[Path]) -> None:
    (tmp_path / "ids.txt").write_text("Hub\nRim\n")
    with pytest.raises(BuildError, match=r"none of the 2 ids to keep is in the KG \(it has ids like hub\)") as error:
        build_untrained(star, tmp_path / "my.kb", keep=tmp_path / "ids.txt")
    assert one_sentence(error).endswith("; check their spelling")
    assert error.value.code == "keep-unknown"


def test_keeping_nodes_without_names_only_stops(tmp_path: Path, star: list[Path]) -> None:
    (tmp_path / "ids.txt").write_text("nameless\n")
    with pytest.raises(BuildError) as error:
        build_untrained(star, tmp_path / "my.kb", keep=tmp_path / "ids.txt")
    assert "not among the ids to keep" in one_sentence(error)
    assert not (tmp_path / "my.kb").exists()


@pytest.mark.parametrize(
    ("content", "error"),
    [(None, SourceError), (b"\n \n", OptionError), (b"\xff\xfe", SourceError)],
    ids=["missing", "blank", "no text"],
)
def test_ids_to_keep_that_cannot_be_read_are_refused(
    tmp_path: Path, star: list[Path], content: bytes | None, error: type[EigenthemesError]
) -> None:
    if content is not None:
        (tmp_path / "ids.txt").write_bytes(content)
    with pytest.raises(error, match=r"ids\.txt.+; give a text file, one id per line$"):
        build_untrained(star, tmp_path / "my.kb", keep=tmp_path / "ids.txt")


def test_names_from_ids_names_what_has_no_name(tmp_path: Path) -> None:
    ids = ["http://example.org/Ada_Lovelace", "http://example.org/onto#Z%C3%BCrich", "HP:1", "http://example.org/x/"]
    lines = [f"<{ids[0]}> <http://example.org/p> <{each}> .\n" for each in ids[1:]]
    lines += [f'<{ids[3]}> {LABEL} "Ex" .\n', "_:b <http://example.org/p> <HP:1> .\n"]
    (tmp_path / "kg.nt").write_text("".join(lines))
    kb = build_untrained([tmp_path / "kg.nt"], tmp_path / "my.kb", names_from_ids=True)
    assert [kb.label_of(index_of(kb, each)) for each in ids] == ["Ada Lovelace", "Zürich", "HP:1", "Ex"]
    assert kb.names_of(index_of(kb, "_:b")) == []


def test_a_kg_of_deprecated_entities_only_stops_and_says_so(tmp_path: Path) -> None:
    true = '"true"^^<http://www.w3.org/2001/XMLSchema#boolean>'
    (tmp_path / "kg.nt").write_text(
        f'{iri("a")} {LABEL} "A" .\n{iri("a")} <http://www.w3.org/2002/07/owl#deprecated> {true} .\n'
    )
    with pytest.raises(BuildError, match="deprecated") as error:
        build_untrained([tmp_path / "kg.nt"], tmp_path / "my.kb")
    one_sentence(error)
    assert not (tmp_path / "my.kb").exists()


# order


def test_entities_are_numbered_by_degree_then_by_id(tmp_path: Path, star: list[Path]) -> None:
    kb = build_untrained(star, tmp_path / "my.kb")
    assert list(kb.ids) == ["hub", "nameless", "rim", "spoke", "lonely"]
    assert kb.prior.tolist() == [3, 1, 1, 1, 0]
    assert kb.manifest["counts"]["prior"] == "degree"


def test_a_prior_that_is_given_replaces_the_degree(tmp_path: Path, star: list[Path]) -> None:
    priors = write_jsonl(tmp_path / "priors.jsonl", [{"id": "lonely", "prior": 9}, {"id": "rim", "prior": 0.5}])
    kb = build_untrained([*star, priors], tmp_path / "my.kb")
    assert list(kb.ids)[:2] == ["lonely", "rim"]
    assert kb.prior.tolist() == [9, 0.5, 0, 0, 0]


# the same bytes


def test_the_place_of_the_files_does_not_matter(tmp_path: Path, star: list[Path]) -> None:
    (tmp_path / "else").mkdir()
    moved = [tmp_path / "else" / file.name for file in star]
    for old, new in zip(star, moved, strict=True):
        new.write_bytes(old.read_bytes())
    build_untrained(star, tmp_path / "1.kb")
    build_untrained(moved, tmp_path / "2.kb")
    assert file_bytes(tmp_path / "1.kb") == file_bytes(tmp_path / "2.kb")


def many_triples() -> str:
    """N-Triples with shared neighbours, languages, blank nodes, types, deprecated nodes and broken lines."""
    lines = []
    for n in range(400):
        node = f"_:b{n}" if n % 50 == 7 else iri(n)
        lines += [
            f'{node} {LABEL} "Näme {n % 90}"@{("en", "de")[n % 2]} .',
            f"{node} {iri(f'p{n % 5}')} {iri(n * 7 % 400)} .",
        ]
        lines += [f"{iri(n)} <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> {iri(f'T{n % 3}')} ."]
        lines += ["nonsense"] if n % 80 == 3 else []
    return "\n".join(lines) + "\n"


def many_items() -> str:
    def item(n: int) -> dict[str, Any]:
        value = {"type": "wikibase-entityid", "value": {"id": f"Q{n * 7 % 300}"}}
        claims = {"P1": [{"mainsnak": {"snaktype": "value", "datavalue": value}}]} if n % 3 else []
        labels = {"en": {"language": "en", "value": f"Item {n % 90}"}}
        return {"id": f"Q{n}", "labels": labels, "claims": claims, "sitelinks": {"enwiki": {}} if n % 4 else []}

    return "[\n" + ",\n".join(json.dumps(item(n)) for n in range(300)) + "\n]\n"


@pytest.mark.parametrize(
    ("name", "text", "options"),
    [("kg.nt", many_triples(), ReadOptions()), ("dump.json", many_items(), ReadOptions(sitelink="enwiki"))],
    ids=["N-Triples", "Wikidata"],
)
def test_any_number_of_jobs_and_blocks_gives_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, options: ReadOptions
) -> None:
    (tmp_path / name).write_text(text, encoding="utf-8")
    build_untrained([tmp_path / name], tmp_path / "whole.kb", options=options)
    monkeypatch.setattr("eigenthemes.core.files.BLOCK", 5_000)
    monkeypatch.setattr("eigenthemes.kg.read.BLOCK", 5_000)
    monkeypatch.setattr("eigenthemes.names.name_index._CHUNK", 60)
    started, start = list[Workers](), Workers._start_process
    monkeypatch.setattr(Workers, "_start_process", lambda workers: started.append(workers) or start(workers))
    build_untrained([tmp_path / name], tmp_path / "1.kb", options=options, jobs=1)
    assert not started
    build_untrained([tmp_path / name], tmp_path / "2.kb", options=options, jobs=2)
    assert len(set(started)) == 1
    assert file_bytes(tmp_path / "1.kb") == file_bytes(tmp_path / "2.kb") == file_bytes(tmp_path / "whole.kb")


def test_strict_stops_in_a_worker_with_the_same_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "kg.nt").write_text(many_triples(), encoding="utf-8")
    monkeypatch.setattr("eigenthemes.core.files.BLOCK", 5_000)
    monkeypatch.setattr("eigenthemes.kg.read.BLOCK", 5_000)
    messages = []
    for jobs in (1, 2):
        with pytest.raises(SourceError, match=r"broken statement at kg\.nt:13: ") as error:
            build_untrained([tmp_path / "kg.nt"], tmp_path / "my.kb", options=ReadOptions(strict=True), jobs=jobs)
        messages.append(one_sentence(error))
    assert messages[0] == messages[1]
    assert not (tmp_path / "my.kb").exists()


# what cannot be built


def test_no_names_at_all_stops_with_the_count_and_the_remedy(tmp_path: Path) -> None:
    edges: list[dict[str, object]] = [{"source": f"a{n}", "target": f"b{n}"} for n in range(600)]
    with pytest.raises(BuildError, match=r"^0 of 1,200 .+have the ids read as names") as error:
        build_untrained([write_jsonl(tmp_path / "edges.jsonl", edges)], tmp_path / "my.kb")
    one_sentence(error)
    assert not (tmp_path / "my.kb").exists()


def test_the_remedy_for_no_names_works(tmp_path: Path) -> None:
    edges = write_jsonl(tmp_path / "edges.jsonl", [{"source": "Ada_Lovelace", "target": "Bob"}])
    assert build_untrained([edges], tmp_path / "my.kb", names_from_ids=True).label_of(0) == "Ada Lovelace"


def test_no_edges_at_all_is_reported(tmp_path: Path) -> None:
    nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": "a", "name": "Ada"}])
    kb = build_untrained([nodes], tmp_path / "my.kb")
    assert kb.manifest["problems"] == {"no edges at all": 1}
    assert kb.manifest["counts"]["isolated"] == 1


def test_strict_stops_where_there_are_no_edges(tmp_path: Path) -> None:
    nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": "a", "name": "Ada"}])
    with pytest.raises(EigenthemesError, match="no edges") as error:
        build_untrained([nodes], tmp_path / "my.kb", options=ReadOptions(strict=True))
    one_sentence(error)
    assert not (tmp_path / "my.kb").exists()


def test_a_clean_kg_has_no_problems_and_passes_strict(tmp_path: Path, star: list[Path]) -> None:
    write_jsonl(tmp_path / "more.jsonl", [{"id": "nameless"}])
    kb = build_untrained([*star, tmp_path / "more.jsonl"], tmp_path / "my.kb", options=ReadOptions(strict=True))
    assert (kb.manifest["problems"], kb.manifest["problem_examples"]) == ({}, {})


def test_every_problem_that_is_counted_has_an_example(tmp_path: Path, star: list[Path]) -> None:
    (tmp_path / "broken.csv").write_text("id,name\n" + ",Nobody\n" * 8 + "hub,Hub,what\n")
    manifest = build_untrained([*star, tmp_path / "broken.csv"], tmp_path / "my.kb").manifest
    assert manifest["problems"]["record without an id"] == 8
    for kind, count in manifest["problems"].items():
        assert len(manifest["problem_examples"][kind]) == min(count, 5)


@pytest.mark.parametrize(
    "content", [b"", b"nonsense\n", b"\x1f\x8b\x08\x00", b"PAR1nonsense", b"code,name,size,age\n1,2,3,4\n"]
)
def test_a_build_that_fails_leaves_the_old_kb_as_it_was(tmp_path: Path, star: list[Path], content: bytes) -> None:
    build_untrained(star, tmp_path / "my.kb")
    before = file_bytes(tmp_path / "my.kb")
    (tmp_path / "bad").write_bytes(content)
    with pytest.raises(EigenthemesError) as error:
        build_untrained([tmp_path / "bad"], tmp_path / "my.kb", force=True)
    assert "bad" in one_sentence(error)
    assert file_bytes(tmp_path / "my.kb") == before


def test_an_existing_kb_is_replaced_only_by_force(tmp_path: Path, star: list[Path]) -> None:
    build_untrained(star, tmp_path / "my.kb")
    with pytest.raises(KBExistsError, match="say that it is to be replaced"):
        build_untrained(star[:1], tmp_path / "my.kb")
    assert len(build_untrained(star[:1], tmp_path / "my.kb", force=True)) == 4


def test_no_sources_at_all_stop_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(EigenthemesError) as error:
        build_untrained([], tmp_path / "my.kb")
    one_sentence(error)
    assert not (tmp_path / "my.kb").exists()

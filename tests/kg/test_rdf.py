"""RDF: which predicates are read as what, languages, CURIEs, blank nodes, the five syntaxes, and broken statements."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from helpers.files import file_bytes
from helpers.inspecting import diagnostics_of, index_of, neighbours_of
from helpers.kbs import build_untrained

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.errors import BuildError, OptionError, SourceError
from eigenthemes.kb.store import KB
from eigenthemes.kg import xml_limits
from eigenthemes.kg.options import ReadOptions

pytestmark = pytest.mark.usefixtures("quick_disk")

PREFIXES = """\
@prefix rdf: <http://www.w3.org/1999/02/22-rdf-syntax-ns#> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix owl: <http://www.w3.org/2002/07/owl#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
@prefix schema: <http://schema.org/> .
@prefix sdo: <https://schema.org/> .
@prefix foaf: <http://xmlns.com/foaf/0.1/> .
@prefix dct: <http://purl.org/dc/terms/> .
@prefix obo: <http://purl.obolibrary.org/obo/> .
@prefix oboInOwl: <http://www.geneontology.org/formats/oboInOwl#> .
@prefix wdt: <http://www.wikidata.org/prop/direct/> .
@prefix ex: <http://example.org/> .
"""
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
P = "<http://example.org/p>"


def entity(kb: KB, local: str) -> int:
    return index_of(kb, f"http://example.org/{local}")


def names(kb: KB, local: str) -> list[str]:
    return kb.names_of(entity(kb, local))


def neighbours(kb: KB, local: str) -> set[str]:
    return {each.removeprefix("http://example.org/") for each in neighbours_of(kb, f"http://example.org/{local}")}


def build(folder: Path, *texts: str | bytes, suffix: str = "ttl", **options: Any) -> KB:
    """A KB of one file for each text; Turtle gets the prefixes above."""
    files = []
    for number, text in enumerate(texts):
        files.append(folder / f"kg{number}.{suffix}")
        text = PREFIXES + text if isinstance(text, str) and suffix == "ttl" else text
        files[-1].write_bytes(text.encode() if isinstance(text, str) else text)
    return build_untrained(files, folder / "my.kb", options=ReadOptions(**options), force=True)


# names


@pytest.mark.parametrize("predicate", ["rdfs:label", "skos:prefLabel", "schema:name", "sdo:name", "foaf:name"])
def test_name_predicates_give_the_label(tmp_path: Path, predicate: str) -> None:
    kb = build(tmp_path, f'ex:a {predicate} "Ada" ; ex:knows ex:b .')
    assert kb.label_of(entity(kb, "a")) == "Ada"


@pytest.mark.parametrize(
    "predicate",
    ["skos:altLabel", "skos:hiddenLabel", "schema:alternateName", "sdo:alternateName", "oboInOwl:hasExactSynonym"],
)
def test_alias_predicates_give_names_behind_the_label(tmp_path: Path, predicate: str) -> None:
    kb = build(tmp_path, f'ex:a {predicate} "Countess" ; rdfs:label "Ada" .')
    assert names(kb, "a") == ["Ada", "Countess"]


def test_an_entity_with_aliases_only_is_named_by_them(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a skos:altLabel "Countess" .')
    assert kb.label_of(entity(kb, "a")) == "Countess"


def test_a_name_given_twice_is_kept_once(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "Ada"@en, "Ada"@de ; skos:altLabel "Ada" .')
    assert names(kb, "a") == ["Ada"]


def test_only_exact_synonyms_are_names_by_default(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        'ex:a rdfs:label "A" ; oboInOwl:hasRelatedSynonym "r" .'
        'ex:a oboInOwl:hasBroadSynonym "b" ; oboInOwl:hasNarrowSynonym "n" .',
    )
    assert names(kb, "a") == ["A"]


@pytest.mark.parametrize("scope", ["Exact", "Related", "Broad", "Narrow"])
def test_each_synonym_scope_can_be_chosen(tmp_path: Path, scope: str) -> None:
    text = 'ex:a rdfs:label "A" ; ' + " ; ".join(
        f'oboInOwl:has{each}Synonym "{each}"' for each in ("Exact", "Related", "Broad", "Narrow")
    )
    kb = build(tmp_path, text + " .", synonyms=(scope.lower(),))
    assert names(kb, "a") == ["A", scope]


def test_an_unknown_synonym_scope_is_refused_with_those_allowed() -> None:
    with pytest.raises(OptionError, match="'near' is unknown; expected some of exact, related, broad, narrow"):
        ReadOptions(synonyms=("near",))


# descriptions, types, edges


@pytest.mark.parametrize(
    "predicate",
    [
        "schema:description",
        "sdo:description",
        "rdfs:comment",
        "skos:definition",
        "skos:scopeNote",
        "obo:IAO_0000115",
        "dct:description",
    ],
)
def test_description_predicates_give_the_description(tmp_path: Path, predicate: str) -> None:
    kb = build(tmp_path, f'ex:a rdfs:label "Ada" ; {predicate} "wrote programs" .')
    assert kb.description_of(entity(kb, "a")) == "wrote programs"
    assert names(kb, "a") == ["Ada"]


@pytest.mark.parametrize("predicate", ["rdf:type", "wdt:P31", "skos:inScheme"])
def test_type_predicates_give_types_and_no_edge(tmp_path: Path, predicate: str) -> None:
    kb = build(tmp_path, f'ex:a rdfs:label "Ada" ; {predicate} ex:Person .')
    assert kb.types_of(entity(kb, "a")) == ["http://example.org/Person"]
    assert kb.graph.edges == 0


def test_every_other_triple_between_nodes_is_an_edge(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "Ada" ; ex:knows ex:b ; ex:lives [ ex:in ex:c ] ; ex:born "1815" .')
    assert kb.graph.edges == 3
    assert "b" in neighbours(kb, "a")
    assert sorted(kb.relations) == [f"http://example.org/{name}" for name in ("in", "knows", "lives")]


def test_degree_counts_distinct_neighbours_in_both_directions(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "A" ; ex:p ex:b ; ex:q ex:b, ex:a . ex:b ex:p ex:a . ex:c ex:p ex:a .')
    assert neighbours(kb, "a") == {"b", "c"}
    assert kb.graph.degree[entity(kb, "a")] == kb.prior[entity(kb, "a")] == 2
    assert kb.manifest["counts"]["self_loops"] == 1


def test_deprecated_entities_are_left_out_and_counted(tmp_path: Path) -> None:
    text = 'ex:a rdfs:label "A" ; ex:p ex:old . ex:old rdfs:label "Old" ; owl:deprecated true .'
    kb = build(tmp_path, text + "ex:new owl:deprecated false .")
    assert kb.index_of("http://example.org/old") is None
    assert kb.manifest["left_out"] == {"deprecated": 1}
    assert neighbours(kb, "a") == set()
    assert kb.index_of("http://example.org/new") is not None


def test_a_deprecated_entity_redirects_to_its_replacement(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "A" . ex:old owl:deprecated true ; obo:IAO_0100001 ex:a .')
    assert kb.index_of("http://example.org/old") == entity(kb, "a")


@pytest.mark.parametrize(
    "text",
    [
        "ex:old dct:isReplacedBy ex:a .",
        'ex:old rdfs:label "Old" ; owl:deprecated true ; dct:isReplacedBy ex:a .',
        "ex:older dct:isReplacedBy ex:old . ex:old dct:isReplacedBy ex:a .",
        "ex:old owl:sameAs ex:a .",
        "ex:a owl:sameAs ex:old .",
        "ex:old a ex:Thing ; owl:sameAs ex:a .",
        'ex:old rdfs:label "Old" ; ex:p ex:b ; owl:deprecated true ; owl:sameAs ex:a .',
    ],
)
def test_replaced_ids_lead_to_what_replaces_them(tmp_path: Path, text: str) -> None:
    kb = build(tmp_path, f'@prefix dct: <http://purl.org/dc/terms/> . ex:a rdfs:label "A" ; ex:p ex:b . {text}')
    assert kb.index_of("http://example.org/old") == entity(kb, "a")
    assert kb["http://example.org/old"].label == "A"
    assert neighbours(kb, "a") == {"b"}


@pytest.mark.parametrize(
    "text",
    [
        'ex:old rdfs:label "Old" . ex:old dct:isReplacedBy ex:a .',  # still an entity
        'ex:old rdfs:label "Old" ; owl:sameAs ex:a .',  # two entities
        'ex:old owl:sameAs ex:a, ex:c . ex:c rdfs:label "C" .',  # the same as two
        "ex:old ex:p ex:c ; owl:sameAs ex:a .",  # a connector
    ],
)
def test_ids_that_are_more_than_another_spelling_stay_nodes(tmp_path: Path, text: str) -> None:
    kb = build(tmp_path, f'@prefix dct: <http://purl.org/dc/terms/> . ex:a rdfs:label "A" ; ex:p ex:b . {text}')
    assert kb.id_of(entity(kb, "old")) == "http://example.org/old"


def test_quoted_triples_are_passed_over(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "A" . << ex:a ex:knows ex:b >> ex:since "1830" .')
    assert names(kb, "a") == ["A"]
    assert diagnostics_of(kb) == {}


# options


@pytest.mark.parametrize("option", ["ex:titel", "http://example.org/titel", "<http://example.org/titel>"])
def test_label_predicates_can_be_added_as_iri_or_curie(tmp_path: Path, option: str) -> None:
    kb = build(tmp_path, 'ex:a ex:titel "Ada" .', label=(option,))
    assert names(kb, "a") == ["Ada"]


def test_a_well_known_prefix_needs_no_declaration(tmp_path: Path) -> None:
    text = '<http://example.org/a> <http://purl.org/dc/terms/title> "Ada" .\n'
    assert names(build(tmp_path, text, suffix="nt", label=("dct:title",)), "a") == ["Ada"]


def test_a_prefix_declared_only_in_rdf_xml_is_understood(tmp_path: Path) -> None:
    text = (
        '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:my="http://example.org/">'
        '<rdf:Description rdf:about="http://example.org/a"><my:titel>Ada</my:titel></rdf:Description></rdf:RDF>'
    )
    assert names(build(tmp_path, text, suffix="rdf", label=("my:titel",)), "a") == ["Ada"]


def test_the_empty_prefix_of_a_file_is_understood(tmp_path: Path) -> None:
    kb = build(tmp_path, '@prefix : <http://example.org/> .\n:a :titel "Ada" .', label=(":titel",))
    assert names(kb, "a") == ["Ada"]


def test_a_files_own_meaning_of_a_prefix_wins(tmp_path: Path) -> None:
    text = '@prefix schema: <https://schema.org/> .\nex:a schema:headline "Ada" .'
    assert names(build(tmp_path, text, label=("schema:headline",)), "a") == ["Ada"]


def test_a_curie_whose_prefix_no_file_declares_is_refused(tmp_path: Path) -> None:
    text = f'<http://example.org/a> {LABEL} "A" .\n<http://example.org/a> <http://example.org/titel> "B" .\n'
    with pytest.raises(OptionError, match="my:titel"):
        build(tmp_path, text, suffix="nt", label=("my:titel",))


def test_a_word_that_is_no_iri_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="'titel' is neither an IRI nor a CURIE; write it like rdfs:label"):
        build(tmp_path, 'ex:a rdfs:label "A" .', label=("titel",))


def test_alias_description_type_and_prior_predicates_can_be_added(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        'ex:a rdfs:label "A" ; ex:nick "Al" ; ex:note "first" ; ex:kind ex:Letter ; ex:hits 7 .'
        'ex:b rdfs:label "B" ; ex:hits 9 .',
        alias=("ex:nick",),
        description=("ex:note",),
        type=("ex:kind",),
        prior=("ex:hits",),
    )
    a = entity(kb, "a")
    assert (names(kb, "a"), kb.description_of(a)) == (["A", "Al"], "first")
    assert (kb.types_of(a), kb.graph.edges) == (["http://example.org/Letter"], 0)
    assert kb.prior.tolist() == [9, 7]
    assert kb.label_of(0) == "B"


def test_several_label_predicates_can_be_added(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a ex:titel "A" . ex:b ex:nom "B" .', label=("ex:titel", "ex:nom"))
    assert names(kb, "a") + names(kb, "b") == ["A", "B"]


@pytest.mark.parametrize("value", ["many", "NaN", "INF"])
def test_a_prior_that_is_no_number_is_reported_with_its_file(tmp_path: Path, value: str) -> None:
    text = f'ex:a rdfs:label "A" ; ex:hits 3 . ex:b rdfs:label "B" ; ex:hits "{value}" .'
    kb = build(tmp_path, text, prior=("ex:hits",))
    assert kb.prior.tolist() == [3, 0]
    assert diagnostics_of(kb) == {"prior that is not a number": 1}
    assert kb.manifest["problem_examples"]["prior that is not a number"][0].startswith("kg0.ttl")


# languages

ROSE = 'ex:a rdfs:label "Rose-fr"@fr, "Rose-de"@de, "Rose", "Rose-en"@en .'


def test_english_is_the_label_and_all_languages_are_names(tmp_path: Path) -> None:
    kb = build(tmp_path, ROSE)
    assert names(kb, "a") == ["Rose-en", "Rose", "Rose-fr", "Rose-de"]


def test_an_untagged_label_comes_before_other_languages(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "Rose-fr"@fr, "Rose" .')
    assert kb.label_of(entity(kb, "a")) == "Rose"


def test_without_english_the_first_label_is_taken_before_any_alias(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a skos:altLabel "rosa"@en ; rdfs:label "Rose-fr"@fr .')
    assert names(kb, "a") == ["Rose-fr", "rosa"]


def test_lang_keeps_the_tags_given_in_their_order_and_untagged_names(tmp_path: Path) -> None:
    assert names(build(tmp_path, ROSE, languages=("de", "en")), "a") == ["Rose-de", "Rose-en", "Rose"]


def test_lang_keeps_untagged_names_alone(tmp_path: Path) -> None:
    kb = build(tmp_path, ROSE, languages=("sv",))
    assert names(kb, "a") == ["Rose"]
    assert kb.manifest["notes"] == ["no name is tagged sv; the sources have fr (1), de (1), en (1)"]


def test_lang_holds_for_aliases_and_descriptions_too(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        'ex:a rdfs:label "A" ; skos:altLabel "x"@fr, "y"@de ; rdfs:comment "un"@fr, "ein"@de .',
        languages=("de",),
    )
    assert names(kb, "a") == ["A", "y"]
    assert kb.description_of(entity(kb, "a")) == "ein"


def test_descriptions_prefer_english(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "A" ; rdfs:comment "un"@fr, "one"@en, "ein"@de .')
    assert kb.description_of(entity(kb, "a")) == "one"


def test_lang_takes_regional_tags_along_whatever_their_case(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "lift"@en-GB, "Aufzug"@de, "enough"@enm .', languages=("EN",))
    assert names(kb, "a") == ["lift"]


@pytest.mark.parametrize("languages", [(), ("en",)])
def test_the_plain_tag_comes_before_its_regions(tmp_path: Path, languages: tuple[str, ...]) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "lift"@en-GB, "elevator"@en .', languages=languages)
    assert kb.label_of(entity(kb, "a")) == "elevator"


# syntaxes

NT = f"""\
<http://example.org/a> {LABEL} "Ada"@en .
<http://example.org/a> <http://example.org/knows> <http://example.org/b> .
<http://example.org/b> {LABEL} "Bob" .
"""
SYNTAXES = {
    "nt": NT,
    "nq": NT.replace(" .\n", " <http://example.org/graph> .\n"),
    "ttl": "@prefix ex: <http://example.org/> .\n"
    f'ex:a {LABEL} "Ada"@en ; ex:knows ex:b .\nex:b {LABEL} "Bob" .\n',
    "trig": "@prefix ex: <http://example.org/> .\nex:graph {\n"
    f'ex:a {LABEL} "Ada"@en ; ex:knows ex:b .\n}}\nex:b {LABEL} "Bob" .\n',
    "rdf": '<?xml version="1.0"?>\n<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"\n'
    ' xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#" xmlns:ex="http://example.org/">\n'
    '<rdf:Description rdf:about="http://example.org/a"><rdfs:label xml:lang="en">Ada</rdfs:label>\n'
    '<ex:knows rdf:resource="http://example.org/b"/></rdf:Description>\n'
    '<rdf:Description rdf:about="http://example.org/b"><rdfs:label>Bob</rdfs:label></rdf:Description>\n</rdf:RDF>\n',
}  # fmt: skip


def check_ada_and_bob(kb: KB) -> None:
    assert (names(kb, "a"), names(kb, "b"), neighbours(kb, "a")) == (["Ada"], ["Bob"], {"b"})
    assert len(kb) == 2
    assert diagnostics_of(kb) == {}


@pytest.mark.parametrize("suffix", SYNTAXES)
def test_every_syntax_gives_the_same_graph(tmp_path: Path, suffix: str) -> None:
    check_ada_and_bob(build(tmp_path, SYNTAXES[suffix].encode(), suffix=suffix))


@pytest.mark.parametrize("suffix", SYNTAXES)
def test_a_byte_order_mark_does_no_harm(tmp_path: Path, suffix: str) -> None:
    check_ada_and_bob(build(tmp_path, b"\xef\xbb\xbf" + SYNTAXES[suffix].encode(), suffix=suffix))


@pytest.mark.parametrize("suffix", ["nt", "nq", "ttl", "trig"])
def test_windows_line_ends_do_no_harm(tmp_path: Path, suffix: str) -> None:
    check_ada_and_bob(build(tmp_path, SYNTAXES[suffix].replace("\n", "\r\n").encode(), suffix=suffix))


def test_n_quads_may_begin_with_a_triple_of_the_default_graph(tmp_path: Path) -> None:
    lines = SYNTAXES["nq"].splitlines(keepends=True)
    check_ada_and_bob(build(tmp_path, "".join([NT.splitlines(keepends=True)[0], *lines[1:]]), suffix="nq"))


@pytest.mark.parametrize("suffix", ["ttl", "nt"])
def test_turtle_may_begin_like_n_triples(tmp_path: Path, suffix: str) -> None:
    text = f'<http://example.org/b> {LABEL} "Bob" .\n<http://example.org/a> {LABEL} "Ada"@en ;\n'
    text += "  <http://example.org/knows> <http://example.org/b> .\n"
    check_ada_and_bob(build(tmp_path, text.encode(), suffix=suffix))


# blank nodes


@pytest.mark.parametrize(
    ("suffix", "first", "second"),
    [
        ("nt", f"<a> {P} _:x .\n<a> {LABEL} 'A' .\n".replace("'", '"'), f"<b> {P} _:x .\n"),
        ("nt", f"<a> {P} _:1.x .\n<a> {LABEL} 'A' .\n".replace("'", '"'), f"<b> {P} _:x .\n"),
        ("ttl", 'ex:a rdfs:label "A" ; ex:p _:x .', "ex:b ex:p _:x ."),
        ("ttl", 'ex:a rdfs:label "A" ; ex:p [] .', "ex:b ex:p [] ."),
    ],
    ids=["same label", "label like a renamed one", "same label in Turtle", "anonymous"],
)
def test_blank_nodes_of_two_files_are_kept_apart(tmp_path: Path, suffix: str, first: str, second: str) -> None:
    kb = build(tmp_path, first, second, suffix=suffix)
    assert len(kb) == 4
    assert kb.graph.edges == 2


@pytest.mark.parametrize("suffix", ["nt", "ttl"])
def test_a_label_means_the_same_blank_node_throughout_its_file(tmp_path: Path, suffix: str) -> None:
    a, b = "<http://example.org/a>", "<http://example.org/b>"
    kb = build(tmp_path, f'{a} {P} _:x .\n{b} {P} _:x .\n{a} {LABEL} "A" .\n', suffix=suffix)
    assert len(kb) == 3
    assert kb.graph.edges == 2


def test_an_iri_and_a_blank_node_of_the_same_text_are_two_nodes(tmp_path: Path) -> None:
    kb = build(tmp_path, f'<x> {LABEL} "A" .\n<x> {P} _:x .\n', suffix="nt")
    assert sorted(kb.ids) == ["_:x", "x"]


def test_a_blank_node_in_two_blocks_of_a_file_is_one_node(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenthemes.core.files.BLOCK", 50)
    kb = build(
        tmp_path,
        f"<a> {P} _:x .\n" + f'<http://example.org/b> {LABEL} "B" .\n' * 20 + f"<http://example.org/b> {P} _:x .\n",
        suffix="nt",
    )
    assert len(kb) == 3
    assert kb.graph.edges == 2


def test_a_blank_node_connects_and_is_neither_an_answer_nor_shown(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "A" ; ex:lives [ rdfs:label "home" ; ex:in ex:b ] . ex:b rdfs:label "B" .')
    assert kb.graph.edges == 2
    assert kb.search("home") == []
    assert kb.neighbors("http://example.org/a") == []
    blank = next(index for index in range(len(kb)) if kb.id_of(index).startswith("_:"))
    assert kb.label_of(blank) == "(unnamed)"


def test_sources_that_name_blank_nodes_only_are_told_to_give_ids(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"all 2 names are of blank nodes, which have no id to link to; give them ids"):
        build(tmp_path, '[ rdfs:label "A" ] . [ rdfs:label "B" ] .')


@pytest.mark.parametrize("suffix", ["ttl", "rdf"])
def test_anonymous_blank_nodes_give_the_same_bytes_on_every_build(tmp_path: Path, suffix: str) -> None:
    turtle = 'ex:a rdfs:label "A" ; ex:p [ ex:q [ rdfs:label "inner" ], ex:a ], [ ex:q ex:b ], ( ex:c ex:d ) .'
    xml = SYNTAXES["rdf"].replace(
        '<ex:knows rdf:resource="http://example.org/b"/>',
        "<ex:p rdf:parseType='Resource'><ex:q rdf:resource='http://example.org/b'/></ex:p><ex:p><rdf:Description/></ex:p>",
    )
    text = turtle if suffix == "ttl" else xml
    build(tmp_path, text, suffix=suffix)
    first = file_bytes(tmp_path / "my.kb")
    (tmp_path / "my.kb").rename(tmp_path / "old.kb")
    build(tmp_path, text, suffix=suffix)
    assert file_bytes(tmp_path / "my.kb") == first


# broken input

A, B, C = (f'<http://example.org/{name}> {LABEL} "{name}" .\n' for name in "abc")
BROKEN_LINES = {
    "no triple": "nonsense\n",
    "no object": f"<http://example.org/x> {LABEL} .\n",
    "no dot": f'<http://example.org/x> {LABEL} "no dot"\n',
    "quote never closed": f'<http://example.org/x> {LABEL} "never closed .\n',
    "bracket never closed": f'<http://example.org/x {LABEL} "x" .\n',
    "bad escape": f'<http://example.org/x> {LABEL} "bad \\q" .\n',
}


@pytest.mark.parametrize("broken", BROKEN_LINES.values(), ids=BROKEN_LINES)
def test_a_broken_line_of_n_triples_costs_that_line_only(tmp_path: Path, broken: str) -> None:
    kb = build(tmp_path, A + broken + B + C, suffix="nt")
    assert [names(kb, name) for name in "abc"] == [["a"], ["b"], ["c"]]


@pytest.mark.parametrize("broken", BROKEN_LINES.values(), ids=BROKEN_LINES)
def test_a_broken_line_of_n_triples_is_counted_once_with_file_and_line(tmp_path: Path, broken: str) -> None:
    kb = build(tmp_path, A + broken + B + C, suffix="nt")
    assert diagnostics_of(kb) == {"broken statement": 1}
    assert kb.manifest["problem_examples"]["broken statement"][0].startswith("kg0.nt:2: ")


def test_a_broken_first_line_does_not_hide_that_the_file_is_n_triples(tmp_path: Path) -> None:
    kb = build(tmp_path, "<http://example.org/x> nonsense\n" + A + B, suffix="nt")
    assert names(kb, "a") + names(kb, "b") == ["a", "b"]
    assert kb.manifest["problem_examples"]["broken statement"][0].startswith("kg0.nt:1: ")


def test_all_broken_lines_are_counted_and_five_are_shown(tmp_path: Path) -> None:
    kb = build(tmp_path, A + "nonsense\n" * 7 + B, suffix="nt")
    assert diagnostics_of(kb) == {"broken statement": 7}
    shown = kb.manifest["problem_examples"]["broken statement"]
    assert [example.split(" ")[0] for example in shown] == [f"kg0.nt:{line}:" for line in range(2, 7)]


def test_the_line_of_a_problem_is_right_in_a_later_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenthemes.core.files.BLOCK", 100)
    kb = build(tmp_path, b"\xef\xbb\xbf" + (A * 40 + "nonsense\n" + B).encode(), suffix="nt")
    assert kb.manifest["problem_examples"]["broken statement"][0].startswith("kg0.nt:41: ")


def test_strict_stops_at_a_broken_line_and_says_where(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"kg0\.nt:2: .+; mend the file or build without strict"):
        build(tmp_path, A + "nonsense\n" + B, suffix="nt", strict=True)
    assert not (tmp_path / "my.kb").exists()


def test_turtle_goes_on_behind_a_broken_statement(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "A" .\nex:b foo:p "x" .\nex:c rdfs:label "C" .\n')
    assert names(kb, "a") + names(kb, "c") == ["A", "C"]
    line = PREFIXES.count("\n") + 2
    assert kb.manifest["problem_examples"]["broken statement"][0].startswith(f"kg0.ttl:{line}: ")


def test_a_diagnostic_is_one_line_even_if_the_text_has_several(tmp_path: Path) -> None:
    kb = build(tmp_path, 'ex:a rdfs:label "A" .\nex:b rdfs:label "B" """two\nlines""" .\nex:c rdfs:label "C" .\n')
    examples = kb.manifest["problem_examples"]["broken statement"]
    assert examples
    assert not [example for example in examples if "\n" in example]


def test_cut_rdf_xml_keeps_what_was_whole_and_names_the_file(tmp_path: Path) -> None:
    text = SYNTAXES["rdf"]
    kb = build(tmp_path, text[: text.index(">Bob")], suffix="rdf")
    assert names(kb, "a") == ["Ada"]
    (example,) = kb.manifest["problem_examples"]["broken statement"]
    assert example.startswith("kg0.rdf")
    assert not example.startswith("kg0.rdf:0")


def test_rdf_xml_in_latin_1_is_read_as_it_declares(tmp_path: Path) -> None:
    text = SYNTAXES["rdf"].replace('version="1.0"', 'version="1.0" encoding="ISO-8859-1"').replace("Ada", "Zoë")
    assert names(build(tmp_path, text.encode("latin-1"), suffix="rdf"), "a") == ["Zoë"]


def test_rdf_xml_of_elements_in_elements_is_given_up_at_some_depth_and_that_is_told(tmp_path: Path) -> None:
    rdf, rdfs = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2000/01/rdf-schema#"
    opening = f'<?xml version="1.0"?><rdf:RDF xmlns:rdf="{rdf}" xmlns:rdfs="{rdfs}">'
    ada = '<rdf:Description rdf:about="http://x/ada"><rdfs:label>Ada</rdfs:label></rdf:Description>'
    kb = build(tmp_path, opening + ada + "<rdf:Description><rdfs:seeAlso>" * 20_000, suffix="rdf")
    assert kb.names_of(0) == ["Ada"]
    assert "deep" in kb.manifest["problem_examples"]["given up"][0]


def test_a_page_of_html_is_refused_in_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as error:
        build(tmp_path, '<?xml version="1.0"?>\n<html><body>\n<p>Not found</body></html>\n', suffix="rdf")
    assert "\n" not in str(error.value)
    assert "kg0.rdf" in str(error.value)


@pytest.mark.parametrize("suffix", ["nt", "ttl"])
def test_latin_1_bytes_are_read_and_reported_with_their_line(tmp_path: Path, suffix: str) -> None:
    kb = build(tmp_path, (A + B.replace('"b"', '"Zoë"')).encode("latin-1"), suffix=suffix)
    assert names(kb, "b") == ["Zoë"]
    (kind,) = diagnostics_of(kb)
    assert "UTF-8" in kind
    assert kb.manifest["problem_examples"][kind] == [f"kg0.{suffix}:2"]


# no names


def test_without_names_the_remedy_names_the_most_frequent_literal_predicate(tmp_path: Path) -> None:
    text = 'ex:a ex:titel "A" ; ex:note "x" . ex:b ex:titel "B" ; ex:p ex:c .'
    with pytest.raises(BuildError) as error:
        build(tmp_path, text)
    assert str(error.value).startswith("0 of 3 ")
    assert str(error.value).endswith("most frequent predicate with texts is ex:titel: if it holds names, say so")
    assert names(build(tmp_path, text, label=("ex:titel",)), "a") == ["A"]


def test_the_remedy_is_an_iri_where_no_prefix_is_known(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"predicate with texts is http://example\.org/titel: if it holds names, say so$"):
        build(tmp_path, '<http://example.org/a> <http://example.org/titel> "A" .\n', suffix="nt")


def test_the_remedy_is_no_predicate_of_numbers(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match=r"predicate with texts is ex:titel: if it holds names, say so$"):
        build(tmp_path, "ex:a ex:size 1, 2, 3 ; ex:born '1815-12-10'^^ex:date, '1815'^^ex:year ; ex:titel 'A' .")


def test_the_remedy_is_lang_where_only_the_language_was_wrong(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"no name is tagged de; the sources have names in fr \(1\)"):
        build(tmp_path, 'ex:a rdfs:label "A"@fr ; ex:size "3" .', languages=("de",))


@pytest.mark.parametrize("size", [1, 7, 64, 1 << 14])
def test_depth_is_that_of_elements_however_the_file_is_read(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(xml_limits, "_BLOCK", size)
    text = (
        b'<?xml version="1.0"?><!DOCTYPE a><a><b/><!-- <c> <c> --><b x="1">a > b<![CDATA[<c><c>]] > <c>]]></b><!----><b><c/>'
        * 50
    )
    limited = xml_limits.LimitedXml(io.BytesIO(text), "kg.rdf", Diagnostics())
    assert b"".join(limited.blocks()) == text
    assert limited.depth == 2 * 50


@pytest.mark.parametrize("name", ["kg.nt", "kg.ttl"])
def test_an_iri_that_does_not_end_takes_nothing_along(tmp_path: Path, name: str) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    (tmp_path / name).write_text(f'<http://e.org/a> {label} "A" .\n<http://e.org/b\n<http://e.org/c> {label} "C" .\n')
    kb = build_untrained([tmp_path / name], tmp_path / "a.kb")
    assert [entity.id for entity in kb] == ["http://e.org/a", "http://e.org/c"]
    assert kb.manifest["problems"]["broken statement"] == 1


def test_what_an_iri_takes_along_that_does_not_end_is_counted(tmp_path: Path) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    sound, broken = f'<http://e.org/a> {label} "A" .\n', f'<http://e.org/b" a\n<http://e.org/c> {label} "C" .\n'
    (tmp_path / "kg.trig").write_text(f"<http://e.org/g> {{\n{sound}{broken}}}\n")
    kb = build_untrained([tmp_path / "kg.trig"], tmp_path / "a.kb")
    assert any("IRI that does not end" in problem for problem in kb.manifest["problems"])

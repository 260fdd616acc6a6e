"""OBO ontologies: names, synonyms by scope, definitions, edges, obsolete terms, redirects, and broken frames."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.inspecting import diagnostics_of, index_of, names_of, neighbours_of
from helpers.kbs import build_untrained

from eigenthemes.errors import BuildError, SourceError
from eigenthemes.kb.store import KB
from eigenthemes.kg.options import ReadOptions

pytestmark = pytest.mark.usefixtures("quick_disk")

HEADER = "format-version: 1.2\nontology: test\n"

BROKEN = "broken OBO clause (its term is kept)"


def term(number: int, *clauses: str, name: str = "") -> str:
    lines = ["", "[Term]", f"id: X:{number}", *([f"name: {name}"] if name else []), *clauses, ""]
    return "\n".join(lines)


def build(folder: Path, *frames: str, **options: Any) -> KB:
    (folder / "x.obo").write_text(HEADER + "".join(frames), encoding="utf-8")
    return build_untrained([folder / "x.obo"], folder / "my.kb", options=ReadOptions(**options))


SYNONYMS = [f'synonym: "{scope.lower()}" {scope} []' for scope in ("EXACT", "RELATED", "BROAD", "NARROW")]


def test_name_definition_and_namespace_are_read(tmp_path: Path) -> None:
    kb = build(tmp_path, term(1, "namespace: organs", 'def: "It pumps \\"blood\\"." [PMID:1]', name="heart"))
    assert (names_of(kb, "X:1"), kb.description_of(0), kb.types_of(0)) == (["heart"], 'It pumps "blood".', ["organs"])


def test_exact_synonyms_are_names_and_others_are_not(tmp_path: Path) -> None:
    assert names_of(build(tmp_path, term(1, *SYNONYMS, name="heart")), "X:1") == ["heart", "exact"]


@pytest.mark.parametrize("scope", ["exact", "related", "broad", "narrow"])
def test_each_synonym_scope_can_be_chosen(tmp_path: Path, scope: str) -> None:
    assert names_of(build(tmp_path, term(1, *SYNONYMS, name="heart"), synonyms=(scope,)), "X:1") == ["heart", scope]


def test_synonyms_may_carry_a_type_and_cross_references(tmp_path: Path) -> None:
    kb = build(tmp_path, term(1, 'synonym: "cor" EXACT LATIN [PMID:1, PMID:2]', name="heart"))
    assert names_of(kb, "X:1") == ["heart", "cor"]


def test_is_a_and_relationships_are_edges(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        term(1, "is_a: X:2 ! organ", "relationship: part_of X:3 ! body", name="heart"),
        term(2, name="organ"),
        term(3, name="body"),
    )
    assert neighbours_of(kb, "X:1") == {"X:2", "X:3"}
    assert sorted(kb.relations) == ["is_a", "part_of"]


def test_typedefs_are_no_entities(tmp_path: Path) -> None:
    kb = build(tmp_path, term(1, name="heart"), "\n[Typedef]\nid: part_of\nname: part of\nis_transitive: true\n")
    assert list(kb.ids) == ["X:1"]


def test_relations_are_called_by_the_name_of_their_typedef(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        term(1, "relationship: BFO:0000050 X:2", "relationship: adjacent_to X:2", name="heart"),
        term(2, name="body"),
        "\n[Typedef]\nid: BFO:0000050\nname: part of\nis_transitive: true\n",
    )
    assert sorted(kb.relations) == ["adjacent_to", "part of"]


@pytest.mark.parametrize("relation", ["lacks_part", "CL:1", "disjoint_from", "never_in_taxon"])
def test_relations_that_deny_are_no_edges(tmp_path: Path, relation: str) -> None:
    kb = build(
        tmp_path,
        term(1, f"relationship: {relation} X:2", name="red cell"),
        term(2, "is_a: X:3", name="nucleus"),
        term(3, name="part"),
        "\n[Typedef]\nid: CL:1\nname: has_not_completed\n",
    )
    assert neighbours_of(kb, "X:1") == set()
    assert list(kb.relations) == ["is_a"]
    (note,) = kb.manifest["notes"]
    assert note.startswith("1 statements of relations that deny are no edges (")


def test_a_comment_describes_where_there_is_no_definition(tmp_path: Path) -> None:
    kb = build(tmp_path, term(1, "comment: old", 'def: "new" []', name="a"), term(2, "comment: only", name="b"))
    assert (kb["X:1"].description, kb["X:2"].description) == ("new", "only")


def test_labels_that_are_given_as_properties_are_names(tmp_path: Path) -> None:
    clauses = ('property_value: skos:prefLabel "cor" xsd:string', 'property_value: IAO:0000118 "ticker" xsd:string')
    assert names_of(build(tmp_path, term(1, *clauses, name="heart")), "X:1") == ["heart", "cor", "ticker"]


def test_instances_which_fastobo_does_not_open_do_no_harm(tmp_path: Path) -> None:
    kb = build(tmp_path, "\n[Instance]\nid: I:1\nname: my heart\ninstance_of: X:1\n", term(1, name="heart"))
    assert list(kb.ids) == ["X:1"]


def test_more_frames_than_are_parsed_at_once_are_all_read(tmp_path: Path) -> None:
    kb = build(tmp_path, *(term(number, name=f"term {number}") for number in range(1203)))
    assert len(kb) == 1203
    assert names_of(kb, "X:1202") == ["term 1202"]


# obsolete terms and redirects


def test_obsolete_terms_are_left_out_and_counted(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        term(1, "is_a: X:2", name="heart"),
        term(2, "is_obsolete: true", name="obsolete organ"),
        term(3, "is_obsolete: false", name="body"),
    )
    assert sorted(kb.ids) == ["X:1", "X:3"]
    assert neighbours_of(kb, "X:1") == set()
    assert kb.manifest["left_out"] == {"obsolete": 1}


def test_replaced_terms_and_alternative_ids_resolve(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        term(1, "alt_id: X:8", "alt_id: X:9", name="heart"),
        term(2, "is_obsolete: true", "replaced_by: X:1", name="obsolete heart"),
    )
    assert index_of(kb, "X:2") == index_of(kb, "X:8") == index_of(kb, "X:9") == index_of(kb, "X:1")


def test_redirects_resolve_through_chains(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        term(1, "alt_id: X:4", name="heart"),
        term(2, "is_obsolete: true", "replaced_by: X:3"),
        term(3, "is_obsolete: true", "replaced_by: X:4"),
    )
    assert index_of(kb, "X:2") == index_of(kb, "X:3") == index_of(kb, "X:1")


def test_redirects_that_go_round_or_nowhere_are_unknown_ids(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        term(1, name="heart"),
        term(2, "is_obsolete: true", "replaced_by: X:3"),
        term(3, "is_obsolete: true", "replaced_by: X:2"),
        term(4, "is_obsolete: true", "replaced_by: Y:1"),
    )
    assert [kb.index_of(f"X:{number}") for number in (2, 3, 4)] == [None, None, None]


def test_an_alternative_id_resolves_even_where_an_edge_uses_it(tmp_path: Path) -> None:
    kb = build(tmp_path, term(1, "alt_id: X:9", name="heart"), term(2, "is_a: X:9", name="big heart"))
    assert index_of(kb, "X:9") == index_of(kb, "X:1")
    assert neighbours_of(kb, "X:2") == {"X:1"}


def test_an_alternative_id_never_hides_a_term_of_its_own(tmp_path: Path) -> None:
    kb = build(tmp_path, term(1, "alt_id: X:2", name="heart"), term(2, name="lung"))
    assert names_of(kb, "X:2") == ["lung"]


def test_the_manifest_counts_the_redirects_that_resolve(tmp_path: Path) -> None:
    kb = build(tmp_path, term(1, "alt_id: X:9", name="heart"), term(2, "is_obsolete: true", "replaced_by: Y:1"))
    assert kb.manifest["counts"]["redirects"] == 1


# broken input


@pytest.mark.parametrize("clause", ["nonsense", "def: bare", 'synonym: "x" []', "is_obsolete: maybe", "made_up: x"])
def test_a_broken_clause_is_counted_with_its_line_and_its_term_stays(tmp_path: Path, clause: str) -> None:
    kb = build(tmp_path, term(1, name="heart"), term(2, clause, "is_a: X:1", name="lung"), term(3, name="liver"))
    assert [names_of(kb, f"X:{number}") for number in (1, 2, 3)] == [["heart"], ["lung"], ["liver"]]
    assert neighbours_of(kb, "X:2") == {"X:1"}
    assert diagnostics_of(kb) == {BROKEN: 1}
    assert kb.manifest["problem_examples"][BROKEN] == [f"x.obo:11: {clause}"]


def test_a_definition_with_free_text_for_references_keeps_its_text(tmp_path: Path) -> None:
    clause = 'def: "The ground shakes." [Adapted from URL:http\\://example.org/x.php?id=1, and others]'
    kb = build(tmp_path, term(1, clause, name="earthquake"))
    assert kb["X:1"].description == "The ground shakes."
    assert diagnostics_of(kb) == {BROKEN: 1}


def test_a_term_whose_id_is_broken_is_lost_alone(tmp_path: Path) -> None:
    kb = build(tmp_path, term(1, name="heart"), "\n[Term]\nid:\nname: lung\n", term(3, name="liver"))
    assert sorted(kb.ids) == ["X:1", "X:3"]
    assert diagnostics_of(kb) == {"broken OBO frame": 1}


def test_strict_stops_at_a_broken_clause(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"broken OBO clause .+ at x\.obo:7: nonsense; mend the file or build without strict"):
        build(tmp_path, term(1, "nonsense", name="heart"), strict=True)
    assert not (tmp_path / "my.kb").exists()


@pytest.mark.parametrize(
    "frame",
    [term(1, "! a comment", name="heart"), "\n! a comment" + term(1, name="heart")],
    ids=["inside a frame", "between frames"],
)
def test_comment_lines_do_no_harm(tmp_path: Path, frame: str) -> None:
    kb = build(tmp_path, term(2, name="lung"), frame)
    assert names_of(kb, "X:1") + names_of(kb, "X:2") == ["heart", "lung"]
    assert diagnostics_of(kb) == {}


def test_a_term_given_twice_is_counted_and_merged(tmp_path: Path) -> None:
    kb = build(tmp_path, term(1, name="heart"), term(1, name="cor"))
    assert names_of(kb, "X:1") == ["heart", "cor"]
    assert [count for kind, count in diagnostics_of(kb).items() if "duplicate id" in kind] == [1]


def test_an_edge_to_an_unknown_term_is_counted(tmp_path: Path) -> None:
    kb = build(tmp_path, term(1, "is_a: X:404", "is_a: X:2", name="heart"), term(2, name="organ"))
    assert [count for kind, count in diagnostics_of(kb).items() if kind.startswith("edge to a")] == [1]


def test_an_ontology_of_obsolete_terms_only_stops_and_says_so(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="obsolete"):
        build(tmp_path, term(1, "is_obsolete: true", name="heart"))
    assert not (tmp_path / "my.kb").exists()


def test_latin_1_a_byte_order_mark_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    text = (HEADER + term(1, name="cöur")).replace("\n", "\r\n")
    (tmp_path / "x.obo").write_bytes(b"\xef\xbb\xbf" + text.encode("latin-1"))
    kb = build_untrained([tmp_path / "x.obo"], tmp_path / "my.kb")
    assert names_of(kb, "X:1") == ["cöur"]
    (kind,) = diagnostics_of(kb)
    assert kb.manifest["problem_examples"][kind] == ["x.obo:6"]


@pytest.mark.real_data
def test_all_live_terms_of_the_environment_ontology_are_there(tmp_path: Path, real_data: Any) -> None:
    kb = build_untrained([real_data("ontologies/envo.obo.gz")], tmp_path / "envo.kb", embedding=None)
    assert kb.manifest["counts"]["named"] == 6452
    assert kb["ENVO:01000677"].label == "earthquake"
    assert "broken OBO frame" not in diagnostics_of(kb)

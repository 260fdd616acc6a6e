"""Names that are derived from others: demonyms and species words, of the package and of the user."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.commands import assert_one_sentence, call
from helpers.kbs import build_untrained

from eigenthemes import KB, Linker
from eigenthemes.names.lexicon import read_lexicon

NODES = "id\tname\nfr\tFrance\nde\tGermany\npl\tPoland\npolish\tPolish\nindiana\tIndiana\nmouse\tMus musculus\nchild\tParis\n"
EDGES = "source\ttarget\nchild\tfr\nfr\tde\npl\tde\nindiana\tfr\n"


def build(folder: Path, lexicon: str | None = None, nodes: str = NODES) -> KB:
    (folder / "nodes.tsv").write_text(nodes, encoding="utf-8")
    (folder / "edges.tsv").write_text(EDGES, encoding="utf-8")
    if lexicon not in (None, "none"):
        (folder / "lexicon.tsv").write_text(lexicon, encoding="utf-8")
        lexicon = str(folder / "lexicon.tsv")
    return build_untrained([folder / "nodes.tsv", folder / "edges.tsv"], folder / "my.kb", lexicon=lexicon)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return build(tmp_path_factory.mktemp("lexicon"), "form\tname\nHoosiers\tIndiana\nPicards\tPicardy\n")


def entities(kb: KB, text: str) -> list[tuple[str, str | None]]:
    return [(link.mention.text, link.entity) for link in Linker(kb, method="degree").link(text).links]


def test_every_line_of_the_lexicon_is_complete_and_no_form_is_its_own_target() -> None:
    names = list(read_lexicon())
    assert {name.language for name in names} == {"en", "de", "fr", "es"}
    assert all(name.form and all(name.targets) for name in names)


def test_demonyms_and_species_words_mean_the_entity_of_their_name(kb: KB) -> None:
    assert entities(kb, "The French met two Germans and some mice.") == [("French", "fr"), ("Germans", "de"), ("mice", "mouse")]


def test_they_are_found_as_mentions_and_in_cells_too(kb: KB) -> None:
    linker = Linker(kb, method="degree")
    assert linker.link({"mentions": [{"text": "French"}]}).links[0].entity == "fr"
    assert [link.entity for link in linker.link_table({"header": ["of"], "rows": [["Germans"], ["Hoosiers"]]}).links] == [
        "de",
        "indiana",
    ]


def test_a_form_that_is_a_name_itself_keeps_its_meaning(kb: KB) -> None:
    assert entities(kb, "Polish workers") == [("Polish", "polish")]


def test_the_name_of_a_language_is_no_country(kb: KB) -> None:
    assert entities(kb, "The French language has German words and Polish speakers in France.") == [
        ("Polish", "polish"),  # a name of the KG
        ("France", "fr"),
    ]


def test_they_are_no_names_of_the_kg(kb: KB) -> None:
    france = kb["fr"]
    assert (france.label, france.aliases) == ("France", ())
    index = kb.index_of("fr")
    assert index is not None
    assert kb.names_of(index) == ["France"]
    assert "French" in kb.derived_names_of(index)
    assert kb.names_with_languages("fr") == [("France", "")]
    assert kb.manifest["counts"]["names"] == 7
    assert kb.manifest["counts"]["derived_names"] > 10


def test_forms_of_the_user_are_added_and_what_means_nothing_is_told(kb: KB) -> None:
    assert entities(kb, "Two Hoosiers") == [("Hoosiers", "indiana")]
    assert "1 forms of the lexicon were left out: no entity has the name that they stand for" in kb.manifest["notes"]


def test_there_may_be_none(tmp_path: Path) -> None:
    kb = build(tmp_path, "none")
    assert entities(kb, "The French met Hoosiers") == []
    assert kb.manifest["counts"]["derived_names"] == 0


def test_the_entity_with_that_label_comes_before_one_of_a_higher_prior_with_that_alias(tmp_path: Path) -> None:
    nodes = NODES.replace("id\tname\n", "id\tname\talias\n").replace("de\tGermany\n", "de\tGermany\tFrance\n")
    assert entities(build(tmp_path, nodes=nodes), "The French") == [("French", "fr")]


@pytest.mark.parametrize("lexicon", ["Hoosiers\n", "Hoosiers\tIndiana\tIN\n", "\n"])
def test_a_lexicon_of_other_columns_is_refused_in_one_sentence(tmp_path: Path, lexicon: str) -> None:
    (tmp_path / "nodes.tsv").write_text(NODES, encoding="utf-8")
    (tmp_path / "lexicon.tsv").write_text(lexicon, encoding="utf-8")
    done = call("build", tmp_path / "nodes.tsv", "-o", tmp_path / "my.kb", "--lexicon", tmp_path / "lexicon.tsv")
    assert_one_sentence(done, "lexicon.tsv", "a form and a name per line")
    assert not (tmp_path / "my.kb").exists()


def test_demonyms_of_the_kg_are_names(tmp_path: Path) -> None:
    (tmp_path / "kg.nt").write_text(
        '<http://e.org/x> <http://www.w3.org/2000/01/rdf-schema#label> "Xland" .\n'
        '<http://e.org/x> <http://dbpedia.org/ontology/demonym> "Xlander" .\n'
        "<http://e.org/x> <http://e.org/near> <http://e.org/y> .\n",
        encoding="utf-8",
    )
    assert build_untrained([tmp_path / "kg.nt"], tmp_path / "my.kb")["http://e.org/x"].aliases == ("Xlander",)

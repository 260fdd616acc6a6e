"""The Wikidata JSON dump: both forms, what is read of an entity, the sitelink filter, and odd or broken entities."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.inspecting import diagnostics_of, index_of, names_of, neighbours_of
from helpers.kbs import build_untrained

from eigenthemes.errors import BuildError, SourceError
from eigenthemes.kb.store import KB
from eigenthemes.kg.options import ReadOptions

pytestmark = pytest.mark.usefixtures("quick_disk")


def texts(**by_language: str) -> dict[str, Any]:
    return {tag: {"language": tag, "value": value} for tag, value in by_language.items()}


def claim(target: str | None, *, rank: str = "normal", **value: Any) -> dict[str, Any]:
    """A statement whose value is an item; without a target its value is unknown."""
    if target is None:
        return {"mainsnak": {"snaktype": "somevalue"}, "rank": rank}
    value = value or {"entity-type": "item", "numeric-id": int(target[1:]), "id": target}
    snak = {"snaktype": "value", "datavalue": {"type": "wikibase-entityid", "value": value}}
    return {"mainsnak": snak, "rank": rank}


def item(external_id: str, label: str = "", **parts: Any) -> dict[str, Any]:
    return {"type": "item", "id": external_id, "labels": texts(en=label) if label else {}, **parts}


def build(folder: Path, content: str | list[dict[str, Any]], **options: Any) -> KB:
    """A KB of a dump with one entity a line, or of this very text."""
    text = content if isinstance(content, str) else "".join(json.dumps(each) + "\n" for each in content)
    (folder / "dump.json").write_text(text, encoding="utf-8")
    return build_untrained([folder / "dump.json"], folder / "my.kb", options=ReadOptions(**options))


ONE, TWO = (json.dumps(item(external_id, label)) for external_id, label in (("Q1", "One"), ("Q2", "Two")))


@pytest.mark.parametrize(
    "text",
    [
        f"{ONE}\n{TWO}\n",
        f"{ONE}\n{TWO}",
        f"[\n{ONE},\n{TWO}\n]\n",
        f"[\r\n{ONE},\r\n{TWO}\r\n]\r\n",
        f"[{ONE},\n{TWO}]\n",
        f"\ufeff[\n{ONE},\n{TWO}\n]",
    ],
    ids=[
        "lines",
        "no last line end",
        "array",
        "array with Windows line ends",
        "array without lines of brackets",
        "BOM",
    ],
)
def test_lines_and_the_array_form_give_the_same_entities(tmp_path: Path, text: str) -> None:
    kb = build(tmp_path, text)
    assert names_of(kb, "Q1") + names_of(kb, "Q2") == ["One", "Two"]
    assert diagnostics_of(kb) == {}


def test_labels_aliases_and_descriptions_are_read(tmp_path: Path) -> None:
    aliases = {"en": [{"language": "en", "value": value} for value in ("Carl Gauss", "C. F. Gauss")]}
    descriptions = texts(de="Mathematiker", en="mathematician")
    kb = build(tmp_path, [item("Q6722", "Gauss", aliases=aliases, descriptions=descriptions)])
    assert names_of(kb, "Q6722") == ["Gauss", "Carl Gauss", "C. F. Gauss"]
    assert kb.description_of(0) == "mathematician"


def test_instance_of_gives_types_and_other_items_give_edges(tmp_path: Path) -> None:
    kb = build(tmp_path, [item("Q1", "One", claims={"P31": [claim("Q5")], "P50": [claim("Q2"), claim("Q3")]})])
    assert kb.types_of(index_of(kb, "Q1")) == ["Q5"]
    assert neighbours_of(kb, "Q1") == {"Q2", "Q3"}
    assert list(kb.relations) == ["P50"]


def test_old_dumps_name_items_by_number_alone(tmp_path: Path) -> None:
    kb = build(tmp_path, [item("Q1", "One", claims={"P50": [claim("Q2", **{"entity-type": "item", "numeric-id": 2})]})])
    assert neighbours_of(kb, "Q1") == {"Q2"}


@pytest.mark.parametrize(
    "value", [{"entity-type": "property", "numeric-id": 2, "id": "P2"}, {"entity-type": "property", "numeric-id": 2}]
)
def test_claims_about_properties_are_no_edges(tmp_path: Path, value: dict[str, Any]) -> None:
    kb = build(tmp_path, [item("Q1", "One", claims={"P1687": [claim("P2", **value)]}), item("Q2", "Two")])
    assert kb.graph.edges == 0
    assert len(kb) == 2


def test_deprecated_unknown_and_other_values_are_no_edges(tmp_path: Path) -> None:
    year = {"mainsnak": {"snaktype": "value", "datavalue": {"type": "time", "value": {"time": "+1777-00-00"}}}}
    text = {"mainsnak": {"snaktype": "value", "datavalue": {"type": "string", "value": "Q9"}}, "rank": "normal"}
    claims = {"P50": [claim("Q2", rank="deprecated"), claim(None)], "P569": [year], "P1": [text]}
    kb = build(tmp_path, [item("Q1", "One", claims=claims)])
    assert (len(kb), kb.graph.edges, diagnostics_of(kb)) == (1, 0, {})


def test_preferred_and_normal_claims_count_alike(tmp_path: Path) -> None:
    kb = build(tmp_path, [item("Q1", "One", claims={"P50": [claim("Q2", rank="preferred"), claim("Q3")]})])
    assert neighbours_of(kb, "Q1") == {"Q2", "Q3"}


def test_empty_objects_may_be_dumped_as_empty_lists(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        [
            {"id": "Q1", "labels": [], "aliases": [], "descriptions": [], "claims": [], "sitelinks": []},
            item("Q2", "Two"),
        ],
    )
    assert names_of(kb, "Q1") == []
    assert diagnostics_of(kb) == {}


# the sitelink filter


def test_the_sitelink_filter_leaves_out_entities_without_that_page(tmp_path: Path) -> None:
    dump = [
        item("Q1", "One", sitelinks={"enwiki": {"title": "One"}}, claims={"P1": [claim("Q2"), claim("Q3")]}),
        item("Q2", "Two", sitelinks={"dewiki": {"title": "Zwei"}}),
        item("Q3", "Three", sitelinks={"enwiki": {"title": "Three"}}),
        item("Q4", "Four", sitelinks=[]),
        item("Q5", "Five"),
    ]
    kb = build(tmp_path, dump, sitelink="enwiki")
    assert sorted(kb.ids) == ["Q1", "Q3"]
    assert neighbours_of(kb, "Q1") == {"Q3"}
    assert list(kb.manifest["left_out"].values()) == [3]


def test_entities_outside_the_dump_have_no_sitelink_either(tmp_path: Path) -> None:
    dump = [item("Q1", "One", sitelinks={"enwiki": {}}, claims={"P1": [claim("Q99")]})]
    assert list(build(tmp_path, dump, sitelink="enwiki").ids) == ["Q1"]


def test_a_sitelink_that_nobody_has_stops_and_is_named(tmp_path: Path) -> None:
    with pytest.raises(BuildError, match="enwikki"):
        build(tmp_path, [item("Q1", "One", sitelinks={"enwiki": {}})], sitelink="enwikki")
    assert not (tmp_path / "my.kb").exists()


# languages


def test_english_is_the_label_and_other_languages_are_names(tmp_path: Path) -> None:
    kb = build(tmp_path, [item("Q64", labels=texts(ar="برلين", en="Berlin", fi="Berliini"))])
    assert names_of(kb, "Q64") == ["Berlin", "برلين", "Berliini"]


def test_lang_keeps_its_languages_only(tmp_path: Path) -> None:
    aliases = {"en": [{"language": "en", "value": "BER"}], "de": [{"language": "de", "value": "Spree-Athen"}]}
    kb = build(tmp_path, [item("Q64", labels=texts(ar="برلين", de="Berlin"), aliases=aliases)], languages=("de",))
    assert names_of(kb, "Q64") == ["Berlin", "Spree-Athen"]


def test_the_label_for_all_languages_comes_before_a_foreign_one(tmp_path: Path) -> None:
    kb = build(tmp_path, [item("Q64", labels=texts(ar="برلين", mul="Berlin"))])
    assert kb.label_of(0) == "Berlin"


def test_lang_keeps_the_label_for_all_languages(tmp_path: Path) -> None:
    kb = build(tmp_path, [item("Q64", labels=texts(ar="برلين", mul="Berlin"))], languages=("en",))
    assert names_of(kb, "Q64") == ["Berlin"]


# broken input


@pytest.mark.parametrize(
    "broken",
    [
        '{"id": "Q9", "labels": {',
        '{"labels": {}}',
        '{"id": 9, "labels": {}}',
        '"Q9"',
        '{"id": "Q9", "labels": {"en": "Nine"}}',
        '{"id": "Q9", "claims": {"P1": [{}]}}',
    ],
    ids=["cut", "no id", "id is a number", "no object", "label is a string", "claim without a value"],
)
def test_a_broken_entity_is_counted_with_file_and_line_and_the_rest_is_read(tmp_path: Path, broken: str) -> None:
    kb = build(tmp_path, f"[\n{ONE},\n{broken},\n{TWO}\n]\n")
    assert names_of(kb, "Q1") + names_of(kb, "Q2") == ["One", "Two"]
    assert diagnostics_of(kb) == {"broken entity": 1}
    assert kb.manifest["problem_examples"]["broken entity"][0].startswith("dump.json:3: ")


ODD = ([["Q5"], 5, 2.5, True, {"id": "Q5"}, [[]]], ["list", "number", "fraction", "truth", "object", "nested list"])


@pytest.mark.parametrize("odd", ODD[0], ids=ODD[1])
@pytest.mark.parametrize("part", ["id", "type", "edge", "number", "label", "alias", "description", "language"])
def test_what_should_be_text_and_is_not_is_one_broken_entity_and_the_rest_is_read(
    tmp_path: Path, part: str, odd: object
) -> None:
    term = {"language": odd, "value": "Five"} if part == "language" else {"language": "en", "value": odd}
    target: dict[str, Any] = {"numeric-id": "5" if odd == 5 else odd} if part == "number" else {"id": odd}
    parts: dict[str, dict[str, Any]] = {
        "id": {"id": odd},
        "type": {"claims": {"P31": [claim("Q1", **target), claim("Q2")]}},
        "edge": {"claims": {"P1": [claim("Q1", **target), claim("Q2")]}},
        "number": {"claims": {"P1": [claim("Q1", **target), claim("Q2")]}},
        "label": {"labels": {"de": term, **texts(en="Nine")}},
        "alias": {"aliases": {"en": [term, {"language": "en", "value": "IX"}]}},
        "description": {"descriptions": {"de": term, **texts(en="a number")}},
        "language": {"labels": {"de": term, **texts(en="Nine")}},
    }
    entities = [item("Q1", "One"), {**item("Q9", "Nine"), **parts[part]}, item("Q2", "Two", claims={"P31": [claim("Q1")]})]
    kb = build(tmp_path, entities)
    assert names_of(kb, "Q1") + names_of(kb, "Q2") == ["One", "Two"]
    assert diagnostics_of(kb) == {"broken entity": 1}
    assert kb.types_of(index_of(kb, "Q2")) == ["Q1"]
    if part != "id":
        assert names_of(kb, "Q9") == ["Nine", "IX"] if part == "alias" else ["Nine"]  # what is sound of it is read


def test_strict_stops_at_a_broken_entity(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"broken entity at dump\.json:2: .+; mend the file or build"):
        build(tmp_path, f"{ONE}\nnonsense\n{TWO}\n", strict=True)
    assert not (tmp_path / "my.kb").exists()


def test_an_entity_given_twice_is_counted_and_merged(tmp_path: Path) -> None:
    kb = build(tmp_path, [item("Q1", "One"), item("Q1", "Uno")])
    assert names_of(kb, "Q1") == ["One", "Uno"]
    assert [count for kind, count in diagnostics_of(kb).items() if "duplicate id" in kind] == [1]


def test_an_edge_to_an_entity_outside_the_dump_is_counted(tmp_path: Path) -> None:
    kb = build(tmp_path, [item("Q1", "One", claims={"P1": [claim("Q2"), claim("Q99")]}), item("Q2", "Two")])
    assert [count for kind, count in diagnostics_of(kb).items() if kind.startswith("edge to a")] == [1]
    assert names_of(kb, "Q99") == []

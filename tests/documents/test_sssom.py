"""SSSOM: the file is what the standard says, checked by a strict reader of our own."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import pytest

from eigenthemes import Linker
from eigenthemes.documents.sssom import LEXICAL, MappingSet, Prefixes
from eigenthemes.tables.table_stream import link_table_file

# of the standard's schema, version 1.0
SET_SLOTS = (
    "curie_map", "mapping_set_id", "mapping_set_version", "mapping_set_source", "mapping_set_title", "mapping_set_description",
    "creator_id", "creator_label", "license", "subject_type", "subject_source", "subject_source_version", "object_type",
    "object_source", "object_source_version", "mapping_provider", "mapping_tool", "mapping_tool_version", "mapping_date",
)  # fmt: skip
SLOTS = (
    "subject_id", "subject_label", "subject_category", "predicate_id", "predicate_label", "predicate_modifier", "object_id",
    "object_label", "object_category", "mapping_justification", "author_id", "confidence", "comment",
)  # fmt: skip
BUILT_IN = {"owl", "rdf", "rdfs", "semapv", "skos", "sssom", "xsd", "linkml"}
JUSTIFICATIONS = {"semapv:LexicalMatching", "semapv:CompositeMatching"}


def read_sssom(data: bytes) -> tuple[dict[str, Any], list[dict[str, str]]]:
    """Read a set of mappings as the standard says; whatever it forbids fails."""
    text = data.decode("utf-8")
    assert not text.startswith("\ufeff")
    assert "\r" not in text
    lines = text.split("\n")
    count = next(number for number, line in enumerate(lines) if not line.startswith("#"))
    metadata = read_yaml([line[1:] for line in lines[:count]])
    assert list(metadata) == [slot for slot in SET_SLOTS if slot in metadata]
    assert {"mapping_set_id", "license"} <= metadata.keys()
    assert re.match(r"[a-z][a-z0-9+.-]*:\S+$", metadata["mapping_set_id"])
    reader = csv.DictReader(io.StringIO("\n".join(lines[count:]), newline=""), delimiter="\t", strict=True)
    assert reader.fieldnames is not None
    assert list(reader.fieldnames) == [slot for slot in SLOTS if slot in reader.fieldnames]
    rows = list(reader)
    prefixes = set(metadata.get("curie_map", {})) | BUILT_IN
    for row in rows:
        assert None not in row
        assert None not in row.values()
        assert metadata["subject_type"] == "rdfs literal"
        assert row["subject_label"]
        assert row["mapping_justification"] in JUSTIFICATIONS
        for slot in ("predicate_id", "object_id"):
            prefix, colon, local = row[slot].partition(":")
            assert colon
            assert prefix in prefixes, row[slot]
            assert not re.search(r"\s", local)
        assert not row.get("confidence") or 0 <= float(row["confidence"]) <= 1
        assert len(row.get("confidence", "").partition(".")[2]) <= 3
    used = {row["object_id"].partition(":")[0] for row in rows}
    assert set(metadata.get("curie_map", {})) == used - BUILT_IN
    assert [tuple(row.values()) for row in rows] == sorted(tuple(row.values()) for row in rows)
    assert not any(all(not row[name] for row in rows) for name in reader.fieldnames if rows)
    return metadata, rows


def read_yaml(lines: list[str]) -> dict[str, Any]:
    """Read the few forms of YAML that a set of mappings may use: scalars, and one map."""
    found: dict[str, Any] = {}
    for line in lines:
        key, colon, value = line.strip().partition(": " if not line.endswith(":") else ":")
        assert colon, line
        value = unquoted(value)
        if line.startswith("  "):
            found["curie_map"][key] = value
        else:
            found[key] = value if key != "curie_map" else {}
    assert list(found.get("curie_map", {})) == sorted(found.get("curie_map", {}))
    return found


def unquoted(value: str) -> str:
    if not value.startswith('"'):
        assert not re.search(r"^[\d\-?:,\[\]{}#&*!|>'%@`\s]|: | #|\s$|:$", value), value
        assert value.lower() not in ("null", "true", "false", "yes", "no", "on", "off")
        return value
    assert re.fullmatch(r'"(?:[^"\\\n]|\\.)*"', value)
    return value[1:-1].replace('\\"', '"').replace("\\n", "\n").replace("\\t", "\t").replace("\\\\", "\\")


def test_a_linked_table_gives_a_valid_set(trained_tiny: Any, tmp_path: Path) -> None:
    source = tmp_path / 'my "table", 1.csv'
    source.write_text('city,home\nParis,Iowa\n"Michael\nJordan",Paris\nParis,Iowa\nNowhere Land,\n')
    out = tmp_path / "o.sssom.tsv"
    link_table_file(Linker(trained_tiny, top=1), source, tmp_path / "o.csv", columns=["city", "home"], sssom=out)
    metadata, rows = read_sssom(out.read_bytes())
    found = [(row["subject_category"], row["subject_label"], row["object_id"], row["object_label"]) for row in rows]
    assert ("city", "Paris", "kb:paris", "Paris") in found
    assert ("home", "Paris", "kb:paris", "Paris") in found
    assert len(found) == len(set(found))
    assert all(row["confidence"] for row in rows)
    assert metadata["mapping_set_title"] == 'my "table", 1.csv linked to tiny.kb'
    before = out.read_bytes()
    link_table_file(Linker(trained_tiny, top=1), source, tmp_path / "o.csv", columns=["city", "home"], sssom=out)
    assert out.read_bytes() == before


def test_methods_without_probabilities_have_no_confidence(degree_linker: Linker, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("city\nParis\n")
    link_table_file(degree_linker, tmp_path / "in.csv", tmp_path / "o.csv", columns=["city"], sssom=tmp_path / "s.tsv")
    _, (row,) = read_sssom((tmp_path / "s.tsv").read_bytes())
    assert "confidence" not in row
    assert row["mapping_justification"] == LEXICAL


def test_a_text_that_means_two_things_has_two_mappings() -> None:
    mappings = MappingSet("my.kb", "t", "1.0")
    mappings.add_column("city", ["Paris"] * 6, [*"ababa", None], [*"ABABA", None], [0.5, 0.8005, 0.8, 1.0 - 1e-9, 0.6, None])
    mappings.add_column("town", ["Paris", 'a "b"\tc\n'], ["a", "c"], ["A", ""], [0.25, None])
    _, rows = read_sssom(mappings.to_bytes())
    shown = [(row["subject_category"], row["object_id"], row["confidence"], row["comment"]) for row in rows]
    assert shown == [
        ("city", "kb:a", "0.8", "3 of the 5 linked cells with this text"),
        ("city", "kb:b", "1", "2 of the 5 linked cells with this text"),
        ("town", "kb:a", "0.25", ""),
        ("town", "kb:c", "", ""),
    ]


def test_sets_in_which_each_text_means_one_thing_have_no_comments() -> None:
    mappings = MappingSet("my.kb", "t", "1.0")
    texts = ["Paris", "Rome", "Paris"]
    mappings.add_column("city", texts, list(map(str.lower, texts)), texts, [0.9] * 3)
    _, rows = read_sssom(mappings.to_bytes())
    assert [(row["subject_label"], "comment" in row) for row in rows] == [("Paris", False), ("Rome", False)]


def test_a_set_without_mappings_is_valid() -> None:
    metadata, rows = read_sssom(MappingSet("my.kb", "t", "1.0").to_bytes())
    assert rows == []
    assert "curie_map" not in metadata


@pytest.mark.parametrize(
    ("id", "curie", "expansion"),
    [
        ("Q42", "kb:Q42", "urn:eigenthemes:my.kb:"),
        ("a b|c", "kb:a%20b%7Cc", "urn:eigenthemes:my.kb:"),
        ("HP:0001", "HP:0001", "https://bioregistry.io/HP:"),
        ("http://purl.obolibrary.org/obo/HP_0001", "HP:0001", "http://purl.obolibrary.org/obo/HP_"),
        ("http://www.wikidata.org/entity/Q42", "wikidata:Q42", "http://www.wikidata.org/entity/"),
        ("https://example.org/a#b", "ns1:b", "https://example.org/a#"),
        ("https://example.org/", "ns1:", "https://example.org/"),
    ],
)
def test_ids_become_curies(id: str, curie: str, expansion: str) -> None:
    prefixes = Prefixes("my.kb")
    assert prefixes.curie(id) == curie
    assert list(prefixes.known) == [expansion]


def test_prefixes_of_one_name_are_kept_apart() -> None:
    prefixes = Prefixes("my.kb")
    ids = [
        "HP:1",
        "http://purl.obolibrary.org/obo/HP_1",
        "http://a.org/x/1",
        "http://b.org/x/1",
        "http://a.org/x/2",
        "kb:1",
        "1",
    ]
    assert [prefixes.curie(id) for id in ids] == ["HP:1", "HP2:1", "ns1:1", "ns2:1", "ns1:2", "kb:1", "kb2:1"]
    assert len(set(prefixes.known.values())) == len(prefixes.known)

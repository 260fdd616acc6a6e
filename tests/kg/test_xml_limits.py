"""Entities of RDF/XML: abbreviations are read, what would fill the memory is given up, no file or address is opened."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.kg import xml_limits
from eigenthemes.kg.read import read_sources
from eigenthemes.kg.statements import Statements

RDF = (
    '<?xml version="1.0"?>{dtd}<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" '
    'xmlns:rdfs="http://www.w3.org/2000/01/rdf-schema#">{things}</rdf:RDF>'
)
THING = '<rdf:Description rdf:about="http://e.org/{number}"><rdfs:label>{label}</rdfs:label></rdf:Description>'


def read(folder: Path, declarations: str, *labels: str) -> Statements:
    things = "".join(THING.format(number=number, label=label) for number, label in enumerate(labels))
    (folder / "kg.rdf").write_text(RDF.format(dtd=f"<!DOCTYPE rdf:RDF [{declarations}]>", things=things))
    statements, _ = read_sources([folder / "kg.rdf"])
    return statements


def laughs(levels: int) -> str:
    """Entities each of which is the one before ten times."""
    inner = "".join(f'<!ENTITY l{level} "{f"&l{level - 1};" * 10}">' for level in range(1, levels + 1))
    return f'<!ENTITY l0 "lol">{inner}'


def test_abbreviations_are_read(tmp_path: Path) -> None:
    statements = read(tmp_path, '<!ENTITY city "Paris, London">\n<!ENTITY in "&city; in">', *["&in; Texas &amp; Iowa"] * 3000)
    assert list(statements.name_text.strings()) == ["Paris, London in Texas & Iowa"] * 3000
    assert not statements.diagnostics.counts


@pytest.mark.parametrize(
    ("declarations", "labels"),
    [
        (laughs(12), ["&l12;"]),
        ('<!ENTITY l12 "lol">' + laughs(12), ["&l12;"]),  # the parser takes the last one
        (f"<!-- {laughs(12)} -->", ["&l12;"]),
        ('<!ENTITY a "&b;&b;"><!ENTITY b "&a;">', ["&a;"]),
        (f'<!ENTITY a "{"ab" * 50_000}">', ["&a;" * 20_000]),
        (f'<!ENTITY {"long" * 50} "{"a" * 50_000}">', [f"&{'long' * 50};" * 10] * 100),
    ],
)
def test_entities_that_grow_are_given_up(tmp_path: Path, declarations: str, labels: list[str]) -> None:
    statements = read(tmp_path, declarations, "Paris", *labels)
    assert statements.diagnostics.counts["given up"] == 1
    assert "its entities expand to far more text than the file has" in statements.diagnostics.examples["given up"][0]
    assert len(statements.name_text.strings().blob) < 50_000_000


@pytest.mark.parametrize("address", ["secret.txt", "file://{folder}/secret.txt", "http://127.0.0.1:9/secret"])
def test_what_an_entity_points_to_is_never_read(tmp_path: Path, address: str) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    statements = read(tmp_path, f'<!ENTITY a SYSTEM "{address.format(folder=tmp_path)}">', "it is &a;")
    assert not any("secret" in name for name in statements.name_text.strings())
    assert statements.diagnostics.counts["broken statement"] == 1


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000])
def test_entities_are_counted_alike_however_the_file_is_cut(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    monkeypatch.setattr(xml_limits, "_BLOCK", size)
    text = b"<!DOCTYPE a [<!ENTITY b \"123\"><!ENTITY c '&b;&b;'>]><a>&b;&c; & &amp; &#10; &b; <!-- <!ENTITY --> &c;</a>"
    limited = xml_limits.LimitedXml(io.BytesIO(text), "kg.rdf", Diagnostics())
    assert b"".join(limited.blocks()) == text
    assert limited.entities == {b"b": {b"123"}, b"c": {b"&b;&b;"}}
    assert limited.expanded == 6 + 3 + 12 + 3 + 12  # the references in a declaration count, too

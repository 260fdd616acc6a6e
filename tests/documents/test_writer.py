"""Linked documents as JSON lines: what goes in comes out, in any layout, with links."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eigenthemes.documents.json_lines import document_of
from eigenthemes.documents.json_writer import document_fields, json_line, linked_line
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Link, LinkedDocument, Mention, RankedCandidate, Table


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (Document(text="Ada"), {"text": "Ada"}),
        (Document(id="a.txt", text="Ada"), {"id": "a.txt", "text": "Ada"}),
        (Document(id=0, mentions=()), {"id": 0}),
        (
            Document(id="7-1", table=Table(("who",), (("Ada",),)), source={"pgTitle": "x"}),
            {"id": "7-1", "table": {"header": ["who"], "rows": [["Ada"]]}, "pgTitle": "x"},
        ),
    ],
)
def test_documents_of_other_layouts_are_written_as_json_has_them(document: Document, expected: dict[str, Any]) -> None:
    record = json.loads(json_line(document, []))
    assert record == {**expected, "mentions": []}
    assert list(record) == [*expected, "mentions"]


def test_a_json_document_keeps_its_fields_and_their_order() -> None:
    source = {"x": [1], "text": "Ada", "mentions": [{"text": "Ada"}], "id": None, "y": {"z": None}}
    document = document_of(source)
    assert document_fields(document) is source
    assert json.loads(json_line(document, [{"text": "Ada", "entity": "a"}])) == {
        **source,
        "mentions": [{"text": "Ada", "entity": "a"}],
    }


def test_a_linked_document() -> None:
    document = document_of({"id": 1, "text": "Ada", "mentions": [{"start": 0, "end": 3, "more": 2}]})
    assert document.mentions is not None
    link = Link(document.mentions[0], "a", "Ada Lovelace", 0.5, (RankedCandidate("a", "Ada Lovelace", 0.5),))
    linked = LinkedDocument(document, (link,))
    line = linked_line(linked)
    assert line.endswith(b"}\n")
    assert line.count(b"\n") == 1
    assert json.loads(line) == linked.to_dict()
    assert json.loads(line)["mentions"][0]["more"] == 2


def test_what_cannot_be_written_is_one_sentence() -> None:
    deep: list[Any] = []
    for _ in range(300):
        deep = [deep]
    with pytest.raises(DocumentError, match=r"^the record cannot be written as JSON .*; simplify its other fields$"):
        json_line(Document(text="Ada", source={"deep": deep}), [Mention("x").to_dict()])

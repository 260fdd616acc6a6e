"""Linked documents as JSON lines: the encoder gives what the records give, in any layout."""

from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB, Linker
from eigenthemes.documents.json_lines import document_of, parse_document
from eigenthemes.documents.json_writer import json_line, linked_line
from eigenthemes.documents.reader import Record
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Link, LinkedDocument, Mention, RankedCandidate, Table, document_fields
from eigenthemes.stream import link_chunk

NAMES = ("Paris", "Michael Jordan", "Jordan", "xyzzy", "U.S.", 'a "quoted" name', "Łódź\n")
fields = st.dictionaries(
    st.sampled_from(["gold", "x", "label", "score", "nil_reason", "unknown_candidates", "é"]), st.just("Q1"), max_size=3
)


@st.composite
def records(draw: st.DrawFn) -> dict[str, Any]:
    """Documents whose mentions bring fields of their own, even those that a link has."""
    names = draw(st.lists(st.sampled_from(NAMES), max_size=5))
    given_ids = st.lists(st.sampled_from(["Q90", "nobody", "Q41421"]), max_size=2)
    mentions: list[dict[str, Any]] = []
    for name in names:
        mention = {"text": name, **draw(fields)}
        if draw(st.booleans()):
            mention["candidates"] = draw(given_ids)
        mentions.append(mention)
    return {"id": draw(st.integers(0, 3)), "mentions": mentions, "more": draw(fields)}


@given(st.lists(records(), max_size=3), st.integers(0, 3), st.sampled_from(["selftrained", "degree"]))
def test_lines_are_those_of_the_records(demo_kb: KB, documents: list[dict[str, Any]], top: int, method: str) -> None:
    linker = Linker(demo_kb, method=method, top=top)
    lines = [orjson.dumps(document) for document in documents]
    chunk = link_chunk(linker, [Record("a.jsonl", number, line) for number, line in enumerate(lines, 1)])
    linked = list(linker.link_batch([parse_document(line) for line in lines]))
    written = chunk.output.splitlines()
    assert list(map(orjson.loads, written)) == [orjson.loads(linked_line(each)) for each in linked]
    assert chunk.linked == sum(link.entity is not None for each in linked for link in each.links)
    assert chunk.mentions == sum(len(each.links) for each in linked)


def test_what_a_link_adds_comes_last_and_in_order(demo_kb: KB) -> None:
    linker = Linker(demo_kb, top=1)
    line = orjson.dumps({"text": "In Berkeley", "mentions": [{"start": 3, "end": 11, "text": "Berkeley", "x": None}]})
    once = link_chunk(linker, [Record("a.jsonl", 1, line)]).output
    twice = link_chunk(linker, [Record("a.jsonl", 1, once)]).output
    assert once == twice == linked_line(linker.link(document_of(orjson.loads(line))))


def test_a_mention_that_cannot_be_written_fails_alone(demo_kb: KB) -> None:
    deep = b'{"mentions": [{"text": "Berkeley", "x": ' + b"[" * 400 + b"]" * 400 + b"}]}"
    good = b'{"mentions": [{"text": "Berkeley"}]}'
    chunk = link_chunk(Linker(demo_kb), [Record("a.jsonl", number, line) for number, line in enumerate((good, deep, good), 1)])
    assert [failure.line for failure in chunk.failed] == [2]
    assert "cannot be written as JSON" in chunk.failed[0].cause
    assert (chunk.documents, chunk.mentions, len(chunk.output.splitlines())) == (2, 2, 2)


@pytest.mark.parametrize("entities", [3, 10_000])
def test_pieces_of_entities_are_forgotten_when_they_are_many(
    demo_kb: KB, monkeypatch: pytest.MonkeyPatch, entities: int
) -> None:
    from eigenthemes.kb import entity_records as labels

    monkeypatch.setattr(labels, "_REMEMBERED", entities)
    known = labels.Labels(demo_kb)
    numbers = list(range(8)) * 2
    for some in (numbers, numbers[4:], [0]):
        assert [orjson.loads(b'{"entity":%b0}' % named) for named in known.encoded(some)] == [
            {"entity": known.of(entity)[0], "label": known.of(entity)[1], "score": 0} for entity in some
        ]
    assert len(known._encoded) <= max(entities, 8)


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

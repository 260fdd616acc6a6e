"""What a format can hold comes back as it was: any script, emoji, right-to-left, combining marks, line ends of both kinds."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from html.parser import HTMLParser
from itertools import islice
from pathlib import Path

import orjson
import pytest
from helpers.linked import link_of, linked_document, linked_documents
from hypothesis import given

from eigenthemes.documents.bioc import documents_of
from eigenthemes.documents.brat import brat_of, parse_brat
from eigenthemes.documents.json_lines import document_of
from eigenthemes.documents.nif import read_nif
from eigenthemes.documents.output import open_output
from eigenthemes.documents.pubtator import parse_pubtator, split_pubtator
from eigenthemes.documents.reader import read_gold
from eigenthemes.records import Document, LinkedDocument, Mention


def written(name: str, *linked: LinkedDocument) -> bytes:
    out = io.BytesIO()
    with open_output(name, out.write) as output:
        for each in linked:
            output.write(each)
    return out.getvalue()


def same_mentions(linked: LinkedDocument, read: Document, nil: tuple[str, ...] | None) -> None:
    """Every mention is at its place with its entity among the ids that are right; one that means none is as given."""
    assert len(read.mentions or ()) == len(linked.links)
    for link, mention in zip(linked.links, read.mentions or (), strict=True):
        assert (mention.start, mention.end) == (link.mention.start, link.mention.end)
        if link.entity is None:
            assert mention.gold == nil
        else:
            assert link.entity in (mention.gold or ())
            assert mention.source["gold"] == list(mention.gold or ())  # kept by JSON lines


@given(linked_documents())
def test_nif(linked: LinkedDocument) -> None:
    (read,) = read_nif(io.BytesIO(written("nif", linked)))
    assert isinstance(read, Document)
    assert (read.id, read.text) == (str(linked.document.id), linked.document.text)
    same_mentions(linked, read, None)


@given(linked_documents())
def test_bioc(linked: LinkedDocument) -> None:
    (read,) = documents_of(orjson.loads(written("bioc", linked)))
    assert isinstance(read, Document)
    assert (read.id, read.text) == (str(linked.document.id), linked.document.text)
    same_mentions(linked, read, ())


@given(linked_documents())
def test_brat(linked: LinkedDocument) -> None:
    text, annotations = brat_of(linked)
    read = parse_brat(annotations.splitlines(keepends=True), text.decode(), "d1")
    assert read.text == linked.document.text
    same_mentions(linked, read, None)


@given(linked_documents())
def test_pubtator(linked: LinkedDocument) -> None:
    """Line breaks after the first are spaces, so that every place stays."""
    ((line, data),) = split_pubtator(written("pubtator", linked).splitlines(keepends=True))
    read = parse_pubtator(data, line)
    text = linked.document.text or ""
    title, newline, abstract = text.partition("\n")
    spaced = (title + newline + abstract.replace("\n", " ")).replace("\r", " ")
    assert read.text == (spaced if abstract else title.replace("\r", " "))
    same_mentions(linked, read, ())


@given(linked_documents())
def test_json_array(linked: LinkedDocument) -> None:
    first, second = json.loads(written("json", linked, linked))
    assert first == second == linked.to_dict()
    assert document_of(first).text == linked.document.text


class _Page(HTMLParser):
    """The text of the page within <pre>, and the marks in it."""

    def __init__(self) -> None:
        super().__init__()
        self.text, self.marks, self.tags, self.inside = "", [], set[str](), False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.inside = self.inside or tag == "pre"
        self.tags.add(tag)
        if tag == "mark":
            self.marks.append(dict(attrs))

    def handle_endtag(self, tag: str) -> None:
        self.inside = self.inside and tag != "pre"

    def handle_data(self, data: str) -> None:
        self.text += data if self.inside else ""


@given(linked_documents())
def test_html(linked: LinkedDocument) -> None:
    page = _Page()
    page.feed(written("html", linked).decode())
    assert page.text == linked.document.text
    assert [mark.get("data-id") for mark in page.marks] == [link.entity for link in linked.links]
    assert page.tags <= {"html", "head", "meta", "title", "style", "body", "h1", "h2", "article", "pre", "mark"}


@pytest.mark.parametrize("name", ["json", "nif", "bioc", "html", "pubtator"])
def test_no_documents_are_a_whole_file_too(name: str) -> None:
    data = written(name)
    if name in ("json", "bioc"):
        json.loads(data)
    if name == "html":
        assert data.endswith(b"</html>\n")


def test_three_documents_in_one_file() -> None:
    linked = [linked_document(f"Ada {i}", ("Ada", "Q1"), document_id=i) for i in range(3)]
    assert [each.id for each in read_nif(io.BytesIO(written("nif", *linked)))] == ["0", "1", "2"]  # type: ignore[union-attr]
    assert [each["id"] for each in json.loads(written("bioc", *linked))["documents"]] == ["0", "1", "2"]
    assert len(list(split_pubtator(written("pubtator", *linked).splitlines(keepends=True)))) == 3


@pytest.mark.real_data
@pytest.mark.parametrize("name", ["nif", "bioc", "pubtator", "brat"])
@pytest.mark.parametrize("file", ["genes/biored-train.jsonl.gz", "general/wned-wiki.jsonl.gz", "places/lgl.jsonl.gz"])
def test_real_documents(real_data: Callable[[str], Path], tmp_path: Path, file: str, name: str) -> None:
    """The gold of real texts comes back from every format."""
    documents = [document for document in islice(read_gold(real_data(file)), 60) if document.text is not None]
    out = io.BytesIO()
    with open_output(name, out.write, folder=tmp_path / "out") as output:
        for document in documents:
            links = (link_of(mention, (mention.gold or (None,))[0]) for mention in without_overlaps(document))
            output.write(LinkedDocument(document, tuple(links)))
    if name != "brat":
        (tmp_path / "out").write_bytes(out.getvalue())

    def key(document: Document) -> str | None:
        return document.text if name == "brat" else str(document.id)  # BRAT's ids are names of files

    found = {key(document): document for document in read_gold(tmp_path / "out")}
    assert len(found) == len(documents) > 0
    for document in documents:
        read = found[key(document)]
        given = without_overlaps(document)
        assert list(map(spaced, read.mentions or ())) == list(map(spaced, given))
        for mention, each in zip(read.mentions or (), given, strict=True):
            assert (mention.start, mention.end) == (each.start, each.end)
            assert not each.gold or " ".join(each.gold[0].split()) in (mention.gold or ())


def spaced(mention: Mention) -> str:
    return " ".join(mention.text.split())


def without_overlaps(document: Document) -> list[Mention]:
    """The mentions that begin after the one before has ended, in order of the text."""
    kept: list[Mention] = []
    for mention in sorted(document.mentions or (), key=lambda mention: (mention.start or 0, mention.end or 0)):
        if mention.start is not None and (not kept or mention.start >= (kept[-1].end or 0)):
            kept.append(mention)
    return kept

"""BioC JSON: collections and documents, passages and sentences, offsets in three units."""

from __future__ import annotations

import io
import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from helpers.format_files import COLLECTION, TITLE, annotation
from helpers.gold_files import refusal, write
from helpers.linked import link_of

from eigenthemes.documents.bioc import bioc_of
from eigenthemes.documents.output import open_output
from eigenthemes.documents.reader import DocumentFiles, parse_record, read_documents, read_gold
from eigenthemes.records import Document, LinkedDocument, Mention


def linked_by_gold(document: Document) -> LinkedDocument:
    return LinkedDocument(
        document, tuple(link_of(mention, (mention.gold or (None,))[0]) for mention in document.mentions or ())
    )


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("whole", [True, False], ids=["collection", "documents"])
def test_a_collection_or_its_documents(tmp_path: Path, indent: int | None, whole: bool) -> None:
    value = COLLECTION if whole else COLLECTION["documents"][0]
    (document,) = read_gold(write(tmp_path, "x.json", json.dumps(value, indent=indent)))
    assert (document.id, document.text) == ("12098649", TITLE + "\nESR1 and MS.")
    assert document.mentions == (
        Mention("estrogen receptor 1", 28, 47, gold=("2099",)),
        Mention("multiple sclerosis", 71, 89, gold=("MESH:D009103",)),
        Mention("ESR1", 91, 95, gold=("2099", "NCBI_Gene:2099")),
    )


def test_what_else_a_collection_holds_is_kept(tmp_path: Path) -> None:
    (document,) = read_documents(write(tmp_path, "x.json", json.dumps(COLLECTION)))
    out = io.BytesIO()
    with open_output("bioc", out.write) as output:
        output.write(linked_by_gold(document))
    expected = deepcopy(COLLECTION)
    expected["documents"][0] |= {"annotations": [], "relations": []}  # others expect all fields in every part
    for passage in expected["documents"][0]["passages"]:
        passage |= {"sentences": [], "relations": passage.get("relations", [])}
        for each in passage["annotations"]:
            ids = each["infons"].pop("identifier", None) or each["infons"].pop("NCBI_Gene")
            each["infons"] |= {"identifier": ids, "label": f"label of {ids}", "probability": "0.9000"}
    assert json.loads(out.getvalue()) == expected


def test_a_mention_in_pieces(tmp_path: Path) -> None:
    locations = [{"offset": 0, "length": 6}, {"offset": 19, "length": 7}]
    elliptic = {"id": "1", "infons": {"type": "Disease"}, "text": "Breast [...] Cancers", "locations": locations}
    passage = {"offset": 0, "text": "Breast and Ovarian Cancers", "annotations": [elliptic]}
    (document,) = read_documents(write(tmp_path, "x.json", json.dumps({"id": "1", "passages": [passage]})))
    assert document.mentions == (Mention("Breast Cancers"),)
    written = json.loads(bioc_of(linked_by_gold(document)))["passages"][0]["annotations"][0]
    assert (written["text"], written["locations"]) == ("Breast Cancers", locations)


def test_sentences(tmp_path: Path) -> None:
    sentences = [
        {"offset": 0, "text": "Zoë met Ada.", "annotations": []},
        {"offset": 13, "text": "Bob left.", "annotations": [annotation(1, "Bob", 13, identifier="Q1")]},
    ]
    for passage in (
        {"offset": 0, "sentences": sentences},
        {"offset": 0, "text": "Zoë met Ada. Bob left.", "sentences": sentences},
    ):
        (document,) = read_documents(write(tmp_path, "x.json", json.dumps({"id": "1", "passages": [passage]})))
        assert (document.text or "").split() == "Zoë met Ada. Bob left.".split()
        assert document.mentions == (Mention("Bob", 13, 16, gold=("Q1",)),)
        written = json.loads(bioc_of(linked_by_gold(document)))["passages"][0]
        assert [each["text"] for each in written["sentences"]] == ["Zoë met Ada.", "Bob left."]
        assert [each["text"] for each in written["sentences"][1]["annotations"]] == ["Bob"]


@pytest.mark.parametrize(
    ("bob", "second", "paris"), [(8, 12, 18), (9, 13, 19), (12, 16, 22)], ids=["code points", "UTF-16", "bytes"]
)
def test_offsets_are_read_and_written_in_the_unit_of_the_file(tmp_path: Path, bob: int, second: int, paris: int) -> None:
    passages = [
        {"offset": 0, "text": "🦊 = Zoë Bob", "annotations": [annotation(2, "Bob", bob, identifier="Q1")]},
        {"offset": second, "text": "is in Paris", "annotations": [annotation(1, "Paris", paris, identifier="Q90")]},
    ]
    (document,) = read_documents(write(tmp_path, "x.json", json.dumps({"id": "1", "passages": passages}, ensure_ascii=False)))
    assert document.text == "🦊 = Zoë Bob\nis in Paris"
    assert document.mentions == (Mention("Bob", 8, 11, gold=("Q1",)), Mention("Paris", 18, 23, gold=("Q90",)))
    written = json.loads(bioc_of(linked_by_gold(document)))["passages"]
    assert [each["offset"] for each in written] == [0, second]
    assert written[1]["annotations"][0]["locations"] == [{"offset": paris, "length": 5}]


def test_one_broken_document_costs_no_other(tmp_path: Path) -> None:
    good, bad = COLLECTION["documents"][0], deepcopy(COLLECTION["documents"][0])
    bad["passages"][0]["annotations"][0]["locations"] = [{"offset": 5, "length": 19}]
    path = write(tmp_path, "x.json", json.dumps({**COLLECTION, "documents": [good, bad, good]}))
    first, failed, third = DocumentFiles(path)
    assert parse_record(first) == parse_record(third)
    message = refusal(lambda: parse_record(failed))
    assert message.startswith("document 1: 'estrogen receptor 1' is marked at 5 24, but 'e-up study of the")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"passages": 5}, "the document has no passages"),
        ({"passages": [5]}, "a passage is of the type int"),
        ({"passages": [{"offset": -1, "text": "a"}]}, "a passage has the offset '-1'"),
        (
            {"passages": [{"offset": 0, "text": "abc"}, {"offset": 1, "text": "xyz"}]},
            "a passage begins within the one before it",
        ),
        ({"passages": [{"offset": 10**12, "text": "abc"}]}, "a passage begins within the one before it, or far behind it"),
        ({"passages": [{"offset": 0, "text": "a", "annotations": 5}]}, '"annotations" of a document or passage is no list'),
        ({"passages": [{"offset": 0, "text": "a", "sentences": [5]}]}, '"sentences" of a document or passage is no list'),
        (
            {"passages": [{"offset": 0, "text": "a", "annotations": [{"text": "a", "locations": [{}]}]}]},
            "an annotation of 'a' has no place",
        ),
    ],
)
def test_broken_documents(tmp_path: Path, change: dict[str, Any], sentence: str) -> None:
    path = write(tmp_path, "x.json", json.dumps({**COLLECTION, "documents": [{"id": "1", **change}]}))
    message = refusal(lambda: list(read_documents(path)))
    assert message.startswith(f"x.json:1: {sentence}")


def test_a_collection_that_is_cut_short(tmp_path: Path) -> None:
    path = write(tmp_path, "x.json", json.dumps(COLLECTION, indent=1)[:-30])
    assert "expected a whole BioC collection or document" in refusal(lambda: list(read_documents(path)))

"""Gold documents of Wikipedia made into gold documents of Wikidata."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from paper_helpers.wikipedia_dumps import write_aida, write_wned

from eigenthemes.documents.benchmark_sets import parse_wikitable
from eigenthemes.documents.json_lines import document_of
from eigenthemes.documents.reader import read_gold
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Mention
from eigenthemes_paper.prepare import ENTITY, Counts, prepare
from eigenthemes_paper.wikipedia import WikipediaMap

TABLE = {
    "_id": "7-1",
    "pgTitle": "Ulster",
    "tableHeaders": [[{"text": "Player", "surfaceLinks": []}]],
    "tableData": [
        [
            {
                "text": "O'Neill (fly-half)",
                "surfaceLinks": [
                    {
                        "surface": "O'Neill",
                        "linkType": "INTERNAL",
                        "target": {"id": 5, "language": "en", "title": "Shane_O'Neill"},
                    }
                ],
            }
        ]
    ],
}


@pytest.fixture
def aida(tmp_path: Path) -> Path:
    return write_aida(tmp_path)


@pytest.fixture
def wned(tmp_path: Path) -> Path:
    return write_wned(tmp_path)


def golds(document: Document) -> list[tuple[str, tuple[str, ...] | None]]:
    return [(mention.text, mention.gold) for mention in document.mentions or ()]


def test_aida(aida: Path, pages: WikipediaMap) -> None:
    counts = Counts()
    records = list(prepare(read_gold(aida), pages, counts=counts))
    text = "German and Shane O'Neill Leicestershire"
    first = {"start": 0, "end": 6, "text": "German", "gold": "Q183"}
    second = {"start": 11, "end": 24, "text": "Shane O'Neill", "gold": "Q5005"}
    assert records[0] == {"id": "947testa CRICKET", "text": text, "mentions": [first, second]}
    assert records[1]["mentions"] == []
    assert counts == Counts(documents=2, found=2, missing=1, outside=1, example="http://en.wikipedia.org/wiki/Gone")


def test_wned(wned: Path, pages: WikipediaMap) -> None:
    (record,) = prepare(read_gold(wned), pages, iri=True)
    assert record["text"] == "In Paris in 1990"
    assert golds(document_of(record)) == [("Paris", (ENTITY + "Q90",)), ("1990", (ENTITY + "Q2069",))]
    assert [(mention["start"], mention["end"]) for mention in record["mentions"]] == [(3, 8), (12, 16)]


def test_tables(pages: WikipediaMap) -> None:
    (record,) = prepare([parse_wikitable(json.dumps(TABLE).encode())], pages)
    assert json.loads(json.dumps(record)) == {
        "id": "7-1",
        "pgTitle": "Ulster",
        "table": {"header": ["Player"], "rows": [["O'Neill (fly-half)"]]},
        "mentions": [{"row": 0, "col": 0, "text": "O'Neill", "gold": "Q5005"}],
    }


def test_mentions_without_an_id_may_be_kept(aida: Path, pages: WikipediaMap) -> None:
    counts = Counts()
    first, second = (document_of(each) for each in prepare(read_gold(aida), pages, keep_missing=True, counts=counts))
    before = list(read_gold(aida))
    assert golds(first) == [("German", ("Q183",)), ("Shane O'Neill", ("Q5005",)), ("Leicestershire", ())]
    assert golds(second) == golds(before[1])
    assert (counts.missing, counts.outside) == (1, 1)


def test_what_is_not_gold_passes_as_it_is(pages: WikipediaMap) -> None:
    record = {
        "id": 3,
        "text": "Paris",
        "topic": "cities",
        "mentions": [
            {"text": "Paris", "start": 0, "end": 5, "gold": ["City of Light"], "candidates": ["Q90", "Q1"], "by": "me"},
            {"text": "Paris", "start": 0, "end": 5},
        ],
    }
    bare = {"id": 4, "text": "to be found"}
    found = list(prepare([document_of(record), document_of(bare)], pages))
    record["mentions"][0]["gold"] = "Q90"  # type: ignore[index]
    assert found == [record, bare]


def test_preparing_twice_changes_nothing(aida: Path, pages: WikipediaMap) -> None:
    once = list(prepare(read_gold(aida), pages, iri=True))
    assert list(prepare(map(document_of, once), pages, iri=True)) == once


def test_a_mention_may_have_no_place(pages: WikipediaMap) -> None:
    (record,) = prepare([Document(mentions=(Mention("Paris", gold=("Paris",)),))], pages)
    assert record == {"mentions": [{"text": "Paris", "gold": "Q90"}]}


def test_bad_documents_are_refused_by_their_line(tmp_path: Path, pages: WikipediaMap) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": 1, "mentions": 3}\n')
    with pytest.raises(DocumentError, match=r"bad\.jsonl:1: "):
        list(prepare(read_gold(tmp_path / "bad.jsonl"), pages))


def test_documents_without_their_text_are_counted(tmp_path: Path) -> None:
    documents = [Document(mentions=(Mention("x", gold=("Q1",)),)), Document(mentions=(Mention("x", gold=("Q1",)),), text="x")]
    counts = Counts()
    assert len(list(prepare(documents, WikipediaMap(), counts=counts))) == 2
    assert (counts.documents, counts.textless) == (2, 1)

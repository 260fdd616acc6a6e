"""TabEL's tables of Wikipedia: which links are mentions, and what their gold is."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest

from eigenthemes.documents.benchmark_sets import is_wikitables
from eigenthemes.documents.reader import read_documents, read_gold
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Mention, Table


def link(
    surface: str | None, title: str | None, page: Any = 42, language: str = "en", kind: str = "INTERNAL"
) -> dict[str, Any]:
    target = {"id": page, "language": language, "title": title}
    return {"surface": surface, "linkType": kind, "target": target, "offset": 0, "endOffset": 3, "isInTemplate": False}


def cell(text: str, *links: dict[str, Any]) -> dict[str, Any]:
    return {"cellID": -1, "text": text, "tdHtmlString": "<td>...</td>", "surfaceLinks": list(links)}


def table(*rows: list[dict[str, Any]], headers: list[list[dict[str, Any]]] | None = None, **more: Any) -> dict[str, Any]:
    return {"_id": "7-1", "tableData": list(rows), "tableHeaders": headers or [], **more}


def read(*tables: Any) -> list[Document]:
    return read_lines("".join(json.dumps(each) + "\n" for each in tables))


def read_lines(text: str) -> list[Document]:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "tables.json").write_text(text)
        return list(read_documents(Path(folder) / "tables.json", format="tabel"))


def mentions(*links: dict[str, Any], text: str = "a cell") -> tuple[Mention, ...]:
    found = read(table([cell(text, *links)]))[0].mentions
    assert found is not None
    return found


def test_a_table_with_all_its_fields() -> None:
    record = table(
        [cell("O'Neill (fly-half)", link("O'Neill", "Shane_O'Neill")), cell("3")],
        [cell("Doak", link("Doak", "Neil_Doak", 43)), cell("5")],
        headers=[[cell("Player", link("Player", "Player")), cell("Points")], [cell("Player"), cell("(2013)")]],
        numCols=2, numHeaderRows=2, numericColumns=[1], order=0.25, pgId=7, pgTitle="Ulster Rugby", tableCaption="Squad",
    )  # fmt: skip
    (document,) = read(record)
    assert document == Document(
        mentions=(
            Mention("O'Neill", row=0, col=0, gold=("Shane O'Neill", "http://dbpedia.org/resource/Shane_O'Neill", "42")),
            Mention("Doak", row=1, col=0, gold=("Neil Doak", "http://dbpedia.org/resource/Neil_Doak", "43")),
        ),
        id="7-1",
        table=Table(("Player", "Points (2013)"), (("O'Neill (fly-half)", "3"), ("Doak", "5"))),
    )
    assert document.source == {"pgId": 7, "pgTitle": "Ulster Rugby", "tableCaption": "Squad"}


def test_every_link_of_a_cell_is_a_mention() -> None:
    found = mentions(link("Ada", "Ada_Lovelace"), link("Bob", "Bob"), text="Ada and Bob")
    assert [(each.text, each.row, each.col) for each in found] == [("Ada", 0, 0), ("Bob", 0, 0)]


@pytest.mark.parametrize(
    "other",
    [
        link("Ada", "Ada", language="de"),
        link("Ada", "Ada", kind="EXTERNAL"),
        link("Ada", None),
        link("Ada", " "),
        {"surface": "Ada", "linkType": "INTERNAL"},
        {"surface": "Ada", "linkType": "INTERNAL", "target": "Ada"},
        "Ada",
    ],
)
def test_other_links_are_no_mentions(other: Any) -> None:
    assert mentions(other) == ()


def test_a_link_without_a_surface_is_named_by_its_cell_and_one_without_any_text_is_none() -> None:
    assert [each.text for each in mentions(link("", "Ada"), link(None, "Ada"), text="Ada L.")] == ["Ada L.", "Ada L."]
    assert mentions(link("", "Flag"), text=" ") == ()


@pytest.mark.parametrize("page", [-1, 0, None, "x", True])
def test_a_page_without_an_id_goes_by_its_title(page: Any) -> None:
    assert mentions(link("Ada", "Ada_Lovelace", page))[0].gold == ("Ada Lovelace", "http://dbpedia.org/resource/Ada_Lovelace")


def test_tables_may_be_ragged_empty_or_without_links() -> None:
    ragged, empty = read(table([cell("a"), {"text": "b"}], [{"text": "c", "surfaceLinks": None}]), table())
    assert ragged.table == Table((), (("a", "b"), ("c",)))
    assert empty == Document(mentions=(), id="7-1", table=Table((), ()))


@pytest.mark.parametrize(
    ("record", "phrase"),
    [
        ([], "tableData"),
        ({"_id": "7"}, "tableData"),
        ({"tableData": {}}, "tableData"),
        ({"tableData": ["a"]}, "tableData"),
        ({"tableData": [["a"]]}, '"text"'),
        ({"tableData": [[{"text": 3}]]}, '"text"'),
        ({"tableData": [[{"text": "a", "surfaceLinks": 3}]]}, "surfaceLinks"),
        ({"tableData": [], "tableHeaders": 3}, "tableHeaders"),
    ],
)
def test_bad_tables_are_named_by_file_and_line(record: Any, phrase: str) -> None:
    with pytest.raises(DocumentError, match=phrase) as refused:
        read(table(), record)
    assert str(refused.value).startswith("tables.json:2: ")
    assert "expected" in str(refused.value)


def test_a_line_that_is_cut_is_refused() -> None:
    with pytest.raises(DocumentError, match=r"^tables.json:1: no JSON at character \d+ .*expected one whole table"):
        read_lines('{"_id": "7", "tableData": [[')


def test_tables_are_recognised_by_their_beginning() -> None:
    assert is_wikitables(json.dumps(table()).encode())
    assert is_wikitables(b'\xef\xbb\xbf\n{"numericColumns": [], "tableHeaders": [[{"text"')
    assert not is_wikitables(json.dumps({"text": 'She wrote "tableData": [[1]]', "mentions": []}).encode())
    assert not is_wikitables(b'{"text": "a"}\n' + json.dumps(table()).encode())
    assert not is_wikitables(b"")


def test_read_gold_knows_tables_by_their_content_packed_or_not(tmp_path: Path) -> None:
    line = json.dumps(table([cell("Ada", link("Ada", "Ada_Lovelace"))])).encode() + b"\n\n"
    (tmp_path / "tables.json").write_bytes(line)
    (tmp_path / "tables.json.gz").write_bytes(gzip.compress(line))
    plain, packed = (list(read_gold(tmp_path / name)) for name in ("tables.json", "tables.json.gz"))
    assert plain == packed
    assert [mention.text for document in plain for mention in document.mentions or ()] == ["Ada"]

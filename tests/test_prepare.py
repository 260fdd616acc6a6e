"""Gold of Wikipedia to gold of Wikidata: the rows of MySQL dumps, the pages, the documents, the command."""

from __future__ import annotations

import gzip
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.documents.reader import document_of, read_gold
from eigenthemes.documents.wikitables import read_wikitables
from eigenthemes.errors import DocumentError, OptionError, SourceError
from eigenthemes.records import Document, Mention
from eigenthemes.reproduction import dumps as module
from eigenthemes.reproduction.dumps import read_rows
from eigenthemes.reproduction.prepare import ENTITY, Counts, WikipediaMap, prepare

HEAD = (
    "-- MySQL dump 10.19\n/*!40101 SET NAMES utf8 */;\n"
    "CREATE TABLE `{0}` (\n  `id` int(8) -- 'it''s'\n);\nLOCK TABLES `{0}` WRITE;\n"
)
PAGE_PROPS = r"""INSERT INTO `page_props` VALUES (5,'defaultsort','O\'Neill, (Shane)',NULL),(5,'wikibase_item','Q5005',NULL);
INSERT INTO `page_props` VALUES (11867,'wikibase_item','Q183',0.5);
INSERT INTO `page_props` VALUES (12,'page_image','a),(12,\'wikibase_item\',\'Q666\',NULL',NULL),(90,'wikibase_item','Q90',NULL);
INSERT INTO `page_props` VALUES (1990,'wikibase_item','Q19900',NULL),(34607,'wikibase_item','Q2069',NULL);
INSERT INTO `page_props` VALUES (700,'wikibase_item','Q7000000',NULL),(13,'wikibase_item','',NULL);
INSERT INTO `page_props` VALUES (800,'wikibase_item','Q90',NULL);
"""
PAGE = r"""INSERT INTO `page` VALUES (5,0,'Shane_O\'Neill','',0,0,0.25,'2019',NULL,9,'wikitext',NULL),(11867,0,'Germany','',0);
INSERT INTO `page` VALUES (90,0,'Paris','',0),(91,0,'City_of_Light','',1),(92,0,'Ville_Lumière','',1),(34607,0,'1990','',0);
INSERT INTO `page` VALUES (700,14,'Paris_(Texas)','',0),(12,0,'Nobody','',0),(93,0,'Loop','',1),(94,0,'Elsewhere','',1);
INSERT INTO `page` VALUES (800,0,'Q1','',0);
"""
REDIRECT = r"""INSERT INTO `redirect` VALUES (91,0,'Paris','',''),(92,0,'City_of_Light',NULL,NULL),(93,0,'Loop','','');
INSERT INTO `redirect` VALUES (94,0,'Paris','de','');
"""


def dump(place: Path, table: str, rows: str, *, packed: bool = True) -> Path:
    data = (HEAD.format(table) + rows + "UNLOCK TABLES;\n-- Dump completed\n").encode()
    path = place / f"enwiki-{table}.sql{'.gz' if packed else ''}"
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


@pytest.fixture
def dumps(tmp_path: Path) -> tuple[Path, Path, Path]:
    return (
        dump(tmp_path, "page_props", PAGE_PROPS),
        dump(tmp_path, "page", PAGE),
        dump(tmp_path, "redirect", REDIRECT, packed=False),
    )


@pytest.fixture
def pages(dumps: tuple[Path, Path, Path]) -> WikipediaMap:
    return WikipediaMap.read(*dumps)


# rows of dumps


def rows(text: str | bytes, columns: int, table: str = "t") -> list[tuple[bytes | None, ...]]:
    data = text.encode() if isinstance(text, str) else text
    return list(read_rows(io.BytesIO(data), table, columns, origin="t.sql"))


def test_rows_of_several_statements_and_of_this_table_only() -> None:
    text = "INSERT INTO `t` VALUES (1,'a'),(2,'b');\nINSERT INTO `u` VALUES (3,'c');\nINSERT INTO `t` VALUES (4,'d');\n"
    assert rows(text, 2) == [(b"1", b"a"), (b"2", b"b"), (b"4", b"d")]


def test_null_numbers_and_columns_beyond() -> None:
    assert rows("INSERT INTO `t` VALUES (1,NULL,'NULL',-2.5e-05,'x');", 3) == [(b"1", None, b"NULL")]


def test_what_other_versions_write() -> None:
    assert rows("INSERT INTO t VALUES\n(1, _binary 'a\\'b'),\n( 2 ,'');\n", 2) == [(b"1", b"a'b"), (b"2", b"")]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (r"O\'Neill", b"O'Neill"),
        ("O''Neill", b"O'Neill"),
        ("''", b"'"),
        (r"a\\", b"a\\"),
        (r"\\\'", b"\\'"),
        (r"\"x\"", b'"x"'),
        (r"a\nb\rc\0d\Ze\tf", b"a\nb\rc\0d\x1ae\tf"),
        ("a),(2,'',b);", b"a),(2,',b);"),
        ("a\nINSERT INTO `t` VALUES (7);", b"a\nINSERT INTO `t` VALUES (7);"),
        ("Zürich 東京", "Zürich 東京".encode()),
    ],
)
def test_escapes(written: str, meant: bytes) -> None:
    assert rows(f"INSERT INTO `t` VALUES ('{written}',1);", 2) == [(meant, b"1")]


def as_mysql_writes(text: str, doubled: bool) -> str:
    if doubled:
        return text.replace("\\", "\\\\").replace("'", "''")
    escapes = {"\0": r"\0", "\n": r"\n", "\r": r"\r", "\x1a": r"\Z", "\\": r"\\", "'": r"\'", '"': r"\""}
    return "".join(escapes.get(letter, letter) for letter in text)


TEXTS = st.text(st.characters(exclude_categories=["Cs"])) | st.text("\\'\"(),;\n\0N")


@given(st.lists(st.lists(TEXTS, min_size=1, max_size=5), min_size=1), st.booleans(), st.integers(1, 50))
def test_any_strings_come_back_wherever_a_chunk_ends(statements: list[list[str]], doubled: bool, chunk: int) -> None:
    text = "".join(
        "INSERT INTO `t` VALUES " + ",".join(f"(7,'{as_mysql_writes(each, doubled)}',NULL)" for each in each_statement) + ";\n"
        for each_statement in statements
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_CHUNK", chunk)
        found = rows(text, 3)
    assert found == [(b"7", each.encode(), None) for statement in statements for each in statement]


def test_only_rows_whose_second_column_is_written_so() -> None:
    text = b"INSERT INTO `t` VALUES (1,0,'a'),(2,14,'b'),(3,0,'c'),(4,'0','d');"
    found = list(read_rows(io.BytesIO(text), "t", 3, second=b"0", origin="t.sql"))
    assert found == [(b"1", b"0", b"a"), (b"3", b"0", b"c")]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("", "no rows of the table t"),
        ("INSERT INTO `u` VALUES (1,'a');", "no rows of the table t"),
        ("INSERT INTO `t` VALUES (1,'a'),(2,'b", "ends within row 2"),
        ("INSERT INTO `t` VALUES (1,'a')", "ends within row 1"),
        ("INSERT INTO `t` VALUES (1,'a'),", "ends within row 2"),
        ("INSERT INTO `t` VALUES (1);", "row 1"),
        ("INSERT INTO `t` VALUES (1,'a'),(2,'b'c');" + "x" * (2 << 20), r"row 2 of t cannot be read .*at least 2 columns"),
    ],
)
def test_broken_dumps(text: str, phrase: str) -> None:
    with pytest.raises(SourceError, match=phrase) as refused:
        rows(text, 2)
    assert "t.sql" in str(refused.value)
    assert "\n" not in str(refused.value)


# pages


@pytest.mark.parametrize(
    ("gold", "item"),
    [
        ("11867", "Q183"),
        ("Germany", "Q183"),
        ("germany", "Q183"),
        ("http://en.wikipedia.org/wiki/Germany", "Q183"),
        ("https://en.wikipedia.org/wiki/Germany#History", "Q183"),
        ("http://dbpedia.org/resource/Germany", "Q183"),
        ("Shane O'Neill", "Q5005"),
        ("shane_O'Neill", "Q5005"),
        (" Shane  O'Neill_", "Q5005"),
        ("http://en.wikipedia.org/wiki/Shane_O%27Neill", "Q5005"),
        ("City of Light", "Q90"),  # a redirect
        ("91", "Q90"),
        ("Ville Lumière", None),  # a redirect to a redirect
        ("Ville Lumie\u0300re", None),
        ("Loop", None),
        ("Elsewhere", None),  # a redirect to another Wikipedia
        ("Nobody", None),  # a page without an item
        ("13", None),
        ("Paris (Texas)", None),  # a category
        ("/m/0345h", None),
        ("", None),
        ("9" * 30, None),
        ("Q64", "Q64"),
        (ENTITY + "Q64", "Q64"),
    ],
)
def test_find(pages: WikipediaMap, gold: str, item: str | None) -> None:
    assert pages.find(gold) == item


def test_letters_may_be_composed_or_not(tmp_path: Path) -> None:
    place = (
        dump(tmp_path, "page_props", "INSERT INTO `page_props` VALUES (1,'wikibase_item','Q1',NULL);"),
        dump(tmp_path, "page", "INSERT INTO `page` VALUES (1,0,'Élan_ß','');"),
    )
    pages = WikipediaMap.read(*place)
    assert [pages.find(each) for each in ("Élan ß", "e\u0301lan ß", "ß")] == ["Q1", "Q1", None]


def test_a_number_is_a_title_where_an_iri_says_so(pages: WikipediaMap) -> None:
    assert pages.find("1990") == "Q19900"  # the page with that id
    assert pages.find_any(("1990", "http://dbpedia.org/resource/1990")) == "Q2069"  # the year
    assert pages.find_any(("Q1", "http://dbpedia.org/resource/Q1")) == "Q90"


def test_the_id_of_a_page_counts_before_its_title_and_the_title_where_the_id_is_gone(pages: WikipediaMap) -> None:
    assert pages.find_any(("http://en.wikipedia.org/wiki/Paris", "11867")) == "Q183"
    assert pages.find_any(("http://en.wikipedia.org/wiki/Paris", "99999")) == "Q90"
    assert pages.find_any(()) is None


def test_without_titles_pages_go_by_their_ids(dumps: tuple[Path, Path, Path]) -> None:
    pages = WikipediaMap.read(dumps[0])
    assert (pages.find("11867"), pages.find("Germany")) == ("Q183", None)
    assert "Q7000000" in set(pages.entities())


def test_entities_are_those_of_articles_each_once(pages: WikipediaMap) -> None:
    assert list(pages.entities()) == ["Q90", "Q183", "Q2069", "Q5005"]


def test_redirects_need_titles(dumps: tuple[Path, Path, Path]) -> None:
    with pytest.raises(OptionError, match="give both"):
        WikipediaMap.read(dumps[0], redirect=dumps[2])


def test_dumps_that_are_cut_missing_or_mixed_up(tmp_path: Path, dumps: tuple[Path, Path, Path]) -> None:
    cut = tmp_path / "cut.sql.gz"
    cut.write_bytes(dumps[0].read_bytes()[:-60])
    with pytest.raises(SourceError, match=r"^cut.sql.gz is a truncated or damaged archive .*; fetch the file again$"):
        WikipediaMap.read(cut)
    with pytest.raises(SourceError, match="does not exist"):
        WikipediaMap.read(dumps[0], tmp_path / "none.sql.gz")
    with pytest.raises(SourceError, match="no rows of the table page_props"):
        WikipediaMap.read(dumps[1])


@pytest.mark.parametrize("number", ["NULL", "'x'", "-5", "9" * 19])
def test_an_id_that_is_none(tmp_path: Path, number: str) -> None:
    path = dump(tmp_path, "page_props", f"INSERT INTO `page_props` VALUES ({number},'wikibase_item','Q1',NULL);")
    with pytest.raises(SourceError, match="for the id of a page; expected a number"):
        WikipediaMap.read(path)


# documents

AIDA = """-DOCSTART- (947testa CRICKET)
German\tB\tGerman\tGermany\thttp://en.wikipedia.org/wiki/Germany\t11867\t/m/0345h
and
Shane\tB\tShane O'Neill\tShane_O'Neill\thttp://en.wikipedia.org/wiki/Shane_O%27Neill\t777777\t/m/1
O'Neill\tI\tShane O'Neill\tShane_O'Neill\thttp://en.wikipedia.org/wiki/Shane_O%27Neill\t777777\t/m/1
Leicestershire\tB\tLeicestershire\t--NME--

-DOCSTART- (1163testb SOCCER)
Gone\tB\tGone\tGone\thttp://en.wikipedia.org/wiki/Gone\t888888\t/m/2
"""
WNED = """<wikipedia.entityAnnotation><document docName="Paris">
<annotation><mention>Paris</mention><wikiName>City of Light</wikiName><offset>3</offset><length>5</length></annotation>
<annotation><mention>1990</mention><wikiName>1990</wikiName><offset>12</offset><length>4</length></annotation>
<annotation><mention>x</mention><wikiName>NIL</wikiName><offset>0</offset><length>1</length></annotation>
</document></wikipedia.entityAnnotation>
"""
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
    path = tmp_path / "aida.tsv"
    path.write_text(AIDA, encoding="utf-8")
    return path


@pytest.fixture
def wned(tmp_path: Path) -> Path:
    (tmp_path / "RawText").mkdir()
    (tmp_path / "RawText" / "Paris").write_text("In Paris in 1990")
    path = tmp_path / "wikipedia.xml"
    path.write_text(WNED, encoding="utf-8")
    return path


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
    (record,) = prepare(read_wikitables([json.dumps(TABLE).encode()], origin="tables.json"), pages)
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
    (record,) = prepare([Document((Mention("Paris", gold=("Paris",)),))], pages)
    assert record == {"mentions": [{"text": "Paris", "gold": "Q90"}]}


# the command


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    def run(*arguments: Any) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "eigenthemes.reproduction.prepare", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)

    return run


Run = Callable[..., subprocess.CompletedProcess[str]]


def test_the_command_writes_documents_and_ids(tmp_path: Path, run: Run, aida: Path, dumps: tuple[Path, Path, Path]) -> None:
    out, ids = tmp_path / "gold.jsonl", tmp_path / "ids.txt"
    options = ("--page-props", dumps[0], "--page", dumps[1], "--redirect", dumps[2], "--iri")
    done = run(aida, *options, "-o", out, "--ids", ids)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "2 documents, 2 mentions with a Wikidata id; left out: 1 whose page has none "
        "(first: http://en.wikipedia.org/wiki/Gone), 1 annotated as outside Wikipedia\n"
    )
    assert [golds(document) for document in read_gold(out)] == [
        [("German", (ENTITY + "Q183",)), ("Shane O'Neill", (ENTITY + "Q5005",))],
        [],
    ]
    assert out.read_bytes().startswith(b'{"id":"947testa ')  # what docs/raw-sources.md splits AIDA by
    assert ids.read_text().split() == [ENTITY + each for each in ("Q90", "Q183", "Q2069", "Q5005")]
    assert not list(tmp_path.glob("*.part"))


def test_the_command_writes_to_standard_output(run: Run, aida: Path, dumps: tuple[Path, Path, Path]) -> None:
    done = run(aida, "--page-props", dumps[0])
    assert [len(json.loads(line)["mentions"]) for line in done.stdout.splitlines()] == [1, 0]


def test_a_reader_that_has_gone_is_no_error(tmp_path: Path, aida: Path, dumps: tuple[Path, Path, Path]) -> None:
    command = (
        f"{sys.executable} -m eigenthemes.reproduction.prepare {aida} --page-props {dumps[0]} | true; echo ${{PIPESTATUS[0]}}"
    )
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.stdout == "0\n"
    assert "Traceback" not in done.stderr


def test_errors_are_one_sentence_and_leave_no_file(
    tmp_path: Path, run: Run, aida: Path, wned: Path, dumps: tuple[Path, Path, Path]
) -> None:
    out = tmp_path / "gold.jsonl"
    broken = tmp_path / "broken.tsv"
    broken.write_text(AIDA + "Bad\tX\n")
    for arguments, phrase in [
        ((wned, "--page-props", dumps[0], "-o", out), "titles are only known with --page FILE"),
        ((tmp_path / "none.tsv", "--page-props", dumps[0]), "does not exist"),
        ((aida, "--page-props", dumps[0], "--redirect", dumps[2]), "give both"),
        ((broken, "--page-props", dumps[0], "-o", out), "broken.tsv:"),
        ((aida, "--page-props", dumps[0], "-o", tmp_path / "no" / "such.jsonl"), "cannot be written"),
        ((aida, "--page-props", dumps[0], "-o", aida / "x"), "cannot be written"),
    ]:
        done = run(*arguments)
        assert done.returncode == 1, arguments
        assert done.stderr.startswith("eigenthemes: ")
        assert done.stderr.count("\n") == 1
        assert phrase in done.stderr
        assert not out.exists()
    assert run(aida).returncode == 2
    assert not list(tmp_path.glob("*.part"))


def test_bad_documents_are_refused_by_their_line(tmp_path: Path, pages: WikipediaMap) -> None:
    (tmp_path / "bad.jsonl").write_text('{"id": 1, "mentions": 3}\n')
    with pytest.raises(DocumentError, match=r"bad\.jsonl:1: "):
        list(prepare(read_gold(tmp_path / "bad.jsonl"), pages))


def test_documents_without_their_text_are_counted(tmp_path: Path) -> None:
    documents = [Document((Mention("x", gold=("Q1",)),)), Document((Mention("x", gold=("Q1",)),), text="x")]
    counts = Counts()
    assert len(list(prepare(documents, WikipediaMap(), counts=counts))) == 2
    assert (counts.documents, counts.textless) == (2, 1)

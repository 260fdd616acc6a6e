"""Documents in: JSON lines, the authors' JSON, AIDA-CoNLL, WNED; right ones, broken ones, real ones."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.documents.aida import dbpedia_iri
from eigenthemes.documents.authors import read_authors
from eigenthemes.documents.reader import document_name, document_of, parse_document, read_gold
from eigenthemes.errors import DocumentError, SourceError
from eigenthemes.records import Document, Mention, Table

TEXT = "Ada met Bob in Paris."
EMOJI = "😀 Ada met Zoë"  # Ada: code points 2-5, UTF-16 units 3-6, UTF-8 bytes 5-8


def one(mention: Any, text: str | None = TEXT, **document: Any) -> Mention:
    """The mention of a document that has only this one."""
    found = document_of({"text": text, "mentions": [mention], **document}).mentions
    assert found is not None
    return found[0]


def refusal(action: Callable[[], Any]) -> str:
    """The sentence with which a document is refused."""
    with pytest.raises(DocumentError) as refused:
        action()
    message = str(refused.value)
    assert "\n" not in message
    return message


# JSON lines


def test_a_document_as_the_design_has_it() -> None:
    line = (
        b'{"id": 7, "text": "Ada met Bob", "mentions": [{"start": 0, "end": 3, "text": "Ada", "gold": "a", "more": 1}], "x": 2}'
    )
    document = parse_document(line)
    assert document == Document((Mention("Ada", 0, 3, gold=("a",)),), 7, "Ada met Bob")
    assert document.source == json.loads(line)
    assert document.mentions is not None
    assert document.mentions[0].source == {"start": 0, "end": 3, "text": "Ada", "gold": "a", "more": 1}


def test_a_parsed_mention_is_a_mention_in_every_field() -> None:
    full = {"text": "Ada", "start": 0, "end": 3, "row": 0, "col": 0, "gold": ["a", "b"], "candidates": [["a", 2, "Ada"]]}
    mention = one(full, table={"rows": [["Ada"]]})
    made = Mention("Ada", 0, 3, 0, 0, ("a", "b"), ("a",), (2.0,))
    assert (mention, repr(mention), hash(mention)) == (made, repr(made), hash(made))
    assert type(mention) is Mention
    with pytest.raises(AttributeError):
        mention.text = "frozen"  # type: ignore[misc]


@pytest.mark.parametrize(
    ("record", "mentions"),
    [
        ({"text": TEXT}, None),
        ({"text": TEXT, "mentions": None}, None),
        ({"text": TEXT, "mentions": []}, ()),
        ({"mentions": []}, ()),
    ],
)
def test_mentions_missing_are_to_be_found_and_none_are_none(
    record: dict[str, Any], mentions: tuple[Mention, ...] | None
) -> None:
    assert document_of(record).mentions == mentions


def test_a_string_is_a_document() -> None:
    assert parse_document('"Ada met Zoë"'.encode()) == Document(text="Ada met Zoë")


def test_a_byte_order_mark_does_no_harm() -> None:
    assert parse_document(b'\xef\xbb\xbf{"text": "Ada"}\r\n').text == "Ada"


@pytest.mark.parametrize("external_id", ["a", 7, None])
def test_ids_of_documents(external_id: str | int | None) -> None:
    assert document_of({"id": external_id, "text": ""}).id == external_id


def test_the_text_of_a_mention_may_be_left_to_its_span_or_cell() -> None:
    assert one({"start": 8, "end": 11}).text == "Bob"
    assert one({"row": 0, "col": 1}, table={"rows": [["Ada", "Bob"]]}).text == "Bob"
    assert one({"text": "Bob"}).text == "Bob"
    assert one({"text": "Bob", "start": 8, "end": 11}, text=None) == Mention("Bob", 8, 11)


def test_a_line_break_within_a_mention_is_no_difference() -> None:
    assert one({"start": 0, "end": 8, "text": "New York"}, text="New\nYork") == Mention("New York", 0, 8)
    assert one({"start": 0, "end": 10, "text": "New York"}, text="New \r\nYork") == Mention("New York", 0, 10)


def test_a_span_past_the_end_ends_with_the_text_if_the_mention_says_so() -> None:
    assert one({"start": 15, "end": 99, "text": "Paris."}) == Mention("Paris.", 15, 21)
    assert "UTF-8 bytes" in refusal(lambda: one({"start": 0, "end": 4, "text": "Zoë"}, text="Zoë"))


@pytest.mark.parametrize(
    ("fields", "gold"),
    [
        ({}, None),
        ({"gold": None}, ()),
        ({"gold": []}, ()),
        ({"gold": "a"}, ("a",)),
        ({"gold": 5}, ("5",)),
        ({"gold": 5.0}, ("5",)),
        ({"gold": ["a", 5]}, ("a", "5")),
    ],
)
def test_gold(fields: dict[str, Any], gold: tuple[str, ...] | None) -> None:
    assert one({"text": "Ada", **fields}).gold == gold


@pytest.mark.parametrize(
    ("candidates", "ids", "priors"),
    [
        (None, None, None),
        ([], (), None),
        (["b", "a", "b"], ("b", "a"), None),
        ([5, "a"], ("5", "a"), None),
        ([["b", 3, "Bob"], ["a", 1.5, "Ada"], ["b", 1, "Bob"]], ("b", "a"), (3.0, 1.5)),
        ([["b", 3], ["a"]], ("b", "a"), None),
        ([["b", 3, "Bob"], ["a", None, "Ada"]], ("b", "a"), None),
        ([{"id": "b", "score": 3}, {"id": 5, "prior": 2}], ("b", "5"), (3.0, 2.0)),
        ([{"id": "b", "score": 0}, {"id": "a"}], ("b", "a"), None),
        ([{"id": "b", "score": 3}, ["a", 2, "Ada"], "c"], ("b", "a", "c"), None),
    ],
)
def test_candidates(candidates: Any, ids: tuple[str, ...] | None, priors: tuple[float, ...] | None) -> None:
    mention = one({"text": "Bob", "candidates": candidates})
    assert (mention.candidates, mention.priors) == (ids, priors)


def test_tables_are_of_strings_and_may_be_ragged() -> None:
    rows = [["Ada", 1815, None], ["Bob"], [1.5, True]]
    assert document_of({"table": {"header": ["name", 1], "rows": rows}}).table == Table(
        ("name", "1"), (("Ada", "1815", ""), ("Bob",), ("1.5", "true"))
    )
    assert document_of({"table": {"rows": []}}).table == Table((), ())


# each: the fields of a document, and what the sentence says
BAD_DOCUMENTS: list[tuple[Any, str]] = [
    (5, "the document is 5; expected a JSON object"),
    ([], "the document is a list; expected"),
    (None, "the document is null; expected"),
    ({}, "no fields, nothing to link"),
    ({"id": 1, "name": "Ada"}, "the fields 'id, name', nothing to link; expected \"text\""),
    ({"id": True, "text": ""}, '"id" is true; expected a string'),
    ({"text": 5}, '"text" is 5; expected a string'),
    ({"text": "", "mentions": {}}, '"mentions" is an object; expected a list'),
    ({"text": "Ada \ud83d"}, "half a character (a lone surrogate) at 4"),
    ({"mentions": [{"text": "\udc00"}]}, "half a character (a lone surrogate) at 0"),
    ({"table": {"rows": [["\udc00"]]}}, "half a character (a lone surrogate) at 0"),
    ({"table": []}, '"table" is a list; expected {"header"'),
    ({"table": {"header": []}}, '"table" is an object; expected {"header"'),
    ({"table": {"rows": [["a"], "b"]}}, "row 1 of the table is 'b'; expected a list"),
    ({"table": {"rows": [], "header": "b"}}, "row header of the table is 'b'; expected a list"),
    ({"table": {"rows": [[{}]]}}, "row 0 of the table has the cell an object; expected a string"),
]

# each: a mention, after one that is right
BAD_MENTIONS: list[tuple[Any, str]] = [
    ("Ada", "it is 'Ada'; expected an object"),
    ({}, "no fields, but no name; expected"),
    ({"gold": "a"}, "the fields 'gold', but no name; expected"),
    ({"text": 5}, '"text" is 5; expected a string'),
    ({"start": 0}, 'there is "start" without "end"'),
    ({"end": 3}, 'there is "end" without "start"'),
    ({"start": "0", "end": 3}, "\"start\" is '0'; expected a whole number"),
    ({"start": 0, "end": 3.5}, '"end" is 3.5; expected a whole number'),
    ({"start": False, "end": 3}, '"start" is false; expected a whole number'),
    ({"start": 3, "end": 0}, "ends before it starts"),
    ({"start": 3, "end": 3}, "is empty"),
    ({"start": -1, "end": 3}, "from -1 to 3 is outside the text, which has 21 code points"),
    ({"start": 15, "end": 22}, "from 15 to 22 is outside the text"),
    ({"start": 15, "end": 99, "text": "Paris"}, "from 15 to 99 is outside the text"),
    ({"start": 21, "end": 99, "text": ""}, "from 21 to 99 is outside the text"),
    ({"start": 1, "end": 4, "text": "Ada"}, "\"text\" is 'Ada', but 'da ' stands at 1 to 4; expected"),
    ({"row": 0, "text": "Ada"}, 'there is "row" without "col"'),
    ({"col": 0, "text": "Ada"}, 'there is "col" without "row"'),
    ({"row": 0, "col": True}, '"col" is true; expected a whole number'),
    ({"row": 2, "col": 0}, '"row" is 2, but the table has 2 rows'),
    ({"row": -1, "col": 0}, '"row" is -1, but'),
    ({"row": 1, "col": 1, "text": "Ada"}, '"col" is 1, but row 1 has 1 cells'),
    ({"text": "Ada", "gold": True}, '"gold" has true; expected an id'),
    ({"text": "Ada", "gold": {"id": "a"}}, '"gold" has an object; expected an id'),
    ({"text": "Ada", "gold": ["a", None]}, '"gold" has null; expected an id'),
    ({"text": "Ada", "gold": 1e30}, "too large to be an exact id; put the id in quotes"),
    ({"text": "Ada", "candidates": "a"}, "\"candidates\" is 'a'; expected a list"),
    ({"text": "Ada", "candidates": [None]}, '"candidates" has null; expected an id'),
    ({"text": "Ada", "candidates": [[]]}, '"candidates" has a list; expected an id'),
    ({"text": "Ada", "candidates": [{"name": "a"}]}, '"candidates" has an object; expected an id'),
    ({"text": "Ada", "candidates": [["a", "high"]]}, "\"candidates\" has the score 'high'; expected a number"),
    ({"text": "Ada", "candidates": [["a", float("nan")]]}, '"candidates" has the score nan; expected a number'),
]

BAD_LINES = [
    (b"", "the line is blank"),
    (b" \r\n", "the line is blank"),
    (b"\xef\xbb\xbf\n", "the line is blank"),
    (b'{"text": }', "no JSON at character 10"),
    (b'{"text": "Ada"', "no JSON at character 15"),
    (b'{"text": NaN}', "no JSON at character 10"),
    (b'{"text": "\\ud83d"}', "no JSON at character"),
    (b'{"text": "Zo\xeb"}', "byte 13 of the line is not UTF-8"),
    (b'{"text": "Ada"} {"text": "Bob"}', "no JSON at character 17"),
]


@pytest.mark.parametrize(("record", "phrase"), BAD_DOCUMENTS)
def test_bad_documents(record: Any, phrase: str) -> None:
    assert phrase in refusal(lambda: document_of(record))


@pytest.mark.parametrize(("mention", "phrase"), BAD_MENTIONS)
def test_bad_mentions(mention: Any, phrase: str) -> None:
    table = {"rows": [["Ada", "Bob"], ["Eve"]]}
    message = refusal(lambda: document_of({"text": TEXT, "table": table, "mentions": [{"text": "Bob"}, mention]}))
    assert message.startswith("mention 1: ")
    assert phrase in message


@pytest.mark.parametrize(("line", "phrase"), BAD_LINES)
def test_bad_lines(line: bytes, phrase: str) -> None:
    assert phrase in refusal(lambda: parse_document(line))


@pytest.mark.parametrize(
    ("mention", "unit"),
    [
        ({"start": 3, "end": 6, "text": "Ada"}, "UTF-16 units"),
        ({"start": 5, "end": 8, "text": "Ada"}, "UTF-8 bytes"),
        ({"start": 11, "end": 14, "text": "Zoë"}, "UTF-16 units"),  # past the end of the text
        ({"start": 13, "end": 17, "text": "Zoë"}, "UTF-8 bytes"),
        ({"start": 11, "end": 14}, "UTF-16 units"),
        ({"start": 13, "end": 17}, "UTF-8 bytes"),
    ],
)
def test_offsets_in_other_units_are_told(mention: dict[str, Any], unit: str) -> None:
    assert refusal(lambda: one(mention, text=EMOJI)).endswith(f"the offsets are in {unit}; expected Unicode code points")


UNICODE = st.text(st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from("aé\u0301\u200d😀👩🇫🇷 \n")), min_size=1)


@st.composite
def text_and_span(draw: st.DrawFn) -> tuple[str, int, int]:
    text = draw(UNICODE)
    start = draw(st.integers(0, len(text) - 1))
    return text, start, draw(st.integers(start + 1, len(text)))


@given(text_and_span())
def test_any_span_of_any_text_comes_out_as_it_went_in(given_span: tuple[str, int, int]) -> None:
    text, start, end = given_span
    with_name = {"start": start, "end": end, "text": text[start:end]}
    record = {"text": text, "mentions": [with_name, {"start": start, "end": end}]}
    for document in (document_of(record), parse_document(json.dumps(record).encode())):
        assert document.text == text
        assert document.mentions == (Mention(text[start:end], start, end),) * 2


@given(text_and_span())
def test_offsets_in_utf_16_are_diagnosed(given_span: tuple[str, int, int]) -> None:
    text, start, end = "😀" + given_span[0] + "Ada", *given_span[1:]
    name, first = text[start + 1 : end + 1], len(text[: start + 1].encode("utf-16-le")) // 2
    last = first + len(name.encode("utf-16-le")) // 2
    if text[first:last].split() != name.split():  # else nobody can tell
        assert "UTF-16 units" in refusal(lambda: one({"start": first, "end": last, "text": name}, text=text))


# the authors' layout

AUTHORS = {
    "947": [
        {"mention": "Ada", "posI": "0", "wikidata_id": "Q1", "difficulty": 1, "candidates": [["Q2", 9.0, "A"], ["Q1", 4, "B"]]},
        {"mention": "Bob", "posI": "1", "wikidata_id": "Q3", "difficulty": 0},
    ],
    "948": [],
}


def test_the_authors_layout() -> None:
    first, second = read_authors(json.dumps(AUTHORS).encode())
    ada = Mention("Ada", gold=("Q1",), candidates=("Q2", "Q1"), priors=(9.0, 4.0))
    assert first == Document((ada, Mention("Bob", gold=("Q3",), candidates=())), "947", embedded_only=True)
    assert second == Document((), "948", embedded_only=True)
    assert first.mentions is not None
    assert first.mentions[0].source["posI"] == "0"


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ('{"1": [\n{"mention": }]}', "the authors' file:2: no JSON at column 13"),
        ("[]", "holds no JSON object"),
        ('{"1": 5}', 'document "1" is no list'),
        ('{"1": [{"mention": "a"}, {"text": "a"}]}', 'document "1", mention 1 has no text'),
        ('{"1": [{"mention": "a", "candidates": 5}]}', 'document "1", mention 0: "candidates" is 5'),
    ],
)
def test_bad_files_of_the_authors_layout(text: str, phrase: str) -> None:
    assert phrase in refusal(lambda: list(read_authors(text.encode())))


# AIDA

AIDA = r"""-DOCSTART- (1 EU)
EU	B	EU	--NME--
rejects
German	B	German	Germany	http://en.wikipedia.org/wiki/Germany	11867	/m/0345h
call

Peter	B	Peter Blackburn	--NME--
Blackburn	I	Peter Blackburn	--NME--
S\u00e3o
-DOCSTART- (947testa CRICKET)

São	B	São Paulo	S\u00e3o_Paulo	http://en.wikipedia.org/wiki/S%C3%A3o_Paulo	390875
Paulo	I	São Paulo	S\u00e3o_Paulo	http://en.wikipedia.org/wiki/S%C3%A3o_Paulo	390875
Peru	B	Peru	Peru	http://en.wikipedia.org/wiki/Peru	170691	/m/016wzw
"""


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_aida(tmp_path: Path, line_end: str) -> None:
    first, second = read_gold(write(tmp_path, "aida.tsv", AIDA.replace("\n", line_end)))
    assert (first.id, first.text) == ("1 EU", "EU rejects German call\nPeter Blackburn S\\u00e3o")
    germany = ("http://en.wikipedia.org/wiki/Germany", "http://dbpedia.org/resource/Germany", "11867", "/m/0345h", "Germany")
    assert first.mentions == (
        Mention("EU", 0, 2, gold=()),
        Mention("German", 11, 17, gold=germany),
        Mention("Peter Blackburn", 23, 38, gold=()),
    )
    assert (second.id, second.text) == ("947testa CRICKET", "São Paulo Peru")
    assert second.mentions is not None
    url = "http://en.wikipedia.org/wiki/S%C3%A3o_Paulo"
    assert second.mentions[0].gold == (url, "http://dbpedia.org/resource/São_Paulo", "390875", "São_Paulo")
    for document in (first, second):
        assert document.text is not None
        assert all(document.text[each.start : each.end] == each.text for each in document.mentions or ())


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\n", "aida.tsv:1: '-DOCSTART- -X- O O' has no document id"),
        ("-DOCSTART- (1 EU)\n0\t--NME--\n", "aida.tsv:2: 2 columns that begin with ['0', '--NME--']; expected token, B or I"),
        ("-DOCSTART- (1 EU)\nEU\n2\tGermany\thttp\t11867\t/m/0345h\n", "aida.tsv:3: 5 columns"),
        (b"-DOCSTART- (1 EU)\nS\xe3o\n", "aida.tsv:2: the line is not UTF-8"),
    ],
)
def test_bad_aida(tmp_path: Path, text: str | bytes, phrase: str) -> None:
    path = write(tmp_path, "aida.tsv", text)
    assert phrase in refusal(lambda: list(read_gold(path)))


def test_letters_beyond_16_bits_in_names_of_yago(tmp_path: Path) -> None:
    (document,) = read_gold(write(tmp_path, "aida.tsv", "-DOCSTART- (1 EU)\nEU\tB\tEU\t\\ud83d\\ude00_\\u00e3\n"))
    assert document.mentions == (Mention("EU", 0, 2, gold=("😀_ã",)),)


def test_iris_of_dbpedia_keep_letters_and_escape_what_no_iri_may_hold() -> None:
    assert dbpedia_iri("São Paulo, Who? (50%)") == "http://dbpedia.org/resource/São_Paulo,_Who%3F_(50%25)"


# WNED


def wned(*annotations: tuple[str, str, str], name: str = "Paris &amp; co", head: str = "") -> str:
    """A file with one document; each annotation is mention, title, offset."""
    inside = "".join(
        f"<annotation><mention>{mention}</mention><wikiName>{title}</wikiName><offset>{offset}</offset>"
        f"<length>{len(mention)}</length></annotation>\n"
        for mention, title, offset in annotations
    )
    document = f'<document docName="{name}">{inside}</document>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}<wned.entityAnnotation>{document}</wned.entityAnnotation>'


WNED = wned(("Paris", "Paris, Texas", "10"), ("Zoë", "NIL", "0"), ("Bob", "", "30"), ("Eve", "Eve", "0"))


def test_wned_with_its_text(tmp_path: Path) -> None:
    raw = "Zoë of Paris, not Paris, met Bob"
    (tmp_path / "RawText").mkdir()
    write(tmp_path / "RawText", "Paris & co", raw)
    (tmp_path / "wned").mkdir()
    for path in (tmp_path / "wned.xml", tmp_path / "wned" / "wned.xml"):
        path.write_text(WNED, encoding="utf-8")
        (document,) = read_gold(path)
        assert (document.id, document.text) == ("Paris & co", raw)
        assert document.mentions == (
            Mention("Paris", 7, 12, gold=("Paris, Texas", "http://dbpedia.org/resource/Paris,_Texas")),  # 7 is nearer than 18
            Mention("Zoë", 0, 3, gold=()),
            Mention("Bob", 29, 32, gold=()),
            Mention("Eve", gold=("Eve", "http://dbpedia.org/resource/Eve")),
        )


def test_wned_without_its_text(tmp_path: Path) -> None:
    (document,) = read_gold(write(tmp_path, "wned.xml", WNED))
    assert document.text is None
    assert [(each.text, each.start) for each in document.mentions or ()] == [
        ("Paris", None),
        ("Zoë", None),
        ("Bob", None),
        ("Eve", None),
    ]


def test_wned_names_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "RawText").mkdir()
    write(tmp_path, "secret", "Paris")
    (document,) = read_gold(write(tmp_path, "wned.xml", wned(("Paris", "Paris", "0"), name="../secret")))
    assert document.text is None


BOMB = "<!DOCTYPE a [<!ENTITY e0 'ha'>" + "".join(f"<!ENTITY e{i} '{f'&e{i - 1};' * 50}'>" for i in range(1, 9)) + "]>\n"


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        (WNED[:-30], "wned.xml:6: broken XML at column"),
        (wned(("", "Paris", "0")), 'document "Paris & co", annotation 0 has no text'),
        (WNED.replace("docName", "name"), "a document has no name"),
        (
            wned(("&x;", "Paris", "0"), head='<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n'),
            "undefined entity &x;",
        ),
        (wned(("&e8;", "Paris", "0"), head=BOMB), "broken XML"),
    ],
)
def test_bad_wned(tmp_path: Path, text: str, phrase: str) -> None:
    path = write(tmp_path, "wned.xml", text)
    assert phrase in refusal(lambda: list(read_gold(path)))


def test_bad_offset_of_wned(tmp_path: Path) -> None:
    (tmp_path / "RawText").mkdir()
    write(tmp_path / "RawText", "Paris & co", "Paris")
    path = write(tmp_path, "wned.xml", wned(("Paris", "Paris", "five")))
    assert "annotation 0 has the offset 'five'; expected a whole number" in refusal(lambda: list(read_gold(path)))


# files

LINES = '{"id": "1", "text": "Ada", "mentions": [{"text": "Ada"}]}\n\n{"id": "2", "text": "Zoë"}\n'


@pytest.mark.parametrize(
    ("suffix", "pack"),
    [
        ("", bytes),
        (".gz", gzip.compress),
        (".bz2", bz2.compress),
        (".xz", lzma.compress),
        (".zst", lambda data: pyarrow.compress(data, codec="zstd", asbytes=True)),
    ],
)
def test_files_may_be_packed(tmp_path: Path, suffix: str, pack: Callable[[bytes], bytes]) -> None:
    path = write(tmp_path, f"docs.jsonl{suffix}", pack(LINES.encode()))
    assert [document.id for document in read_gold(str(path))] == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (LINES, ["1", "2"]),
        ("\ufeff\n" + LINES, ["1", "2"]),
        ('"Ada met Bob"\n"Bob met Ada"', [None, None]),
        ('{"mentions": [{"text": "Ada", "mention": 1}], "id": "1"}', ["1"]),
        ('{"mentions": [], "id": "1"}', ["1"]),
        (json.dumps(AUTHORS), ["947", "948"]),
        (json.dumps(AUTHORS, indent=2), ["947", "948"]),
        ("\ufeff" + json.dumps({'a " b': [], **AUTHORS}, indent=2), ['a " b', "947", "948"]),
        (AIDA, ["1 EU", "947testa CRICKET"]),
        ("\ufeff\n" + AIDA, ["1 EU", "947testa CRICKET"]),
        (WNED, ["Paris & co"]),
    ],
)
def test_the_layout_is_told_by_the_content(tmp_path: Path, text: str, ids: list[str | None]) -> None:
    assert [document.id for document in read_gold(write(tmp_path, "docs", text))] == ids


def test_a_bad_record_is_named_by_file_and_line(tmp_path: Path) -> None:
    path = write(tmp_path, "docs.jsonl", LINES + '{"text": 5}\n')
    documents = read_gold(path)
    assert [document.id for document in islice(documents, 2)] == ["1", "2"]
    assert refusal(lambda: next(documents)) == 'docs.jsonl:4: "text" is 5; expected a string, or no such field'


@pytest.mark.parametrize(
    ("content", "phrase"),
    [
        (b"", "docs is empty; expected JSON lines"),
        (b"\n \n", "docs is empty; expected JSON lines"),
        (b"name,id\n", "docs begins with 'name,id\\n'; expected JSON lines"),
        (b'[{"text": "Ada"}]', "docs begins with '[{"),
        (b"<rdf:RDF xmlns:rdf='urn:x'/>", "XML with the root <{urn:x}RDF>; expected WNED's"),
        (gzip.compress(LINES.encode() * 99)[:-20], "docs is a truncated or damaged archive"),
        ("{}".encode("utf-16"), "docs is UTF-16"),
    ],
)
def test_files_that_hold_no_documents(tmp_path: Path, content: bytes, phrase: str) -> None:
    path = write(tmp_path, "docs", content)
    with pytest.raises(SourceError) as refused:
        list(read_gold(path))
    assert phrase in str(refused.value)


def test_files_that_are_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nowhere does not exist; give the path of a file of documents"):
        read_gold(tmp_path / "nowhere")
    with pytest.raises(SourceError, match="is a folder; give the files of documents in it one by one"):
        read_gold(tmp_path)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/wned-cweb.jsonl.gz", "wned-cweb"),
        (Path("b/aida.tsv"), "aida"),
        ("plain", "plain"),
        ("c.d/plain", "plain"),
        (".hidden.jsonl", "hidden"),
        ("-", "-"),
    ],
)
def test_names_of_files(path: str | Path, name: str) -> None:
    assert document_name(path) == name


# real files

REAL = [
    "aida/testa", "general/aida-testa", "general/dwie-train", "general/wned-cweb", "general/wned-wiki", "genes/biored-train",
    "phenotypes/gsc", "places/gwn", "places/lgl", "tables/t2d-dev", "tables/wikitables-dev",
]  # fmt: skip


@pytest.mark.real_data
@pytest.mark.parametrize("name", REAL)
def test_real_documents(real_data: Callable[[str], Path], name: str) -> None:
    documents = list(islice(read_gold(real_data(f"{name}.jsonl.gz")), 50))
    assert len(documents) == 50
    for document in documents:
        assert document.mentions
        for mention in document.mentions:
            assert mention.gold
            if mention.start is not None:
                assert document.text is not None
                assert document.text[mention.start : mention.end] == mention.text
            if mention.row is not None:
                assert document.table is not None
                assert document.table.rows[mention.row][mention.col or 0] == mention.text


@pytest.mark.real_data
def test_the_reference_of_the_authors(real_data: Callable[[str], Path]) -> None:
    documents = list(read_gold(real_data("../reference/documents.json.gz")))
    mentions = [mention for document in documents for mention in document.mentions or ()]
    assert (len(documents), len(mentions)) == (40, 1129)
    assert all(document.embedded_only for document in documents)
    assert all(each.gold and each.candidates and each.priors for each in mentions)
    assert all(each.priors == tuple(sorted(each.priors or (), reverse=True)) for each in mentions)

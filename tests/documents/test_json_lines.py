"""Documents as JSON lines: every field, offsets in other units, and what is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
from helpers.gold_files import refusal
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.documents.json_lines import document_of, parse_document
from eigenthemes.records import Document, Mention, Table

TEXT = "Ada met Bob in Paris."
EMOJI = "😀 Ada met Zoë"  # Ada: code points 2-5, UTF-16 units 3-6, UTF-8 bytes 5-8


def one(mention: Any, text: str | None = TEXT, **document: Any) -> Mention:
    """The mention of a document that has only this one."""
    found = document_of({"text": text, "mentions": [mention], **document}).mentions
    assert found is not None
    return found[0]


# JSON lines


def test_a_document_as_the_design_has_it() -> None:
    line = (
        b'{"id": 7, "text": "Ada met Bob", "mentions": [{"start": 0, "end": 3, "text": "Ada", "gold": "a", "more": 1}], "x": 2}'
    )
    document = parse_document(line)
    assert document == Document(mentions=(Mention("Ada", 0, 3, gold=("a",)),), id=7, text="Ada met Bob")
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
def test_missing_mentions_are_to_be_detected_and_empty_ones_are_not(
    record: dict[str, Any], mentions: tuple[Mention, ...] | None
) -> None:
    assert document_of(record).mentions == mentions


def test_a_string_is_a_document() -> None:
    assert parse_document('"Ada met Zoë"'.encode()) == Document(text="Ada met Zoë")


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
    (b'{"text": }', "no JSON at character 10"),
    (b'{"text": "Ada"', "no JSON at character 15"),
    (b'{"text": NaN}', "no JSON at character 10"),
    (b'{"text": "\\ud83d"}', "no JSON at character"),
    (b'{"text": "Zo\xeb"}', "a byte that is not UTF-8 at character 13"),
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
def test_offsets_in_other_units_are_refused_with_the_unit(mention: dict[str, Any], unit: str) -> None:
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

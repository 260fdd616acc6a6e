"""Mentions that are nothing but names are kept as columns, and are as good as the records that a close look makes."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.documents import json_lines
from eigenthemes.documents.json_lines import document_of_json
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Mention, PlainMentions

TEXT = "Michael Jordan met Łukasz in Paris, Texas.\nParis 😀 is old."
golds = st.sampled_from([None, "Q1", ["Q1", "Q2"], [], 7, [7], "", True, {"id": "Q1"}])


@st.composite
def items(draw: st.DrawFn) -> Any:
    """Mentions, most of them good, some of which are more than names."""
    start = draw(st.integers(-1, len(TEXT)))
    end = draw(st.one_of(st.integers(start, len(TEXT) + 1), st.integers(-9, -1)))
    item: dict[str, Any] = {"text": TEXT[start:end]} if draw(st.booleans()) else {}
    if draw(st.booleans()):
        item |= {"start": start, "end": end}
    if draw(st.booleans()):
        item["gold"] = draw(golds)
    given_ids = st.sampled_from([{"candidates": ["Q1", "Q2", "Q1"]}, {"candidates": [["Q1", 2]]}, {"candidates": None}])
    more = st.sampled_from([{}, {}, {}, {"x": [1]}, {"row": 0, "col": 0}, {"full_name": "Paris"}, draw(given_ids)])
    item |= draw(more)
    return None if draw(st.integers(0, 9)) == 0 else item


def looked_at_closely(record: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Document | str:
    with monkeypatch.context() as patched:
        patched.setattr(json_lines, "_plain_mentions", lambda items, text: None)
        return read(record)


def read(record: dict[str, Any]) -> Document | str:
    try:
        return document_of_json(record)
    except DocumentError as error:
        return str(error)


@given(st.lists(items(), max_size=4), st.booleans())
def test_columns_hold_what_a_close_look_finds(mentions: list[Any], has_text: bool) -> None:
    record = {"text": TEXT, "mentions": mentions} if has_text else {"mentions": mentions}
    with pytest.MonkeyPatch.context() as monkeypatch:
        closely = looked_at_closely(record, monkeypatch)
    quickly = read(record)
    assert quickly == closely
    if isinstance(quickly, Document) and isinstance(closely, Document):
        assert [each.source for each in quickly.mentions or ()] == [each.source for each in closely.mentions or ()]


def test_plain_mentions_are_as_good_as_a_tuple() -> None:
    document = document_of_json({"text": TEXT, "mentions": [{"start": 0, "end": 14, "text": "Michael Jordan", "gold": "Q1"}]})
    mention = Mention("Michael Jordan", 0, 14, gold=("Q1",))
    assert isinstance(document.mentions, PlainMentions)
    assert document.mentions == (mention,)
    assert (mention,) == document.mentions
    assert document == Document(text=TEXT, mentions=(mention,))
    assert hash(document) == hash(Document(text=TEXT, mentions=(mention,)))
    assert repr(document) == repr(Document(text=TEXT, mentions=(mention,)))
    assert document.mentions[0] == document.mentions[-1] == mention
    assert document.mentions[:1] == (*document.mentions,) == (mention,)
    assert document.mentions + (mention,) == (mention,) + document.mentions == (mention, mention)
    assert pickle.loads(pickle.dumps(document)) == document


def test_a_list_that_is_changed_afterwards_changes_nothing() -> None:
    mentions = [{"text": "Paris"}]
    document = document_of_json({"mentions": mentions})
    mentions.append({"text": "London"})
    assert [mention.text for mention in document.mentions or ()] == ["Paris"]


@pytest.mark.parametrize("field", ["row", "only_types", "full_name"])
def test_what_is_more_than_a_name_is_looked_at_closely(field: str) -> None:
    values = {"row": 0, "only_types": ["city"], "full_name": "Paris, Texas"}
    mention = {"text": "Paris", field: values[field], **({"col": 0} if field == "row" else {})}
    assert type(document_of_json({"mentions": [mention]}).mentions) is tuple


def test_ids_that_are_changed_afterwards_change_nothing() -> None:
    ids = ["Q1"]
    document = document_of_json({"mentions": [{"text": "Paris", "candidates": ids}]})
    ids[0] = "Q2"
    assert [mention.candidates for mention in document.mentions or ()] == [("Q1",)]


def test_an_end_before_the_start_is_refused_although_the_span_fits() -> None:
    with pytest.raises(DocumentError, match="ends before it starts"):
        document_of_json({"text": "Paris x", "mentions": [{"start": 0, "end": -2, "text": "Paris"}]})

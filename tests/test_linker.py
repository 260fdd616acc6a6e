"""Linking from Python: right answers, any input, results, options."""

from __future__ import annotations

import copy
import itertools
import json
import pickle
import re
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import pytest
from helpers.documents import names_document
from helpers.inspecting import UNTRAINED_METHODS
from helpers.streaming import LINK_FIELDS, SENTENCE, mixed_documents
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB, EigenthemesError
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.linker import Linker, LinkOptions
from eigenthemes.names.generator import CandidateOptions
from eigenthemes.ranking.options import EigenOptions
from eigenthemes.records import Document, Mention

# the library


@pytest.mark.parametrize(
    ("method", "name", "entity"),
    [
        ("degree", "Michael Jordan", "mj"),
        ("degree", "Paris", "paris"),
        ("degree", "MJ", "mj"),
        ("eigen", "MJ", "mj"),
        ("average", "National Basketball Association", "nba"),
        ("eigen-unweighted", "City of Light", "paris"),
        ("average-unweighted", "東京都", "tokyo"),
        ("namematch", "michael jordan", "mj"),
        ("namematch", "Jordan", "jo"),
        ("namematch", "Paris (Texas)", "paris-tx"),
        ("prior-name", "Jordan", "jo"),
        ("prior-name", "WHO", "who"),
    ],
)
def test_answers_that_are_plain(tiny: KB, method: str, name: str, entity: str) -> None:
    (link,) = Linker(tiny, method=method).link(names_document(name)).links
    assert (link.entity, link.nil_reason) == (entity, None)
    assert link.label == tiny.label_of(tiny.index_of(entity) or 0)
    assert (link.ranking[0].id, link.ranking[0].score) == (entity, link.score)


@pytest.mark.parametrize(
    ("method", "name", "reason"),
    [
        ("namematch", "MJ", "no_name_match"),
        ("namematch", "NBA", "no_name_match"),
        ("namematch", "xyzzy", "no_candidate"),
        ("eigen", "xyzzy", "no_candidate"),
        ("degree", "", "no_candidate"),
        ("degree", "?!", "no_candidate"),
    ],
)
def test_no_answer_says_why(tiny: KB, method: str, name: str, reason: str) -> None:
    (link,) = Linker(tiny, method=method).link(names_document(name)).links
    assert (link.entity, link.label, link.score, link.nil_reason) == (None, None, None, reason)


@pytest.mark.parametrize("method", UNTRAINED_METHODS)
def test_rankings_are_best_first_and_no_longer_than_top(tiny: KB, method: str) -> None:
    for top in (0, 1, 2, 50):
        for link in Linker(tiny, method=method, top=top).link(names_document("Jordan", "Paris", "WHO")).links:
            scores = [each.score for each in link.ranking]
            assert scores == sorted(scores, reverse=True)
            assert len(scores) <= top
            assert len({each.id for each in link.ranking}) == len(scores)


def test_top_changes_no_answer(tiny: KB) -> None:
    answers = [[link.entity for link in Linker(tiny, top=top).link(SENTENCE).links] for top in (0, 1, 9)]
    assert answers[0] == answers[1] == answers[2]
    assert None not in answers[0]


def test_a_text_a_json_object_and_a_document_are_the_same(eigen_linker: Linker) -> None:
    expected = eigen_linker.link(SENTENCE).to_dict()
    assert [each["entity"] for each in expected["mentions"]] == ["mj", "us", "paris", "tokyo"]
    assert eigen_linker.link({"text": SENTENCE}).to_dict() == expected
    assert eigen_linker.link(Document(text=SENTENCE)).to_dict() == expected
    spans = tuple(Mention(each["text"], each["start"], each["end"]) for each in expected["mentions"])
    assert eigen_linker.link(Document(mentions=spans, text=SENTENCE)).to_dict() == expected


def test_results_are_frozen(eigen_linker: Linker) -> None:
    linked = eigen_linker.link(SENTENCE)
    with pytest.raises(FrozenInstanceError):
        linked.links = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        linked.links[0].entity = "other"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        linked.links[0].ranking[0].score = 1.0  # type: ignore[misc]


def test_results_are_ready_for_json(eigen_linker: Linker) -> None:
    for document in mixed_documents(7):
        shown = eigen_linker.link(document).to_dict()
        assert json.loads(json.dumps(shown, allow_nan=False)) == shown
        for mention in shown["mentions"]:
            assert mention.keys() >= LINK_FIELDS
            assert mention["probability"] is None


def test_what_was_given_is_left_alone(eigen_linker: Linker) -> None:
    given_documents = mixed_documents(7)
    before = copy.deepcopy(given_documents)
    shown = [eigen_linker.link(each).to_dict() for each in given_documents]
    assert given_documents == before
    shown[1]["mentions"][0]["entity"] = "changed"
    assert given_documents == before


def test_many_documents_are_taken_as_they_come(degree_linker: Linker) -> None:
    numbers = itertools.count()
    endless = ({"id": i, "text": "Paris"} for i in numbers)
    linked = degree_linker.link_batch(endless)
    assert [each.document.id for each in itertools.islice(linked, 200)] == list(range(200))
    assert next(numbers) < 1000  # not much was read ahead
    assert list(degree_linker.link_batch([])) == []


@pytest.mark.parametrize("method", ["eigen", "average", "prior-name"])
def test_any_size_of_batch_gives_the_same(tiny: KB, method: str) -> None:
    linker = Linker(tiny, method=method)
    many = [
        *mixed_documents(30),
        names_document(*(["Jordan", "Paris", "WHO", "Tokio", "M. Jordan"] * 20)),
    ]  # enough for the kernels
    expected = [linker.link(each).to_dict() for each in many]
    for size in (1, 2, 7, 64, 10_000):
        assert [each.to_dict() for each in linker.link_batch(iter(many), batch_size=size)] == expected


@pytest.mark.parametrize("size", [0, -1])
def test_no_size_of_batch_loses_documents(degree_linker: Linker, size: int) -> None:
    with pytest.raises(OptionError):
        list(degree_linker.link_batch(["Paris"], batch_size=size))


def test_the_mentions_of_a_document_are_answered_the_same_alone_and_among_many(degree_linker: Linker) -> None:
    names = [
        "Jordan",
        "Michael Jordan",
        "paris",
        "Ville Lumiere",
        "W.H.O.",
        "Shaquille ONeill",
        "Pariss",
        "xyzzy",
        "U.S.",
        "al Qaida",
    ]
    together = degree_linker.link(names_document(*names * 10)).links
    alone = [degree_linker.link(names_document(name)).links[0] for name in names] * 10
    assert [(each.entity, each.ranking) for each in together] == [(each.entity, each.ranking) for each in alone]


@pytest.mark.parametrize(
    "options",
    [
        {"method": "eigne"},
        {"top": -1},
        {"vectors": "nothing"},
        {"method": "degree", "vectors": "nothing"},
        {"detector": "nose"},
    ],
)
def test_options_are_checked_at_the_door(tiny: KB, options: dict[str, Any]) -> None:
    with pytest.raises(OptionError) as refused:
        Linker.open(tiny.path, **options)
    assert "\n" not in str(refused.value)
    *_, (option, value) = options.items()
    assert str(value) in str(refused.value), f"the message does not say what {option} was"


@pytest.mark.parametrize(
    ("kind", "option", "value"),
    [
        (EigenOptions, "k", 0), (EigenOptions, "k", -3), (EigenOptions, "delta", -1.0), (EigenOptions, "delta", float("nan")),
        (EigenOptions, "delta", float("inf")), (CandidateOptions, "generator", "papier"),
        (CandidateOptions, "max_candidates", 0),
    ],
)  # fmt: skip
def test_values_of_options_are_checked_when_they_are_made(kind: type[Any], option: str, value: Any) -> None:
    with pytest.raises(OptionError) as refused:
        kind(**{option: value})
    assert "\n" not in str(refused.value)
    assert option in str(refused.value)
    assert str(value) in str(refused.value)


def test_the_exponent_may_be_large(tiny: KB) -> None:
    (link,) = Linker(tiny, method="eigen", scoring=EigenOptions(delta=1e6)).link(names_document("Jordan")).links
    assert link.entity == "mj"  # only rank 1 counts
    assert all(abs(each.score) < 2 for each in link.ranking)


@pytest.mark.parametrize(
    "odd", ["\ud800 Paris", {"text": "\ud800 Paris"}, names_document("Paris\udc00")], ids=["text", "object", "mention"]
)
def test_half_a_character_is_refused(degree_linker: Linker, odd: str | dict[str, Any]) -> None:
    with pytest.raises(DocumentError):
        degree_linker.link(odd)


@given(st.text())
def test_any_text_links(degree_linker: Linker, text: str) -> None:
    linked = degree_linker.link(text)
    for link in linked.links:
        assert link.mention.start is not None
        assert link.mention.end is not None
        assert text[link.mention.start : link.mention.end] == link.mention.text
        assert (link.entity is None) == (link.nil_reason is not None)


@given(
    st.lists(
        st.sampled_from(
            ["Michael Jordan", "Paris", "U.S.", " ", ", ", ". ", "\n", "the ", "in ", "東京都", "’s", "😀", "(Texas)"]
        )
    )
)
def test_any_mixture_of_names_links(eigen_linker: Linker, parts: list[str]) -> None:
    text = "".join(parts)
    end = 0
    for link in eigen_linker.link(text).links:
        assert link.mention.start is not None
        assert link.mention.end is not None
        assert text[link.mention.start : link.mention.end] == link.mention.text
        assert end <= link.mention.start < link.mention.end
        assert link.entity is not None  # a name of the KB has a candidate
        end = link.mention.end


def test_errors_of_the_library_are_of_one_family(tmp_path: Path) -> None:
    with pytest.raises(EigenthemesError, match=r"no\.kb"):
        Linker.open(tmp_path / "no.kb")
    with pytest.raises(EigenthemesError, match=r"no\.kb"):
        Linker(tmp_path / "no.kb")


def test_what_comes_before_a_bad_document_is_linked(degree_linker: Linker) -> None:
    linked = degree_linker.link_batch(["Paris", "Iowa", {"mentions": 3}, "Tokyo"])
    assert [next(linked).links[0].entity for _ in range(2)] == ["paris", "iowa"]
    with pytest.raises(DocumentError, match="document 2: "):
        next(linked)


@pytest.mark.parametrize("given", [None, b"Paris", ["Paris"], 3])
def test_what_is_no_document_is_refused(degree_linker: Linker, given: Any) -> None:
    with pytest.raises(DocumentError, match="a document is of the type"):
        degree_linker.link(given)


def test_one_document_is_no_batch(degree_linker: Linker) -> None:
    with pytest.raises(DocumentError, match="give a list"):
        next(degree_linker.link_batch("Paris"))


def test_a_linker_opens_a_path_itself(tiny: KB) -> None:
    assert Linker(tiny.path, method="degree").link("Paris").links[0].entity == "paris"


@pytest.mark.parametrize(
    ("mention", "sentence"),
    [
        (Mention("x", 0, 1), "mention 0 is 'x', but 'P' stands at 0 to 1"),
        (Mention("Paris", 0, 99), "mention 0 is 'Paris', but nothing stands at 0 to 99"),
        (Mention("Paris", 3, 3), "nothing stands at 3 to 3"),
    ],
)
def test_documents_made_in_python_are_checked_as_those_of_files(degree_linker: Linker, mention: Mention, sentence: str) -> None:
    with pytest.raises(DocumentError, match=re.escape(sentence)):
        degree_linker.link(Document(text="Paris is large.", mentions=(mention,)))
    assert degree_linker.link(Document(text="Paris is large.", mentions=(Mention("Paris", 0, 5),))).links[0].entity == "paris"


def test_options_are_one_frozen_object(demo_kb: KB) -> None:
    options = LinkOptions(method="eigen", top=5, scoring=EigenOptions(k=4))
    linker = Linker(demo_kb, options=options)
    assert linker.options == options == Linker(demo_kb, method="eigen", top=5, scoring=EigenOptions(k=4)).options
    assert Linker(demo_kb, options=options, top=1).options == replace(options, top=1)
    assert hash(options) == hash(replace(options))
    assert pickle.loads(pickle.dumps(linker)).options == options
    assert linker.path_and_options == (str(demo_kb.path.absolute()), options)


@pytest.mark.parametrize(
    "given",
    [{"method": "none"}, {"top": -1}, {"top": 1.5}, {"threshold": 2}, {"threshold": 0.5, "allow_nil": False}],
)
def test_options_are_validated_before_a_kb_is_opened(given: dict[str, Any]) -> None:
    with pytest.raises(OptionError):
        LinkOptions(**given)


def test_an_unknown_option_is_refused(demo_kb: KB) -> None:
    with pytest.raises(TypeError, match="topp"):
        Linker(demo_kb, topp=3)

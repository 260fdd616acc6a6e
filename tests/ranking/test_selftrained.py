"""Linking with a trained KB: right answers, probabilities, documents of all kinds, threads and processes."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.documents import link_one, names_document, to_json
from helpers.inspecting import UNTRAINED_METHODS
from helpers.kbs import DEMO, build_from_records
from helpers.streaming import link_lines
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.documents.reader import read_gold
from eigenthemes.evaluation.comparison import evaluate
from eigenthemes.kg.demo import DOCUMENTS
from eigenthemes.linker import Linker
from eigenthemes.names.generator import CandidateOptions
from eigenthemes.ranking.methods import METHODS, default_method
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.selftrain.training import self_train
from eigenthemes.train import store_ranker

TWO_TABLES = {"table": {"header": ["who", "team"], "rows": [["Jordan", "Chicago"], ["Barkley", "Phoenix"], ["Pippen", "7"]]}}


# right answers


def test_the_demo_is_linked_well(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    gold = [mention["gold"] for record in demo_records for mention in record["mentions"]]
    answers = {}
    for method in ("selftrained", "prior-name", "eigen"):
        documents = Linker(demo_kb, method=method, allow_nil=False).link_batch(demo_records)
        answers[method] = [link.entity for document in documents for link in document.links]
    right = {method: sum(a == g for a, g in zip(found, gold, strict=True)) for method, found in answers.items()}
    assert right["selftrained"] >= 0.85 * len(gold)
    assert right["selftrained"] >= max(right.values())


def test_context_decides(demo_linker: Linker) -> None:
    def jordan(*others: str) -> str | None:
        return demo_linker.link(names_document("Michael Jordan", *others)).links[0].ranking[0].id

    assert jordan("Scottie Pippen", "Chicago Bulls", "NBA") == f"{DEMO}michael_jordan"
    assert jordan("David Blei", "variational inference", "JMLR", "machine learning") == f"{DEMO}michael_i_jordan"


def test_a_longer_name_elsewhere_does_not_decide_against_a_neighbour_right_there(demo_linker: Linker) -> None:
    text = "Scottie Pippen and Michael Jordan won six titles. Amman is the capital of Jordan."
    links = {(link.mention.start, link.mention.text): link.entity for link in demo_linker.link(text).links}
    assert links[19, "Michael Jordan"] == f"{DEMO}michael_jordan"
    assert links[74, "Jordan"] != f"{DEMO}michael_jordan"


def test_selftrained_is_the_default_of_a_trained_kb(demo_kb: KB, demo_linker: Linker) -> None:
    assert demo_linker.method_name == default_method(demo_kb) == "selftrained"
    assert demo_linker.threshold == Ranker.of(demo_kb.rankers["prone"]).threshold
    assert METHODS["selftrained"].calibrated


def test_evaluation_and_linking_agree(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    run = evaluate(demo_kb, read_gold(DOCUMENTS["small"]), ["selftrained"])
    figures = run.summary()["selftrained"]
    links = [link for record in demo_records for link in Linker(demo_kb).link(record).links]
    gold = [mention["gold"] for record in demo_records for mention in record["mentions"]]
    best = [link.ranking[0].id if link.ranking else None for link in links]
    assert figures["overall"]["p_at_1"] == pytest.approx(np.mean([a == g for a, g in zip(best, gold, strict=True)]))
    assert figures["confidence"]["links"]["given"] == sum(link.entity is not None for link in links)


# one by one, in batches, threads and processes


def test_a_batch_gives_what_its_documents_give(demo_linker: Linker, demo_records: list[dict[str, Any]]) -> None:
    alone = [demo_linker.link(record) for record in demo_records]
    for together, document in zip(demo_linker.link_batch(demo_records), alone, strict=True):
        for one_of, other in zip(together.links, document.links, strict=True):
            assert (one_of.entity, one_of.nil_reason) == (other.entity, other.nil_reason)
            assert [each.id for each in one_of.ranking] == [each.id for each in other.ranking]
            assert [each.score for each in one_of.ranking] == pytest.approx([each.score for each in other.ranking], abs=1e-9)


def test_a_batch_gives_the_same_bytes_as_one_by_one(demo_linker: Linker, demo_records: list[dict[str, Any]]) -> None:
    mixed = [record for some in zip(demo_records, [*demo_records[1:], demo_records[0]], strict=True) for record in some]
    for size in (2, 3, 64):
        assert [to_json(each) for each in demo_linker.link_batch(mixed, batch_size=size)] == [
            to_json(demo_linker.link(r)) for r in mixed
        ]


@given(
    st.lists(st.sampled_from(["Jordan", "Michael Jordan", "Chicago", "NBA", "xyzzy", "Science"]), max_size=6), st.integers(0, 3)
)
@settings(max_examples=30)
def test_documents_do_not_see_each_other(demo_linker: Linker, names: list[str], place: int) -> None:
    others = [names_document("Scottie Pippen", "Chicago Bulls"), names_document(), names_document("JMLR", "MIT", "Jordan")]
    there = list(demo_linker.link_batch([*others[:place], names_document(*names), *others[place:]]))[place]
    alone = demo_linker.link(names_document(*names))
    assert [link.entity for link in there.links] == [link.entity for link in alone.links]
    for a, b in zip(there.links, alone.links, strict=True):
        assert [each.score for each in a.ranking] == pytest.approx([each.score for each in b.ranking], abs=1e-9)


def test_threads_do_not_disturb_each_other(demo_linker: Linker, demo_records: list[dict[str, Any]]) -> None:
    expected = [to_json(demo_linker.link(record)) for record in demo_records]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(4):
            assert [to_json(linked) for linked in pool.map(demo_linker.link, demo_records)] == expected


@pytest.mark.slow
def test_processes_give_the_same_bytes(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    lines = [json.dumps(record).encode() + b"\n" for record in demo_records * 25]
    one, two = (link_lines(demo_kb, lines, jobs=jobs)[0] for jobs in (1, 2))
    assert two == one
    assert one.count(b"\n") == len(lines)


def test_two_linkers_of_one_kb_do_not_mix_up_their_candidates(tmp_path: Path, quick_disk: None) -> None:
    """The same name has as many candidates, but others, where they are found in another way."""
    nodes = [{"id": "big", "name": "Gamma Ray Station", "prior": 90}, {"id": "low", "name": "Gamma", "prior": 1}]
    nodes += [{"id": f"o{i}", "name": f"Other {i}", "aliases": [f"{i}"]} for i in range(6)]
    kb = build_from_records(tmp_path, nodes)
    kb = store_ranker(kb, self_train(kb, documents=60))
    options = [CandidateOptions(max_candidates=1), CandidateOptions(max_candidates=1, generator="paper")]
    fresh = [link_one(Linker(kb.path, candidates=each), "Gamma").ranking for each in options]
    assert fresh[0][0].id != fresh[1][0].id
    for order in (options, options[::-1]):
        shared = KB.open(kb.path)
        found = {each: link_one(Linker(shared, candidates=each), "Gamma").ranking for each in order}
        assert [found[each] for each in options] == fresh


# how sure


def test_probabilities(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    """Each is a share of 1 that "none of them" has a part in; the answer's is that of the first of the ranking."""
    for document in Linker(demo_kb, top=1000).link_batch([*demo_records, names_document("Jordan"), TWO_TABLES]):
        for link in document.links:
            scores = [each.score for each in link.ranking]
            assert scores == sorted(scores, reverse=True)
            assert all(0 <= score <= 1 for score in scores)
            assert sum(scores) <= 1 + 1e-9
            if link.entity is None:
                assert link.probability is None
                assert link.nil_reason in ("low_probability", "no_candidate", "no_embedding")
            else:
                assert link.nil_reason is None
                assert link.probability == link.score == scores[0]
                assert link.entity == link.ranking[0].id


def test_other_methods_give_no_probability(demo_kb: KB) -> None:
    for method in ("selftrained", *UNTRAINED_METHODS):
        link = link_one(Linker(demo_kb, method=method), "Scottie Pippen")
        assert (link.probability is not None) == (method == "selftrained")


@pytest.mark.parametrize("top", [0, 1, 2])
def test_the_answer_does_not_depend_on_the_length_of_the_ranking(demo_kb: KB, demo_linker: Linker, top: int) -> None:
    shown, usual = link_one(Linker(demo_kb, top=top), "Michael Jordan"), link_one(demo_linker, "Michael Jordan")
    assert (shown.entity, shown.probability) == (usual.entity, usual.probability)
    assert shown.ranking == usual.ranking[:top]


# documents of all kinds


def test_given_candidates(demo_linker: Linker) -> None:
    ids = [f"{DEMO}{name}" for name in ("michael_b_jordan", "michael_i_jordan", "nobody", "michael_jordan")]
    link = link_one(demo_linker, "Michael Jordan", candidates=ids)
    assert {each.id for each in link.ranking} <= set(ids)
    assert link.unknown_candidates == (f"{DEMO}nobody",)
    assert sum(each.score for each in link.ranking) <= 1
    assert link_one(demo_linker, "Michael Jordan", candidates=[]).nil_reason == "no_candidate"
    assert link_one(demo_linker, "Michael Jordan", candidates=[f"{DEMO}nobody"]).nil_reason == "no_candidate"


def test_given_candidates_with_numbers(demo_kb: KB) -> None:
    """A given number takes the place of the prior."""
    forced, ids = Linker(demo_kb, allow_nil=False, top=9), [f"{DEMO}chicago", f"{DEMO}chicago_bulls"]

    def chance(*numbers: float) -> float:
        link = link_one(forced, "that place", candidates=[list(each) for each in zip(ids, numbers, strict=True)])
        return next(each.score for each in link.ranking if each.id == ids[0])

    assert chance(1e6, 0) > chance(5, 5) > chance(0, 1e6)
    assert 0 <= chance(-5, 1e300) <= 1


def test_given_and_looked_up_candidates_of_one_name(demo_linker: Linker) -> None:
    record = {"mentions": [{"text": "Jordan"}, {"text": "Jordan", "candidates": [f"{DEMO}jordan_river"]}, {"text": "Jordan"}]}
    first, second, third = demo_linker.link(record).links
    assert first.ranking == third.ranking
    assert [each.id for each in second.ranking] == [f"{DEMO}jordan_river"]


def test_tables(demo_linker: Linker) -> None:
    links = demo_linker.link(TWO_TABLES).links
    assert [(link.mention.row, link.mention.col) for link in links] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]
    assert links[2].entity == f"{DEMO}charles_barkley"


def test_a_name_again_has_the_same_answer(demo_linker: Linker) -> None:
    names = ["Jordan", "Chicago", "JORDAN", "Pippen", "Jordan", "chicago"]
    links = demo_linker.link(names_document(*names)).links
    once = demo_linker.link(names_document(*names[:2], "Pippen")).links
    assert links[0].ranking == links[2].ranking == links[4].ranking
    assert links[1].ranking == links[5].ranking
    for link, other in zip((links[0], links[1], links[3]), once, strict=True):
        assert [each.score for each in link.ranking] == pytest.approx([each.score for each in other.ranking], abs=1e-9)


@pytest.mark.parametrize(
    "document", ["", " ", {"text": ""}, {"mentions": []}, {"table": {"rows": []}}, {"text": "nothing here"}]
)
def test_documents_without_mentions(demo_linker: Linker, document: Any) -> None:
    assert demo_linker.link(document).links == ()
    assert [each.links for each in demo_linker.link_batch([document, document])] == [(), ()]
    assert list(demo_linker.link_batch([])) == []


def test_plain_text(demo_linker: Linker) -> None:
    links = demo_linker.link("Scottie Pippen and Michael Jordan won titles for Chicago Bulls in the NBA.").links
    assert f"{DEMO}michael_jordan" in [link.entity for link in links]


@given(st.text(max_size=60) | st.lists(st.text(max_size=12), max_size=5).map(lambda names: names_document(*names)))
@settings(max_examples=30)
def test_anything_can_be_linked(demo_linker: Linker, document: Any) -> None:
    linked = demo_linker.link(document)
    assert json.loads(to_json(linked))["mentions"] == linked.to_dict()["mentions"]
    for link in linked.links:
        assert (link.entity is None) == (link.nil_reason is not None) == (link.probability is None)
        assert link.probability is None or demo_linker.threshold <= link.probability <= 1
        assert link.nil_reason != "no_candidate" or not link.ranking


@pytest.mark.parametrize("word", ["Michael Jordan", "Jordan", "xyzzy", "Chicago Bulls of Science"])
def test_the_time_grows_with_the_names_and_not_with_their_pairs(demo_linker: Linker, word: str) -> None:
    def seconds(names: int) -> float:
        document = names_document(*(f"{word} {i}" for i in range(names)))
        start = time.process_time()
        assert len(demo_linker.link(document).links) == names
        return time.process_time() - start

    seconds(100)
    few, many = (min(seconds(names) for _ in range(2)) for names in (500, 2000))
    assert many < 10 * few  # four times the names; pairs of names would take sixteen times as long


def test_a_long_list_of_what_the_kb_knows(demo_kb: KB, demo_linker: Linker) -> None:
    labels = [name for entity in range(len(demo_kb)) for name in demo_kb.names_of(entity)]
    names = [*labels, *(f"{a} {b}" for a in labels[:60] for b in labels[:50])][:3000]
    links = demo_linker.link(names_document(*names)).links
    known = [link for link in links[: len(labels)] if link.entity is not None]
    assert len(known) > 0.6 * len(labels)

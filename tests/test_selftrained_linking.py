"""Linking with a trained KB: right answers, how sure, when none; and how a KB comes by its ranker, by library and command."""

from __future__ import annotations

import io
import json
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import EDGES, write_jsonl
from conftest import NODES as TINY
from hypothesis import given, settings
from hypothesis import strategies as st
from looking import PLAIN
from test_cli import assert_one_sentence
from test_cli import run as run_process
from test_link import call, good, mentioned
from test_selftrain import small_kb, trained_demo

from eigenthemes import KB, build_kb
from eigenthemes.build import embed_kb, store_ranker, train_kb, train_ranker
from eigenthemes.documents.reader import read_gold
from eigenthemes.errors import OptionError
from eigenthemes.evaluation.run import evaluate, report
from eigenthemes.kg.demo import DOCUMENTS
from eigenthemes.linker import Linker
from eigenthemes.ranking.methods import METHODS, default_method
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Link
from eigenthemes.selftrain.train import self_train
from eigenthemes.stream import link_stream

NODES: list[Any] = [*TINY]
EX = "https://example.org/demo/"
TWO_TABLES = {"table": {"header": ["who", "team"], "rows": [["Jordan", "Chicago"], ["Barkley", "Phoenix"], ["Pippen", "7"]]}}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return trained_demo(tmp_path_factory.mktemp("linking"))


@pytest.fixture(scope="module")
def linker(demo: KB) -> Linker:
    return Linker(demo)


@pytest.fixture(scope="module")
def records() -> list[dict[str, Any]]:
    """The demo's documents as JSON objects."""
    return [json.loads(line) for line in DOCUMENTS["small"].read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, tiny: KB) -> KB:
    """The tiny KB with a ranker."""
    place = tmp_path_factory.mktemp("small") / "small.kb"
    shutil.copytree(tiny.path, place)
    kb = KB.open(place)
    return store_ranker(kb, self_train(kb, documents=60))


@pytest.fixture
def copied(small: KB, tmp_path: Path) -> KB:
    """A trained KB that may be changed."""
    shutil.copytree(small.path, tmp_path / "copied.kb")
    return KB.open(tmp_path / "copied.kb")


def dumped(linked: Any) -> str:
    return json.dumps(linked.to_dict(), allow_nan=False)


def one(linker: Linker, name: str, **fields: Any) -> Link:
    return linker.link(mentioned(name, **fields)).links[0]


# right answers


def test_the_demo_is_linked_well(demo: KB, records: list[dict[str, Any]]) -> None:
    gold = [mention["gold"] for record in records for mention in record["mentions"]]
    answers = {}
    for method in ("selftrained", "prior-name", "eigen"):
        documents = Linker(demo, method=method, nil=False).link_batch(records)
        answers[method] = [link.entity for document in documents for link in document.links]
    right = {method: sum(a == g for a, g in zip(found, gold, strict=True)) for method, found in answers.items()}
    assert right["selftrained"] >= 0.85 * len(gold)
    assert right["selftrained"] >= max(right.values())


def test_context_decides(linker: Linker) -> None:
    def jordan(*others: str) -> str | None:
        return linker.link(mentioned("Michael Jordan", *others)).links[0].ranking[0].id

    assert jordan("Scottie Pippen", "Chicago Bulls", "NBA") == f"{EX}michael_jordan"
    assert jordan("David Blei", "variational inference", "JMLR", "machine learning") == f"{EX}michael_i_jordan"


def test_selftrained_is_the_default_of_a_trained_kb(demo: KB, linker: Linker) -> None:
    assert linker.method_name == default_method(demo) == "selftrained"
    assert linker.threshold == Ranker.of(demo.rankers["prone"]).threshold
    assert METHODS["selftrained"].calibrated


def test_evaluation_and_linking_agree(demo: KB, records: list[dict[str, Any]]) -> None:
    run = evaluate(demo, read_gold(DOCUMENTS["small"]), ["selftrained"])
    figures = report(run)["selftrained"]
    links = [link for record in records for link in Linker(demo).link(record).links]
    gold = [mention["gold"] for record in records for mention in record["mentions"]]
    best = [link.ranking[0].id if link.ranking else None for link in links]
    assert figures["overall"]["p_at_1"] == pytest.approx(np.mean([a == g for a, g in zip(best, gold, strict=True)]))
    assert figures["confidence"]["links"]["given"] == sum(link.entity is not None for link in links)


# one by one, in batches, threads and processes


def test_a_batch_gives_what_its_documents_give(linker: Linker, records: list[dict[str, Any]]) -> None:
    alone = [linker.link(record) for record in records]
    for together, document in zip(linker.link_batch(records), alone, strict=True):
        for one_of, other in zip(together.links, document.links, strict=True):
            assert (one_of.entity, one_of.nil_reason) == (other.entity, other.nil_reason)
            assert [each.id for each in one_of.ranking] == [each.id for each in other.ranking]
            assert [each.score for each in one_of.ranking] == pytest.approx([each.score for each in other.ranking], abs=1e-9)


def test_a_batch_gives_the_same_bytes_as_one_by_one(linker: Linker, records: list[dict[str, Any]]) -> None:
    mixed = [record for some in zip(records, [*records[1:], records[0]], strict=True) for record in some]
    for size in (2, 3, 64):
        assert [dumped(each) for each in linker.link_batch(mixed, batch_size=size)] == [dumped(linker.link(r)) for r in mixed]


@given(
    st.lists(st.sampled_from(["Jordan", "Michael Jordan", "Chicago", "NBA", "xyzzy", "Science"]), max_size=6), st.integers(0, 3)
)
@settings(max_examples=30)
def test_documents_do_not_see_each_other(linker: Linker, names: list[str], place: int) -> None:
    others = [mentioned("Scottie Pippen", "Chicago Bulls"), mentioned(), mentioned("JMLR", "MIT", "Jordan")]
    there = list(linker.link_batch([*others[:place], mentioned(*names), *others[place:]]))[place]
    alone = linker.link(mentioned(*names))
    assert [link.entity for link in there.links] == [link.entity for link in alone.links]
    for a, b in zip(there.links, alone.links, strict=True):
        assert [each.score for each in a.ranking] == pytest.approx([each.score for each in b.ranking], abs=1e-9)


def test_threads_do_not_disturb_each_other(linker: Linker, records: list[dict[str, Any]]) -> None:
    expected = [dumped(linker.link(record)) for record in records]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(4):
            assert [dumped(linked) for linked in pool.map(linker.link, records)] == expected


def test_processes_give_the_same_bytes(demo: KB, records: list[dict[str, Any]]) -> None:
    lines = [json.dumps(record).encode() + b"\n" for record in records * 25]

    def stream(jobs: int) -> bytes:
        out = io.BytesIO()
        link_stream(lines, out.write, demo.path, options={}, jobs=jobs)
        return out.getvalue()

    assert stream(2) == stream(1)


def test_two_linkers_of_one_kb_do_not_mix_up_their_candidates(tmp_path: Path, quick_disk: None) -> None:
    """The same name has as many candidates, but others, where they are found in another way."""
    nodes = [{"id": "big", "name": "Gamma Ray Station", "prior": 90}, {"id": "low", "name": "Gamma", "prior": 1}]
    nodes += [{"id": f"o{i}", "name": f"Other {i}", "aliases": [f"{i}"]} for i in range(6)]
    kb = small_kb(tmp_path, nodes)
    kb = store_ranker(kb, self_train(kb, documents=60))
    options: list[dict[str, Any]] = [{"max_candidates": 1}, {"max_candidates": 1, "generator": "paper"}]
    fresh = [one(Linker(kb.path, **each), "Gamma").ranking for each in options]
    assert fresh[0][0].id != fresh[1][0].id
    for order in (options, options[::-1]):
        shared = KB.open(kb.path)
        found = {len(each): one(Linker(shared, **each), "Gamma").ranking for each in order}
        assert [found[1], found[2]] == fresh


# how sure


def test_probabilities(demo: KB, records: list[dict[str, Any]]) -> None:
    """Each is a share of 1 that "none of them" has a part in; the answer's is that of the first of the ranking."""
    for document in Linker(demo, top=1000).link_batch([*records, mentioned("Jordan"), TWO_TABLES]):
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


def test_other_methods_give_no_probability(demo: KB) -> None:
    for method in ("selftrained", *PLAIN):
        link = one(Linker(demo, method=method), "Scottie Pippen")
        assert (link.probability is not None) == (method == "selftrained")


@pytest.mark.parametrize("top", [0, 1, 2])
def test_the_answer_does_not_depend_on_what_is_shown(demo: KB, linker: Linker, top: int) -> None:
    shown, usual = one(Linker(demo, top=top), "Michael Jordan"), one(linker, "Michael Jordan")
    assert (shown.entity, shown.probability) == (usual.entity, usual.probability)
    assert shown.ranking == usual.ranking[:top]


# none of them


@pytest.mark.parametrize("name", ["Zaphod Beeblebrox", "xyzzy", "", "   ", "!!!"])
def test_a_name_that_nobody_has(demo: KB, linker: Linker, name: str) -> None:
    for each in (linker, Linker(demo, nil=False)):
        link = one(each, name)
        assert (link.entity, link.probability, link.nil_reason, link.ranking) == (None, None, "no_candidate", ())


@pytest.mark.parametrize("name", ["University of Jordan", "Science of Chicago", "Jordan of Cambridge"])
def test_a_thing_that_is_not_in_the_kb(linker: Linker, demo: KB, name: str) -> None:
    link = one(linker, name)
    assert (link.entity, link.label, link.score, link.probability) == (None, None, None, None)
    assert link.nil_reason in ("low_probability", "no_candidate")
    forced = one(Linker(demo, nil=False), name)
    assert (forced.entity is None) == (not link.ranking)
    assert forced.ranking == link.ranking


def test_nil_off_always_answers(demo: KB, records: list[dict[str, Any]]) -> None:
    for document in Linker(demo, nil=False).link_batch(records):
        for link in document.links:
            assert (link.entity is None) == (not link.ranking)
            assert link.probability == (link.ranking[0].score if link.ranking else None)


def test_thresholds(demo: KB, records: list[dict[str, Any]]) -> None:
    def answered(threshold: float) -> int:
        documents = Linker(demo, threshold=threshold).link_batch(records)
        return sum(link.entity is not None for document in documents for link in document.links)

    counts = [answered(threshold) for threshold in (0, 0.3, 0.9, 1.0)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 48  # each mention of the demo has a candidate
    assert counts[2] > counts[3] == 0


def test_an_answer_at_the_threshold_is_one(demo: KB, linker: Linker) -> None:
    probability = one(linker, "Michael Jordan").ranking[0].score
    assert one(Linker(demo, threshold=probability), "Michael Jordan").entity is not None
    assert one(Linker(demo, threshold=np.nextafter(probability, 1)), "Michael Jordan").nil_reason == "low_probability"


@pytest.mark.parametrize("threshold", [-0.1, 1.01, 50, float("nan"), float("inf")])
def test_a_threshold_is_a_probability(demo: KB, threshold: float) -> None:
    with pytest.raises(OptionError, match=r"threshold is .*; expected a probability, 0 to 1"):
        Linker(demo, threshold=threshold)


@pytest.mark.parametrize("method", PLAIN)
def test_a_threshold_needs_probabilities(demo: KB, method: str) -> None:
    with pytest.raises(OptionError, match=f"{method} gives no probabilities"):
        Linker(demo, method=method, threshold=0.5)


def test_a_threshold_out_of_range_is_refused_without_nil_too(demo: KB) -> None:
    with pytest.raises(OptionError):
        Linker(demo, nil=False, threshold=7)


def test_nil_off_answers_with_every_method(demo: KB) -> None:
    for method in ("selftrained", *PLAIN):
        assert one(Linker(demo, method=method, nil=False), "Bulls").entity is not None, method


def test_the_reason_is_the_missing_vector(small: KB) -> None:
    """ "Tumor" has no edges, so no vector: if it is too unlikely, the themes had no say."""
    assert not small.vectors().has[small.index_of("tumor") or 0]
    strict = Linker(small, threshold=1.0)
    assert one(strict, "Tumor").nil_reason == "no_embedding"
    assert one(strict, "Iowa").nil_reason == "low_probability"
    assert one(strict, "xyzzy").nil_reason == "no_candidate"
    assert one(Linker(small, threshold=0), "Tumor").entity == "tumor"


def test_without_vectors_none_is_missing(tmp_path: Path, quick_disk: None) -> None:
    kb = small_kb(tmp_path, NODES, EDGES)
    kb = store_ranker(kb, self_train(kb, documents=60))
    assert one(Linker(kb, threshold=1.0), "Tumor").nil_reason == "low_probability"
    assert one(Linker(kb), "Iowa").entity == "iowa"


# documents of all kinds


def test_given_candidates(linker: Linker) -> None:
    ids = [f"{EX}{name}" for name in ("michael_b_jordan", "michael_i_jordan", "nobody", "michael_jordan")]
    link = one(linker, "Michael Jordan", candidates=ids)
    assert {each.id for each in link.ranking} <= set(ids)
    assert link.unknown_candidates == (f"{EX}nobody",)
    assert sum(each.score for each in link.ranking) <= 1
    assert one(linker, "Michael Jordan", candidates=[]).nil_reason == "no_candidate"
    assert one(linker, "Michael Jordan", candidates=[f"{EX}nobody"]).nil_reason == "no_candidate"


def test_given_candidates_with_numbers(demo: KB) -> None:
    """A given number takes the place of the prior."""
    forced, ids = Linker(demo, nil=False, top=9), [f"{EX}chicago", f"{EX}chicago_bulls"]

    def chance(*numbers: float) -> float:
        link = one(forced, "that place", candidates=[list(each) for each in zip(ids, numbers, strict=True)])
        return next(each.score for each in link.ranking if each.id == ids[0])

    assert chance(1e6, 0) > chance(5, 5) > chance(0, 1e6)
    assert 0 <= chance(-5, 1e300) <= 1


def test_given_and_looked_up_candidates_of_one_name(linker: Linker) -> None:
    record = {"mentions": [{"text": "Jordan"}, {"text": "Jordan", "candidates": [f"{EX}jordan_river"]}, {"text": "Jordan"}]}
    first, second, third = linker.link(record).links
    assert first.ranking == third.ranking
    assert [each.id for each in second.ranking] == [f"{EX}jordan_river"]


def test_tables(linker: Linker) -> None:
    links = linker.link(TWO_TABLES).links
    assert [(link.mention.row, link.mention.col) for link in links] == [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0)]
    assert links[2].entity == f"{EX}charles_barkley"


def test_a_name_again_has_the_same_answer(linker: Linker) -> None:
    names = ["Jordan", "Chicago", "JORDAN", "Pippen", "Jordan", "chicago"]
    links = linker.link(mentioned(*names)).links
    once = linker.link(mentioned(*names[:2], "Pippen")).links
    assert links[0].ranking == links[2].ranking == links[4].ranking
    assert links[1].ranking == links[5].ranking
    for link, other in zip((links[0], links[1], links[3]), once, strict=True):
        assert [each.score for each in link.ranking] == pytest.approx([each.score for each in other.ranking], abs=1e-9)


@pytest.mark.parametrize(
    "document", ["", " ", {"text": ""}, {"mentions": []}, {"table": {"rows": []}}, {"text": "nothing here"}]
)
def test_documents_without_mentions(linker: Linker, document: Any) -> None:
    assert linker.link(document).links == ()
    assert [each.links for each in linker.link_batch([document, document])] == [(), ()]
    assert list(linker.link_batch([])) == []


def test_plain_text(linker: Linker) -> None:
    links = linker.link("Scottie Pippen and Michael Jordan won titles for Chicago Bulls in the NBA.").links
    assert f"{EX}michael_jordan" in [link.entity for link in links]


@given(st.text(max_size=60) | st.lists(st.text(max_size=12), max_size=5).map(lambda names: mentioned(*names)))
@settings(max_examples=60)
def test_anything_can_be_linked(linker: Linker, document: Any) -> None:
    linked = linker.link(document)
    assert json.loads(dumped(linked)) == json.loads(json.dumps(linked.to_dict()))
    for link in linked.links:
        assert (link.entity is None) == (link.nil_reason is not None) == (link.probability is None)
        assert link.probability is None or linker.threshold <= link.probability <= 1
        assert link.nil_reason != "no_candidate" or not link.ranking


@pytest.mark.parametrize("word", ["Michael Jordan", "Jordan", "xyzzy", "Chicago Bulls of Science"])
def test_thousands_of_names_take_seconds(linker: Linker, word: str) -> None:
    start = time.monotonic()
    links = linker.link(mentioned(*(f"{word} {i}" for i in range(3000)))).links
    assert len(links) == 3000
    assert time.monotonic() - start < 15


def test_a_long_list_of_what_the_kb_knows(demo: KB, linker: Linker) -> None:
    labels = [name for entity in range(len(demo)) for name in demo.names_of(entity)]
    names = [*labels, *(f"{a} {b}" for a in labels[:60] for b in labels[:50])][:3000]
    start = time.monotonic()
    links = linker.link(mentioned(*names)).links
    assert time.monotonic() - start < 15
    known = [link for link in links[: len(labels)] if link.entity is not None]
    assert len(known) > 0.6 * len(labels)


# without a ranker


def test_a_kb_without_a_ranker_has_another_default(tiny: KB, tmp_path: Path, quick_disk: None) -> None:
    assert Linker(tiny).method_name == "eigen"
    assert Linker(small_kb(tmp_path, NODES, EDGES)).method_name == "prior-name"


def test_selftrained_without_a_ranker_names_the_command(tiny: KB, tmp_path: Path, quick_disk: None) -> None:
    for kb in (tiny, small_kb(tmp_path, NODES, EDGES)):
        with pytest.raises(OptionError, match=f"train one with: eigenthemes train {kb.path}, or choose") as refused:
            Linker(kb, method="selftrained")
        assert "\n" not in str(refused.value)


def test_it_names_the_vectors_too(copied: KB) -> None:
    kb = embed_kb(embed_kb(copied.path, name="second", train=False).path, name="third", train=False)
    with pytest.raises(OptionError, match=r"vectors second; .* eigenthemes train .* --vectors second"):
        Linker(kb, method="selftrained", vectors="second")
    with pytest.raises(OptionError, match=r"vectors third; .* eigenthemes train \S+, or"):
        Linker(kb, method="selftrained")


def test_a_missing_ranker_is_said_before_the_output_is_emptied(tiny: KB, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("precious\n", encoding="utf-8")
    document = write_jsonl(tmp_path / "in.jsonl", [mentioned("Iowa")])
    done = call("link", tiny.path, document, "-o", output, "--method", "selftrained", "--nil", "off")
    assert_one_sentence(done, "has no ranker", "eigenthemes train")
    assert output.read_text(encoding="utf-8") == "precious\n"


# how a KB comes by its ranker


def test_new_vectors_drop_the_ranker_of_the_old_ones(copied: KB) -> None:
    assert list(copied.rankers) == ["prone"]
    changed = embed_kb(copied.path, train=False, seed=1)
    assert changed.rankers == {}
    assert Linker(changed).method_name == "eigen"


def test_other_vectors_leave_the_ranker_of_the_first(copied: KB) -> None:
    changed = embed_kb(copied.path, name="second", train=False)
    assert list(changed.rankers) == ["prone"]
    assert Linker(changed).method_name == "eigen"
    assert Linker(changed, vectors="prone").method_name == "selftrained"
    expected, found = (one(Linker(kb, vectors="prone"), "Michael Jordan") for kb in (copied, changed))
    assert found.ranking == expected.ranking


def test_first_vectors_drop_the_ranker_that_knew_none(tmp_path: Path, quick_disk: None) -> None:
    kb = small_kb(tmp_path, NODES, EDGES)
    kb = store_ranker(kb, self_train(kb, documents=20))
    assert list(kb.rankers) == [""]
    assert embed_kb(kb.path, train=False).rankers == {}


def test_training_changes_nothing_but_the_manifest(copied: KB) -> None:
    before = dict(copied.manifest)
    after = train_kb(copied.path, seed=5)
    assert after.manifest["files"] == before["files"]
    assert after.rankers["prone"]["training"]["seed"] == 5
    assert {key for key in after.manifest if after.manifest[key] != before.get(key)} <= {"rankers", "data", "sha256", "expects"}
    assert all(right for _, right in after.verify())
    assert train_kb(copied.path, seed=5).rankers == after.rankers


def test_build_and_embed_train(tmp_path: Path, tiny: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenthemes.build.train_ranker", train_ranker)
    shutil.copytree(tiny.path, tmp_path / "tiny.kb")
    assert list(embed_kb(tmp_path / "tiny.kb", name="second").rankers) == ["second"]
    nodes = write_jsonl(tmp_path / "nodes.jsonl", NODES)
    assert list(build_kb([nodes], tmp_path / "built.kb").rankers) == [""]  # no edges, no vectors
    assert build_kb([nodes], tmp_path / "bare.kb", train=False).rankers == {}


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_a_build_whose_training_is_cut_short_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    def stopped(*arguments: Any, **options: Any) -> Ranker:
        raise error

    monkeypatch.setattr("eigenthemes.build.train_ranker", train_ranker)
    monkeypatch.setattr("eigenthemes.selftrain.train.self_train", stopped)
    sources = [
        write_jsonl(tmp_path / "nodes.jsonl", NODES),
        write_jsonl(tmp_path / "edges.jsonl", [{"source": a, "target": b} for a, b in EDGES]),
    ]
    with pytest.raises(error):
        build_kb(sources, tmp_path / "cut.kb")
    assert not (tmp_path / "cut.kb").exists()


def test_a_second_training_cut_short_leaves_the_first(copied: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*arguments: Any, **options: Any) -> Ranker:
        raise KeyboardInterrupt

    monkeypatch.setattr("eigenthemes.selftrain.train.self_train", stopped)
    with pytest.raises(KeyboardInterrupt):
        train_kb(copied.path)
    assert KB.open(copied.path).manifest == copied.manifest


# commands


def test_link_command(demo: KB, linker: Linker, records: list[dict[str, Any]]) -> None:
    documents = good(call("link", demo.path, DOCUMENTS["small"]))
    expected = [json.loads(dumped(document)) for document in linker.link_batch(records)]
    assert [document["mentions"] for document in documents] == [document["mentions"] for document in expected]
    for mention in (mention for document in documents for mention in document["mentions"]):
        assert mention["probability"] == mention["score"]
        assert (mention["entity"] is None) == (mention["nil_reason"] is not None)


def test_link_command_nil_and_threshold(demo: KB, tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [mentioned("University of Jordan", "Scottie Pippen", "xyzzy")])

    def reasons(*options: object) -> list[str | None]:
        (document,) = good(call("link", demo.path, source, *options))
        return [mention["nil_reason"] for mention in document["mentions"]]

    assert reasons() == ["low_probability", None, "no_candidate"]
    assert reasons("--nil", "off") == reasons("--threshold", "0") == [None, None, "no_candidate"]
    assert reasons("--threshold", "1.0") == ["low_probability", "low_probability", "no_candidate"]
    assert "low_probability" in call("link", demo.path, source, "--table").stdout


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--threshold", "1.5"), ("threshold is 1.5", "0 to 1")),
        (("--threshold", "-1"), ("threshold is -1.0",)),
        (("--threshold", "0.5", "--method", "eigen"), ("eigen gives no probabilities", "leave it out")),
        (("--vectors", "nosuch"), ("no vectors named 'nosuch'",)),
    ],
)
def test_link_command_errors(demo: KB, options: tuple[str, ...], words: tuple[str, ...]) -> None:
    assert_one_sentence(call("link", demo.path, DOCUMENTS["small"], *options), *words)


def test_link_command_without_a_ranker(tiny: KB, tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "in.jsonl", [mentioned("Iowa")])
    assert_one_sentence(call("link", tiny.path, source, "--method", "selftrained"), f"eigenthemes train {tiny.path}")
    assert good(call("link", tiny.path, source))[0]["mentions"][0]["probability"] is None


def test_train_command(copied: KB, tmp_path: Path) -> None:
    done = call("train", copied.path, "--seed", "3")
    assert (done.returncode, done.stdout) == (0, "")
    assert "trained on 200 made-up documents" in done.stderr
    changed = KB.open(copied.path)
    assert changed.rankers["prone"]["training"]["seed"] == 3
    assert changed.rankers["prone"] != copied.rankers["prone"]


def test_train_command_with_gold(copied: KB, tmp_path: Path) -> None:
    pairs = [
        ("Michael Jordan", "mij"),
        ("Jordan", "mij"),
        ("Paris", "paris-tx"),
        ("U.S.", "us"),
        ("Iowan", "iowa"),
        ("Yeti", []),
    ]
    gold = write_jsonl(
        tmp_path / "gold.jsonl", [{"id": i, "mentions": [{"text": a, "gold": b}]} for i, (a, b) in enumerate(pairs * 5)]
    )
    done = call("train", copied.path, gold)
    assert done.returncode == 0, done.stderr
    assert "gold: 30 documents, 30 mentions; on documents kept aside" in done.stderr
    trained = KB.open(copied.path)
    about = trained.rankers["prone"]["gold"]
    assert about["p_at_1"] > about["p_at_1_before"]
    before, after = (
        {each.id: each.score for each in one(Linker(kb, top=9), "Michael Jordan").ranking} for kb in (copied, trained)
    )
    assert before["mij"] < before["mj"]
    assert after["mij"] / after["mj"] > 1.5 * before["mij"] / before["mj"]


@pytest.mark.parametrize(
    ("record", "words"),
    [
        (mentioned("Iowa"), ("no mention has gold",)),
        (mentioned("Iowa", gold="Q1546"), ("Q1546", "the KB's ids are like")),
        ({"mentions": [{"text": 7}]}, ("gold.jsonl:1",)),
    ],
)
def test_train_command_errors_leave_the_kb(copied: KB, tmp_path: Path, record: dict[str, Any], words: tuple[str, ...]) -> None:
    gold = write_jsonl(tmp_path / "gold.jsonl", [record])
    assert_one_sentence(call("train", copied.path, gold), *words)
    assert KB.open(copied.path).manifest == copied.manifest


def test_train_command_wrong_paths(copied: KB, tmp_path: Path) -> None:
    assert_one_sentence(call("train", tmp_path / "nosuch.kb"), "nosuch.kb")
    assert_one_sentence(call("train", copied.path, tmp_path / "nosuch.jsonl"), "does not exist")
    assert_one_sentence(call("train", copied.path, "--vectors", "nosuch"), "no vectors named 'nosuch'")


def test_build_command_trains_unless_told_not_to(tmp_path: Path) -> None:
    nodes = write_jsonl(tmp_path / "nodes.jsonl", NODES)
    edges = write_jsonl(tmp_path / "edges.jsonl", [{"source": a, "target": b} for a, b in EDGES])
    done = run_process("build", nodes, edges, "-o", tmp_path / "a.kb", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    trained = KB.open(tmp_path / "a.kb")
    assert list(trained.rankers) == ["prone"]
    assert trained.rankers["prone"]["training"]["documents"] == 200
    assert Linker(trained).method_name == "selftrained"
    done = run_process("build", nodes, edges, "-o", tmp_path / "b.kb", "--no-train", "--jobs", "1")
    assert done.returncode == 0, done.stderr
    assert KB.open(tmp_path / "b.kb").rankers == {}


def test_ctrl_c_while_training_says_what_there_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(kb: KB, **options: Any) -> dict[str, Any]:
        raise KeyboardInterrupt

    nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": "a", "name": "Alpha"}])
    old = build_kb([nodes], tmp_path / "old.kb")
    monkeypatch.setattr("eigenthemes.build.train_ranker", interrupted)
    done = call("build", nodes, "-o", tmp_path / "new.kb")
    assert (done.returncode, done.stderr.strip().endswith("new.kb was not written")) == (130, True)
    assert not (tmp_path / "new.kb").exists()
    done = call("build", nodes, "-o", tmp_path / "old.kb", "--force")
    assert (done.returncode, done.stderr.strip().endswith("old.kb is as it was before")) == (130, True)
    assert KB.open(tmp_path / "old.kb").manifest == old.manifest

"""The features of the supervised model, against values worked out by hand and by loops."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from paper_helpers.two_worlds import Experiment, plan_of

from eigenthemes.errors import SourceError
from eigenthemes_paper.forests import MentionDictionary, Pairs, entity_context, mention_prior, training_counts
from eigenthemes_paper.results import read_rows
from eigenthemes_paper.run import run_experiment
from eigenthemes_paper.workspace import Workspace


def pairs_of(names: list[str], candidates: list[list[int]], gold: list[int], documents: list[int]) -> Pairs:
    mention = np.repeat(np.arange(len(names)), [len(each) for each in candidates])
    entity = np.array([each for some in candidates for each in some], dtype=np.uint32)
    n = len(entity)
    return Pairs(
        mention=mention,
        entity=entity,
        rank=np.concatenate([np.arange(1, len(each) + 1) for each in candidates]).astype(np.int32),
        gold=entity == np.array(gold)[mention],
        document=np.array(documents)[mention],
        context={"local": np.zeros(n), "global": np.zeros(n)},
        eigen=np.zeros(n),
        names=names,
        difficulty=np.zeros(len(names), dtype=np.int8),
        document_of=np.array(documents),
        has_gold=np.ones(len(names), dtype=bool),
    )


def test_what_a_document_says_does_not_count_for_itself() -> None:
    pairs = pairs_of(["a", "a", "a"], [[7, 8]] * 3, [7, 7, 8], [0, 1, 2])
    meant, named = training_counts(pairs, np.array([True, True, False]))
    assert named.tolist() == [1, 1, 1, 1, 2, 2], "the test document counts nowhere, and sees both others"
    assert meant.tolist() == [1, 0, 1, 0, 2, 0]


def test_a_name_never_seen_is_shared_out_by_rank() -> None:
    pairs = pairs_of(["new"], [[7, 8]], [7], [0])
    assert mention_prior(pairs, np.array([False]), None).tolist() == pytest.approx([2 / 3, 1 / 3])


def test_a_dictionary_counts_instead(finished: Experiment, tmp_path: Path) -> None:
    kb = Workspace(finished.plan, finished.out / "kbs").kb("friends")
    sea, hill = kb.index_of("Ann-sea"), kb.index_of("Ann-hill")
    assert sea is not None
    assert hill is not None
    (tmp_path / "names.tsv").write_text("ann\tAnn-sea\t1\nAnn\tAnn-hill\t2\nAnn\tsomebody-else\t1\n")
    pairs = pairs_of(["ann"], [[sea, hill]], [sea], [0])
    prior = mention_prior(pairs, np.array([True]), MentionDictionary.read(tmp_path / "names.tsv", kb))
    assert prior.tolist() == pytest.approx([(1 + 2 / 3) / 5, (2 + 1 / 3) / 5])


def test_a_plan_may_name_a_dictionary(finished: Experiment, worlds: Path, tmp_path: Path) -> None:
    dictionary = tmp_path / "names.tsv"
    dictionary.write_text("Ann\tAnn-sea\t90\nBob\tBob-sea\t90\n")
    options = f'dictionary = "{dictionary}"\nseeds = 1\ntrees = 5\nleast_in_leaf = 1\n'
    plan = plan_of(worlds, f'[section.table-3]\nsets = ["tales"]\n{options}', tmp_path)
    run_experiment(plan, tmp_path, work=finished.out / "kbs")
    header, rows = read_rows(tmp_path, "table-3")
    assert header is not None
    assert str(dictionary) in header["hashes"]
    assert [row["features"] for row in rows] == ["F1+F2+F3", "F1+F2+F3+F4"] * 2


@pytest.mark.parametrize(
    ("text", "said"),
    [("Ann\tx\n", r"names.tsv:1 is \['Ann', 'x'\]; expected a name, an id and a count"), (None, "does not exist")],
)
def test_a_bad_dictionary_is_refused(text: str | None, said: str, finished: Experiment, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "names.tsv").write_text(text)
    with pytest.raises(SourceError, match=said):
        MentionDictionary.read(tmp_path / "names.tsv", Workspace(finished.plan, finished.out / "kbs").kb("friends"))


def test_the_entity_context_is_the_average_of_the_chosen(finished: Experiment) -> None:
    vectors = Workspace(finished.plan, finished.out / "kbs").kb("friends").vectors()
    some = np.flatnonzero(vectors.has)[:3]
    pairs = pairs_of(["a", "b"], [[int(some[0]), int(some[1])], [int(some[2])]], [0, 0], [0, 0])
    found = entity_context(vectors, pairs, np.array([0.2, 0.9, 0.5]))
    mean = vectors.rows[some[1]] + vectors.rows[some[2]]
    assert found.tolist() == pytest.approx((vectors.rows[pairs.entity] @ mean / np.linalg.norm(mean)).tolist(), abs=1e-6)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
def test_counts_are_those_of_a_loop(mentions: list[tuple[str, int, int]]) -> None:
    names, gold, documents = (list(each) for each in zip(*mentions, strict=True))
    pairs = pairs_of(names, [[0, 1, 2, 3]] * len(names), gold, documents)
    training = np.array([True, False, True, True])[: max(documents) + 1]
    meant, named = training_counts(pairs, training)
    for row, (mention, entity) in enumerate(zip(pairs.mention.tolist(), pairs.entity.tolist(), strict=True)):
        others = [i for i in range(len(names)) if training[documents[i]] and documents[i] != documents[mention]]
        same = [i for i in others if names[i] == names[mention]]
        assert named[row] == len(same)
        assert meant[row] == sum(gold[i] == entity for i in same)

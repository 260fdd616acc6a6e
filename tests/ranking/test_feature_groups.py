"""Feature groups: their columns, their documentation, and a feature context that threads share."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from eigenthemes import KB
from eigenthemes.pipeline.batch import Batch, batch_maker
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features import (
    COLUMNS,
    FEATURE_GROUPS,
    GROUPS,
    JOINT_GROUPS,
    LOCAL,
    FeatureContext,
    connections,
    feature_context,
    feature_table,
    local_features,
    theme_features,
)
from eigenthemes.ranking.features.nil import NIL_COLUMNS
from eigenthemes.ranking.features.support import GraphSupport, WeightedCandidates
from eigenthemes.ranking.ranker import Ranker, Weights, rank_batch
from eigenthemes.records import Document, Mention

DOCS = Path(__file__).parents[2] / "docs"
NAMES = ("Michael Jordan", "Jordan", "Paris", "NBA", "U.S.", "Iowa", "Paris", "xyzzy")


def a_batch(kb: KB) -> Batch:
    return batch_maker(kb, needs_vectors=True).make([Document(mentions=tuple(map(Mention, NAMES)))] * 3)


def a_ranker() -> Ranker:
    draw = np.random.default_rng(1)
    widths = (len(LOCAL), len(COLUMNS), len(COLUMNS))
    return Ranker(tuple(Weights(draw.normal(size=width), draw.normal(size=len(NIL_COLUMNS) + width)) for width in widths))


def test_rankers_in_kbs_know_these_columns_by_name() -> None:
    """A column that is renamed would weigh nothing in every KB built before."""
    assert GROUPS == {
        "name": (
            "name_coverage", "form_coverage", "coverage", "missing", "extra", "same_name", "misspelled", "inflected",
            "derived", "initial", "reordered", "other_kind", "weaker", "alias", "unbracketed", "initials", "acronym",
            "other_form", "contains", "shares", "typo", "cased", "covered", "begins", "ends", "in_label", "overlap",
            "name_words",
        ),
        "prior": ("log_prior", "log_rank", "log_names"),
        "words": ("words",),
        "coincidence": ("coincidence",),
        "memory": ("linked_so", "linked_share", "linked_none", "said_here", "said_none_here"),
        "themes": ("coherence", "edges", "shared_rare", "shared"),
        "coreference": ("longer_name", "same_entity"),
    }  # fmt: skip
    assert tuple(column for columns in GROUPS.values() for column in columns) == COLUMNS
    assert COLUMNS[: COLUMNS.index("coherence")] == LOCAL
    assert tuple(NIL_COLUMNS) == ("none", "alone", "candidates", "doubt")


def test_the_table_in_the_docs_is_the_generated_one() -> None:
    assert feature_table() in (DOCS / "selftrained.md").read_text(encoding="utf-8")


def test_every_column_is_documented_in_a_line() -> None:
    lines = feature_table().splitlines()
    assert len(lines) == 2 + len(COLUMNS)
    for line, column in zip(lines[2:], COLUMNS, strict=True):
        group, name, meaning = (cell.strip() for cell in line.strip("|").split("|"))
        assert group in ("", *GROUPS)
        assert name == f"`{column}`"
        assert len(meaning) > 10


def test_every_group_computes_its_columns(tiny: KB) -> None:
    groups = MentionGroups.of(a_batch(tiny))
    context = FeatureContext(tiny, tiny.vectors())
    candidates = WeightedCandidates.weighing(groups, context, np.full(len(groups.table_row), 0.25, np.float32))
    for group in FEATURE_GROUPS.values():
        columns = group.compute(candidates) if group in JOINT_GROUPS else group.compute(groups, context)  # type: ignore[attr-defined]
        assert columns.shape == (len(groups.table_row), len(group.columns))
        assert columns.dtype == np.float32


def test_every_group_can_be_explained() -> None:
    for group in FEATURE_GROUPS.values():
        assert group.weakness or group.name == "prior"  # whoever is more popular is not held back by that
    for joint in JOINT_GROUPS:
        assert set(joint.shares) == set(joint.columns)
        assert set(joint.connections) <= set(joint.columns)


def test_the_kernels_columns_have_names() -> None:
    assert [getattr(connections, field.upper()) for field in GraphSupport._fields] == list(range(5))


# threads


def in_threads(many: int, task: Callable[[], Any]) -> list[Any]:
    """Start a task in many threads at the same moment, and return what each returned."""
    barrier = threading.Barrier(many)
    results: list[Any] = [None] * many

    def run(number: int) -> None:
        barrier.wait()
        results[number] = task()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(many)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


@pytest.fixture
def scratches(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Sizes of the scratch memories that were made."""
    made: list[int] = []
    original = feature_context._new_scratch

    def count(entities: int) -> feature_context.Scratch:
        made.append(entities)
        return original(entities)

    monkeypatch.setattr(feature_context, "_new_scratch", count)
    return made


def test_eight_threads_share_a_cold_context(tiny: KB, scratches: list[int]) -> None:
    batch, ranker = a_batch(tiny), a_ranker()
    alone = rank_batch(ranker, batch, FeatureContext(KB.open(tiny.path), tiny.vectors()))
    scratches.clear()
    cold = FeatureContext(KB.open(tiny.path), tiny.vectors())
    for _ in range(5):
        for ranking in in_threads(8, lambda: rank_batch(ranker, batch, cold)):
            assert np.array_equal(ranking.probability, alone.probability)
            assert np.array_equal(ranking.nil_probability, alone.nil_probability)
            assert np.array_equal(ranking.features, alone.features)
    assert 1 <= len(cold.scratch) <= (os.cpu_count() or 1)


def test_short_lived_threads_do_not_make_memory_grow(tiny: KB, scratches: list[int]) -> None:
    batch, ranker, context = a_batch(tiny), a_ranker(), FeatureContext(tiny, tiny.vectors())
    for _ in range(100):
        in_threads(1, lambda: rank_batch(ranker, batch, context))
    assert scratches == [len(tiny)]


def spoil(scratch: feature_context.Scratch) -> None:
    scratch[0][:] = 7
    raise ValueError


def test_scratch_of_a_failed_computation_is_not_used_again(tiny: KB, scratches: list[int]) -> None:
    context = FeatureContext(tiny, None)
    with pytest.raises(ValueError), context.scratch.borrow() as scratch:
        spoil(scratch)
    groups = MentionGroups.of(a_batch(tiny))
    weight = np.full(len(groups.table_row), 0.5)
    fresh = theme_features(WeightedCandidates.of(groups, FeatureContext(tiny, None), weight))
    assert np.array_equal(theme_features(WeightedCandidates.of(groups, context, weight)), fresh)


def test_a_context_is_complete_once_made(tiny: KB) -> None:
    """Nothing is filled in later, which two threads could do at the same time."""
    context = FeatureContext(tiny, tiny.vectors())
    before = dict(vars(context))
    rank_batch(a_ranker(), a_batch(tiny), context)
    local_features(MentionGroups.of(a_batch(tiny)), context)
    assert vars(context) == before

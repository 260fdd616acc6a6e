"""No link: when, why, and what the threshold does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.documents import link_one
from helpers.inspecting import UNTRAINED_METHODS
from helpers.kbs import TINY_EDGES, TINY_NODES, build_from_records

from eigenthemes import KB
from eigenthemes.errors import OptionError
from eigenthemes.linker import Linker
from eigenthemes.selftrain.training import self_train
from eigenthemes.train import store_ranker

# none of them


@pytest.mark.parametrize("name", ["Zaphod Beeblebrox", "xyzzy", "", "   ", "!!!"])
def test_a_name_that_nobody_has(demo_kb: KB, demo_linker: Linker, name: str) -> None:
    for each in (demo_linker, Linker(demo_kb, allow_nil=False)):
        link = link_one(each, name)
        assert (link.entity, link.probability, link.nil_reason, link.ranking) == (None, None, "no_candidate", ())


@pytest.mark.parametrize("name", ["University of Jordan", "Science of Chicago", "Jordan of Cambridge"])
def test_a_thing_that_is_not_in_the_kb(demo_linker: Linker, demo_kb: KB, name: str) -> None:
    link = link_one(demo_linker, name)
    assert (link.entity, link.label, link.score, link.probability) == (None, None, None, None)
    assert link.nil_reason in ("low_probability", "no_candidate")
    forced = link_one(Linker(demo_kb, allow_nil=False), name)
    assert (forced.entity is None) == (not link.ranking)
    assert forced.ranking == link.ranking


def test_nil_off_always_answers(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    for document in Linker(demo_kb, allow_nil=False).link_batch(demo_records):
        for link in document.links:
            assert (link.entity is None) == (not link.ranking)
            assert link.probability == (link.ranking[0].score if link.ranking else None)


def test_thresholds(demo_kb: KB, demo_records: list[dict[str, Any]]) -> None:
    def answered(threshold: float) -> int:
        documents = Linker(demo_kb, threshold=threshold).link_batch(demo_records)
        return sum(link.entity is not None for document in documents for link in document.links)

    counts = [answered(threshold) for threshold in (0, 0.3, 0.9, 1.0)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 48  # each mention of the demo has a candidate
    assert counts[2] > counts[3] == 0


def test_an_answer_at_the_threshold_is_one(demo_kb: KB, demo_linker: Linker) -> None:
    probability = link_one(demo_linker, "Michael Jordan").ranking[0].score
    assert link_one(Linker(demo_kb, threshold=probability), "Michael Jordan").entity is not None
    assert link_one(Linker(demo_kb, threshold=np.nextafter(probability, 1)), "Michael Jordan").nil_reason == "low_probability"


@pytest.mark.parametrize("threshold", [-0.1, 1.01, 50, float("nan"), float("inf")])
def test_a_threshold_is_a_probability(demo_kb: KB, threshold: float) -> None:
    with pytest.raises(OptionError, match=r"threshold is .*; expected a probability, 0 to 1"):
        Linker(demo_kb, threshold=threshold)


@pytest.mark.parametrize("method", UNTRAINED_METHODS)
def test_a_threshold_needs_probabilities(demo_kb: KB, method: str) -> None:
    with pytest.raises(OptionError, match=f"{method} gives no probabilities"):
        Linker(demo_kb, method=method, threshold=0.5)


def test_a_threshold_out_of_range_is_refused_without_nil_too(demo_kb: KB) -> None:
    with pytest.raises(OptionError):
        Linker(demo_kb, allow_nil=False, threshold=7)


def test_nil_off_answers_with_every_method(demo_kb: KB) -> None:
    for method in ("selftrained", *UNTRAINED_METHODS):
        assert link_one(Linker(demo_kb, method=method, allow_nil=False), "Bulls").entity is not None, method


def test_the_reason_is_the_missing_vector(trained_tiny: KB) -> None:
    """ "Tumor" has no edges, so no vector: if it is too unlikely, the themes had no say."""
    assert not trained_tiny.vectors().has[trained_tiny.index_of("tumor") or 0]
    strict = Linker(trained_tiny, threshold=1.0)
    assert link_one(strict, "Tumor").nil_reason == "no_embedding"
    assert link_one(strict, "Iowa").nil_reason == "low_probability"
    assert link_one(strict, "xyzzy").nil_reason == "no_candidate"
    assert link_one(Linker(trained_tiny, threshold=0), "Tumor").entity == "tumor"


def test_in_a_kb_without_vectors_no_missing_vector_is_the_reason(tmp_path: Path, quick_disk: None) -> None:
    kb = build_from_records(tmp_path, TINY_NODES, TINY_EDGES)
    kb = store_ranker(kb, self_train(kb, documents=60))
    assert link_one(Linker(kb, threshold=1.0), "Tumor").nil_reason == "low_probability"
    assert link_one(Linker(kb), "Iowa").entity == "iowa"

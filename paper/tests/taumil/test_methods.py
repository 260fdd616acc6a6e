"""The methods taumil and taumil-weighted: scores, noise, documents without text, and torch only where it is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import numpy as np
import pytest
from helpers.files import ROOT
from helpers.scoring import score_in_detail
from helpers.streaming import link_lines
from paper_helpers.players_and_countries import exam_sentences, training_sentences
from paper_helpers.taumil_models import SHORT, scores

from eigenthemes import KB, Linker
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.ranking.methods import method_named
from eigenthemes.records import Document, Mention
from eigenthemes_paper.drawing import METHOD_COLORS
from eigenthemes_paper.rows import NEURAL_METHODS
from eigenthemes_paper.taumil.method import TaumilOptions


def test_batches_do_not_matter(planted: KB) -> None:
    documents = exam_sentences(0, 30)
    together = scores(planted, documents)
    alone = np.concatenate([scores(planted, [document]) for document in documents])
    assert together == pytest.approx(alone, abs=1e-5)
    assert len(scores(planted, [])) == 0
    assert len(scores(planted, [Document(mentions=(Mention("Nobody", 0, 6),), text="Nobody won")])) == 0


def test_the_weighted_method_adds_the_logarithm_of_the_weight(planted: KB) -> None:
    documents = exam_sentences(0, 20)
    table = batch_maker(planted, needs_vectors=False).make(documents).table
    plain = scores(planted, documents)
    assert scores(planted, documents, "taumil-weighted") == pytest.approx(plain - np.log(table.rank))
    assert scores(planted, documents, "taumil-weighted", delta=0.5) == pytest.approx(plain - 0.5 * np.log(table.rank))
    with pytest.raises(OptionError, match="delta means nothing to the method taumil;") as refused:
        scores(planted, documents, delta=3.0)
    assert refused.value.code == "unused-option"


def test_a_model_that_was_trained_again_is_read_again(planted_copy: KB) -> None:
    before = scores(planted_copy, exam_sentences(0, 5))
    from eigenthemes_paper.taumil.training import train_taumil

    train_taumil(planted_copy, training_sentences(1, 60), **SHORT)
    assert not np.array_equal(scores(planted_copy, exam_sentences(0, 5)), before)


def test_mentions_with_very_many_candidates_are_taken_some_at_a_time(planted: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = scores(planted, exam_sentences(0, 30))
    monkeypatch.setattr("eigenthemes_paper.taumil.scorer._PAIRS", 7)
    assert scores(planted, exam_sentences(0, 30)) == pytest.approx(expected, abs=1e-5)


def test_it_links_like_any_method(planted: KB) -> None:
    linker = Linker(planted, method="taumil")
    documents = exam_sentences(0, 40)
    linked = [linker.link(document).links[0].entity for document in documents]
    gold = [mention.gold for document in documents for mention in document.mentions or ()]
    assert sum((entity,) == right for entity, right in zip(linked, gold, strict=True)) >= 36
    (link, *_) = linker.link("the coach said Both3 scored a goal in the match today").links
    assert (link.entity, link.probability, link.nil_reason) == ("player-Both3", None, None)


def test_noise_is_rejected_by_threshold_and_counts_nothing_in_p_at_1(planted: KB) -> None:
    batch = batch_maker(planted, needs_vectors=False).make(exam_sentences(0, 20))
    chances = score_in_detail("taumil", batch, planted).match_probability
    assert chances is not None
    middle = float(np.median(chances))

    def rankings_and_reasons(**options: Any) -> tuple[list[Any], list[str | None]]:
        linker = Linker(planted, method="taumil", **options)
        links = [link for linked in linker.link_batch(exam_sentences(0, 20)) for link in linked.links]
        assert {link.probability for link in links} == {None}
        return [link.ranking for link in links], [link.nil_reason for link in links]

    rankings, reasons = rankings_and_reasons(threshold=middle)
    assert reasons == [None if chance >= middle else "low_probability" for chance in chances]
    everything, no_reasons = rankings_and_reasons()
    assert set(no_reasons) == {None}
    assert rankings == everything
    assert set(rankings_and_reasons(allow_nil=False)[1]) == {None}


def test_documents_without_text_are_failures_of_their_own(planted: KB) -> None:
    good = json.dumps({"id": "good", "text": "Both1 scored"})
    lines = [json.dumps({"id": "bad", "mentions": [{"text": "Both1"}]}), good]
    _, counts, failures = link_lines(planted, [line.encode() for line in lines], method="taumil")
    assert (counts.documents, counts.linked, counts.failures) == (1, 1, 1)
    assert "the document 'bad' has no text, and tau-MIL-ND reads the words around a mention" in failures[0].cause
    with pytest.raises(DocumentError, match="the document 'bad' has no text"):
        Linker(planted, method="taumil").link({"id": "bad", "mentions": [{"text": "Both1"}]})


def test_options_that_a_method_does_not_use_are_refused() -> None:
    with pytest.raises(OptionError, match="means nothing to the method taumil"):
        method_named("taumil").check_options("taumil", TaumilOptions(delta=2.0))


def test_nobody_else_imports_torch(tiny: KB) -> None:
    check = f"""
import eigenthemes.cli, eigenthemes.ranking.methods, sys
from eigenthemes import Linker
Linker({str(tiny.path)!r}, method="degree").link("Iowa")
print([name for name in ("torch", "safetensors") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_both_methods_have_a_colour_and_a_page() -> None:
    page = (ROOT / "paper" / "docs" / "taumil.md").read_text(encoding="utf-8")
    for name in NEURAL_METHODS:
        assert name in METHOD_COLORS
        assert f"`{name}`" in page

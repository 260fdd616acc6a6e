"""Training of tau-MIL-ND: it learns without gold, the same seed gives the same bytes, and an interruption loses nothing."""

from __future__ import annotations

import gzip
import os
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from helpers.kbs import build_untrained
from paper_helpers.players_and_countries import exam_sentences, planted_kb, training_sentences
from paper_helpers.taumil_models import LONG, SHORT, scores, share_right

from eigenthemes import KB
from eigenthemes.documents.reader import read_gold
from eigenthemes.errors import DocumentError, KBError, OptionError
from eigenthemes.pipeline.batch import batch_maker, gold_rows
from eigenthemes.records import Document, Mention
from eigenthemes_paper.taumil import training
from eigenthemes_paper.taumil.store import IN_KB, StoredModel
from eigenthemes_paper.taumil.training import Epoch, train_taumil


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(5))
def test_context_decides_on_the_planted_corpus(planted: KB, tmp_path: Path, seed: int) -> None:
    """Two candidates each, so chance is 50 %; gold is not read while it trains."""
    model = tmp_path / "model.safetensors" if seed else planted.path / IN_KB
    if seed:
        train_taumil(planted, training_sentences(seed), output=model, seed=seed, **LONG)
    assert share_right(planted, exam_sentences(seed), model=str(model)) >= 0.9
    assert share_right(planted, exam_sentences(seed), "degree") < 0.75


@pytest.mark.slow
def test_relations_serve_where_there_are_no_types(tmp_path: Path) -> None:
    kb = planted_kb(tmp_path, types=False)
    train_taumil(kb, training_sentences(0), **LONG)
    assert share_right(kb, exam_sentences(0)) >= 0.9


def test_the_objective_falls_and_its_best_epoch_is_kept(planted: KB) -> None:
    about = StoredModel.open(planted.path / IN_KB, planted).about
    objectives = [epoch["objective"] for epoch in about["history"]]
    assert objectives[-1] < objectives[0] / 2
    assert about["epoch"] == 1 + int(np.argmin(objectives))
    assert about["history"][-1]["noise"] == pytest.approx(0.9, abs=0.05)


def test_it_stops_where_the_objective_gets_no_better(planted: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    objectives = iter([5.0, 4.0, 4.5, 4.5, 9.0])
    monkeypatch.setattr(training.Training, "_step", lambda *arguments: [0.0] * 4)
    run = training.Training.run_epoch

    def run_epoch(self: training.Training, *arguments: Any) -> Epoch:
        epoch = run(self, *arguments)
        self.history[-1]["objective"] = next(objectives)
        return epoch

    monkeypatch.setattr(training.Training, "run_epoch", run_epoch)
    options = {**SHORT, "epochs": 20, "patience": 2}
    stored = train_taumil(planted, training_sentences(0, 60), output=tmp_path / "m", **options)
    assert ([epoch["objective"] for epoch in stored.about["history"]], stored.about["epoch"]) == ([5, 4, 4.5, 4.5], 2)


def test_gold_is_never_read(planted: KB, tmp_path: Path) -> None:
    bare = [
        replace(document, mentions=tuple(replace(mention, gold=None) for mention in document.mentions or ()))
        for document in training_sentences(0, 60)
    ]
    one = train_taumil(planted, training_sentences(0, 60), output=tmp_path / "one", **SHORT)
    other = train_taumil(planted, bare, output=tmp_path / "other", **SHORT)
    assert same(one, other)


def test_mentions_are_found_where_there_are_none(planted: KB, tmp_path: Path) -> None:
    texts = [Document(text=document.text) for document in training_sentences(0, 60)]
    one = train_taumil(planted, training_sentences(0, 60), output=tmp_path / "one", **SHORT)
    assert same(one, train_taumil(planted, texts, output=tmp_path / "other", **SHORT))


def same(one: StoredModel, other: StoredModel) -> bool:
    return all(np.array_equal(array, other.learned[name]) for name, array in one.learned.items())


def test_the_same_seed_gives_the_same_bytes_and_another_others(planted: KB, tmp_path: Path) -> None:
    for name, seed, threads in (("one", 3, 1), ("again", 3, 2), ("other", 4, 1)):
        torch.set_num_threads(threads)
        np.random.seed(seed + threads)
        train_taumil(planted, training_sentences(0, 120), output=tmp_path / name, seed=seed, **SHORT)
        assert torch.get_num_threads() == 1, "held there for good"
        assert not torch.are_deterministic_algorithms_enabled()
    one, again, other = ((tmp_path / name).read_bytes() for name in ("one", "again", "other"))
    assert one == again
    assert one != other


def interrupted(epoch: Epoch, seconds: float) -> None:
    if epoch.epoch == 2:
        raise KeyboardInterrupt


def test_a_resumed_training_is_the_same_as_one_without_interruption(planted: KB, tmp_path: Path) -> None:
    options = {**SHORT, "epochs": 4}
    train_taumil(planted, training_sentences(0, 120), output=tmp_path / "whole", **options)
    with pytest.raises(KeyboardInterrupt):
        train_taumil(planted, training_sentences(0, 120), output=tmp_path / "parts", on_epoch=interrupted, **options)
    assert not (tmp_path / "parts").exists()
    epochs: list[int] = []
    train_taumil(
        planted,
        training_sentences(0, 120),
        output=tmp_path / "parts",
        resume=True,
        on_epoch=lambda epoch, seconds: epochs.append(epoch.epoch),
        **options,
    )
    assert epochs == [3, 4]
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not list(tmp_path.glob("*.checkpoint"))
    again = train_taumil(
        planted,
        training_sentences(0, 120),
        output=tmp_path / "parts",
        resume=True,
        on_epoch=lambda epoch, seconds: epochs.append(epoch.epoch),
        **options,
    )
    assert epochs == [3, 4], "what came to its end is not begun again"
    assert len(again.about["history"]) == 4


def test_a_checkpoint_of_another_training_is_refused(planted: KB, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_taumil(planted, training_sentences(0, 60), output=tmp_path / "m", on_epoch=interrupted, **SHORT)
    with pytest.raises(OptionError, match="of a training with other options; resume with the same"):
        train_taumil(planted, training_sentences(0, 60), output=tmp_path / "m", resume=True, seed=1, **SHORT)
    with pytest.raises(OptionError, match="of a training with other trained_on"):
        train_taumil(planted, training_sentences(1, 60), output=tmp_path / "m", resume=True, **SHORT)
    train_taumil(planted, training_sentences(1, 60), output=tmp_path / "m", **SHORT)
    assert (tmp_path / "m").exists()


def test_an_interrupted_training_leaves_the_old_model(planted_copy: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever links meanwhile uses the old model; what is left behind is used again, and gone in the end."""
    model, expected = planted_copy.path / IN_KB, scores(planted_copy, exam_sentences(0, 10))
    before = model.read_bytes()
    files = {path.name for path in planted_copy.path.iterdir()}
    with pytest.raises(KeyboardInterrupt):
        train_taumil(planted_copy, training_sentences(1, 60), on_epoch=interrupted, **SHORT)
    assert model.read_bytes() == before
    assert (planted_copy.path / f"{IN_KB}.checkpoint").exists()

    def killed(handle: int) -> None:
        raise KeyboardInterrupt  # while the file is written, before it is on the disk

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", killed)
        with pytest.raises(KeyboardInterrupt):
            train_taumil(planted_copy, training_sentences(1, 60), resume=True, **SHORT)
    assert model.read_bytes() == before
    assert np.array_equal(scores(KB.open(planted_copy.path), exam_sentences(0, 10)), expected)
    train_taumil(planted_copy, training_sentences(1, 60), resume=True, **SHORT)
    assert model.read_bytes() != before
    assert {path.name for path in planted_copy.path.iterdir()} == files


def test_a_model_that_could_not_be_written_leaves_the_old_one(planted_copy: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    before = (planted_copy.path / IN_KB).read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KBError, match=r"cannot be written \(No space left on device\)"):
        train_taumil(planted_copy, training_sentences(1, 60), **SHORT)
    assert (planted_copy.path / IN_KB).read_bytes() == before


@pytest.mark.parametrize("option", ["epochs", "patience", "batch_size", "positives", "negatives"])
def test_options_are_checked_at_the_door(planted: KB, option: str) -> None:
    with pytest.raises(OptionError, match=f"{option} is 0; expected 1 or more"):
        train_taumil(planted, training_sentences(0, 5), **{**SHORT, option: 0})


def test_a_place_that_cannot_be_written_is_refused_before_hours_of_training(planted: KB, tmp_path: Path) -> None:
    with pytest.raises(KBError, match=r"nowhere does not exist, or cannot be written to; give another place for the model$"):
        train_taumil(planted, training_sentences(0, 5), output=tmp_path / "nowhere" / "model", **SHORT)


def test_documents_without_candidates_teach_nothing(planted: KB, tmp_path: Path) -> None:
    document = Document(mentions=(Mention("Nobody at all", 0, 13),), text="Nobody at all won")
    with pytest.raises(DocumentError, match="no mention of the documents has a candidate in the KB; give documents"):
        train_taumil(planted, [document], output=tmp_path / "m", **SHORT)


@pytest.mark.slow
@pytest.mark.real_data
def test_lgl_is_above_random_choice(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    """A small training on the texts of 100 documents; of the KG, what they may name and every tenth place."""
    documents = list(read_gold(real_data("places/lgl.jsonl.gz")))[:100]
    kb = part_of_places(real_data, {mention.text for document in documents for mention in document.mentions or ()}, tmp_path)
    train_taumil(kb, documents, word_vectors=real_data("vectors/words-100d.txt.gz"), epochs=3)
    batch = batch_maker(kb, needs_vectors=False).make(documents)
    counts = np.bincount(batch.table.mention_of, minlength=batch.table.mentions)
    chance = (gold_rows(batch, kb) / counts[batch.table.mention_of]).sum() / batch.table.mentions
    assert share_right(kb, documents) > chance + 0.05


def part_of_places(real_data: Callable[[str], Path], names: set[str], folder: Path) -> KB:
    with gzip.open(real_data("places/nodes.tsv.gz"), "rt", encoding="utf-8") as lines:
        header = next(lines)
        kept = [line for i, line in enumerate(lines) if i % 10 == 0 or not names.isdisjoint(re.split(r"[\t|]", line))]
    (folder / "nodes.tsv").write_text(header + "".join(kept), encoding="utf-8")
    ids = {line.partition("\t")[0] for line in kept}
    with gzip.open(real_data("places/edges.tsv.gz"), "rt", encoding="utf-8") as lines:
        header = next(lines)
        joined = [line for line in lines if not ids.isdisjoint(line.rstrip("\n").split("\t"))]
    (folder / "edges.tsv").write_text(header + "".join(joined), encoding="utf-8")
    return build_untrained([folder / "nodes.tsv", folder / "edges.tsv"], folder / "places.kb", embedding=None)

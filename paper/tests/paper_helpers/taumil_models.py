"""tau-MIL-ND on the planted corpus of players and countries: a trained model, and what it scores."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.scoring import scores_of
from helpers.shared_builds import build_once
from paper_helpers.players_and_countries import planted_kb, training_sentences, word_vectors

from eigenthemes import KB
from eigenthemes.evaluation.comparison import evaluate
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.records import Document

LONG: dict[str, Any] = {"word_vectors": word_vectors(), "epochs": 13, "patience": 13, "batch_size": 10}  # it learns
SHORT: dict[str, Any] = {"word_vectors": word_vectors(), "epochs": 3, "patience": 9}


def trained_planted_kb(factory: pytest.TempPathFactory) -> KB:
    """Return the planted KB with a model of its own, of seed 0; nobody may change it."""
    from eigenthemes_paper.taumil.training import train_taumil

    def build(folder: Path) -> None:
        train_taumil(planted_kb(folder), training_sentences(0), **LONG)

    return KB.open(build_once(factory, "planted", build) / "planted.kb")


def scores(kb: KB, documents: list[Document], method: str = "taumil", **options: Any) -> np.ndarray[Any, Any]:
    """Score the candidates of documents."""
    batch = batch_maker(kb, needs_vectors=False).make(documents)
    return scores_of(method, batch, kb, **options)


def share_right(kb: KB, documents: list[Document], method: str = "taumil", **options: Any) -> float:
    """Return precision@1."""
    results = evaluate(kb, documents, [method], scoring=options).summary()
    return float(results[method]["overall"]["p_at_1"])

"""Score batches by a method's name, with options by name."""

from __future__ import annotations

from typing import Any

from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.methods import Scored, method_named, scoring_options
from eigenthemes.ranking.options import Scores


def score_in_detail(method: str, batch: Batch, kb: KB, **options: Any) -> Scored:
    """Score a batch; an option that the method does not use is refused."""
    chosen = method_named(method)
    hold_blas_to_one_thread()
    return chosen(batch, kb, scoring_options({method: chosen}, options)[method])


def scores_of(method: str, batch: Batch, kb: KB, **options: Any) -> Scores:
    """Return the score of each candidate of a batch."""
    return score_in_detail(method, batch, kb, **options).scores

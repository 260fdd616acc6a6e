"""tau-MIL-ND as a method: how well a candidate fits the words around the mention, by a model that was trained for the KB."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.options import Scores, TaumilOptions
from eigenthemes.ranking.taumil import need_torch

if TYPE_CHECKING:
    from eigenthemes.ranking.taumil.scorer import TaumilScorer


def taumil_scores(batch: Batch, kb: KB, options: TaumilOptions) -> tuple[Scores, Scores]:
    """Return the scores [n], and the probability of each mention that no candidate is right [mentions].

    The score is that of the model, in margins, plus the logarithm of the weight rank^-delta: added as a logarithm, a weight
    never promotes a bad candidate, as it would multiplied with a negative score.
    """
    scores, noise = open_scorer(kb, options).score(batch)
    return scores - options.delta * np.log(batch.table.rank), noise


def open_scorer(kb: KB, options: TaumilOptions) -> TaumilScorer:
    """Open the model that is asked for; whatever is wrong with it is said now."""
    need_torch("tau-MIL-ND")
    from eigenthemes.ranking.taumil.scorer import TaumilScorer

    return TaumilScorer.open(kb, options.model)

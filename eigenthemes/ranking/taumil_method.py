"""tau-MIL-ND as a method: how well a candidate fits the words around the mention, by a model that `train-taumil` made."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from eigenthemes.kb.store import KB
from eigenthemes.ranking.batch import Batch
from eigenthemes.ranking.options import MethodOptions, Scores
from eigenthemes.ranking.taumil import need_torch

if TYPE_CHECKING:
    from eigenthemes.ranking.taumil.scorer import Judge


def taumil(batch: Batch, kb: KB, *, options: MethodOptions) -> Scores:
    """The score of the model, in margins, plus the logarithm of the weight rank^-delta; delta is 0 without weights.

    Added as a logarithm, a weight never promotes a bad candidate, as it would multiplied with a negative score.
    """
    return taumil_and_noise(batch, kb, options=options)[0]


def taumil_and_noise(batch: Batch, kb: KB, *, options: MethodOptions) -> tuple[Scores, Scores]:
    """The scores [n], and the probability that some candidate is right, 1 - p_noise, of each mention [mentions]."""
    scores, noise = judge_of(kb, options).judge(batch)
    return scores - options.delta * np.log(batch.table.rank), 1.0 - noise


def judge_of(kb: KB, options: MethodOptions) -> Judge:
    """The model that is asked for; whatever is wrong with it is said now."""
    need_torch("tau-MIL-ND")
    from eigenthemes.ranking.taumil.scorer import Judge

    return Judge.open(kb, options.model)

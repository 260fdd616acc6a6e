"""tau-MIL-ND as a method of the product: its options, and the scores of a batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from eigenthemes.core.checks import check_number
from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.methods import Method, Scored
from eigenthemes_paper.taumil.sentences import check_text

if TYPE_CHECKING:
    from eigenthemes_paper.taumil.scorer import TaumilScorer


@dataclass(frozen=True, slots=True, kw_only=True)
class TaumilOptions:
    """Options of the methods `taumil` and `taumil-weighted`.

    Parameters
    ----------
    model
        File of a trained model; None: the KB's own.
    delta
        Weights are rank^-delta.
    """

    model: str | None = None
    delta: float = 1.0

    def __post_init__(self) -> None:
        check_number("delta", self.delta, "0 or more", least=0)


def score_batch(batch: Batch, kb: KB, options: TaumilOptions) -> Scored:
    """Score the candidates of a batch, and return the probability of each mention that one of them is right.

    The score is that of the model, in margins, plus the logarithm of the weight rank^-delta: added as a logarithm, a weight
    never promotes a bad candidate, as it would multiplied with a negative score.
    """
    scores, noise = open_scorer(kb, options).score(batch)
    return Scored(scores - options.delta * np.log(batch.table.rank), match_probability=1.0 - noise)


def open_scorer(kb: KB, options: TaumilOptions) -> TaumilScorer:
    """Open the model that the options name, and refuse one that cannot be used."""
    from eigenthemes_paper.taumil.scorer import TaumilScorer  # imports torch, which takes a second

    return TaumilScorer.open(kb, options.model)


_SHARED: dict[str, Any] = {"options": TaumilOptions, "tells_noise": True, "prepare": open_scorer, "check": check_text}
TAUMIL = Method(score_batch, unused=("delta",), fixed={"delta": 0.0}, **_SHARED)
TAUMIL_WEIGHTED = Method(score_batch, **_SHARED)

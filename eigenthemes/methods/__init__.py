"""The methods by name: a function of a batch, with the options a name stands for."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np

from eigenthemes.batch import Batch
from eigenthemes.blas import one_thread
from eigenthemes.errors import OptionError
from eigenthemes.kb import KB
from eigenthemes.methods.plain import MethodOptions, Scores, average, degree, eigen, namematch, prior_name


@dataclass(frozen=True, slots=True)
class Method:
    """How candidates are scored.

    score          the function
    needs_vectors  can it work on a KB without vectors?
    weighted       does it weigh candidates by rank? (else delta is 0)
    answers_above  a candidate with no more than this is no answer
    """

    score: Callable[..., Scores]
    needs_vectors: bool = False
    weighted: bool = True
    answers_above: float = -np.inf

    def __call__(self, batch: Batch, kb: KB, options: MethodOptions) -> Scores:
        with one_thread() if self.needs_vectors else nullcontext():
            scores = self.score(batch, kb, options=options if self.weighted else replace(options, delta=0.0))
        if not np.isfinite(scores).all():
            raise ValueError("a score is not finite: the vectors of the KB are damaged")
        return scores


__all__ = ["DEFAULT", "METHODS", "Method", "MethodOptions", "method_named"]

METHODS = {
    "eigen": Method(eigen, needs_vectors=True),
    "eigen-unweighted": Method(eigen, needs_vectors=True, weighted=False),
    "average": Method(average, needs_vectors=True),
    "average-unweighted": Method(average, needs_vectors=True, weighted=False),
    "degree": Method(degree),
    "namematch": Method(namematch, answers_above=0.0),
    "prior-name": Method(prior_name),
}
DEFAULT = "eigen"


def method_named(name: str) -> Method:
    """The method of a name."""
    if name not in METHODS:
        raise OptionError(f"method {name!r} is unknown; expected one of {', '.join(METHODS)}")
    return METHODS[name]

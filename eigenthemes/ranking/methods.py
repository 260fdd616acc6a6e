"""The methods by name: a function of a batch, with the options a name stands for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np

from eigenthemes.core.blas import one_thread
from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB
from eigenthemes.ranking.baselines import average, degree, eigen, namematch, prior_name
from eigenthemes.ranking.batch import Batch
from eigenthemes.ranking.context import check_text, global_context, local_context, texts_of
from eigenthemes.ranking.options import MethodOptions, Scores
from eigenthemes.ranking.selftrained import has_ranker, ranker_of, selftrained
from eigenthemes.ranking.taumil.sentences import check_text as check_sentences
from eigenthemes.ranking.taumil_method import judge_of, taumil, taumil_and_noise
from eigenthemes.records import Document


@dataclass(frozen=True, slots=True)
class Method:
    """How candidates are scored.

    score          the function
    needs_vectors  can it work on a KB without vectors?
    weighted       does it weigh candidates by rank? (else delta is 0)
    answers_above  a candidate with no more than this is no answer
    calibrated     is the score a probability? Then the KB's ranker has a threshold for answers
    needs          says at once what a KB or the options lack for it; None: nothing can be missing
    reads          refuses a document without the words it reads; None: it reads none
    with_chances   the scores, and the probability of each mention that any candidate is right; None: it knows of none
    """

    score: Callable[..., Scores]
    needs_vectors: bool = False
    weighted: bool = True
    answers_above: float = -np.inf
    calibrated: bool = False
    needs: Callable[[KB, MethodOptions], object] | None = None
    reads: Callable[[Document], None] | None = None
    with_chances: Callable[..., tuple[Scores, Scores]] | None = None

    def __call__(self, batch: Batch, kb: KB, options: MethodOptions) -> Scores:
        with one_thread() if self.needs_vectors or self.calibrated else nullcontext():
            scores = self.score(batch, kb, options=self.told(options))
        if not np.isfinite(scores).all():
            raise ValueError("a score is not finite: the vectors of the KB are damaged")
        return scores

    def told(self, options: MethodOptions) -> MethodOptions:
        """The options as this method takes them."""
        return options if self.weighted else replace(options, delta=0.0)

    @property
    def weighs(self) -> bool:
        """Do weights by rank enter its score?"""
        return self.needs_vectors and self.weighted

    def check(self, kb: KB, options: MethodOptions) -> None:
        """Whatever a KB lacks for this method is said now."""
        if self.needs is not None:
            self.needs(kb, options)
        elif self._weighs_by_words(options):
            texts_of(kb, options)

    def check_document(self, document: Document, options: MethodOptions) -> None:
        """Whatever a document lacks for this method is said before it is linked with others."""
        if self.reads is not None:
            self.reads(document)
        elif self._weighs_by_words(options):
            check_text(document)

    def _weighs_by_words(self, options: MethodOptions) -> bool:
        return self.weighs and options.weights in ("local", "global")


__all__ = ["METHODS", "Method", "MethodOptions", "check_ranker", "check_weights", "default_method", "method_named"]

METHODS = {
    "selftrained": Method(selftrained, calibrated=True),
    "eigen": Method(eigen, needs_vectors=True),
    "eigen-unweighted": Method(eigen, needs_vectors=True, weighted=False),
    "average": Method(average, needs_vectors=True),
    "average-unweighted": Method(average, needs_vectors=True, weighted=False),
    "degree": Method(degree),
    "namematch": Method(namematch, answers_above=0.0),
    "prior-name": Method(prior_name),
    "local-context": Method(local_context, needs=texts_of, reads=check_text),
    "global-context": Method(global_context, needs=texts_of, reads=check_text),
    "taumil": Method(taumil, weighted=False, needs=judge_of, reads=check_sentences, with_chances=taumil_and_noise),
    "taumil-weighted": Method(taumil, needs=judge_of, reads=check_sentences, with_chances=taumil_and_noise),
}


def default_method(kb: KB, vectors: str | None = None) -> str:
    """The best method a KB is ready for: its own ranker, else the paper's, else, without vectors, prior times name."""
    if has_ranker(kb, vectors or next(iter(kb.vector_sets), None)):
        return "selftrained"
    return "eigen" if kb.vector_sets else "prior-name"


def check_ranker(kb: KB, vectors: str | None) -> float:
    """The ranker's threshold; whatever is wrong with it is said now."""
    return ranker_of(kb, vectors or next(iter(kb.vector_sets), None)).threshold


def check_weights(chosen: Mapping[str, Method], options: MethodOptions) -> None:
    """Weights that no method would look at are refused: they would seem to have been tried."""
    if options.weights != "degree" and not any(method.weighs for method in chosen.values()):
        raise OptionError(
            f"weights {options.weights} mean nothing to {', '.join(chosen)}; leave them out, or use eigen or average"
        )


def method_named(name: str) -> Method:
    """The method of a name."""
    if name not in METHODS:
        raise OptionError(f"method {name!r} is unknown; expected one of {', '.join(METHODS)}")
    return METHODS[name]

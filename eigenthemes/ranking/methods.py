"""The methods by name: a function of a batch, the options it takes, and what it needs of a KB and of documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core import extensions
from eigenthemes.core.extensions import find_extension, load_extensions
from eigenthemes.core.threads import limit_blas_threads
from eigenthemes.errors import OptionError
from eigenthemes.kb.entity_records import damaged
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking import baselines
from eigenthemes.ranking.options import (
    TEXT_WEIGHTS,
    AverageOptions,
    ContextOptions,
    EigenOptions,
    Scores,
    option_names,
    refuse_changed,
)
from eigenthemes.ranking.ranker import BatchRanking, has_ranker, rank_with_kb
from eigenthemes.records import Document

_LONGEST_COORDINATE = 1.01  # of a vector of unit length, and a little for rounding


@dataclass(frozen=True, slots=True)
class Scored:
    """The result of a method for a batch.

    scores             [n] float64 of each candidate, higher is better; a probability where the method is calibrated
    match_probability  [mentions] that any candidate is right, by methods that say so beside their scores
    ranking            what the self-trained ranker computed on the way: explanations are made of it
    detection_factor   [mentions] that a mention found by its spelling is a name at all; None: all mentions were given
    if_in_kg           [mentions] the probability of the best candidate, if the right entity is in the KG; None: of its score
    """

    scores: Scores
    match_probability: Scores | None = None
    ranking: BatchRanking | None = None
    detection_factor: Scores | None = None
    if_in_kg: Scores | None = None


def check_vectors(vectors: Vectors | None, entities: NDArray[np.uint32], kb: KB) -> None:
    """Refuse damaged vectors of some entities: none of unit length has such coordinates."""
    if vectors is not None and not np.all(np.abs(vectors.rows[entities]) < _LONGEST_COORDINATE):
        raise damaged(kb.path, f"vectors-{vectors.name}.npy has numbers that are no coordinates of unit vectors")


@dataclass(frozen=True, slots=True)
class Method:
    """A method that scores candidates, to be compared by `evaluate`; of your own, `Method(score)` is enough.

    Parameters
    ----------
    score
        `score(batch, kb, options)` returns a number for each row of `batch.table`, higher is better, as float64 [n].
    options
        The type of options it takes; None: it has none.
    unused
        Options of that type that it does not use.
    fixed
        Options of that type whose value it sets itself.
    needs_vectors
        Refuse a KB without vectors; `batch.vectors` has them.
    min_score
        A candidate must score more than this to be an answer.
    calibrated
        The score is a probability, and the KB's ranker has a threshold for answers.
    tells_noise
        Beside its scores it says how probable it is that any candidate is right.
    prepare
        `prepare(kb, options)` loads what it needs, and raises an `OptionError` if something is missing.
    check
        `check(document)` raises a `DocumentError` for a document without what it reads.
    """

    score: Callable[..., Scores | Scored]
    options: type[Any] | None = None
    unused: tuple[str, ...] = ()
    fixed: Mapping[str, Any] | None = None
    needs_vectors: bool = False
    min_score: float = -np.inf
    calibrated: bool = False
    tells_noise: bool = False
    prepare: Callable[[KB, Any], object] | None = None
    check: Callable[[Document], None] | None = None

    def __call__(self, batch: Batch, kb: KB, options: Any = None) -> Scored:
        """Score the candidates of a batch."""
        limit_blas_threads()  # once per process: whoever calls a method without a linker gets the same bits
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):  # only damage makes such numbers, and is told below
            try:
                result = self.score(batch, kb, self.effective(options))
            except ValueError:  # LAPACK takes finite numbers only
                check_vectors(batch.vectors, batch.table.entity, kb)
                raise
        scored = result if isinstance(result, Scored) else Scored(np.asarray(result, dtype=np.float64))
        if scored.scores.shape != (len(batch.table),):
            found = f"an array of the shape {scored.scores.shape} for {len(batch.table)} candidates"
            raise OptionError(f"a method returned {found}; expected a number for each row of batch.table")
        if not np.isfinite(scored.scores).all():
            check_vectors(batch.vectors, batch.table.entity, kb)
            if not self.calibrated:
                raise OptionError("a method returned scores that are no finite numbers; return a number for each candidate")
            raise damaged(kb.path, "its ranker gives scores that are no numbers")
        return scored

    @property
    def uses_vectors(self) -> bool:
        """Return whether it scores by vectors, or by a ranker that was trained with a set of them."""
        return self.needs_vectors or self.calibrated

    @property
    def uses(self) -> tuple[str, ...]:
        """The names of the options it uses."""
        return tuple(name for name in option_names(self.options) if name not in self.unused)

    def uses_beside(self, given: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the names of the options it uses, given others: words count only where weights come from text."""
        if self.options not in (AverageOptions, EigenOptions):
            return self.uses
        weights = given.get("weights", "degree")
        idle = {"word_vectors": weights not in TEXT_WEIGHTS, "window": weights != "local"}
        return tuple(name for name in self.uses if not idle.get(name))

    def effective(self, options: Any) -> Any:
        """Return the options as the function takes them: defaults where none were given, and what the method sets itself."""
        if self.options is None:
            return None
        given = self.options() if options is None else options
        return replace(given, **self.fixed) if self.fixed else given

    def check_options(self, name: str, options: Any) -> None:
        """Refuse options of another kind, and those it does not use."""
        if options is None:
            return
        if self.options is None or type(options) is not self.options:
            takes = "takes no options" if self.options is None else f"takes {self.options.__name__}"
            raise OptionError(
                f"the method {name} {takes}, but {type(options).__name__} was given; leave them out, or choose another method",
                code="unused-option",
            )
        refuse_changed(options, self.unused, f"the method {name}")

    def make_ready(self, kb: KB, options: Any) -> None:
        """Load the parts of a KB that the method needs, and report what is missing."""
        effective = self.effective(options)
        if self.prepare is not None:
            self.prepare(kb, effective)
        elif _weighs_by_text(effective):
            baselines.texts_of(kb, effective.word_vectors)

    def check_document(self, document: Document, options: Any) -> None:
        """Refuse a document that lacks what it reads, before it is linked with others."""
        if self.check is not None:
            self.check(document)
        elif _weighs_by_text(self.effective(options)):
            baselines.check_text(document)


def _weighs_by_text(options: Any) -> bool:
    return isinstance(options, AverageOptions) and options.weights in TEXT_WEIGHTS


def _selftrained(batch: Batch, kb: KB, options: None) -> Scored:
    """Score by the probability that a candidate is what a mention means; the rest, up to 1, is that none of them is."""
    ranking = rank_with_kb(batch, kb)
    if_in_kg = ranking.if_in_kg[ranking.groups.group_of]
    return Scored(ranking.candidate_probability, ranking=ranking, detection_factor=ranking.detection_factor, if_in_kg=if_in_kg)


_UNWEIGHTED: dict[str, Any] = {
    "unused": ("delta", "weights", "window", "word_vectors"),
    "fixed": {"delta": 0.0},
    "needs_vectors": True,
}

METHODS = {
    "selftrained": Method(_selftrained, calibrated=True),
    "eigen": Method(baselines.eigen, EigenOptions, needs_vectors=True),
    "eigen-unweighted": Method(baselines.eigen, EigenOptions, **_UNWEIGHTED),
    "average": Method(baselines.average, AverageOptions, needs_vectors=True),
    "average-unweighted": Method(baselines.average, AverageOptions, **_UNWEIGHTED),
    "degree": Method(baselines.degree),
    "namematch": Method(baselines.namematch, min_score=0.0),
    "prior-name": Method(baselines.prior_name),
    "local-context": Method(
        baselines.local_context,
        ContextOptions,
        prepare=lambda kb, options: baselines.texts_of(kb, options.word_vectors),
        check=baselines.check_text,
    ),
    "global-context": Method(
        baselines.global_context,
        ContextOptions,
        unused=("window",),
        prepare=lambda kb, options: baselines.texts_and_nouns_of(kb, options.word_vectors),
        check=baselines.check_text,
    ),
}


def default_method(kb: KB, vectors: str | None = None) -> str:
    """Return the best method that a KB supports: selftrained, else eigen, else, without vectors, prior-name."""
    if has_ranker(kb, vectors or next(iter(kb.vector_sets), None)):
        return "selftrained"
    return "eigen" if kb.vector_sets else "prior-name"


def method_named(name: str) -> Method:
    """Return the method of a name, built in or of an installed extension."""
    method: Method | None = METHODS.get(name) or find_extension(extensions.METHODS, name)
    if method is None:
        raise OptionError(f"method {name!r} is unknown; expected one of {', '.join(all_methods())}")
    return method


def all_methods() -> dict[str, Method]:
    """Return all methods by name, those of installed extensions last."""
    return METHODS | load_extensions(extensions.METHODS)


def scoring_options(methods: Mapping[str, Method], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return method -> its options, from values by name; a value that none of the methods uses is refused."""
    used = {name: method.uses_beside(given) for name, method in methods.items()}
    for option in given:
        if not any(option in names for names in used.values()):
            users = [name for name, method in all_methods().items() if option in method.uses]
            who = f"the method {next(iter(methods))}" if len(methods) == 1 else f"any of {', '.join(methods)}"
            raise OptionError(
                f"the option {option} means nothing to {who}; leave it out, or choose one of {', '.join(users)}",
                code="unused-option",
                where=option,
            )
    return {
        name: None if method.options is None else method.options(**{key: given[key] for key in used[name] if key in given})
        for name, method in methods.items()
    }

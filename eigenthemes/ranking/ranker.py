"""The self-trained ranker: choice among candidates, NIL, and calibrated confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.pipeline.batch import Batch
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.adaptation import Adaptation, CorpusPrior
from eigenthemes.ranking.cells import CELL_NIL, CellModel, CellRound
from eigenthemes.ranking.detection import Detection, FalseMatchModel, detect
from eigenthemes.ranking.features import (
    COLUMNS,
    LOCAL,
    FeatureContext,
    WeightedCandidates,
    local_features,
    memory,
    theme_features,
)
from eigenthemes.ranking.features.coincidence import CellEvidence
from eigenthemes.ranking.features.nil import (
    NIL_COLUMNS,
    dot,
    from_named,
    highest,
    logit,
    nil_features,
    sigmoid,
    softmax,
    to_named,
)
from eigenthemes.ranking.features.row import RowAgreement
from eigenthemes.ranking.features.topic import Topics, find_topics, kind_utility

Floats = NDArray[np.float64]

_MOST_OF_NIL = 0.8  # that candidates may gain
_CERTAIN = 1e-12  # distance from 0 and 1 at which odds are counted as endless


class Confidence(NamedTuple):
    """Calibration of the probability of a best candidate, by its log-odds.

    z = slope z0 + shift                             if the right entity is in the KG; z0 is what the models find
    overall z - coverage (1 - coverage of its name)  in any case: a name that fits badly is often that of a missing entity
    """

    slope: float = 1.0
    shift: float = 0.0
    overall: float = 1.0
    coverage: float = 0.0

    def if_in_kg(self, probability: Floats) -> Floats:
        """Return the calibrated probabilities of best candidates, if the right entity is in the KG."""
        return sigmoid(self.slope * logit(probability, _CERTAIN) + self.shift)

    def calibrate(
        self, groups: MentionGroups, probability: Floats, nil: Floats, coverage: NDArray[Any]
    ) -> tuple[Floats, Floats, Floats]:
        """Return the calibrated probability of each candidate [n], of NIL [m], and of the best one if it is in the KG [m].

        All candidates of a group change by the same factor. Table cells stay unchanged.

        coverage  [n] of the name of each candidate, by its alignment
        """
        counts = np.diff(groups.bounds)
        best = np.where(counts > 0, highest(probability, groups.bounds), 0.0) if len(probability) else np.zeros(len(counts))
        if self == AS_FOUND or not len(probability):
            return probability, nil, best
        of_best = np.where(probability == np.repeat(best, counts), coverage, 0.0)
        in_kg = self.if_in_kg(best)
        fits = np.where(counts > 0, highest(of_best, groups.bounds), 0.0)
        told = sigmoid(self.overall * logit(in_kg, _CERTAIN) - self.coverage * (1 - fits))
        changed = (best > 0) & np.repeat(groups.batch.in_text, np.diff(groups.document_bounds))
        total = np.bincount(groups.group, weights=probability, minlength=len(counts))
        most = 1 - (1 - _MOST_OF_NIL) * nil
        factor = np.where(changed, np.minimum(told / np.maximum(best, _CERTAIN), most / np.maximum(total, _CERTAIN)), 1.0)
        calibrated = probability * np.repeat(factor, counts)
        return calibrated, np.where(changed, 1 - total * factor, nil), np.where(changed, np.maximum(in_kg, best * factor), best)


AS_FOUND = Confidence()


Features = NDArray[np.float32]

ROUNDS = 3  # in the first, each mention speaks for itself
_FIELDS = ("rounds", "threshold", "temperature", "chance", "adapted", "tables", "topic", "pile", "confidence")
_LONGER_NAME, _COVERAGE = COLUMNS.index("longer_name"), COLUMNS.index("coverage")


class Weights(NamedTuple):
    """Of one round: `choice` [c] of a candidate's columns, `nil` [g] of NIL_COLUMNS and the best candidate's columns."""

    choice: Floats
    nil: Floats


@dataclass(frozen=True, slots=True)
class Ranker:
    """A trained ranker.

    rounds       weights of each round; the first knows the columns LOCAL only, the others all COLUMNS
    temperature  the last round's utilities of candidates are divided by it: how much less sure to be which one is right
    threshold    the least probability of a link
    about        how it was trained, and how far its probabilities could be trusted there
    false_matches  separates names from false matches, for detected mentions; None: not trained
    adaptation   what was learned from a corpus without labels; None: nothing
    cells        what is different for the cells of tables; None: as in a text
    topic        how much likelier what a text is about makes candidates: its log; 0: not at all
    corpus_prior   the prior of a corpus; None: the KB was not adapted
    confidence   how sure to be of best candidates in texts, given what the models find
    """

    rounds: tuple[Weights, ...]
    temperature: float = 1.0
    threshold: float = 0.0
    about: dict[str, Any] = field(default_factory=dict)
    false_matches: FalseMatchModel | None = None
    adaptation: Adaptation | None = None
    cells: CellModel | None = None
    topic: float = 0.0
    corpus_prior: CorpusPrior | None = None
    confidence: Confidence = AS_FOUND

    @property
    def cell_threshold(self) -> float | None:
        """The least probability of a link of a cell; None: the same as in a text."""
        return None if self.cells is None else self.cells.threshold

    def to_dict(self) -> dict[str, Any]:
        """Describe it for the KB's manifest: names and weights a person can read."""
        rounds = [
            {"choice": to_named(columns, weights.choice), "none": to_named((*NIL_COLUMNS, *columns), weights.nil)}
            for columns, weights in zip(_columns(len(self.rounds)), self.rounds, strict=True)
        ]
        described = {
            "threshold": round(self.threshold, 4),
            "temperature": round(self.temperature, 4),
            "topic": round(self.topic, 4) if self.topic > 0 else None,
            "confidence": None if self.confidence == AS_FOUND else self.confidence._asdict(),
            **self.about,
            "rounds": rounds,
            "chance": None if self.false_matches is None else self.false_matches.to_dict(),
            "adapted": None if self.adaptation is None else asdict(self.adaptation),
            "tables": None if self.cells is None else self.cells.to_dict(),
            "pile": None if self.corpus_prior is None else asdict(self.corpus_prior),
        }
        return {name: part for name, part in described.items() if part is not None}

    @classmethod
    def of(cls, described: dict[str, Any]) -> Ranker:
        """Make it from the manifest. A column it does not know weighs nothing."""
        rounds = tuple(
            Weights(
                from_named(columns, weights["choice"]),
                from_named((*NIL_COLUMNS, *columns), weights["none"]),
            )
            for columns, weights in zip(_columns(len(described["rounds"])), described["rounds"], strict=True)
        )
        return cls(
            rounds,
            float(described["temperature"]),
            float(described["threshold"]),
            {key: value for key, value in described.items() if key not in _FIELDS},
            FalseMatchModel.of(described["chance"]) if "chance" in described else None,
            Adaptation(**described["adapted"]) if "adapted" in described else None,
            CellModel.of(described["tables"]) if "tables" in described else None,
            float(described.get("topic", 0.0)),
            CorpusPrior(**described["pile"]) if "pile" in described else None,
            Confidence(**described.get("confidence", {})),
        )


def with_memory_weights(ranker: Ranker) -> Ranker:
    """Return a ranker with the weights of memory that made-up documents cannot teach."""
    rounds = tuple(
        Weights(
            _with_weights(columns, weights.choice, memory.CHOICE),
            _with_weights((*NIL_COLUMNS, *columns), weights.nil, memory.NIL),
        )
        for columns, weights in zip(_columns(len(ranker.rounds)), ranker.rounds, strict=True)
    )
    cells = ranker.cells
    if cells is not None and cells.nil is not None:
        cells = replace(cells, nil=_with_weights(CELL_NIL, cells.nil, memory.NIL))
    return replace(ranker, rounds=rounds, cells=cells)


def _with_weights(columns: tuple[str, ...], weights: Floats, given: Mapping[str, float]) -> Floats:
    return np.array([given.get(column, weight) for column, weight in zip(columns, weights, strict=True)])


def _columns(rounds: int) -> list[tuple[str, ...]]:
    return [LOCAL] + [COLUMNS] * (rounds - 1)


@dataclass(frozen=True, slots=True)
class BatchRanking:
    """The ranker's result for a batch, as decisions and explanations need it.

    groups           the mention groups of the batch, and their candidates
    features         [n, c] COLUMNS of each candidate in the last round
    probability      [n] of each candidate; nil_probability [m] that no candidate of a group is right, 1 where there is none
    if_in_kg         [m] the probability of the best candidate, if the right entity is in the KG
    weight           [n] how likely each candidate was when it supported others in the last round; 0: it supported nobody
    detection        how likely names found by their spelling are names at all; None: all mentions were given
    cells            what the columns of tables said in the last round; None: there are no tables
    rows             what the rows of tables say beside; None: nothing
    corpus_prior     [n] what the corpus prior added to the utility of each candidate; None: the KB was adapted to none
    kinds            [n] what words for kinds in its text added to the utility of each candidate; None: the KG has no kinds
    topics           what the documents are about; None: that did not count
    """

    groups: MentionGroups
    features: Features
    probability: Floats
    nil_probability: Floats
    if_in_kg: Floats
    weight: Features
    detection: Detection | None = None
    cells: CellRound | None = None
    rows: RowAgreement | None = None
    corpus_prior: Floats | None = None
    kinds: Floats | None = None
    topics: Topics | None = None

    @property
    def candidate_probability(self) -> Floats:
        """The probability of each candidate in the order of the batch's table."""
        return self.probability[self.groups.row_of_candidate] if self.rows is None else self.rows.probability

    @property
    def detection_factor(self) -> Floats | None:
        """Return the probability that each mention is a name of this KG [mentions]; None if all were given."""
        return None if self.detection is None else self.detection.factor[self.groups.group_of]


def rank_batch(ranker: Ranker, batch: Batch, context: FeatureContext) -> BatchRanking:
    """Rank the candidates of a batch."""
    groups = MentionGroups.of(batch)
    features = np.empty((len(groups.table_row), len(COLUMNS)), np.float32)
    local, joint = features[:, : len(LOCAL)], features[:, len(LOCAL) :]
    local[:] = local_features(groups, context)
    cell_model, evidence, cells = ranker.cells, None, None
    if cell_model is not None and context.attributes is not None:
        evidence = CellEvidence.of(groups, local[:, _COVERAGE], context.attributes)
    corpus_prior = None if ranker.corpus_prior is None else ranker.corpus_prior.utility(groups, context.kb)
    kinds = kind_utility(groups, context, ranker.topic)
    added = corpus_prior if kinds is None else kinds if corpus_prior is None else corpus_prior + kinds
    first, *others = ranker.rounds
    probability, nil_probability = probabilities(first, local, groups, added=added)
    candidates = WeightedCandidates.of(groups, context, probability)
    for number, weights in enumerate(others, start=1):
        is_last = number == len(others)
        joint[:] = theme_features(candidates)
        if cell_model is not None and evidence is not None:
            features[evidence.rows, _LONGER_NAME] = 0
            cells = CellRound(cell_model, evidence, evidence.elsewhere(probability), is_last=is_last)
        if not is_last:
            probability, nil_probability = probabilities(weights, features, groups, cells=cells, added=added)
            candidates = candidates.in_next_round(probability)
    probability, nil_probability, topics = last_probabilities(ranker, features, groups, context, cells, added)
    detection = detect(groups, features, probability, nil_probability, context, ranker.false_matches, ranker.adaptation)
    coverage = features[:, _COVERAGE]
    probability, nil_probability, in_kg = ranker.confidence.calibrate(groups, probability, nil_probability, coverage)
    rows = None if cells is None else RowAgreement.of(groups, probability, nil_probability, context)
    found = groups, features, probability, nil_probability, in_kg, candidates.weight
    return BatchRanking(*found, detection, cells, rows, corpus_prior, kinds, topics)


def last_probabilities(
    ranker: Ranker,
    features: Features,
    groups: MentionGroups,
    context: FeatureContext,
    cells: CellRound | None,
    added: Floats | None = None,
) -> tuple[Floats, Floats, Topics | None]:
    """Compute the probability of each candidate [n] and of NIL [m] after the last round, and what the documents are about."""
    last, temperature = ranker.rounds[-1], ranker.temperature
    probability, nil = probabilities(last, features, groups, temperature=temperature, cells=cells, added=added)
    topics = find_topics(groups, probability, context, ranker.topic)
    return probability if topics is None else probability * topics.factor, nil, topics


def probabilities(
    weights: Weights,
    features: Features,
    groups: MentionGroups,
    *,
    temperature: float = 1.0,
    cells: CellRound | None = None,
    added: Floats | None = None,
) -> tuple[Floats, Floats]:
    """Compute the probability of each candidate [n], and of NIL [m], by one round's weights; added [n]: to the utility."""
    utility = dot(features, weights.choice)
    if cells is not None:
        utility = utility + cells.utility
    if added is not None:
        utility = utility + added
    choice = softmax(utility, groups.bounds)
    columns = nil_features(groups, features, choice)
    odds = dot(columns, weights.nil)
    if cells is not None:
        odds = cells.nil_odds(odds, columns, choice)
    nil = sigmoid(odds)
    nil[np.diff(groups.bounds) == 0] = 1.0
    if temperature != 1.0:
        choice = softmax(utility / temperature, groups.bounds)
    return choice * np.repeat(1 - nil, np.diff(groups.bounds)), nil


def rank_with_kb(batch: Batch, kb: KB) -> BatchRanking:
    """Rank a batch by the KB's own ranker."""
    vectors = batch.vectors
    return rank_batch(ranker_of(kb, None if vectors is None else vectors.name), batch, feature_context_of(kb, vectors))


def has_ranker(kb: KB, vectors: str | None) -> bool:
    """Return whether a ranker was trained with these vectors (None: with none)."""
    return (vectors or "") in kb.rankers


def ranker_of(kb: KB, vectors: str | None) -> Ranker:
    """Return the ranker that was trained with a set of vectors (None: with none)."""
    if not has_ranker(kb, vectors):
        what = f"the vectors {vectors}" if vectors else "a KB without vectors"
        raise OptionError(
            f"{kb.path} has no ranker trained for {what}; train one, or choose another method",
            code="no-ranker-for-vectors" if vectors in list(kb.vector_sets)[1:] else "no-ranker",
            where=vectors if vectors in list(kb.vector_sets)[1:] else str(kb.path),
        )
    return kb.cached(_open_ranker, vectors or "")


def feature_context_of(kb: KB, vectors: Vectors | None) -> FeatureContext:
    """Return the feature context of a KB and a set of vectors; all threads share it."""
    return kb.cached(_feature_context, None if vectors is None else vectors.name)


def _open_ranker(kb: KB, vectors: str) -> Ranker:
    return Ranker.of(kb.rankers[vectors])


def _feature_context(kb: KB, vectors: str | None) -> FeatureContext:
    return FeatureContext.of(kb, None if vectors is None else kb.vectors(vectors))

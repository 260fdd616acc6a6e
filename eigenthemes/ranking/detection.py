"""Is it a name of this KG at all? The detection factor of a mention that was found by its spelling alone.

The ranker was trained on names that mean something, of which an eighth are not in the KG. Of the words of a text that are
spelled like a name of the KB, half mean nothing of the kind. What is known of a name is put together as log-odds z:

- *shift*: the ranker's own doubt, freed of how often it met NIL in training;
- *chance*: a model trained beside the ranker that tells names in synthetic documents from names thrown in by chance, by what
  the ranker sees of the document and by how popular the entity is among all (the ranker only knows: among the candidates). How
  the name is spelled is not in it, since all names it is trained on are spelled as the KB has them; and it never has the last
  word: what it says is bounded, because synthetic documents hang together better than texts do;
- *inflection*: the ranker doubts "coral reefs" where the KB has "coral reef"; for a span of a text it is as good as exact;
- *clues* of the text around the name, and abbreviations that the text itself defines;
- what people said of the name (`ranking.remembered`), and what was learned from a pile of documents, if the KB was adapted to
  one (`ranking.adaptation`).

With n names in the document, what other names support weighs n^2 / (n^2 + 6): where there are no others, their silence says
nothing, and the popularity of the entity speaks instead. How many of a document's names are chance, pi, is estimated from the
document: q = sigmoid(z + logit(1 - pi)), pi = the mean of 1 - q, drawn towards a third as if four more names had been seen;
repeated until it settles. Everything comes from the KB and the document: answers do not depend on who else is in the batch.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.mentions.clues import clues
from eigenthemes.ranking.abbreviated import abbreviation_clues
from eigenthemes.ranking.adaptation import Adaptation
from eigenthemes.ranking.features import COLUMNS, FeatureContext
from eigenthemes.ranking.features.nil import best_rows
from eigenthemes.ranking.logit import sigmoid
from eigenthemes.ranking.mention_groups import MentionGroups
from eigenthemes.ranking.remembered import remembered_odds
from eigenthemes.text.normalize import squash

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DETECTED_THRESHOLD = 0.4  # of the multiplied probability, unless the ranker's own is lower

_NIL_IN_TRAINING = 0.12  # share of mentions of synthetic documents without an answer
_SHIFT, _CHANCE, _ALONE = 0.7, 0.5, 0.5  # weights of the models
_MOST_BY_CHANCE = 1.0  # log-odds that a chance model may add or take, once weighted
_ALONE_BIAS, _ALONE_CLUES = 2.0, 2.0
_INFLECTED = 2.0  # log-odds that the ranker takes from a name for its other ending
_FEW = 6.0  # n^2 of so few names makes others count half
_USUAL_CHANCE, _USUAL_NAMES = 0.35, 4.0  # share of chance names, as if seen on so many
_ROUNDS = 30
_CERTAIN = 1e-6

POPULARITY = {
    "popularity": "log of the place by prior among all entities, as a share",
    "degree": "log of the number of neighbours",
    "names": "log of the number of names",
    "namesakes": "log of the number of entities of that name",
}
_OF_RANKER = ("none", "probability")  # log-odds of both
_UNSUPPORTED = ("alias", "cased", "log_prior", "log_rank", "log_names")  # columns that need no other name
_SUPPORT = ("coherence", "edges", "shared_rare", "shared", "longer_name", "same_entity")
CHANCE_COLUMNS = ("one", *POPULARITY, *_UNSUPPORTED, *_SUPPORT, *_OF_RANKER)
ALONE_COLUMNS = ("one", *POPULARITY, *_UNSUPPORTED)


@dataclass(frozen=True, slots=True)
class ChanceModel:
    """Weights that tell names from chance: `chance` of CHANCE_COLUMNS, `alone` of ALONE_COLUMNS, for names without others."""

    chance: Floats
    alone: Floats

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Describe it for the manifest."""
        both = ("chance", CHANCE_COLUMNS, self.chance), ("alone", ALONE_COLUMNS, self.alone)
        return {
            name: {column: round(float(weight), 4) for column, weight in zip(columns, weights, strict=True)}
            for name, columns, weights in both
        }

    @classmethod
    def of(cls, described: dict[str, Any]) -> ChanceModel:
        """Make it from the manifest. A column it does not know weighs nothing."""
        chance, alone = (
            np.array([described[name].get(column, 0.0) for column in columns])
            for name, columns in (("chance", CHANCE_COLUMNS), ("alone", ALONE_COLUMNS))
        )
        return cls(chance, alone)


@dataclass(frozen=True, slots=True)
class BestCandidates:
    """What is known of the best candidate of each mention group that has one.

    having       [b] the groups
    entity       [b]
    inflected    [b] its name has another ending
    known        [b] the name is one of the KB as it is spelled
    columns      [b, c] CHANCE_COLUMNS
    """

    having: Ints
    entity: Ints
    inflected: NDArray[np.bool_]
    known: NDArray[np.bool_]
    columns: Floats

    def only(self, kept: NDArray[np.bool_]) -> BestCandidates:
        """Return some of them."""
        return BestCandidates(*(getattr(self, name)[kept] for name in ("having", "entity", "inflected", "known", "columns")))

    @property
    def popularity(self) -> Floats:
        """POPULARITY of each [b, 4]."""
        return self.columns[:, 1 : 1 + len(POPULARITY)]

    @property
    def unsupported(self) -> Floats:
        """ALONE_COLUMNS of each [b, a]."""
        return self.columns[:, [CHANCE_COLUMNS.index(column) for column in ALONE_COLUMNS]]


def best_candidates(
    groups: MentionGroups, features: NDArray[np.float32], probability: Floats, nil: Floats, context: FeatureContext
) -> BestCandidates:
    """Compute what tells names from chance, of the best candidate of each group."""
    best_row = best_rows(groups, probability)
    having = np.flatnonzero(best_row >= 0)
    rows = best_row[having]
    entity = groups.entity[rows]
    namesakes = _namesakes(groups, context)[groups.name_of[having]]
    popularity = (
        np.log1p(entity) / np.log(max(2, len(context.kb))),
        np.log1p(context.kb.graph.degree[entity]),
        np.log1p(context.name_counts(entity)),
        np.log1p(np.maximum(1, namesakes)),
    )
    seen = features[rows][:, [COLUMNS.index(column) for column in (*_UNSUPPORTED, *_SUPPORT)]]
    columns = np.concatenate(
        (
            np.ones((len(having), 1)),
            np.stack(popularity, axis=1),
            seen.astype(np.float64),
            logit(nil[having])[:, None],
            logit(probability[rows])[:, None],
        ),
        axis=1,
    )
    return BestCandidates(having, entity, features[rows, COLUMNS.index("ending")] > 0, namesakes > 0, columns)


def _namesakes(groups: MentionGroups, context: FeatureContext) -> Ints:
    """Count the entities of each distinct name [k]."""
    index = context.kb.name_index
    rows = index.key_table.find_all(hash_strings(Strings.of([squash(name) for name in groups.names])))
    return np.where(rows < 0, 0, index.key_indptr[rows + 1] - index.key_indptr[np.maximum(rows, 0)])


@dataclass(frozen=True, slots=True)
class Detection:
    """How likely the mention groups of a batch are names of this KG at all.

    factor      [m] of each group; 1 where the mention was given
    abbreviated [m] what the text defines the name to stand for, where it speaks against it; else empty
    """

    factor: Floats
    abbreviated: list[str]


def detect(
    groups: MentionGroups,
    features: NDArray[np.float32],
    probability: Floats,
    nil: Floats,
    context: FeatureContext,
    model: ChanceModel | None,
    adaptation: Adaptation | None = None,
) -> Detection | None:
    """Compute the detection factor of the mention groups of a ranked batch; None where all mentions were given."""
    detected = groups.batch.detected
    if detected is None or not detected.any():
        return None
    best = best_candidates(groups, features, probability, nil, context)
    names = name_odds(groups, best, context, model)
    odds = names.odds + remembered_odds(groups, best.having, context)
    if adaptation is not None:
        odds = odds + adaptation.odds(groups, best.having, best.popularity, tuple(POPULARITY))
    factor = np.ones(len(groups))
    factor[best.having] = settle(odds, names.document, len(groups.batch.documents))
    factor[~detected[groups.first_mention]] = 1.0
    return Detection(factor, names.abbreviated)


@dataclass(frozen=True, slots=True)
class NameOdds:
    """Log-odds that groups with candidates are names at all [b], their documents [b], what abbreviations stand for [m]."""

    odds: Floats
    document: Ints
    abbreviated: list[str]


def name_odds(groups: MentionGroups, best: BestCandidates, context: FeatureContext, model: ChanceModel | None) -> NameOdds:
    """Put together what is known of each name, but for how many names of its document are chance."""
    counts = np.diff(groups.document_bounds)
    document = np.repeat(np.arange(len(counts)), counts)[best.having]
    told, abbreviated = _clues(groups, best, context)
    supported = (counts**2 / (counts**2 + _FEW))[document]
    among_others, alone = _supported_odds(best, model) + told, _lonely_odds(best, model) + _ALONE_CLUES * told
    odds = supported * among_others + (1 - supported) * alone + _INFLECTED * best.inflected
    return NameOdds(odds, document, abbreviated)


def _supported_odds(best: BestCandidates, model: ChanceModel | None) -> Floats:
    nil = best.columns[:, CHANCE_COLUMNS.index("none")]
    shift = np.log(_NIL_IN_TRAINING / (1 - _NIL_IN_TRAINING)) - nil
    if model is None:
        return np.asarray(shift)
    return np.asarray(_SHIFT * shift + _bounded(_CHANCE * np.einsum("ij,j->i", best.columns, model.chance)))


def _lonely_odds(best: BestCandidates, model: ChanceModel | None) -> Floats:
    if model is None:
        return np.full(len(best.having), 2 * _ALONE_BIAS)
    return _bounded(_ALONE * np.einsum("ij,j->i", best.unsupported, model.alone)) + _ALONE_BIAS


def _bounded(odds: Floats) -> Floats:
    return np.clip(odds, -_MOST_BY_CHANCE, _MOST_BY_CHANCE)


def settle(z: Floats, document: Ints, documents: int) -> Floats:
    """Return sigmoid(z + logit(1 - pi)) [b], pi the mean of its complement over the names of each document."""
    counts = np.bincount(document, minlength=documents) + _USUAL_NAMES
    chance = np.full(documents, _USUAL_CHANCE)
    factor = sigmoid(z)
    for _ in range(_ROUNDS):
        factor = sigmoid(z - logit(chance)[document])
        chance = (np.bincount(document, weights=1 - factor, minlength=documents) + _USUAL_NAMES * _USUAL_CHANCE) / counts
    return factor


def _clues(groups: MentionGroups, best: BestCandidates, context: FeatureContext) -> tuple[Floats, list[str]]:
    """Return the mean clue of the mentions of each group that has candidates [b], and what abbreviations stand for [m]."""
    batch = groups.batch
    of_mention = [
        clue for document, first, last in batch.document_spans() for clue in clues(document, batch.mentions[first:last])
    ]
    total = np.bincount(groups.group_of, weights=np.array(of_mention, dtype=np.float64), minlength=len(groups))
    mean = total / np.maximum(1, np.bincount(groups.group_of, minlength=len(groups)))
    entity_of = np.full(len(groups), -1)
    entity_of[best.having] = best.entity
    defined, stands_for = abbreviation_clues(groups, entity_of, context.kb)
    return (mean + defined)[best.having], stands_for


def logit(probability: Floats) -> Floats:
    """Compute the log-odds of probabilities, none of them certain."""
    clipped = np.clip(probability, _CERTAIN, 1 - _CERTAIN)
    return np.asarray(np.log(clipped / (1 - clipped)))

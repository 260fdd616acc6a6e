"""Evidence that a detected span is a name: letter case, corrections, abbreviations and the ranker's score."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.kb.name_arrays import UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.names.evidence import NO_NAME, clues, definitions, follows_title
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.adaptation import Adaptation
from eigenthemes.ranking.features import COLUMNS, FeatureContext
from eigenthemes.ranking.features.nil import best_rows, dot, from_named, logit, sigmoid, to_named
from eigenthemes.text.normalize import name_key, normalize, squash

_FITS = 3.0  # log-odds where the long form is a name of the best candidate
_HALF = 0.5


def abbreviation_clues(groups: MentionGroups, entity_of: NDArray[np.int64], kb: KB) -> tuple[NDArray[np.float64], list[str]]:
    """Return log-odds of each group [m], and the long form that contradicts its best candidate `entity_of` [m].

    Against it: the long form is no name of the KB, and shares less than half of its words with every name of the candidate.
    """
    odds, stands_for = np.zeros(len(groups)), [""] * len(groups)
    batch = groups.batch
    for document, (first, last) in zip(batch.documents, pairwise(groups.document_bounds.tolist()), strict=True):
        defined = definitions(document.text or "")
        for group in range(first, last) if defined else ():
            long_forms = defined.get(batch.mentions[groups.first_mention[group]].text)
            if long_forms and entity_of[group] >= 0:
                names = [normalize(name) for name in kb.names_of(int(entity_of[group]))]
                if any(normalize(long_form) in names for long_form in long_forms):
                    odds[group] = _FITS
                elif not any(_is_name(kb, long_form) or _shares_words(long_form, names) for long_form in long_forms):
                    odds[group], stands_for[group] = NO_NAME, long_forms[0]
    return odds, stands_for


def _is_name(kb: KB, text: str) -> bool:
    """Return whether a text is a name of an entity, or a label without brackets."""
    index = kb.name_index
    row = index.key_table.find(name_key(text))
    return row >= 0 and bool((index.key_kinds[index.key_indptr[row] : index.key_indptr[row + 1]] <= UNBRACKETED).any())


def _shares_words(long_form: str, names: list[str]) -> bool:
    words = set(normalize(long_form).split())
    return any(len(words & set(name.split())) >= _HALF * len(words) for name in names)


_WEIGHT, _DRAWN = 2.5, 0.25  # one document that says so, against none: 4 in log-odds
_CERTAIN = 12.0  # log-odds where the document itself says so


def remembered_odds(groups: MentionGroups, having: NDArray[np.int64], context: FeatureContext) -> NDArray[np.float64]:
    """Return what corrections add to the log-odds that each group in `having` is a name at all [b]."""
    odds = np.zeros(len(groups))
    memory = context.memory
    if memory is None:
        return odds[having]
    written, bounds = _written(groups), groups.document_bounds.tolist()
    for number, document in enumerate(groups.batch.documents):
        said = memory.corrections_in(document)
        for group in range(bounds[number], bounds[number + 1]):
            here = next((said[key] for name in written[group] if (key := squash(name)) in said), None)
            found = next((known for name in written[group] if (known := memory.find(name)) is not None), None)
            if here is not None:
                odds[group] = _CERTAIN * (bool(here.entities) - here.not_a_name)
            elif found is not None:
                linked = sum(found.linked.values())  # that it was none of the KG, NIL knows
                odds[group] = _WEIGHT * np.log((linked + _DRAWN) / (found.not_a_name + _DRAWN))
    return odds[having]


def _written(groups: MentionGroups) -> list[list[str]]:
    """Return the forms of each group: as in the text ("B cells"), then the matched name ("B cell")."""
    written: list[list[str]] = [[] for _ in range(len(groups))]
    for group, mention in zip(groups.group_of.tolist(), groups.batch.mentions, strict=True):
        text = normalize(mention.text)
        if text not in written[group]:
            written[group].append(text)
    for names, name in zip(written, groups.name_of.tolist(), strict=True):
        if groups.names[name] not in names:
            names.append(groups.names[name])
    return written


Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DETECTED_THRESHOLD = 0.4  # of the multiplied probability, unless the ranker's own is lower

_NIL_IN_TRAINING = 0.12  # share of mentions of synthetic documents without an answer
_SHIFT, _FALSE_MATCH, _ALONE = 0.7, 0.5, 0.5  # weights of the models
_MOST_BY_MODEL = 1.0  # log-odds that a chance model may add or take, once weighted
_ALONE_BIAS, _ALONE_CLUES = 2.0, 2.0
_FEW = 6.0  # n^2 of so few names makes others count half
_USUAL_FALSE_MATCHES, _USUAL_NAMES = 0.35, 4.0  # share of chance names, as if seen on so many
_ROUNDS = 30
NEARLY_CERTAIN = 1e-6  # distance from 0 and 1 of probabilities whose log-odds count

POPULARITY = {
    "popularity": "log of the place by prior among all entities, as a share",
    "degree": "log of the number of neighbours",
    "names": "log of the number of names",
    "namesakes": "log of the number of entities of that name",
}
_OF_RANKER = ("none", "probability")  # log-odds of both
_UNSUPPORTED = ("alias", "cased", "log_prior", "log_rank", "log_names")  # columns that need no other name
_SUPPORT = ("coherence", "edges", "shared_rare", "shared", "longer_name", "same_entity")
FALSE_MATCH_COLUMNS = ("one", *POPULARITY, *_UNSUPPORTED, *_SUPPORT, *_OF_RANKER)
ALONE_COLUMNS = ("one", *POPULARITY, *_UNSUPPORTED)
ALONE_PLACES = [FALSE_MATCH_COLUMNS.index(column) for column in ALONE_COLUMNS]


@dataclass(frozen=True, slots=True)
class FalseMatchModel:
    """Weights that separate names from false matches: `false_match` of FALSE_MATCH_COLUMNS, `alone` of ALONE_COLUMNS."""

    false_match: Floats
    alone: Floats

    def to_dict(self) -> dict[str, dict[str, float]]:
        """Describe it for the manifest."""
        return {"chance": to_named(FALSE_MATCH_COLUMNS, self.false_match), "alone": to_named(ALONE_COLUMNS, self.alone)}

    @classmethod
    def of(cls, described: dict[str, Any]) -> FalseMatchModel:
        """Make it from the manifest. A column it does not know weighs nothing."""
        return cls(from_named(FALSE_MATCH_COLUMNS, described["chance"]), from_named(ALONE_COLUMNS, described["alone"]))


@dataclass(frozen=True, slots=True)
class BestCandidates:
    """Features of the best candidate of each mention group that has candidates.

    having       [b] the groups
    entity       [b]
    known        [b] the name is one of the KB as it is spelled
    columns      [b, c] FALSE_MATCH_COLUMNS
    """

    having: Ints
    entity: Ints
    known: NDArray[np.bool_]
    columns: Floats

    @property
    def popularity(self) -> Floats:
        """POPULARITY of each [b, 4]."""
        return self.columns[:, 1 : 1 + len(POPULARITY)]


def best_candidates(
    groups: MentionGroups, features: NDArray[np.float32], probability: Floats, nil: Floats, context: FeatureContext
) -> BestCandidates:
    """Compute the features that separate names from false matches, for the best candidate of each group."""
    best_row = best_rows(groups, probability)
    having = np.flatnonzero(best_row >= 0)
    rows = best_row[having]
    entity = groups.entity[rows]
    namesakes = _namesakes(groups, context)[groups.name_of[having]]
    popularity = (  # POPULARITY
        np.log1p(entity) / np.log(max(2, len(context.kb))),
        np.log1p(context.kb.graph.degree[entity]),
        np.log1p(context.name_counts(entity)),
        np.log1p(np.maximum(1, namesakes)),
    )
    seen = features[rows][:, [COLUMNS.index(column) for column in (*_UNSUPPORTED, *_SUPPORT)]]
    of_ranker = logit(nil[having], NEARLY_CERTAIN), logit(probability[rows], NEARLY_CERTAIN)
    columns = np.column_stack((np.ones(len(having)), *popularity, seen.astype(np.float64), *of_ranker))
    columns = np.ascontiguousarray(columns)  # row by row, as `dot` adds them up
    return BestCandidates(having, entity, namesakes > 0, columns)


def _namesakes(groups: MentionGroups, context: FeatureContext) -> Ints:
    """Count the entities of each distinct name [k]."""
    index = context.kb.name_index
    rows = index.key_table.find_all(hash_strings(Strings.of([squash(name) for name in groups.names])))
    return np.where(rows < 0, 0, index.key_indptr[rows + 1] - index.key_indptr[np.maximum(rows, 0)])


@dataclass(frozen=True, slots=True)
class Detection:
    """Probabilities that the mention groups of a batch are names of this KG.

    factor      [m] of each group; 1 where the mention was given, or is an item of a list of keywords
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
    model: FalseMatchModel | None,
    adaptation: Adaptation | None = None,
) -> Detection | None:
    """Compute the detection factor of the mention groups of a ranked batch; None where all mentions were given."""
    detected = groups.batch.detected
    if detected is None or not detected.any():
        return None
    best = best_candidates(groups, features, probability, nil, context)
    odds, document, abbreviated = name_odds(groups, best, context, model)
    odds = odds + remembered_odds(groups, best.having, context)
    if adaptation is not None:
        odds = odds + adaptation.odds(groups, best.having, best.popularity, tuple(POPULARITY))
    factor = np.ones(len(groups))
    factor[best.having] = settle(odds, document, len(groups.batch.documents))
    factor[(~detected | groups.batch.listed)[groups.first_mention]] = 1.0
    return Detection(factor, abbreviated)


def name_odds(
    groups: MentionGroups, best: BestCandidates, context: FeatureContext, model: FalseMatchModel | None
) -> tuple[Floats, Ints, list[str]]:
    """Compute the log-odds that groups with candidates are names [b], but for how many names of their document are chance.

    Also returns their documents [b], and expanded abbreviations [m].
    """
    counts = np.diff(groups.document_bounds)
    document = np.repeat(np.arange(len(counts)), counts)[best.having]
    told, abbreviated = _clues(groups, best, context)
    among_others = np.log(_NIL_IN_TRAINING / (1 - _NIL_IN_TRAINING)) - best.columns[:, FALSE_MATCH_COLUMNS.index("none")]
    alone = np.full(len(best.having), 2 * _ALONE_BIAS)
    if model is not None:
        among_others = _SHIFT * among_others + _bounded(_FALSE_MATCH * dot(best.columns, model.false_match))
        alone = _bounded(_ALONE * dot(best.columns[:, ALONE_PLACES], model.alone)) + _ALONE_BIAS
    supported = (counts**2 / (counts**2 + _FEW))[document]
    odds = supported * (among_others + told) + (1 - supported) * (alone + _ALONE_CLUES * told)
    return odds, document, abbreviated


def _bounded(odds: Floats) -> Floats:
    return np.clip(odds, -_MOST_BY_MODEL, _MOST_BY_MODEL)


def settle(z: Floats, document: Ints, documents: int) -> Floats:
    """Return sigmoid(z + logit(1 - pi)) [b], pi the mean of its complement over the names of each document."""
    counts = np.bincount(document, minlength=documents) + _USUAL_NAMES
    false_share = np.full(documents, _USUAL_FALSE_MATCHES)
    factor = sigmoid(z)
    for _ in range(_ROUNDS):
        factor = sigmoid(z - logit(false_share, NEARLY_CERTAIN)[document])
        false_share = (
            np.bincount(document, weights=1 - factor, minlength=documents) + _USUAL_NAMES * _USUAL_FALSE_MATCHES
        ) / counts
    return factor


def _clues(groups: MentionGroups, best: BestCandidates, context: FeatureContext) -> tuple[Floats, list[str]]:
    """Return the mean clue of the mentions of each group with candidates [b], and expanded abbreviations [m]."""
    batch = groups.batch
    of_mention = [
        clue for document, first, last in batch.document_spans() for clue in clues(document, batch.mentions[first:last])
    ]
    entity_of = np.full(len(groups), -1)
    entity_of[best.having] = best.entity
    defined, stands_for = abbreviation_clues(groups, entity_of, context.kb)
    told = (groups.mean_of_mentions(of_mention) + defined)[best.having]
    return told + NO_NAME * _names_no_person(groups, best, context), stands_for


def _names_no_person(groups: MentionGroups, best: BestCandidates, context: FeatureContext) -> NDArray[np.bool_]:
    """Return which groups follow the title of a person, but have no such candidate [b]: "Mr. Baker" is not the town.

    A single word that is a whole name is no person's, whose names have two.
    """
    batch = groups.batch
    titled = np.zeros(len(groups), bool)
    for document, first, last in batch.document_spans():
        for number in range(first, last):
            if follows_title(document, batch.mentions[number]):
                titled[groups.group_of[number]] = True
    single = groups.log_words[best.having] == 0
    may_be = context.token_model.analysis.has_persons & ~(single & best.known)
    return np.asarray(titled[best.having] & ~may_be)

"""Attributes that the names of a text may share: on a page of results, every city can be a team."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import fill, place_of, prefetch_lists
from eigenthemes.core.jit import kernel
from eigenthemes.kb.attributes import LEAST_UNITS, log_ratio
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, about_length
from eigenthemes.ranking.features.feature_group import LocalGroup

_COLUMNS = {
    "coincidence": "how much more often than by chance the other names of the text can be of a type, or stand in a relation, "
    "that it has; not in tables, where the column says it",
}
_SCALE = 10.0
_MOST = 0.5  # synthetic documents hang together better than texts: of genes they would learn a weight that is four times this


class Coincidence(NamedTuple):
    """Attributes that a candidate shares with the other names of its text, [n] each.

    evidence   log-likelihood ratio
    attribute  the one that tells most, -1: none
    having     so many of the `others`, the other names that have candidates, can have it
    """

    evidence: NDArray[np.float64]
    attribute: NDArray[np.int64]
    having: NDArray[np.int64]
    others: NDArray[np.int64]

    @classmethod
    def of(cls, groups: MentionGroups, context: FeatureContext) -> Coincidence | None:
        """Count what the names of each text have in common; None where the KB keeps no attributes."""
        if context.attributes is None:
            return None
        attributes, in_text = context.attributes, groups.batch.in_text
        count = coincidence.select_backend(3 * about_length(attributes.indptr, groups.entity))
        rows = groups.document_names, groups.name_bounds, in_text, groups.entity
        return cls(*count(*rows, attributes.lists, attributes.share))


def compute(groups: MentionGroups, context: FeatureContext) -> NDArray[np.float32]:
    """Compute the evidence [n, 1]: linear, since the root and the logarithm lose what it is worth."""
    found = Coincidence.of(groups, context)
    evidence = np.zeros(len(groups.table_row)) if found is None else found.evidence / _SCALE
    return evidence[:, None].astype(np.float32)


GROUP = LocalGroup(
    name="coincidence", columns=_COLUMNS, compute=compute, weakness="has less in common with the other names", most=_MOST
)


_LEAST_OTHERS = 2  # other names that must be able to have an attribute
_COINCIDENCE_MOST = 200.0
_LAST, _NAMES, _ENTITIES = range(3)  # of an attribute: the last name that could have it, + 1; names, and entities


@kernel
def coincidence(documents: Any, names: Any, counted: Any, entity: Any, attributes: Any, share: Any) -> Any:
    """Compute the support of each candidate by attributes that the names of its document can share.

    documents   [d + 1] names of each document; names [m + 1] rows (candidates) of each name
    counted     [d] bool: documents that are looked at
    entity      [n] int64
    attributes  (indptr, attributes) as of `entity_attributes`; share [attributes] of all names that have a candidate with it

    Of each candidate the attribute that tells most counts: the log-likelihood ratio of so many of the other names having it, by
    what the document shows and by chance. One entity that all names share is no coincidence: no more names are counted than
    there are entities with the attribute. Returns (evidence [n] float64, attribute [n] int64: -1 for none; having, others [n]
    int64: so many of the other names can have it).
    """
    evidence = np.zeros(len(entity), np.float64)
    attribute = np.full(len(entity), -1, np.int64)
    having, others = np.zeros(len(entity), np.int64), np.zeros(len(entity), np.int64)
    counts = np.zeros(len(share), np.int32), np.zeros(len(share), np.int32), np.zeros(len(share), np.int32)
    touched, ratio = np.zeros(len(share) + 1, np.int64), np.zeros(len(share), np.float64)
    fetched, table = np.zeros(len(entity), np.uint32), np.empty(_table_size(_most_rows(documents, names)), np.int64)
    for document in range(len(documents) - 1):
        units = 0
        for name in range(documents[document], documents[document + 1]):
            units += names[name + 1] > names[name]
        if not counted[document] or units < LEAST_UNITS:
            continue
        first, last = names[documents[document]], names[documents[document + 1]]
        met = table[: _table_size(last - first)]
        fill(met, 0, len(met), -1)
        prefetch_lists(first, last, entity, attributes, fetched)
        many = 0
        for name in range(documents[document], documents[document + 1]):
            many = _count_name(name, names, entity, attributes, counts, touched, many, met)
        for k in range(many):
            a = touched[k]
            counts[_NAMES][a] = min(counts[_NAMES][a], counts[_ENTITIES][a]) - 1
            if counts[_NAMES][a] >= _LEAST_OTHERS:
                ratio[a] = min(log_ratio(counts[_NAMES][a], units - 1, share[a]), _COINCIDENCE_MOST)
        for row in range(first, last):
            most, best = 0.0, np.int64(-1)
            for k in range(attributes[0][entity[row]], attributes[0][entity[row] + 1]):
                if ratio[attributes[1][k]] > most:
                    best = np.int64(attributes[1][k])
                    most = ratio[best]
            others[row] = units - 1
            if best >= 0:
                evidence[row], attribute[row], having[row] = most, best, counts[_NAMES][best]
        for k in range(many):
            counts[_NAMES][touched[k]] = counts[_ENTITIES][touched[k]] = 0
            ratio[touched[k]] = 0.0
    return evidence, attribute, having, others


@kernel
def _most_rows(documents: Any, names: Any) -> Any:
    """Return how many candidates the largest document has."""
    most = 0
    for document in range(len(documents) - 1):
        most = max(most, names[documents[document + 1]] - names[documents[document]])
    return most


@kernel
def _table_size(many: Any) -> Any:
    """Return the size of a hash table for `many` numbers."""
    size = 64
    while size < 2 * many:
        size *= 2
    return size


@kernel
def _count_name(name: Any, names: Any, entity: Any, attributes: Any, counts: Any, touched: Any, many: Any, met: Any) -> Any:
    """Count a name for each attribute that a candidate of it has, and each entity once; return how many are touched so far.

    met  a hash table of the entities of the document so far
    """
    for row in range(names[name], names[name + 1]):
        at = place_of(met, entity[row])
        is_new = met[at] < 0
        met[at] = entity[row]
        for k in range(attributes[0][entity[row]], attributes[0][entity[row] + 1]):
            a = attributes[1][k]
            is_first = counts[_LAST][a] != name + 1
            touched[many] = a  # overwritten by the next one, unless no name had it before
            many += is_first & (counts[_NAMES][a] == 0)
            counts[_LAST][a] = name + 1
            counts[_NAMES][a] += is_first
            counts[_ENTITIES][a] += is_new
    return many

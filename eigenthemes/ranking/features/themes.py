"""Coherence of a candidate with the candidates of other names in its document, in the vectors and in the graph.

Coreference is apart: whether it is also a candidate of another name, a longer one above all.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from operator import attrgetter

import numpy as np
from numpy.typing import NDArray

from eigenthemes.explanations import CLOSE, EDGE, LONGER, SAME, SHARED, Reason
from eigenthemes.kb.attributes import readable_relation, relation_codes
from eigenthemes.ranking.features.feature_context import FeatureContext, JointGroup
from eigenthemes.ranking.features.support import Contributions, WeightedCandidates

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_FLOOR = 0.02  # coherence below this is noise
_EVERYBODYS = 0.1  # rarity of a node that nearly all others share: that two of them do tells nothing
_EVERYBODYS_SCHEME = 0.3  # the same for what is no answer itself, as the scheme of a thesaurus
_MAX_SHARED = 3  # shared neighbours in a reason

_COLUMNS = {
    "coherence": "Eigenthemes at full rank with one's own name left out: e^T (G - G_s) e",
    "edges": "other names with a candidate that is a neighbour in the KG",
    "shared_rare": "the same as `shared`, rare neighbours counting more",
    "shared": "neighbours shared with candidates of other names",
}
_COREFERENCE_COLUMNS = {
    "longer_name": 'the same entity is likely for a longer name that contains this one ("Jordan", "Michael Jordan")',
    "same_entity": "it is likely for another name of the document",
}


def compute(candidates: WeightedCandidates) -> NDArray[np.float32]:
    """Compute the coherence of each candidate with other names [n, 4], on a log scale."""
    groups, support = candidates.groups, candidates.graph_support
    rows = candidates.connections.rows
    others = groups.other_names[groups.group[rows]]
    near = np.maximum(coherence(candidates)[rows] - _own_coherence_by_longer_names(candidates)[rows], 0) / np.maximum(1, others)
    of_rows = (
        np.where(others > 0, np.log((_FLOOR + near) / _FLOOR), 0.0),
        np.log1p(support.edges[rows]),
        np.log1p(support.shared_rare[rows]),
        np.log1p(support.shared[rows]),
    )
    columns = np.zeros((len(groups.table_row), len(_COLUMNS)), np.float32)
    columns[rows] = np.stack(of_rows, axis=1)  # nothing speaks for the others
    return columns


def compute_coreference(candidates: WeightedCandidates) -> NDArray[np.float32]:
    """Compute how likely the same entity is for longer names, and for others [n, 2]."""
    support = candidates.graph_support
    return np.stack((support.longer, support.same), axis=1).astype(np.float32)


def coherence(candidates: WeightedCandidates) -> Floats:
    """Compute e^T (G - G_s) e, G = sum_j w_j e_j e_j^T [n]: Eigenthemes at full rank with one's own name left out.

    G_s is the same sum over the candidates of the row's own name. Candidates of weight 0 have none. Where a document has few
    candidates, the cosines of all pairs are computed, else G, one d x d matrix per document.
    """
    groups, vectors = candidates.groups, candidates.context.vectors
    result = np.zeros(len(groups.table_row))
    if vectors is None:
        return result
    rows = candidates.connections.rows
    weight, coherent = candidates.weight[rows], np.zeros(len(rows))
    for found in candidates.connections.squared_cosines:
        if found.squared is not None:
            inside = np.where(found.inside, weight[found.places], np.float32(0))
            coherent[found.places[found.inside]] = (found.squared @ inside[:, :, None])[found.inside, 0]
            continue
        for places in found.places:
            of_document = rows[places]
            vectors_of_rows = vectors.rows[groups.entity[of_document]]
            coherent[places] = _coherence_by_sums(vectors_of_rows, weight[places], groups.name_of_row[of_document])
    result[rows] = np.where(weight == 0, 0.0, np.maximum(coherent, 0))
    return result


def _own_coherence_by_longer_names(candidates: WeightedCandidates) -> Floats:
    """Return the coherence that an entity gives itself through a longer name [n].

    "Michael Jordan" in the text does not make "Jordan" closer to what it is about: `coreference` says that he may be meant.
    """
    vectors, longer = candidates.context.vectors, candidates.graph_support.longer
    named = np.zeros(len(longer))
    if vectors is not None:
        rows = np.flatnonzero(longer)
        named[rows] = longer[rows] * vectors.has[candidates.groups.entity[rows]]
    return named


def _coherence_by_sums(rows: NDArray[np.float32], weight: NDArray[np.float32], name: Ints) -> NDArray[np.float32]:
    coherent = np.einsum("ij,ij->i", rows @ ((rows * weight[:, None]).T @ rows), rows)
    bounds = np.flatnonzero(np.diff(name, prepend=-1, append=-1))
    for start, stop in pairwise(bounds.tolist()):
        own = rows[start:stop]
        coherent[start:stop] -= np.square(own @ own.T) @ weight[start:stop]
    return np.asarray(coherent)


# how they are explained


def _closeness(contributions: Contributions) -> Floats:
    """Return what each candidate of the document adds to the coherence of one: its weight times the squared cosine.

    Not the same entity under a longer name, as in `_own_coherence_by_longer_names`.
    """
    vectors = contributions.context.vectors
    if vectors is None:
        return np.zeros(len(contributions.entities))
    cosines = vectors.rows[contributions.entities] @ vectors.rows[contributions.entity]
    weights = np.maximum(contributions.weights - contributions.parts.longer, 0)
    return np.asarray(weights * np.square(cosines), np.float64)


def reasons(contributions: Contributions, shares: Mapping[str, Floats], position: int) -> Iterator[Reason]:
    """Yield the reasons why a candidate of another name (by its position in the document) supports this one.

    From the plainest on: whoever is joined by an edge is also close in the vectors. Nothing where it is
    the candidate itself under another name, which says all (`coreference`).
    """
    kb, other = contributions.context.kb, int(contributions.entities[position])
    if other == contributions.entity:
        return
    if shares["edges"][position] > 0:
        code = relation_codes(kb, contributions.entity, other)[0]
        yield Reason(EDGE, readable_relation(kb, code), bool(code & 1))
    positions, nodes = contributions.meetings
    met, is_close = nodes[positions == position], shares["coherence"][position] > 0
    telling = met[_is_informative(contributions.context, met)]
    if len(telling) or (len(met) and not is_close):
        yield _shared_neighbors(contributions, other, telling if len(telling) else met)
    if is_close:
        yield Reason(CLOSE)


def _is_informative(context: FeatureContext, nodes: Ints) -> NDArray[np.bool_]:
    """Return a mask of the shared neighbours worth naming [n]: named, and not shared by nearly all."""
    has_name = context.name_counts(nodes) > 0
    least = np.where(context.kb.linkable[nodes], _EVERYBODYS, _EVERYBODYS_SCHEME)
    return np.asarray(has_name & (context.graph[2][nodes] > least))


def _shared_neighbors(contributions: Contributions, other: int, nodes: Ints) -> Reason:
    """Name the rarest neighbours that two entities share, and the relation, where it is the same from both."""
    context = contributions.context
    has_name = context.name_counts(nodes) > 0
    named = nodes[has_name] if has_name.any() else nodes
    rarest = named[np.argsort(-context.graph[2][named], kind="stable")][:_MAX_SHARED].tolist()
    code, other_code = (relation_codes(context.kb, entity, rarest[0])[0] for entity in (contributions.entity, other))
    relation = readable_relation(context.kb, code) if code == other_code and not code & 1 else ""
    return Reason(SHARED, relation, shared=tuple(context.kb.label_of(node) for node in rarest))


def reasons_of_coreference(contributions: Contributions, shares: Mapping[str, Floats], position: int) -> Iterator[Reason]:
    """Yield a reason if a candidate of another name (by its position in the document) is the same entity."""
    if contributions.entities[position] == contributions.entity:
        yield Reason(LONGER if contributions.is_longer(position) else SAME)


THEMES = JointGroup(
    name="themes",
    columns=_COLUMNS,
    compute=compute,
    connections=("edges", "shared"),
    shares={
        "coherence": _closeness,
        "edges": attrgetter("parts.edges"),
        "shared_rare": attrgetter("parts.shared_rare"),
        "shared": attrgetter("parts.shared"),
    },
    reasons=reasons,
    weakness="fits the other names less well",
    weakness_unconnected="shares nothing with the other names",
)
COREFERENCE = JointGroup(
    name="coreference",
    columns=_COREFERENCE_COLUMNS,
    compute=compute_coreference,
    connections=("longer_name", "same_entity"),
    shares={"longer_name": attrgetter("parts.longer"), "same_entity": attrgetter("parts.same")},
    reasons=reasons_of_coreference,
    weakness="is not what the other names mean",
)

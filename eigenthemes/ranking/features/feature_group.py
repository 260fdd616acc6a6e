"""Feature groups: their columns, how they are computed and how they are explained."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from eigenthemes.explanations import Reason
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.features.support import Contributions, WeightedCandidates

Features = NDArray[np.float32]
Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class FeatureGroup:
    """Columns about one thing.

    columns   column -> what it means, in a line for the docs
    weakness  what is said of a more popular candidate that this group holds back most; "": nothing, it never does
    """

    name: str
    columns: Mapping[str, str]
    weakness: str = ""
    weakness_unconnected: str = ""  # the same, where the better candidate has a connection and the other has none
    most: float = np.inf  # what its columns may weigh where candidates are compared, 0 at least; inf: anything is learned


@dataclass(frozen=True, kw_only=True)
class LocalGroup(FeatureGroup):
    """Columns that a mention has by itself.

    compute  the columns [n, c] of the candidates of some mention groups
    """

    compute: Callable[[MentionGroups, FeatureContext], Features]


@dataclass(frozen=True, kw_only=True)
class JointGroup(FeatureGroup):
    """Columns that depend on what the other names of the document may mean.

    compute      the columns [n, c], given how likely each candidate is
    connections  columns which, where they are not 0, say that a candidate is connected with other names in the KG
    shares       column -> what each candidate of the document contributed to it [r]; what the column adds is shared accordingly
    reasons      why a candidate of the document (by its position there) supports, given the shares; the most telling first
    """

    compute: Callable[[WeightedCandidates], Features]
    shares: Mapping[str, Callable[[Contributions], Floats]]
    reasons: Callable[[Contributions, Mapping[str, Floats], int], Iterator[Reason]]
    connections: tuple[str, ...] = field(default=())

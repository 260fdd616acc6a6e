"""Features of candidates as columns: one module for each subject, with its feature groups, assembled here.

A new feature group is a group in a module like those here, its name in LOCAL_GROUPS or JOINT_GROUPS, and, where synthetic
documents must show it, an entry in `selftrain.recipe`. Rankers that are kept in KBs refer to columns by name.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features import memory, name, prior
from eigenthemes.ranking.features.coincidence import COINCIDENCE
from eigenthemes.ranking.features.feature_context import FeatureContext as FeatureContext
from eigenthemes.ranking.features.feature_context import FeatureGroup, JointGroup, LocalGroup
from eigenthemes.ranking.features.support import Contributions as Contributions
from eigenthemes.ranking.features.support import WeightedCandidates as WeightedCandidates
from eigenthemes.ranking.features.text_words import WORDS
from eigenthemes.ranking.features.themes import COREFERENCE, THEMES

# what a mention says by itself, and which candidates there are; then what the other names of its document may mean
LOCAL_GROUPS: tuple[LocalGroup, ...] = (name.GROUP, prior.GROUP, WORDS, COINCIDENCE, memory.GROUP)
JOINT_GROUPS: tuple[JointGroup, ...] = (THEMES, COREFERENCE)  # what the other names of its document say
FEATURE_GROUPS: dict[str, FeatureGroup] = {group.name: group for group in (*LOCAL_GROUPS, *JOINT_GROUPS)}

GROUPS: dict[str, tuple[str, ...]] = {group.name: tuple(group.columns) for group in FEATURE_GROUPS.values()}
LOCAL: tuple[str, ...] = tuple(column for group in LOCAL_GROUPS for column in group.columns)
COLUMNS: tuple[str, ...] = tuple(column for columns in GROUPS.values() for column in columns)
# of each column, the least and the most that it may weigh where candidates are compared
COLUMN_BOUNDS: tuple[tuple[float, float], ...] = tuple(
    (0.0, group.most) if np.isfinite(group.most) else (-np.inf, np.inf)
    for group in FEATURE_GROUPS.values()
    for _ in group.columns
)


def local_features(groups: MentionGroups, context: FeatureContext) -> NDArray[np.float32]:
    """Compute the columns LOCAL [n, l]."""
    return np.concatenate([group.compute(groups, context) for group in LOCAL_GROUPS], axis=1)


def theme_features(candidates: WeightedCandidates) -> NDArray[np.float32]:
    """Compute the columns after LOCAL [n, t], given how likely each candidate is."""
    return np.concatenate([group.compute(candidates) for group in JOINT_GROUPS], axis=1)


def feature_table() -> str:
    """Render all columns and what they mean as a Markdown table, for docs/selftrained.md."""
    lines = ["| group | column | meaning |", "|---|---|---|"]
    for group in FEATURE_GROUPS.values():
        for number, (column, meaning) in enumerate(group.columns.items()):
            lines.append(f"| {group.name if number == 0 else ''} | `{column}` | {meaning} |".replace("|  |", "| |"))
    return "\n".join(lines) + "\n"

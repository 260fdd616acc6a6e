"""The latent topic of a document: hubs that most of its names are related to support their candidates once more.

In a paper on mice every gene is the mouse's, although the human one is more popular and each name by itself says little.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.graph import Hubs
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.features.feature_group import FeatureGroup

Floats = NDArray[np.float64]

STRENGTH = 1.0  # l: a topic makes what has to do with it e^l times as likely
GROUP = FeatureGroup(name="topic", columns={}, weakness="has less to do with what the text is about")


@dataclass(frozen=True, slots=True)
class Topics:
    """Topics of the documents of a batch.

    factor  [n] by which each candidate became likelier; topic [d] the entity that a document is about, -1: none can be told;
    weight  [d] how likely that is
    """

    hubs: Hubs
    factor: Floats
    topic: NDArray[np.int64]
    weight: Floats


def find_topics(groups: MentionGroups, probability: Floats, context: FeatureContext, strength: float) -> Topics | None:
    """Find the topics of the texts of a batch, given how likely candidates are; None where the KB keeps no hubs."""
    from eigenthemes.ranking.features.topic_kernels import topic_factors

    if context.hubs is None or context.hub_numbers is None or not strength > 0:
        return None
    gain = float(np.expm1(strength))
    compute = topic_factors.select_backend(context.walk_steps(groups.entity))
    near = context.hubs_near(groups.entity, of_all=compute is topic_factors)
    rows = groups.document_bounds, groups.batch.in_text, groups.bounds, probability
    factor, number, weight = compute(*rows, near, context.hub_numbers[groups.entity], context.hubs.share, gain)
    topic = np.where(number >= 0, np.append(context.hubs.entities, 0)[number].astype(np.int64), -1)
    return Topics(context.hubs, factor, topic, weight)

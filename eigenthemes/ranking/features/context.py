"""Similarity of the text to a candidate's description, where there are word vectors."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.embeddings.word_vectors import WordContext
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.features.feature_group import LocalGroup
from eigenthemes.records import Mention

_COLUMNS = {
    "local_context": "cosine of the description with the words near the mention; only with word vectors",
    "global_context": "cosine of the description with all words of the text; only with word vectors",
}


def compute(groups: MentionGroups, context: FeatureContext) -> NDArray[np.float32]:
    """Compute the cosines [n, 2]; zeros without word vectors or text."""
    if context.word_context is None:
        return np.zeros((len(groups.table_row), len(_COLUMNS)), np.float32)
    return context_features(groups, context.word_context)


def context_features(groups: MentionGroups, words: WordContext) -> NDArray[np.float32]:
    """Compute the cosines of each candidate's description with the words near its mentions, and with all of its document."""
    cosines = np.zeros((len(groups.table_row), len(_COLUMNS)), np.float32)
    mentions_of: list[list[Mention]] = [[] for _ in range(len(groups))]
    for mention, group in zip(groups.batch.mentions, groups.group_of.tolist(), strict=True):
        mentions_of[group].append(mention)
    for document, (first_group, last_group, first, last) in zip(groups.batch.documents, groups.spans(), strict=True):
        if first == last or not document.text:
            continue
        starts, known = words.read(document.text)
        cosines[first:last, 1] = words.entities[groups.entity[first:last]] @ words.vector(known)
        for group in range(first_group, last_group):
            near = np.concatenate([words.near(starts, known, mention) for mention in mentions_of[group]])
            rows = slice(groups.bounds[group], groups.bounds[group + 1])
            cosines[rows, 0] = words.entities[groups.entity[rows]] @ words.vector(near)
    return cosines


GROUP = LocalGroup(name="context", columns=_COLUMNS, compute=compute, weakness="fits the text less well")

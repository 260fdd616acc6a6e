"""The paper, word by word, for comparison: no care for speed, float64 throughout."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Mentions = list[list[NDArray[np.float64]]]  # the vectors of each mention's candidates, highest prior first


def document_matrix(mentions: Mentions, delta: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """E_D, its rows of unit length, and the diagonal matrix W_D of weights rank^-delta."""
    rows, weights = [], []
    for candidates in mentions:
        for rank, vector in enumerate(candidates, start=1):
            rows.append(vector / np.linalg.norm(vector))
            weights.append(rank**-delta)
    return np.array(rows), np.diag(weights)


def eigen_scores(mentions: Mentions, k: int, delta: float = 1.0) -> list[float]:
    """score(e) = ||e V_k Sigma_k||_2 of every candidate, in order."""
    embedding, weights = document_matrix(mentions, delta)
    values, vectors = np.linalg.eigh(embedding.T @ weights @ weights @ embedding)
    top = np.argsort(-values)[: min(k, *embedding.shape)]
    strengths = np.sqrt(np.maximum(values[top], 0))
    return [float(np.linalg.norm((row @ vectors[:, top]) * strengths)) for row in embedding]


def average_scores(mentions: Mentions, delta: float = 1.0) -> list[float]:
    """The cosine of every candidate with the weighted average of the rows of E_D."""
    embedding, weights = document_matrix(mentions, delta)
    mean = (weights @ embedding).sum(axis=0) / weights.sum()
    return [float(row @ mean / np.linalg.norm(mean)) for row in embedding]

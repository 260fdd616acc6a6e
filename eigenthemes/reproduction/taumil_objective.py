"""The objective of tau-MIL-ND: pure functions of scores.

A mention's candidates are its positives: one of them should beat all negatives, unless none of them is right (noise).
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from eigenthemes.ranking.taumil.model import MARGIN

PRIOR = 0.9  # share of mentions that are expected to be noise
KL_WEIGHT = 5.0
NOISE_SCALE = 3.0


@dataclass(frozen=True, slots=True)
class Objective:
    """What is made small (`total`), and its parts, each a mean over mentions; `noise` is the mean p_noise."""

    total: Tensor
    hinge: Tensor
    kl: Tensor
    noise: Tensor


def objective(positive: Tensor, negative: Tensor, noise: Tensor) -> Objective:
    """mean((1 - p_noise) hinge) + 5 KL(mean p_noise || 0.9); all [m]: best positive, best negative, noise score."""
    p = noise_probability(noise)
    missed = ((1 - p) * hinge(positive, negative)).mean()
    kl = kl_to_prior(p.mean())
    return Objective(missed + KL_WEIGHT * kl, missed, kl, p.mean())


def hinge(positive: Tensor, negative: Tensor) -> Tensor:
    """By how much the best positive is not a margin above the best negative [m]."""
    return torch.relu(negative + MARGIN - positive)


def noise_probability(noise: Tensor) -> Tensor:
    """The probability that no candidate is right, as training sees it."""
    return torch.sigmoid(NOISE_SCALE * noise)


def kl_to_prior(p: Tensor, prior: float = PRIOR) -> Tensor:
    """KL divergence of a Bernoulli distribution from the prior's."""
    tiny = torch.finfo(p.dtype).tiny
    yes = p * torch.log((p / prior).clamp_min(tiny))
    return yes + (1 - p) * torch.log(((1 - p) / (1 - prior)).clamp_min(tiny))

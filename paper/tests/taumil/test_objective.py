"""The objective of tau-MIL-ND against values worked out by hand, and its gradients."""

from __future__ import annotations

import math

import pytest
import torch

from eigenthemes_paper.taumil.model import hinge, kl_to_prior, noise_probability, objective


def numbers(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_the_objective_of_two_mentions_worked_out_by_hand() -> None:
    """Mention 1 misses the margin by 0.3, mention 2 keeps it; noise scores 0 and ln(3)/3 give p_noise 1/2 and 3/4."""
    positive, negative, noise = numbers(0.2, 1.0), numbers(0.4, 0.5), numbers(0.0, math.log(3) / 3)
    loss = objective(positive, negative, noise)
    mean = (0.5 + 0.75) / 2
    kl = mean * math.log(mean / 0.9) + (1 - mean) * math.log((1 - mean) / 0.1)
    assert loss.hinge.item() == pytest.approx((0.5 * 0.3 + 0.25 * 0) / 2)
    assert loss.noise.item() == pytest.approx(mean)
    assert loss.kl.item() == pytest.approx(kl)
    assert loss.total.item() == pytest.approx(0.075 + 5 * kl)


def test_both_gradients_worked_out_by_hand() -> None:
    """Of the scores: -+(1 - p) / 2 where the margin is missed. Of the noise: 3 p (1 - p) / 2 (5 log odds ratio - hinge)."""
    positive, negative, noise = numbers(0.2, 1.0), numbers(0.4, 0.5), numbers(0.0, math.log(3) / 3)
    objective(positive, negative, noise).total.backward()
    assert positive.grad is not None
    assert negative.grad is not None
    assert noise.grad is not None
    assert positive.grad.tolist() == pytest.approx([-0.25, 0.0])
    assert negative.grad.tolist() == pytest.approx([0.25, 0.0])
    mean = 0.625
    odds = math.log(mean / 0.9) - math.log((1 - mean) / 0.1)
    by_hand = [3 * p * (1 - p) / 2 * (5 * odds - missed) for p, missed in ((0.5, 0.3), (0.75, 0.0))]
    assert noise.grad.tolist() == pytest.approx(by_hand)


def test_the_gradients_are_those_of_finite_differences() -> None:
    arguments = (numbers(0.2, 1.0, 0.3), numbers(0.4, 0.5, 0.9), numbers(0.1, -0.4, 0.9))
    assert torch.autograd.gradcheck(lambda *given: objective(*given).total, arguments)


def test_a_sure_noise_costs_no_more_than_finite() -> None:
    noise = torch.tensor([1e4, -1e4], dtype=torch.float32, requires_grad=True)
    loss = objective(torch.zeros(2), torch.zeros(2), noise)
    loss.total.backward()
    assert torch.isfinite(loss.total)
    assert noise.grad is not None
    assert torch.isfinite(noise.grad).all()
    assert kl_to_prior(torch.tensor(1.0)).item() == pytest.approx(math.log(1 / 0.9))
    assert kl_to_prior(torch.tensor(0.9)).item() == pytest.approx(0, abs=1e-6)


def test_the_margin_and_the_factor_of_the_noise_are_those_of_the_paper() -> None:
    assert hinge(torch.tensor([0.1, 0.0, -1.0]), torch.zeros(3)).tolist() == pytest.approx([0, 0.1, 1.1])
    assert noise_probability(torch.tensor(1.0)).item() == pytest.approx(1 / (1 + math.exp(-3)))

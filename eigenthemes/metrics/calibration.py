"""Calibration of probabilities, and the gains and costs of NIL.

All arrays are [mentions], of one data set:

probability  float64, that the mention's best candidate is right; 0 where it has no candidate
right        float64 in 0..1, the credit of that best candidate (precision@1 of `metrics.precision.credit`: ties share)
in_kb        bool: the gold is in the KB; else the mention is a true NIL
linked       bool: a link was given; else the answer was NIL

Of no mentions, every figure is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.metrics.precision import Bools, Figures, Floats, precision_recall_f1, share

COVERAGES = (0.5, 0.7, 0.8, 0.9, 1.0)


def reliability(probability: Floats, right: Floats, *, bins: int = 10) -> list[dict[str, Any]]:
    """Compare what was promised with what came true, in bins of equal width: from <= probability < to, and 1 is in the last.

    confidence is the mean probability in a bin, accuracy the share that is right; both None in a bin without mentions.
    """
    edges, mentions, expected, correct = _binned(probability, right, bins)
    return [
        {
            "from": low,
            "to": high,
            "mentions": count,
            "confidence": sum_expected / count if count else None,
            "accuracy": sum_correct / count if count else None,
        }
        for low, high, count, sum_expected, sum_correct in zip(
            edges[:-1].tolist(), edges[1:].tolist(), mentions.tolist(), expected.tolist(), correct.tolist(), strict=True
        )
    ]


def calibration_error(probability: Floats, right: Floats, *, bins: int = 10) -> float:
    """Return the expected calibration error: |confidence - accuracy| in bins of `reliability`, weighted by mentions."""
    _, mentions, expected, correct = _binned(probability, right, bins)
    return share(float(np.abs(expected - correct).sum()), int(mentions.sum()))


def brier(probability: Floats, right: Floats) -> float:
    """Return the mean squared distance of the probability from what came true, 1 or 0.

    A shared tie is right with chance `right`, so its distance is the expected one, as its credit is.
    """
    return share(float((right * (1 - probability) ** 2 + (1 - right) * probability**2).sum()), len(right))


def link_figures(right: Floats, in_kb: Bools, linked: Bools) -> dict[str, Figures]:
    """Precision, recall and F1 of links and of NILs, with the counts they are made of: given, gold, and right among the given.

    The gold of links are the mentions whose gold is in the KB, the gold of NILs all others; a link of one of these is wrong.
    """
    figures = {}
    for name, hits, given, gold in (("links", right, linked, in_kb), ("nil", np.ones(len(right)), ~linked, ~in_kb)):
        counts = {"given": int(given.sum()), "gold": int(gold.sum()), "right": float(hits[given & gold].sum())}
        figures[name] = {**counts, **precision_recall_f1(counts["right"], counts["given"], counts["gold"])}
    return figures


def risk_coverage(probability: Floats, right: Floats) -> tuple[Floats, Floats]:
    """Return how much goes wrong when only the most probable mentions are answered.

    One point for each distinct probability, highest first, because no threshold can part equal ones:
    coverage, the share of mentions with at least this probability, and risk, the share of these that is wrong.
    """
    distinct, row, mentions = np.unique(probability, return_inverse=True, return_counts=True)
    wrong = np.bincount(row, weights=1 - right, minlength=len(distinct))
    covered = np.cumsum(mentions[::-1])
    return covered / max(1, len(probability)), np.cumsum(wrong[::-1]) / covered


def area_under_risk(coverage: Floats, risk: Floats) -> float:
    """Return the area under the risk as a step function: up to each coverage from the one before, the risk is of the former.

    Steps, because who wants a coverage between two points must take the next one; and nothing is made up at coverage 0, as
    trapezoids would need. Without ties it is the mean risk over all coverages; if all are tied, the error rate.
    """
    return float((np.diff(coverage, prepend=0.0) * risk).sum())


def risk_table(coverage: Floats, risk: Floats, *, wanted: tuple[float, ...] = COVERAGES) -> Figures:
    """Return the risk at the least coverage that is as wanted or more, for each wanted coverage, which is its key as text."""
    if not len(coverage):
        return {str(coverage_wanted): 0.0 for coverage_wanted in wanted}
    return dict(zip(map(str, wanted), risk[np.searchsorted(coverage, wanted)].tolist(), strict=True))


def summarize_confidence(probability: Floats, right: Floats, in_kb: Bools, linked: Bools) -> dict[str, Any]:
    """Return the figures of a whole set, ready for JSON.

    ece, brier and reliability are over the mentions whose gold is in the KB; ece_all and risk_coverage over all mentions,
    of which those outside are wrong whatever their best candidate is. links and nil are those of `link_figures`.
    """
    right = np.where(in_kb, right, 0.0)
    inside = probability[in_kb], right[in_kb]
    curve = risk_coverage(probability, right)
    return {
        "ece": calibration_error(*inside),
        "ece_all": calibration_error(probability, right),
        "brier": brier(*inside),
        "reliability": reliability(*inside),
        **link_figures(right, in_kb, linked),
        "risk_coverage": {"area": area_under_risk(*curve), "at": risk_table(*curve)},
    }


def _binned(probability: Floats, right: Floats, bins: int) -> tuple[NDArray[Any], ...]:
    """Return the edges [bins + 1], and for each bin its mentions and its sums of probability and of right."""
    edges = np.arange(bins + 1) / bins
    # Compared with the edges as printed: 0.29 * 100 rounds to below 29, and would fall into the bin before its own.
    bin_of = np.searchsorted(edges[1:-1], probability, side="right")
    return (
        edges,
        np.bincount(bin_of, minlength=bins),
        np.bincount(bin_of, weights=probability, minlength=bins),
        np.bincount(bin_of, weights=right, minlength=bins),
    )

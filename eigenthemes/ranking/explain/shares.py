"""What speaks for a candidate, and against it."""

from __future__ import annotations

from eigenthemes.explanations import ExplainedCandidate


def shares_of(best: ExplainedCandidate, runner_up: ExplainedCandidate | None) -> tuple[dict[str, float], dict[str, float]]:
    """Return what speaks for the best candidate, and against it; without a runner-up, what it adds by itself."""
    ahead = ahead_in(best, runner_up)
    total = sum(value for value in ahead.values() if value > 0)
    if not total > 0:
        return {}, {}
    shares = {group: value / total for group, value in ahead.items()}
    ordered = sorted(shares.items(), key=lambda item: -abs(item[1]))
    return {group: value for group, value in ordered if value > 0}, {group: -value for group, value in ordered if value < 0}


def ahead_in(best: ExplainedCandidate, other: ExplainedCandidate | None) -> dict[str, float]:
    """Return by how much each feature group puts a candidate ahead of another one, or of nothing."""
    less = other.contributions if other is not None else dict.fromkeys(best.contributions, 0.0)
    return {group: value - less[group] for group, value in best.contributions.items()}

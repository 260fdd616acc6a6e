"""Why a candidate won: records, the walk that finds what other names put in, and the words for it."""

from __future__ import annotations

from eigenthemes.ranking.explain.explainer import Explainer
from eigenthemes.ranking.explain.records import Considered, Explanation, Reason, Support

__all__ = ["Considered", "Explainer", "Explanation", "Reason", "Support"]

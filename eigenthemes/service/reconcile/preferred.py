"""Types that are preferred, not demanded: what OpenRefine asks, also where nobody chose the type it had guessed.

Candidates of the type are the answer, as if it were demanded, unless without it another entity is clearly likelier: then that
one is shown first, and nothing is a match. How far the type is to be believed, the other names of the batch tell: of how many
that are linked without it, the entity is of the type.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Answer = dict[str, Any]


def join_preferred(typed: Mapping[str, Answer], untyped: Mapping[str, Answer], limits: Mapping[str, int]) -> dict[str, Answer]:
    """Return the answers of a batch, given those of candidates of the type only, and those of all candidates."""
    linked = {key: answer["result"][0] for key, answer in untyped.items() if answer["result"] and answer["result"][0]["match"]}
    outside = {key: best for key, best in linked.items() if best["id"] not in _ids(typed[key])}
    of_type = len(linked) - len(outside)
    belief = (of_type + 1) / (len(linked) + 1)  # a name whose entity is outside has no say of its own
    joined = {}
    for key, answer in typed.items():
        others = _likelier(answer["result"], untyped[key], outside.get(key), belief)
        unsure = [{**candidate, "match": False} for candidate in (*others, *answer["result"])]
        joined[key] = {**answer, "result": unsure[: limits[key]]} if others else answer
    return joined


def _likelier(results: list[Answer], untyped: Answer, rival: Answer | None, belief: float) -> list[Answer]:
    """Return the candidates of other types that are to be shown before those of the type."""
    if not results:
        return list(untyped["result"])
    if rival is None or _score_of(results[0]["id"], untyped) * belief >= rival["score"] * (1 - belief):
        return []
    return [rival]


def _ids(answer: Answer) -> list[str]:
    return [candidate["id"] for candidate in answer["result"]]


def _score_of(entity_id: str, answer: Answer) -> float:
    return next((float(candidate["score"]) for candidate in answer["result"] if candidate["id"] == entity_id), 0.0)

"""Precision@1, MRR and ceilings over mentions, and the significance of the difference between two methods.

For significance:

a, b                 [n] float64: the credit of each mention under each method (`credit`)
document_of_mention  [n] int: which document each mention is in
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.errors import OptionError

EASY, HARD, NOT_FOUND = 0, 1, 2
DIFFICULTIES = ("easy", "hard", "not found")
TIES = ("share", "authors")

Floats = NDArray[np.float64]
Ints = NDArray[np.integer[Any]]
Bools = NDArray[np.bool_]
Figures = dict[str, float]

_CHUNK = 1 << 18  # drawn documents held at a time: a few megabytes


def credit(
    mentions: int,
    mention_of: Ints,
    is_gold: Bools,
    scores: Floats,
    *,
    ties: str = "share",
    min_score: float = -math.inf,
) -> tuple[Floats, Floats]:
    """Compute the credit of each mention: precision@1 [mentions] and the reciprocal rank of its first gold [mentions].

    ties           "share": the expected value when ties are broken at random; "authors": every tie counts as right,
                   as in the paper's own program
    min_score      a candidate with this score or less (or none: nan) is no answer: it gets no credit, and outranks nobody
    """
    if ties not in TIES:
        raise OptionError(f"ties {ties!r} is unknown; expected one of {', '.join(TIES)}")
    is_answer = scores > min_score
    mention_of, is_gold, scores = mention_of[is_answer], is_gold[is_answer], scores[is_answer]
    # Only the tie group of the best gold matters, and counting finds it without sorting.
    best_gold = np.full(mentions, -np.inf)
    np.maximum.at(best_gold, mention_of[is_gold], scores[is_gold])
    to_beat = best_gold[mention_of]
    above = np.bincount(mention_of[scores > to_beat], minlength=mentions)
    tied = np.bincount(mention_of[scores == to_beat], minlength=mentions)
    golds = np.bincount(mention_of[is_gold & (scores == to_beat)], minlength=mentions)
    has_gold = golds > 0
    reciprocal_rank = np.where(has_gold, 1.0 / (above + 1), 0.0)
    if ties == "authors":
        return np.where(has_gold & (above == 0), 1.0, 0.0), reciprocal_rank
    p_at_1 = np.where(above == 0, golds / np.maximum(tied, 1), 0.0)
    shared = np.flatnonzero(has_gold & (golds < tied))
    groups = zip(above[shared].tolist(), tied[shared].tolist(), golds[shared].tolist(), strict=True)
    reciprocal_rank[shared] = [_expected_reciprocal(*group) for group in groups]
    return p_at_1, reciprocal_rank


@lru_cache(maxsize=1 << 14)
def _expected_reciprocal(above: int, tied: int, golds: int) -> float:
    """Compute E[1 / position of the first gold]: `tied` candidates, `golds` of them right, follow `above` others at random.

    P(first gold at x) = C(tied - x, golds - 1) / C(tied, golds), as a running product because binomials overflow.
    """
    position = np.arange(1, tied - golds + 2)
    gold_here = golds / (tied - position + 1)
    none_before = np.cumprod(np.concatenate(([1.0], 1 - gold_here[:-1])))
    return float((none_before * gold_here / (above + position)).sum())


def difficulty(mentions: int, mention_of: Ints, rank: Ints, is_gold: Bools) -> NDArray[np.int8]:
    """Return EASY (the rank-1 candidate is gold), HARD (another candidate is) or NOT_FOUND (none is), [mentions] int8."""
    gold_rank = gold_ranks(mentions, mention_of, rank, is_gold)
    return np.where(gold_rank == 0, NOT_FOUND, np.where(gold_rank == 1, EASY, HARD)).astype(np.int8)


def gold_ranks(mentions: int, mention_of: Ints, rank: Ints, is_gold: Bools) -> NDArray[np.int64]:
    """Return the rank of the first gold candidate of each mention [mentions]; 0: it has none."""
    first = np.full(mentions, np.iinfo(np.int64).max)
    np.minimum.at(first, mention_of[is_gold], rank[is_gold])
    return np.where(first == np.iinfo(np.int64).max, 0, first)


def recall_at(gold_rank: Ints, ks: tuple[int, ...] = (1, 5, 10, 20)) -> dict[int, float]:
    """Return the share of mentions that have a gold among their first k candidates by rank, for each k."""
    return {k: _mean((gold_rank > 0) & (gold_rank <= k)) for k in ks}


def summarize(
    document_of_mention: Ints, p_at_1: Floats, reciprocal_rank: Floats, difficulty: NDArray[np.int8]
) -> dict[str, Figures]:
    """Return the figures of a whole set, ready for JSON; all arrays are [mentions].

    overall, easy, hard are micro means over mentions; macro is the mean over documents of each document's mean.
    The ceiling is what a perfect ranking of these candidates would reach. Of no mentions, every figure is 0.
    """

    def micro(of: Bools) -> Figures:
        """Return the means over some of the mentions."""
        return {"mentions": int(of.sum()), "p_at_1": _mean(p_at_1[of]), "mrr": _mean(reciprocal_rank[of])}

    reachable = difficulty != NOT_FOUND
    document, mentions = _documents(document_of_mention)
    return {
        "overall": {**micro(np.ones_like(reachable)), "ceiling": _mean(reachable)},
        "easy": micro(difficulty == EASY),
        "hard": micro(difficulty == HARD),
        "not_found": {"mentions": int((~reachable).sum())},
        "macro": {
            "documents": len(mentions),
            "p_at_1": _mean(_means(p_at_1, document, mentions)),
            "mrr": _mean(_means(reciprocal_rank, document, mentions)),
        },
    }


def by_document(
    document_of_mention: Ints, p_at_1: Floats, reciprocal_rank: Floats, difficulty: NDArray[np.int8]
) -> list[Figures]:
    """Return the figures of each document that has a mention, in ascending order of document; all arrays are [mentions]."""
    document, mentions = _documents(document_of_mention)
    columns = [_means(values, document, mentions).tolist() for values in (p_at_1, reciprocal_rank, difficulty != NOT_FOUND)]
    return [
        {"mentions": count, "p_at_1": p, "mrr": mrr, "ceiling": ceiling}
        for count, p, mrr, ceiling in zip(mentions.tolist(), *columns, strict=True)
    ]


def _documents(document_of_mention: Ints) -> tuple[Ints, Ints]:
    """Return the number of each mention's document among those that occur [mentions], and how many mentions each has."""
    _, document, mentions = np.unique(document_of_mention, return_inverse=True, return_counts=True)
    return document, mentions


def _means(values: NDArray[Any], document: Ints, mentions: Ints) -> Floats:
    return np.bincount(document, weights=values, minlength=len(mentions)) / mentions


def _mean(values: NDArray[Any]) -> float:
    return float(values.mean()) if len(values) else 0.0


def precision_recall_f1(right: float, given: float, gold: float) -> Figures:
    """Return precision, recall and F1 of `given` answers for `gold` ones; 0 where nothing was given: that is no success."""
    return {"precision": share(right, given), "recall": share(right, gold), "f1": share(2 * right, given + gold)}


def share(part: float, total: float) -> float:
    """Return a part as a share of a total; 0 of nothing."""
    return part / total if total else 0.0


def paired_t_test(a: Floats, b: Floats) -> float:
    """Return the two-sided p-value of Student's paired t-test over mentions, as the paper reports it.

    Never nan: fewer than two mentions, or no difference anywhere, give 1; the same difference everywhere gives 0.
    It takes mentions as independent, which those of one document are not: trust `paired_bootstrap` more.
    """
    from scipy.special import stdtr  # type: ignore[import-untyped, unused-ignore]

    differences = a - b
    n = len(differences)
    if n < 2 or not differences.any():
        return 1.0
    if (differences == differences[0]).all():
        return 0.0
    differences = differences / np.abs(differences).max()  # else squares of tiny differences vanish, and t with them
    t = differences.mean() / (differences.std(ddof=1) / math.sqrt(n))
    return float(2 * stdtr(n - 1, -abs(t)))


def paired_bootstrap(
    a: Floats, b: Floats, document_of_mention: Ints, *, seed: int = 0, samples: int = 2000, level: float = 0.95
) -> tuple[float, float]:
    """Return the percentile interval of the difference of micro means, a - b.

    Whole documents are drawn, not mentions: the mentions of a document are linked together and share its topic, so they
    are not independent, and drawing them one by one would give an interval that is too narrow.
    Few documents make it a little too narrow all the same: of 20 simulated ones, 95% held the truth 91% of the time.
    With fewer than two documents there is nothing to draw from: both ends are the difference itself.
    """
    _, document, counts = np.unique(document_of_mention, return_inverse=True, return_counts=True)
    documents = len(counts)
    if documents < 2:
        return (_difference(a, b),) * 2
    sums = np.bincount(document, weights=a - b)
    rng = np.random.default_rng(seed)
    drawn_means = np.empty(samples)
    step = max(1, _CHUNK // documents)
    for start in range(0, samples, step):
        drawn = rng.integers(documents, size=(min(step, samples - start), documents))
        drawn_means[start : start + step] = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = np.quantile(drawn_means, ((1 - level) / 2, (1 + level) / 2)).tolist()
    return low, high


def compare(a: Floats, b: Floats, document_of_mention: Ints, *, seed: int = 0) -> dict[str, float]:
    """Return the difference of micro means, a - b, its 95% interval over documents, and the p-value over mentions."""
    low, high = paired_bootstrap(a, b, document_of_mention, seed=seed)
    return {"difference": _difference(a, b), "low": low, "high": high, "p_value": paired_t_test(a, b)}


def _difference(a: Floats, b: Floats) -> float:
    return float((a - b).mean()) if len(a) else 0.0

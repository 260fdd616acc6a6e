"""What the paper finds, and on which sets it holds in the rows that were measured."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from eigenthemes.reproduction.earnings import NEURAL, SIGNIFICANT, THEIRS, Row, mean
from eigenthemes.reproduction.shown import by, gains, spectrum_of, value_of

_RIVALS = tuple(name for name in THEIRS if name != "eigen" and not name.endswith("-unweighted"))
_SLACK = 0.005  # half a point: no difference


@dataclass(frozen=True, slots=True)
class Verdict:
    """A finding of the paper, or a claim of ours, and where it holds, where nothing can be told, and where it does not: "set
    (figures)" each."""

    claim: str
    holds: tuple[str, ...]
    same: tuple[str, ...]
    fails: tuple[str, ...]


# does it hold (None: there is no clear difference), and with which figures; None: it was not measured
Test = Callable[[list[Row]], tuple[bool | None, str] | None]


def judge(claim: str, rows: Sequence[Row], test: Test, *, key: str = "set") -> Verdict:
    """Test a claim set by set."""
    found: dict[bool | None, list[str]] = {True: [], None: [], False: []}
    for name, some in by(rows, key).items():
        if (told := test(some)) is not None:
            found[told[0]].append(f"{name} ({told[1]})" if told[1] else str(name))
    return Verdict(claim, *(tuple(found[outcome]) for outcome in (True, None, False)))


def _above(figure: str, key: str, one: str, *others: str) -> Test:
    """One is above all others that were measured.

    Less than half a point is no difference; neither is one that a t-test does not confirm, where rows tell its p-value.
    """

    def test(rows: list[Row]) -> tuple[bool | None, str] | None:
        mine = value_of(rows, figure, **{key: one})
        rivals = {each: value for each in others if (value := value_of(rows, figure, **{key: each})) is not None}
        if mine is None or not rivals:
            return None
        best = max(rivals, key=lambda each: rivals[each])
        p_value = value_of(rows, "p_against_eigen", **{key: best}) if one == "eigen" and figure == "overall_p_at_1" else None
        clear = abs(mine - rivals[best]) >= _SLACK and (p_value is None or p_value < SIGNIFICANT)
        told = f"{mine:.3f} against {rivals[best]:.3f}" + (f" of {best}" if len(others) > 1 else "")
        return (mine > rivals[best] if clear else None), told

    return test


def _outcome(difference: float) -> bool | None:
    return None if abs(difference) < _SLACK else difference > 0


def datasets(rows: Sequence[Row]) -> list[Verdict]:
    whole = [row for row in rows if row["max_candidates"] is None and not row["given"]]
    return [
        judge(
            "the plain generator finds the gold of at least 80 % of the mentions (paper: 80 to 89 %)",
            whole,
            lambda some: (
                some[0]["oracle_recall"] >= 0.8,
                f"{some[0]['oracle_recall']:.0%}, gold in KB {some[0]['gold_in_kb']:.0%}",
            ),
        ),
        judge(
            "hard mentions have more candidates than easy ones",
            [row for row in rows if row["max_candidates"] is None],
            lambda some: (
                some[0]["candidates_hard"] > some[0]["candidates_easy"],
                f"{some[0]['candidates_hard']:,.1f} against {some[0]['candidates_easy']:,.1f}",
            ),
        ),
    ]


def quality(rows: Sequence[Row]) -> list[Verdict]:
    figure = "overall_p_at_1"
    return [
        judge("Eigenthemes are the best of the paper's methods", rows, _above(figure, "method", "eigen", *_RIVALS)),
        judge("Eigenthemes are better than the average", rows, _above(figure, "method", "eigen", "average")),
        judge("Eigenthemes are better than degree", rows, _above(figure, "method", "eigen", "degree")),
        judge(
            "on hard mentions Eigenthemes are the best of the paper's methods",
            rows,
            _above("hard_p_at_1", "method", "eigen", *_RIVALS),
        ),
        judge(
            "degree is better than both contexts", rows, _above(figure, "method", "degree", "local-context", "global-context")
        ),
        judge(
            "(ours) the self-trained ranker is the best of all",
            rows,
            _above(figure, "method", "selftrained", "eigen", *_RIVALS, "prior-name"),
        ),
    ]


def neural(rows: Sequence[Row]) -> list[Verdict]:
    figure = "overall_p_at_1"
    means = [
        {"set": name, "method": method, figure: np.mean([row[figure] for row in some])}
        for (name, method), some in by(rows, "set", "method").items()
    ]

    def slower(some: list[Row]) -> tuple[bool, str] | None:
        speed = {row["method"]: row["documents_per_second"] for row in some if "documents_per_second" in row}
        if not {"eigen", "taumil"} <= set(speed):
            return None
        times = speed["eigen"] / speed["taumil"]
        return times >= 10, f"{times:.0f} times"

    return [
        judge("Eigenthemes are better than both neural rivals", means, _above(figure, "method", "eigen", *NEURAL)),
        judge("weights improve tau-MIL-ND", means, _above(figure, "method", "taumil-weighted", "taumil")),
        judge("degree is better than tau-MIL-ND, weighted or not", means, _above(figure, "method", "degree", *NEURAL)),
        judge("tau-MIL-ND is better than random choice", means, _above(figure, "method", "taumil", "random choice")),
        judge("Eigenthemes link at least 10 times faster (training not counted)", rows, slower),
    ]


def supervised(rows: Sequence[Row]) -> list[Verdict]:
    def gain(some: list[Row], group: str) -> float:
        return mean(np.array(gains(some, group)))

    def clear(some: list[Row]) -> bool | None:
        """A gain that is smaller than its deviation over the seeds is none."""
        spread = float(np.std(gains(some, "overall"))) if gains(some, "overall") else 0.0
        return None if abs(gain(some, "overall")) < spread else _outcome(gain(some, "overall"))

    def overall(some: list[Row]) -> tuple[bool | None, str]:
        return clear(some), f"{gain(some, 'overall'):+.3f}"

    def hard(some: list[Row]) -> tuple[bool, str] | None:
        if not clear(some):
            return None  # there is no gain to share out
        return gain(some, "hard") > gain(some, "easy"), f"hard {gain(some, 'hard'):+.3f}, easy {gain(some, 'easy'):+.3f}"

    labelled = [{**row, "set": f"{row['set']}, {row['context']}"} for row in rows]
    return [
        judge("the Eigenthemes score improves a supervised model (paper: by 1 to 2 points)", labelled, overall),
        judge("where it does, most is gained on hard mentions (paper: more than 5 points)", labelled, hard),
    ]


def sample_spaces(rows: Sequence[Row]) -> list[Verdict]:
    def clustered(some: list[Row]) -> tuple[bool, str] | None:
        places, gold = np.array([(row["x"], row["y"]) for row in some]), np.array([row["gold"] for row in some])
        if gold.sum() < 2 or gold.all():
            return None
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        np.fill_diagonal(apart, np.inf)
        beside, chance = gold[apart[gold].argmin(axis=1)].mean(), (gold.sum() - 1) / (len(gold) - 1)
        return bool(beside > chance), f"{beside:.0%}, by chance {chance:.0%}"

    def outside(some: list[Row]) -> tuple[bool, str] | None:
        reach = {
            is_gold: [float(np.hypot(row["x"], row["y"])) for row in some if row["gold"] is is_gold]
            for is_gold in (True, False)
        }
        if not all(reach.values()):
            return None
        return np.mean(reach[True]) > np.mean(reach[False]), f"{np.mean(reach[True]):.2f} against {np.mean(reach[False]):.2f}"

    documents = [{**row, "set": f"{row['set']}: {row['document']}"} for row in rows]
    return [
        judge("the nearest neighbour of a gold entity is gold, more often than by chance", documents, clustered),
        judge("gold entities reach further along the two themes than the others", documents, outside),
    ]


def gold_score(rows: Sequence[Row]) -> list[Verdict]:
    return [
        judge(
            "gold entities score higher than the average of the others (the interval is above 0)",
            rows,
            lambda some: (some[0]["low"] > 0, f"{some[0]['relative_score']:.2f} [{some[0]['low']:.2f}, {some[0]['high']:.2f}]"),
        )
    ]


def mutilation(rows: Sequence[Row]) -> list[Verdict]:
    def always_best(some: list[Row]) -> tuple[bool, str] | None:
        test = _above("p_at_1", "method", "eigen", "degree", "average")
        found = {fraction: told for fraction, each in by(some, "fraction").items() if (told := test(each)) is not None}
        lost = [str(fraction) for fraction, told in found.items() if told[0] is False]
        return (not lost, f"not at {', '.join(lost)}" if lost else "") if found else None

    def degree_falls(some: list[Row]) -> tuple[bool, str] | None:
        left = {row["method"]: row["p_at_1"] for row in some if row["fraction"] == 0}
        if "degree" not in left or len(left) < 2:
            return None
        return left["degree"] == 0 == min(left.values()), f"{left['degree']:.3f} without any easy mention"

    def overtaken(some: list[Row]) -> tuple[bool, str] | None:
        test = _above("p_at_1", "method", "average", "degree")
        found = {fraction: told for fraction, each in by(some, "fraction").items() if (told := test(each)) is not None}
        where = [fraction for fraction, told in found.items() if told[0]]
        if not found:
            return None
        place = "never" if not where else "always above" if max(where) == 1 else f"from {max(where)} on"
        return bool(where) and 0.3 <= max(where) <= 0.7, place

    return [
        judge("Eigenthemes are above degree and average at every share of easy mentions", rows, always_best),
        judge("degree falls to the last place, and to 0, without easy mentions", rows, degree_falls),
        judge("the average overtakes degree when about half (0.3 to 0.7) of the easy mentions are gone", rows, overtaken),
    ]


def domains(rows: Sequence[Row]) -> list[Verdict]:
    test = _above("overall_p_at_1", "method", "eigen", *_RIVALS)
    return [judge("Eigenthemes are the best of the paper's methods in other domains, too", rows, test)]


def spectrum(rows: Sequence[Row]) -> list[Verdict]:
    letters = {row["method"]: row["letters"] for row in spectrum_of(rows)}
    expected = {"eigen": "RES", "degree": "ES"}
    claims = {
        "eigen": "Eigenthemes are robust, effective and scalable (RES)",
        "degree": "degree is effective and scalable (ES)",
    }
    told = [{"set": method, "letters": letters[method]} for method in expected if method in letters]
    return [
        judge(
            claims[row["set"]],
            [row],
            lambda some: (some[0]["letters"] == expected[some[0]["set"]], some[0]["letters"] or "none"),
        )
        for row in told
    ]


def recall(rows: Sequence[Row]) -> list[Verdict]:
    paper = [row for row in rows if row["generator"] == "paper"]

    def aliases(some: list[Row]) -> tuple[bool, str] | None:
        on, off = (value_of(some, "recall", limit=20, aliases=each) for each in (True, False))
        return None if on is None or off is None else (on > off, f"{on:.3f} against {off:.3f} at T = 20")

    def enough(some: list[Row]) -> tuple[bool, str] | None:
        twenty, everything = (value_of(some, "recall", limit=each, aliases=True) for each in (20, None))
        if not twenty or not everything:
            return None
        return twenty >= 0.95 * everything, f"{twenty / everything:.0%}"

    def ours(some: list[Row]) -> tuple[bool, str] | None:
        mine, theirs = (value_of(some, "recall", limit=20, aliases=True, generator=each) for each in ("default", "paper"))
        return None if mine is None or theirs is None else (mine > theirs, f"{mine:.3f} against {theirs:.3f}")

    return [
        judge("aliases raise the recall", paper, aliases),
        judge("20 candidates have 95 % of the recall of all", paper, enough),
        judge("(ours) the generator of this project finds more with 20", rows, ours),
    ]


def embeddings(rows: Sequence[Row]) -> list[Verdict]:
    figure = "overall_p_at_1"

    def of(method: str) -> list[Row]:
        return [row for row in rows if row["method"] == method]

    def graph_best(some: list[Row]) -> tuple[bool | None, str] | None:
        values = {row["vectors"]: row[figure] for row in some}
        graph = {name: value for name, value in values.items() if name not in ("descriptions", "random")}
        if not graph or "descriptions" not in values:
            return None
        best = max(graph, key=lambda name: graph[name])
        told = f"{best} {graph[best]:.3f} against {values['descriptions']:.3f}"
        return _outcome(graph[best] - values["descriptions"]), told

    def meaning(some: list[Row]) -> tuple[bool | None, str] | None:
        values = {row["vectors"]: row[figure] for row in some}
        if "random" not in values:
            return None
        best = max((name for name in values if name != "random"), key=lambda name: values[name])
        return _outcome(values[best] - values["random"]), f"{best} {values[best]:.3f} against {values['random']:.3f}"

    return [
        judge("vectors of the graph are better than vectors of descriptions, for Eigenthemes", of("eigen"), graph_best),
        judge("the same, for the average", of("average"), graph_best),
        judge("(control) vectors are better than random ones, for Eigenthemes", of("eigen"), meaning),
    ]


def components(rows: Sequence[Row]) -> list[Verdict]:
    def grows(some: list[Row]) -> tuple[bool | None, str] | None:
        one, ten = (value_of(some, "overall_p_at_1", k=k) for k in (1, 10))
        return None if one is None or ten is None else (_outcome(ten - one), f"{one:.3f} with 1, {ten:.3f} with 10")

    def flat(some: list[Row]) -> tuple[bool, str] | None:
        ten, more = value_of(some, "overall_p_at_1", k=10), [row for row in some if row["k"] > 10]
        if ten is None or not more:
            return None
        best = max(more, key=lambda row: row["overall_p_at_1"])
        return best["overall_p_at_1"] < ten + _SLACK, f"{ten:.3f} with 10, {best['overall_p_at_1']:.3f} with {best['k']}"

    return [
        judge("more components are better at first", rows, grows),
        judge("beyond 10 components nothing is gained (less than half a point)", rows, flat),
    ]


def weights(rows: Sequence[Row]) -> list[Verdict]:
    def gains(some: list[Row]) -> tuple[bool, str] | None:
        value = {
            (row["method"], group): row[f"{group}_p_at_1"]
            for row in some
            for group in ("easy", "hard")
            if row["method"] in ("eigen", "eigen-unweighted")
        }
        if len(value) < 4:
            return None
        easy, hard = (value["eigen", group] - value["eigen-unweighted", group] for group in ("easy", "hard"))
        return easy > hard and hard >= -_SLACK, f"easy {easy:+.3f}, hard {hard:+.3f}"

    figure = "overall_p_at_1"
    return [
        judge("weights improve Eigenthemes", rows, _above(figure, "method", "eigen", "eigen-unweighted")),
        judge("weights improve the average", rows, _above(figure, "method", "average", "average-unweighted")),
        judge("they gain much on easy mentions and lose nothing on hard ones", rows, gains),
    ]


def schemes(rows: Sequence[Row]) -> list[Verdict]:
    figure = "overall_p_at_1"
    eigen, alone = ([row for row in rows if row["ranking"] == ranking] for ranking in ("eigen", "weight"))
    return [
        judge("weights by degree are the best", eigen, _above(figure, "scheme", "degree", "local", "global", "none")),
        judge("text alone ranks worse than degree alone", alone, _above(figure, "scheme", "degree", "local", "global")),
        judge("weights by local context are better than none", eigen, _above(figure, "scheme", "local", "none")),
        judge("weights by global context are better than none", eigen, _above(figure, "scheme", "global", "none")),
    ]


def limits_and_deltas(rows: Sequence[Row]) -> list[Verdict]:
    def one_is_best(some: list[Row]) -> tuple[bool, str] | None:
        values = {row["delta"]: row["overall_p_at_1"] for row in some if row["limit"] == 20}
        if 1 not in values:
            return None
        best = max(values, key=lambda delta: values[delta])
        return values[1] >= values[best] - _SLACK, f"{values[1]:.3f}; best {values[best]:.3f} with {best}"

    def graceful(some: list[Row]) -> tuple[bool, str] | None:
        values = {row["limit"]: row["overall_p_at_1"] for row in some if row["delta"] == 1}
        if not {5, 100} <= set(values):
            return None
        return values[100] >= values[5] - 0.02, f"{values[5]:.3f} with 5 candidates, {values[100]:.3f} with 100"

    def easy_gains(some: list[Row]) -> tuple[bool, str] | None:
        values = {row["delta"]: row["easy_p_at_1"] for row in some if row["limit"] == 20}
        ordered = [values[delta] for delta in sorted(values)]
        return (all(a <= b + _SLACK for a, b in pairwise(ordered)), "") if len(values) > 1 else None

    def hard_peaks(some: list[Row]) -> tuple[bool, str] | None:
        values = {row["delta"]: row["hard_p_at_1"] for row in some if row["limit"] == 20}
        if 1 not in values:
            return None
        return max(values, key=lambda delta: values[delta]) == 1, ", ".join(f"δ {d}: {values[d]:.3f}" for d in sorted(values))

    return [
        judge("δ = 1 is the best with 20 candidates (or within half a point)", rows, one_is_best),
        judge("with δ = 1 more candidates do little harm (at most 2 points from 5 to 100)", rows, graceful),
        judge("a larger δ is always better for easy mentions", rows, easy_gains),
        judge("hard mentions improve until δ = 1 and decline beyond", rows, hard_peaks),
    ]


def ablations(rows: Sequence[Row]) -> list[Verdict]:
    figure, labelled = "overall_p_at_1", [{**row, "set": f"{row['set']}, {row['vectors']}"} for row in rows]
    first = "as in the paper"
    return [
        judge("scaling themes by their strength is better", labelled, _above(figure, "variant", first, "without strengths")),
        judge("vectors of unit length are better", labelled, _above(figure, "variant", first, "vectors of any length")),
    ]


def windows(rows: Sequence[Row]) -> list[Verdict]:
    def five(some: list[Row]) -> tuple[bool, str] | None:
        values = {row["window"]: row["overall_p_at_1"] for row in some if row["window"] is not None}
        best = max(values, key=lambda window: values[window])
        return values.get(5, 0) >= values[best] - _SLACK, f"{values.get(5, 0):.3f}; best {values[best]:.3f} with {best}"

    return [judge("5 words on each side are best (or within half a point)", rows, five)]


def graphs(rows: Sequence[Row]) -> list[Verdict]:
    def sparse(some: list[Row]) -> tuple[bool, str]:
        density = some[0]["density"]
        return density <= 7.1, f"{density:.1f}"

    return [judge("the graph is as sparse as those of the paper's special domains (at most 7.1)", rows, sparse, key="kb")]


def run_times(rows: Sequence[Row]) -> list[Verdict]:
    def fast(some: list[Row]) -> tuple[bool, str] | None:
        value = value_of(some, "documents_per_second", method="eigen")
        return None if value is None else (value > 100, f"{value:,.0f} documents/s")

    return [judge("Eigenthemes link more than 100 documents a second", rows, fast)]

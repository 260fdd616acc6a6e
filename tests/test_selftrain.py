"""The parts of the self-trained ranker: what the graph says, features, the two models, made-up documents, training."""

from __future__ import annotations

import itertools
import json
import math
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from conftest import write_jsonl
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes import KB, build_kb
from eigenthemes.build import store_ranker
from eigenthemes.candidates.name_index import letters_of
from eigenthemes.documents.reader import read_gold
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.kb.name_index import ALIAS
from eigenthemes.kernels.support import EDGES, LEAST, LONGER, MOST, SAME, SHARED, SHARED_RARE, support
from eigenthemes.kg.demo import DOCUMENTS, SMALL
from eigenthemes.linker import Linker
from eigenthemes.ranking.batch import Batch, BatchMaker, batch_maker
from eigenthemes.ranking.features import (
    COLUMNS,
    LOCAL,
    FeatureContext,
    MentionGroups,
    coherence,
    local_features,
    theme_features,
)
from eigenthemes.ranking.logit import shares
from eigenthemes.ranking.ranker import ROUNDS, Ranker, judge
from eigenthemes.records import Document, Mention
from eigenthemes.selftrain.fit import fit_choice, fit_none
from eigenthemes.selftrain.gold import gold_train
from eigenthemes.selftrain.naming import Namer, curtness
from eigenthemes.selftrain.recipe import RECIPE
from eigenthemes.selftrain.sample import REMOVED, Sampler
from eigenthemes.selftrain.train import lesson, self_train, without_removed
from eigenthemes.text.normalize import normalize

Floats = NDArray[np.float64]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def small_kb(folder: Path, nodes: Sequence[dict[str, Any]], edges: Sequence[tuple[str, str]] = (), **options: Any) -> KB:
    """A KB of a few nodes; without vectors unless `embedding` is given."""
    folder.mkdir(parents=True, exist_ok=True)
    sources = [write_jsonl(folder / "nodes.jsonl", list(nodes))]
    if edges:
        sources.append(write_jsonl(folder / "edges.jsonl", [{"source": a, "target": b, "relation": "r"} for a, b in edges]))
    return build_kb(sources, folder / "small.kb", **{"embedding": None, **options})


def trained_demo(folder: Path) -> KB:
    """The demo KB with a ranker, quickly trained."""
    kb = build_kb([SMALL], folder / "demo.kb", train=False)
    return store_ranker(kb, self_train(kb, documents=150))


def same_weights(one: Ranker, other: Ranker) -> bool:
    pairs = zip(one.rounds, other.rounds, strict=True)
    return all(np.array_equal(a.choice, b.choice) and np.array_equal(a.none, b.none) for a, b in pairs)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return trained_demo(tmp_path_factory.mktemp("selftrain"))


@pytest.fixture(scope="module")
def ranker(demo: KB) -> Ranker:
    return Ranker.of(demo.rankers[next(iter(demo.vector_sets))])


@pytest.fixture(scope="module")
def around(demo: KB) -> FeatureContext:
    return FeatureContext(demo, demo.vectors())


@pytest.fixture(scope="module")
def makes(demo: KB) -> BatchMaker:
    return batch_maker(demo, needs_vectors=True)


@pytest.fixture(scope="module")
def gold_documents() -> list[Document]:
    return list(read_gold(DOCUMENTS["small"]))


@pytest.fixture(scope="module")
def made_up(demo: KB) -> list[Document]:
    return list(Sampler(demo, rng(3)).documents(300))


# what the graph says


class Case(NamedTuple):
    """Documents as lists of names, each a list of (entity, weight); `longer[document][name]`: numbers of longer names."""

    neighbors: list[list[int]]
    documents: list[list[list[tuple[int, float]]]]
    longer: list[list[list[int]]]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    size = draw(st.integers(2, 9))
    pairs = list(itertools.combinations(range(size), 2))
    edges = draw(st.lists(st.sampled_from(pairs), unique=True))
    neighbors: list[list[int]] = [[] for _ in range(size)]
    for a, b in edges:
        neighbors[a].append(b)
        neighbors[b].append(a)
    weights = st.sampled_from([0.0, LEAST / 3, 0.01, 0.25, 0.5, 0.75, 1.0])
    name = st.lists(st.tuples(st.integers(0, size - 1), weights), max_size=4, unique_by=lambda row: row[0])
    documents = draw(st.lists(st.lists(name, max_size=5), max_size=3))
    longer: list[list[list[int]]] = []
    for names in documents:
        others = [[t for t in range(len(names)) if t != s] for s in range(len(names))]
        longer.append([draw(st.lists(st.sampled_from(each), unique=True, max_size=2)) if each else [] for each in others])
    return Case([sorted(each) for each in neighbors], documents, longer)


def rarities(neighbors: list[list[int]]) -> list[float]:
    return [1 - math.log1p(len(each)) / math.log1p(max(1, len(neighbors))) for each in neighbors]


def scratch_of(size: int) -> tuple[Any, Any, Any]:
    return np.zeros(size, np.float32), np.zeros(size, np.float32), np.full(size, -1, np.int64)


def bounds_of(counts: Sequence[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.array(counts, np.int64)))).astype(np.int64)


def by_kernel(case: Case, scratch: Any = None) -> Floats:
    names = [name for document in case.documents for name in document]
    rows = [row for name in names for row in name]
    longer = [each for document in case.longer for each in document]
    graph = (
        bounds_of([len(each) for each in case.neighbors]),
        np.array([other for each in case.neighbors for other in each], np.uint32),
        np.array(rarities(case.neighbors), np.float32),
    )
    found = support(
        bounds_of([len(document) for document in case.documents]),
        bounds_of([len(name) for name in names]),
        np.array([entity for entity, _ in rows], np.int64),
        np.array([weight for _, weight in rows], np.float32),
        graph,
        (bounds_of([len(each) for each in longer]), np.array([other for each in longer for other in each], np.int64)),
        scratch or scratch_of(len(case.neighbors)),
    )
    return np.asarray(found)


def by_hand(case: Case) -> Floats:
    """The docstring of `support` with sets and dicts."""
    near, rarity = [set(each) for each in case.neighbors], rarities(case.neighbors)
    walked = [set(each[:MOST]) for each in case.neighbors]
    found = []
    for names, longer in zip(case.documents, case.longer, strict=True):
        for s, name in enumerate(names):
            others = {t: dict(other) for t, other in enumerate(names) if t != s}
            for entity, _ in name:
                row = [0.0] * 5
                for candidates in others.values():
                    row[EDGES] += min(1, sum(w for e, w in candidates.items() if w >= LEAST and e in near[entity]))
                for neighbor in walked[entity]:
                    every = [(e, w) for candidates in others.values() for e, w in candidates.items() if w >= LEAST]
                    mass = min(1, sum(w for e, w in every if neighbor in walked[e]))
                    row[SHARED] += mass
                    row[SHARED_RARE] += mass * rarity[neighbor]
                said = {t: candidates[entity] for t, candidates in others.items() if entity in candidates}
                row[LONGER] = max((w for t, w in said.items() if t in longer[s]), default=0)
                row[SAME] = min(1, sum(w for t, w in said.items() if t not in longer[s]))
                found.append(row)
    return np.array(found).reshape(-1, 5)


@given(cases())
@settings(max_examples=150)
def test_support_is_what_its_docstring_says(case: Case) -> None:
    assert by_kernel(case) == pytest.approx(by_hand(case), abs=1e-5)


@given(cases())
def test_scratch_is_left_as_found(case: Case) -> None:
    size = len(case.neighbors)
    scratch = scratch_of(size)
    first = by_kernel(case, scratch)
    assert all(np.array_equal(a, b) for a, b in zip(scratch, scratch_of(size), strict=True))
    assert np.array_equal(by_kernel(case, scratch), first)


@given(cases())
def test_documents_do_not_see_each_other_in_the_graph(case: Case) -> None:
    apart = [by_kernel(Case(case.neighbors, [d], [x])) for d, x in zip(case.documents, case.longer, strict=True)]
    assert np.array_equal(by_kernel(case), np.concatenate([np.zeros((0, 5)), *apart]))


@pytest.fixture(scope="module")
def hub_graph() -> list[list[int]]:
    """Entity 0 has 700 neighbours, 1 is a second hub with the same ones; the others have these two."""
    last = MOST + 188
    leaves = list(range(2, last + 2))
    return [leaves, leaves, *[[0, 1] for _ in leaves]]


def test_an_edge_of_a_hub_is_seen_however_far_down_its_list(hub_graph: list[list[int]]) -> None:
    far = len(hub_graph) - 1
    case = Case(hub_graph, [[[(0, 0.5)], [(far, 0.25), (2, 1.0)], [(far, 0.5)]]], [[[], [], []]])
    found = by_kernel(case)
    assert found == pytest.approx(by_hand(case), abs=1e-5)
    assert found[:, EDGES].tolist() == [1.5, 0.5, 0.5, 0.5]  # both candidates of the second name together: 1 at most


def test_of_a_hub_the_first_neighbours_are_walked(hub_graph: list[list[int]]) -> None:
    case = Case(hub_graph, [[[(0, 1.0)], [(1, 1.0)]]], [[[], []]])
    found = by_kernel(case)
    assert found == pytest.approx(by_hand(case), abs=1e-3)
    assert found[:, SHARED].tolist() == [MOST, MOST]


def test_hubs_among_others_are_as_by_hand(hub_graph: list[list[int]]) -> None:
    far = len(hub_graph) - 1
    names = [[(0, 0.5), (far, 0.5)], [(1, 0.3), (0, 0.7)], [(5, 1.0), (0, 0.2)]]
    case = Case(hub_graph, [names, names[:2]], [[[2], [], [0]], [[1], []]])
    assert by_kernel(case) == pytest.approx(by_hand(case), abs=1e-3)


def test_hubs_cost_no_pairs_of_candidates(hub_graph: list[list[int]]) -> None:
    def seconds(names: int) -> float:
        case = Case(hub_graph, [[[(0, 0.5), (1, 0.5)]] * names], [[[]] * names])
        start = time.perf_counter()
        by_kernel(case)
        return time.perf_counter() - start

    seconds(10)
    assert seconds(4000) < 3 * max(seconds(2000) for _ in range(3))  # twice the names, twice the time


# features


def mention_lists(kb: KB) -> st.SearchStrategy[list[Document]]:
    """Documents whose mentions are looked up or bring their candidates."""
    ids = [kb.id_of(entity) for entity in range(len(kb))]
    labels = [kb.label_of(entity) for entity in range(len(kb))]
    given_ids = st.lists(st.sampled_from(ids), max_size=5, unique=True).map(tuple)
    words = [word for label in labels for word in label.split()]
    mention = st.builds(Mention, st.sampled_from([*labels, *words, "xyzzy"]), candidates=st.none() | given_ids)
    return st.lists(st.lists(mention, max_size=6).map(lambda some: Document(mentions=tuple(some))), max_size=4)


def naive_coherence(names: MentionGroups, rows: NDArray[np.float32], weight: NDArray[np.float32]) -> Floats:
    found = np.zeros(len(names.row))
    document = np.repeat(np.arange(len(names.documents) - 1), np.diff(names.documents))
    for i, j in itertools.product(range(len(found)), repeat=2):
        if names.name[i] != names.name[j] and document[names.name[i]] == document[names.name[j]]:
            found[i] += weight[j] * float(rows[names.entity[i]] @ rows[names.entity[j]]) ** 2
    return found


@given(st.data())
@settings(max_examples=40)
def test_coherence_is_the_weighted_sum_of_squared_cosines_with_other_names(tiny: KB, data: st.DataObject) -> None:
    names = MentionGroups.of(batch_maker(tiny, needs_vectors=True).make(data.draw(mention_lists(tiny))))
    weight = rng(1).random(len(names.row)).astype(np.float32)
    expected = naive_coherence(names, tiny.vectors().rows, weight)
    assert coherence(names, tiny.vectors(), weight) == pytest.approx(expected, abs=1e-4)
    assert not coherence(names, None, weight).any()


@given(st.data())
@settings(max_examples=40)
def test_features_of_a_batch_are_those_of_its_documents(tiny: KB, data: st.DataObject) -> None:
    documents = data.draw(mention_lists(tiny))
    maker, around = batch_maker(tiny, needs_vectors=True), FeatureContext(tiny, tiny.vectors())
    names = MentionGroups.of(maker.make(documents))
    weight = rng(2).random(len(names.row))
    local, themes = local_features(names, around), theme_features(names, around, weight)
    assert local.shape == (len(names.row), len(LOCAL))
    assert themes.shape == (len(names.row), len(COLUMNS) - len(LOCAL))
    assert np.isfinite(local).all()
    assert np.isfinite(themes).all()
    for document, (_, _, first, last) in zip(documents, names.spans(), strict=True):
        alone = MentionGroups.of(maker.make([document]))
        fresh = FeatureContext(tiny, tiny.vectors())
        assert np.array_equal(local_features(alone, fresh), local[first:last])
        assert np.array_equal(theme_features(alone, fresh, weight[first:last]), themes[first:last])


@given(st.data())
@settings(max_examples=40)
def test_names_are_the_distinct_ones_of_each_document(tiny: KB, data: st.DataObject) -> None:
    documents = data.draw(mention_lists(tiny))
    batch = batch_maker(tiny, needs_vectors=True).make(documents)
    names = MentionGroups.of(batch)
    assert len(names.name_of) == len(batch.mentions)
    assert np.array_equal(names.name_of[names.mention], np.arange(len(names)))
    assert names.documents[-1] == len(names)
    assert np.array_equal(names.entity[names.back], batch.table.entity)
    assert np.array_equal(names.name[names.back], names.name_of[batch.table.mention_of])
    for i, first in zip(range(len(batch.mentions)), names.mention[names.name_of].tolist(), strict=True):
        assert batch.mentions[i].text.casefold().split() == batch.mentions[first].text.casefold().split()
        assert first <= i


def test_a_name_again_in_other_letters_is_one_name(demo: KB, makes: BatchMaker) -> None:
    said = ("Michael Jordan", "michael jordan", "Chicago", "MICHAEL  JORDAN")
    names = MentionGroups.of(
        makes.make([Document(mentions=tuple(map(Mention, said))), Document(mentions=(Mention("Chicago"),))])
    )
    assert names.name_of.tolist() == [0, 0, 1, 0, 2]
    assert names.documents.tolist() == [0, 2, 3]


def test_longer_names_hold_a_name_word_for_word(demo: KB, makes: BatchMaker) -> None:
    said = ("Jordan", "Michael Jordan", "Jordanian", "Michael", "Hussein of Jordan")
    indptr, longer = MentionGroups.of(makes.make([Document(mentions=tuple(map(Mention, said)))])).longer
    found = [sorted(longer[a:b].tolist()) for a, b in itertools.pairwise(indptr.tolist())]
    assert found == [[1, 4], [], [], [1], []]


def test_given_candidates_are_names_of_their_own(demo: KB, makes: BatchMaker) -> None:
    some = [
        Mention("Chicago"),
        Mention("Chicago", candidates=(demo.id_of(0),)),
        Mention("Chicago", candidates=(demo.id_of(1),)),
    ]
    names = MentionGroups.of(makes.make([Document(mentions=(*some, some[1]))]))
    assert names.name_of.tolist() == [0, 1, 2, 1]


def naive_spelling(said: str, kind: int, names: list[str]) -> list[float]:
    """cased, covered, begins, ends, in_label"""
    if kind <= ALIAS:
        return [float(letters_of(said) in map(letters_of, names)), 1, 0, 0, 0]
    words = normalize(said).split()
    covered, begins, ends, in_label = 0.0, False, False, False
    for number, name in enumerate(normalize(name).split() for name in names):
        for start in range(len(name)):
            if name[start : start + len(words)] == words:
                covered = max(covered, len(words) / len(name))
                begins, ends = begins or start == 0, ends or start + len(words) == len(name)
                in_label = in_label or number == 0
    return [0, covered, float(begins), float(ends), float(in_label)]


@given(st.data())
@settings(max_examples=60)
def test_spelling_is_compared_with_every_name(tiny: KB, data: st.DataObject) -> None:
    batch = batch_maker(tiny, needs_vectors=True).make(data.draw(mention_lists(tiny)))
    names = MentionGroups.of(batch)
    columns = [LOCAL.index(name) for name in ("cased", "covered", "begins", "ends", "in_label")]
    found = local_features(names, FeatureContext(tiny, None))[:, columns]
    for row, (name, entity) in enumerate(zip(names.name.tolist(), names.entity.tolist(), strict=True)):
        mention = batch.mentions[int(names.mention[name])]
        kind = int(batch.table.match_type[names.row[row]])
        expected = naive_spelling(mention.text, kind, tiny.names_of(entity)) if mention.candidates is None else [0, 1, 0, 0, 0]
        assert found[row].tolist() == pytest.approx(expected), (mention, tiny.names_of(entity))


def test_support_of_others_only() -> None:
    """A single name has no themes, however many candidates it has."""
    graph = [[1, 2], [0, 2], [0, 1]]
    found = by_kernel(Case(graph, [[[(0, 0.5), (1, 0.3), (2, 0.2)]]], [[[]]]))
    assert not found.any()


@given(st.permutations(range(5)))
@settings(max_examples=15)
def test_the_order_of_names_does_not_matter(
    demo: KB, ranker: Ranker, makes: BatchMaker, around: FeatureContext, order: list[int]
) -> None:
    said = ["Michael Jordan", "Jordan", "Chicago", "NBA", "Science"]

    def chances(names: list[str]) -> dict[tuple[str, int], float]:
        batch = makes.make([Document(mentions=tuple(map(Mention, names)))])
        found = judge(ranker, batch, around)
        pairs = zip(found.names.name.tolist(), found.names.entity.tolist(), found.probability.tolist(), strict=True)
        return {(names[name], entity): probability for name, entity, probability in pairs}

    expected = chances(said)
    assert chances([said[i] for i in order]) == pytest.approx(expected, abs=1e-5)


# the two models


@given(st.lists(st.lists(st.floats(-1e4, 1e4), max_size=5), max_size=6))
def test_shares_sum_to_one(names: list[list[float]]) -> None:
    bounds = bounds_of([len(name) for name in names])
    found = shares(np.array([value for name in names for value in name], np.float64), bounds)
    for name, (first, last) in zip(names, itertools.pairwise(bounds.tolist()), strict=True):
        part = found[first:last]
        assert np.isfinite(part).all()
        assert part.sum() == pytest.approx(1 if name else 0)
        assert not name or part[int(np.argmax(name))] == part.max()


class Made(NamedTuple):
    """A set drawn from a model whose weights are known."""

    features: NDArray[np.float32]
    bounds: NDArray[np.int64]
    gold: NDArray[np.bool_]


PLANTED = np.array([2.0, -1.0, 0.5])


def made_choices(names: int = 4000, candidates: int = 5) -> Made:
    draw = rng(5)
    features = draw.normal(size=(names * candidates, 3)).astype(np.float32)
    bounds = np.arange(names + 1) * candidates
    chance = shares(features @ PLANTED, bounds).reshape(names, candidates)
    right = (draw.random((names, 1)) > np.cumsum(chance, axis=1)).sum(axis=1)
    gold = np.zeros((names, candidates), bool)
    gold[np.arange(names), np.minimum(right, candidates - 1)] = True
    return Made(features, bounds, gold.ravel())


@pytest.fixture
def objective(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The functions that are minimised."""
    import scipy.optimize

    seen: list[Any] = []
    minimize = scipy.optimize.minimize

    def spy(function: Any, *arguments: Any, **options: Any) -> Any:
        seen.append(function)
        return minimize(function, *arguments, **options)

    monkeypatch.setattr(scipy.optimize, "minimize", spy)
    return seen


def assert_slope_is_right(function: Any, size: int) -> None:
    for seed in range(3):
        at = rng(seed).normal(size=size)
        _, slope = function(at)
        steps = np.eye(size) * 1e-5
        numeric = [(function(at + step)[0] - function(at - step)[0]) / 2e-5 for step in steps]
        assert slope == pytest.approx(np.array(numeric), rel=1e-4, abs=1e-4)


def test_the_slope_of_the_choice_is_right(objective: list[Any]) -> None:
    made = made_choices(50)
    gold = made.gold.copy()
    gold[:3] = True  # several may be right
    gold[5:10] = False  # or none
    fit_choice(made.features, made.bounds, gold, start=np.ones(3), strength=0.7)
    assert_slope_is_right(objective[0], 3)


def test_the_slope_of_none_is_right(objective: list[Any]) -> None:
    fit_none(rng().normal(size=(60, 4)).astype(np.float32), rng(1).random(60) < 0.4, start=np.ones(4), strength=0.7)
    assert_slope_is_right(objective[0], 4)


def test_the_choice_is_the_least_of_the_objective_as_written() -> None:
    made = made_choices(40)
    start, strength = np.array([0.5, 0.5, 0.5]), 2.0

    def loss(weights: Floats) -> float:
        chance = shares(made.features.astype(np.float64) @ weights, made.bounds)
        return float(-np.log(chance[made.gold]).sum() + 0.5 * strength * ((weights - start) ** 2).sum())

    best = fit_choice(made.features, made.bounds, made.gold, start=start, strength=strength)
    for seed in range(20):
        assert loss(best) <= loss(best + 0.05 * rng(seed).normal(size=3)) + 1e-6


def test_planted_weights_come_back() -> None:
    made = made_choices()
    assert fit_choice(made.features, made.bounds, made.gold) == pytest.approx(PLANTED, abs=0.12)
    x = rng(8).normal(size=(20000, 3)).astype(np.float32)
    none = rng(9).random(len(x)) < 1 / (1 + np.exp(-x @ PLANTED))
    assert fit_none(x, none) == pytest.approx(PLANTED, abs=0.12)


def test_strength_draws_to_the_start() -> None:
    made = made_choices(300)
    start = np.array([-1.0, 1.0, 3.0])
    x, none = made.features[:300], made.gold[:300]

    def distances(fit: Any) -> list[float]:
        return [float(np.linalg.norm(fit(strength) - start)) for strength in (0.1, 10, 1e3, 1e7)]

    for fit in (
        lambda strength: fit_choice(made.features, made.bounds, made.gold, start=start, strength=strength),
        lambda strength: fit_none(x, none, start=start, strength=strength),
    ):
        found = distances(fit)
        assert found == sorted(found, reverse=True)
        assert found[-1] < 1e-3 < found[0]


def test_a_column_that_never_varies_keeps_its_start() -> None:
    made = made_choices(200)
    names = np.repeat(np.arange(200), 5)
    constant = rng(3).normal(size=200)[names]  # differs from name to name, never within one
    features = np.column_stack((made.features, constant, np.zeros(len(names)))).astype(np.float32)
    start = np.array([0.0, 0.0, 0.0, 1.25, -2.5])
    assert fit_choice(features, made.bounds, made.gold, start=start)[3:] == pytest.approx([1.25, -2.5], abs=1e-6)
    assert fit_choice(features, made.bounds, made.gold)[3:] == pytest.approx([0, 0], abs=1e-6)
    assert fit_none(features, made.gold, start=start)[4] == -2.5


def test_names_without_a_right_candidate_say_nothing_of_the_choice() -> None:
    made = made_choices(100)
    gold = made.gold.copy()
    gold[250:] = False
    half = fit_choice(made.features[:250], made.bounds[:51], made.gold[:250])
    assert fit_choice(made.features, made.bounds, gold) == pytest.approx(half)


def test_nothing_to_learn_from_leaves_the_start() -> None:
    nothing, start = np.zeros((0, 2), np.float32), np.array([1.0, -1.0])
    for bounds in (np.array([0]), np.array([0, 0, 0])):
        assert fit_choice(nothing, bounds, np.zeros(0, bool), start=start).tolist() == [1, -1]
    assert fit_none(nothing, np.zeros(0, bool), start=start).tolist() == [1, -1]
    some = np.ones((3, 2), np.float32)
    assert fit_choice(some, np.array([0, 3]), np.zeros(3, bool)).tolist() == [0, 0]


# made-up documents


def test_made_up_documents_are_seeded(demo: KB) -> None:
    one, again, other = (list(Sampler(demo, rng(seed)).documents(30)) for seed in (1, 1, 2))
    assert one == again
    assert [mention.source for d in one for mention in d.mentions or ()] == [m.source for d in again for m in d.mentions or ()]
    assert [document.mentions for document in one] != [document.mentions for document in other]


def test_made_up_documents_are_of_all_sizes(made_up: list[Document]) -> None:
    sizes = [len(document.mentions or ()) for document in made_up]
    assert min(sizes) == 1
    assert 0.02 < sizes.count(1) / len(sizes) < 0.3
    assert 5 < np.mean(sizes) < 25
    assert [document.id for document in made_up] == list(range(300))


def test_gold_is_in_the_kb_or_empty(demo: KB, made_up: list[Document]) -> None:
    mentions = [mention for document in made_up for mention in document.mentions or ()]
    golds = [mention.gold for mention in mentions]
    assert None not in golds
    assert 0.01 < golds.count(()) / len(golds) < 0.1
    for mention in mentions:
        assert mention.text.strip()
        for each in mention.gold or ():
            entity = demo.index_of(each)
            assert entity is not None
            assert demo.names_of(entity)
        assert len(mention.gold or ()) <= 1
    removed = sum(REMOVED in mention.source for mention in mentions)
    assert 0.03 < removed / len(mentions) < 0.15


def test_names_are_mostly_found_again(demo: KB, made_up: list[Document], makes: BatchMaker) -> None:
    """Documents nobody could link would teach nothing."""
    found = lesson(makes.make(made_up), demo, FeatureContext(demo, None))
    assert found.gold.sum() > 0.7 * len(found.names)


def candidates_by_mention(batch: Batch, kb: KB) -> list[list[tuple[str, int]]]:
    found: list[list[tuple[str, int]]] = [[] for _ in batch.mentions]
    for i, entity, rank in zip(batch.table.mention_of, batch.table.entity, batch.table.rank, strict=True):
        found[i].append((kb.id_of(int(entity)), int(rank)))
    return found


def test_removed_mentions_lose_their_gold_and_nothing_else(demo: KB, made_up: list[Document], makes: BatchMaker) -> None:
    whole = makes.make(made_up)
    batch = without_removed(whole, demo)
    before, after = candidates_by_mention(whole, demo), candidates_by_mention(batch, demo)
    for mention, old, new in zip(whole.mentions, before, after, strict=True):
        gone = set(mention.gold or ()) if REMOVED in mention.source else set()
        assert [each for each, _ in new] == [each for each, _ in old if each not in gone]
        assert [rank for _, rank in new] == list(range(1, len(new) + 1))
    assert np.array_equal(batch.bounds, np.searchsorted(batch.table.mention_of, batch.mention_bounds))
    assert len(batch.table) < len(whole.table)


@pytest.mark.parametrize(
    ("aliases", "low", "high"),
    [(lambda i: [f"Family{i}"], 0.5, 1.0), (lambda i: [f"Ann{i}"], 0.5, 1.0), (lambda i: [f"code {i}"], 0.0, 0.1)],
)
def test_curtness_is_read_off_the_aliases(tmp_path: Path, quick_disk: None, aliases: Any, low: float, high: float) -> None:
    kb = small_kb(tmp_path, [{"id": f"p{i}", "name": f"Ann{i} van Family{i}", "aliases": aliases(i)} for i in range(60)])
    found = curtness(kb, rng())
    assert low < found < high
    assert Namer(kb, RECIPE, rng()).short <= RECIPE.shortest


def test_curtness_where_nothing_can_be_read_off_is_the_usual(tmp_path: Path, quick_disk: None) -> None:
    kb = small_kb(tmp_path, [{"id": "a", "name": "Alpha"}, {"id": "b", "name": "Beta Gamma"}])
    assert curtness(kb, rng()) == pytest.approx(0.2)


def test_every_entity_can_be_called_something(demo: KB) -> None:
    namer = Namer(demo, RECIPE, rng(4))
    for entity in range(len(demo)):
        if demo.names_of(entity):
            said = [namer.name(entity) for _ in range(5)]
            assert all(name.strip() for name in said)
            assert namer.crossed(entity, 0).strip()
            longer = namer.with_extra_word(demo.label_of(entity), 0)
            assert demo.label_of(entity) in longer
            assert len(longer.split()) == len(demo.label_of(entity).split()) + 1


@given(
    st.lists(st.sampled_from(["Ann", "van", "東京", "O'Neil", "(x)", "[y z]", "Jr,", ",", "(", "7"]), min_size=1).map(" ".join)
)
def test_a_shortened_name_is_a_part_of_it(demo: KB, name: str) -> None:
    short = Namer(demo, RECIPE, rng(6)).shortened(name)
    assert short.strip()
    plain = name.replace("(x)", " ").replace("[y z]", " ").replace(",", " , ")
    assert short == name or f" {short} " in f" {' '.join(plain.split())} "


@pytest.mark.parametrize(("name", "parts"), [("Michael Jordan", {"Michael", "Jordan"}), ("Paris (Texas)", {"Paris (Texas)"})])
def test_how_names_are_shortened(demo: KB, name: str, parts: set[str]) -> None:
    namer = Namer(demo, RECIPE, rng(6))
    assert {namer.shortened(name) for _ in range(50)} == parts


ODD: dict[str, tuple[list[dict[str, Any]], list[tuple[str, str]]]] = {
    "one entity": ([{"id": "a", "name": "Alpha Beta", "aliases": ["Al"]}], []),
    "no edges": ([{"id": f"e{i}", "name": f"Thing number {i}"} for i in range(5)], []),
    "other scripts": (
        [
            {"id": "t", "name": "東京都", "aliases": ["とうきょうと"]},
            {"id": "m", "name": "Москва (город)"},
            {"id": "n", "name": "نيويورك"},
            {"id": "g", "name": "กรุงเทพมหานคร"},
            {"id": "s", "name": "!!!"},
        ],
        [("t", "m"), ("m", "n"), ("n", "g")],
    ),
    "empty aliases": (
        [
            {"id": "a", "name": "Alpha", "aliases": []},
            {"id": "b", "name": "Beta", "aliases": [""]},
            {"id": "c", "name": "C", "aliases": None},
        ],
        [("a", "b"), ("b", "c"), ("c", "nameless")],
    ),
    "nameless neighbours": ([{"id": "a", "name": "Alpha"}], [("a", f"x{i}") for i in range(30)]),
}


@pytest.mark.parametrize("what", ODD)
def test_odd_knowledge_graphs_can_be_trained_on(tmp_path: Path, quick_disk: None, what: str) -> None:
    kb = small_kb(tmp_path, *ODD[what])
    documents = list(Sampler(kb, rng()).documents(60))
    assert all(document.mentions for document in documents)
    ranker = self_train(kb, documents=30)
    assert_usable(ranker)
    link = Linker(store_ranker(kb, ranker), nil=False).link({"mentions": [{"text": ODD[what][0][0]["name"]}]}).links[0]
    assert link.entity == ODD[what][0][0]["id"]


# the ranker


def assert_usable(ranker: Ranker) -> None:
    assert len(ranker.rounds) == ROUNDS
    assert 1 <= ranker.temperature <= 3
    assert 0 <= ranker.threshold < 1
    assert all(np.isfinite(each).all() for weights in ranker.rounds for each in weights)
    json.dumps(ranker.to_dict(), allow_nan=False)


def test_a_ranker_comes_back_from_json(ranker: Ranker) -> None:
    described = json.loads(json.dumps(ranker.to_dict(), allow_nan=False))
    again = Ranker.of(described)
    assert again.to_dict() == described
    assert same_weights(again, Ranker.of(again.to_dict()))
    assert (again.temperature, again.threshold, again.about) == (ranker.temperature, ranker.threshold, ranker.about)
    for one, other in zip(ranker.rounds, again.rounds, strict=True):
        assert one.choice == pytest.approx(other.choice, abs=1e-4)
        assert one.none == pytest.approx(other.none, abs=1e-4)


def test_columns_of_another_version_weigh_nothing(ranker: Ranker) -> None:
    described = ranker.to_dict()
    for each in described["rounds"]:
        each["choice"]["later_column"] = 7.0
        each["none"]["later_column"] = 7.0
    assert same_weights(Ranker.of(described), ranker)
    for each in described["rounds"]:
        del each["choice"]["log_prior"], each["none"]["doubt"]
    without = Ranker.of(described)
    assert all(weights.choice[COLUMNS.index("log_prior")] == 0 for weights in without.rounds)
    kept = [i for i, name in enumerate(COLUMNS) if name != "log_prior"]
    assert np.array_equal(without.rounds[-1].choice[kept], ranker.rounds[-1].choice[kept])


def test_judgements_are_probabilities(
    demo: KB, ranker: Ranker, makes: BatchMaker, around: FeatureContext, gold_documents: list[Document]
) -> None:
    odd = [Document(mentions=()), Document(mentions=(Mention("xyzzy"), Mention("Chicago")))]
    found = judge(ranker, makes.make([*gold_documents, *odd]), around)
    assert ((found.probability >= 0) & (found.probability <= 1)).all()
    total = np.bincount(found.names.name, weights=found.probability, minlength=len(found.names))
    assert total + found.none == pytest.approx(np.ones(len(found.names)))
    assert found.none[np.diff(found.names.bounds) == 0].tolist() == [1]
    assert found.features.shape == (len(found.names.row), len(COLUMNS))


def test_judging_nothing(demo: KB, ranker: Ranker, makes: BatchMaker, around: FeatureContext) -> None:
    for documents in ([], [Document(mentions=())], [Document(mentions=(Mention("xyzzy"), Mention("xyzzy"), Mention("")))]):
        found = judge(ranker, makes.make(documents), around)
        assert len(found.probability) == 0
        assert found.none.tolist() == [1] * len(found.names)


def test_a_higher_temperature_is_less_sure(
    ranker: Ranker, makes: BatchMaker, around: FeatureContext, gold_documents: list[Document]
) -> None:
    batch = makes.make(gold_documents)
    cool, hot = (judge(replace(ranker, temperature=t), batch, around) for t in (1.0, 3.0))
    assert np.abs(hot.none[hot.none > 0] - 0.5).mean() < np.abs(cool.none[cool.none > 0] - 0.5).mean()
    shown = [shares(np.log(np.maximum(each.probability, 1e-300)), each.names.bounds) for each in (cool, hot)]
    assert cool.names.best(shown[0]).mean() > cool.names.best(shown[1]).mean()


# training


def test_the_same_seed_gives_the_same_weights(demo: KB) -> None:
    one, again, other = (self_train(demo, documents=20, seed=seed) for seed in (1, 1, 2))
    assert same_weights(one, again)
    assert one.to_dict() == again.to_dict()
    assert not same_weights(one, other)


@pytest.mark.parametrize("documents", [1, 2, 5])
def test_even_a_few_documents_give_a_ranker(demo: KB, documents: int) -> None:
    ranker = self_train(demo, documents=documents)
    assert_usable(ranker)
    assert ranker.about["training"]["documents"] == documents


def test_training_needs_no_vectors(tmp_path: Path) -> None:
    kb = build_kb([SMALL], tmp_path / "bare.kb", embedding=None)
    ranker = self_train(kb, documents=40)
    assert_usable(ranker)
    assert "coherence" in ranker.about["unlearned"]
    assert "edges" not in ranker.about["unlearned"]
    kb = store_ranker(kb, ranker)
    assert list(kb.rankers) == [""]
    assert Linker(kb).method_name == "selftrained"


def test_training_with_vectors_that_are_not_there(demo: KB) -> None:
    with pytest.raises(OptionError, match="no vectors named 'nosuch'"):
        self_train(demo, documents=1, vectors="nosuch")


def test_what_is_told_of_the_training(demo: KB, ranker: Ranker) -> None:
    assert_usable(ranker)
    about = ranker.about
    assert about["training"]["documents"] == 150
    assert about["training"]["seed"] == 0
    assert about["made_up"]["documents"] == 50
    assert about["made_up"]["p_at_1"] > 0.7
    assert about["made_up"]["calibration_error"] < 0.2
    assert sum(row["mentions"] for row in about["made_up"]["reliability"]) <= about["made_up"]["mentions"]
    assert {"local_context", "global_context"} <= set(about["unlearned"])


def test_it_learns_what_makes_sense(ranker: Ranker) -> None:
    last = dict(zip(COLUMNS, ranker.rounds[-1].choice, strict=True))
    assert last["log_prior"] > 0
    assert last["shared"] + last["shared_rare"] + last["edges"] + last["coherence"] > 0


@pytest.fixture(scope="module")
def smiths(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """Six people of one name."""
    nodes = [{"id": f"s{i}", "name": "Ann Smith"} for i in range(6)]
    return small_kb(tmp_path_factory.mktemp("smiths"), nodes, [(f"s{i}", f"s{i + 1}") for i in range(5)])


def test_a_name_whose_entity_was_removed_once_and_once_not(smiths: KB) -> None:
    mentions = (Mention("Ann Smith", gold=("s0",), source={REMOVED: True}), Mention("Ann Smith", gold=("s1",)))
    batch = without_removed(batch_maker(smiths, needs_vectors=False).make([Document(mentions=mentions)]), smiths)
    names = MentionGroups.of(batch)
    assert names.back.max() < len(names.row)  # it is 5, of 5 rows
    assert np.array_equal(names.entity[names.back], batch.table.entity)


def test_a_kg_of_one_name_can_be_trained_on(smiths: KB) -> None:
    for seed in range(20):
        assert_usable(self_train(smiths, seed=seed, documents=30))


# a little gold


@pytest.fixture(scope="module")
def contrary(tmp_path_factory: pytest.TempPathFactory) -> tuple[KB, Ranker]:
    """Two things of each name, one popular; gold will always be the other one."""
    nodes = [
        {"id": f"{kind}{i}", "name": f"Thing{i}", "prior": prior}
        for i in range(40)
        for kind, prior in (("big", 1000), ("low", 1))
    ]
    kb = small_kb(tmp_path_factory.mktemp("contrary"), nodes)  # fmt: skip
    return kb, self_train(kb, documents=100)


def contrary_gold(many: int) -> list[Document]:
    return [Document(mentions=(Mention(f"Thing{i}", gold=(f"low{i}",)),)) for i in range(many)]


def test_gold_moves_the_weights_towards_gold(contrary: tuple[KB, Ranker]) -> None:
    kb, before = contrary
    column = COLUMNS.index("log_prior")
    few, many, timid = (
        gold_train(kb, before, contrary_gold(n), strength=strength) for n, strength in ((3, 20), (30, 20), (30, 1e6))
    )
    assert all(map(same_shape, (few, many, timid), (before,) * 3))
    assert many.rounds[-1].choice[column] < few.rounds[-1].choice[column] < before.rounds[-1].choice[column]
    assert timid.rounds[-1].choice == pytest.approx(before.rounds[-1].choice, abs=0.01)

    def chance(ranker: Ranker) -> float:
        links = Linker(store_ranker(kb_again(kb), ranker), top=9).link({"mentions": [{"text": "Thing39"}]}).links
        return next(each.score for each in links[0].ranking if each.id == "low39")

    assert chance(before) < chance(few) < chance(many)
    assert chance(many) > 0.5


def same_shape(one: Ranker, other: Ranker) -> bool:
    assert_usable(one)
    return [len(each.choice) for each in one.rounds] == [len(each.choice) for each in other.rounds]


def kb_again(kb: KB) -> KB:
    return KB.open(kb.path)


def test_what_is_told_of_gold_was_measured_on_documents_kept_aside(contrary: tuple[KB, Ranker]) -> None:
    kb, before = contrary
    about = gold_train(kb, before, contrary_gold(30)).about
    assert about["gold"]["documents"] == about["gold"]["mentions"] == 30
    assert about["gold"]["p_at_1"] > about["gold"]["p_at_1_before"]
    assert about["training"] == before.about["training"]
    few = gold_train(kb, before, contrary_gold(3))
    assert few.about["gold"] == {"documents": 3, "mentions": 3}
    assert few.threshold == before.threshold


def test_mentions_that_are_not_annotated_are_no_gold(contrary: tuple[KB, Ranker]) -> None:
    kb, before = contrary
    plain = [Document(mentions=(Mention("Thing1"), Mention("Thing2"))), Document(text="Thing3"), Document(mentions=())]
    one = gold_train(kb, before, contrary_gold(6))
    assert same_weights(one, gold_train(kb, before, [*plain, *contrary_gold(6)]))


def test_empty_gold_says_that_there_is_none(contrary: tuple[KB, Ranker]) -> None:
    """Where much is outside the KB, answers get less likely."""
    kb, before = contrary
    outside = [Document(mentions=(Mention(f"Thing{i}", gold=()),)) for i in range(3, 40)]
    sure, unsure = (gold_train(kb, before, [*contrary_gold(3), *more]) for more in ((), outside))
    chance = [
        Linker(store_ranker(kb_again(kb), each), nil=False).link("Thing0").links[0].probability for each in (sure, unsure)
    ]
    assert chance[0] is not None
    assert chance[1] is not None
    assert chance[1] < chance[0]


@pytest.mark.parametrize(
    ("documents", "words"),
    [
        ([], "no mention has gold"),
        ([Document(mentions=(Mention("Thing1"),))], "no mention has gold"),
        ([Document(text="Thing1 and Thing2")], "no mention has gold"),
        ([Document(mentions=(Mention("Thing1", gold=("Q42",)),))], "Q42"),
        ([Document(mentions=(Mention("Thing1", gold=("low2",)),))], "low2"),
    ],
)
def test_gold_that_teaches_nothing_is_refused(contrary: tuple[KB, Ranker], documents: list[Document], words: str) -> None:
    kb, before = contrary
    with pytest.raises(DocumentError, match=words) as refused:
        gold_train(kb, before, documents)
    assert "\n" not in str(refused.value)
    assert "; give" in str(refused.value)


def test_gold_that_is_outside_throughout_is_refused_in_fitting_words(contrary: tuple[KB, Ranker]) -> None:
    kb, before = contrary
    with pytest.raises(DocumentError) as refused:
        gold_train(kb, before, [Document(mentions=(Mention("Thing1", gold=()),))])
    assert "like ," not in str(refused.value)


def test_a_field_called_removed_is_the_users_own(contrary: tuple[KB, Ranker]) -> None:
    kb, _ = contrary
    batch = batch_maker(kb, needs_vectors=False).make(
        [Document(mentions=(Mention("Thing1", gold=("low1",), source={"text": "Thing1", "removed": False}),))]
    )
    assert lesson(batch, kb, FeatureContext(kb, None)).gold.sum() == 1

"""The map of a document's candidates: planted themes come back as axes, and what supports what as lines."""

from __future__ import annotations

import json

import numpy as np
import pytest
from numpy.typing import NDArray

from eigenthemes import KB, CandidateMap, EigenOptions, Linker
from eigenthemes.ranking import candidate_map
from eigenthemes.ranking.candidate_map import project
from eigenthemes.ranking.subspace import fit_subspace, score

JORDAN = "Michael Jordan and Tom Mitchell reviewed machine learning in Science; David Blei and Andrew Ng wrote on LDA."


def planted(sizes: tuple[int, ...], d: int = 12, noise: float = 0.05) -> NDArray[np.float32]:
    """Return unit vectors in groups: each along an axis of its own, with a little noise."""
    random = np.random.default_rng(7)
    rows = np.concatenate([np.eye(d)[[axis] * size] for axis, size in enumerate(sizes)])
    rows = rows + noise * random.normal(size=rows.shape)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def ones(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.ones(len(rows), dtype=np.float32)


def test_the_two_largest_planted_groups_lie_on_the_two_axes() -> None:
    rows = planted((3, 20, 10))
    points, explained = project(rows, ones(rows))
    assert points[3:23].mean(axis=0) == pytest.approx([1, 0], abs=0.1)
    assert points[23:].mean(axis=0) == pytest.approx([0, 1], abs=0.1)
    assert np.abs(points[:3]).max() < 0.4
    assert explained == pytest.approx([20 / 33, 10 / 33], abs=0.05)


def test_weights_decide_which_group_is_the_strongest() -> None:
    rows = planted((20, 10))
    weights = np.where(np.arange(30) < 20, 0.2, 1.0).astype(np.float32)
    points, explained = project(rows, weights)
    assert points[20:].mean(axis=0) == pytest.approx([1, 0], abs=0.1)
    assert explained[0] == pytest.approx(10 / (10 + 20 * 0.04), abs=0.05)


@pytest.mark.parametrize("n", [4, 40])
def test_lengths_on_the_plane_are_scores_of_two_themes_without_their_strengths(n: int) -> None:
    """Fewer rows than dimensions, and more."""
    rows = planted((n // 2, n - n // 2), noise=0.3)
    weights = np.linspace(1, 0.2, n).astype(np.float32)
    points, explained = project(rows, weights)
    strengths = fit_subspace(rows, weights, 2).strengths
    assert np.linalg.norm(points * strengths, axis=1) == pytest.approx(score(rows, fit_subspace(rows, weights, 2)), rel=1e-4)
    assert explained == pytest.approx(strengths**2 / (weights**2).sum(), rel=1e-4)


def test_signs_do_not_depend_on_where_the_decomposition_looked_from() -> None:
    rows = planted((20, 10), noise=0.2)
    points, _ = project(rows, ones(rows))
    assert (points.sum(axis=0) >= 0).all()
    assert project(-rows, ones(rows))[0] == pytest.approx(points, abs=1e-5)
    order = np.random.default_rng(1).permutation(len(rows))
    assert project(rows[order], ones(rows))[0] == pytest.approx(points[order], abs=1e-5)


def test_one_candidate_and_candidates_of_one_direction_lie_on_a_line() -> None:
    for rows in (np.eye(1, 8, dtype=np.float32), planted((1,) * 1)[[0] * 5], planted((1,))[[0] * 30]):
        points, explained = project(rows, ones(rows))
        assert points == pytest.approx(np.tile([1.0, 0.0], (len(rows), 1)), abs=1e-5)
        assert explained == pytest.approx([1, 0], abs=1e-5)


# maps of documents


def map_of(linker: Linker, document: str) -> CandidateMap:
    found = linker.candidate_map(document)
    assert found is not None
    return found


def test_chosen_candidates_are_the_links_and_each_entity_is_there_once(demo_kb: KB) -> None:
    linker = Linker(demo_kb, explain=True, top=50)
    linked, found = linker.link(JORDAN), map_of(linker, JORDAN)
    assert {point.id for point in found.points if point.chosen} == {link.entity for link in linked.links if link.entity}
    assert len({point.id for point in found.points}) == len(found.points)
    of_mention = {number: {candidate.id for candidate in link.ranking} for number, link in enumerate(linked.links)}
    for point in found.points:
        assert all(point.id in of_mention[mention] for mention in point.mentions)
    assert [point.chosen for point in found.points] == sorted((point.chosen for point in found.points), reverse=True)


def test_the_right_jordan_lies_nearer_to_his_colleagues_than_the_player(demo_kb: KB) -> None:
    places = {point.id.rpartition("/")[2]: np.array([point.x, point.y]) for point in map_of(Linker(demo_kb), JORDAN).points}
    blei = places["david_blei"]
    assert np.linalg.norm(places["michael_i_jordan"] - blei) < np.linalg.norm(places["michael_jordan"] - blei)


def test_lines_are_those_of_the_explanations(demo_kb: KB) -> None:
    linker = Linker(demo_kb, explain=True)
    linked, found = linker.link(JORDAN), map_of(linker, JORDAN)
    told = {
        (support.id, link.explanation.best.id): support.share
        for link in linked.links
        if link.explanation and link.explanation.best
        for support in link.explanation.support
        if support.id != link.explanation.best.id
    }
    lines = {(found.points[line.supporter].id, found.points[line.supported].id): line for line in found.supports}
    assert lines
    assert {ends: line.share for ends, line in lines.items()} == pytest.approx(told)
    for (supporter, _), line in lines.items():
        assert line.words.startswith(demo_kb[supporter].label + ": ")
    assert map_of(Linker(demo_kb), JORDAN).supports == ()


def test_a_map_is_the_same_alone_and_among_others_and_again(demo_kb: KB) -> None:
    linker = Linker(demo_kb, explain=True)
    alone = map_of(linker, JORDAN)
    decided = linker.decide([linker.checked(text) for text in ("Amman is in Jordan.", JORDAN, "nothing here", JORDAN)])
    others = [linker.map_of(decided, number) for number in range(4)]
    assert others[2] is None
    assert others[1] == others[3] == alone == map_of(linker, JORDAN)
    assert others[0] != alone


def test_methods_have_their_own_weights(demo_kb: KB) -> None:
    by_rank, alike = (map_of(Linker(demo_kb, method=method), JORDAN) for method in ("eigen", "eigen-unweighted"))
    assert by_rank.explained != alike.explained
    no_delta = map_of(Linker(demo_kb, method="eigen", scoring=EigenOptions(delta=0.0)), JORDAN)
    assert no_delta.explained == pytest.approx(alike.explained)
    assert map_of(Linker(demo_kb), JORDAN).explained == by_rank.explained


def test_no_map_without_vectors_or_candidates(paris_kb: KB, demo_kb: KB) -> None:
    assert Linker(paris_kb).candidate_map("Paris in Texas") is None
    assert Linker(demo_kb).candidate_map("nothing here") is None
    assert Linker(demo_kb).candidate_map("") is None


def test_a_map_of_many_candidates_keeps_those_chosen(demo_kb: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = map_of(Linker(demo_kb), JORDAN)
    monkeypatch.setattr(candidate_map, "MAX_POINTS", 7)
    cut = map_of(Linker(demo_kb), JORDAN)
    assert cut.points == whole.points[:7]
    assert cut.explained == whole.explained


def test_a_map_as_json(demo_kb: KB) -> None:
    record = json.loads(json.dumps(map_of(Linker(demo_kb, explain=True), JORDAN).to_dict(), allow_nan=False))
    assert set(record) == {"points", "supports", "explained"}
    assert set(record["points"][0]) == {"mentions", "id", "label", "x", "y", "chosen", "score"}
    assert set(record["supports"][0]) == {"from", "to", "share", "words"}

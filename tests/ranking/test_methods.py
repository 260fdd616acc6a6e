"""One behaviour suite for all methods, and what each of them is known for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from helpers.files import write_jsonl
from helpers.inspecting import UNTRAINED_METHODS, index_of
from helpers.kbs import build_untrained, copy_kb, import_untrained, store_vectors
from helpers.paper_equations import average_scores, eigen_scores
from helpers.scoring import scores_of as batch_scores
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.documents.json_lines import as_document
from eigenthemes.errors import OptionError, VectorError
from eigenthemes.kb.store import Vectors
from eigenthemes.names.generator import CandidateOptions
from eigenthemes.pipeline.batch import Batch, batch_maker
from eigenthemes.ranking.methods import METHODS, method_named

DOCUMENTS: list[dict[str, Any]] = [
    {"id": "sport", "mentions": [{"text": name} for name in ("Michael Jordan", "NBA", "Iowa", "Jordan", "nobody at all")]},
    {"id": "empty", "mentions": []},
    {"id": "one", "mentions": [{"text": "Paris"}]},
    {"id": "again", "mentions": [{"text": name} for name in ("Jordan", "Jordan", "United States", "WHO")]},
    {"id": "given", "mentions": [{"text": "Jordan", "candidates": ["jo", "mij", "unheard-of", "mj"]}, {"text": "Paris"}]},
]


OPTIONS_OF = {
    "eigen": {"k", "delta", "unique"},
    "eigen-unweighted": {"k", "unique"},
    "average": {"delta", "unique"},
    "average-unweighted": {"unique"},
}


@pytest.fixture(scope="module")
def same_vectors(tiny: KB, tmp_path_factory: pytest.TempPathFactory) -> tuple[KB, KB]:
    """The tiny KB with the same vectors imported twice: of unit length, and each of a length of its own."""
    folder = tmp_path_factory.mktemp("lengths")
    vectors = tiny.vectors()
    ids = [tiny.id_of(index) for index in np.flatnonzero(vectors.has).tolist()]
    rows = vectors.rows[vectors.has]
    lengths = np.random.default_rng(0).uniform(0.01, 100, size=(len(rows), 1)).astype(np.float32)
    kbs = []
    for name, matrix in (("unit", rows), ("scaled", rows * lengths)):
        np.savez(folder / f"{name}.npz", ids=ids, vectors=matrix)
        copied = copy_kb(tiny, folder / f"{name}.kb")
        kbs.append(import_untrained(copied.path, folder / f"{name}.npz"))
    return kbs[0], kbs[1]


def batch_of(kb: KB, documents: list[dict[str, Any]], **options: Any) -> Batch:
    return batch_maker(kb, needs_vectors=True, **options).make(map(as_document, documents))


def scores_of(name: str, kb: KB, documents: list[dict[str, Any]], **options: Any) -> dict[tuple[int, str], float]:
    """(mention, id) -> score, mentions numbered over all documents."""
    batch = batch_of(kb, documents)
    scores = batch_scores(name, batch, kb, **options)
    rows = zip(batch.table.mention_of.tolist(), batch.table.entity.tolist(), scores.tolist(), strict=True)
    return {(mention, kb.id_of(candidate)): score for mention, candidate, score in rows}


@pytest.mark.parametrize("name", UNTRAINED_METHODS)
class TestAll:
    def test_every_candidate_gets_a_finite_score(self, name: str, tiny: KB) -> None:
        batch = batch_of(tiny, DOCUMENTS)
        scores = batch_scores(name, batch, tiny)
        assert scores.shape == (len(batch.table),)
        assert scores.dtype == np.float64
        assert np.isfinite(scores).all()

    def test_a_batch_is_the_same_as_one_by_one(self, name: str, tiny: KB) -> None:
        together = scores_of(name, tiny, DOCUMENTS)
        alone, before = {}, 0
        for document in DOCUMENTS:
            for (mention, candidate), score in scores_of(name, tiny, [document]).items():
                alone[before + mention, candidate] = score
            before += len(document["mentions"])
        assert together == alone

    def test_the_order_of_mentions_does_not_matter(self, name: str, tiny: KB) -> None:
        mentions = DOCUMENTS[0]["mentions"]
        forward = scores_of(name, tiny, [{"mentions": mentions}])
        backward = scores_of(name, tiny, [{"mentions": mentions[::-1]}])
        for (mention, candidate), score in forward.items():
            assert backward[len(mentions) - 1 - mention, candidate] == pytest.approx(score, rel=1e-5)

    def test_the_length_of_vectors_does_not_matter(self, name: str, same_vectors: tuple[KB, KB]) -> None:
        unit, scaled = (scores_of(name, kb, DOCUMENTS) for kb in same_vectors)
        assert scaled == pytest.approx(unit, abs=1e-5)

    def test_nothing_to_score_is_no_problem(self, name: str, tiny: KB) -> None:
        for documents in ([], [{"mentions": []}], [{"mentions": [{"text": "nobody at all"}]}]):
            assert scores_of(name, tiny, documents) == {}

    def test_without_any_vector_the_prior_decides(self, name: str, tiny: KB) -> None:
        batch = batch_of(tiny, [DOCUMENTS[0]])
        none = Vectors("none", np.zeros((len(tiny), 3), dtype=np.float32), np.zeros(len(tiny), dtype=bool))
        scores = batch_scores(name, replace(batch, vectors=none), tiny)
        if METHODS[name].needs_vectors:
            assert all(
                (np.diff(scores[batch.table.mention_of == mention]) < 0).all() for mention in range(batch.table.mentions)
            )
        else:
            assert scores.tolist() == batch_scores(name, batch, tiny).tolist()
        assert len(scores) > 5

    @pytest.mark.parametrize("option", ["k", "delta", "unique"])
    def test_options_change_the_scores_or_are_refused(self, name: str, option: str, tiny: KB) -> None:
        other = {"k": 1, "delta": 3.0, "unique": True}[option]
        if option not in OPTIONS_OF.get(name, ()):
            with pytest.raises(OptionError, match=f"the option {option} means nothing to the method {name};") as refused:
                scores_of(name, tiny, DOCUMENTS, **{option: other})
            assert (refused.value.code, refused.value.where) == ("unused-option", option)
            return
        usual, changed = scores_of(name, tiny, DOCUMENTS), scores_of(name, tiny, DOCUMENTS, **{option: other})
        assert usual.keys() == changed.keys()
        assert usual != changed


@given(seed=st.integers(0, 1000), k=st.sampled_from([1, 3, 10]), delta=st.sampled_from([0.0, 1.0]))
def test_whole_documents_score_as_the_transcription_says(tiny: KB, seed: int, k: int, delta: float) -> None:
    random = np.random.default_rng(seed)
    rows = random.normal(size=(len(tiny), 6)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    names = random.choice(["Michael Jordan", "Jordan", "Paris", "United States", "Iowa", "NBA"], size=5).tolist()
    batch = batch_of(tiny, [{"mentions": [{"text": name} for name in names]}])
    batch = replace(batch, vectors=Vectors("random", rows, np.ones(len(tiny), dtype=bool)))
    table = batch.table
    mentions = [[rows[e].astype(np.float64) for e in table.entity[table.mention_of == m]] for m in range(len(names))]
    themes = np.array(eigen_scores([each for each in mentions if each], k, delta))
    assert np.abs(batch_scores("eigen", batch, tiny, k=k, delta=delta) - themes).max() <= 1e-3 * themes.max()
    assert batch_scores("average", batch, tiny, delta=delta) == pytest.approx(average_scores(mentions, delta), abs=1e-5)


def test_the_theme_of_the_others_decides(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two Jordans, the more popular one in another world: everybody else in the document knows the less popular one."""
    folder = tmp_path_factory.mktemp("two-worlds")
    players, scientists = [f"player {i}" for i in range(9)], [f"scientist {i}" for i in range(7)]
    nodes = [{"id": "sport", "name": "Jordan"}, {"id": "science", "name": "Jordan"}]
    nodes += [{"id": name, "name": name} for name in players + scientists]
    worlds = (["sport", *players], ["science", *scientists])
    edges = [{"source": a, "target": b} for world in worlds for a in world for b in world if a < b]
    kb = build_untrained(
        [write_jsonl(folder / "nodes.jsonl", nodes), write_jsonl(folder / "edges.jsonl", edges)], folder / "two.kb"
    )
    document = {"mentions": [{"text": "Jordan"}, {"text": "scientist 1"}, {"text": "scientist 2"}, {"text": "scientist 3"}]}
    themes = scores_of("eigen", kb, [document])
    assert themes[0, "science"] > themes[0, "sport"]
    degree = scores_of("degree", kb, [document])
    assert degree[0, "sport"] > degree[0, "science"]


def test_unique_counts_an_entity_once(tiny: KB) -> None:
    once = scores_of("eigen", tiny, [{"mentions": [{"text": "Jordan"}, {"text": "Iowa"}]}], unique=True, k=None)
    often = {"mentions": [{"text": "Jordan"}, {"text": "Iowa"}, {"text": "Jordan"}, {"text": "Jordan"}]}
    again = scores_of("eigen", tiny, [often], unique=True, k=None)
    stacked = scores_of("eigen", tiny, [often], k=None)
    assert {key: again[key] for key in once} == pytest.approx(once, rel=1e-5)
    assert stacked[0, "jo"] > again[0, "jo"]


def test_ranks_count_only_candidates_with_a_vector(tiny: KB) -> None:
    """Hiding the vector of the first candidate gives the second one weight 1."""
    batch = batch_of(tiny, [{"mentions": [{"text": "Jordan"}]}])
    assert batch.vectors is not None
    has = batch.vectors.has.copy()
    has[batch.table.entity[0]] = False
    hidden = replace(batch, vectors=Vectors("hidden", batch.vectors.rows, has))
    scores = batch_scores("eigen", hidden, tiny, k=None)
    rows = batch.vectors.rows[batch.table.entity[1:]].astype(np.float64)
    weights = 1 / np.arange(1, len(rows) + 1)
    assert scores[1:] == pytest.approx(np.sqrt(((rows @ rows.T) ** 2) @ weights**2), rel=1e-5)
    assert scores[0] == -2  # behind all others


def test_degree_is_one_over_the_rank(tiny: KB) -> None:
    scores = scores_of("degree", tiny, [{"mentions": [{"text": "Michael Jordan"}]}])
    assert scores == {(0, "mj"): 1.0, (0, "mij"): 0.5}
    given = scores_of("degree", tiny, [{"mentions": [{"text": "Michael Jordan", "candidates": ["mij", "mj"]}]}])
    assert given == {(0, "mij"): 1.0, (0, "mj"): 0.5}  # the order of the list
    scored = [["mij", 1], ["mj", 2]]
    by_score = scores_of("degree", tiny, [{"mentions": [{"text": "Michael Jordan", "candidates": scored}]}])
    assert by_score == {(0, "mj"): 1.0, (0, "mij"): 0.5}  # the order of its scores


def test_namematch_is_the_label_and_nothing_else(tiny: KB) -> None:
    scores = scores_of("namematch", tiny, [{"mentions": [{"text": "michael jordan"}, {"text": "MJ"}]}])
    assert scores[0, "mj"] > 0
    assert scores[0, "mij"] == 0  # an alias
    assert all(score == 0 for (mention, _), score in scores.items() if mention == 1)


def test_prior_name_prefers_a_label_to_a_part(tiny: KB) -> None:
    scores = scores_of("prior-name", tiny, [{"mentions": [{"text": "Jordan"}]}])
    assert scores[0, "jo"] > scores[0, "mj"]


def test_an_unknown_method_is_refused_with_the_known_ones() -> None:
    with pytest.raises(OptionError, match="'eigne' is unknown; expected one of selftrained, eigen, "):
        method_named("eigne")


def test_a_kb_without_vectors_is_one_sentence(tiny: KB, tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("bare")
    bare = build_untrained([write_jsonl(folder / "nodes.jsonl", [{"id": "a", "name": "A"}])], folder / "bare.kb")
    with pytest.raises(VectorError, match=r"has no vectors.*; make some, or import them"):
        batch_maker(bare, needs_vectors=True)
    assert len(batch_maker(bare, needs_vectors=False).make([as_document({"mentions": [{"text": "A"}]})]).table) == 1


def test_the_papers_generator_drops_what_has_no_vector_before_it_counts(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("dropped")
    nodes = write_jsonl(folder / "nodes.jsonl", [{"id": f"n{i}", "name": f"Spring {i}", "prior": 9 - i} for i in range(4)])
    kb = build_untrained([nodes], folder / "dropped.kb")
    rows = np.eye(4, dtype=np.float32)
    rows[index_of(kb, "n0")] = 0
    kb = store_vectors(kb, "made", rows)
    document = {"mentions": [{"text": "Spring"}, {"text": "x", "candidates": ["n0", "n1", "n2", "n3"]}]}

    def found(**options: Any) -> list[list[str]]:
        table = batch_of(kb, [document], candidates=CandidateOptions(max_candidates=2, **options)).table
        return [[kb.id_of(int(e)) for e in table.entity[table.mention_of == m]] for m in range(2)]

    assert found() == [["n0", "n1"], ["n0", "n1"]]
    assert found(generator="paper") == [["n1", "n2"], ["n1", "n2"]]


@pytest.mark.parametrize("k", [1, 2, None])
def test_a_document_has_the_same_bits_alone_and_in_a_batch(k: int | None, tiny: KB) -> None:
    together = scores_of("eigen", tiny, DOCUMENTS, k=k).values()
    alone = [score for document in DOCUMENTS for score in scores_of("eigen", tiny, [document], k=k).values()]
    assert list(together) == alone

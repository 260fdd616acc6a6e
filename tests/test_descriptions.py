"""Vectors of descriptions: the average of the words' vectors, whatever the text; nothing to average is said in a sentence."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import write_jsonl
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB, build_kb
from eigenthemes.core.arrays import sum_rows, unit_rows
from eigenthemes.embeddings import descriptions
from eigenthemes.embeddings.descriptions import Coverage, description_vectors
from eigenthemes.embeddings.word_vectors import WordVectors
from eigenthemes.errors import VectorError
from eigenthemes.text.words import WORD

WORDS = {
    "red": [1.0, 0.0],
    "blue": [0.0, 1.0],
    "dark": [0.0, -1.0],
    "Paris": [3.0, 0.0],
    "paris": [0.0, 3.0],
    "été": [2.0, 0.0],
}


def word_vectors(words: dict[str, list[float]] = WORDS) -> WordVectors:
    return WordVectors({word: row for row, word in enumerate(words)}, np.array(list(words.values()), dtype=np.float32))


def kb_of(folder: Path, texts: list[str]) -> KB:
    nodes: list[dict[str, object]] = [{"id": f"e{i}", "name": f"name {i}", "description": text} for i, text in enumerate(texts)]
    return build_kb([write_jsonl(folder / "nodes.jsonl", nodes)], folder / "some.kb", embedding=None)


def vectors_of(folder: Path, texts: list[str], **options: Any) -> tuple[list[list[float]], Coverage]:
    """The vectors in the order of the texts."""
    kb = kb_of(folder, texts)
    vectors, coverage = description_vectors(kb, word_vectors(), **options)
    rows = kb.indices_of([f"e{i}" for i in range(len(texts))])
    return np.round(vectors[rows].astype(np.float64), 4).tolist(), coverage


def test_an_average_of_unit_length(tmp_path: Path) -> None:
    found, coverage = vectors_of(
        tmp_path, ["red", "red, blue!", "red red red blue blue blue", "red unknown", "", "unknown", "—"]
    )
    half = round(0.5**0.5, 4)
    assert found == [[1, 0], [half, half], [half, half], [1, 0], [0, 0], [0, 0], [0, 0]]
    assert coverage == Coverage(words=12, known=10, entities=7, described=5, covered=4)
    assert coverage.share == 10 / 12
    assert coverage.to_dict()["share"] == 10 / 12


def test_words_that_cancel_out_are_no_vector(tmp_path: Path) -> None:
    found, coverage = vectors_of(tmp_path, ["blue dark", "red"])
    assert found == [[0, 0], [1, 0]]
    assert (coverage.known, coverage.described, coverage.covered) == (3, 2, 1)


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("RED", [1, 0]),
        ("Paris", [1, 0]),
        ("PARIS", [0, 1]),
        ("red-blue", [0.7071, 0.7071]),
        ("red_blue", [0.7071, 0.7071]),
        ("red's", [1, 0]),
        ("Été", [1, 0]),
        ("ete red", [1, 0]),
    ],
)
def test_words_as_they_stand_then_in_small_letters(tmp_path: Path, text: str, row: list[float]) -> None:
    assert vectors_of(tmp_path, [text])[0] == [row]


def test_vowel_signs_do_not_cut_words() -> None:
    assert WORD.findall("हिन्दी भाषा। e\u0301te\u0301") == ["हिन्दी", "भाषा", "e\u0301te\u0301"]


def test_rare_words_count_more_when_weighted(tmp_path: Path) -> None:
    texts = ["red blue", *["red"] * 50]
    plain, weighted = (vectors_of(_new(tmp_path / str(choice)), texts, weighted=choice)[0] for choice in (False, True))
    assert plain[0][0] == plain[0][1]
    assert weighted[0][1] > 5 * weighted[0][0] > 0
    assert weighted[1] == [1, 0]


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_blocks_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kb = kb_of(tmp_path, ["red", "", "blue red", "Paris été", "", "dark dark red"])
    whole = description_vectors(kb, word_vectors())
    for size in (1, 2, 5):
        monkeypatch.setattr(descriptions, "_ENTITIES", size)
        again = description_vectors(kb, word_vectors())
        assert again[0].tobytes() == whole[0].tobytes()
        assert again[1] == whole[1]


def test_nothing_to_average_is_refused(tmp_path: Path) -> None:
    with pytest.raises(VectorError, match=r"no entity of .+ has a description with a word in it.+; build it from"):
        description_vectors(kb_of(_new(tmp_path / "a"), ["", "!"]), word_vectors())
    with pytest.raises(VectorError, match=r"have 2 words like '赤', the vectors 6 words like 'red'\); give word vectors in"):
        description_vectors(kb_of(_new(tmp_path / "b"), ["", "赤 青"]), word_vectors())
    with pytest.raises(VectorError, match="NaN, infinite or huge values; mend"):
        description_vectors(kb_of(_new(tmp_path / "c"), ["red"]), word_vectors({"red": [np.nan, 1]}))


# word vectors


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_of_words_may_have_a_word_twice(tmp_path: Path, packed: bool) -> None:
    data = b"4 2\nThe 1 0\nthe 0 1\nred 1 1\nthe 5 5\n"
    (tmp_path / "words").write_bytes(gzip.compress(data) if packed else data)
    words = WordVectors.open(tmp_path / "words")
    assert words.rows(["the", "The", "THE", "RED", "x"]).tolist() == [1, 0, 1, 2, -1]
    assert words.vectors.tolist() == [[1, 0], [0, 1], [1, 1]]
    assert len(words) == 3


def test_binary_words(tmp_path: Path) -> None:
    (tmp_path / "words.bin").write_bytes(b"1 2\nred " + np.array([1, 2], dtype="<f4").tobytes())
    assert WordVectors.open(str(tmp_path / "words.bin")).vectors.tolist() == [[1, 2]]


def test_what_looks_like_gensims_vectors_is_taken() -> None:
    keyed = SimpleNamespace(key_to_index={"a": 1, "b": 0}, vectors=np.eye(2, dtype=np.float16))
    assert WordVectors.open(keyed).rows(["a", "b", "c"]).tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    ("given_object", "message"),
    [
        (SimpleNamespace(), "type SimpleNamespace holds no word vectors; give the path"),
        (SimpleNamespace(key_to_index={"a": 2}, vectors=np.eye(2)), r"shape \(2, 2\) for 1 words; expected a matrix"),
        (SimpleNamespace(key_to_index={"a": 0}, vectors=np.ones(2)), r"shape \(2,\) for 1 words; expected a matrix"),
    ],
)
def test_other_objects_are_refused(given_object: Any, message: str) -> None:
    with pytest.raises(VectorError, match=message):
        WordVectors.open(given_object)


# sums


@given(counts=st.lists(st.integers(0, 4), max_size=6), seed=st.integers(0, 99))
def test_sums_are_those_of_a_loop(counts: list[int], seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix = random.standard_normal((5, 3)).astype(np.float32)
    rows, weights = random.integers(0, 5, sum(counts)), random.random(sum(counts), dtype=np.float32)
    ends = np.cumsum(counts, dtype=np.int64)
    found = sum_rows(matrix, rows, np.array(counts, dtype=np.int64), weights)
    assert found.shape == (len(counts), 3)
    for sums, count, end in zip(found, counts, ends.tolist(), strict=True):
        chosen = slice(end - count, end)
        assert np.allclose(sums, weights[chosen] @ matrix[rows[chosen]], atol=1e-5)


def test_unit_rows_of_any_size() -> None:
    rows = np.array([[3e30, 4e30], [3e-40, 4e-40], [0, 0]], dtype=np.float32)
    assert np.allclose(unit_rows(rows), np.array([[0.6, 0.8], [0.6, 0.8], [0, 0]]), atol=1e-4)


@pytest.mark.real_data
def test_real_descriptions_are_covered(real_data: Callable[[str], Path], general_kb: KB) -> None:
    vectors, coverage = description_vectors(general_kb, WordVectors.open(real_data("vectors/words-100d.txt.gz")))
    assert coverage.share > 0.9
    assert coverage.covered > 0.99 * coverage.described > 30_000
    has = vectors.any(axis=1)
    assert np.allclose(np.linalg.norm(vectors[has], axis=1), 1, atol=1e-5)

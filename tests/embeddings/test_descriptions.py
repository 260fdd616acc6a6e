"""Vectors of descriptions: the average of the words' vectors; nothing to average is refused in one sentence."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers.files import write_jsonl
from helpers.kbs import build_untrained

from eigenthemes import KB
from eigenthemes.embeddings import word_vectors as module
from eigenthemes.embeddings.word_vectors import Coverage, WordVectors, description_vectors
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
    return build_untrained([write_jsonl(folder / "nodes.jsonl", nodes)], folder / "some.kb", embedding=None)


def vectors_of(folder: Path, texts: list[str]) -> tuple[list[list[float]], Coverage]:
    """The vectors in the order of the texts."""
    kb, words = kb_of(folder, texts), word_vectors()
    vectors, coverage = description_vectors(kb, words)
    rows = kb.indices_of([f"e{i}" for i in range(len(texts))])
    return np.round(vectors[rows].astype(np.float64), 4).tolist(), coverage


def test_an_average_of_unit_length(tmp_path: Path) -> None:
    found, coverage = vectors_of(
        tmp_path, ["red", "red, blue!", "red red red blue blue blue", "red unknown", "", "unknown", "—"]
    )
    half = round(0.5**0.5, 4)
    assert found == [[1, 0], [half, half], [half, half], [1, 0], [0, 0], [0, 0], [0, 0]]
    assert coverage == Coverage(words=12, known=10, described=5, covered=4)
    assert coverage.share == 10 / 12
    assert coverage.share == 10 / 12


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


def _new(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_blocks_make_no_difference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kb = kb_of(tmp_path, ["red", "", "blue red", "Paris été", "", "dark dark red"])
    whole = description_vectors(kb, word_vectors())
    for size in (1, 2, 5):
        monkeypatch.setattr(module, "_ENTITIES", size)
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


@pytest.mark.slow
@pytest.mark.real_data
def test_real_descriptions_are_covered(real_data: Callable[[str], Path], general_kb: KB) -> None:
    vectors, coverage = description_vectors(general_kb, WordVectors.open(real_data("vectors/words-100d.txt.gz")))
    assert coverage.share > 0.9
    assert coverage.covered > 0.99 * coverage.described > 30_000
    has = vectors.any(axis=1)
    assert np.allclose(np.linalg.norm(vectors[has], axis=1), 1, atol=1e-5)

"""Word vectors from a file or from gensim."""

from __future__ import annotations

import gzip
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from eigenthemes.embeddings.word_vectors import WordVectors
from eigenthemes.errors import VectorError

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

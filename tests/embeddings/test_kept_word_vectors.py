"""Word vectors in a KB."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.kbs import build_untrained

from eigenthemes import KB, build_kb, train_kb
from eigenthemes.embeddings.word_vectors import KeptWordVectors, WordVectors
from eigenthemes.errors import EigenthemesError

NODES = "id,name,description\nplanet,Mercury,rocky planet near the sun\nmetal,Mercury,liquid metal\nsun,Sun,star\n"
EDGES = "source,relation,target\nplanet,orbits,sun\nmetal,seen_by,sun\n"
WORDS = {"planet": (1, 0), "sun": (1, 0.1), "rocky": (0.9, 0), "metal": (0, 1), "liquid": (0.1, 1), "the": (0.7, 0.7)}


def words() -> Any:
    """As gensim's KeyedVectors."""
    return SimpleNamespace(
        key_to_index={word: row for row, word in enumerate(WORDS)}, vectors=np.array(list(WORDS.values()), dtype=np.float32)
    )


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    folder = tmp_path_factory.mktemp("context")
    (folder / "nodes.csv").write_text(NODES)
    (folder / "edges.csv").write_text(EDGES)
    return build_untrained([folder / "nodes.csv", folder / "edges.csv"], folder / "my.kb")


def test_training_keeps_them_in_the_kb(kb: KB, tmp_path: Path) -> None:
    path = tmp_path / "nodes.csv"
    path.write_text(NODES)
    (tmp_path / "edges.csv").write_text(EDGES)
    mine = build_untrained([path, tmp_path / "edges.csv"], tmp_path / "mine.kb")
    assert KeptWordVectors.of(mine) is None
    trained = train_kb(mine.path, word_vectors=words())
    kept, made = KeptWordVectors.of(trained), KeptWordVectors.make(mine, WordVectors.open(words()))
    assert kept is not None
    assert np.array_equal(kept.vectors, made.vectors)
    assert np.array_equal(kept.hashes, made.hashes)
    assert all(right for _, right in trained.verify())
    again = train_kb(mine.path)
    assert KeptWordVectors.of(again) is not None
    assert again.rankers == trained.rankers == train_kb(kb.path).rankers  # the ranker does not look at them


def test_build_keeps_them_in_a_kb_without_a_ranker(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NODES)
    kb = build_kb([tmp_path / "nodes.csv"], tmp_path / "new.kb", word_vectors=words(), train=False)
    assert not kb.rankers
    assert KeptWordVectors.of(kb) is not None


def test_a_file_that_holds_no_vectors(kb: KB, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("nothing here\n")
    before = (kb.path / "manifest.json").read_bytes()
    with pytest.raises(EigenthemesError, match=r"words\.txt"):
        train_kb(kb.path, word_vectors=tmp_path / "words.txt")
    assert (kb.path / "manifest.json").read_bytes() == before


def test_build_refuses_word_vectors_it_cannot_use_before_it_reads(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NODES)
    with pytest.raises(EigenthemesError, match=r"none\.txt does not exist"):
        build_kb([tmp_path / "nodes.csv"], tmp_path / "new.kb", word_vectors=tmp_path / "none.txt")
    assert not (tmp_path / "new.kb").exists()

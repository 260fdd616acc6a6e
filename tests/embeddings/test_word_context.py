"""The words around a name: word vectors in a KB, and what they say of candidates."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from helpers.kbs import build_untrained

from eigenthemes import KB, Linker, build_kb, train_kb
from eigenthemes.documents.json_lines import as_document
from eigenthemes.embeddings.word_vectors import WINDOW, WordContext, WordVectors
from eigenthemes.errors import EigenthemesError
from eigenthemes.pipeline.batch import Batch, batch_maker
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features import LOCAL, FeatureContext, local_features
from eigenthemes.ranking.features.feature_context import Evidence
from eigenthemes.ranking.features.text_words import context_features

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


def batch_of(kb: KB, *documents: Any) -> Batch:
    return batch_maker(kb, needs_vectors=False).make([as_document(each) for each in documents])


def document(text: str) -> dict[str, Any]:
    start = text.index("Mercury")
    return {"text": text, "mentions": [{"start": start, "end": start + 7, "text": "Mercury"}]}


def cosines(kb: KB, *documents: Any) -> tuple[MentionGroups, dict[str, Any]]:
    names = MentionGroups.of(batch_of(kb, *documents))
    found = context_features(names, WordContext.make(kb, WordVectors.open(words())))
    return names, {kb.id_of(int(entity)): row for entity, row in zip(names.entity, found.tolist(), strict=True)}


def test_the_words_of_the_text_speak_for_the_description_they_resemble(kb: KB) -> None:
    for text, right, wrong in (
        ("Mercury is a planet of the sun", "planet", "metal"),
        ("The liquid metal is Mercury", "metal", "planet"),
    ):
        _, found = cosines(kb, document(text))
        assert all(found[right][column] > found[wrong][column] + 0.3 for column in (0, 1))
        assert max(abs(value) for row in found.values() for value in row) <= 1 + 1e-6


def test_near_words_are_near(kb: KB) -> None:
    far = "metal " * (3 * WINDOW)
    _, found = cosines(kb, document(f"planet planet planet planet planet Mercury planet planet planet planet planet {far}"))
    assert found["planet"][0] > found["metal"][0]
    assert found["metal"][1] > found["planet"][1]


def test_without_text_or_offsets_context_features_are_zero(kb: KB) -> None:
    _, found = cosines(kb, {"mentions": [{"text": "Mercury"}]})
    assert not np.any(list(found.values()))
    _, found = cosines(kb, {"text": "a planet", "mentions": [{"text": "Mercury"}]})
    assert not any(row[0] for row in found.values())
    assert found["planet"][1] > found["metal"][1]


def test_a_document_says_the_same_in_a_batch(kb: KB) -> None:
    one, other = document("Mercury is a planet"), document("liquid Mercury")
    names, _ = cosines(kb, one, other)
    context = WordContext.make(kb, WordVectors.open(words()))
    together = context_features(names, context)
    apart = [context_features(MentionGroups.of(batch_of(kb, each)), context) for each in (one, other)]
    assert np.array_equal(together, np.concatenate(apart))


def test_they_are_columns_only_where_there_are_word_vectors(kb: KB) -> None:
    names = MentionGroups.of(batch_of(kb, document("Mercury is a planet of the sun")))
    columns = [LOCAL.index("local_context"), LOCAL.index("global_context")]
    assert not local_features(names, FeatureContext(kb, None))[:, columns].any()
    with_words = FeatureContext(kb, None, Evidence(word_context=WordContext.make(kb, WordVectors.open(words()))))
    assert local_features(names, with_words)[:, columns].all()


def test_training_keeps_them_in_the_kb(kb: KB, tmp_path: Path) -> None:
    path = tmp_path / "nodes.csv"
    path.write_text(NODES)
    (tmp_path / "edges.csv").write_text(EDGES)
    mine = build_untrained([path, tmp_path / "edges.csv"], tmp_path / "mine.kb")
    assert WordContext.of(mine) is None
    trained = train_kb(mine.path, word_vectors=words())
    kept, made = WordContext.of(trained), WordContext.make(mine, WordVectors.open(words()))
    assert kept is not None
    assert np.array_equal(kept.vectors, made.vectors)
    assert np.array_equal(kept.entities, made.entities)
    assert all(right for _, right in trained.verify())
    again = train_kb(mine.path)  # those it holds are used again
    assert again.rankers == trained.rankers
    links = Linker(again).link(document("Mercury is a planet of the sun")).links
    assert links[0].ranking


def test_a_file_that_holds_no_vectors(kb: KB, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("nothing here\n")
    before = (kb.path / "manifest.json").read_bytes()
    with pytest.raises(EigenthemesError, match=r"words\.txt"):
        train_kb(kb.path, word_vectors=tmp_path / "words.txt")
    assert (kb.path / "manifest.json").read_bytes() == before


def test_build_refuses_word_vectors_it_cannot_use_before_it_reads(tmp_path: Path) -> None:
    (tmp_path / "nodes.csv").write_text(NODES)
    refused: list[tuple[dict[str, Any], str]] = [
        ({"word_vectors": tmp_path / "none.txt"}, r"none\.txt does not exist"),
        ({"word_vectors": words(), "train": False}, "it is not to be trained"),
    ]
    for options, reason in refused:
        with pytest.raises(EigenthemesError, match=reason):
            build_kb([tmp_path / "nodes.csv"], tmp_path / "new.kb", **options)
        assert not (tmp_path / "new.kb").exists()

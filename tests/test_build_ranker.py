"""How a KB comes by its ranker, keeps and loses it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import assert_one_sentence, call
from helpers.documents import link_one, names_document
from helpers.files import file_bytes, write_jsonl
from helpers.kbs import (
    TINY_EDGES,
    TINY_NODES,
    build_from_records,
    embed_untrained,
    train_quickly,
    write_sources,
)

from eigenthemes import KB, build_kb, embed_kb, train_kb
from eigenthemes.cli.advice import advise
from eigenthemes.errors import OptionError
from eigenthemes.linker import Linker
from eigenthemes.ranking.ranker import Ranker

# without a ranker


def test_a_kb_without_a_ranker_has_another_default(tiny: KB, tmp_path: Path, quick_disk: None) -> None:
    assert Linker(tiny).method_name == "eigen"
    assert Linker(build_from_records(tmp_path, TINY_NODES, TINY_EDGES)).method_name == "prior-name"


def test_selftrained_without_a_ranker_names_the_command(tiny: KB, tmp_path: Path, quick_disk: None) -> None:
    for kb in (tiny, build_from_records(tmp_path, TINY_NODES, TINY_EDGES)):
        with pytest.raises(OptionError, match=r"has no ranker .*; train one, or choose another method") as refused:
            Linker(kb, method="selftrained")
        assert advise(refused.value, "link") == f"{refused.value} (eigenthemes train {kb.path})"
        assert "\n" not in str(refused.value)


def test_selftrained_without_a_ranker_names_the_vectors_too(trained_tiny_copy: KB) -> None:
    embed_untrained(trained_tiny_copy.path, name="second")
    kb = embed_untrained(trained_tiny_copy.path, name="third")
    with pytest.raises(OptionError, match="vectors second; train one") as refused:
        Linker(kb, method="selftrained", vectors="second")
    assert advise(refused.value, "link") == f"{refused.value} (eigenthemes train KB --vectors second)"
    with pytest.raises(OptionError, match="vectors third; train one") as refused:
        Linker(kb, method="selftrained")
    assert advise(refused.value, "link") == f"{refused.value} (eigenthemes train {kb.path})"


def test_a_missing_ranker_is_reported_before_the_output_is_emptied(tiny: KB, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("precious\n", encoding="utf-8")
    document = write_jsonl(tmp_path / "in.jsonl", [names_document("Iowa")])
    done = call("link", tiny.path, document, "-o", output, "--method", "selftrained", "--nil", "off")
    assert_one_sentence(done, "has no ranker", "eigenthemes train")
    assert output.read_text(encoding="utf-8") == "precious\n"


# how a KB comes by its ranker


def test_new_vectors_drop_the_ranker_of_the_old_ones(trained_tiny_copy: KB) -> None:
    assert list(trained_tiny_copy.rankers) == ["prone"]
    changed = embed_untrained(trained_tiny_copy.path, seed=1)
    assert changed.rankers == {}
    assert Linker(changed).method_name == "eigen"


def test_other_vectors_leave_the_ranker_of_the_first(trained_tiny_copy: KB) -> None:
    changed = embed_untrained(trained_tiny_copy.path, name="second")
    assert list(changed.rankers) == ["prone"]
    assert Linker(changed).method_name == "eigen"
    assert Linker(changed, vectors="prone").method_name == "selftrained"
    expected, found = (link_one(Linker(kb, vectors="prone"), "Michael Jordan") for kb in (trained_tiny_copy, changed))
    assert found.ranking == expected.ranking


def test_first_vectors_drop_the_ranker_that_knew_none(tmp_path: Path, quick_disk: None) -> None:
    kb = build_from_records(tmp_path, TINY_NODES, TINY_EDGES)
    kb = train_quickly(kb, documents=20)
    assert list(kb.rankers) == [""]
    assert embed_untrained(kb.path).rankers == {}


def test_training_changes_nothing_but_the_manifest(trained_tiny_copy: KB) -> None:
    before = dict(trained_tiny_copy.manifest)
    after = train_kb(trained_tiny_copy.path, seed=5)
    assert after.manifest["files"] == before["files"]
    assert after.rankers["prone"]["training"]["seed"] == 5
    assert {key for key in after.manifest if after.manifest[key] != before.get(key)} <= {"rankers", "data", "sha256"}
    assert all(right for _, right in after.verify())
    assert train_kb(trained_tiny_copy.path, seed=5).rankers == after.rankers


def test_build_and_embed_train(tiny_copy: KB, tmp_path: Path) -> None:
    assert list(embed_kb(tiny_copy.path, name="second").rankers) == ["second"]
    nodes = write_sources(tmp_path, TINY_NODES)
    assert list(build_kb(nodes, tmp_path / "built.kb").rankers) == [""]  # no edges, no vectors
    assert build_kb(nodes, tmp_path / "bare.kb", train=False).rankers == {}


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError, RuntimeError])
def test_a_build_whose_training_is_cut_short_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: type[BaseException]
) -> None:
    """A KB without its ranker would answer with another method: it is built whole or not at all."""
    monkeypatch.setattr("eigenthemes.selftrain.training.self_train", raiser(error))
    with pytest.raises(error):
        build_kb(write_sources(tmp_path, TINY_NODES, TINY_EDGES), tmp_path / "cut.kb")
    assert not (tmp_path / "cut.kb").exists()


def test_a_build_over_a_kb_whose_training_is_cut_short_leaves_the_old_kb(
    trained_tiny_copy: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = file_bytes(trained_tiny_copy.path)
    monkeypatch.setattr("eigenthemes.selftrain.training.self_train", raiser(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        build_kb(write_sources(tmp_path, TINY_NODES[:5]), trained_tiny_copy.path, force=True)
    assert file_bytes(trained_tiny_copy.path) == before


def test_new_vectors_whose_training_is_cut_short_leave_the_kb(trained_tiny_copy: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file_bytes(trained_tiny_copy.path)
    monkeypatch.setattr("eigenthemes.selftrain.training.self_train", raiser(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        embed_kb(trained_tiny_copy.path, dimensions=2)
    assert file_bytes(trained_tiny_copy.path) == before


def raiser(error: type[BaseException]) -> Callable[..., Ranker]:
    def stop(*arguments: Any, **options: Any) -> Ranker:
        raise error

    return stop


def test_a_second_training_cut_short_leaves_the_first(trained_tiny_copy: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenthemes.selftrain.training.self_train", raiser(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        train_kb(trained_tiny_copy.path)
    assert KB.open(trained_tiny_copy.path).manifest == trained_tiny_copy.manifest

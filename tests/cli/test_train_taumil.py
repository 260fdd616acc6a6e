"""eigenthemes train-taumil, and eval and link with its model"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from helpers.commands import assert_one_sentence, call
from helpers.files import write_jsonl
from helpers.players_and_countries import planted_kb, training_sentences, word_vectors

from eigenthemes import KB

pytest.importorskip("torch")


def test_train_link_and_eval(tmp_path: Path) -> None:
    kb = planted_kb(tmp_path).path
    records = [each.source for each in training_sentences(0, 100)]
    documents = write_jsonl(tmp_path / "docs.jsonl", records)
    words, model = tmp_path / "words.txt", tmp_path / "model.safetensors"
    vectors = word_vectors()
    words.write_text("".join(f"{word} {' '.join(map(str, vectors.vectors[row]))}\n" for word, row in vectors.row_of.items()))
    trained = call("train-taumil", kb, documents, "--word-vectors", words, "-o", model, "--epochs", 2)
    assert trained.returncode == 0, trained.stderr
    assert "epoch 1: objective " in trained.stderr
    assert "trained on 100 mentions" in trained.stderr
    judged = call("eval", kb, documents, "--methods", "taumil,taumil-weighted,degree", "--model", model, "--json")
    assert set(json.loads(judged.stdout)["docs"]) == {"taumil", "taumil-weighted", "degree"}
    linked = call("link", kb, documents, "--method", "taumil", "--model", model)
    assert len(linked.stdout.splitlines()) == 100
    lost = call("eval", kb, documents, "--methods", "taumil", "--model", tmp_path / "lost")
    assert_one_sentence(lost, "lost does not exist; train one")


def test_a_missing_extra_prints_the_install_command(tiny: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = write_jsonl(tmp_path / "docs.jsonl", [{"text": "Iowa won"}])
    monkeypatch.setitem(sys.modules, "torch", None)
    assert_one_sentence(call("train-taumil", tiny.path, documents), "run: pip install 'eigenthemes[neural]'")

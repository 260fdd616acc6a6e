"""eigenthemes train-taumil, and eval and link with its model"""

from __future__ import annotations

import json
from pathlib import Path

from helpers.commands import assert_one_sentence, call
from helpers.files import write_jsonl
from paper_helpers.players_and_countries import planted_kb, training_sentences, word_vectors


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


def test_a_seed_below_0_is_refused(tmp_path: Path) -> None:
    done = call("train-taumil", "x.kb", "x.jsonl", "--seed", "-1", cwd=tmp_path)
    assert done.returncode == 2
    assert "--seed" in done.stderr

"""The file of a model: the same scores after reading it again, and one sentence where it does not fit or is broken."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.files import write_jsonl
from helpers.kbs import build_untrained
from paper_helpers.players_and_countries import AMBIGUOUS, exam_sentences
from paper_helpers.taumil_models import scores

from eigenthemes import KB, Linker
from eigenthemes.errors import OptionError
from eigenthemes.kb.writer import KBWriter
from eigenthemes_paper.taumil.method import TaumilOptions
from eigenthemes_paper.taumil.store import IN_KB, StoredModel, read


def test_save_and_load_give_the_same_scores(planted: KB, tmp_path: Path) -> None:
    stored = StoredModel.open(planted.path / IN_KB, planted)
    stored.save(tmp_path / "again.safetensors")
    expected = scores(planted, exam_sentences(0))
    assert np.array_equal(scores(planted, exam_sentences(0), model=str(tmp_path / "again.safetensors")), expected)
    assert np.array_equal(scores(KB.open(planted.path), exam_sentences(0)), expected)
    assert (tmp_path / "again.safetensors").read_bytes() == (planted.path / IN_KB).read_bytes()
    assert len(np.unique(expected)) > 100


def test_a_kb_that_was_built_anew_is_refused(planted_copy: KB, tmp_path: Path) -> None:
    nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": name, "name": name} for name in AMBIGUOUS])
    edges = write_jsonl(tmp_path / "edges.jsonl", [{"source": AMBIGUOUS[0], "target": AMBIGUOUS[1], "relation": "r"}])
    build_untrained([nodes, edges], planted_copy.path, force=True)
    assert (planted_copy.path / IN_KB).exists()
    with pytest.raises(OptionError, match=r"was trained for another KB") as refused:
        Linker(planted_copy.path, method="taumil")
    assert refused.value.code == "model-of-another-kb"


def test_a_kb_with_other_vectors_or_rankers_keeps_its_model(planted_copy: KB) -> None:
    expected = scores(planted_copy, exam_sentences(0))
    with KBWriter(planted_copy.path, base=planted_copy) as writer:
        writer.commit({**planted_copy.described, "rankers": {}})
    assert np.array_equal(scores(KB.open(planted_copy.path), exam_sentences(0)), expected)


@pytest.mark.parametrize("damage", [b"", b"no tensors at all", b"\x80\x04pickle"])
def test_a_broken_file_is_told_in_one_sentence(planted_copy: KB, damage: bytes) -> None:
    (planted_copy.path / IN_KB).write_bytes(damage)
    with pytest.raises(OptionError, match=r"cannot be read as a model of tau-MIL-ND \(.*\); train it again"):
        Linker(planted_copy.path, method="taumil")


def test_other_safetensors_are_no_model(planted_copy: KB) -> None:
    from safetensors.numpy import save_file

    save_file({"x": np.zeros(1)}, planted_copy.path / IN_KB)
    with pytest.raises(OptionError, match="is no model of tau-MIL-ND; give a file that eigenthemes train-taumil wrote"):
        Linker(planted_copy.path, method="taumil")


def test_a_missing_model_says_how_to_train_one(tiny: KB) -> None:
    with pytest.raises(OptionError, match=r"tiny.kb has no model of tau-MIL-ND; train one with ") as no_model:
        Linker(tiny, method="taumil-weighted")
    assert f"eigenthemes train-taumil {tiny.path} DOCUMENTS" in str(no_model.value)
    with pytest.raises(OptionError, match=r"nowhere.bin does not exist; train one with eigenthemes train-taumil"):
        Linker(tiny, method="taumil", scoring=TaumilOptions(model="nowhere.bin"))


@pytest.mark.parametrize("given", ["folder", "/dev/zero"])
def test_a_model_that_is_no_file_is_refused(tmp_path: Path, given: str) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(OptionError, match=r" is a (folder|device)"):
        read(tmp_path / given, "any")

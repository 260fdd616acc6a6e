"""tau-MIL-ND as a whole: training without gold, the file of a model, the methods, the commands."""

from __future__ import annotations

import gzip
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import write_jsonl
from planted import AMBIGUOUS, exam, lessons, planted_kb, word_vectors

from eigenthemes import KB, Linker, build_kb
from eigenthemes.cli import cli
from eigenthemes.documents.reader import read_gold
from eigenthemes.errors import DocumentError, KBError, MissingExtraError, OptionError
from eigenthemes.evaluation.run import evaluate, report
from eigenthemes.kb.writer import KBWriter
from eigenthemes.ranking.batch import batch_maker, gold_rows
from eigenthemes.ranking.methods import METHODS, MethodOptions
from eigenthemes.records import Document, Mention
from eigenthemes.stream import link_stream

torch = pytest.importorskip("torch")

from eigenthemes.ranking.taumil.store import IN_KB, StoredModel  # noqa: E402
from eigenthemes.reproduction.taumil_training import Epoch, train_taumil  # noqa: E402

TRAINED: dict[str, Any] = {"word_vectors": word_vectors(), "epochs": 13, "patience": 13, "batch_size": 10}
QUICK: dict[str, Any] = {"word_vectors": word_vectors(), "epochs": 3, "patience": 9}


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """The planted KB with a model of its own, of seed 0."""
    kb = planted_kb(tmp_path_factory.mktemp("planted"))
    train_taumil(kb, lessons(0), **TRAINED)
    return kb


@pytest.fixture
def scratch(planted: KB, tmp_path: Path) -> KB:
    """A copy to break or to change."""
    return KB.open(shutil.copytree(planted.path, tmp_path / "scratch.kb"))


def scores(kb: KB, documents: list[Document], method: str = "taumil", **options: Any) -> np.ndarray[Any, Any]:
    batch = batch_maker(kb, needs_vectors=False).make(documents)
    return METHODS[method](batch, kb, MethodOptions(**options))


def share_right(kb: KB, documents: list[Document], method: str = "taumil", **options: Any) -> float:
    found = report(evaluate(kb, documents, [method], options=MethodOptions(**options)))
    return float(found[method]["overall"]["p_at_1"])


# it learns


@pytest.mark.parametrize("seed", range(5))
def test_context_decides_on_the_planted_corpus(planted: KB, tmp_path: Path, seed: int) -> None:
    """Two candidates each, so chance is 50 %; gold is not read while it trains."""
    model = tmp_path / "model.safetensors" if seed else planted.path / IN_KB
    if seed:
        train_taumil(planted, lessons(seed), output=model, seed=seed, **TRAINED)
    assert share_right(planted, exam(seed), model=str(model)) >= 0.9
    assert share_right(planted, exam(seed), "degree") < 0.75


def test_relations_serve_where_there_are_no_types(tmp_path: Path) -> None:
    kb = planted_kb(tmp_path, types=False)
    train_taumil(kb, lessons(0), **TRAINED)
    assert share_right(kb, exam(0)) >= 0.9


def test_the_objective_falls_and_its_best_epoch_is_kept(planted: KB) -> None:
    about = StoredModel.open(planted.path / IN_KB, planted).about
    objectives = [epoch["objective"] for epoch in about["history"]]
    assert objectives[-1] < objectives[0] / 2
    assert about["epoch"] == 1 + int(np.argmin(objectives))
    assert about["history"][-1]["noise"] == pytest.approx(0.9, abs=0.05)


def test_it_stops_where_the_objective_gets_no_better(planted: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from eigenthemes.reproduction import taumil_training as train

    objectives = iter([5.0, 4.0, 4.5, 4.5, 9.0])
    monkeypatch.setattr(train.Training, "_step", lambda *arguments: [0.0] * 4)
    run = train.Training.run_epoch

    def run_epoch(self: train.Training, *arguments: Any) -> Epoch:
        epoch = run(self, *arguments)
        self.history[-1]["objective"] = next(objectives)
        return epoch

    monkeypatch.setattr(train.Training, "run_epoch", run_epoch)
    stored = train_taumil(planted, lessons(0, 60), word_vectors=word_vectors(), output=tmp_path / "m", epochs=20, patience=2)
    assert ([epoch["objective"] for epoch in stored.about["history"]], stored.about["epoch"]) == ([5, 4, 4.5, 4.5], 2)


def test_gold_is_never_read(planted: KB, tmp_path: Path) -> None:
    bare = [replace(each, mentions=tuple(replace(m, gold=None) for m in each.mentions or ())) for each in lessons(0, 60)]
    one = train_taumil(planted, lessons(0, 60), output=tmp_path / "one", **QUICK)
    other = train_taumil(planted, bare, output=tmp_path / "other", **QUICK)
    assert same(one, other)


def test_mentions_are_found_where_there_are_none(planted: KB, tmp_path: Path) -> None:
    found = [Document(text=f"{document.text}") for document in lessons(0, 60)]
    one = train_taumil(planted, lessons(0, 60), output=tmp_path / "one", **QUICK)
    assert same(one, train_taumil(planted, found, output=tmp_path / "other", **QUICK))


# the same seed, the same weights


def same(one: StoredModel, other: StoredModel) -> bool:
    return all(np.array_equal(array, other.learned[name]) for name, array in one.learned.items())


def test_the_same_seed_gives_the_same_bytes_and_another_others(planted: KB, tmp_path: Path) -> None:
    for name, seed, threads in (("one", 3, 1), ("again", 3, 2), ("other", 4, 1)):
        torch.set_num_threads(threads)
        np.random.seed(seed + threads)
        train_taumil(planted, lessons(0, 120), output=tmp_path / name, seed=seed, **QUICK)
        assert torch.get_num_threads() == threads
        assert not torch.are_deterministic_algorithms_enabled()
    torch.set_num_threads(1)
    one, again, other = ((tmp_path / name).read_bytes() for name in ("one", "again", "other"))
    assert one == again
    assert one != other


def interrupted(epoch: Epoch, seconds: float) -> None:
    if epoch.epoch == 2:
        raise KeyboardInterrupt


def test_a_resumed_training_is_the_same_as_one_without_interruption(planted: KB, tmp_path: Path) -> None:
    options = {**QUICK, "epochs": 4}
    train_taumil(planted, lessons(0, 120), output=tmp_path / "whole", **options)
    with pytest.raises(KeyboardInterrupt):
        train_taumil(planted, lessons(0, 120), output=tmp_path / "parts", on_epoch=interrupted, **options)
    assert not (tmp_path / "parts").exists()
    told: list[int] = []
    train_taumil(
        planted,
        lessons(0, 120),
        output=tmp_path / "parts",
        resume=True,
        on_epoch=lambda epoch, seconds: told.append(epoch.epoch),
        **options,
    )
    assert told == [3, 4]
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
    assert not list(tmp_path.glob("*.checkpoint"))
    again = train_taumil(
        planted,
        lessons(0, 120),
        output=tmp_path / "parts",
        resume=True,
        on_epoch=lambda epoch, seconds: told.append(epoch.epoch),
        **options,
    )
    assert told == [3, 4], "what came to its end is not begun again"
    assert len(again.about["history"]) == 4


def test_a_checkpoint_of_another_training_is_refused(planted: KB, tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        train_taumil(planted, lessons(0, 60), output=tmp_path / "m", on_epoch=interrupted, **QUICK)
    with pytest.raises(OptionError, match="of a training with other options; resume with the same, or leave --resume out"):
        train_taumil(planted, lessons(0, 60), output=tmp_path / "m", resume=True, seed=1, **QUICK)
    with pytest.raises(OptionError, match="of a training with other trained_on"):
        train_taumil(planted, lessons(1, 60), output=tmp_path / "m", resume=True, **QUICK)
    train_taumil(planted, lessons(1, 60), output=tmp_path / "m", **QUICK)
    assert (tmp_path / "m").exists()


@pytest.mark.parametrize("option", ["epochs", "patience", "batch_size", "positives", "negatives"])
def test_options_are_checked_at_the_door(planted: KB, option: str) -> None:
    with pytest.raises(OptionError, match=f"{option} is 0; expected 1 or more"):
        train_taumil(planted, lessons(0, 5), **{**QUICK, option: 0})


def test_a_place_that_cannot_be_written_is_refused_before_hours_of_training(planted: KB, tmp_path: Path) -> None:
    with pytest.raises(
        KBError, match="nowhere does not exist, or cannot be written to; give another place for the model with -o"
    ):
        train_taumil(planted, lessons(0, 5), output=tmp_path / "nowhere" / "model", **QUICK)


def test_documents_without_candidates_teach_nothing(planted: KB, tmp_path: Path) -> None:
    document = Document((Mention("Nobody at all", 0, 13),), text="Nobody at all won")
    with pytest.raises(DocumentError, match="no mention of the documents has a candidate in the KB; give documents"):
        train_taumil(planted, [document], output=tmp_path / "m", **QUICK)


# the file


def test_save_and_load_give_the_same_scores(planted: KB, tmp_path: Path) -> None:
    stored = StoredModel.open(planted.path / IN_KB, planted)
    stored.save(tmp_path / "again.safetensors")
    expected = scores(planted, exam(0))
    assert np.array_equal(scores(planted, exam(0), model=str(tmp_path / "again.safetensors")), expected)
    assert np.array_equal(scores(KB.open(planted.path), exam(0)), expected)
    assert (tmp_path / "again.safetensors").read_bytes() == (planted.path / IN_KB).read_bytes()
    assert len(np.unique(expected)) > 100


def test_a_kb_that_was_built_anew_is_refused(scratch: KB, tmp_path: Path) -> None:
    nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": name, "name": name} for name in AMBIGUOUS])
    edges = write_jsonl(tmp_path / "edges.jsonl", [{"source": AMBIGUOUS[0], "target": AMBIGUOUS[1], "relation": "r"}])
    build_kb([nodes, edges], scratch.path, force=True)
    assert (scratch.path / IN_KB).exists()
    with pytest.raises(
        OptionError, match=r"was trained for another KB, or for .* train it again with: eigenthemes train-taumil"
    ):
        Linker(scratch.path, method="taumil")


def test_a_kb_with_other_vectors_or_rankers_keeps_its_model(scratch: KB) -> None:
    expected = scores(scratch, exam(0))
    with KBWriter(scratch.path, base=scratch) as writer:
        writer.commit({**scratch.described, "rankers": {}})
    assert np.array_equal(scores(KB.open(scratch.path), exam(0)), expected)


@pytest.mark.parametrize("damage", [b"", b"no tensors at all", b"\x80\x04pickle"])
def test_a_broken_file_is_told_in_one_sentence(scratch: KB, damage: bytes) -> None:
    (scratch.path / IN_KB).write_bytes(damage)
    with pytest.raises(OptionError, match=r"cannot be read as a model of tau-MIL-ND \(.*\); train it again"):
        Linker(scratch.path, method="taumil")


def test_other_safetensors_are_no_model(scratch: KB) -> None:
    from safetensors.numpy import save_file

    save_file({"x": np.zeros(1)}, scratch.path / IN_KB)
    with pytest.raises(OptionError, match="is no model of tau-MIL-ND; give a file that eigenthemes train-taumil wrote"):
        Linker(scratch.path, method="taumil")


def test_a_missing_model_says_how_to_train_one(tiny: KB) -> None:
    with pytest.raises(OptionError, match=r"has no model of tau-MIL-ND; train one with: eigenthemes train-taumil .*tiny.kb"):
        Linker(tiny, method="taumil-weighted")
    with pytest.raises(OptionError, match=r"nowhere.bin does not exist; train one with: .* -o .*nowhere.bin"):
        Linker(tiny, method="taumil", model="nowhere.bin")


# the methods


def test_batches_do_not_matter(planted: KB) -> None:
    documents = exam(0, 30)
    together = scores(planted, documents)
    alone = np.concatenate([scores(planted, [document]) for document in documents])
    assert together == pytest.approx(alone, abs=1e-5)
    assert len(scores(planted, [])) == 0
    assert len(scores(planted, [Document((Mention("Nobody", 0, 6),), text="Nobody won")])) == 0


def test_the_weighted_method_adds_the_logarithm_of_the_weight(planted: KB) -> None:
    documents = exam(0, 20)
    table = batch_maker(planted, needs_vectors=False).make(documents).table
    plain = scores(planted, documents)
    assert scores(planted, documents, "taumil-weighted") == pytest.approx(plain - np.log(table.rank))
    assert scores(planted, documents, "taumil-weighted", delta=0.5) == pytest.approx(plain - 0.5 * np.log(table.rank))
    assert np.array_equal(scores(planted, documents, delta=3.0), plain)


def test_a_model_that_was_trained_again_is_read_again(scratch: KB) -> None:
    before = scores(scratch, exam(0, 5))
    train_taumil(scratch, lessons(1, 60), **QUICK)
    assert not np.array_equal(scores(scratch, exam(0, 5)), before)


def test_mentions_with_very_many_candidates_are_taken_some_at_a_time(planted: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = scores(planted, exam(0, 30))
    monkeypatch.setattr("eigenthemes.ranking.taumil.scorer._PAIRS", 7)
    assert scores(planted, exam(0, 30)) == pytest.approx(expected, abs=1e-5)


def test_it_links_like_any_method(planted: KB) -> None:
    linker = Linker(planted, method="taumil")
    right = [linker.link(document).links[0].entity == (document.mentions or ())[0].gold[0] for document in exam(0, 40)]  # type: ignore[index]
    assert sum(right) >= 36
    (found, *_) = linker.link("the coach said Both3 scored a goal in the match today").links
    assert (found.entity, found.probability, found.nil_reason) == ("player-Both3", None, None)


def test_noise_is_rejected_by_threshold_and_counts_nothing_in_p_at_1(planted: KB) -> None:
    batch = batch_maker(planted, needs_vectors=False).make(exam(0, 20))
    with_chances = METHODS["taumil"].with_chances
    assert with_chances is not None
    _, chances = with_chances(batch, planted, options=MethodOptions())
    middle = float(np.median(chances))
    answers = Linker(planted, method="taumil", threshold=middle).answer(exam(0, 20))[1]
    assert [answer.nil_reason for answer in answers] == [None if chance >= middle else "low_probability" for chance in chances]
    everything = Linker(planted, method="taumil").answer(exam(0, 20))[1]
    assert {answer.nil_reason for answer in everything} == {None}
    assert [answer.ranking for answer in answers] == [answer.ranking for answer in everything]
    off = Linker(planted, method="taumil", threshold=1.0, nil=False).answer(exam(0, 20))[1]
    assert {answer.nil_reason for answer in off} == {None}


def test_documents_without_text_are_failures_of_their_own(planted: KB) -> None:
    good = json.dumps({"id": "good", "text": "Both1 scored"})
    lines = [json.dumps({"id": "bad", "mentions": [{"text": "Both1"}]}), good]
    failures: list[Any] = []
    written: list[bytes] = []
    told = link_stream(
        [line.encode() for line in lines],
        written.append,
        planted.path,
        options={"method": "taumil"},
        on_failure=failures.append,
    )
    assert (told.documents, told.linked, told.failures) == (1, 1, 1)
    assert "the document 'bad' has no text, and tau-MIL-ND reads the words around a mention" in failures[0].cause
    with pytest.raises(DocumentError, match="the document 'bad' has no text"):
        Linker(planted, method="taumil").link({"id": "bad", "mentions": [{"text": "Both1"}]})


# the commands


def run(*arguments: object) -> Any:
    return CliRunner().invoke(cli, list(map(str, arguments)), catch_exceptions=True)


def test_train_link_and_eval_from_the_command_line(planted: KB, tmp_path: Path) -> None:
    records = [each.source for each in lessons(0, 100)]
    documents = write_jsonl(tmp_path / "docs.jsonl", records)
    words, model = tmp_path / "words.txt", tmp_path / "model.safetensors"
    vectors = word_vectors()
    words.write_text("".join(f"{word} {' '.join(map(str, vectors.vectors[row]))}\n" for word, row in vectors.row_of.items()))
    trained = run("train-taumil", planted.path, documents, "--word-vectors", words, "-o", model, "--epochs", 2)
    assert trained.exit_code == 0, trained.output
    assert "epoch 1: objective " in trained.stderr
    assert "trained on 100 mentions" in trained.stderr
    judged = run("eval", planted.path, documents, "--methods", "taumil,taumil-weighted,degree", "--model", model, "--json")
    assert set(json.loads(judged.stdout)["docs"]) == {"taumil", "taumil-weighted", "degree"}
    linked = run("link", planted.path, documents, "--method", "taumil", "--model", model)
    assert len(linked.stdout.splitlines()) == 100
    lost = run("eval", planted.path, documents, "--methods", "taumil", "--model", tmp_path / "lost")
    assert isinstance(lost.exception, OptionError)


def test_a_missing_extra_prints_the_install_command(planted: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    documents = write_jsonl(tmp_path / "docs.jsonl", [{"text": "Both1 won"}])
    for package in ("torch", "safetensors"):
        with monkeypatch.context() as patch:
            patch.setitem(sys.modules, package, None)
            command = r"pip install 'eigenthemes\[neural\]'"
            with pytest.raises(MissingExtraError, match=f"needs the package {package}, which is not installed; run: {command}"):
                Linker(planted, method="taumil")
            assert isinstance(run("train-taumil", planted.path, documents).exception, MissingExtraError)


def test_nobody_else_imports_torch(tiny: KB) -> None:
    check = f"""
import eigenthemes.cli, eigenthemes.ranking.methods, sys
from eigenthemes import Linker
Linker({str(tiny.path)!r}, method="degree").link("Iowa")
print([name for name in ("torch", "safetensors") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


# real data


@pytest.mark.real_data
def test_lgl_is_above_random_choice(real_data: Callable[[str], Path], tmp_path: Path) -> None:
    """A small training on the texts of 100 documents; of the KG, what they may name and every tenth place."""
    documents = list(read_gold(real_data("places/lgl.jsonl.gz")))[:100]
    kb = part_of_places(real_data, {mention.text for document in documents for mention in document.mentions or ()}, tmp_path)
    train_taumil(kb, documents, word_vectors=real_data("vectors/words-100d.txt.gz"), epochs=3)
    batch = batch_maker(kb, needs_vectors=False).make(documents)
    counts = np.bincount(batch.table.mention_of, minlength=batch.table.mentions)
    chance = (gold_rows(batch, kb) / counts[batch.table.mention_of]).sum() / batch.table.mentions
    assert share_right(kb, documents) > chance + 0.05


def part_of_places(real_data: Callable[[str], Path], names: set[str], folder: Path) -> KB:
    with gzip.open(real_data("places/nodes.tsv.gz"), "rt", encoding="utf-8") as lines:
        header = next(lines)
        kept = [line for i, line in enumerate(lines) if i % 10 == 0 or not names.isdisjoint(re.split(r"[\t|]", line))]
    (folder / "nodes.tsv").write_text(header + "".join(kept), encoding="utf-8")
    ids = {line.partition("\t")[0] for line in kept}
    with gzip.open(real_data("places/edges.tsv.gz"), "rt", encoding="utf-8") as lines:
        header = next(lines)
        joined = [line for line in lines if not ids.isdisjoint(line.rstrip("\n").split("\t"))]
    (folder / "edges.tsv").write_text(header + "".join(joined), encoding="utf-8")
    return build_kb([folder / "nodes.tsv", folder / "edges.tsv"], folder / "places.kb", embedding=None)

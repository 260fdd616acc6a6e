"""eigenthemes adapt: learned from texts, kept in the KB, shown by info, undone by --reset."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from helpers.commands import call
from helpers.files import write_jsonl

from eigenthemes import KB
from eigenthemes.linker import Linker
from eigenthemes.ranking.ranker import Ranker

TEXTS = [
    "Scottie Pippen and Michael Jordan won six titles with the Chicago Bulls.",
    "Amman is the capital of Jordan, as David Blei said in Chicago.",
    "Charles Barkley met Michael Jordan in Phoenix and Scottie Pippen in Chicago.",
    "Mr. Jordan of Berkeley wrote with David Blei; Amman was not named.",
] * 3


@pytest.fixture
def adapted(demo_kb: KB, tmp_path: Path) -> Path:
    kb = shutil.copytree(demo_kb.path, tmp_path / "my.kb")
    texts = write_jsonl(tmp_path / "pile.jsonl", [{"id": i, "text": text} for i, text in enumerate(TEXTS)])
    done = call("adapt", kb, texts)
    assert done.returncode == 0, done.stderr
    assert f"adapted to {len(TEXTS)} documents" in done.stderr
    assert "what they are about was not learned, because they are fewer than 100" in done.stderr
    return Path(kb)


def test_it_is_kept_in_the_kb_and_shown(adapted: Path, demo_kb: KB) -> None:
    (ranker,) = json.loads((adapted / "manifest.json").read_text())["rankers"].values()
    assert ranker["adapted"]["documents"] == len(TEXTS)
    assert ranker["adapted"]["weights"]
    assert f"adapted to {len(TEXTS)} documents" in call("info", adapted).stdout
    assert Ranker.of(ranker).to_dict() == ranker
    assert {key: value for key, value in ranker.items() if key != "adapted"} == next(iter(demo_kb.rankers.values()))


def test_it_counts_where_names_are_found_and_not_where_they_are_given(adapted: Path, demo_kb: KB) -> None:
    before, after = Linker(demo_kb), Linker(adapted)
    names = {"mentions": [{"text": "Michael Jordan"}, {"text": "Scottie Pippen"}]}
    assert before.link(names).to_dict() == after.link(names).to_dict()
    scores = [[link.ranking[0].score for link in linker.link(TEXTS[2]).links] for linker in (before, after)]
    assert scores[0] != scores[1]


def test_mentions_and_gold_are_not_looked_at(adapted: Path, demo_kb: KB, tmp_path: Path) -> None:
    again = shutil.copytree(demo_kb.path, tmp_path / "again.kb")
    gold = [{"text": text, "mentions": [{"text": "Chicago", "gold": "nobody"}] if "Chicago" in text else []} for text in TEXTS]
    assert call("adapt", again, write_jsonl(tmp_path / "gold.jsonl", gold)).returncode == 0
    assert KB.open(again).rankers == KB.open(adapted).rankers


def test_reset_forgets(adapted: Path, demo_kb: KB) -> None:
    done = call("adapt", adapted, "--reset")
    assert (done.returncode, "forgot" in done.stderr) == (0, True)
    assert KB.open(adapted).rankers == demo_kb.rankers
    again = call("adapt", adapted, "--reset")
    assert (again.returncode, "there is nothing to forget" in again.stderr) == (0, True)


@pytest.mark.parametrize("arguments", [(), ("pile.jsonl", "--reset")])
def test_documents_or_reset(demo_kb: KB, arguments: tuple[str, ...]) -> None:
    done = call("adapt", demo_kb.path, *arguments)
    assert done.returncode == 1
    assert "not both" in done.stderr


def test_too_few_names(demo_kb: KB, tmp_path: Path) -> None:
    kb = shutil.copytree(demo_kb.path, tmp_path / "my.kb")
    done = call("adapt", kb, write_jsonl(tmp_path / "few.jsonl", [{"text": "Amman"}]))
    assert done.returncode == 1
    assert "too few to learn from" in done.stderr


def test_a_hundred_documents_tell_what_they_are_about(demo_kb: KB, tmp_path: Path) -> None:
    kb = shutil.copytree(demo_kb.path, tmp_path / "my.kb")
    texts = "".join(json.dumps({"id": i, "text": TEXTS[i % len(TEXTS)]}) + "\n" for i in range(100))
    done = call("adapt", kb, "-", stdin=texts)
    assert done.returncode == 0, done.stderr
    assert "100 documents are about" in done.stderr
    assert "and to what 100 documents are about" in call("info", kb).stdout
    detail = call("explain", kb, "-", "--mention", "0", stdin=TEXTS[0]).stdout
    assert "pile" in detail
    assert call("adapt", kb, "--reset").returncode == 0
    assert KB.open(kb).rankers == demo_kb.rankers


# link --adapt


@pytest.fixture
def pile(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "pile.jsonl", [{"id": i, "text": text} for i, text in enumerate(TEXTS * 10)])


def test_link_adapts_to_its_own_documents_and_leaves_the_kb_as_it_is(demo_kb: KB, pile: Path, tmp_path: Path) -> None:
    before = (demo_kb.path / "manifest.json").read_bytes()
    copy = shutil.copytree(demo_kb.path, tmp_path / "my.kb")
    assert call("adapt", copy, pile).returncode == 0
    done = call("link", demo_kb.path, pile, "--adapt")
    assert done.returncode == 0, done.stderr
    assert f"adapted to {len(TEXTS) * 10} documents" in done.stderr
    assert f"{len(TEXTS) * 10} documents are about" in done.stderr
    assert done.stdout == call("link", copy, pile).stdout
    assert done.stdout != call("link", demo_kb.path, pile).stdout
    assert done.stdout == call("link", demo_kb.path, pile, "--adapt", "--jobs", "2").stdout
    assert (demo_kb.path / "manifest.json").read_bytes() == before
    assert not [each for each in tmp_path.iterdir() if each.name.startswith("eigenthemes-")]


def test_standard_input_is_read_once_and_linked_like_a_file(demo_kb: KB, pile: Path) -> None:
    wanted = call("link", demo_kb.path, pile, "--adapt").stdout
    done = call("link", demo_kb.path, "-", "--adapt", stdin=pile.read_text())
    assert done.returncode == 0, done.stderr
    assert done.stdout == wanted


def test_a_bad_record_is_left_out_of_learning_and_told_by_linking(demo_kb: KB, pile: Path) -> None:
    with pile.open("a") as file:
        file.write("{broken\n")
    done = call("link", demo_kb.path, pile, "--adapt")
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == len(TEXTS) * 10
    assert "1 record could not be linked" in done.stderr


def test_what_link_cannot_adapt_to_is_refused(demo_kb: KB, pile: Path, tmp_path: Path) -> None:
    few = write_jsonl(tmp_path / "few.jsonl", [{"text": text} for text in TEXTS])
    done = call("link", demo_kb.path, few, "--adapt")
    assert (done.returncode, done.stdout) == (1, "")
    assert "12 documents are too few to learn from what they are about; expected 100 or more" in done.stderr
    done = call("link", demo_kb.path, pile, "--adapt", "--method", "eigen")
    assert "--adapt is for selftrained, not for eigen" in done.stderr
    done = call("link", demo_kb.path, pile, "--adapt", "-o", f"{tmp_path}/out/")
    assert "adapt the KB first: eigenthemes adapt" in done.stderr
    assert not (tmp_path / "out").exists()

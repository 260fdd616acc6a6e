"""eigenthemes prepare"""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from helpers.commands import PROGRAM, assert_one_sentence, call
from paper_helpers.wikipedia_dumps import AIDA, Dumps, write_aida, write_dumps, write_wned

from eigenthemes.documents.reader import read_gold
from eigenthemes_paper.prepare import ENTITY


@pytest.fixture
def aida(tmp_path: Path) -> Path:
    return write_aida(tmp_path)


@pytest.fixture
def dumps(tmp_path: Path) -> Dumps:
    return write_dumps(tmp_path)


def test_the_command_writes_documents_and_ids(tmp_path: Path, aida: Path, dumps: Dumps) -> None:
    out, ids = tmp_path / "gold.jsonl", tmp_path / "ids.txt"
    options = ("--page-props", dumps[0], "--page", dumps[1], "--redirect", dumps[2], "--iri")
    done = call("prepare", aida, *options, "-o", out, "--ids", ids)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == (
        "2 documents, 2 mentions with a Wikidata id; left out: 1 whose page has none "
        "(first: http://en.wikipedia.org/wiki/Gone), 1 annotated as outside Wikipedia\n"
    )
    golds = [[mention.gold for mention in document.mentions or ()] for document in read_gold(out)]
    assert golds == [[(ENTITY + "Q183",), (ENTITY + "Q5005",)], []]
    assert out.read_bytes().startswith(b'{"id":"947testa ')  # what docs/raw-sources.md splits AIDA by
    assert ids.read_text().split() == [ENTITY + each for each in ("Q90", "Q183", "Q2069", "Q5005")]
    assert not list(tmp_path.glob("*.part"))


def test_the_command_writes_to_standard_output(aida: Path, dumps: Dumps) -> None:
    done = call("prepare", aida, "--page-props", dumps[0])
    assert [len(json.loads(line)["mentions"]) for line in done.stdout.splitlines()] == [1, 0]


def test_a_reader_that_has_gone_is_no_error(aida: Path, dumps: Dumps) -> None:
    command = f"{' '.join(PROGRAM)} prepare {aida} --page-props {dumps[0]} | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert done.stdout == "0\n"
    assert "Traceback" not in done.stderr


def test_errors_are_one_sentence_and_leave_no_file(tmp_path: Path, aida: Path, dumps: Dumps) -> None:
    out, wned = tmp_path / "gold.jsonl", write_wned(tmp_path)
    broken = tmp_path / "broken.tsv"
    broken.write_text(AIDA + "Bad\tX\n")
    for arguments, phrase in [
        ((wned, "--page-props", dumps[0], "-o", out), "give the page dump too (--page FILE)"),
        ((tmp_path / "none.tsv", "--page-props", dumps[0]), "does not exist"),
        ((aida, "--page-props", dumps[0], "--redirect", dumps[2]), "give both"),
        ((broken, "--page-props", dumps[0], "-o", out), "broken.tsv:"),
        ((aida, "--page-props", dumps[0], "-o", tmp_path / "no" / "such.jsonl"), "cannot be written"),
        ((aida, "--page-props", dumps[0], "-o", aida / "x"), "cannot be written"),
    ]:
        done = call("prepare", *arguments)
        assert_one_sentence(done, phrase)
        assert not out.exists()
    assert call("prepare", aida).returncode == 2
    assert not list(tmp_path.glob("*.part"))

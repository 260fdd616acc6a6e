"""eigenthemes embed, and the vectors that eigenthemes build makes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner, Result
from helpers.commands import assert_one_sentence, call
from helpers.files import file_bytes
from helpers.inspecting import index_of
from helpers.kbs import import_untrained

from eigenthemes import KB
from eigenthemes.cli import cli
from eigenthemes.embeddings.vector_sets import GRAPH_METHODS
from eigenthemes.errors import EigenthemesError
from eigenthemes.kg.demo import SMALL


def embed(kb: KB, *options: object) -> Result:
    """Run the command without the training that follows it, which has tests of its own."""
    return CliRunner().invoke(cli, ["embed", str(kb.path), "--no-train", *map(str, options)])


def build(place: Path, *options: str) -> Result:
    return CliRunner().invoke(cli, ["build", str(SMALL), "-o", str(place), "--no-train", *options])


def test_the_command(tiny_copy: KB, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("mj 1 2\nparis 3 4\nnothing 3 4\n")
    run = embed(tiny_copy, "--import", tmp_path / "v.txt", "--name", "mine")
    assert run.exit_code == 0, run.output
    assert "vectors mine: 2 of 16 entities, 2 dimensions, 2 of 3 ids matched" in run.stderr
    run = embed(tiny_copy, "--dimensions", "2", "--seed", "3")
    assert run.exit_code == 0, run.output
    assert "vectors prone: 15 of 16 entities, 2 dimensions" in run.stderr
    assert list(KB.open(tiny_copy.path).vector_sets) == ["prone", "mine"]
    run = embed(tiny_copy, "--import", "x", "--method", "prone")
    assert isinstance(run.exception, EigenthemesError)
    assert "--method" in str(run.exception) or "method" in str(run.exception)


@pytest.mark.parametrize("method", GRAPH_METHODS)
def test_every_method_from_the_command_line(method: str, tiny_copy: KB) -> None:
    run = embed(tiny_copy, "--method", method, "--dimensions", "3", "--name", "made")
    assert run.exit_code == 0, run.output
    vectors = KB.open(tiny_copy.path).vectors("made")
    assert vectors.has.tolist() == (KB.open(tiny_copy.path).graph.degree > 0).tolist()
    assert np.linalg.norm(vectors.rows[vectors.has], axis=1) == pytest.approx(np.ones(int(vectors.has.sum())), abs=1e-5)
    assert "they are now the ones used" in run.stderr


def test_options_of_methods_reach_them(tiny_copy: KB) -> None:
    options = ["--walks", "2", "--length", "5", "--window", "2"]
    run = embed(tiny_copy, "--method", "deepwalk", *options)
    assert run.exit_code == 0, run.output
    made = KB.open(tiny_copy.path).vector_sets["deepwalk"]
    assert (made["walks"], made["length"], made["window"]) == (2, 5, 2)
    run = embed(tiny_copy, "--method", "netsmf", "--max-memory", "1G", "--window", "3")
    assert run.exit_code == 0, run.output
    assert KB.open(tiny_copy.path).vector_sets["netsmf"]["max_memory"] == 1e9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--method", "prone", "--walks", "3"], "prone has no option walks"),
        (["--method", "netsmf", "--max-memory", "much"], "'much' is no amount of memory; expected a number"),
        (["--method", "descriptions"], "need word vectors"),
        (["--method", "word3vec"], "'word3vec' is unknown"),
        (["--inductive", "--vectors", "none"], "has no vectors named 'none'"),
    ],
)
def test_options_that_do_not_fit_are_refused(tiny_copy: KB, options: list[str], words: str) -> None:
    before = file_bytes(tiny_copy.path)
    run = embed(tiny_copy, *options)
    assert isinstance(run.exception, EigenthemesError)
    assert words in str(run.exception)
    assert file_bytes(tiny_copy.path) == before


def test_descriptions_become_vectors(tiny_copy: KB, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("basketball 1 0\nplayer 1 0\ncomputer 0 1\nscientist 0 1\n")
    run = embed(tiny_copy, "--method", "descriptions", "--word-vectors", tmp_path / "words.txt")
    assert run.exit_code == 0, run.output
    assert "100% of the words known" in run.stderr
    changed = KB.open(tiny_copy.path)
    assert changed.vectors().rows[index_of(changed, "mj")].tolist() == [1, 0]
    assert changed.vectors().rows[index_of(changed, "mij")].tolist() == [0, 1]
    assert changed.vectors().has.sum() == 2


def test_entities_that_came_later_get_vectors_from_their_neighbours(tiny_copy: KB, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("mj 1 0\nus 0 1\n")
    import_untrained(tiny_copy.path, tmp_path / "v.txt", name="old")
    run = embed(tiny_copy, "--inductive", "--vectors", "old")
    assert run.exit_code == 0, run.output
    changed = KB.open(tiny_copy.path)
    vectors = changed.vectors("old")
    assert vectors.rows[index_of(changed, "mj")].tolist() == [1, 0]
    assert vectors.rows[index_of(changed, "nba")] == pytest.approx([1, 0])  # its one neighbour that has a vector
    assert vectors.rows[index_of(changed, "iowa")] == pytest.approx([0.5**0.5, 0.5**0.5])  # of mj and us
    assert not vectors.has[index_of(changed, "tumor")]
    assert changed.vector_sets["old"]["from_neighbors"] == vectors.has.sum() - 2


@pytest.mark.parametrize("method", GRAPH_METHODS)
def test_build_takes_every_method_of_the_graph(method: str, tmp_path: Path) -> None:
    run = build(tmp_path / "a.kb", "--embedding", method)
    assert run.exit_code == 0, run.output
    assert list(KB.open(tmp_path / "a.kb").vector_sets) == [method]


@pytest.mark.parametrize(("method", "words"), [("descriptions", "embed KB --method descriptions"), ("x", "unknown")])
def test_build_says_what_it_cannot_make(method: str, words: str, tmp_path: Path) -> None:
    done = call("build", SMALL, "-o", tmp_path / "a.kb", "--no-train", "--embedding", method)
    assert_one_sentence(done, words)
    assert not (tmp_path / "a.kb").exists()

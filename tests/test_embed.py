"""Vectors in a KB: made by build and embed, imported, several sets; whatever goes wrong leaves the KB as it was."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from looking import entity, file_bytes

from eigenthemes import KB
from eigenthemes.build import embed_kb, import_vectors, store
from eigenthemes.cli import cli
from eigenthemes.embeddings.vector_sets import GRAPH_METHODS, VectorSet, place_vectors
from eigenthemes.errors import EigenthemesError, KBError, OptionError, VectorError
from eigenthemes.kb.writer import KBWriter
from eigenthemes.kg.demo import SMALL


@pytest.fixture
def kb(tiny: KB, tmp_path: Path) -> Path:
    """A copy of the tiny KB that a test may change."""
    shutil.copytree(tiny.path, tmp_path / "my.kb")
    return tmp_path / "my.kb"


def test_build_makes_vectors(tiny: KB) -> None:
    assert list(tiny.vector_sets) == ["prone"]
    vectors = tiny.vectors()
    assert vectors.name == "prone"
    assert vectors.rows.shape == (len(tiny), tiny.vector_sets["prone"]["dimensions"])
    assert vectors.has[entity(tiny, "mj")]
    assert not vectors.has[entity(tiny, "tumor")]  # isolated
    assert vectors.has.sum() == tiny.vector_sets["prone"]["entities"]


def test_a_kb_holds_several_sets_and_the_last_comes_first(kb: Path) -> None:
    embed_kb(kb, dimensions=2, name="small")
    changed = embed_kb(kb, dimensions=3, seed=7, name="other")
    assert list(changed.vector_sets) == ["other", "small", "prone"]
    assert changed.vectors().rows.shape[1] == 3
    assert changed.vectors("small").rows.shape[1] == 2
    assert [right for _, right in changed.verify()] == [True] * (len(changed.manifest["files"]) + 1)  # and the manifest
    again = embed_kb(kb, dimensions=5, name="small")
    assert list(again.vector_sets) == ["small", "other", "prone"]
    assert again.vectors("small").rows.shape[1] == 5
    with pytest.raises(OptionError, match="has no vectors named 'large'; it has small, other, prone"):
        again.vectors("large")


def test_the_rest_of_the_kb_stays(kb: Path) -> None:
    before = KB.open(kb)
    kept = {name: described for name, described in before.manifest["files"].items() if not name.startswith("vectors")}
    changed = embed_kb(kb, dimensions=2, name="small")
    assert {name: changed.manifest["files"][name] for name in kept} == kept
    assert changed.manifest["counts"] == before.manifest["counts"]
    assert before.label_of(0) == changed.label_of(0)  # what is open stays readable
    assert sorted(entry.name for entry in kb.iterdir() if entry.name.startswith("data-")) == [changed.manifest["data"]]


def test_the_same_again_gives_the_same_bytes(kb: Path) -> None:
    first = embed_kb(kb, dimensions=4, name="x", jobs=1)
    data = first.vectors().rows.tobytes()
    assert embed_kb(kb, dimensions=4, name="x", jobs=3).vectors().rows.tobytes() == data


def test_imported_vectors_have_unit_length_and_their_place(kb: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[3.0, 4.0], [0.0, 2.0], [1.0, 1.0]]))
    (tmp_path / "v.ids").write_text("mj\nparis\nunheard-of\n")
    changed = import_vectors(kb, tmp_path / "v.npy")
    vectors = changed.vectors()
    assert vectors.name == "imported"
    assert vectors.rows[entity(changed, "mj")] == pytest.approx([0.6, 0.8])
    assert vectors.rows[entity(changed, "paris")] == pytest.approx([0.0, 1.0])
    assert vectors.has.sum() == 2
    assert changed.vector_sets["imported"] == {
        "method": "import", "source": "v.npy", "rows": 3, "matched": 2, "dimensions": 2, "entities": 2,
    }  # fmt: skip


def test_the_first_of_two_counts_and_a_zero_vector_is_none(tiny: KB) -> None:
    given = np.array([[1, 0], [0, 1], [0, 0], [5, 5]], dtype=np.float32)
    rows, lengths, matched = place_vectors(["mj", "mj", "paris", "unheard-of"], given, tiny)
    assert matched == 3
    assert rows[entity(tiny, "mj")].tolist() == [1, 0]
    assert lengths[entity(tiny, "mj")] == lengths.sum() == 1
    assert np.abs(rows).sum() == 1


@pytest.mark.parametrize("how", ["no match", "no file", "bad name", "interrupted", "replaced meanwhile", "full disk"])
def test_what_fails_leaves_the_kb_as_it_was(how: str, kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file_bytes(kb)
    (tmp_path / "v.txt").write_text("nobody 1 2\nnothing 3 4\n")
    opened = KB.open(kb)
    vectors = VectorSet("x", np.ones((len(opened), 1), dtype=np.float32), {})
    if how == "no match":
        with pytest.raises(VectorError, match=r"none of the 2 ids .* is in the KB .*nobody"):
            import_vectors(kb, tmp_path / "v.txt")
    elif how == "no file":
        with pytest.raises(VectorError):
            import_vectors(kb, tmp_path / "none.txt")
    elif how == "bad name":
        with pytest.raises(OptionError):
            embed_kb(kb, name="A b")
    elif how == "interrupted":
        monkeypatch.setattr(KBWriter, "_take_over", lambda self, left_out: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            store(opened, vectors)
    elif how == "replaced meanwhile":
        changed = store(opened, VectorSet("y", vectors.rows, {}))
        before = file_bytes(kb)
        with pytest.raises(KBError, match="replaced by another process"):
            store(opened, vectors)
        assert KB.open(kb).manifest == changed.manifest
    else:
        monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(KBError, match=r"disk .* is full"):
            store(opened, vectors)
    assert file_bytes(kb) == before


def test_a_file_system_without_links_gets_copies(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    changed = embed_kb(kb, dimensions=2, name="small")
    assert all(right for _, right in changed.verify())


def test_the_command(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("mj 1 2\nparis 3 4\nnothing 3 4\n")
    run = CliRunner().invoke(cli, ["embed", str(kb), "--import", str(tmp_path / "v.txt"), "--name", "mine"])
    assert run.exit_code == 0, run.output
    assert "vectors mine: 2 of 16 entities, 2 dimensions, 2 of 3 ids matched" in run.stderr
    run = CliRunner().invoke(cli, ["embed", str(kb), "--dimensions", "2", "--seed", "3"])
    assert run.exit_code == 0, run.output
    assert "vectors prone: 15 of 16 entities, 2 dimensions" in run.stderr
    assert list(KB.open(kb).vector_sets) == ["prone", "mine"]
    run = CliRunner().invoke(cli, ["embed", str(kb), "--import", "x", "--method", "prone"])
    assert isinstance(run.exception, EigenthemesError)


@pytest.mark.parametrize("method", GRAPH_METHODS)
def test_every_method_from_the_command_line(method: str, kb: Path) -> None:
    run = CliRunner().invoke(cli, ["embed", str(kb), "--method", method, "--dimensions", "3", "--name", "made"])
    assert run.exit_code == 0, run.output
    vectors = KB.open(kb).vectors("made")
    assert vectors.has.tolist() == (KB.open(kb).graph.degree > 0).tolist()
    assert np.linalg.norm(vectors.rows[vectors.has], axis=1) == pytest.approx(np.ones(int(vectors.has.sum())), abs=1e-5)
    assert "they are now the ones used" in run.stderr


def test_options_of_methods_reach_them(kb: Path) -> None:
    options = ["--walks", "2", "--length", "5", "--window", "2", "--negatives", "3"]
    run = CliRunner().invoke(cli, ["embed", str(kb), "--method", "deepwalk", *options])
    assert run.exit_code == 0, run.output
    made = KB.open(kb).vector_sets["deepwalk"]
    assert (made["walks"], made["length"], made["window"], made["negatives"]) == (2, 5, 2, 3)
    assert made["hierarchical"] is False
    run = CliRunner().invoke(cli, ["embed", str(kb), "--method", "netsmf", "--max-memory", "1G", "--window", "3"])
    assert run.exit_code == 0, run.output
    assert KB.open(kb).vector_sets["netsmf"]["max_memory"] == 1e9


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--method", "prone", "--walks", "3"], "prone has no option walks"),
        (["--method", "netsmf", "--max-memory", "much"], "--max-memory is 'much'; expected a size"),
        (["--method", "descriptions"], "need word vectors"),
        (["--method", "word3vec"], "'word3vec' is unknown"),
        (["--inductive", "--vectors", "none"], "has no vectors named 'none'"),
    ],
)
def test_options_that_do_not_fit_are_told(kb: Path, options: list[str], words: str) -> None:
    before = file_bytes(kb)
    run = CliRunner().invoke(cli, ["embed", str(kb), *options])
    assert isinstance(run.exception, EigenthemesError)
    assert words in str(run.exception)
    assert file_bytes(kb) == before


def test_descriptions_become_vectors(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("basketball 1 0\nplayer 1 0\ncomputer 0 1\nscientist 0 1\n")
    run = CliRunner().invoke(cli, ["embed", str(kb), "--method", "descriptions", "--word-vectors", str(tmp_path / "words.txt")])
    assert run.exit_code == 0, run.output
    assert "100% of the words known" in run.stderr
    changed = KB.open(kb)
    assert changed.vectors().rows[entity(changed, "mj")].tolist() == [1, 0]
    assert changed.vectors().rows[entity(changed, "mij")].tolist() == [0, 1]
    assert changed.vectors().has.sum() == 2


def test_entities_that_came_later_get_vectors_from_their_neighbours(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "v.txt").write_text("mj 1 0\nus 0 1\n")
    import_vectors(kb, tmp_path / "v.txt", name="old")
    run = CliRunner().invoke(cli, ["embed", str(kb), "--inductive", "--vectors", "old"])
    assert run.exit_code == 0, run.output
    changed = KB.open(kb)
    vectors = changed.vectors("old")
    assert vectors.rows[entity(changed, "mj")].tolist() == [1, 0]
    assert vectors.rows[entity(changed, "nba")] == pytest.approx([1, 0])  # its one neighbour that has a vector
    assert vectors.rows[entity(changed, "iowa")] == pytest.approx([0.5**0.5, 0.5**0.5])  # of mj and us
    assert not vectors.has[entity(changed, "tumor")]
    assert changed.vector_sets["old"]["from_neighbors"] == vectors.has.sum() - 2


@pytest.mark.parametrize("method", GRAPH_METHODS)
def test_build_takes_every_method_of_the_graph(method: str, tmp_path: Path) -> None:
    run = CliRunner().invoke(cli, ["build", str(SMALL), "-o", str(tmp_path / "a.kb"), "--embedding", method])
    assert run.exit_code == 0, run.output
    assert list(KB.open(tmp_path / "a.kb").vector_sets) == [method]


@pytest.mark.parametrize(("method", "words"), [("descriptions", "make them for the KB once it is built"), ("x", "unknown")])
def test_build_says_what_it_cannot_make(method: str, words: str, tmp_path: Path) -> None:
    run = CliRunner().invoke(cli, ["build", str(SMALL), "-o", str(tmp_path / "a.kb"), "--embedding", method])
    assert words in str(run.exception)
    assert not (tmp_path / "a.kb").exists()

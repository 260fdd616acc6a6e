"""Sets of vectors in a KB: made, imported, several of them; what fails leaves the KB as it was."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from helpers.files import file_bytes
from helpers.inspecting import index_of
from helpers.kbs import embed_untrained, import_untrained, store_vectors

from eigenthemes import KB
from eigenthemes.embeddings.vector_sets import align_vectors
from eigenthemes.errors import KBError, OptionError, VectorError
from eigenthemes.kb.writer import KBWriter


def test_build_makes_vectors(tiny: KB) -> None:
    assert list(tiny.vector_sets) == ["prone"]
    vectors = tiny.vectors()
    assert vectors.name == "prone"
    assert vectors.rows.shape == (len(tiny), tiny.vector_sets["prone"]["dimensions"])
    assert vectors.has[index_of(tiny, "mj")]
    assert not vectors.has[index_of(tiny, "tumor")]  # isolated
    assert vectors.has.sum() == tiny.vector_sets["prone"]["entities"]


def test_a_kb_holds_several_sets_and_the_last_comes_first(tiny_copy: KB) -> None:
    embed_untrained(tiny_copy.path, dimensions=2, name="small")
    changed = embed_untrained(tiny_copy.path, dimensions=3, seed=7, name="other")
    assert list(changed.vector_sets) == ["other", "small", "prone"]
    assert changed.vectors().rows.shape[1] == 3
    assert changed.vectors("small").rows.shape[1] == 2
    files = ["manifest.json", *(f"{name}.npy" for name in changed.manifest["files"])]
    assert sorted(changed.verify()) == sorted((file, True) for file in files)
    again = embed_untrained(tiny_copy.path, dimensions=5, name="small")
    assert list(again.vector_sets) == ["small", "other", "prone"]
    assert again.vectors("small").rows.shape[1] == 5
    with pytest.raises(OptionError, match="has no vectors named 'large'; it has small, other, prone"):
        again.vectors("large")


def test_the_rest_of_the_kb_stays(tiny_copy: KB) -> None:
    before = KB.open(tiny_copy.path)
    kept = {name: described for name, described in before.manifest["files"].items() if not name.startswith("vectors")}
    changed = embed_untrained(tiny_copy.path, dimensions=2, name="small")
    assert {name: changed.manifest["files"][name] for name in kept} == kept
    assert changed.manifest["counts"] == before.manifest["counts"]
    assert before.label_of(0) == changed.label_of(0)  # what is open stays readable
    assert sorted(entry.name for entry in tiny_copy.path.iterdir() if entry.name.startswith("data-")) == [
        changed.manifest["data"]
    ]


def test_the_same_again_gives_the_same_bytes(tiny_copy: KB) -> None:
    first = embed_untrained(tiny_copy.path, dimensions=4, name="x", jobs=1)
    data = first.vectors().rows.tobytes()
    assert embed_untrained(tiny_copy.path, dimensions=4, name="x", jobs=3).vectors().rows.tobytes() == data


def test_imported_vectors_have_unit_length_and_their_place(tiny_copy: KB, tmp_path: Path) -> None:
    np.save(tmp_path / "v.npy", np.array([[3.0, 4.0], [0.0, 2.0], [1.0, 1.0]]))
    (tmp_path / "v.ids").write_text("mj\nparis\nunheard-of\n")
    changed = import_untrained(tiny_copy.path, tmp_path / "v.npy")
    vectors = changed.vectors()
    assert vectors.name == "imported"
    assert vectors.rows[index_of(changed, "mj")] == pytest.approx([0.6, 0.8])
    assert vectors.rows[index_of(changed, "paris")] == pytest.approx([0.0, 1.0])
    assert vectors.has.sum() == 2
    assert changed.vector_sets["imported"] == {
        "method": "import", "source": "v.npy", "rows": 3, "matched": 2, "dimensions": 2, "entities": 2,
    }  # fmt: skip


def test_the_first_of_two_counts_and_a_zero_vector_is_none(tiny: KB) -> None:
    given = np.array([[1, 0], [0, 1], [0, 0], [5, 5]], dtype=np.float32)
    rows, lengths, matched = align_vectors(["mj", "mj", "paris", "unheard-of"], given, tiny)
    assert matched == 3
    assert rows[index_of(tiny, "mj")].tolist() == [1, 0]
    assert lengths[index_of(tiny, "mj")] == lengths.sum() == 1
    assert np.abs(rows).sum() == 1


@pytest.mark.parametrize("how", ["no match", "no file", "bad name", "interrupted", "replaced meanwhile", "full disk"])
def test_what_fails_leaves_the_kb_as_it_was(how: str, tiny_copy: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = file_bytes(tiny_copy.path)
    (tmp_path / "v.txt").write_text("nobody 1 2\nnothing 3 4\n")
    rows = np.ones((len(tiny_copy), 1))
    if how == "no match":
        with pytest.raises(VectorError, match=r"none of the 2 ids .* is in the KB .*nobody"):
            import_untrained(tiny_copy.path, tmp_path / "v.txt")
    elif how == "no file":
        with pytest.raises(VectorError):
            import_untrained(tiny_copy.path, tmp_path / "none.txt")
    elif how == "bad name":
        with pytest.raises(OptionError):
            embed_untrained(tiny_copy.path, name="A b")
    elif how == "interrupted":
        monkeypatch.setattr(KBWriter, "_take_over", lambda self, left_out: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            store_vectors(tiny_copy, "x", rows)
    elif how == "replaced meanwhile":
        changed = store_vectors(tiny_copy, "y", rows)
        before = file_bytes(tiny_copy.path)
        with pytest.raises(KBError, match="replaced by another process"):
            store_vectors(tiny_copy, "x", rows)
        assert KB.open(tiny_copy.path).manifest == changed.manifest
    else:
        monkeypatch.setattr(os, "fsync", lambda handle: (_ for _ in ()).throw(OSError(28, "No space left on device")))
        with pytest.raises(KBError, match=r"disk .* is full"):
            store_vectors(tiny_copy, "x", rows)
    assert file_bytes(tiny_copy.path) == before


def test_a_file_system_without_links_gets_copies(tiny_copy: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object) -> None:
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    changed = embed_untrained(tiny_copy.path, dimensions=2, name="small")
    assert all(right for _, right in changed.verify())

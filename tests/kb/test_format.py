"""Format 3 of the KB folder: a manifest that can be replayed and knows its own hash; what is optional."""

from __future__ import annotations

import json
import multiprocessing
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers.files import file_bytes, write_jsonl

from eigenthemes import KB, ReadOptions, build_kb, embed_kb, train_kb
from eigenthemes.errors import KBDamagedError, KBVersionError
from eigenthemes.kb.manifest import own_hash, replace_manifest
from eigenthemes.kb.writer import KBWriter
from eigenthemes.train import store_ranker, train_ranker

pytestmark = pytest.mark.usefixtures("quick_disk")


@pytest.fixture
def kb(tiny: KB, tmp_path: Path) -> KB:
    shutil.copytree(tiny.path, tmp_path / "my.kb")
    return KB.open(tmp_path / "my.kb")


def edit(kb: KB, **changes: Any) -> None:
    """Change the manifest as something else would: without its hash."""
    manifest = json.loads((kb.path / "manifest.json").read_text())
    (kb.path / "manifest.json").write_text(json.dumps({**manifest, **changes}))


def test_the_manifest_knows_its_own_hash(kb: KB) -> None:
    assert kb.manifest["version"] == 5
    assert kb.manifest["sha256"] == own_hash(kb.manifest)
    assert next(iter(kb.verify())) == ("manifest.json", True)
    edit(kb, counts={**kb.manifest["counts"], "entities": 17})
    with pytest.raises(KBDamagedError, match=r"manifest\.json does not match its own hash; build the KB again"):
        KB.open(kb.path)
    assert next(iter(kb.verify())) == ("manifest.json", False)


def test_a_manifest_without_its_hash_is_damaged(kb: KB) -> None:
    edit(kb, sha256=None)
    with pytest.raises(KBDamagedError):
        KB.open(kb.path)


def test_the_order_and_spelling_of_the_json_do_not_matter(kb: KB) -> None:
    manifest = json.loads((kb.path / "manifest.json").read_text())
    (kb.path / "manifest.json").write_text(json.dumps(dict(reversed(manifest.items())), ensure_ascii=True))
    assert KB.open(kb.path).manifest == kb.manifest


def test_a_newer_format_is_refused_before_its_hash_is_looked_at(kb: KB) -> None:
    edit(kb, version=6)
    with pytest.raises(KBVersionError, match=r"has format version 6, this program reads version 5; upgrade with: pip install"):
        KB.open(kb.path)


def test_unknown_files_and_keys_are_left_alone(kb: KB, tiny: KB) -> None:
    with KBWriter(kb.path, base=kb) as writer:
        writer.add("of_the_future", tiny.prior)
        changed = writer.commit({**kb.described, "of_the_future": {"a": 1}})
    assert changed.has("of_the_future")
    assert not changed.has("of_the_past")
    assert list(changed) == list(tiny)
    later = embed_kb(changed.path, dimensions=2, name="second")
    assert later.manifest["of_the_future"] == {"a": 1}
    assert later.array("of_the_future").tolist() == tiny.prior.tolist()


def test_a_build_can_be_replayed_from_its_manifest(tmp_path: Path) -> None:
    rows = [
        {"code": "a", "name": "Alpha", "source": None},
        {"code": "b", "name": "Beta", "source": None},
        {"code": "c", "name": "Gamma", "source": None},
    ]
    source = write_jsonl(tmp_path / "kg.jsonl", [{k: v for k, v in row.items() if v} for row in rows])
    edges = write_jsonl(tmp_path / "edges.jsonl", [{"source": "a", "target": "b"}, {"source": "b", "target": "c"}])
    (tmp_path / "ids.txt").write_text("a\nb\n")
    first = build_kb(
        [source, edges],
        tmp_path / "one.kb",
        options=ReadOptions(columns=(("id", "code"),), languages=("de", "en"), synonyms=("exact", "broad")),
        keep=tmp_path / "ids.txt",
        embedding="netsmf",
        dimensions=2,
        seed=7,
        jobs=2,
    )
    told = first.manifest["options"]
    options = ReadOptions(
        **{key: tuple(told[key]) for key in ("label", "alias", "description", "type", "prior", "synonyms")},
        languages=tuple(told["lang"]),
        columns=tuple((role, header) for role, _, header in (each.partition("=") for each in told["column"])),
        sitelink=told["sitelink"],
        strict=told["strict"],
    )
    build_kb(
        [tmp_path / described["name"] for described in first.manifest["sources"]],
        tmp_path / "two.kb",
        options=options,
        format_name=told["format"],
        keep=tmp_path / told["keep"],
        **{key: told[key] for key in ("names_from_ids", "embedding", "dimensions", "train", "word_vectors", "seed")},
    )
    assert file_bytes(tmp_path / "one.kb") == file_bytes(tmp_path / "two.kb")


def test_names_that_are_not_utf_8_are_kept(kb: KB) -> None:
    replace_manifest(kb.path, {**kb.manifest, "sources": [{"name": "caf\udce9.nt", "bytes": 3}]})
    assert KB.open(kb.path).manifest["sources"] == [{"name": "caf\udce9.nt", "bytes": 3}]


def test_an_older_format_is_refused(kb: KB) -> None:
    edit(kb, version=1)
    with pytest.raises(KBVersionError, match=r"has format version 1, this program reads version 5; build the KB again"):
        KB.open(kb.path)


def test_a_kb_that_lacks_an_array_is_built_again(kb: KB) -> None:
    files = {name: described for name, described in kb.manifest["files"].items() if name != "name_tokens"}
    replace_manifest(kb.path, {**kb.manifest, "files": files})
    with pytest.raises(KBDamagedError, match=r"has no name_tokens\.npy, which this version .*; build it again"):
        KB.open(kb.path).search("par")


# what a KB was built to have


def test_a_kb_that_lost_its_ranker_says_so(kb: KB) -> None:
    trained = store_ranker(kb, _ranker(kb))
    assert trained.manifest["expects"] == ["ranker"]
    assert trained.missing_parts() == []
    (sentence,) = embed_kb(kb.path, dimensions=2, name="second", train=False).missing_parts()
    assert sentence == (
        f"{kb.path} has no ranker for the vectors second, which are the ones used (it has one for the vectors prone); train it"
    )
    (sentence,) = embed_kb(kb.path, dimensions=2, name="prone", train=False).missing_parts()
    assert sentence == f"{kb.path} has no ranker for the vectors prone, which are the ones used; train it"


def test_a_kb_built_without_a_ranker_lacks_nothing(tmp_path: Path) -> None:
    source = write_jsonl(tmp_path / "kg.jsonl", [{"id": "a", "name": "Alpha"}, {"source": "a", "target": "b"}])
    assert build_kb([source], tmp_path / "a.kb", train=False).missing_parts() == []


def _ranker(kb: KB) -> Any:
    from eigenthemes.selftrain.training import self_train

    return self_train(kb, documents=20)


def test_train_writes_what_the_kb_expects(kb: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    assert train_kb(kb.path).manifest["expects"] == ["ranker"]
    monkeypatch.setattr("eigenthemes.train.train_ranker", train_ranker)
    changed = embed_kb(kb.path, dimensions=2, name="second")
    assert list(changed.rankers) == ["prone", "second"]
    assert changed.missing_parts() == []


# opening while it is replaced


def _replace_again_and_again(folder: str, sources: list[str], started: Any, stop: Any) -> None:
    while not stop.is_set():
        for source in sources:
            build_kb([source], folder, force=True, train=False)
            started.set()


def test_opening_a_kb_that_is_being_replaced_gives_the_old_or_the_new_one(tmp_path: Path) -> None:
    sources = [
        write_jsonl(tmp_path / "one.jsonl", [{"id": "a", "name": "Alpha"}]),
        write_jsonl(tmp_path / "two.jsonl", [{"id": "b", "name": "Beta"}, {"id": "c", "name": "Gamma"}]),
    ]
    build_kb([sources[0]], tmp_path / "a.kb", train=False)
    context = multiprocessing.get_context("spawn")
    started, stop = context.Event(), context.Event()
    arguments = (str(tmp_path / "a.kb"), [str(source) for source in sources], started, stop)
    writer = context.Process(target=_replace_again_and_again, args=arguments)
    writer.start()
    try:
        assert started.wait(120)
        sizes = {len(KB.open(tmp_path / "a.kb")) for _ in range(2000)}
    finally:
        stop.set()
        writer.join()
    assert sizes <= {1, 2}


def test_a_kb_whose_files_are_mapped_outlives_its_folder(kb: KB, tmp_path: Path) -> None:
    expected = list(kb)
    again = KB.open(kb.path)
    again.map_files()
    build_kb([write_jsonl(tmp_path / "other.jsonl", [{"id": "z", "name": "Z"}])], kb.path, force=True)
    assert list(again) == expected

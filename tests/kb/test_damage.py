"""A flipped bit, a broken manifest, a file one may not read: one sentence from every way into a KB, never a crash."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import call, run_process

from eigenthemes import KB, Linker
from eigenthemes.errors import KBDamagedError, KBError
from eigenthemes.kb.data_files import sizes_of
from eigenthemes.kb.manifest import own_hash
from eigenthemes.names.generator import CandidateGenerator

FAR = 2**31 - 7


@pytest.fixture
def kb(trained_tiny: KB, tmp_path: Path) -> Path:
    """A trained KB of one's own to damage."""
    shutil.copytree(trained_tiny.path, tmp_path / "my.kb")
    return tmp_path / "my.kb"


def overwrite(kb: Path, name: str, change: Callable[[Any], None]) -> None:
    """Change an array of a KB in its file; the manifest does not know."""
    file = kb / json.loads((kb / "manifest.json").read_bytes())["data"] / f"{name}.npy"
    array = np.load(file)
    change(array)
    np.save(file, array)


def set_middle(array: Any) -> None:
    array[len(array) // 2] = FAR if array.dtype.itemsize >= 4 else np.iinfo(array.dtype).max


INDEXED = (
    *("graph_indptr", "graph_neighbors", "graph_relations", "entity_names", "name_token_indptr", "name_tokens"),
    *("postings_indptr", "postings", "key_indptr", "key_entities", "key_kinds", "key_buckets", "token_buckets"),
    *("typo_indptr", "typo_members", "tokens_offsets"),
)


@pytest.mark.parametrize("name", INDEXED)
def test_numbers_out_of_range_are_told_before_a_kernel_takes_them(kb: Path, name: str) -> None:
    overwrite(kb, name, set_middle)
    with pytest.raises(KBDamagedError, match=rf"my\.kb is damaged: {name}\.npy .*; build it again"):
        Linker(kb, explain=True).link("Paris and London, Paris and London; " * 40)


@pytest.mark.parametrize("name", ["graph_neighbors", "graph_indptr"])
def test_a_damaged_graph_ends_link_with_one_sentence(kb: Path, tmp_path: Path, name: str) -> None:
    overwrite(kb, name, set_middle)
    (tmp_path / "documents.jsonl").write_text('{"text": "Paris and London"}\n' * 3)
    for jobs in ("1", "2"):
        ended = run_process("link", kb, tmp_path / "documents.jsonl", "--jobs", jobs)
        assert ended.returncode == 1
        assert ended.stderr.count("\n") == 1
        assert f"is damaged: {name}.npy" in ended.stderr


@pytest.mark.parametrize("name", ["postings_indptr", "postings", "key_indptr", "key_entities"])
def test_a_single_look_up_checks_the_rows_it_reads(kb: Path, name: str) -> None:
    def everything(array: Any) -> None:
        array[1 if name.endswith("indptr") else 0 :] = FAR

    overwrite(kb, name, everything)
    with pytest.raises(KBDamagedError, match=rf"is damaged: (its name index leads|{name}\.npy) "):
        CandidateGenerator(KB.open(kb)).records("Paris")


@pytest.mark.parametrize("name", ["id_buckets", "id_entities"])
def test_looking_up_many_ids_checks_what_a_kernel_takes(kb: Path, name: str) -> None:
    overwrite(kb, name, set_middle)
    with pytest.raises(KBDamagedError, match=rf"is damaged: {name}\.npy"):
        KB.open(kb).indices_of([f"nobody {i}" for i in range(50)])


@pytest.mark.parametrize("name", ["entity_names", "type_indptr", "ids_offsets", "names_offsets", "id_entities"])
def test_a_look_up_of_an_entity_checks_the_rows_it_reads(kb: Path, name: str) -> None:
    entity_id = KB.open(kb).id_of(0)
    overwrite(kb, name, lambda array: array.fill(FAR))
    with pytest.raises(KBDamagedError, match=rf"is damaged: {name}\.npy"):
        KB.open(kb)[entity_id]


@pytest.mark.parametrize("name", ["graph_indptr", "graph_neighbors", "graph_relations"])
def test_looking_up_neighbours_checks_the_rows_it_reads(kb: Path, name: str) -> None:
    entity_id = KB.open(kb).id_of(0)
    overwrite(kb, name, lambda array: array.fill(min(FAR, np.iinfo(array.dtype).max)))
    with pytest.raises(KBDamagedError, match=rf"is damaged: {name}\.npy"):
        KB.open(kb).neighbors(entity_id)


def test_damage_elsewhere_does_not_keep_a_look_up_from_its_rows(kb: Path) -> None:
    def last(array: Any) -> None:
        array[-1] = FAR

    whole = KB.open(kb)
    entity = next(iter(whole))
    overwrite(kb, "graph_neighbors", last)
    overwrite(kb, "names_offsets", last)
    assert KB.open(kb)[entity.id] == entity


def test_text_that_is_no_utf_8_is_told_as_damage(kb: Path) -> None:
    overwrite(kb, "names_blob", lambda array: array.fill(0xFF))
    opened = KB.open(kb)
    for read in (lambda: opened.label_of(0), lambda: list(opened), lambda: list(opened.names)):
        with pytest.raises(KBDamagedError, match=r"names_blob\.npy holds bytes that are no text"):
            read()


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_prior_that_is_none_is_told_as_damage(kb: Path, value: float) -> None:
    overwrite(kb, "prior", lambda array: array.fill(value))
    with pytest.raises(KBDamagedError, match=r"prior\.npy has a number that is no prior"):
        CandidateGenerator(KB.open(kb)).records("Paris")


@pytest.mark.parametrize(
    "header", [b"\x93NUMPY\x01\x00v\x00{'descr': (((", b"\x93NUMPY\x01\x00v\x00{'descr': '<i8', 1", b"\0" * 64]
)
def test_a_broken_header_is_told_as_damage(kb: Path, header: bytes) -> None:
    file = kb / KB.open(kb).manifest["data"] / "postings.npy"
    data = file.read_bytes()
    file.write_bytes(header + data[len(header) :])
    with pytest.raises(KBDamagedError, match=r"postings\.npy is not the array that the manifest names"):
        KB.open(kb).array("postings")


@pytest.mark.parametrize("method", ["selftrained", "eigen", "average"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_vectors_that_are_none_are_told_as_damage(kb: Path, value: float, method: str) -> None:
    overwrite(kb, "vectors-prone", lambda array: array.fill(value))
    with pytest.raises(KBDamagedError, match=r"vectors-prone\.npy has numbers that are no coordinates of unit vectors"):
        Linker(kb, method=method).link({"mentions": [{"text": "Paris"}, {"text": "Iowa"}, {"text": "Michael Jordan"}]})


def test_a_ranker_that_gives_no_numbers_is_told_as_damage(kb: Path) -> None:
    manifest = json.loads((kb / "manifest.json").read_bytes())
    manifest["rankers"]["prone"]["temperature"] = 0.0
    (kb / "manifest.json").write_text(json.dumps({**manifest, "sha256": own_hash(manifest)}))
    with pytest.raises(KBDamagedError, match="its ranker gives scores that are no numbers"):
        Linker(kb).link({"mentions": [{"text": "Paris"}, {"text": "London"}, {"text": "France"}]})


def test_every_array_of_a_kb_keeps_its_rule(trained_tiny: KB, general_kb: KB) -> None:
    for kb in (trained_tiny, general_kb):
        for name in kb.manifest["files"]:
            kb.array(name)
        assert sizes_of(len(kb), kb.manifest["files"])["entities"] == len(kb)


# the manifest


def _manifests(kb: Path) -> Iterator[tuple[str, str]]:
    """Damaged manifests, with a right hash of themselves: it is their parts that are wrong."""
    manifest = json.loads((kb / "manifest.json").read_bytes())
    for part, value in (
        ("files", []),
        ("files", {"../../x": {"dtype": "<i8", "shape": [1], "bytes": 1, "sha256": ""}}),
        ("files", {"prior": {"dtype": "<f8", "shape": [-1], "bytes": 1, "sha256": ""}}),
        ("counts", {}),
        ("counts", {**manifest["counts"], "entities": "many"}),
        ("names", True),
        ("names", {**manifest["names"], "companies": "few"}),
        ("rankers", {"prone": {}}),
        ("rankers", {"prone": {**manifest["rankers"]["prone"], "made_up": {}}}),
        ("rankers", {"prone": {**manifest["rankers"]["prone"], "rounds": []}}),
        ("rankers", {"prone": {**manifest["rankers"]["prone"], "threshold": float("nan")}}),
        ("rankers", []),
        ("vectors", {"prone": 3}),
        ("sources", None),
        ("tool", "eigenthemes"),
        ("problems", {"bad": []}),
    ):
        changed = {**manifest, part: value}
        yield part, json.dumps({**changed, "sha256": own_hash(changed)})
    yield "manifest.json", "[" * 100_000
    yield "manifest.json", '{"format": "eigenthemes-kb", "version": 5, "data": "data-0"}'


COMMANDS: tuple[tuple[str, ...], ...] = (
    ("info", "KB"),
    ("verify", "KB"),
    ("candidates", "KB", "Paris"),
    ("link", "KB", "DOCUMENTS"),
    ("explain", "KB", "DOCUMENTS"),
    ("eval", "KB", "DOCUMENTS"),
    ("embed", "KB"),
    ("train", "KB"),
)


def test_a_damaged_manifest_is_one_sentence_in_every_command(kb: Path, tmp_path: Path) -> None:
    documents = tmp_path / "documents.jsonl"
    documents.write_text('{"text": "Paris", "mentions": [{"text": "Paris", "gold": "x"}]}\n')
    for part, text in list(_manifests(kb)):
        (kb / "manifest.json").write_text(text)
        for command in COMMANDS:
            arguments = [{"KB": str(kb), "DOCUMENTS": str(documents)}.get(word, word) for word in command]
            ended = call(*arguments)
            assert ended.returncode == 1, (part, command, ended.stdout)
            assert ended.stderr.count("\n") == 1, (part, command, ended.stderr)
            assert "manifest.json is not" in ended.stderr or "manifest.json does not match" in ended.stderr, ended.stderr


# no permission


@pytest.fixture
def as_nobody() -> Iterator[Callable[[], None]]:
    """Become a user who owns nothing, as a test of permissions must; needs to be started by root."""
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root can become another user")
    yield lambda: os.seteuid(65534)
    os.seteuid(0)


@pytest.mark.parametrize("what", ["manifest.json", "data", "prior.npy"])
def test_no_permission_is_told_as_such(kb: Path, as_nobody: Callable[[], None], what: str) -> None:
    for folder in (kb, *kb.parents):
        if folder == Path("/tmp") or len(folder.parts) <= 2:
            break
        folder.chmod(0o755)
    data = kb / KB.open(kb).manifest["data"]
    closed = {"manifest.json": kb / "manifest.json", "data": data, "prior.npy": data / "prior.npy"}[what]
    closed.chmod(0)
    as_nobody()
    with pytest.raises(
        KBError, match=r"my\.kb may not be read by this user \(.*: permission denied\); ask its owner"
    ) as refused:
        KB.open(kb).array("prior")
    assert refused.value.code == "kb-permission"


def test_options_of_any_kind_are_shown(kb: Path) -> None:
    manifest = json.loads((kb / "manifest.json").read_bytes())
    manifest["options"]["label"] = [5, ["a"]]
    (kb / "manifest.json").write_text(json.dumps({**manifest, "sha256": own_hash(manifest)}))
    done = call("info", str(kb))
    assert done.returncode == 0
    assert "label=5|['a']" in done.stdout

"""A build within a limit of memory makes the same KB, byte for byte, and leaves nothing behind when it cannot."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from helpers.commands import assert_one_sentence, call
from helpers.files import file_bytes
from helpers.kbs import TINY_EDGES, TINY_NODES, build_untrained, write_sources
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenthemes import build_kb
from eigenthemes.core import scratch as scratches
from eigenthemes.core.scratch import SpillScratch
from eigenthemes.errors import BuildError
from eigenthemes.kg.spill import Spill

IDS = st.sampled_from(["a", "b", "c", "d", "http://purl.obolibrary.org/obo/DOID_1", "DOID:1", "ä", "zz"])
NAMES = st.sampled_from(["Paris", "Paris (Texas)", "United Nations of Earth", "Zürich", "東京都", "J. R. Smith", "Pariss"])
NODES = st.lists(
    st.fixed_dictionaries(
        {"id": IDS, "name": NAMES},
        optional={
            "aliases": st.lists(NAMES, max_size=3),
            "description": st.text(max_size=8),
            "types": st.lists(IDS, max_size=2),
            "prior": st.integers(0, 3),
        },
    ),
    min_size=1,
    max_size=12,
)


def write_everything(spill: Spill) -> None:
    """Write what was read so far, and forget all ids."""
    spill._statements.spill()
    spill.write_ids()


@pytest.fixture
def scarce(monkeypatch: pytest.MonkeyPatch, quick_disk: None) -> None:
    """Every array is on disk, every sort the engine's, a part of statements is written after every few."""
    monkeypatch.setattr(scratches, "_SMALL", 0)
    monkeypatch.setattr(scratches, "_ROWS", 5)
    monkeypatch.setattr(SpillScratch, "at_once", -1)
    monkeypatch.setattr(SpillScratch, "columns_at_once", lambda self, bytes_each, most: 3)
    monkeypatch.setattr(Spill, "write_if_large", write_everything)


def assert_same(folder: Path, sources: Sequence[Path], **options: Any) -> None:
    """Build in memory and within a limit; compare all bytes."""
    build_untrained(sources, folder / "memory.kb", **options)
    build_untrained(sources, folder / "limit.kb", max_memory="1G", **options)
    assert file_bytes(folder / "limit.kb") == file_bytes(folder / "memory.kb")


@settings(deadline=None, max_examples=15)
@given(NODES, st.lists(st.tuples(IDS, IDS), max_size=20))
def test_any_kg_gives_the_same_bytes(nodes: list[dict[str, Any]], edges: list[tuple[str, str]]) -> None:
    with pytest.MonkeyPatch.context() as patch, TemporaryDirectory() as folder:
        patch.setattr(os, "fsync", lambda handle: None)
        patch.setattr(scratches, "_SMALL", 0)
        patch.setattr(scratches, "_ROWS", 5)
        patch.setattr(SpillScratch, "at_once", -1)
        patch.setattr(SpillScratch, "columns_at_once", lambda self, bytes_each, most: 3)
        patch.setattr(Spill, "write_if_large", write_everything)
        assert_same(Path(folder), write_sources(Path(folder) / "kg", nodes, edges))


@pytest.mark.usefixtures("scarce")
@pytest.mark.parametrize(
    "options",
    [{}, {"jobs": 2}, {"names_from_ids": True}, {"only_types": ["Q5"]}, {"not_types": ["Q6256"]}],
    ids=["plain", "two processes", "names from ids", "only persons", "no countries"],
)
def test_options_change_both_alike(tmp_path: Path, options: dict[str, Any]) -> None:
    lines = [
        f'<http://www.wikidata.org/entity/Q{number}> <http://www.w3.org/2000/01/rdf-schema#label> "Name {number % 7}"@en .\n'
        f"<http://www.wikidata.org/entity/Q{number}> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> "
        f"<http://www.wikidata.org/entity/{('Q5', 'Q6256')[number % 2]}> .\n"
        f"<http://www.wikidata.org/entity/Q{number}> <http://www.wikidata.org/prop/direct/P{number % 3}> "
        f"<http://www.wikidata.org/entity/Q{(number * 7) % 60}> .\n"
        for number in range(50)
    ]
    source = tmp_path / "kg.nt"
    source.write_text("".join(lines))
    assert_same(tmp_path, [source], **options)


@pytest.mark.usefixtures("scarce")
def test_ids_to_keep_are_kept_in_both(tmp_path: Path) -> None:
    (tmp_path / "keep.txt").write_text("mj\nus\nnba\n")
    assert_same(tmp_path, write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES), keep=tmp_path / "keep.txt")


@pytest.mark.usefixtures("scarce")
def test_the_demo_with_classes_and_redirects_gives_the_same_bytes(tmp_path: Path) -> None:
    source = tmp_path / "kg.ttl"
    source.write_text(
        """
        @prefix owl: <http://www.w3.org/2002/07/owl#> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
        @prefix obo: <http://purl.obolibrary.org/obo/> . @prefix : <http://example.org/> .
        obo:X_1 a owl:Class ; rdfs:label "cell" ; rdfs:subClassOf [ a owl:Restriction ; owl:onProperty :part_of ;
            owl:someValuesFrom obo:X_2 ] . obo:X_2 a owl:Class ; rdfs:label "tissue", "cell"@de .
        :part_of a owl:ObjectProperty ; rdfs:label "part of" . obo:X_3 owl:sameAs obo:X_1 ; :lacks_part obo:X_2 .
        """
    )
    assert_same(tmp_path, [source])


def test_a_full_disk_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES)
    monkeypatch.setattr(scratches, "_SMALL", 0)

    def full(*arguments: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(BuildError, match="nothing was changed; free some space") as caught:
        build_kb(sources, tmp_path / "out" / "my.kb", max_memory="1G", temporary=tmp_path)
    assert "Traceback" not in str(caught.value)
    assert [entry.name for entry in tmp_path.iterdir()] == ["kg"]


def test_ctrl_c_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sources = write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES)

    def pressed(*arguments: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("eigenthemes.assembly.content.collect_names", pressed)
    with pytest.raises(KeyboardInterrupt):
        build_kb(sources, tmp_path / "my.kb", max_memory="1G")
    assert [entry.name for entry in tmp_path.iterdir()] == ["kg"]


def test_the_command_line_takes_amounts_and_refuses_too_little(tmp_path: Path) -> None:
    sources = [str(source) for source in write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES)]
    assert_one_sentence(call("build", *sources, "-o", tmp_path / "my.kb", "--max-memory", "10M", "--jobs", 1), "400M at least")
    done = call("build", *sources, "-o", tmp_path / "my.kb", "--max-memory", "1G", "--no-train", "--jobs", 1)
    assert (done.returncode, (tmp_path / "my.kb" / "manifest.json").exists()) == (0, True)


@pytest.mark.real_data
@pytest.mark.slow
@pytest.mark.parametrize("files", [["phenotypes/hp.obo.gz"], ["aida/nodes.tsv.gz", "aida/edges.tsv.gz"], ["general/kg.nt.gz"]])
def test_real_kgs_give_the_same_bytes(
    tmp_path: Path, real_data: Any, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratches, "_SMALL", 1 << 12)
    monkeypatch.setattr(SpillScratch, "at_once", 10**6)
    assert_same(tmp_path, [real_data(file) for file in files])

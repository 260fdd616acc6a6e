"""Estimates of a build from the sizes of its sources."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from helpers.commands import assert_one_sentence, call
from helpers.kbs import TINY_EDGES, TINY_NODES, build_untrained, write_sources

from eigenthemes.errors import OptionError
from eigenthemes.forecast import forecast_build

LABEL, LINK = "<http://www.w3.org/2000/01/rdf-schema#label>", "<http://example.org/knows>"


def triples(entities: int) -> bytes:
    """Entities with a name and three edges each."""
    lines = []
    for number in range(entities):
        subject = f"<http://example.org/entity/{number:06}>"
        lines.append(f'{subject} {LABEL} "Name{number % 997} of {number % 89}" .\n')
        lines += [
            f"{subject} {LINK} <http://example.org/entity/{(number * factor + 1) % entities:06}> .\n" for factor in (7, 31, 53)
        ]
    return "".join(lines).encode()


def test_the_estimate_is_within_a_factor_of_three(tmp_path: Path, quick_disk: None) -> None:
    source = tmp_path / "kg.nt.gz"
    source.write_bytes(gzip.compress(triples(10_000), mtime=0))
    forecast, kb = forecast_build(source, train=False), build_untrained([source], tmp_path / "my.kb")
    counts = kb.manifest["counts"]
    disk = sum(file["bytes"] for file in kb.manifest["files"].values())
    pairs = {name: (getattr(forecast, name), counts[name]) for name in ("statements", "entities", "names", "edges")}
    for name, (estimated, actual) in {**pairs, "disk": (forecast.disk, disk)}.items():
        assert 1 / 3 < estimated / actual < 3, name


def test_compression_does_not_change_the_estimate(tmp_path: Path) -> None:
    plain, compressed = tmp_path / "a.nt", tmp_path / "b.nt.gz"
    plain.write_bytes(triples(60_000))  # more than is decompressed to measure the compression
    compressed.write_bytes(gzip.compress(plain.read_bytes()))
    by_plain, by_compressed = forecast_build(plain), forecast_build(compressed)
    assert by_compressed.statements == pytest.approx(by_plain.statements, rel=0.1)
    assert by_compressed.disk == pytest.approx(by_plain.disk, rel=0.1)


def test_tables_of_nodes_and_of_edges_differ(tmp_path: Path) -> None:
    nodes, edges = write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES)
    assert forecast_build(nodes).edges == 0 < forecast_build(nodes).names
    assert forecast_build(edges).names == 0 < forecast_build(edges).edges


def test_options_that_matter(tmp_path: Path) -> None:
    source = tmp_path / "kg.nt"
    source.write_bytes(triples(1000))
    trained = forecast_build(source)
    untrained = forecast_build(source, train=False)
    bare = forecast_build(source, train=False, embedding=None)
    limited = forecast_build(source, max_memory="400M")
    assert trained.seconds > untrained.seconds > bare.seconds
    assert trained.memory > untrained.memory > bare.memory
    assert untrained.disk > bare.disk
    assert limited.memory <= 400_000_000 < trained.memory
    assert limited.temporary > 0 == trained.temporary


def test_standard_input_has_no_size() -> None:
    with pytest.raises(OptionError, match="give files"):
        forecast_build(["-"])


def test_the_command_prints_and_writes_nothing(tmp_path: Path) -> None:
    sources = write_sources(tmp_path / "kg", TINY_NODES, TINY_EDGES)
    done = call("build", *sources, "-o", tmp_path / "my.kb", "--dry-run", "--no-train", "--jobs", 1)
    assert done.returncode == 0
    assert " entities, " in done.stdout
    assert " MB, disk " in done.stdout
    assert not (tmp_path / "my.kb").exists()
    assert_one_sentence(call("build", tmp_path / "none.nt", "-o", tmp_path / "my.kb", "--dry-run"), "none.nt")

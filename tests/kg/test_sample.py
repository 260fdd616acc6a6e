"""Samples of sources: pieces from all over them, whole lines, rows and stanzas."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from eigenthemes.kg import sample
from eigenthemes.kg.sample import sample_source

LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sample, "PIECE", 256)


def write(path: Path, lines: list[str]) -> Path:
    text = "".join(lines).encode()
    path.write_bytes(gzip.compress(text, mtime=0) if path.suffix == ".gz" else text)
    return path


def triples(count: int) -> list[str]:
    return [f'<http://example.org/{number:05}> {LABEL} "Name {number}" .\n' for number in range(count)]


@pytest.mark.parametrize("name", ["kg.nt", "kg.nt.gz"])
def test_pieces_are_whole_lines_from_all_over_the_source(tmp_path: Path, name: str) -> None:
    lines = triples(4000)
    file, share = sample_source(write(tmp_path / name, lines), _made(tmp_path / "out"), 8, seed=1)
    kept = file.read_text().splitlines(keepends=True)
    assert file.name == "kg.nt"
    assert set(kept) <= set(lines)
    assert kept == sorted(set(kept))
    assert share == pytest.approx(1 / 8, rel=0.1)
    assert len(kept) / len(lines) == pytest.approx(share, rel=0.02)
    quarters = [int(line[20:25]) * 4 // len(lines) for line in kept]
    assert all(quarters.count(quarter) > len(kept) / 6 for quarter in range(4))


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_the_same_seed_gives_the_same_sample(tmp_path: Path) -> None:
    source = write(tmp_path / "kg.nt.gz", triples(2000))
    texts = []
    for number, seed in enumerate((3, 3, 4)):
        file, _ = sample_source(source, _made(tmp_path / str(number)), 5, seed=seed)
        texts.append(file.read_bytes())
    assert texts[0] == texts[1] != texts[2]


def test_a_table_keeps_its_header_and_cells_that_go_over_lines(tmp_path: Path) -> None:
    rows = [f'{number},"Name {number}\nsaid ""so"", twice"\n' for number in range(500)]
    source = write(tmp_path / "nodes.csv", ["id,name\n", *rows])
    file, share = sample_source(source, _made(tmp_path / "out"), 4)
    header, _, rest = file.read_text().partition("\n")
    assert header == "id,name"
    assert share == pytest.approx(1 / 4, rel=0.2)
    kept = [row for row in rows if row in rest]
    assert "".join(kept) == rest


def test_an_ontology_keeps_its_header_and_whole_stanzas(tmp_path: Path) -> None:
    header = "format-version: 1.2\nontology: tiny\n\n"
    stanzas = [f"[Term]\nid: T:{number:04}\nname: term {number}\nis_a: T:0000\n\n" for number in range(400)]
    file, share = sample_source(write(tmp_path / "t.obo.gz", [header, *stanzas]), tmp_path, 6)
    text = file.read_text()
    assert text.startswith(header)
    assert "".join(stanza for stanza in stanzas if stanza in text) == text.removeprefix(header)
    assert share == pytest.approx(1 / 6, rel=0.2)


def test_what_cannot_be_cut_and_what_is_too_small_to_be_is_the_source_itself(tmp_path: Path) -> None:
    turtle = write(tmp_path / "kg.ttl", [f"@prefix : <http://example.org/> .\n:a {LABEL} 'A' .\n" for _ in range(100)])
    assert sample_source(turtle, _made(tmp_path / "out"), 5) == (turtle, 1.0)
    tiny = write(tmp_path / "tiny.nt", triples(2))
    assert sample_source(tiny, tmp_path / "out", 1000, seed=1) == (tiny, 1.0)


def test_of_a_very_large_source_only_the_first_part_is_looked_through(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = triples(20_000)
    source = write(tmp_path / "kg.nt", lines)
    monkeypatch.setattr(sample, "SCAN", source.stat().st_size // 4)
    file, share = sample_source(source, _made(tmp_path / "out"), 10)
    kept = file.read_text().splitlines()
    assert share < 1 / 20
    assert len(kept) / len(lines) == pytest.approx(share, rel=0.2)  # buffers read ahead

"""How entities are called in synthetic documents."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.kbs import build_from_records
from helpers.rankers import rng
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.names.detector import NameDetector
from eigenthemes.selftrain.naming import (
    Namer,
    _parts,
    names_common_nouns,
    other_number,
    reworded_alias_rate,
    short_alias_rate,
)
from eigenthemes.selftrain.recipe import RECIPE


@pytest.mark.parametrize(
    ("aliases", "low", "high"),
    [(lambda i: [f"Family{i}"], 0.5, 1.0), (lambda i: [f"Ann{i}"], 0.5, 1.0), (lambda i: [f"code {i}"], 0.0, 0.1)],
)
def test_curtness_is_read_off_the_aliases(tmp_path: Path, quick_disk: None, aliases: Any, low: float, high: float) -> None:
    kb = build_from_records(
        tmp_path, [{"id": f"p{i}", "name": f"Ann{i} van Family{i}", "aliases": aliases(i)} for i in range(60)]
    )
    found = short_alias_rate(kb, rng())
    assert low < found < high
    assert Namer(kb, RECIPE, rng()).short <= RECIPE.shortest


def test_curtness_where_nothing_can_be_read_off_is_the_usual(tmp_path: Path, quick_disk: None) -> None:
    kb = build_from_records(tmp_path, [{"id": "a", "name": "Alpha"}, {"id": "b", "name": "Beta Gamma"}])
    assert short_alias_rate(kb, rng()) == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("alias", "low", "high"), [("{} kidney anomaly", 0.6, 1.0), ("renal", 0.0, 0.0), ("Abnormal {}", 0.0, 0.0)]
)
def test_rewording_is_read_off_the_aliases(tmp_path: Path, quick_disk: None, alias: str, low: float, high: float) -> None:
    """An alias that is a part of the label says it shorter, one that shares nothing says something else."""
    records = [{"id": f"h{i}", "name": f"Abnormal K{i} of the kidney", "aliases": [alias.format(f"K{i}")]} for i in range(60)]
    assert low <= reworded_alias_rate(build_from_records(tmp_path, records), rng()) <= high


def test_a_reworded_name_has_words_of_both(demo_kb: KB) -> None:
    namer = Namer(demo_kb, RECIPE, rng(3))
    for _ in range(20):
        words = namer.reworded("Abnormality of the kidney", "renal anomaly").split()
        assert len(words) == 4
        assert len(set(words) & {"renal", "anomaly"}) == 1
    assert len(namer.reworded("Abnormal kidney", "Abnormal kidney").split()) in (1, 2)
    assert namer.reworded("Kidney", "renal anomaly") == "Kidney"


def test_every_entity_can_be_called_something(demo_kb: KB) -> None:
    namer = Namer(demo_kb, RECIPE, rng(4))
    for entity in range(len(demo_kb)):
        if demo_kb.names_of(entity):
            said = [namer.name(entity) for _ in range(5)]
            assert all(name.strip() for name in said)
            assert namer.crossed(entity, 0).strip()
            longer = namer.with_extra_word(demo_kb.label_of(entity), 0)
            assert demo_kb.label_of(entity) in longer
            assert len(longer.split()) == len(demo_kb.label_of(entity).split()) + 1


@given(
    st.lists(st.sampled_from(["Ann", "van", "東京", "O'Neil", "(x)", "[y z]", "Jr,", ",", "(", "7"]), min_size=1).map(" ".join)
)
def test_a_shortened_name_is_a_part_of_it(demo_kb: KB, name: str) -> None:
    short = Namer(demo_kb, RECIPE, rng(6)).shortened(name)
    assert short.strip()
    plain = name.replace("(x)", " ").replace("[y z]", " ").replace(",", " , ")
    assert short == name or f" {short} " in f" {' '.join(plain.split())} "


@pytest.mark.parametrize(("name", "parts"), [("Michael Jordan", {"Michael", "Jordan"}), ("Paris (Texas)", {"Paris (Texas)"})])
def test_how_names_are_shortened(demo_kb: KB, name: str, parts: set[str]) -> None:
    namer = Namer(demo_kb, RECIPE, rng(6))
    assert {namer.shortened(name) for _ in range(50)} == parts


def test_the_parts_of_a_very_long_name_are_few_and_short() -> None:
    words = [f"w{i}" for i in range(1000)]
    parts = _parts(words)
    assert len(parts) == 128
    assert max(len(part.split()) for part in parts) == 64
    assert parts[0] == "w0"
    assert parts[-1] == "w999"
    short = words[:5]
    assert _parts(short) == [" ".join(short[:cut]) for cut in range(1, 5)] + [" ".join(short[cut:]) for cut in range(1, 5)]


def test_calling_an_entity_of_many_names_reads_one_of_them(
    tmp_path: Path, quick_disk: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = build_from_records(tmp_path, [{"id": "a", "name": "Alpha", "aliases": [f"other{i}" for i in range(3000)]}])
    namer = Namer(kb, RECIPE, rng())
    read, names = list[int](), type(kb.names).raw
    monkeypatch.setattr(type(kb.names), "raw", lambda self, row: [read.append(row), names(self, row)][1])
    assert len({namer.name(0) for _ in range(50)}) > 5
    assert len(read) < 100
    detector = NameDetector(kb)
    assert detector.find("In alpha's and other2999's, Other7's and other8's.")
    assert len(read) < 5 * 2100


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("coral reef", "coral reefs"),
        ("Museums", "Museum"),
        ("antibody", "antibodies"),
        ("Public libraries", "Public library"),
        ("box", "boxes"),
        ("day", "days"),
        ("virus", "virus"),
        ("gas", "gas"),
        ("loss", "loss"),
        ("CD4", "CD4"),
        ("", ""),
    ],
)
def test_the_other_number_of_a_name(name: str, other: str) -> None:
    assert other_number(name) == other


def test_ontologies_name_common_nouns_and_gazetteers_do_not(tmp_path: Path) -> None:
    cells = [{"id": f"c{i}", "name": f"Red blood cell {word}"} for i, word in enumerate(("line", "count", "type"))]
    towns = [{"id": f"t{i}", "name": f"{word} City"} for i, word in enumerate(("Kansas", "Mexico", "Quebec"))]
    for folder, records, expected in (("cells", cells, True), ("towns", towns, False)):
        (tmp_path / folder).mkdir()
        assert names_common_nouns(build_from_records(tmp_path / folder, records)) is expected

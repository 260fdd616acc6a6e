"""Real KGs and their mentions: sizes, and how often gold is among the candidates; skipped where the data is not there."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from helpers.kbs import build_untrained

from eigenthemes import KB, CandidateGenerator
from eigenthemes.names.retrieval import find_candidates, find_containing

pytestmark = [pytest.mark.real_data, pytest.mark.slow]

Find = Callable[[str], Path]


def mentions(file: Path) -> Iterator[tuple[str, list[str]]]:
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in lines:
            for mention in json.loads(line)["mentions"]:
                gold = mention["gold"]
                yield mention["text"], gold if isinstance(gold, list) else [gold]


def recall(kb: KB, generator: CandidateGenerator, file: Path) -> float:
    """The share of mentions whose gold is among the candidates."""
    texts, golds = zip(*mentions(file), strict=True)
    table = generator.find_batch(texts)
    found: list[set[int]] = [set() for _ in texts]
    for mention, entity in zip(table.mention_of.tolist(), table.entity.tolist(), strict=True):
        found[mention].add(entity)
    hits = [any(kb.index_of(each) in candidates for each in gold) for gold, candidates in zip(golds, found, strict=True)]
    return float(np.mean(hits))


def test_the_general_kg_has_the_size_its_readme_says(general_kb: KB) -> None:
    counts = general_kb.manifest["counts"]
    assert counts["statements"] == 2_043_194
    # the README counts 203,978 nodes with those that are only types (P31), which are no nodes of ours
    assert counts["entities"] == 203_938
    assert 1_090_000 < counts["edges"] < 1_110_000
    assert general_kb.manifest["problems"] == {}


@pytest.mark.parametrize("name", ["general/aida-testa", "general/dwie-train", "general/wned-cweb"])
def test_the_default_generator_finds_more_than_the_papers(general_kb: KB, real_data: Find, name: str) -> None:
    file = real_data(f"{name}.jsonl.gz")
    paper = recall(general_kb, CandidateGenerator(general_kb, generator="paper"), file)
    default = recall(general_kb, CandidateGenerator(general_kb), file)
    assert default > paper + 0.015


def test_the_ontology_builds_with_its_redirects_and_finds_a_quarter_more(real_data: Find, phenotypes_kb: KB) -> None:
    kb = phenotypes_kb
    assert kb.manifest["left_out"] == {"obsolete": 450}
    assert kb.index_of("HP:0000057") == kb.index_of("HP:0008665")
    file = real_data("phenotypes/gsc.jsonl.gz")
    paper = recall(kb, CandidateGenerator(kb, generator="paper"), file)
    assert recall(kb, CandidateGenerator(kb), file) > paper + 0.2


def test_tables_of_nodes_and_edges_build_with_their_prior(real_data: Find, tmp_path: Path) -> None:
    kb = build_untrained([real_data("aida/nodes.tsv.gz"), real_data("aida/edges.tsv.gz")], tmp_path / "aida.kb")
    assert kb.manifest["counts"]["prior"] == "given"
    assert len(kb) == 36_545
    assert (np.diff(kb.prior) <= 0).all()


def test_compiled_and_plain_look_ups_agree_on_real_mentions(general_kb: KB, real_data: Find) -> None:
    texts = list(dict.fromkeys(text for text, _ in mentions(real_data("general/wned-cweb.jsonl.gz"))))[:150]
    for name, kernel in (("paper", find_containing), ("default", find_candidates)):
        generator = CandidateGenerator(general_kb, generator=name)
        found = [generator._run(run, texts, general_kb.name_index, 20) for run in (kernel.plain, kernel)]
        kept = np.arange(20) < found[0][0][:, None]
        assert found[0][0].tolist() == found[1][0].tolist()
        assert all(
            np.array_equal(plain[kept], compiled[kept]) for plain, compiled in zip(found[0][1:], found[1][1:], strict=True)
        )

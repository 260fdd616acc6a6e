"""What the authors' own program computes on real input, ours computes: scores, predictions, metrics (DESIGN: section 2)."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.files import REAL_DATA, write_jsonl
from helpers.kbs import build_untrained, import_untrained
from helpers.scoring import scores_of

from eigenthemes import KB, Document
from eigenthemes.documents.reader import read_gold
from eigenthemes.evaluation.comparison import evaluate
from eigenthemes.pipeline.batch import Batch, batch_maker

pytestmark = pytest.mark.real_data

# our name -> the authors'
METHODS = {
    "degree": "degree",
    "average-unweighted": "average",
    "average": "weighted_average",
    "eigen-unweighted": "eigen",
    "eigen": "weighted_eigen",
}


@pytest.fixture(scope="module")
def reference() -> Callable[[str], Path]:
    def find(name: str) -> Path:
        path = REAL_DATA.parent / "reference" / name
        if not path.exists():
            pytest.skip(f"{path} is not there: what the authors' program computes is not part of the project")
        return path

    return find


@pytest.fixture(scope="module")
def kb(reference: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> KB:
    """Every candidate of the documents, in a KB without edges, with the vectors of the reference."""
    folder = tmp_path_factory.mktemp("reference")
    documents = json.loads(gzip.decompress(reference("documents.json.gz").read_bytes()))
    names = {
        external: {"id": external, "name": name, "prior": prior}
        for mentions in documents.values()
        for mention in mentions
        for external, prior, name in mention["candidates"]
    }
    build_untrained([write_jsonl(folder / "nodes.jsonl", list(names.values()))], folder / "reference.kb")
    return import_untrained(folder / "reference.kb", reference("vectors.npz"))


@pytest.fixture(scope="module")
def batch(kb: KB, reference: Callable[[str], Path]) -> Batch:
    return batch_maker(kb, needs_vectors=True).make(read_gold(reference("documents.json.gz")))


@pytest.fixture(scope="module")
def theirs(reference: Callable[[str], Path]) -> dict[tuple[str, int, str], dict[str, Any]]:
    with gzip.open(reference("scores.jsonl.gz")) as lines:
        rows = [json.loads(line) for line in lines]
    return {(row["doc"], int(row["position"]), row["candidate"]): row for row in rows}


@pytest.mark.parametrize("method", METHODS)
def test_scores_and_predictions_are_the_authors(
    method: str, kb: KB, batch: Batch, theirs: dict[tuple[str, int, str], dict[str, Any]]
) -> None:
    scores = scores_of(method, batch, kb)
    table = batch.table
    compared = 0
    for document, first, last in batch.document_spans():
        rows = np.flatnonzero((table.mention_of >= first) & (table.mention_of < last))
        keys = [(str(document.id), int(table.mention_of[row]) - first, kb.id_of(int(table.entity[row]))) for row in rows]
        known = [i for i, key in enumerate(keys) if key in theirs]
        ours = scores[rows[known]]
        expected = np.array([theirs[keys[i]][METHODS[method]] for i in known])
        factor = (ours @ expected) / (ours @ ours)
        assert np.abs(ours * factor - expected).max() <= 1e-5 * expected.max()
        for mention in range(first, last):
            of_mention = np.flatnonzero(table.mention_of[rows[known]] == mention)
            if len(of_mention):
                best = of_mention[ours[of_mention].argmax()]
                assert expected[best] == pytest.approx(expected[of_mention].max(), rel=1e-6)
        compared += len(known)
    assert compared == len(theirs)


def test_metrics_are_the_authors_under_their_tie_rule(kb: KB, reference: Callable[[str], Path]) -> None:
    expected = json.loads(reference("metrics.json").read_text())
    documents = [_embedded_only(document, kb) for document in read_gold(reference("documents.json.gz"))]
    found = evaluate(kb, documents, list(METHODS), ties="authors").summary()
    for ours, name in METHODS.items():
        for part, figures in expected[name].items():
            for figure, value in figures.items():
                assert found[ours][part][figure] == pytest.approx(value, abs=1e-9), (ours, part, figure)
    assert found["eigen"]["easy"]["mentions"] == 900
    assert found["eigen"]["hard"]["mentions"] == 227
    assert found["eigen"]["overall"]["mentions"] == 1129


def _embedded_only(document: Document, kb: KB) -> Document:
    """Drop candidates without a vector for all methods, as the authors' program does before it ranks anything."""
    has_vector = kb.vectors().has
    mentions = []
    for mention in document.mentions or ():
        pairs = zip(mention.candidates or (), mention.priors or (), strict=True)
        kept = [(id, prior) for id, prior in pairs if has_vector[kb.indices_of([id])[0]]]
        ids, priors = tuple(id for id, _ in kept), tuple(prior for _, prior in kept)
        mentions.append(replace(mention, candidates=ids, priors=priors or None))
    return replace(document, mentions=tuple(mentions))

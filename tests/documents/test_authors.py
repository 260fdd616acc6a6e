"""The JSON layout of the paper's authors."""

from __future__ import annotations

import io
import json

import pytest
from helpers.gold_files import AUTHORS, refusal

from eigenthemes.documents.benchmark_sets import read_authors
from eigenthemes.records import Document, Mention


def test_the_authors_layout() -> None:
    first, second = read_authors(io.BytesIO(json.dumps(AUTHORS).encode()))
    ada = Mention("Ada", gold=("Q1",), candidates=("Q2", "Q1"), priors=(9.0, 4.0))
    assert first == Document(mentions=(ada, Mention("Bob", gold=("Q3",), candidates=())), id="947", embedded_only=True)
    assert second == Document(mentions=(), id="948", embedded_only=True)
    assert first.mentions is not None
    assert first.mentions[0].source["posI"] == "0"


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ('{"1": [\n{"mention": }]}', "no JSON at character 13"),
        ("[]", "holds no JSON object"),
        ('{"1": 5}', 'document "1" is no list'),
        ('{"1": [{"mention": "a"}, {"text": "a"}]}', 'document "1", mention 1 has no text'),
        ('{"1": [{"mention": "a", "candidates": 5}]}', 'document "1", mention 0: "candidates" is 5'),
    ],
)
def test_bad_files_of_the_authors_layout(text: str, phrase: str) -> None:
    assert phrase in refusal(lambda: list(read_authors(io.BytesIO(text.encode()))))

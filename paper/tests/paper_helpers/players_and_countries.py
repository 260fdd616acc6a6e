"""A corpus in which the words around a name decide: players in sentences about sport, countries in sentences about politics."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
from helpers.files import write_jsonl
from helpers.kbs import build_untrained

from eigenthemes import KB
from eigenthemes.documents.json_lines import document_of
from eigenthemes.embeddings.word_vectors import WordVectors
from eigenthemes.records import Document

SAID = {
    "player": ["scored", "match", "goal", "coach", "team", "league", "striker", "season", "stadium", "ball"],
    "country": ["government", "border", "minister", "treaty", "embassy", "army", "parliament", "export", "president", "tax"],
}
FILLERS = ["the", "of", "and", "in", "a", "was", "with", "for", "on", "last", "again", "today"]
AMBIGUOUS = [f"Both{i}" for i in range(12)]


def planted_kb(folder: Path, *, types: bool = True) -> KB:
    """30 players and 30 countries with names of their own, 12 names that a player and a country share, and 600 other things.

    The others are what negatives are drawn from: were half of them players, none could be told from the positives.
    """
    nodes: list[dict[str, Any]] = []
    edges = []
    for kind, relation in (("player", "plays for"), ("country", "member of")):
        names = [f"{kind.title()}{i}" for i in range(30)] + AMBIGUOUS
        for i, name in enumerate(names):
            nodes.append({"id": f"{kind}-{name}", "name": name, **({"type": kind} if types else {})})
            edges += [
                {"source": f"{kind}-{name}", "target": f"{kind}-hub{(i + j) % 12}", "relation": relation} for j in range(10)
            ]
    for i in range(600):
        nodes.append({"id": f"other{i}", "name": f"Other{i}", **({"type": f"other{i % 6}"} if types else {})})
        edges += [{"source": f"other{i}", "target": f"hub{i % 6}-{j}", "relation": f"relation{i % 6}"} for j in range(10)]
    return build_untrained(
        [write_jsonl(folder / "nodes.jsonl", nodes), write_jsonl(folder / "edges.jsonl", edges)], folder / "planted.kb"
    )


def word_vectors() -> WordVectors:
    """Words of a topic are alike, as in real vectors."""
    words = [*FILLERS, *SAID["player"], *SAID["country"]]
    random = np.random.default_rng(5)
    vectors = random.standard_normal((len(words), 16))
    for topic, first in enumerate((len(FILLERS), len(FILLERS) + len(SAID["player"]))):
        vectors[first : first + 10, topic] += 8
    return WordVectors({word: row for row, word in enumerate(words)}, vectors.astype(np.float32))


def training_sentences(seed: int, size: int = 200) -> list[Document]:
    """Sentences on names of players, countries and both."""
    chance = random.Random(seed)
    kinds = [chance.choice(("player", "country")) for _ in range(size)]
    return [
        _document(chance, kind, chance.choice([*[f"{kind.title()}{chance.randrange(30)}"] * 3, chance.choice(AMBIGUOUS)]), i)
        for i, kind in enumerate(kinds)
    ]


def exam_sentences(seed: int, size: int = 100) -> list[Document]:
    """Sentences on names that are both, with the right one as gold."""
    chance = random.Random(1000 + seed)
    kinds = [chance.choice(("player", "country")) for _ in range(size)]
    return [_document(chance, kind, chance.choice(AMBIGUOUS), i) for i, kind in enumerate(kinds)]


def _document(chance: random.Random, kind: str, name: str, number: int) -> Document:
    words = chance.sample(SAID[kind], 3) + chance.sample(FILLERS, 2)
    chance.shuffle(words)
    before, after = " ".join(words[:2]), " ".join(words[2:])
    start = len(before) + 1
    mention = {"start": start, "end": start + len(name), "text": name, "gold": f"{kind}-{name}"}
    return document_of({"id": f"d{number}", "text": f"{before} {name} {after}", "mentions": [mention]})

"""What an experiment is to compute: knowledge bases, sets of documents, and the sections of the report."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any


@dataclass(frozen=True, slots=True)
class KBPlan:
    """How a KB is made.

    sources    files of a knowledge graph; or else
    published  documents in the authors' layout, of whose candidates a KB without edges is made
    imported   a file of vectors, used unless others are asked for
    vectors    sets of vectors to make; the last one is the default where none are imported
    deepwalk   options of deepwalk
    train      train a ranker
    """

    name: str
    sources: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    imported: str | None = None
    vectors: tuple[str, ...] = ("prone",)
    deepwalk: Mapping[str, Any] = field(default_factory=dict)
    train: bool = True


@dataclass(frozen=True, slots=True)
class SetPlan:
    """Documents with gold: where they are, of which KB, and the first `limit` of them."""

    name: str
    kb: str
    documents: str
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class SectionPlan:
    """A section of the report: which of the kinds, on which sets, with which options."""

    name: str
    kind: str
    sets: tuple[str, ...]
    title: str | None
    why: str
    options: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Plan:
    """A whole experiment."""

    title: str
    about: str
    data: Path
    seed: int
    word_vectors: str | None
    kbs: Mapping[str, KBPlan]
    sets: Mapping[str, SetPlan]
    sections: Mapping[str, SectionPlan]

    def file(self, path: str) -> Path:
        """Where a file of the plan is."""
        return self.data / path

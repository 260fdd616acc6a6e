"""The plan of an experiment, and the kinds of sections it may have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eigenthemes_paper.rows import Claim, Row, Rows, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenthemes.core.progress import Advance, Progress
    from eigenthemes_paper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class KBPlan:
    """The sources, vectors and training of a KB.

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
    """Documents with gold: their file, their KB, and how many are read (`limit`; None: all)."""

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
        """Return the path of a file of the plan."""
        return self.data / path


# the candidates of the paper, and the vectors that the KB uses by default
PAPER_OPTIONS: Mapping[str, Any] = {"generator": "paper", "max_candidates": 20, "vectors": ""}


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A kind of section.

    title, about  what it is, and how it was made
    compute       its rows; None: it shows those of the sections in `uses`
    draw, tables  figure and tables of rows
    claims        what the paper finds, and where that holds in these rows
    options       what a plan may change, with defaults
    prepare       what is made once before any section is computed, and kept in the workspace
    alone         nothing else may run meanwhile: time is measured
    long          begin with it, where several are computed at a time
    reads         sets without texts, descriptions or word vectors are left out
    method        the method of rows that name none; None: their candidates are not scored
    """

    title: str
    about: str
    compute: Callable[[Workspace, SectionPlan, Advance], Rows] | None = None
    draw: Callable[[Sequence[Row]], Figure] | None = None
    tables: Callable[[Sequence[Row]], list[Table]] | None = None
    claims: Callable[[Sequence[Row]], list[Claim]] | None = None
    options: Mapping[str, Any] = field(default_factory=dict)
    uses: tuple[str, ...] = ()
    prepare: Callable[[Workspace, SectionPlan, Progress], None] | None = None
    alone: bool = False
    long: bool = False
    reads: bool = False
    method: str | None = "eigen"

    @property
    def needs_rows(self) -> bool:
        """Return whether the section shows rows."""
        return self.compute is not None or bool(self.uses)


def candidate_options(planned: SectionPlan) -> dict[str, Any]:
    """Return how the candidates of a section are found, and with which vectors it works."""
    options = planned.options
    vectors = {"vectors": options["vectors"]} if options.get("vectors") else {}
    return {"generator": options["generator"], "max_candidates": options["max_candidates"], **vectors}

"""What a section of the report is: one table or figure, with all that is computed, drawn, tabulated and claimed for it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eigenthemes.reproduction.claims import Claim
from eigenthemes.reproduction.rows import Row, Rows
from eigenthemes.reproduction.tables import Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from eigenthemes.core.progress import Advance, Progress
    from eigenthemes.reproduction.plan import SectionPlan
    from eigenthemes.reproduction.workspace import Workspace

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
    lacks         what this installation lacks for it, as a sentence; empty: nothing
    alone         nothing else may run meanwhile: time is measured
    long          begin with it, where several are computed at a time
    reads         sets without texts, descriptions or word vectors are left out
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
    lacks: Callable[[], str] | None = None
    alone: bool = False
    long: bool = False
    reads: bool = False

    @property
    def needs_rows(self) -> bool:
        """Is there anything to show without rows?"""
        return self.compute is not None or bool(self.uses)


def candidate_options(planned: SectionPlan) -> dict[str, Any]:
    """Return how the candidates of a section are found, and with which vectors it works."""
    options = planned.options
    vectors = {"vectors": options["vectors"]} if options.get("vectors") else {}
    return {"generator": options["generator"], "max_candidates": options["max_candidates"], **vectors}

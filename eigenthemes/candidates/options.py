"""Options of the candidate generator."""

from __future__ import annotations

from dataclasses import dataclass

from eigenthemes.core.checks import check_fields, check_integer
from eigenthemes.errors import OptionError

GENERATORS = ("default", "paper")
MAX_CANDIDATES = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateOptions:
    """Options of the candidate generator.

    Parameters
    ----------
    generator
        "default" (see `candidates.rules`) or "paper" (names and aliases contain all tokens of the mention).
    max_candidates
        T, or None for all.
    aliases
        Look at aliases too, not at labels only.
    only_types
        Only entities of one of these types; by id, its last part, or label.
    not_types
        No entities of any of these.
    """

    generator: str = "default"
    max_candidates: int | None = MAX_CANDIDATES
    aliases: bool = True
    only_types: tuple[str, ...] = ()
    not_types: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_fields(self)
        if self.generator not in GENERATORS:
            raise OptionError(f"generator {self.generator!r} is unknown; expected one of {', '.join(GENERATORS)}")
        if self.max_candidates is not None:
            check_integer("max_candidates", self.max_candidates, otherwise=", or None for all")

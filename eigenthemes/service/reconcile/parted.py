"""Names with their place behind a comma: "Springfield, Illinois" is Springfield, beside a value Illinois."""

from __future__ import annotations

from eigenthemes.candidates.generator import CandidateGenerator
from eigenthemes.candidates.rules import SHARES
from eigenthemes.kb.name_arrays import UNBRACKETED

_MOST_PARTS = 4


def parted(name: str, generator: CandidateGenerator) -> tuple[str, tuple[str, ...]]:
    """Return a name, and the names behind its commas; none where an entity has all of it, as "Twain, Mark" is Mark Twain."""
    first, *others = [part.strip() for part in name.split(",")]
    if not 1 <= len(others) < _MOST_PARTS or not first:
        return name, ()
    known = tuple(part for part in others if _is_name(part, generator))
    if not known or not _is_name(first, generator) or (generator.find(name).match_type < SHARES).any():
        return name, ()
    return first, known


def _is_name(text: str, generator: CandidateGenerator) -> bool:
    return bool(text) and any(kind <= UNBRACKETED for kind in generator.match_types(text).values())

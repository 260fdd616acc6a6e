"""The records people see: frozen, and each turns into JSON by itself."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Candidate:
    """An entity that a mention may mean, and why it was found."""

    rank: int
    id: str
    label: str
    name: str
    how: str
    prior: float
    description: str = ""

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)

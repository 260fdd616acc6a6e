"""What the tests look at a KB with."""

from __future__ import annotations

from pathlib import Path

from eigenthemes import KB
from eigenthemes.ranking.methods import METHODS

PLAIN = [name for name, method in METHODS.items() if not method.calibrated and method.reads is None]  # need nothing but a KB


def entity(kb: KB, external_id: str) -> int:
    found = kb.index_of(external_id)
    assert found is not None, f"{external_id} is not in the KB"
    return found


def names(kb: KB, external_id: str) -> list[str]:
    return kb.names_of(entity(kb, external_id))


def neighbours(kb: KB, external_id: str) -> set[str]:
    return {kb.id_of(node) for node in kb.graph.around(entity(kb, external_id)).tolist()}


def problems(kb: KB) -> dict[str, int]:
    """What was counted, but for the note that these small graphs have no edges."""
    return {kind: count for kind, count in kb.manifest["problems"].items() if kind != "no edges at all"}


def file_bytes(folder: Path) -> dict[str, bytes]:
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}

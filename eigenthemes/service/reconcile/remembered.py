"""What was asked lately: so that a preview, which is told an id only, can say why the entity was a candidate.

It is kept in memory, by one process, and only the latest.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

from eigenthemes.service.reconcile.documents import QueryDocument

_KEPT = 5_000  # entities


class Remembered:
    """Entity id -> the document and the number of the mention that it was last a candidate of."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._latest: OrderedDict[str, tuple[QueryDocument, int]] = OrderedDict()
        self._kept = kept
        self._writing = Lock()

    def remember(self, document: QueryDocument, mention: int, entity_ids: Sequence[str]) -> None:
        """Remember that some entities were the candidates of a mention, the best first."""
        with self._writing:
            for entity_id in entity_ids:
                self._latest.pop(entity_id, None)
                self._latest[entity_id] = document, mention
            while len(self._latest) > self._kept:
                self._latest.popitem(last=False)

    def find(self, entity_id: str) -> tuple[QueryDocument, int] | None:
        """Return the document and the mention that an entity was last a candidate of."""
        return self._latest.get(entity_id)

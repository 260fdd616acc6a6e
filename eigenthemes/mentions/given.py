"""No detection at all: documents must bring their mentions."""

from __future__ import annotations

from typing import NoReturn

from eigenthemes.errors import DocumentError
from eigenthemes.records import Document


class GivenDetector:
    """Refuses every document that brings no mentions."""

    by_spelling = False

    def detect(self, document: Document) -> NoReturn:
        raise DocumentError('the document has no "mentions", and none are looked for; give them, or detect names')

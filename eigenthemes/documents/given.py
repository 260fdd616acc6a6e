"""Documents from Python: whatever people pass becomes a `Document`, if it is whole."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from eigenthemes.documents.json_lines import document_of
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document

AnyDocument = str | Mapping[str, Any] | Document


def as_document(given: AnyDocument) -> Document:
    """Return a document from whatever people pass."""
    if isinstance(given, Document):
        check_spans(given)
        return given
    if not isinstance(given, str | Mapping):
        raise DocumentError(f"a document is of the type {type(given).__name__}; expected a text, a dict or a Document")
    return document_of(given if isinstance(given, str) else dict(given))


def check_spans(document: Document) -> None:
    """Refuse mentions that are not what their span of the text says; readers of files have done so already."""
    text = document.text
    for number, mention in enumerate(document.mentions or ()):
        if text is None or mention.start is None or mention.end is None:
            continue
        span = text[mention.start : mention.end] if 0 <= mention.start < mention.end <= len(text) else None
        if span is None or span.split() != mention.text.split():
            at = f"the span from {mention.start} to {mention.end}"
            found = "is outside the text" if span is None else f"is {span[:40]!r}"
            raise DocumentError(
                f"mention {number} is {mention.text[:40]!r}, but {at} {found}; expected offsets in code points, the end "
                "not included",
                where=f"mention {number}",
            )

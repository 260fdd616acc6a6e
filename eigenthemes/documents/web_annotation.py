"""W3C Web Annotations (JSON-LD) out: a page of annotations, each from an entity to a place in a text, or to a cell.

Positions count code points, as the recommendation wants it; cells are told as RFC 7111 counts them, the header first.
"""

from __future__ import annotations

from typing import Any

import orjson

from eigenthemes.documents.identifiers import iri_of
from eigenthemes.documents.offsets import spans_of
from eigenthemes.errors import DocumentError
from eigenthemes.records import Link, LinkedDocument

_AROUND = 32  # code points before and after a quotation, to find it by
_CONTEXT = "http://www.w3.org/ns/anno.jsonld"

HEAD = (
    b'{"@context": "' + _CONTEXT.encode() + b'", "id": "urn:x-eigenthemes:annotations", "type": "AnnotationPage", "items": [\n'
)
TAIL = b"\n]}\n"


def web_annotations_of(linked: LinkedDocument, number: int) -> list[bytes]:
    """Return an annotation for each mention that has an entity."""
    document = linked.document
    source = iri_of(str(number if document.id is None else document.id), "document")
    base = source.partition("#")[0]
    annotations = []
    for place, link in enumerate(linked.links):
        if link.entity is not None:
            target = {"source": source, "selector": _selectors(linked, link)}
            annotations.append(_annotation(link, f"{base}#annotation-{place}", target))
    return [orjson.dumps(annotation) for annotation in annotations]


def _annotation(link: Link, annotation_id: str, target: dict[str, Any]) -> dict[str, Any]:
    body: list[dict[str, Any]] = [{"type": "SpecificResource", "source": iri_of(link.entity or ""), "purpose": "identifying"}]
    if link.label:
        body.append({"type": "TextualBody", "value": link.label, "purpose": "tagging", "format": "text/plain"})
    if link.probability is not None:
        body.append({"type": "TextualBody", "value": f"{link.probability:.4f}", "purpose": "assessing", "format": "text/plain"})
    return {"id": annotation_id, "type": "Annotation", "motivation": "identifying", "body": body, "target": target}


def _selectors(linked: LinkedDocument, link: Link) -> list[dict[str, Any]]:
    """Return where a mention is, in every way that is known; of a mention in pieces, the span from first to last."""
    document, mention = linked.document, link.mention
    if mention.row is not None and mention.col is not None:
        row = mention.row + 1 + bool(document.table and document.table.header)
        fragment = f"cell={row},{mention.col + 1}"
        return [{"type": "FragmentSelector", "conformsTo": "http://tools.ietf.org/rfc/rfc7111", "value": fragment}]
    text = document.text
    try:
        spans = [] if text is None else spans_of(document, mention)
    except DocumentError:
        spans = []
    if text is None or not spans:
        return [{"type": "TextQuoteSelector", "exact": mention.text}]
    start, end = spans[0][0], spans[-1][1]
    quotation = {"exact": text[start:end], "prefix": text[max(0, start - _AROUND) : start], "suffix": text[end : end + _AROUND]}
    return [{"type": "TextQuoteSelector", **quotation}, {"type": "TextPositionSelector", "start": start, "end": end}]

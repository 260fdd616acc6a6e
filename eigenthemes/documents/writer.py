"""Linked documents out: JSON lines."""

from __future__ import annotations

from typing import Any

import orjson

from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, LinkedDocument


def json_line(document: Document, mentions: list[dict[str, Any]] | orjson.Fragment) -> bytes:
    """Return a document as a line of JSON, with these mentions, which may be encoded already, in place of its own."""
    try:
        return orjson.dumps({**document_fields(document), "mentions": mentions}, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:  # of orjson, which admits fewer levels when it writes than when it reads
        raise cannot_write(error) from None


def line_in_pieces(document: Document, mentions: list[bytes]) -> list[bytes]:
    """Return the pieces of a document as a line of JSON, given those of its mentions: what is long is not copied once more."""
    fields = document_fields(document)
    if "mentions" in fields and next(reversed(fields)) != "mentions":
        return [json_line(document, orjson.Fragment(b"".join(mentions)))]
    try:
        others = orjson.dumps({name: value for name, value in fields.items() if name != "mentions"})
    except TypeError as error:
        raise cannot_write(error) from None
    return [others[:-1], b'"mentions":' if others == b"{}" else b',"mentions":', *mentions, b"}\n"]


def cannot_write(error: TypeError) -> DocumentError:
    """Return what is said of a record that orjson refuses to write."""
    return DocumentError(f"the record cannot be written as JSON ({error}); simplify its other fields")


def linked_line(linked: LinkedDocument) -> bytes:
    """Return a linked document as a line of JSON: what `eigenthemes link` writes."""
    return json_line(linked.document, [link.to_dict() for link in linked.links])


def document_fields(document: Document) -> dict[str, Any]:
    """Return the fields of a document: those it came with, in their order, or those of other layouts as JSON has them."""
    fields = document.source
    if document.text is not None and "text" not in fields:
        fields = {"text": document.text, **fields}
    if document.about is not None and "about" not in fields:
        fields = {"about": document.about, **fields}
    if document.table is not None and "table" not in fields:
        fields = {"table": {"header": document.table.header, "rows": document.table.rows}, **fields}
    return {"id": document.id, **fields} if document.id is not None and "id" not in fields else fields

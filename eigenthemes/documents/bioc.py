"""BioC JSON: a collection of documents, whose passages (or their sentences) have texts, offsets and annotations.

    {"source": "", "date": "", "key": "", "documents": [{"id": "12098649", "passages": [{"offset": 0, "text": "Lack of ...",
     "annotations": [{"id": "1", "infons": {"type": "Gene", "identifier": "2099"}, "text": "estrogen receptor 1",
     "locations": [{"offset": 28, "length": 19}]}]}]}]}

A file is a collection, or several documents. The format does not define what offsets count: code points, UTF-16 units or UTF-8
bytes are inferred from the texts that the annotations repeat, and the same unit is written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from copy import deepcopy
from typing import IO, Any

import orjson

from eigenthemes.documents import standoff
from eigenthemes.documents.splitting import load_json, split_values
from eigenthemes.errors import DocumentError
from eigenthemes.records import FRAGMENTS, Document, Link, LinkedDocument, Mention, Span

BIOC = "bioc"  # field of a document: the document as it was read; of a mention: its annotation, and the number of its part
_COLLECTION = re.compile(
    rb'\{\s*(?:"[^"\\]{0,100}"\s*:\s*(?:"(?:[^"\\]|\\.){0,2000}"|\{[^{}]{0,2000}\}|null)\s*,\s*){0,20}"documents"\s*:\s*\['
)
_PASSAGES = re.compile(rb'"passages"\s*:\s*\[')
_IDS = ("identifier", "Identifier", "cui", "CUI", "MESH", "MeSH", "OMIM", "ChEBI", "NCBI Gene", "NCBI_Gene", "NCBI_Taxonomy")
_LARGEST_GAP = 1 << 20  # between passages, in any unit
_EXPECTED = 'expected BioC\'s "passages" with "offset", "text" and "annotations"'


def is_bioc(head: bytes) -> bool:
    """Return whether a JSON file begins as a collection, or as a document with passages."""
    return _COLLECTION.match(head) is not None or (_PASSAGES.search(head) is not None and b'"offset"' in head)


def read_bioc(stream: IO[bytes]) -> Iterator[tuple[int, Document | DocumentError]]:
    """Yield each document and the line where it, or its collection, begins; a collection is parsed at once."""
    for line, data in split_values(stream):
        try:
            for document in documents_of(load_json(data, line, "expected a whole BioC collection or document")):
                yield line, document
        except DocumentError as error:
            yield line, error


def documents_of(value: Any) -> Iterator[Document | DocumentError]:
    """Yield the documents of a parsed JSON value: a collection, or one document."""
    if not isinstance(value, dict):
        raise DocumentError(f"the value is of the type {type(value).__name__}; expected a BioC collection or document")
    listed = value.get("documents", value.get("PubTator3", [value]))
    if not isinstance(listed, list):
        raise DocumentError('"documents" is no list; expected the documents of a BioC collection')
    is_document = "passages" in value
    collection = {name: item for name, item in value.items() if name not in ("documents", "PubTator3") and not is_document}
    for number, item in enumerate(listed):
        try:
            yield _document(item, collection)
        except DocumentError as error:
            yield DocumentError(f"document {number}: {error}" if len(listed) > 1 else str(error))


# in


def _document(item: Any, collection: dict[str, Any]) -> Document:
    _, annotations, unit, text = _read_parts(item)
    mentions = tuple(standoff.mentions_of(text, annotations, unit))
    source = {BIOC: {"document": item, **({"collection": collection} if collection else {})}}
    document_id = item.get("id")
    name = document_id if isinstance(document_id, str | int) and not isinstance(document_id, bool) else None
    return Document(id=name, text=text, mentions=mentions or None, source=source)


def _read_parts(item: Any) -> tuple[list[dict[str, Any]], list[standoff.Annotation], str, str]:
    """Return the parts of a document, its annotations, the unit in which most of them are right, and its text."""
    if not isinstance(item, dict) or not isinstance(item.get("passages"), list):
        raise DocumentError(f"the document has no passages; {_EXPECTED}")
    parts = list(_parts(item))
    annotations = [each for number, part in enumerate(parts) for each in _annotations(part, number)]
    pieces = _pieces(parts)
    texts = {unit: text for unit in standoff.UNITS if (text := _laid_out(pieces, unit)) is not None}
    if not texts:
        raise DocumentError("a passage begins within the one before it, or far behind it; expected offsets that grow")
    unit = standoff.unit_of(texts, annotations)
    return parts, annotations, unit, texts[unit]


def _parts(item: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield all parts with a text or annotations: passages, their sentences, the document."""
    for passage in item["passages"]:
        if not isinstance(passage, dict):
            raise DocumentError(f"a passage is of the type {type(passage).__name__}; {_EXPECTED}")
        yield passage
        yield from _objects(passage, "sentences")
    yield item


def _objects(part: dict[str, Any], field: str) -> list[dict[str, Any]]:
    items = part.get(field) or []
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise DocumentError(f'"{field}" of a document or passage is no list of objects; {_EXPECTED}')
    return items


def _annotations(part: dict[str, Any], number: int) -> Iterator[standoff.Annotation]:
    """Yield the annotations of a part that have a place, unlike those of a document."""
    for given in _objects(part, "annotations"):
        name, infons = given.get("text"), standoff.dict_of(given, "infons")
        spans = []
        for location in _objects(given, "locations"):
            offset, length = location.get("offset"), location.get("length")
            if type(offset) is not int or type(length) is not int:
                problem = f"an annotation of {str(name)[:40]!r} has no place"
                raise DocumentError(f'{problem}; expected "locations" with "offset", "length"')
            spans.append((offset, offset + length))
        kept = {field: value for field, value in given.items() if field not in ("text", "locations")}
        source: dict[str, Any] = {BIOC: {"part": number, "annotation": kept}}
        if isinstance(infons.get("type"), str):
            source["type"] = infons["type"]
        if spans:
            yield standoff.Annotation(spans, name if isinstance(name, str) and name else None, _gold(infons), source)


def _pieces(parts: list[dict[str, Any]]) -> list[tuple[int, str]]:
    """Return offset and text of each part with a text, the longest first at one offset."""
    pieces = []
    for part in parts[:-1]:
        text, offset = part.get("text"), part.get("offset")
        if not isinstance(text, str) or not text:
            continue
        if type(offset) is not int or offset < 0:
            raise DocumentError(f"a passage has the offset {str(offset)[:20]!r}; {_EXPECTED}")
        pieces.append((offset, text))
    return sorted(pieces, key=lambda piece: (piece[0], -len(piece[1])))


def _laid_out(pieces: list[tuple[int, str]], unit: str) -> str | None:
    """Return the pieces at their offsets as one text, with spaces between them; None if they do not fit."""
    texts: list[str] = []
    at = 0  # in the unit
    within: standoff.Offsets | None = None  # the last text, if a sentence of it was located
    for offset, text in pieces:
        gap = offset - at
        if gap < 0 and texts:
            within = within or standoff.Offsets(texts[-1], unit)
            place = within.to_code_points(gap + standoff.width(texts[-1], unit))
            if place is None or not texts[-1].startswith(text, place):
                return None
            continue
        if not 0 <= gap <= _LARGEST_GAP:
            return None
        within = None
        texts += ["\n" + " " * (gap - 1) if gap else "", text]
        at = offset + standoff.width(text, unit)
    return "".join(texts)


def _gold(infons: dict[str, Any]) -> tuple[str, ...] | None:
    """Return all ids; those of a named database also with its name as a prefix."""
    found: list[str] | None = None
    for key in _IDS:
        value = infons.get(key)
        ids = standoff.gold_of_field(str(value)) if isinstance(value, str | int) and not isinstance(value, bool) else None
        if ids is not None:
            named = [f"{key}:{each}" for each in ids if key in _IDS[4:] and ":" not in each]
            found = [*(found or []), *ids, *named]
    return None if found is None else tuple(dict.fromkeys(found))


# out


def bioc_of(linked: LinkedDocument) -> bytes:
    """Return a linked document as BioC JSON: as it was read, with links in the infons identifier, label, probability."""
    document = linked.document
    text = standoff.text_of(document, "BioC")
    result, parts, unit = _copy_of(document, text)
    offsets = standoff.Offsets(text, unit)
    for part in parts:
        part["annotations"] = [each for each in _objects(part, "annotations") if not each.get("locations")]
    taken = {str(each.get("id")) for part in parts for each in part["annotations"]}
    taken |= {str(standoff.dict_of(link.mention.source, BIOC, "annotation").get("id")) for link in linked.links}
    names = (str(number) for number in range(1, 1 << 62) if str(number) not in taken)
    for link in linked.links:
        spans = standoff.spans_of(document, link.mention)
        part = _part_of(link.mention, parts, offsets, spans[0][0])
        part["annotations"].append(_annotation(link, spans, offsets, names))
    for part in parts:  # the empty fields that other tools expect
        part.setdefault("infons", {})
        part.setdefault("relations", [])
    for passage in result["passages"]:
        passage.setdefault("sentences", [])
    return orjson.dumps(result)


def _copy_of(document: Document, text: str) -> tuple[dict[str, Any], list[dict[str, Any]], str]:
    """Return a copy of the document as it was read, or a new one if it was changed or not BioC; its parts, and its unit."""
    copy = deepcopy(standoff.dict_of(document.source, BIOC, "document"))
    with suppress(DocumentError):
        parts, _, unit, kept_text = _read_parts(copy)
        if kept_text == text:
            return copy, parts, unit
    passage = {"offset": 0, "infons": {}, "text": text}
    copy = {"id": "" if document.id is None else str(document.id), "infons": {}, "passages": [passage]}
    return copy, [passage, copy], standoff.CODE_POINTS


def collection_of(document: Document) -> dict[str, Any]:
    """Return the fields of the collection that a document came from, with the required source, date, key and infons."""
    required = {"source": "", "date": "", "key": "", "infons": {}}
    return {**required, **standoff.dict_of(document.source, BIOC, "collection")}


def _part_of(mention: Mention, parts: list[dict[str, Any]], offsets: standoff.Offsets, start: int) -> dict[str, Any]:
    """Return the part of an annotation: the one it came from, or the last passage or sentence that begins before it."""
    number = standoff.dict_of(mention.source, BIOC).get("part")
    if type(number) is int and 0 <= number < len(parts):
        return parts[number]
    place = offsets.from_code_points(start)
    before = [part for part in parts[:-1] if part.get("text") and type(part.get("offset")) is int and part["offset"] <= place]
    return before[-1] if before else parts[0]


def _annotation(link: Link, spans: list[Span], offsets: standoff.Offsets, names: Iterator[str]) -> dict[str, Any]:
    kept = standoff.dict_of(link.mention.source, BIOC, "annotation")
    infons = {key: value for key, value in standoff.dict_of(kept, "infons").items() if key not in _IDS}
    infons["identifier"] = link.entity or "-"
    if link.entity is not None:
        infons["label"] = link.label or ""
        if link.probability is not None:
            infons["probability"] = f"{link.probability:.4f}"
    locations = []
    for span in spans:
        start, end = map(offsets.from_code_points, span)
        locations.append({"offset": start, "length": end - start})
    text = link.mention.text if link.mention.source.get(FRAGMENTS) else offsets.text[spans[0][0] : spans[-1][1]]
    annotation_id = str(kept["id"]) if "id" in kept else next(names)
    return {"id": annotation_id, **kept, "infons": infons, "text": text, "locations": locations}

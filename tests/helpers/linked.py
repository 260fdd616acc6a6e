"""Generate linked documents for the writers of formats: texts of many scripts, with a link or none for each mention."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from eigenthemes.records import Document, Link, LinkedDocument, Mention

WORDS = [
    "Ada",
    "🦊🦊",
    "مصر",
    "e\u0301tude",
    "東京",
    "क्षत्रिय",
    "İstanbul",
    "a|b",
    "<b>&\"'",
    "x\u0300\u0301",
    "שלום",
    "T1",
    "[...]a",
    "\U0001d4d0",
]
GAPS = [" ", "\n", "\r\n", "\t", "  ", " \u200f", "\u2028", ", "]
IDS = ["Q42", "http://example.org/a#b", "MESH:D001943", "gene:12", "a b", "ü/ö", "http://www.wikidata.org/entity/Q1"]


def linked_document(text: str, *links: tuple[str, str | None], document_id: Any = "d1", **source: Any) -> LinkedDocument:
    """A text with the first place of each name after the one before linked to an entity, or to none."""
    found, at = [], 0
    for name, entity in links:
        start = text.index(name, at)
        at = start + len(name)
        found.append(link_of(Mention(name, start, at), entity))
    document = Document(id=document_id, text=text, mentions=tuple(link.mention for link in found), source=source)
    return LinkedDocument(document, tuple(found))


def link_of(mention: Mention, entity: str | None) -> Link:
    if entity is None:
        return Link(mention, None, None, None, nil_reason="no_candidate")
    return Link(mention, entity, f"label of {entity}", 0.9, probability=0.9)


@st.composite
def linked_documents(draw: Any) -> LinkedDocument:
    """Words with gaps between them; a mention is one word, or two with what is between them."""
    words = draw(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(GAPS)), min_size=1, max_size=8))
    pieces = [draw(st.sampled_from(["", "\ufeff", *GAPS]))]
    spans, at = [], len(pieces[0])
    for word, gap in words:
        spans.append((at, at + len(word)))
        pieces += word, gap
        at += len(word) + len(gap)
    text = "".join(pieces[:-1] if draw(st.booleans()) else pieces)
    links, number = [], 0
    while number < len(spans):
        size = draw(st.integers(0, 2))
        if size and number + size <= len(spans):
            start, end = spans[number][0], spans[number + size - 1][1]
            links.append(link_of(Mention(text[start:end], start, end), draw(st.sampled_from([*IDS, None]))))
        number += max(1, size)
    document = Document(id=draw(st.sampled_from(["d1", "a/b c", "http://example.org/doc", 7])), text=text, mentions=())
    return LinkedDocument(document, tuple(links))

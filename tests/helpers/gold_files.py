"""Documents in the layouts of others: the authors' JSON, AIDA, WNED; and how a document is refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eigenthemes.errors import DocumentError


def refusal(action: Callable[[], Any]) -> str:
    """The sentence with which a document is refused."""
    with pytest.raises(DocumentError) as refused:
        action()
    message = str(refused.value)
    assert "\n" not in message
    return message


# the authors' layout

AUTHORS = {
    "947": [
        {"mention": "Ada", "posI": "0", "wikidata_id": "Q1", "difficulty": 1, "candidates": [["Q2", 9.0, "A"], ["Q1", 4, "B"]]},
        {"mention": "Bob", "posI": "1", "wikidata_id": "Q3", "difficulty": 0},
    ],
    "948": [],
}


# AIDA

AIDA = r"""-DOCSTART- (1 EU)
EU	B	EU	--NME--
rejects
German	B	German	Germany	http://en.wikipedia.org/wiki/Germany	11867	/m/0345h
call

Peter	B	Peter Blackburn	--NME--
Blackburn	I	Peter Blackburn	--NME--
S\u00e3o
-DOCSTART- (947testa CRICKET)

São	B	São Paulo	S\u00e3o_Paulo	http://en.wikipedia.org/wiki/S%C3%A3o_Paulo	390875
Paulo	I	São Paulo	S\u00e3o_Paulo	http://en.wikipedia.org/wiki/S%C3%A3o_Paulo	390875
Peru	B	Peru	Peru	http://en.wikipedia.org/wiki/Peru	170691	/m/016wzw
"""


def write(folder: Path, name: str, content: str | bytes) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


# WNED


def wned(*annotations: tuple[str, str, str], name: str = "Paris &amp; co", head: str = "") -> str:
    """A file with one document; each annotation is mention, title, offset."""
    inside = "".join(
        f"<annotation><mention>{mention}</mention><wikiName>{title}</wikiName><offset>{offset}</offset>"
        f"<length>{len(mention)}</length></annotation>\n"
        for mention, title, offset in annotations
    )
    document = f'<document docName="{name}">{inside}</document>'
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{head}<wned.entityAnnotation>{document}</wned.entityAnnotation>'


WNED = wned(("Paris", "Paris, Texas", "10"), ("Zoë", "NIL", "0"), ("Bob", "", "30"), ("Eve", "Eve", "0"))

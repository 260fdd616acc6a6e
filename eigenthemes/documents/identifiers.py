"""Ids of entities in formats that have rules of their own for them."""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

_NONE = frozenset(("-", "-1", "NIL", "nil", "null", "None"))
_SEPARATORS = re.compile(r"[|,;+]")
_IRI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+")
OWN = "urn:x-eigenthemes:"  # in front of what is no IRI


def gold_of_field(value: str) -> tuple[str, ...] | None:
    """Return the ids of a field that may hold several, as biomedical corpora write them: the whole first, then each.

    None: the field is empty, nobody said what is meant; no ids: somebody said that it is none of the KB's.
    """
    value = value.strip()
    if not value:
        return None
    if value in _NONE:
        return ()
    return tuple(dict.fromkeys([value, *(part.strip() for part in _SEPARATORS.split(value) if part.strip())]))


def iri_of(entity_id: str, kind: str = "entity") -> str:
    """Return an id as an IRI: itself, or behind a prefix of our own."""
    if _IRI.fullmatch(entity_id) and ("://" in entity_id or entity_id.startswith("urn:")):
        return entity_id
    return f"{OWN}{kind}:{quote(entity_id, safe='')}"


def id_of_iri(iri: str, kind: str = "entity") -> str:
    """Undo `iri_of`."""
    own = f"{OWN}{kind}:"
    return unquote(iri[len(own) :]) if iri.startswith(own) else iri


def one_line(text: str) -> str:
    """Return a text without tabs and line breaks, as long as it was."""
    return text.translate(_BLANKS)


_BLANKS = {ord(letter): " " for letter in "\t\n\r"}

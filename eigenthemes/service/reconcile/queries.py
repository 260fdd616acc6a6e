"""The queries of a reconciliation batch, checked against the protocol's schema, and their documents.

The context says which queries form a document, so that they are decided together:

column  all rows of the batch; rows with values of other columns only with rows of the same values
row     each row alone, with the values of its other columns
none    each row alone, without them
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from eigenthemes.candidates.generator import CandidateGenerator
from eigenthemes.candidates.rules import SHARES
from eigenthemes.errors import DocumentError
from eigenthemes.kb.name_arrays import UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.records import Document, Mention

DEFAULT_LIMIT = 5
MOST_CANDIDATES = 50
LONGEST_NAME = 1_000  # letters; a longer text is no name
_MOST_VALUES = 20  # values of a row that are used
_KNOWN = ("query", "type", "limit", "properties", "type_strict")
_STRICT = ("any", "all", "should")
_HAS_LETTER = re.compile(r"[^\W\d_]")
_MOST_PARTS = 4


class Value(NamedTuple):
    """A value of another column of the row: a name, or an entity that it is matched with."""

    name: str
    entity_id: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """The query of a row.

    Attributes
    ----------
    types : tuple of str
        Types of the entities, by id or name: one of them, or with `all_types` every one.
    prefer_types : bool
        Entities of other types are answered if none has these.
    limit : int
        Number of candidates.
    values : tuple of Value
        Names and entities in other columns of the row.
    """

    name: str
    types: tuple[str, ...] = ()
    all_types: bool = False
    prefer_types: bool = False
    limit: int = DEFAULT_LIMIT
    values: tuple[Value, ...] = ()


def parse_batch(batch: Any) -> dict[str, Query]:
    """Return the queries of a batch by their keys."""
    if not isinstance(batch, Mapping):
        raise _refused(f"queries is {_kind(batch)}", 'an object like {"q0": {"query": "a name"}}', "queries")
    return {str(key): parse_query(query, str(key)) for key, query in batch.items()}


def parse_query(query: Any, key: str = "query") -> Query:
    """Return one query."""
    if not isinstance(query, Mapping):
        raise _refused(f"the query {key[:40]} is {_kind(query)}", 'an object like {"query": "a name"}', key)
    for field in query:
        if field not in _KNOWN:
            raise _refused(f"the query {key[:40]} has a field {field[:40]!r}", f"some of {', '.join(_KNOWN)}", f"{key}.{field}")
    name, properties = query.get("query"), query.get("properties") or []
    if name is None and not properties:
        raise _refused(f"the query {key[:40]} has neither a name nor properties", '"query": "a name"', f"{key}.query")
    if name is not None and not isinstance(name, str):
        raise _refused(f"query is {_kind(name)}", "a string", f"{key}.query")
    strict = query.get("type_strict") or "any"
    if strict not in _STRICT:
        raise _refused("type_strict is another word", f"one of {', '.join(_STRICT)}", f"{key}.type_strict")
    return Query(
        name or "",
        _types(query.get("type"), f"{key}.type"),
        strict == "all",
        strict == "should",
        _limit(query.get("limit"), f"{key}.limit"),
        _values(properties, f"{key}.properties"),
    )


def _types(given: Any, where: str) -> tuple[str, ...]:
    types = given if isinstance(given, list) else [] if given is None else [given]
    if not all(isinstance(each, str) for each in types):
        raise _refused(f"type is {_kind(given)}", "the id of a type, or a list of ids", where)
    return tuple(dict.fromkeys(each for each in types if each))


def _limit(given: Any, where: str) -> int:
    """Return the number of candidates; OpenRefine sends 0 for the default."""
    if given is None:
        return DEFAULT_LIMIT
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise _refused(f"limit is {_kind(given)}", "a number", where)
    return min(int(given), MOST_CANDIDATES) if given >= 1 else DEFAULT_LIMIT


def _values(properties: Any, where: str) -> tuple[Value, ...]:
    """Return the values that may be names; numbers and booleans are not."""
    if not isinstance(properties, list):
        raise _refused(f"properties is {_kind(properties)}", 'a list like [{"pid": "country", "v": "France"}]', where)
    values: list[Value] = []
    for number, each in enumerate(properties):
        at = f"{where}[{number}]"
        if not isinstance(each, Mapping) or not isinstance(each.get("pid"), str) or "v" not in each:
            raise _refused("a property lacks its pid or its v", '{"pid": "country", "v": "France"}', at)
        given = each["v"] if isinstance(each["v"], list) else [each["v"]]
        values.extend(value for one in given if (value := _value(one, f"{at}.v")) is not None)
    return tuple(dict.fromkeys(values[:_MOST_VALUES]))


def _value(given: Any, where: str) -> Value | None:
    if isinstance(given, Mapping):
        entity_id, name = given.get("id"), given.get("name", "")
        if not isinstance(entity_id, str) or not isinstance(name, str):
            raise _refused("an entity as a value lacks its id", '{"id": "Q90", "name": "Paris"}', where)
        return Value(name, entity_id)
    if isinstance(given, str):
        return Value(given) if _HAS_LETTER.search(given) and len(given) <= LONGEST_NAME else None
    if given is None or isinstance(given, bool | int | float):
        return None
    raise _refused(f"the value of a property is {_kind(given)}", 'a string, a number, or {"id": ...}', where)


def _kind(value: Any) -> str:
    """Return the kind of a JSON value."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), "of another kind")


def _refused(found: str, expected: str, where: str) -> DocumentError:
    return DocumentError(f"{found}; expected {expected}", code="query", where=where[:200])


# documents


class QueryDocument(NamedTuple):
    """Names that are decided together: first those of queries, each once, then the values of their rows.

    keys  for each of the first mentions, the keys of its queries
    """

    document: Document
    keys: list[list[str]]


def make_documents(queries: Mapping[str, Query], context: str, generator: CandidateGenerator) -> list[QueryDocument]:
    """Return the documents of a batch; blank and very long queries are left out."""
    groups: dict[tuple[tuple[str, ...], bool, tuple[Value, ...], str | None], dict[str, list[str]]] = {}
    for key, query in queries.items():
        if not query.name.strip() or len(query.name) > LONGEST_NAME:
            continue
        name, qualifiers = split_qualifiers(query.name, generator) if "," in query.name else (query.name, ())
        values = (*map(Value, qualifiers), *(() if context == "none" else query.values))
        alone = None if context == "column" else query.name
        names = groups.setdefault((query.types, query.all_types, values, alone), {})
        names.setdefault(name, []).append(key)
    documents = []
    for (types, all_types, values, _), names in groups.items():
        only_types = types[:1] if all_types else types  # an entity with all types has the first one
        mentions = [Mention(name, only_types=only_types) for name in names]
        mentions.extend(mention for value in values if (mention := _value_mention(value, generator.kb)) is not None)
        documents.append(QueryDocument(Document(mentions=tuple(mentions)), list(names.values())))
    return documents


def _value_mention(value: Value, kb: KB) -> Mention | None:
    """Return a value of another column as a mention; a known entity is the only candidate."""
    index = None if value.entity_id is None else kb.index_of(value.entity_id)
    if index is not None:
        return Mention(value.name or kb.label_of(index), candidates=(kb.id_of(index),))
    return Mention(value.name) if value.name.strip() else None


def split_qualifiers(name: str, generator: CandidateGenerator) -> tuple[str, tuple[str, ...]]:
    """Return a name and the names after its commas: "Springfield, Illinois" is Springfield, with the value Illinois.

    A name that an entity has as a whole has no qualifiers: "Twain, Mark" is Mark Twain.
    """
    first, *others = [part.strip() for part in name.split(",")]
    if not 1 <= len(others) < _MOST_PARTS or not first:
        return name, ()
    known = tuple(part for part in others if _is_name(part, generator))
    if not known or not _is_name(first, generator) or (generator.find(name).match_type < SHARES).any():
        return name, ()
    return first, known


def _is_name(text: str, generator: CandidateGenerator) -> bool:
    return bool(text) and any(kind <= UNBRACKETED for kind in generator.match_types(text).values())

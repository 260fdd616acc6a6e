"""The queries of a reconciliation batch: JSON -> records, checked as the protocol's schema says."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from eigenthemes.errors import DocumentError

DEFAULT_LIMIT = 5
MOST_CANDIDATES = 50
LONGEST_NAME = 1_000  # letters; a longer text names nothing
_MOST_VALUES = 20  # values of a row that are looked at
_KNOWN = ("query", "type", "limit", "properties", "type_strict")
_STRICT = ("any", "all", "should")
_HAS_LETTER = re.compile(r"[^\W\d_]")


class Value(NamedTuple):
    """A value of another column of the row: a name, or an entity that it was matched with before."""

    name: str
    entity_id: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """What a row asks.

    name          what to look for
    types         only entities of one of these, by id or name; all_types: of every one of these
    prefer_types  where there is no such candidate, others are shown
    limit         candidates that are wanted
    values        names and entities in other columns of the row
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
    """Return how many candidates are wanted; OpenRefine says 0 where nobody said anything."""
    if given is None:
        return DEFAULT_LIMIT
    if isinstance(given, bool) or not isinstance(given, int | float) or not math.isfinite(given):
        raise _refused(f"limit is {_kind(given)}", "a number", where)
    return min(int(given), MOST_CANDIDATES) if given >= 1 else DEFAULT_LIMIT


def _values(properties: Any, where: str) -> tuple[Value, ...]:
    """Return the values that may name entities; numbers and truth values do not."""
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
    """Say what a JSON value is, in the words of JSON."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", int: "a number", float: "a number"}
    return "null" if value is None else names.get(type(value), "something else")


def _refused(found: str, expected: str, where: str) -> DocumentError:
    return DocumentError(f"{found}; expected {expected}", code="query", where=where[:200])

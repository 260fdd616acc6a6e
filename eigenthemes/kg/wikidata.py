"""The Wikidata JSON dump: one entity per line, with or without the brackets of an array."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any, TypeVar

from eigenthemes.core.diagnostics import json_objects
from eigenthemes.core.files import clean_utf8
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import ALIAS, Statements

INSTANCE_OF, DEMONYM = "P31", "P1549"
T = TypeVar("T")
_ODD = (AttributeError, KeyError, TypeError, ValueError)  # errors on JSON of another structure


def read_block(data: bytes, first_line: int, *, options: ReadOptions, origin: str) -> Statements:
    """Read the statements of one block of lines."""
    statements = Statements(strict=options.strict)
    data = clean_utf8(data, first_line, origin, statements.diagnostics)
    for number, entity in json_objects(data.split(b"\n"), first_line, origin, "broken entity", statements.diagnostics):
        external_id = entity.get("id")
        if not isinstance(external_id, str):
            cause = f"id {external_id!r} is no string" if "id" in entity else "no id"
            statements.diagnostics.add("broken entity", f"{origin}:{number}", cause)
            continue
        statements.count += 1
        faults: list[str] = []
        try:
            _entity(statements, external_id, entity, options, number, faults)
        except _ODD as error:
            faults.append(f"{type(error).__name__} {error}")
        if faults:
            statements.diagnostics.add("broken entity", f"{origin}:{number}", f"{external_id}: {faults[0]}")
    return statements


def _entity(
    statements: Statements, external_id: str, entity: dict[str, Any], options: ReadOptions, line: int, faults: list[str]
) -> None:
    """Add the valid statements of an entity; append the errors to `faults`."""
    node = statements.record(external_id, line)
    # An empty PHP array is dumped as [] where an object is meant: `or {}`.
    if options.sitelink and options.sitelink not in (entity.get("sitelinks") or {}):
        statements.leave_out(node, f"no {options.sitelink} sitelink")
        return
    read_text = partial(_text, options=options)
    for value, rank, language in _read_parts((entity.get("labels") or {}).values(), read_text, faults):
        statements.name(node, value, rank, language)
    for value, rank, language in _read_parts(chain(*(entity.get("aliases") or {}).values()), read_text, faults):
        statements.name(node, value, rank + ALIAS, language)
    descriptions = _read_parts((entity.get("descriptions") or {}).values(), read_text, faults)
    for value, rank, _ in sorted(descriptions, key=lambda text: text[1])[:1]:
        statements.description(node, value, rank)
    for relation, claims in (entity.get("claims") or {}).items():
        if relation == DEMONYM:
            for value, rank, language in _read_parts(claims, partial(_monolingual_text, options=options), faults):
                statements.name(node, value, rank + ALIAS, language)
        for target in _read_parts(claims, _item, faults):
            statements.count += 1
            if relation == INSTANCE_OF:
                statements.type(node, target)
            else:
                statements.record_edge(node, statements.node(target), relation, line)


def _read_parts(values: Iterable[Any], read: Callable[[Any], T | None], faults: list[str]) -> Iterator[T]:
    """Yield what `read` returns of each value, but None; append the errors to `faults`."""
    for value in values:
        try:
            found = read(value)
        except _ODD as error:
            faults.append(f"{type(error).__name__} {error}")
            continue
        if found is not None:
            yield found


def _text(term: dict[str, Any], options: ReadOptions) -> tuple[str, int, str] | None:
    """Return a text, the rank of its language, and the language; None where the language is not to be kept."""
    language, value = term["language"], term["value"]
    for given in (language, value):
        if not isinstance(given, str):
            raise TypeError(f"{given!r} is no text")
    rank = options.language_rank(language)
    return None if rank is None else (value, rank, language)


def _data_of(statement: dict[str, Any]) -> Any:
    """Return the type and the value of a statement; None where it is deprecated or has no value."""
    snak = statement["mainsnak"]
    return None if statement.get("rank") == "deprecated" or snak.get("snaktype") != "value" else snak["datavalue"]


def _monolingual_text(statement: dict[str, Any], options: ReadOptions) -> tuple[str, int, str] | None:
    """Return the text of a statement, as `_text` does; None where it is deprecated or has no value."""
    data = _data_of(statement)
    return None if data is None else _text({**data["value"], "value": data["value"]["text"]}, options)


def _item(statement: dict[str, Any]) -> str | None:
    """Return the item that a statement points to; None where it is deprecated, or of another type of data."""
    data = _data_of(statement)
    if data is None:
        return None
    target = data["value"]
    if data.get("type") != "wikibase-entityid" or target.get("entity-type", "item") != "item":
        return None
    external_id = target.get("id")
    if not external_id:
        if type(target["numeric-id"]) is not int:
            raise TypeError(f"numeric-id {target['numeric-id']!r} is no whole number")
        return f"Q{target['numeric-id']}"
    if not isinstance(external_id, str):
        raise TypeError(f"id {external_id!r} is no string")
    return external_id

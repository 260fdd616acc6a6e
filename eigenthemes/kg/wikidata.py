"""The Wikidata JSON dump: one entity per line, with or without the brackets of an array."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from eigenthemes.core.diagnostics import json_objects
from eigenthemes.core.files import clean_utf8
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import ALIAS, Statements

INSTANCE_OF, DEMONYM = "P31", "P1549"
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
    for value, rank, language in _texts((entity.get("labels") or {}).values(), options, faults):
        statements.name(node, value, rank, language)
    for group in (entity.get("aliases") or {}).values():
        for value, rank, language in _texts(group, options, faults):
            statements.name(node, value, rank + ALIAS, language)
    descriptions = sorted(_texts((entity.get("descriptions") or {}).values(), options, faults), key=lambda text: text[1])
    if descriptions:
        value, rank, _ = descriptions[0]
        statements.description(node, value, rank)
    for relation, claims in (entity.get("claims") or {}).items():
        if relation == DEMONYM:
            for value, rank, language in _texts(_monolingual_texts(claims), options, faults):
                statements.name(node, value, rank + ALIAS, language)
        for target in _items(claims, faults):
            statements.count += 1
            if relation == INSTANCE_OF:
                statements.type(node, target)
            else:
                statements.record_edge(node, statements.node(target), relation, line)


def _texts(terms: Any, options: ReadOptions, faults: list[str]) -> Iterator[tuple[str, int, str]]:
    """Yield the texts in languages to keep, each with the rank of its language and the language."""
    for term in terms:
        try:
            language, value = term["language"], term["value"]
        except _ODD as error:
            faults.append(f"{type(error).__name__} {error}")
            continue
        if not isinstance(language, str) or not isinstance(value, str):
            faults.append(f"{value if isinstance(language, str) else language!r} is no text")
            continue
        rank = options.language_rank(language)
        if rank is not None:
            yield value, rank, language


def _monolingual_texts(statements: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the texts of a property with their languages, as labels have them."""
    for statement in statements:
        snak = statement["mainsnak"]
        if statement.get("rank") != "deprecated" and snak.get("snaktype") == "value":
            value = snak["datavalue"]["value"]
            yield {"language": value["language"], "value": value["text"]}


def _items(statements: list[dict[str, Any]], faults: list[str]) -> Iterator[str]:
    """Yield the items a property points to; deprecated statements, unknown values and other data types are skipped."""
    for statement in statements:
        try:
            target = _item(statement)
        except _ODD as error:
            faults.append(f"{type(error).__name__} {error}")
            continue
        if target is not None:
            yield target


def _item(statement: dict[str, Any]) -> str | None:
    snak = statement["mainsnak"]
    if statement.get("rank") == "deprecated" or snak.get("snaktype") != "value":
        return None
    value = snak["datavalue"]
    target = value["value"]
    if value.get("type") != "wikibase-entityid" or target.get("entity-type", "item") != "item":
        return None
    external_id = target.get("id")
    if not external_id:
        if type(target["numeric-id"]) is not int:
            raise TypeError(f"numeric-id {target['numeric-id']!r} is no whole number")
        return f"Q{target['numeric-id']}"
    if not isinstance(external_id, str):
        raise TypeError(f"id {external_id!r} is no string")
    return external_id

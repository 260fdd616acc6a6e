"""The command `eigenthemes show`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from eigenthemes.cli.inspect import tells_damage
from eigenthemes.cli.options import parse_count
from eigenthemes.cli.output import say

if TYPE_CHECKING:
    from eigenthemes.candidates.entity_card import EntityCard, RelatedEntities

_SHOWN = 8  # namesakes


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("entity", metavar="ID|NAME")
@click.option("--neighbors", default="10", show_default=True, metavar="N", help="Neighbours of each relation, or all.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
@tells_damage
def show(kb: str, entity: str, neighbors: str, as_json: bool) -> None:
    """Print all that a KB holds of one entity: names, types, description, neighbours, prior, and who else has its name.

    A name that several entities have means the one with the highest prior; the others are listed.
    """
    from eigenthemes.candidates.entity_card import entity_card
    from eigenthemes.kb.store import KB

    opened = KB.open(kb)
    asked = entity.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    card = entity_card(opened, asked, most=parse_count(neighbors, "--neighbors"))
    if as_json:
        click.echo(json.dumps(card.to_dict(), ensure_ascii=False))
        return
    for line in _lines(card, len(opened)):
        say(line)


def _lines(card: EntityCard, entities: int) -> Iterator[str]:
    entity = card.entity
    aliases = [f"{name} ({language})" if language else name for name, language in card.names[1:]]
    yield entity.label
    rows = [
        ("id", entity.id),
        *([("aliases", ", ".join(aliases))] if aliases else []),
        *([("types", ", ".join(entity.types))] if entity.types else []),
        *([("description", entity.description)] if entity.description else []),
        ("prior", f"{entity.prior:,.12g}, number {card.rank:,} of {entities:,}"),
        ("namesakes", _namesakes(card)),
        ("neighbours", f"{card.degree:,}"),
    ]
    for name, value in rows:
        yield f"  {name:<11} {value}"
    for related in card.neighbors:
        yield f"    {_related(related)}"


def _namesakes(card: EntityCard) -> str:
    if not card.names:
        return "it has no name: it connects others, and is never an answer"
    if not card.name_rank:
        return "it connects others, and is never an answer"
    others = [f"{label} ({entity_id})" for entity_id, label in card.namesakes if entity_id != card.entity.id]
    if not others:
        return "nobody else has its label as a name"
    more = f" and {len(others) - _SHOWN:,} more" if len(others) > _SHOWN else ""
    return f"number {card.name_rank} of {len(card.namesakes)} by prior; the others: {', '.join(others[:_SHOWN])}{more}"


def _related(related: RelatedEntities) -> str:
    from eigenthemes.kb.attributes import readable

    listed = ", ".join(f"{label} ({entity_id})" if label != entity_id else label for entity_id, label in related.entities)
    more = f" and {related.count - len(related.entities):,} more" if related.count > len(related.entities) else ""
    return f"{'<- ' if related.reverse else ''}{readable(related.relation)}: {listed}{more}"

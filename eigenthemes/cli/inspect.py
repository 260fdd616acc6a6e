"""eigenthemes info, verify, candidates, show."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.cli.options import candidate_options, parse_candidates, parse_count
from eigenthemes.cli.output import note, print_json, print_table, say
from eigenthemes.errors import KBDamagedError

if TYPE_CHECKING:
    from eigenthemes.names.entity_card import EntityCard, RelatedEntities


_REMEDIES = {"vectors": "make them with eigenthemes embed", "ranker": "train it with eigenthemes train"}


def check_hashes(kb: str) -> int:
    """Raise an error if files of a KB have changed since the build, else return their number."""
    from eigenthemes.kb.store import KB

    checked = list(KB.open(kb).verify())
    wrong = [name for name, right in checked if not right]
    if wrong:
        problem = f"{kb} is damaged: {', '.join(wrong)} of {len(checked)} files changed since the build"
        raise KBDamagedError(f"{problem}; build it again", where=kb)
    return len(checked)


@click.command()
@click.argument("kb", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="The card as JSON.")
def info(kb: str, as_json: bool) -> None:
    """Print the card of a KB: counts, sources, options, ambiguity, density, degrees."""
    from eigenthemes.kb.info import card, card_lines
    from eigenthemes.kb.store import KB

    facts = card(KB.open(kb))
    if as_json:
        print_json(facts, indent=1)
    else:
        for line in card_lines(facts, remedies=_REMEDIES):
            say(line)


@click.command()
@click.argument("kb", type=click.Path())
def verify(kb: str) -> None:
    """Check the hash of every file of a KB, and of its manifest."""
    say(f"{kb}: {check_hashes(kb)} files, all as built")


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("names", nargs=-1, required=True)
@candidate_options
@click.option("--why", metavar="ID|NAME", help="Say why this entity is, or is not, among them.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per name, also for an empty line.")
def candidates(kb: str, names: tuple[str, ...], why: str | None, as_json: bool, **given: Any) -> None:
    """Print the candidates of NAMES in a KB; - reads names from standard input, one per line."""
    from eigenthemes.kb.store import KB
    from eigenthemes.names.generator import CandidateGenerator

    finder = CandidateGenerator(KB.open(kb), **asdict(parse_candidates(given)))
    for name in _names(names):
        if not name and not as_json:
            if names != ("-",):
                note("the name is empty; give one, or - to read names from standard input")
            continue
        if why is not None:
            reason = finder.why_not(name, why)
            if as_json:
                print_json({"text": name, "id": why, "why": reason})
            else:
                say(reason)
            continue
        found = finder.records(name)
        if as_json:
            print_json({"text": name, "candidates": [candidate.to_dict() for candidate in found]})
            continue
        if len(names) > 1 or names == ("-",):
            say(name)
        if not found:
            note(f"no candidates for {name!r}; try --why ID or --why NAME with the entity you expect")
            continue
        print_table(
            ("rank", "id", "label", "matched name", "match type", "prior"),
            ((str(c.rank), c.id, c.label, c.matched_name, c.match_type, f"{c.prior:,.12g}") for c in found),
            right=(0, 5),
        )


def _names(names: tuple[str, ...]) -> Iterator[str]:
    if names != ("-",):
        # an argument that is not UTF-8 is read as such a line of standard input is
        yield from (name.encode("utf-8", "surrogateescape").decode("utf-8", "replace") for name in names)
        return
    for line in sys.stdin.buffer:
        yield line.decode("utf-8", "replace").strip()


_SHOWN = 8  # namesakes


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("entity", metavar="ID|NAME")
@click.option("--neighbors", default="10", metavar="N", help="Neighbours of each relation, or all.")
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def show(kb: str, entity: str, neighbors: str, as_json: bool) -> None:
    """Print all that a KB holds of one entity: names, types, description, neighbours, prior and namesakes.

    A name that several entities have means the one with the highest prior; the others are listed.
    """
    from eigenthemes.kb.store import KB
    from eigenthemes.names.entity_card import entity_card

    opened = KB.open(kb)
    asked = entity.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    card = entity_card(opened, asked, most=parse_count(neighbors, "--neighbors"))
    if as_json:
        print_json(card.to_dict())
        return
    for line in _lines(card, len(opened)):
        say(line)


def _lines(card: EntityCard, entities: int) -> Iterator[str]:
    rows = {
        "id": card.id,
        "aliases": ", ".join(f"{each.name} ({each.language})" if each.language else each.name for each in card.names[1:]),
        "types": ", ".join(card.types),
        "description": card.description,
        "prior": f"{card.prior:,.12g}, number {card.rank:,} of {entities:,}",
        "namesakes": _namesakes(card),
        "neighbours": f"{card.degree:,}",
    }
    yield card.label
    yield from (f"  {name:<11} {value}" for name, value in rows.items() if value)
    for related in card.neighbors:
        yield f"    {_related(related)}"


def _namesakes(card: EntityCard) -> str:
    if not card.names:
        return "it has no name, so it is never linked"
    if not card.name_rank:
        return "it is not linkable"
    others = [f"{each.label} ({each.id})" for each in card.namesakes if each.id != card.id]
    if not others:
        return "no other entity has its label as a name"
    more = f" and {len(others) - _SHOWN:,} more" if len(others) > _SHOWN else ""
    return f"number {card.name_rank} of {len(card.namesakes)} by prior; the others: {', '.join(others[:_SHOWN])}{more}"


def _related(related: RelatedEntities) -> str:
    from eigenthemes.kb.attributes import readable

    listed = ", ".join(f"{each.label} ({each.id})" if each.label != each.id else each.label for each in related.entities)
    more = f" and {related.count - len(related.entities):,} more" if related.count > len(related.entities) else ""
    return f"{'<- ' if related.reverse else ''}{readable(related.relation)}: {listed}{more}"

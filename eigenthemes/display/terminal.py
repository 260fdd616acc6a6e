"""Render parts with rich: nothing in a text is markup or a control character."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from eigenthemes.display import Cell, EntityId, Grid, Heading, MarkedCell, MarkedText, Part, Prose, plain, spelled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from eigenthemes.records import Link

_LINKED, _NIL, _QUIET = "bold cyan", "dim underline", "dim"


def renderable_of(parts: Iterable[Part]) -> Group:
    """Return parts as a rich renderable."""
    return Group(*map(_part, parts))


def _part(part: Part) -> RenderableType:
    match part:
        case Heading():
            return Text(plain(part.text), style="bold")
        case Prose():
            return Text(plain(part.text), style=_QUIET if part.quiet else "")
        case MarkedText():
            return _marked_text(part)
        case Grid():
            return grid_table(part)


def _marked_text(part: MarkedText) -> Text:
    """Return the text with its line breaks; within several links the shortest gives the style."""
    text = Text()
    for piece, links in part.pieces():
        lines = (spelled(line.replace("\t", "    ")) for line in piece.replace("\r\n", "\n").split("\n"))
        text.append("\n".join(lines), _style(links[-1]) if links else None)
    return text


def _style(link: Link) -> str:
    return _NIL if link.entity is None else _LINKED


def grid_table(part: Grid) -> Table:
    """Return a grid as a table of rich."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False) if part.header else Table.grid(padding=(0, 2))
    for column, name in enumerate(part.header):
        table.add_column(Text(plain(name)), justify="right" if column in part.right else "left", overflow="fold")
    for row in part.rows:
        table.add_row(*map(_cell, row))
    return table


def _cell(cell: Cell) -> Text:
    match cell:
        case MarkedCell():
            text = Text.assemble((plain(cell.text), _style(cell.link)))
            if cell.link.entity is not None:
                text.append(f"\n{plain(cell.link.label or '')}", _QUIET)
            return text
        case EntityId():
            return Text(plain(cell.text), style=_QUIET)
        case _:
            return Text(plain(cell))

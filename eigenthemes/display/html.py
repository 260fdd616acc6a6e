"""Render parts as HTML: escaped, without scripts or external files, for light and dark pages.

Mentions are marked as on the page of the service: label, id and probability are in the title.
"""

from __future__ import annotations

import re
from functools import reduce
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from eigenthemes.display import Cell, EntityId, Grid, Heading, MarkedCell, MarkedText, Part, Prose

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eigenthemes.records import Link

# its colours are transparent, because a notebook does not say whether it is dark
_STYLE = Path(__file__).with_name("notebook.css").read_text(encoding="utf-8").rstrip()
_CONTROLS = {code: "\ufffd" for code in range(32) if chr(code) not in "\t\n\r\f"}
_WEB_ADDRESS = re.compile(r"https?://[^\s\"'<>\\^`{|}]+")


def html_of(parts: Iterable[Part]) -> str:
    """Return parts as an HTML element with its style; half of a surrogate pair becomes `?`."""
    shown = "".join(map(_part, parts)).encode("utf-8", "replace").decode()
    return f'<div class="eigenthemes"><style>{_STYLE}</style>{shown}</div>'


def _part(part: Part) -> str:
    match part:
        case Heading():
            return f'<h4 dir="auto">{escaped(part.text)}</h4>'
        case Prose():
            return f'<p dir="auto"{" class=quiet" if part.quiet else ""}>{escaped(part.text)}</p>'
        case MarkedText():
            return f'<div class="text" dir="auto">{marked_text(part)}</div>'
        case Grid():
            return _grid(part)


def _grid(grid: Grid) -> str:
    names = "".join(_cell(name, "th", column in grid.right) for column, name in enumerate(grid.header))
    first = "td" if grid.header else "th"
    rows = (
        "".join(_cell(cell, "td" if column else first, column in grid.right) for column, cell in enumerate(row))
        for row in grid.rows
    )
    header = f"<thead><tr>{names}</tr></thead>" if names else ""
    return f"<table>{header}<tbody>{''.join(f'<tr>{row}</tr>' for row in rows)}</tbody></table>"


def _cell(cell: Cell, tag: str, is_right: bool) -> str:
    kind = ' class="right"' if is_right else ""
    match cell:
        case MarkedCell():
            answer = "" if cell.link.entity is None else f'<br><span class="quiet">{escaped(cell.link.label or "")}</span>'
            content = f"{marked(escaped(cell.text), cell.link)}{answer}"
        case EntityId():
            kind, content = ' class="id"', _entity_id(cell.text)
        case _:
            content = escaped(cell)
    return f'<{tag}{kind} dir="auto">{content}</{tag}>'


def _entity_id(entity_id: str) -> str:
    shown = escaped(entity_id)
    if not _WEB_ADDRESS.fullmatch(entity_id):
        return shown
    return f'<a href="{shown}" target="_blank" rel="noopener noreferrer">{shown}</a>'


def marked_text(part: MarkedText) -> str:
    """Return a text with its mentions marked."""
    return "".join(reduce(marked, reversed(links), escaped(piece)) for piece, links in part.pieces())


def marked(content: str, link: Link) -> str:
    """Return HTML within a mark whose title holds the link."""
    if link.entity is None:
        return f'<mark class="nil" title="no link ({escaped(link.nil_reason or "")})">{content}</mark>'
    sure = "" if link.probability is None else f"{link.probability:.2f}"
    title = f"{link.label} ({link.entity})" + (f", probability {sure}" if sure else "")
    probability = f' data-probability="{sure}"' if sure else ""
    return f'<mark title="{escaped(title)}" data-id="{escaped(link.entity)}"{probability}>{content}</mark>'


def escaped(text: str) -> str:
    """Escape a text for HTML; control characters become U+FFFD."""
    return escape(text.translate(_CONTROLS), quote=True).replace("\r", "&#13;")  # a bare one would be read as a line break

"""Display records: as HTML in notebooks, with rich in terminals, in one line in a Python shell.

    record -> views.py -> parts -> html.py      for Jupyter, `_repr_html_`
                                -> terminal.py  for rich, `__rich__`

This package is a layer below the records: it reads their attributes, and imports none of them. Everything but this file, which
has the parts of a view and short texts for Python shells and terminals, is imported when a record is displayed.
"""

from __future__ import annotations

import re
from dataclasses import MISSING, Field, dataclass, fields
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.console import Group

    from eigenthemes.records import Link


class Displayed:
    """Base of records that are displayed in notebooks and terminals; a subclass names or yields the parts of its view."""

    __slots__ = ()
    _view_function = ""  # of `views`

    def _view(self) -> Iterable[Part]:
        from eigenthemes.display import views

        parts: Iterable[Part] = getattr(views, self._view_function)(self)
        return parts

    def _repr_html_(self) -> str:
        from eigenthemes.display.html import html_of

        return html_of(self._view())

    def __rich__(self) -> Group:
        from eigenthemes.display.terminal import renderable_of

        return renderable_of(self._view())


Span = tuple[int, int]

_DEEPEST = 8  # marks within marks that are shown


@dataclass(frozen=True, slots=True)
class Heading:
    """The title of a view."""

    text: str


@dataclass(frozen=True, slots=True)
class Prose:
    """Sentences; quiet ones are less important."""

    text: str
    quiet: bool = False


@dataclass(frozen=True, slots=True)
class MarkedText:
    """A text with its links; one mention may have several spans."""

    text: str
    placed: Sequence[tuple[Span, Link]]

    def pieces(self) -> Iterator[tuple[str, list[Link]]]:
        """Yield the text in pieces, each with the links around it, the longest first; one that crosses another is cut."""
        placed = self.placed
        opening: dict[int, list[int]] = {}
        for number, ((start, _), _) in enumerate(placed):
            opening.setdefault(start, []).append(number)
        inside: list[int] = []  # open mentions, the longest first
        at = 0
        for place in sorted(opening.keys() | {end for (_, end), _ in placed}):
            if self.text[at:place]:
                yield self.text[at:place], [placed[number][1] for number in inside]
            inside = [number for number in inside if placed[number][0][1] > place] + opening.get(place, [])
            inside.sort(key=lambda number: -placed[number][0][1])
            inside = inside[-_DEEPEST:]
            at = place
        if self.text[at:]:
            yield self.text[at:], []


@dataclass(frozen=True, slots=True)
class EntityId:
    """The id of an entity; one that is a web address leads there."""

    text: str


@dataclass(frozen=True, slots=True)
class MarkedCell:
    """A cell of a table with its link."""

    text: str
    link: Link


Cell = str | EntityId | MarkedCell


@dataclass(frozen=True, slots=True)
class Grid:
    """A table; the columns `right` hold figures. Without a header, the first cell of each row is its name."""

    header: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    right: Sequence[int] = ()


Part = Heading | Prose | MarkedText | Grid


_LINE_BREAKS = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")
# C0 and C1 controls, DEL, overrides of the direction of a text (not the marks in Hebrew names), and surrogates, which
# represent bytes that are not UTF-8
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    r"""Return a text as one line without control characters, which are written out: `\\x1b`."""
    return spelled(_LINE_BREAKS.sub(" ", text).replace("\t", " "))


def spelled(text: str) -> str:
    """Return a text with all control characters written out, including line breaks and tabs."""
    return _CONTROL.sub(_spelling, text)


def _spelling(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte of a file name that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"


_LETTERS, _ITEMS = 60, 3  # shown of a text, and of a tuple


def short_repr(record: Any) -> str:
    """Return the constructor call of a data class, without fields that are empty or have their default."""
    given = ((each, getattr(record, each.name)) for each in fields(record) if each.repr)
    given_fields = [f"{each.name}={short(value)}" for each, value in given if not _usual(each, value)]
    return f"{type(record).__name__}({', '.join(given_fields)})"


def short(value: Any) -> str:
    """Return the repr of a value, cut if it is long."""
    if isinstance(value, str):
        return repr(value) if len(value) <= _LETTERS else repr(value[:_LETTERS]) + "..."
    if isinstance(value, tuple) and len(value) > _ITEMS:
        return f"({', '.join(map(short, value[:_ITEMS]))}, ... {len(value):,} in all)"
    if isinstance(value, tuple):
        return f"({', '.join(map(short, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def _usual(field: Field[Any], value: Any) -> bool:
    return value in (None, "", ()) if field.default is MISSING else bool(value == field.default)

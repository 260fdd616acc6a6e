"""Display records: as HTML in notebooks, with rich in terminals, in one line in a Python shell.

    record -> views.py -> parts -> html.py      for Jupyter, `_repr_html_`
                                -> terminal.py  for rich, `__rich__`

This package is a layer below the records: it reads their attributes, and imports none of them. Everything but this file and
`parts` is imported when a record is displayed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Group

    from eigenthemes.display.parts import Part


class Displayed:
    """Base of records that are displayed in notebooks and terminals; a subclass yields the parts of its view."""

    __slots__ = ()

    def _view(self) -> Iterable[Part]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from eigenthemes.display.html import html_of

        return html_of(self._view())

    def __rich__(self) -> Group:
        from eigenthemes.display.terminal import renderable_of

        return renderable_of(self._view())

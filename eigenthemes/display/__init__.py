"""How records show themselves: in a notebook as HTML, in a terminal by rich, in a Python shell in one line.

    record -> views.py -> parts -> html.py      what Jupyter asks for, `_repr_html_`
                                -> terminal.py  what rich asks for, `__rich__`

It stands beneath the records, which know it: it reads their attributes, and imports none of them. Nothing but this file is
imported until something is shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Group

    from eigenthemes.display.parts import Part


class Shown:
    """What shows itself: its parts, which a subclass gives, as HTML and in a terminal."""

    __slots__ = ()

    def _view(self) -> Iterable[Part]:
        raise NotImplementedError

    def _repr_html_(self) -> str:
        from eigenthemes.display.html import html_of

        return html_of(self._view())

    def __rich__(self) -> Group:
        from eigenthemes.display.terminal import renderable_of

        return renderable_of(self._view())

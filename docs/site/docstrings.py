"""Docstrings of the project for mkdocstrings: lines `name  what it is` become a list, and indented code a block."""

from __future__ import annotations

import re
from typing import Any

import griffe

_ITEM = re.compile(r"([A-Za-z_]\w*(?: \([\w, ]+\))?(?:, \w+)*)  +(\S.*)")


class HouseStyle(griffe.Extension):
    """Rewrites the docstring of every object before it is shown."""

    def on_object(self, *, obj: griffe.Object, **kwargs: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = as_markdown(obj.docstring.value)


def as_markdown(docstring: str) -> str:
    """Return a docstring whose lists of names and what they are is one in Markdown."""
    return "\n\n".join(_block(block) for block in re.split(r"\n\s*\n", docstring))


def _block(block: str) -> str:
    lines = block.splitlines()
    if not _ITEM.match(lines[0]):
        return block
    items: list[str] = []
    for line in lines:
        item = _ITEM.match(line)
        if item:
            items.append(f"- `{item[1]}`: {item[2]}")
        else:
            items[-1] += f" {line.strip()}"
    return "\n".join(items)

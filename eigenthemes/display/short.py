"""Records in one line, for a Python shell: what they are, without what is empty or as always; long texts are cut."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from typing import Any

_LETTERS, _ITEMS = 60, 3  # shown of a text, and of a tuple


def short_repr(record: Any) -> str:
    """Return a data class as it would be made, but for fields that are as they would be anyway."""
    given = ((each, getattr(record, each.name)) for each in fields(record) if each.repr)
    told = [f"{each.name}={short(value)}" for each, value in given if not _usual(each, value)]
    return f"{type(record).__name__}({', '.join(told)})"


def short(value: Any) -> str:
    """Return a value as Python writes it, cut where it is long."""
    if isinstance(value, str):
        return repr(value) if len(value) <= _LETTERS else repr(value[:_LETTERS]) + "..."
    if isinstance(value, tuple) and len(value) > _ITEMS:
        return f"({', '.join(map(short, value[:_ITEMS]))}, ... {len(value):,} in all)"
    if isinstance(value, tuple):
        return f"({', '.join(map(short, value))}{',' if len(value) == 1 else ''})"
    return repr(value)


def _usual(field: Field[Any], value: Any) -> bool:
    return value in (None, "", ()) if field.default is MISSING else bool(value == field.default)

"""What the types of Arrow mean."""

from __future__ import annotations

from typing import Any


def is_text(type_: Any) -> bool:
    """Return whether values of a type of Arrow are texts."""
    import pyarrow.types as types

    value = type_.value_type if types.is_dictionary(type_) else type_
    views = getattr(types, "is_string_view", lambda each: False)
    return bool(types.is_string(value) or types.is_large_string(value) or views(value))

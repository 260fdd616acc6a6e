"""How a request wants its documents linked: the query string, checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from eigenthemes.errors import OptionError

MOST_SHOWN = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """Which linker a request wants; None: the KB's own default. As the options of `Linker`."""

    method: str | None = None
    threshold: float | None = None
    nil: bool = True
    top: int = 3
    explain: bool = False
    k: int | None = None
    nested: bool = False
    lang: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkQuery:
    """The query string of POST /link.

    map    add the map of the document's candidates
    types  add the labels of their types to links and rankings
    """

    kb: str | None = None
    options: LinkOptions = LinkOptions()
    map: bool = False
    types: bool = False


DEFAULT = LinkQuery()
_KNOWN = ("kb", "method", "threshold", "nil", "top", "explain", "k", "nested", "lang", "map", "types")


def link_query(given: Mapping[str, str]) -> LinkQuery:
    """Parse the query string of POST /link."""
    if not given:
        return DEFAULT
    refuse_unknown(given, _KNOWN)
    return LinkQuery(
        kb=given.get("kb"),
        options=LinkOptions(
            method=given.get("method"),
            threshold=probability_of(given, "threshold"),
            nil=flag_of(given, "nil", True),
            top=count_of(given, "top", 3, most=MOST_SHOWN),
            explain=flag_of(given, "explain", False),
            k=count_of(given, "k", 0, most=10_000) or None,
            nested=flag_of(given, "nested", False),
            lang=given.get("lang"),
        ),
        map=flag_of(given, "map", False),
        types=flag_of(given, "types", False),
    )


def refuse_unknown(given: Mapping[str, Any], known: tuple[str, ...]) -> None:
    """Refuse a parameter that would be ignored; the token is of the door, not of the route."""
    for name in given:
        if name not in known and name != "token":
            raise OptionError(f"there is no parameter {name[:40]!r} here; expected some of {', '.join(known)}", where=name[:40])


def flag_of(given: Mapping[str, str], name: str, default: bool) -> bool:
    """Return a parameter that is true or false."""
    text = given.get(name)
    if text is None:
        return default
    if text.lower() in ("true", "1", "false", "0"):
        return text.lower() in ("true", "1")
    raise OptionError(f"{name} is {text[:40]!r}; expected true or false", where=name)


def count_of(given: Mapping[str, str], name: str, default: int, *, most: int) -> int:
    """Return a parameter that is a whole number from 1 to `most`."""
    text = given.get(name)
    if text is None:
        return default
    number = int(text) if text.isascii() and text.isdigit() and len(text) < 20 else 0
    if 1 <= number <= most:
        return number
    raise OptionError(f"{name} is {text[:40]!r}; expected a whole number from 1 to {most:,}", where=name)


def probability_of(given: Mapping[str, str], name: str) -> float | None:
    """Return a parameter that is a number from 0 to 1; None where it was not given."""
    text = given.get(name)
    if text is None:
        return None
    try:
        number = float(text) if text.isascii() and len(text) < 40 else -1.0
    except ValueError:
        number = -1.0
    if 0 <= number <= 1:
        return number
    raise OptionError(f"{name} is {text[:40]!r}; expected a number from 0 to 1", where=name)

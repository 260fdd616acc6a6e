"""Types and properties by name: those that begin as somebody types, then those that nearly do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from eigenthemes.text.normalize import normalize

_NEAR = 75.0  # of 100: how alike two names are that a slip of the pen keeps apart


class Named(NamedTuple):
    """Something with an id, a name, and what is told beside the name."""

    id: str
    name: str
    description: str = ""


def beginning_with(things: Iterable[Named], prefix: str) -> list[Named]:
    """Return what begins with a prefix: its name, then a word of it or its id; where nothing does, what is spelled alike.

    The order of `things` is kept otherwise.
    """
    typed = normalize(prefix)
    if not typed:
        return list(things)
    ranked: list[tuple[int, Named]] = []
    rest: list[Named] = []
    for each in things:
        place = _place(each, typed, prefix)
        if place is None:
            rest.append(each)
        else:
            ranked.append((place, each))
    if ranked:
        return [each for _, each in sorted(ranked, key=lambda pair: pair[0])]
    return _alike(rest, typed)


def _place(thing: Named, typed: str, prefix: str) -> int | None:
    name = normalize(thing.name)
    if name == typed or thing.id == prefix:
        return 0
    if name.startswith(typed):
        return 1
    return 2 if f" {typed}" in name or thing.id.casefold().startswith(prefix.casefold()) else None


def _alike(things: list[Named], typed: str) -> list[Named]:
    from rapidfuzz import fuzz, process

    names = [normalize(each.name)[: len(typed) + 1] for each in things]  # somebody is still typing
    return [things[row] for _, _, row in process.extract(typed, names, scorer=fuzz.ratio, score_cutoff=_NEAR, limit=20)]

"""Which name of an entity a mention matched, for people."""

from __future__ import annotations

from eigenthemes.candidates.rules import REMEMBERED
from eigenthemes.kb.name_arrays import ACRONYM, INITIALS, UNBRACKETED
from eigenthemes.text.normalize import normalize, squash, tokenize


def matched_name(mention: str, names: list[str], match_type: int, *, aliases: bool) -> str:
    """Return the name of an entity that a mention matched: one that is the same, or the fewest that have all its tokens.

    names  the label first; it is the one that shorter forms are made from, and without `aliases` the only one looked at
    """
    if match_type == REMEMBERED:
        return mention
    if not aliases or match_type in (UNBRACKETED, INITIALS, ACRONYM):
        return names[0]
    normalized = normalize(mention)
    key, missing = squash(normalized), set(normalized.split())
    same = next((name for name in names if squash(normalize(name)) == key), None)
    if same is not None:  # "Wal-Mart" and "Walmart" share no token, and are the same name
        return same
    tokens = {name: set(tokenize(name)) for name in names}
    chosen = list[str]()
    while not chosen or any(missing & tokens[name] for name in names):
        having = max(len(missing & tokens[name]) for name in names)
        alike = [name for name in names if len(missing & tokens[name]) == having]
        chosen.append(min(alike, key=lambda name: _distance(squash(normalize(name)), key)) if len(alike) > 1 else alike[0])
        missing -= tokens[chosen[-1]]
    return " + ".join(chosen)


def _distance(name: str, key: str) -> int:
    """Return the edit distance of two squashed names; where one has all letters of the other, in order, it is soon told."""
    shorter, longer = sorted((name, key), key=len)
    left = iter(longer)
    if all(letter in left for letter in shorter):
        return len(longer) - len(shorter)
    from rapidfuzz.distance import OSA  # takes longer to import than a look-up

    return int(OSA.distance(name, key))

"""Whole-name matches: of given candidates, by stems, from corrections, and the name that matched."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.rules import CONTAINS, REMEMBERED
from eigenthemes.core.arrays import spans_joined
from eigenthemes.core.strings import OutOfBoundsError, Strings, hash_strings
from eigenthemes.kb.name_arrays import ACRONYM, INITIALS, UNBRACKETED, NameIndexArrays
from eigenthemes.names.analysis import NameAnalysis
from eigenthemes.names.name_memory import NameMemories
from eigenthemes.text.normalize import normalize, squash, tokenize

Ints = NDArray[np.int64]


def match_types_of(index: NameIndexArrays, names: Sequence[str], name_of: Ints, entity: Ints) -> NDArray[np.uint8]:
    """Return how each entity [n] has the name names[name_of[i]]: its match type, or CONTAINS where that is no name of it.

    As `Lookup.whole_names`, for many names at once.
    """
    keys = [squash(normalize(name)) for name in names]
    row = index.key_table.find_all(hash_strings(Strings.of(keys)))
    known = np.flatnonzero((row >= 0) & np.array([bool(key) for key in keys], dtype=bool))
    bounds = index.key_indptr[row[known]], index.key_indptr[row[known] + 1]
    if not np.all((bounds[0] >= 0) & (bounds[0] <= bounds[1]) & (bounds[1] <= len(index.key_entities))):
        raise OutOfBoundsError("keys of names have parts that are not there")
    places = spans_joined(*bounds)
    span = max(int(entity.max(initial=0)), int(index.key_entities[places].max(initial=0))) + 1
    having = np.repeat(known, bounds[1] - bounds[0]) * span + index.key_entities[places]  # ascending, as both parts are
    asked = name_of * span + entity
    at = np.minimum(np.searchsorted(having, asked), max(0, len(having) - 1))
    found = np.full(len(entity), CONTAINS, np.uint8)
    if len(having):
        same = having[at] == asked
        found[same] = index.key_kinds[places[at[same]]]
    return found


def core_keys(names: Sequence[str], index: NameIndexArrays, analysis: NameAnalysis, language: str) -> dict[int, list[int]]:
    """Return, for those names whose core is a key of the index, the rows of the keys: one for each language of the KB."""
    cores = [
        (number, core) for number in analysis.with_cores(names) for core in sorted(analysis.cores(names[number], language))
    ]
    encoded = Strings.of(core if core.isascii() else core.encode("utf-8", "replace").decode("utf-8") for _, core in cores)
    found: dict[int, list[int]] = {}
    for (number, core), row in zip(cores, index.key_table.find_all(hash_strings(encoded)).tolist(), strict=True):
        if row >= 0 and core:
            found.setdefault(number, []).append(row)
    return found


_MOST = 10  # entities of a name; those it meant most often


def remembered_rows(
    names: Sequence[str],
    mention_of: NDArray[np.int64],
    entity: NDArray[np.uint32],
    memory: NameMemories,
    allowed: NDArray[np.bool_] | None,
) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return which mention and which entity [r], for what these names are remembered to mean and is no candidate yet.

    mention_of, entity  [n] the candidates there are, in order of mention
    allowed             [entities] those that may be meant; None: all
    """
    places, entities = list[int](), list[int]()
    for number, name in enumerate(names):
        remembered = memory.find(normalize(name))
        if remembered is None or not remembered.linked:
            continue
        first, last = np.searchsorted(mention_of, (number, number + 1))
        known = set(entity[first:last].tolist())
        often = sorted(remembered.linked, key=lambda each: (-remembered.linked[each], each))[:_MOST]
        new = [each for each in often if each not in known and (allowed is None or allowed[each])]
        places.extend([number] * len(new))
        entities.extend(new)
    return np.array(places, dtype=np.int64), np.array(entities, dtype=np.uint32)


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
    """Return the edit distance of two normalised names, with a shortcut where one contains the other's letters in order."""
    shorter, longer = sorted((name, key), key=len)
    left = iter(longer)
    if all(letter in left for letter in shorter):
        return len(longer) - len(shorter)
    from rapidfuzz.distance import OSA  # takes longer to import than a look-up

    return int(OSA.distance(name, key))

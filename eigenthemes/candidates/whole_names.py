"""Which of some entities have some names, as whole names: for candidates that documents bring themselves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.rules import CONTAINS
from eigenthemes.core.arrays import spans_joined
from eigenthemes.core.strings import OutOfBoundsError, Strings, hash_strings
from eigenthemes.kb.name_arrays import NameIndexArrays
from eigenthemes.text.normalize import normalize, squash

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

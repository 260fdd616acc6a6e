"""Which of many names are names of a KB by the stems of their words: `kb.stem_index`, for a batch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.kb.stem_index import InflectedNames
from eigenthemes.text.normalize import normalize
from eigenthemes.text.stems import stem
from eigenthemes.text.words import part_elisions


def may_be_inflected(names: Sequence[str], inflected: InflectedNames) -> list[int]:
    """Return which names `InflectedNames.key` may find: all that it does, and hardly any other."""
    assert inflected.index is not None
    language = inflected.language
    stems = ["".join([stem(word, language) for word in normalize(part_elisions(name)).split()]) for name in names]
    encoded = Strings.of(each if each.isascii() else each.encode("utf-8", "replace").decode("utf-8") for each in stems)
    rows: list[int] = np.flatnonzero(inflected.index.table.find_all(hash_strings(encoded)) >= 0).tolist()
    return rows

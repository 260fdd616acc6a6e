"""Words around a name that belong to a candidate: of its description, and of its neighbours' labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, about_length
from eigenthemes.ranking.features.feature_group import LocalGroup
from eigenthemes.text.normalize import normalize
from eigenthemes.text.words import WORD, plain_letters

Ints = NDArray[np.int64]

WINDOW = 15  # words on each side of a mention
_STEPS = 200  # letters of so many words
_COLUMNS = {
    "words": "words near the mention that are in its description or in its neighbours' labels, rare ones counting more",
}
_MOST = 0.5  # synthetic texts have more words that fit


def compute(groups: MentionGroups, context: FeatureContext) -> NDArray[np.float32]:
    """Compute how much of the words around each name belongs to its candidates [n, 1]; zeros without text."""
    from eigenthemes.kernels.profiles import overlap

    profiles = context.profiles
    if profiles is None:
        return np.zeros((len(groups.table_row), 1), np.float32)
    windows = windows_of(groups, context)
    compare = overlap.select_backend(about_length(profiles.indptr, groups.entity))
    found = compare(windows, groups.bounds, groups.entity, profiles.lists, profiles.rarity)
    return np.asarray(found[:, None], np.float32)


def windows_of(groups: MentionGroups, context: FeatureContext) -> tuple[Ints, Ints]:
    """Return the words around the mentions of each group, by their numbers in the name index; -1 where no name has it."""
    from eigenthemes.kernels.text_words import words_around

    text, places = _places(groups)
    codes, letters = plain_letters(text)
    table = context.token_table
    find = words_around.select_backend(len(codes) + _STEPS * len(places[0]))
    indptr, words = find(codes, letters, places, len(groups), table.hashes, table.buckets)
    others = np.flatnonzero(words < 0)
    if len(others):
        starts, which = np.unique(-2 - words[others], return_inverse=True)
        spelled = [match[0] for start in starts.tolist() if (match := WORD.match(text, start))]
        words[others] = table.find_all(hash_strings(Strings.of(map(normalize, spelled))))[which]
    return indptr, words


def _places(groups: MentionGroups) -> tuple[str, tuple[Ints, ...]]:
    """Return all texts of a batch as one, and where in it each group has words around it, as `words_around` takes them."""
    batch, pieces, size = groups.batch, list[str](), 0
    low, high = (np.zeros(len(batch.documents), np.int64) for _ in range(2))
    about = list[tuple[int, int, int]]()
    for number, document in enumerate(batch.documents):
        if document.text and document.table is None:
            low[number], high[number] = size, size + len(document.text)
            pieces.append(document.text)
            size = int(high[number]) + 1  # the new line between two texts
        if document.about:
            about.append((number, size, size + len(document.about)))
            pieces.append(document.about)
            size += len(document.about) + 1
    start = batch.starts
    own = np.flatnonzero(start >= 0)
    low, high = (np.repeat(side, np.diff(batch.mention_bounds))[own] for side in (low, high))
    begin = low + start[own]
    end = begin + np.array(list(map(len, batch.texts)), np.int64)[own]
    places = groups.group_of[own], low, begin, end, high, np.full(len(own), WINDOW)
    return "\n".join(pieces), _with_about(groups, places, about) if about else places


def _with_about(groups: MentionGroups, places: tuple[Ints, ...], about: list[tuple[int, int, int]]) -> tuple[Ints, ...]:
    """Add the texts about sources (document, first, last): all of their words count for all groups of the document."""
    added = [
        (group, low, low, low, high, high - low)
        for document, low, high in about
        for group in range(*groups.document_bounds[document : document + 2].tolist())
    ]
    further = np.array(added, np.int64).reshape(-1, len(places)).T
    return tuple(np.concatenate(pair) for pair in zip(places, further, strict=True))


GROUP = LocalGroup(name="words", columns=_COLUMNS, compute=compute, weakness="fits the words around it less well", most=_MOST)

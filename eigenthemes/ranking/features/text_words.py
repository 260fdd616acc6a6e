"""The words of a text near a mention that occur in a candidate's profile."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import OFFSET, find, finish, position, shift_of, step
from eigenthemes.core.jit import kernel
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, LocalGroup, about_length
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
    from eigenthemes.kb.profiles import overlap

    profiles = context.profiles
    if profiles is None:
        return np.zeros((len(groups.table_row), 1), np.float32)
    windows = windows_of(groups, context)
    compare = overlap.select_backend(about_length(profiles.indptr, groups.entity))
    found = compare(windows, groups.bounds, groups.entity, profiles.lists, profiles.rarity)
    return np.asarray(found[:, None], np.float32)


def windows_of(groups: MentionGroups, context: FeatureContext) -> tuple[Ints, Ints]:
    """Return the words around the mentions of each group, by their numbers in the name index; -1 where no name has it."""
    text, places = _places(groups)
    codes, letters = plain_letters(text)
    table = context.token_table
    find = words_around.select_backend(len(codes) + _STEPS * len(places[0]))
    indptr, words = find(codes, letters, places, len(groups), table.hashes, table.buckets)
    others = np.flatnonzero(words < -1)
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


WORDS = LocalGroup(name="words", columns=_COLUMNS, compute=compute, weakness="fits the words around it less well", most=_MOST)


SEPARATOR, OTHER = 1, 2  # letters that end a word; that are no plain ones, but parts of words
_UNREAD = -(1 << 62)  # beyond every place of a text


@kernel
def words_around(codes: Any, letters: Any, places: Any, owners: Any, hashes: Any, buckets: Any) -> Any:
    """Return the words around the places of each owner (indptr [owners + 1], words [q] int64).

    codes            [c] uint32 code points; letters: the plain small letter of each code point, SEPARATOR or OTHER
    places           (owner, low, begin, end, high, reach), [k] each: of the words that start in low:begin the last ones
                     count, of those that start in end:high the first ones, `reach` of each
    hashes, buckets  a `HashTable` of tokens

    Words are rows of the table, in the order of places; -1: it has none. A word with other letters cannot be looked up here:
    it is given as -2 - (where it starts).
    """
    owner, low, begin, end, high, reach = places
    starts, states, has_other, many = _read(codes, letters)
    spans = np.zeros((len(owner), 4), np.int64)
    counts = np.zeros(owners + 1, np.int64)
    for k in range(len(owner)):
        first = position(starts, 0, many, low[k])
        before = position(starts, first, many, begin[k])
        after = position(starts, before, many, end[k])
        last = position(starts, after, many, high[k])
        spans[k, 0], spans[k, 1] = max(first, before - reach[k]), before
        spans[k, 2], spans[k, 3] = after, min(last, after + reach[k])
        counts[owner[k] + 1] += spans[k, 1] - spans[k, 0] + spans[k, 3] - spans[k, 2]
    indptr, filled = np.cumsum(counts), np.cumsum(counts)
    found = np.zeros(filled[owners], np.int64)
    rows, shift = np.full(many, _UNREAD, np.int64), shift_of(buckets)
    for k in range(len(owner)):
        for side in range(0, 4, 2):
            for word in range(spans[k, side], spans[k, side + 1]):
                if rows[word] == _UNREAD:
                    other = has_other[word]
                    rows[word] = -2 - starts[word] if other else find(finish(states[word]), hashes, buckets, shift)
                found[filled[owner[k]]] = rows[word]
                filled[owner[k]] += 1
    return indptr, found


@kernel
def _read(codes: Any, letters: Any) -> Any:
    """Return where the words of a text start, in order, the states of their hashes, whether they have other letters; how many.

    The place of the next word is written at each letter, and stays as it is at the last one.
    """
    room = len(codes) // 2 + 2
    starts, states, has_other = np.empty(room, np.int64), np.empty(room, np.uint64), np.empty(room, np.bool_)
    many, inside, start, state, other = 0, False, 0, OFFSET, False
    for at in range(len(codes)):
        letter = letters[codes[at]]
        is_letter = letter > SEPARATOR
        many += inside & (not is_letter)
        start = start if inside else at
        state = step(state if inside else OFFSET, letter)
        other = (other & inside) | (letter == OTHER)
        starts[many], states[many], has_other[many] = start, state, other
        inside = is_letter
    return starts, states, has_other, many + inside

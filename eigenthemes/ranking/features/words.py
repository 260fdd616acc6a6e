"""Words around a name that belong to a candidate: of its description, and of its neighbours' labels."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.ranking.features.feature_context import FeatureContext
from eigenthemes.ranking.features.feature_group import LocalGroup
from eigenthemes.ranking.mention_groups import MentionGroups
from eigenthemes.text.normalize import normalize
from eigenthemes.text.words import WORD

Ints = NDArray[np.int64]

WINDOW = 15  # words on each side of a mention
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
    found = overlap(windows_of(groups, context), groups.bounds, groups.entity, profiles.lists, profiles.rarity)
    return np.asarray(found[:, None], np.float32)


def windows_of(groups: MentionGroups, context: FeatureContext) -> tuple[Ints, Ints]:
    """Return the distinct words around the mentions of each group, by their numbers in the name index, in order."""
    pieces, owners = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    bounds = groups.batch.mention_bounds.tolist()
    for number, document in enumerate(groups.batch.documents):
        first, last = bounds[number : number + 2]
        if document.about:
            _, known = read_words(document.about, context)
            own = np.unique(groups.group_of[first:last])
            pieces.append(np.tile(known, len(own)))
            owners.append(np.repeat(own, len(known)))
        if not document.text or document.table is not None:
            continue
        starts, known = read_words(document.text, context)
        mentions = groups.batch.mentions[first:last]
        begin = np.array([document.start_of(mention) for mention in mentions], dtype=np.int64)
        end = begin + [len(mention.text) for mention in mentions]
        places = zip(groups.group_of[first:last].tolist(), *np.searchsorted(starts, (begin, end)).tolist(), strict=True)
        for (group, before, after), start in zip(places, begin.tolist(), strict=True):
            if start >= 0:
                pieces += known[max(0, before - WINDOW) : before], known[after : after + WINDOW]
                owners.append(np.full(len(pieces[-1]) + len(pieces[-2]), group))
    words, owner = np.concatenate(pieces), np.concatenate(owners)
    key = np.unique((owner[words >= 0] << 32) | words[words >= 0])
    indptr = np.searchsorted(key, np.arange(len(groups) + 1) << 32)
    return indptr, key & 0xFFFFFFFF


def read_words(text: str, context: FeatureContext) -> tuple[Ints, Ints]:
    """Return where each word of a text starts [k], and its number in the name index [k]; -1 where no name has it."""
    from eigenthemes.kernels.text_words import ascii_words

    table = context.token_table
    plain = np.frombuffer(text.encode("ascii", "replace"), np.uint8)  # a byte per code point
    starts, known = ascii_words(plain, table.hashes, table.buckets)
    if text.isascii():
        return starts, known
    words = [(match.start(), match.end(), normalize(match[0])) for match in WORD.finditer(text) if not match[0].isascii()]
    first, last = (np.array([word[side] for word in words], dtype=np.int64) for side in (0, 1))
    within = np.searchsorted(first, starts, side="right") - 1  # pieces of words that are not plain
    apart = (within < 0) | (starts >= np.append(last, 0)[within])
    others = table.find_all(hash_strings(Strings.of([word for _, _, word in words])))
    starts, known = np.concatenate((starts[apart], first)), np.concatenate((known[apart], others))
    order = np.argsort(starts, kind="stable")
    return starts[order], known[order]


GROUP = LocalGroup(name="words", columns=_COLUMNS, compute=compute, weakness="fits the words around it less well", most=_MOST)

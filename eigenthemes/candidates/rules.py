"""Matching rules of the default generator, as data.

Both look-ups (`plain`, one mention in plain Python; `compiled`, many at once) follow this file.

1. The mention equals a name of the entity (spaces apart): always kept among the T.
2. It equals a label without its bracketed part, or turned round at its commas ("Severe intellectual disability" for
   "Intellectual disability, severe"); a label with initials for first names, or its acronym (at most `QUOTA` of each of these;
   an acronym of two letters only if the mention is written in capitals, and not in ontologies).
   Its core equals that of a name (`names.analysis`: without articles, titles, legal forms, by stems).
3. It equals a name but for an ending (`ENDINGS`: plural, possessive, "Iowan" for Iowa): at most `QUOTA`. Where nothing equals
   it so far, its own core is looked up, in each language of the KB (both look-ups leave that to the generator).
   Where nothing equals it yet: a name with the umlauts that it spells out ("Loew" for Löw), or a slip of the pen away in one
   word. Where still nothing does, in a KB that writes names small: a name with another word that the KB's own names use in the
   place of one of its words ("hearing loss" for "Hearing impairment"; `other_words`).
4. Names and aliases together contain all its tokens (the paper's rule), until there are T. Where more do, half of the room is
   by prior, the other half by prior among those of the first `LOOKED_AT` whose label begins with the mention's first word
   ("England cricket team" for "England" comes before the towns "..., England").
5. Where nothing was found: entities with a name that is a part of it, longest parts first ("President Barack Obama"); at most
   `QUOTA`. Beside these and, in a KB that writes names small, as ontologies do, beside all others until there are T: entities
   that share most of its tokens, weighted by rarity; in the latter, first those with a name that has most of them and few
   others. A token may stand for one with umlauts or, in a KB that writes names small, for one of its `FAMILY`; an unknown one
   also for one with another plural ending or, if there is none at all, for one a slip of the pen away (`typos`). At least so
   many tenths of the weight must be shared as `Sharing` says. Tokens that more than `COMMON` entities and one in `COMMON` have
   count for nothing then. Many of these are wrong; a ranker weighs how much is shared (`OVERLAP`).
6. What people said the name means (`kb.memory`) is a candidate, too, beyond the T (`remembered`; of both look-ups).

The result is in order of prior, like the paper's.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.name_arrays import ACRONYM, ALIAS, CORE, INITIALS, LABEL, UNBRACKETED

ENDING, CONTAINS, SHARES, TYPO, REMEMBERED, SPELLING, WORDING = range(ACRONYM + 1, ACRONYM + 8)
MATCH_TYPES = {
    LABEL: "label",
    ALIAS: "alias",
    UNBRACKETED: "label but for brackets or commas",
    CORE: "same core",
    INITIALS: "initials",
    ACRONYM: "acronym",
    ENDING: "other ending",
    CONTAINS: "contains all words",
    SHARES: "shares words",
    TYPO: "similar spelling",
    REMEMBERED: "remembered",
    SPELLING: "other spelling",
    WORDING: "other word",
}

QUOTA = 5

# (ending of the mention, ending of the name, letters that must stand before it). Each earned its place on the tuning sets.
PLURALS = (
    ("ies", "y", 3), ("es", "", 3), ("s", "", 3), ("", "s", 3),
    ("y", "ies", 3), ("", "es", 3), ("sis", "ses", 2), ("ses", "sis", 2),
)  # fmt: skip
_PEOPLE = (
    ("n", ""), ("an", ""), ("ns", ""), ("ans", ""), ("ian", ""), ("er", ""), ("i", ""), ("is", ""), ("ese", ""), ("ish", ""),
    ("n", "s"), ("an", "o"), ("ans", "o"), ("ian", "e"), ("", "y"), ("", "ia"),
)  # fmt: skip
ENDINGS = PLURALS + tuple((of_mention, of_name, 4) for of_mention, of_name in _PEOPLE)

# Endings of words of one family (ataxic, ataxia; inherited, inheritance): words are one where the longest ending that leaves
# ROOT letters leaves the same. The longest come first.
FAMILY = tuple(
    sorted(
        (
            "", "s", "es", "ed", "ing", "e", "y", "ies", "ic", "ical", "ics", "ia", "ias", "al", "ally", "ality", "alities",
            "ation", "ations", "ance", "ant", "ent", "ence", "ive", "ity", "ities", "ous", "osis", "otic", "ism", "ist", "ly",
            "ar", "ary", "a", "us", "um", "er", "or", "ion", "ions", "atic", "oid", "ment", "able", "ability",
        ),
        key=lambda ending: (-len(ending), ending),
    )
)  # fmt: skip
ROOT = 4

LONGEST_SPELLED = 256  # bytes of a mention that may be another spelling of a whole name
LOOKED_AT = 300  # entities that contain all tokens and are looked at for their labels
COMMON = 64
MOST_SHARING = 20
RARE_LIST, LONG_RARE_LIST = 16, 64  # entities taken of a rare token's list; the second in a KB that writes names small
NAMES_COMPARED = 32  # names of an entity that are compared with the mention, the label first
RARE_TOKENS = 2  # tokens whose lists are opened
MOST_FORMS = 4
MOST_TYPOS = 8
MOST_WORDS = 8  # of a mention that may hold a name, or a word in the place of another
MOST_WORDINGS = 8  # names with another word that are looked at
SHORTEST_PART = 3  # letters of a single word that is a name within a mention
UNIT = 1024
FORM_TENTHS, TYPO_TENTHS = 9, 8  # what a token counts that is another form or a slip away
_ENDINGS_OF_FAMILY = tuple(ending.encode() for ending in FAMILY)
_SPELLED_OUT = re.compile(rb"([aou])e")


class Sharing(NamedTuple):
    """Selection of candidates that share words with the mention.

    tenths    of the weight of the words that must be shared, in whole numbers: both look-ups agree to the last bit
    most      entities that are
    fills_up  also beside others, where names are written small; False: only where nothing else was found
    """

    tenths: int
    most: int
    fills_up: bool


SHARING = Sharing(3, MOST_SHARING, True)
SHARING_UNWEIGHED = Sharing(4, 10, False)  # for methods that do not weigh how much is shared
OVERLAP = "overlap"  # the column of a ranker that tells how much a name shares with the mention


def is_common(entities: int, having: int) -> bool:
    """Return True if too many entities have a token for it to be evidence beside others."""
    return having > COMMON and having * COMMON > entities


def are_common(entities: int, having: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return `is_common` of many tokens."""
    return (having > COMMON) & (having * COMMON > entities)


def rarity(entities: int, having: int) -> int:
    """Return the weight of a token: log2(1 + N / df) in units of 1/1024; of an unknown one, as if one entity had it."""
    return int(UNIT * math.log2(1.0 + entities / max(1, having)))


def by_prior(room: int) -> int:
    """Return how many of the places left go to the highest priors alone, where more entities contain all tokens."""
    return room // 2


def by_last_letter(endings: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the endings of words by their last byte, in their order: rows[indptr[byte]:indptr[byte + 1]]."""
    rows = [[row for row, ending in enumerate(endings) if not ending or ord(ending[-1]) == byte] for byte in range(256)]
    return np.cumsum([0, *map(len, rows)]), np.concatenate(rows)


def root_of(word: bytes) -> bytes:
    """Return a word without the longest ending of its family."""
    for ending in _ENDINGS_OF_FAMILY:
        if len(word) - len(ending) >= ROOT and word.endswith(ending):
            return word[: len(word) - len(ending)]
    return word


def family_of(word: bytes) -> list[bytes]:
    """Return the words that have the root of a word, whether there are such or not; itself among them."""
    root = root_of(word)
    words = [root + ending for ending in _ENDINGS_OF_FAMILY] if len(root) >= ROOT else []
    return [other for other in words if root_of(other) == root]


def with_umlauts(word: bytes) -> bytes:
    """Return a normalised word as if its ae, oe and ue were umlauts, which are folded to a, o and u."""
    return _SPELLED_OUT.sub(rb"\1", word)

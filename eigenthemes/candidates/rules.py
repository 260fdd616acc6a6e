"""How a mention may differ from a name and still find it: the rules of the default generator, as data.

Both look-ups (`plain`, one mention in plain Python; `compiled`, many at once) follow this file.

1. The mention equals a name of the entity (spaces apart): always kept among the T.
2. It equals a label without its bracketed part, with initials for first names, or its acronym (at most `QUOTA` of each of the
   last two).
3. It equals a name but for an ending (`ENDINGS`: plural, possessive, "Iowan" for Iowa): at most `QUOTA`. Where nothing equals
   it so far, a name by the stems of its words counts as such (`kb.stem_index`; both look-ups leave that to the generator).
4. Names and aliases together contain all its tokens (the paper's rule), by prior, until there are T.
5. Only where all this found nothing: entities that share most of its tokens, weighted by rarity. An unknown token may stand
   for one with another plural ending or, if there is none, for one a slip of the pen away (`typos`). At least `SHARE_OF_TEN`
   tenths of the weight must be shared. Tokens that more than `COMMON` entities and one in `COMMON` have count for nothing then.

6. What people said the name means (`kb.memory`) is a candidate, too, beyond the T (`remembered`; of both look-ups).

The result is in order of prior, like the paper's.
"""

from __future__ import annotations

import math

from eigenthemes.kb.name_index import ACRONYM, ALIAS, INITIALS, LABEL, UNBRACKETED

ENDING, CONTAINS, SHARES, TYPO, REMEMBERED = range(ACRONYM + 1, ACRONYM + 6)
MATCH_TYPES = {
    LABEL: "label",
    ALIAS: "alias",
    UNBRACKETED: "label without brackets",
    INITIALS: "initials",
    ACRONYM: "acronym",
    ENDING: "other ending",
    CONTAINS: "contains all words",
    SHARES: "shares words",
    TYPO: "similar spelling",
    REMEMBERED: "remembered",
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

SHARE_OF_TEN = 4  # in tenths, like all weights in whole numbers: both look-ups agree to the last bit
MOST_SHARING = 10
COMMON = 64
RARE_LIST = 16  # entities taken of a rare token's list
RARE_TOKENS = 3  # tokens whose lists are opened
MOST_TYPOS = 8
UNIT = 1024
PLURAL_TENTHS, TYPO_TENTHS = 9, 8  # what a token found by another ending or by a slip counts


def is_common(entities: int, having: int) -> bool:
    """Return whether so many entities have a token that it says nothing beside others."""
    return having > COMMON and having * COMMON > entities


def rarity(entities: int, having: int) -> int:
    """Return the weight of a token: log2(1 + N / df) in units of 1/1024; of an unknown one, as if one entity had it."""
    return int(UNIT * math.log2(1.0 + entities / max(1, having)))

"""Names that the text itself defines as abbreviations of something: does the best candidate fit what they stand for?"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.name_index import UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.mentions.abbreviations import definitions
from eigenthemes.mentions.clues import NO_NAME
from eigenthemes.ranking.mention_groups import MentionGroups
from eigenthemes.text.normalize import name_key, normalize

_FITS = 3.0  # log-odds where the long form is a name of the best candidate
_HALF = 0.5


def abbreviation_clues(groups: MentionGroups, entity_of: NDArray[np.int64], kb: KB) -> tuple[NDArray[np.float64], list[str]]:
    """Return log-odds of each group [m], and the long form where it speaks against the best candidate, `entity_of` [m].

    Against it: the long form is no name of the KB, and shares less than half of its words with every name of the candidate.
    """
    odds, stands_for = np.zeros(len(groups)), [""] * len(groups)
    batch = groups.batch
    for document, (first, last) in zip(batch.documents, pairwise(groups.document_bounds.tolist()), strict=True):
        defined = definitions(document.text or "")
        for group in range(first, last) if defined else ():
            long_forms = defined.get(batch.mentions[groups.first_mention[group]].text)
            if long_forms and entity_of[group] >= 0:
                names = [normalize(name) for name in kb.names_of(int(entity_of[group]))]
                if any(normalize(long_form) in names for long_form in long_forms):
                    odds[group] = _FITS
                elif not any(_is_name(kb, long_form) or _shares_words(long_form, names) for long_form in long_forms):
                    odds[group], stands_for[group] = NO_NAME, long_forms[0]
    return odds, stands_for


def _is_name(kb: KB, text: str) -> bool:
    """Return whether a text is a name of an entity, or a label without brackets."""
    index = kb.name_index
    row = index.key_table.find(name_key(text))
    return row >= 0 and bool((index.key_kinds[index.key_indptr[row] : index.key_indptr[row + 1]] <= UNBRACKETED).any())


def _shares_words(long_form: str, names: list[str]) -> bool:
    words = set(normalize(long_form).split())
    return any(len(words & set(name.split())) >= _HALF * len(words) for name in names)

"""Corrections of the name, in other documents and in this one.

A name that many entities have means another one next time more often than a name that one has: its corrections count for less.

Their weights cannot be learned from made-up documents, which nobody corrects: until there are enough corrections to fit them
on, they are those of `CHOICE` and `NIL`, under which a single correction outweighs all but the clearest evidence, and what
was said of a name in the very same document is as good as certain.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.name_arrays import WHOLE
from eigenthemes.names.name_memory import NameMemory
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features.feature_context import FeatureContext, LocalGroup
from eigenthemes.text.normalize import squash

_COLUMNS = {
    "linked_so": "log of 1 + in how many other documents corrections linked the name to it; less where many have the name",
    "linked_share": "the same as a share of 1 + all other documents in which corrections have the name; less, too",
    "linked_none": "the share of those in which it was none of the KG",
    "said_here": "corrections of this very document linked the name to it",
    "said_none_here": "corrections of this very document said that it is none of the KG",
}
CHOICE = {"linked_so": 1.0, "linked_share": 4.0, "linked_none": 0.0, "said_here": 12.0, "said_none_here": 0.0}
NIL = {"linked_so": -1.0, "linked_share": -3.0, "linked_none": 12.0, "said_here": -12.0, "said_none_here": 12.0}

_DOUBT = 2.0  # times the log of how many have the name: so many documents more, which say nothing


def compute(groups: MentionGroups, context: FeatureContext) -> NDArray[np.float32]:
    """Compute what is remembered of the names of mention groups [n, 5]."""
    columns = np.zeros((len(groups.table_row), len(_COLUMNS)), np.float32)
    memory = context.memory
    if memory is None:
        return columns
    bounds, document_names = groups.name_bounds.tolist(), groups.document_names.tolist()
    is_name = groups.batch.table.match_type[groups.table_row] <= WHOLE
    for number, document in enumerate(groups.batch.documents):
        said = memory.corrections_in(document)
        for name in range(document_names[number], document_names[number + 1]):
            here = said.get(squash(groups.names[name]))
            elsewhere = memory.find(groups.names[name], without=here)
            if elsewhere is not None:
                rows = slice(bounds[name], bounds[name + 1])
                columns[rows, :3] = _elsewhere(elsewhere, groups.entity[rows], int(is_name[rows].sum()))
                if here is not None and not context.leaves_out_own:
                    columns[rows, 3] = np.isin(groups.entity[rows], list(here.entities))
                    columns[rows, 4] = here.none and not here.entities
    return columns


def _elsewhere(remembered: NameMemory, entity: NDArray[np.int64], namesakes: int) -> NDArray[np.float64]:
    """Return the corrections from other documents for each candidate of a name with `namesakes` entities [n, 3]."""
    times = np.array([remembered.linked.get(each, 0) for each in entity.tolist()], dtype=np.float64)
    documents = 1 + remembered.total
    believed = times * documents / (documents + _DOUBT * np.log(max(1, namesakes)))
    return np.stack((np.log1p(believed), believed / documents, np.full(len(times), remembered.none / documents)), axis=1)


GROUP = LocalGroup(name="memory", columns=_COLUMNS, compute=compute, weakness="is not what your corrections link it to")

"""Mentions of one document that are decided together, because they have the same name, context and candidates.

A name that occurs again in its document has the same candidates for the same reasons: it is looked at once. In a table the
context is the column: the same cell text in two columns may mean two things.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.ranking.batch import Batch
from eigenthemes.records import Document, Mention
from eigenthemes.text.normalize import normalize

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MAX_LONGER = 32  # names looked at to find longer ones


@dataclass(frozen=True)
class MentionGroups:
    """The mention groups of a batch, and their candidates (rows).

    names            [m] the name of each group, normalised
    first_mention    [m] the first mention of each group, by its number in the batch
    group_of         [mentions] the group of each mention
    document_bounds  [d + 1] groups of each document
    bounds           [m + 1] rows of each group
    table_row        [n] row of the batch's table
    longer           (indptr [m + 1], groups of the same document, counted within it) whose name contains the group's as a part
    """

    batch: Batch
    names: list[str]
    first_mention: Ints
    group_of: Ints
    document_bounds: Ints
    bounds: Ints
    table_row: Ints
    longer: tuple[Ints, Ints]

    @classmethod
    def of(cls, batch: Batch) -> MentionGroups:
        """Group the mentions of a batch."""
        table = batch.table
        table_bounds = np.searchsorted(table.mention_of, np.arange(table.mentions + 1))
        candidate_counts = np.diff(table_bounds).tolist()
        names: list[str] = []
        first_mention: list[int] = []
        group_of = np.zeros(table.mentions, np.int64)
        document_bounds, longer, longer_bounds = [0], list[int](), [0]
        for document, (start, stop) in zip(batch.documents, pairwise(batch.mention_bounds.tolist()), strict=True):
            groups: dict[tuple[Any, ...], int] = {}
            for i in range(start, stop):
                mention = batch.mentions[i]
                name = normalize(mention.text)
                key = (name, context_key(document, mention), candidate_counts[i], mention.candidates, mention.priors)
                group = groups.setdefault(key, len(names))
                if group == len(names):
                    names.append(name)
                    first_mention.append(i)
                group_of[i] = group
            for containing in _longer_names(names[document_bounds[-1] :]):
                longer.extend(containing)
                longer_bounds.append(len(longer))
            document_bounds.append(len(names))
        first = np.array(first_mention, np.int64)
        counts = table_bounds[first + 1] - table_bounds[first]
        bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        table_row = np.repeat(table_bounds[first] - bounds[:-1], counts) + np.arange(bounds[-1])
        contained = np.array(longer_bounds), np.array(longer, np.int64)
        return cls(batch, names, first, group_of, np.array(document_bounds), bounds, table_row, contained)

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def entity(self) -> Ints:
        """The entity of each row [n]."""
        return self.batch.table.entity[self.table_row].astype(np.int64)

    @cached_property
    def group(self) -> Ints:
        """The group of each row [n]."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    @cached_property
    def other_groups(self) -> Ints:
        """How many other groups the document of each group has [m]."""
        counts = np.diff(self.document_bounds)
        return np.repeat(counts, counts) - 1

    @cached_property
    def row_of_candidate(self) -> Ints:
        """The row, here, of each row of the batch's table."""
        mention_of = self.batch.table.mention_of
        first = np.searchsorted(mention_of, mention_of)
        return self.bounds[self.group_of[mention_of]] + np.arange(len(mention_of)) - first

    def best_of_group(self, values: Floats) -> Floats:
        """Return for each row the highest value among the rows of its group [n]."""
        best = np.full(len(self), -np.inf)
        np.maximum.at(best, self.group, values)
        return best[self.group]

    def spans(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield the first and last group, first and last row of each document; the last ones are not part of it."""
        for first_group, last_group in pairwise(self.document_bounds.tolist()):
            yield first_group, last_group, int(self.bounds[first_group]), int(self.bounds[last_group])

    def document_of(self, group: int) -> int:
        """Return the number of the document that a group is of."""
        return int(np.searchsorted(self.document_bounds, group, side="right")) - 1


def context_key(document: Document, mention: Mention) -> int | None:
    """Return what sets mentions of one name apart within their document: the column of a table, nothing in a text."""
    return None if document.table is None else mention.col


def _longer_names(names: Sequence[str]) -> Iterator[list[int]]:
    """Yield for each name the numbers of the names that contain it, word for word."""
    having: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        for word in dict.fromkeys(name.split()):
            having.setdefault(word, []).append(number)
    for name in names:
        padded = f" {name} "
        near = having.get(name.partition(" ")[0], [])[:_MAX_LONGER] if name else []
        yield [other for other in near if len(names[other]) > len(name) and padded in f" {names[other]} "]

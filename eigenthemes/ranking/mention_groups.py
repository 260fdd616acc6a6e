"""Mentions of one document that are decided together, because they have the same name, candidates and context.

A name that occurs again in its document has the same candidates for the same reasons: it is decided once. In a table the
context is the column: the same cell text in two columns may mean two things.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.lazy import lazy
from eigenthemes.ranking.batch import Batch
from eigenthemes.records import Mention
from eigenthemes.text.normalize import normalize

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MAX_LONGER = 32  # names looked at to find longer ones


@dataclass(frozen=True)
class MentionGroups:
    """The mention groups of a batch, the names they are of, and their candidates (rows).

    Groups of one name lie side by side. They do not support each other: a name is no witness for itself.

    group_of         [mentions] the group of each mention
    first_mention    [m] the first mention of each group, by its number in the batch
    bounds           [m + 1] rows of each group
    document_bounds  [d + 1] groups of each document
    table_row        [n] row of the batch's table
    names            [k] the distinct names of each document, normalised
    name_of          [m] the name of each group, by its number
    name_bounds      [k + 1] rows of each name
    document_names   [d + 1] names of each document
    longer           (indptr [k + 1], names of the same document, counted within it) that contain a name as a part
    """

    batch: Batch
    group_of: Ints
    first_mention: Ints
    bounds: Ints
    document_bounds: Ints
    table_row: Ints
    names: list[str]
    name_of: Ints
    name_bounds: Ints
    document_names: Ints
    longer: tuple[Ints, Ints]

    @classmethod
    def of(cls, batch: Batch) -> MentionGroups:
        """Group the mentions of a batch."""
        table = batch.table
        table_bounds = np.searchsorted(table.mention_of, np.arange(table.mentions + 1))
        keys = _name_keys(batch, np.diff(table_bounds).tolist())
        group_of, first_mention, names = list[int](), list[int](), list[str]()
        document_bounds, document_names, group_bounds = [0], [0], [0]
        longer, longer_bounds = list[int](), [0]
        for document, (start, stop) in zip(batch.documents, pairwise(batch.mention_bounds.tolist()), strict=True):
            if document.table is None:
                found = dict[NameKey, int]()
                for number, key in enumerate(keys[start:stop], start):
                    group = found.setdefault(key, len(first_mention))
                    if group == len(first_mention):
                        first_mention.append(number)
                    group_of.append(group)
                names.extend([key[0] for key in found])
                group_bounds.extend(range(document_bounds[-1] + 1, len(first_mention) + 1))
            else:
                of_cells = [0] * (stop - start)
                for key, groups in _cells_by_name(batch.mentions[start:stop], keys[start:stop]).items():
                    for cells in groups.values():
                        for cell in cells:
                            of_cells[cell] = len(first_mention)
                        first_mention.append(start + cells[0])
                    names.append(key[0])
                    group_bounds.append(len(first_mention))
                group_of.extend(of_cells)
            for containing in _longer_names(names[document_names[-1] :]):
                longer.extend(containing)
                longer_bounds.append(len(longer))
            document_bounds.append(len(first_mention))
            document_names.append(len(names))
        first = np.array(first_mention, np.int64)
        counts = table_bounds[first + 1] - table_bounds[first]
        bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return cls(
            batch,
            np.array(group_of, np.int64),
            first,
            bounds,
            np.array(document_bounds),
            np.repeat(table_bounds[first] - bounds[:-1], counts) + np.arange(bounds[-1]),
            names,
            np.repeat(np.arange(len(names)), np.diff(group_bounds)),
            bounds[group_bounds],
            np.array(document_names),
            (np.array(longer_bounds), np.array(longer, np.int64)),
        )

    def __len__(self) -> int:
        return len(self.first_mention)

    @lazy
    def entity(self) -> Ints:
        """The entity of each row [n]."""
        return self.batch.table.entity[self.table_row].astype(np.int64)

    @lazy
    def group(self) -> Ints:
        """The group of each row [n]."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    @lazy
    def name_of_row(self) -> Ints:
        """The name of each row, by its number [n]."""
        return np.repeat(np.arange(len(self.names)), np.diff(self.name_bounds))

    @lazy
    def other_names(self) -> Ints:
        """How many other names the document of each group has [m]."""
        counts = np.diff(self.document_names)
        return (np.repeat(counts, counts) - 1)[self.name_of]

    @lazy
    def log_words(self) -> Floats:
        """The log of the number of words of each group's name [m]."""
        words = np.array([1 + name.count(" ") for name in self.names], dtype=np.float64)
        return np.log(words)[self.name_of]

    @lazy
    def row_of_candidate(self) -> Ints:
        """The row, here, of each row of the batch's table."""
        mention_of = self.batch.table.mention_of
        first = np.searchsorted(mention_of, mention_of)
        return self.bounds[self.group_of[mention_of]] + np.arange(len(mention_of)) - first

    @lazy
    def column_of(self) -> Ints:
        """The column of each group, counted through all tables of the batch [m]; -1 where it is in no table."""
        batch, column_of = self.batch, np.full(len(self), -1)
        tables = np.array([document.table is not None for document in batch.documents], dtype=bool)
        document = np.repeat(np.arange(len(tables)), np.diff(self.document_bounds))
        in_table = np.flatnonzero(tables[document])
        cols = [batch.mentions[mention].col for mention in self.first_mention[in_table].tolist()]
        column = np.array([-1 if col is None else col for col in cols], np.int64)
        cells = in_table[column >= 0]
        column_of[cells] = np.unique((document[cells] << 32) | column[column >= 0], return_inverse=True)[1]
        return column_of

    @lazy
    def columns(self) -> tuple[Ints, Ints]:
        """The groups of each column that have candidates (indptr [c + 1], groups)."""
        having = np.flatnonzero((self.column_of >= 0) & (np.diff(self.bounds) > 0))
        order = having[np.argsort(self.column_of[having], kind="stable")]
        counts = np.bincount(self.column_of[order], minlength=int(self.column_of.max(initial=-1)) + 1)
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int64), order

    def best_of_group(self, values: Floats) -> Floats:
        """Return for each row the highest value among the rows of its group [n]."""
        best = np.full(len(self), -np.inf)
        np.maximum.at(best, self.group, values)
        return best[self.group]

    def spans(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield the first and last group, first and last row of each document; the last ones are not part of it."""
        for first_group, last_group in pairwise(self.document_bounds.tolist()):
            yield first_group, last_group, int(self.bounds[first_group]), int(self.bounds[last_group])


NameKey = tuple[str, int, tuple[str, ...] | None, tuple[float, ...] | None, tuple[str, ...]]


def _name_keys(batch: Batch, candidate_counts: Sequence[int]) -> list[NameKey]:
    """Return what tells the names of mentions apart: normalised; another name where it brings other candidates."""
    normalized = dict[str, str]()
    keys = list[NameKey]()
    for mention, count in zip(batch.mentions, candidate_counts, strict=True):
        name = mention.full_name or mention.text
        key = normalized.get(name)
        if key is None:
            key = normalized[name] = normalize(name)
        keys.append((key, count, mention.candidates, mention.priors, mention.only_types))
    for number, form in batch.forms.items():
        keys[number] = normalize(form), *keys[number][1:]
    return keys


def _cells_by_name(mentions: Sequence[Mention], keys: Sequence[NameKey]) -> dict[NameKey, dict[int | None, list[int]]]:
    """Return the numbers of the cells of each distinct name, by their columns."""
    names: dict[NameKey, dict[int | None, list[int]]] = {}
    for number, (mention, key) in enumerate(zip(mentions, keys, strict=True)):
        names.setdefault(key, {}).setdefault(mention.col, []).append(number)
    return names


def _longer_names(names: Sequence[str]) -> Iterator[list[int]]:
    """Yield for each name the numbers of the names that contain it, word for word."""
    having: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        if " " in name:  # a single word contains no other name
            for word in dict.fromkeys(name.split()):
                having.setdefault(word, []).append(number)
    for name in names:
        near = having.get(name.partition(" ")[0]) if name else None
        if near is None:
            yield []
        else:
            padded = f" {name} "
            near = near[:_MAX_LONGER]
            yield [other for other in near if len(names[other]) > len(name) and padded in f" {names[other]} "]

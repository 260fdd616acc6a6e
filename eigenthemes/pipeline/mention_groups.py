"""Mentions of one document that are decided together, because they have the same name, candidates and context.

A name that occurs again in its document has the same candidates for the same reasons: it is decided once. In a table the
context is the column: the same cell text in two columns may mean two things.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import lists_of, read_only
from eigenthemes.core.threads import lazy
from eigenthemes.pipeline.batch import Batch
from eigenthemes.text.normalize import normalize, normalize_many

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_STEPS_PER_WORD = 8  # of a name, to find longer ones


@dataclass(frozen=True)
class MentionGroups:
    """The mention groups of a batch, the names they are of, and their candidates (rows).

    Groups of one name lie side by side. They do not support each other: a name is no witness for itself.

    group_of         [mentions] the group of each mention
    first_mention    [m] the first mention of each group, by its number in the batch
    bounds           [m + 1] rows of each group
    document_bounds  [d + 1] groups of each document
    table_row        [n] row of the batch's table
    first_of_name    [k] the first mention of each name: the distinct names, normalised, of each document are counted
    name_of          [m] the name of each group, by its number
    name_bounds      [k + 1] rows of each name
    document_names   [d + 1] names of each document
    words            (indptr [k + 1], hashes) of each name
    """

    batch: Batch
    group_of: Ints
    first_mention: Ints
    bounds: Ints
    document_bounds: Ints
    table_row: Ints
    first_of_name: Ints
    name_of: Ints
    name_bounds: Ints
    document_names: Ints
    words: tuple[Ints, NDArray[np.uint64]]

    @classmethod
    def of(cls, batch: Batch) -> MentionGroups:
        """Group the mentions of a batch."""
        table_bounds = batch.table.bounds
        key, written, words = _name_keys(batch, np.diff(table_bounds))
        document = np.repeat(np.arange(len(batch.documents)), np.diff(batch.mention_bounds))
        name, first_of_name = numbered(document * (1 + key.max(initial=0)) + key)
        group, first = name, first_of_name
        if not batch.in_text.all():  # in a table, the cells of a name in one column
            column = _columns(batch) + 1
            group, first = numbered(name * (column.max(initial=0) + 1) + column, within=name)
        every_document = np.arange(len(batch.documents) + 1)
        document_names = np.searchsorted(document[first_of_name], every_document)
        counts = table_bounds[first + 1] - table_bounds[first]
        bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        return cls(
            batch,
            group,
            first,
            bounds,
            np.searchsorted(document[first], every_document),
            np.repeat(table_bounds[first] - bounds[:-1], counts) + np.arange(bounds[-1]),
            first_of_name,
            name[first],
            bounds[np.searchsorted(name[first], np.arange(len(first_of_name) + 1))],
            document_names,
            lists_of(words, written[first_of_name]),
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
        return np.repeat(np.arange(len(self.first_of_name)), np.diff(self.name_bounds))

    @lazy
    def names(self) -> list[str]:
        """The names, normalised [k]."""
        return [normalize(self.batch.names[mention]) for mention in self.first_of_name.tolist()]

    @lazy
    def longer(self) -> tuple[Ints, Ints]:
        """The names of the same document that contain a name as a part (indptr [k + 1], names counted within the document)."""
        from eigenthemes.kb.name_arrays import longer_names

        indptr, words = self.words
        starts, names = longer_names.select_backend(_STEPS_PER_WORD * len(words))(self.document_names, indptr, words)
        return starts, names

    @lazy
    def other_names(self) -> Ints:
        """Return the number of other names in the document of each group [m]."""
        counts = np.diff(self.document_names)
        return (np.repeat(counts, counts) - 1)[self.name_of]

    @lazy
    def log_words(self) -> Floats:
        """The log of the number of words of each group's name [m]."""
        return np.log(np.maximum(1, np.diff(self.words[0])))[self.name_of]

    @lazy
    def row_of_candidate(self) -> Ints:
        """The row, here, of each row of the batch's table."""
        table = self.batch.table
        return np.repeat(self.bounds[self.group_of] - table.bounds[:-1], np.diff(table.bounds)) + np.arange(len(table))

    @lazy
    def column_of(self) -> Ints:
        """The column of each group, counted through all tables of the batch [m]; -1 where it is in no table."""
        column, column_of = _columns(self.batch)[self.first_mention], np.full(len(self), -1)
        cells = np.flatnonzero(column >= 0)
        document = np.repeat(np.arange(len(self.batch.documents)), np.diff(self.document_bounds))[cells]
        column_of[cells] = np.unique((document << 32) | column[cells], return_inverse=True)[1]
        return column_of

    @lazy
    def columns(self) -> tuple[Ints, Ints]:
        """The groups of each column that have candidates (indptr [c + 1], groups)."""
        having = np.flatnonzero((self.column_of >= 0) & (np.diff(self.bounds) > 0))
        order = having[np.argsort(self.column_of[having], kind="stable")]
        counts = np.bincount(self.column_of[order], minlength=int(self.column_of.max(initial=-1)) + 1)
        return np.concatenate(([0], np.cumsum(counts))).astype(np.int64), order

    def mean_of_mentions(self, values: Sequence[float]) -> Floats:
        """Return the mean of a number of each mention over the mentions of each group [m]."""
        total = np.bincount(self.group_of, weights=np.array(values, dtype=np.float64), minlength=len(self))
        return np.asarray(total / np.maximum(1, np.bincount(self.group_of, minlength=len(self))))

    def spans(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield the first and last group, first and last row of each document; the last ones are not part of it."""
        for first_group, last_group in pairwise(self.document_bounds.tolist()):
            yield first_group, last_group, int(self.bounds[first_group]), int(self.bounds[last_group])


def _name_keys(batch: Batch, candidates: Ints) -> tuple[Ints, Ints, tuple[Ints, NDArray[np.uint64]]]:
    """Return a number for the name of each mention, normalised [mentions]; another where it has other candidates.

    Also the number of the name of each mention as it is written [mentions], and the words of these names, normalised
    (indptr [w + 1], hashes). candidates [mentions]: how many each has.
    """
    from eigenthemes.kb.name_arrays import hash_words

    number_of: dict[str, int] = {}
    written = np.array([number_of.setdefault(name, len(number_of)) for name in batch.names], np.int64)
    if not len(written):
        return written, written, (np.zeros(1, np.int64), np.zeros(0, np.uint64))
    names = normalize_many(list(number_of))
    indptr, words, of_names, _ = hash_words.select_backend(len(names.text))(read_only(names.text), names.starts, names.ends)
    same = np.unique(of_names, return_inverse=True)[1][written]
    brought = np.zeros(len(written), np.int64)
    if not batch.are_plain:  # else what is found for a name depends on nothing else
        lists: dict[Any, int] = {}
        asked = ((mention.candidates, mention.priors, mention.only_types) for mention in batch.mentions)
        brought = np.array([lists.setdefault(each, len(lists)) for each in asked], np.int64)
    key = same * (1 + candidates.max()) + candidates
    return key * (1 + brought.max()) + brought, written, (indptr, words)


def numbered(values: Ints, within: Ints | None = None) -> tuple[Ints, Ints]:
    """Assign numbers to values in order of first occurrence; return the number of each, and where each first occurs.

    within  [len(values)] ascending in the order of first occurrence: values of the same of these are numbered side by side
    """
    _, first, place = np.unique(values, return_index=True, return_inverse=True)
    order = np.argsort(first) if within is None else np.lexsort((first, within[first]))
    number = np.empty(len(order), np.int64)
    number[order] = np.arange(len(order))
    return number[place], first[order]


def _columns(batch: Batch) -> Ints:
    """Return the column of each mention in its table [mentions]; -1: it is in none."""
    columns, cells = np.full(batch.table.mentions, -1), np.flatnonzero(batch.is_cell)
    given = (batch.mentions[cell].col for cell in cells.tolist())
    columns[cells] = [-1 if col is None else col for col in given]
    return columns

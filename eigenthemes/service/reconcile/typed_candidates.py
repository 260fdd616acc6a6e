"""Candidates of given types only: look-ups in an index of the names of their entities, kept for the types used lately."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.generator import CandidateGenerator, CandidateTable
from eigenthemes.linker import Linker
from eigenthemes.pipeline.batch import Batch
from eigenthemes.service.reconcile.queries import QueryDocument, Types

_MAX_LOOK_UPS = 8


@dataclass(frozen=True, slots=True)
class TypedLookUp:
    """Finds candidates of some types.

    Attributes
    ----------
    mask : array of bool [entities], optional
        Entities that have all types. None: one of the types is enough, and the generator knows it.
    """

    generator: CandidateGenerator
    mask: NDArray[np.bool_] | None

    def find_batch(self, names: Sequence[str]) -> CandidateTable:
        """Return the candidates of many names."""
        table = self.generator.find_batch(names)
        return table if self.mask is None else select_rows(table, np.flatnonzero(self.mask[table.entity]))


class TypedLookUps:
    """The look-ups of a linker by types; any number of threads may use them."""

    def __init__(self, linker: Linker) -> None:
        self._linker = linker
        self._recent: OrderedDict[Types, TypedLookUp] = OrderedDict()
        self._opening = Lock()

    def open(self, types: Types) -> TypedLookUp:
        """Return the look-up for some types; raise an `OptionError` if no entity has one of them."""
        with self._opening:
            if types not in self._recent:
                self._recent[types] = self._open(*types)
                if len(self._recent) > _MAX_LOOK_UPS:
                    self._recent.popitem(last=False)
            self._recent.move_to_end(types)
            return self._recent[types]

    def _open(self, names: tuple[str, ...], all_types: bool) -> TypedLookUp:
        kb, options = self._linker.kb, asdict(self._linker.options.candidates)
        masks = [kb.of_types([name]) for name in names]
        rarest = int(np.argmin([mask.sum() for mask in masks]))
        only = (names[rarest],) if all_types else names
        vectors = self._linker.batches.vectors
        generator = CandidateGenerator(kb, **{**options, "only_types": only}, embedded=None if vectors is None else vectors.has)
        limits = [*(masks if all_types else []), *([kb.of_types(options["only_types"])] if options["only_types"] else [])]
        return TypedLookUp(generator, np.logical_and.reduce(limits) if limits else None)


def make_batch(linker: Linker, documents: Sequence[QueryDocument], look_ups: TypedLookUps) -> Batch:
    """Return the batch of some documents, with the candidates of each query of its types."""
    batch = linker.batches.make(each.document for each in documents)
    by_types: dict[Types, list[int]] = {}
    for each, first in zip(documents, batch.mention_bounds.tolist(), strict=False):
        if each.types[0]:
            by_types.setdefault(each.types, []).extend(range(first, first + len(each.keys)))
    if not by_types:
        return batch
    tables = [batch.table]
    for types, mentions in by_types.items():
        candidates = look_ups.open(types).find_batch([batch.mentions[mention].text for mention in mentions])
        tables.append(replace(candidates, mention_of=np.array(mentions, dtype=np.int64)[candidates.mention_of]))
    table = _join(batch.table.mentions, tables)
    return replace(batch, table=table, bounds=np.searchsorted(table.mention_of, batch.mention_bounds))


def _join(mentions: int, tables: Sequence[CandidateTable]) -> CandidateTable:
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(table, name) for table in tables])
        for name in ("mention_of", "entity", "rank", "prior", "match_type")
    }
    return select_rows(CandidateTable(mentions, **columns), np.argsort(columns["mention_of"], kind="stable"))


def select_rows(table: CandidateTable, rows: NDArray[np.int64]) -> CandidateTable:
    """Return some rows of a table."""
    return CandidateTable(
        table.mentions, table.mention_of[rows], table.entity[rows], table.rank[rows], table.prior[rows], table.match_type[rows]
    )

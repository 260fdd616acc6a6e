"""Candidates of given types only: the name index of a KB as if no others had names, kept for the types asked for lately."""

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
from eigenthemes.service.reconcile.documents import QueryDocument, Types

_KEPT = 8


@dataclass(frozen=True, slots=True)
class TypedLookUp:
    """Finds candidates of some types. having [entities]: which have them all; None: that one of them is had is enough."""

    generator: CandidateGenerator
    having: NDArray[np.bool_] | None

    def find_batch(self, names: Sequence[str]) -> CandidateTable:
        """Return the candidates of many names."""
        table = self.generator.find_batch(names)
        return table if self.having is None else taken(table, np.flatnonzero(self.having[table.entity]))


class TypedLookUps:
    """The look-ups of a linker by types; any number of threads may ask."""

    def __init__(self, linker: Linker) -> None:
        self._linker = linker
        self._kept: OrderedDict[Types, TypedLookUp] = OrderedDict()
        self._opening = Lock()

    def of(self, types: Types) -> TypedLookUp:
        """Return the look-up for some types; an `OptionError` for one that no entity has."""
        with self._opening:
            if types not in self._kept:
                self._kept[types] = self._open(*types)
                if len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(types)
            return self._kept[types]

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
    """Make the batch of some documents, the candidates of each query of the types it asks for."""
    batch = linker.batches.make(each.document for each in documents)
    by_types: dict[Types, list[int]] = {}
    for each, first in zip(documents, batch.mention_bounds.tolist(), strict=False):
        if each.types[0]:
            by_types.setdefault(each.types, []).extend(range(first, first + len(each.keys)))
    if not by_types:
        return batch
    tables = [batch.table]
    for types, mentions in by_types.items():
        found = look_ups.of(types).find_batch([batch.mentions[mention].text for mention in mentions])
        tables.append(replace(found, mention_of=np.array(mentions, dtype=np.int64)[found.mention_of]))
    table = _joined(batch.table.mentions, tables)
    return replace(batch, table=table, bounds=np.searchsorted(table.mention_of, batch.mention_bounds))


def _joined(mentions: int, tables: Sequence[CandidateTable]) -> CandidateTable:
    columns: dict[str, Any] = {
        name: np.concatenate([getattr(table, name) for table in tables])
        for name in ("mention_of", "entity", "rank", "prior", "match_type")
    }
    return taken(CandidateTable(mentions, **columns), np.argsort(columns["mention_of"], kind="stable"))


def taken(table: CandidateTable, rows: NDArray[np.int64]) -> CandidateTable:
    """Return some rows of a table."""
    return CandidateTable(
        table.mentions, table.mention_of[rows], table.entity[rows], table.rank[rows], table.prior[rows], table.match_type[rows]
    )

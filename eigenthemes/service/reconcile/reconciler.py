"""A batch of queries -> candidates with scores: the story of reconciliation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np

from eigenthemes.errors import OptionError
from eigenthemes.linker import Linker
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.decide import Decisions, decide
from eigenthemes.ranking.features import COLUMNS
from eigenthemes.ranking.methods import Scored
from eigenthemes.ranking.ranker import ranker_of
from eigenthemes.service.reconcile.documents import QueryDocument, make_documents
from eigenthemes.service.reconcile.preferred import join_preferred
from eigenthemes.service.reconcile.queries import MOST_CANDIDATES, Query
from eigenthemes.service.reconcile.remembered import Remembered
from eigenthemes.service.reconcile.typed import TypedLookUps, make_batch
from eigenthemes.service.reconcile.types import type_records

_REMEMBERED = 20_000  # entities whose record is kept at hand

Answer = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DecidedQueries:
    """Some documents of queries, and what was decided."""

    batch: Batch
    scored: Scored
    decisions: Decisions


class Reconciler:
    """Answers reconciliation queries by a linker. Any number of threads may use it.

    linker   what decides; its `top` does not matter: a query says how many candidates it wants
    context  which queries of a batch are decided together, see `documents`
    """

    def __init__(self, linker: Linker, *, context: str = "column") -> None:
        self.linker, self.kb, self.context = linker, linker.kb, context
        self.look_ups = TypedLookUps(linker)
        self.remembered = Remembered()
        self._records: dict[int, Answer] = {}
        self._columns = self._weighted_columns()

    def answer(self, queries: Mapping[str, Query], *, context: str | None = None) -> dict[str, Answer]:
        """Answer a batch: {"result": [...]} for each of its keys, best candidate first.

        Types that are preferred only are looked at twice, see `preferred`.
        """
        context = context or self.context
        answers = self._answer(queries, context)
        preferring = {key: query for key, query in queries.items() if query.types and query.prefer_types}
        if preferring:
            untyped = {key: replace(query, types=(), limit=MOST_CANDIDATES) for key, query in preferring.items()}
            typed = {key: answers[key] for key in preferring}
            limits = {key: query.limit for key, query in preferring.items()}
            answers.update(join_preferred(typed, self._answer(untyped, context), limits))
        return answers

    def _answer(self, queries: Mapping[str, Query], context: str) -> dict[str, Answer]:
        documents = make_documents(queries, context, self.linker.batches.generator)
        refused = self._refused_types(documents)
        answers: dict[str, Answer] = {key: {"result": []} for key in queries}
        for each in documents:
            if each.types in refused:
                answers.update((key, {"result": [], "error": refused[each.types]}) for keys in each.keys for key in keys)
        documents = [each for each in documents if each.types not in refused]
        top = max((query.limit for query in queries.values()), default=1)
        decided = self.decide(documents, top)
        results = self._results(decided)
        for each, (_, first, _) in zip(documents, decided.batch.document_spans(), strict=True):
            for number, keys in enumerate(each.keys):
                result = results[first + number]
                self.remembered.remember(each, number, [candidate["id"] for candidate in result])
                answers.update((key, {"result": result[: queries[key].limit]}) for key in keys)
        for key, query in queries.items():
            if not answers[key]["result"] and not query.types:
                answers[key]["result"] = self._by_id(query.name.strip())
        return answers

    def _by_id(self, name: str) -> list[Answer]:
        """Return the entity whose id stands in a cell instead of a name; digits alone may be anything, so they are no match."""
        index = self.kb.index_of(name) if name else None
        if index is None or not self.kb.linkable[index]:
            return []
        return [{**self._record(index), "score": 100.0, "match": not name.isdigit(), "features": []}]

    def decide(self, documents: Sequence[QueryDocument], top: int = 1) -> DecidedQueries:
        """Decide all names of some documents."""
        linker = self.linker
        batch = make_batch(linker, documents, self.look_ups)
        scored = linker.method(batch, linker.kb, linker.options.scoring)
        return DecidedQueries(batch, scored, decide(batch, scored, linker.method, linker.rule, top=top))

    def _refused_types(self, documents: Sequence[QueryDocument]) -> dict[Any, str]:
        """Return the types that no entity has, each with a sentence about it."""
        refused = {}
        for types in dict.fromkeys(each.types for each in documents if each.types[0]):
            try:
                self.look_ups.of(types)
            except OptionError as error:
                refused[types] = str(error)
        return refused

    def _results(self, decided: DecidedQueries) -> list[list[Answer]]:
        """Return the candidates of each mention; the first is a match if its probability reaches the threshold."""
        decisions, rows = decided.decisions, decided.decisions.order
        entities, scores = decided.batch.table.entity[rows].tolist(), (100 * decisions.scores[rows]).round(2).tolist()
        candidates: list[Answer] = [
            {**self._record(entity), "score": score, "match": False, "features": columns}
            for entity, score, columns in zip(entities, scores, self._features(decided.scored, rows), strict=True)
        ]
        results = [candidates[first:last] for first, last in pairwise(decisions.bounds.tolist())]
        for mention in np.flatnonzero(decisions.probability >= self.linker.threshold).tolist():  # nan for other methods
            results[mention][0]["match"] = True
        return results

    def _record(self, entity: int) -> Answer:
        """Return what an answer says of an entity whatever was asked."""
        known = self._records.get(entity)
        if known is None:
            if len(self._records) >= _REMEMBERED:
                self._records.clear()
            kb = self.kb
            known = {"id": kb.id_of(entity), "name": kb.label_of(entity), "type": type_records(kb, entity)}
            if description := kb.description_of(entity):
                known["description"] = description
            self._records[entity] = known
        return known

    def _features(self, scored: Scored, rows: Any) -> list[list[dict[str, Any]]]:
        """Return the columns of each candidate that the ranker weighs; none by other methods."""
        if scored.ranking is None:
            return [[] for _ in rows]
        names, columns = self._columns
        values = scored.ranking.features[scored.ranking.groups.row_of_candidate[rows]][:, columns]
        rounded = (values.astype(np.float64).round(4) + 0.0).tolist()  # never -0.0
        return [[{"id": name, "value": value} for name, value in zip(names, row, strict=True)] for row in rounded]

    def _weighted_columns(self) -> tuple[list[str], list[int]]:
        """Return the columns of the ranker with a weight, by name and by number."""
        if not self.linker.method.calibrated:
            return [], []
        vectors = self.linker.batches.vectors
        weights = ranker_of(self.kb, None if vectors is None else vectors.name).rounds[-1].choice
        numbers = np.flatnonzero(weights).tolist()
        return [COLUMNS[number] for number in numbers], numbers

"""Answer batches of reconciliation queries with candidates and their scores."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB
from eigenthemes.linker import DecidedBatch, Linker
from eigenthemes.ranking.features import COLUMNS
from eigenthemes.ranking.methods import Scored
from eigenthemes.ranking.ranker import ranker_of
from eigenthemes.records import Document
from eigenthemes.service.reconcile.properties import entity_record, type_records
from eigenthemes.service.reconcile.queries import MOST_CANDIDATES, Query, make_documents

_RECORDS = 20_000  # entities whose record is cached
_RECENT = 5_000  # entities whose last query is kept
_TYPES = 32  # sets of types that were checked

Answer = dict[str, Any]


class Reconciler:
    """Answers reconciliation queries by a linker; any number of threads may use it.

    Parameters
    ----------
    linker : Linker
        Decides the queries; its `top` is the largest number of candidates of a query.
    context : str
        Queries of a batch that are decided together, see `queries`.

    Attributes
    ----------
    recent : dict
        Id of an entity -> document and mention that it was last a candidate of, in this process.
    """

    def __init__(self, linker: Linker, *, context: str = "column") -> None:
        self.linker, self.kb, self.context = linker, linker.kb, context
        self.recent: OrderedDict[str, tuple[Document, int]] = OrderedDict()
        self._writing = Lock()
        self._record = lru_cache(_RECORDS)(partial(_record_of, linker.kb))
        self._having_all = lru_cache(_TYPES)(partial(_having_all, linker.kb))
        self._columns = self._weighted_columns()

    def answer(self, queries: Mapping[str, Query], *, context: str | None = None) -> dict[str, Answer]:
        """Return {"result": [...]} for each key of a batch, the best candidate first."""
        context = context or self.context
        answers = self._answer(queries, context)
        preferred = {key: query for key, query in queries.items() if query.types and query.type_strict == "should"}
        if preferred:
            changes = {"types": (), "limit": MOST_CANDIDATES}
            untyped = {key: query.model_copy(update=changes) for key, query in preferred.items()}
            typed = {key: answers[key] for key in preferred}
            limits = {key: query.most for key, query in preferred.items()}
            answers.update(join_preferred(typed, self._answer(untyped, context), limits))
        return answers

    def _answer(self, queries: Mapping[str, Query], context: str) -> dict[str, Answer]:
        answers: dict[str, Answer] = {key: {"result": []} for key in queries}
        known: dict[str, Query] = {}
        for key, query in queries.items():
            try:
                self._having_all(query.types)
                known[key] = query
            except OptionError as error:  # no entity has the type
                answers[key]["error"] = str(error)
        documents = make_documents(known, context, self.linker.batches.generator)
        decided = self.linker.decide(document for document, _ in documents)
        for (document, names), (_, first, _) in zip(documents, decided.batch.document_spans(), strict=True):
            for number, keys in enumerate(names):
                result = self._result(decided, first + number, [queries[key] for key in keys])
                self._remember(document, number, result)
                answers.update((key, {"result": result[: queries[key].most]}) for key in keys)
        for key, query in queries.items():
            if not answers[key]["result"] and not query.types:
                answers[key]["result"] = self._by_id((query.name or "").strip())
        return answers

    def _remember(self, document: Document, mention: int, candidates: Sequence[Answer]) -> None:
        with self._writing:
            for candidate in candidates:
                self.recent[candidate["id"]] = document, mention
                self.recent.move_to_end(candidate["id"])
            while len(self.recent) > _RECENT:
                self.recent.popitem(last=False)

    def _by_id(self, name: str) -> list[Answer]:
        """Return the entity whose id is in place of a name; mere digits may be anything, so they are no match."""
        index = self.kb.index_of(name) if name else None
        if index is None or not self.kb.linkable[index]:
            return []
        return [{**self._record(index), "score": 100.0, "match": not name.isdigit(), "features": []}]

    def _result(self, decided: DecidedBatch, mention: int, queries: Sequence[Query]) -> list[Answer]:
        """Return the candidates of queries for one name; the best is a match if its probability reaches the threshold."""
        decisions, entity = decided.decisions, decided.batch.table.entity
        rows = decisions.order[decisions.bounds[mention] : decisions.bounds[mention + 1]]
        if queries[0].type_strict == "all":
            rows = rows[self._having_all(queries[0].types)[entity[rows]]]
        rows = rows[: max(query.most for query in queries)]
        scores, features = (100 * decisions.scores[rows]).round(2).tolist(), self._features(decided.scored, rows)
        candidates: list[Answer] = [
            {**self._record(entity), "score": score, "match": False, "features": columns}
            for entity, score, columns in zip(entity[rows].tolist(), scores, features, strict=True)
        ]
        if candidates and self.linker.method.calibrated:
            candidates[0]["match"] = bool(decisions.scores[rows[0]] >= self.linker.threshold)
        return candidates

    def _features(self, scored: Scored, rows: Any) -> list[list[dict[str, Any]]]:
        """Return the features of each candidate that have a weight; none for other methods."""
        if scored.ranking is None:
            return [[] for _ in rows]
        names, columns = self._columns
        values = scored.ranking.features[scored.ranking.groups.row_of_candidate[rows]][:, columns]
        rounded = (values.astype(np.float64).round(4) + 0.0).tolist()  # never -0.0
        return [[{"id": name, "value": value} for name, value in zip(names, row, strict=True)] for row in rounded]

    def _weighted_columns(self) -> tuple[list[str], list[int]]:
        """Return the names and the numbers of the features that have a weight."""
        if not self.linker.method.calibrated:
            return [], []
        vectors = self.linker.batches.vectors
        weights = ranker_of(self.kb, None if vectors is None else vectors.name).rounds[-1].choice
        numbers = np.flatnonzero(weights).tolist()
        return [COLUMNS[number] for number in numbers], numbers


def _record_of(kb: KB, index: int) -> Answer:
    """Return the fields of an entity that do not depend on the query."""
    return {**entity_record(kb, index), "type": type_records(kb, index)}


def _having_all(kb: KB, types: tuple[str, ...]) -> NDArray[np.bool_]:
    """Return which entities have all of some types [entities]; raise an `OptionError` if no entity has one of them."""
    having = np.ones(len(kb), bool)
    for each in types:
        having &= kb.of_types([each])
    return having


# preferred types


def join_preferred(typed: Mapping[str, Answer], untyped: Mapping[str, Answer], limits: Mapping[str, int]) -> dict[str, Answer]:
    """Return the answers to queries whose types are preferred, not required; OpenRefine prefers the type that it guessed.

    Candidates of the type are the answer, unless another entity is clearly more likely: then that one comes first, and nothing
    is a match. The type is trusted as far as the other names of the batch, linked without it, are of the type.

    Parameters
    ----------
    typed, untyped : mapping
        Answers with candidates of the type only, and with all candidates.
    limits : mapping
        Number of candidates of each answer.
    """
    linked = {key: answer["result"][0] for key, answer in untyped.items() if answer["result"] and answer["result"][0]["match"]}
    outside = {key: best for key, best in linked.items() if best["id"] not in _ids(typed[key])}
    of_type = len(linked) - len(outside)
    trust = (of_type + 1) / (len(linked) + 1)
    joined = {}
    for key, answer in typed.items():
        others = _more_likely(answer["result"], untyped[key], outside.get(key), trust)
        unsure = [{**candidate, "match": False} for candidate in (*others, *answer["result"])]
        joined[key] = {**answer, "result": unsure[: limits[key]]} if others else answer
    return joined


def _more_likely(results: list[Answer], untyped: Answer, rival: Answer | None, trust: float) -> list[Answer]:
    """Return the candidates of other types that come before those of the type."""
    if not results:
        return list(untyped["result"])
    if rival is None or _score_of(results[0]["id"], untyped) * trust >= rival["score"] * (1 - trust):
        return []
    return [rival]


def _ids(answer: Answer) -> list[str]:
    return [candidate["id"] for candidate in answer["result"]]


def _score_of(entity_id: str, answer: Answer) -> float:
    return next((float(candidate["score"]) for candidate in answer["result"] if candidate["id"] == entity_id), 0.0)

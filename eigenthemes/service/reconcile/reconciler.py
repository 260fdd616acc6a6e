"""Answer batches of reconciliation queries with candidates and their scores."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.generator import CandidateGenerator, CandidateTable
from eigenthemes.errors import OptionError
from eigenthemes.linker import Linker
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.decide import Decisions, decide
from eigenthemes.ranking.features import COLUMNS
from eigenthemes.ranking.methods import Scored
from eigenthemes.ranking.ranker import ranker_of
from eigenthemes.service.reconcile.properties import entity_record, type_records
from eigenthemes.service.reconcile.queries import MOST_CANDIDATES, Query, QueryDocument, Types, make_documents

_RECORDS = 20_000  # entities whose record is cached
_RECENT = 5_000  # entities whose last query is kept
_MAX_LOOK_UPS = 8  # types whose index is kept

Answer = dict[str, Any]


class RecentQueries:
    """The last query that each entity was a candidate of, so that a preview can explain it; in the memory of one process."""

    def __init__(self, limit: int = _RECENT) -> None:
        self._latest: OrderedDict[str, tuple[QueryDocument, int]] = OrderedDict()
        self._limit = limit
        self._writing = Lock()

    def add(self, document: QueryDocument, mention: int, entity_ids: Sequence[str]) -> None:
        """Store the mention that some entities are the candidates of."""
        with self._writing:
            for entity_id in entity_ids:
                self._latest.pop(entity_id, None)
                self._latest[entity_id] = document, mention
            while len(self._latest) > self._limit:
                self._latest.popitem(last=False)

    def find(self, entity_id: str) -> tuple[QueryDocument, int] | None:
        """Return the document and the mention that an entity was last a candidate of."""
        return self._latest.get(entity_id)


@dataclass(frozen=True, slots=True)
class DecidedQueries:
    """A batch of queries with its scores and decisions."""

    batch: Batch
    scored: Scored
    decisions: Decisions


class Reconciler:
    """Answers reconciliation queries by a linker; any number of threads may use it.

    Parameters
    ----------
    linker : Linker
        Decides the queries; its `top` is not used, as queries have limits.
    context : str
        Queries of a batch that are decided together, see `queries`.
    """

    def __init__(self, linker: Linker, *, context: str = "column") -> None:
        self.linker, self.kb, self.context = linker, linker.kb, context
        self.look_ups = TypedLookUps(linker)
        self.recent = RecentQueries()
        self._records: dict[int, Answer] = {}
        self._columns = self._weighted_columns()

    def answer(self, queries: Mapping[str, Query], *, context: str | None = None) -> dict[str, Answer]:
        """Return {"result": [...]} for each key of a batch, the best candidate first."""
        context = context or self.context
        answers = self._answer(queries, context)
        preferred = {key: query for key, query in queries.items() if query.types and query.prefer_types}
        if preferred:
            untyped = {key: replace(query, types=(), limit=MOST_CANDIDATES) for key, query in preferred.items()}
            typed = {key: answers[key] for key in preferred}
            limits = {key: query.limit for key, query in preferred.items()}
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
                self.recent.add(each, number, [candidate["id"] for candidate in result])
                answers.update((key, {"result": result[: queries[key].limit]}) for key in keys)
        for key, query in queries.items():
            if not answers[key]["result"] and not query.types:
                answers[key]["result"] = self._by_id(query.name.strip())
        return answers

    def _by_id(self, name: str) -> list[Answer]:
        """Return the entity whose id is in place of a name; mere digits may be anything, so they are no match."""
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
        """Return the error of each type that no entity has."""
        refused = {}
        for types in dict.fromkeys(each.types for each in documents if each.types[0]):
            try:
                self.look_ups.open(types)
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
        """Return the fields of an entity that do not depend on the query."""
        known = self._records.get(entity)
        if known is None:
            if len(self._records) >= _RECORDS:
                self._records.clear()
            known = {**entity_record(self.kb, entity), "type": type_records(self.kb, entity)}
            self._records[entity] = known
        return known

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


# candidates of given types only: look-ups in an index of the names of their entities


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

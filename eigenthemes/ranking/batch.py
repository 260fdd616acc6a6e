"""Documents -> a batch: their mentions, and the candidates of all of them in one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.generator import MAX_CANDIDATES, CandidateGenerator, CandidateTable
from eigenthemes.candidates.rules import CONTAINS
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.mentions.cells import cells
from eigenthemes.records import Document, Mention

Given = tuple[int, int, float, int]  # rank, entity, prior, how the name matches


@dataclass(frozen=True, slots=True)
class Batch:
    """Some documents with the candidates of all their mentions; what a method scores.

    documents        each with its mentions
    mentions         those of all documents, in order
    mention_bounds   [documents + 1] int64: mentions of document i
    bounds           [documents + 1] int64: rows of the table of document i
    table            the candidates
    vectors          of the KB, or None where the method needs none
    unknown          mention -> ids the document gave that are not in the KB
    """

    documents: list[Document]
    mentions: list[Mention]
    mention_bounds: NDArray[np.int64]
    bounds: NDArray[np.int64]
    table: CandidateTable
    vectors: Vectors | None
    unknown: dict[int, tuple[str, ...]]


class BatchMaker:
    """Finds the mentions of documents that bring none, and the candidates of mentions that bring none."""

    def __init__(self, kb: KB, generator: CandidateGenerator, vectors: Vectors | None) -> None:
        self.kb, self.generator, self.vectors = kb, generator, vectors
        self._finder: Any = None

    def make(self, documents: Iterable[Document]) -> Batch:
        """The batch of some documents."""
        whole = [document if document.mentions is not None else self._with_mentions(document) for document in documents]
        counts = [len(document.mentions or ()) for document in whole]
        mentions = [mention for document in whole for mention in document.mentions or ()]
        strict = [document.embedded_only for document, count in zip(whole, counts, strict=True) for _ in range(count)]
        table, unknown = self._candidates(mentions, strict)
        mention_bounds = np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).astype(np.int64)
        bounds = np.searchsorted(table.mention_of, mention_bounds)
        return Batch(whole, mentions, mention_bounds, bounds, table, self.vectors, unknown)

    def _with_mentions(self, document: Document) -> Document:
        if document.table is not None:
            return replace(document, mentions=tuple(cells(document.table)))
        if self._finder is None:
            from eigenthemes.mentions.names import NameDetector

            self._finder = NameDetector(self.kb)
        text = document.text or ""
        spans = self._finder.find(text)
        return replace(document, mentions=tuple(Mention(text[start:end], start, end) for start, end in spans))

    def _candidates(
        self, mentions: Sequence[Mention], embedded_only: Sequence[bool]
    ) -> tuple[CandidateTable, dict[int, tuple[str, ...]]]:
        sought = [i for i, mention in enumerate(mentions) if mention.candidates is None]
        found = self.generator.find_batch([mentions[i].text for i in sought])
        if len(sought) == len(mentions):
            return found, {}
        given = [i for i, mention in enumerate(mentions) if mention.candidates is not None]
        entities = iter(self.kb.indices_of([each for i in given for each in mentions[i].candidates or ()]).tolist())
        rows: list[tuple[int, int, int, float, int]] = []
        unknown: dict[int, tuple[str, ...]] = {}
        for i in given:
            ids = mentions[i].candidates or ()
            known = list(islice(entities, len(ids)))
            rows.extend((i, *row) for row in self._given(mentions[i], known, embedded_only[i]))
            if -1 in known:
                unknown[i] = tuple(each for each, entity in zip(ids, known, strict=True) if entity < 0)
        return _merge(len(mentions), np.array(sought, dtype=np.int64), found, rows), unknown

    def _given(self, mention: Mention, entities: list[int], embedded_only: bool) -> list[Given]:
        """The candidates a mention brings, in its order, up to T."""
        vectors = self.vectors if embedded_only or self.generator.generator == "paper" else None
        kinds = self.generator.kinds(mention.text)
        prior: dict[int, float] = {}
        for place, entity in enumerate(entities):
            if entity >= 0 and entity not in prior and (vectors is None or vectors.has[entity]):
                prior[entity] = float(self.kb.prior[entity]) if mention.priors is None else mention.priors[place]
        kept = list(prior)[: self.generator.max_candidates]
        return [(rank, entity, prior[entity], kinds.get(entity, CONTAINS)) for rank, entity in enumerate(kept, start=1)]


def gold_of(batch: Batch, kb: KB) -> tuple[list[set[int]], NDArray[np.bool_]]:
    """The gold entities of each mention that the KB has, and which candidates are gold [n]."""
    table = batch.table
    gold = [{entity for each in mention.gold or () if (entity := kb.index_of(each)) is not None} for mention in batch.mentions]
    pairs = [(i * len(kb) + entity) for i, entities in enumerate(gold) for entity in entities]
    return gold, np.isin(table.mention_of * len(kb) + table.entity, np.array(pairs, dtype=np.int64))


def some_at_a_time(documents: Iterable[Document], size: int) -> Iterator[list[Document]]:
    """The documents in lists of at most `size`."""
    waiting = iter(documents)
    while some := list(islice(waiting, size)):
        yield some


def judged(batch: Batch) -> NDArray[np.bool_]:
    """Which mentions have gold [mentions]."""
    return np.array([bool(mention.gold) for mention in batch.mentions], dtype=bool)


def gold_rows(batch: Batch, kb: KB) -> NDArray[np.bool_]:
    """Which candidates of a batch are gold [n]."""
    return gold_of(batch, kb)[1]


def _merge(
    mentions: int, sought: NDArray[np.int64], found: CandidateTable, given: list[tuple[int, int, int, float, int]]
) -> CandidateTable:
    """One table, in order of mention, from candidates that were looked up and those that were given."""
    columns = zip(*given, strict=True) if given else [()] * 5
    mention_of, rank, entity, prior, how = (np.array(column) for column in columns)
    mention_of = np.concatenate((sought[found.mention_of], mention_of)).astype(np.int64)
    order = np.argsort(mention_of, kind="stable")
    return CandidateTable(
        mentions,
        mention_of[order],
        np.concatenate((found.entity, entity))[order].astype(np.uint32),
        np.concatenate((found.rank, rank))[order].astype(np.int32),
        np.concatenate((found.prior, prior))[order].astype(np.float64),
        np.concatenate((found.match_type, how))[order].astype(np.uint8),
    )


BATCH = 64  # documents that are looked up together


def batch_maker(
    kb: KB,
    *,
    needs_vectors: bool,
    generator: str = "default",
    max_candidates: int | None = MAX_CANDIDATES,
    aliases: bool = True,
    vectors: str | None = None,
) -> BatchMaker:
    """What turns documents into batches: the candidate generator, and the vectors, where there are any."""
    chosen = kb.vectors(vectors) if needs_vectors or vectors is not None or kb.vector_sets else None
    finder = CandidateGenerator(
        kb,
        generator=generator,
        max_candidates=max_candidates,
        aliases=aliases,
        embedded=None if chosen is None else chosen.has,
    )
    return BatchMaker(kb, finder, chosen)


def spans(batch: Batch) -> Iterator[tuple[Document, int, int]]:
    """Each document with the numbers of its first mention and of the one after its last."""
    bounds = batch.mention_bounds.tolist()
    return zip(batch.documents, bounds[:-1], bounds[1:], strict=True)

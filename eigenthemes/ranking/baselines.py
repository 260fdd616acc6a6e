"""The paper's methods: Eigenthemes, averages, degree and name match, and contexts of words.

Contexts compare the words around a mention, or of its document, with a candidate's description. As in the paper, a text is the
plain average of the vectors of its words, a description too, and their cosine is the score; 0 where one has no known word. In a
table, the other cells of a row are near, and all cells are the document.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import unit_rows
from eigenthemes.embeddings.word_vectors import KeptWordVectors, WordVectors, average_words, word_rows
from eigenthemes.errors import DocumentError, OptionError, VectorError
from eigenthemes.kb.name_arrays import ACRONYM, ALIAS, CORE, INITIALS, LABEL, UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.names.generator import CandidateTable
from eigenthemes.names.retrieval import CONTAINS, MISSPELLED, OTHER_FORM, REMEMBERED, SHARES
from eigenthemes.pipeline.batch import Batch
from eigenthemes.pipeline.mention_groups import numbered
from eigenthemes.ranking.options import AverageOptions, ContextOptions, EigenOptions, Scores
from eigenthemes.ranking.subspace import Subspace, fit_subspace, rank_weights, score, score_by_all
from eigenthemes.records import Document, Mention
from eigenthemes.text.words import WORD, is_content, nouns, words_of

Vectors = NDArray[np.float32]

# What a name match counts beside the prior (round numbers; a finer search on the tuning sets gains 0.1 points).
NAME_MATCH_WEIGHTS = {
    LABEL: 1.0, ALIAS: 0.5, UNBRACKETED: 0.5, CORE: 0.3, OTHER_FORM: 0.2, ACRONYM: 0.1, INITIALS: 0.05, CONTAINS: 0.01,
    SHARES: 0.005, MISSPELLED: 0.02, REMEMBERED: 1.0,
}  # fmt: skip


def eigen(batch: Batch, kb: KB, options: EigenOptions) -> Scores:
    """Score by (weighted) Eigenthemes: how near each candidate is to the subspace of its document."""

    def nearness(vectors: Vectors, weights: Scores) -> Scores:
        if options.strengths and (options.k is None or options.k >= min(vectors.shape)):
            return score_by_all(vectors, weights.astype(np.float32))
        subspace = fit_subspace(vectors, weights.astype(np.float32), options.k)
        return score(vectors, subspace if options.strengths else Subspace(np.ascontiguousarray(subspace.components.T)))

    # Rows that stand there twice, with weights v and w, are one row with the weight sqrt(v^2 + w^2).
    return _by_document(batch, kb, options, 2, nearness)


def average(batch: Batch, kb: KB, options: AverageOptions) -> Scores:
    """Score by the cosine of each candidate with the (weighted) mean of all candidates of its document."""

    def nearness(vectors: Vectors, weights: Scores) -> Scores:
        mean = weights @ vectors
        return np.asarray(vectors @ (mean / max(float(np.linalg.norm(mean)), 1e-30)), dtype=np.float64)

    return _by_document(batch, kb, options, 1, nearness)


def degree(batch: Batch, kb: KB, options: None = None) -> Scores:
    """Score by the rank of each candidate, 1 / rank: by prior, or in the order of a list that a document brings."""
    return 1.0 / batch.table.rank


def namematch(batch: Batch, kb: KB, options: None = None) -> Scores:
    """Score as `degree` does where the label is the mention, but for case; 0 (no answer) elsewhere."""
    table, mentions = batch.table, [mention.name.casefold() for mention in batch.mentions]
    pairs = zip(table.mention_of.tolist(), table.entity.tolist(), strict=True)
    same = np.array([kb.label_of(entity).casefold() == mentions[i] for i, entity in pairs], dtype=bool)
    return np.asarray(np.where(same, 1.0 / table.rank, 0.0))


def prior_name(batch: Batch, kb: KB, options: None = None) -> Scores:
    """Score by the prior, times what the name match counts."""
    weights_by_type = np.array([NAME_MATCH_WEIGHTS[match_type] for match_type in range(len(NAME_MATCH_WEIGHTS))])
    return np.asarray((1.0 + np.maximum(batch.table.prior, 0)) * weights_by_type[batch.table.match_type])


def _by_document(
    batch: Batch, kb: KB, options: AverageOptions, power: int, nearness: Callable[[Vectors, Scores], Scores]
) -> Scores:
    """Score by vectors and weights, one document at a time."""
    scores = -1.0 - batch.table.rank.astype(np.float64)
    for rows, inverse, entities, weights in weighted_entities(batch, kb, options, power):
        if len(rows):
            scores[rows] = nearness(vectors_of(batch, entities, options), weights)[inverse]
    return scores


class WeightedEntities(NamedTuple):
    """The entities among the candidates of a document that have a vector, each once.

    rows      [r] of the batch's table; those of the candidates with a vector
    inverse   [r] where each row's entity is among the distinct ones
    entities  [n] the distinct ones
    weights   [n]
    """

    rows: NDArray[np.int64]
    inverse: NDArray[np.int64]
    entities: NDArray[np.uint32]
    weights: Scores


def weighted_entities(
    batch: Batch, kb: KB, options: AverageOptions, power: int, documents: slice = slice(None)
) -> Iterator[WeightedEntities]:
    """Yield for each document, or some, the distinct entities of its candidates with their weights.

    The weights of an entity add up in the given power: as if it stood there again and again.
    """
    assert batch.vectors is not None
    table, has = batch.table, batch.vectors.has[batch.table.entity]
    rows = np.flatnonzero(has)
    weights = candidate_weights(batch, kb, options, has)[rows] ** power
    document = np.repeat(np.arange(len(batch.documents)), np.diff(batch.bounds))[rows]
    number, first = numbered(document * len(batch.vectors.has) + table.entity[rows])
    sums = np.zeros(len(first))
    (np.maximum if options.unique else np.add).at(sums, number, weights)
    sums, entities = sums ** (1 / power), table.entity[rows[first]]
    every_document = np.arange(len(batch.documents) + 1)
    begins, row_begins = np.searchsorted(document[first], every_document), np.searchsorted(document, every_document)
    bounds = list(zip(pairwise(begins.tolist()), pairwise(row_begins.tolist()), strict=True))
    for (begin, end), (first_row, last_row) in bounds[documents]:
        yield WeightedEntities(
            rows[first_row:last_row], number[first_row:last_row] - begin, entities[begin:end], sums[begin:end]
        )


def vectors_of(batch: Batch, entities: NDArray[np.uint32], options: AverageOptions) -> Vectors:
    """Return the vectors of some entities that have one [n, d]."""
    assert batch.vectors is not None
    vectors = np.take(batch.vectors.rows, entities, axis=0, mode="clip")  # quicker: they are known to be there
    return vectors if options.unit_length else vectors * batch.vectors.lengths[entities, None]


def candidate_weights(batch: Batch, kb: KB, options: AverageOptions, has: NDArray[np.bool_]) -> Scores:
    """Compute the weights rank^-delta of each candidate [n], the rank among those with a vector, by prior or by context."""
    table = batch.table
    if options.weights == "none" or options.delta == 0:
        return np.ones(len(table))
    if options.weights == "degree":
        rank = _rank_of_embedded(table, has)
    else:
        rank = context_rank(batch, context_scores(batch, kb, options.weights, options), has)
    return rank_weights(rank, options.delta).astype(np.float64)


def context_rank(batch: Batch, fits: Scores, counted: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
    """Return the rank of each candidate within its mention by how well it fits the text, ties by prior [n].

    counted  only these have a rank (for the others it means nothing); None: all
    """
    table = batch.table
    order = np.lexsort((table.rank, -fits, table.mention_of))
    rank = np.empty(len(table), dtype=np.int64)
    among = np.ones(len(table), dtype=bool) if counted is None else counted
    rank[order] = _rank_of_embedded(table, among[order])  # the mentions stand in the same order
    return rank


def _rank_of_embedded(table: CandidateTable, has: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Return the rank of each candidate among those of its mention that have a vector (for the others it means nothing)."""
    before = np.concatenate(([0], np.cumsum(has)))
    return np.asarray(np.maximum(1, before[1:] - before[table.bounds[:-1]][table.mention_of]))


# contexts


def local_context(batch: Batch, kb: KB, options: ContextOptions) -> Scores:
    """Score by how well the words near a mention fit a candidate's description."""
    return context_scores(batch, kb, "local", options)


def global_context(batch: Batch, kb: KB, options: ContextOptions) -> Scores:
    """Score by how well the nouns of the document fit a candidate's description."""
    return context_scores(batch, kb, "nouns", options)


def context_scores(batch: Batch, kb: KB, scope: str, options: ContextOptions | AverageOptions) -> Scores:
    """Compute the cosine of each candidate's description with a context.

    scope  "local": the words near its mention; "nouns" of its document; "global": all words of its document
    """
    texts = texts_of(kb, options.word_vectors)
    contexts = np.zeros((batch.table.mentions, texts.dimensions), dtype=np.float32)
    bounds = batch.mention_bounds.tolist()
    for document, first, last in zip(batch.documents, bounds[:-1], bounds[1:], strict=True):
        if last > first:
            check_text(document)
            vectors = (
                texts.local(document, options.window)
                if scope == "local"
                else texts.of_document(document, only_nouns=scope == "nouns")
            )
            contexts[first:last] = list(vectors)
    described = texts.descriptions(batch.table.entity)
    cosines = np.einsum("ij,ij->i", described, contexts[batch.table.mention_of], dtype=np.float64)
    return np.asarray(cosines)


def has_text(document: Document) -> bool:
    """Return whether there are words around the mentions of a document."""
    return document.text is not None or document.table is not None


def check_text(document: Document) -> None:
    """Refuse a document without words around its mentions."""
    named = "a document" if document.id is None else f"document {document.id!r}"
    if not has_text(document):
        raise DocumentError(f'{named} has no "text", and the words around names are to count; add it, or choose another method')


class Texts:
    """Mean word vectors of texts and, cached, of descriptions."""

    def __init__(self, kb: KB, words: KeptWordVectors | WordVectors) -> None:
        self.kb, self.words = kb, words
        self.dimensions = words.vectors.shape[1]
        self._described = np.zeros((len(kb), self.dimensions), dtype=np.float32)
        self._made = np.zeros(len(kb), dtype=bool)

    def descriptions(self, entity: NDArray[np.uint32]) -> Vectors:
        """Return the average over the words of each entity's description [n, d], of unit length; zeros for none."""
        new = np.unique(entity[~self._made[entity]])
        if len(new):
            rows, counts = word_rows(map(self.kb.description_of, new.tolist()), self.words)
            self._described[new] = average_words(self.words, rows, counts)
            self._made[new] = True
        return np.asarray(self._described[entity])

    def local(self, document: Document, window: int) -> Iterator[Vectors]:
        """Yield for each mention the average over the content words near it [d]."""
        if document.table is not None:
            for mention in document.mentions or ():
                yield self._average(self._content(_row_of(document, mention)))
            return
        starts_and_words = [(match.start(), match[0]) for match in WORD.finditer(document.text or "")]
        starts = [start for start, _ in starts_and_words]
        rows = self._content([word for _, word in starts_and_words])
        for mention in document.mentions or ():
            start = document.start_of(mention)
            before, after = bisect_left(starts, start), bisect_left(starts, start + len(mention.text))
            yield self._average(_near(rows, before, after, window) if start >= 0 else rows[:0])

    def of_document(self, document: Document, *, only_nouns: bool) -> Iterator[Vectors]:
        """Yield for each mention the average over the words of the document, or its nouns, but for the mention's own [d]."""
        table = document.table
        text = document.text if table is None else " . ".join(chain(table.header, *table.rows))
        words = [word for word in (nouns(text or "") if only_nouns else words_of(text or "")) if len(word) > 1]
        known: dict[str, list[int]] = {}  # word in small letters -> its rows, as often as it stands there
        for word, row in zip(words, self.words.rows(words).tolist(), strict=True):
            if row >= 0:
                known.setdefault(word.lower(), []).append(row)
        total = self._sum(np.array([row for word_rows in known.values() for row in word_rows], dtype=np.int64))
        for mention in document.mentions or ():
            own = {word.lower() for word in words_of(mention.text)} & known.keys()
            mine = np.array([row for word in own for row in known[word]], dtype=np.int64)
            rest = total - self._sum(mine) if len(own) < len(known) else np.zeros_like(total)
            yield np.asarray(unit_rows(rest[None, :])[0])

    def _content(self, words: list[str]) -> NDArray[np.int64]:
        """Return the row of each word; -1 for unknown and function words."""
        return np.where([is_content(word) for word in words], self.words.rows(words), -1).astype(np.int64)

    def _sum(self, rows: NDArray[np.int64]) -> Vectors:
        return np.asarray(self.words.vectors[rows].sum(axis=0, dtype=np.float64), dtype=np.float32)

    def _average(self, rows: NDArray[np.int64]) -> Vectors:
        return np.asarray(unit_rows(self._sum(rows[rows >= 0])[None, :])[0])


def texts_of(kb: KB, word_vectors: str | None) -> Texts:
    """Open what averages texts with the word vectors of a file, or with those the KB keeps."""
    if word_vectors is None and not kb.has(KeptWordVectors.FILES[0]):
        raise OptionError(
            f"the words of the text are to count, and {kb.path} keeps no word vectors; give a file of them, or keep them in "
            "the KB by training it with them",
            code="no-word-vectors",
            where=str(kb.path),
        )
    return kb.cached(_open_texts, word_vectors)


def _open_texts(kb: KB, word_vectors: str | None) -> Texts:
    if not kb.descriptions.blob.size:
        raise VectorError(
            f"no entity of {kb.path} has a description to compare a text with; build it from sources with descriptions, "
            "or choose another method"
        )
    words = KeptWordVectors.of(kb) if word_vectors is None else WordVectors.open(word_vectors)
    assert words is not None
    return Texts(kb, words)


def texts_and_nouns_of(kb: KB, word_vectors: str | None) -> Texts:
    """Open the texts, and load the noun tagger."""
    nouns("ready")
    return texts_of(kb, word_vectors)


def _near(rows: NDArray[np.int64], before: int, after: int, window: int) -> NDArray[np.int64]:
    """Return the rows of the known words within a window around a mention; a window without any is doubled until it has one."""
    while True:
        near = np.concatenate((rows[max(0, before - window) : before], rows[after : after + window]))
        near = near[near >= 0]
        if len(near) or window >= len(rows):
            return near
        window *= 2


def _row_of(document: Document, mention: Mention) -> list[str]:
    """Return the words of the other cells in the row of a mention."""
    assert document.table is not None
    row = document.table.rows[mention.row] if mention.row is not None else ()
    return [word for col, cell in enumerate(row) if col != mention.col for word in words_of(cell)]

"""Context methods: compare the words around a mention, or of its document, with a candidate's description.

As in the paper, a text is the plain average of the vectors of its words, a description too, and their cosine is the score; 0
where one of them has no known word. In a table, the other cells of a row are near, and all cells are the document.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.arrays import sum_rows, unit_rows
from eigenthemes.embeddings.word_vectors import WordContext, WordVectors
from eigenthemes.errors import DocumentError, OptionError, VectorError
from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch
from eigenthemes.ranking.options import AverageOptions, ContextOptions, Scores
from eigenthemes.records import Document, Mention
from eigenthemes.text.words import WORD, is_content, nouns, words_of

Rows = NDArray[np.int64]
Matrix = NDArray[np.float32]


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

    def __init__(self, kb: KB, words: WordContext | WordVectors) -> None:
        self.kb, self.words = kb, words
        self.dimensions = words.vectors.shape[1]
        self._described = np.zeros((len(kb), self.dimensions), dtype=np.float32)
        self._made = np.zeros(len(kb), dtype=bool)

    def descriptions(self, entity: NDArray[np.uint32]) -> Matrix:
        """Return the average over the words of each entity's description [n, d], of unit length; zeros for none."""
        new = np.unique(entity[~self._made[entity]])
        if len(new):
            words = [words_of(self.kb.description_of(index)) for index in new.tolist()]
            rows = self.words.rows([word for description in words for word in description])
            of = np.repeat(np.arange(len(new)), [len(description) for description in words])
            counts = np.bincount(of[rows >= 0], minlength=len(new))
            self._described[new] = unit_rows(sum_rows(self.words.vectors, rows[rows >= 0], counts))
            self._made[new] = True
        return np.asarray(self._described[entity])

    def local(self, document: Document, window: int) -> Iterator[Matrix]:
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

    def of_document(self, document: Document, *, only_nouns: bool) -> Iterator[Matrix]:
        """Yield for each mention the average over the words of the document, or its nouns, but for the mention's own [d]."""
        text = document.text if document.table is None else " . ".join(_cells(document))
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

    def _content(self, words: list[str]) -> Rows:
        """Return the row of each word; -1 for unknown and function words."""
        return np.where([is_content(word) for word in words], self.words.rows(words), -1).astype(np.int64)

    def _sum(self, rows: Rows) -> Matrix:
        return np.asarray(self.words.vectors[rows].sum(axis=0, dtype=np.float64), dtype=np.float32)

    def _average(self, rows: Rows) -> Matrix:
        return np.asarray(unit_rows(self._sum(rows[rows >= 0])[None, :])[0])


def texts_of(kb: KB, word_vectors: str | None) -> Texts:
    """Open what averages texts with the word vectors of a file, or with those the KB keeps."""
    if word_vectors is None and not WordContext.has_vectors(kb):
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
    words = WordContext.of(kb) if word_vectors is None else WordVectors.open(word_vectors)
    assert words is not None
    return Texts(kb, words)


def texts_and_nouns_of(kb: KB, word_vectors: str | None) -> Texts:
    """Open the texts, and load the noun tagger."""
    nouns("ready")
    return texts_of(kb, word_vectors)


def _near(rows: Rows, before: int, after: int, window: int) -> Rows:
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


def _cells(document: Document) -> Iterator[str]:
    assert document.table is not None
    yield from document.table.header
    for row in document.table.rows:
        yield from row

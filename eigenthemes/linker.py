"""Names in documents -> entities: the online story.

documents -> mentions -> candidates -> scores -> links
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.generator import MAX_CANDIDATES
from eigenthemes.core.blas import one_thread
from eigenthemes.documents.json_lines import document_of
from eigenthemes.embeddings.word_context import WINDOW
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.kb.store import KB
from eigenthemes.ranking.batch import BATCH, Batch, batch_maker, spans
from eigenthemes.ranking.methods import MethodOptions, check_ranker, check_weights, default_method, method_named
from eigenthemes.ranking.options import Scores
from eigenthemes.records import Document, Explanation, Link, LinkedDocument, RankedCandidate

if TYPE_CHECKING:
    from eigenthemes.ranking.explain.explainer import Explainer

_REMEMBERED = 200_000  # entities whose id and label are kept at hand


class Answer(NamedTuple):
    """What was decided for a mention.

    ranking      (id, label, score), best first
    nil_reason   why the best is no answer, if it is none
    probability  of the answer; None where there is none, and for methods that are not calibrated
    explanation  why, where it was asked for
    """

    ranking: list[tuple[str, str, float]]
    nil_reason: str | None
    probability: float | None
    explanation: Explanation | None = None


class Linker:
    """Links the mentions of documents to the entities of a KB.

    method          one of `methods.METHODS`; None: the best one the KB is ready for
    threshold       a less likely answer is none; None: the KB's own. Only of a calibrated method, and of those that tell noise:
                    there it is about any candidate being right, and None answers always
    explain         add to each link why: which names and which edges spoke for it. Only of a calibrated method
    nil             may "none of the candidates" be the answer? False: the best candidate always is
    k, delta        eigenthemes (None: all) and the exponent of the weights
    unique          an entity counts once a document, however many mentions it is a candidate of
    weights         what ranks candidates for their weights: degree, local, global or none (see `MethodOptions`)
    window          words on each side of a mention that are its local context
    word_vectors    a file of word vectors, where the text counts; None: those the KB keeps
    top             candidates that a link's ranking shows
    generator, max_candidates, aliases   see `CandidateGenerator`
    vectors         name of the set of vectors; None: the one made or imported last
    model           file of a trained model, for the methods taumil and taumil-weighted; None: the KB's own
    """

    def __init__(
        self,
        kb: KB | str | Path,
        *,
        method: str | None = None,
        threshold: float | None = None,
        nil: bool = True,
        explain: bool = False,
        k: int | None = 10,
        delta: float = 1.0,
        unique: bool = False,
        weights: str = "degree",
        window: int = WINDOW,
        word_vectors: str | Path | None = None,
        top: int = 3,
        generator: str = "default",
        max_candidates: int | None = MAX_CANDIDATES,
        aliases: bool = True,
        vectors: str | None = None,
        model: str | None = None,
    ) -> None:
        kb = kb if isinstance(kb, KB) else KB.open(kb)
        self.kb, self.top = kb, top
        self.method_name = method or default_method(kb, vectors)
        self.method = method_named(self.method_name)
        words = None if word_vectors is None else str(word_vectors)
        self.options = MethodOptions(
            k=k, delta=delta, unique=unique, weights=weights, window=window, word_vectors=words, model=model
        )
        self.options.check()
        check_weights({self.method_name: self.method}, self.options)
        if top < 0:
            raise OptionError(f"top is {top}; expected 0 or more")
        self.batches = batch_maker(
            kb,
            needs_vectors=self.method.needs_vectors,
            generator=generator,
            max_candidates=max_candidates,
            aliases=aliases,
            vectors=vectors,
        )
        self.method.check(kb, self.options)
        self._shown: dict[int, tuple[str, str]] = {}
        self.threshold = self._threshold(threshold, vectors)
        self.answers_above = self.method.answers_above if nil else -np.inf
        if not nil:
            self.threshold = 0.0
        if explain and not self.method.calibrated:
            raise OptionError(f"{self.method_name} cannot be explained; use the method selftrained, or leave explain out")
        self.explains = explain

    def _threshold(self, wanted: float | None, vectors: str | None) -> float:
        if wanted is not None and not 0 <= wanted <= 1:
            raise OptionError(f"threshold is {wanted}; expected a probability, 0 to 1")
        if not self.method.calibrated:
            if wanted is not None and self.method.with_chances is None:
                raise OptionError(f"{self.method_name} gives no probabilities, so a threshold means nothing; leave it out")
            return wanted or 0.0
        known = check_ranker(self.kb, vectors)
        return known if wanted is None else wanted

    @classmethod
    def open(cls, path: str | Path, **options: Any) -> Linker:
        """A linker on a KB folder; options as in `Linker`."""
        return cls(KB.open(path), **options)

    def link(self, document: str | Mapping[str, Any] | Document) -> LinkedDocument:
        """Link a text, a document as a JSON object, or a `Document`."""
        whole = as_document(document)
        self.check(whole)
        return next(self._linked([whole]))

    def check(self, document: Document) -> None:
        """Refuse a document that lacks what the method needs."""
        self.method.check_document(document, self.options)

    def link_batch(
        self, documents: Iterable[str | Mapping[str, Any] | Document], *, batch_size: int = BATCH
    ) -> Iterator[LinkedDocument]:
        """Link many documents, in order; any number of them in constant memory.

        A document that cannot be linked ends it with a `DocumentError` that says which, after those before it.
        """
        if batch_size < 1:
            raise OptionError(f"batch_size is {batch_size}; expected 1 or more")
        if isinstance(documents, str | bytes | Mapping):
            raise DocumentError("link_batch was given one document; give a list of them, or use link")
        waiting = enumerate(documents)
        while some := list(islice(waiting, batch_size)):
            whole: list[Document] = []
            failed: DocumentError | None = None
            for number, each in some:
                try:
                    document = as_document(each)
                    self.check(document)
                    whole.append(document)
                except DocumentError as error:
                    failed = DocumentError(f"document {number}: {error}")
                    break
            yield from self._linked(whole)
            if failed is not None:
                raise failed

    def _linked(self, documents: list[Document]) -> Iterator[LinkedDocument]:
        batch, answers = self.answer(documents)
        for document, first, last in spans(batch):
            yield LinkedDocument(document, tuple(self._link(batch, i, answers[i]) for i in range(first, last)))

    def answer(self, documents: Iterable[Document]) -> tuple[Batch, list[Answer]]:
        """The documents with their mentions and candidates, and an answer for each mention."""
        batch = self.batches.make(documents)
        if self.threshold > 0 and self.method.with_chances is not None:
            return batch, self._without_noise(batch)
        answers = self._answers(batch, self.method(batch, self.kb, self.options))
        return batch, self._explained(batch, answers) if self.explains else answers

    def _without_noise(self, batch: Batch) -> list[Answer]:
        """The answers, but for mentions of which it is too likely that no candidate is right."""
        assert self.method.with_chances is not None
        scores, chances = self.method.with_chances(batch, self.kb, options=self.method.told(self.options))
        answers = self._answers(batch, scores)
        noisy = [i for i in np.flatnonzero(chances < self.threshold).tolist() if answers[i].nil_reason is None]
        for i in noisy:
            answers[i] = answers[i]._replace(nil_reason="low_probability")
        return answers

    def explainer(self, batch: Batch) -> Explainer:
        """Who can say why the mentions of a batch were linked as they were."""
        from eigenthemes.ranking.explain.explainer import Explainer
        from eigenthemes.ranking.selftrained import feature_context_of, judgement, ranker_of

        name = None if batch.vectors is None else batch.vectors.name
        ranker, around = ranker_of(self.kb, name), feature_context_of(self.kb, batch.vectors)
        with one_thread():
            found = judgement(batch, self.kb)
        return Explainer(ranker, found, around, threshold=self.threshold, aliases=self.batches.generator.aliases)

    def _explained(self, batch: Batch, answers: list[Answer]) -> list[Answer]:
        explainer = self.explainer(batch)
        return [answer._replace(explanation=explainer.explain(i)) for i, answer in enumerate(answers)]

    def _answers(self, batch: Batch, scores: Scores) -> list[Answer]:
        """The best candidates of each mention; equal scores in order of rank."""
        table = batch.table
        order = np.lexsort((-scores, table.mention_of))  # stable, and the table is in order of rank
        place = np.arange(len(order)) - np.searchsorted(table.mention_of, table.mention_of)
        kept = order[place < max(1, self.top)]
        shown = map(self._show, table.entity[kept].tolist())
        found: list[list[tuple[str, str, float]]] = [[] for _ in batch.mentions]
        for i, (external, label), score in zip(table.mention_of[kept].tolist(), shown, scores[kept].tolist(), strict=True):
            found[i].append((external, label, score))
        if not self.method.calibrated:
            return [Answer(ranking, self._nil_reason(ranking), None) for ranking in found]
        answers = [self._likely(ranking) for ranking in found]
        for i in table.mention_of[kept][(place[place < max(1, self.top)] == 0) & ~self._embedded(batch, kept)].tolist():
            if answers[i].nil_reason is not None:  # the themes had no say
                answers[i] = answers[i]._replace(nil_reason="no_embedding")
        return answers

    def _embedded(self, batch: Batch, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        if batch.vectors is None:
            return np.ones(len(rows), dtype=bool)
        return batch.vectors.has[batch.table.entity[rows]]

    def _likely(self, ranking: list[tuple[str, str, float]]) -> Answer:
        """An answer, if it is likely enough."""
        if not ranking:
            return Answer(ranking, "no_candidate", None)
        probability = ranking[0][2]
        return Answer(ranking, None, probability) if probability >= self.threshold else Answer(ranking, "low_probability", None)

    def _nil_reason(self, ranking: list[tuple[str, str, float]]) -> str | None:
        if not ranking:
            return "no_candidate"
        return None if ranking[0][2] > self.answers_above else "no_name_match"

    def _show(self, entity: int) -> tuple[str, str]:
        shown = self._shown.get(entity)
        if shown is None:
            if len(self._shown) >= _REMEMBERED:
                self._shown.clear()
            shown = self._shown[entity] = (self.kb.id_of(entity), self.kb.label_of(entity))
        return shown

    def _link(self, batch: Batch, i: int, answer: Answer) -> Link:
        external, label, score = answer.ranking[0] if answer.nil_reason is None else (None, None, None)
        ranking = tuple(RankedCandidate(*each) for each in answer.ranking[: self.top])
        unknown = batch.unknown.get(i, ())
        found = (answer.probability, answer.nil_reason, unknown, answer.explanation)
        return Link(batch.mentions[i], external, label, score, ranking, *found)


def as_document(given: str | Mapping[str, Any] | Document) -> Document:
    """A document from whatever people pass."""
    if isinstance(given, Document):
        return given
    if not isinstance(given, str | Mapping):
        raise DocumentError(f"a document is of the type {type(given).__name__}; expected a text, a dict or a Document")
    return document_of(given if isinstance(given, str) else dict(given))

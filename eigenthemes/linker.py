"""Link the names in documents to entities.

documents -> mentions -> candidates -> scores -> decisions -> links
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from eigenthemes.core.checks import check_arguments, check_fields, check_integer, check_probability
from eigenthemes.core.threads import forks, limit_blas_threads
from eigenthemes.documents.json_lines import AnyDocument, as_document
from eigenthemes.documents.json_writer import LinkEncoder
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.explanations import CandidateMap, Explanation
from eigenthemes.kb.entity_records import Labels
from eigenthemes.kb.store import KB
from eigenthemes.names.generator import CandidateOptions
from eigenthemes.pipeline.batch import BATCH, Batch, batch_maker
from eigenthemes.ranking.candidate_map import candidate_map
from eigenthemes.ranking.decide import LINKED, NIL_REASONS, DecisionRule, Decisions, decide
from eigenthemes.ranking.detection import DETECTED_THRESHOLD
from eigenthemes.ranking.explainer import Explainer
from eigenthemes.ranking.methods import Scored, default_method, method_named
from eigenthemes.ranking.options import AverageOptions, EigenOptions, ScoringOptions
from eigenthemes.ranking.ranker import feature_context_of, has_ranker, ranker_of
from eigenthemes.ranking.table_report import TableReport, report_table
from eigenthemes.records import Document, Link, LinkedDocument, LinkedTable, PlainMentions, RankedCandidate, Table
from eigenthemes.tables.table_documents import Columns, column_numbers, documents_of, profile_columns, table_of, types_by_column

OnError = str | Callable[[int, DocumentError], None]
Frame = TypeVar("Frame")  # a data frame, of whichever library


@dataclass(frozen=True, slots=True)
class DecidedBatch:
    """A batch of documents, the scores of its candidates, and the decision for each mention.

    explanations  of each mention; None unless the linker explains
    """

    batch: Batch
    scored: Scored
    decisions: Decisions
    explanations: list[Explanation] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkOptions:
    """Options of a `Linker`, the same for Python, the command line, the service, tables, data frames, spaCy and Ray.

    Parameters
    ----------
    method : str, optional
        One of `ranking.methods.METHODS`. None: the best one the KB is ready for.
    threshold : float, optional
        Least probability of a link. None: the KB's own. Methods without probabilities refuse a threshold.
    allow_nil : bool
        Whether "not in the KB" may be the answer. False: the best candidate always is.
    vectors : str, optional
        Name of the set of vectors. None: the one made or imported last.
    top : int
        Number of candidates in the ranking of each link.
    explain : bool
        Add an explanation to each link. Only calibrated methods can.
    label_lang : str, optional
        Language tag, for instance "de": label entities by their first name in that language, if they have one.
    detector : str
        Finds the mentions of documents that bring none: "names", "nested-names", "names-and-dates", "cells", "given" or
        "spacy:FOLDER".
    language : str, optional
        Language of the texts: "en", "de", "fr", "es" or "tr". None: taken from the KB's names and from each text.
    about : str, optional
        Text about the source of all documents, such as a heading or a place. Its words and names are evidence, not mentions.
    candidates : CandidateOptions
        Options of the candidate generator.
    scoring : AverageOptions, EigenOptions or ContextOptions, optional
        Options of the method. Those that it does not use are refused.

    Raises
    ------
    OptionError
        A value is not allowed, or two of them exclude each other.
    """

    method: str | None = None
    threshold: float | None = None
    allow_nil: bool = True
    vectors: str | None = None
    top: int = 3
    explain: bool = False
    label_lang: str | None = None
    detector: str = "names"
    language: str | None = None
    about: str | None = None
    candidates: CandidateOptions = field(default_factory=CandidateOptions)
    scoring: ScoringOptions | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        if self.method is not None:
            method_named(self.method)
        check_integer("top", self.top, least=0)
        if self.threshold is not None:
            check_probability("threshold", self.threshold)
            if not self.allow_nil:
                raise OptionError("a threshold means nothing where every mention is linked; leave it out, or allow NIL")


class Linker:
    """Link the mentions of documents to the entities of a KB; any number of threads may share one.

    Parameters
    ----------
    kb : KB or path
        The KB, or its folder.
    options : LinkOptions, optional
        How to link; None: the defaults.
    **changes
        Fields of `LinkOptions`, in place of those of `options`.

    Raises
    ------
    OptionError
        The KB or the method cannot be used with these options.

    Notes
    -----
    Opening a linker limits BLAS to one thread in this process (see `core.threads`). `os.fork` waits until the documents that
    threads are linking are done, so that a child may link, too.
    """

    @forks.block()
    def __init__(self, kb: KB | str | Path, *, options: LinkOptions | None = None, **changes: Any) -> None:
        self.options = options = replace(options or LinkOptions(), **changes)
        self.kb = kb = kb if isinstance(kb, KB) else KB.open(kb)
        self.method_name = options.method or default_method(kb, options.vectors)
        self.method = method_named(self.method_name)
        self._check_method()
        self.labels = Labels(kb, options.label_lang)
        self.batches = batch_maker(
            kb,
            needs_vectors=self.method.needs_vectors,
            candidates=options.candidates,
            vectors=options.vectors,
            detector=options.detector,
            language=options.language,
            incomplete=self.method.calibrated,
            about=options.about,
        )
        self.rule = self._decision_rule()
        self._make_ready()

    @classmethod
    def open(cls, path: str | Path, **options: Any) -> Linker:
        """Open a linker on a KB folder.

        Parameters
        ----------
        path : path
            The folder of the KB.
        **options
            As in `Linker`.

        Returns
        -------
        Linker
        """
        return cls(path, **options)

    def __repr__(self) -> str:
        threshold = f", threshold={self.threshold:.2f}" if self.method.calibrated and self.rule.allow_nil else ""
        return f"Linker({self.kb!r}, method={self.method_name!r}{threshold})"

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Linker, options=self.options), (self.kb,)

    @property
    def path_and_options(self) -> tuple[str, LinkOptions]:
        """The KB's path and the options: all that another process needs to open the same linker."""
        return str(self.kb.path.absolute()), self.options

    @property
    def threshold(self) -> float:
        """Least probability of a link; 0 where NIL is not allowed."""
        return self.rule.threshold if self.rule.allow_nil else 0.0

    def _check_method(self) -> None:
        """Refuse options that the method does not use."""
        name, method, options = self.method_name, self.method, self.options
        method.check_options(name, options.scoring)
        if options.vectors is not None and not method.uses_vectors and options.candidates.generator != "paper":
            problem = f"the vectors {options.vectors} mean nothing to the method {name}; leave them out, or choose another"
            raise OptionError(problem, code="unused-option", where="vectors")
        if options.explain and not method.calibrated:
            raise OptionError(f"{name} cannot be explained; use the method selftrained, or leave explain out")
        if options.threshold is not None and not (method.calibrated or method.tells_noise):
            raise OptionError(f"{name} gives no probabilities, so a threshold means nothing; leave it out")

    def _decision_rule(self) -> DecisionRule:
        """Return which mentions are linked: by the threshold that was given, or by those of the KB's ranker."""
        threshold, allow_nil = self.options.threshold, self.options.allow_nil
        ranker = ranker_of(self.kb, self._vectors_name) if self.method.calibrated else None
        if threshold is not None or ranker is None:
            return DecisionRule(threshold or 0.0, allow_nil, exact=threshold is None)
        detected = min(ranker.threshold, DETECTED_THRESHOLD)  # their probability is lower: they may not be names at all
        return DecisionRule(ranker.threshold, allow_nil, detected=detected, exact=True, cells=ranker.cell_threshold)

    @property
    def _vectors_name(self) -> str | None:
        return None if self.batches.vectors is None else self.batches.vectors.name

    def _make_ready(self) -> None:
        """Load everything that would be loaded at first use: threads only read, and the folder may be replaced."""
        self.kb.map_files()
        limit_blas_threads()
        self.method.make_ready(self.kb, self.options.scoring)

    # documents in, links out

    @forks.block()
    def link(self, document: AnyDocument) -> LinkedDocument:
        """Link the mentions of one document.

        Parameters
        ----------
        document : str, dict or Document
            A text, a document as a JSON object, or a `Document`.

        Returns
        -------
        LinkedDocument

        Raises
        ------
        DocumentError
            The document is not valid, or lacks what the method needs.
        """
        return next(self.links(self.decide([self.checked(document)])))

    def link_batch(
        self, documents: Iterable[AnyDocument], *, on_error: OnError = "raise", batch_size: int = BATCH
    ) -> Iterator[LinkedDocument]:
        """Link any number of documents, in order and in constant memory.

        Parameters
        ----------
        documents : iterable of str, dict or Document
            As for `link`.
        on_error : "raise", "skip" or callable
            What to do with a document that cannot be linked: raise a `DocumentError` with its number after the documents
            before it, skip it, or call a function with its number and the error.
        batch_size : int
            Documents that are linked together.

        Yields
        ------
        LinkedDocument
        """
        check_integer("batch_size", batch_size)
        if not callable(on_error) and not (isinstance(on_error, str) and on_error in ("raise", "skip")):
            raise OptionError(f"on_error is {on_error!r}; expected 'raise', 'skip' or a function")
        if isinstance(documents, str | bytes | Mapping):
            raise DocumentError("link_batch was given one document; give a list of them, or use link")
        if not isinstance(documents, Iterable):
            raise DocumentError(f"documents is {documents!r}; expected a list of documents")
        waiting: list[Document] = []
        for number, document in enumerate(documents):
            try:
                waiting.append(self.checked(document))
            except DocumentError as error:
                located = DocumentError(f"document {number}: {error}", code=error.code, where=error.where)
                if on_error == "raise":
                    yield from self.links(self.decide(waiting))
                    raise located from None
                if callable(on_error):
                    on_error(number, located)
            if len(waiting) >= batch_size:
                yield from self.links(self.decide(waiting))
                waiting = []
        yield from self.links(self.decide(waiting))

    @check_arguments
    def link_table(
        self,
        table: Table | Mapping[str, Any],
        *,
        columns: Columns | None = None,
        context: str = "table",
        only_types: Mapping[str | int, str | Sequence[str]] | None = None,
        id: str | int | None = None,
    ) -> LinkedTable:
        """Link the cells of a table.

        Parameters
        ----------
        table : Table or dict
            A `Table`, or ``{"header": [...], "rows": [[...], ...]}``.
        columns : sequence of str or int, optional
            Columns to link, by name or number from 0. None: those whose cells are names of the KB.
        context : "table", "column", "row" or "none"
            Cells that are decided together.
        only_types : dict, optional
            Column -> types of the entities that its cells may be linked to.
        id : str or int, optional
            Id of the table, for the result.

        Returns
        -------
        LinkedTable
        """
        table = table_of(table)
        profiles = profile_columns(table, self.batches.generator) if columns is None else ()
        named = tuple(profile.column for profile in profiles if profile.named)
        chosen = named if columns is None else column_numbers(table, columns)
        types = types_by_column(table, only_types or {})
        documents = documents_of(table, chosen, context, types)
        linked = self.link_batch(documents) if documents else ()
        links = sorted((link for each in linked for link in each.links), key=_cell_of)
        return LinkedTable(table, chosen, tuple(links), context, id)

    def link_frame(self, frame: Frame, **options: Any) -> Frame:
        """Link the cells of a data frame.

        Parameters
        ----------
        frame : pandas.DataFrame, polars.DataFrame or pyarrow.Table
            The frame; it is not changed.
        **options
            `columns`, `context`, `only_types` and `suffix`, as for `eigenthemes.link_frame`.

        Returns
        -------
        frame
            A frame of the same kind with three more columns for each linked one; rows, index, order and types are kept.
        """
        from eigenthemes.tables.frames import link_frame

        return link_frame(self, frame, **options)

    @check_arguments
    def report_table(self, linked: LinkedTable) -> TableReport:
        """Return the type of each column of a linked table, and the relations between its columns.

        Parameters
        ----------
        linked : LinkedTable
            The result of `link_table`.

        Returns
        -------
        TableReport
        """
        return report_table(self.kb, linked, accuracy=self.report_accuracy)

    @property
    def report_accuracy(self) -> dict[str, int]:
        """Accuracy of reports on synthetic tables when the KB was trained; empty if unknown."""
        if not has_ranker(self.kb, self._vectors_name):
            return {}
        cells = ranker_of(self.kb, self._vectors_name).cells
        return {} if cells is None else dict(cells.about.get("reports", {}))

    def checked(self, given: AnyDocument) -> Document:
        """Return a valid `Document`; refuse one that lacks what the method needs."""
        document = as_document(given)
        self.check(document)
        return document

    @check_arguments
    def check(self, document: Document) -> None:
        """Refuse a document that lacks what the method needs."""
        self.method.check_document(document, self.options.scoring)
        if isinstance(document.mentions, PlainMentions):
            return
        for number, mention in enumerate(document.mentions or ()):
            try:
                if mention.only_types:
                    self.batches.generator_of(mention.only_types)
            except OptionError as error:
                raise DocumentError(f"mention {number}: {error}", code=error.code, where=f"mention {number}") from None

    @forks.block()
    @check_arguments
    def decide(self, documents: Iterable[Document]) -> DecidedBatch:
        """Decide every mention of some parsed documents: detect, look up, score, decide; `links` or `encoder` follow."""
        detected = self.batches.detect(documents)
        batch = self.batches.look_up(detected)
        scored = self.method(batch, self.kb, self.options.scoring)  # groups the mentions of each document itself
        decisions = decide(batch, scored, self.method, self.rule, top=self.options.top)
        decided = DecidedBatch(batch, scored, decisions)
        if not self.options.explain:
            return decided
        explainer = self._explainer(decided)
        return replace(decided, explanations=[explainer.explain(mention) for mention in range(len(batch.mentions))])

    @check_arguments
    def explainer(self, documents: Iterable[Document]) -> Explainer:
        """Decide every mention of some documents, and return an explainer of the decisions."""
        return self._explainer(self.decide(documents))

    def _explainer(self, decided: DecidedBatch) -> Explainer:
        if decided.scored.ranking is None:
            raise OptionError(f"{self.method_name} cannot be explained; use the method selftrained")
        return Explainer(
            ranker_of(self.kb, self._vectors_name),
            decided.scored.ranking,
            feature_context_of(self.kb, decided.batch.vectors),
            nil_reasons=[NIL_REASONS[reason] for reason in decided.decisions.nil_reason.tolist()],
            rule=self.rule,
            aliases=self.options.candidates.aliases,
        )

    @check_arguments
    def links(self, decided: DecidedBatch) -> Iterator[LinkedDocument]:
        """Return the records of a decided batch, document by document."""
        batch, decisions, explanations = decided.batch, decided.decisions, decided.explanations
        named = map(self.labels.of, batch.table.entity[decisions.order].tolist())
        scores = decisions.scores[decisions.order].tolist()
        candidates = [(id, label, score) for (id, label), score in zip(named, scores, strict=True)]
        bounds, reasons = decisions.bounds.tolist(), decisions.nil_reason.tolist()
        probability, calibrated, top = decisions.probability.tolist(), self.method.calibrated, self.options.top
        if_in_kg, ambiguous = decisions.if_in_kg.tolist(), self._ambiguous(decided)
        for document, first, last in batch.own_spans():
            links = []
            for number in range(first, last):
                ranking, reason = candidates[bounds[number] : bounds[number + 1]], reasons[number]
                entity, label, score = ranking[0] if reason == LINKED else (None, None, None)
                links.append(
                    Link(
                        batch.mentions[number],
                        entity,
                        label,
                        score,
                        tuple(RankedCandidate(*candidate) for candidate in ranking[:top]),
                        probability[number] if calibrated and reason == LINKED else None,
                        if_in_kg[number] if calibrated and reason == LINKED else None,
                        NIL_REASONS[reason],
                        batch.unknown.get(number, ()),
                        ambiguous.get(number, ()),
                        None if explanations is None else explanations[number],
                    )
                )
            yield LinkedDocument(document, tuple(links))

    @check_arguments
    def encoder(self, decided: DecidedBatch) -> LinkEncoder:
        """Return an encoder of a decided batch as JSON lines: the same as the records, without making them."""
        decisions = decided.decisions
        return LinkEncoder(
            decided.batch.table.entity[decisions.order],
            decisions.scores[decisions.order],
            decisions.bounds,
            decisions.probability,
            decisions.if_in_kg,
            decisions.nil_reason,
            reasons=NIL_REASONS,
            labels=self.labels,
            top=self.options.top,
            ids={"unknown_candidates": decided.batch.unknown, "ambiguous_with": self._ambiguous(decided)},
            explanations=decided.explanations,
        )

    def _ambiguous(self, decided: DecidedBatch) -> dict[int, tuple[str, ...]]:
        """Return for each mention that has them the ids of other entities of that very name."""
        entity = decided.batch.table.entity
        ambiguous = decided.decisions.ambiguous
        return {number: tuple(self.labels.of(int(entity[row]))[0] for row in rows) for number, rows in ambiguous.items()}

    def candidate_map(self, document: AnyDocument) -> CandidateMap | None:
        """Link a document, and return its candidates in the plane of its two strongest eigenthemes.

        Parameters
        ----------
        document : str, dict or Document
            As for `link`.

        Returns
        -------
        CandidateMap or None
            None if no candidate has a vector. A linker that explains adds which candidate supports which.
        """
        return self.map_of(self.decide([self.checked(document)]), 0)

    @forks.block()
    @check_arguments
    def map_of(self, decided: DecidedBatch, number: int) -> CandidateMap | None:
        """Return the candidate map of a document of a batch, by its number."""
        check_integer("number", number, least=0, most=len(decided.batch.documents) - 1)
        options = self.method.effective(self.options.scoring)
        weighting = options if isinstance(options, AverageOptions) else EigenOptions()
        return candidate_map(decided.batch, number, self.kb, weighting, decided.decisions, decided.explanations)


def _cell_of(link: Link) -> tuple[int, int]:
    return link.mention.row or 0, link.mention.col or 0

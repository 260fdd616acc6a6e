"""A batch: documents, their mentions and one table of candidates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import chain, islice, repeat
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.threads import lazy
from eigenthemes.kb.name_arrays import UNBRACKETED
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.names.detectors import Detector, cell_forms, detector_named, with_mentions
from eigenthemes.names.evidence import are_items
from eigenthemes.names.generator import CandidateGenerator, CandidateOptions, CandidateTable, match_types_of
from eigenthemes.names.retrieval import REMEMBERED
from eigenthemes.records import Document, Mention, PlainMentions, mention_texts
from eigenthemes.text.normalize import name_key

Ints = NDArray[np.int64]


class GivenCandidates(NamedTuple):
    """Candidates that mentions bring.

    unknown         mention -> ids that the KB does not know
    without_vector  number of candidates that were left out because they have no vector
    """

    table: CandidateTable
    unknown: dict[int, tuple[str, ...]]
    without_vector: int


def given_candidates(
    names: Sequence[str],
    candidates: Sequence[Sequence[str]],
    priors: Sequence[Sequence[float] | None] | None,
    kb: KB,
    generator: CandidateGenerator,
    vectors: Vectors | None,
    embedded_only: NDArray[np.bool_],
) -> GivenCandidates:
    """Return the candidates that mentions bring, each once, up to T.

    They are ranked in the order of their list, or by its priors, highest first, where it has some.

    names, candidates  of each mention: its name, and the ids it brings, best first
    priors             numbers for these ids, None: those of the KB; None: no mention brings any
    generator          what its `allowed` leaves out is no candidate
    embedded_only      [mentions] those without a vector are none, either
    """
    ids, counts = list(chain.from_iterable(candidates)), np.array(list(map(len, candidates)), np.int64)
    mention_of, entity = np.repeat(np.arange(len(names)), counts), kb.indices_of(ids)
    kept = entity >= 0
    unknown = _by_mention(mention_of, ids, ~kept)
    if generator.allowed is not None:
        kept &= generator.allowed[entity]
    dropped = 0
    if vectors is not None and embedded_only.any():
        has_no_vector = kept & embedded_only[mention_of] & ~vectors.has[entity]
        dropped = int(has_no_vector.sum())
        kept &= ~has_no_vector
    rows = np.flatnonzero(kept)
    numbers = None if priors is None else _numbers(priors, counts)
    if numbers is not None:
        rows = rows[np.lexsort((rows, -np.nan_to_num(numbers[rows]), mention_of[rows]))]
    rows = rows[np.sort(np.unique(mention_of[rows] * len(kb) + entity[rows], return_index=True)[1])]
    rank = _ranks(mention_of[rows])
    if generator.max_candidates is not None:
        rows, rank = rows[rank <= generator.max_candidates], rank[rank <= generator.max_candidates]
    mention_of, entity = mention_of[rows], entity[rows]
    prior = kb.priors_of(entity)
    if numbers is not None:
        prior = np.where(np.isnan(numbers[rows]), prior, numbers[rows])
    number_of: dict[str, int] = {}
    number = np.array([number_of.setdefault(name, len(number_of)) for name in names], np.int64)
    match_type = match_types_of(generator, list(number_of), number[mention_of], entity)
    table = CandidateTable(len(names), mention_of, entity.astype(np.uint32), rank.astype(np.int32), prior, match_type)
    return GivenCandidates(table, unknown, dropped)


def _by_mention(mention_of: Ints, ids: Sequence[str], chosen: NDArray[np.bool_]) -> dict[int, tuple[str, ...]]:
    """Return the chosen ids of each mention that has any, each once."""
    found: dict[int, dict[str, None]] = {}
    for row in np.flatnonzero(chosen).tolist():
        found.setdefault(int(mention_of[row]), {})[ids[row]] = None
    return {mention: tuple(of_mention) for mention, of_mention in found.items()}


def _ranks(mention_of: Ints) -> Ints:
    """Count the rows of each mention from 1."""
    return np.arange(1, len(mention_of) + 1) - np.searchsorted(mention_of, mention_of)


def _numbers(priors: Sequence[Sequence[float] | None], counts: Ints) -> NDArray[np.float64]:
    """Return the numbers that mentions bring for their candidates; nan where they bring none."""
    given = [islice(chain(each or (), repeat(np.nan)), count) for each, count in zip(priors, counts.tolist(), strict=True)]
    return np.array(list(chain.from_iterable(given)), np.float64)


BATCH = 64  # documents that are looked up together
_MOST_TYPE_FILTERS = 32  # sets of asked types whose name indexes are kept

_COLUMNS = ("entity", "rank", "prior", "match_type")
AnyDocument = TypeVar("AnyDocument")


@dataclass(frozen=True)
class Batch:
    """Documents with the candidates of all their mentions: the input of a `Method`.

    Attributes
    ----------
    documents
        Each with its mentions.
    mention_bounds
        [documents + 1] int64: the mentions of document i are those from `mention_bounds[i]` to `mention_bounds[i + 1]`.
    bounds
        [documents + 1] int64: the same for the rows of the table.
    table
        The candidates of all mentions.
    vectors
        Those of the KB: `vectors.rows[batch.table.entity]` [n, d], `vectors.has[...]` bool; None: there are none.
    unknown
        Mention -> ids that the document gave and the KB does not have.
    detected
        [mentions] bool: found in a text by their spelling alone; None: all were given.
    forms
        Mention -> the name that was looked up for a cell that is no name as written.
    witnesses
        [documents] int64: how many of the last mentions of each document come from `about`. They are evidence and get no
        link. None: there are none.
    without_vector
        Number of given candidates that were left out because they have no vector.
    """

    documents: list[Document]
    mention_bounds: NDArray[np.int64]
    bounds: NDArray[np.int64]
    table: CandidateTable
    vectors: Vectors | None
    unknown: dict[int, tuple[str, ...]]
    detected: NDArray[np.bool_] | None = None
    forms: dict[int, str] = field(default_factory=dict)
    witnesses: NDArray[np.int64] | None = None
    without_vector: int = 0

    @lazy
    def mentions(self) -> list[Mention]:
        """The mentions of all documents, in order. Where they bring no candidates, linking needs columns only: see `names`."""
        return [mention for document in self.documents for mention in document.mentions or ()]

    @lazy
    def are_plain(self) -> bool:
        """Return True if no mention has given candidates or type restrictions."""
        return all(map(_is_plain, self.documents))

    @lazy
    def texts(self) -> list[str]:
        """The text of each mention."""
        return list(chain.from_iterable(mention_texts(document.mentions or ()) for document in self.documents))

    @lazy
    def names(self) -> list[str]:
        """The name by which each mention was looked up."""
        names = _names_of(self.documents)
        for mention, form in self.forms.items():
            names[mention] = form
        return names

    @lazy
    def starts(self) -> NDArray[np.int64]:
        """Return the start of each mention in its text, or of its name's first occurrence [mentions]; -1 if absent."""
        return np.array(list(chain.from_iterable(map(_starts_of, self.documents))), np.int64)

    @lazy
    def brings_candidates(self) -> NDArray[np.bool_]:
        """Return a mask of mentions with given candidates [mentions]."""
        if self.are_plain:
            return np.zeros(len(self.texts), dtype=bool)
        return np.array([mention.candidates is not None for mention in self.mentions], dtype=bool)

    @property
    def is_cell(self) -> NDArray[np.bool_]:
        """Return a mask of mentions that are table cells [mentions]."""
        return _in_tables(self.documents, np.diff(self.mention_bounds))

    @property
    def in_text(self) -> NDArray[np.bool_]:
        """Return a mask of documents that are no tables [documents]."""
        return np.array([document.table is None for document in self.documents], dtype=bool)

    def document_spans(self) -> Iterator[tuple[Document, int, int]]:
        """Return each document with the numbers of its first mention and of the one after its last."""
        bounds = self.mention_bounds.tolist()
        return zip(self.documents, bounds[:-1], bounds[1:], strict=True)

    @lazy
    def listed(self) -> NDArray[np.bool_]:
        """Return which detected mentions are a whole item of a list of keywords: they are as good as given [mentions]."""
        if self.detected is None:
            return np.zeros(self.table.mentions, dtype=bool)
        items = chain.from_iterable(are_items(document, document.mentions or ()) for document in self.documents)
        return np.fromiter(items, bool, len(self.detected)) & self.detected

    @property
    def is_own(self) -> NDArray[np.bool_]:
        """Return a mask of the documents' own mentions, without those of `about` [mentions]."""
        is_own = np.ones(self.table.mentions, dtype=bool)
        for first, last in self._witness_spans():
            is_own[first:last] = False
        return is_own

    def own_spans(self) -> Iterator[tuple[Document, int, int]]:
        """Yield each document with the range of its mentions, without those of `about`."""
        if self.witnesses is None:
            yield from self.document_spans()
            return
        for (document, first, _), (last, _) in zip(self.document_spans(), self._witness_spans(), strict=True):
            yield replace(document, mentions=(document.mentions or ())[: last - first]), first, last

    def _witness_spans(self) -> Iterator[tuple[int, int]]:
        """Return the numbers of the first witness of each document and of the mention after its last; none without any."""
        if self.witnesses is not None:
            ends = self.mention_bounds[1:]
            yield from zip((ends - self.witnesses).tolist(), ends.tolist(), strict=True)


class DetectedMentions(NamedTuple):
    """Documents with their mentions, before candidates are looked up.

    by_spelling  of each document: its mentions were found by their spelling
    witnesses    [documents] number of mentions of each that come from `about`; None: of none
    """

    documents: list[Document]
    by_spelling: list[bool]
    witnesses: NDArray[np.int64] | None


class BatchMaker:
    """Detects the mentions of documents that bring none, and looks up the candidates of mentions that bring none.

    about          text about the source of all documents, beside what each says of its own; None: there is none
    needs_vectors  methods use only candidates with a vector, so lists of the paper's kind are cut down to these; other
                   methods get the lists that documents bring unchanged
    """

    def __init__(
        self,
        kb: KB,
        generator: CandidateGenerator,
        detector: Detector,
        vectors: Vectors | None,
        about: str | None = None,
        *,
        needs_vectors: bool = False,
    ) -> None:
        self.kb, self.generator, self.detector, self.vectors, self.about = kb, generator, detector, vectors, about
        self.needs_vectors = needs_vectors
        self._of_types: dict[tuple[str, ...], CandidateGenerator] = {}

    def make(self, documents: Iterable[Document]) -> Batch:
        """Make the batch of some documents."""
        return self.look_up(self.detect(documents))

    def detect(self, documents: Iterable[Document]) -> DetectedMentions:
        """Return the documents with their mentions: given ones, or those that the detector finds."""
        given = list(documents)
        by_spelling = [self.detector.by_spelling and document.mentions is None and document.table is None for document in given]
        complete, witnesses = self._with_witnesses(with_mentions(given, self.detector))
        return DetectedMentions(complete, by_spelling, witnesses)

    def look_up(self, mentions: DetectedMentions) -> Batch:
        """Return the batch of documents with the candidates of each mention."""
        complete, witnesses = mentions.documents, mentions.witnesses
        counts = [len(document.mentions or ()) for document in complete]
        (table, unknown, without_vector), forms = self._candidates(complete, counts)
        mention_bounds = np.concatenate(([0], np.cumsum(counts, dtype=np.int64))).astype(np.int64)
        bounds = table.bounds[mention_bounds]
        detected = np.repeat(np.array(mentions.by_spelling, dtype=bool), counts) if any(mentions.by_spelling) else None
        batch = Batch(
            complete, mention_bounds, bounds, table, self.vectors, unknown, detected, forms, witnesses, without_vector
        )
        if detected is not None and witnesses is not None:
            detected &= batch.is_own
        return batch

    def _with_witnesses(self, documents: list[Document]) -> tuple[list[Document], NDArray[np.int64] | None]:
        """Return the documents with the names of `about` as further mentions, and their number."""
        if self.about is None and all(document.about is None for document in documents):
            return documents, None
        abouts = ["\n".join(filter(None, (self.about, document.about))) for document in documents]
        names = [self._names_in(about) for about in abouts]
        complete = [
            replace(document, about=about or None, mentions=(*(document.mentions or ()), *witnesses))
            for document, about, witnesses in zip(documents, abouts, names, strict=True)
        ]
        return complete, np.array([len(witnesses) for witnesses in names], np.int64)

    def _names_in(self, about: str) -> tuple[Mention, ...]:
        """Return the names in a text about a source, each once; they have no place in the document."""
        if not about.strip():
            return ()
        detector = self.kb.cached(_detector_of_names)
        (found,) = detector.detect([Document(text=about)])
        return tuple(dict.fromkeys(Mention(mention.text, full_name=mention.full_name) for mention in found))

    def _candidates(self, documents: Sequence[Document], counts: Sequence[int]) -> tuple[GivenCandidates, dict[int, str]]:
        """Return the candidates of all mentions of some documents, and forms, as `Batch` has them."""
        if all(_is_plain(document) and document.table is None for document in documents):
            return GivenCandidates(self.generator.find_batch(_names_of(documents)), {}, 0), {}
        embedded_only = np.repeat(np.array([document.embedded_only for document in documents], dtype=bool), counts)
        if (lists := _plain_candidates(documents)) is not None:
            return self._given(_names_of(documents), lists, None, (), embedded_only), {}
        mentions = [mention for document in documents for mention in document.mentions or ()]
        collected = self._collect_candidates(mentions, embedded_only)
        table, forms = self._other_forms(collected.table, mentions, _in_tables(documents, counts))
        return collected._replace(table=table), forms

    def _collect_candidates(self, mentions: Sequence[Mention], embedded_only: NDArray[np.bool_]) -> GivenCandidates:
        """Return given or retrieved candidates of the types of each mention, and what became of the others that were given."""
        alike: dict[tuple[bool, tuple[str, ...]], list[int]] = {(False, ()): []}
        for i, mention in enumerate(mentions):
            alike.setdefault((mention.candidates is not None, mention.only_types), []).append(i)
        tables, places, unknown, without_vector = [], [], dict[int, tuple[str, ...]](), 0
        for (is_given, types), rows in alike.items():
            some, place = [mentions[i] for i in rows], np.array(rows, np.int64)
            names = [mention.name for mention in some]
            if is_given:
                lists, priors = [mention.candidates or () for mention in some], [mention.priors for mention in some]
                found = self._given(names, lists, priors if any(priors) else None, types, embedded_only[place])
                unknown |= {rows[i]: ids for i, ids in found.unknown.items()}
                without_vector += found.without_vector
            tables.append(found.table if is_given else self.generator_of(types).find_batch(names))
            places.append(place)
        table = tables[0] if len(tables) == 1 else _interleave(len(mentions), tables, places)
        return GivenCandidates(table, unknown, without_vector)

    def _given(
        self,
        names: Sequence[str],
        lists: Sequence[Sequence[str]],
        priors: Sequence[Sequence[float] | None] | None,
        types: tuple[str, ...],
        embedded_only: NDArray[np.bool_],
    ) -> GivenCandidates:
        """Return the candidates that mentions of some types bring; of the paper's kind only those with vectors, if needed."""
        dropped = (embedded_only | (self.generator.generator == "paper")) & self.needs_vectors
        return given_candidates(names, lists, priors, self.kb, self.generator_of(types), self.vectors, dropped)

    def _other_forms(
        self, table: CandidateTable, mentions: Sequence[Mention], is_cell: NDArray[np.bool_]
    ) -> tuple[CandidateTable, dict[int, str]]:
        """Look up other forms of cells that are no whole name; the first form that is one takes the place of the cell."""
        if not is_cell.any() or self.generator.generator == "paper":
            return table, {}
        is_cell[table.mention_of[(table.match_type <= UNBRACKETED) | (table.match_type == REMEMBERED)]] = False
        no_names = (i for i in np.flatnonzero(is_cell).tolist() if mentions[i].candidates is None)
        keys = self.kb.name_index.key_table  # of whole names: most forms are none, and need no look-up
        tried = [(i, form) for i in no_names for form in cell_forms(mentions[i].text) if keys.find(name_key(form)) >= 0]
        if not tried:
            return table, {}
        forms = [replace(mentions[i], text=form, full_name=None) for i, form in tried]
        found = self._collect_candidates(forms, np.zeros(len(forms), dtype=bool)).table
        chosen: dict[int, int] = {}
        for number in np.unique(found.mention_of[found.match_type <= UNBRACKETED]).tolist():
            chosen.setdefault(tried[number][0], number)
        places = np.full(len(tried), -1)
        places[list(chosen.values())] = list(chosen)
        return _replaced(table, found, places), {i: tried[number][1] for i, number in chosen.items()}

    def generator_of(self, types: tuple[str, ...]) -> CandidateGenerator:
        """Return what finds entities of some types; without any, of all that this batch maker may find."""
        if not types:
            return self.generator
        known = self._of_types.get(types)
        if known is None:
            if len(self._of_types) >= _MOST_TYPE_FILTERS:
                self._of_types = {}
            known = self._of_types[types] = self.generator.only_of_types(types)
        return known


def batch_maker(
    kb: KB,
    *,
    needs_vectors: bool,
    candidates: CandidateOptions | None = None,
    vectors: str | None = None,
    detector: str = "names",
    language: str | None = None,
    incomplete: bool = True,
    about: str | None = None,
    remembers: bool = True,
) -> BatchMaker:
    """Return what turns documents into batches: with a detector, a candidate generator, and vectors, where there are any.

    needs_vectors  as in `BatchMaker`
    remembers      what people said names mean is among their candidates
    """
    chosen = kb.vectors(vectors) if needs_vectors or vectors is not None or kb.vector_sets else None
    generator = CandidateGenerator(
        kb,
        **asdict(candidates or CandidateOptions()),
        embedded=None if chosen is None else chosen.has,
        incomplete=incomplete,
        remembers=remembers,
    )
    names = detector_named(detector, kb, language, allowed=generator.allowed)
    return BatchMaker(kb, generator, names, chosen, about, needs_vectors=needs_vectors)


def _detector_of_names(kb: KB) -> Detector:
    return detector_named("names", kb)


def batches_of(documents: Iterable[AnyDocument], size: int) -> Iterator[list[AnyDocument]]:
    """Yield the documents in lists of at most `size`."""
    waiting = iter(documents)
    while batch := list(islice(waiting, size)):
        yield batch


def gold_of(batch: Batch, kb: KB) -> tuple[list[set[int]], NDArray[np.bool_]]:
    """Return the gold entities of each mention that the KB has, and which candidates are gold [n]."""
    table = batch.table
    ids = list(dict.fromkeys(id for mention in batch.mentions for id in mention.gold or ()))
    index_of = dict(zip(ids, kb.indices_of(ids).tolist(), strict=True))
    gold = [{entity for id in mention.gold or () if (entity := index_of[id]) >= 0} for mention in batch.mentions]
    pairs = [(i * len(kb) + entity) for i, entities in enumerate(gold) for entity in entities]
    return gold, np.isin(table.mention_of * len(kb) + table.entity, np.array(pairs, dtype=np.int64))


def gold_rows(batch: Batch, kb: KB) -> NDArray[np.bool_]:
    """Return which candidates of a batch are gold [n]."""
    return gold_of(batch, kb)[1]


def has_gold(batch: Batch) -> NDArray[np.bool_]:
    """Return which mentions have gold [mentions]."""
    return np.array([bool(mention.gold) for mention in batch.mentions], dtype=bool)


def _is_plain(document: Document) -> bool:
    """Return True if no mention of a document has given candidates or type restrictions."""
    mentions = document.mentions or ()
    if isinstance(mentions, PlainMentions):
        return mentions.candidates is None
    return not any(each.candidates is not None or each.only_types for each in mentions)


def _plain_candidates(documents: Iterable[Document]) -> list[list[str]] | None:
    """Return the ids that each mention brings, where all mentions of all documents are columns, and bring some; else None."""
    lists = list[list[str]]()
    for document in documents:
        mentions = document.mentions or ()
        if mentions and (not isinstance(mentions, PlainMentions) or mentions.candidates is None or document.table is not None):
            return None
        lists += mentions.candidates or () if isinstance(mentions, PlainMentions) else ()
    return lists


def _names_of(documents: Iterable[Document]) -> list[str]:
    """Return the name by which each mention of some documents is looked up, before cells are looked up by other forms."""
    names = list[str]()
    for document in documents:
        mentions = document.mentions or ()
        names += mentions.texts if isinstance(mentions, PlainMentions) else [mention.name for mention in mentions]
    return names


def _starts_of(document: Document) -> list[int]:
    """Return where the mentions of a document start in its text; -1: nowhere, as in tables."""
    mentions = document.mentions or ()
    if not document.text or document.table is not None:
        return [-1] * len(mentions)
    if isinstance(mentions, PlainMentions) and mentions.starts is not None:
        return mentions.starts
    return [document.start_of(mention) for mention in mentions]


def _in_tables(documents: Sequence[Document], counts: Sequence[int] | NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which mentions are of a document that is a table [mentions]; counts: mentions of each document."""
    return np.repeat(np.array([document.table is not None for document in documents], dtype=bool), counts)


def _interleave(mentions: int, tables: Sequence[CandidateTable], places: Sequence[NDArray[np.int64]]) -> CandidateTable:
    """Merge tables into one, in order of mention; `places` has the mentions of each table."""
    mention_of = np.concatenate([place[table.mention_of] for table, place in zip(tables, places, strict=True)])
    order = np.argsort(mention_of, kind="stable")
    columns = (np.concatenate([getattr(table, name) for table in tables])[order] for name in _COLUMNS)
    return CandidateTable(mentions, mention_of[order], *columns)


def _replaced(table: CandidateTable, other: CandidateTable, places: NDArray[np.int64]) -> CandidateTable:
    """Replace the candidates of some mentions by those of another table; `places` has their rows, -1 for none."""
    kept, taken = ~np.isin(table.mention_of, places), places[other.mention_of] >= 0
    mention_of = np.concatenate((table.mention_of[kept], places[other.mention_of[taken]]))
    order = np.argsort(mention_of, kind="stable")
    columns = (np.concatenate((getattr(table, name)[kept], getattr(other, name)[taken]))[order] for name in _COLUMNS)
    return CandidateTable(table.mentions, mention_of[order], *columns)

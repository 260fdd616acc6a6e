"""A spaCy component that links the entities of documents to a KB.

    nlp.add_pipe("eigenthemes", config={"kb": "my.kb"})

spaCy finds it by the entry point `spacy_factories`; importing this module registers it, too. A saved pipeline contains the
config of the component and not the KB, so the component needs no `to_disk`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from spacy.language import Language
from spacy.tokens import Doc, Span
from spacy.util import raise_error

from eigenthemes.core.entity_ids import last_part
from eigenthemes.errors import EigenthemesError, OptionError
from eigenthemes.linker import Linker
from eigenthemes.names.generator import CandidateOptions
from eigenthemes.pipeline.batch import batches_of
from eigenthemes.records import Document, Link, Mention

ATTRIBUTE = "kb_ents"  # span._.kb_ents: [(id, probability), ...], the best first; scores by methods without probabilities
ErrorHandler = Callable[[str, Any, list[Doc], Exception], Any]
if not Span.has_extension(ATTRIBUTE):  # another library's attribute of this name is kept
    Span.set_extension(ATTRIBUTE, default=None)

_NO_TYPE = "ENTITY"


@Language.factory("eigenthemes", assigns=["doc.ents", "token.ent_kb_id", "span._.kb_ents"])
def make_component(
    nlp: Language,
    name: str,
    kb: str | None = None,
    detect: bool | None = None,
    label: str | None = None,
    method: str | None = None,
    threshold: float | None = None,
    nil: bool = True,
    top: int = 3,
    nested: bool = False,
    only_types: Sequence[str] = (),
    not_types: Sequence[str] = (),
    batch_size: int = 64,
) -> LinkerComponent:
    """Return the component that a pipeline's config describes; see `LinkerComponent`."""
    if kb is None:
        raise OptionError(f'the component {name} was given no KB; give one: config={{"kb": "my.kb"}}', where="kb")
    linker = Linker(
        kb,
        method=method,
        threshold=threshold,
        allow_nil=nil,
        top=top,
        detector="nested-names" if nested else "names",
        candidates=CandidateOptions(only_types=tuple(only_types), not_types=tuple(not_types)),
    )
    return LinkerComponent(linker, name=name, detect=detect, label=label, batch_size=batch_size)


@dataclass(eq=False)
class LinkerComponent:
    """Links the entities of documents: sets `ent.kb_id_` and `ent._.kb_ents`.

    detect      also detect the KB's names, and add those that overlap no entity. None: only in documents whose entities no
                earlier component has set
    label       of the added entities; None: the type of the linked entity
    batch_size  documents that are linked together

    An entity that is not linked keeps its label and has no id; a detected name that is not linked is not added.
    """

    linker: Linker
    name: str = "eigenthemes"
    detect: bool | None = None
    label: str | None = None
    batch_size: int = 64
    error_handler: ErrorHandler = raise_error

    def __call__(self, doc: Doc) -> Doc:
        """Link the entities of one document."""
        self._link([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int | None = None) -> Iterator[Doc]:
        """Link documents in batches, in order; one that cannot be linked is passed to the pipeline's error handler."""
        for docs in batches_of(stream, min(batch_size or self.batch_size, self.batch_size)):
            try:
                self._link(docs)
            except EigenthemesError:
                yield from self._one_by_one(docs)
            else:
                yield from docs

    def _one_by_one(self, docs: Sequence[Doc]) -> Iterator[Doc]:
        """Link the documents of a failed batch one by one, so that only those that fail are lost."""
        for doc in docs:
            try:
                self._link([doc])
            except EigenthemesError as error:
                self.error_handler(self.name, self, [doc], error)
            else:
                yield doc

    def set_error_handler(self, error_handler: ErrorHandler) -> None:
        """Set the function that is called with documents that cannot be linked."""
        self.error_handler = error_handler

    def get_error_handler(self) -> ErrorHandler:
        """Return the function that is called with documents that cannot be linked."""
        return self.error_handler

    def _link(self, docs: Sequence[Doc]) -> None:
        """Link the entities of documents, and their detected names apart from them."""
        given = [
            Document(text=doc.text, mentions=tuple(Mention(ent.text, ent.start_char, ent.end_char) for ent in doc.ents))
            for doc in docs
        ]
        searched = [doc for doc in docs if (not doc.has_annotation("ENT_IOB") if self.detect is None else self.detect)]
        texts = [Document(text=doc.text) for doc in searched]
        linked = self.linker.link_batch([*given, *texts], batch_size=2 * self.batch_size)
        for doc in docs:
            pairs = zip(doc.ents, next(linked).links, strict=True)
            doc.set_ents(
                [_entity(doc, ent.start, ent.end, ent.label_, link, id=ent.id_) for ent, link in pairs], default="unmodified"
            )
        for doc in searched:
            self._add_detected(doc, next(linked).links)

    def _add_detected(self, doc: Doc, links: Sequence[Link]) -> None:
        """Add the detected names that are linked, unless they overlap entities or longer names."""
        taken = {token for ent in doc.ents for token in range(ent.start, ent.end)}
        added = []
        for link in sorted((link for link in links if link.entity), key=_longest_first):
            span = doc.char_span(link.mention.start or 0, link.mention.end or 0, alignment_mode="expand")
            if span is None or not taken.isdisjoint(range(span.start, span.end)):
                continue
            taken.update(range(span.start, span.end))
            added.append(_entity(doc, span.start, span.end, self.label or self._type_of(str(link.entity)), link))
        doc.set_ents(sorted([*doc.ents, *added], key=lambda ent: ent.start))

    def _type_of(self, entity_id: str) -> str:
        kb = self.linker.kb
        index = kb.index_of(entity_id)
        types = () if index is None else kb.types_of(index)
        if not types:
            return _NO_TYPE
        of_type = kb.index_of(types[0])
        return (None if of_type is None else kb.label_of(of_type)) or last_part(types[0]) or _NO_TYPE


def _longest_first(link: Link) -> tuple[int, int]:
    start, end = link.mention.start or 0, link.mention.end or 0
    return start - end, start


def _entity(doc: Doc, start: int, end: int, label: str, link: Link, id: str = "") -> Span:
    ent = Span(doc, start, end, label=label, kb_id=link.entity or "", span_id=id)
    ent._.set(ATTRIBUTE, [(candidate.id, candidate.score) for candidate in link.ranking])
    return ent

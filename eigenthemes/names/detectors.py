"""The detectors: what finds the mentions of documents that bring none."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NoReturn, Protocol

import numpy as np
from numpy.typing import NDArray

from eigenthemes.errors import DocumentError, MissingExtraError, OptionError
from eigenthemes.kb.store import KB
from eigenthemes.names.detector import HAS_LETTER, NameDetector, cells
from eigenthemes.records import Document, Mention
from eigenthemes.text.stems import checked_language

DETECTORS = {
    "names": "the KB's own names in a text; the cells of a table",
    "names-and-dates": "the same, months and weekdays too",
    "nested-names": "the same as names, names within names too",
    "cells": "the cells of a table; a text is refused",
    "given": "none: a document that brings no mentions is refused",
}
SPACY = "spacy:"  # and the folder of a pipeline
_HAS_PARTS = re.compile(r"[,()\[\]]")
_BRACKETED = re.compile(r"\s*(\([^()]*\)|\[[^\[\]]*\])\s*")


class Detector(Protocol):
    """Finds the mentions of documents that bring none; any number of threads may share one.

    by_spelling  spans of a text are proposed because they are spelled like a name: whether they are names is yet to be decided
    """

    @property
    def by_spelling(self) -> bool: ...

    def detect(self, documents: Sequence[Document]) -> Sequence[tuple[Mention, ...]]:
        """Return the mentions of each document, in order; raise a `DocumentError` for one in which none can be found."""
        ...


def detector_named(name: str, kb: KB, language: str | None = None, *, allowed: NDArray[np.bool_] | None = None) -> Detector:
    """Return the detector of that name: one of `DETECTORS`, or spacy:FOLDER.

    language  of the texts; None: any language of the KB's names
    allowed   [entities] bool: those that may be meant; None: all
    """
    if language is not None:
        checked_language(language)
    if name in ("names", "names-and-dates", "nested-names"):
        dates, nested = name == "names-and-dates", name == "nested-names"
        return NameDetector(kb, dates=dates, nested=nested, language=language, allowed=allowed)
    if name == "cells":
        return CellDetector()
    if name == "given":
        return GivenDetector()
    if name.startswith(SPACY):
        return SpacyDetector(name.removeprefix(SPACY))
    raise OptionError(f"the detector is {name!r}; expected one of {', '.join(DETECTORS)}, or spacy:FOLDER", where="detector")


def with_mentions(documents: Sequence[Document], detector: Detector) -> list[Document]:
    """Return documents with their given mentions, else with detected ones."""
    complete = list(documents)
    without = [number for number, document in enumerate(complete) if document.mentions is None]
    found = detector.detect([complete[number] for number in without]) if without else ()
    for number, mentions in zip(without, found, strict=True):
        complete[number] = replace(complete[number], mentions=mentions)
    return complete


class CellDetector:
    """Takes every cell of a table that may be a name for a mention; a document without a table is refused."""

    by_spelling = False

    def detect(self, documents: Sequence[Document]) -> list[tuple[Mention, ...]]:
        return [self._detect(document) for document in documents]

    def _detect(self, document: Document) -> tuple[Mention, ...]:
        if document.table is None:
            raise DocumentError('the document has neither mentions nor a table; give "mentions", or a "table" of cells')
        return tuple(cells(document.table))


def cell_forms(text: str) -> list[str]:
    """Return what a cell that is no name as written may mean, the likeliest first.

    Without what is in brackets; "Korea, Republic of" turned round; its first two parts, its first part ("Paris, France").
    """
    if not _HAS_PARTS.search(text):
        return []
    bare = _BRACKETED.sub(" ", text).strip()
    parts = [part for part in (part.strip() for part in bare.split(",")) if part]
    forms = [bare]
    if len(parts) > 1:
        turned = f"{parts[1]} {parts[0]}" if len(parts) == 2 else ""
        forms += [turned, f"{parts[0]}, {parts[1]}", parts[0]]
    return [form for form in dict.fromkeys(forms) if form != text and HAS_LETTER.search(form)]


class GivenDetector:
    """Refuses every document that brings no mentions."""

    by_spelling = False

    def detect(self, documents: Sequence[Document]) -> NoReturn:
        raise DocumentError('the document has no "mentions", and none are looked for; give them, or detect names')


class SpacyDetector:
    """Takes the entities of a saved spaCy pipeline for mentions; in a table, the cells that may be names.

    path  the folder that `nlp.to_disk` wrote, or the name of an installed pipeline
    """

    by_spelling = False  # a recogniser looked at the words around

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            import spacy
        except ImportError:
            raise MissingExtraError("finding names with spaCy", "spacy", "spacy") from None
        try:
            self._nlp = spacy.load(path)
        except (OSError, ValueError, ImportError) as error:
            cause = "it is neither a folder of a pipeline nor an installed one" if not Path(path).exists() else str(error)
            raise OptionError(
                f"the spaCy pipeline {path} cannot be loaded ({' '.join(cause.split())[:200]}); save one with "
                "nlp.to_disk(folder), and give that folder",
                where="detector",
            ) from None

    def __reduce__(self) -> tuple[object, ...]:
        return partial(SpacyDetector, self.path), ()

    def detect(self, documents: Sequence[Document]) -> list[tuple[Mention, ...]]:
        return [self._detect(document) for document in documents]

    def _detect(self, document: Document) -> tuple[Mention, ...]:
        if document.table is not None:
            return tuple(cells(document.table))
        text = document.text or ""
        return tuple(Mention(text[ent.start_char : ent.end_char], ent.start_char, ent.end_char) for ent in self._nlp(text).ents)

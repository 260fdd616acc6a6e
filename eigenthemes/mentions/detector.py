"""The one protocol of everything that finds mentions, and the detectors there are."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB
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


class Detector(Protocol):
    """Finds the mentions of a document that brings none; any number of threads may share one.

    by_spelling  spans of a text are proposed because they are spelled like a name: that they are names at all is yet to be seen
    """

    @property
    def by_spelling(self) -> bool: ...

    def detect(self, document: Document) -> tuple[Mention, ...]:
        """Return the mentions of a document, in order; a document that has none to find is refused with a `DocumentError`."""
        ...


def detector_named(name: str, kb: KB, language: str | None = None, *, allowed: NDArray[np.bool_] | None = None) -> Detector:
    """Return the detector of that name: one of `DETECTORS`, or spacy:FOLDER.

    language  of the texts; None: it is guessed
    allowed   [entities] bool: those that may be meant; None: all
    """
    if language is not None:
        checked_language(language)
    if name in ("names", "names-and-dates", "nested-names"):
        from eigenthemes.mentions.names import NameDetector

        dates, nested = name == "names-and-dates", name == "nested-names"
        return NameDetector(kb, dates=dates, nested=nested, language=language, allowed=allowed)
    if name == "cells":
        from eigenthemes.mentions.plain_detectors import CellDetector

        return CellDetector()
    if name == "given":
        from eigenthemes.mentions.plain_detectors import GivenDetector

        return GivenDetector()
    if name.startswith(SPACY):
        from eigenthemes.mentions.plain_detectors import SpacyDetector

        return SpacyDetector(name.removeprefix(SPACY))
    raise OptionError(f"the detector is {name!r}; expected one of {', '.join(DETECTORS)}, or spacy:FOLDER", where="detector")


def with_mentions(document: Document, detector: Detector) -> Document:
    """Return the document with its given mentions, else with detected ones."""
    return document if document.mentions is not None else replace(document, mentions=detector.detect(document))

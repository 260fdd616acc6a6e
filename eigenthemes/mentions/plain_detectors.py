"""Detectors without a name index: table cells, given mentions, spaCy spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import NoReturn

from eigenthemes.errors import DocumentError, MissingExtraError, OptionError
from eigenthemes.records import Document, Mention, Table

_HAS_LETTER = re.compile(r"[^\W\d_]")
_UNKNOWN = frozenset(("n/a", "#n/a", "n.a.", "null", "nan", "none", "nil", "unknown", "not available", "not applicable", "tbd"))
_HAS_PARTS = re.compile(r"[,()\[\]]")
_BRACKETED = re.compile(r"\s*(\([^()]*\)|\[[^\[\]]*\])\s*")


class CellDetector:
    """Takes every cell of a table that may be a name for a mention; a document without a table is refused."""

    by_spelling = False

    def detect(self, document: Document) -> tuple[Mention, ...]:
        if document.table is None:
            raise DocumentError('the document has neither mentions nor a table; give "mentions", or a "table" of cells')
        return tuple(cells(document.table))


def cells(table: Table) -> Iterator[Mention]:
    """Yield the cells of a table that may be names: those with a letter, but for "n/a" and the like."""
    for row, line in enumerate(table.rows):
        for col, cell in enumerate(line):
            if _HAS_LETTER.search(cell) and cell.strip().casefold() not in _UNKNOWN:
                yield Mention(cell, row=row, col=col)


def cell_forms(text: str) -> list[str]:
    """Return what a cell that is no name as it stands may mean, the likeliest first.

    Without what stands in brackets; "Korea, Republic of" turned round; its first two parts, its first part ("Paris, France").
    """
    if not _HAS_PARTS.search(text):
        return []
    bare = _BRACKETED.sub(" ", text).strip()
    parts = [part for part in (part.strip() for part in bare.split(",")) if part]
    forms = [bare]
    if len(parts) > 1:
        turned = f"{parts[1]} {parts[0]}" if len(parts) == 2 else ""
        forms += [turned, f"{parts[0]}, {parts[1]}", parts[0]]
    return [form for form in dict.fromkeys(forms) if form != text and _HAS_LETTER.search(form)]


class GivenDetector:
    """Refuses every document that brings no mentions."""

    by_spelling = False

    def detect(self, document: Document) -> NoReturn:
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

    def detect(self, document: Document) -> tuple[Mention, ...]:
        if document.table is not None:
            return tuple(cells(document.table))
        text = document.text or ""
        return tuple(Mention(text[ent.start_char : ent.end_char], ent.start_char, ent.end_char) for ent in self._nlp(text).ents)

"""The entities that a pipeline of spaCy recognises, as mentions."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from eigenthemes.errors import MissingExtraError, OptionError
from eigenthemes.mentions.cells import cells
from eigenthemes.records import Document, Mention


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

"""What people see of an entity: its id, and its name in the language that they want."""

from __future__ import annotations

from collections.abc import Sequence

import orjson

from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB

_REMEMBERED = 200_000  # entities whose id and label are kept at hand


class Labels:
    """The ids and labels of the entities of a KB; any number of threads may ask.

    language  tag, e.g. "de": an entity is shown by its first name in that language, if any; None: by its label
    """

    def __init__(self, kb: KB, language: str | None = None) -> None:
        self.kb, self.language = kb, _checked_language(kb, language)
        self._known: dict[int, tuple[str, str]] = {}
        self._encoded: dict[int, bytes] = {}

    def of(self, entity: int) -> tuple[str, str]:
        """Return the id and the label of an entity."""
        known = self._known.get(entity)
        if known is None:
            if len(self._known) >= _REMEMBERED:
                self._known.clear()
            known = self._known[entity] = (self.kb.id_of(entity), self._label_of(entity))
        return known

    def encoded(self, entities: Sequence[int]) -> list[bytes]:
        """Return what entities are called in JSON: `ID,"label":LABEL,"score":`; each is encoded once."""
        known = self._encoded
        try:
            return list(map(known.__getitem__, entities))
        except KeyError:
            missing = set(entities) - known.keys()
        if len(known) + len(missing) > _REMEMBERED:
            known, missing = {}, set(entities)
        for entity in missing:
            known[entity] = b'%b,"label":%b,"score":' % tuple(map(orjson.dumps, self.of(entity)))
        self._encoded = known
        return list(map(known.__getitem__, entities))

    def _label_of(self, entity: int) -> str:
        found = None if self.language is None else self.kb.label_in(entity, self.language)
        return self.kb.label_of(entity) if found is None else found


def _checked_language(kb: KB, language: str | None) -> str | None:
    """Return a language tag in small letters; refuse one in which the KB has no names, as if nothing had been asked."""
    if language is None:
        return None
    wanted = language.lower().replace("_", "-")
    tags = sorted({str(tag) for tag in kb.languages} - {""}) if kb.has("name_languages") else []
    if not any(f"{tag.lower()}-".startswith(f"{wanted}-") for tag in tags):
        have = f"it has {', '.join(tags[:10])}" if tags else "it does not know the languages of its names"
        raise OptionError(
            f"the KB has no name in the language {language[:40]!r}; {have}: choose another, or leave it out",
            code="no-labels-in-language",
            where="label_lang",
        )
    return wanted

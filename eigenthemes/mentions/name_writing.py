"""How a KB writes its names: in lower case, with a possessive 's, in which letters."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from itertools import chain

from eigenthemes.core.strings import hash_bytes
from eigenthemes.kb.name_index import UNBRACKETED
from eigenthemes.kb.stem_index import writes_small
from eigenthemes.kb.store import KB
from eigenthemes.text.normalize import name_key, turned_round
from eigenthemes.text.segment import POSSESSIVE

_COMMON, _COMMON_SHARE = 1000, 128  # a word of more entities than this, and than one in so many, says nothing alone
_MOST_READ = 20  # entities of a key whose names are read for their case
_MOST_NAMES = 2000  # names of such an entity: one with 100,000 would be read again for each
_REMEMBERED = 1 << 18  # keys whose writing is kept in memory

# "Seizure" is written small, the gene "CAN" is not.
_STYLES: dict[str, Callable[[str], object]] = {
    "small": lambda name: name[1:] == name[1:].lower(),
    "possessive": POSSESSIVE.match,  # not fullmatch: brackets may follow
}


class NameWriting:
    """Tells how a KB writes its names; what it remembers follows from the KB alone, so that threads may share one."""

    def __init__(self, kb: KB) -> None:
        self.kb = kb
        self._style_of: dict[tuple[int, str], bool] = {}
        self._spelling_of: dict[int, str] = {}
        self._common: dict[str, bool] = {}

    @cached_property
    def is_small(self) -> bool:
        """Does the KB write the words inside its names in lower case, as ontologies do?"""
        return writes_small(self.kb)

    def has_style(self, row: int, style: str) -> bool:
        """Return whether a name of a key is written in one of `_STYLES`."""
        known = self._style_of.get((row, style))
        if known is not None:
            return known
        fits = _STYLES[style]
        answer = any(fits(name) for name in self._names_of_key(row))
        if len(self._style_of) >= _REMEMBERED:
            self._style_of.clear()
        self._style_of[row, style] = answer
        return answer

    def spelling(self, row: int) -> str:
        """Return the first name of a key, by prior, as the KB writes it."""
        known = self._spelling_of.get(row)
        if known is None:
            if len(self._spelling_of) >= _REMEMBERED:
                self._spelling_of.clear()
            known = self._spelling_of[row] = next(self._names_of_key(row), "")
        return known

    def is_common(self, form: str) -> bool:
        """Return whether very many entities have a word, which then says nothing alone."""
        known = self._common.get(form)
        if known is None:
            if len(self._common) >= _REMEMBERED:
                self._common.clear()
            index = self.kb.name_index
            token = index.token_table.find(hash_bytes(form.encode("utf-8", "replace")))
            count = 0 if token < 0 else int(index.postings_indptr[token + 1] - index.postings_indptr[token])
            known = self._common[form] = count > max(_COMMON, len(self.kb) // _COMMON_SHARE)
        return known

    def _names_of_key(self, row: int) -> Iterator[str]:
        """Yield the names of a key, as they are written, with brackets after them, or turned round at their commas."""
        index = self.kb.name_index
        first, last = index.key_indptr[row : row + 2]
        entities = index.key_entities[first:last][index.key_kinds[first:last] <= UNBRACKETED]
        key = int(index.key_table.hashes[row])
        names = chain.from_iterable(map(self._first_names, entities[:_MOST_READ].tolist()))
        return (name for name in names if key in map(name_key, (name, name.partition(" (")[0], turned_round(name))))

    def _first_names(self, entity: int) -> Iterator[str]:
        first, last = self.kb.array("entity_names")[entity : entity + 2].tolist()
        return (str(self.kb.names[name]) for name in range(first, min(last, first + _MOST_NAMES)))

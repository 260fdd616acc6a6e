"""How to read a KG: which predicates or columns hold names, which languages to keep, what to leave out."""

from __future__ import annotations

from dataclasses import dataclass

from eigenthemes.errors import OptionError

SCOPES = ("exact", "related", "broad", "narrow")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Options of the readers; predicates are IRIs or CURIEs."""

    label: tuple[str, ...] = ()
    alias: tuple[str, ...] = ()
    description: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    prior: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()  # empty: all
    synonyms: tuple[str, ...] = ("exact",)
    sitelink: str | None = None
    columns: tuple[tuple[str, str], ...] = ()  # (role, header) of tables
    strict: bool = False

    def __post_init__(self) -> None:
        for scope in self.synonyms:
            if scope not in SCOPES:
                raise OptionError(f"synonym scope {scope!r} is unknown; expected some of {', '.join(SCOPES)}")

    def language_rank(self, language: str | None) -> int | None:
        """0 for the best language of a label, more for others, None for one that is not kept."""
        tag = (language or "").lower()
        if self.languages:
            return _rank_among(tag, self.languages)
        if tag == "en":
            return 0
        if not tag:
            return 1
        return 2 if tag.startswith("en-") else 3


def _rank_among(tag: str, wanted: tuple[str, ...]) -> int | None:
    if not tag:
        return len(wanted)
    for rank, language in enumerate(wanted):
        if tag == language.lower() or tag.startswith(language.lower() + "-"):
            return rank
    return None

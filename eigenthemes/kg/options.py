"""How to read a KG: which predicates or columns hold names, which languages to keep, what to leave out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from eigenthemes.errors import OptionError

SCOPES = ("exact", "related", "broad", "narrow")
COLUMN_ROLES = ("id", "name", "aliases", "description", "prior", "type", "edge", "source", "target", "relation")
NO_LANGUAGE = ("", "mul", "und", "zxx")  # untagged, or tagged as of no language or of all


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
    columns: tuple[tuple[str, str], ...] = ()  # (role, header) of tables; role as "file:role": of that file only
    header: bool = True  # False: the first row of a CSV or TSV is data, and its columns are called 1, 2, ...
    split: str | None = None  # what separates the aliases in a cell; None: "|", or ";" where there is none
    with_properties: bool = False  # the properties of an ontology are entities, too
    strict: bool = False

    def __post_init__(self) -> None:
        for scope in self.synonyms:
            if scope not in SCOPES:
                raise OptionError(f"synonym scope {scope!r} is unknown; expected some of {', '.join(SCOPES)}")
        for given, _ in self.columns:
            role = given.rpartition(":")[2]
            if role not in COLUMN_ROLES:
                raise OptionError(f"column role {role!r} is unknown; expected one of {', '.join(COLUMN_ROLES)}")

    def of_file(self, name: str) -> ReadOptions:
        """Return the options for one file: with the columns that are given for all files, or for this one."""
        if not any(":" in role for role, _ in self.columns):
            return self
        parts = [(*role.rpartition(":")[::2], header) for role, header in self.columns]
        own = tuple((role, header) for file, role, header in parts if not file or _is_file(name, file))
        return replace(self, columns=own)

    def check_files(self, names: Sequence[str]) -> None:
        """Refuse columns of a file that is none of the sources: they would be overlooked in silence."""
        for given, header in self.columns:
            file, _, role = given.rpartition(":")
            if file and not any(_is_file(name, file) for name in names):
                raise OptionError(
                    f"a column is given for the file {file}, which is no source; expected one of {', '.join(names[:8])}",
                    code="column-unknown",
                    where=f"{names[0]}:{role}={header}",
                )

    def language_rank(self, language: str | None) -> int | None:
        """Return 0 for the best language of a label, more for others, None for one that is not kept."""
        tag = (language or "").lower()
        if self.languages:
            return _rank_among(tag, self.languages)
        if tag == "en":
            return 0
        if tag in NO_LANGUAGE:
            return 1
        return 2 if tag.startswith("en-") else 3


def _is_file(name: str, given: str) -> bool:
    """Is this the file that somebody names, with its endings or without?"""
    return name == given or name.startswith(f"{given}.")


def _rank_among(tag: str, wanted: tuple[str, ...]) -> int | None:
    """Rank each language, then its regions, then the next; untagged names last."""
    if tag in NO_LANGUAGE:
        return min(126, 2 * len(wanted))
    for rank, language in enumerate(wanted):
        if tag == language.lower():
            return min(126, 2 * rank)
        if tag.startswith(language.lower() + "-"):
            return min(126, 2 * rank + 1)
    return None

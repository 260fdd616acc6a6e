"""Options of the readers: which predicates or columns hold names, which languages to keep, what to leave out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches

import numpy as np

from eigenthemes.core.checks import check_fields
from eigenthemes.core.entity_ids import PREFIXES
from eigenthemes.errors import OptionError
from eigenthemes.kg.statements import Statements

SCOPES = ("exact", "related", "broad", "narrow")
ID_ROLES = ("id", "edge", "source", "target")  # whose columns hold ids, which may be given by a template
COLUMN_ROLES = ("id", "name", "aliases", "description", "prior", "type", "edge", "source", "target", "relation")
NO_LANGUAGE = ("", "mul", "und", "zxx")  # untagged, or tagged as of no language or of all
_TEMPLATE = re.compile(r"([^{}]*)\{([^{}]+)\}([^{}]*)")
_PREDICATE_ROLES = ("label", "alias", "description", "type", "prior")
_MAX_LISTED = 12
_LANGUAGES = {
    "arabic": "ar", "chinese": "zh", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "finnish": "fi",
    "french": "fr", "german": "de", "deutsch": "de", "greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu",
    "italian": "it", "japanese": "ja", "korean": "ko", "norwegian": "no", "polish": "pl", "portuguese": "pt",
    "russian": "ru", "spanish": "es", "swedish": "sv", "turkish": "tr", "ukrainian": "uk",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """Options for reading the source files of a knowledge graph.

    Parameters
    ----------
    label, alias, description, type, prior : tuple of str
        Further predicates with this role, as IRIs or CURIEs.
    languages : tuple of str
        Languages of names to keep, best first; empty for all. Names without a language are always kept.
    synonyms : tuple of str
        Synonym scopes of ontologies to read as aliases: exact, related, broad, narrow.
    sitelink : str, optional
        Of Wikidata, keep only entities with a page in this wiki, for instance ``"enwiki"``.
    columns : tuple of (str, str)
        Role and header of columns of tables; a role ``"file:role"`` is for that file only, ``"file:sheet:role"`` for one
        sheet. For columns of ids the header may be a template, such as ``"product:{productID}"``.
    with_properties : bool
        Make the properties of an ontology entities, too.
    header : bool
        False if the first row of a CSV or TSV file is data; its columns are then called 1, 2, ...
    split : str, optional
        Separator of the values in a cell; by default ``|``, or ``;`` where a cell has none.
    strict : bool
        Raise an error at the first problem in a source.
    """

    label: tuple[str, ...] = ()
    alias: tuple[str, ...] = ()
    description: tuple[str, ...] = ()
    type: tuple[str, ...] = ()
    prior: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ("exact",)
    sitelink: str | None = None
    columns: tuple[tuple[str, str], ...] = ()
    with_properties: bool = False
    header: bool = True
    split: str | None = None
    strict: bool = False

    def __post_init__(self) -> None:
        check_fields(self)
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
        """Raise OptionError for columns of a file that is not among the sources."""
        for given, header in self.columns:
            file, _, role = given.rpartition(":")
            if file and not any(_is_file(name, file) or file.startswith(f"{name}:") for name in names):
                raise OptionError(
                    f"a column is given for the file {file}, which is no source; expected one of {', '.join(names[:8])}",
                    code="column-unknown",
                    where=f"{names[0]}:{role}={header}",
                )

    def language_rank(self, language: str | None) -> int | None:
        """Return the rank of a language among those of labels, 0 for the best; None if it is not kept."""
        tag = (language or "").lower()
        if self.languages:
            return _rank_among(tag, self.languages)
        if tag == "en":
            return 0
        if tag in NO_LANGUAGE:
            return 1
        return 2 if tag.startswith("en-") else 3

    def predicates(self) -> list[tuple[str, str]]:
        """Return the given predicates with their roles."""
        return [(role, name) for role in _PREDICATE_ROLES for name in getattr(self, role)]


def _is_file(name: str, given: str) -> bool:
    """Return whether a file, or a sheet of it, is the given one, with or without its suffixes."""
    return name == given or name.startswith((f"{given}.", f"{given}:"))


def split_template(column: str) -> tuple[str, str]:
    """Return the header in a given column and the template of its ids: `a:{code}` is `code` and `a:{}`."""
    match = _TEMPLATE.fullmatch(column)
    return (match[2].strip(), f"{match[1]}{{}}{match[3]}") if match else (column, "")


def _rank_among(tag: str, languages: tuple[str, ...]) -> int | None:
    """Rank each language, then its regions, then the next; untagged names last."""
    if tag in NO_LANGUAGE:
        return min(126, 2 * len(languages))
    for rank, language in enumerate(languages):
        if tag == language.lower():
            return min(126, 2 * rank)
        if tag.startswith(language.lower() + "-"):
            return min(126, 2 * rank + 1)
    return None


def expand(curie: str, prefixes: dict[str, str] = PREFIXES) -> str | None:
    """Return the IRI of a CURIE or IRI (`<...>` allowed); None where the prefix is unknown."""
    if curie.startswith("<") and curie.endswith(">"):
        return curie[1:-1]
    prefix, colon, local = curie.partition(":")
    if not colon or local.startswith("//") or prefix in ("urn", "http", "https", "tag", "mailto"):
        return curie if colon else None
    namespace = prefixes.get(prefix)
    return None if namespace is None else namespace + local


def shorten(iri: str, prefixes: dict[str, str] = PREFIXES) -> str:
    """Return the CURIE of an IRI where a prefix is known, else the IRI."""
    best = max((ns for ns in prefixes.values() if iri.startswith(ns)), key=len, default="")
    if not best or "/" in iri[len(best) :]:
        return iri
    prefix = next(prefix for prefix, namespace in prefixes.items() if namespace == best)
    return f"{prefix}:{iri[len(best) :]}"


def check_options(options: ReadOptions, statements: Statements) -> None:
    """Raise OptionError for columns, predicates and languages that the sources do not have, with the nearest they have."""
    for role, given in options.columns:
        column, template = split_template(given) if role.rpartition(":")[2] in ID_ROLES else (given, "")
        if not {given, column} & statements.columns_seen.keys():
            nearest = _nearest(column, list(statements.columns_seen))
            remedy = f"the nearest that one has is {nearest}" if nearest else "check its spelling"
            raise OptionError(
                f"no table has the column {column} that was given as {role}; {remedy}",
                code="column-unknown",
                where=f"{role}={template.replace('{}', f'{{{nearest or column}}}') or nearest or column}",
            )
    prefixes = {**PREFIXES, **statements.prefixes}
    for _, name in options.predicates():
        if ":" in name and expand(name, prefixes) is None:
            raise OptionError(f"the prefix of {name} is neither declared in the sources nor a usual one; give the whole IRI")
    _check_predicates(options, statements, prefixes)
    _check_languages(options, statements)


def _check_predicates(options: ReadOptions, statements: Statements, prefixes: dict[str, str]) -> None:
    seen = {name.lower() for name in statements.predicates_seen}
    for role, name in options.predicates():
        iri = expand(name, prefixes) or name
        if name.lower() in seen or iri.lower() in seen:
            continue
        known = list(dict.fromkeys(shorten(predicate, prefixes) for predicate in sorted(statements.predicates_seen)))
        nearest = _nearest(shorten(iri, prefixes), known)
        remedy = f"the nearest that does is {nearest}" if nearest else f"the sources have {_listed(known)}"
        raise OptionError(
            f"no statement of the sources has the predicate {name} that was given for {role}; {remedy}",
            code="predicate-unknown",
            where=nearest,
        )


def _check_languages(options: ReadOptions, statements: Statements) -> None:
    """Raise OptionError where all names have other languages; add a note where only some languages are missing."""
    used = Counter(statements.other_languages)
    counts = np.bincount(statements.numbers("name_language"), minlength=len(statements.languages)).tolist()
    used.update({tag: count for tag, count in zip(statements.languages, counts, strict=True) if tag and count})
    untagged = counts[0] + sum(used.pop(tag, 0) for tag in NO_LANGUAGE)
    missing = [language for language in options.languages if not any(_is_of(tag, language) for tag in used)]
    if not missing or not used:
        return
    listed = _listed([f"{tag} ({count:,})" for tag, count in used.most_common()])
    if len(missing) < len(options.languages) or untagged:
        statements.notes[f"no name is tagged {', '.join(missing)}; the sources have {listed}"] = None
        return
    codes = (_LANGUAGES.get(language.lower(), language.lower()[:2]) for language in missing)
    code = next((code for code in codes if any(_is_of(tag, code) for tag in used)), None)
    raise OptionError(
        f"no name is tagged {', '.join(missing)}; the sources have names in {listed}{f': {code} is meant' if code else ''}",
        code="language-unknown",
        where=code or used.most_common(1)[0][0],
    )


def _nearest(name: str, known: list[str]) -> str | None:
    """Return the most similar of some names, by the full name or by its last part; None where none is similar."""
    for part in (str, _last_part):
        names = {part(each).lower(): each for each in reversed(known)}
        near = get_close_matches(part(name).lower(), list(names), n=1, cutoff=0.75)
        if near:
            return names[near[0]]
    return None


def _last_part(name: str) -> str:
    return name.replace("#", "/").replace(":", "/").rstrip("/").rpartition("/")[2]


def _is_of(tag: str, language: str) -> bool:
    return tag.lower() == language.lower() or tag.lower().startswith(language.lower() + "-")


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_LISTED:,} more" if len(names) > _MAX_LISTED else ""
    return (", ".join(names[:_MAX_LISTED]) or "none at all") + more

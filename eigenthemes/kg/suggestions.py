"""What people gave and the sources do not have: predicates and languages, with the nearest that they do have."""

from __future__ import annotations

from collections import Counter
from difflib import get_close_matches

import numpy as np

from eigenthemes.core.entity_ids import PREFIXES
from eigenthemes.errors import OptionError
from eigenthemes.kg.options import NO_LANGUAGE, ReadOptions
from eigenthemes.kg.statements import Statements

_SHOWN = 12
_LANGUAGES = {
    "arabic": "ar", "chinese": "zh", "czech": "cs", "danish": "da", "dutch": "nl", "english": "en", "finnish": "fi",
    "french": "fr", "german": "de", "deutsch": "de", "greek": "el", "hebrew": "he", "hindi": "hi", "hungarian": "hu",
    "italian": "it", "japanese": "ja", "korean": "ko", "norwegian": "no", "polish": "pl", "portuguese": "pt",
    "russian": "ru", "spanish": "es", "swedish": "sv", "turkish": "tr", "ukrainian": "uk",
}  # fmt: skip


def check_predicates(options: ReadOptions, statements: Statements) -> None:
    """Refuse a predicate of the user that no statement has, with the nearest that some have."""
    from eigenthemes.kg.rdf import expand, shorten

    prefixes = {**PREFIXES, **statements.prefixes}
    seen = {name.lower() for name in statements.predicates_seen}
    for role in ("label", "alias", "description", "type", "prior"):
        for name in getattr(options, role):
            if name.lower() in seen or (expand(name, prefixes) or name).lower() in seen:
                continue
            known = {shorten(predicate, prefixes): None for predicate in sorted(statements.predicates_seen)}
            nearest = nearest_of(shorten(expand(name, prefixes) or name, prefixes), list(known))
            remedy = f"the nearest that does is {nearest}" if nearest else f"the sources have {_listed(list(known))}"
            raise OptionError(
                f"no statement of the sources has the predicate {name} that was given for {role}; {remedy}",
                code="predicate-unknown",
                where=nearest,
            )


def check_languages(options: ReadOptions, statements: Statements) -> None:
    """Refuse languages of which the sources have no name, where all are in others; note those that are missing."""
    used = Counter(statements.other_languages)
    counts = np.bincount(statements.numbers("name_language"), minlength=len(statements.languages)).tolist()
    used.update({tag: count for tag, count in zip(statements.languages, counts, strict=True) if tag and count})
    untagged = counts[0] + sum(used.pop(tag, 0) for tag in NO_LANGUAGE)
    missing = [wanted for wanted in options.languages if not any(_is_of(tag, wanted) for tag in used)]
    if not missing or not used:
        return
    listed = _listed([f"{tag} ({count:,})" for tag, count in used.most_common()])
    if len(missing) < len(options.languages) or untagged:
        statements.notes[f"no name is tagged {', '.join(missing)}; the sources have {listed}"] = None
        return
    code = next((code for code in map(_code, missing) if any(_is_of(tag, code) for tag in used)), None)
    raise OptionError(
        f"no name is tagged {', '.join(missing)}; the sources have names in {listed}{f': {code} is meant' if code else ''}",
        code="language-unknown",
        where=code or used.most_common(1)[0][0],
    )


def nearest_of(name: str, known: list[str]) -> str | None:
    """Return the nearest of some names, by the whole name or by its last part; None where none is near."""
    near = get_close_matches(name.lower(), [each.lower() for each in known], n=1, cutoff=0.75)
    if near:
        return next(each for each in known if each.lower() == near[0])
    parts = {_last_part(each).lower(): each for each in reversed(known)}
    last = get_close_matches(_last_part(name).lower(), list(parts), n=1, cutoff=0.75)
    return parts[last[0]] if last else None


def _last_part(name: str) -> str:
    return name.replace("#", "/").replace(":", "/").rstrip("/").rpartition("/")[2]


def _is_of(tag: str, wanted: str) -> bool:
    return tag.lower() == wanted.lower() or tag.lower().startswith(wanted.lower() + "-")


def _code(language: str) -> str:
    return _LANGUAGES.get(language.lower(), language.lower()[:2])


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return (", ".join(names[:_SHOWN]) or "none at all") + more

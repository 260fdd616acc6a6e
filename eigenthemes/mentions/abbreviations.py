"""Abbreviations that a text defines itself: "chronic allograft nephropathy (CAN)", "AIV: avian influenza virus".

The long form is found as by Schwartz and Hearst (2003): the letters of the short form, from right to left, are all in the long
form, the first one at the start of a word.
"""

from __future__ import annotations

import re

_SHORT = r"[A-Za-z][\w/-]{1,9}"
_BRACKET = re.compile(r"\(([^()\n]{2,90})\)")
_IS_SHORT = re.compile(rf"\s*({_SHORT})\s*(?:[,;].*)?")
_ENDS_IN_SHORT = re.compile(rf"(?<![\w(])({_SHORT})\s*$")
_LISTED = re.compile(rf"(?:^|[;.,:]\s)\s*({_SHORT})\s?[:=,]\s([a-zA-Z][^;:,.()\n]{{4,80}})(?=[;.,\n]|$)", re.MULTILINE)
_BREAK = re.compile(r"[\n;:()]|[.!?]\s")
_WORD = re.compile(r"\w+")
_BEFORE = 120  # characters before a bracket that may hold the long form


def definitions(text: str) -> dict[str, tuple[str, ...]]:
    """Return short form -> long forms, of the abbreviations that a text defines."""
    found: dict[str, dict[str, None]] = {}
    for bracket in _BRACKET.finditer(text):
        before = _BREAK.split(text[max(0, bracket.start() - _BEFORE) : bracket.start()])[-1]
        if short := _IS_SHORT.fullmatch(bracket[1]):
            _note(found, short[1], _tail(before, short[1]))
        if short := _ENDS_IN_SHORT.search(before[-12:]):
            _note(found, short[1], re.split("[,;]", bracket[1])[0].strip())
    for listed in _LISTED.finditer(text):
        _note(found, listed[1], listed[2])
    return {short: tuple(long_forms) for short, long_forms in found.items()}


def _note(found: dict[str, dict[str, None]], short: str, candidate: str) -> None:
    if not _may_be_short(short):
        return
    long_form = long_form_of(short, candidate)
    if long_form is not None and short.lower() not in long_form.lower().split():
        found.setdefault(short, {})[long_form] = None


def _may_be_short(text: str) -> bool:
    """An abbreviation has a capital letter, and is more than one."""
    return any(char.isupper() for char in text) and (text[1:] != text[1:].lower() or any(map(str.isdigit, text)))


def _tail(before: str, short: str) -> str:
    """Return the words before a bracket that may be the long form: as many as letters and five more, twice as many at most."""
    words = list(_WORD.finditer(before))
    letters = sum(map(str.isalnum, short))
    most = min(letters + 5, 2 * letters)
    return before[words[-most].start() :] if len(words) > most else before.lstrip()


def long_form_of(short: str, candidate: str) -> str | None:
    """Return the part of a text, to its end, that a short form stands for; None where the letters do not fit."""
    at = len(candidate)
    letters = [char.lower() for char in short if char.isalnum()]
    lowered = candidate.lower()
    if len(lowered) != len(candidate):
        return None
    for number in range(len(letters) - 1, -1, -1):
        at = lowered.rfind(letters[number], 0, at)
        while number == 0 and at > 0 and lowered[at - 1].isalnum():
            at = lowered.rfind(letters[number], 0, at)
        if at < 0:
            return None
    long_form = candidate[at:].strip()
    return long_form if len(long_form) > len(short) and len(_WORD.findall(long_form)) <= len(letters) + 5 else None

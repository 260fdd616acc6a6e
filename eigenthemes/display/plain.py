"""Texts for terminals: labels, ids, file names and messages may hold anything, also what drives a terminal."""

from __future__ import annotations

import re

_LINE_BREAKS = re.compile(r"\s*[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]\s*")
# C0 and C1 controls and DEL, what turns the direction of a text round (not the mere marks that Hebrew names hold), and
# surrogates, which stand for bytes that are no text
_DRIVING = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def plain(text: str) -> str:
    """Return a text as one line that cannot drive a terminal: control characters are escaped."""
    return spelled(_LINE_BREAKS.sub(" ", text).replace("\t", " "))


def spelled(text: str) -> str:
    """Return a text with all control characters spelled out, line breaks and tabs among them."""
    return _DRIVING.sub(_spelling, text)


def _spelling(match: re.Match[str]) -> str:
    code = ord(match[0])
    if 0xDC80 <= code <= 0xDCFF:  # how Python keeps a byte of a file name that is not UTF-8
        code -= 0xDC00
    return f"\\x{code:02x}" if code <= 0xFF else f"\\u{code:04x}"

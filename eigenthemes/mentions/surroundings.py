"""How a span is written and what stands beside it: features that a pile of documents gives weights to."""

from __future__ import annotations

import re

from eigenthemes.records import Document, Mention

_NEAR = 40  # characters looked at on each side
_TOKEN = re.compile(r"\w+|[^\w\s]")
_SHORT = 4  # letters


def surroundings(document: Document, mention: Mention) -> list[str]:
    """Return the features of a mention: the word before it, the word after it, and its shape."""
    text = document.text or ""
    if mention.start is None or mention.end is None:
        return []
    before = _TOKEN.findall(text[max(0, mention.start - _NEAR) : mention.start])
    after = _TOKEN.match(text[mention.end : mention.end + _NEAR].lstrip())
    return [
        f"before {before[-1].lower()}" if before else "begins the text",
        f"after {after[0].lower()}" if after else "ends the text",
        *shape(mention.text),
    ]


def shape(name: str) -> list[str]:
    """Return what a name looks like."""
    capitals = name.isupper()
    looks = {
        "lower case": name.islower(),
        "short capitals": capitals and len(name) < _SHORT,
        "long capitals": capitals and len(name) >= _SHORT,
        "capitalised": name[:1].isupper() and name[1:].islower(),
        "several words": " " in name,
        "digit": any(map(str.isdigit, name)),
        "short": len(name) <= _SHORT,
        "hyphen": "-" in name,
    }
    return [look for look, holds in looks.items() if holds]

"""Names that are derived from others: "French" for France, "Christians" for Christianity, "mice" for mouse.

The lexicon of the package is `data/derived_names.tsv`. A form is a further name of an entity whose name is its target, in KGs
where the form itself is no name.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from eigenthemes.text.normalize import normalize

_ENDINGS = ("", "e", "er", "en", "es", "em")  # of German adjectives


class DerivedName(NamedTuple):
    """A form, its language (empty: any), and names that its entity may have, the likeliest first."""

    form: str
    language: str
    targets: tuple[str, ...]


def read_lexicon() -> Iterator[DerivedName]:
    """Yield the derived names that come with the package."""
    text = files("eigenthemes").joinpath("data/derived_names.tsv").read_text(encoding="utf-8")
    for line in text.splitlines():
        if not line.startswith("#"):
            language, forms, targets = line.split("\t")
            for form in forms.split("|"):
                endings = _ENDINGS if form.endswith("*") else ("",)
                yield from (DerivedName(form.removesuffix("*") + end, language, tuple(targets.split("|"))) for end in endings)


@cache
def derived_forms() -> frozenset[str]:
    """Return all forms of the lexicon, normalised."""
    return frozenset(normalize(name.form) for name in read_lexicon())

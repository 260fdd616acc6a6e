"""The names under which KBs are served."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from eigenthemes.errors import OptionError


def named_paths(paths: Sequence[str | Path]) -> dict[str, Path]:
    """Return name -> path: a KB is called as its folder, without the ending."""
    named: dict[str, Path] = {}
    for path in map(Path, paths):
        name = re.sub(r"[^\w.-]+", "-", path.resolve().name.removesuffix(".kb")) or "kb"
        if name in named:
            raise OptionError(f"{named[name]} and {path} are both named {name}; rename one of the folders", where=str(path))
        named[name] = path
    if not named:
        raise OptionError("there is no KB to serve; give at least one")
    return named

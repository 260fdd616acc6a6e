"""Commands and methods that other distributions register by entry points; `eigenthemes-paper`, in paper/, is one of them."""

from __future__ import annotations

from functools import cache
from typing import Any

from eigenthemes.errors import MissingExtraError

COMMANDS, METHODS = "eigenthemes.commands", "eigenthemes.methods"  # the groups of entry points
_KINDS = {COMMANDS: "command", METHODS: "method"}
# what eigenthemes-paper registers: for the error where it is not installed
_OF_THE_PAPER = {COMMANDS: ("experiment", "prepare", "train-taumil"), METHODS: ("taumil", "taumil-weighted")}


@cache
def load_extensions(group: str) -> dict[str, Any]:
    """Load all entry points of a group, by name.

    Reading the metadata of all installed distributions takes time: call this only for a name that is not built in, or to
    list all names.
    """
    from importlib.metadata import entry_points

    return {point.name: point.load() for point in sorted(entry_points(group=group), key=lambda point: point.name)}


def find_extension(group: str, name: str) -> Any:
    """Return what is registered under a name, or None.

    Raises
    ------
    MissingExtraError
        The name is one of eigenthemes-paper, which is not installed.
    """
    found = load_extensions(group).get(name)
    if found is None and name in _OF_THE_PAPER[group]:
        raise MissingExtraError(
            f"the {_KINDS[group]} {name}", "eigenthemes-paper", install="./paper in a clone of the repository"
        )
    return found

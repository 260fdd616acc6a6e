"""Gold for the tiny KB, and the figures that eigenthemes eval gives on it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from helpers.commands import call

PLAIN = "degree,namematch,prior-name"


# degree is right in the first and the last one; candidates of Jordan are mj, jo, mij in this order
GOLD: list[dict[str, Any]] = [
    {"id": "none", "mentions": [{"text": "Tokyo"}]},
    {
        "id": "people",
        "mentions": [
            {"text": "Michael Jordan", "gold": "mj"},
            {"text": "Jordan", "gold": "jo"},
            {"text": "Michael Jordan", "gold": "mij"},
        ],
    },
    {"id": "empty", "mentions": []},
    {
        "id": "places",
        "mentions": [
            {"text": "xyzzy", "gold": "mj"},
            {"text": "Iowa"},
            {"text": "Paris", "gold": "Q90"},
            {"text": "Paris", "gold": ["Q90", "paris"]},
        ],
    },
]


def figures(*arguments: object) -> Any:
    """Return the output of eval --json, parsed as strict JSON."""
    done = call("eval", *arguments, "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout, parse_constant=pytest.fail)


def without_speed(results: Any) -> Any:
    for methods in results.values():
        for found in methods.values():
            assert found.pop("documents_per_second") > 0
    return results

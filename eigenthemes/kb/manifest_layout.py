"""What a manifest must hold: a damaged one is refused when the KB is opened, not when something in it is missed.

A layout is a type, a list of one layout, or a dict of them: "key?" may be missing, ANY stands for every key.
"""

from __future__ import annotations

import math
import re
from typing import Any

ANY = ""
_FILE_NAME = re.compile(r"[^/\\\0.][^/\\\0]*")  # stays in its folder

_FILE = {"dtype": str, "shape": [int], "bytes": int, "sha256": str}
_VECTORS = {"method?": str, "dimensions?": int, "entities?": int, "source?": str}
_WEIGHTS = {ANY: float}
_BIN = {"mentions": int, "confidence": object, "accuracy": object}
_MADE_UP = {"mentions": int, "p_at_1": float, "calibration_error": float, "reliability": [_BIN]}
_DECIDING = {
    "threshold": float,
    "temperature": float,
    "confidence?": {"slope": float, "shift": float},
    "rounds": [{"choice": _WEIGHTS, "none": _WEIGHTS}],
}
_RANKER = {
    **_DECIDING,
    "training?": {"documents": int},
    "made_up?": _MADE_UP,
    "unlearned?": [str],
    "gold?": {"documents": int, "mentions": int},
    "self_trained?": _DECIDING,
    "chance?": {"chance": _WEIGHTS, "alone": _WEIGHTS},
    "tables?": {
        "threshold": float,
        "choice": _WEIGHTS,
        "none": _WEIGHTS,
        "training?": {"tables": int},
        "made_up?": _MADE_UP,
        "reports?": {"types": int, "types_right": int, "relations": int, "relations_right": int},
    },
    "pile?": {"documents": int, "weights": _WEIGHTS, "types": _WEIGHTS, "often": _WEIGHTS},
    "adapted?": {"documents": int, "names": int, "weights": _WEIGHTS},
}
_COUNTS = dict.fromkeys(
    (
        "entities",
        "named",
        "names",
        "distinct_names",
        "ambiguous_names",
        "described",
        "types",
        "redirects",
        "edges",
        "edge_statements",
        "relations",
        "isolated",
    ),
    int,
)
LAYOUT = {
    "format": str,
    "version": int,
    "data": str,
    "tool": {"name": str, "version": str},
    "sources": [{"name": str, "bytes": int}],
    "options": dict,
    "counts": {**_COUNTS, "prior": str},
    "left_out": {ANY: int},
    "problems": {ANY: int},
    "problem_examples": {ANY: [str]},
    "notes?": [str],
    "vectors?": {ANY: _VECTORS},
    "rankers?": {ANY: _RANKER},
    "expects?": [str],
    "memory?": dict.fromkeys(("documents", "corrections", "names", "none", "not_a_name", "added_names"), int),
    "files": {ANY: _FILE},
}


def find_mismatch(manifest: Any) -> str | None:
    """Say which part of a manifest is missing or of the wrong kind; None: none is."""
    wrong = _mismatch(manifest, LAYOUT)
    if wrong is not None:
        return wrong.lstrip(".")
    if any(not ranker["rounds"] for ranker in manifest.get("rankers", {}).values()):
        return "a ranker has no rounds"
    strange = next((name for name in manifest["files"] if not _FILE_NAME.fullmatch(name)), None)
    return None if strange is None else f"{strange[:40]!r} is no name of a file of a KB"


def _mismatch(value: Any, layout: Any) -> str | None:
    if isinstance(layout, type):
        return None if _is(value, layout) else f" is {_shown(value)}"
    if not isinstance(value, type(layout)):
        return f" is {_shown(value)}"
    if isinstance(layout, list):
        parts = ((place, item, layout[0]) for place, item in enumerate(value))
    elif ANY in layout:
        parts = ((place, item, layout[ANY]) for place, item in value.items())
    else:
        missing = next((key for key in layout if key not in value and not key.endswith("?")), None)
        if missing is not None:
            return f".{missing} is missing"
        known = ((key.removesuffix("?"), of_key) for key, of_key in layout.items())
        parts = ((key, value[key], of_key) for key, of_key in known if key in value)
    for place, item, of_item in parts:
        wrong = _mismatch(item, of_item)
        if wrong is not None:
            return f".{place}{wrong}"
    return None


def _is(value: Any, kind: type) -> bool:
    if kind is int:
        return type(value) is int and value >= 0
    if kind is float:
        return type(value) in (int, float) and math.isfinite(value)
    return isinstance(value, kind)


def _shown(value: Any) -> str:
    kinds = {dict: "an object", list: "a list", str: "a text", type(None): "empty"}
    return kinds.get(type(value), f"{value!r:.20}")

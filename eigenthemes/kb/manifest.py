"""The manifest of a KB folder: its layout, hashes and a summary for people."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
from pathlib import Path
from typing import Any

from eigenthemes.errors import KBDamagedError, KBError, KBNotFoundError, KBVersionError

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
    "confidence?": {"slope": float, "shift": float, "overall": float, "coverage": float},
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
_COUNTS = """entities named names distinct_names ambiguous_names described types redirects edges edge_statements relations
    isolated""".split()
LAYOUT = {
    "format": str,
    "version": int,
    "data": str,
    "tool": {"name": str, "version": str},
    "sources": [{"name": str, "bytes": int}],
    "options": dict,
    "counts": {**dict.fromkeys(_COUNTS, int), "prior": str},
    "names": {"languages": [str], "inflects": bool, "companies": float, "persons": float, "common": float},
    "left_out": {ANY: int},
    "problems": {ANY: int},
    "problem_examples": {ANY: [str]},
    "notes?": [str],
    "vectors?": {ANY: _VECTORS},
    "rankers?": {ANY: _RANKER},
    "expects?": [str],
    "memory?": dict.fromkeys(("documents", "corrections", "names", "none", "not_a_name", "added_names", "gone?"), int),
    "files": {ANY: _FILE},
}


def is_complete(manifest: Any) -> bool:
    """Return whether a manifest has all of its parts, each of its type."""
    if not _fits(manifest, LAYOUT):
        return False
    rankers = manifest.get("rankers", {}).values()
    return all(ranker["rounds"] for ranker in rankers) and all(map(_FILE_NAME.fullmatch, manifest["files"]))


def _fits(value: Any, layout: Any) -> bool:
    if layout is int:
        return type(value) is int and value >= 0
    if layout is float:
        return type(value) in (int, float) and math.isfinite(value)
    if isinstance(layout, type):
        return isinstance(value, layout)
    if not isinstance(value, type(layout)):
        return False
    if isinstance(layout, list):
        return all(_fits(item, layout[0]) for item in value)
    if ANY in layout:
        return all(_fits(item, layout[ANY]) for item in value.values())
    named = {key.removesuffix("?"): part for key, part in layout.items()}
    required = {key for key in layout if not key.endswith("?")}
    return required <= value.keys() and all(_fits(value[key], part) for key, part in named.items() if key in value)


FORMAT = "eigenthemes-kb"
VERSION = 5
MANIFEST = "manifest.json"
NEW_MANIFEST = f"{MANIFEST}.new"
DATA_FOLDER = re.compile(r"data-[0-9a-z-]+")
# Keys of the manifest about the files on the disk; all others describe the KB.
OF_THE_FOLDER = ("format", "version", "data", "files", "sha256")


def read_manifest(path: Path) -> dict[str, Any]:
    """Read the manifest of a KB and refuse one that is damaged or of another format."""
    manifest = parse_manifest(path)
    wrong = "does not match its own hash" if not is_sealed(manifest) else "is not whole" if not is_complete(manifest) else ""
    if wrong:
        raise KBDamagedError(f"{path} is damaged: {MANIFEST} {wrong}; build the KB again", where=str(path))
    return manifest


def parse_manifest(path: Path) -> dict[str, Any]:
    """Read the manifest without looking at the hash of itself."""
    try:
        text = (path / MANIFEST).read_bytes()
    except PermissionError:
        raise no_permission(path, MANIFEST) from None
    except OSError as error:
        code: str | None = "not-a-kb"
        remedy = "give the folder that a build made"
        if path.is_dir() and any(path.iterdir()):
            what = "has no manifest.json, so it is not a KB"
        elif isinstance(error, FileNotFoundError):
            what = "is an empty folder, and no KB" if path.is_dir() else "does not exist"
            code, remedy = None, "build a KB there first"
        elif isinstance(error, NotADirectoryError):
            what = "is a file, and a KB is a folder"
        else:
            what, code = f"cannot be opened as a KB ({error.strerror})", None
        raise KBNotFoundError(f"{path} {what}; {remedy}", code=code, where=str(path)) from None
    try:
        manifest = json.loads(text)
        name, version, data = manifest["format"], manifest["version"], manifest["data"]
        is_valid = name == FORMAT and DATA_FOLDER.fullmatch(data) and isinstance(version, int)
    except (ValueError, KeyError, TypeError, RecursionError):
        is_valid = False
    if not is_valid:
        raise KBDamagedError(f"{path / MANIFEST} is not the manifest of a KB; build the KB again", where=str(path))
    if version != VERSION:
        remedy = "upgrade with: pip install -U eigenthemes" if version > VERSION else "build the KB again"
        raise KBVersionError(
            f"{path} has format version {version}, this program reads version {VERSION}; {remedy}", where=str(path)
        )
    return dict(manifest)


def own_hash(manifest: dict[str, Any]) -> str:
    """Return the SHA-256 of a manifest without its hash field, as ASCII JSON with sorted keys."""
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def is_sealed(manifest: dict[str, Any]) -> bool:
    """Return whether the hash of itself is right."""
    return manifest.get("sha256") == own_hash(manifest)


def seal(manifest: dict[str, Any]) -> dict[str, Any]:
    """Return the manifest as it will be read again, with the hash of itself."""
    plain = json.loads(json.dumps(manifest))
    return {**plain, "sha256": own_hash(plain)}


def replace_manifest(path: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest beside the old one and put it in its place: the commit."""
    new = path / NEW_MANIFEST
    # a name of a file that is not UTF-8 has lone surrogates, which JSON can only escape
    with open(new, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
        json.dump(seal(manifest), out, indent=1, ensure_ascii=False)
        out.write("\n")
        out.flush()
        os.fsync(out.fileno())
    new.replace(path / MANIFEST)
    sync_folder(path)


def sync_folder(path: Path) -> None:
    """Make the names in a folder last."""
    if os.name == "posix":  # elsewhere a folder cannot be opened, and need not be
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def find_damage(folder: Path, files: dict[str, dict[str, Any]]) -> str | None:
    """Return a description of the first file that is missing or has the wrong size, else None."""
    start = f"{folder}{os.sep}"  # a Path for each file would take longer than all the rest of opening a KB
    for name, described in files.items():
        try:
            size = os.stat(f"{start}{name}.npy").st_size  # noqa: PTH116
        except PermissionError:
            raise no_permission(folder.parent, folder.name) from None
        except OSError:
            return f"{name}.npy is missing"
        if size != described["bytes"]:
            return f"{name}.npy has {size:,} bytes, the manifest says {described['bytes']:,}"
    return None


def no_permission(path: Path, name: str) -> KBError:
    """Return the error for a KB whose files are there, but not for this user."""
    return KBError(
        f"{path} may not be read by this user ({name}: permission denied); ask its owner, or change its permissions",
        code="kb-permission",
        where=str(path),
    )


def missing_parts(path: Path, manifest: dict[str, Any]) -> list[str]:
    """Return what a KB was built to have and lacks, a sentence each."""
    used, rankers = next(iter(manifest.get("vectors", {})), ""), manifest.get("rankers", {})
    if "ranker" not in manifest.get("expects", ()) or used in rankers:
        return []
    others = ", ".join(f"the vectors {name}" if name else "no vectors" for name in rankers)
    ours = f"for the vectors {used}, which are the ones used" if used else "any more, although it was built with one"
    return [f"{path} has no ranker {ours}{f' (it has one for {others})' if others else ''}; train it"]


def overview_rows(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the names and values of the overview of a KB."""
    counts, vectors, rankers = manifest["counts"], manifest.get("vectors", {}), manifest.get("rankers", {})
    ambiguous = counts["ambiguous_names"] / max(1, counts["distinct_names"])
    return [
        ("sources", ", ".join(source["name"] for source in manifest["sources"])),
        ("entities", f"{counts['entities']:,}, {counts['named']:,} of them named"),
        ("names", f"{counts['names']:,}; {ambiguous:.1%} of the distinct ones have more than one entity"),
        ("edges", f"{counts['edges']:,}, of {counts['relations']:,} relations"),
        ("prior", prior_words(counts)),
        *(("vectors", vectors_words(name, about)) for name, about in vectors.items()),
        *(("ranker", ranker_words(name, about)) for name, about in rankers.items()),
        *([] if rankers else [("ranker", "none: there are no probabilities until it is trained")]),
        ("size", f"{sum(file['bytes'] for file in manifest['files'].values()) / 1e6:,.1f} MB, format {manifest['version']}"),
    ]


def prior_words(counts: dict[str, Any]) -> str:
    """Return the source of the priors in words."""
    return "the degree" if counts["prior"] == "degree" else "given by the sources"


def vectors_words(name: str, about: dict[str, Any]) -> str:
    """Return in words how a set of vectors was made."""
    source = f" from {about['source']}" if "source" in about else ""
    sizes = "".join(f", {about[key]:,} {key}" for key in ("dimensions", "entities") if key in about)
    return f"{name}: {about.get('method', 'given')}{source}{sizes}"


def ranker_words(name: str, about: dict[str, Any]) -> str:
    """Return in words how a ranker was trained, with its threshold."""
    used = f" with {name}" if name else ""
    trained = f"trained{used} on {about['training']['documents']:,} made-up documents" if "training" in about else "given"
    return f"{trained}; threshold {about['threshold']:.2f}"

"""The manifest of a KB: read and checked, sealed with a hash of itself, replaced at once."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

from eigenthemes.errors import KBDamagedError, KBError, KBNotFoundError, KBVersionError
from eigenthemes.kb.manifest_layout import find_mismatch

FORMAT = "eigenthemes-kb"
VERSION = 2
_SEALED_SINCE = 2  # the first version whose manifests hold a hash of themselves
MANIFEST = "manifest.json"
NEW_MANIFEST = f"{MANIFEST}.new"
DATA_FOLDER = re.compile(r"data-[0-9a-z-]+")
# What the manifest says of the folder as it lies on the disk; all else describes the KB.
OF_THE_FOLDER = ("format", "version", "data", "files", "sha256")


def read_manifest(path: Path) -> dict[str, Any]:
    """Read the manifest of a KB and refuse one that is damaged or of a newer format."""
    manifest = parse_manifest(path)
    wrong = None if is_sealed(manifest) else "does not match its own hash"
    mismatch = None if wrong else find_mismatch(manifest)
    if wrong or mismatch:
        wrong = wrong or f"is not whole ({mismatch})"
        raise KBDamagedError(f"{path} is damaged: {MANIFEST} {wrong}; build the KB again", where=str(path))
    return manifest


def parse_manifest(path: Path) -> dict[str, Any]:
    """Read the manifest without looking at the hash of itself."""
    try:
        text = (path / MANIFEST).read_bytes()
    except FileNotFoundError:
        if path.is_dir() and any(path.iterdir()):
            raise KBNotFoundError(
                f"{path} has no manifest.json, so it is not a KB; give the folder that a build made",
                code="not-a-kb",
                where=str(path),
            ) from None
        what = "is an empty folder, and no KB" if path.is_dir() else "does not exist"
        raise KBNotFoundError(f"{path} {what}; build a KB there first", where=str(path)) from None
    except NotADirectoryError:
        raise KBNotFoundError(
            f"{path} is a file, and a KB is a folder; give the folder that a build made", code="not-a-kb", where=str(path)
        ) from None
    except PermissionError:
        raise no_permission(path, MANIFEST) from None
    except OSError as error:
        raise KBNotFoundError(
            f"{path} cannot be opened as a KB ({error.strerror}); give the folder a build made", where=str(path)
        ) from None
    try:
        manifest = json.loads(text)
        name, version, data = manifest["format"], manifest["version"], manifest["data"]
        is_valid = name == FORMAT and DATA_FOLDER.fullmatch(data) and isinstance(version, int)
    except (ValueError, KeyError, TypeError, RecursionError):
        is_valid = False
    if not is_valid:
        raise KBDamagedError(f"{path / MANIFEST} is not the manifest of a KB; build the KB again", where=str(path))
    if version > VERSION:
        raise KBVersionError(
            f"{path} has format version {version}, this program reads up to {VERSION}; "
            "upgrade with: pip install -U eigenthemes",
            where=str(path),
        )
    return dict(manifest)


def own_hash(manifest: dict[str, Any]) -> str:
    """Hash all of a manifest but its own hash: SHA-256 of JSON with sorted keys, without spaces, in ASCII."""
    rest = {key: value for key, value in manifest.items() if key != "sha256"}
    return hashlib.sha256(json.dumps(rest, sort_keys=True, separators=(",", ":")).encode("ascii")).hexdigest()


def is_sealed(manifest: dict[str, Any]) -> bool:
    """Return whether the hash of itself is right; version 1 has none."""
    return manifest["version"] < _SEALED_SINCE or manifest.get("sha256") == own_hash(manifest)


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
    """Say which file is missing or has another size than the manifest says; None: none."""
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
    """Return what a KB was built to have and lacks, a sentence each.

    Version 1 does not say what that is: its builds trained a ranker unless told otherwise, and one that was interrupted left
    vectors without it.
    """
    missing = [] if manifest["version"] >= _SEALED_SINCE else [_unsealed(path)]
    used = next(iter(manifest.get("vectors", {})), "")
    rankers = manifest.get("rankers", {})
    expected = manifest.get("expects", ["ranker"] if manifest["version"] == 1 and used else [])
    if "ranker" in expected and used not in rankers:
        others = ", ".join(f"the vectors {name}" if name else "no vectors" for name in rankers)
        ours = f"for the vectors {used}, which are the ones used" if used else "any more, although it was built with one"
        missing.append(f"{path} has no ranker {ours}{f' (it has one for {others})' if others else ''}; train it")
    return missing


def _unsealed(path: Path) -> str:
    return f"{path} has format 1, whose {MANIFEST} has no hash of itself: damage to it may go unnoticed; build it again"

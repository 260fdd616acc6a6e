"""The manifest of a KB: read and checked."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

from eigenthemes.errors import KBDamagedError, KBNotFoundError, KBVersionError

FORMAT = "eigenthemes-kb"


VERSION = 1


MANIFEST = "manifest.json"


DATA_FOLDER = re.compile(r"data-[0-9a-z-]+")


def read_manifest(path: Path) -> dict[str, Any]:
    try:
        text = (path / MANIFEST).read_bytes()
    except FileNotFoundError:
        what = "has no manifest.json, so it is not a KB" if path.is_dir() else "does not exist"
        raise KBNotFoundError(f"{path} {what}; make one with: eigenthemes build KG_FILE -o {path}") from None
    except OSError as error:
        raise KBNotFoundError(f"{path} cannot be opened as a KB ({error.strerror}); give the folder a build made") from None
    try:
        manifest = json.loads(text)
        name, version, data = manifest["format"], manifest["version"], manifest["data"]
        whole = name == FORMAT and DATA_FOLDER.fullmatch(data) and isinstance(version, int)
        whole = whole and {"files", "counts"} <= manifest.keys()
    except (ValueError, KeyError, TypeError):
        whole = False
    if not whole:
        raise KBDamagedError(f"{path / MANIFEST} is not the manifest of a KB; build it again with --force")
    if version > VERSION:
        raise KBVersionError(
            f"{path} has format version {version}, this program reads up to {VERSION}; upgrade with: pip install -U eigenthemes"
        )
    return dict(manifest)

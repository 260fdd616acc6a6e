"""Files: JSON lines, compression, the bytes of a folder, and where the real data is."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow

ROOT = Path(__file__).parents[2]
REAL_DATA = Path(os.environ.get("EIGENTHEMES_DATA", ROOT.parent / "shared" / "data"))

COMPRESS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "zst": lambda data: pyarrow.compress(data, codec="zstd", asbytes=True),
}


def write_jsonl(path: Path, records: Sequence[Mapping[str, Any]]) -> Path:
    """Write one JSON object per line."""
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


def file_bytes(folder: Path) -> dict[str, bytes]:
    """Return the content of every file below a folder, by its path in the folder."""
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}

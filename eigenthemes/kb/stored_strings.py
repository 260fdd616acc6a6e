"""Strings of a KB, checked as they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from eigenthemes.core.strings import Strings
from eigenthemes.errors import KBDamagedError


@dataclass(frozen=True, slots=True)
class StoredStrings(Strings):
    """`Strings` that lie in the files of a KB: bytes that are no UTF-8 and offsets that lead nowhere are told as damage."""

    path: Path
    name: str

    def __getitem__(self, index: Any) -> Any:
        try:
            return super(StoredStrings, self).__getitem__(index)
        except UnicodeDecodeError:
            raise damaged(self.path, f"{self.name}_blob.npy holds bytes that are no text") from None

    def raw(self, index: int) -> bytes:
        """Return the UTF-8 bytes of one string."""
        first, last = int(self.offsets[index]), int(self.offsets[index + 1])
        if not 0 <= first <= last <= len(self.blob):
            raise damaged(self.path, f"{self.name}_offsets.npy does not ascend")
        return self.blob[first:last].tobytes()

    def __iter__(self) -> Iterator[str]:
        if np.any(self.offsets[1:] < self.offsets[:-1]):
            raise damaged(self.path, f"{self.name}_offsets.npy does not ascend")
        try:
            yield from super(StoredStrings, self).__iter__()
        except UnicodeDecodeError:
            raise damaged(self.path, f"{self.name}_blob.npy holds bytes that are no text") from None


def damaged(path: Path, what: str) -> KBDamagedError:
    """Return the error for a damaged KB."""
    return KBDamagedError(f"{path} is damaged: {what}; build it again", where=str(path))

"""A model as a file: safetensors with JSON beside the arrays. No pickle, no dates: the same training, the same bytes."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import HashTable
from eigenthemes.core.storage import check_input, check_output
from eigenthemes.errors import KBError, OptionError
from eigenthemes.kb.store import KB
from eigenthemes_paper.taumil.sentences import Words

FORMAT = "eigenthemes-taumil"
CHECKPOINT = "eigenthemes-taumil-checkpoint"
VERSION = 1
IN_KB = "taumil.safetensors"  # where a KB has its own; `kb.writer` knows the name

# What the model reads of a KB, or counts its entities by: with other vectors, words or rankers it stays the same.
_READ = (
    "ids_blob", "ids_offsets", "entity_types", "type_indptr", "types_blob", "types_offsets", "relations_blob",
    "relations_offsets", "graph_indptr", "graph_neighbors", "graph_relations",
)  # fmt: skip

Arrays = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True)
class StoredModel:
    """A trained model.

    learned  name -> what was learned
    words    the words it knows
    about    the fingerprint of the KB (`kb`), `options`, `trained_on`, `words`, `history` (the objective of each epoch) and the
             `epoch` that was kept
    """

    learned: Arrays
    words: Words
    about: dict[str, Any]

    def save(self, path: str | Path) -> None:
        arrays = {f"learned.{name}": array for name, array in self.learned.items()}
        arrays["words.hashes"] = self.words.table.hashes.view(np.int64)
        arrays["words.vectors"] = self.words.vectors
        write(path, arrays, {"format": FORMAT, "version": VERSION, **self.about})

    @classmethod
    def open(cls, path: str | Path, kb: KB) -> StoredModel:
        """Read a model; one that was trained for another KB is refused."""
        arrays, about = read(path, FORMAT)
        if about.get("kb") != fingerprint(kb):
            raise OptionError(
                f"{path} was trained for another KB, or for {kb.path} before it was built again; run eigenthemes train-taumil",
                code="model-of-another-kb",
                where=str(kb.path),
            )
        learned = {name.removeprefix("learned."): array for name, array in arrays.items() if name.startswith("learned.")}
        table = HashTable.of(arrays["words.hashes"].view(np.uint64))
        return cls(learned, Words(table, arrays["words.vectors"]), about)


def model_path(kb: KB, given: str | Path | None) -> Path:
    """Return the file of a model: the one given, or the KB's own."""
    return kb.path / IN_KB if given is None else Path(given)


def fingerprint(kb: KB) -> str:
    """Return the state of the KB as far as a model depends on it."""
    hashes = [kb.manifest["files"][name]["sha256"] for name in _READ]
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def write(path: str | Path, arrays: Arrays, about: dict[str, Any]) -> None:
    """Write a file whole or not at all."""
    from safetensors.numpy import save

    path = Path(path)
    check_output(path, KBError, replaced=True)
    data = save(arrays, metadata={"about": json.dumps(about, sort_keys=True)})
    new = path.with_name(f"{path.name}.new")
    try:
        with open(new, "wb") as out:
            out.write(data)
            out.flush()
            os.fsync(out.fileno())
        new.replace(path)
    except OSError as error:
        raise KBError(
            f"{path} cannot be written ({error.strerror}); give another place", code="output-place", where=str(path)
        ) from error


def read(path: str | Path, format_name: str) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and the description that a file holds."""
    from safetensors import SafetensorError, safe_open

    check_input(path, OptionError, remedy="give the file of a model")
    try:
        with safe_open(str(path), framework="numpy") as file:
            about = json.loads((file.metadata() or {}).get("about", "{}"))
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118  it is no dict
    except (SafetensorError, OSError, ValueError) as error:
        raise OptionError(
            f"{path} cannot be read as a model of tau-MIL-ND ({error}); train it again", where=str(path)
        ) from None
    if about.get("format") != format_name:
        raise OptionError(
            f"{path} is no model of tau-MIL-ND; give a file that eigenthemes train-taumil wrote",
            code="not-a-model",
            where=str(path),
        )
    if about.get("version", 0) > VERSION:
        raise OptionError(
            f"{path} has format version {about['version']}, this program reads up to {VERSION}; "
            "install a newer eigenthemes-paper",
            where=str(path),
        )
    return arrays, about

"""Compiled kernels on disk, one file for each kernel, what it depends on, the types of its arguments and the processor.

numba's own cache knows a function by the file it is in: it misses what changes in the kernels and constants of other files, and
forgets all functions of a file when a comment changes. It also never reads what lies in a folder that cannot be written.
"""

from __future__ import annotations

import hashlib
import os
import pickle
import sys
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numba
from numba.core import types
from numba.core.caching import _Cache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

SUFFIX = ".nbc"


class KernelCache(_Cache):
    """What numba asks for a function before it compiles it, and gives the result to.

    name     of its files, without the types; names of one kernel that depend on something else have the same `stem`
    folders  where they may be; the first one that can be written is written to
    """

    def __init__(self, name: str, stem: str, folders: Sequence[Path]) -> None:
        self._name, self._stem, self._folders = name, stem, folders
        self._enabled = True

    @property
    def cache_path(self) -> str | None:
        """The folder that is written to; None: none can be."""
        folder = next(filter(_is_writable, self._folders), None)
        return None if folder is None else str(folder)

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """Return the function compiled for these types; None: nobody has compiled it."""
        target_context.refresh()
        name = self._file_name(sig, target_context.codegen())
        for folder in self._folders if self._enabled else ():
            try:
                reduced = pickle.loads((folder / name).read_bytes())
            except (OSError, EOFError, pickle.UnpicklingError, AttributeError, ImportError):  # also: a type is elsewhere by now
                continue
            return CompileResult._rebuild(target_context, *reduced)  # type: ignore[no-untyped-call]
        return None

    def save_overload(self, sig: Any, data: Any) -> None:
        """Keep a compiled function, and forget what it was before it was changed."""
        folder = self.cache_path
        if folder is None or not self._enabled:
            return
        file = Path(folder) / self._file_name(sig, data.codegen)
        unfinished = file.with_name(f"{file.name}.{uuid.uuid4().hex[:8]}")
        try:
            unfinished.write_bytes(dumps(data._reduce()))  # type: ignore[no-untyped-call]
            unfinished.replace(file)
            self._forget_others(Path(folder))
        except OSError:  # a full disk, or another process has the file open: it is compiled again next time
            unfinished.unlink(missing_ok=True)

    def _forget_others(self, folder: Path) -> None:
        if folder.name != "__pycache__":
            return  # other versions of the package may keep theirs in the same folder
        for file in folder.glob(f"{self._stem}-*.{sys.implementation.cache_tag}.*{SUFFIX}"):
            if not file.name.startswith(self._name):
                file.unlink(missing_ok=True)

    def _file_name(self, sig: Any, codegen: Any) -> str:
        types = repr((str(sig), codegen.magic_tuple(), numba.__version__))
        return f"{self._name}.{hashlib.sha256(types.encode()).hexdigest()[:16]}{SUFFIX}"

    def enable(self) -> None:
        """Begin to read and write files."""
        self._enabled = True

    def disable(self) -> None:
        """Neither read nor write files any more."""
        self._enabled = False

    def flush(self) -> None:
        """Remove the files of the kernel."""
        for folder in self._folders:
            for file in folder.glob(f"{self._name}.*{SUFFIX}"):
                file.unlink(missing_ok=True)


def by_types_alone(function: Any) -> Any:
    """Compile a function of numba's once for `f(0)` and `f(n)`: numba would compile one for each number written."""
    get_call_template = function.get_call_template
    function.get_call_template = lambda arguments, named: get_call_template(tuple(map(_type_alone, arguments)), named)
    return function


def _type_alone(kind: Any) -> Any:
    if isinstance(kind, types.UniTuple | types.Tuple):
        return types.BaseTuple.from_types([_type_alone(each) for each in kind.types])  # type: ignore[no-untyped-call]
    return types.unliteral(kind)  # type: ignore[no-untyped-call]


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return False
    return os.access(folder, os.W_OK)

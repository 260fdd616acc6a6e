"""The one way kernels are compiled: by numba, when one is first called, cached on disk.

Declaring a kernel costs nothing: numba takes most of a second to load, which one sentence does not need. A kernel can also
run as it is written, as plain Python, which answers sooner where there is little to do (`Kernel.for_steps`), and where numba
is not installed at all.

The cache lies beside the package, or in ~/.cache/eigenthemes where that cannot be written, or in NUMBA_CACHE_DIR; where none
can be written, kernels are compiled anew in each process. Wheels of `make wheel` bring theirs. A compiled kernel is known by
what it depends on (`Kernel.digest`), not by the dates of files: it holds until its code, that of the kernels it calls, or one
of their constants changes.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial, update_wrapper
from pathlib import Path
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

from eigenthemes.core.lazy import lazy

# inner steps that plain Python takes in the time in which numba loads what it has compiled before, and compiles a byte of code
_STEPS_OF_LOADING = 4_000_000
_STEPS_PER_BYTE = 2_000

_SHIPPED = Path(__file__).parent.parent / "compiled"  # in wheels of `make wheel`

_OPTIONS = {"nogil": True, "no_cfunc_wrapper": True}
_BORROWING = {**_OPTIONS, "_nrt": False}  # kernels that it calls inherit it
_INNER = {**_OPTIONS, "no_cpython_wrapper": True}  # called by other kernels only: a third less to compile


class Kernel:
    """A function over arrays, compiled when it is first called. Kernels that it calls are found by their global names."""

    _always_compiled = False
    _options = _OPTIONS
    _steps_of_all = 0  # of this process, in plain Python
    _steps = 0  # of this kernel

    def __init__(self, function: Callable[..., Any], *, plain: Callable[..., Any] | None = None) -> None:
        self.function = function
        update_wrapper(self, function)
        self._instead = plain

    def __call__(self, *arguments: Any) -> Any:
        compiled: Any = self.compiled
        if getattr(compiled, "overloads", True):
            return compiled(*arguments)
        if not self._is_on_disk:
            _announce_compilation()
        with _garbage_kept():
            return compiled(*arguments)

    def __reduce__(self) -> str:
        return self.function.__qualname__  # pickled by name, as functions are

    def for_steps(self, steps: int) -> Callable[..., Any]:
        """Return the function for a call of about so many inner steps: plain Python until numba would have taken as long."""
        return self.plain if self.is_sooner_plain(steps) else self

    def is_sooner_plain(self, steps: int) -> bool:
        """Return whether plain Python takes so many inner steps, after those before, sooner than numba is ready.

        What has been compiled is used when all kernels together have taken as long as numba takes to load; what has not, when
        this one has taken as long as it takes to compile. Whatever comes, nobody waits twice as long as need be.
        """
        self._steps += steps  # threads may lose some: it only decides which of two equal functions is used
        Kernel._steps_of_all += steps
        if not Kernel._always_compiled:
            if Kernel._steps_of_all <= _STEPS_OF_LOADING and sys.modules.get("numba") is None:
                return True
            if self._steps <= _STEPS_PER_BYTE * self._bytes and not self._is_on_disk:
                return True
        return _numba() is None

    @lazy
    def _is_on_disk(self) -> bool:
        """Whether some process has compiled it before, for whatever types; known without numba."""
        return any(any(folder.glob(f"{self._file_name}.*")) for folder in self._folders)

    @lazy
    def plain(self) -> Callable[..., Any]:
        """The function as it is written, calling other kernels as they are written."""
        from eigenthemes.core.plain_arrays import arrays_of, views_of

        function = self._written

        def run(*arguments: Any) -> Any:
            return arrays_of(function(*map(views_of, arguments)))

        return update_wrapper(run, function)

    @lazy
    def _written(self) -> Callable[..., Any]:
        """The function as other kernels call it that run as they are written: on views of arrays."""
        if self._instead is not None:
            return self._instead
        from eigenthemes.core.plain_arrays import NumpyOfViews

        others = {name: other._written for name, other in self._called.items()}
        return _with_globals(self.function, others | ({"np": NumpyOfViews()} if "np" in self.function.__globals__ else {}))

    @lazy
    def compiled(self) -> Callable[..., Any]:
        """The function compiled by numba; where that is not installed, as it is written."""
        numba = _numba()
        if numba is None:
            return self.plain
        from eigenthemes.core.kernel_cache import KernelCache

        compiled = numba.njit(**self._options)(self._calling_inner)
        compiled._cache = KernelCache(self._file_name, self._file_stem, self._folders)
        return compiled  # type: ignore[no-any-return]

    @lazy
    def _inner(self) -> Any:
        """The function as other kernels call it: compiled with them, and kept with them."""
        from eigenthemes.core.kernel_cache import by_types_alone

        return by_types_alone(_numba().njit(**_INNER)(self._calling_inner))

    @property
    def _calling_inner(self) -> Callable[..., Any]:
        return _with_globals(self.function, {name: other._inner for name, other in self._called.items()})

    @lazy
    def digest(self) -> str:
        """What the compiled code depends on: its code and constants, and those of the kernels it calls, in 16 letters."""
        import hashlib

        globals_of = self.function.__globals__
        known = hashlib.sha256(repr((self._options, _INNER)).encode())
        for code in _codes(self.function.__code__):
            known.update(_code_told(code, self.function.__doc__).encode())
            for name in _globals_read(code):
                if globals_of.get(name, self) is not self:
                    known.update(f"{name}={_told(globals_of[name], self)}".encode())
        return known.hexdigest()[:16]

    @property
    def _called(self) -> dict[str, Kernel]:
        known = self.function.__globals__
        names = self.function.__code__.co_names
        return {name: known[name] for name in names if isinstance(known.get(name), Kernel)}

    @lazy
    def _bytes(self) -> int:
        """The size of its code, and of that of the kernels it calls: each is compiled once."""
        found, left = set[Kernel](), [self]
        while left:
            found.add(kernel := left.pop())
            left += set(kernel._called.values()) - found
        return sum(len(kernel.function.__code__.co_code) for kernel in found)

    @property
    def _file_stem(self) -> str:
        return f"{self.function.__module__.rpartition('.')[2]}.{self.function.__qualname__}"

    @property
    def _file_name(self) -> str:
        return f"{self._file_stem}-{self.digest}.{sys.implementation.cache_tag}"

    @property
    def _folders(self) -> tuple[Path, ...]:
        """Where compiled code is looked for, and kept in the first one that can be written."""
        if told := os.environ.get("NUMBA_CACHE_DIR"):
            return Path(told) / "eigenthemes", _SHIPPED
        beside = Path(self.function.__code__.co_filename).parent / "__pycache__"
        return beside, Path("~/.cache/eigenthemes").expanduser(), _SHIPPED


def kernel(function: Callable[..., Any] | None = None, *, plain: Callable[..., Any] | None = None) -> Any:
    """Make a kernel of a function: no Python objects inside, the GIL released.

    plain  what plain Python runs instead, with the same results: on memoryviews of arrays of one dimension
    """
    return partial(kernel, plain=plain) if function is None else Kernel(function, plain=plain)


class BorrowingKernel(Kernel):
    """A kernel for arrays that its caller holds; neither it nor the kernels that it calls make any, and it returns none.

    numba counts who holds an array: each look into a tuple of arrays adds one holder and takes one away, and loops keep it from
    leaving that out. A kernel over some dozen arrays that does little with each spends a third of its time so. Where the caller
    holds them all, nobody needs to count.
    """

    _options = _BORROWING


def borrowing(function: Callable[..., Any]) -> Any:
    """Make a borrowing kernel of a function."""
    return BorrowingKernel(function)


def always_compile() -> None:
    """Run no kernel as plain Python any more in this process, however little there is to do."""
    Kernel._always_compiled = True


def cache_folder(compiled: Kernel) -> Path | None:
    """Return the folder where a kernel is kept once it is compiled; None where numba is missing or no folder can be written."""
    stats = getattr(compiled.compiled, "stats", None)
    return None if stats is None or stats.cache_path is None else Path(stats.cache_path)


@cache
def _announce_compilation() -> None:
    """Tell a person at a terminal, once, what takes some seconds."""
    if sys.stderr.isatty():
        print("compiling inner loops, which are kept for later ...", file=sys.stderr)


def _with_globals(function: Callable[..., Any], others: dict[str, Any]) -> Callable[..., Any]:
    """Return the same function with some global names meaning something else."""
    if not others:
        return function
    changed = FunctionType(function.__code__, function.__globals__ | others, function.__name__, function.__defaults__)
    return update_wrapper(changed, function)


@cache
def _numba() -> Any:
    try:
        import numba
    except ImportError:
        print("eigenthemes: numba is not installed, so that long work takes much longer; pip install numba", file=sys.stderr)
        return None
    return numba


@contextmanager
def _garbage_kept() -> Iterator[None]:
    """Look for no garbage while numba compiles: it makes millions of objects, and a tenth of its time is spent looking."""
    import gc

    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the code of a function, and of the functions and comprehensions inside."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _globals_read(code: CodeType) -> list[str]:
    from dis import get_instructions

    return sorted({str(each.argval) for each in get_instructions(code) if each.opname == "LOAD_GLOBAL"})


def _code_told(code: CodeType, docstring: str | None = None) -> str:
    constants = [each for each in code.co_consts if not isinstance(each, CodeType) and each != docstring]
    return repr((code.co_code, constants, code.co_names, code.co_varnames))


def _told(value: Any, of: Kernel) -> str:
    """Return a value that a kernel is compiled with, as text that changes when it does."""
    if isinstance(value, Kernel):
        return value.digest
    if isinstance(value, ModuleType) and value.__name__ in ("numpy", "math"):
        return value.__name__
    if isinstance(value, type):
        return f"{value.__module__}.{value.__qualname__}{getattr(value, '_fields', '')}"
    if isinstance(value, BuiltinFunctionType):
        return value.__qualname__
    if isinstance(value, bool | int | float | str | tuple):
        return repr(value)
    if hasattr(value, "dtype"):
        return f"{value.dtype.str}{value.shape}{value.tobytes().hex()}"
    if hasattr(value, "_defn"):  # an intrinsic of numba's: a function that writes the code
        return "".join(map(_code_told, _codes(value._defn.__code__)))
    kind = type(value).__name__
    raise TypeError(f"the kernel {of.function.__qualname__} reads a global {kind}; kernels read numbers, arrays and kernels")

"""The authors' vectors, which they published as a pickle: read as data, nothing in it is ever executed."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.storage import check_input, reason
from eigenthemes.embeddings.reading import Vectors, names_of, quoted
from eigenthemes.errors import VectorError

_PLAIN_DTYPE = re.compile(r"[fiu][248]|[iu]1|[US]\d+")


SUFFIXES = (".pickle", ".pkl", ".p")


def read_pickle(path: Path) -> Vectors:
    """Read ids and vectors from a pickle.

    No name in it is imported, and numpy's own unpickling, which trusts what it reads, does not see it.
    """
    check_input(path, VectorError, remedy="give a file of vectors")
    with open(path, "rb") as file:
        try:
            held = _Unpickler(file, encoding="latin1").load()  # Python 2 wrote the bytes of arrays as text
        except VectorError as error:
            raise VectorError(f"{path.name}: {error}") from None
        except Exception as error:  # a damaged pickle fails in whatever way its bytes lead to
            raise VectorError(f"{path.name} is not a whole pickle of numpy arrays ({reason(error)}); save it again") from None
    if isinstance(held, dict):
        return _stacked(names_of(held, path.name), list(held.values()), path.name)
    if isinstance(held, tuple | list) and len(held) == 2:
        names, vectors = names_of(_plain(held[0]), path.name), _plain(held[1])
        if isinstance(vectors, np.ndarray):
            return names, vectors
        if isinstance(vectors, tuple | list) and len(vectors) == len(names):
            return _stacked(names, vectors, path.name)
    raise VectorError(
        f"{path.name} holds a {type(_plain(held)).__name__} that is neither a dict from id to vector nor a pair "
        "(ids, matrix); save one of these"
    )


def _stacked(names: list[str], vectors: Sequence[Any], origin: str) -> Vectors:
    if not vectors:
        return names, np.zeros((0, 0), dtype=np.float32)
    rows = (_vector(vector, name, origin) for name, vector in zip(names, vectors, strict=True))
    first = next(rows)
    matrix = np.empty((len(names), len(first)), dtype=np.float32)
    matrix[0] = first
    for i, row in enumerate(rows, 1):
        if len(row) != len(first):
            raise VectorError(
                f"{origin} has a vector of {len(row)} numbers for {quoted(names[i])}, expected {len(first)} as for the first; "
                "mend or remove it"
            )
        matrix[i] = row
    return names, matrix


def _vector(value: Any, name: str, origin: str) -> NDArray[np.float32]:
    value = _plain(value)
    if isinstance(value, tuple | list) and all(map(_is_plain_number, set(map(type, value)))):
        try:
            value = np.array(value, dtype=np.float64)
        except OverflowError:  # a whole number of more than 308 digits: refused with the infinite ones
            value = np.full(len(value), np.inf)
    if not isinstance(value, np.ndarray) or value.ndim != 1 or value.dtype.kind not in "fiu":
        given = f"an array of the shape {value.shape}" if isinstance(value, np.ndarray) else f"a {type(value).__name__}"
        raise VectorError(f"{origin} has {given} as the vector of {quoted(name)}; expected a list or array of numbers: mend it")
    with np.errstate(over="ignore"):
        return value.astype(np.float32)


def _is_plain_number(number_type: type) -> bool:
    return issubclass(number_type, int | float | np.integer | np.floating) and number_type is not bool


class _Dtype:
    """Replacement of numpy's dtype, whose state a pickle could forge: plain numbers and strings only."""

    __slots__ = ("code", "order")

    def __init__(self, code: str, *flags: bool) -> None:
        if not _PLAIN_DTYPE.fullmatch(code):
            raise VectorError(f"the pickle holds an array of the dtype {code!a}; only plain numbers are read: save as float32")
        self.code, self.order = code, "="

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.order = {"<": "<", ">": ">", "|": "|"}[state[1]]

    def array(self, data: bytes | bytearray | str) -> NDArray[Any]:
        raw = data.encode("latin1") if isinstance(data, str) else data
        return np.frombuffer(raw, dtype=np.dtype(self.order + self.code))


class _Array:
    """Replacement of numpy's array, which a pickle makes empty and then fills."""

    __slots__ = ("array",)

    array: NDArray[Any]

    def __new__(cls, *arguments: object) -> _Array:  # a pickle may leave out __init__
        made = super().__new__(cls)
        made.array = np.zeros(0, dtype=np.float32)
        return made

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        _, shape, dtype, by_column, data = state
        self.array = dtype.array(data).reshape(shape, order="F" if by_column else "C")


def _plain(value: Any) -> Any:
    return value.array if isinstance(value, _Array) else value


class _Admitted:
    """A function that a pickle may call. Whatever a pickle is handed it may also give a state: not here."""

    __slots__ = ("function",)

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function

    def __call__(self, *arguments: Any) -> Any:
        return self.function(*arguments)

    def __setstate__(self, state: object) -> None:
        raise VectorError("the pickle changes a function; only numpy arrays are admitted: save the vectors as .npz")


@_Admitted
def _scalar(dtype: _Dtype, data: bytes | str) -> Any:
    return dtype.array(data)[0]


@_Admitted
def _from_buffer(data: bytes, dtype: _Dtype, shape: Any, order: str, *axes: Any) -> NDArray[Any]:
    """Return an array of a buffer; `axes` is only given for three and more dimensions, which no vectors have."""
    return dtype.array(data).reshape(shape, order="F" if order == "F" else "C")


@_Admitted
def _encode(text: str, encoding: str) -> bytes:
    if encoding != "latin1":  # the only one in pickles of bytes; others may unpack bombs or be somebody's program
        raise VectorError(f"the pickle asks for the encoding {encoding!a}; only numpy arrays are admitted: save as .npz")
    return text.encode("latin1")


_ADMITTED: dict[tuple[str, str], Any] = {
    ("numpy", "ndarray"): "ndarray",  # only ever an argument
    ("numpy", "dtype"): _Dtype,
    ("_codecs", "encode"): _encode,
    ("collections", "OrderedDict"): dict,  # which keeps its order, and whose methods cannot be replaced
    **{(f"numpy.{core}.multiarray", "_reconstruct"): _Array for core in ("core", "_core")},  # numpy 1 and 2
    **{(f"numpy.{core}.multiarray", "scalar"): _scalar for core in ("core", "_core")},
    **{(f"numpy.{core}.numeric", "_frombuffer"): _from_buffer for core in ("core", "_core")},
}


class _Unpickler(pickle.Unpickler):
    def find_class(self, module_name: str, global_name: str, /) -> Any:
        if (module_name, global_name) not in _ADMITTED:
            asked = ascii(f"{module_name}.{global_name}")[1:-1][:100]
            raise VectorError(f"the pickle asks for {asked}; only numpy arrays are admitted: save the vectors as .npz")
        return _ADMITTED[module_name, global_name]

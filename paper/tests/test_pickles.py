"""Vectors in pickles: plain arrays are read, programs never run."""

from __future__ import annotations

import os
import pickle
import pickletools
import re
import struct
from collections import OrderedDict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.vector_files import IDS, MATRIX, Matrix, same

from eigenthemes.errors import VectorError
from eigenthemes_paper import pickles


def pickled(held: Any, protocol: int = 4) -> bytes:
    return pickle.dumps(held, protocol)


def read(folder: Path, data: bytes, name: str = "v") -> tuple[list[str], Matrix]:
    (folder / name).write_bytes(data)
    names, matrix = pickles.read_pickle(folder / name)
    return names, matrix.astype(np.float32)


def refusal(folder: Path, data: bytes) -> str:
    """Return the sentence that a file is refused with."""
    with pytest.raises(VectorError) as caught:
        read(folder, data)
    message = str(caught.value)
    assert "\n" not in message
    assert "; " in message or ": " in message
    return message


@pytest.fixture
def marker(tmp_path: Path) -> Iterator[Path]:
    """A file that only a program in a pickle would make."""
    yield tmp_path / "ran"
    assert not (tmp_path / "ran").exists()


class Exploit:
    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.reduced = (function, arguments)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return self.reduced


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickle_of_vectors_in_every_protocol(tmp_path: Path, protocol: int) -> None:
    by_id = dict(zip(IDS, MATRIX, strict=True))
    as_lists = [[float(number) for number in row] for row in MATRIX]
    for held in (
        by_id,
        OrderedDict(by_id),
        dict(zip(IDS, as_lists, strict=True)),
        {np.str_(name): list(row) for name, row in by_id.items()},
        {name: MATRIX.T[:, i] for i, name in enumerate(IDS)},
        (IDS, MATRIX),
        (IDS, MATRIX.astype(np.float64)),
        [np.array(IDS), np.asfortranarray(MATRIX)],
        (tuple(IDS), as_lists),
    ):
        assert same(read(tmp_path, pickled(held, protocol), "v.pickle")), held


def test_a_pickle_of_numpy_1_and_of_python_2(tmp_path: Path) -> None:
    by_id = {"a": np.array([1, 2], dtype=np.float32)}
    for protocol in range(3):
        data = pickled(by_id, protocol)
        assert b"numpy._core" in data
        assert same(read(tmp_path, data.replace(b"numpy._core", b"numpy.core")), ["a"], np.array([[1, 2]]))
    old = (  # as Python 2 wrote {"Q1": np.float32([1, 2])} with protocol 2: bytes are strings
        b"\x80\x02}q\x01U\x02Q1q\x02cnumpy.core.multiarray\n_reconstruct\nq\x03cnumpy\nndarray\nq\x04K\x00\x85U\x01b\x87Rq\x05"
        b"(K\x01K\x02\x85cnumpy\ndtype\nq\x06U\x02f4K\x00K\x01\x87Rq\x07(K\x03U\x01<NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK\x00tb"
        b"\x89U\x08" + struct.pack("<2f", 1, 2) + b"tbs."
    )
    assert same(read(tmp_path, old), ["Q1"], np.array([[1, 2]]))


@pytest.mark.parametrize("protocol", range(6))
def test_a_program_in_a_pickle_does_not_run(tmp_path: Path, marker: Path, protocol: int) -> None:
    exploit = Exploit(os.system, f"touch {marker}")
    vector = np.ones(2, dtype=np.float32)
    for held in (
        exploit,
        {"a": exploit},
        {"a": vector, "b": [1.0, exploit]},
        OrderedDict(a=vector, b={"c": (exploit,)}),
        (IDS, exploit),
        [[exploit], MATRIX],
        (IDS, np.array([exploit], dtype=object)),
    ):
        message = refusal(tmp_path, pickled(held, protocol))
        assert re.search(
            r"the pickle (asks for (posix|nt)\.system; only numpy arrays are|holds an array of the dtype 'O8')", message
        )


@pytest.mark.parametrize(
    ("function", "arguments"),
    [
        (eval, ("1",)),
        (exec, ("1",)),
        (getattr, (1, "real")),
        (__import__, ("os",)),
        (np.load, ("v",)),
        (np.fromfile, ("v",)),
        (bytearray, (10,)),
        (pickle.loads, (b"N.",)),
    ],
)
def test_other_functions_are_refused_by_name(tmp_path: Path, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    for protocol in range(6):
        message = refusal(tmp_path, pickled({"a": Exploit(function, *arguments)}, protocol))
        assert f".{function.__name__}; only numpy arrays are admitted" in message


def test_a_name_behind_an_admitted_one_is_refused(tmp_path: Path) -> None:
    """Protocol 4 follows dots: numpy.dtype.__class__ or collections.OrderedDict.fromkeys."""
    for module, name in (("numpy", "dtype.__class__"), ("collections", "OrderedDict.fromkeys"), ("numpy", "a\nb\x1b[31m")):
        data = b"\x80\x04" + b"".join(b"\x8c" + bytes([len(part)]) + part.encode() for part in (module, name)) + b"\x93."
        message = refusal(tmp_path, data)
        assert "the pickle asks for " in message
        assert message.isprintable()


def test_only_latin_1_is_encoded(tmp_path: Path) -> None:
    import _codecs

    for encoding in ("rot13", "utf-8", "zlib_codec"):
        message = refusal(tmp_path, pickled({"a": Exploit(_codecs.encode, "x", encoding)}))
        assert f"the pickle asks for the encoding '{encoding}'; " in message


def test_a_pickle_cannot_change_what_it_is_handed(tmp_path: Path) -> None:
    """BUILD gives any object a state: here the functions and classes that stand in for numpy's."""
    state = b"(N}V__doc__\nVchanged\nstb"  # (None, {"__doc__": "changed"}): setattr for each
    for (module, name), given_object in pickles._ADMITTED.items():
        before = given_object.__doc__
        refusal(tmp_path, f"c{module}\n{name}\n".encode() + state + b".")
        refusal(tmp_path, f"c{module}\n{name}\n".encode() + b"}V__doc__\nVchanged\nsb.")
        assert given_object.__doc__ == before


def test_a_forged_dtype_makes_no_objects_of_bytes(tmp_path: Path) -> None:
    """numpy itself would take the flags of a dtype from the pickle, and bytes for pointers."""

    class Forged:
        def __reduce__(self) -> Any:
            return np.dtype, ("O8", False, True), (3, "|", None, None, None, -1, -1, 0)

    class Array:
        def __reduce__(self) -> Any:
            reconstruct = np.zeros(1).__reduce__()[0]
            return reconstruct, (np.ndarray, (0,), b"b"), (1, (1,), Forged(), False, b"\x01" * 8)

    assert "array of the dtype 'O8'; only plain numbers" in refusal(tmp_path, pickled({"a": Array()}))


@pytest.mark.parametrize(
    ("held", "message"),
    [
        (MATRIX, "v holds a ndarray that is neither a dict from id to vector nor a pair (ids, matrix); save one of these"),
        (IDS, "v holds a list that is neither"),
        ("Q1", "v holds a str that is neither"),
        (None, "v holds a NoneType that is neither"),
        ((IDS, MATRIX, 1), "v holds a tuple that is neither"),
        ((IDS, None), "v holds a tuple that is neither"),
        ((None, MATRIX), "v has a single value for its ids; save a list of them"),
        ({"a": "text"}, "v has a str as the vector of 'a'; expected a list or array of numbers: mend it"),
        ({"a": [1.0, "b"]}, "v has a list as the vector of 'a'"),
        ({"a": [True]}, "v has a list as the vector of 'a'"),
        ({"a": [[1.0]]}, "v has a list as the vector of 'a'"),
        ({"a": {"b": 1.0}}, "v has a dict as the vector of 'a'"),
        ({"a": MATRIX}, "v has an array of the shape (4, 3) as the vector of 'a'"),
        (
            {"a": [1.0, 2.0], "b\n": [1.0]},
            r"v has a vector of 1 numbers for 'b\n', expected 2 as for the first; mend or remove it",
        ),
        ({1.5: [1.0]}, "v has an id of the type float; save the ids as strings"),
        ({10**5000: [1.0]}, "v has an id of the type int; save the ids as strings"),
        ({True: [1.0]}, "v has an id of the type bool; save the ids as strings"),
        ({("a", "b"): [1.0]}, "v has an id of the type tuple; save the ids as strings"),
    ],
)
def test_a_pickle_of_something_else_is_refused(tmp_path: Path, held: Any, message: str) -> None:
    for protocol in (2, 4, 5):
        assert refusal(tmp_path, pickled(held, protocol)).startswith(message)


def test_a_pickle_of_unfinished_arrays_is_refused(tmp_path: Path) -> None:
    unfinished = b"cnumpy.core.multiarray\n_reconstruct\n)\x81"  # made without arguments and never given its numbers
    assert "v holds a ndarray that is neither" in refusal(tmp_path, b"\x80\x02" + unfinished + b".")
    unicode = pickled((np.array(["a"]), MATRIX[:1])).replace(b"a\0\0\0", b"\xff" * 4)
    assert "ids with letters that Unicode does not know" in refusal(tmp_path, unicode)


def test_a_damaged_pickle_is_refused(tmp_path: Path) -> None:
    whole = pickled({"a": np.ones(2, dtype=np.float32)})
    assert "v is not a whole pickle of numpy arrays (" in refusal(tmp_path, whole[:-20])
    assert "v is not a whole pickle" in refusal(tmp_path, b"\x80\x04\x8e" + b"\xff" * 7 + b"\x00.")  # bytes without end
    assert "v is not a whole pickle" in refusal(tmp_path, b"\x80\x04Pid\n.")  # an object kept elsewhere
    assert "v is not a whole pickle" in refusal(tmp_path, pickletools.optimize(whole).replace(b"K\x02\x85", b"K\x03\x85"))

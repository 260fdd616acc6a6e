"""Every public function and method, called with odd arguments: it works, or an error says in one sentence what was expected."""

from __future__ import annotations

import inspect
import linecache
import math
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from helpers.kbs import TINY_EDGES, TINY_NODES, write_sources

import eigenthemes
from eigenthemes import KB, CandidateGenerator, Document, Linker, LinkOptions, Mention

PACKAGE = str(Path(eigenthemes.__file__).parent)
ODD: tuple[Callable[[], Any], ...] = (
    *(lambda value=value: value for value in (None, 5, -1, 10**30, 1.5, math.nan, True, "", "nope", "\ud800", b"x")),  # type: ignore[misc]
    *(lambda value=value: value for value in ([], [5], [None], ("a", "b"), {}, {"a": 1}, set(), object(), int, Path("no"))),  # type: ignore[misc]
    *(lambda value=value: value for value in (np.arange(2), np.zeros((2, 2)), lambda *_: None)),  # type: ignore[misc]
    lambda: iter([1]),
)  # fmt: skip


def complaint(call: Callable[[], Any]) -> str | None:
    """Return what is wrong with how a call fails; None if it works, or fails as it should."""
    try:
        result = call()
        if inspect.isgenerator(result):
            next(result, None)
        return None
    except eigenthemes.EigenthemesError as error:
        return None if " " in str(error) else f"says {error}"
    except UnicodeEncodeError:  # names the character
        return None
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        line = linecache.getline(frame.filename, frame.lineno or 0).strip()
        if isinstance(error, TypeError | ValueError) and frame.filename.startswith(PACKAGE) and line.startswith("raise "):
            return None
        return f"{type(error).__name__}: {error} at {frame.filename.removeprefix(PACKAGE)}:{frame.lineno}"


def complaints(function: Callable[..., Any], given: dict[str, Any], *, most: int = len(ODD)) -> Iterator[str]:
    """Yield what is wrong for each parameter and each odd value of it, or for some values, drawn by the function's name."""
    random = Random(function.__name__)
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL):
            continue
        for make in random.sample(ODD, most):
            odd = make()
            wrong = complaint(lambda odd=odd, name=name: function(**{**given, name: odd}))  # type: ignore[misc]
            if wrong:
                yield f"{function.__name__}({name}={odd!r:.30}): {wrong}"


def methods(value: object, *without: str) -> Iterator[Callable[..., Any]]:
    """Yield the public methods of an object."""
    for name in dir(value):
        method = inspect.getattr_static(type(value), name, None)
        if not name.startswith("_") and name not in without and (inspect.isfunction(method) or isinstance(method, classmethod)):
            yield getattr(value, name)


GIVEN = {
    "entity_id": "paris", "other_id": "us", "prefix": "Par", "index": 0, "name": "entity_names", "first": 0, "last": 1,
    "entity_ids": ["us"], "indices": np.arange(2), "language": "en", "names": [], "node": 0,
}  # fmt: skip


def complaints_of_methods(value: object, *without: str, given: dict[str, Any] = GIVEN) -> list[str]:
    found = []
    for method in methods(value, *without):
        parameters = inspect.signature(method).parameters
        found += complaints(method, {name: each for name, each in given.items() if name in parameters})
    return found


def test_methods_of_a_kb(tiny: KB) -> None:
    assert not complaints_of_methods(tiny, "close", "cached", "set_cached")
    assert not complaints_of_methods(tiny.graph)


def test_methods_of_records(trained_tiny: KB) -> None:
    linked = Linker(trained_tiny, explain=True).link("Paris is in Texas.")
    records = (linked, linked.document, linked.links[0], linked.links[0].mention, trained_tiny["paris"])
    assert not [each for record in records for each in complaints_of_methods(record)]


def test_unknown_entities_are_told(tiny: KB) -> None:
    for call in (
        tiny.__getitem__,
        tiny.neighbors,
        tiny.names_with_languages,
        lambda entity: tiny.relations_between("us", entity),
    ):
        with pytest.raises(eigenthemes.UnknownEntityError, match="has no entity of the id 'nope'; its ids are like ") as told:
            call("nope")
        assert isinstance(told.value, KeyError)
    with pytest.raises(eigenthemes.OptionError, match="entity_id is 5; expected a text"):
        tiny.get(5)  # type: ignore[arg-type]
    assert 5 not in tiny


@pytest.mark.parametrize("index", [-1, 99_999, None, 1.5, "0"])
def test_an_index_outside_of_the_kb_is_refused(tiny: KB, index: Any) -> None:
    for look_up in (tiny.id_of, tiny.label_of, tiny.names_of, tiny.languages_of, tiny.description_of, tiny.types_of):
        with pytest.raises(eigenthemes.OptionError, match=r"index is .*; expected a whole number from 0 to "):
            look_up(index)


def test_a_kb_without_corrections_has_no_memory_lines(tiny: KB) -> None:
    assert list(tiny.memory_lines) == []


CALLS = (
    "AverageOptions", "CandidateGenerator", "CandidateOptions", "ContextOptions", "EigenOptions", "LinkOptions", "ReadOptions",
    "TableOptions", "arrow_json_lines", "build_kb", "complete_vectors", "embed_kb", "evaluate", "import_vectors", "link_arrow",
    "link_frame", "link_table_file", "linked_schema", "normalize", "read_documents", "tokenize", "train_kb",
)  # fmt: skip


@pytest.mark.usefixtures("quick_disk")
@pytest.mark.parametrize("name", CALLS)
def test_public_functions(name: str, trained_tiny_copy: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    kb, linker = trained_tiny_copy, Linker(trained_tiny_copy)
    batch, columns = pa.record_batch({"text": ["Paris"]}), {"city": ["Paris", "Iowa"]}
    documents = [Document(text="x", mentions=(Mention("x", 0, 1, gold=("us",)),))]
    Path("v.txt").write_text("2 2\nparis 1 0\nus 0 1\n")
    Path("d.txt").write_text("Paris is in Texas.")
    pd.DataFrame(columns).to_csv("t.csv")
    given: dict[str, dict[str, Any]] = {
        "CandidateGenerator": {"kb": kb},
        "arrow_json_lines": {"batch": batch},
        "build_kb": {
            "sources": write_sources(tmp_path, TINY_NODES, TINY_EDGES), "out": "o.kb", "embedding": None, "train": False,
            "force": True,
        },
        "complete_vectors": {"path": kb.path, "train": False},
        "embed_kb": {"path": kb.path, "train": False},
        "evaluate": {"kb": kb, "documents": documents, "methods": ["degree"]},
        "import_vectors": {"path": kb.path, "file": "v.txt", "train": False},
        "link_arrow": {"batch": batch, "linker": linker},
        "link_frame": {"linker": linker, "frame": pd.DataFrame(columns)},
        "link_table_file": {"linker": linker, "path": "t.csv", "output": "out.csv"},
        "linked_schema": {"schema": batch.schema},
        "normalize": {"text": "x"},
        "read_documents": {"paths": "d.txt"},
        "tokenize": {"text": "x"},
        "train_kb": {"path": kb.path, "names": [("blue planet", "us")]},
    }  # fmt: skip
    is_slow = name in ("build_kb", "complete_vectors", "embed_kb", "import_vectors", "train_kb", "link_table_file")
    found = complaints(getattr(eigenthemes, name), given.get(name, {}), most=5 if is_slow else len(ODD))
    assert not [each for each in found if "on_sample=<class 'int'>" not in each]  # a function that fails by itself


def test_methods_and_options_of_a_linker(tiny: KB) -> None:
    linker, table = Linker(tiny, method="degree"), {"header": ["city"], "rows": [["Paris"]]}
    given = {
        "document": Document(text="Paris"), "documents": [Document(text="Paris")], "given": "Paris", "name": "Paris",
        "names": ["Paris"], "types": ["city"], "external_id": "paris", "table": table, "frame": pd.DataFrame({"a": ["Paris"]}),
        "linked": linker.link_table(table), "decided": linker.decide([Document(text="Paris")]), "number": 0, "path": tiny.path,
    }  # fmt: skip
    found = [each for value in (CandidateGenerator(tiny), linker) for each in complaints_of_methods(value, given=given)]
    for name in LinkOptions.__dataclass_fields__:
        found += [
            each for odd in ODD if (each := complaint(lambda odd=odd, name=name: Linker(tiny, **{name: odd()}).link("Paris")))
        ]  # type: ignore[misc]
    assert not found, "\n".join(found)


def test_every_public_function_is_tried() -> None:
    public = {name for name in eigenthemes.__all__ if callable(getattr(eigenthemes, name)) and not name.endswith("Error")}
    records = {name for name in public if name[0].isupper() and not name.endswith("Options")} - {"CandidateGenerator"}
    assert public - records == set(CALLS)

"""Checks of numbers that people give as options; errors name the value and the values that are allowed."""

from __future__ import annotations

import math
import operator
import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar, cast

from eigenthemes.errors import OptionError

P = ParamSpec("P")
R = TypeVar("R")

MOST_JOBS = 1024  # more are a typing error, and systems refuse them with unclear messages
MOST_TIMES = 10_000  # walks, rounds and the like: more would take years
MOST_DIMENSIONS = 65_536


def check_integer(name: str, value: Any, *, least: int = 1, most: int | None = None, otherwise: str = "") -> None:
    """Raise an error unless a value is an integer from `least` to `most`; `otherwise` names other allowed values."""
    try:
        number = operator.index(value)
    except TypeError:
        raise OptionError(
            f"{name} is {_quoted(value)}; expected a whole number, {least} or more{otherwise}", where=name
        ) from None
    if number < least or (most is not None and number > most):
        wanted = f"{least} or more" if most is None or number < least else f"{least:,} to {most:,}"
        raise OptionError(f"{name} is {_quoted(value)}; expected {wanted}{otherwise}", where=name)


def check_number(
    name: str, value: Any, expected: str, *, above: float = -math.inf, least: float = -math.inf, most: float = math.inf
) -> None:
    """Raise an error unless a value is finite, above `above` and from `least` to `most`; `expected` describes that in words."""
    try:
        fits = math.isfinite(value) and value > above and least <= value <= most
    except (TypeError, OverflowError):
        fits = False
    if not fits:
        raise OptionError(f"{name} is {_quoted(value)}; expected {expected}", where=name)


def check_probability(name: str, value: Any) -> None:
    """Raise an error unless a value is from 0 to 1."""
    check_number(name, value, "a probability, 0 to 1", least=0, most=1)


def check_seed(seed: Any) -> None:
    """Raise an error unless a value is a seed of random numbers."""
    check_integer("seed", seed, least=0)


def check_jobs(jobs: Any) -> None:
    """Raise an error for a number of processes that cannot be started."""
    check_integer("jobs", jobs, most=MOST_JOBS)


def _quoted(value: Any) -> str:
    text = repr(value) if isinstance(value, str) else str(value)
    return text if len(text) <= 40 else text[:40] + "…"


def _is_path(value: Any) -> bool:
    """Return whether a value can be the path of a file: a text that the file system can encode."""
    try:
        path = os.fspath(value)
        return isinstance(path, str) and b"\0" not in os.fsencode(path)
    except (TypeError, UnicodeEncodeError):
        return False


# annotation -> what it means in words, and the test of a value; other annotations are names of classes
_KINDS: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "None": ("None", lambda value: value is None),
    "bool": ("True or False", lambda value: type(value).__name__ in ("bool", "bool_")),
    "int": ("a whole number", lambda value: isinstance(value, Integral)),
    "float": ("a number", lambda value: isinstance(value, Real)),
    "str": ("a text", lambda value: isinstance(value, str)),
    "Path": ("a path", _is_path),
    "Advance": ("a function", callable),
    "Progress": ("an object with a method step", lambda value: hasattr(value, "step")),
    "IO[bytes]": ("a file that is open for writing", lambda value: hasattr(value, "write")),
    "TableFile": ("an open table", lambda value: hasattr(value, "header")),
    "KB": ("an open KB", lambda value: _is_of_class(value, "KB")),
}
_BY_CLASS = {"None", "bool", "int", "float", "str"}  # kinds that follow from the class of a value
_ITEMS = {
    "str": "texts",
    "str | Path": "paths",
    "Document": "documents",
    "tuple[str, str]": "pairs of texts",
    "str | int": "names or numbers",
}
_ALIASES = {
    "ScoringOptions": "Any",  # methods of other distributions have options of their own
    "Columns": "Sequence[str | int]",
    "Paths": "str | Path | Sequence[str | Path]",
    "RecordBatchOrTable": "RecordBatch | Table",
    "OnSample": "Advance",
}
_UNCHECKED = ("Any", "Frame")  # functions check these themselves
_SEVERAL = ("Sequence", "Iterable", "tuple")


def check_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of a public function by its annotations, which are texts."""
    annotated = {name: _alternatives(str(annotation)) for name, annotation in function.__annotations__.items()}
    kinds = {name: kinds for name, kinds in annotated.items() if not set(kinds) & set(_UNCHECKED)}
    names = function.__code__.co_varnames

    @wraps(function)
    def checked(*arguments: P.args, **options: P.kwargs) -> R:
        pairs = zip(names, arguments, strict=False)
        given = [_check(name, value, kinds[name]) if name in kinds else value for name, value in pairs]
        named = {name: _check(name, value, kinds[name]) if name in kinds else value for name, value in options.items()}
        return cast(Callable[..., R], function)(*given, **named)

    return checked


def check_fields(options: Any) -> None:
    """Check the fields of a dataclass of options by their annotations, which are texts."""
    for field in fields(options):
        _check(field.name, getattr(options, field.name), _alternatives(str(field.type)))


def _check(name: str, value: Any, kinds: Sequence[str]) -> Any:
    """Return a value if it is of one of these kinds; the items of an iterator are checked when they come."""
    if not any(_fits(value, kind) for kind in kinds):
        raise OptionError(f"{name} is {_quoted(value)}; expected {' or '.join(map(_in_words, kinds))}", where=name)
    if isinstance(value, Iterator) and kinds[0].startswith("Iterable["):
        return (_check(f"an item of {name}", item, _alternatives(kinds[0][len("Iterable[") : -1])) for item in value)
    return value


def _alternatives(annotation: str) -> list[str]:
    """Return the parts of a union: `None | Sequence[str | Path]` has two. A text beside a path is a path, too."""
    parts: list[str] = []
    for part in annotation.split(" | "):
        if parts and parts[-1].count("[") > parts[-1].count("]"):
            parts[-1] += f" | {part}"
        else:
            parts.append(part)
    expanded = [each for part in parts for each in (_alternatives(_ALIASES[part]) if part in _ALIASES else [part])]
    return [part for part in expanded if part != "str" or "Path" not in expanded]


def _in_words(kind: str) -> str:
    if kind in _KINDS:
        return _KINDS[kind][0]
    container, _, inside = kind.partition("[")
    if container in _SEVERAL:
        return f"a list of {_ITEMS.get(inside[:-1].removesuffix(', ...'), inside[:-1])}"
    return "a dict" if container == "Mapping" else f"a {container.rpartition('.')[2]}"


def _fits(value: Any, kind: str) -> bool:
    if kind in _KINDS:
        return _KINDS[kind][1](value)
    container, _, inside = kind.removesuffix("]").partition("[")
    if container == "Mapping":
        key, _, item = inside.partition(", ")
        return isinstance(value, Mapping) and _fits_all(value.keys(), key) and _fits_all(value.values(), item)
    if container in _SEVERAL:
        return _fits_items(value, container, inside)
    if container == "NDArray":
        return _is_of_class(value, "ndarray")
    return kind in _UNCHECKED or _is_of_class(value, kind.rpartition(".")[2])


def _fits_items(value: Any, container: str, inside: str) -> bool:
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return False
    if not isinstance(value, Collection):
        return container == "Iterable"  # whose items are not known yet
    if container == "tuple" and not inside.endswith(", ..."):
        parts = inside.split(", ")
        return len(value) == len(parts) and all(map(_fits, value, parts))
    return _fits_all(value, inside.removesuffix(", ..."))


def _fits_all(values: Iterable[Any], annotation: str) -> bool:
    kinds = _alternatives(annotation)
    if set(kinds) <= _BY_CLASS:  # one value of each class says it for all
        values = {type(value): value for value in values}.values()
    return all(any(_fits(value, kind) for kind in kinds) for value in values)


def _is_of_class(value: Any, name: str) -> bool:
    return any(each.__name__ == name for each in type(value).__mro__)

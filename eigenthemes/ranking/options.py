"""Options of each method; an option that a method does not use is refused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.checks import check_fields, check_integer, check_number
from eigenthemes.embeddings.word_vectors import WINDOW
from eigenthemes.errors import OptionError

Scores = NDArray[np.float64]

WEIGHTS = ("degree", "local", "global", "none")
TEXT_WEIGHTS = ("local", "global")  # they read the words around mentions


@dataclass(frozen=True, slots=True, kw_only=True)
class AverageOptions:
    """Options of the methods `average` and `average-unweighted`.

    Parameters
    ----------
    delta
        Weights are rank^-delta.
    weights
        What ranks candidates for their weights: the prior ("degree"), how well the words near the mention ("local") or all
        words of the document ("global") fit their description, or nothing ("none": all weigh the same).
    window
        Words on each side of a mention that are its local context.
    word_vectors
        A file of word vectors; None: those the KB keeps.
    unique
        An entity that is a candidate of several mentions counts once, with its best rank (the paper's text says so, its
        authors' program does not).
    unit_length
        Vectors of unit length; False only to show what that brings.
    """

    delta: float = 1.0
    weights: str = "degree"
    window: int = WINDOW
    word_vectors: str | None = None
    unique: bool = False
    unit_length: bool = True

    def __post_init__(self) -> None:
        check_fields(self)
        check_number("delta", self.delta, "0 or more", least=0)
        check_integer("window", self.window)
        if self.weights not in WEIGHTS:
            raise OptionError(f"weights {self.weights!r} is unknown; expected one of {', '.join(WEIGHTS)}")
        if self.weights == "none":
            refuse_changed(self, ("delta",), "candidates that all weigh the same")
        if self.weights not in TEXT_WEIGHTS:
            refuse_changed(self, ("word_vectors",), f"weights by {self.weights}")
        if self.weights != "local":
            refuse_changed(self, ("window",), f"weights by {self.weights}")


@dataclass(frozen=True, slots=True, kw_only=True)
class EigenOptions(AverageOptions):
    """Options of the methods `eigen` and `eigen-unweighted`, beside those of `AverageOptions`.

    Parameters
    ----------
    k
        Eigenthemes; None: all of them.
    strengths
        Scale themes by their strength; False only to show what that brings.
    """

    k: int | None = 10
    strengths: bool = True

    def __post_init__(self) -> None:
        AverageOptions.__post_init__(self)
        if self.k is not None:
            check_integer("k", self.k, otherwise=", or None for all")


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextOptions:
    """Options of the methods `local-context` and `global-context`; as in `AverageOptions`."""

    window: int = WINDOW
    word_vectors: str | None = None

    def __post_init__(self) -> None:
        check_fields(self)
        check_integer("window", self.window)


ScoringOptions = AverageOptions | EigenOptions | ContextOptions


def refuse_changed(options: Any, unused: Iterable[str], user: str) -> None:
    """Refuse options that differ from their defaults although nothing uses them."""
    defaults = {field.name: field.default for field in fields(options)}
    for name in unused:
        if name in defaults and getattr(options, name) != defaults[name]:
            raise OptionError(
                f"the option {name} means nothing to {user}; leave it out, or choose a method that uses it",
                code="unused-option",
                where=name,
            )


def option_names(options_type: type[Any] | None) -> tuple[str, ...]:
    """Return the names of the options of a type."""
    return () if options_type is None else tuple(field.name for field in fields(options_type))

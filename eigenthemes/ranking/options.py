"""What the methods can be told, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from eigenthemes.embeddings.word_context import WINDOW
from eigenthemes.errors import OptionError

Scores = NDArray[np.float64]

WEIGHTS = ("degree", "local", "global", "none")


@dataclass(frozen=True, slots=True)
class MethodOptions:
    """What the methods can be told.

    k             eigenthemes; None: all of them
    delta         weights are rank^-delta
    unique        an entity that is a candidate of several mentions counts once, with its best rank (the paper's text says so,
                  its authors' program does not)
    weights       what ranks candidates for their weights: the prior ("degree"), how well the words near the mention ("local")
                  or all words of the document ("global") fit their description, or nothing ("none": all weigh the same)
    window        words on each side of a mention that are its local context
    word_vectors  a file of word vectors; None: those the KB keeps
    model         a file of a trained model, for methods that need one; None: the KB's own
    strengths     scale themes by their strength; False only to show what that brings
    unit_length   vectors of unit length; False only to show what that brings
    """

    k: int | None = 10
    delta: float = 1.0
    unique: bool = False
    weights: str = "degree"
    window: int = WINDOW
    word_vectors: str | None = None
    model: str | None = None
    strengths: bool = True
    unit_length: bool = True

    def check(self) -> None:
        """Refuse what means nothing."""
        if self.k is not None and self.k < 1:
            raise OptionError(f"k is {self.k}; expected 1 or more, or None for all")
        if not np.isfinite(self.delta) or self.delta < 0:
            raise OptionError(f"delta is {self.delta}; expected 0 or more")
        if self.weights not in WEIGHTS:
            raise OptionError(f"weights {self.weights!r} is unknown; expected one of {', '.join(WEIGHTS)}")
        if self.window < 1:
            raise OptionError(f"window is {self.window}; expected 1 word or more")

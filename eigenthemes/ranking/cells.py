"""Evidence and NIL model for table cells: the other cells of a column support a candidate."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.threads import lazy
from eigenthemes.ranking.features import COLUMNS
from eigenthemes.ranking.features.coincidence import CELL_COLUMNS, CELL_NIL_COLUMNS, CellEvidence
from eigenthemes.ranking.features.nil import NIL_COLUMNS, best_rows, dot, from_named, to_named

Floats = NDArray[np.float64]

CELL_WEIGHTS = (2.0, -2.0)  # of CELL_COLUMNS; from 2 to 3 the first makes no difference
CELL_NIL = (*NIL_COLUMNS, *COLUMNS, *CELL_NIL_COLUMNS)
_FIELDS = ("choice", "none", "threshold")


@dataclass(frozen=True, slots=True)
class CellModel:
    """Parameters of a ranker for table cells.

    choice     [2] weights of CELL_COLUMNS, which add to the utility of a candidate from the second round on
    nil        [g] weights of NIL in the last round: of NIL_COLUMNS, COLUMNS and CELL_NIL_COLUMNS; None: as in a text
    threshold  the least probability of a link
    about      how it was trained, and how it did on made-up tables kept aside
    """

    choice: Floats = field(default_factory=lambda: np.array(CELL_WEIGHTS))
    nil: Floats | None = None
    threshold: float = 0.0
    about: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Describe it for the manifest."""
        assert self.nil is not None
        weights = {"choice": to_named(tuple(CELL_COLUMNS), self.choice), "none": to_named(CELL_NIL, self.nil)}
        return {"threshold": round(self.threshold, 4), **self.about, **weights}

    @classmethod
    def of(cls, described: dict[str, Any]) -> CellModel:
        """Make it from the manifest."""
        about = {key: value for key, value in described.items() if key not in _FIELDS}
        choice = from_named(tuple(CELL_COLUMNS), described["choice"])
        nil = from_named(CELL_NIL, described["none"])
        return cls(choice, nil, float(described["threshold"]), about)


@dataclass(frozen=True)
class CellRound:
    """Evidence of the columns in one round.

    elsewhere  [n] the highest probability of the same entity for another name of the column in the round before
    """

    model: CellModel
    evidence: CellEvidence
    elsewhere: Floats
    is_last: bool = True

    @lazy
    def utility(self) -> Floats:
        """Return the utility that CELL_COLUMNS add to each candidate [n]; 0 outside of tables."""
        return dot(np.stack((self.evidence.evidence, self.elsewhere), axis=1), self.model.choice)

    def nil_odds(self, odds: Floats, columns: NDArray[np.float32], choice: Floats) -> Floats:
        """Return the log-odds of NIL [m]: those given, and of the cells of tables, in the last round, those of their model.

        columns  [m, g] as of `nil_features`; choice [n] how likely each candidate is, if one of them is right
        """
        if self.model.nil is None or not self.is_last:
            return odds
        cells, features = self.nil_features(columns, choice)
        odds = odds.copy()
        odds[cells] = dot(features, self.model.nil)
        return odds

    def nil_features(self, columns: NDArray[np.float32], choice: Floats) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Return the groups that are cells with candidates [b], and their NIL features [b, g]."""
        best = best_rows(self.evidence.groups, choice)
        cells = np.flatnonzero(self.evidence.is_cell & (best >= 0))
        return cells, np.concatenate((columns[cells], self.evidence.nil_columns(best[cells], self.elsewhere)), axis=1)

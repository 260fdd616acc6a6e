"""Pictures; matplotlib is an extra."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eigenthemes.errors import MissingExtraError, OptionError


def plot_degrees(degree: NDArray[np.int64], file: str | Path, *, title: str) -> None:
    """The degree distribution: share of nodes with at least that degree, both axes logarithmic."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("drawing", "matplotlib", "plot") from None
    if Path(file).suffix.lower() not in (".png", ".svg", ".pdf"):
        raise OptionError(f"{file} is no picture file; give a name that ends in .png, .svg or .pdf")
    connected = np.sort(degree[degree > 0])
    figure = Figure(figsize=(6, 4), layout="constrained")
    axes = figure.subplots()
    if len(connected):
        values, first = np.unique(connected, return_index=True)
        axes.loglog(values, 1 - first / len(connected), marker=".", linestyle="none")
    axes.set(xlabel="degree (distinct neighbours)", ylabel="share of nodes with at least that degree", title=title)
    axes.grid(alpha=0.3)
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        raise OptionError(f"{file} cannot be written ({error.strerror}); give another place") from None

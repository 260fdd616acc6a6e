"""Pictures of calibration and of risk by coverage."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks.pictures import draw_reliability, draw_risk_coverage
from eigenthemes.errors import MissingExtraError, OptionError
from eigenthemes.metrics.calibration import (
    reliability,
    risk_coverage,
)

Array = NDArray[Any]


def some_set(mentions: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(mentions)
    probability = rng.random(mentions)
    return probability, (rng.random(mentions) < probability).astype(float)


def bins_of(*mentions: int) -> dict[str, list[dict[str, Any]]]:
    return {f"set_{count} of $_5": reliability(*some_set(count)) for count in mentions}


def curves_of(*mentions: int) -> dict[str, tuple[Array, Array]]:
    return {f"set_{count} of $_5": risk_coverage(*some_set(count)) for count in mentions}


DRAWN = [(draw_reliability, bins_of), (draw_risk_coverage, curves_of)]


@pytest.mark.parametrize(("suffix", "beginning"), [(".png", b"\x89PNG\r\n"), (".SVG", b"<?xml")])
@pytest.mark.parametrize("mentions", [(0,), (40, 0, 300, 1)])
@pytest.mark.parametrize(("draw", "of"), DRAWN)
def test_a_picture_is_of_the_kind_its_name_says(
    draw: Callable[..., None], of: Callable[..., Any], mentions: tuple[int, ...], suffix: str, beginning: bytes, tmp_path: Path
) -> None:
    file = tmp_path / f"picture{suffix}"
    draw(of(*mentions), file)
    assert file.read_bytes().startswith(beginning)
    assert file.stat().st_size > 2_000


@pytest.mark.parametrize(("draw", "of"), DRAWN)
def test_the_same_figures_give_the_same_bytes(draw: Callable[..., None], of: Callable[..., Any], tmp_path: Path) -> None:
    for name in ("one.svg", "other.svg"):
        draw(of(50), tmp_path / name)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "other.svg").read_bytes()


@pytest.mark.parametrize("mentions", [(0,), (40, 0), (40, 0, 300, 1, 7)])
def test_panels_are_wide_and_do_not_overlap(mentions: tuple[int, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty set once made the layout fall apart."""
    from matplotlib.figure import Figure

    drawn: list[Any] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, *given, **named: drawn.append(figure))
    draw_reliability(bins_of(*mentions), tmp_path / "picture.png")
    (figure,) = drawn
    figure.draw_without_rendering()
    boxes = [axes.get_tightbbox() for axes in figure.axes]
    assert len(boxes) == 2 * len(mentions)
    width = figure.bbox.width / min(3, len(mentions))
    assert all(axes.get_window_extent().width > 0.7 * width for axes in figure.axes)
    overlaps = [(i, j) for i, one in enumerate(boxes) for j, other in enumerate(boxes) if i < j and one.overlaps(other)]
    assert overlaps == []


@pytest.mark.parametrize(("draw", "of"), DRAWN)
def test_what_cannot_be_drawn_is_refused(
    draw: Callable[..., None], of: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(OptionError, match=r"picture\.txt is no picture file; give a name that ends in \.png or \.svg"):
        draw(of(5), tmp_path / "picture.txt")
    with pytest.raises(OptionError, match="there is no set to draw"):
        draw({}, tmp_path / "picture.png")
    with pytest.raises(OptionError, match=r"cannot be written \(No such file or directory\); give another place"):
        draw(of(5), tmp_path / "nowhere" / "picture.png")
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"pip install 'eigenthemes\[plot\]'"):
        draw(of(5), tmp_path / "picture.png")
    assert list(tmp_path.iterdir()) == []

"""Printing: lines and tables for people, progress bars, and standard streams that are closed.

Labels, ids, file names and the messages of other libraries may hold anything, also what drives a terminal: all of it passes
through `plain` on its way there. JSON is for programs, and goes out as it is.
"""

from __future__ import annotations

import io
import json
import os
import sys
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.core.progress import Advance, Progress
from eigenthemes.display import Cell
from eigenthemes.display import plain as plain

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB

SECONDS_BETWEEN_LINES = 5.0


def say(text: str, *, err: bool = False) -> None:
    """Print one line for people on stdout, or on stderr."""
    click.echo(plain(text), err=err)


def note(text: str) -> None:
    """Print one line on stderr: progress, warnings and errors."""
    say(text, err=True)


def print_json(record: Any, *, indent: int | None = None) -> None:
    """Print a record as JSON on stdout."""
    click.echo(json.dumps(record, indent=indent, ensure_ascii=False))


def counted(number: int, noun: str) -> str:
    """Return "1 document", "1,234 documents"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def warn_without_vector(candidates: int) -> None:
    """Warn of candidates of documents that were left out because they have no vector."""
    if candidates:
        note(
            f"warning: {counted(candidates, 'candidate')} given by documents left out because they have no vector; "
            "methods that need no vectors keep them"
        )


def warn_paper_generator(kb: KB, generator: str, vectors: str | None) -> None:
    """Warn of entities that the generator of the paper leaves out because they have no vector."""
    if generator == "paper" and kb.vector_sets:
        named, missing = int(kb.linkable.sum()), int((kb.linkable & ~kb.vectors(vectors).has).sum())
        if missing:
            note(f"warning: the generator paper leaves out entities without a vector: {missing:,} of {named:,}")


def terminal_progress(otherwise: Progress | None = None) -> Progress:
    """Return progress bars on stderr; where that is not a terminal, a line every few seconds, or `otherwise`."""
    return Bars() if sys.stderr.isatty() else otherwise or Lines()


class Lines:
    """A line every few seconds of long work, and one for each step that has ended if wanted: for stderr that is a file."""

    def __init__(self, *, ended: bool = False, seconds: float = SECONDS_BETWEEN_LINES) -> None:
        self.ended, self.seconds = ended, seconds

    @contextmanager
    def step(self, label: str, *, total: float | None, unit: str) -> Iterator[Advance]:
        """Give a function that reports progress of a step."""
        start = said = time.monotonic()
        done = 0.0

        def advance(amount: float) -> None:
            nonlocal done, said
            done += amount
            now = time.monotonic()
            if now - said >= self.seconds:
                said = now
                note(f"  {label}: {_so_far(done, total, unit, now - start)}")

        yield advance
        if self.ended:
            note(f"  {label}: {time.monotonic() - start:.1f} s")


def _so_far(done: float, total: float | None, unit: str, seconds: float) -> str:
    """Return the progress of a step: share, rate and time left."""
    rate = done / max(1e-3, seconds)
    if not total:
        return f"{_rate(rate, unit)}, {seconds:.0f} s so far"
    left = max(0.0, total - done) / max(1e-9, rate)
    return f"{min(1.0, done / total):.0%}, {_rate(rate, unit)}, about {left:.0f} s left"


class Bars:
    """One bar for each step."""

    @contextmanager
    def step(self, label: str, *, total: float | None, unit: str) -> Iterator[Advance]:
        """Give a function that reports progress of a step."""
        from rich.console import Console
        from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeElapsedColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=Console(stderr=True)) as bar:
            task = bar.add_task(plain(label), total=total, rate="")
            start, done = time.monotonic(), 0.0

            def advance(amount: float) -> None:
                nonlocal done
                done += amount
                rate = done / max(1e-3, time.monotonic() - start)
                bar.update(task, advance=amount, rate=_rate(rate, unit))

            yield advance
            bar.update(task, total=total or done or 1, completed=total or done or 1)


def _rate(rate: float, unit: str) -> str:
    if unit == "bytes":
        return f"{rate / 1e6:.1f} MB/s"
    return f"{rate:,.0f} {unit}/s"


def print_table(header: Sequence[str], rows: Iterable[Sequence[Cell]], *, right: Sequence[int] = ()) -> None:
    """Print a table on stdout."""
    sys.stdout.write(table_text(header, rows, right=right))


def table_text(header: Sequence[str], rows: Iterable[Sequence[Cell]], *, right: Sequence[int] = ()) -> str:
    """Return a table: fitted to a terminal, never cut where it is read by a program."""
    shown = [[plain(cell if isinstance(cell, str) else cell.text) for cell in row] for row in rows]
    return _fitted_table(header, shown, right) if sys.stdout.isatty() else _wide_table(header, shown, right)


def _wide_table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    """Return the table of `_fitted_table` where there is no end to the right; rich takes a minute for 50,000 rows."""
    from rich.cells import cell_len

    lines = [header, *rows]
    sizes = [[cell_len(cell) for cell in line] for line in lines]
    widths = [max(column) for column in zip(*sizes, strict=True)]
    texts = []
    for line, size in zip(lines, sizes, strict=True):
        gaps = [" " * (width - own) for width, own in zip(widths, size, strict=True)]
        cells = [gap + cell if i in right else cell + gap for i, (cell, gap) in enumerate(zip(line, gaps, strict=True))]
        texts.append("   ".join(cells).rstrip())
    texts.insert(1, "─" * (sum(widths) + 3 * (len(widths) - 1)))
    return "\n".join(texts) + "\n"


def _fitted_table(header: Sequence[str], rows: Sequence[Sequence[str]], right: Sequence[int]) -> str:
    from rich.console import Console

    from eigenthemes.display import Grid
    from eigenthemes.display.terminal import grid_table

    table, console = grid_table(Grid(header, rows, right)), Console(markup=False, highlight=False)
    table.show_edge = False
    with console.capture() as capture:
        console.print(table)
    return "".join(line.rstrip() + "\n" for line in capture.get().splitlines())


_STREAMS = (("stdin", "r", os.O_WRONLY), ("stdout", "w", os.O_RDONLY), ("stderr", "w", os.O_WRONLY))


def prepare_streams() -> None:
    """Replace closed streams, and let streams replace letters that they cannot encode."""
    for handle, (name, mode, access) in enumerate(_STREAMS):
        if getattr(sys, name) is None:
            # the null device takes its number, so that no file of ours gets it; of input and output it is opened the wrong way
            # round, so that using them fails; unbuffered, so that what was not written is not tried again at the end
            os.dup2(os.open(os.devnull, access), handle)
            setattr(sys, name, io.TextIOWrapper(io.FileIO(handle, mode), encoding="utf-8", write_through=True))
        elif name == "stdout" and isinstance(sys.stdout.buffer, io.RawIOBase):
            # PYTHONUNBUFFERED: a full disk would take a part of what is written
            buffered = io.BufferedWriter(sys.stdout.buffer)
            sys.stdout = io.TextIOWrapper(buffered, encoding=sys.stdout.encoding, line_buffering=True)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a letter is no reason to stop

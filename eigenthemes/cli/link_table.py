"""The command `eigenthemes link-table`."""

from __future__ import annotations

import csv
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

from eigenthemes.cli.link import open_linker
from eigenthemes.cli.options import JOBS, link_flags
from eigenthemes.cli.output import say, terminal_progress
from eigenthemes.core.storage import check_output, report_write_errors
from eigenthemes.errors import OptionError

if TYPE_CHECKING:
    from eigenthemes.linker import Linker
    from eigenthemes.records import LinkedTable
    from eigenthemes.tables.table_file import TableFile
    from eigenthemes.tables.table_stream import TableSummary

_CONTEXTS = ("table", "column", "row", "none")
_BINARY = ("parquet", "xlsx")


@click.command("link-table")
@click.argument("kb", type=click.Path())
@click.argument("table", type=click.Path(allow_dash=True))
@click.option("-o", "--output", type=click.Path(), default="-", help="Write here, in the format of its ending or of TABLE.")
@click.option("--columns", multiple=True, metavar="NAME,...", help="Names, or numbers from 1; default: columns of names.")
@click.option("--context", type=click.Choice(_CONTEXTS), default="table", help="Which cells are decided together.")
@link_flags
@click.option("--suffix", default="", show_default=False, help="Before _id, _label and _probability in new headers.")
@click.option("--sheet", metavar="NAME", help="Sheet of a spreadsheet, by name or number from 1.  [default: the first]")
@click.option("--no-header", is_flag=True, help="The first row is data; --columns takes numbers.")
@click.option("--delimiter", metavar="X", help="Between the cells of a CSV: ; , | or tab.  [default: detected]")
@click.option("--encoding", metavar="NAME", help="Of a CSV or TSV, e.g. cp1250.  [default: detected]")
@click.option("--no-quotes", is_flag=True, help="Read quotes in a CSV or TSV as characters like any other.")
@click.option("--report", is_flag=True, help="Print the type of each column, and the relations between columns.")
@click.option("--report-json", type=click.Path(), metavar="FILE", help="Write the same as JSON to this file.")
@click.option("--sssom", type=click.Path(), metavar="FILE", help="Also write the links as a set of SSSOM mappings.")
@click.option("--jobs", type=JOBS, default=1, help="Processes; they share the KB.")
def link_table(kb: str, table: str, output: str, columns: tuple[str, ...], jobs: int, **options: Any) -> None:
    """Link the cells of TABLE to the entities of a KB.

    TABLE is CSV, TSV, Excel, Parquet or JSON lines (plain or compressed), - is standard input. The output is the same table
    with the columns NAME_id, NAME_label and NAME_probability added for each linked column. --only-type COLUMN=TYPE applies to
    one column. See docs/tables.md.
    """
    from eigenthemes.stream import collect_garbage_rarely
    from eigenthemes.tables.open_table import open_table
    from eigenthemes.tables.table_file import TableOptions
    from eigenthemes.tables.table_stream import link_table_file

    reading = TableOptions(
        header=not options["no_header"], sheet=options["sheet"], delimiter=options["delimiter"], encoding=options["encoding"],
        quotes=not options["no_quotes"],
    )  # fmt: skip
    started = time.perf_counter()
    with open_table(table, reading) as opened:
        chosen = [_column(opened, part) for given in columns for part in _parts(opened, given)]
        only_types, options["only_types"] = _types(opened, options["only_types"])
        target = _target(output, opened)
        linker = open_linker(kb, {**options, "top": 1})
        collect_garbage_rarely()
        summary = link_table_file(
            linker, opened, target, columns=chosen or None, context=options["context"], only_types=only_types,
            suffix=options["suffix"], sssom=options["sssom"], jobs=jobs, progress=terminal_progress(),
            on_sample=_reporter(linker, options["report"], options["report_json"]),
        )  # fmt: skip
    _print_summary(summary, time.perf_counter() - started)


def _reporter(linker: Linker, wanted: bool, file: str | None) -> Callable[[LinkedTable], None] | None:
    """Return a function that prints or writes the report on a linked table; None if neither is wanted."""
    if file is not None:
        check_output(file, remedy="give another place with --report-json")

    def report_on(linked: LinkedTable) -> None:
        """Print the report of a linked table if it is wanted, and write it if there is a file."""
        report = linker.report_table(linked)
        for sentence in report.sentences() if wanted else ():
            say(sentence, err=True)
        if file is not None:
            with report_write_errors(file, "give another place with --report-json"):
                Path(file).write_text(json.dumps(report.to_dict(), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    return report_on if wanted or file is not None else None


def _target(output: str, opened: TableFile) -> str | IO[bytes]:
    if output != "-":
        return output
    if opened.format in _BINARY and sys.stdout.isatty():
        raise OptionError(f"{opened.name} is not text for a terminal; give the file to write to with -o")
    return sys.stdout.buffer


def _parts(opened: TableFile, given: str) -> Sequence[str]:
    """Return the columns given by one --columns: the value itself if a column has that name, else its parts."""
    if given in opened.header:
        return [given]
    try:
        return [part.strip() for part in next(csv.reader([given], skipinitialspace=True, strict=True)) if part.strip()]
    except (csv.Error, StopIteration):
        raise OptionError(f"--columns is {given!r}; expected names between commas, in quotes where they hold one") from None


def _column(opened: TableFile, given: str) -> str | int:
    """Return the name of a column, or its number from 0; on the command line numbers count from 1."""
    count = opened.header.count(given)
    if count > 1:
        places = " and ".join(str(number) for number, name in enumerate(opened.header, 1) if name == given)
        raise OptionError(f"{count} columns are called {given!r}; give the number of one with --columns ({places})")
    if count or not (given.isascii() and given.isdigit()):
        return given
    number = int(given)
    if not 1 <= number <= opened.width:
        raise OptionError(f"there is no column {number}; {opened.name} has {opened.width:,}, which --columns counts from 1")
    return number - 1


def _types(opened: TableFile, given: Sequence[str]) -> tuple[dict[str | int, list[str]], tuple[str, ...]]:
    """Return the types of single columns, and the types of all columns."""
    of_column: dict[str | int, list[str]] = {}
    of_all = []
    for each in given:
        name, equals, type_ = each.partition("=")
        known = name in opened.header or (name.isascii() and name.isdigit())
        if equals and known:
            of_column.setdefault(_column(opened, name), []).append(type_)
        else:
            of_all.append(each)
    return of_column, tuple(of_all)


def _print_summary(summary: TableSummary, seconds: float) -> None:
    for profile in summary.profiles or ():
        name = profile.name or f"column {profile.column + 1}"
        say(f"{name}: {'linked' if profile.named else 'not linked'}, {profile.why}", err=True)
    for note in summary.notes:
        say(f"note: {note}", err=True)
    for name in summary.columns:
        say(f"{name}: {summary.linked[name]:,} of {summary.cells[name]:,} cells linked", err=True)
    say(f"{summary.rows:,} rows in {seconds:.1f} s", err=True)

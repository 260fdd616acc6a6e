"""A table file in, the same table with links out: some rows at a time, in constant memory, over several processes.

look at the whole file -> columns -> chunks of rows -> answers -> the same rows with columns more
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast

import numpy as np

from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.workers import Workers
from eigenthemes.documents.sssom import COMPOSITE, LEXICAL, MappingSet
from eigenthemes.documents.table_files.delimited import DelimitedFile, DelimitedWriter
from eigenthemes.documents.table_files.new_files import new_writer
from eigenthemes.documents.table_files.opening import format_of_name, open_table
from eigenthemes.documents.table_files.output import whole_file
from eigenthemes.documents.table_files.table_file import (
    CHUNK,
    LONGEST_NAME,
    SAMPLE,
    Answers,
    Look,
    Rows,
    TableFile,
    TableOptions,
    TableWriter,
)
from eigenthemes.errors import OptionError
from eigenthemes.linker import Linker
from eigenthemes.records import LinkedTable, Table
from eigenthemes.tables import CONTEXTS, ColumnProfile, Columns, column_numbers, profile_columns

PARTS = ("_id", "_label", "_probability")
_BY_NAME_ONLY = ("namematch", "degree", "prior-name")  # methods to which the other cells mean nothing
_WITH_OTHER_ROWS = ("table", "column")  # contexts in which rows speak for each other

Texts = list[list[str]]  # of some rows, column by column
OnSample = Callable[[LinkedTable], None]


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """What is linked, and how; workers get it with every chunk.

    names   what the linked columns are called
    types   number of a linked column among these -> the types that its cells can mean
    others  rows from all over the file that are decided together with each chunk, column by column
    """

    names: tuple[str, ...]
    context: str
    types: dict[str | int, Sequence[str]]
    others: Texts


@dataclass(frozen=True, slots=True, kw_only=True)
class TableTask:
    """What is wanted of a table: see `link_table_file`."""

    columns: Columns | None = None
    context: str = "table"
    only_types: Mapping[str | int, Sequence[str]] = field(default_factory=dict)
    suffix: str = ""
    sssom: str | Path | None = None
    jobs: int = 1
    on_sample: OnSample | None = None

    def __post_init__(self) -> None:
        if self.context not in CONTEXTS:
            raise OptionError(f"context is {self.context!r}; expected one of {', '.join(CONTEXTS)}", where="context")


@dataclass(slots=True)
class TableReport:
    """What became of a table.

    columns   the names of the linked ones
    profiles  of all columns, why they were taken for names or not; empty where the columns were given
    cells     column -> cells that are not empty
    linked    column -> cells that were linked
    notes     what is odd about the file, in sentences
    """

    rows: int = 0
    columns: tuple[str, ...] = ()
    profiles: list[ColumnProfile] = field(default_factory=list)
    cells: dict[str, int] = field(default_factory=dict)
    linked: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def link_table_file(
    linker: Linker,
    path: str | Path,
    output: str | Path | IO[bytes],
    *,
    columns: Columns | None = None,
    context: str = "table",
    only_types: Mapping[str | int, Sequence[str]] | None = None,
    suffix: str = "",
    reading: TableOptions | None = None,
    sssom: str | Path | None = None,
    jobs: int = 1,
    on_sample: OnSample | None = None,
    progress: Progress | None = None,
) -> TableReport:
    """Link the cells of a table file, and write the table with three columns more for each linked one.

    output      a path, whose ending says the format (by default that of the input), or a stream
    columns     names, or numbers from 0; None: those whose cells are names of the KB
    context     which cells are decided together: "table", "column", "row" or "none". A table of more than 10,000 rows is
                linked 10,000 at a time, each time together with 500 or more rows from all over the file
    only_types  column -> the types that its cells can mean
    suffix      put between the name of a column and _id, _label, _probability
    reading     how to read the file: header, sheet, delimiter, encoding
    sssom       also write the links as SSSOM mappings here
    on_sample   called with the linked columns of some rows, evenly spaced over the file: 1,000 at most
    """
    task = TableTask(
        columns=columns,
        context=context,
        only_types=only_types or {},
        suffix=suffix,
        sssom=sssom,
        jobs=jobs,
        on_sample=on_sample,
    )
    with open_table(str(path), reading) as table:
        return link_opened_table(linker, table, path, output, task, progress or Silent())


def link_opened_table(
    linker: Linker, table: TableFile, path: str | Path, output: str | Path | IO[bytes], task: TableTask, progress: Progress
) -> TableReport:
    """As `link_table_file`, of a table that is open already."""
    _check_places(output, task.sssom)
    size = None if str(path) == "-" else Path(path).stat().st_size
    with progress.step(f"looking at {table.name}", total=size, unit="bytes") as advance:
        look = table.look(advance)
    report = TableReport(look.rows, notes=look.notes)
    chosen, plan = _plan(linker, table, look, task, report)
    added = _added(table, plan.names, task.suffix)
    if task.on_sample is not None:
        task.on_sample(_linked_table(linker, plan, _columns(look.sample, chosen)))
    with ExitStack() as stack:
        writer = _writer(table, look, output, stack.enter_context(_opened(table, path, output)), added)
        stack.callback(getattr(writer, "discard", lambda: None))  # what a writer keeps beside the output
        mappings = stack.enter_context(_mappings(linker, table, path, task.sssom))
        workers = stack.enter_context(Workers(task.jobs))
        advance = stack.enter_context(progress.step("linking", total=look.rows, unit="rows"))
        for rows, texts, answers in _linked_chunks(linker, table, chosen, plan, workers):
            writer.write(rows, answers)
            _count(report, texts, answers, mappings)
            advance(len(rows))
        writer.close()
    if isinstance(writer, DelimitedWriter) and writer.lost:
        report.notes.append(
            f"{writer.lost:,} letters of labels are unknown to {writer.file.encoding.name} and are written as ?; "
            "another format, or a file in UTF-8, keeps them"
        )
    return report


def _check_places(output: str | Path | IO[bytes], sssom: str | Path | None) -> None:
    if sssom is not None and isinstance(output, str | Path) and Path(output).absolute() == Path(sssom).absolute():
        raise OptionError(f"the table and its mappings would both be written to {sssom}; give two files", where=str(sssom))


@contextmanager
def _opened(table: TableFile, path: str | Path, output: str | Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """Open what is written to; writers of formats that are no lines go back and forth, which a stream does not."""
    if isinstance(output, str | Path):
        with whole_file(output, inputs=(path,)) as file:
            yield file
    elif table.format not in ("parquet", "xlsx"):
        yield output
    else:
        with tempfile.TemporaryFile() as spool:
            yield cast(IO[bytes], spool)
            spool.seek(0)
            shutil.copyfileobj(spool, output, 1 << 20)


# columns


def _plan(
    linker: Linker, table: TableFile, look: Look, task: TableTask, report: TableReport
) -> tuple[tuple[int, ...], ColumnPlan]:
    """Return the numbers of the columns to link, and how; the report gets why these."""
    sample = Table(_padded(table.header, table.width), tuple(look.sample))
    if task.columns is None:
        report.profiles = profile_columns(sample, linker.batches.generator)
        chosen = _named(table.name, report.profiles)
    else:
        chosen = column_numbers(sample, task.columns)
    types = _types(linker, sample, chosen, task.only_types)
    names = report.columns = _names(table, chosen)
    report.cells, report.linked = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    return chosen, ColumnPlan(names, task.context, types, _others(look, chosen) if task.context in _WITH_OTHER_ROWS else [])


def _named(name: str, profiles: list[ColumnProfile]) -> tuple[int, ...]:
    named = tuple(profile.column for profile in profiles if profile.named)
    if not named:
        found = "; ".join(f"{_shown(profile)}: {profile.why}" for profile in profiles[:6]).replace("; ", ", ")
        raise OptionError(f"no column of {name} looks like names ({found}); name the columns", code="columns-needed")
    return named


def _shown(profile: ColumnProfile) -> str:
    return profile.name or f"column {profile.column + 1}"


def _padded(header: tuple[str, ...], width: int) -> tuple[str, ...]:
    return header + ("",) * (width - len(header))


def _names(table: TableFile, chosen: tuple[int, ...]) -> tuple[str, ...]:
    """Return what linked columns are called: their names, with the number where two are called the same."""
    header = _padded(table.header, table.width)
    names = [header[number] or f"column {number + 1}" for number in chosen]
    return tuple(f"{name}_{number + 1}" if names.count(name) > 1 else name for name, number in zip(names, chosen, strict=True))


def _added(table: TableFile, names: tuple[str, ...], suffix: str) -> list[str]:
    added = [f"{name}{suffix}{part}" for name in names for part in PARTS]
    taken = [name for name in added if name in table.header]
    if taken:
        raise OptionError(
            f"{table.name} has a column {taken[0]} already; give a suffix that makes another name",
            code="column-taken",
            where=taken[0],
        )
    return added


def _types(
    linker: Linker, sample: Table, chosen: tuple[int, ...], only_types: Mapping[str | int, Sequence[str]]
) -> dict[str | int, Sequence[str]]:
    """Return the types of linked columns, by the number of the column among these."""
    types: dict[str | int, Sequence[str]] = {}
    for column, only in only_types.items():
        (number,) = column_numbers(sample, [column])
        name = sample.header[number] or f"column {number + 1}"
        if number not in chosen:
            raise OptionError(f"types are given for the column {name}, which is not linked; link it, too", where="only_types")
        try:
            linker.batches.generator_of(tuple(only))
        except OptionError as error:
            raise OptionError(f"column {name}: {error}", code=error.code, where=error.where) from None
        types[chosen.index(number)] = tuple(only)
    return types


def _others(look: Look, chosen: tuple[int, ...]) -> Texts:
    """Return rows from all over a long table, column by column; none of a table that is linked at once."""
    if look.rows <= CHUNK:
        return []
    places = np.linspace(0, len(look.sample) - 1, min(len(look.sample), SAMPLE)).astype(int).tolist()
    return _columns([look.sample[place] for place in places], chosen)


def _columns(rows: list[tuple[str, ...]], chosen: tuple[int, ...]) -> Texts:
    return [[row[number] if number < len(row) else "" for row in rows] for number in chosen]


# linking


def _linked_chunks(
    linker: Linker, table: TableFile, chosen: tuple[int, ...], plan: ColumnPlan, workers: Workers
) -> Iterator[tuple[Rows, Texts, list[Answers]]]:
    """Yield some rows, the texts of their linked columns, and what these mean; in order, whoever links them."""
    waiting: list[tuple[Rows, Texts]] = []
    given: tuple[Any, ...] = ()
    if workers.jobs > 1:
        path, options = linker.path_and_options
        given = (path, tuple(sorted(options.items())))

    def tasks() -> Iterator[tuple[Any, ...]]:
        for rows in table.chunks():
            texts = [rows.texts(number) for number in chosen]
            waiting.append((rows, texts))
            yield (*given, plan, texts) if given else (linker, plan, texts)

    for answers in workers.map(_link_in_worker if given else link_texts, tasks()):
        rows, texts = waiting.pop(0)
        yield rows, texts, answers


@lru_cache(maxsize=1)
def _worker_linker(path: str, options: tuple[tuple[str, Any], ...]) -> Linker:
    """The linker of this worker process, opened once."""
    return Linker(path, **dict(options))


def _link_in_worker(path: str, options: tuple[tuple[str, Any], ...], plan: ColumnPlan, texts: Texts) -> list[Answers]:
    return link_texts(_worker_linker(path, options), plan, texts)


def link_texts(linker: Linker, plan: ColumnPlan, texts: Texts) -> list[Answers]:
    """Link the texts of some rows, column by column."""
    if plan.context == "none":
        return [_linked_alone(linker, plan, number, column) for number, column in enumerate(texts)]
    count = len(texts[0])
    together = [column + other for column, other in zip(texts, plan.others, strict=True)] if plan.others else texts
    return _linked(linker, plan, together, count)


def _linked_alone(linker: Linker, plan: ColumnPlan, number: int, column: list[str]) -> Answers:
    """Link each distinct text of a column once."""
    places = {text: place for place, text in enumerate(dict.fromkeys(column))}
    types: dict[str | int, Sequence[str]] = {0: plan.types[number]} if number in plan.types else {}
    alone = ColumnPlan((plan.names[number],), "none", types, [])
    (answers,) = _linked(linker, alone, [list(places)], len(places))
    at = [places[text] for text in column]
    return Answers(*([values[place] for place in at] for values in answers.columns()))  # type: ignore[arg-type]


def _linked_table(linker: Linker, plan: ColumnPlan, texts: Texts) -> LinkedTable:
    names = [[text if len(text) <= LONGEST_NAME else "" for text in column] for column in texts]
    table = Table(plan.names, tuple(zip(*names, strict=True)))
    return linker.link_table(table, columns=range(len(names)), context=plan.context, only_types=plan.types)


def _linked(linker: Linker, plan: ColumnPlan, texts: Texts, count: int) -> list[Answers]:
    answers = [Answers([None] * count, [None] * count, [None] * count) for _ in texts]
    for link in _linked_table(linker, plan, texts).links:
        row, answer = link.mention.row or 0, answers[link.mention.col or 0]
        if link.entity is not None and row < count:
            answer.ids[row], answer.labels[row] = link.entity, link.label
            answer.probabilities[row] = None if link.probability is None else round(link.probability, 4)
    return answers


# results


def _writer(
    table: TableFile, look: Look, output: str | Path | IO[bytes], target: IO[bytes], added: Sequence[str]
) -> TableWriter:
    wanted = format_of_name(str(output)) if isinstance(output, str | Path) else None
    if wanted is None or _is_same(table, wanted):
        return table.writer(target, added)
    return new_writer(wanted, table, look, target, added)


def _is_same(table: TableFile, wanted: str) -> bool:
    """Return whether a format is that of a table: a CSV may have any delimiter, a TSV has tabs."""
    if wanted == "csv" and isinstance(table, DelimitedFile):
        return table.format == "csv"
    if wanted == "xlsx":
        return table.format == "xlsx" and table.name.lower().endswith((".xlsx", ".xlsm"))
    return table.format == wanted


def _count(report: TableReport, texts: Texts, answers: list[Answers], mappings: MappingSet | None) -> None:
    for name, column, answer in zip(report.columns, texts, answers, strict=True):
        report.cells[name] += sum(1 for text in column if text)
        report.linked[name] += sum(1 for id in answer.ids if id is not None)
        if mappings is not None:
            for text, id, label, probability in zip(column, *answer.columns(), strict=True):
                if id is not None:
                    mappings.add(name, text, id, label or "", probability)


@contextmanager
def _mappings(linker: Linker, table: TableFile, path: str | Path, target: str | Path | None) -> Iterator[MappingSet | None]:
    """Give a set of mappings to fill, which is written at the end; None where nobody wants it."""
    if target is None:
        yield None
        return
    from eigenthemes import __version__

    justification = LEXICAL if linker.method_name in _BY_NAME_ONLY else COMPOSITE
    kb = linker.kb.path.name
    mappings = MappingSet(kb, f"{table.name} linked to {kb}", __version__, justification)
    with whole_file(target, inputs=(path,)) as file:
        yield mappings
        file.write(mappings.to_bytes())

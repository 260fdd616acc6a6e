"""A table file in, the same table with links out: some rows at a time, in constant memory, over several processes.

look at the whole file -> columns -> chunks of rows -> answers -> the same rows with columns more
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any, cast

from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.workers import Workers
from eigenthemes.documents.sssom import COMPOSITE, LEXICAL, MappingSet
from eigenthemes.documents.table_files.delimited import DelimitedWriter
from eigenthemes.documents.table_files.new_files import new_writer
from eigenthemes.documents.table_files.opening import format_of_name, open_table
from eigenthemes.documents.table_files.output import whole_file
from eigenthemes.documents.table_files.table_file import (
    LONGEST_NAME,
    Answers,
    Look,
    Rows,
    TableFile,
    TableOptions,
    TableWriter,
)
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.linker import Linker, LinkOptions
from eigenthemes.records import LinkedTable, Table
from eigenthemes.table_plan import ColumnPlan, OnSample, TableSummary, TableTask, Texts, added_names, columns_of, plan_columns
from eigenthemes.tables import Columns

_BY_NAME_ONLY = ("namematch", "degree", "prior-name")  # methods to which the other cells mean nothing


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
) -> TableSummary:
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
) -> TableSummary:
    """As `link_table_file`, of a table that is open already."""
    _check_places(output, task.sssom)
    size = None if str(path) == "-" else Path(path).stat().st_size
    with progress.step(f"looking at {table.name}", total=size, unit="bytes") as advance:
        look = table.look(advance)
    report = TableSummary(look.rows, notes=look.notes)
    chosen, plan = plan_columns(linker, table, look, task, report)
    added = added_names(table, plan.names, task.suffix)
    if task.on_sample is not None:
        task.on_sample(_linked_table(linker, plan, columns_of(look.sample, chosen)))
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


# linking


def _linked_chunks(
    linker: Linker, table: TableFile, chosen: tuple[int, ...], plan: ColumnPlan, workers: Workers
) -> Iterator[tuple[Rows, Texts, list[Answers]]]:
    """Yield some rows, the texts of their linked columns, and what these mean; in order, whoever links them."""
    waiting: list[tuple[Rows, Texts]] = []
    given: tuple[Any, ...] = ()
    if workers.jobs > 1:
        given = linker.path_and_options

    def tasks() -> Iterator[tuple[Any, ...]]:
        for rows in table.chunks():
            texts = [rows.texts(number) for number in chosen]
            waiting.append((rows, texts))
            yield (*given, plan, texts) if given else (linker, plan, texts)

    for answers in workers.map(_link_in_worker if given else link_texts, tasks()):
        rows, texts = waiting.pop(0)
        yield rows, texts, answers


@lru_cache(maxsize=1)
def _worker_linker(path: str, options: LinkOptions) -> Linker:
    """The linker of this worker process, opened once."""
    return Linker(path, options=options)


def _link_in_worker(path: str, options: LinkOptions, plan: ColumnPlan, texts: Texts) -> list[Answers]:
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
    name = str(output).lower() if isinstance(output, str | Path) else ""
    wanted = format_of_name(name)
    if wanted is None or _is_same(table, wanted, name):
        return table.writer(target, added)
    if name.endswith(".xlsm"):
        raise SourceError(
            f"{output} would be a workbook with macros, which {table.name} is not; write an .xlsx file", code="table-output"
        )
    if table.format == "xlsx":
        look.notes.append("only the values of one sheet are written: no formulas, formats and other sheets")
    return new_writer(wanted, table, look, target, added)


def _is_same(table: TableFile, wanted: str, name: str) -> bool:
    """Return whether a format is that of a table: a CSV may have any delimiter, a TSV has tabs, macros need an ending."""
    if wanted == "xlsx":
        return table.format == "xlsx" and Path(table.name.lower()).suffix == Path(name).suffix
    return table.format == wanted


def _count(report: TableSummary, texts: Texts, answers: list[Answers], mappings: MappingSet | None) -> None:
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

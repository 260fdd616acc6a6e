"""Link a table file, and write the same table with links: in chunks of rows, in constant memory, by several processes.

scan the file -> choose columns -> link chunks of rows -> write the same rows with added columns
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import IO, cast

from eigenthemes.core.checks import check_arguments
from eigenthemes.core.files import source_size
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.workers import Workers
from eigenthemes.documents.sssom import COMPOSITE, LEXICAL, MappingSet
from eigenthemes.errors import OptionError
from eigenthemes.linker import Linker
from eigenthemes.names.name_memory import key_of, name_memories
from eigenthemes.records import LinkedTable, Table
from eigenthemes.stream import map_with_linker
from eigenthemes.tables.open_table import open_table, replacing_file, table_writer
from eigenthemes.tables.table_documents import (
    CONTEXTS,
    ColumnProfile,
    Columns,
    added_names,
    column_numbers,
    profile_columns,
    types_by_column,
)
from eigenthemes.tables.table_file import CHUNK, LONGEST_NAME, ColumnLinks, Rows, Scan, TableFile, TableOptions, column_links

_BY_NAME_ONLY = ("namematch", "degree", "prior-name")  # methods that do not use the other cells

Texts = list[list[str]]  # cells of some rows, column by column
Types = Mapping[str | int, str | Sequence[str]]  # of entities, by column
OnSample = Callable[[LinkedTable], None]


@dataclass(slots=True)
class TableSummary:
    """The result of linking a table file.

    Attributes
    ----------
    rows : int
        Number of rows.
    columns : tuple of str
        Names of the linked columns.
    profiles : list of ColumnProfile
        Why each column was linked or not; empty where the columns were given.
    cells : dict
        Linked column -> number of its cells that are not empty.
    linked : dict
        Linked column -> number of its cells that were linked.
    notes : list of str
        Remarks about the file.
    """

    rows: int = 0
    columns: tuple[str, ...] = ()
    profiles: list[ColumnProfile] = field(default_factory=list)
    cells: dict[str, int] = field(default_factory=dict)
    linked: dict[str, int] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class ColumnPlan:
    """Columns to link, and how; workers get it with every chunk.

    columns  numbers of the linked columns
    names    of the linked columns
    types    position of a column among the linked ones -> the types that its cells can mean
    sample   rows from the complete file that are decided together with each chunk, column by column
    """

    columns: tuple[int, ...]
    names: tuple[str, ...]
    context: str
    types: dict[str | int, Sequence[str]]
    sample: Texts


@check_arguments
def link_table_file(
    linker: Linker,
    path: str | Path | TableFile,
    output: str | Path | IO[bytes],
    *,
    columns: Columns | None = None,
    context: str = "table",
    only_types: Mapping[str | int, str | Sequence[str]] | None = None,
    suffix: str = "",
    reading: TableOptions | None = None,
    sssom: str | Path | None = None,
    jobs: int = 1,
    on_sample: OnSample | None = None,
    progress: Progress | None = None,
) -> TableSummary:
    """Link the cells of a table file, and write the table with three columns added for each linked one.

    Parameters
    ----------
    linker : Linker
        Decides the cells.
    path : str, Path or opened table
        CSV, TSV, Excel, Parquet or JSON lines; "-" is standard input.
    output : str, Path or binary stream
        The ending of a path gives the format; any other ending, or a stream, keeps that of the input.
    columns : list of str or int, optional
        Names, or numbers from 0; None: those whose cells are names of the KB.
    context : {"table", "column", "row", "none"}
        Cells that are decided together. A table of more than 10,000 rows is linked in chunks of 10,000, each together with 500
        rows from the complete file.
    only_types : dict, optional
        Column -> the types that its cells can mean.
    suffix : str
        Text between the name of a column and _id, _label, _probability.
    reading : TableOptions, optional
        Header, sheet, delimiter, encoding and quotes of the input.
    sssom : str or Path, optional
        File for the links as SSSOM mappings.
    jobs : int
        Number of processes.
    on_sample : callable, optional
        Called with the linked columns of up to 1,000 evenly spaced rows.
    progress : Progress, optional
        Receives the progress.

    Returns
    -------
    TableSummary
        Linked columns, counts and remarks.

    Raises
    ------
    SourceError
        If the file cannot be read or the output cannot be written.
    OptionError
        If a column, sheet, type or option is unknown.
    """
    if context not in CONTEXTS:
        raise OptionError(f"context is {context!r}; expected one of {', '.join(CONTEXTS)}", where="context")
    if sssom is not None and isinstance(output, str | Path) and Path(output).absolute() == Path(sssom).absolute():
        raise OptionError(f"the table and its mappings would both be written to {output}; give two files", where=str(output))
    with ExitStack() as stack:
        table = stack.enter_context(open_table(str(path), reading)) if isinstance(path, str | Path) else path
        progress = progress or Silent()
        with progress.step(f"reading {table.name}", total=source_size(table.source), unit="bytes") as advance:
            scan = table.scan(advance)
        summary = TableSummary(scan.rows, notes=scan.notes)
        plan = plan_columns(linker, table, scan, columns, context, only_types or {}, summary)
        if on_sample is not None:
            on_sample(_linked_table(linker, plan, _columns_of(scan.sample, plan.columns)))
        added = added_names(plan.names, suffix, table.header, table.name)
        target = stack.enter_context(_opened_output(table, output))
        writer = table_writer(table, scan, output, target, added)
        stack.callback(writer.discard)
        mappings = stack.enter_context(_mappings(linker, table, sssom))
        workers = stack.enter_context(Workers(jobs))
        given_ids, ignored = _given_names(linker), Counter[tuple[str, str]]()
        advance = stack.enter_context(progress.step("linking", total=scan.rows, unit="rows"))
        for rows, texts, links in _linked_chunks(linker, table, plan, workers):
            writer.write(rows, links)
            for name, column, linked in zip(plan.names, texts, links, strict=True):
                summary.cells[name] += sum(map(bool, column))
                summary.linked[name] += sum(id is not None for id in linked.ids)
                ignored.update(_ignored_names(column, linked, given_ids))
                if mappings is not None:
                    mappings.add_column(name, column, *linked)
            advance(len(rows))
        writer.close()
    summary.notes += writer.notes
    if ignored:
        (text, id), _ = ignored.most_common(1)[0]
        cells = "1 cell holds" if ignored.total() == 1 else f"{ignored.total():,} cells hold"
        summary.notes.append(
            f"{cells} a name that was added or corrected, without a link to its entity (such as {text!r} to {id}): "
            "other evidence in the table outweighs it"
        )
    return summary


@contextmanager
def _opened_output(table: TableFile, output: str | Path | IO[bytes]) -> Iterator[IO[bytes]]:
    """Open the output; Parquet and Excel need a seekable file, which a stream may not be."""
    if isinstance(output, str | Path):
        with replacing_file(output, inputs=(table.source,)) as file:
            yield file
    elif table.format not in ("parquet", "xlsx"):
        yield output
    else:
        with tempfile.TemporaryFile() as spool:
            yield cast(IO[bytes], spool)
            spool.seek(0)
            shutil.copyfileobj(spool, output, 1 << 20)


# choosing columns


def plan_columns(
    linker: Linker, table: TableFile, scan: Scan, given: Columns | None, context: str, only_types: Types, summary: TableSummary
) -> ColumnPlan:
    """Return the columns to link, and how to link them; the summary gets the reasons."""
    sample = Table(table.full_header, tuple(scan.sample))
    if given is None:
        summary.profiles = profile_columns(sample, linker.batches.generator)
        chosen = tuple(profile.column for profile in summary.profiles if profile.named)
    else:
        chosen = column_numbers(sample, given)
    if not chosen:
        reasons = ", ".join(f"{sample.column_name(profile.column)}: {profile.why}" for profile in summary.profiles[:6])
        raise OptionError(f"no column of {table.name} looks like names ({reasons}); name the columns", code="columns-needed")
    names = [sample.column_name(number) for number in chosen]
    names = [f"{name}_{number + 1}" if names.count(name) > 1 else name for name, number in zip(names, chosen, strict=True)]
    summary.columns = tuple(names)
    summary.cells, summary.linked = dict.fromkeys(names, 0), dict.fromkeys(names, 0)
    types = _types(linker, sample, chosen, only_types)
    is_linked_at_once = scan.rows <= CHUNK or context not in ("table", "column")
    return ColumnPlan(chosen, summary.columns, context, types, [] if is_linked_at_once else _columns_of(scan.spread(), chosen))


def _types(linker: Linker, sample: Table, chosen: tuple[int, ...], only_types: Types) -> dict[str | int, Sequence[str]]:
    """Return position of a column among the linked ones -> its types."""
    types = types_by_column(sample, only_types)
    for number, only in types.items():
        name = sample.column_name(number)
        if number not in chosen:
            raise OptionError(f"types are given for the column {name}, which is not linked; link it, too", where="only_types")
        try:
            linker.batches.generator_of(only)
        except OptionError as error:
            raise OptionError(f"column {name}: {error}", code=error.code, where=error.where) from None
    return {chosen.index(number): only for number, only in types.items()}


def _columns_of(rows: list[tuple[str, ...]], chosen: tuple[int, ...]) -> Texts:
    return [[row[number] if number < len(row) else "" for row in rows] for number in chosen]


# linking


def _linked_chunks(
    linker: Linker, table: TableFile, plan: ColumnPlan, workers: Workers
) -> Iterator[tuple[Rows, Texts, list[ColumnLinks]]]:
    """Yield chunks of rows in order, with the texts and links of their linked columns."""
    waiting: list[tuple[Rows, Texts]] = []

    def tasks() -> Iterator[tuple[ColumnPlan, Texts]]:
        """Yield the texts of each chunk, and keep its rows until the links are there."""
        for rows in table.chunks():
            texts = [rows.texts(number) for number in plan.columns]
            waiting.append((rows, texts))
            yield plan, texts

    for links in map_with_linker(link_texts, linker, tasks(), workers):
        yield *waiting.pop(0), links


def link_texts(linker: Linker, plan: ColumnPlan, texts: Texts) -> list[ColumnLinks]:
    """Link the texts of a chunk of rows, column by column."""
    if plan.context == "none":
        return [_linked_separately(linker, plan, number, column) for number, column in enumerate(texts)]
    together = [column + sample for column, sample in zip(texts, plan.sample, strict=True)] if plan.sample else texts
    return column_links(_linked_table(linker, plan, together), len(texts[0]))


def _linked_separately(linker: Linker, plan: ColumnPlan, number: int, column: list[str]) -> ColumnLinks:
    """Link each distinct text of a column once."""
    places = {text: place for place, text in enumerate(dict.fromkeys(column))}
    types: dict[str | int, Sequence[str]] = {0: plan.types[number]} if number in plan.types else {}
    of_column = replace(plan, names=(plan.names[number],), types=types)
    (links,) = column_links(_linked_table(linker, of_column, [list(places)]), len(places))
    at = [places[text] for text in column]
    return ColumnLinks(*([values[place] for place in at] for values in links))  # type: ignore[arg-type]


def _linked_table(linker: Linker, plan: ColumnPlan, texts: Texts) -> LinkedTable:
    names = [[text if len(text) <= LONGEST_NAME else "" for text in column] for column in texts]
    table = Table(plan.names, tuple(zip(*names, strict=True)))
    return linker.link_table(table, columns=range(len(names)), context=plan.context, only_types=plan.types)


def _given_names(linker: Linker) -> Callable[[str], Sequence[str]]:
    """Return a function from a text to the ids to which an added name or a correction links it."""
    kb = linker.kb
    memories = name_memories(kb)

    @lru_cache(maxsize=1 << 16)
    def ids_of(text: str) -> Sequence[str]:
        """Return the ids of a text; those of recent texts are cached."""
        found = memories.find(key_of(text)) if memories is not None and text else None
        return [] if found is None else [kb.id_of(entity) for entity in found.linked]

    return ids_of


def _ignored_names(
    column: list[str], links: ColumnLinks, given_ids: Callable[[str], Sequence[str]]
) -> Iterator[tuple[str, str]]:
    """Yield the text and the given id of each cell that is not linked to it."""
    for text, id in zip(column, links.ids, strict=True):
        if (given := given_ids(text)) and id not in given:
            yield text, given[0]


@contextmanager
def _mappings(linker: Linker, table: TableFile, target: str | Path | None) -> Iterator[MappingSet | None]:
    """Yield a set of mappings, which is written at the end; None where there is no file for it."""
    if target is None:
        yield None
        return
    from eigenthemes import __version__

    justification = LEXICAL if linker.method_name in _BY_NAME_ONLY else COMPOSITE
    kb = linker.kb.path.name
    mappings = MappingSet(kb, f"{table.name} linked to {kb}", __version__, justification)
    with replacing_file(target, inputs=(table.source,)) as file:
        yield mappings
        file.write(mappings.to_bytes())

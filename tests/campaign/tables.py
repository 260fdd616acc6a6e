"""Table files of every format: each row that goes in comes out, or the file is refused and nothing is written."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from random import Random

from campaign.judge import command
from campaign.odd import mutate_bytes, mutate_row, odd_text
from campaign.trial import FINE, Fault, Trial
from campaign.world import World
from eigenthemes.errors import EigenthemesError
from eigenthemes.tables.open_table import open_table

Rows = list[list[str]]


def _rows(random: Random) -> Rows:
    names = ["Paris", "Tokyo", "Michael Jordan", "007", "", "=1+1"]
    cell = lambda: random.choice(names) if random.random() < 0.7 else odd_text(random)  # noqa: E731
    return [["nr", "city", "note"], *([str(number), cell(), cell()] for number in range(random.choice((0, 1, 5, 30))))]


def _csv(rows: Rows, random: Random) -> bytes:
    file = io.StringIO(newline="")
    writer = csv.writer(
        file,
        delimiter=random.choice(",;\t|"),
        quoting=random.choice((csv.QUOTE_MINIMAL, csv.QUOTE_ALL)),
        lineterminator=random.choice(("\n", "\r\n")),
    )
    writer.writerows(rows)
    return file.getvalue().encode(random.choice(("utf-8", "utf-8", "utf-8-sig", "cp1252", "utf-16")), "replace")


def _json_lines(rows: Rows, random: Random) -> bytes:
    return "".join(json.dumps(dict(zip(rows[0], row, strict=True))) + "\n" for row in rows[1:]).encode()


def _parquet(rows: Rows, random: Random) -> bytes:
    import pyarrow
    import pyarrow.parquet

    columns = [[row[column].encode("utf-8", "replace").decode() for row in rows[1:]] for column in range(3)]
    file = io.BytesIO()
    types = [pyarrow.string()] * 3
    arrays = [pyarrow.array(column, type_) for column, type_ in zip(columns, types, strict=True)]
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, names=rows[0]), file)
    return file.getvalue()


def _workbook(rows: Rows, random: Random) -> bytes:
    import openpyxl

    book = openpyxl.Workbook()
    for row in rows:
        book.active.append([openpyxl.cell.cell.ILLEGAL_CHARACTERS_RE.sub("", cell)[:1000] for cell in row])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _edited_workbook(data: bytes, random: Random) -> bytes:
    """Change the XML of the sheet within the archive, whose checksums stay right."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as source, zipfile.ZipFile(file, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            target.writestr(name, mutate_bytes(content, random) if name.startswith("xl/worksheets/") else content)
    return file.getvalue()


FORMATS: dict[str, Callable[[Rows, Random], bytes]] = {
    "csv": _csv,
    "tsv": _csv,
    "jsonl": _json_lines,
    "parquet": _parquet,
    "xlsx": _workbook,
}


def table_trial(random: Random, folder: Path, world: World) -> str:
    """A table, perhaps with its bytes or a line changed, linked into any format; the output has as many rows as the input."""
    format_name, wanted = random.choice(list(FORMATS)), random.choice(list(FORMATS))
    data = FORMATS[format_name](_rows(random), random)
    change = random.random()
    if change < 0.3 and format_name == "xlsx" and random.random() < 0.7:
        data = _edited_workbook(data, random)
    elif change < 0.3:
        data = mutate_bytes(data, random)
    elif change < 0.5 and format_name in ("csv", "tsv", "jsonl"):
        lines = data.decode("utf-8", "surrogateescape").split("\n")
        at = random.randrange(len(lines))
        lines[at] = mutate_row(lines[at], random)
        data = "\n".join(lines).encode("utf-8", "surrogatepass" if change < 0.4 else "replace")
    source, target = folder / f"in.{format_name}", folder / f"out.{wanted}"
    source.write_bytes(data)
    flags: list[object] = [*random.choice(([], ["--columns", "city"], ["--columns", "2"])), "--method", "degree"]
    flags += random.choice(([], ["--context", "row"], ["--sssom", folder / "o.sssom.tsv"], ["--no-header"], ["--no-quotes"]))
    verdict, _ = command("link-table", world.kb, source, "-o", target, *flags)
    if (verdict == FINE) != target.exists():
        raise Fault(f"{verdict}, but the output is {'there' if target.exists() else 'missing'}")
    if verdict == FINE and "--no-header" not in flags and "--no-quotes" not in flags and _count(source) != _count(target):
        raise Fault(f"rows lost or doubled\n{_count(source)} went in, {_count(target)} came out")
    if [path for path in folder.iterdir() if path.name.endswith(".part")]:
        raise Fault("a temporary file is left")
    return verdict


def _count(path: Path) -> int:
    if path.suffix == ".jsonl" and not path.read_bytes():
        return 0  # JSON lines without rows have no header either
    with open_table(str(path)) as table:
        try:
            return table.scan(lambda amount: None).rows
        except EigenthemesError as error:
            raise Fault(f"what was written cannot be read\n{error}") from None


TRIALS: dict[str, Trial] = {"tables": table_trial}

"""Arrow rows and Parquet files as documents, and linked documents as rows: a column for each field; others pass through.

    id        a text or an integer; of another type it only passes through
    text      texts
    table     struct<header: list<string>, rows: list<list<string>>>; cells may be numbers
    mentions  list<struct<start, end, row, col, text, gold, candidates, ...>>: if absent or null, they are detected

Null is like a missing field in JSON. The fields of a mention are ordered as in JSON lines: `PLACES`, text, other fields of the
input, `LINKED`.
"""

from __future__ import annotations

import base64
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import IO, Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as types

from eigenthemes.core.arrays import is_text
from eigenthemes.core.storage import open_input
from eigenthemes.documents.json_lines import document_of_json
from eigenthemes.errors import DocumentError, OptionError, SourceError
from eigenthemes.records import Document

ROLES = ("id", "text", "table", "mentions")  # of columns
PLACES = {"start": pa.int64(), "end": pa.int64(), "row": pa.int64(), "col": pa.int64(), "full_name": pa.string()}
_RANKED = pa.struct([("id", pa.string()), ("label", pa.string()), ("score", pa.float64())])
LINKED = {
    "entity": pa.string(),
    "label": pa.string(),
    "score": pa.float64(),
    "probability": pa.float64(),
    "probability_if_in_kg": pa.float64(),
    "ranking": pa.list_(_RANKED),
    "nil_reason": pa.string(),
}
_IDS = pa.list_(pa.string())
Parsed = Document | DocumentError
SOMETIMES = {"unknown_candidates": _IDS, "ambiguous_with": _IDS, "explanation": pa.string()}  # explanations are JSON


def document_columns(given: Mapping[str, str] | None) -> dict[str, str]:
    """Return the name of the column for each role, by default the same; {"text": "body"} names another one for the texts."""
    unknown = next((role for role in given or {} if role not in ROLES), None)
    if unknown is not None:
        raise OptionError(f"columns has the role {unknown!r}; expected {', '.join(ROLES)}", where="columns")
    columns = dict(zip(ROLES, ROLES, strict=True)) | dict(given or {})
    twice = next((name for name, count in Counter(columns.values()).items() if count > 1), None)
    if twice is not None:
        raise OptionError(f"the column {twice!r} is given two roles; give it one", where="columns")
    return columns


def check_schema(schema: pa.Schema, columns: Mapping[str, str], where: str = "the batch") -> None:
    """Refuse a schema that cannot contain documents."""
    found = ", ".join(schema.names[:10]) or "none"
    twice = next((name for name, count in Counter(schema.names).items() if count > 1), None)
    if twice is not None:
        raise SourceError(f"{where} has two columns {twice!r}; give each a name of its own", where=where)
    if not any(columns[role] in schema.names for role in _FITTING):
        problem = f"{where} has no column {columns['text']!r} (it has {found}); say which column holds the texts"
        raise SourceError(problem, code="no-text-column", where=where)
    for role, (fits, expected) in _FITTING.items():
        kind = schema.field(columns[role]).type if columns[role] in schema.names else pa.null()
        if not fits(kind) and not types.is_null(kind):
            problem = f"the column {columns[role]!r} of {where} is of the type {kind}"
            remedy = f"expected {expected}, or another column for it"
            raise SourceError(f"{problem}; {remedy}", code="no-text-column", where=where)


def _is_list(type_: Any) -> bool:
    return bool(types.is_list(type_) or types.is_large_list(type_))


def _is_mentions(type_: Any) -> bool:
    return _is_list(type_) and bool(types.is_struct(type_.value_type) or types.is_null(type_.value_type))


def _is_table(type_: Any) -> bool:
    if not types.is_struct(type_) or type_.get_field_index("rows") < 0:
        return False
    rows = type_.field("rows").type
    return _is_list(rows) and (_is_list(rows.value_type) or bool(types.is_null(rows.value_type)))


_FITTING = {  # role -> whether a type fits it, and the expected one
    "text": (is_text, "texts"),
    "table": (_is_table, "struct<header: list<string>, rows: list<list<string>>>"),
    "mentions": (_is_mentions, "list<struct<start, end, text, ...>>"),
}


# in


def documents_of(batch: pa.RecordBatch, columns: Mapping[str, str], *, whole: bool = False) -> Iterator[Parsed]:
    """Yield the document of each row, or its error.

    whole  documents keep all columns as their source, as for JSON lines; else only the columns of documents are read
    """
    roles = {name: role for role, name in columns.items()}
    read = [name for name in batch.schema.names if whole or name in roles]
    values = [_values(batch.column(name), as_json=name not in roles) for name in read]
    names = [roles.get(name, name) for name in read]
    for row in zip(*values, strict=True) if read else ((),) * batch.num_rows:
        bad = next((value for value in row if isinstance(value, DocumentError)), None)
        given = zip(names, row, strict=True)
        yield bad or _document({name: value for name, value in given if value is not None or name == "mentions"})


def _values(column: Any, *, as_json: bool) -> list[Any]:
    """Return the values of a column, maybe as JSON values; for a text that is not UTF-8, the error."""
    is_json = is_text(column.type) or types.is_integer(column.type) or types.is_floating(column.type)
    return [_value(each, as_json=as_json and not is_json) for each in column]


def _value(scalar: Any, *, as_json: bool) -> Any:
    try:
        value = scalar.as_py()
    except UnicodeDecodeError as error:
        place = f"{error.reason} at byte {error.start + 1}"
        return DocumentError(f"the row holds a text that is not UTF-8 ({place}); write it as UTF-8")
    return orjson.loads(orjson.dumps(value, default=json_value)) if as_json else value


def _document(row: dict[str, Any]) -> Parsed:
    if row.get("mentions") is not None:
        row["mentions"] = [_mention(mention) for mention in row["mentions"]]
    if "table" in row and row["table"].get("header") is None:
        row["table"].pop("header", None)
    external_id = row.get("id")
    has_id = isinstance(external_id, str | int) and not isinstance(external_id, bool)
    try:
        document = document_of_json(row if has_id else {name: value for name, value in row.items() if name != "id"})
    except DocumentError as error:
        return error
    return document if has_id else replace(document, source=row)


def _mention(given: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a mention with its fields in the order of JSON lines."""
    if given is None:
        return None
    places = {name: given[name] for name in PLACES if given.get(name) is not None}
    others = {name: given[name] for name in _other_fields(given) if given[name] is not None}
    return {**places, "text": given.get("text"), **others}


def _other_fields(names: Any) -> list[str]:
    return [name for name in names if name not in PLACES and name != "text" and name not in LINKED and name not in SOMETIMES]


# out


def mentions_type(schema: pa.Schema, mentions: str, *, explain: bool) -> pa.DataType:
    """Return the type of linked mentions: places, text, other fields of the input column of that name, and the link."""
    others: list[pa.Field] = []
    column = schema.field(mentions).type if mentions in schema.names else pa.null()
    if _is_list(column) and types.is_struct(column.value_type):
        given = {field.name: field.type for field in column.value_type}
        plain = {name: type_.value_type if types.is_dictionary(type_) else type_ for name, type_ in given.items()}
        others = [pa.field(name, plain[name]) for name in _other_fields(plain)]
    link = {**LINKED, **SOMETIMES}
    if not explain:
        del link["explanation"]
    return pa.list_(pa.struct([*PLACES.items(), ("text", pa.string()), *others, *link.items()]))


def json_value(value: Any) -> Any:
    """Return a JSON value for a type that JSON lacks: bytes in base64, others as text."""
    if isinstance(value, bytes | bytearray | memoryview):
        return base64.b64encode(value).decode()
    return str(value)


# Parquet

ROWS = 256  # read at a time, so that texts of any length fit into memory
_GROUP_ROWS, _GROUP_BYTES = 16_384, 64 << 20  # of a group that is written


class ParquetDocuments:
    """An opened file of documents."""

    def __init__(self, file: IO[bytes], name: str, columns: Mapping[str, str] | None) -> None:
        self.name, self.columns = name, document_columns(columns)
        with parquet_errors(name):
            self.file = pq.ParquetFile(file)
        self.schema: pa.Schema = self.file.schema_arrow
        check_schema(self.schema, self.columns, name)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """Yield the rows in batches."""
        with parquet_errors(self.name):
            yield from self.file.iter_batches(batch_size=ROWS)

    @property
    def compression(self) -> str:
        """Return the compression of the first column."""
        return next(iter(codecs_of(self.file.metadata).values()), "SNAPPY")


def codecs_of(metadata: pq.FileMetaData) -> dict[str, str]:
    """Return column -> its compression in a Parquet file, by the names that a writer takes."""
    group = metadata.row_group(0) if metadata.num_row_groups else None
    columns = [group.column(number) for number in range(group.num_columns)] if group is not None else []
    return {column.path_in_schema: column.compression.replace("UNCOMPRESSED", "NONE") for column in columns}


class ParquetParts:
    """Writes batches as row groups whose bounds depend on the rows only."""

    def __init__(self, out: IO[bytes], schema: pa.Schema, compression: str | dict[str, str], rows: int = _GROUP_ROWS) -> None:
        self._writer = pq.ParquetWriter(out, schema, compression=compression or "SNAPPY")
        self._most_rows = rows
        self._waiting: list[pa.RecordBatch] = []
        self._rows = self._bytes = 0

    def write(self, batch: pa.RecordBatch) -> None:
        """Write a batch, together with the next ones."""
        self._waiting.append(batch)
        self._rows += batch.num_rows
        self._bytes += batch.nbytes
        if self._rows >= self._most_rows or self._bytes >= _GROUP_BYTES:
            self._flush()

    def close(self) -> None:
        """Write the rest and the footer."""
        self._flush()
        self._writer.close()

    def _flush(self) -> None:
        if self._rows:
            self._writer.write_table(pa.Table.from_batches(self._waiting), row_group_size=self._rows)
        self._waiting, self._rows, self._bytes = [], 0, 0


@contextmanager
def parquet_errors(name: str) -> Iterator[None]:
    """Turn the errors of Arrow for a file into SourceError."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        detail = " ".join(str(error).split())[:200]
        raise SourceError(f"{name} is not a complete Parquet file ({detail}); write it again", where=name) from None


def read_parquet(path: str, name: str, columns: Mapping[str, str] | None) -> Iterator[Parsed]:
    """Yield the documents of a file with all their columns, or the error of a row."""
    if path == "-":
        raise SourceError("Parquet cannot be read from standard input; save it, and give the path of the file", where=name)
    with open_input(path) as file:
        documents = ParquetDocuments(file, name, columns)
        for batch in documents.batches():
            yield from documents_of(batch, documents.columns, whole=True)

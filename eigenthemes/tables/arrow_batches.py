"""Link the documents in batches of Arrow: for Ray, Spark, Dask and Parquet files.

    linked = link_arrow(batch, Linker("my.kb"))

A row is a document, by the columns of `documents.arrow_rows`. Rows, their order and their columns are kept, and two columns are
added; where the batch has a column of mentions, it is replaced.

    mentions  list<struct<
                start, end: int64                half-open span of the text in code points, or
                row, col: int64                  cell of the table, from 0
                full_name: string                the name that the text abbreviates, if any
                text: string
                ...                              other fields of the mentions of the batch
                entity, label: string            the link; null where there is none
                score, probability: double
                ranking: list<struct<id: string, label: string, score: double>>
                probability_if_in_kg: double     the same, if the right entity is in the KG
                nil_reason: string               why there is no entity; else null
                unknown_candidates: list<string> ids in the document that the KB does not have; else null
                ambiguous_with: list<string>     other entities of that very name which are nearly as probable; else null
                explanation: string              JSON; only if the linker explains
              >>
    error     string: why a row could not be linked; its mentions are null then

Null stands for a field that is missing in JSON; `arrow_json_lines` writes the rows as `eigenthemes link` does.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import orjson
import pyarrow as pa

from eigenthemes.core.checks import check_arguments
from eigenthemes.documents.arrow_rows import LINKED, check_schema, document_columns, documents_of, json_value, mentions_type
from eigenthemes.documents.reader import Record
from eigenthemes.errors import OptionError
from eigenthemes.linker import Linker
from eigenthemes.pipeline.batch import BATCH
from eigenthemes.stream import chunks_of, link_chunk

ERROR = "error"

Links = list[dict[str, Any]]
RecordBatchOrTable = TypeVar("RecordBatchOrTable", pa.RecordBatch, pa.Table)


@check_arguments
def link_arrow(
    batch: RecordBatchOrTable, linker: Linker, *, columns: Mapping[str, str] | None = None, error_column: str = ERROR
) -> RecordBatchOrTable:
    """Link the documents of a batch or a table, and return it with their links and errors.

    The links are those of `Linker.link`. A row that cannot be linked has an error and no mentions.

    Parameters
    ----------
    batch
        A document per row; see this module for the columns.
    linker
        Links the documents.
    columns
        Role -> name of a column: {"text": "body", "id": "doc", "mentions": "links"}.
    error_column
        Name of the column of errors.

    Raises
    ------
    OptionError
        If no column holds documents, or the column of errors exists already.
    """
    names = document_columns(columns)
    schema = linked_schema(batch.schema, explain=linker.options.explain, columns=columns, error_column=error_column)
    if isinstance(batch, pa.Table):
        linked = [link_arrow(each, linker, columns=columns, error_column=error_column) for each in batch.to_batches()]
        return pa.Table.from_batches(linked, schema=schema)
    links: list[Links | None] = [None] * batch.num_rows
    errors: list[str | None] = [None] * batch.num_rows
    rows = (Record("", row, each) for row, each in enumerate(documents_of(batch, names)))
    for records in chunks_of(rows, BATCH):
        chunk = link_chunk(linker, records, as_records=True)
        for document, record in chunk.records:
            links[record.line] = [_as_row(link.to_dict()) for link in document.links]
        for failure in chunk.failed:
            errors[failure.line] = failure.cause
    type_ = schema.field(names["mentions"]).type
    arrays = {name: batch.column(number) for number, name in enumerate(batch.schema.names)}
    arrays[names["mentions"]] = pa.array(links, type_)
    arrays[error_column] = pa.array(errors, pa.string())
    return pa.RecordBatch.from_arrays([arrays[name] for name in schema.names], schema=schema)


@check_arguments
def linked_schema(
    schema: pa.Schema, *, explain: bool = False, columns: Mapping[str, str] | None = None, error_column: str = ERROR
) -> pa.Schema:
    """Return the schema of the result of `link_arrow`; Spark needs it in advance.

    Parameters
    ----------
    schema
        Schema of the documents.
    explain
        True if the linker explains its links.
    columns, error_column
        As for `link_arrow`.
    """
    names = document_columns(columns)
    check_schema(schema, names)
    mentions = names["mentions"]
    if error_column in schema.names or error_column == mentions:
        problem = f"there is a column {error_column!r} already; give another name as error_column"
        raise OptionError(problem, code="column-taken", where=error_column)
    field = pa.field(mentions, mentions_type(schema, mentions, explain=explain))
    at = schema.get_field_index(mentions)
    linked = schema.append(field) if at < 0 else schema.set(at, field)
    return linked.append(pa.field(error_column, pa.string()))


@check_arguments
def arrow_json_lines(batch: pa.RecordBatch, *, columns: Mapping[str, str] | None = None) -> bytes:
    """Return a batch that `link_arrow` returned as JSON lines, as `eigenthemes link` writes them.

    Parameters
    ----------
    batch
        Result of `link_arrow`.
    columns
        As for `link_arrow`.
    """
    roles = {name: role for role, name in document_columns(columns).items()}
    names = [roles.get(name, name) for name in batch.schema.names]
    values = [column.to_pylist() for column in batch.columns]
    return b"".join(_json_line(dict(zip(names, row, strict=True))) for row in zip(*values, strict=True))


def _json_line(row: dict[str, Any]) -> bytes:
    kept = {name: value for name, value in row.items() if value is not None}
    if "table" in kept and kept["table"].get("header") is None:
        kept["table"].pop("header", None)
    if "mentions" in kept:
        kept["mentions"] = [_link(link) for link in kept["mentions"]]
    return orjson.dumps(kept, default=json_value, option=orjson.OPT_APPEND_NEWLINE)


def _link(link: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in link.items() if value is not None or name in LINKED}
    if "explanation" in kept:
        kept["explanation"] = orjson.Fragment(kept["explanation"])
    return kept


def _as_row(link: dict[str, Any]) -> dict[str, Any]:
    """Return a link with its explanation as JSON."""
    if "explanation" in link:
        link["explanation"] = orjson.dumps(link["explanation"]).decode()
    return link

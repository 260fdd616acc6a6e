"""Batches of Arrow in, the same batches with links out: what Ray, Spark, Dask and Parquet files are linked by.

    linked = link_arrow(batch, Linker("my.kb"))

A row is a document, by the columns of `documents.arrow_rows`. Every row comes back, in its place, with all its columns as they
were and these two at the end (links in place of the mentions, where the batch has such a column):

    mentions  list<struct<
                start, end: int64                half-open span of the text in code points, or
                row, col: int64                  cell of the table, from 0
                full_name: string                the name that the text stands for, where that is another
                text: string
                ...                              whatever the mentions of the batch hold besides
                entity, label: string            the answer; null where there is none
                score, probability: double
                ranking: list<struct<id: string, label: string, score: double>>
                nil_reason: string               why there is no entity; null where there is one
                unknown_candidates: list<string> ids that the document gave and the KB does not know; else null
                explanation: string              JSON; only of a linker that explains
              >>
    error     string: why a row could not be linked, its mentions are null then; null where it was linked

Null means what a missing field means in JSON; `arrow_json_lines` writes the rows as `eigenthemes link` does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeVar

import pyarrow as pa

from eigenthemes.documents.arrow_rows import DocumentColumns, documents_of, json_lines_of, mentions_array, mentions_type
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.linker import Linker
from eigenthemes.pipeline.batch import BATCH
from eigenthemes.records import Document

ERROR = "error"
_MOST_LETTERS = 1 << 20  # of the texts that are linked together

Links = list[dict[str, Any]]
RecordBatchOrTable = TypeVar("RecordBatchOrTable", pa.RecordBatch, pa.Table)


def link_arrow(
    batch: RecordBatchOrTable, linker: Linker, *, columns: Mapping[str, str] | None = None, error_column: str = ERROR
) -> RecordBatchOrTable:
    """Link the documents of a batch or a table, and return it with their links; see this module for the columns.

    The answers are those of `Linker.link`, whatever else is in the batch. A row that cannot be linked has an error and no
    mentions; columns that hold no documents at all are refused.

    Parameters
    ----------
    columns
        What the columns of documents are called, by role: {"text": "body", "id": "doc", "mentions": "links"}.
    error_column
        What the column of errors is called.
    """
    if not isinstance(batch, pa.RecordBatch | pa.Table) or not isinstance(linker, Linker):
        raise OptionError(
            f"link_arrow was given a {type(batch).__name__} and a {type(linker).__name__}; expected a pyarrow RecordBatch or "
            "Table, then a Linker",
            where="batch",
        )
    roles = DocumentColumns.of(columns)
    schema = linked_schema(batch.schema, explain=linker.options.explain, columns=columns, error_column=error_column)
    if isinstance(batch, pa.Table):
        linked = [link_arrow(each, linker, columns=columns, error_column=error_column) for each in batch.to_batches()]
        return pa.Table.from_batches(linked, schema=schema)
    links, errors = list[Links | None](), list[str | None]()
    for document in _linked(linker, documents_of(batch, roles)):
        links.append(None if isinstance(document, DocumentError) else document)
        errors.append(str(document) if isinstance(document, DocumentError) else None)
    type_ = schema.field(roles.mentions).type
    arrays = {name: batch.column(number) for number, name in enumerate(batch.schema.names)}
    arrays[roles.mentions] = mentions_array(links, type_)
    arrays[error_column] = pa.array(errors, pa.string())
    return pa.RecordBatch.from_arrays([arrays[name] for name in schema.names], schema=schema)


def linked_schema(
    schema: pa.Schema, *, explain: bool = False, columns: Mapping[str, str] | None = None, error_column: str = ERROR
) -> pa.Schema:
    """Return the schema that `link_arrow` gives to a batch of this schema; Spark asks for it beforehand."""
    roles = DocumentColumns.of(columns)
    roles.check(schema)
    if error_column in schema.names or error_column == roles.mentions:
        raise OptionError(
            f"there is a column {error_column!r} already; give another name as error_column",
            code="column-taken",
            where=error_column,
        )
    field = pa.field(roles.mentions, mentions_type(schema, roles, explain=explain))
    at = schema.get_field_index(roles.mentions)
    linked = schema.append(field) if at < 0 else schema.set(at, field)
    return linked.append(pa.field(error_column, pa.string()))


def arrow_json_lines(batch: pa.RecordBatch, *, columns: Mapping[str, str] | None = None) -> bytes:
    """Return a linked batch as JSON lines: for each row what `eigenthemes link` writes for that document."""
    return json_lines_of(batch, DocumentColumns.of(columns))


def _linked(linker: Linker, documents: Iterator[Document | DocumentError]) -> Iterator[Links | DocumentError]:
    """Link documents some at a time; errors keep their place."""
    waiting: list[Document | DocumentError] = []
    letters = 0
    for document in documents:
        waiting.append(_checked(linker, document))
        letters += len(document.text or "") if isinstance(document, Document) else 0
        if len(waiting) >= BATCH or letters >= _MOST_LETTERS:
            yield from _decided(linker, waiting)
            waiting, letters = [], 0
    yield from _decided(linker, waiting)


def _checked(linker: Linker, document: Document | DocumentError) -> Document | DocumentError:
    try:
        if isinstance(document, Document):
            linker.check(document)
        return document
    except DocumentError as error:
        return error


def _decided(linker: Linker, documents: list[Document | DocumentError]) -> Iterator[Links | DocumentError]:
    decided = linker.decide(document for document in documents if isinstance(document, Document))
    records = linker.links(decided)
    for document in documents:
        yield document if isinstance(document, DocumentError) else [link.to_dict() for link in next(records).links]

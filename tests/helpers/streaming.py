"""Documents of every kind, and the stream that links lines of them."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from eigenthemes import KB, Linker
from eigenthemes.documents.reader import Record
from eigenthemes.stream import Failure, Report, link_stream
from helpers.documents import names_document

SENTENCE = "Michael Jordan of the United States went to Paris and Tokyo."
BOM = b"\xef\xbb\xbf"
# what linking adds to a mention
LINK_FIELDS = {"entity", "label", "score", "probability", "probability_if_in_kg", "ranking", "nil_reason"}


def mixed_documents(count: int) -> list[dict[str, Any]]:
    """Return documents of every kind: texts, mentions, tables, given candidates, unknown names."""
    kinds: list[dict[str, Any]] = [
        {"text": SENTENCE},
        names_document("Jordan", "Michael Jordan", "WHO", "xyzzy"),
        {"table": {"header": ["who", "where"], "rows": [["MJ", "Paris"], ["Tokyo", "7"]]}},
        {"text": "I saw Paris", "mentions": [{"start": 6, "end": 11, "candidates": ["paris-tx", "paris"]}]},
        {"text": "", "mentions": []},
        names_document("Paris", "Iowa", "Tumor", candidates=["tumor", "nowhere", "iowa"]),
        {"text": "😀 東京都 and Ville Lumière"},
    ]
    return [{"id": f"d{i}", **kinds[i % len(kinds)]} for i in range(count)]


def records_of(lines: Iterable[bytes]) -> Iterator[Record]:
    """Return the records of lines of JSON, as the reader of files makes them: blank lines count and are left out."""
    for number, line in enumerate(lines, start=1):
        data = line.removeprefix(BOM) if number == 1 else line
        if data and not data.isspace():
            yield Record("documents.jsonl", number, data)


def link_lines(kb: KB | Path, lines: list[bytes], *, jobs: int = 1, **options: Any) -> tuple[bytes, Report, list[Failure]]:
    """Link lines of JSON; return the output, the report and the lines that failed."""
    out, failures = io.BytesIO(), list[Failure]()
    report = link_stream(records_of(lines), Linker(kb, **options), write=out.write, jobs=jobs, on_failure=failures.append)
    return out.getvalue(), report, failures

"""The layout in which the authors of the paper published their input: one JSON object for all documents.

{document id: [{"mention", "posI", "wikidata_id", "difficulty", "candidates": [[id, score, name], ...]}, ...]}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO, Any

import orjson

from eigenthemes.documents.json_lines import BOM, candidates_of, gold_of
from eigenthemes.documents.located import located
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Mention


def read_authors(source: IO[bytes] | bytes, *, origin: str = "the authors' file") -> Iterator[Document]:
    """Yield the documents; as in the authors' program, candidates without a vector do not count."""
    data = source if isinstance(source, bytes) else source.read()
    try:
        documents = orjson.loads(data.removeprefix(BOM))
    except orjson.JSONDecodeError as error:
        problem = f"no JSON at column {error.colno} ({error.msg})"
        expected = "expected one JSON object with a list of mentions for each document"
        raise located(f"{origin}:{error.lineno}", f"{problem}; {expected}") from None
    if not isinstance(documents, dict):
        raise located(origin, "the file holds no JSON object; expected one with a list of mentions for each document")
    for name, items in documents.items():
        if not isinstance(items, list):
            raise located(origin, f'document "{name}" is no list; expected a list of objects with "mention"')
        try:
            mentions = tuple(_mention(item, number) for number, item in enumerate(items))
        except DocumentError as error:
            raise located(origin, f'document "{name}", {error}') from None
        yield Document(id=name, mentions=mentions, embedded_only=True)


def _mention(item: Any, number: int) -> Mention:
    if not isinstance(item, dict) or not isinstance(item.get("mention"), str):
        raise DocumentError(f'mention {number} has no text; expected an object with the string "mention"')
    try:
        gold = gold_of(item["wikidata_id"]) if "wikidata_id" in item else None
        candidates, priors = candidates_of(item.get("candidates") or [])
    except DocumentError as error:
        raise DocumentError(f"mention {number}: {error}") from None
    return Mention(item["mention"], gold=gold, candidates=candidates, priors=priors, source=item)

"""Documents as JSON lines, the layout of our own.

    {"id", "text", "mentions": [{"start", "end", "text", "gold"?, "candidates"?}]}
    {"id", "table": {"header", "rows"}, "mentions": [{"row", "col", "text", "gold"?, "candidates"?}]}

Every document that is linked passes here, so the usual good mention is recognised by few comparisons; only what is not usual
is looked at closely, and refused with a sentence that says what is wrong.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import chain
from typing import Any

from eigenthemes.documents.splitting import load_json
from eigenthemes.documents.standoff import UTF_8, UTF_16, Offsets
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Mention, PlainMentions, Table, mention_texts

_STRING, _INTEGER, _OBJECT, _LIST = {str}, {int}, {dict}, {list}
_GOLD = {str, list, type(None)}
_BEYOND_NAMES = frozenset(("row", "col", "only_types", "full_name"))  # fields of more than a name
_EXACT = 2**53  # whole numbers above this are not exact as floats, and JSON parsers make floats of those above 64 bits
_OFFSETS = 'expected "start" and "end" in Unicode code points, the end not included'


def parse_document(data: bytes, line: int = 1) -> Document:
    """Parse the document of a JSON value that begins in a line."""
    return document_of_json(load_json(data, line, "expected a whole JSON object"))


def document_of(record: Any) -> Document:
    """Make the document of a Python object, as `document_of_json`; half characters, which JSON cannot hold, are refused."""
    document = document_of_json(record)
    _refuse_surrogates(document)
    return document


def gold_of(value: Any) -> tuple[str, ...]:
    """Return the gold ids of a mention: one, several alternatives, or none."""
    if type(value) is str:
        return (value,)
    if value is None:
        return ()
    if type(value) is list:
        return tuple(_id(item, "gold") for item in value)
    return (_id(value, "gold"),)


def candidates_of(items: Any) -> tuple[tuple[str, ...], tuple[float, ...] | None]:
    """Return the ids of a list of candidates, each once, and their numbers if every one has a number."""
    if type(items) is not list:
        expected = 'expected a list of ids, of [id, score, name] or of {"id", "score"}'
        raise DocumentError(f'"candidates" is {_quoted(items)}; {expected}')
    if set(map(type, items)) == _STRING:
        return tuple(dict.fromkeys(items)), None
    numbers: dict[str, float | None] = {}
    for item in items:
        external_id, number = _candidate(item)
        numbers.setdefault(external_id, number)
    priors = tuple(number for number in numbers.values() if number is not None)
    return tuple(numbers), priors if priors and len(priors) == len(numbers) else None


# documents


def document_of_json(record: Any) -> Document:
    """Make the document of a parsed JSON object, which is kept as its source; a string is a document with that text."""
    if type(record) is not dict:
        if type(record) is str:
            return Document(text=record)
        raise DocumentError(f'the document is {_quoted(record)}; expected a JSON object with "text", "table" or "mentions"')
    get = record.get
    external_id, text, items = get("id"), get("text"), get("mentions")
    about = _text_or_none(get("about"))
    if type(external_id) is not str and external_id is not None and type(external_id) is not int:
        raise DocumentError(f'"id" is {_quoted(external_id)}; expected a string or a whole number')
    if type(text) is not str and text is not None:
        raise DocumentError(f'"text" is {_quoted(text)}; expected a string, or no such field')
    table = _table(record["table"]) if get("table") is not None else None
    if items is None:
        if text is None and table is None:
            raise DocumentError(f'the document has {_fields(record)}, nothing to link; expected "text", "table" or "mentions"')
        return Document(id=external_id, text=text, table=table, about=about, source=record)
    if type(items) is not list:
        raise DocumentError(f'"mentions" is {_quoted(items)}; expected a list, or no such field to have them found')
    mentions = _mentions(items, text, table)
    return Document(id=external_id, text=text, table=table, mentions=mentions, about=about, source=record)


def _table(table: Any) -> Table:
    if type(table) is not dict or type(table.get("rows")) is not list:
        raise DocumentError(f'"table" is {_quoted(table)}; expected {{"header": [...], "rows": [[...], ...]}}')
    header = table.get("header")
    rows = tuple(_cells(row, number) for number, row in enumerate(table["rows"]))
    return Table(() if header is None else _cells(header, "header"), rows)


def _cells(row: Any, where: int | str) -> tuple[str, ...]:
    if type(row) is not list:
        raise DocumentError(f"row {where} of the table is {_quoted(row)}; expected a list of cells")
    if set(map(type, row)) <= _STRING:
        return tuple(row)
    return tuple(_cell(cell, where) for cell in row)


def _cell(cell: Any, where: int | str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    if isinstance(cell, str | int | float):
        return str(cell)
    raise DocumentError(f"row {where} of the table has the cell {_quoted(cell)}; expected a string, a number or null")


# mentions


def _mentions(items: list[Any], text: str | None, table: Table | None) -> tuple[Mention, ...] | PlainMentions:
    if plain := _plain_mentions(items, text):
        return plain
    mentions = []
    for number, item in enumerate(items):
        try:
            mentions.append(_mention(item, text, table))
        except DocumentError as error:
            raise DocumentError(f"mention {number}: {error}") from None
    return tuple(mentions)


def _plain_mentions(items: list[Any], text: str | None) -> PlainMentions | None:
    """Return mentions as columns, if all are good and nothing but names, places and candidates; None: look closely."""
    if set(map(type, items)) != _OBJECT:
        return None
    fields = set[str]().union(*items)
    if not _BEYOND_NAMES.isdisjoint(fields):
        return None
    has_places = "start" in fields or "end" in fields
    try:
        texts = [item["text"] for item in items]
        starts, ends = ([item[side] for item in items] for side in ("start", "end")) if has_places else (None, None)
        candidates = [item["candidates"] for item in items] if "candidates" in fields else None
    except KeyError:
        return None
    if set(map(type, texts)) != _STRING or "" in texts or (has_places and not _are_spans(texts, starts, ends, text)):
        return None
    if "gold" in fields and not _is_plain_gold([item.get("gold") for item in items]):
        return None
    if candidates is not None:
        if not _are_ids(candidates):
            return None
        candidates = [ids.copy() for ids in candidates]  # whoever gave them may change them
    return PlainMentions(texts, starts, ends, items.copy(), fields, candidates)


def _are_spans(texts: list[str], starts: Any, ends: Any, text: str | None) -> bool:
    """Return whether these are the places of texts in a longer one."""
    if text is None or set(map(type, starts)) != _INTEGER or set(map(type, ends)) != _INTEGER:
        return False
    if min(starts) < 0 or min(ends) < 0 or max(ends) > len(text):
        return False
    return [text[start:end] for start, end in zip(starts, ends, strict=True)] == texts


def _is_plain_gold(golds: list[Any]) -> bool:
    """Return whether all of these are ids, lists of ids or null; numbers, which become ids, are looked at closely."""
    kinds = set(map(type, golds))
    return kinds <= _GOLD and (list not in kinds or _are_ids([gold for gold in golds if type(gold) is list]))


def _are_ids(lists: list[Any]) -> bool:
    """Return whether these are lists of strings."""
    return set(map(type, lists)) == _LIST and set(map(type, chain.from_iterable(lists))) <= _STRING


def _mention(item: Any, text: str | None, table: Table | None) -> Mention:
    if type(item) is not dict:
        raise DocumentError(f'it is {_quoted(item)}; expected an object with "text", or with "start" and "end"')
    get = item.get
    name, start, end = _name(item, text), get("start"), get("end")
    if text is not None and end is not None:
        end = min(end, len(text))
    row, col = get("row"), get("col")
    if row is not None or col is not None:
        name = _cell_name(row, col, name, table)
    if name is None:
        expected = 'expected "text", or a span of the text or a cell of the table'
        raise DocumentError(f"it has {_fields(item)}, but no name; {expected}")
    ids, priors = candidates_of(item["candidates"]) if get("candidates") is not None else (None, None)
    return Mention(
        name,
        start,
        end,
        row,
        col,
        gold=gold_of(item["gold"]) if "gold" in item else None,
        candidates=ids,
        priors=priors,
        only_types=_types(get("only_types")),
        full_name=_text_or_none(get("full_name")),
        source=item,
    )


def _types(value: Any) -> tuple[str, ...]:
    if type(value) is str:
        return (value,)
    if type(value) is list and set(map(type, value)) <= _STRING:
        return tuple(value)
    if value is None:
        return ()
    raise DocumentError(f'"only_types" is {_quoted(value)}; expected the name or id of a type, or a list of them')


def _text_or_none(value: Any) -> str | None:
    """Return the value of "full_name" or "about" if it is a text; other values pass through."""
    return value if type(value) is str and value.strip() else None


def _name(item: dict[str, Any], text: str | None) -> str | None:
    """Return the text of a mention, if not simply that of its span; None if it is that of a cell."""
    name, start, end = item.get("text"), item.get("start"), item.get("end")
    if type(name) is not str and name is not None:
        raise DocumentError(f'"text" is {_quoted(name)}; expected a string, or no such field')
    if start is None and end is None:
        return name
    start, end = _check_pair("start", start, "end", end)
    if start >= end:
        problem = f'the span from "start" {start} to "end" {end} {"is empty" if start == end else "ends before it starts"}'
        raise DocumentError(f'{problem}; expected "end" to be the first place after the mention')
    return name if text is None else _span(text, name, start, end)


def _span(text: str, name: str | None, start: int, end: int) -> str:
    if start < 0 or end > len(text):
        units = _other_units(text, name, start, end)
        if name and not units and start >= 0 and text[start:] == name:
            return name  # an end past the end of the text, as WNED has: what is meant is plain, and the span ends with the text
        problem = f"the span from {start} to {end} is outside the text, which has {len(text)} code points"
        raise DocumentError(f"{problem}; {units or _OFFSETS}")
    span = text[start:end]
    if name is None:
        return span
    if name.split() != span.split():  # a line break where the mention has a space is no difference
        problem = f'"text" is {_quoted(name)}, but {_quoted(span)} stands at {start} to {end}'
        raise DocumentError(f"{problem}; {_other_units(text, name, start, end) or _OFFSETS}")
    return name


def _other_units(text: str, name: str | None, start: int, end: int) -> str:
    """Return half a sentence, if offsets that are wrong in code points are right in other units."""
    for unit in (UTF_16, UTF_8):
        (span,) = Offsets(text, unit).spans([(start, end)]) or (None,)
        if span is not None and name in (None, text[slice(*span)]):
            return f"the offsets are in {unit}; expected Unicode code points"
    return ""


def _cell_name(row: Any, col: Any, name: str | None, table: Table | None) -> str | None:
    """Return the text of a mention in a table: the given one, or that of the cell."""
    row, col = _check_pair("row", row, "col", col)
    if table is None:
        return name
    if not 0 <= row < len(table.rows):
        raise DocumentError(f'"row" is {row}, but the table has {len(table.rows)} rows; expected a row counted from 0')
    cells = table.rows[row]
    if not 0 <= col < len(cells):
        raise DocumentError(f'"col" is {col}, but row {row} has {len(cells)} cells; expected a column counted from 0')
    return cells[col] if name is None else name


def _check_pair(first: str, a: Any, second: str, b: Any) -> tuple[int, int]:
    """Check two fields that only make sense together: whole numbers."""
    for field, value, other in ((first, a, second), (second, b, first)):
        if value is None:
            raise DocumentError(f'there is "{other}" without "{field}"; expected both, or neither')
        if type(value) is not int:
            raise DocumentError(f'"{field}" is {_quoted(value)}; expected a whole number')
    return a, b


def _candidate(item: Any) -> tuple[str, float | None]:
    """Return the id of a candidate, and its number if it has one."""
    if type(item) is list and item:
        return _id(item[0], "candidates"), _number(item[1]) if len(item) > 1 else None
    if type(item) is dict and "id" in item:
        score = item.get("score")
        return _id(item["id"], "candidates"), _number(item.get("prior") if score is None else score)
    return _id(item, "candidates"), None


def _id(value: Any, field: str) -> str:
    if type(value) is str:
        return value
    if type(value) is int:
        return str(value)
    if type(value) is float and math.isfinite(value):
        if abs(value) >= _EXACT:
            raise DocumentError(f'"{field}" has the number {value}, too large to be an exact id; put the id in quotes')
        return str(int(value)) if value.is_integer() else str(value)
    shapes = " (or [id, score, name])" if field == "candidates" else ", or null"
    raise DocumentError(f'"{field}" has {_quoted(value)}; expected an id: a string or a number{shapes}')


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if type(value) in (int, float) and math.isfinite(value):
        return float(value)
    raise DocumentError(f'"candidates" has the score {_quoted(value)}; expected a number, or null')


# what is wrong


def _refuse_surrogates(document: Document) -> None:
    """Half characters come out of careless cutting of UTF-16; they can be neither written nor matched."""
    cells = chain(document.table.header, *document.table.rows) if document.table else ()
    names = mention_texts(document.mentions or ())
    for text in chain((document.text or "", document.about or ""), cells, names):
        try:
            text.encode()
        except UnicodeEncodeError as error:
            problem = f"{_quoted(text)} has half a character (a lone surrogate) at {error.start}"
            raise DocumentError(f"{problem}; expected whole Unicode characters") from None


def _quoted(value: Any) -> str:
    """Return a value as people wrote it, as far as it fits into a sentence."""
    if isinstance(value, str):
        return repr(value if len(value) <= 40 else value[:40] + "…")
    kinds = {dict: "an object", list: "a list", type(None): "null", bool: str(value).lower()}
    return kinds.get(type(value)) or repr(value)[:40]


def _fields(record: dict[str, Any]) -> str:
    return "the fields " + _quoted(", ".join(map(str, record))) if record else "no fields"


# documents from Python

AnyDocument = str | Mapping[str, Any] | Document


def as_document(given: AnyDocument) -> Document:
    """Return a document given as a text, a dict or a Document; raise DocumentError if it is invalid."""
    if isinstance(given, Document):
        _check_spans(given)
        return given
    if not isinstance(given, str | Mapping):
        raise DocumentError(f"a document is of the type {type(given).__name__}; expected a text, a dict or a Document")
    return document_of(given if isinstance(given, str) else dict(given))


def _check_spans(document: Document) -> None:
    """Refuse mentions that differ from their span of the text; readers of files check this themselves."""
    for number, mention in enumerate(document.mentions or ()):
        text, start, end = document.text, mention.start, mention.end
        if text is None or start is None or end is None:
            continue
        span = text[start:end] if 0 <= start < end <= len(text) else ""
        if not span or span.split() != mention.text.split():
            found = _quoted(span) if span else "nothing"
            problem = f"mention {number} is {_quoted(mention.text)}, but {found} stands at {start} to {end}"
            raise DocumentError(f"{problem}; {_OFFSETS}", where=f"mention {number}")

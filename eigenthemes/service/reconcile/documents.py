"""Queries -> documents: which rows of a batch are decided together.

column  the rows of a batch support each other; rows with values of other columns are decided together with those that have
        the same values, which support them, too
row     each row by itself, with the values of its other columns
none    each row by itself, without them
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from eigenthemes.candidates.generator import CandidateGenerator
from eigenthemes.kb.store import KB
from eigenthemes.records import Document, Mention
from eigenthemes.service.reconcile.parted import parted
from eigenthemes.service.reconcile.queries import LONGEST_NAME, Query, Value

CONTEXTS = ("column", "row", "none")
Types = tuple[tuple[str, ...], bool]  # which types are asked for, and whether an entity must have all of them

_LOOKED_UP_BY_TYPE: tuple[str, ...] = ()  # the candidates of a typed mention are put into the batch later


@dataclass(frozen=True, slots=True)
class QueryDocument:
    """Some names that are decided together: first those of queries, each once, then the values beside them.

    types  only entities of these are candidates of the queries
    keys   the queries that each of the first mentions answers
    """

    document: Document
    types: Types
    keys: list[list[str]]


def make_documents(queries: Mapping[str, Query], context: str, generator: CandidateGenerator) -> list[QueryDocument]:
    """Put the queries of a batch into documents; blank ones and endless ones are in none."""
    together: dict[tuple[object, ...], dict[str, list[str]]] = {}
    for key, query in queries.items():
        if not query.name.strip() or len(query.name) > LONGEST_NAME:
            continue
        name, behind = parted(query.name, generator) if "," in query.name else (query.name, ())
        values = (*map(Value, behind), *(() if context == "none" else query.values))
        alone = None if context == "column" else query.name
        names = together.setdefault(((query.types, query.all_types), values, alone), {})
        names.setdefault(name, []).append(key)
    return [_document(names, types, values, generator.kb) for (types, values, _), names in together.items()]  # type: ignore[arg-type]


def _document(names: Mapping[str, list[str]], types: Types, values: tuple[Value, ...], kb: KB) -> QueryDocument:
    candidates = _LOOKED_UP_BY_TYPE if types[0] else None
    mentions = [Mention(name, candidates=candidates) for name in names]
    mentions.extend(mention for value in values if (mention := _value_mention(value, kb)) is not None)
    return QueryDocument(Document(mentions=tuple(mentions)), types, list(names.values()))


def _value_mention(value: Value, kb: KB) -> Mention | None:
    """Return a value of another column as a mention: an entity that is known means itself."""
    index = None if value.entity_id is None else kb.index_of(value.entity_id)
    if index is not None:
        return Mention(value.name or kb.label_of(index), candidates=(kb.id_of(index),))
    return Mention(value.name) if value.name.strip() else None

"""The queries of a reconciliation batch, checked against the protocol's schema, and their documents.

The context says which queries form a document, so that they are decided together:

column  all rows of the batch; rows with values of other columns only with rows of the same values
row     each row alone, with the values of its other columns
none    each row alone, without them
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, StrictStr, TypeAdapter, model_validator

from eigenthemes.kb.name_arrays import UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.names.generator import CandidateGenerator
from eigenthemes.names.retrieval import SHARES
from eigenthemes.records import Document, Mention
from eigenthemes.service.json_http import parse_as

DEFAULT_LIMIT = 5
MOST_CANDIDATES = 50
LONGEST_NAME = 1_000  # letters; a longer text is no name
_MOST_VALUES = 20  # values of a row that are used
_HAS_LETTER = re.compile(r"[^\W\d_]")
_MOST_PARTS = 4


class Value(NamedTuple):
    """A value of another column of the row: a name, or an entity that it is matched with."""

    name: str
    entity_id: str | None = None


def _values(given: Any) -> list[Value]:
    """Return the values of a property that may be names; numbers and booleans are not."""
    values = [_value(each) for each in (given if isinstance(given, list) else [given])]
    return [value for value in values if value is not None]


def _value(given: Any) -> Value | None:
    match given:
        case {"id": str(entity_id), **others} if isinstance(name := others.get("name", ""), str):
            return Value(name, entity_id)
        case str():
            return Value(given) if _HAS_LETTER.search(given) and len(given) <= LONGEST_NAME else None
        case None | bool() | int() | float():
            return None
    raise ValueError('expected a string, a number, or an entity like {"id": "Q90", "name": "Paris"}')


class RowProperty(BaseModel):
    """A property of the row, and its values."""

    pid: StrictStr
    v: Annotated[Any, AfterValidator(_values)]


def _listed(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [] if given in (None, "") else [given]


class Query(BaseModel):
    """The query of a row.

    types        of the entities, by id or name
    type_strict  "any": an entity has one of the types; "all": every one; "should": others are answered if none has them
    properties   of the row, from its other columns
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: StrictStr | None = Field(None, alias="query")
    types: Annotated[tuple[StrictStr, ...], BeforeValidator(_listed)] = Field((), alias="type")
    type_strict: Literal["any", "all", "should"] | None = None
    limit: float | None = Field(None, strict=True)
    properties: list[RowProperty] | None = None

    @model_validator(mode="after")
    def _check_name(self) -> Query:
        if self.name is None and not self.properties:
            raise ValueError('expected a name, "query": "Paris", or properties')
        return self

    @property
    def most(self) -> int:
        """The number of candidates; OpenRefine sends 0 for the default."""
        return DEFAULT_LIMIT if self.limit is None or self.limit < 1 else min(int(self.limit), MOST_CANDIDATES)

    @property
    def values(self) -> tuple[Value, ...]:
        """The names and entities in other columns of the row."""
        values = [value for each in self.properties or () for value in each.v]
        return tuple(dict.fromkeys(values[:_MOST_VALUES]))


_BATCH = TypeAdapter(dict[str, Query])


def parse_batch(batch: Any) -> dict[str, Query]:
    """Return the queries of a batch by their keys."""
    return parse_as(_BATCH, batch, "queries", code="query")


# documents


class QueryDocument(NamedTuple):
    """Names that are decided together: first those of queries, each once, then the values of their rows.

    keys  for each of the first mentions, the keys of its queries
    """

    document: Document
    keys: list[list[str]]


def make_documents(queries: Mapping[str, Query], context: str, generator: CandidateGenerator) -> list[QueryDocument]:
    """Return the documents of a batch; blank and very long queries are left out."""
    groups: dict[tuple[tuple[str, ...], bool, tuple[Value, ...], str | None], dict[str, list[str]]] = {}
    for key, query in queries.items():
        if not query.name or not query.name.strip() or len(query.name) > LONGEST_NAME:
            continue
        name, qualifiers = split_qualifiers(query.name, generator) if "," in query.name else (query.name, ())
        values = (*map(Value, qualifiers), *(() if context == "none" else query.values))
        alone = None if context == "column" else query.name
        names = groups.setdefault((query.types, query.type_strict == "all", values, alone), {})
        names.setdefault(name, []).append(key)
    documents = []
    for (types, needs_all, values, _), names in groups.items():
        only_types = types[:1] if needs_all else types  # an entity with all types has the first one
        mentions = [Mention(name, only_types=only_types) for name in names]
        mentions.extend(mention for value in values if (mention := _value_mention(value, generator.kb)) is not None)
        documents.append(QueryDocument(Document(mentions=tuple(mentions)), list(names.values())))
    return documents


def _value_mention(value: Value, kb: KB) -> Mention | None:
    """Return a value of another column as a mention; a known entity is the only candidate."""
    index = None if value.entity_id is None else kb.index_of(value.entity_id)
    if index is not None:
        return Mention(value.name or kb.label_of(index), candidates=(kb.id_of(index),))
    return Mention(value.name) if value.name.strip() else None


def split_qualifiers(name: str, generator: CandidateGenerator) -> tuple[str, tuple[str, ...]]:
    """Return a name and the names after its commas: "Springfield, Illinois" is Springfield, with the value Illinois.

    A name that an entity has as a whole has no qualifiers: "Twain, Mark" is Mark Twain.
    """
    first, *others = [part.strip() for part in name.split(",")]
    if not 1 <= len(others) < _MOST_PARTS or not first:
        return name, ()
    known = tuple(part for part in others if _is_name(part, generator))
    if not known or not _is_name(first, generator) or (generator.find(name).match_type < SHARES).any():
        return name, ()
    return first, known


def _is_name(text: str, generator: CandidateGenerator) -> bool:
    return bool(text) and any(kind <= UNBRACKETED for kind in generator.match_types(text).values())

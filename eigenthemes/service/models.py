"""Pydantic models of requests and responses: FastAPI makes the OpenAPI document from them, and from records of the library.

Documents are described here and checked by `documents.json_lines`, whose errors say more than a schema could.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, SkipValidation

from eigenthemes.explanations import ExplainedCandidate, Explanation, MapPoint
from eigenthemes.kb.store import KB
from eigenthemes.linker import LinkOptions
from eigenthemes.ranking.methods import default_method, method_named, scoring_options

MAX_TOP = 100
TEXT = "Michael Jordan played for the Chicago Bulls."
_TABLE = {"header": ["city", "state"], "rows": [["Paris", "France"], ["Paris", "Texas"]]}
_CANDIDATE = {"id": "Q41421", "label": "Michael Jordan"}


def _field(description: str, *examples: Any, **more: Any) -> Any:
    """Return a required field with a description and an example."""
    return Field(description=description, examples=list(examples), **more)


def _optional(description: str, *examples: Any, **more: Any) -> Any:
    """Return a field that may be missing."""
    return Field(default=None, description=description, examples=list(examples), **more)


# query strings


class KBQuery(BaseModel):
    """The KB of a request."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    kb: str | None = _optional("name of the KB; default: the first", "places")


class LinkQuery(KBQuery):
    """Options of linking."""

    method: str | None = _optional("how candidates are ranked; default: the best that the KB is ready for", "selftrained")
    threshold: float | None = _optional("least probability of a link; default: the KB's", 0.5, ge=0, le=1, allow_inf_nan=False)
    nil: bool = Field(default=True, description="false: always link", examples=[True])
    top: int = Field(default=3, ge=1, le=MAX_TOP, description="candidates in each ranking", examples=[3])
    explain: bool = Field(default=False, description="add an explanation to each link", examples=[False])
    k: int | None = _optional("eigen: number of eigenthemes", 10, ge=1, le=10_000)
    nested: bool = Field(default=False, description="find names within names", examples=[False])
    lang: str | None = _optional("language of the text: en, de, fr, es or tr; default: guessed", "de")
    map: bool = Field(default=False, description="add the map of the document's candidates", examples=[False])
    types: bool = Field(default=False, description="add the types of entities", examples=[False])

    def link_options(self, kb: KB) -> LinkOptions:
        """Return the options of the linker that the request needs."""
        method = self.method or default_method(kb)
        scoring = scoring_options({method: method_named(method)}, {} if self.k is None else {"k": self.k})
        return LinkOptions(
            method=self.method,
            threshold=self.threshold,
            allow_nil=self.nil,
            top=self.top,
            explain=self.explain,
            detector="nested-names" if self.nested else "names",
            language=self.lang,
            scoring=scoring[method],
        )


class NameQuery(KBQuery):
    """A name to look up."""

    q: str = _field("the name", "Michael Jordan", max_length=1_000)
    top: int = Field(default=20, ge=1, le=MAX_TOP, description="most candidates", examples=[20])


class SearchQuery(NameQuery):
    """The beginning of a name to search for."""

    top: int = Field(default=10, ge=1, le=MAX_TOP, description="most suggestions", examples=[10])
    type: str | None = _optional("only entities of this type: its id, the end of its id, or its label", "human")


class NeighborQuery(KBQuery):
    """Parts of an entity's record."""

    neighbors: int = Field(default=10, ge=1, le=1_000, description="most neighbours of each relation", examples=[10])


class EntityQuery(NeighborQuery):
    """An entity, by its id."""

    id: str = _field("the entity's id", "Q41421")


# documents


class Span(BaseModel):
    """The span of a mention."""

    start: int | None = _optional("first Unicode code point of the mention in the text", 0)
    end: int | None = _optional("first code point after it", 14)
    text: str | None = _optional("the name; not needed where start and end are given", "Michael Jordan")
    row: int | None = _optional("row of the document's table, from 0", 0)
    col: int | None = _optional("column of the table, from 0", 0)


class Mention(Span):
    """A name to link."""

    candidates: list[str] | None = _optional("ids that it may mean; default: they are looked up", ["Q41421", "Q27069141"])
    only_types: list[str] | None = _optional("types of the entities that it may mean", ["human"])


Cell = str | float | bool | None


class Table(BaseModel):
    """A table."""

    header: list[Cell] | None = _optional("names of the columns", _TABLE["header"])
    rows: list[list[Cell]] = _field("rows of cells", _TABLE["rows"])


class Document(BaseModel):
    """A text, a table or a list of mentions; other fields are returned unchanged."""

    id: str | int | None = _optional("returned unchanged", "doc-1")
    text: str | None = _optional("the text; without mentions, names are found in it", TEXT)
    table: Table | None = _optional("a table in place of a text", _TABLE)
    mentions: list[Mention] | None = _optional("the names to link", [{"start": 0, "end": 14, "text": "Michael Jordan"}])
    about: str | None = _optional("text about the source: evidence only", "Machine learning at Berkeley")


AnyDocument = str | Document
LinkBody = SkipValidation[AnyDocument | list[AnyDocument]]
CorrectionBody = SkipValidation[Document | list[Document]]


class ExplainRequest(BaseModel):
    """A mention to explain."""

    model_config = ConfigDict(extra="forbid", strict=True)

    document: SkipValidation[AnyDocument] = _field("the document", TEXT)
    mention: int = Field(default=0, ge=0, description="number of the mention, from 0", examples=[0])


class TableRequest(BaseModel):
    """A table to link."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: SkipValidation[str | int | None] = _optional("returned unchanged", "doc-1")
    table: SkipValidation[Table] = _field("the table", _TABLE)
    columns: list[str | int] | None = _optional("names, or numbers from 0; default: the columns of names", ["city"])
    context: Literal["table", "column", "row", "none"] | None = _optional("which cells are decided together", "table")
    only_types: dict[str | int, list[str]] | None = _optional("column -> types of its entities", {"city": ["city"]})


# links


class Entity(BaseModel):
    """An entity."""

    id: str = _field("the entity's id in the KG", "Q41421")
    label: str = _field("its label", "Michael Jordan")


class EntityDetails(BaseModel):
    """Fields of an entity that are added on request."""

    types: list[str] | None = _optional("labels of its types, with types=true", ["human"])
    description: str | None = _optional("its description, with types=true", "American basketball player")


class RankedCandidate(EntityDetails, Entity):
    """A candidate with its score."""

    score: float = _field("higher is better, within the document", 0.98)


@dataclass(frozen=True)
class MentionExplanation(Explanation):
    """The reasons of a decision, with all candidates."""

    mention: int = 0
    candidates: tuple[ExplainedCandidate, ...] = ()


class Link(Span, EntityDetails):
    """A mention with its entity."""

    entity: str | None = _field("the entity's id; null: no link", "Q41421")
    label: str | None = _field("its label", "Michael Jordan")
    score: float | None = _field("its score, by the method", 0.98)
    probability: float | None = _field("null for methods that are not calibrated", 0.98)
    probability_if_in_kg: float | None = _field("the same, if the right entity is in the KG", 0.99)
    ranking: list[RankedCandidate] = _field("the best candidates", [{**_CANDIDATE, "score": 0.98}])
    nil_reason: str | None = _field("why there is no link", "below threshold")
    unknown_candidates: list[str] | None = _optional("given candidates that the KB does not have", ["Q0"])
    ambiguous_with: list[str] | None = _optional("other entities of that very name, nearly as probable", ["Q3308285"])
    explanation: Explanation | None = _optional("with explain=true", {"sentence": "Michael Jordan is the player."})


_LINK = {"start": 0, "end": 14, "text": "Michael Jordan", "entity": "Q41421", "label": "Michael Jordan", "score": 0.98,
         "probability": 0.98, "probability_if_in_kg": 0.99,
         "ranking": [{**_CANDIDATE, "score": 0.98}], "nil_reason": None}  # fmt: skip


class MapSupport(BaseModel):
    """A line of the map."""

    start: int = _field("number of the supporting point", 1, alias="from")
    to: int = _field("number of the supported point", 0)
    share: float = _field("share of all the support for it", 0.62)
    words: str = _field("the connection", "Chicago Bulls: member of")


class CandidateMap(BaseModel):
    """The candidates of a document on its two strongest eigenthemes."""

    points: list[MapPoint] = _field("candidates that have a vector, the most important first", [{**_CANDIDATE, "x": 0.8}])
    supports: list[MapSupport] = _field("lines between points, with explain=true", [{"from": 1, "to": 0}])
    explained: list[float] = _field("share of the variance on each axis", [0.5, 0.2])


class LinkedDocument(BaseModel):
    """A document with a link for each mention."""

    id: str | int | None = _optional("as given", "doc-1")
    text: str | None = _optional("as given", TEXT)
    mentions: list[Link] = _field("the links", [_LINK])
    map: CandidateMap | None = _optional("the candidates as points, with map=true", {"explained": [0.5, 0.2]})


class LinkedTable(BaseModel):
    """A table with a link for each cell of some columns."""

    id: str | int | None = _optional("as given", "doc-1")
    table: Table = _field("as given", _TABLE)
    mentions: list[Link] = _field("the links", [{**_LINK, "row": 0, "col": 0}])
    columns: list[str] = _field("the columns that were linked", ["city"])
    context: str = _field("which cells were decided together", "table")


# entities


class Suggestion(Entity):
    """An entity whose name begins with some letters, or nearly."""

    description: str = _field("its description", "American basketball player")
    types: list[str] = _field("labels of its types", ["human"])
    matched_name: str = _field("its name that matched", "Michael Jordan")


# the service


class MethodInfo(BaseModel):
    """A method that a KB is ready for."""

    name: str = _field("its name", "selftrained")
    threshold: bool = _field("whether it takes a threshold", True)
    k: bool = _field("whether it takes k", False)
    explain: bool = _field("whether it can explain", True)


class KBInfo(BaseModel):
    """A KB of the service."""

    name: str = _field("its name in ?kb=", "places")
    state: str = _field("changes whenever the KB is changed", "0f3a5c81d2aa")
    counts: dict[str, int] = _field("its size", {"entities": 286983, "names": 926990})
    methods: list[MethodInfo] = _field("methods that it is ready for", [{"name": "degree", "explain": False}])
    default_method: str = _field("the method where none is given", "selftrained")
    threshold: float | None = _field("threshold of that method", 0.46)
    vectors: list[str] = _field("sets of vectors", ["prone"])
    languages: list[str] = _field("languages of its names", ["en"])


class Info(BaseModel):
    """The KBs and limits of the service."""

    version: str = _field("version of eigenthemes", "0.1.0")
    kbs: list[KBInfo] = _field("the first is the default", [{"name": "places"}])
    corrections: bool = _field("whether corrections are stored", False)
    limits: dict[str, float] = _field("limits of a request", {"body_bytes": 8388608, "documents": 1000})


class Health(BaseModel):
    """The state of the service."""

    status: str = _field("always ready; otherwise the answer is 503", "ready")


class ReloadResult(BaseModel):
    """The result of a reload."""

    replaced: list[str] = _field("KBs that were opened again", ["places"])
    unchanged: list[str] = _field("KBs that have not changed", [])


class Stored(BaseModel):
    """The result of storing corrections."""

    stored: int = _field("number of documents", 1)


class CorrectionCount(BaseModel):
    """The number of stored corrections."""

    count: int = _field("documents", 3)
    mentions: int = _field("mentions with gold", 12)
    needed: int = _field("mentions that training needs to fit weights on them", 20)


class ProblemRecord(BaseModel):
    """An error (RFC 9457)."""

    type: str = _field("URN of the code", "urn:eigenthemes:problem:document")
    title: str = _field("name of the status", "Not Found")
    status: int = _field("HTTP status", 422)
    detail: str = _field("what was found and expected", "mention 0: \"start\" is 'a'; expected a whole number")
    code: str = _field("stable name for programs", "document")
    where: str | None = _optional("JSON pointer into the body, or name of a parameter or header", "/mentions/0/start")
    remedy: str | None = _optional("what to do", "expected a whole number")

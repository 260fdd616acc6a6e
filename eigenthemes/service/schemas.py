"""The records of the service as JSON schemas, an example beside every field: written out, for no request is checked by them.

Documents are checked by `documents.json_lines`, whose sentences say more than a schema could.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]


def text(example: str, about: str = "") -> Schema:
    return _with({"type": "string"}, example, about)


def whole(example: int, about: str = "", *, least: int = 0) -> Schema:
    return _with({"type": "integer", "minimum": least}, example, about)


def number(example: float, about: str = "") -> Schema:
    return _with({"type": "number"}, example, about)


def flag(example: bool, about: str = "") -> Schema:
    return _with({"type": "boolean"}, example, about)


def many(of: Schema, example: list[Any], about: str = "") -> Schema:
    return _with({"type": "array", "items": of}, example, about)


def mapped(of: Schema, example: dict[str, Any], about: str = "") -> Schema:
    return _with({"type": "object", "additionalProperties": of}, example, about)


def maybe(schema: Schema) -> Schema:
    """Also null."""
    if "$ref" in schema:
        return {"anyOf": [{"$ref": schema["$ref"]}, {"type": "null"}], **{key: schema[key] for key in schema if key != "$ref"}}
    return {**schema, "type": [schema["type"], "null"]}


def ref(name: str, example: Any = None, about: str = "") -> Schema:
    reference: Schema = {"$ref": f"#/components/schemas/{name}"}
    return reference if example is None else _with(reference, example, about)


def record(about: str, fields: dict[str, Schema], *, optional: tuple[str, ...] = ()) -> Schema:
    """Return an object; fields that are not optional are always there."""
    example = {name: schema["examples"][0] for name, schema in fields.items() if schema.get("examples")}
    required = [name for name in fields if name not in optional]
    found: Schema = {"type": "object", "description": about, "properties": fields, "examples": [example]}
    return {**found, "required": required} if required else found


def _with(schema: Schema, example: Any, about: str) -> Schema:
    return {**schema, "examples": [example], **({"description": about} if about else {})}


_ID = text("Q41421", "the entity's id in the KG")
_LABEL = text("Michael Jordan", "its label")
_DESCRIPTION = text("American basketball player", "a few words on it")
_TYPES = many({"type": "string"}, ["human"], "its types in words")
_ANY_ID: Schema = {"type": ["string", "integer", "null"], "examples": ["doc-1"], "description": "comes back as it was given"}
_NIL = text("below threshold", "why there is no link; null where there is one")
_MATCH = text("label", "how its name matched")

_MENTION = {
    "start": maybe(whole(0, "where it begins in the text: Unicode code points")),
    "end": maybe(whole(14, "where it ends: the first place after it")),
    "text": maybe(text("Michael Jordan", "the name; may be left out where there is a span")),
    "row": maybe(whole(0, "row of the document's table, from 0")),
    "col": maybe(whole(0, "column of the table, from 0")),
}
_RANKED = {
    "id": _ID,
    "label": _LABEL,
    "score": number(0.98, "higher is better, within the document"),
    "types": _TYPES,
    "description": _DESCRIPTION,
}
_EXPLAINED = {
    "id": _ID,
    "label": _LABEL,
    "display_label": text("Michael Jordan (American basketball player)", "its label, told apart from others"),
    "description": _DESCRIPTION,
    "probability": number(0.98, "how likely it is meant"),
    "prior": number(41.0, "how popular it is"),
    "match_type": _MATCH,
    "matched_name": text("Michael Jordan", "which of its names matched"),
    "contributions": mapped({"type": "number"}, {"name": 1.2, "themes": 2.1}, "what each group of features adds"),
    "connected": flag(True, "do the other names of the document share an edge or a neighbour with it?"),
}
_REASON = {
    "type": text("edge", "edge, shared, same entity, longer name, or close in the vectors"),
    "relation": text("member of", "of the edge"),
    "reverse": flag(False, "the statement runs the other way"),
    "shared": many({"type": "string"}, ["Chicago"], "labels of shared neighbours"),
}
_SUPPORT = {
    "text": text("Chicago Bulls", "another name of the document"),
    "mention": whole(1, "its number, from 0"),
    "id": text("Q128109", "its candidate that supports most"),
    "label": text("Chicago Bulls", "the label of that"),
    "probability": number(0.97, "how likely that is meant"),
    "share": number(0.62, "of the support by all other names"),
    "reasons": many(ref("Reason"), [{"type": "edge", "relation": "member of", "reverse": False, "shared": []}]),
}
_EXAMPLE_EXPLAINED = {name: schema["examples"][0] for name, schema in _EXPLAINED.items()}
_EXPLANATION = {
    "sentence": text("Michael Jordan is the basketball player: Chicago Bulls speaks for it.", "all this in plain English"),
    "text": text("Michael Jordan", "the name"),
    "nil_reason": maybe(_NIL),
    "nil_probability": number(0.01, "that no candidate is right"),
    "threshold": number(0.46, "least probability of a link"),
    "candidate_count": whole(4, "how many candidates there were"),
    "other_names": whole(2, "how many other names the document has"),
    "best": maybe(ref("ExplainedCandidate", _EXAMPLE_EXPLAINED, "the most likely candidate")),
    "runner_up": maybe(ref("ExplainedCandidate", _EXAMPLE_EXPLAINED, "the next")),
    "more_popular": maybe(ref("ExplainedCandidate", _EXAMPLE_EXPLAINED, "the most popular, if that is another")),
    "shares": mapped({"type": "number"}, {"themes": 0.7, "name": 0.3}, "of what speaks for it, by group of features"),
    "against": mapped({"type": "number"}, {"prior": 0.1}, "the same for what speaks against it"),
    "support": many(ref("Support"), [{name: schema["examples"][0] for name, schema in _SUPPORT.items()}]),
    "other_support": number(0.1, "the share of further names"),
    "detection": maybe(number(0.9, "how likely a name found in the text is one at all")),
    "stands_for": text("", "what the text itself says the name stands for"),
}
_POINT = {
    "mentions": many({"type": "integer"}, [0], "the names it is a candidate of, by their numbers"),
    "id": _ID,
    "label": _LABEL,
    "x": number(0.81, "where it lies on the strongest eigentheme"),
    "y": number(-0.12, "and on the second"),
    "chosen": flag(True, "is one of the names linked to it?"),
    "score": number(0.98, "the best of its scores"),
}
_LINE = {
    "from": whole(1, "the point that supports, by its number"),
    "to": whole(0, "the point that is supported"),
    "share": number(0.62, "of all the support for it"),
    "words": text("Chicago Bulls: member of", "why"),
}
_EXAMPLE_POINT = {name: schema["examples"][0] for name, schema in _POINT.items()}
_EXAMPLE_LINE = {name: schema["examples"][0] for name, schema in _LINE.items()}
_EXAMPLE_MAP = {"points": [_EXAMPLE_POINT], "supports": [_EXAMPLE_LINE], "explained": [0.5, 0.2]}
_MAP = {
    "points": many(ref("MapPoint"), [_EXAMPLE_POINT], "candidates that have a vector, the most important first"),
    "supports": many(ref("MapSupport"), [_EXAMPLE_LINE], "which supports which, with explain=true"),
    "explained": many({"type": "number"}, [0.5, 0.2], "the share of the variance that each axis shows"),
}
_LINK = {
    **_MENTION,
    "entity": maybe(text("Q41421", "the answer: an entity's id; null where there is none")),
    "label": maybe(_LABEL),
    "score": maybe(number(0.98, "of the answer, by the method")),
    "probability": maybe(number(0.98, "null for methods that are not calibrated")),
    "ranking": many(
        ref("RankedCandidate"), [{"id": "Q41421", "label": "Michael Jordan", "score": 0.98}], "the best candidates"
    ),
    "nil_reason": maybe(_NIL),
    "unknown_candidates": many({"type": "string"}, ["Q0"], "candidates that the document gave and the KB does not have"),
    "explanation": ref("Explanation", {"sentence": _EXPLANATION["sentence"]["examples"][0]}, "why, with explain=true"),
    "types": _TYPES,
    "description": _DESCRIPTION,
}
_EXAMPLE_LINK = {
    "start": 0, "end": 14, "text": "Michael Jordan", "entity": "Q41421", "label": "Michael Jordan", "score": 0.98,
    "probability": 0.98, "ranking": [{"id": "Q41421", "label": "Michael Jordan", "score": 0.98}], "nil_reason": None,
}  # fmt: skip
_TEXT = "Michael Jordan played for the Chicago Bulls."
_ROWS = [["Paris", "France"], ["Paris", "Texas"]]
_EXAMPLE_TABLE = {"header": ["city", "state"], "rows": _ROWS}
_CELL: Schema = {"type": ["string", "number", "boolean", "null"]}
_IN_LANGUAGE = {"name": "Air Jordan", "language": "en"}
_NAMED = [{"id": "Q41421", "label": "Michael Jordan"}]

SCHEMAS: dict[str, Schema] = {
    "Problem": record(
        "What went wrong (RFC 9457)",
        {
            "type": text("urn:eigenthemes:problem:document"),
            "title": text("Cannot be done as asked"),
            "status": whole(422),
            "detail": text('mention 0: "start" is \'a\'; expected a whole number', "what was found, and what was expected"),
            "code": text("document", "a stable name of it, for programs"),
            "where": text("/mentions/0/start", "a JSON pointer into the body, or the name of a parameter or header"),
            "remedy": text("expected a whole number", "what to do"),
        },
        optional=("where", "remedy"),
    ),
    "Mention": record(
        "A name to be linked",
        {
            **_MENTION,
            "candidates": maybe(many({"type": "string"}, ["Q41421", "Q27069141"], "ids it may mean; else they are looked up")),
            "only_types": maybe(many({"type": "string"}, ["human"], "types it can mean")),
        },
        optional=(*_MENTION, "candidates", "only_types"),
    ),
    "Table": record(
        "A table",
        {
            "header": maybe(many(_CELL, ["city", "state"], "names of the columns")),
            "rows": many({"type": "array", "items": _CELL}, _ROWS, "rows of cells"),
        },
        optional=("header",),
    ),
    "Document": record(
        "A text, a table or a list of names; unknown fields come back",
        {
            "id": _ANY_ID,
            "text": maybe(text(_TEXT, "the text; without mentions, its names are found")),
            "table": maybe(ref("Table", _EXAMPLE_TABLE, "a table instead of a text")),
            "mentions": maybe(many(ref("Mention"), [{"start": 0, "end": 14, "text": "Michael Jordan"}], "the names to link")),
            "about": maybe(text("Machine learning at Berkeley", "text about the source: evidence only")),
        },
        optional=("id", "text", "table", "mentions", "about"),
    ),
    "RankedCandidate": record("A candidate with its score", _RANKED, optional=("types", "description")),
    "Link": record(
        "What a name means",
        _LINK,
        optional=(*_MENTION, "unknown_candidates", "explanation", "types", "description"),
    ),
    "LinkedDocument": record(
        "The document with a link for each name",
        {
            "id": _ANY_ID,
            "text": maybe(text(_TEXT)),
            "mentions": many(ref("Link"), [_EXAMPLE_LINK]),
            "map": maybe(ref("CandidateMap", _EXAMPLE_MAP, "its candidates as points, with map=true")),
        },
        optional=("id", "text", "map"),
    ),
    "CandidateMap": record("The candidates of a document on its two strongest eigenthemes", _MAP),
    "MapPoint": record("A candidate on the map", _POINT),
    "MapSupport": record("A line of the map", _LINE),
    "Reason": record("How another name supports", _REASON),
    "Support": record("Another name that supports", _SUPPORT),
    "ExplainedCandidate": record("A candidate as the ranker saw it", _EXPLAINED),
    "Explanation": record("Why a name was linked as it was", _EXPLANATION),
    "MentionExplanation": record(
        "Why a name was linked as it was, with all its candidates",
        {
            "mention": whole(0, "its number in the document"),
            **_EXPLANATION,
            "candidates": many(ref("ExplainedCandidate"), [_EXAMPLE_EXPLAINED], "the most likely first"),
        },
    ),
    "ExplainRequest": record(
        "Which name to explain",
        {"document": {"anyOf": [{"type": "string"}, ref("Document")], "examples": [_TEXT]}, "mention": whole(0, "its number")},
        optional=("mention",),
    ),
    "TableRequest": record(
        "A table to be linked",
        {
            "id": _ANY_ID,
            "table": ref("Table", _EXAMPLE_TABLE, "the table"),
            "columns": maybe(many({"type": ["string", "integer"]}, ["city"], "names, or numbers from 0; else those of names")),
            "context": {
                "type": ["string", "null"],
                "enum": ["table", "column", "row", "none", None],
                "examples": ["table"],
                "description": "which cells are decided together",
            },
            "only_types": maybe(mapped(many({"type": "string"}, ["city"]), {"city": ["city"]}, "column -> types it can mean")),
        },
        optional=("id", "columns", "context", "only_types"),
    ),
    "LinkedTable": record(
        "The table with a link for each cell of some columns",
        {
            "id": _ANY_ID,
            "table": ref("Table", _EXAMPLE_TABLE),
            "mentions": many(ref("Link"), [{**_EXAMPLE_LINK, "row": 0, "col": 0}]),
            "columns": many({"type": "string"}, ["city"], "those that were linked"),
            "context": text("table", "which cells were decided together"),
        },
        optional=("id",),
    ),
    "Candidate": record(
        "An entity that a name may mean",
        {
            "rank": whole(1, "1 is the most popular", least=1),
            "id": _ID,
            "label": _LABEL,
            "matched_name": text("Michael Jordan", "which of its names matched"),
            "match_type": _MATCH,
            "prior": number(41.0, "how popular it is"),
            "description": _DESCRIPTION,
        },
    ),
    "Suggestion": record(
        "An entity that a few letters may mean",
        {"id": _ID, "label": _LABEL, "description": _DESCRIPTION, "types": _TYPES, "matched_name": text("Michael Jordan")},
    ),
    "Related": record(
        "The neighbours that one relation leads to",
        {
            "relation": text("member of"),
            "reverse": flag(False, "the statements run from the neighbours to the entity"),
            "count": whole(12, "how many there are"),
            "entities": many(mapped({"type": "string"}, _NAMED[0]), _NAMED, "the first of them"),
        },
    ),
    "Entity": record(
        "All that the KB holds of an entity",
        {
            "id": _ID,
            "label": _LABEL,
            "aliases": many({"type": "string"}, ["Air Jordan"], "its other names"),
            "description": _DESCRIPTION,
            "types": many({"type": "string"}, ["Q5"], "ids of its types"),
            "prior": number(41.0, "how popular it is"),
            "names": many(mapped({"type": "string"}, _IN_LANGUAGE), [_IN_LANGUAGE], "all names, the label first"),
            "rank": whole(17, "its place in the KB by prior", least=1),
            "namesakes": many(mapped({"type": "string"}, _NAMED[0]), _NAMED, "all that have its label as a name"),
            "name_rank": whole(1, "its place among them; 0: it is never an answer"),
            "degree": whole(41, "how many neighbours it has"),
            "neighbors": many(ref("Related"), [{"relation": "member of", "reverse": False, "count": 1, "entities": _NAMED}]),
        },
    ),
    "MethodInfo": record(
        "A method that a KB is ready for",
        {
            "name": text("selftrained"),
            "threshold": flag(True, "does it take a threshold?"),
            "k": flag(False, "does it take k?"),
            "explain": flag(True, "can it be explained?"),
        },
    ),
    "KBInfo": record(
        "A KB that is served",
        {
            "name": text("places", "what ?kb= calls it"),
            "state": text("0f3a5c81d2aa", "changes whenever the KB is changed"),
            "counts": mapped({"type": "integer"}, {"entities": 286983, "names": 926990}),
            "methods": many(ref("MethodInfo"), [{"name": "degree", "threshold": False, "k": False, "explain": False}]),
            "default_method": text("selftrained"),
            "threshold": maybe(number(0.46, "of the default method")),
            "vectors": many({"type": "string"}, ["prone"]),
            "languages": many({"type": "string"}, ["en"], "of its names"),
        },
    ),
    "Info": record(
        "What is served",
        {
            "version": text("0.1.0"),
            "kbs": many(ref("KBInfo"), [{"name": "places"}], "the first is meant where none is named"),
            "corrections": flag(False, "are corrections kept?"),
            "limits": mapped({"type": "number"}, {"body_bytes": 8388608, "documents": 1000}, "of a request"),
        },
    ),
    "Health": record("It is ready", {"status": text("ready")}),
    "Reloaded": record(
        "What became of a reload",
        {
            "replaced": many({"type": "string"}, ["places"], "KBs that were built anew"),
            "unchanged": many({"type": "string"}, [], "KBs that are as they were"),
        },
    ),
    "Stored": record("What was kept", {"stored": whole(1, "documents")}),
    "CorrectionCount": record(
        "How many corrections there are",
        {
            "count": whole(3, "documents"),
            "mentions": whole(12, "names with gold in them"),
            "needed": whole(20, "names from which training also fits its weights on them"),
        },
    ),
}  # fmt: skip

"""NIF 2.0: texts and their annotations as RDF, in Turtle or N-Triples.

    <http://example.org/doc#char=0,38> a nif:Context ; nif:isString "My favourite actress is Natalie Portman" .
    <http://example.org/doc#char=23,38> a nif:Phrase ; nif:referenceContext <http://example.org/doc#char=0,38> ;
        nif:beginIndex 23 ; nif:endIndex 38 ; itsrdf:taIdentRef <http://dbpedia.org/resource/Natalie_Portman> .

Offsets count code points (RFC 5147). A phrase that refers to `http://aksw.org/notInWiki/...` has no entity. A file is read
completely, as RDF has no order; other statements about a context or a phrase are kept.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import IO, Any

from eigenthemes.documents import standoff
from eigenthemes.documents.standoff import located
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Link, LinkedDocument, Span

NIF = "nif"  # field of a document or mention: its IRI, and other statements as [predicate, object]
_CORE, _ITS = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#", "http://www.w3.org/2005/11/its/rdf#"
_TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
_NOWHERE = ("http://aksw.org/notInWiki/", "http://aksw.org/unknown_entity/")
_STRUCTURE = {_CORE + name for name in ("Sentence", "Paragraph", "Title", "Word", "Structure")}
_OF_CONTEXT = {_CORE + name for name in ("isString", "beginIndex", "endIndex")}
_OF_PHRASE = {_CORE + name for name in ("anchorOf", "beginIndex", "endIndex", "referenceContext")}
_UNIT = "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-annotation#annotationUnit"
_ANSWER = {_ITS + "taIdentRef", _ITS + "taConfidence", _UNIT}
_FRAGMENT = re.compile(r"[#?](?:char=|offset_|hash_)?[\d,_]*\Z|#(?:char=|offset_|hash_).*\Z")
_NUMBER = re.compile(r"[+]?\d{1,15}")

HEAD = f"""@prefix nif: <{_CORE}> .
@prefix itsrdf: <{_ITS}> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
""".encode()

Statements = dict[str, list[Any]]


def is_nif(head: bytes) -> bool:
    """Return whether a file is RDF with the vocabulary of NIF."""
    return head.startswith((b"@", b"<", b"#", b"PREFIX", b"prefix", b"BASE", b"_:")) and _CORE.encode() in head


def read_nif(stream: IO[bytes], *, origin: str) -> Iterator[Document | DocumentError]:
    """Yield the documents, in order of their first statement; of a broken file those before the error, and the error."""
    subjects: dict[str, Statements] = defaultdict(lambda: defaultdict(list))
    broken = _parse(stream, subjects, origin)
    phrases: dict[str, list[str]] = defaultdict(list)
    for iri, statements in subjects.items():
        for context in statements.get(_CORE + "referenceContext", ()):
            phrases[_iri(context)].append(iri)
    for iri, statements in subjects.items():
        if _CORE + "isString" not in statements:
            continue
        try:
            of_phrases = {phrase: _with_units(subjects[phrase], subjects) for phrase in phrases[iri] if phrase != iri}
            yield _document(iri, statements, of_phrases)
        except DocumentError as error:
            yield DocumentError(f"<{iri}>: {error}")
    if broken is not None:
        yield broken
    elif not any(_CORE + "isString" in statements for statements in subjects.values()):
        yield DocumentError("the file has no text; expected a nif:Context with nif:isString")


def _parse(stream: IO[bytes], subjects: dict[str, Statements], origin: str) -> DocumentError | None:
    from pyoxigraph import RdfFormat, parse

    try:
        for quad in parse(stream, format=RdfFormat.TURTLE, base_iri="urn:x-eigenthemes:file", without_named_graphs=True):
            subjects[_iri(quad.subject)][quad.predicate.value].append(quad.object)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        reason = " ".join(str(error.args[0] if error.args else error).split())[:120]
        problem = f"broken Turtle ({reason}); what came before was read: mend the file"
        return located(f"{origin}:{line}", problem) if line else DocumentError(problem)
    return None


def _with_units(statements: Statements, subjects: Mapping[str, Statements]) -> Statements:
    """Return the statements about a phrase, with the entities of its annotation units as in NIF 2.1."""
    units = [subjects[_iri(unit)] for unit in statements.get(_UNIT, ()) if _iri(unit) in subjects]
    entities = [term for unit in units for term in unit.get(_ITS + "taIdentRef", ())]
    if not entities:
        return statements
    return {**statements, _ITS + "taIdentRef": [*statements.get(_ITS + "taIdentRef", ()), *entities]}


def _iri(term: Any) -> str:
    return str(getattr(term, "value", term))


# in


def _document(iri: str, context: Statements, phrases: dict[str, Statements]) -> Document:
    text = _iri(context[_CORE + "isString"][0])
    marked = [(key, phrase, _span(phrase), _anchor(phrase)) for key, phrase in phrases.items() if _is_mention(phrase)]
    offsets = standoff.Offsets(
        text, standoff.unit_of(text, [([span], anchor) for *_, span, anchor in marked if anchor is not None])
    )
    mentions = []
    for key, phrase, span, anchor in marked:
        source = {NIF: {"iri": key, "statements": _other_statements(phrase, _OF_PHRASE | _ANSWER)}}
        try:
            mentions.append(standoff.mention_at(offsets, [span], anchor, gold=_gold(phrase), source=source))
        except DocumentError as error:
            raise DocumentError(f"<{key}>: {error}") from None
    mentions.sort(key=lambda mention: (mention.start or 0, mention.end or 0))
    document_id = standoff.id_of_iri(_FRAGMENT.sub("", iri, count=1), "document")
    kept = {"iri": iri, "statements": _other_statements(context, _OF_CONTEXT)}
    language = getattr(context[_CORE + "isString"][0], "language", None)
    if language:
        kept["language"] = language
    return Document(id=document_id, text=text, mentions=tuple(mentions) if mentions else None, source={NIF: kept})


def _anchor(phrase: Statements) -> str | None:
    anchors = phrase.get(_CORE + "anchorOf")
    return _iri(anchors[0]) if anchors else None


def _is_mention(statements: Statements) -> bool:
    """Return whether a phrase is a mention: it has an entity, or is neither token nor sentence."""
    return _ITS + "taIdentRef" in statements or not any(_iri(kind) in _STRUCTURE for kind in statements.get(_TYPE, ()))


def _span(statements: Statements) -> tuple[int, int]:
    places = [_iri(statements[name][0]) if statements.get(name) else "" for name in (_CORE + "beginIndex", _CORE + "endIndex")]
    if not all(_NUMBER.fullmatch(place) for place in places):
        raise DocumentError(f"a phrase has the span {places}; expected nif:beginIndex and nif:endIndex, whole numbers")
    return int(places[0]), int(places[1])


def _gold(statements: Statements) -> tuple[str, ...] | None:
    if _ITS + "taIdentRef" not in statements:
        return None
    iris = [_iri(term) for term in statements[_ITS + "taIdentRef"]]
    return tuple(dict.fromkeys(standoff.id_of_iri(iri) for iri in iris if not iri.startswith(_NOWHERE)))


def _other_statements(statements: Statements, own: set[str]) -> list[list[str]]:
    return [[predicate, str(term)] for predicate, terms in statements.items() if predicate not in own for term in terms]


# out


def nif_of(linked: LinkedDocument, number: int) -> bytes:
    """Return a linked document as Turtle, without the prefixes."""
    document = linked.document
    text = standoff.text_of(document, "NIF")
    kept = standoff.dict_of(document.source, NIF)
    base = standoff.iri_of(standoff.document_name(document, number), "document").partition("#")[0]
    context = _checked_iri(kept.get("iri")) or f"{base}#char=0,{len(text)}"
    lines = [_subject(context, _statements(kept) or ["a nif:String, nif:RFC5147String, nif:Context"])]
    lines[0] += f' ;\n    nif:beginIndex "0"^^xsd:nonNegativeInteger ;\n    nif:endIndex "{len(text)}"^^xsd:nonNegativeInteger'
    language = kept.get("language")
    lines[0] += f" ;\n    nif:isString {_literal(text, language)}"
    used = {context}
    for link in linked.links:
        start, end = standoff.extent_of(document, link.mention)
        iri = _checked_iri(standoff.dict_of(link.mention.source, NIF).get("iri")) or f"{base}#char={start},{end}"
        while iri in used:
            iri += "_"
        used.add(iri)
        lines.append(_phrase(link, iri, context, (start, end), _literal(text[start:end], language)))
    return "".join(f"\n{line} .\n" for line in lines).encode("utf-8", "replace")


def _phrase(link: Link, iri: str, context: str, span: Span, anchor: str) -> str:
    statements = _statements(standoff.dict_of(link.mention.source, NIF)) or ["a nif:String, nif:RFC5147String, nif:Phrase"]
    statements.append(f"nif:referenceContext <{context}>")
    statements.append(f'nif:beginIndex "{span[0]}"^^xsd:nonNegativeInteger')
    statements.append(f'nif:endIndex "{span[1]}"^^xsd:nonNegativeInteger')
    statements.append(f"nif:anchorOf {anchor}")
    if link.entity is not None:
        statements.append(f"itsrdf:taIdentRef <{_checked_iri(standoff.iri_of(link.entity)) or standoff.iri_of('')}>")
        if link.probability is not None:
            statements.append(f'itsrdf:taConfidence "{link.probability:.4f}"^^xsd:double')
    return _subject(iri, statements)


def _subject(iri: str, statements: list[str]) -> str:
    return f"<{iri}>\n    " + " ;\n    ".join(statements)


def _statements(kept: dict[str, Any]) -> list[str]:
    """Return the other statements about a subject; those that are no RDF, as others may have changed them, are left out."""
    statements = kept.get("statements")
    pairs = [pair for pair in statements if isinstance(pair, list) and len(pair) == 2] if isinstance(statements, list) else []
    return [f"<{predicate}> {term}" for predicate, term in pairs if _is_rdf(predicate, term)]


def _is_rdf(predicate: Any, term: Any) -> bool:
    from pyoxigraph import RdfFormat, parse

    if not isinstance(predicate, str) or not isinstance(term, str) or "\n" in term:
        return False
    try:
        return len(list(parse(f"<urn:s> <{predicate}> {term} .".encode(), format=RdfFormat.N_TRIPLES))) == 1
    except (SyntaxError, ValueError):
        return False


def _checked_iri(iri: Any) -> str | None:
    """Return an IRI if it is valid in Turtle, else None."""
    from pyoxigraph import NamedNode

    if not isinstance(iri, str):
        return None
    try:
        return str(NamedNode(iri).value)
    except ValueError:
        return None


def _literal(text: str, language: Any) -> str:
    from pyoxigraph import Literal

    text = text.encode("utf-8", "replace").decode()
    try:
        return str(Literal(text, language=language if isinstance(language, str) else None))
    except ValueError:
        return str(Literal(text))

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
from collections.abc import Iterator
from contextlib import suppress
from typing import IO, Any

from pyoxigraph import Literal, NamedNode, RdfFormat, Triple, parse, serialize

from eigenthemes.documents import standoff
from eigenthemes.documents.splitting import at_line
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, LinkedDocument, Span

NIF = "nif"  # field of a document or mention: its IRI, and other statements as [predicate, object]
_PREFIXES = {
    "nif": "http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-core#",
    "itsrdf": "http://www.w3.org/2005/11/its/rdf#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
}
_CORE, _ITS, _XSD = _PREFIXES.values()
HEAD = "".join(f"@prefix {prefix}: <{iri}> .\n" for prefix, iri in _PREFIXES.items()).encode()

_TYPE = NamedNode("http://www.w3.org/1999/02/22-rdf-syntax-ns#type")
_TEXT, _CONTEXT, _ANCHOR = (NamedNode(_CORE + name) for name in ("isString", "referenceContext", "anchorOf"))
_SPAN = NamedNode(_CORE + "beginIndex"), NamedNode(_CORE + "endIndex")
_ENTITY, _CONFIDENCE = NamedNode(_ITS + "taIdentRef"), NamedNode(_ITS + "taConfidence")
_UNIT = NamedNode("http://persistence.uni-leipzig.org/nlp2rdf/ontologies/nif-annotation#annotationUnit")
_COUNT, _DOUBLE = NamedNode(_XSD + "nonNegativeInteger"), NamedNode(_XSD + "double")
_STRUCTURE = {NamedNode(_CORE + name) for name in ("Sentence", "Paragraph", "Title", "Word", "Structure")}
_NOWHERE = ("http://aksw.org/notInWiki/", "http://aksw.org/unknown_entity/")
_FRAGMENT = re.compile(r"[#?](?:char=|offset_|hash_)?[\d,_]*\Z|#(?:char=|offset_|hash_).*\Z")
_NUMBER = re.compile(r"[+]?\d{1,15}")

Statements = dict[Any, list[Any]]  # predicate -> objects


def is_nif(head: bytes) -> bool:
    """Return whether a file is RDF with the vocabulary of NIF."""
    return head.startswith((b"@", b"<", b"#", b"PREFIX", b"prefix", b"BASE", b"_:")) and _CORE.encode() in head


# in


def read_nif(stream: IO[bytes]) -> Iterator[Document | DocumentError]:
    """Yield the documents, in order of their first statement; of a broken file those before the error, and the error."""
    subjects: dict[Any, Statements] = defaultdict(lambda: defaultdict(list))
    broken = _parse(stream, subjects)
    phrases: dict[Any, list[Any]] = defaultdict(list)
    for subject, statements in subjects.items():
        for context in statements.get(_CONTEXT, ()):
            phrases[context].append(subject)
    contexts = [subject for subject, statements in subjects.items() if _TEXT in statements]
    for context in contexts:
        try:
            yield _document(context, [phrase for phrase in dict.fromkeys(phrases[context]) if phrase != context], subjects)
        except DocumentError as error:
            yield DocumentError(f"<{context.value}>: {error}")
    if broken is not None:
        yield broken
    elif not contexts:
        yield DocumentError("the file has no text; expected a nif:Context with nif:isString")


def _parse(stream: IO[bytes], subjects: dict[Any, Statements]) -> DocumentError | None:
    try:
        for quad in parse(stream, format=RdfFormat.TURTLE, base_iri="urn:x-eigenthemes:file", without_named_graphs=True):
            subjects[quad.subject][quad.predicate].append(quad.object)
    except (SyntaxError, ValueError) as error:
        line = getattr(error, "lineno", None)
        reason = " ".join(str(error.args[0] if error.args else error).split())[:120]
        problem = f"broken Turtle ({reason}); what came before was read: mend the file"
        return at_line(line, problem) if line else DocumentError(problem)
    return None


def _document(context: Any, phrases: list[Any], subjects: dict[Any, Statements]) -> Document:
    text = subjects[context][_TEXT][0]
    annotations = [_annotation(phrase, subjects) for phrase in phrases]
    mentions = standoff.mentions_of(_value(text), [annotation for annotation in annotations if annotation is not None])
    mentions.sort(key=lambda mention: (mention.start or 0, mention.end or 0))
    document_id = standoff.id_of_iri(_FRAGMENT.sub("", context.value, count=1), "document")
    source = _source(context, subjects[context], {_TEXT, *_SPAN})
    if getattr(text, "language", None):
        source[NIF]["language"] = text.language
    return Document(id=document_id, text=_value(text), mentions=tuple(mentions) or None, source=source)


def _annotation(phrase: Any, subjects: dict[Any, Statements]) -> standoff.Annotation | None:
    """Return the annotation of a phrase; None for a token or sentence without an entity."""
    statements = subjects[phrase]
    units = [subjects[unit] for unit in statements.get(_UNIT, ()) if unit in subjects]  # of NIF 2.1
    entities = [entity for each in (statements, *units) for entity in each.get(_ENTITY, ())]
    if not entities and not _STRUCTURE.isdisjoint(statements.get(_TYPE, ())):
        return None
    places = [_value(statements[side][0]) if statements.get(side) else "" for side in _SPAN]
    if not all(_NUMBER.fullmatch(place) for place in places):
        raise DocumentError(f"a phrase has the span {places}; expected nif:beginIndex and nif:endIndex, whole numbers")
    iris = [_value(entity) for entity in entities]
    gold = tuple(dict.fromkeys(standoff.id_of_iri(iri) for iri in iris if not iri.startswith(_NOWHERE)))
    anchors = statements.get(_ANCHOR)
    return standoff.Annotation(
        [(int(places[0]), int(places[1]))],
        _value(anchors[0]) if anchors else None,
        gold if entities else None,
        _source(phrase, statements, {_CONTEXT, _ANCHOR, *_SPAN, _ENTITY, _CONFIDENCE, _UNIT}),
    )


def _source(subject: Any, statements: Statements, own: set[Any]) -> dict[str, Any]:
    """Return the source of a document or mention: its IRI, and its statements other than these."""
    others = [[predicate.value, str(term)] for predicate, terms in statements.items() if predicate not in own for term in terms]
    return {NIF: {"iri": subject.value, "statements": others}}


def _value(term: Any) -> str:
    return str(getattr(term, "value", term))


# out


def nif_of(linked: LinkedDocument, number: int) -> bytes:
    """Return a linked document as Turtle, without the prefixes."""
    document = linked.document
    text = standoff.text_of(document, "NIF")
    kept = standoff.dict_of(document.source, NIF)
    base = _node_of_id(standoff.document_name(document, number), "document").value.partition("#")[0]
    context = _node(kept.get("iri")) or NamedNode(f"{base}#char=0,{len(text)}")
    language = kept.get("language")
    triples = _statements(context, kept, "Context", (0, len(text)))
    triples.append(Triple(context, _TEXT, _literal(text, language)))
    used = {context}
    for link in linked.links:
        start, end = standoff.extent_of(document, link.mention)
        kept = standoff.dict_of(link.mention.source, NIF)
        phrase = _node(kept.get("iri")) or NamedNode(f"{base}#char={start},{end}")
        while phrase in used:
            phrase = NamedNode(f"{phrase.value}_")
        used.add(phrase)
        triples += _statements(phrase, kept, "Phrase", (start, end))
        triples.append(Triple(phrase, _CONTEXT, context))
        triples.append(Triple(phrase, _ANCHOR, _literal(text[start:end], language)))
        if link.entity is not None:
            triples.append(Triple(phrase, _ENTITY, _node_of_id(link.entity, "entity")))
            if link.probability is not None:
                triples.append(Triple(phrase, _CONFIDENCE, Literal(f"{link.probability:.4f}", datatype=_DOUBLE)))
    turtle = serialize(triples, format=RdfFormat.TURTLE, prefixes=_PREFIXES) or b""
    return turtle[turtle.index(b"\n<") :]  # the prefixes are written once


def _statements(subject: Any, kept: dict[str, Any], kind: str, span: Span) -> list[Any]:
    """Return the statements about a context or phrase that were read, or its types, and its span."""
    triples = []
    statements = kept.get("statements")
    for pair in statements if isinstance(statements, list) else ():
        with suppress(SyntaxError, ValueError, TypeError):  # others may have changed what was read
            predicate, term = pair
            (quad,) = parse(f"<urn:s> <{predicate}> {term} .".encode(), format=RdfFormat.N_TRIPLES)
            triples.append(Triple(subject, quad.predicate, quad.object))
    if not triples:
        triples = [Triple(subject, _TYPE, NamedNode(_CORE + name)) for name in ("String", "RFC5147String", kind)]
    for side, place in zip(_SPAN, span, strict=True):
        triples.append(Triple(subject, side, Literal(str(place), datatype=_COUNT)))
    return triples


def _node_of_id(name: str, kind: str) -> Any:
    return _node(standoff.iri_of(name, kind)) or NamedNode(standoff.own_iri(name, kind))


def _node(iri: Any) -> Any:
    """Return the node of an IRI; None if it is not valid."""
    with suppress(ValueError, TypeError):
        return NamedNode(iri)
    return None


def _literal(text: str, language: Any) -> Any:
    text = text.encode("utf-8", "replace").decode()
    with suppress(ValueError, TypeError):
        return Literal(text, language=language)
    return Literal(text)

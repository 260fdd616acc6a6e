"""NIF 2.0: texts and their annotations as RDF, in Turtle or N-Triples.

    <http://example.org/doc#char=0,38> a nif:Context ; nif:isString "My favourite actress is Natalie Portman" .
    <http://example.org/doc#char=23,38> a nif:Phrase ; nif:referenceContext <http://example.org/doc#char=0,38> ;
        nif:beginIndex 23 ; nif:endIndex 38 ; itsrdf:taIdentRef <http://dbpedia.org/resource/Natalie_Portman> .

Offsets count code points (RFC 5147). A phrase that refers to `http://aksw.org/notInWiki/...` means no entity. A file is read
whole, for RDF has no order; what else is said of a context or of a phrase is kept.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import IO, Any

from eigenthemes.documents.identifiers import id_of_iri, iri_of
from eigenthemes.documents.located import located
from eigenthemes.documents.offsets import Offsets, mention_at, spans_of, text_of, unit_of
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
    """Return whether RDF uses the words of NIF."""
    return head.startswith((b"@", b"<", b"#", b"PREFIX", b"prefix", b"BASE", b"_:")) and _CORE.encode() in head


def read_nif(stream: IO[bytes], *, origin: str) -> Iterator[Document | DocumentError]:
    """Yield the documents, in order of their first statement; where the file is broken, those before, and an error."""
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
            said = {phrase: _with_units(subjects[phrase], subjects) for phrase in phrases[iri] if phrase != iri}
            yield _document(iri, statements, said)
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


def _with_units(said: Statements, subjects: Mapping[str, Statements]) -> Statements:
    """Return what is said of a phrase together with what its annotation units say is meant: so NIF 2.1 has it."""
    units = [subjects[_iri(unit)] for unit in said.get(_UNIT, ()) if _iri(unit) in subjects]
    meant = [term for unit in units for term in unit.get(_ITS + "taIdentRef", ())]
    return said if not meant else {**said, _ITS + "taIdentRef": [*said.get(_ITS + "taIdentRef", ()), *meant]}


def _iri(term: Any) -> str:
    return str(getattr(term, "value", term))


# in


def _document(iri: str, statements: Statements, phrases: dict[str, Statements]) -> Document:
    text = _iri(statements[_CORE + "isString"][0])
    found = [(phrase, said, _span(said)) for phrase, said in phrases.items() if _is_mention(said)]
    marked = [([span], _iri(said[_CORE + "anchorOf"][0])) for _, said, span in found if said.get(_CORE + "anchorOf")]
    offsets = Offsets(text, unit_of(text, marked))
    mentions = []
    for phrase, said, span in found:
        anchors = said.get(_CORE + "anchorOf")
        source = {NIF: {"iri": phrase, "statements": _others(said, _OF_PHRASE | _ANSWER)}}
        try:
            mentions.append(mention_at(offsets, [span], _iri(anchors[0]) if anchors else None, gold=_gold(said), source=source))
        except DocumentError as error:
            raise DocumentError(f"<{phrase}>: {error}") from None
    mentions.sort(key=lambda mention: (mention.start or 0, mention.end or 0))
    document_id = id_of_iri(_FRAGMENT.sub("", iri, count=1), "document")
    kept = {"iri": iri, "statements": _others(statements, _OF_CONTEXT)}
    language = getattr(statements[_CORE + "isString"][0], "language", None)
    if language:
        kept["language"] = language
    return Document(id=document_id, text=text, mentions=tuple(mentions) if mentions else None, source={NIF: kept})


def _is_mention(said: Statements) -> bool:
    """Return whether an annotation is of a name: it says what is meant, or is no token or sentence."""
    return _ITS + "taIdentRef" in said or not any(_iri(kind) in _STRUCTURE for kind in said.get(_TYPE, ()))


def _span(said: Statements) -> tuple[int, int]:
    places = [_iri(said[name][0]) if said.get(name) else "" for name in (_CORE + "beginIndex", _CORE + "endIndex")]
    if not all(_NUMBER.fullmatch(place) for place in places):
        raise DocumentError(f"a phrase has the span {places}; expected nif:beginIndex and nif:endIndex, whole numbers")
    return int(places[0]), int(places[1])


def _gold(said: Statements) -> tuple[str, ...] | None:
    if _ITS + "taIdentRef" not in said:
        return None
    iris = [_iri(term) for term in said[_ITS + "taIdentRef"]]
    return tuple(dict.fromkeys(id_of_iri(iri) for iri in iris if not iri.startswith(_NOWHERE)))


def _others(said: Statements, own: set[str]) -> list[list[str]]:
    return [[predicate, str(term)] for predicate, terms in said.items() if predicate not in own for term in terms]


# out


def nif_of(linked: LinkedDocument, number: int) -> bytes:
    """Return a linked document as Turtle, without the prefixes."""
    document = linked.document
    text = text_of(document, "NIF")
    kept = _kept(document.source)
    base = iri_of(str(number if document.id is None else document.id), "document").partition("#")[0]
    context = _checked_iri(kept.get("iri")) or f"{base}#char=0,{len(text)}"
    lines = [_subject(context, _statements(kept) or ["a nif:String, nif:RFC5147String, nif:Context"])]
    lines[0] += f' ;\n    nif:beginIndex "0"^^xsd:nonNegativeInteger ;\n    nif:endIndex "{len(text)}"^^xsd:nonNegativeInteger'
    language = kept.get("language")
    lines[0] += f" ;\n    nif:isString {_literal(text, language)}"
    used = {context}
    for link in linked.links:
        spans = spans_of(document, link.mention)
        start, end = spans[0][0], spans[-1][1]
        iri = _checked_iri(_kept(link.mention.source).get("iri")) or f"{base}#char={start},{end}"
        while iri in used:
            iri += "_"
        used.add(iri)
        lines.append(_phrase(link, iri, context, (start, end), _literal(text[start:end], language)))
    return "".join(f"\n{line} .\n" for line in lines).encode("utf-8", "replace")


def _phrase(link: Link, iri: str, context: str, span: Span, anchor: str) -> str:
    said = _statements(_kept(link.mention.source)) or ["a nif:String, nif:RFC5147String, nif:Phrase"]
    said.append(f"nif:referenceContext <{context}>")
    said.append(f'nif:beginIndex "{span[0]}"^^xsd:nonNegativeInteger')
    said.append(f'nif:endIndex "{span[1]}"^^xsd:nonNegativeInteger')
    said.append(f"nif:anchorOf {anchor}")
    if link.entity is not None:
        said.append(f"itsrdf:taIdentRef <{_checked_iri(iri_of(link.entity)) or iri_of('')}>")
        if link.probability is not None:
            said.append(f'itsrdf:taConfidence "{link.probability:.4f}"^^xsd:double')
    return _subject(iri, said)


def _subject(iri: str, said: list[str]) -> str:
    return f"<{iri}>\n    " + " ;\n    ".join(said)


def _kept(source: dict[str, Any]) -> dict[str, Any]:
    kept = source.get(NIF)
    return kept if isinstance(kept, dict) else {}


def _statements(kept: dict[str, Any]) -> list[str]:
    """Return the statements that came with a subject; those that are no RDF, in a file changed by others, are left out."""
    said = kept.get("statements")
    pairs = [pair for pair in said if isinstance(pair, list) and len(pair) == 2] if isinstance(said, list) else []
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
    """Return an IRI that Turtle can hold between angle brackets, or None."""
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

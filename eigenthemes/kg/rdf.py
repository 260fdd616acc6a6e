"""RDF: N-Triples, N-Quads, Turtle, TriG, RDF/XML and JSON-LD, parsed by pyoxigraph.

N-Triples and N-Quads are read in blocks of lines, which may be parsed by several processes; the others as one stream.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from itertools import chain
from typing import IO, Any, cast

import pyoxigraph as ox

from eigenthemes.core.diagnostics import Diagnostics
from eigenthemes.core.entity_ids import PREFIXES
from eigenthemes.core.files import clean_utf8
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.patience import Patience
from eigenthemes.kg.statements import ALIAS, Statements
from eigenthemes.kg.xml_depth import BoundedDepth

_NOTES = (  # they describe where nothing better does
    "http://www.w3.org/2000/01/rdf-schema#comment",
    "http://www.w3.org/2004/02/skos/core#scopeNote",
)
_STRING = "http://www.w3.org/2001/XMLSchema#string"

LABEL, ALIAS_ROLE, DESCRIPTION, TYPE, PRIOR, DEPRECATED, REPLACED, ALTERNATIVE = range(8)

_PREDICATES: dict[int, tuple[str, ...]] = {
    LABEL: ("rdfs:label", "skos:prefLabel", "schema:name", "https://schema.org/name", "foaf:name"),
    ALIAS_ROLE: (
        "skos:altLabel",
        "skos:hiddenLabel",
        "schema:alternateName",
        "https://schema.org/alternateName",
        "obo:IAO_0000118",
    ),
    DESCRIPTION: (
        "schema:description",
        "https://schema.org/description",
        "rdfs:comment",
        "skos:definition",
        "skos:scopeNote",
        "obo:IAO_0000115",
        "dct:description",
    ),
    TYPE: ("rdf:type", "wdt:P31", "skos:inScheme", "oboInOwl:hasOBONamespace"),
    DEPRECATED: ("owl:deprecated",),
    REPLACED: ("obo:IAO_0100001",),
    ALTERNATIVE: ("oboInOwl:hasAlternativeId",),
}
_SYNONYMS = {
    "exact": "oboInOwl:hasExactSynonym",
    "related": "oboInOwl:hasRelatedSynonym",
    "broad": "oboInOwl:hasBroadSynonym",
    "narrow": "oboInOwl:hasNarrowSynonym",
}

_PIECE = 256  # lines read at a time where a block has an error

FORMATS = {
    "nt": ox.RdfFormat.N_TRIPLES,
    "nq": ox.RdfFormat.N_QUADS,
    "ttl": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "xml": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}


def expand(curie: str, prefixes: dict[str, str] = PREFIXES) -> str | None:
    """Return the IRI of a CURIE or IRI (`<...>` allowed); None where the prefix is unknown."""
    if curie.startswith("<") and curie.endswith(">"):
        return curie[1:-1]
    prefix, colon, local = curie.partition(":")
    if not colon or local.startswith("//") or prefix in ("urn", "http", "https", "tag", "mailto"):
        return curie if colon else None
    namespace = prefixes.get(prefix)
    return None if namespace is None else namespace + local


def shorten(iri: str, prefixes: dict[str, str] = PREFIXES) -> str:
    """Return the CURIE of an IRI where a prefix is known, else the IRI."""
    best = max((ns for ns in prefixes.values() if iri.startswith(ns)), key=len, default="")
    if not best or "/" in iri[len(best) :]:
        return iri
    prefix = next(prefix for prefix, namespace in prefixes.items() if namespace == best)
    return f"{prefix}:{iri[len(best) :]}"


class Roles:
    """Predicate -> role. A CURIE of the user means what the file's own prefixes say, once it declares them."""

    def __init__(self, options: ReadOptions) -> None:
        self.of: dict[str, int] = {}
        self.given: dict[str, int] = {}
        for role, names in _PREDICATES.items():
            self._add(role, names)
        self._add(ALIAS_ROLE, tuple(_SYNONYMS[scope] for scope in options.synonyms))
        for role, names in (
            (LABEL, options.label),
            (ALIAS_ROLE, options.alias),
            (DESCRIPTION, options.description),
            (TYPE, options.type),
            (PRIOR, options.prior),
        ):
            self._add(role, names)
            self.given.update(dict.fromkeys(names, role))

    def _add(self, role: int, names: tuple[str, ...]) -> None:
        for name in names:
            if ":" not in name:
                raise OptionError(f"{name!r} is neither an IRI nor a CURIE; write it like rdfs:label or http://...")
            iri = expand(name)
            if iri is not None:
                self.of[iri] = role

    def declare(self, prefixes: dict[str, str]) -> None:
        """Resolve the user's CURIEs with the prefixes a file declares."""
        for name, role in self.given.items():
            iri = expand(name, prefixes)
            if iri is not None:
                self.of[iri] = role


def read_block(data: bytes, first_line: int, *, format_name: str, options: ReadOptions, origin: str, nodes: str) -> Statements:
    """Read the statements of one block of N-Triples or N-Quads; `nodes` stands before the blank node labels of this file."""

    diagnostics = Diagnostics(options.strict)
    data = clean_utf8(data, first_line, origin, diagnostics)
    roles = Roles(options)

    def parse(lines: bytes) -> Any:
        return ox.parse(input=lines, format=FORMATS[format_name], lenient=True)

    def collect(quads: Any) -> Statements:
        statements = Statements(strict=options.strict)
        _collect_valid(quads, statements, roles, options, origin, lambda label: f"_:{nodes}{label}")
        return statements

    try:
        statements = collect(parse(data))
        runs_on = next(_iris_over_lines(statements), None) is not None
    except SyntaxError:
        runs_on = True
    if runs_on:  # the parser may go on over the end of a line, also in silence: go by line
        statements = collect(_sound_quads(data, first_line, parse, origin, diagnostics))
    statements.diagnostics.merge(diagnostics)
    return statements


def _sound_quads(
    data: bytes, first_line: int, parse: Callable[[bytes], Any], origin: str, diagnostics: Diagnostics
) -> Iterator[Any]:
    """Yield the statements piece by piece, and of a piece with an error line by line: a broken line costs that line only."""
    lines, patience = data.splitlines(keepends=True), Patience()
    for start in range(0, len(lines), _PIECE):
        piece = lines[start : start + _PIECE]
        try:
            quads = list(parse(b"".join(piece)))
            runs_on = len(quads) != sum(map(_is_statement, piece))
        except SyntaxError:
            runs_on = True
        if runs_on:
            quads = _quads_by_line(piece, first_line + start, parse, origin, diagnostics, patience)
        yield from quads
        if patience.is_over:
            left = len(lines) - start - len(piece)
            patience.give_up(diagnostics, f"{origin}:{first_line + start + len(piece) - 1}", left)
            return


def _is_statement(line: bytes) -> bool:
    """Return whether a line of N-Triples is more than white space and a comment."""
    return not line.isspace() and not line.lstrip().startswith(b"#")


def _iris_over_lines(statements: Statements) -> Iterator[str]:
    """Yield the IRIs with a line break in them: one that does not end takes what stands behind it along."""
    forgotten = getattr(statements.ids, "over_lines", ())
    yield from dict.fromkeys(chain(forgotten, (iri for iri in statements.ids if "\n" in iri)))
    yield from (iri for iri in chain(statements.relations, statements.types) if "\n" in iri)


def _quads_by_line(
    lines: list[bytes], first: int, parse: Callable[[bytes], Any], origin: str, diagnostics: Diagnostics, patience: Patience
) -> list[Any]:
    quads: list[Any] = []
    for number, line in enumerate(lines, first):
        try:
            of_line = list(parse(line))
        except SyntaxError as error:
            patience.bad()
            diagnostics.add("broken statement", f"{origin}:{number}", _cause(error))
        else:
            if of_line:
                patience.good()
            quads += of_line
    return quads


def read_stream(
    stream: IO[bytes],
    format_name: str,
    statements: Statements,
    *,
    options: ReadOptions,
    origin: str,
    nodes: str,
    namespaces: dict[str, str],
) -> None:
    """Read the statements of Turtle, TriG, RDF/XML or JSON-LD."""
    if format_name == "xml":
        stream = cast(IO[bytes], io.BufferedReader(BoundedDepth(stream, origin, statements.diagnostics)))
    quads = ox.parse(input=stream, format=FORMATS[format_name], lenient=True, base_iri="file:///")
    numbers: dict[str, int] = {}  # anonymous nodes have random labels: number them as they come

    def blank(label: str) -> str:
        return f"_:{nodes}b{numbers.setdefault(label, len(numbers))}"

    roles = Roles(options)
    roles.declare(namespaces)
    statements.prefixes.update(namespaces)
    _collect(quads, statements, roles, options, origin, blank)
    for iri in _iris_over_lines(statements):
        statements.diagnostics.add("IRI that does not end on its line, with what stands behind it", origin, iri[:80])
    statements.prefixes.update(_declared(quads))


def xml_namespaces(head: bytes) -> dict[str, str]:
    """Return the namespaces an XML file declares at its top, which the parser keeps to itself."""
    declared = re.findall(rb"""xmlns:?([\w.-]*)\s*=\s*["']([^"']+)["']""", head)
    return {prefix.decode(): iri.decode("utf-8", "replace") for prefix, iri in declared}


def check_prefixes(options: ReadOptions, declared: dict[str, str]) -> None:
    """Refuse a predicate of the user whose prefix nobody knows: it would be overlooked in silence."""
    for name in (*options.label, *options.alias, *options.description, *options.type, *options.prior):
        if ":" in name and expand(name, {**PREFIXES, **declared}) is None:
            raise OptionError(f"the prefix of {name} is neither declared in the sources nor a usual one; give the whole IRI")


def _declared(quads: Any) -> dict[str, str]:
    return dict(getattr(quads, "prefixes", {}))  # formats by line have none


def _collect(
    quads: Any, statements: Statements, roles: Roles, options: ReadOptions, origin: str, blank: Callable[[str], str]
) -> None:
    """Read to the end; a syntax error is noted and the parser goes on behind it, but not behind thousands in a row."""
    last_bad, patience, count = -1, Patience(), statements.count
    while True:
        try:
            _collect_valid(quads, statements, roles, options, origin, blank)
            return
        except SyntaxError as error:
            if "LoadDocumentCallback" in str(error):
                raise SourceError(
                    f"{origin} names a remote @context, and nothing is fetched while reading; write the context into the file",
                    code="remote-context",
                    where=origin,
                ) from None
            if error.lineno is None or error.lineno != last_bad:
                where = origin if error.lineno is None else f"{origin}:{error.lineno}"
                statements.diagnostics.add("broken statement", where, _cause(error))
            if error.lineno is None:
                return
            last_bad = error.lineno
            if statements.count > count:
                patience.good()
            patience.bad()
            count = statements.count
            if patience.is_over:
                detail = f"{patience.in_a_row:,} errors in a row; the rest of the file is not read"
                statements.diagnostics.add("given up", f"{origin}:{error.lineno}", detail)
                return
        except ValueError as error:
            statements.diagnostics.add("broken statement", origin, str(error))
            return


def _cause(error: SyntaxError) -> str:
    # "Parser error at line 2 between columns 7 and 10: The predicate ..." -> "The predicate ..."
    return (error.msg or "").partition(": ")[2] or str(error.msg)


def _collect_valid(
    quads: Any, statements: Statements, roles: Roles, options: ReadOptions, origin: str, blank: Callable[[str], str]
) -> None:
    # The one hot loop of reading RDF: locals, no calls where an append does.
    named_node, literal, blank_node = ox.NamedNode, ox.Literal, ox.BlankNode
    role_of, ids = roles.of, statements.ids
    sources, targets, edge_relations, relations = (
        statements.edge_source,
        statements.edge_target,
        statements.edge_relation,
        statements.relations,
    )
    known: dict[str, int | None] = {}
    last_subject, last_type, external, node, count = None, None, "", 0, 0
    try:
        for quad in quads:
            count += 1
            subject = quad.subject
            key = subject.value
            if key != last_subject or type(subject) is not last_type:
                last_subject, last_type = key, type(subject)
                external = key if last_type is named_node else blank(key)
                node = ids.setdefault(external, len(ids))
            predicate = quad.predicate.value
            try:
                role = known[predicate]
            except KeyError:
                if roles.given:
                    roles.declare(_declared(quads))
                role = known[predicate] = role_of.get(predicate)
            value = quad.object
            term_type = type(value)
            if term_type is literal:
                _literal(statements, node, external, role, predicate, value, options, origin)
            elif term_type is named_node or term_type is blank_node:
                target = value.value if term_type is named_node else blank(value.value)
                if role is None or role < TYPE or role in (PRIOR, DEPRECATED):
                    sources.append(node)
                    targets.append(ids.setdefault(target, len(ids)))
                    edge_relations.append(relations.setdefault(predicate, len(relations)))
                elif role == TYPE:
                    statements.type(node, target)
                else:
                    _redirect(statements, role, external, target)
    finally:
        statements.count += count
        statements.predicates_seen.update(known)


def _literal(
    statements: Statements,
    node: int,
    external: str,
    role: int | None,
    predicate: str,
    value: ox.Literal,
    options: ReadOptions,
    origin: str,
) -> None:
    if role is None:
        if value.language or value.datatype.value == _STRING:
            statements.literal_predicates[predicate] += 1
    elif role < DESCRIPTION and external.startswith("_:"):
        statements.blank_names += 1  # it has no id that anybody could link to
    elif role <= DESCRIPTION:
        rank = options.language_rank(value.language)
        if rank is None:
            if role != DESCRIPTION:
                statements.other_languages[value.language or ""] += 1
        elif role == DESCRIPTION:
            statements.description(node, value.value, rank + ALIAS if predicate in _NOTES else rank)
        else:
            statements.name(node, value.value, rank if role == LABEL else rank + ALIAS, value.language)
    elif role == TYPE:
        statements.type(node, value.value)
    elif role == PRIOR:
        statements.prior(node, value.value, origin)
    elif role == DEPRECATED and value.value in ("true", "1"):
        statements.leave_out(node, "deprecated")
    elif role in (REPLACED, ALTERNATIVE):
        _redirect(statements, role, external, value.value.strip())


def _redirect(statements: Statements, role: int, entity_id: str, other: str) -> None:
    """Let an entity lead to what replaces it, or an alternative id to its entity."""
    old, new = (entity_id, other) if role == REPLACED else (other, entity_id)
    statements.redirects[old] = new

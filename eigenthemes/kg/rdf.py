"""RDF: N-Triples, N-Quads, Turtle, TriG, RDF/XML and JSON-LD, parsed by pyoxigraph.

N-Triples and N-Quads are read in blocks of lines, which may be parsed by several processes; the others as one stream.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from typing import IO, Any, cast

import pyoxigraph as ox

from eigenthemes.core.diagnostics import Diagnostics, ErrorBudget
from eigenthemes.core.entity_ids import PREFIXES
from eigenthemes.core.files import Joined, clean_utf8
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.kg.options import ReadOptions, expand
from eigenthemes.kg.statements import ALIAS, Statements
from eigenthemes.kg.xml_limits import LimitedXml

# used as a description only where there is no other
_NOTES = ("http://www.w3.org/2000/01/rdf-schema#comment", "http://www.w3.org/2004/02/skos/core#scopeNote")
_STRING = "http://www.w3.org/2001/XMLSchema#string"

LABEL, ALIAS_ROLE, DESCRIPTION, TYPE, PRIOR, DEPRECATED, REPLACED, ALTERNATIVE = range(8)

_PREDICATES = {
    LABEL: "rdfs:label skos:prefLabel schema:name https://schema.org/name foaf:name",
    ALIAS_ROLE: """skos:altLabel skos:hiddenLabel schema:alternateName https://schema.org/alternateName obo:IAO_0000118
        dbo:demonym wdt:P1549""",
    DESCRIPTION: """schema:description https://schema.org/description rdfs:comment skos:definition skos:scopeNote
        obo:IAO_0000115 dct:description""",
    TYPE: "rdf:type wdt:P31 skos:inScheme oboInOwl:hasOBONamespace",
    DEPRECATED: "owl:deprecated",
    REPLACED: "obo:IAO_0100001",
    ALTERNATIVE: "oboInOwl:hasAlternativeId",
}
_USUAL_ROLES = {str(expand(name)): role for role, names in _PREDICATES.items() for name in names.split()}
_GIVEN_ROLES = {"label": LABEL, "alias": ALIAS_ROLE, "description": DESCRIPTION, "type": TYPE, "prior": PRIOR}

FORMATS = {
    "nt": ox.RdfFormat.N_TRIPLES,
    "nq": ox.RdfFormat.N_QUADS,
    "ttl": ox.RdfFormat.TURTLE,
    "trig": ox.RdfFormat.TRIG,
    "xml": ox.RdfFormat.RDF_XML,
    "jsonld": ox.RdfFormat.JSON_LD,
}


class Roles:
    """The roles of predicates. The user's CURIEs are expanded by the prefixes of the file, once it declares them."""

    def __init__(self, options: ReadOptions) -> None:
        synonyms = [f"oboInOwl:has{scope.capitalize()}Synonym" for scope in options.synonyms]
        self.of = {**_USUAL_ROLES, **{str(expand(name)): ALIAS_ROLE for name in synonyms}}
        self.given = {name: _GIVEN_ROLES[role] for role, name in options.predicates()}
        for name in self.given:
            if ":" not in name:
                raise OptionError(f"{name!r} is neither an IRI nor a CURIE; write it like rdfs:label or http://...")
        self.declare(PREFIXES)

    def declare(self, prefixes: dict[str, str]) -> None:
        """Expand the user's CURIEs by the prefixes of a file."""
        for name, role in self.given.items():
            iri = expand(name, prefixes)
            if iri is not None:
                self.of[iri] = role


def read_block(data: bytes, first_line: int, *, format_name: str, options: ReadOptions, origin: str, nodes: str) -> Statements:
    """Read the statements of one block of N-Triples or N-Quads; `nodes` is a prefix of the blank node labels of this file."""
    diagnostics = Diagnostics(options.strict)
    data = clean_utf8(data, first_line, origin, diagnostics)
    roles = Roles(options)

    def parse(lines: bytes) -> Any:
        return ox.parse(input=lines, format=FORMATS[format_name], lenient=True)

    def collect(quads: Any) -> Statements:
        collector = _Collector(Statements(strict=options.strict), roles, options, origin, lambda label: f"_:{nodes}{label}")
        collector.add(quads)
        return collector.statements

    try:
        statements = collect(parse(data))
        by_line = next(iris_over_lines(statements), None) is not None
    except SyntaxError:
        by_line = True
    if by_line:  # the parser may read on after the end of a line, even without an error
        statements = collect(_valid_quads(data, first_line, parse, origin, diagnostics))
    statements.diagnostics.merge(diagnostics)
    return statements


def _valid_quads(
    data: bytes, first_line: int, parse: Callable[[bytes], Any], origin: str, diagnostics: Diagnostics
) -> Iterator[Any]:
    """Yield the statements line by line: a broken line loses no other line."""
    lines, budget = data.splitlines(keepends=True), ErrorBudget()
    for number, line in enumerate(lines, first_line):
        try:
            of_line = list(parse(line))
        except SyntaxError as error:
            budget.errors += 1
            diagnostics.add("broken statement", f"{origin}:{number}", _cause(error))
            if budget.is_spent:
                budget.report(diagnostics, f"{origin}:{number}", first_line + len(lines) - number - 1)
                return
        else:
            budget.errors = 0 if of_line else budget.errors
            yield from of_line


def iris_over_lines(statements: Statements) -> Iterator[str]:
    """Yield the IRIs that contain a line break: one without an end includes the text behind it."""
    forgotten = getattr(statements.ids, "over_lines", ())
    yield from dict.fromkeys(chain(forgotten, (iri for iri in statements.ids if "\n" in iri)))
    yield from (iri for iri in chain(statements.relations, statements.types) if "\n" in iri)


def read_stream(
    stream: IO[bytes], format_name: str, statements: Statements, *, options: ReadOptions, origin: str, nodes: str, head: bytes
) -> None:
    """Read the statements of Turtle, TriG, RDF/XML or JSON-LD; `head` is the beginning of the file."""
    roles = Roles(options)
    if format_name == "xml":
        namespaces = _xml_namespaces(head)
        roles.declare(namespaces)
        statements.prefixes.update(namespaces)
        stream = cast(IO[bytes], io.BufferedReader(Joined(LimitedXml(stream, origin, statements.diagnostics).blocks())))
    quads = ox.parse(input=stream, format=FORMATS[format_name], lenient=True, base_iri="file:///")
    numbers: dict[str, int] = {}  # anonymous nodes have random labels: number them in order of appearance

    def blank(label: str) -> str:
        """Return the name of a blank node, numbered at its first appearance."""
        return f"_:{nodes}b{numbers.setdefault(label, len(numbers))}"

    _Collector(statements, roles, options, origin, blank).add_all(quads)
    for iri in iris_over_lines(statements):
        statements.diagnostics.add("IRI that does not end on its line, with what stands behind it", origin, iri[:80])
    statements.prefixes.update(_declared(quads))


def _xml_namespaces(head: bytes) -> dict[str, str]:
    """Return the namespaces that an XML file declares at its beginning, which the parser does not report."""
    declared = re.findall(rb"""xmlns:?([\w.-]*)\s*=\s*["']([^"']+)["']""", head)
    return {prefix.decode(): iri.decode("utf-8", "replace") for prefix, iri in declared}


def _declared(quads: Any) -> dict[str, str]:
    return dict(getattr(quads, "prefixes", {}))  # formats by line have none


def _cause(error: SyntaxError) -> str:
    # "Parser error at line 2 between columns 7 and 10: The predicate ..." -> "The predicate ..."
    return (error.msg or "").partition(": ")[2] or str(error.msg)


@dataclass
class _Collector:
    """Adds parsed quads to statements."""

    statements: Statements
    roles: Roles
    options: ReadOptions
    origin: str
    blank: Callable[[str], str]  # label of a blank node -> its id

    def add_all(self, quads: Any) -> None:
        """Add all quads; report a syntax error and continue behind it, unless there are too many in a row."""
        diagnostics, last_line, budget, count = self.statements.diagnostics, -1, ErrorBudget(), self.statements.count
        while True:
            try:
                self.add(quads)
                return
            except SyntaxError as error:
                self._refuse_remote_context(error)
                if error.lineno is None:
                    diagnostics.add("broken statement", self.origin, _cause(error))
                    return
                where = f"{self.origin}:{error.lineno}"
                if error.lineno != last_line:
                    diagnostics.add("broken statement", where, _cause(error))
                last_line = error.lineno
                budget.errors = 1 if self.statements.count > count else budget.errors + 1
                count = self.statements.count
                if budget.is_spent:
                    diagnostics.add("given up", where, f"{budget.errors:,} errors in a row; the rest of the file is not read")
                    return
            except ValueError as error:
                diagnostics.add("broken statement", self.origin, str(error))
                return

    def _refuse_remote_context(self, error: SyntaxError) -> None:
        if "LoadDocumentCallback" in str(error):
            raise SourceError(
                f"{self.origin} names a remote @context, and nothing is fetched while reading; write the context into the file",
                code="remote-context",
                where=self.origin,
            ) from None

    def add(self, quads: Any) -> None:
        """Add quads up to the first error."""
        # The one hot loop of reading RDF: locals, no calls where an append does.
        named_node, literal, blank_node = ox.NamedNode, ox.Literal, ox.BlankNode
        statements, blank = self.statements, self.blank
        role_of, ids, relations = self.roles.of, statements.ids, statements.relations
        sources, targets, edge_relations = statements.edge_source, statements.edge_target, statements.edge_relation
        known: dict[str, int | None] = {}
        last_subject, last_type, entity_id, node, count = None, None, "", 0, 0
        try:
            for quad in quads:
                count += 1
                subject = quad.subject
                key = subject.value
                if key != last_subject or type(subject) is not last_type:
                    last_subject, last_type = key, type(subject)
                    entity_id = key if last_type is named_node else blank(key)
                    node = ids.setdefault(entity_id, len(ids))
                predicate = quad.predicate.value
                try:
                    role = known[predicate]
                except KeyError:
                    if self.roles.given:
                        self.roles.declare(_declared(quads))
                    role = known[predicate] = role_of.get(predicate)
                value = quad.object
                term_type = type(value)
                if term_type is literal:
                    self._add_literal(node, entity_id, role, predicate, value)
                elif term_type is named_node or term_type is blank_node:
                    target = value.value if term_type is named_node else blank(value.value)
                    if role is None or role < TYPE or role in (PRIOR, DEPRECATED):
                        sources.append(node)
                        targets.append(ids.setdefault(target, len(ids)))
                        edge_relations.append(relations.setdefault(predicate, len(relations)))
                    elif role == TYPE:
                        statements.type(node, target)
                    else:
                        self._redirect(role, entity_id, target)
        finally:
            statements.count += count
            statements.predicates_seen.update(known)

    def _add_literal(self, node: int, entity_id: str, role: int | None, predicate: str, value: ox.Literal) -> None:
        statements = self.statements
        if role is None:
            if value.language or value.datatype.value == _STRING:
                statements.literal_predicates[predicate] += 1
        elif role < DESCRIPTION and entity_id.startswith("_:"):
            statements.blank_names += 1  # a blank node has no id to link to
        elif role <= DESCRIPTION:
            rank = self.options.language_rank(value.language)
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
            statements.prior(node, value.value, self.origin)
        elif role == DEPRECATED and value.value in ("true", "1"):
            statements.leave_out(node, "deprecated")
        elif role in (REPLACED, ALTERNATIVE):
            self._redirect(role, entity_id, value.value.strip())

    def _redirect(self, role: int, entity_id: str, other: str) -> None:
        """Redirect an entity to its replacement, or an alternative id to its entity."""
        old, new = (entity_id, other) if role == REPLACED else (other, entity_id)
        self.statements.redirects[old] = new

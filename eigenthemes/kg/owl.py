"""OWL as a KG: classes and individuals are entities, some-values-from restrictions are edges, the rest is bookkeeping.

The readers of RDF take every triple for what it is. What ontologies write in triples about themselves is taken out here, when
all sources are read: axioms, restrictions, lists, headers, subsets, and properties, unless they are wanted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import Statements

_OWL, _RDFS = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2000/01/rdf-schema#"
_RDF, _XSD = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2001/XMLSchema#"
_OBO, _OBO_IN_OWL = "http://purl.obolibrary.org/obo/", "http://www.geneontology.org/formats/oboInOwl#"

_CLASSES = (f"{_OWL}Class", f"{_RDFS}Class")
_PLAIN = {*_CLASSES, f"{_OWL}NamedIndividual", f"{_OWL}Thing", f"{_RDFS}Resource"}  # types that say nothing of an entity
_PROPERTIES = {
    f"{_RDF}Property",
    *(
        f"{_OWL}{kind}Property"
        for kind in (
            "Object", "Datatype", "Annotation", "Ontology", "Transitive", "Symmetric", "Asymmetric", "Functional",
            "InverseFunctional", "Reflexive", "Irreflexive", "Deprecated",
        )
    ),
}  # fmt: skip
_STRUCTURE = {
    *(
        f"{_OWL}{kind}"
        for kind in (
            "Axiom", "Annotation", "Restriction", "AllDisjointClasses", "AllDisjointProperties", "AllDifferent", "DataRange",
            "NegativePropertyAssertion", "Ontology",
        )
    ),
    f"{_RDF}Statement",
    f"{_RDFS}Datatype",
    f"{_OBO}IAO_0000078",  # curation status of a term
    f"{_OBO}IAO_0000225",  # why a term is obsolete
}  # fmt: skip
_META_LEVEL = (_OWL, _RDF, _RDFS, _XSD, _OBO_IN_OWL)
_OF_PROPERTIES = {f"{_RDFS}domain", f"{_RDFS}range", f"{_RDFS}subPropertyOf", f"{_OWL}inverseOf"}
_ABOUT_TERMS = (  # predicates that say something of a term, not of what it means
    _RDFS, _OBO_IN_OWL, f"{_OBO}IAO_", f"{_OBO}OMO_", "http://purl.org/dc/", "http://xmlns.com/foaf/0.1/",
)  # fmt: skip
_IS_A = f"{_RDFS}subClassOf"
_ENDS = {f"{_OWL}someValuesFrom", f"{_OWL}hasValue", f"{_OWL}allValuesFrom"}

BOOKKEEPING, PROPERTY = "axioms, restrictions and other bookkeeping of an ontology", "properties of an ontology"


def settle_ontologies(statements: Statements, options: ReadOptions) -> None:
    """Leave the bookkeeping of ontologies out, and make edges of what they say by restrictions."""
    if _PROPERTIES.union(_STRUCTURE, _CLASSES).isdisjoint(statements.types):
        return
    statements.is_ontology = True
    ontology = _Ontology(statements)
    with_properties = options.with_properties or ontology.is_about_properties()
    ontology.name_relations()
    ontology.add_restrictions()
    ontology.drop_edges(with_properties=with_properties)
    ontology.leave_out(with_properties=with_properties)
    statements.rename_relations({_IS_A: "is_a"})


class _Ontology:
    """Masks over the nodes of the statements."""

    def __init__(self, statements: Statements) -> None:
        self.statements = statements
        self.ids = list(statements.ids)
        self.blank = np.array([entity_id.startswith("_:") for entity_id in self.ids], dtype=bool)
        self.properties = self._typed(_PROPERTIES) & ~self.blank
        self.classes = self._typed(_CLASSES)
        self.structure = self._typed(_STRUCTURE) | (self.blank & (self.classes | self._typed(_PROPERTIES)))
        for entity_id, node in statements.ids.items():
            if entity_id.startswith(_META_LEVEL):
                self.structure[node] = True
        self._mark_lists()

    def _typed(self, types: Iterable[str]) -> NDArray[np.bool_]:
        known = [self.statements.types[each] for each in types if each in self.statements.types]
        mask = np.zeros(len(self.ids), dtype=bool)
        mask[self.statements.numbers("type_node")[np.isin(self.statements.numbers("type_id"), known)]] = True
        return mask

    def _edges(self, *relations: str) -> Iterator[tuple[int, int]]:
        """Yield source and target of the edges of some relations."""
        known = [self.statements.relations[each] for each in relations if each in self.statements.relations]
        rows = np.flatnonzero(np.isin(self.statements.numbers("edge_relation"), known))
        ends = (self.statements.numbers(name)[rows].tolist() for name in ("edge_source", "edge_target"))
        yield from zip(*ends, strict=True)

    def _mark_lists(self) -> None:
        """Mark the lists that OWL's own predicates point to: their cells are blank nodes, too."""
        of_owl = [relation for relation in self.statements.relations if relation.startswith(_OWL)]
        rest = dict(self._edges(f"{_RDF}rest"))
        for _, cell in list(self._edges(*of_owl)):
            while cell in rest and not self.structure[cell]:
                self.structure[cell] = True
                cell = rest[cell]

    def is_about_properties(self) -> bool:
        """Are there about as many named properties as all other named entities together? Then the sources are about them."""
        named = np.zeros(len(self.ids), dtype=bool)
        named[self.statements.numbers("name_node")] = True
        properties = named & self.properties & ~self._typed([f"{_OWL}AnnotationProperty"])
        others = named & ~self.properties & ~self.structure
        if 4 * properties.sum() < 3 * others.sum() or not properties.any():
            return False
        note = f"{int(properties.sum()):,} properties are entities, too: the sources have only {int(others.sum()):,} others"
        self.statements.notes[note] = None
        return True

    def name_relations(self) -> None:
        """Call each relation by the best name of its property."""
        rows = np.flatnonzero(self.properties[self.statements.numbers("name_node")])
        rows = rows[np.argsort(self.statements.numbers("name_rank")[rows], kind="stable")]
        texts, nodes = self.statements.texts("name_text"), self.statements.numbers("name_node")
        for row in rows.tolist():
            entity_id = self.ids[nodes[row]]
            self.statements.relation_names.setdefault(entity_id, str(texts[row]))

    def add_restrictions(self) -> None:
        """Make an edge of `subClassOf (property some class)`, also within an intersection."""
        self._property = dict(self._edges(f"{_OWL}onProperty"))
        self._end = dict(self._edges(*_ENDS))
        self._first, self._rest = dict(self._edges(f"{_RDF}first")), dict(self._edges(f"{_RDF}rest"))
        self._parts = dict(self._edges(f"{_OWL}intersectionOf"))
        for source, expression in list(self._edges(_IS_A)):
            if self.blank[expression] and not self.blank[source]:
                self._read_expression(source, expression)

    def _read_expression(self, source: int, expression: int, depth: int = 0) -> None:
        relation, target = self._property.get(expression), self._end.get(expression)
        if relation is not None and target is not None and not (self.blank[relation] or self.blank[target]):
            self.statements.edge(source, target, self.ids[relation])
        for part in self._members(self._parts.get(expression), depth):
            if self.blank[part]:
                self._read_expression(source, part, depth + 1)
            else:
                self.statements.edge(source, part, _IS_A)

    def _members(self, cell: int | None, depth: int) -> Iterator[int]:
        """Yield the members of a list, but not for ever: a list may lead back to itself."""
        seen: set[int] = set()
        while cell is not None and cell not in seen and depth < 10:
            seen.add(cell)
            if cell in self._first:
                yield self._first[cell]
            cell = self._rest.get(cell)

    def drop_edges(self, *, with_properties: bool) -> None:
        """Drop what is said about classes and properties as terms; what is said of individuals stays."""
        statements = self.statements
        annotations = {self.ids[node] for node in np.flatnonzero(self._typed([f"{_OWL}AnnotationProperty"])).tolist()}
        of_terms, of_all = np.zeros((2, len(statements.relations)), dtype=bool)
        for relation, number in statements.relations.items():
            if relation == _IS_A or (with_properties and relation in _OF_PROPERTIES):
                continue
            of_terms[number] = relation in annotations or relation.startswith((*_ABOUT_TERMS, _OWL))
            of_all[number] = (relation.startswith(_OWL) and relation != f"{_OWL}sameAs") or relation == f"{_OBO_IN_OWL}inSubset"
        relation_of, source = statements.numbers("edge_relation"), statements.numbers("edge_source")
        terms = self.classes | self.properties | self.structure
        dropped = of_all[relation_of] | (of_terms[relation_of] & terms[source])
        self.touched = np.zeros(len(self.ids), dtype=bool)
        self.touched[statements.numbers("edge_target")[dropped]] = True
        self.touched[source[dropped & self.blank[source]]] = True
        statements.keep_edges(~dropped)

    def leave_out(self, *, with_properties: bool) -> None:
        """Leave out bookkeeping and properties, what only bookkeeping pointed to, and the types that say nothing."""
        statements = self.statements
        ends = [statements.numbers(name) for name in ("edge_source", "edge_target")]
        self.touched[ends[1][self.structure[ends[0]]]] = True
        out = self.structure | (self.touched & ~self._is_anything())
        properties = self.properties & ~out
        if not with_properties:
            out |= properties
            statements.leave_out_all(np.flatnonzero(properties), PROPERTY)
        statements.keep_edges(~(out[ends[0]] | out[ends[1]]))
        statements.leave_out_all(np.flatnonzero(out & ~properties), BOOKKEEPING)
        if not with_properties:
            plain = [number for name, number in statements.types.items() if name in _PLAIN]
            statements.keep_types(~np.isin(statements.numbers("type_id"), plain))

    def _is_anything(self) -> NDArray[np.bool_]:
        """Which nodes are more than the end of an edge that was dropped?"""
        mask = np.zeros(len(self.ids), dtype=bool)
        columns = ["name_node", "description_node", "type_node", "prior_node", "record_node"]
        for name in columns:
            mask[self.statements.numbers(name)] = True
        source, target = self.statements.numbers("edge_source"), self.statements.numbers("edge_target")
        inside = ~(self.structure[source] | self.structure[target])
        mask[source[inside]] = mask[target[inside]] = True
        return mask

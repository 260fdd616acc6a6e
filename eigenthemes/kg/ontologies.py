"""Clean-up of ontologies when all sources are read: OWL's bookkeeping, names of relations, spellings of ids.

The readers of RDF take every triple literally. Classes and individuals of OWL are entities, some-values-from restrictions are
edges; axioms, restrictions, lists, headers, subsets and properties are left out here, properties unless they are wanted.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.entity_ids import Curie, curie_of_iri, last_part, parse_curie
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import Statements

_OWL, _RDFS = "http://www.w3.org/2002/07/owl#", "http://www.w3.org/2000/01/rdf-schema#"
_RDF, _XSD = "http://www.w3.org/1999/02/22-rdf-syntax-ns#", "http://www.w3.org/2001/XMLSchema#"
_OBO, _OBO_IN_OWL = "http://purl.obolibrary.org/obo/", "http://www.geneontology.org/formats/oboInOwl#"

_CLASSES = (f"{_OWL}Class", f"{_RDFS}Class")
_PLAIN = {*_CLASSES, f"{_OWL}NamedIndividual", f"{_OWL}Thing", f"{_RDFS}Resource"}  # types without information about an entity
_PROPERTY_KINDS = """Object Datatype Annotation Ontology Transitive Symmetric Asymmetric Functional InverseFunctional Reflexive
    Irreflexive Deprecated""".split()
_PROPERTIES = {f"{_RDF}Property", *(f"{_OWL}{kind}Property" for kind in _PROPERTY_KINDS)}
_STRUCTURE_KINDS = """Axiom Annotation Restriction AllDisjointClasses AllDisjointProperties AllDifferent DataRange
    NegativePropertyAssertion Ontology""".split()
_TERM_STATUS = (f"{_OBO}IAO_0000078", f"{_OBO}IAO_0000225")  # curation status, reason of obsolescence
_STRUCTURE = {f"{_RDF}Statement", f"{_RDFS}Datatype", *_TERM_STATUS, *(f"{_OWL}{kind}" for kind in _STRUCTURE_KINDS)}
_META_LEVEL = (_OWL, _RDF, _RDFS, _XSD, _OBO_IN_OWL)
_OF_PROPERTIES = {f"{_RDFS}domain", f"{_RDFS}range", f"{_RDFS}subPropertyOf", f"{_OWL}inverseOf"}
_ABOUT_TERMS = (  # predicates that describe a term, not its meaning
    _RDFS, _OBO_IN_OWL, f"{_OBO}IAO_", f"{_OBO}OMO_", "http://purl.org/dc/", "http://xmlns.com/foaf/0.1/",
)  # fmt: skip
_REPLACED_BY = "http://purl.org/dc/terms/isReplacedBy"
_IS_A = f"{_RDFS}subClassOf"
_ENDS = {f"{_OWL}someValuesFrom", f"{_OWL}hasValue", f"{_OWL}allValuesFrom"}

BOOKKEEPING, PROPERTY = "axioms, restrictions and other bookkeeping of an ontology", "properties of an ontology"

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_DENIALS = {"not", "never", "lack", "lacks", "lacking", "without", "disjoint", "excludes", "excluded", "absent"}
_W3ID = ("http://w3id.org/", "https://w3id.org/")


def clean_ontologies(statements: Statements, options: ReadOptions) -> None:
    """Leave out the bookkeeping of OWL, and turn restrictions into edges."""
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
    """The statements of an ontology, with masks over its nodes."""

    def __init__(self, statements: Statements) -> None:
        self.statements = statements
        self.ids = list(statements.ids)
        self.blank = np.array([entity_id.startswith("_:") for entity_id in self.ids], dtype=bool)
        self.properties = self._typed(_PROPERTIES) & ~self.blank
        self.classes = self._typed(_CLASSES)
        self.structure = self._typed(_STRUCTURE) | (self.blank & (self.classes | self._typed(_PROPERTIES)))
        self.structure |= np.array([entity_id.startswith(_META_LEVEL) for entity_id in self.ids], dtype=bool)
        self._mark_lists()

    def _typed(self, types: Iterable[str]) -> NDArray[np.bool_]:
        known = [self.statements.types[each] for each in types if each in self.statements.types]
        mask = np.zeros(len(self.ids), dtype=bool)
        mask[self.statements.numbers("type_node")[np.isin(self.statements.numbers("type_id"), known)]] = True
        return mask

    def _edges(self, *relations: str) -> Iterator[tuple[int, int]]:
        """Yield source and target of each edge of these relations."""
        known = [self.statements.relations[each] for each in relations if each in self.statements.relations]
        rows = np.flatnonzero(np.isin(self.statements.numbers("edge_relation"), known))
        ends = (self.statements.numbers(name)[rows].tolist() for name in ("edge_source", "edge_target"))
        yield from zip(*ends, strict=True)

    def _mark_lists(self) -> None:
        """Mark the cells of lists that OWL's own predicates point to."""
        of_owl = [relation for relation in self.statements.relations if relation.startswith(_OWL)]
        rest = dict(self._edges(f"{_RDF}rest"))
        for _, cell in list(self._edges(*of_owl)):
            while cell in rest and not self.structure[cell]:
                self.structure[cell] = True
                cell = rest[cell]

    def is_about_properties(self) -> bool:
        """Return whether there are at least three named properties for every four other named entities."""
        named = self.statements.nodes_in("name_node")
        properties = named & self.properties & ~self._typed([f"{_OWL}AnnotationProperty"])
        others = named & ~self.properties & ~self.structure
        if 4 * properties.sum() < 3 * others.sum() or not properties.any():
            return False
        note = f"{int(properties.sum()):,} properties are entities, too: the sources have only {int(others.sum()):,} others"
        self.statements.notes[note] = None
        return True

    def name_relations(self) -> None:
        """Name each relation by the best name of its property."""
        rows = np.flatnonzero(self.properties[self.statements.numbers("name_node")])
        rows = rows[np.argsort(self.statements.numbers("name_rank")[rows], kind="stable")]
        texts, nodes = self.statements.texts("name_text"), self.statements.numbers("name_node")
        for row in rows.tolist():
            entity_id = self.ids[nodes[row]]
            self.statements.relation_names.setdefault(entity_id, str(texts[row]))

    def add_restrictions(self) -> None:
        """Turn each `subClassOf (property some class)` into an edge, also within an intersection."""
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
        """Yield the members of a list, each cell once: a list may contain itself."""
        seen: set[int] = set()
        while cell is not None and cell not in seen and depth < 10:
            seen.add(cell)
            if cell in self._first:
                yield self._first[cell]
            cell = self._rest.get(cell)

    def drop_edges(self, *, with_properties: bool) -> None:
        """Drop edges that annotate classes and properties; those of individuals are kept."""
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
        """Leave out bookkeeping, nodes that only bookkeeping points to, properties, and uninformative types."""
        statements = self.statements
        ends = [statements.numbers(name) for name in ("edge_source", "edge_target")]
        self.touched[ends[1][self.structure[ends[0]]]] = True
        out = self.structure | (self.touched & ~self._is_described())
        properties = self.properties & ~out
        if not with_properties:
            out |= properties
            statements.leave_out_all(np.flatnonzero(properties), PROPERTY)
        statements.keep_edges(~(out[ends[0]] | out[ends[1]]))
        statements.leave_out_all(np.flatnonzero(out & ~properties), BOOKKEEPING)
        if not with_properties:
            plain = [number for name, number in statements.types.items() if name in _PLAIN]
            statements.keep_types(~np.isin(statements.numbers("type_id"), plain))

    def _is_described(self) -> NDArray[np.bool_]:
        """Return which nodes are more than the end of an edge that was dropped."""
        mask = self.statements.nodes_in("name_node", "description_node", "type_node", "prior_node", "record_node")
        source, target = self.statements.numbers("edge_source"), self.statements.numbers("edge_target")
        inside = ~(self.structure[source] | self.structure[target])
        mask[source[inside]] = mask[target[inside]] = True
        return mask


def follow_replacements(statements: Statements) -> None:
    """Redirect ids to those that replace them: by dcterms:isReplacedBy, and by owl:sameAs where one end is only an id.

    An id that is the same as two others stays a node.
    """
    relations = [statements.relations.get(relation, -1) for relation in (_REPLACED_BY, f"{_OWL}sameAs")]
    relation_of, source, target = (statements.numbers(name) for name in ("edge_relation", "edge_source", "edge_target"))
    replaced, same = (np.flatnonzero(relation_of == relation) for relation in relations)
    if not len(replaced) and not len(same):
        return
    others = ~np.isin(relation_of, relations)
    is_described = statements.nodes_in("name_node", "record_node")
    is_described[source[others]] = is_described[target[others]] = True
    is_described[list(statements.left_out.get("deprecated", ()))] = False
    pairs = [(source[replaced], target[replaced])]
    for old, new in ((source[same], target[same]), (target[same], source[same])):
        moved = ~is_described[old] & is_described[new]
        pairs.append((old[moved], new[moved]))
    old, new = np.unique(np.concatenate(pairs, axis=1), axis=1)
    _, first, counts = np.unique(old, return_index=True, return_counts=True)
    ids = statements.id_strings()
    for row in first[counts == 1].tolist():
        statements.redirects.setdefault(str(ids[int(old[row])]), str(ids[int(new[row])]))


def merge_spellings(statements: Statements) -> None:
    """Merge nodes whose ids are spellings of one id; the first spelling stays, the others redirect to it."""
    curies = ((node, curie_of_iri(entity_id)) for entity_id, node in statements.ids.items())
    by_iri = {node: curie for node, curie in curies if curie is not None}
    if not by_iri and not statements.redirects:
        return
    first = _first_nodes(statements, by_iri)
    ids = list(statements.ids)
    nodes = np.arange(len(ids), dtype=np.uint32)
    for node, own in first.items():
        nodes[node] = own
        if node != own:
            statements.redirects[ids[node]] = ids[own]
    if len(first):
        statements.renumber(nodes)
    known = {curie.key: ids[first.get(node, node)] for node, curie in by_iri.items()}
    for old, new in statements.redirects.items():
        if new not in statements.ids:
            target = curie_of_iri(new) or parse_curie(new)
            if target is not None:  # the spelling that the sources use, if they have the id
                statements.redirects[old] = str(target) if str(target) in statements.ids else known.get(target.key, new)
    for node, curie in by_iri.items():  # no rule expands these CURIEs: they are kept as redirects
        if ids[node].startswith(_W3ID) and str(curie) not in statements.ids:
            statements.redirects.setdefault(str(curie), ids[node])


def _first_nodes(statements: Statements, by_iri: dict[int, Curie]) -> dict[int, int]:
    """Map each node with several spellings to the first of them. Two CURIEs alone are never merged."""
    spelled: dict[str, list[int]] = {}
    for node, curie in by_iri.items():
        spelled.setdefault(curie.key, []).append(node)
    if spelled:
        for entity_id, node in statements.ids.items():
            written = parse_curie(entity_id) if node not in by_iri else None
            if written is not None and written.key in spelled:
                spelled[written.key].append(node)
    return {node: min(nodes) for nodes in spelled.values() if len(nodes) > 1 for node in nodes}


def clean_relations(statements: Statements) -> None:
    """Name the relations of ontologies, and drop the edges of relations that deny, such as `lacks_part`."""
    names = dict(statements.relation_names)
    if statements.is_ontology:
        _drop_denials(statements, names)
        for relation in statements.relations:
            curie = curie_of_iri(relation)
            if curie is not None:
                names.setdefault(relation, str(curie))
    if names or statements.is_ontology:
        statements.rename_relations(names)


def is_negation(relation: str) -> bool:
    """Return whether a relation is a negation: `lacks_part`, `never in taxon`, `hasNotCompleted`."""
    return not _DENIALS.isdisjoint(word.lower() for word in _WORDS.findall(last_part(relation)))


def _drop_denials(statements: Statements, names: dict[str, str]) -> None:
    denying = {
        number: names.get(relation, relation)
        for relation, number in statements.relations.items()
        if is_negation(relation) or is_negation(names.get(relation, ""))
    }
    relation_of = statements.numbers("edge_relation")
    dropped = np.isin(relation_of, list(denying))
    if dropped.any():
        listed = ", ".join(sorted({denying[number] for number in np.unique(relation_of[dropped]).tolist()})[:5])
        statements.notes[f"{int(dropped.sum()):,} statements of relations that deny are no edges ({listed})"] = None
        statements.keep_edges(~dropped)

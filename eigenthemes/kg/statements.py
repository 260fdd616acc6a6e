"""What the readers find, in compact form: interned ids, flat arrays, piles of text.

Every reader writes the same statements: nodes, names, descriptions, types, edges, priors, redirects, and what is left out.
Those of two blocks of one file can be merged, so that blocks may be read by several processes.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.diagnostics import EXAMPLES, Diagnostics
from eigenthemes.core.strings import StringPile

ALIAS = 128  # a name's rank: 0..127 may serve as the label, 128.. is an alias; the lower the better the language


class Statements:
    """The statements of a KG. Nodes are numbered in order of appearance; the build renumbers them by prior."""

    def __init__(self, *, strict: bool = False) -> None:
        self.ids: dict[str, int] = {}
        self.relations: dict[str, int] = {}
        self.types: dict[str, int] = {}
        self.edge_source, self.edge_target, self.edge_relation = array("I"), array("I"), array("I")
        self.languages: dict[str, int] = {"": 0}
        self.name_node, self.name_rank, self.name_text = array("I"), array("B"), StringPile()
        self.name_language = array("I")
        self.description_node, self.description_rank, self.description_text = array("I"), array("B"), StringPile()
        self.type_node, self.type_id = array("I"), array("I")
        self.prior_node, self.prior_value = array("I"), array("d")
        # where the format has records: the nodes that have one and its line; the edges of records and their lines
        self.record_node, self.record_line = array("I"), array("I")
        self.edge_number, self.edge_line = array("I"), array("I")
        self.files: list[tuple[str, int, int]] = []  # file, its first record, its first edge of a record
        self.predicates_seen: set[str] = set()  # of RDF, and relations of tables of edges
        self.columns_seen: dict[str, None] = {}  # of tables, in order
        self.other_languages: Counter[str] = Counter()  # of names that were not kept because of it
        self.left_out: dict[str, set[int]] = {}  # reason -> nodes that are not part of the KG
        self.redirects: dict[str, str] = {}
        self.diagnostics = Diagnostics(strict)
        self.count = 0  # triples, claims, rows or clauses read
        self.literal_predicates: Counter[str] = Counter()  # of no known role; names the remedy where no name was found
        self.prefixes: dict[str, str] = {}
        self.relation_names: dict[str, str] = {}  # id of a relation -> its name, where the sources give one
        self.is_ontology = False  # are there classes and relations of an ontology (OBO, OWL)?
        self.blank_names = 0  # names of blank nodes, which have no id and are no entities
        self.notes: dict[str, None] = {}  # what else people should know of how the sources were read

    def node(self, external_id: str) -> int:
        return self.ids.setdefault(external_id, len(self.ids))

    def name(self, node: int, text: str, rank: int, language: str | None = None) -> None:
        """Add a name of a node; the language is its tag in the source, None or "" for none."""
        text = text.strip()
        if text:
            self.name_node.append(node)
            self.name_rank.append(rank)
            self.name_text.append(text)
            self.name_language.append(self.languages.setdefault(language, len(self.languages)) if language else 0)

    def description(self, node: int, text: str, rank: int) -> None:
        text = text.strip()
        if text:
            self.description_node.append(node)
            self.description_rank.append(rank)
            self.description_text.append(text)

    def type(self, node: int, type_name: str) -> None:
        self.type_node.append(node)
        self.type_id.append(self.types.setdefault(type_name, len(self.types)))

    def edge(self, source: int, target: int, relation: str) -> None:
        self.edge_source.append(source)
        self.edge_target.append(target)
        self.edge_relation.append(self.relations.setdefault(relation, len(self.relations)))

    def prior(self, node: int, text: Any, where: str) -> None:
        try:
            value = float(text)
        except (TypeError, ValueError, OverflowError):
            value = math.nan
        if math.isfinite(value):
            self.prior_node.append(node)
            self.prior_value.append(value)
        else:
            self.diagnostics.add("prior that is not a number", where, repr(text))

    def begin_file(self, name: str) -> None:
        self.files.append((name, len(self.record_node), len(self.edge_number)))

    def record(self, external_id: str, line: int) -> int:
        """Add a node with a record of its own; return its number."""
        node = self.node(external_id)
        self.record_node.append(node)
        self.record_line.append(line)
        return node

    def record_edge(self, source: int, target: int, relation: str, line: int) -> None:
        """Add an edge that a record states."""
        self.edge_number.append(len(self.edge_source))
        self.edge_line.append(line)
        self.edge(source, target, relation)

    def leave_out(self, node: int, reason: str) -> None:
        self.left_out.setdefault(reason, set()).add(node)

    def leave_out_all(self, nodes: NDArray[np.int64], reason: str) -> None:
        """Leave out nodes that are not left out for another reason."""
        others = set().union(*self.left_out.values())
        members = set(nodes.tolist()) - others
        if members:
            self.left_out.setdefault(reason, set()).update(members)

    def check_records(self) -> None:
        """Count ids with two records, and edges of records to nodes that have neither a record nor a name."""
        if not self.record_node:
            return
        ids = list(self.ids)
        node = np.frombuffer(self.record_node, dtype=np.uint32)
        order = np.argsort(node, kind="stable")
        again = np.sort(order[1:][node[order][1:] == node[order][:-1]])
        self._note_all("duplicate id (names merged)", again, self.record_line, 1, lambda row: ids[node[row]])
        known = np.zeros(len(ids), dtype=bool)
        known[node] = True
        known[np.frombuffer(self.name_node, dtype=np.uint32)] = True
        edges = np.frombuffer(self.edge_number, dtype=np.uint32)
        ends = [np.frombuffer(end, dtype=np.uint32)[edges] for end in (self.edge_source, self.edge_target)]
        unknown = np.flatnonzero(~(known[ends[0]] & known[ends[1]]))
        problem = "edge to a node without a record (kept as a connector)"
        self._note_all(
            problem, unknown, self.edge_line, 2, lambda row: ids[next(end[row] for end in ends if not known[end[row]])]
        )

    def _note_all(
        self, problem: str, rows: NDArray[np.int64], lines: array[int], first: int, name: Callable[[int], str]
    ) -> None:
        """Count a problem of many records; the first few with file and line."""
        for row in rows[:EXAMPLES].tolist():
            file = next(entry[0] for entry in reversed(self.files) if entry[first] <= row)
            self.diagnostics.add(problem, f"{file}:{lines[row]}", name(row))
        if len(rows) > EXAMPLES:
            self.diagnostics.counts[problem] += len(rows) - EXAMPLES

    def merge(self, other: Statements) -> None:
        """Take in the statements of another block."""
        first_edge = len(self.edge_source)
        nodes = _translation(other.ids, self.ids)
        relations = _translation(other.relations, self.relations)
        types = _translation(other.types, self.types)
        _extend(self.edge_source, other.edge_source, nodes)
        _extend(self.edge_target, other.edge_target, nodes)
        _extend(self.edge_relation, other.edge_relation, relations)
        _extend(self.name_node, other.name_node, nodes)
        self.name_rank.extend(other.name_rank)
        self.name_text.extend(other.name_text)
        _extend(self.name_language, other.name_language, _translation(other.languages, self.languages))
        _extend(self.description_node, other.description_node, nodes)
        self.description_rank.extend(other.description_rank)
        self.description_text.extend(other.description_text)
        _extend(self.type_node, other.type_node, nodes)
        _extend(self.type_id, other.type_id, types)
        _extend(self.prior_node, other.prior_node, nodes)
        self.prior_value.extend(other.prior_value)
        _extend(self.record_node, other.record_node, nodes)
        self.record_line.extend(other.record_line)
        self.edge_number.extend(first_edge + number for number in other.edge_number)
        self.edge_line.extend(other.edge_line)
        for reason, members in other.left_out.items():
            self.left_out.setdefault(reason, set()).update(int(nodes[node]) for node in members)
        self.redirects.update(other.redirects)
        self.diagnostics.merge(other.diagnostics)
        self.count += other.count
        self.literal_predicates.update(other.literal_predicates)
        self.other_languages.update(other.other_languages)
        self.prefixes.update(other.prefixes)
        self.predicates_seen |= other.predicates_seen
        self.relation_names.update(other.relation_names)
        self.is_ontology |= other.is_ontology
        self.blank_names += other.blank_names
        self.notes.update(other.notes)

    def renumber(self, nodes: NDArray[np.uint32]) -> None:
        """Let all that is said of node i be said of `nodes[i]`."""
        for name in ("edge_source", "edge_target", "name_node", "description_node", "type_node", "prior_node", "record_node"):
            setattr(self, name, _column(nodes[self.numbers(name)]))
        self.left_out = {reason: {int(nodes[node]) for node in members} for reason, members in self.left_out.items()}

    def keep_edges(self, kept: NDArray[np.bool_]) -> None:
        """Drop all edges but these."""
        if kept.all():
            return
        for name in ("edge_source", "edge_target", "edge_relation"):
            setattr(self, name, _column(self.numbers(name)[kept]))
        numbers = self.numbers("edge_number")
        recorded = kept[numbers]
        before = np.concatenate(([0], np.cumsum(recorded)))
        self.files = [(name, record, int(before[edge])) for name, record, edge in self.files]
        self.edge_line = _column(self.numbers("edge_line")[recorded])
        self.edge_number = _column((np.cumsum(kept) - 1)[numbers[recorded]])

    def keep_types(self, kept: NDArray[np.bool_]) -> None:
        """Drop all types of nodes but these."""
        self.type_node, self.type_id = (_column(self.numbers(name)[kept]) for name in ("type_node", "type_id"))

    def rename_relations(self, names: dict[str, str]) -> None:
        """Call relations by other names; those that get the same name are one from then on, those without an edge are gone."""
        used = np.bincount(self.numbers("edge_relation"), minlength=len(self.relations)) > 0
        before, self.relations = self.relations, {}
        numbers = np.zeros(len(before), dtype=np.uint32)
        for name, number in before.items():
            if used[number]:
                numbers[number] = self.relations.setdefault(names.get(name, name), len(self.relations))
        self.edge_relation = _column(numbers[self.numbers("edge_relation")])

    def numbers(self, name: str) -> NDArray[np.uint32]:
        """Return a column of numbers as an array; the column must not grow while it is used."""
        return np.frombuffer(getattr(self, name), dtype=np.uint32)


def _column(values: NDArray[Any]) -> array[int]:
    column = array("I")
    column.frombytes(values.astype(np.uint32).tobytes())
    return column


def _translation(local: dict[str, int], shared: dict[str, int]) -> NDArray[np.uint32]:
    return np.array([shared.setdefault(key, len(shared)) for key in local], dtype=np.uint32)


def _extend(into: array[int], local: array[int], translation: NDArray[np.uint32]) -> None:
    if local:
        into.frombytes(translation[np.frombuffer(local, dtype=np.uint32)].tobytes())

"""What the readers find, in compact form: interned ids, flat arrays, piles of text.

Every reader writes the same facts: nodes, names, descriptions, types, edges, priors, redirects, and what is left out. Facts
of two blocks of one file can be merged, so that blocks may be read by several processes.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eigenthemes.errors import SourceError
from eigenthemes.strings import StringPile

ALIAS = 128  # a name's rank: 0..127 may serve as the label, 128.. is an alias; the lower the better the language
SHOWN = 5  # examples kept of each kind of problem
_UNKNOWN_NODE = "edge to a node without a row (kept as a connector)"


@dataclass
class Problems:
    """What was wrong in the sources: counted by kind, the first few kept with file and line."""

    strict: bool = False
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, list[str]] = field(default_factory=dict)

    def add(self, kind: str, where: str, detail: str = "") -> None:
        message = f"{where}: {detail}" if detail else where
        if self.strict:
            raise SourceError(f"{kind} at {message}; mend the file or build without --strict to leave it out")
        self.counts[kind] += 1
        kept = self.examples.setdefault(kind, [])
        if len(kept) < SHOWN:
            kept.append(message)

    def merge(self, other: Problems) -> None:
        self.counts.update(other.counts)
        for kind, messages in other.examples.items():
            kept = self.examples.setdefault(kind, [])
            kept.extend(messages[: SHOWN - len(kept)])


class Facts:
    """The facts of a KG. Nodes are numbered in order of appearance; the build renumbers them by prior."""

    def __init__(self, *, strict: bool = False) -> None:
        self.ids: dict[str, int] = {}
        self.relations: dict[str, int] = {}
        self.types: dict[str, int] = {}
        self.edge_source, self.edge_target, self.edge_relation = array("I"), array("I"), array("I")
        self.name_node, self.name_rank, self.name_text = array("I"), array("B"), StringPile()
        self.description_node, self.description_rank, self.description_text = array("I"), array("B"), StringPile()
        self.type_node, self.type_id = array("I"), array("I")
        self.prior_node, self.prior_value = array("I"), array("d")
        self.defined = array("I")  # nodes with a record of their own, where the format has records
        self.left_out: dict[str, set[int]] = {}  # reason -> nodes that are not part of the KG
        self.edge_lines: list[tuple[str, int, array[int]]] = []  # of tables: file, its first edge, line of each edge
        self.redirects: dict[str, str] = {}
        self.problems = Problems(strict)
        self.statements = 0  # triples, claims, rows or clauses read
        self.literal_predicates: Counter[str] = Counter()  # of no known role; names the remedy where no name was found
        self.prefixes: dict[str, str] = {}

    def node(self, external_id: str) -> int:
        return self.ids.setdefault(external_id, len(self.ids))

    def name(self, node: int, text: str, rank: int) -> None:
        text = text.strip()
        if text:
            self.name_node.append(node)
            self.name_rank.append(rank)
            self.name_text.append(text)

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

    def prior(self, node: int, value: float) -> None:
        self.prior_node.append(node)
        self.prior_value.append(value)

    def leave_out(self, node: int, reason: str) -> None:
        self.left_out.setdefault(reason, set()).add(node)

    def note_unknown_nodes(self) -> None:
        """Count the edges of tables that name a node no table has a row for; such nodes are connectors."""
        if not self.defined or not self.edge_lines:
            return
        known = np.zeros(len(self.ids), dtype=bool)
        known[np.frombuffer(self.defined, dtype=np.uint32)] = True
        source, target = (np.frombuffer(each, dtype=np.uint32) for each in (self.edge_source, self.edge_target))
        ids = list(self.ids)
        for file, first, lines in self.edge_lines:
            ends = np.stack((source[first : first + len(lines)], target[first : first + len(lines)]), axis=1)
            unknown = ~known[ends]
            rows = np.flatnonzero(unknown.any(axis=1)).tolist()
            for row in rows[:SHOWN]:
                self.problems.add(_UNKNOWN_NODE, f"{file}:{lines[row]}", ids[ends[row][unknown[row]][0]])
            if rows[SHOWN:]:
                self.problems.counts[_UNKNOWN_NODE] += len(rows[SHOWN:])

    def merge(self, other: Facts) -> None:
        """Take in the facts of another block."""
        nodes = _translation(other.ids, self.ids)
        relations = _translation(other.relations, self.relations)
        types = _translation(other.types, self.types)
        _extend(self.edge_source, other.edge_source, nodes)
        _extend(self.edge_target, other.edge_target, nodes)
        _extend(self.edge_relation, other.edge_relation, relations)
        _extend(self.name_node, other.name_node, nodes)
        self.name_rank.extend(other.name_rank)
        self.name_text.extend(other.name_text)
        _extend(self.description_node, other.description_node, nodes)
        self.description_rank.extend(other.description_rank)
        self.description_text.extend(other.description_text)
        _extend(self.type_node, other.type_node, nodes)
        _extend(self.type_id, other.type_id, types)
        _extend(self.prior_node, other.prior_node, nodes)
        self.prior_value.extend(other.prior_value)
        _extend(self.defined, other.defined, nodes)
        for reason, members in other.left_out.items():
            self.left_out.setdefault(reason, set()).update(int(nodes[node]) for node in members)
        self.redirects.update(other.redirects)
        self.problems.merge(other.problems)
        self.statements += other.statements
        self.literal_predicates.update(other.literal_predicates)
        self.prefixes.update(other.prefixes)


def _translation(local: dict[str, int], shared: dict[str, int]) -> np.ndarray[Any, np.dtype[np.uint32]]:
    return np.array([shared.setdefault(key, len(shared)) for key in local], dtype=np.uint32)


def _extend(into: array[int], local: array[int], translation: np.ndarray[Any, np.dtype[np.uint32]]) -> None:
    if local:
        into.frombytes(translation[np.frombuffer(local, dtype=np.uint32)].tobytes())

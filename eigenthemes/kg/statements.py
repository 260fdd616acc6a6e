"""What the readers find, in compact form: interned ids, flat arrays, piles of text.

Every reader writes the same statements: nodes, names, descriptions, types, edges, priors, redirects, and what is left out.
Those of two blocks of one file can be merged, so that blocks may be read by several processes. A reader appends to columns;
when they have grown large, they may be written to disk as Arrow parts (`kg.parts`). Whoever works with what was read gets a
column as one array (`numbers`), wherever its parts lie.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.diagnostics import EXAMPLES, Diagnostics
from eigenthemes.core.scratch import Scratch
from eigenthemes.core.strings import StringPile, Strings

_DTYPES = {"B": np.uint8, "I": np.uint32, "d": np.float64}
ALIAS = 128  # a name's rank: 0..127 may serve as the label, 128.. is an alias; the lower the better the language


class Statements:
    """The statements of a KG. Nodes are numbered in order of appearance; the build renumbers them by prior.

    scratch  where columns live that are made of what was read
    """

    # what is stated together: a part on disk holds one of these tables
    TABLES: ClassVar[dict[str, tuple[str, ...]]] = {
        "edges": ("edge_source", "edge_target", "edge_relation"),
        "names": ("name_node", "name_rank", "name_language", "name_text"),
        "descriptions": ("description_node", "description_rank", "description_text"),
        "types": ("type_node", "type_id"),
        "priors": ("prior_node", "prior_value"),
        "records": ("record_node", "record_line"),
        "record_edges": ("edge_number", "edge_line"),
    }

    def __init__(self, *, strict: bool = False, scratch: Scratch | None = None) -> None:
        self.scratch = scratch or Scratch()
        self._settled: dict[str, NDArray[Any] | Strings] = {}  # columns as arrays: read from parts, or changed after reading
        self._spilled: Counter[str] = Counter()  # rows of each table that lie in parts
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
        self.files.append((name, self.size("record_node"), self.size("edge_number")))

    def record(self, external_id: str, line: int) -> int:
        """Add a node with a record of its own; return its number."""
        node = self.node(external_id)
        self.record_node.append(node)
        self.record_line.append(line)
        return node

    def record_edge(self, source: int, target: int, relation: str, line: int) -> None:
        """Add an edge that a record states."""
        self.edge_number.append(self._spilled["edges"] + len(self.edge_source))
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
        if not self.size("record_node"):
            return
        node = self.numbers("record_node")
        order = np.argsort(node, kind="stable")
        again = np.sort(order[1:][node[order][1:] == node[order][:-1]])
        lines = self.numbers("record_line")
        self._note_all("duplicate id (names merged)", again, lines, 1, lambda row: self._id_of(int(node[row])))
        known = np.zeros(len(self.ids), dtype=bool)
        known[node] = True
        known[self.numbers("name_node")] = True
        edges = self.numbers("edge_number")
        ends = [self.numbers(end)[edges] for end in ("edge_source", "edge_target")]
        unknown = np.flatnonzero(~(known[ends[0]] & known[ends[1]]))
        problem = "edge to a node without a record (kept as a connector)"
        lines = self.numbers("edge_line")
        self._note_all(
            problem, unknown, lines, 2, lambda row: self._id_of(next(int(end[row]) for end in ends if not known[end[row]]))
        )

    def _note_all(
        self, problem: str, rows: NDArray[np.int64], lines: NDArray[np.uint32], first: int, name: Callable[[int], str]
    ) -> None:
        """Count a problem of many records; the first few with file and line."""
        for row in rows[:EXAMPLES].tolist():
            file = next(entry[0] for entry in reversed(self.files) if entry[first] <= row)
            self.diagnostics.add(problem, f"{file}:{lines[row]}", name(row))
        if len(rows) > EXAMPLES:
            self.diagnostics.counts[problem] += len(rows) - EXAMPLES

    def merge(self, other: Statements) -> None:
        """Take in the statements of another block."""
        first_edge = self.size("edge_source")
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
            self._settle(name, self.scratch.take(nodes, self.numbers(name)))
        self.left_out = {reason: {int(nodes[node]) for node in members} for reason, members in self.left_out.items()}

    def keep_edges(self, kept: NDArray[np.bool_]) -> None:
        """Drop all edges but these."""
        if kept.all():
            return
        for name in self.TABLES["edges"]:
            self._settle(name, *self.scratch.chosen(kept, self.numbers(name)))
        numbers = self.numbers("edge_number")
        recorded = kept[numbers]
        before = np.concatenate(([0], np.cumsum(recorded)))
        self.files = [(name, record, int(before[edge])) for name, record, edge in self.files]
        self._settle("edge_line", self.numbers("edge_line")[recorded])
        self._settle("edge_number", (np.cumsum(kept) - 1)[numbers[recorded]].astype(np.uint32))

    def keep_types(self, kept: NDArray[np.bool_]) -> None:
        """Drop all types of nodes but these."""
        for name in self.TABLES["types"]:
            self._settle(name, *self.scratch.chosen(kept, self.numbers(name)))

    def rename_relations(self, names: dict[str, str]) -> None:
        """Call relations by other names; those that get the same name are one from then on, those without an edge are gone."""
        used = self.scratch.counts(self.numbers("edge_relation"), len(self.relations)) > 0
        before, self.relations = self.relations, {}
        numbers = np.zeros(len(before), dtype=np.uint32)
        for name, number in before.items():
            if used[number]:
                numbers[number] = self.relations.setdefault(names.get(name, name), len(self.relations))
        self._settle("edge_relation", self.scratch.take(numbers, self.numbers("edge_relation")))

    def size(self, name: str) -> int:
        """Return how long a column is."""
        if name in self._settled:
            return len(self._settled[name]) + len(getattr(self, name))
        return self._spilled[_TABLE_OF[name]] + len(getattr(self, name))

    def numbers(self, name: str) -> NDArray[Any]:
        """Return a column of numbers as an array; the column must not grow while it is used."""
        grown = getattr(self, name)
        values = np.frombuffer(grown, dtype=_DTYPES.get(grown.typecode, np.uint32))
        before = self._settled.get(name)
        if before is None:
            return values
        if len(values):
            before = self.scratch.joined([np.asarray(before), values.copy()], values.dtype)
            del values
            self._settle(name, before)
        return np.asarray(before)

    def texts(self, name: str) -> Strings:
        """Return a column of texts; the column must not grow any more."""
        pile: StringPile = getattr(self, name)
        before, grown = self._settled.get(name), pile.strings()
        if not isinstance(before, Strings):
            return grown
        if len(grown):
            blob = self.scratch.joined([before.blob, grown.blob], np.uint8)
            offsets = self.scratch.joined([before.offsets, grown.offsets[1:] + before.offsets[-1]], np.int64)
            before = self._settled[name] = Strings(blob, offsets)
            setattr(self, name, StringPile())
        return before

    def id_strings(self) -> Strings:
        """Return the ids of all nodes, in order of their numbers."""
        kept = getattr(self.ids, "strings", None)
        return kept if isinstance(kept, Strings) else Strings.of(self.ids)

    def _id_of(self, node: int) -> str:
        """Return the id of one node; slow, and no list of all ids is made."""
        strings = getattr(self.ids, "strings", None)
        return str(strings[node]) if isinstance(strings, Strings) else next(islice(self.ids, node, None))

    def take_rows(self) -> dict[str, dict[str, NDArray[Any] | Strings]]:
        """Take away the rows of all tables, to be written elsewhere; `settle` brings them back."""
        taken: dict[str, dict[str, NDArray[Any] | Strings]] = {}
        for table, names in self.TABLES.items():
            rows = len(getattr(self, names[0]))
            if rows:
                taken[table] = {name: _taken(getattr(self, name)) for name in names}
                self._spilled[table] += rows
        return taken

    def settle(self, ids: Mapping[str, int], columns: dict[str, NDArray[Any] | Strings]) -> None:
        """Replace the ids and all columns by others of the same content that take less memory."""
        self.ids = cast(dict[str, int], ids)  # only read from now on
        self._settled = columns

    def _settle(self, name: str, values: NDArray[Any]) -> None:
        self._settled[name] = values
        setattr(self, name, array(getattr(self, name).typecode))


def _taken(column: array[Any] | StringPile) -> NDArray[Any] | Strings:
    if isinstance(column, StringPile):
        strings = column.strings()
        taken = Strings(strings.blob.copy(), strings.offsets)
        del strings
        column.clear()
        return taken
    values = np.array(column, dtype=_DTYPES.get(column.typecode, np.uint32))
    del column[:]
    return values


def _translation(local: dict[str, int], shared: dict[str, int]) -> NDArray[np.uint32]:
    return np.array([shared.setdefault(key, len(shared)) for key in local], dtype=np.uint32)


def _extend(into: array[int], local: array[int], translation: NDArray[np.uint32]) -> None:
    if local:
        into.frombytes(translation[np.frombuffer(local, dtype=np.uint32)].tobytes())


_TABLE_OF = {name: table for table, names in Statements.TABLES.items() for name in names}

"""The statements of a KG in compact form: interned ids, flat arrays, joined text.

Every reader appends to the same columns: nodes, names, descriptions, types, edges, priors, redirects, nodes to leave out.
The statements of two blocks of a file can be merged, so several processes may read blocks. Large columns may be written to
disk while sources are read (`kg.spill`); `numbers` and `texts` return a column as one array in any case.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from collections.abc import Mapping
from typing import Any, ClassVar, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.diagnostics import EXAMPLES, Diagnostics
from eigenthemes.core.scratch import GrowingColumn, GrowingStrings, Scratch
from eigenthemes.core.strings import StringBuilder, Strings

ALIAS = 128  # a name's rank: 0..127 may serve as the label, 128.. is an alias; the lower the better the language


class SourceFile(NamedTuple):
    """A file or sheet that was read: its name, and the numbers of its first record, edge of a record, and name."""

    name: str
    first_record: int
    first_edge: int
    first_name: int


class Statements:
    """The statements of a KG. Nodes are numbered in order of appearance; the build renumbers them by prior.

    scratch  stores the columns that are computed after reading
    """

    # columns of equal length
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
        self._spilled: dict[str, Any] = {}  # growing columns: what was moved to disk while sources are read
        self._settled: dict[str, NDArray[Any] | Strings] = {}  # columns as arrays: read from disk, or changed after reading
        self.ids: dict[str, int] = {}
        self.relations: dict[str, int] = {}
        self.types: dict[str, int] = {}
        self.edge_source, self.edge_target, self.edge_relation = array("I"), array("I"), array("I")
        self.languages: dict[str, int] = {"": 0}
        self.name_node, self.name_rank, self.name_text = array("I"), array("B"), StringBuilder()
        self.name_language = array("I")
        self.description_node, self.description_rank, self.description_text = array("I"), array("B"), StringBuilder()
        self.type_node, self.type_id = array("I"), array("I")
        self.prior_node, self.prior_value = array("I"), array("d")
        # of formats with records: the nodes with a record and its line; the edges of records and their lines
        self.record_node, self.record_line = array("I"), array("I")
        self.edge_number, self.edge_line = array("I"), array("I")
        self.files: list[SourceFile] = []
        self.id_headers: dict[str, str] = {}  # table of nodes -> header of its ids, unless these have a prefix
        self.lost_rows: list[tuple[str, str, str]] = []  # rows of nodes that cannot be read: file and line, id, cause
        self.predicates_seen: set[str] = set()  # of RDF, and relations of tables of edges
        self.columns_seen: dict[str, None] = {}  # of tables, in order
        self.other_languages: Counter[str] = Counter()  # of names that were not kept
        self.left_out: dict[str, set[int]] = {}  # reason -> nodes that are not part of the KG
        self.redirects: dict[str, str] = {}
        self.diagnostics = Diagnostics(strict)
        self.count = 0  # triples, claims, rows or clauses read
        self.literal_predicates: Counter[str] = Counter()  # without a role; used in the advice if no name was found
        self.prefixes: dict[str, str] = {}
        self.relation_names: dict[str, str] = {}  # id of a relation -> its name, where the sources give one
        self.is_ontology = False  # is a source an ontology (OBO, OWL)?
        self.blank_names = 0  # names of blank nodes, which have no id
        self.notes: dict[str, None] = {}  # messages about how the sources were read, in order

    def node(self, external_id: str) -> int:
        """Return the number of a node, a new one for a new id."""
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
        """Add a description of a node; the lowest rank is the best."""
        text = text.strip()
        if text:
            self.description_node.append(node)
            self.description_rank.append(rank)
            self.description_text.append(text)

    def type(self, node: int, type_name: str) -> None:
        """Add a type of a node."""
        self.type_node.append(node)
        self.type_id.append(self.types.setdefault(type_name, len(self.types)))

    def edge(self, source: int, target: int, relation: str) -> None:
        """Add an edge between two nodes."""
        self.edge_source.append(source)
        self.edge_target.append(target)
        self.edge_relation.append(self.relations.setdefault(relation, len(self.relations)))

    def prior(self, node: int, text: Any, where: str) -> None:
        """Add the prior of a node; report a value that is no number."""
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
        """Assign the records that follow to a file."""
        self.files.append(SourceFile(name, *map(self.size, ("record_node", "edge_number", "name_node"))))

    def record(self, external_id: str, line: int) -> int:
        """Add a node that has a record; return its number."""
        node = self.node(external_id)
        self.record_node.append(node)
        self.record_line.append(line)
        return node

    def record_edge(self, source: int, target: int, relation: str, line: int) -> None:
        """Add an edge of a record."""
        self.edge_number.append(self.size("edge_source"))
        self.edge_line.append(line)
        self.edge(source, target, relation)

    def leave_out(self, node: int, reason: str) -> None:
        """Leave out a node."""
        self.left_out.setdefault(reason, set()).add(node)

    def leave_out_all(self, nodes: NDArray[np.int64], reason: str) -> None:
        """Leave out nodes that are not left out for another reason."""
        others = set().union(*self.left_out.values())
        members = set(nodes.tolist()) - others
        if members:
            self.left_out.setdefault(reason, set()).update(members)

    def check_records(self) -> None:
        """Count rows that were lost, ids with two records, and edges of records to nodes with neither a record nor a name."""
        self._report_lost_rows()
        if not self.size("record_node"):
            return
        node = self.numbers("record_node")
        order = np.argsort(node, kind="stable")
        again = np.sort(order[1:][node[order][1:] == node[order][:-1]])
        self._report_rows("duplicate id (names merged)", again, self.numbers("record_line"), 1, node)
        known = self.nodes_in("record_node", "name_node")
        edges = self.numbers("edge_number")
        ends = np.stack([self.numbers(end)[edges] for end in ("edge_source", "edge_target")], axis=1)
        unknown = np.flatnonzero(~known[ends].all(axis=1))
        problem = "edge to a node without a record (kept as a connector)"
        first_unknown = np.where(known[ends[:, 0]], ends[:, 1], ends[:, 0])
        self._report_rows(problem, unknown, self.numbers("edge_line"), 2, first_unknown)

    def _report_lost_rows(self) -> None:
        named = np.zeros(len(self.ids), dtype=bool)
        named[self.numbers("name_node")] = True
        for where, entity_id, cause in self.lost_rows:
            node = self.ids.get(entity_id)
            fate = "has its other names only" if node is not None and named[node] else "is kept as a connector without a name"
            fate = "is not part of the KB" if node is None else fate
            self.diagnostics.add("row with too many cells (not read)", where, f"{cause}; {entity_id} {fate}")

    def _report_rows(
        self, problem: str, rows: NDArray[np.int64], lines: NDArray[np.uint32], first: int, node: NDArray[np.uint32]
    ) -> None:
        """Count a problem of many records; the first few with file, line and id."""
        ids = self.id_strings() if len(rows) else ()
        for row in rows[:EXAMPLES].tolist():
            file = next(file.name for file in reversed(self.files) if file[first] <= row)
            self.diagnostics.add(problem, f"{file}:{lines[row]}", str(ids[int(node[row])]))
        if len(rows) > EXAMPLES:
            self.diagnostics.counts[problem] += len(rows) - EXAMPLES

    def merge(self, other: Statements) -> None:
        """Add the statements of another block of the same file."""
        first_edge = self.size("edge_source")
        nodes = _translation(other.ids, self.ids)
        translations = {  # by the last word of a column's name
            **dict.fromkeys(("node", "source", "target"), nodes),
            "relation": _translation(other.relations, self.relations),
            "id": _translation(other.types, self.types),
            "language": _translation(other.languages, self.languages),
            "number": np.arange(first_edge, first_edge + len(other.edge_source), dtype=np.uint32),
        }
        for name in _COLUMNS:
            _extend(getattr(self, name), getattr(other, name), translations.get(name.rpartition("_")[2]))
        for reason, members in other.left_out.items():
            self.left_out.setdefault(reason, set()).update(int(nodes[node]) for node in members)
        for name in _COLLECTIONS:
            getattr(self, name).update(getattr(other, name))
        self.diagnostics.merge(other.diagnostics)
        self.count += other.count
        self.blank_names += other.blank_names
        self.is_ontology |= other.is_ontology

    def renumber(self, nodes: NDArray[np.uint32]) -> None:
        """Replace each node i by `nodes[i]`."""
        for name in ("edge_source", "edge_target", "name_node", "description_node", "type_node", "prior_node", "record_node"):
            self._settle(name, self.scratch.take(nodes, self.numbers(name)))
        self.left_out = {reason: {int(nodes[node]) for node in members} for reason, members in self.left_out.items()}

    def keep_edges(self, kept: NDArray[np.bool_]) -> None:
        """Keep only these edges."""
        if kept.all():
            return
        for name in self.TABLES["edges"]:
            self._settle(name, *self.scratch.chosen(kept, self.numbers(name)))
        numbers = self.numbers("edge_number")
        recorded = kept[numbers]
        before = np.concatenate(([0], np.cumsum(recorded)))
        self.files = [file._replace(first_edge=int(before[file.first_edge])) for file in self.files]
        self._settle("edge_line", self.numbers("edge_line")[recorded])
        self._settle("edge_number", (np.cumsum(kept) - 1)[numbers[recorded]].astype(np.uint32))

    def keep_types(self, kept: NDArray[np.bool_]) -> None:
        """Keep only these types of nodes."""
        for name in self.TABLES["types"]:
            self._settle(name, *self.scratch.chosen(kept, self.numbers(name)))

    def rename_relations(self, names: dict[str, str]) -> None:
        """Rename relations; merge those with the same new name, and drop those without an edge."""
        used = self.scratch.counts(self.numbers("edge_relation"), len(self.relations)) > 0
        before, self.relations = self.relations, {}
        numbers = np.zeros(len(before), dtype=np.uint32)
        for name, number in before.items():
            if used[number]:
                numbers[number] = self.relations.setdefault(names.get(name, name), len(self.relations))
        self._settle("edge_relation", self.scratch.take(numbers, self.numbers("edge_relation")))

    def size(self, name: str) -> int:
        """Return the length of a column."""
        before = self._settled.get(name, self._spilled.get(name, ()))
        return len(before) + len(getattr(self, name))

    def numbers(self, name: str) -> NDArray[Any]:
        """Return a column of numbers as an array; the column must not grow while it is used."""
        values, before = np.asarray(getattr(self, name)), self._settled.get(name)
        if before is None:
            return values
        if len(values):
            before = self.scratch.joined([np.asarray(before), values], values.dtype)
            self._settle(name, before)
        return np.asarray(before)

    def texts(self, name: str) -> Strings:
        """Return a column of texts; the column must not grow any more."""
        grown: Strings = getattr(self, name).strings()
        before = self._settled.get(name)
        if not isinstance(before, Strings):
            return grown
        if len(grown):
            blob = self.scratch.joined([before.blob, grown.blob], np.uint8)
            offsets = self.scratch.joined([before.offsets, grown.offsets[1:] + before.offsets[-1]], np.int64)
            before = self._settled[name] = Strings(blob, offsets)
            setattr(self, name, StringBuilder())
        return before

    def nodes_in(self, *columns: str) -> NDArray[np.bool_]:
        """Return which nodes occur in one of these columns [n]."""
        mask = np.zeros(len(self.ids), dtype=bool)
        for name in columns:
            mask[self.numbers(name)] = True
        return mask

    def id_strings(self) -> Strings:
        """Return the ids of all nodes, in order of their numbers."""
        kept = getattr(self.ids, "strings", None)
        return kept if isinstance(kept, Strings) else Strings.of(self.ids)

    def spill(self) -> None:
        """Move all rows to the scratch; `settle` brings them back."""
        for name in _COLUMNS:
            grown = getattr(self, name)
            if isinstance(grown, StringBuilder):
                rows: Any = grown.strings()
                setattr(self, name, StringBuilder())
            else:
                rows = np.array(grown)
                del grown[:]  # in place: readers hold these arrays
            if name not in self._spilled:
                is_text = isinstance(rows, Strings)
                self._spilled[name] = GrowingStrings(self.scratch) if is_text else GrowingColumn(self.scratch, rows.dtype)
            self._spilled[name].append(rows)

    def settle(self, ids: Mapping[str, int]) -> None:
        """Replace the ids by a table of them, and columns on disk by mapped arrays."""
        self.ids = cast(dict[str, int], ids)  # only read from now on
        self._settled = {name: column.concatenate() for name, column in self._spilled.items()}

    def _settle(self, name: str, values: NDArray[Any]) -> None:
        self._settled[name] = values
        setattr(self, name, array(getattr(self, name).typecode))


def _translation(local: dict[str, int], shared: dict[str, int]) -> NDArray[np.uint32]:
    return np.array([shared.setdefault(key, len(shared)) for key in local], dtype=np.uint32)


def _extend(into: Any, local: Any, translation: NDArray[np.uint32] | None) -> None:
    if translation is None:
        into.extend(local)
    elif local:
        into.frombytes(translation[np.frombuffer(local, dtype=np.uint32)].tobytes())


_COLUMNS = [name for names in Statements.TABLES.values() for name in names]
_COLLECTIONS = """redirects literal_predicates other_languages prefixes predicates_seen columns_seen relation_names
    notes""".split()

"""Choose the nodes of a KB, order them by prior, and build their graph."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.entity_ids import PREFIXES, spellings_of
from eigenthemes.core.scratch import Column
from eigenthemes.core.storage import read_text
from eigenthemes.core.strings import Strings
from eigenthemes.errors import BuildError, OptionError
from eigenthemes.kb.graph import EdgeList, FurtherRelations, Graph, build_graph, distinct_edges, find_further_relations
from eigenthemes.kg.columns import known_headers
from eigenthemes.kg.options import ReadOptions, shorten
from eigenthemes.kg.statements import Statements


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of the KB in order of prior.

    index  [all nodes of the statements] int64: index in the KB, -1 where left out
    """

    ids: Strings
    index: NDArray[np.int64]
    prior: NDArray[np.float64]
    prior_given: bool
    graph: Graph
    further_relations: FurtherRelations
    self_loops: int

    def __len__(self) -> int:
        return len(self.ids)


def check_buildable(statements: Statements, options: ReadOptions) -> None:
    """Raise BuildError if the sources have no node, no name, or under `strict` no edge, with a remedy."""
    if not statements.ids:
        broken = f" ({sum(statements.diagnostics.counts.values()):,} problems)" if statements.diagnostics.counts else ""
        examples = (f"{kind}: {examples[0]}" for kind, examples in statements.diagnostics.examples.items())
        first = next(examples, "no statement was found")
        raise BuildError(
            f"nothing could be read from the sources{broken}: {first}; check the files, or say of which format they are",
            code="nothing-read",
        )
    if not statements.size("name_node"):
        raise _no_names(statements, options)
    if not statements.size("edge_source"):
        if options.strict:
            raise BuildError(
                "the sources have no edges at all, so no themes can be found; add edges, or do not build strictly",
                code="strict",
            )
        statements.diagnostics.add(
            "no edges at all", "all sources", "every prior is 0 unless given, and no themes can be found"
        )


def _no_names(statements: Statements, options: ReadOptions) -> BuildError:
    """Return the error for sources without any name, with the likeliest remedy."""
    code, where, remedy = "no-names", None, "give names with a column or predicate for them, or have the ids read as names"
    if statements.blank_names:
        names = f"all {statements.blank_names:,} names are of blank nodes, which have no id to link to"
        return BuildError(f"{names}; give them ids (rdf:about, @id, an IRI)", code="blank-nodes")
    if statements.left_out:
        code, remedy = "all-left-out", _left_out_reasons(statements)
    elif statements.other_languages:
        languages = ", ".join(language for language, _ in statements.other_languages.most_common(5))
        code = "no-names-in-language"
        remedy = f"no name is tagged {', '.join(options.languages)} or untagged, but {languages}: keep these languages, too"
    elif statements.literal_predicates:
        where = shorten(statements.literal_predicates.most_common(1)[0][0], {**PREFIXES, **statements.prefixes})
        code, remedy = "no-names-in-predicate", f"the most frequent predicate with texts is {where}: if it holds names, say so"
    elif columns := [column for column in statements.columns_seen if not known_headers([column])]:
        seen, where = (" ".join(", ".join(headers).split()) for headers in (statements.columns_seen, columns[:1]))
        code, remedy = "no-names-in-column", f"say which of the columns {seen} holds them, e.g. name={where}"
    message = f"0 of {len(statements.ids):,} nodes have a name in a known predicate or column; {remedy}"
    return BuildError(message, code=code, where=where)


def read_ids(path: str | Path) -> set[str]:
    """Read the ids to keep: a text file, one id per line."""
    remedy = "give a text file, one id per line"
    lines = read_text(path, "the ids to keep", remedy).splitlines()
    wanted = {line.strip().removeprefix("<").removesuffix(">") for line in lines} - {""}
    if not wanted:
        raise OptionError(f"{path} holds no ids; {remedy}", where=str(path))
    return wanted


def resolve_redirects(statements: Statements) -> dict[str, int]:
    """Map redirected ids to nodes of the statements, through chains; ids that have a record or a name are no redirects."""
    if not statements.redirects:
        return {}
    own = statements.nodes_in("record_node", "name_node")
    for members in statements.left_out.values():
        own[list(members)] = False
    resolved = {}
    for old, new in sorted(statements.redirects.items()):
        seen = {old}
        while new in statements.redirects and new not in seen:
            seen.add(new)
            new = statements.redirects[new]
        if new in statements.ids and new != old and not (old in statements.ids and own[statements.ids[old]]):
            resolved[old] = statements.ids[new]
    return resolved


def choose_universe(statements: Statements, redirects: dict[str, int], wanted: set[str] | None) -> NDArray[np.bool_]:
    """Return which nodes of the statements are part of the KG."""
    part = np.ones(len(statements.ids), dtype=bool)
    for members in statements.left_out.values():
        part[list(members)] = False
    part[[statements.ids[old] for old in redirects if old in statements.ids]] = False
    if wanted is not None:
        kept = np.zeros(len(statements.ids), dtype=bool)
        kept[_nodes_of(wanted, statements, redirects)] = True
        statements.left_out["not among the ids to keep"] = set(np.flatnonzero(part & ~kept).tolist())
        part &= kept
    if not part[statements.numbers("name_node")].any():
        reasons = _left_out_reasons(statements)
        raise BuildError(f"no entity with a name is left of {len(statements.ids):,} nodes; {reasons}", code="all-left-out")
    return part


def _left_out_reasons(statements: Statements) -> str:
    """Return the reasons why nodes are not part of the KG, as text."""
    reasons = ", ".join(f"{len(members):,} {reason}" for reason, members in statements.left_out.items() if members)
    return f"left out: {reasons}; check the options that leave them out, or the source"


def _nodes_of(wanted: set[str], statements: Statements, redirects: dict[str, int]) -> list[int]:
    nodes = {entity_id: _node_of(entity_id, statements, redirects) for entity_id in sorted(wanted)}
    unknown = [entity_id for entity_id, node in nodes.items() if node is None]
    if len(unknown) == len(wanted):
        raise BuildError(
            f"none of the {len(wanted):,} ids to keep is in the KG (it has ids like {next(iter(statements.ids))}); "
            "check their spelling",
            code="keep-unknown",
        )
    for entity_id in unknown:
        statements.diagnostics.add("id to keep that is not in the KG", "ids to keep", entity_id)
    return [node for node in nodes.values() if node is not None]


def _node_of(entity_id: str, statements: Statements, redirects: dict[str, int]) -> int | None:
    """Return the node of an id in any of its spellings."""
    for spelling in spellings_of(entity_id):
        node = redirects.get(spelling, statements.ids.get(spelling))
        if node is not None:
            return node
    return None


def order_nodes(statements: Statements, part: NDArray[np.bool_], redirects: dict[str, int]) -> Nodes:
    """Order the nodes by prior, highest first, then by id. The prior is the degree unless given."""
    scratch = statements.scratch
    node = np.flatnonzero(part)
    local = scratch.empty(len(part), np.int64)
    local[:] = -1
    local[node] = np.arange(len(node))
    for old, target in redirects.items():
        if old in statements.ids:
            local[statements.ids[old]] = local[target]  # an edge to a redirected id is an edge to its target
    edges = _edges_within(statements, local, len(node))
    prior, given = _prior(statements, local, edges)
    ids = scratch.take_strings(statements.id_strings(), node)
    order = scratch.order_of_strings(ids)
    order = order[np.argsort(-prior[order], kind="stable")]
    number = scratch.empty(len(order), np.uint32)
    number[order] = np.arange(len(order), dtype=np.uint32)
    index = local
    index[:] = -1
    index[node] = number
    graph = build_graph(edges, number, scratch)
    further = find_further_relations(edges, number, graph, scratch)
    return Nodes(scratch.take_strings(ids, order), index, prior[order], given, graph, further, edges.self_loops)


def _edges_within(statements: Statements, local: NDArray[np.int64], nodes: int) -> EdgeList:
    scratch = statements.scratch

    def within(source: Column, target: Column, relation: Column) -> tuple[Column, ...]:
        """Return the edges with both ends in the KB."""
        source, target = local[source], local[target]
        inside = (source >= 0) & (target >= 0)
        return source[inside], target[inside], relation[inside]

    columns = [statements.numbers(name) for name in ("edge_source", "edge_target", "edge_relation")]
    source, target, relation = scratch.by_blocks(within, columns, 3 * (np.uint32,))
    return distinct_edges(source, target, relation, nodes, scratch)


def _prior(statements: Statements, local: NDArray[np.int64], edges: EdgeList) -> tuple[NDArray[np.float64], bool]:
    if not statements.size("prior_node"):
        return edges.degree(statements.scratch).astype(np.float64), False
    prior = np.full(edges.nodes, -np.inf)
    node = local[statements.numbers("prior_node")]
    np.maximum.at(prior, node[node >= 0], statements.numbers("prior_value")[node >= 0])
    return np.where(np.isfinite(prior), prior, 0.0), True


def ranked_rows(statements: Statements, nodes: Nodes, kind: str) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Return entity and row of all names or descriptions, sorted by entity, rank and order in the sources."""
    columns = statements.numbers(f"{kind}_node"), statements.numbers(f"{kind}_rank")
    first = 0

    def inside(node: NDArray[np.uint32], rank: NDArray[np.uint8]) -> tuple[NDArray[Any], ...]:
        """Return entity, rank and row of the statements about entities; blocks are given in order."""
        nonlocal first
        entity = nodes.index[node]
        known = np.flatnonzero(entity >= 0)
        found = entity[known], rank[known], known + first
        first += len(node)
        return found

    scratch = statements.scratch
    ranked = scratch.by_blocks(inside, columns, (np.uint32, np.uint8, np.uint32))
    entity, _, row = scratch.sort_rows(ranked, (max(1, len(nodes)), 256, max(1, len(columns[0]))))
    return entity, row

"""Which nodes of the statements are part of the KB, their order by prior, and their graph."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.assembly.checks import left_out_reasons
from eigenthemes.core.entity_ids import other_spellings
from eigenthemes.core.scratch import Column
from eigenthemes.core.strings import Strings
from eigenthemes.errors import BuildError
from eigenthemes.kb.graph import EdgeList, FurtherRelations, Graph, build_graph, distinct_edges, find_further_relations
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


def resolve_redirects(statements: Statements) -> dict[str, int]:
    """Redirect id -> node of the statements, through chains. An id with a record or name of its own is no redirect."""
    if not statements.redirects:
        return {}
    own = np.zeros(len(statements.ids), dtype=bool)
    own[statements.numbers("record_node")] = own[statements.numbers("name_node")] = True
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
    """Which nodes of the statements are part of the KG."""
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
        reasons = left_out_reasons(statements)
        raise BuildError(f"no entity with a name is left of {len(statements.ids):,} nodes; {reasons}", code="all-left-out")
    return part


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
    """Return the node of an id, whichever of its spellings it is."""
    for spelling in chain((entity_id,), other_spellings(entity_id)):
        node = redirects.get(spelling, statements.ids.get(spelling))
        if node is not None:
            return node
    return None


def order_nodes(statements: Statements, part: NDArray[np.bool_], redirects: dict[str, int]) -> Nodes:
    """Order the nodes by prior, highest first; equal priors by external id. The prior is the degree unless given."""
    scratch = statements.scratch
    node = np.flatnonzero(part)
    local = scratch.empty(len(part), np.int64)
    local[:] = -1
    local[node] = np.arange(len(node))
    for old, target in redirects.items():
        if old in statements.ids:
            local[statements.ids[old]] = local[target]  # an edge to a redirect is an edge to what it stands for
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
    """Return the entities of all names or descriptions and their rows, by entity, then rank, then in order of the sources."""
    columns = statements.numbers(f"{kind}_node"), statements.numbers(f"{kind}_rank")
    first = 0

    def inside(node: NDArray[np.uint32], rank: NDArray[np.uint8]) -> tuple[NDArray[Any], ...]:
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

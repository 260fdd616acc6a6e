"""All that goes into a KB, how it is written, and what the manifest says of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes import __version__
from eigenthemes.assembly.names import Names, collect_types
from eigenthemes.assembly.nodes import Nodes, ranked_rows
from eigenthemes.core.scratch import Scratch, blocks
from eigenthemes.core.strings import HashTable, Strings, hash_strings
from eigenthemes.kb.name_arrays import WHOLE, NameIndexArrays
from eigenthemes.kb.writer import KBWriter
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import Statements


@dataclass(frozen=True, slots=True)
class Content:
    """All that goes into the KB."""

    nodes: Nodes
    names: Names
    answers: NDArray[np.bool_]
    index: NameIndexArrays
    descriptions: Strings
    type_indptr: NDArray[np.int64]
    entity_types: NDArray[np.uint32]
    redirects: dict[str, int]  # id -> index


def collect_content(
    statements: Statements,
    nodes: Nodes,
    names: Names,
    answers: NDArray[np.bool_],
    index: NameIndexArrays,
    redirects: dict[str, int],
) -> Content:
    """Put together all that goes into the KB."""
    indptr, types = collect_types(statements, nodes)
    return Content(
        nodes, names, answers, index, _descriptions(statements, nodes), indptr, types, _redirect_targets(redirects, nodes)
    )


def write_content(writer: KBWriter, statements: Statements, content: Content) -> None:
    """Write all arrays but the vectors."""
    nodes, names = content.nodes, content.names
    redirect_ids, targets = Strings.of(content.redirects), np.array(list(content.redirects.values()), dtype=np.uint32)
    writer.add_strings("ids", nodes.ids)
    writer.add_strings("redirects", redirect_ids)
    writer.add("redirect_targets", targets)
    table, entities = _id_table(nodes, redirect_ids, targets, statements.scratch)
    writer.add_table("id", table)
    writer.add("id_entities", entities)
    writer.add("prior", nodes.prior)
    if (np.diff(names.indptr) > 0)[~content.answers].any():
        writer.add("answers", content.answers)
    writer.add_strings("names", names.texts)
    writer.add("entity_names", names.indptr)
    writer.add_strings("languages", Strings.of(statements.languages))
    writer.add("name_languages", names.language)
    if len(names.further[0]):
        writer.add("name_more_entries", names.further[0])
        writer.add("name_more_languages", names.further[1])
    writer.add_strings("descriptions", content.descriptions)
    writer.add_strings("types", Strings.of(statements.types))
    writer.add("type_indptr", content.type_indptr)
    writer.add("entity_types", content.entity_types)
    writer.add_strings("relations", Strings.of(statements.relations))
    writer.add("graph_indptr", nodes.graph.indptr)
    writer.add("graph_neighbors", nodes.graph.neighbors)
    writer.add("graph_relations", nodes.graph.relations)
    writer.add("graph_more_entries", nodes.further_relations.entries)
    writer.add("graph_more_relations", nodes.further_relations.relations)
    _write_index(writer, content.index)


def _write_index(writer: KBWriter, index: NameIndexArrays) -> None:
    writer.add_strings("tokens", index.tokens)
    writer.add_table("token", index.token_table)
    writer.add("postings_indptr", index.postings_indptr)
    writer.add("postings", index.postings)
    writer.add("postings_in_label", index.in_label)
    writer.add_table("key", index.key_table)
    writer.add("key_indptr", index.key_indptr)
    writer.add("key_entities", index.key_entities)
    writer.add("key_kinds", index.key_kinds)
    writer.add("key_filter", index.key_filter)
    assert index.spelled is not None
    writer.add("name_token_indptr", index.spelled.indptr)
    writer.add("name_tokens", index.spelled.tokens)
    writer.add("name_letters", index.spelled.letters)
    writer.add("typo_indptr", index.typos.indptr)
    writer.add("typo_members", index.typos.members)
    writer.add("typo_checks", index.typos.checks)
    writer.add("typo_filter", index.typos.filter)


def _redirect_targets(redirects: dict[str, int], nodes: Nodes) -> dict[str, int]:
    """Redirect id -> index; those to a node that is not part of the KB are dropped."""
    indices = {old: int(nodes.index[node]) for old, node in redirects.items()}
    return {old: index for old, index in indices.items() if index >= 0}


def _id_table(
    nodes: Nodes, redirect_ids: Strings, targets: NDArray[np.uint32], scratch: Scratch
) -> tuple[HashTable, NDArray[np.uint32]]:
    """Return a table of the hashes of all ids and redirects, and the entity of each."""
    hashes = scratch.joined((scratch.hashes(nodes.ids), hash_strings(redirect_ids)), np.uint64)
    hashes, row = scratch.sort_rows((hashes, np.arange(len(hashes))), (1 << 64, max(1, len(hashes))))
    entities = scratch.joined((np.arange(len(nodes), dtype=np.uint32), targets), np.uint32)
    return HashTable.of(hashes), scratch.take(entities, row)


def _descriptions(statements: Statements, nodes: Nodes) -> Strings:
    """Return the best description of each entity; equal ranks: the first one in the sources."""
    scratch = statements.scratch
    entity, row = ranked_rows(statements, nodes, "description")
    entity, row = scratch.chosen(scratch.first_of_equal(entity), entity, row)
    texts = scratch.take_strings(statements.texts("description_text"), row)
    lengths = scratch.empty(len(nodes), np.int64)
    lengths[:] = 0
    lengths[entity] = np.diff(texts.offsets)
    return Strings(texts.blob, scratch.offsets(lengths))


def options_in_manifest(options: ReadOptions, **of_the_build: Any) -> dict[str, Any]:
    """All that a build was told, so that it can be repeated; files by their name, as the sources are."""
    return {
        "label": list(options.label),
        "alias": list(options.alias),
        "description": list(options.description),
        "type": list(options.type),
        "prior": list(options.prior),
        "lang": list(options.languages),
        "synonyms": list(options.synonyms),
        "sitelink": options.sitelink,
        "column": dict(options.columns),
        "with_properties": options.with_properties,
        "header": options.header,
        "split": options.split,
        "strict": options.strict,
        **of_the_build,
    }


def describe_kb(
    statements: Statements, content: Content, sources: list[dict[str, Any]], options: dict[str, Any]
) -> dict[str, Any]:
    """Return what the manifest says of the KB. No dates, no paths: the same input gives the same bytes."""
    return {
        "tool": {"name": "eigenthemes", "version": __version__},
        "sources": sources,
        "options": options,
        "counts": _counts(statements, content),
        "left_out": {reason: len(members) for reason, members in sorted(statements.left_out.items())},
        "problems": dict(sorted(statements.diagnostics.counts.items())),
        "problem_examples": dict(sorted(statements.diagnostics.examples.items())),
        "notes": list(statements.notes),
    }


def _counts(statements: Statements, content: Content) -> dict[str, Any]:
    nodes, names, index = content.nodes, content.names, content.index
    distinct, ambiguous = _count_names(index)
    return {
        "statements": statements.count,
        "entities": len(nodes),
        "named": int(content.answers.sum()),
        "names": len(names.texts),
        "distinct_names": distinct,
        "ambiguous_names": ambiguous,
        "tokens": len(index.tokens),
        "edges": nodes.graph.edges,
        "edge_statements": statements.size("edge_source"),
        "self_loops": nodes.self_loops,
        "isolated": int((nodes.graph.degree == 0).sum()),
        "further_relations": len(nodes.further_relations.entries) // 2,
        "relations": len(statements.relations),
        "types": len(np.unique(content.entity_types)),
        "described": int((np.diff(content.descriptions.offsets) > 0).sum()),
        "redirects": len(content.redirects),
        "languages": len(np.unique(names.language)),
        "prior": "given" if nodes.prior_given else "degree",
    }


def _count_names(index: NameIndexArrays) -> tuple[int, int]:
    """Return how many distinct names there are, and how many of them several entities have."""
    distinct = ambiguous = 0
    for first, last in blocks(len(index.key_indptr) - 1):
        bounds = index.key_indptr[first : last + 1]
        whole = index.key_kinds[bounds[0] : bounds[-1]] <= WHOLE
        sharing = np.diff(np.concatenate(([0], np.cumsum(whole)))[bounds - bounds[0]])
        distinct, ambiguous = distinct + int((sharing > 0).sum()), ambiguous + int((sharing > 1).sum())
    return distinct, ambiguous

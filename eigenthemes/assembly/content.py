"""The content of a KB: assembled from statements, written to files, described in the manifest."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes import __version__
from eigenthemes.assembly.entity_names import Names, add_derived_names, choose_linkable, collect_names, collect_types
from eigenthemes.assembly.nodes import Nodes, choose_universe, order_nodes, ranked_rows, resolve_redirects
from eigenthemes.core.array_kernels import HashTable
from eigenthemes.core.progress import Progress
from eigenthemes.core.scratch import Scratch, blocks
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.core.workers import Workers
from eigenthemes.kb.name_arrays import INDEX_FILES, WHOLE, NameIndexArrays
from eigenthemes.kb.writer import KBWriter
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import Statements
from eigenthemes.names.analysis import USUAL_LANGUAGE, NameAnalysis, main_language
from eigenthemes.names.lexicon import DerivedName
from eigenthemes.names.name_index import index_answers
from eigenthemes.names.token_model import TokenModel, posting_shares


@dataclass(frozen=True, slots=True)
class Content:
    """All arrays of a KB but its vectors."""

    nodes: Nodes
    names: Names
    analysis: NameAnalysis
    answers: NDArray[np.bool_]
    index: NameIndexArrays
    descriptions: Strings
    type_indptr: NDArray[np.int64]
    entity_types: NDArray[np.uint32]
    redirects: dict[str, int]  # id -> index; those to nodes outside of the KB are left out


def assemble(
    statements: Statements,
    keep: set[str] | None,
    types: tuple[Sequence[str], Sequence[str]],
    lexicon: Iterable[DerivedName],
    workers: Workers,
    progress: Progress,
) -> Content:
    """Return the content of a KB: entities in order, their graph, their names and the index of names.

    keep   the only ids that may be entities; None for all
    types  the only linkable types, and types that are not linkable; see `choose_linkable`
    lexicon  names that are derived from others
    """
    redirects = resolve_redirects(statements)
    nodes = order_nodes(statements, choose_universe(statements, redirects, keep), redirects)
    tags = list(statements.languages)
    analysis = NameAnalysis.of_names(statements.texts("name_text"), tags, statements.numbers("name_language"))
    add_derived_names(statements, nodes, lexicon, (*analysis.languages, USUAL_LANGUAGE))
    names = collect_names(statements, nodes)
    indptr, types_of = collect_types(statements, nodes)
    answers = choose_linkable(statements, nodes, names, (indptr, types_of), *types)
    index = index_answers(
        names.texts,
        names.owner,
        names.is_label,
        answers,
        list(statements.languages),
        names.language,
        analysis,
        scratch=statements.scratch,
        workers=workers,
        progress=progress,
    )
    targets = {old: int(nodes.index[node]) for old, node in redirects.items() if nodes.index[node] >= 0}
    return Content(nodes, names, analysis, answers, index, _descriptions(statements, nodes), indptr, types_of, targets)


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
    if len(names.derived):
        writer.add("name_derived", names.derived)
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
    languages = [main_language(tag) for tag in statements.languages]
    language_of_name = [languages[tag] for tag in names.language.tolist()]
    tokens = TokenModel.make(content.index, names.texts, language_of_name, content.analysis, int(content.answers.sum()))
    for name, array in tokens.arrays.items():
        writer.add(name, array)
    writer.add("postings_share", posting_shares(content.index, names.owner, tokens))


def _write_index(writer: KBWriter, index: NameIndexArrays) -> None:
    assert index.spelled is not None
    writer.add_strings("tokens", index.tokens)
    writer.add_table("token", index.token_table)
    writer.add("postings_in_label", index.in_label)
    writer.add_table("key", index.key_table)
    for name in INDEX_FILES:
        writer.add(name, getattr(index, name))
    writer.add("name_token_indptr", index.spelled.indptr)
    writer.add("name_tokens", index.spelled.tokens)
    writer.add("name_letters", index.spelled.letters)
    for name in ("indptr", "members", "checks", "filter"):
        writer.add(f"typo_{name}", getattr(index.typos, name))


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


def options_in_manifest(options: ReadOptions, **build_options: Any) -> dict[str, Any]:
    """Return all options of a build, so that it can be repeated; files by their name."""
    given = {**asdict(options), "columns": [f"{role}={header}" for role, header in options.columns]}
    named = {{"languages": "lang", "columns": "column"}.get(name, name): value for name, value in given.items()}
    return {name: list(value) if isinstance(value, tuple) else value for name, value in named.items()} | build_options


def describe_kb(
    statements: Statements, content: Content, sources: list[dict[str, Any]], options: dict[str, Any]
) -> dict[str, Any]:
    """Return the description of a KB for its manifest, without dates and paths: the same input gives the same bytes."""
    return {
        "tool": {"name": "eigenthemes", "version": __version__},
        "sources": sources,
        "options": options,
        "counts": _counts(statements, content),
        "names": content.analysis.to_dict(),
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
        "names": len(names.texts) - len(names.derived),
        "derived_names": len(names.derived),
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
    """Return the number of distinct names, and of those that several entities have."""
    distinct = ambiguous = 0
    for first, last in blocks(len(index.key_indptr) - 1):
        bounds = index.key_indptr[first : last + 1]
        whole = index.key_kinds[bounds[0] : bounds[-1]] <= WHOLE
        sharing = np.diff(np.concatenate(([0], np.cumsum(whole)))[bounds - bounds[0]])
        distinct, ambiguous = distinct + int((sharing > 0).sum()), ambiguous + int((sharing > 1).sum())
    return distinct, ambiguous

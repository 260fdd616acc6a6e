"""From statements to the arrays of a KB: which nodes are part of it, their order by prior, their names, the graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from eigenthemes import __version__
from eigenthemes.core.entity_ids import PREFIXES, other_spellings
from eigenthemes.core.paths import check_input
from eigenthemes.core.strings import HashTable, Strings, hash_strings
from eigenthemes.errors import BuildError, OptionError, SourceError
from eigenthemes.kb.graph import EdgeList, FurtherRelations, Graph, build_graph, distinct_edges, find_further_relations
from eigenthemes.kb.name_index import WHOLE, NameIndexArrays
from eigenthemes.kb.type_filter import of_types
from eigenthemes.kb.writer import KBWriter
from eigenthemes.kg.columns import known_headers
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import ALIAS, Statements

_SKOS, _THESAURI = "http://www.w3.org/2004/02/skos/core#", "http://purl.org/iso25964/skos-thes#"
_CONCEPT = (f"{_SKOS}Concept",)
_CATEGORY = "dbpedia.org/resource/Category:"
ORGANIZING = (  # types of what puts others in order and is seldom meant itself
    f"{_SKOS}ConceptScheme", f"{_SKOS}Collection", f"{_SKOS}OrderedCollection",
    f"{_THESAURI}ConceptGroup", f"{_THESAURI}ThesaurusArray",
    "http://www.wikidata.org/entity/Q4167836", "Q4167836", "wd:Q4167836",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Nodes:
    """The nodes of the KB in order of prior.

    index  [all nodes of the statements] int64: index in the KB, -1 where left out
    """

    ids: list[str]
    index: NDArray[np.int64]
    prior: NDArray[np.float64]
    prior_given: bool
    graph: Graph
    further_relations: FurtherRelations
    self_loops: int

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True)
class Names:
    """The names in order of entity, the label first.

    owner     [names] uint32: index of the entity
    language  [names] uint16 or uint32: row of `languages`
    indptr    [entities + 1] int64
    further   rows of names that are labels in further languages, ascending; and these languages
    """

    texts: Strings
    owner: NDArray[np.uint32]
    is_label: NDArray[np.bool_]
    language: NDArray[Any]
    indptr: NDArray[np.int64]
    further: tuple[NDArray[np.int64], NDArray[Any]]


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
    indptr, types = _types(statements, nodes)
    return Content(
        nodes, names, answers, index, _descriptions(statements, nodes), indptr, types, _redirect_targets(redirects, nodes)
    )


def resolve_redirects(statements: Statements) -> dict[str, int]:
    """Redirect id -> node of the statements, through chains. An id with a record or name of its own is no redirect."""
    if not statements.redirects:
        return {}
    own = set(statements.record_node) | set(statements.name_node)
    for members in statements.left_out.values():
        own -= members
    resolved = {}
    for old, new in sorted(statements.redirects.items()):
        seen = {old}
        while new in statements.redirects and new not in seen:
            seen.add(new)
            new = statements.redirects[new]
        if new in statements.ids and new != old and statements.ids.get(old) not in own:
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
    if not part[_uints(statements.name_node)].any():
        raise BuildError(
            f"no entity with a name is left of {len(statements.ids):,} nodes; {_left_out(statements)}", code="all-left-out"
        )
    return part


def _left_out(statements: Statements) -> str:
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
    """Return the node of an id, whichever of its spellings it is."""
    for spelling in chain((entity_id,), other_spellings(entity_id)):
        node = redirects.get(spelling, statements.ids.get(spelling))
        if node is not None:
            return node
    return None


def order_nodes(statements: Statements, part: NDArray[np.bool_], redirects: dict[str, int]) -> Nodes:
    """Number the nodes by prior, highest first; equal priors by external id. The prior is the degree unless given."""
    all_ids = list(statements.ids)
    node = np.flatnonzero(part)
    local = np.full(len(all_ids), -1, dtype=np.int64)
    local[node] = np.arange(len(node))
    for old, target in redirects.items():
        if old in statements.ids:
            local[statements.ids[old]] = local[target]  # an edge to a redirect is an edge to what it stands for
    edges = _edges_within(statements, local, len(node))
    prior, given = _prior(statements, local, edges)
    ids = [all_ids[i] for i in node.tolist()]
    by_id = np.array(sorted(range(len(ids)), key=ids.__getitem__), dtype=np.int64)
    order = by_id[np.argsort(-prior[by_id], kind="stable")]
    number = np.empty(len(order), dtype=np.uint32)
    number[order] = np.arange(len(order), dtype=np.uint32)
    index = np.full(len(all_ids), -1, dtype=np.int64)
    index[node] = number
    graph = build_graph(edges, number)
    further = find_further_relations(edges, number, graph)
    return Nodes([ids[i] for i in order.tolist()], index, prior[order], given, graph, further, edges.self_loops)


def collect_names(statements: Statements, nodes: Nodes) -> Names:
    """The names of the entities: distinct strings, the best one of a label predicate first."""
    owner = nodes.index[_uints(statements.name_node)]
    rank = np.frombuffer(statements.name_rank, dtype=np.uint8)
    order = np.lexsort((rank, owner))  # stable: equal ranks in order of the sources
    order = order[np.searchsorted(owner[order], 0) :]
    texts = statements.name_text.strings().take(order)
    owner = owner[order]
    hashes = hash_strings(texts)
    # a name may come twice (label in two languages): keep its first mention, and note the language of further ones
    again = np.lexsort((hashes, owner))
    repeated = np.zeros(len(order), dtype=bool)
    same = (owner[again][1:] == owner[again][:-1]) & (hashes[again][1:] == hashes[again][:-1])
    repeated[again[1:][same]] = True
    kept = np.flatnonzero(~repeated)
    owner = owner[kept]
    indptr = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(nodes))))).astype(np.int64)
    is_label = np.zeros(len(kept), dtype=bool)
    is_label[indptr[:-1][np.diff(indptr) > 0]] = True
    language = _uints(statements.name_language)[order]
    language = language.astype(np.uint16) if len(statements.languages) <= 1 << 16 else language
    further = _further_languages(again, repeated, language, rank[order] < ALIAS)
    return Names(texts.take(kept), owner.astype(np.uint32), is_label, language[kept], indptr, further)


def _further_languages(
    again: NDArray[np.int64], repeated: NDArray[np.bool_], language: NDArray[Any], is_label: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return names that are labels in more languages than that of their first mention, and these languages.

    again     [mentions] the mentions in an order in which equal names of an entity follow one another, the first one first
    repeated  [mentions] not the first mention of a name
    """
    firsts = np.flatnonzero(~repeated[again])
    first = again[firsts][np.cumsum(~repeated[again]) - 1]  # of each mention in that order
    wanted = (repeated & is_label & (language > 0))[again]
    row = (np.cumsum(~repeated) - 1)[first[wanted]]
    found = language[again[wanted]]
    other = found != language[first[wanted]]
    pairs = np.unique(np.stack((row[other], found[other].astype(np.int64))), axis=1)
    return pairs[0], pairs[1].astype(language.dtype)


def choose_answers(
    statements: Statements, nodes: Nodes, names: Names, only_types: Sequence[str] = (), not_types: Sequence[str] = ()
) -> NDArray[np.bool_]:
    """Which entities may be answers [n]: named ones of the wanted types, and no schemes or categories unless they are wanted.

    not_types  "none" among them: schemes and categories are answers, too
    """
    named: NDArray[np.bool_] = np.diff(names.indptr) > 0
    indptr, entity_types = _types(statements, nodes)

    def label_of(type_id: str) -> str | None:
        index = nodes.index[statements.ids[type_id]] if type_id in statements.ids else -1
        return names.texts[int(names.indptr[index])] if index >= 0 and named[index] else None

    having = partial(of_types, types=list(statements.types), type_indptr=indptr, entity_types=entity_types, label_of=label_of)
    answers = named
    if only_types:
        answers = named & having(only_types)
    elif "none" not in not_types:
        organizing = having(ORGANIZING, must_occur=False) & ~having(_CONCEPT, must_occur=False)
        organizing[[index for index, entity_id in enumerate(nodes.ids) if _CATEGORY in entity_id]] = True
        answers = named & ~organizing
        _note_connectors(statements, int((named & organizing).sum()))
    unwanted = [each for each in not_types if each != "none"]
    answers = answers & ~having(unwanted) if unwanted else answers
    if not answers.any():
        raise BuildError("no entity with a name is left that may be an answer; give other types", code="no-answers")
    return answers


def _note_connectors(statements: Statements, count: int) -> None:
    if count:
        statements.notes[f"{count:,} schemes, collections and categories connect others and are no answers"] = None


def _edges_within(statements: Statements, local: NDArray[np.int64], nodes: int) -> EdgeList:
    source, target = local[_uints(statements.edge_source)], local[_uints(statements.edge_target)]
    inside = (source >= 0) & (target >= 0)
    return distinct_edges(
        source[inside].astype(np.uint32), target[inside].astype(np.uint32), _uints(statements.edge_relation)[inside], nodes
    )


def _prior(statements: Statements, local: NDArray[np.int64], edges: EdgeList) -> tuple[NDArray[np.float64], bool]:
    if not statements.prior_node:
        return edges.degree.astype(np.float64), False
    prior = np.full(edges.nodes, -np.inf)
    node = local[_uints(statements.prior_node)]
    np.maximum.at(prior, node[node >= 0], np.frombuffer(statements.prior_value, dtype=np.float64)[node >= 0])
    return np.where(np.isfinite(prior), prior, 0.0), True


def check_buildable(statements: Statements, options: ReadOptions) -> None:
    """Stop where the sources gave no node, no name, or under `strict` no edge; say what would help."""
    if not statements.ids:
        broken = f" ({sum(statements.diagnostics.counts.values()):,} problems)" if statements.diagnostics.counts else ""
        examples = (f"{kind}: {examples[0]}" for kind, examples in statements.diagnostics.examples.items())
        first = next(examples, "no statement was found")
        raise BuildError(
            f"nothing could be read from the sources{broken}: {first}; check the files, or say of which format they are",
            code="nothing-read",
        )
    if not statements.name_node:
        raise _no_names(statements, options)
    if not statements.edge_source:
        if options.strict:
            raise BuildError(
                "the sources have no edges at all, so no themes can be found; add edges, or do not build strictly",
                code="strict",
            )
        statements.diagnostics.add(
            "no edges at all", "all sources", "every prior is 0 unless given, and no themes can be found"
        )


def _no_names(statements: Statements, options: ReadOptions) -> BuildError:
    """The error for sources without any name, with the likeliest remedy."""
    code, where, remedy = "no-names", None, "give names with a column or predicate for them, or have the ids read as names"
    if statements.blank_names:
        names = f"all {statements.blank_names:,} names are of blank nodes, which have no id to link to"
        return BuildError(f"{names}; give them ids (rdf:about, @id, an IRI)", code="blank-nodes")
    if statements.left_out:
        code, remedy = "all-left-out", _left_out(statements)
    elif statements.other_languages:
        languages = ", ".join(language for language, _ in statements.other_languages.most_common(5))
        code = "no-names-in-language"
        remedy = f"no name is tagged {', '.join(options.languages)} or untagged, but {languages}: keep these languages, too"
    elif statements.literal_predicates:
        from eigenthemes.kg.rdf import shorten

        where = shorten(statements.literal_predicates.most_common(1)[0][0], {**PREFIXES, **statements.prefixes})
        code, remedy = "no-names-in-predicate", f"the most frequent predicate with texts is {where}: if it holds names, say so"
    elif columns := [column for column in statements.columns_seen if not known_headers([column])]:
        seen, where = (" ".join(", ".join(headers).split()) for headers in (statements.columns_seen, columns[:1]))
        code, remedy = "no-names-in-column", f"say which of the columns {seen} holds them, e.g. name={where}"
    message = f"0 of {len(statements.ids):,} nodes have a name in a known predicate or column; {remedy}"
    return BuildError(message, code=code, where=where)


def name_by_id(statements: Statements) -> None:
    """Name nodes that have no name by the last part of their id, as people would read it."""
    named = set(statements.name_node)
    for external_id, node in statements.ids.items():
        if node not in named and not external_id.startswith("_:"):
            last = external_id.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1]
            statements.name(node, unquote(last).replace("_", " "), 0)


def read_ids(path: str | Path) -> set[str]:
    """Read the ids to keep: a text file, one id per line."""
    remedy = "give a text file, one id per line"
    check_input(path, remedy=remedy, once=True)
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"the ids to keep cannot be read from {path} ({error}); {remedy}", where=str(path)) from None
    wanted = {line.strip().removeprefix("<").removesuffix(">") for line in lines} - {""}
    if not wanted:
        raise OptionError(f"{path} holds no ids; {remedy}", where=str(path))
    return wanted


def write_content(writer: KBWriter, statements: Statements, content: Content) -> None:
    """Write all arrays but the vectors."""
    nodes, names = content.nodes, content.names
    ids, redirect_ids = Strings.of(nodes.ids), Strings.of(content.redirects)
    hashes = np.concatenate((hash_strings(ids), hash_strings(redirect_ids)))
    targets = np.array(list(content.redirects.values()), dtype=np.uint32)
    order = np.argsort(hashes, kind="stable")
    writer.add_strings("ids", ids)
    writer.add_strings("redirects", redirect_ids)
    writer.add("redirect_targets", targets)
    writer.add_table("id", HashTable.of(hashes[order]))
    writer.add("id_entities", np.concatenate((np.arange(len(nodes), dtype=np.uint32), targets))[order])
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


def _descriptions(statements: Statements, nodes: Nodes) -> Strings:
    entity = nodes.index[_uints(statements.description_node)]
    rank = np.frombuffer(statements.description_rank, dtype=np.uint8)
    order = np.lexsort((rank, entity))
    order = order[np.searchsorted(entity[order], 0) :]
    first = np.ones(len(order), dtype=bool)
    first[1:] = entity[order][1:] != entity[order][:-1]
    chosen = order[first]
    texts = statements.description_text.strings().take(chosen)
    lengths = np.zeros(len(nodes), dtype=np.int64)
    lengths[entity[chosen]] = np.diff(texts.offsets)
    return Strings(texts.blob, np.concatenate(([0], np.cumsum(lengths))).astype(np.int64))


def _types(statements: Statements, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    entity = nodes.index[_uints(statements.type_node)]
    kind = _uints(statements.type_id)[entity >= 0]
    entity = entity[entity >= 0]
    pairs = np.unique(np.stack((entity, kind.astype(np.int64)), axis=1), axis=0)
    indptr = np.concatenate(([0], np.cumsum(np.bincount(pairs[:, 0], minlength=len(nodes))))).astype(np.int64)
    return indptr, pairs[:, 1].astype(np.uint32)


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
    """What the manifest says of the KB. No dates, no paths: the same input gives the same bytes."""
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
    whole = index.key_kinds <= WHOLE
    key = np.repeat(np.arange(len(index.key_indptr) - 1), np.diff(index.key_indptr))[whole]
    sharing = np.bincount(key)
    return {
        "statements": statements.count,
        "entities": len(nodes),
        "named": int(content.answers.sum()),
        "names": len(names.texts),
        "distinct_names": int((sharing > 0).sum()),
        "ambiguous_names": int((sharing > 1).sum()),
        "tokens": len(index.tokens),
        "edges": nodes.graph.edges,
        "edge_statements": len(statements.edge_source),
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


def _uints(values: Any) -> NDArray[np.uint32]:
    return np.frombuffer(values, dtype=np.uint32)

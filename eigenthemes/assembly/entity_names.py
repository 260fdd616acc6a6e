"""The names and types of the entities, and which entities are linkable."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from typing import Any
from urllib.parse import unquote

import numpy as np
from numpy.typing import NDArray

from eigenthemes.assembly.nodes import Nodes, ranked_rows
from eigenthemes.core.scratch import blocks
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.errors import BuildError
from eigenthemes.kb.search import of_types
from eigenthemes.kg.statements import ALIAS, Statements
from eigenthemes.names.lexicon import DerivedName

_SKOS, _THESAURI = "http://www.w3.org/2004/02/skos/core#", "http://purl.org/iso25964/skos-thes#"
_CONCEPT = (f"{_SKOS}Concept",)
_CATEGORY = "dbpedia.org/resource/Category:"
ORGANIZING = (  # types of entities that organise others and are seldom mentioned
    f"{_SKOS}ConceptScheme", f"{_SKOS}Collection", f"{_SKOS}OrderedCollection",
    f"{_THESAURI}ConceptGroup", f"{_THESAURI}ThesaurusArray",
    "http://www.wikidata.org/entity/Q4167836", "Q4167836", "wd:Q4167836",
)  # fmt: skip


_LAST = 127  # rank of derived names: behind all aliases of the sources


@dataclass(frozen=True, slots=True)
class Names:
    """The names in order of entity, the label first.

    owner     [names] uint32: index of the entity
    language  [names] uint16 or uint32: row of `languages`
    indptr    [entities + 1] int64
    further   rows of names that are labels in further languages, ascending; and these languages
    derived   rows of names that a lexicon added, ascending: the last ones of their entity
    """

    texts: Strings
    owner: NDArray[np.uint32]
    is_label: NDArray[np.bool_]
    language: NDArray[Any]
    indptr: NDArray[np.int64]
    further: tuple[NDArray[np.int64], NDArray[Any]]
    derived: NDArray[np.int64]


def name_by_id(statements: Statements) -> None:
    """Name nodes without a name by the last part of their id."""
    named = statements.nodes_in("name_node")
    for external_id, node in statements.ids.items():
        if not named[node] and not external_id.startswith("_:"):
            last = external_id.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1]
            statements.name(node, unquote(last).replace("_", " "), 0)


def add_derived_names(statements: Statements, nodes: Nodes, lexicon: Iterable[DerivedName], languages: Sequence[str]) -> None:
    """Add the forms of a lexicon as names of their targets, in some languages, where they are no names already."""
    wanted = [name for name in lexicon if not name.language or name.language in languages]
    node_of = _named_nodes(statements, nodes, {each for name in wanted for each in (name.form, *name.targets)})
    unknown = 0
    for name in wanted:
        node = next((node_of[target.lower()] for target in name.targets if target.lower() in node_of), None)
        if node is not None and (not name.language or name.form.lower() not in node_of):
            tag = name.language if name.language in statements.languages else None
            statements.name(node, name.form, ALIAS + _LAST, tag)
        unknown += node is None and not name.language
    if unknown:
        statements.notes[f"{unknown:,} forms of the lexicon were left out: no entity has the name that they stand for"] = None


def _named_nodes(statements: Statements, nodes: Nodes, names: set[str]) -> dict[str, int]:
    """Return the node of each name, in small letters; of several, one with that label, then the one of the highest prior."""
    texts, node, rank = statements.texts("name_text"), statements.numbers("name_node"), statements.numbers("name_rank")
    spellings = ((name, name.lower(), name[:1].upper() + name[1:]) for name in names)
    known = np.sort(hash_strings(Strings.of(chain.from_iterable(spellings))))
    best: dict[str, tuple[bool, int, int]] = {}
    for first, last in blocks(len(texts) if names else 0):
        hashes = hash_strings(texts.take(np.arange(first, last)))
        row = np.minimum(np.searchsorted(known, hashes), len(known) - 1)
        for each in (first + np.flatnonzero(known[row] == hashes)).tolist():
            place = int(nodes.index[node[each]])
            if place >= 0:
                text = str(texts[each]).lower()
                best[text] = min(best.get(text, (True, len(nodes), 0)), (bool(rank[each] >= ALIAS), place, int(node[each])))
    return {text: found[2] for text, found in best.items()}


def collect_names(statements: Statements, nodes: Nodes) -> Names:
    """Return the distinct names of the entities, the best label of each first."""
    scratch = statements.scratch
    owner, row = ranked_rows(statements, nodes, "name")
    texts, languages = statements.texts("name_text"), statements.numbers("name_language")
    narrow = np.uint16 if len(statements.languages) <= 1 << 16 else np.uint32
    kept_row, kept_owner = (scratch.empty(len(row), dtype) for dtype in (np.uint32, np.uint32))
    is_label, language = scratch.empty(len(row), np.bool_), scratch.empty(len(row), narrow)
    further: list[tuple[NDArray[np.int64], NDArray[Any]]] = []
    derived = [np.zeros(0, np.int64)]
    size = 0
    for first, last in _entity_blocks(owner):
        rows, owners, tags = row[first:last], owner[first:last], languages[row[first:last]].astype(narrow)
        again, repeated = _repeated(owners, hash_strings(texts.take(rows)))
        rank = statements.numbers("name_rank")[rows]
        label_rank = rank < ALIAS
        entries, more = _further_languages(again, repeated, tags, label_rank)
        further.append((entries + size, more))
        kept = np.flatnonzero(~repeated)
        derived.append(size + np.flatnonzero(rank[kept] == ALIAS + _LAST))
        end = size + len(kept)
        kept_row[size:end], kept_owner[size:end], language[size:end] = rows[kept], owners[kept], tags[kept]
        is_label[size:end] = np.diff(owners[kept].astype(np.int64), prepend=-1) != 0
        size = end
    return Names(
        scratch.take_strings(texts, kept_row[:size]),
        kept_owner[:size],
        is_label[:size],
        language[:size],
        scratch.indptr(kept_owner[:size], len(nodes)),
        (np.concatenate([each[0] for each in further]), np.concatenate([each[1] for each in further])),
        np.concatenate(derived),
    )


def _entity_blocks(owner: NDArray[np.uint32]) -> Iterator[tuple[int, int]]:
    """Yield the bounds of blocks of rows that end where another entity begins."""
    begin = 0
    for _, last in blocks(len(owner)):
        end = len(owner) if last == len(owner) else int(np.searchsorted(owner, owner[last]))
        if end > begin:
            yield begin, end
            begin = end


def _repeated(owner: NDArray[np.uint32], hashes: NDArray[np.uint64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return an order in which equal names of an entity are adjacent, and which names repeat an earlier one.

    A label may be the same in two languages: the first is kept, with the languages of the others.
    """
    again = np.lexsort((hashes, owner))
    repeated = np.zeros(len(owner), dtype=bool)
    same = (owner[again][1:] == owner[again][:-1]) & (hashes[again][1:] == hashes[again][:-1])
    repeated[again[1:][same]] = True
    return again, repeated


def _further_languages(
    again: NDArray[np.int64], repeated: NDArray[np.bool_], language: NDArray[Any], is_label: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return the rows of names that are labels in further languages, and these languages.

    again     [n] an order in which equal names of an entity are adjacent, the first one first
    repeated  [n] repeats an earlier name of the entity
    """
    firsts = np.flatnonzero(~repeated[again])
    first = again[firsts][np.cumsum(~repeated[again]) - 1]  # for each name in that order
    selected = (repeated & is_label & (language > 0))[again]
    row = (np.cumsum(~repeated) - 1)[first[selected]]
    found = language[again[selected]]
    other = found != language[first[selected]]
    pairs = np.unique(np.stack((row[other], found[other].astype(np.int64))), axis=1)
    return pairs[0], pairs[1].astype(language.dtype)


def choose_linkable(
    statements: Statements,
    nodes: Nodes,
    names: Names,
    types: tuple[NDArray[np.int64], NDArray[np.uint32]],
    only_types: Sequence[str],
    not_types: Sequence[str],
) -> NDArray[np.bool_]:
    """Return which entities are linkable [n]: those with a name and of the given types, no concept schemes or categories.

    types      those of each entity, as of `collect_types`
    not_types  types to exclude; with "none" among them, concept schemes and categories are linkable, too
    """
    named: NDArray[np.bool_] = np.diff(names.indptr) > 0
    indptr, entity_types = types

    def label_of(type_id: str) -> str | None:
        """Return the label of a type; None where the KG does not name it."""
        index = nodes.index[statements.ids[type_id]] if type_id in statements.ids else -1
        return names.texts[int(names.indptr[index])] if index >= 0 and named[index] else None

    having = partial(of_types, types=list(statements.types), type_indptr=indptr, entity_types=entity_types, label_of=label_of)
    answers = named
    if only_types:
        answers = named & having(only_types)
    elif "none" not in not_types:
        organizing = having(ORGANIZING, must_occur=False) & ~having(_CONCEPT, must_occur=False)
        organizing[nodes.ids.holding(_CATEGORY)] = True
        answers = named & ~organizing
        if count := int((named & organizing).sum()):
            statements.notes[f"{count:,} schemes, collections and categories connect others and are no answers"] = None
    unwanted = [each for each in not_types if each != "none"]
    answers = answers & ~having(unwanted) if unwanted else answers
    if not answers.any():
        raise BuildError("no entity with a name is left that may be an answer; give other types", code="no-answers")
    return answers


def collect_types(statements: Statements, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.uint32]]:
    """Return the types of each entity: `indptr` [entities + 1] and types, ascending, each once."""
    scratch = statements.scratch

    def inside(node: NDArray[np.uint32], type_id: NDArray[np.uint32]) -> tuple[NDArray[Any], ...]:
        """Return the rows whose node is an entity."""
        entity = nodes.index[node]
        return entity[entity >= 0], type_id[entity >= 0]

    columns = statements.numbers("type_node"), statements.numbers("type_id")
    pairs = scratch.by_blocks(inside, columns, (np.uint32, np.uint32))
    entity, types = scratch.sort_rows(pairs, (max(1, len(nodes)), max(1, len(statements.types))))
    entity, types = scratch.chosen(scratch.first_of_equal(entity, types), entity, types)
    return scratch.indptr(entity, len(nodes)), types

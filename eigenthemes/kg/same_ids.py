"""Ids that two sources spell in two ways become one entity, which keeps the spelling of the first."""

from __future__ import annotations

import numpy as np

from eigenthemes.core.entity_ids import Curie, curie_of_iri, parse_curie
from eigenthemes.kg.statements import Statements

_W3ID = ("http://w3id.org/", "https://w3id.org/")


def join_spellings(statements: Statements) -> None:
    """Make one node of all nodes whose ids are spellings of one id, and let redirects lead to it."""
    by_iri = _curies_of_iris(statements)
    if not by_iri and not statements.redirects:
        return
    first = _first_nodes(statements, by_iri)
    ids = list(statements.ids)
    nodes = np.arange(len(ids), dtype=np.uint32)
    for node, own in first.items():
        nodes[node] = own
        if node != own:
            statements.redirects[ids[node]] = ids[own]
    if len(first):
        statements.renumber(nodes)
    known = {curie.key: ids[first.get(node, node)] for node, curie in by_iri.items()}
    for old, new in statements.redirects.items():
        if new not in statements.ids:
            statements.redirects[old] = _known_spelling(new, known, statements)
    for node, curie in by_iri.items():  # where those end nobody can guess: the short form is kept beside them
        if ids[node].startswith(_W3ID) and str(curie) not in statements.ids:
            statements.redirects.setdefault(str(curie), ids[node])


def _curies_of_iris(statements: Statements) -> dict[int, Curie]:
    curies = ((node, curie_of_iri(entity_id)) for entity_id, node in statements.ids.items())
    return {node: curie for node, curie in curies if curie is not None}


def _first_nodes(statements: Statements, by_iri: dict[int, Curie]) -> dict[int, int]:
    """Node -> the first node of its spellings, where there are several. Two CURIEs alone are never taken for one another."""
    spelled: dict[str, list[int]] = {}
    for node, curie in by_iri.items():
        spelled.setdefault(curie.key, []).append(node)
    if spelled:
        for entity_id, node in statements.ids.items():
            written = parse_curie(entity_id) if node not in by_iri else None
            if written is not None and written.key in spelled:
                spelled[written.key].append(node)
    return {node: min(nodes) for nodes in spelled.values() if len(nodes) > 1 for node in nodes}


def _known_spelling(entity_id: str, known: dict[str, str], statements: Statements) -> str:
    """Return the spelling of an id that the sources use; the id itself where they do not have it."""
    curie = curie_of_iri(entity_id) or parse_curie(entity_id)
    if curie is None:
        return entity_id
    return str(curie) if str(curie) in statements.ids else known.get(curie.key, entity_id)

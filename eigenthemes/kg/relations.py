"""Relations as people read them: by the name that an ontology gives them, and without those that deny."""

from __future__ import annotations

import re

import numpy as np

from eigenthemes.core.entity_ids import curie_of_iri
from eigenthemes.kg.statements import Statements

_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_DENIALS = {"not", "never", "lack", "lacks", "lacking", "without", "disjoint", "excludes", "excluded", "absent"}


def settle_relations(statements: Statements) -> None:
    """Name the relations of ontologies, and drop the edges that say that two things have nothing to do with one another."""
    names = dict(statements.relation_names)
    if statements.is_ontology:
        _drop_denials(statements, names)
        for relation in statements.relations:
            curie = curie_of_iri(relation)
            if curie is not None:
                names.setdefault(relation, str(curie))
    if names or statements.is_ontology:
        statements.rename_relations(names)


def denies(relation: str) -> bool:
    """Does a relation say that something is not so?  `lacks_part`, `never in taxon`, `hasNotCompleted`."""
    local = relation.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1]
    return not _DENIALS.isdisjoint(word.lower() for word in _WORDS.findall(local))


def _drop_denials(statements: Statements, names: dict[str, str]) -> None:
    denying = np.array([denies(relation) or denies(names.get(relation, "")) for relation in statements.relations], dtype=bool)
    relation_of = statements.numbers("edge_relation")
    dropped = denying[relation_of] if len(denying) else np.zeros(0, dtype=bool)
    if not dropped.any():
        return
    relations = list(statements.relations)
    shown = sorted({names.get(relations[number], relations[number]) for number in np.unique(relation_of[dropped]).tolist()})
    statements.notes[f"{int(dropped.sum()):,} statements of relations that deny are no edges ({', '.join(shown[:5])})"] = None
    statements.keep_edges(~dropped)

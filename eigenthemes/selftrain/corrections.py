"""From people's corrections to a ranker: what they say is in the KB's memory; from twenty on, the weights are fitted on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.kb.memory import Memory, document_key
from eigenthemes.kb.store import KB
from eigenthemes.ranking.features import COLUMNS, memory
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document
from eigenthemes.selftrain.gold import gold_train, unknown_gold

ENOUGH = 20  # corrections from which on weights are fitted


def check_gold(documents: Iterable[Document], kb: KB) -> list[Document]:
    """Return the documents that say something of their names; refuse gold that has nothing to do with the KB."""
    said = [document for document in documents if any(mention.gold is not None for mention in document.mentions or ())]
    if not said:
        raise DocumentError('no mention has gold to train on; give documents whose mentions have "gold": ids of the KB')
    ids = [entity_id for document in said for mention in document.mentions or () for entity_id in mention.gold or ()]
    if ids and (kb.indices_of(ids) < 0).all():
        raise unknown_gold("in the KB", ids[0], kb)
    return said


def check_names(names: Iterable[tuple[str, str]], kb: KB) -> list[tuple[str, str]]:
    """Return pairs of a name and an id; refuse an id that the KB does not have."""
    checked = list(names)
    for name, entity_id in checked:
        if entity_id not in kb:
            raise OptionError(
                f"{entity_id} is to be called {name}, and the KB has no such id; give ids like {kb.id_of(0)}",
                where=entity_id,
            )
    return checked


def refit(kb: KB, ranker: Ranker, given: Iterable[Document] = (), **options: Any) -> Ranker:
    """Fit a self-trained ranker on all corrections that a KB remembers, if they are enough.

    given    documents that were remembered just now: with their texts, which a KB does not keep
    options  of `gold_train`
    """
    remembered = Memory.of(kb)
    if remembered.answers < ENOUGH:
        return ranker
    whole = {document_key(document): document for document in given}
    documents = [whole.get(said.key) or said.to_document() for said in remembered.corrected]
    try:
        return gold_train(kb, ranker, documents, **options)
    except DocumentError:  # no name has two documents that say what it means, and none a candidate of its own
        return ranker


def self_trained(kb: KB, vectors: str | None, *, seed: int) -> Ranker | None:
    """Return the ranker that a KB was trained with before anybody corrected it; None: it has none like one trained now."""
    described = kb.rankers.get(vectors or next(iter(kb.vector_sets), ""))
    if described is None or described.get("training", {}).get("seed") != seed:
        return None
    if "gold" in described and "self_trained" not in described:
        return None
    kept = {key: value for key, value in described.items() if key not in ("gold", "self_trained")}
    kept |= described.get("self_trained", {})
    known = set(kept["rounds"][-1]["choice"])
    is_current = "tables" in kept and "chance" in kept and known | set(memory.CHOICE) == set(COLUMNS)
    return Ranker.of(kept) if is_current else None

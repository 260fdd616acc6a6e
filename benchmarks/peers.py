"""Run one other tool that finds entities by names: python -m benchmarks.peers PEER NAMES MENTIONS

`benchmarks.compare` runs it, with the rival's own Python. It knows nothing of eigenthemes: NAMES has a JSON line
[id, prior, [names]] for each entity, MENTIONS one for each text to look up. Prints one JSON line with what was measured.
"""

from __future__ import annotations

import argparse
import gc
import json
import resource
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

MOST = 20
SLOW = 5.0  # seconds from which on once is enough
Entities = list[tuple[str, float, list[str]]]
LookUp = Callable[[str], list[str]]  # a text -> ids, the best first, MOST at most


def gilda(entities: Entities) -> LookUp:
    """gilda's Grounder with a term for each name."""
    from gilda.grounder import Grounder
    from gilda.process import normalize
    from gilda.term import Term

    terms = defaultdict(list)
    for entity, _, names in entities:
        for number, name in enumerate(dict.fromkeys(names)):
            status = "synonym" if number else "name"
            term = Term(normalize(name), name, "kg", entity, names[0], status, "kg")
            terms[term.norm_text].append(term)
    grounder = Grounder(dict(terms))
    return lambda text: _distinct(match.term.id for match in grounder.ground(text))


def tantivy(entities: Entities) -> LookUp:
    """tantivy with a document for each entity, its names in one field; BM25, any word may match."""
    import tantivy

    builder = tantivy.SchemaBuilder()
    builder.add_text_field("names")
    builder.add_text_field("id", stored=True, tokenizer_name="raw")
    index = tantivy.Index(builder.build())
    writer = index.writer(heap_size=500_000_000, num_threads=1)
    for entity, _, names in entities:
        writer.add_document(tantivy.Document(names=names, id=entity))
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def look_up(text: str) -> list[str]:
        query, _ = index.parse_query_lenient(text, ["names"])
        return [searcher.doc(address)["id"][0] for _, address in searcher.search(query, MOST).hits]

    return look_up


def spacy(entities: Entities) -> LookUp:
    """The candidate step of spaCy's EntityLinker: aliases in an InMemoryLookupKB, in small letters, by prior."""
    from spacy.kb import InMemoryLookupKB
    from spacy.vocab import Vocab

    kb = InMemoryLookupKB(Vocab(), entity_vector_length=1)
    meant: dict[str, dict[str, float]] = defaultdict(dict)
    for entity, prior, names in entities:
        kb.add_entity(entity=entity, freq=1, entity_vector=[0.0])
        for name in names:
            meant[name.casefold()][entity] = 1.0 + max(prior, 0.0)
    for name, weights in meant.items():
        total = 1.0001 * sum(weights.values())  # spaCy refuses what rounds to more than 1
        kb.add_alias(alias=name, entities=list(weights), probabilities=[weight / total for weight in weights.values()])
    find: Any = getattr(kb, "_get_alias_candidates", None) or kb.get_alias_candidates

    def look_up(text: str) -> list[str]:
        ranked = sorted(find(text.casefold()), key=lambda candidate: -candidate.prior_prob)
        return [str(getattr(candidate, "entity_id_", None) or candidate.entity_) for candidate in ranked[:MOST]]

    return look_up


def rapidfuzz(entities: Entities) -> LookUp:
    """Scan all names with rapidfuzz, by its default scorer."""
    from rapidfuzz import process, utils

    names = [(utils.default_process(name), entity) for entity, _, names in entities for name in names]
    texts = [text for text, _ in names]

    def look_up(text: str) -> list[str]:
        found = process.extract(utils.default_process(text), texts, limit=2 * MOST)
        return _distinct(names[row][1] for _, _, row in found)

    return look_up


PEERS = {function.__name__: function for function in (gilda, tantivy, spacy, rapidfuzz)}


def _distinct(ids: Any) -> list[str]:
    return list(dict.fromkeys(ids))[:MOST]


def memory() -> float:
    """Return the memory of this process now, in MB."""
    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 1e6


def main() -> None:
    """Build the index, look all mentions up, three times if that is quick, print what it took and what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", choices=PEERS)
    parser.add_argument("names", type=Path, help="JSON lines [id, prior, [names]]")
    parser.add_argument("mentions", type=Path, help="JSON lines: the texts to look up")
    arguments = parser.parse_args()
    entities = [json.loads(line) for line in arguments.names.read_text(encoding="utf-8").splitlines()]
    texts = [json.loads(line) for line in arguments.mentions.read_text(encoding="utf-8").splitlines()]
    before, start = memory(), time.process_time()
    look_up = PEERS[arguments.peer](entities)
    indexed, taken = time.process_time() - start, memory() - before
    found: list[list[str]] = []
    seconds = float("inf")
    for _ in range(3):
        start = time.process_time()
        found = [look_up(text) for text in texts]
        seconds = min(seconds, time.process_time() - start)
        if seconds > SLOW:
            break
    print(json.dumps({"index_s": indexed, "memory_mb": taken, "per_s": len(texts) / seconds, "found": found}))


if __name__ == "__main__":
    main()

"""Evaluation of detection and linking in plain text against annotated documents."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from eigenthemes.core.progress import Advance
from eigenthemes.kb.store import KB
from eigenthemes.linker import Linker
from eigenthemes.metrics.calibration import calibration_error, reliability
from eigenthemes.metrics.spans import LEFT_OUT, FoundSpan, GoldSpan, SpanCounts, match_spans
from eigenthemes.pipeline.batch import BATCH, batches_of
from eigenthemes.records import Document, LinkedDocument

_MATCHINGS = {"strong": False, "weak": True}
# what is compared -> were the mentions given, must there be a link, must its entity be right
_COMPARED = {
    "links": (False, True, True),
    "linked_spans": (False, True, False),
    "proposed_spans": (False, False, False),
    "given": (True, True, True),
}


def evaluate_detection(
    linker: Linker, documents: Iterable[Document], *, advance: Advance = lambda amount: None
) -> dict[str, Any]:
    """Link annotated texts twice, with detected and with given mentions; return the figures that `eval --detect --json` prints.

    outside      annotations whose entity is not in the KB
    passed_over  documents without a text or without annotated spans
    """
    totals = Counter(dict.fromkeys(("documents", "mentions", "outside", "passed_over", "links_given"), 0))
    counts = {(what, how): SpanCounts() for what in _COMPARED for how in _MATCHINGS}
    links = list[tuple[float, int]]()  # the probability of each that counts, and if it is right
    characters, seconds = 0, 0.0
    linker.link("")  # what is loaded at first use is nobody's time
    for some in batches_of(documents, BATCH):
        usable = [kept for document in some if (kept := annotated_text(document)) is not None]
        start = time.perf_counter()
        found = list(linker.links(linker.decide([replace(document, mentions=None) for document in usable])))
        seconds += time.perf_counter() - start
        characters += sum(len(document.text or "") for document in usable)
        totals.update(documents=len(usable), passed_over=len(some) - len(usable))
        for document, linked, given in zip(usable, found, linker.links(linker.decide(usable)), strict=True):
            gold = gold_spans(document, linker.kb)
            totals.update(mentions=len(gold), outside=sum(not span.entities for span in gold))
            totals.update(links_given=sum(link.entity is not None for link in linked.links))
            links += _compare(counts, gold, linked, given, linker.kb)
        advance(len(some))
    probability, right = np.array(links, dtype=np.float64).reshape(-1, 2).T
    return {
        **totals,
        "megabytes_per_second": characters / 1e6 / max(1e-9, seconds),
        **{what: {how: counts[what, how].figures() for how in _MATCHINGS} for what in _COMPARED},
        "calibration": {"ece": calibration_error(probability, right), "reliability": reliability(probability, right)},
    }


def annotated_text(document: Document) -> Document | None:
    """Return a document with those of its mentions that have a span and gold; None where it has no text or no such mention."""
    spans = tuple(mention for mention in document.mentions or () if mention.start is not None and mention.gold is not None)
    return replace(document, mentions=spans) if document.text and spans else None


def gold_spans(document: Document, kb: KB) -> list[GoldSpan]:
    """Return the annotated spans of a document, in order; of those annotated twice, any entity is right."""
    spans: dict[tuple[int, int], frozenset[int]] = {}
    for mention in document.mentions or ():
        if mention.start is not None and mention.end is not None:
            known = frozenset(entity for id in mention.gold or () if (entity := kb.index_of(id)) is not None)
            place = mention.start, mention.end
            spans[place] = spans.get(place, frozenset()) | known
    return [GoldSpan(*place, entities) for place, entities in sorted(spans.items())]


def linked_spans(linked: LinkedDocument, kb: KB, *, linked_only: bool) -> list[tuple[FoundSpan, float]]:
    """Return the spans of a linked document with their probability; 0 if not linked or not calibrated."""
    found = []
    for link in linked.links:
        if link.mention.start is None or link.mention.end is None or (linked_only and link.entity is None):
            continue
        entity = None if link.entity is None else kb.index_of(link.entity)
        span = FoundSpan(link.mention.start, link.mention.end, -1 if entity is None else entity)
        found.append((span, link.probability or 0.0))
    return found


def _compare(
    counts: dict[tuple[str, str], SpanCounts],
    gold: Sequence[GoldSpan],
    linked: LinkedDocument,
    given: LinkedDocument,
    kb: KB,
) -> list[tuple[float, int]]:
    """Count the spans of a document; return the probability of each link that counts, and if it is right."""
    links = []
    for what, (was_given, linked_only, entities) in _COMPARED.items():
        found = linked_spans(given if was_given else linked, kb, linked_only=linked_only)
        for how, weak in _MATCHINGS.items():
            outcome = match_spans([span for span, _ in found], gold, weak=weak, entities=entities)
            counts[what, how].add(outcome, gold)
            if (what, how) == ("links", "strong"):
                links = [(probability, right) for (_, probability), right in zip(found, outcome, strict=True)]
    return [(probability, right) for probability, right in links if right != LEFT_OUT]

"""Evaluation of detection and linking in plain text against annotated documents."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
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


@dataclass(slots=True)
class DetectionRun:
    """Counts over annotated texts.

    counts       (what is compared, how spans match) -> counts
    probability  of each link that counts, and whether it is right
    outside      annotations whose entity is not in the KB
    passed_over  documents without a text or without annotated spans
    seconds      finding and linking names, mentions not given
    """

    counts: dict[tuple[str, str], SpanCounts] = field(
        default_factory=lambda: {(what, how): SpanCounts() for what in _COMPARED for how in _MATCHINGS}
    )
    probability: list[tuple[float, int]] = field(default_factory=list)
    documents: int = 0
    mentions: int = 0
    outside: int = 0
    passed_over: int = 0
    links: int = 0
    characters: int = 0
    seconds: float = 0.0


def evaluate_detection(
    linker: Linker, documents: Iterable[Document], *, advance: Advance = lambda amount: None
) -> DetectionRun:
    """Link annotated texts twice, with detected and with given mentions, and compare."""
    run = DetectionRun()
    linker.link("")  # what is loaded at first use is nobody's time
    for some in batches_of(documents, BATCH):
        usable = [kept for document in some if (kept := annotated_text(document)) is not None]
        run.passed_over += len(some) - len(usable)
        start = time.perf_counter()
        found = list(linker.links(linker.decide([replace(document, mentions=None) for document in usable])))
        run.seconds += time.perf_counter() - start
        given = linker.links(linker.decide(usable))
        for document, linked, with_given in zip(usable, found, given, strict=True):
            _count(run, linker.kb, document, linked, with_given)
        advance(len(some))
    return run


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


def _count(run: DetectionRun, kb: KB, document: Document, linked: LinkedDocument, given: LinkedDocument) -> None:
    gold = gold_spans(document, kb)
    run.documents += 1
    run.mentions += len(gold)
    run.outside += sum(not span.entities for span in gold)
    run.characters += len(document.text or "")
    run.links += sum(link.entity is not None for link in linked.links)
    for what, (was_given, linked_only, entities) in _COMPARED.items():
        found = linked_spans(given if was_given else linked, kb, linked_only=linked_only)
        for how, weak in _MATCHINGS.items():
            outcome = match_spans([span for span, _ in found], gold, weak=weak, entities=entities)
            run.counts[what, how].add(outcome, gold)
            if (what, how) == ("links", "strong"):
                pairs = zip((probability for _, probability in found), outcome, strict=True)
                run.probability.extend((probability, right) for probability, right in pairs if right != LEFT_OUT)


def detection_report(run: DetectionRun) -> dict[str, Any]:
    """Return the figures, as `eval --detect --json` prints them."""
    figures: dict[str, Any] = {
        "documents": run.documents,
        "mentions": run.mentions,
        "outside": run.outside,
        "passed_over": run.passed_over,
        "links_given": run.links,
        "megabytes_per_second": run.characters / 1e6 / max(1e-9, run.seconds),
    }
    for what in _COMPARED:
        figures[what] = {how: run.counts[what, how].figures() for how in _MATCHINGS}
    probability, right = np.array(run.probability, dtype=np.float64).reshape(-1, 2).T
    figures["calibration"] = {"ece": calibration_error(probability, right), "reliability": reliability(probability, right)}
    return figures

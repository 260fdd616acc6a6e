"""How well and how fast mentions are detected in plain text: python -m benchmarks.bench_mentions

Exact spans against annotated ones. Recall counts mentions whose gold is in the KB; a span annotated with gold outside the KB
counts neither way. wned-cweb is annotated in part only, so its precision says little.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from benchmarks.common import data_folder, parse_arguments, print_table, real_kb, save_results, say
from eigenthemes.documents.reader import document_name, read_gold
from eigenthemes.kb.store import KB
from eigenthemes.mentions.names import NameDetector
from eigenthemes.records import Document

SETS = {
    "general": ("general/wned-cweb", "general/wned-wiki"),
    "places": ("places/lgl", "places/gwn"),
    "genes": ("genes/biored-train",),
    "phenotypes": ("phenotypes/gsc",),
}
Span = tuple[int | None, int | None]


def main() -> None:
    arguments = parse_arguments(__doc__)
    rows = []
    for kg, files in SETS.items():
        kb = real_kb(kg, arguments.cache)
        for file in files:
            rows.append(measure(kb, data_folder() / f"{file}.jsonl.gz"))
            say(str(rows[-1]))
    save_results("mentions", {"spans": rows})
    print_table("Names found in plain text", rows)


def measure(kb: KB, path: Path) -> dict[str, Any]:
    """Precision, recall and F1 of spans, and MB/s."""
    detector = NameDetector(kb)
    detector.find("Paris " * 30_000)  # from here on the kernel answers
    right = detected = annotated = size = 0
    seconds = 0.0
    for document in read_gold(path):
        text = document.text or ""
        start = time.perf_counter()
        spans = set(detector.find(text))
        seconds += time.perf_counter() - start
        inside, outside = gold_spans(document, kb)
        right += len(spans & inside)
        detected += len(spans - outside)
        annotated += len(inside)
        size += len(text.encode())
    precision, recall = right / max(1, detected), right / max(1, annotated)
    return {
        "set": document_name(path),
        "precision": precision,
        "recall": recall,
        "F1": 2 * precision * recall / max(1e-9, precision + recall),
        "MB/s": size / 1e6 / seconds,
    }


def gold_spans(document: Document, kb: KB) -> tuple[set[Span], set[Span]]:
    """The annotated spans whose gold the KB has, and those whose gold it has not."""
    inside, outside = set[Span](), set[Span]()
    for mention in document.mentions or ():
        known = any(kb.index_of(id) is not None for id in mention.gold or ())
        (inside if known else outside).add((mention.start, mention.end))
    return inside, outside


if __name__ == "__main__":
    main()

"""How well and how fast names are found in plain text: python -m benchmarks.bench_mentions

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

SETS = {
    "general": ("general/wned-cweb", "general/wned-wiki"),
    "places": ("places/lgl", "places/gwn"),
    "genes": ("genes/biored-train",),
    "phenotypes": ("phenotypes/gsc",),
}


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
    finder = NameDetector(kb)
    finder.find("Paris " * 30_000)  # from here on the kernel answers
    right = found = sought = size = 0
    seconds = 0.0
    for document in read_gold(path):
        text = document.text or ""
        start = time.perf_counter()
        spans = set(finder.find(text))
        seconds += time.perf_counter() - start
        inside, outside = set(), set()
        for mention in document.mentions or ():
            known = any(kb.index_of(each) is not None for each in mention.gold or ())
            (inside if known else outside).add((mention.start, mention.end))
        right += len(spans & inside)
        found += len(spans - outside)
        sought += len(inside)
        size += len(text.encode())
    precision, recall = right / max(1, found), right / max(1, sought)
    return {
        "set": document_name(path),
        "precision": precision,
        "recall": recall,
        "F1": 2 * precision * recall / max(1e-9, precision + recall),
        "MB/s": size / 1e6 / seconds,
    }


if __name__ == "__main__":
    main()

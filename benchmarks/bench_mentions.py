"""Measure quality and speed of detection in plain text: python -m benchmarks.bench_mentions

Spans against annotated ones; gold outside the KB is left out, and a span that touches it counts neither way. wned-cweb and
wned-wiki are annotated in part only, so their precision says little.

spans      what the detector proposes, and how fast
links      spans and entities together, as somebody gets them who has nothing but texts; whole documents, and the same cut into
           sentences (those with gold in the KB are kept)
rules      F1 of links on whole documents with each rule left out (not by default: it takes ten times as long)
foreign    links that a KB of places finds in biomedical abstracts: nearly all are wrong
"""

from __future__ import annotations

import argparse
import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np

from benchmarks.common import data_folder, parse_arguments, print_table, real_kb, save_results, say
from eigenthemes.documents.reader import document_name, read_gold
from eigenthemes.evaluation.detect import annotated_text, evaluate_detection, gold_spans
from eigenthemes.kb.store import KB
from eigenthemes.linker import Linker
from eigenthemes.metrics.spans import FoundSpan, SpanCounts, match_spans
from eigenthemes.names.detector import NameDetector
from eigenthemes.records import Document

SETS = {
    "phenotypes": ("phenotypes/gsc",),
    "genes": ("genes/biored-train",),
    "places": ("places/lgl", "places/gwn"),
    "general": ("general/wned-cweb", "general/wned-wiki"),
}
FOREIGN = "places", "genes/biored-train"
PARTS = ("spans", "links", "rules", "foreign")
BY_DEFAULT = ("spans", "links", "foreign")
_NAMES, _DETECTION = "eigenthemes.names.detector", "eigenthemes.ranking.detection"
# what is left out -> what stands for it
RULES: dict[str, dict[str, Any]] = {
    "nothing": {},
    "cores": {f"{_NAMES}.NameDetector._may_be_cores": lambda _, matches, *__: np.zeros(len(matches), bool)},
    "names that share a word": {f"{_NAMES}.with_coordinated": lambda found, *_: found},
    "elided articles": {f"{_NAMES}.part_elisions": lambda text: text},
    "clues": {f"{_DETECTION}.clues": lambda document, mentions: [0.0] * len(mentions)},
    "abbreviations": {
        f"{_DETECTION}.abbreviation_clues": lambda groups, *_: (np.zeros(len(groups)), [""] * len(groups)),
    },
    "chance model": {f"{_DETECTION}._FALSE_MATCH": 0.0},
    "shift": {f"{_DETECTION}._SHIFT": 0.0},
    "pi of the document": {f"{_DETECTION}._ROUNDS": 1},
    "care for short texts": {f"{_DETECTION}._FEW": 0.0},
}
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")


def main() -> None:
    arguments = parse_arguments(__doc__, add_options)
    for part in PARTS:
        if part in arguments.only:
            rows = list(globals()[f"measure_{part}"](arguments))
            save_results("mentions", {part: rows})
            print_table(part, rows)


def add_options(parser: argparse.ArgumentParser) -> None:
    """`--only spans,links`, `--kbs FOLDER`."""
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(BY_DEFAULT), help=f"of {','.join(PARTS)}")
    parser.add_argument("--kbs", type=Path, help="a folder of trained KBs, places.kb and so on; default: they are built")
    parser.add_argument("--sets", type=lambda text: text.split(","), help="only these, e.g. lgl,gsc")


def open_kb(name: str, arguments: argparse.Namespace) -> KB:
    """Open a KB that is there already, or build it once."""
    return KB.open(arguments.kbs / f"{name}.kb") if arguments.kbs else real_kb(name, arguments.cache)


def chosen(arguments: argparse.Namespace) -> Iterator[tuple[KB, Path]]:
    """Yield each set with its KB."""
    for kg, files in SETS.items():
        paths = [data_folder() / f"{file}.jsonl.gz" for file in files]
        wanted = [path for path in paths if arguments.sets is None or document_name(path) in arguments.sets]
        if wanted:
            kb = open_kb(kg, arguments)
            for path in wanted:
                yield kb, path


def measure_spans(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measure the detector alone."""
    for kb, path in chosen(arguments):
        yield measure(kb, path)
        say(path.name)


def measure(kb: KB, path: Path) -> dict[str, Any]:
    """Precision, recall and F1 of the spans proposed, and MB/s."""
    detector = NameDetector(kb)
    detector.find("Paris " * 30_000)  # from here on the kernel answers
    counts, size, seconds = SpanCounts(), 0, 0.0
    for document in filter(None, map(annotated_text, read_gold(path))):
        text = document.text or ""
        start = time.process_time()
        spans = detector.find(text)
        seconds += time.process_time() - start
        gold = gold_spans(document, kb)
        counts.add(match_spans([FoundSpan(*span) for span in spans], gold, weak=False, entities=False), gold)
        size += len(text.encode())
    micro = counts.figures()["micro"]
    shares = {"precision": micro["precision"], "recall": micro["recall"], "F1": micro["f1"]}
    return {"set": document_name(path), **shares, "MB/s": size / 1e6 / seconds}


def measure_links(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measure spans and entities together: documents, and sentences."""
    for kb, path in chosen(arguments):
        linker = Linker(kb)
        documents = list(filter(None, map(annotated_text, read_gold(path))))
        for unit, texts in {"documents": documents, "sentences": list(sentences(documents, kb))}.items():
            yield {"set": document_name(path), "unit": unit, **link_figures(linker, texts)}
            say(f"{path.name}, {unit}")


def measure_rules(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measure links on whole documents with each rule left out."""
    for kb, path in chosen(arguments):
        documents = list(filter(None, map(annotated_text, read_gold(path))))
        for rule, patches in RULES.items():
            with ExitStack() as stack:
                for place, replacement in patches.items():
                    stack.enter_context(patch(place, replacement))
                figures = link_figures(Linker(kb), documents)
            yield {"set": document_name(path), "left out": rule, "F1": figures["F1"], "spans F1": figures["spans F1"]}
            say(f"{path.name}, without {rule}: {figures['F1']:.4f}")


def link_figures(linker: Linker, texts: list[Document]) -> dict[str, Any]:
    """The figures of a table."""
    figures = evaluate_detection(linker, texts)
    strong, weak = figures["links"]["strong"], figures["links"]["weak"]
    return {
        "precision": strong["micro"]["precision"],
        "recall": strong["micro"]["recall"],
        "F1": strong["micro"]["f1"],
        "macro F1": strong["macro"]["f1"],
        "weak F1": weak["micro"]["f1"],
        "spans F1": figures["linked_spans"]["strong"]["micro"]["f1"],
        "given F1": figures["given"]["strong"]["micro"]["f1"],
        "ECE": figures["calibration"]["ece"],
        "link MB/s": figures["megabytes_per_second"],
    }


def sentences(documents: list[Document], kb: KB) -> Iterator[Document]:
    """Yield the sentences of documents that have gold in the KB, each as a document."""
    for document in documents:
        text = document.text or ""
        ends = [match.end() for match in _SENTENCE_END.finditer(text)]
        for number, (first, last) in enumerate(zip([0, *ends], [*ends, len(text)], strict=True)):
            mentions = tuple(
                replace(mention, start=mention.start - first, end=mention.end - first)
                for mention in document.mentions or ()
                if mention.start is not None and mention.end is not None and first <= mention.start and mention.end <= last
            )
            sentence = replace(document, id=f"{document.id}-{number}", text=text[first:last], mentions=mentions)
            if any(span.entities for span in gold_spans(sentence, kb)):
                yield sentence


def measure_foreign(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Count the links of a KB on texts about something else."""
    kg, file = FOREIGN
    linker = Linker(open_kb(kg, arguments))
    texts = [replace(document, mentions=None) for document in read_gold(data_folder() / f"{file}.jsonl.gz")]
    links = sum(link.entity is not None for linked in linker.link_batch(texts) for link in linked.links)
    yield {"KB": kg, "texts": file, "links": links}


if __name__ == "__main__":
    main()

"""eigenthemes eval --detect: texts as if nobody had annotated them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.cli.options import link_options, parse_scoring
from eigenthemes.cli.output import counted, print_table, say, terminal_progress
from eigenthemes.core.progress import Silent

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB

_ROWS = {
    "links": "found and linked",
    "linked_spans": "found, whatever the link",
    "proposed_spans": "proposed, linked or not",
    "given": "mentions given, linked",
}


def evaluate_texts(kb: KB, gold: Mapping[str, Any], methods: Sequence[str], options: Mapping[str, Any]) -> dict[str, Any]:
    """Return name of a set -> method -> figures, and print them unless they are wanted as JSON."""
    from eigenthemes.evaluation.detect import detection_report, evaluate_detection
    from eigenthemes.kb.name_memory import name_memories
    from eigenthemes.linker import Linker
    from eigenthemes.ranking.methods import method_named, scoring_options

    scoring = scoring_options({name: method_named(name) for name in methods}, parse_scoring(dict(options)))
    linkers = {name: Linker(kb, options=link_options(options, name, scoring[name])) for name in methods}
    results: dict[str, Any] = {}
    for name, documents in gold.items():
        read = list(documents)
        results[name] = {}
        memory = name_memories(kb)
        tell_trained_on(name, 0 if memory is None else sum(document in memory for document in read))
        for method, linker in linkers.items():
            with terminal_progress(Silent()).step(f"{name}, {method}", total=len(read), unit="documents") as advance:
                figures = detection_report(evaluate_detection(linker, read, advance=advance))
            results[name][method] = figures
            if not figures["documents"]:
                say(f"warning: {name}: no document has a text and mentions with spans and gold", err=True)
            if not options["as_json"]:
                _print(name, method, figures)
    return results


def tell_trained_on(name: str, documents: int) -> None:
    """Warn of documents of a set that the KB remembers."""
    if documents:
        told = f"warning: {name}: {counted(documents, 'document')} the KB was trained on: figures on them say nothing"
        say(f"{told}; evaluate on others", err=True)


def _print(name: str, method: str, figures: dict[str, Any]) -> None:
    passed_over = f", {counted(figures['passed_over'], 'document')} without a text or spans passed over"
    passed_over *= bool(figures["passed_over"])
    say(
        f"{name}, {method}: {counted(figures['documents'], 'text')}, {counted(figures['mentions'], 'annotated span')}, "
        f"{figures['outside']:,} of them outside the KB, left out{passed_over}; {counted(figures['links_given'], 'link')} given"
    )
    header = ("spans", "matching", "precision", "recall", "F1", "macro F1")
    rows = []
    for what, told in _ROWS.items():
        for how in ("strong", "weak"):
            found = figures[what][how]
            shares = (*(found["micro"][figure] for figure in ("precision", "recall", "f1")), found["macro"]["f1"])
            rows.append((told, how, *(f"{share:.3f}" for share in shares)))
    print_table(header, rows, right=range(2, 6))
    say(
        f"calibration error of the links found {figures['calibration']['ece']:.3f}; "
        f"{figures['megabytes_per_second']:.2f} million characters/s"
    )
    click.echo()

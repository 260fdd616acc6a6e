"""The command `eigenthemes train`."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.cli.inspect import report_damage
from eigenthemes.cli.options import JOBS, SEED
from eigenthemes.cli.output import counted, note, terminal_progress

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB
    from eigenthemes.records import Document


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("gold", required=False, type=click.Path())
@click.option(
    "--add-names",
    type=click.Path(),
    metavar="FILE",
    help="Names that you know, to be remembered, too: a name and an id per line.",
)
@click.option("--vectors", metavar="NAME", help="The vectors it is to be used with; default: those made or imported last.")
@click.option("--word-vectors", type=click.Path(), metavar="FILE", help="Keep these in the KB: the words of a text count, too.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="The same seed gives the same weights.")
@click.option("--jobs", type=JOBS, help="Processes; default: the cores of this machine, 8 at most.")
@report_damage
def train(kb: str, gold: str | None, add_names: str | None, jobs: int | None, **options: Any) -> None:
    """Train the ranker of a KB on synthetic documents from its graph; build does so, too.

    GOLD, documents with "gold" in the formats of eval, is remembered, from a single mention on: what a name meant there, none
    of the KG, or "not_a_name". The same document again replaces what it said. From 20 mentions on, in all, the weights are
    fitted on what is remembered, too, starting from the self-trained ones; what is told of them was measured on documents they
    were not fitted on. eigenthemes corrections lists what is remembered, and forgets it.
    """
    from eigenthemes.core.workers import available_cores
    from eigenthemes.documents.reader import read_corrections
    from eigenthemes.kb.info import memory_in_words
    from eigenthemes.kg.tabular import read_names
    from eigenthemes.train import train_kb

    start = time.monotonic()
    documents, broken = (None, []) if gold is None else read_corrections(gold)
    if broken:
        note(f"warning: {counted(len(broken), 'broken record')} skipped; the first is {broken[0]}")
    changed = train_kb(
        kb,
        documents,
        names=() if add_names is None else read_names(add_names),
        jobs=jobs or min(8, available_cores()),
        progress=terminal_progress(),
        **options,
    )
    about = changed.rankers[options["vectors"] or next(iter(changed.vector_sets), "")]
    made = about["made_up"]
    note(
        f"{kb}: {time.monotonic() - start:.1f} s; its ranker, trained on {about['training']['documents']:,} made-up documents, "
        f"is right on {made['p_at_1']:.1%} of {made['documents']:,} others, calibration error {made['calibration_error']:.3f}, "
        f"threshold {about['threshold']:.2f}"
    )
    if "memory" in changed.manifest:
        note(f"{kb} remembers {memory_in_words(changed.manifest['memory'])}")
    _warn_unknown(changed, documents or ())
    if "gold" in about:
        _print_gold(about["gold"])


def _warn_unknown(kb: KB, documents: Sequence[Document]) -> None:
    """Warn of gold that is no id of the KB: it may be a mistake, and counts as not in the KG."""
    mentions = [mention for document in documents for mention in document.mentions or () if mention.gold]
    unknown = [mention for mention in mentions if not any(each in kb for each in mention.gold or ())]
    if not unknown:
        return
    example = (unknown[0].gold or ("",))[0]
    meant = next(iter(kb.search(example, limit=1)), None)
    hint = f"; {meant.id} is the id of {meant.label}" if meant is not None and meant.label == example else ""
    note(
        f"warning: the gold of {counted(len(unknown), 'mention')} is no id of the KB (such as {example!r} for "
        f"{unknown[0].text!r}{hint}): they are remembered as none of this KG"
    )


def _print_gold(gold: dict[str, Any]) -> None:
    told = f"gold: {counted(gold['documents'], 'document')}, {counted(gold['mentions'], 'mention')}"
    if "p_at_1" in gold:
        told += (
            f"; on documents kept aside in turn {gold['p_at_1']:.1%} right, {gold['p_at_1_before']:.1%} before; "
            f"calibration error {gold['calibration_error']:.3f}"
        )
    note(told)

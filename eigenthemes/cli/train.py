"""The commands `train`, `adapt` and `corrections`: what a KB learns from synthetic documents, from yours, and from gold."""

from __future__ import annotations

import io
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.cli.options import SEED, cores_option, text_option
from eigenthemes.cli.output import counted, note, print_json, print_table, terminal_progress
from eigenthemes.errors import DocumentError, OptionError

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB
    from eigenthemes.names.name_memory import Answer, Memory
    from eigenthemes.records import Document

MOST_DOCUMENTS = 20_000  # documents learned from by link --adapt: the first ones; they are in memory at once


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("gold", required=False, type=click.Path())
@click.option("--add-names", type=click.Path(), metavar="FILE", help="Names to remember, too: a name and an id per line.")
@click.option("--vectors", metavar="NAME", help="The vectors it is to be used with; default: those made or imported last.")
@click.option("--word-vectors", type=click.Path(), metavar="FILE", help="Kept in the KB, for local-context and global-context.")
@click.option("--seed", type=SEED, default=0, help="The same seed gives the same weights.")
@cores_option("Processes.")
def train(kb: str, gold: str | None, add_names: str | None, **options: Any) -> None:
    """Train the ranker of a KB on synthetic documents from its graph; build does so, too.

    GOLD, documents with "gold" in the formats of eval, is remembered, from a single mention on: what a name meant there, none
    of the KG, or "not_a_name". The same document again replaces what it said. From 20 mentions on, in all, the weights are
    fitted on what is remembered, too, starting from the self-trained ones; what is told of them was measured on documents they
    were not fitted on. eigenthemes corrections lists what is remembered, and forgets it.
    """
    from eigenthemes.documents.reader import read_corrections
    from eigenthemes.kb.info import memory_in_words
    from eigenthemes.kg.tabular import read_names
    from eigenthemes.train import train_kb

    start = time.monotonic()
    documents, broken = (None, []) if gold is None else read_corrections(gold)
    if broken:
        note(f"warning: {counted(len(broken), 'broken record')} skipped; the first is {broken[0]}")
    changed = train_kb(
        kb, documents, names=() if add_names is None else read_names(add_names), progress=terminal_progress(), **options
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
    sentence = f"gold: {counted(gold['documents'], 'document')}, {counted(gold['mentions'], 'mention')}"
    if "p_at_1" in gold:
        sentence += (
            f"; on documents kept aside in turn {gold['p_at_1']:.1%} right, {gold['p_at_1_before']:.1%} before; "
            f"calibration error {gold['calibration_error']:.3f}"
        )
    note(sentence)


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("documents", nargs=-1, type=click.Path(allow_dash=True))
@click.option("--vectors", metavar="NAME", help="The vectors whose ranker is adapted; default: those made or imported last.")
@click.option("--reset", is_flag=True, help="Forget what was learned.")
@text_option
def adapt(kb: str, documents: tuple[str, ...], vectors: str | None, reset: bool, plain_text: bool) -> None:
    """Learn from DOCUMENTS, without labels, how names are written there, what stands beside them, and what they are about.

    DOCUMENTS are read as by link; gold in them is not looked at. How names are written is used wherever names are found in a
    text by their spelling. What the documents are about (which kinds of entities they name more often than others) is learned
    from 100 documents or more, and makes such entities likelier everywhere: link with the KB what is about the same. It is kept
    in the KB; info shows it, --reset forgets it, and so does train without GOLD.
    """
    from eigenthemes.documents.reader import read_documents
    from eigenthemes.kb.store import KB
    from eigenthemes.train import adapt_kb

    if reset == bool(documents):
        raise OptionError("give documents to learn from, or --reset to forget what was learned; not both")
    read = read_documents(documents, plain_text=plain_text) if documents else ()
    if reset and not {"adapted", "pile"} & set(_ranker(KB.open(kb), vectors)):
        note(f"{kb}: nothing was learned from documents, so there is nothing to forget")
        return
    changed = adapt_kb(kb, read, vectors=vectors, reset=reset, progress=terminal_progress())
    if reset:
        note(f"{kb}: forgot what was learned from documents")
        return
    print_adaptation(changed, vectors, kb)


def print_adaptation(kb: KB, vectors: str | None, whose: str) -> None:
    """Print what a KB was adapted to."""
    from eigenthemes.kb.info import corpus_prior_in_words

    about = _ranker(kb, vectors)
    if "adapted" in about:
        documents_read, names = counted(about["adapted"]["documents"], "document"), counted(about["adapted"]["names"], "name")
        note(f"{whose}: adapted to {documents_read}, by {names} found in them")
    if "pile" in about:
        subjects = corpus_prior_in_words(kb, about["pile"]) or "nothing in particular"
        note(f"{whose}: {counted(about['pile']['documents'], 'document')} are about {subjects}")
    else:
        note("what they are about was not learned, because they are fewer than 100 documents; give more")


def _ranker(kb: KB, vectors: str | None) -> dict[str, Any]:
    """Return the manifest's description of the ranker."""
    return kb.rankers.get(vectors or next(iter(kb.vector_sets), ""), {})


@contextmanager
def adapted_kb(kb: str, documents: Sequence[str], options: Mapping[str, Any]) -> Iterator[str]:
    """Adapt a temporary copy of a KB to the documents, and give its path."""
    from eigenthemes.selftrain.adapt import ENOUGH
    from eigenthemes.train import adapt_kb

    if options["method"] not in (None, "selftrained"):
        raise OptionError(f"--adapt is for selftrained, not for {options['method']}; leave one of them out")
    with ExitStack() as stack:
        rewind = stack.enter_context(_read_twice() if "-" in documents else nullcontext(lambda: None))
        learned = list(islice(_readable(documents, options), MOST_DOCUMENTS))
        if len(learned) < ENOUGH:
            raise DocumentError(
                f"{counted(len(learned), 'document')} {'is' if len(learned) == 1 else 'are'} too few to learn "
                f"from what they are about; expected {ENOUGH} or more: "
                "leave out --adapt, or adapt the KB to other documents like these (eigenthemes adapt)"
            )
        beside = Path(kb).absolute().parent  # where its files can be linked instead of copied
        place = tempfile.TemporaryDirectory(dir=beside if os.access(beside, os.W_OK) else None, prefix="eigenthemes-")
        copy = Path(stack.enter_context(place)) / "adapted.kb"
        changed = adapt_kb(kb, learned, vectors=options["vectors"], into=copy, progress=terminal_progress())
        print_adaptation(changed, options["vectors"], "the documents")
        if len(learned) == MOST_DOCUMENTS:
            note(f"learned from the first {MOST_DOCUMENTS:,} documents")
        rewind()
        yield str(copy)


def _readable(documents: Sequence[str], options: Mapping[str, Any]) -> Iterator[Document]:
    """Read the documents without those that cannot be read, which linking reports."""
    from eigenthemes.documents.reader import DocumentFiles, parse_record

    how = {name: options[name] for name in ("plain_text", "per_line", "format", "columns")}
    for record in DocumentFiles(documents, **how):
        try:
            yield parse_record(record)
        except DocumentError:
            continue


@contextmanager
def _read_twice() -> Iterator[Any]:
    """Copy standard input to a temporary file; the function that is given goes back to its start."""
    given = sys.stdin
    with tempfile.TemporaryFile() as spooled:
        shutil.copyfileobj(given.buffer, spooled)
        spooled.seek(0)
        sys.stdin = io.TextIOWrapper(spooled, encoding="utf-8")
        try:
            yield lambda: spooled.seek(0)
        finally:
            sys.stdin.detach()
            sys.stdin = given


@click.command()
@click.argument("kb", type=click.Path())
@click.option("--remove", "names", multiple=True, metavar="NAME", help="Forget what was said of this name; may be repeated.")
@click.option("--remove-document", "documents", multiple=True, metavar="ID", help="Forget what this document said.")
@click.option("--remove-all", is_flag=True, help="Forget everything.")
@click.option("--json", "as_json", is_flag=True, help="The documents with gold, as JSON lines that train takes.")
def corrections(kb: str, names: tuple[str, ...], documents: tuple[str, ...], remove_all: bool, as_json: bool) -> None:
    """List what a KB remembers of people's corrections, or forget some of it.

    train remembers what each document with gold says of its names; build and train also remember names given with
    --add-names. A name counts once for each document.
    """
    from eigenthemes.kb.store import KB
    from eigenthemes.names.name_memory import Memory
    from eigenthemes.train import forget

    opened = KB.open(kb)
    memory = Memory.of(opened)
    if names or documents or remove_all:
        if remove_all and (names or documents):
            raise OptionError("--remove-all forgets everything; leave out the other --remove options")
        if as_json:
            raise OptionError("--json lists what is remembered, and --remove forgets it; list it first, then forget it")
        _check_known(memory, names, documents)
        rest = Memory.of(forget(kb, names=names, documents=documents, everything=remove_all))
        note(f"{kb}: forgot {counted(_size(memory) - _size(rest), 'answer')}, {_size(rest):,} left")
        if any("gold" in ranker for ranker in opened.rankers.values()):
            note(f"the weights were fitted on corrections; fit them anew with: eigenthemes train {kb}")
    elif as_json:
        for document in memory.documents.values():
            print_json(document.to_dict())
    elif not memory:
        note(f"{kb} remembers no corrections; give some with: eigenthemes train {kb} GOLD")
    else:
        _print(opened, memory)


def _print(kb: KB, memory: Memory) -> None:
    from eigenthemes.names.name_memory import ADDED

    rows: dict[tuple[str, str, str], list[str]] = {}
    for document in memory.documents.values():
        shown = ADDED if document.key == ADDED else document.key if document.id is None else str(document.id)
        said = {(answer.text, *_meaning(kb, answer)) for answer in document.answers}
        for row in sorted(said):
            rows.setdefault(row, []).append(shown)
    table = sorted(rows.items(), key=lambda item: (item[0][0].casefold(), -len(item[1]), item[0]))
    listed = ((*row, f"{len(found):,}", ", ".join(found[:3]) + (", …" if len(found) > 3 else "")) for row, found in table)
    print_table(("name", "meaning", "id", "times", "documents"), listed, right=(3,))


def _meaning(kb: KB, answer: Answer) -> tuple[str, str]:
    """Return the label and the id of the entity that a name was corrected to."""
    if answer.not_a_name:
        return "not a name", ""
    known = [index for entity_id in answer.gold if (index := kb.index_of(entity_id)) is not None]
    if known:
        return kb.label_of(known[0]), kb.id_of(known[0])
    meaning = "gone from this KG: no effect" if answer.gone else "none of this KG"
    return meaning, next(iter(answer.gold), "")


def _check_known(memory: Memory, names: tuple[str, ...], documents: tuple[str, ...]) -> None:
    from eigenthemes.names.name_memory import key_of

    known = {key_of(answer.text) for document in memory.documents.values() for answer in document.answers}
    unknown = next((name for name in names if key_of(name) not in known), None)
    if unknown is not None:
        raise OptionError(f"nothing is remembered of the name {unknown!r}; list what is with: eigenthemes corrections KB")
    ids = {each for document in memory.documents.values() for each in (document.key, str(document.id))}
    unknown = next((document for document in documents if document not in ids), None)
    if unknown is not None:
        raise OptionError(f"no document {unknown!r} is remembered; list them with: eigenthemes corrections KB --json")


def _size(memory: Memory) -> int:
    return sum(len(document.answers) for document in memory.documents.values())

"""The command `eigenthemes eval`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.cli.options import (
    candidate_options,
    language_option,
    link_options,
    parse_candidates,
    parse_names,
    parse_scoring,
    refuse_together,
    scoring_flags,
    vectors_option,
)
from eigenthemes.cli.output import (
    counted,
    note,
    plain,
    print_json,
    print_table,
    say,
    terminal_progress,
    warn_paper_generator,
    warn_without_vector,
)
from eigenthemes.core.progress import Silent
from eigenthemes.errors import OptionError, SourceError

if TYPE_CHECKING:
    from eigenthemes.evaluation.comparison import Evaluation
    from eigenthemes.kb.store import KB


_DEFAULT = "selftrained,eigen,average,degree,namematch,prior-name"
_READY = {"selftrained": _DEFAULT, "eigen": _DEFAULT.removeprefix("selftrained,")}  # best method of a KB -> those to compare


@click.command("eval")
@click.argument("kb", type=click.Path())
@click.argument("gold", nargs=-1, required=True, type=click.Path())
@click.option("--methods", metavar="LIST", help=f"Methods to compare: see docs/methods.md.  [default: {_DEFAULT}]")
@scoring_flags
@vectors_option
@candidate_options
@click.option("--json", is_flag=True, help="All figures, as JSON.")
@click.option("--csv", is_flag=True, help="A line for each set and method, with its settings.")
@click.option("--latex", is_flag=True, help="A table for LaTeX.")
@click.option("--per-mention", type=click.Path(), metavar="FILE", help="A row for each mention and method (.csv or .jsonl).")
@click.option("--by-document", is_flag=True, help="The figures of each document, too.")
@click.option("--same-as", type=click.Path(), metavar="FILE", help="Two ids of the same entity per line: either is right.")
@language_option
@click.option("--detect", is_flag=True, help="Texts as if nobody had annotated them: are names found, and linked?")
def evaluate(kb: str, gold: tuple[str, ...], methods: str | None, **options: Any) -> None:
    """Compare methods on documents whose mentions have "gold".

    GOLD: JSON lines, compressed or not, the paper's authors' JSON, AIDA-CoNLL (AIDA-YAGO2-dataset.tsv) or WNED XML. Precision@1
    and MRR count every mention with gold; ties share their credit. Every pair of methods is compared: difference of P@1, with a
    paired bootstrap interval over documents and the p-value of a paired t-test over mentions.

    With --detect the mentions serve as gold only: names are found in the texts by the KB's own names and linked by the best
    method the KB is ready for (or by --methods). Told are precision, recall and F1 of spans and entities together (strong: the
    same span; weak: overlapping ones), of spans alone, and of links where mentions are given. Gold outside the KB is left out.
    """
    refuse_together(options, "json", "csv", "latex")
    for name in ("by_document", "csv", "latex", "per_mention"):
        refuse_together(options, name, "detect")
    if options["language"] is not None and not options["detect"]:
        raise OptionError("--lang is the language of texts in which names are found; give --detect, too, or leave it out")
    from eigenthemes.documents.reader import read_gold
    from eigenthemes.kb.store import KB
    from eigenthemes.ranking.methods import default_method

    opened = KB.open(kb)
    best = default_method(opened, options["vectors"])
    ready = best if options["detect"] else _READY.get(best, "degree,namematch,prior-name")
    names = list(dict.fromkeys(parse_names(ready if methods is None else methods)))
    if not names:
        raise OptionError("--methods names no method; give at least one, e.g. --methods eigen,degree")
    sets = {name: read_gold(path) for name, path in set_names(gold).items()}
    if options["same_as"] is not None:
        from eigenthemes.evaluation.comparison import with_same
        from eigenthemes.kg.tabular import read_pairs

        pairs = read_pairs(options["same_as"], "id", "id of the same entity")
        sets = {name: with_same(documents, pairs) for name, documents in sets.items()}
    if options["detect"]:
        _evaluate_texts(opened, sets, names, options)
        return
    _evaluate_mentions(opened, sets, names, options)
    if methods is None and "selftrained" not in names:
        note(f"warning: the KB has no trained ranker; train one with: eigenthemes train {kb}")


def _evaluate_mentions(kb: KB, sets: Mapping[str, Any], methods: Sequence[str], options: Mapping[str, Any]) -> None:
    """Evaluate methods on given mentions, and print their figures."""
    from eigenthemes.evaluation.comparison import evaluate as run_methods
    from eigenthemes.evaluation.figure_tables import open_mention_file, to_csv, to_latex

    warn_paper_generator(kb, options["generator"], options["vectors"])
    how = {"scoring": parse_scoring(options), "candidates": parse_candidates(options), "vectors": options["vectors"]}
    runs: dict[str, Evaluation] = {}
    refused: list[SourceError] = []
    with open_mention_file(options["per_mention"]) as write_mentions:
        for name, documents in sets.items():
            with terminal_progress(Silent()).step(name, total=None, unit="documents") as advance:
                run = run_methods(kb, documents, methods, advance=advance, **how)
            if run.unknown:
                note(f"warning: {name}: {run.unknown:,} candidates given by documents are not in the KB")
            warn_without_vector(run.without_vector)
            _warn_trained_on(name, run.trained_on)
            try:
                run.check_gold(name)
            except SourceError as error:  # the other sets are worth their figures
                refused.append(error)
                continue
            runs[name] = run
            if write_mentions is not None:
                write_mentions(name, run)
            if not (options["json"] or options["csv"] or options["latex"]):
                _print(name, run.summary(by_document=options["by_document"]), run.outside)
    if runs and options["json"]:
        print_json({name: run.summary(by_document=options["by_document"]) for name, run in runs.items()}, indent=1)
    elif runs and (options["csv"] or options["latex"]):
        click.echo(to_csv(runs) if options["csv"] else to_latex(runs), nl=False)
    if refused:
        raise refused[0]


def _warn_trained_on(name: str, documents: int) -> None:
    """Warn of documents of a set that the KB remembers."""
    if documents:
        trained = f"{counted(documents, 'document')} the KB was trained on"
        note(f"warning: {name}: {trained}: figures on them say nothing; evaluate on others")


def set_names(paths: tuple[str, ...]) -> dict[str, str]:
    """Return name -> path: file names without suffixes, with as many parent folders as make them unique."""
    from eigenthemes.documents.reader import document_name

    places = {path: [*Path(path).absolute().parts[:-1], document_name(path)] for path in dict.fromkeys(paths)}
    names: dict[str, str] = {}
    for path, parts in places.items():
        others = [other for at, other in places.items() if at != path]
        lengths = (length for length in range(1, len(parts)) if all(parts[-length:] != other[-length:] for other in others))
        name = "/".join(parts[-next(lengths, len(parts)) :])
        names[path if name in names else name] = path
    return names


def _print(name: str, methods: dict[str, dict[str, Any]], outside: Counter[str]) -> None:
    first = next(iter(methods.values()))
    overall = first["overall"]
    say(
        f"{name}: {counted(first['macro']['documents'], 'document')}, {counted(overall['mentions'], 'mention')} "
        f"({first['easy']['mentions']:,} easy, {first['hard']['mentions']:,} hard, "
        f"{first['not_found']['mentions']:,} not found), ceiling {overall['ceiling']:.3f}, "
        + ", ".join(f"recall@{k} {share:.3f}" for k, share in first["recall_at"].items())
    )
    if outside:
        examples = ", ".join(list(outside)[:3])
        say(f"the gold of {counted(outside.total(), 'mention')} is not in the KB (such as {examples}): they count as not found")
    if nameless := first["gold_nameless"]["mentions"]:
        say(f"the gold of {counted(nameless, 'mention')} has no name in the KB: no method can find it")
    header = ("method", "P@1", "MRR", "easy P@1", "hard P@1", "macro P@1", "gold in KB", "documents/s")
    print_table(header, (_row(method, figures) for method, figures in methods.items()), right=range(1, 8))
    if len(methods) > 1:
        columns = ("difference of P@1", "95 % interval", "p", "of")
        print_table(columns, (_compared(*pair, methods) for pair in combinations(methods, 2)), right=range(3))
    for method, figures in methods.items():
        if "confidence" in figures:
            say(_confidence(method, figures["confidence"]))
        for row in figures.get("documents", ()):
            shares = (f"{row[figure]:.3f}" for figure in ("p_at_1", "mrr", "ceiling"))
            click.echo("\t".join((method, plain(str(row["id"])), str(row["mentions"]), *shares)))
    click.echo()


def _confidence(method: str, found: dict[str, Any]) -> str:
    links, nil = found["links"], found["nil"]
    cells = f" (cells of tables from {found['cell_threshold']:.2f})" if "cell_threshold" in found else ""
    return (
        f"{method}, answering from {found['threshold']:.2f} on{cells}: links precision {links['precision']:.3f}, recall "
        f"{links['recall']:.3f}, F1 {links['f1']:.3f}; NIL F1 {nil['f1']:.3f}; calibration error {found['ece']:.3f} "
        f"(gold in the KB); wrong among the surest half {found['risk_coverage']['at']['0.5']:.1%}"
    )


def _row(method: str, figures: dict[str, Any]) -> tuple[str, ...]:
    parts = ("easy", "hard", "macro", "gold_in_kb")
    shares = (figures["overall"]["p_at_1"], figures["overall"]["mrr"], *(figures[part]["p_at_1"] for part in parts))
    return method, *(f"{share:.3f}" for share in shares), f"{figures['documents_per_second']:,.0f}"


def _compared(one: str, other: str, methods: dict[str, dict[str, Any]]) -> tuple[str, ...]:
    """Return the row of two methods: the difference of their P@1, with its interval and p-value."""
    compared = methods[one]["against"][other]
    difference, low, high = (round(compared[key], 3) + 0.0 for key in ("difference", "low", "high"))  # no negative zeros
    return f"{difference:+.3f}", f"[{low:+.3f}, {high:+.3f}]", f"{compared['p_value']:.2g}", f"{one} - {other}"


_ROWS = {
    "links": "found and linked",
    "linked_spans": "found, whatever the link",
    "proposed_spans": "proposed, linked or not",
    "given": "mentions given, linked",
}


def _evaluate_texts(kb: KB, sets: Mapping[str, Any], methods: Sequence[str], options: Mapping[str, Any]) -> None:
    """Evaluate how names are found in texts and linked, and print the figures."""
    from eigenthemes.evaluation.detect import evaluate_detection
    from eigenthemes.linker import Linker
    from eigenthemes.names.name_memory import name_memories
    from eigenthemes.ranking.methods import method_named, scoring_options

    scoring = scoring_options({name: method_named(name) for name in methods}, parse_scoring(options))
    linkers = {name: Linker(kb, options=link_options(options, name, scoring[name])) for name in methods}
    memory = name_memories(kb)
    results: dict[str, dict[str, Any]] = {}
    for name, gold in sets.items():
        documents = list(gold)
        results[name] = {}
        _warn_trained_on(name, 0 if memory is None else sum(document in memory for document in documents))
        for method, linker in linkers.items():
            with terminal_progress(Silent()).step(f"{name}, {method}", total=len(documents), unit="documents") as advance:
                figures = results[name][method] = evaluate_detection(linker, documents, advance=advance)
            if not figures["documents"]:
                note(f"warning: {name}: no document has a text and mentions with spans and gold")
            if not options["json"]:
                _print_detection(name, method, figures)
    if options["json"]:
        print_json(results, indent=1)


def _print_detection(name: str, method: str, figures: dict[str, Any]) -> None:
    skipped = figures["passed_over"]
    passed_over = f", {counted(skipped, 'document')} without a text or spans passed over" if skipped else ""
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

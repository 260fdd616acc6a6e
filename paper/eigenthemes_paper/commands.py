"""The commands `experiment`, `prepare` and `train-taumil`."""

from __future__ import annotations

import sys
import time
from itertools import chain
from typing import TYPE_CHECKING

import click

from eigenthemes.cli.options import JOBS, SEED
from eigenthemes.cli.output import Lines, counted, print_table, say, terminal_progress

if TYPE_CHECKING:
    from eigenthemes_paper.prepare import Counts
    from eigenthemes_paper.taumil.training import Epoch
    from eigenthemes_paper.workspace import Workspace


@click.command()
@click.argument("plan", type=click.Path())
@click.option(
    "-o", "--output", type=click.Path(), metavar="FOLDER", help="Results, figures and report.  [default: PLAN's name]"
)
@click.option("--data", type=click.Path(), metavar="FOLDER", help="Where the plan's files are; default: as the plan says.")
@click.option("--work", type=click.Path(), metavar="FOLDER", help="Where KBs are built and kept.  [default: FOLDER/kbs]")
@click.option("--only", metavar="LIST", help="Compute these sections alone, e.g. table-2,figure-3a.")
@click.option("--resume", is_flag=True, help="Keep sections that were computed before from the same files and options.")
@click.option("--list", "as_list", is_flag=True, help="Show the sections of the plan and what its files lack; compute nothing.")
@click.option("--jobs", type=JOBS, default=1, show_default=True, help="Processes.")
def experiment(
    plan: str,
    output: str | None,
    data: str | None,
    work: str | None,
    only: str | None,
    resume: bool,
    as_list: bool,
    jobs: int,
) -> None:
    """Compute the tables and figures of the paper, and write a report of them.

    PLAN is a TOML file, or the name of one that comes along: paper.toml, for the files the paper's authors published,
    local.toml, for the data of this project, tables.toml, for its tables alone, and demo.toml, for the demo's KG, which
    needs no other files. KBs are built once. Sets whose files are not there are left out.
    """
    from pathlib import Path

    from eigenthemes_paper.plan_reader import read_plan
    from eigenthemes_paper.run import run_experiment
    from eigenthemes_paper.workspace import Workspace

    planned = read_plan(plan, data=data)
    out = Path(output or Path(plan).stem)
    if as_list:
        _print_sections(Workspace(planned, work or out / "kbs"))
        return
    names = [name.strip() for name in (only or "").split(",") if name.strip()]
    done = run_experiment(
        planned, out, work=work, only=names, resume=resume, jobs=jobs, progress=terminal_progress(Lines(ended=True))
    )
    say(
        f"{done.report}: {done.computed} sections computed, {done.kept} kept, in {done.seconds:,.0f} s "
        f"(building the KBs took {done.kb_seconds:,.0f} s, once)",
        err=True,
    )


def _print_sections(workspace: Workspace) -> None:
    plan = workspace.plan
    rows = [(name, section.kind, ", ".join(section.sets)) for name, section in plan.sections.items()]
    print_table(("section", "kind", "sets"), rows)
    no_word_vectors = workspace.no_word_vectors if plan.word_vectors is not None else ""
    for lack in filter(None, (*map(workspace.missing, plan.sets), no_word_vectors)):
        say(f"left out: {lack}", err=True)


@click.command()
@click.argument("gold", type=click.Path())
@click.option("--page-props", required=True, type=click.Path(), metavar="FILE", help="page_props.sql of a Wikipedia dump.")
@click.option("--page", type=click.Path(), metavar="FILE", help="page.sql: pages are known by their titles, too.")
@click.option("--redirect", type=click.Path(), metavar="FILE", help="redirect.sql: old titles lead to the page of today.")
@click.option("-o", "--output", type=click.Path(), default="-", help="Write here instead of standard output.")
@click.option(
    "--iri",
    is_flag=True,
    help="Write ids as http://www.wikidata.org/entity/Q90, as in a KB made of N-Triples; default: Q90.",
)
@click.option("--keep-missing", is_flag=True, help="Keep mentions without a Wikidata id, with the gold they had.")
@click.option("--ids", type=click.Path(), metavar="FILE", help="Write the ids of all articles here, for build --keep.")
def prepare(
    gold: str,
    page_props: str,
    page: str | None,
    redirect: str | None,
    output: str,
    iri: bool,
    keep_missing: bool,
    ids: str | None,
) -> None:
    """Rewrite the gold of documents, pages of Wikipedia, as Wikidata ids.

    GOLD: AIDA-CoNLL (AIDA-YAGO2-dataset.tsv), WNED XML, TabEL's tables or JSON lines. The dumps may be compressed with gzip.
    One JSON object per document is written, ready for eigenthemes eval.
    """
    from eigenthemes_paper.prepare import prepare_gold

    counts = prepare_gold(
        gold,
        sys.stdout.buffer if output == "-" else output,
        page_props=page_props,
        page=page,
        redirect=redirect,
        ids=ids,
        iri=iri,
        keep_missing=keep_missing,
        progress=terminal_progress(),
    )
    say(_counts_sentence(counts, keep_missing), err=True)


def _counts_sentence(counts: Counts, keep_missing: bool) -> str:
    first = f" (first: {counts.example})" if counts.example else ""
    textless = f" ({counts.textless:,} without their text: RawText is not beside them?)" if counts.textless else ""
    return (
        f"{counted(counts.documents, 'document')}{textless}, {counted(counts.found, 'mention')} with a Wikidata id; "
        f"{'kept' if keep_missing else 'left out'}: {counts.missing:,} whose page has none{first}, "
        f"{counts.outside:,} annotated as outside Wikipedia"
    )


@click.command("train-taumil")
@click.argument("kb", type=click.Path())
@click.argument("documents", nargs=-1, required=True, type=click.Path())
@click.option("--word-vectors", type=click.Path(), metavar="FILE", help="Vectors of words; default: those the KB holds.")
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write the model here instead of into the KB.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="The same seed gives the same weights.")
@click.option("--epochs", default=20, show_default=True, help="Times that all mentions are read, at most.")
@click.option("--patience", default=5, show_default=True, help="Stop after so many epochs that did not better the objective.")
@click.option("--positives", default=100, show_default=True, help="Candidates of a mention, at most.")
@click.option("--resume", is_flag=True, help="Go on where a training with the same options was interrupted.")
def train_taumil(
    kb: str,
    documents: tuple[str, ...],
    word_vectors: str | None,
    output: str | None,
    seed: int,
    epochs: int,
    patience: int,
    positives: int,
    resume: bool,
) -> None:
    """Train tau-MIL-ND, the paper's neural baseline, for the methods taumil and taumil-weighted.

    DOCUMENTS have text, and mentions or none: then the KB's names are found. Gold is not read. The
    objective of each epoch is printed on stderr; an interrupted training goes on with --resume.
    """
    from eigenthemes.documents.reader import read_gold
    from eigenthemes_paper.taumil.training import train_taumil as train

    start = time.monotonic()
    files = [read_gold(path) for path in documents]
    try:
        stored = train(
            kb,
            chain.from_iterable(files),
            word_vectors=word_vectors,
            output=output,
            seed=seed,
            epochs=epochs,
            patience=patience,
            positives=positives,
            resume=resume,
            on_epoch=_report_epoch,
            progress=terminal_progress(),
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; --resume goes on after the last epoch that was reported") from None
    about, history = stored.about, stored.about["history"]
    say(
        f"{output or kb}: trained on {about['trained_on']['mentions']:,} mentions in {time.monotonic() - start:.1f} s; epoch "
        f"{about['epoch']} of {len(history)} was kept, objective {history[about['epoch'] - 1]['objective']:.4f}",
        err=True,
    )


def _report_epoch(epoch: Epoch, seconds: float) -> None:
    say(
        f"epoch {epoch.epoch}: objective {epoch.objective:.4f} (hinge {epoch.hinge:.4f}, KL {epoch.kl:.4f}), "
        f"p_noise {epoch.noise:.3f}, {seconds:.1f} s",
        err=True,
    )

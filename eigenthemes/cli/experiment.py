"""eigenthemes experiment"""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from eigenthemes.cli.inspect import tells_damage
from eigenthemes.cli.options import JOBS
from eigenthemes.cli.output import Lines, print_table, say, terminal_progress

if TYPE_CHECKING:
    from eigenthemes.reproduction.workspace import Workspace


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
@tells_damage
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
    local.toml, for the data of this project, and tables.toml, for its tables alone. KBs are built once. Sets whose files
    are not there are left out.
    """
    from pathlib import Path

    from eigenthemes.reproduction.plan_reader import read_plan
    from eigenthemes.reproduction.run import run_experiment
    from eigenthemes.reproduction.workspace import Workspace

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

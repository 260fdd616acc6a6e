"""An experiment from its plan to its report: KBs, rows, report. What is finished is on disk, and can be kept."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.workers import Workers
from eigenthemes.errors import OptionError
from eigenthemes_paper.kb_building import build_kbs
from eigenthemes_paper.plan import Plan, Section
from eigenthemes_paper.report import write_report
from eigenthemes_paper.results import compute_section, is_current, read_rows
from eigenthemes_paper.sections import SECTIONS
from eigenthemes_paper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Outcome:
    """The report of an experiment, the numbers of sections computed and kept, and the seconds of KBs and sections."""

    report: Path
    computed: int
    kept: int
    kb_seconds: float
    seconds: float


def run_experiment(
    plan: Plan,
    out: str | Path,
    *,
    work: str | Path | None = None,
    only: Sequence[str] = (),
    resume: bool = False,
    jobs: int = 1,
    progress: Progress | None = None,
) -> Outcome:
    """Compute every section of a plan, draw it, and write report.md and report.html into `out`.

    work    KBs are built here and kept; default: `out`/kbs
    only    compute these sections alone; the report shows the others as they were
    resume  keep sections that were computed before with the same options, documents and KBs
    jobs    processes; sections whose times matter run alone, after the others
    """
    out, progress = Path(out), progress or Silent()
    wanted = _sections_to_compute(plan, only)
    workspace = Workspace(plan, work or out / "kbs")
    workspace.kb_names()  # so is that no file is there
    _make_folders(out)
    kb_steps = build_kbs(workspace, jobs=jobs, progress=progress)
    _prepare(workspace, wanted, progress)
    start = time.perf_counter()
    kept = [name for name in wanted if resume and is_current(workspace, plan.sections[name], read_rows(out, name)[0])]
    _compute(workspace, out, [name for name in wanted if name not in kept], jobs, progress)
    write_report(workspace, out, kb_steps)
    kb_seconds = float(sum(seconds for steps in kb_steps for step, seconds in steps.items() if step != "kb"))
    return Outcome(out / "report.html", len(wanted) - len(kept), len(kept), kb_seconds, time.perf_counter() - start)


def _sections_to_compute(plan: Plan, only: Sequence[str]) -> list[str]:
    if unknown := [name for name in only if name not in plan.sections]:
        raise OptionError(f"there is no section {unknown[0]!r} in the plan; it has {', '.join(plan.sections)}")
    return [name for name in only or plan.sections if _section(plan, name).compute is not None]


def _section(plan: Plan, name: str) -> Section:
    return SECTIONS[plan.sections[name].kind]


def _make_folders(out: Path) -> None:
    for folder in ("results", "figures"):
        try:
            (out / folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionError(
                f"{out} cannot be written ({error.strerror}); give another place", code="output-place", where=str(out)
            ) from None


def _prepare(workspace: Workspace, names: Sequence[str], progress: Progress) -> None:
    """Make what sections need beside KBs and documents: trained models."""
    for name in names:
        prepare = _section(workspace.plan, name).prepare
        if prepare is not None:
            prepare(workspace, workspace.plan.sections[name], progress)


def _compute(workspace: Workspace, out: Path, names: Sequence[str], jobs: int, progress: Progress) -> None:
    """Compute sections, several at a time, but for those that must be alone; long ones first."""
    plan = workspace.plan
    together = [name for name in names if not _section(plan, name).alone]
    together.sort(key=lambda name: not _section(plan, name).long)
    one_by_one = [name for name in names if _section(plan, name).alone]
    if jobs > 1 and len(together) > 1:
        tasks = ((plan, str(workspace.folder), str(out), name) for name in together)
        with Workers(jobs) as workers, progress.step("sections", total=len(together), unit="sections") as advance:
            for _ in workers.map(_compute_in_worker, tasks):
                advance(1)
    else:
        one_by_one = [*together, *one_by_one]
    for name in one_by_one:
        planned = plan.sections[name]
        with progress.step(name, total=max(1, len(planned.sets)), unit="sets") as advance:
            compute_section(workspace, planned, out, advance)


def _compute_in_worker(plan: Plan, work: str, out: str, name: str) -> None:
    compute_section(Workspace(plan, work), plan.sections[name], Path(out), lambda amount: None)

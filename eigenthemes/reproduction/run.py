"""An experiment from its plan to its report: KBs, rows, pictures, pages. What is finished is on disk, and can be kept."""

from __future__ import annotations

import hashlib
import json
import platform
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import orjson

from eigenthemes import __version__
from eigenthemes.core.progress import Advance, Progress, Silent
from eigenthemes.core.workers import Workers
from eigenthemes.errors import OptionError
from eigenthemes.reproduction import figures
from eigenthemes.reproduction.earnings import Row
from eigenthemes.reproduction.lab import Lab, write_whole
from eigenthemes.reproduction.neural import lacks_torch, train_models
from eigenthemes.reproduction.plan import Plan, SectionPlan
from eigenthemes.reproduction.report import Part, markdown, page
from eigenthemes.reproduction.sections import SECTIONS
from eigenthemes.reproduction.shown import Shown
from eigenthemes.text.english import noun_tagger

_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "textblob", "torch")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of an experiment: its report, how many sections were computed and how many kept, and the seconds both took."""

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
    if unknown := [name for name in only if name not in plan.sections]:
        raise OptionError(f"there is no section {unknown[0]!r} in the plan; it has {', '.join(plan.sections)}")
    with figures.style():
        pass  # whatever drawing lacks is said before hours of computing
    lab = Lab(plan, work or out / "kbs")
    lab.kb_names()
    _make_folders(out)
    made = lab.make_kbs(jobs=jobs, progress=progress)
    wanted = [name for name in only or plan.sections if SECTIONS[plan.sections[name].kind].compute is not None]
    for name in wanted:
        if plan.sections[name].kind == "table-2-neural":
            train_models(lab, plan.sections[name], progress)
    start = time.perf_counter()
    missing = [name for name in wanted if not (resume and _is_kept(out, lab, plan.sections[name]))]
    _compute(plan, lab, out, missing, jobs, progress)
    write_report(plan, lab, out, made)
    return Outcome(
        out / "report.html", len(missing), len(wanted) - len(missing), _kb_seconds(made), time.perf_counter() - start
    )


def _make_folders(out: Path) -> None:
    for folder in ("results", "figures"):
        try:
            (out / folder).mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OptionError(f"{out} cannot be written ({error.strerror}); give another place with -o") from None


def _kb_seconds(made: Sequence[Mapping[str, Any]]) -> float:
    return float(sum(value for steps in made for key, value in steps.items() if key != "kb"))


# rows


def _compute(plan: Plan, lab: Lab, out: Path, names: Sequence[str], jobs: int, progress: Progress) -> None:
    together = [name for name in names if not SECTIONS[plan.sections[name].kind].alone]
    together.sort(key=lambda name: not SECTIONS[plan.sections[name].kind].long)
    alone = [name for name in names if SECTIONS[plan.sections[name].kind].alone]
    if jobs > 1 and len(together) > 1:
        tasks = ((plan, str(lab.folder), str(out), name) for name in together)
        with Workers(jobs) as workers, progress.step("sections", total=len(together), unit="sections") as advance:
            for _ in workers.map(_compute_elsewhere, tasks):
                advance(1)
    else:
        alone = [*together, *alone]
    for name in alone:
        planned = plan.sections[name]
        with progress.step(name, total=max(1, len(planned.sets)), unit="sets") as advance:
            compute_section(lab, planned, out, advance)


def _compute_elsewhere(plan: Plan, work: str, out: str, name: str) -> None:
    compute_section(Lab(plan, work), plan.sections[name], Path(out), lambda amount: None)


def compute_section(lab: Lab, planned: SectionPlan, out: Path, advance: Advance) -> None:
    """Compute the rows of a section and write them: a line that says how they were made, and a line for each."""
    compute = SECTIONS[planned.kind].compute
    assert compute is not None
    start = time.perf_counter()
    rows = [{"section": planned.name, **row} for row in compute(lab, planned, advance)]
    header = {**_made_of(lab, planned), "seconds": round(time.perf_counter() - start, 2), "rows": len(rows)}
    lines = b"".join(
        orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY) for row in [header, *rows]
    )
    write_whole(_results(out, planned.name), lines)


def _results(out: Path, name: str) -> Path:
    return out / "results" / f"{name}.jsonl"


def _made_of(lab: Lab, planned: SectionPlan) -> Row:
    """All that the rows of a section depend on."""
    there = lab.sets(planned.sets)
    made = {
        "section": planned.name,
        "kind": planned.kind,
        "options": dict(planned.options),
        "seed": lab.plan.seed,
        "limits": {name: lab.plan.sets[name].limit for name in there if lab.plan.sets[name].limit is not None},
        "hashes": {**lab.hashes(there), **_own_files(lab, planned)},
        "missing": _missing(lab, planned),
        "nouns": noun_tagger() or "content words",
        "versions": _versions(),
    }
    return {**made, "fingerprint": hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:16]}


def _own_files(lab: Lab, planned: SectionPlan) -> dict[str, str]:
    """The hashes of files that are no documents: word vectors, a dictionary."""
    found = {} if lab.words_hash is None else {str(lab.plan.word_vectors): lab.words_hash}
    if file := planned.options.get("dictionary"):
        found[file] = lab.hash_of(file)
    return found


def _missing(lab: Lab, planned: SectionPlan) -> list[str]:
    """What a section lacks, a sentence each."""
    lacks = [lack for name in planned.sets if (lack := lab.missing(name))]
    for name in lab.sets(planned.sets):
        if SECTIONS[planned.kind].reads and (why := lab.unreadable(name)):
            lacks.append(f"{name}: {why}")
        unready = [each for each in planned.options.get("methods", ()) if each not in lab.methods(name, [each])]
        lacks += [f"{', '.join(unready)} on {name}"] if unready else []
    if planned.kind == "table-2-neural" and lacks_torch():
        lacks.append(lacks_torch())
    return lacks


def _versions() -> dict[str, str]:
    found = {"eigenthemes": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def _is_kept(out: Path, lab: Lab, planned: SectionPlan) -> bool:
    """Were the rows of a section computed before, from the same things?"""
    header, _ = read_rows(out, planned.name)
    return header is not None and header["fingerprint"] == _made_of(lab, planned)["fingerprint"]


def read_rows(out: Path, name: str) -> tuple[Row | None, list[Row]]:
    """How the rows of a section were made, and the rows; None: they were not."""
    file = _results(out, name)
    if not file.exists():
        return None, []
    header, *rows = map(orjson.loads, file.read_bytes().splitlines())
    return header, rows


# the report


def write_report(plan: Plan, lab: Lab, out: Path, made: Sequence[Mapping[str, Any]]) -> None:
    """Draw the figures and write both pages, from the rows on disk."""
    with figures.style():
        parts = [_part(plan, lab, planned, out) for planned in plan.sections.values()]
    closing = [_cost(made, _seconds(plan, out)), _provenance(plan, lab)]
    (out / "report.md").write_text(markdown(plan.title, plan.about, parts, closing), encoding="utf-8")
    (out / "report.html").write_text(page(plan.title, plan.about, parts, closing), encoding="utf-8")


def _rows_of_kinds(plan: Plan, out: Path, kinds: Sequence[str]) -> list[Row]:
    """The rows of the plan's first section of each kind, marked with the kind."""
    found = []
    for kind in kinds:
        name = next((each.name for each in plan.sections.values() if each.kind == kind), None)
        found += [{**row, "section": kind} for row in read_rows(out, name)[1]] if name is not None else []
    return found


def _stale(lab: Lab, planned: SectionPlan, header: Row | None) -> str:
    if header is None or header["fingerprint"] == _made_of(lab, planned)["fingerprint"]:
        return ""
    return " **Computed from other files, options or versions than the rest of the report: compute it again.**"


def _part(plan: Plan, lab: Lab, planned: SectionPlan, out: Path) -> Part:
    section = SECTIONS[planned.kind]
    header, rows = read_rows(out, planned.name)
    if section.uses:
        rows = _rows_of_kinds(plan, out, section.uses)
        rows = [row for row in rows if not planned.sets or row.get("set") in planned.sets]
    title = planned.title or section.title
    drawn = section.compute is None and not section.uses
    if not rows and not drawn:
        return Part(planned.name, title, section.about, None, [], [], "", _told(header) or "Not computed.")
    picture = None
    if section.draw is not None:
        picture = f"figures/{planned.name}"
        figures.save(section.draw(rows), out / picture)
    tables = section.table(rows) if section.table is not None else []
    found = section.judge(rows) if section.judge is not None else []
    verdicts = [verdict for verdict in found if verdict.holds or verdict.same or verdict.fails]
    return Part(
        planned.name, title, section.about, picture, tables, verdicts, planned.why, _told(header) + _stale(lab, planned, header)
    )


def _told(header: Row | None) -> str:
    if header is None:
        return ""
    told = [f"Computed in {header['seconds']:,.0f} s; rows in `results/{header['section']}.jsonl`."]
    if header["missing"]:
        told.append(f"Left out: {'; '.join(header['missing'])}.")
    return " ".join(told)


def _seconds(plan: Plan, out: Path) -> float:
    """What all sections took, one after the other."""
    headers = (read_rows(out, name)[0] for name in plan.sections)
    return float(sum(header["seconds"] for header in headers if header is not None))


def _cost(made: Sequence[Mapping[str, Any]], seconds: float) -> Shown:
    steps = list(dict.fromkeys(key for each in made for key in each if key != "kb"))
    rows = [(each["kb"], *(f"{each[step]:,.1f}" if step in each else "" for step in steps)) for each in made]
    rows.append(("all sections, one after the other", f"{seconds:,.0f}", *[""] * (len(steps) - 1)))
    return Shown("What it took (seconds; KBs are built once)", ("KB", *steps), rows)


def _provenance(plan: Plan, lab: Lab) -> Shown:
    hashes = lab.hashes(lab.sets(list(plan.sets)))
    rows: list[tuple[str, ...]] = [(name, digest[:20]) for name, digest in {**hashes, **_versions()}.items()]
    rows.append(("nouns told by", noun_tagger() or "content words"))
    return Shown("What it was made of", ("file, KB or package", "SHA-256, content or version"), rows)

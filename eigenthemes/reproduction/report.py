"""The report of an experiment: from the rows on disk to figures and pages. Nothing is linked here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eigenthemes.reproduction import drawing
from eigenthemes.reproduction.pages import Part, html_page, markdown_page
from eigenthemes.reproduction.plan import Plan, SectionPlan
from eigenthemes.reproduction.results import is_current, nouns_by, read_rows, versions
from eigenthemes.reproduction.rows import Row
from eigenthemes.reproduction.sections import SECTIONS
from eigenthemes.reproduction.tables import Table
from eigenthemes.reproduction.workspace import Workspace


def write_report(workspace: Workspace, out: Path, kb_steps: Sequence[Mapping[str, Any]]) -> None:
    """Draw the figures and write both pages; `kb_steps` are the seconds that building each KB took."""
    plan = workspace.plan
    with drawing.style():
        parts = [_part(workspace, planned, out) for planned in plan.sections.values()]
    closing = [_cost(kb_steps, _seconds(plan, out)), _provenance(workspace)]
    (out / "report.md").write_text(markdown_page(plan.title, plan.about, parts, closing), encoding="utf-8")
    (out / "report.html").write_text(html_page(plan.title, plan.about, parts, closing), encoding="utf-8")


def _part(workspace: Workspace, planned: SectionPlan, out: Path) -> Part:
    section = SECTIONS[planned.kind]
    header, rows = read_rows(out, planned.name)
    if section.uses:
        rows = _rows_of_kinds(workspace.plan, out, section.uses)
        rows = [row for row in rows if not planned.sets or row.get("set") in planned.sets]
    title = planned.title or section.title
    if not rows and section.needs_rows:
        return Part(planned.name, title, section.about, note=_note(header) or "Not computed.")
    picture = None
    if section.draw is not None:
        picture = f"figures/{planned.name}"
        drawing.save(section.draw(rows), out / picture)
    return Part(
        planned.name,
        title,
        section.about,
        picture=picture,
        tables=section.tables(rows) if section.tables is not None else (),
        claims=[claim for claim in section.claims(rows) if claim.was_measured] if section.claims is not None else (),
        why=planned.why,
        note=_note(header) + _warning(workspace, planned, header),
    )


def _rows_of_kinds(plan: Plan, out: Path, kinds: Sequence[str]) -> list[Row]:
    """Return the rows of the plan's first section of each kind, marked with the kind."""
    rows = []
    for kind in kinds:
        name = next((planned.name for planned in plan.sections.values() if planned.kind == kind), None)
        rows += [{**row, "section": kind} for row in read_rows(out, name)[1]] if name is not None else []
    return rows


def _note(header: Row | None) -> str:
    if header is None:
        return ""
    sentences = [f"Computed in {header['seconds']:,.0f} s; rows in `results/{header['section']}.jsonl`."]
    if header["missing"]:
        sentences.append(f"Left out: {'; '.join(header['missing'])}.")
    return " ".join(sentences)


def _warning(workspace: Workspace, planned: SectionPlan, header: Row | None) -> str:
    if header is None or is_current(workspace, planned, header):
        return ""
    return " **Computed from other files, options or versions than the rest of the report: compute it again.**"


def _seconds(plan: Plan, out: Path) -> float:
    """Return what all sections took, one after the other."""
    headers = (read_rows(out, name)[0] for name in plan.sections)
    return float(sum(header["seconds"] for header in headers if header is not None))


def _cost(kb_steps: Sequence[Mapping[str, Any]], seconds: float) -> Table:
    names = list(dict.fromkeys(name for steps in kb_steps for name in steps if name != "kb"))
    rows = [(steps["kb"], *(f"{steps[name]:,.1f}" if name in steps else "" for name in names)) for steps in kb_steps]
    rows.append(("all sections, one after the other", f"{seconds:,.0f}", *[""] * (len(names) - 1)))
    return Table("What it took (seconds; KBs are built once)", ("KB", *names), rows)


def _provenance(workspace: Workspace) -> Table:
    hashes = workspace.hashes(workspace.available(workspace.plan.sets))
    rows: list[tuple[str, ...]] = [(name, digest[:20]) for name, digest in {**hashes, **versions()}.items()]
    rows.append(("nouns told by", nouns_by()))
    return Table("What it was made of", ("file, KB or package", "SHA-256, content or version"), rows)

"""The report of an experiment, as Markdown and as HTML."""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eigenthemes_paper import drawing
from eigenthemes_paper.plan import Plan, SectionPlan
from eigenthemes_paper.results import is_current, noun_tagger_name, read_rows, versions
from eigenthemes_paper.rows import DIVIDER, Claim, Row, Table
from eigenthemes_paper.sections import SECTIONS
from eigenthemes_paper.workspace import Workspace


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the report, ready to be written.

    picture  the file of its figure, without suffix
    claims   what the paper finds, and where it holds
    why      the likely reason where it does not
    note     what is missing, or how long it took
    """

    name: str
    title: str
    about: str
    picture: str | None = None
    tables: Sequence[Table] = ()
    claims: Sequence[Claim] = ()
    why: str = ""
    note: str = ""

    @property
    def reason(self) -> str:
        """Return the reason that the plan gives for claims that fail; empty if none fails."""
        return self.why.strip() if any(claim.fails or claim.unclear for claim in self.claims) else ""


def markdown_page(title: str, about: str, parts: Sequence[Part], closing: Sequence[Table]) -> str:
    """Write the report for people who read it in a repository."""
    lines = [f"# {title}", "", about.strip(), "", *_contents(parts)]
    for part in parts:
        lines += ["", f'<a id="{part.name}"></a>', "", f"## {part.title}", "", part.about]
        if part.picture is not None:
            lines += ["", f"![{part.title}]({part.picture}.png)"]
        for table in part.tables:
            lines += ["", *_markdown_table(table)]
        if part.claims:
            lines += ["", _line(_FINDINGS), _line(["---"] * len(_FINDINGS)), *(_line(_cells(claim)) for claim in part.claims)]
        if part.reason:
            lines += ["", f"*Likely reason:* {part.reason}"]
        if part.note:
            lines += ["", f"<sub>{part.note}</sub>"]
    for table in closing:
        lines += ["", f"## {table.title}", "", *_markdown_table(Table("", table.header, table.rows))]
    return "\n".join(lines) + "\n"


def html_page(title: str, about: str, parts: Sequence[Part], closing: Sequence[Table]) -> str:
    """Write the report for a browser; pictures are the files beside it."""
    body = [f"<h1>{html.escape(title)}</h1>", *(f"<p>{_inline(text)}</p>" for text in about.strip().split("\n\n"))]
    links = "".join(f'<li><a href="#{part.name}">{html.escape(part.title)}</a></li>' for part in parts)
    body.append(f"<nav><ul>{links}</ul></nav>")
    for part in parts:
        body += [f'<section id="{part.name}"><h2>{html.escape(part.title)}</h2>', f"<p>{_inline(part.about)}</p>"]
        if part.picture is not None:
            body.append(f'<figure><img src="{part.picture}.svg" alt="{html.escape(part.title)}"></figure>')
        body += [_html_table(table) for table in part.tables]
        if part.claims:
            body.append(_html_table(Table("", _FINDINGS, [_cells(claim) for claim in part.claims]), "claims"))
        if part.reason:
            body.append(f"<p class='why'><em>Likely reason:</em> {_inline(part.reason)}</p>")
        body.append(f"<p class='note'>{_inline(part.note)}</p></section>" if part.note else "</section>")
    for table in closing:
        body += [f"<h2>{html.escape(table.title)}</h2>", _html_table(Table("", table.header, table.rows))]
    return _PAGE.format(title=html.escape(title), body="\n".join(body))


def _contents(parts: Sequence[Part]) -> list[str]:
    return [f"- [{part.title}](#{part.name})" for part in parts]


def _cells(claim: Claim) -> tuple[str, ...]:
    sets = (claim.holds, claim.unclear, claim.fails)
    return (claim.statement, *(", ".join(names) or "–" for names in sets))


def _markdown_table(table: Table) -> list[str]:
    title = [f"**{table.title}**", ""] if table.title else []
    head = [_line(table.header), _line(("---", *["---:"] * (len(table.header) - 1)))]
    return [*title, *head, *(_line(["·"] * len(table.header) if row == DIVIDER else row) for row in table.rows)]


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _html_table(table: Table, kind: str = "figures") -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table.header)
    rows = "".join(
        f'<tr class="line"><td colspan="{len(table.header)}"></td></tr>'
        if row == DIVIDER
        else "<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>"
        for row in table.rows
    )
    caption = f"<caption>{html.escape(table.title)}</caption>" if table.title else ""
    return f'<table class="{kind}">{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _inline(text: str) -> str:
    """Turn the little Markdown that is used in texts into HTML: bold, emphasis, code."""
    text = html.escape(text, quote=False)
    text = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", text)
    text = re.sub(r"(?<!\w)\*([^*\s][^*]*?)\*(?!\w)", r"<em>\1</em>", text)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", text)


_FINDINGS = ("finding of the paper", "holds here", "no clear difference", "does not hold")

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 1200px; margin: 2em auto; padding: 0 1em; color: #222; }}
h2 {{ margin-top: 2.2em; border-bottom: 1px solid #ddd; padding-bottom: .2em; }}
nav ul {{ columns: 2; padding-left: 1.2em; font-size: .95em; }}
figure {{ margin: 1em 0; }} img {{ max-width: 100%; }}
table {{ border-collapse: collapse; margin: 1em 0; font-size: .86em; display: block; overflow-x: auto; }}
caption {{ text-align: left; font-weight: 600; padding: .4em 0; }}
th, td {{ padding: .2em .5em; text-align: left; vertical-align: top; border-bottom: 1px solid #eee; }}
table.figures td + td, table.figures th + th {{ text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }}
table.figures td:first-child {{ white-space: nowrap; }}
tr.line td {{ padding: 0; border-bottom: 1.5px solid #888; }}
table.claims td:first-child {{ width: 28%; }} .note {{ color: #777; font-size: .85em; }}
.why {{ background: #fff6ec; padding: .6em .9em; border-left: 3px solid #e6550d; }}
</style></head><body>
{body}
</body></html>
"""


def write_report(workspace: Workspace, out: Path, kb_steps: Sequence[Mapping[str, Any]]) -> None:
    """Draw the figures and write both pages; `kb_steps` are the seconds that building each KB took."""
    plan = workspace.plan
    with drawing.style():
        parts = [_part(workspace, planned, out) for planned in plan.sections.values()]
    about = f"{plan.about.strip()}\n\n{_made(plan, out)}"
    closing = [_cost(kb_steps, _seconds(plan, out)), _provenance(workspace)]
    (out / "report.md").write_text(markdown_page(plan.title, about, parts, closing), encoding="utf-8")
    (out / "report.html").write_text(html_page(plan.title, about, parts, closing), encoding="utf-8")


def _part(workspace: Workspace, planned: SectionPlan, out: Path) -> Part:
    section = SECTIONS[planned.kind]
    header, rows = read_rows(out, planned.name)
    if section.uses:
        rows = _rows_of_kinds(workspace.plan, out, section.uses)
        rows = [row for row in rows if not planned.sets or row.get("set") in planned.sets]
    title = planned.title or section.title
    if not rows and section.needs_rows:
        return Part(planned.name, title, section.about, note=_note(header) or "Not computed.")
    settings = settings_line(rows)
    picture = None
    if section.draw is not None:
        picture = f"figures/{planned.name}"
        figure = section.draw(rows)
        drawing.add_settings(figure, settings)
        drawing.save(figure, out / picture)
    return Part(
        planned.name,
        title,
        section.about,
        picture=picture,
        tables=[_with_settings(table, settings) for table in section.tables(rows)] if section.tables is not None else (),
        claims=[claim for claim in section.claims(rows) if claim.was_measured] if section.claims is not None else (),
        why=planned.why,
        note=_note(header) + _warning(workspace, planned, header),
    )


_SETTINGS = {"vectors": "vectors", "generator": "generator", "max_candidates": "T", "k": "k", "delta": "δ"}


def settings_line(rows: Sequence[Row]) -> str:
    """Return with which vectors and options rows were computed, e.g. "vectors prone, generator paper, T 20, k 10, δ 1"."""
    parts = []
    for key, name in _SETTINGS.items():
        values = dict.fromkeys(row[key] for row in rows if key in row and (row[key] is not None or key == "max_candidates"))
        if values:
            listed = ", ".join(
                "all" if value is None else f"{value:g}" if isinstance(value, float) else str(value) for value in values
            )
            parts.append(f"{name} {listed}")
    return "; ".join(parts)


def _with_settings(table: Table, settings: str) -> Table:
    return Table(": ".join(filter(None, (table.title, settings))), table.header, table.rows)


def _made(plan: Plan, out: Path) -> str:
    """Return with which commit and when the sections were computed."""
    headers = [header for name in plan.sections if (header := read_rows(out, name)[0]) is not None]
    commits, dates = (
        dict.fromkeys(header.get("commit", "unknown") for header in headers),
        sorted({header.get("date", "unknown") for header in headers}),
    )
    return f"Computed by commit {', '.join(commits)} on {' to '.join(dict.fromkeys((dates[0], dates[-1])))}." if headers else ""


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
    rows.append(("nouns told by", noun_tagger_name()))
    return Table("What it was made of", ("file, KB or package", "SHA-256, content or version"), rows)

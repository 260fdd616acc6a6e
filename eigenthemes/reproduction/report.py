"""One readable report of an experiment, as Markdown and as HTML, from the rows on disk."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass

from eigenthemes.reproduction.shown import LINE, Shown
from eigenthemes.reproduction.verdicts import Verdict


@dataclass(frozen=True, slots=True)
class Part:
    """A section of the report, ready to be written.

    note     what is missing, or how long it took
    verdicts what the paper finds, and where it holds
    why      the likely reason where it does not
    """

    name: str
    title: str
    about: str
    picture: str | None
    tables: Sequence[Shown]
    verdicts: Sequence[Verdict]
    why: str
    note: str


def markdown(title: str, about: str, parts: Sequence[Part], closing: Sequence[Shown]) -> str:
    """The report for people who read it in a repository."""
    lines = [f"# {title}", "", about.strip(), "", *_contents(parts)]
    for part in parts:
        lines += ["", f'<a id="{part.name}"></a>', "", f"## {part.title}", "", part.about]
        if part.picture is not None:
            lines += ["", f"![{part.title}]({part.picture}.png)"]
        for table in part.tables:
            lines += ["", *_markdown_table(table)]
        if part.verdicts:
            lines += ["", _line(_FINDINGS), _line(["---"] * len(_FINDINGS))]
            lines += [_line(_told(verdict)) for verdict in part.verdicts]
        if part.why and any(verdict.fails or verdict.same for verdict in part.verdicts):
            lines += ["", f"*Likely reason:* {part.why.strip()}"]
        if part.note:
            lines += ["", f"<sub>{part.note}</sub>"]
    for table in closing:
        lines += ["", f"## {table.title}", "", *_markdown_table(Shown("", table.header, table.rows))]
    return "\n".join(lines) + "\n"


def page(title: str, about: str, parts: Sequence[Part], closing: Sequence[Shown]) -> str:
    """The report for a browser; pictures are the files beside it."""
    body = [f"<h1>{html.escape(title)}</h1>", *(f"<p>{_inline(text)}</p>" for text in about.strip().split("\n\n"))]
    links = "".join(f'<li><a href="#{part.name}">{html.escape(part.title)}</a></li>' for part in parts)
    body.append(f"<nav><ul>{links}</ul></nav>")
    for part in parts:
        body += [f'<section id="{part.name}"><h2>{html.escape(part.title)}</h2>', f"<p>{_inline(part.about)}</p>"]
        if part.picture is not None:
            body.append(f'<figure><img src="{part.picture}.svg" alt="{html.escape(part.title)}"></figure>')
        body += [_html_table(table) for table in part.tables]
        if part.verdicts:
            body.append(_html_table(Shown("", _FINDINGS, [_told(verdict) for verdict in part.verdicts]), "verdicts"))
        if part.why and any(verdict.fails or verdict.same for verdict in part.verdicts):
            body.append(f"<p class='why'><em>Likely reason:</em> {_inline(part.why.strip())}</p>")
        body.append(f"<p class='note'>{_inline(part.note)}</p></section>" if part.note else "</section>")
    for table in closing:
        body += [f"<h2>{html.escape(table.title)}</h2>", _html_table(Shown("", table.header, table.rows))]
    return _PAGE.format(title=html.escape(title), body="\n".join(body))


def _contents(parts: Sequence[Part]) -> list[str]:
    return [f"- [{part.title}](#{part.name})" for part in parts]


def _told(verdict: Verdict) -> tuple[str, ...]:
    return (verdict.claim, *map(_listed, (verdict.holds, verdict.same, verdict.fails)))


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names) or "–"


def _markdown_table(table: Shown) -> list[str]:
    found = [f"**{table.title}**", ""] if table.title else []
    found += [_line(table.header), _line(("---", *["---:"] * (len(table.header) - 1)))]
    for row in table.rows:
        found.append(_line(["·"] * len(table.header) if row == LINE else row))
    return found


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"


def _html_table(table: Shown, kind: str = "figures") -> str:
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in table.header)
    rows = "".join(
        f'<tr class="line"><td colspan="{len(table.header)}"></td></tr>'
        if row == LINE
        else "<tr>" + "".join(f"<td>{_inline(cell)}</td>" for cell in row) + "</tr>"
        for row in table.rows
    )
    caption = f"<caption>{html.escape(table.title)}</caption>" if table.title else ""
    return f'<table class="{kind}">{caption}<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _inline(text: str) -> str:
    """The little Markdown that is used in texts: bold, emphasis, code."""
    found = html.escape(text, quote=False)
    found = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", found)
    found = re.sub(r"(?<!\w)\*([^*\s][^*]*?)\*(?!\w)", r"<em>\1</em>", found)
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", found)


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
table.verdicts td:first-child {{ width: 28%; }} .note {{ color: #777; font-size: .85em; }}
.why {{ background: #fff6ec; padding: .6em .9em; border-left: 3px solid #e6550d; }}
</style></head><body>
{body}
</body></html>
"""

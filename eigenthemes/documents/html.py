"""A web page out: the texts with their links marked, in one file that loads nothing.

The marks are those of the page of the service: the label, the id and the probability are in their title.
"""

from __future__ import annotations

from eigenthemes.display.html import MARK_STYLE, escaped, marked, marked_text
from eigenthemes.display.views import text_with_links
from eigenthemes.records import LinkedDocument, Table

_STYLE = (
    """body{font:18px/1.7 Charter,Georgia,serif;max-width:46rem;
margin:3rem auto;padding:0 1rem;color:#1f2328;background:#fdfcfa}
h2{font-size:1rem;color:#5a6068}pre{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere}
table{border-collapse:collapse;font:14px/1.5 system-ui,sans-serif;width:100%}
td,th{text-align:start;padding:.3rem .6rem;border-bottom:1px solid #ddd;vertical-align:top;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{background:#16181b;color:#e9e6e1}td,th{border-color:#3a3e44}}
"""
    + MARK_STYLE
)

HEAD = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Linked documents</title><style>{_STYLE}</style></head>
<body><h1>Linked documents</h1>
""".encode()
TAIL = b"</body></html>\n"


def html_of(linked: LinkedDocument) -> bytes:
    """Return a linked document as an article."""
    document = linked.document
    heading = "" if document.id is None else f'<h2 dir="auto">{escaped(str(document.id))}</h2>\n'
    if document.text is not None:
        body = f'<pre dir="auto">{marked_text(text_with_links(linked))}</pre>'
    elif document.table is not None:
        body = _table(document.table, linked)
    else:
        items = (f'<li dir="auto">{marked(escaped(link.mention.text), link)}</li>' for link in linked.links)
        body = "<ul>" + "".join(items) + "</ul>"
    return f"<article>{heading}{body}</article>\n".encode("utf-8", "replace")


def _table(table: Table, linked: LinkedDocument) -> str:
    by_cell = {(link.mention.row, link.mention.col): link for link in linked.links}
    rows = []
    for row, cells in enumerate(table.rows):
        parts = []
        for col, cell in enumerate(cells):
            link = by_cell.get((row, col))
            parts.append(f'<td dir="auto">{escaped(cell) if link is None else marked(escaped(cell), link)}</td>')
        rows.append("<tr>" + "".join(parts) + "</tr>")
    header = "".join(f'<th dir="auto">{escaped(cell)}</th>' for cell in table.header)
    return f"<table><thead><tr>{header}</tr></thead><tbody>" + "\n".join(rows) + "</tbody></table>"

"""A web page out: the texts with their links marked, in one file that loads nothing.

The marks are those of the page of the service: the label, the id and the probability are in their title.
"""

from __future__ import annotations

from html import escape

from eigenthemes.documents.offsets import Span, spans_of
from eigenthemes.errors import DocumentError
from eigenthemes.records import Link, LinkedDocument, Table

_STYLE = """body{font:18px/1.7 Charter,Georgia,serif;max-width:46rem;
margin:3rem auto;padding:0 1rem;color:#1f2328;background:#fdfcfa}
h2{font-size:1rem;color:#5a6068}pre{font:inherit;white-space:pre-wrap;overflow-wrap:anywhere}
mark{background:#d8ecee;border-bottom:2px solid #1f5f6b;color:inherit;border-radius:3px}
mark.nil{background:none;border-bottom:2px dashed #767676}
table{border-collapse:collapse;font:14px/1.5 system-ui,sans-serif;width:100%}
td,th{text-align:start;padding:.3rem .6rem;border-bottom:1px solid #ddd;vertical-align:top;overflow-wrap:anywhere}
@media(prefers-color-scheme:dark){body{background:#16181b;color:#e9e6e1}mark{background:#20434a}td,th{border-color:#3a3e44}}"""

_DEEPEST = 8  # marks within marks that are shown

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
    heading = "" if document.id is None else f'<h2 dir="auto">{_text(str(document.id))}</h2>\n'
    if document.text is not None:
        body = f'<pre dir="auto">{_marked(document.text, _placed(linked))}</pre>'
    elif document.table is not None:
        body = _table(document.table, linked)
    else:
        items = (f'<li dir="auto">{_mark(_text(link.mention.text), link)}</li>' for link in linked.links)
        body = "<ul>" + "".join(items) + "</ul>"
    return f"<article>{heading}{body}</article>\n".encode("utf-8", "replace")


def _placed(linked: LinkedDocument) -> list[tuple[Span, Link]]:
    """Return each piece of each mention that has a place, with its link."""
    placed = []
    for link in linked.links:
        try:
            placed += [(span, link) for span in spans_of(linked.document, link.mention)]
        except DocumentError:
            continue
    return placed


def _marked(text: str, placed: list[tuple[Span, Link]]) -> str:
    """Return a text with its mentions marked; one that crosses another is cut where the other one ends."""
    opening: dict[int, list[int]] = {}
    for number, ((start, _), _) in enumerate(placed):
        opening.setdefault(start, []).append(number)
    ends = {end for (_, end), _ in placed}
    parts: list[str] = []
    inside: list[int] = []  # open mentions, the longest first
    at = 0
    for place in sorted(opening.keys() | ends):
        parts.append(_nested(text[at:place], [placed[number][1] for number in inside]))
        inside = [number for number in inside if placed[number][0][1] > place] + opening.get(place, [])
        inside.sort(key=lambda number: -placed[number][0][1])
        inside = inside[-_DEEPEST:]
        at = place
    return "".join(parts) + _text(text[at:])


def _nested(text: str, links: list[Link]) -> str:
    marked = _text(text)
    for link in reversed(links):
        marked = _mark(marked, link) if text else marked
    return marked


def _mark(marked: str, link: Link) -> str:
    if link.entity is None:
        return f'<mark class="nil" title="no link ({_text(link.nil_reason or "")})">{marked}</mark>'
    sure = "" if link.probability is None else f"{link.probability:.2f}"
    title = f"{link.label} ({link.entity})" + (f", probability {sure}" if sure else "")
    probability = f' data-probability="{sure}"' if sure else ""
    return f'<mark title="{_text(title)}" data-id="{_text(link.entity)}"{probability}>{marked}</mark>'


def _table(table: Table, linked: LinkedDocument) -> str:
    by_cell = {(link.mention.row, link.mention.col): link for link in linked.links}
    rows = []
    for row, cells in enumerate(table.rows):
        parts = []
        for col, cell in enumerate(cells):
            link = by_cell.get((row, col))
            parts.append(f'<td dir="auto">{_text(cell) if link is None else _mark(_text(cell), link)}</td>')
        rows.append("<tr>" + "".join(parts) + "</tr>")
    header = "".join(f'<th dir="auto">{_text(cell)}</th>' for cell in table.header)
    return f"<table><thead><tr>{header}</tr></thead><tbody>" + "\n".join(rows) + "</tbody></table>"


def _text(text: str) -> str:
    """Return a text as HTML; control characters, which it cannot hold, become what stands for the unknown."""
    return escape(text.translate(_CONTROLS), quote=True).replace("\r", "&#13;")  # a bare one would be read as a line break


_CONTROLS = {code: "\ufffd" for code in range(32) if chr(code) not in "\t\n\r\f"}

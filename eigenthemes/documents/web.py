"""Read the text of web pages; write a page of texts with their links marked.

The page that is written loads nothing; its marks have label, id and probability as a title, like those of the service.
"""

from __future__ import annotations

import re

from eigenthemes.core.files import Source
from eigenthemes.display.html import MARK_STYLE, escaped, marked, marked_text
from eigenthemes.display.views import text_with_links
from eigenthemes.errors import MissingExtraError
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

PAGE_HEAD = f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>Linked documents</title><style>{_STYLE}</style></head>
<body><h1>Linked documents</h1>
""".encode()
PAGE_TAIL = b"</body></html>\n"

_NOT_SHOWN = ["script", "style", "template", "noscript", "svg", "math", "iframe", "object", "select", "datalist"]
_BLOCKS = (
    "address,article,aside,blockquote,body,br,caption,dd,details,div,dl,dt,fieldset,figcaption,figure,footer,form,h1,h2,h3,h4,"
    "h5,h6,header,hr,legend,li,main,nav,ol,p,pre,section,summary,table,td,th,title,tr,ul"
)
_BREAK = "\u2029"  # marks where a line of the page ends, unlike the line breaks of its source
_CHARSET = re.compile(rb"""<meta[^>]{1,200}?charset\s*=\s*["']?([\w.:-]+)""", re.IGNORECASE)


def text_of_html(source: Source) -> str:
    """Return the title of a page and the text that a browser shows, with a line for each block."""
    try:
        from selectolax.lexbor import LexborHTMLParser
    except ImportError:
        raise MissingExtraError("reading HTML", "selectolax", "html") from None
    declared = _CHARSET.search(source.head)
    encoding = declared[1].decode() if declared else "utf-8"
    is_utf8 = encoding.lower().startswith("utf")  # a declaration that can be read as ASCII is wrong about UTF-16
    stream = source.text() if is_utf8 else source.decoded(encoding)
    page = LexborHTMLParser(stream.read().decode("utf-8", "replace"))
    page.strip_tags(_NOT_SHOWN, recursive=True)
    for block in page.css(_BLOCKS):
        block.insert_before(_BREAK)
        block.insert_after(_BREAK)
    lines = (" ".join(line.split()) for line in page.root.text().split(_BREAK)) if page.root else ()
    return "\n".join(filter(None, lines))


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

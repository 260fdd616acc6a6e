"""Read the text of web pages; write a page of texts with their links marked.

The page that is written loads nothing; its marks have label, id and probability as a title, like those of the service.
"""

from __future__ import annotations

import re
from pathlib import Path

from eigenthemes.core.files import Source
from eigenthemes.display.html import escaped, marked, marked_text
from eigenthemes.display.views import text_with_links
from eigenthemes.errors import MissingExtraError
from eigenthemes.records import LinkedDocument, Table

PAGE_HEAD = Path(__file__).with_name("page_head.html").read_bytes()
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

    def cell(text: str, place: tuple[int, int]) -> str:
        return f'<td dir="auto">{marked(escaped(text), by_cell[place]) if place in by_cell else escaped(text)}</td>'

    rows = ("".join(cell(text, (row, col)) for col, text in enumerate(cells)) for row, cells in enumerate(table.rows))
    header = "".join(f'<th dir="auto">{escaped(name)}</th>' for name in table.header)
    return f"<table><thead><tr>{header}</tr></thead><tbody>" + "\n".join(f"<tr>{row}</tr>" for row in rows) + "</tbody></table>"

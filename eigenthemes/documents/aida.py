"""AIDA-CoNLL as tab-separated lines (`AIDA-YAGO2-dataset.tsv`), one token per line.

    -DOCSTART- (1 EU)
    German   B   German   Germany   http://en.wikipedia.org/wiki/Germany   11867   /m/0345h

The file has no running text: tokens are joined with spaces and sentences with line breaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from urllib.parse import unquote

from eigenthemes.documents import standoff
from eigenthemes.documents.splitting import at_line, decode_line, split_blocks
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, LinkedDocument, Mention

_START = re.compile(r"-DOCSTART-\s*\((.*)\)\s*")
_NO_ENTITY = "--NME--"


def split_aida(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each document as bytes, with the number of its first line."""
    return split_blocks(lines, lambda line: line.startswith(b"-DOCSTART-"))


def parse_aida(data: bytes, line: int) -> Document:
    """Parse a document that begins in a line; its id is in brackets after `-DOCSTART-`."""
    first, *tokens = data.split(b"\n")
    start_line = decode_line(first, line).partition("\t")[0]
    if not (start := _START.fullmatch(start_line)):
        raise at_line(line, f"{start_line!r} has no document id; expected '-DOCSTART- (1 EU)' as in AIDA-YAGO2-dataset.tsv")
    text = gap = ""
    spans: list[tuple[int, int, tuple[str, ...]]] = []
    is_inside = False  # the last token was part of a mention
    for number, raw in enumerate(tokens, line + 1):
        token, *cells = decode_line(raw, number).split("\t")
        if not token.strip() and not "".join(cells).strip():  # the end of a sentence
            gap, is_inside = "\n" if text else "", False
            continue
        if cells and (len(cells) < 3 or not token or cells[0] not in ("B", "I")):
            columns = f"{len(cells) + 1} columns that begin with {[token, *cells][:2]}"
            raise at_line(number, f"{columns}; expected token, B or I, mention, entity, ... as in AIDA-YAGO2-dataset.tsv")
        begin = len(text) + len(gap)
        text += gap + token
        gap = " "
        if cells and cells[0] == "I" and is_inside:
            begin, _, gold = spans.pop()
            spans.append((begin, len(text), gold))
        elif cells:
            spans.append((begin, len(text), _gold(cells[2:])))
        is_inside = bool(cells)
    mentions = [Mention(text[begin:end], begin, end, gold=gold, source={"gold": list(gold)}) for begin, end, gold in spans]
    return Document(id=start[1], text=text, mentions=tuple(mentions))


def _gold(cells: list[str]) -> tuple[str, ...]:
    """Return all ids of the entity: the KB may have any of them."""
    yago, url, number, mid, *_ = [cell.strip() for cell in cells] + [""] * 4
    if yago == _NO_ENTITY:
        return ()
    _, _, title = url.partition("/wiki/")
    iri = standoff.dbpedia_iri(unquote(title)) if title else ""
    return tuple(dict.fromkeys(name for name in (url, iri, number, mid, _unescaped(yago)) if name))


def _unescaped(name: str) -> str:
    r"""Undo the escapes of YAGO, which writes letters beyond ASCII as \u00e9, and those beyond 16 bits as two of these."""
    halves = re.sub(r"\\u([0-9a-fA-F]{4})", lambda escape: chr(int(escape[1], 16)), name)
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# out


def aida_of(linked: LinkedDocument, number: int) -> bytes:
    """Return a linked document with one token per line: split at white space and at the ends of mentions."""
    document = linked.document
    text = standoff.text_of(document, "AIDA-CoNLL")
    name = " ".join(standoff.document_name(document, number).split())
    lines = [f"-DOCSTART- ({name})", ""]
    at = 0
    for start, end, entity in _ordered(linked):
        lines += _tokens(text[at:start])
        name = " ".join(text[start:end].split())
        for place, token in enumerate(name.split(" ")):
            lines.append(f"{token}\t{'I' if place else 'B'}\t{name}\t{entity}")
        at = end
    lines += _tokens(text[at:])
    return standoff.encode_lines([*_without_blanks(lines), ""])


def _ordered(linked: LinkedDocument) -> list[tuple[int, int, str]]:
    """Return start, end and entity of each mention; refuse mentions that overlap."""
    spans = sorted(
        (*standoff.extent_of(linked.document, link.mention), " ".join((link.entity or _NO_ENTITY).split()))
        for link in linked.links
    )
    for (start, end, _), (following, _, _) in pairwise(spans):
        if following < end:
            text = (linked.document.text or "")[start:end]
            raise DocumentError(f"{text[:40]!r} overlaps another mention, which AIDA-CoNLL cannot say; write another format")
    return spans


def _tokens(text: str) -> list[str]:
    """Return the tokens of a text, with an empty one for each line break."""
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
        lines += [""] * bool(number) + line.split()
    return lines


def _without_blanks(lines: list[str]) -> list[str]:
    """Return lines without repeated blank ones, and without one at the end."""
    return [line for line, following in pairwise([*lines, ""]) if line or following]

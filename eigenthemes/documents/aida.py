"""AIDA-CoNLL as tab-separated lines (`AIDA-YAGO2-dataset.tsv`), one token per line.

    -DOCSTART- (1 EU)
    German   B   German   Germany   http://en.wikipedia.org/wiki/Germany   11867   /m/0345h

The file has no running text: tokens are joined with spaces and sentences with line breaks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import unquote

from eigenthemes.documents import standoff
from eigenthemes.documents.standoff import at_line
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, LinkedDocument, Mention

_START_BYTES = b"-DOCSTART-"
_NO_ENTITY = "--NME--"


def split_aida(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each document as bytes, with the number of its first line."""
    return standoff.split_blocks(lines, lambda line: line.startswith(_START_BYTES))


def parse_aida(data: bytes, line: int) -> Document:
    """Parse a document that begins in a line; its id is in brackets after `-DOCSTART-`."""
    draft: _Draft | None = None
    for number, raw in enumerate(data.split(b"\n"), line):
        cells = standoff.decode_line(raw, number).split("\t")
        try:
            if draft is None:
                draft = _Draft(_document_id(cells[0]))
            else:
                draft.add(cells)
        except DocumentError as error:
            raise at_line(number, error) from None
    assert draft is not None
    return draft.document()


@dataclass
class _Draft:
    """A document being parsed: the pieces of its text, their length, and the mentions so far."""

    id: str
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    mentions: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)
    gap: str = ""  # before the next token
    inside: bool = False  # the last token was part of a mention

    def add(self, cells: list[str]) -> None:
        """Add a token, or the blank line at the end of a sentence."""
        token = cells[0]
        if not "".join(cells).strip():
            self.gap, self.inside = "\n" if self.pieces else "", False
            return
        if len(cells) > 1:
            _check(cells)
        self.pieces += self.gap, token
        start = self.length + len(self.gap)
        self.length = start + len(token)
        self.gap = " "
        if len(cells) == 1:
            self.inside = False
        elif cells[1] == "I" and self.inside:
            first, _, gold = self.mentions[-1]
            self.mentions[-1] = first, self.length, gold
        else:
            self.mentions.append((start, self.length, _gold(cells[3:])))
            self.inside = True

    def document(self) -> Document:
        """Return the document."""
        text = "".join(self.pieces)
        mentions = (
            Mention(text[start:end], start, end, gold=gold, source={"gold": list(gold)}) for start, end, gold in self.mentions
        )
        return Document(id=self.id, text=text, mentions=tuple(mentions))


def _document_id(line: str) -> str:
    start = re.fullmatch(r"-DOCSTART-\s*\((.*)\)\s*", line)
    if not start:
        raise DocumentError(f"{line!r} has no document id; expected '-DOCSTART- (1 EU)' as in AIDA-YAGO2-dataset.tsv")
    return start[1]


def _check(cells: list[str]) -> None:
    if len(cells) < 4 or not cells[0] or cells[1] not in ("B", "I"):
        columns = f"{len(cells)} columns that begin with {cells[:2]}"
        raise DocumentError(f"{columns}; expected token, B or I, mention, entity, ... as in AIDA-YAGO2-dataset.tsv")


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

"""AIDA-CoNLL as tab-separated lines (`AIDA-YAGO2-dataset.tsv`), a token a line.

    -DOCSTART- (1 EU)
    German   B   German   Germany   http://en.wikipedia.org/wiki/Germany   11867   /m/0345h

The file has no running text: it is put together again, tokens with a space and sentences with a line break between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from urllib.parse import unquote

from eigenthemes.documents.json_lines import BOM
from eigenthemes.documents.located import at_line
from eigenthemes.documents.offsets import spans_of, text_of
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, LinkedDocument, Mention

_START_BYTES = b"-DOCSTART-"
_NO_ENTITY = "--NME--"
_DBPEDIA = "http://dbpedia.org/resource/"
_NOT_IN_IRI = str.maketrans({letter: f"%{ord(letter):02X}" for letter in '"#%<>?[\\]^`{|}'}) | {ord(" "): "_"}


def split_aida(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """Yield each document as bytes, with the number of its first line; what stands before the first one is left out."""
    block: list[bytes] = []
    first = 1
    for number, line in enumerate(lines, 1):
        line = line.removeprefix(BOM) if number == 1 else line
        if line.startswith(_START_BYTES):
            if block:
                yield first, b"".join(block)
            first, block = number, [line]
        elif block:
            block.append(line)
    if block:
        yield first, b"".join(block)


def parse_aida(data: bytes, line: int) -> Document:
    """Parse a document that begins in a line; its id is what stands in brackets after `-DOCSTART-`."""
    draft: _Draft | None = None
    for number, raw in enumerate(data.split(b"\n"), line):
        try:
            cells = raw.decode().rstrip("\r").split("\t")
            if draft is None:
                draft = _Draft(_document_id(cells[0]))
            else:
                draft.add(cells)
        except UnicodeDecodeError:
            raise at_line(number, "the line is not UTF-8; save the file as UTF-8") from None
        except DocumentError as error:
            raise at_line(number, error) from None
    assert draft is not None
    return draft.document()


def dbpedia_iri(title: str) -> str:
    """Return the DBpedia IRI of a Wikipedia page; letters of all scripts stand for themselves in it."""
    return _DBPEDIA + title.translate(_NOT_IN_IRI)


@dataclass
class _Draft:
    """A document under way: the pieces of its text, how long they are, and the mentions closed so far."""

    id: str
    pieces: list[str] = field(default_factory=list)
    length: int = 0
    mentions: list[tuple[int, int, tuple[str, ...]]] = field(default_factory=list)
    gap: str = ""  # what stands before the next token
    inside: bool = False  # the last token was part of a mention

    def add(self, cells: list[str]) -> None:
        """Take in a token, or the blank line at the end of a sentence."""
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
    """Return every id of the entity, so that one of them is right whichever the KB has."""
    yago, url, number, mid, *_ = [cell.strip() for cell in cells] + [""] * 4
    if yago == _NO_ENTITY:
        return ()
    _, _, title = url.partition("/wiki/")
    iri = dbpedia_iri(unquote(title)) if title else ""
    return tuple(dict.fromkeys(name for name in (url, iri, number, mid, _unescaped(yago)) if name))


def _unescaped(name: str) -> str:
    r"""Undo the escapes of YAGO, which writes letters beyond ASCII as \u00e9, and those beyond 16 bits as two of these."""
    halves = re.sub(r"\\u([0-9a-fA-F]{4})", lambda escape: chr(int(escape[1], 16)), name)
    return halves.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


# out


def aida_of(linked: LinkedDocument, number: int) -> bytes:
    """Return a linked document, a token a line: what is between white space, cut where a mention begins or ends."""
    document = linked.document
    text = text_of(document, "AIDA-CoNLL")
    name = " ".join(str(number if document.id is None else document.id).split())
    lines = [f"-DOCSTART- ({name})", ""]
    at = 0
    for start, end, entity in _ordered(linked):
        lines += _tokens(text[at:start])
        name = " ".join(text[start:end].split())
        for place, token in enumerate(name.split(" ")):
            lines.append(f"{token}\t{'I' if place else 'B'}\t{name}\t{entity}")
        at = end
    lines += _tokens(text[at:])
    return "".join(line + "\n" for line in [*_without_blanks(lines), ""]).encode("utf-8", "replace")


def _ordered(linked: LinkedDocument) -> list[tuple[int, int, str]]:
    """Return start, end and entity of each mention; refuse what lines of tokens cannot say."""
    found = []
    for link in linked.links:
        spans = spans_of(linked.document, link.mention)
        found.append((spans[0][0], spans[-1][1], " ".join((link.entity or _NO_ENTITY).split())))
    found.sort()
    for (start, end, _), (following, _, _) in pairwise(found):
        if following < end:
            text = (linked.document.text or "")[start:end]
            raise DocumentError(f"{text[:40]!r} overlaps another mention, which AIDA-CoNLL cannot say; write another format")
    return found


def _tokens(text: str) -> list[str]:
    """Return the tokens of a text; a line break is the blank line at the end of a sentence."""
    lines: list[str] = []
    for number, line in enumerate(text.split("\n")):
        lines += [""] * bool(number) + line.split()
    return lines


def _without_blanks(lines: list[str]) -> list[str]:
    """Return lines without blank ones after one another, and at the end."""
    return [line for line, following in pairwise([*lines, ""]) if line or following]

"""AIDA-CoNLL as tab-separated lines (`AIDA-YAGO2-dataset.tsv`), a token a line.

    -DOCSTART- (1 EU)
    German   B   German   Germany   http://en.wikipedia.org/wiki/Germany   11867   /m/0345h

The file has no running text: it is put together again, tokens with a space and sentences with a line break between them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import unquote

from eigenthemes.documents.json_lines import BOM
from eigenthemes.documents.located import located
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, Mention

_START = "-DOCSTART-"
_NO_ENTITY = "--NME--"
_DBPEDIA = "http://dbpedia.org/resource/"
_NOT_IN_IRI = str.maketrans({letter: f"%{ord(letter):02X}" for letter in '"#%<>?[\\]^`{|}'}) | {ord(" "): "_"}


def read_aida(lines: Iterable[bytes], *, origin: str) -> Iterator[Document]:
    """Yield the documents; their ids are what stands in brackets after `-DOCSTART-`."""
    draft: _Draft | None = None
    for number, line in enumerate(lines, 1):
        try:
            cells = line.removeprefix(BOM).decode().rstrip("\r\n").split("\t")
            if cells[0].startswith(_START):
                if draft:
                    yield draft.document()
                draft = _Draft(_document_id(cells[0]))
            elif draft:
                draft.add(cells)
        except UnicodeDecodeError:
            raise located(f"{origin}:{number}", "the line is not UTF-8; save the file as UTF-8") from None
        except DocumentError as error:
            raise located(f"{origin}:{number}", error) from None
    if draft:
        yield draft.document()


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
        mentions = (Mention(text[start:end], start, end, gold=gold) for start, end, gold in self.mentions)
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

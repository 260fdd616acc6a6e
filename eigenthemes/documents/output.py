"""Linked documents out, in the formats of the field; JSON lines, the usual one, is in `writer`.

with open_output("html", file.write) as output:
    output.write(linked)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import orjson

from eigenthemes.core.files import name_without_compression
from eigenthemes.core.storage import report_write_errors
from eigenthemes.documents import nif, web
from eigenthemes.documents.bioc import bioc_of, collection_of
from eigenthemes.documents.brat import brat_of
from eigenthemes.documents.json_writer import linked_line
from eigenthemes.documents.pubtator import pubtator_of
from eigenthemes.errors import OptionError
from eigenthemes.records import Document, LinkedDocument

Write = Callable[[bytes], object]

OUTPUT_FORMATS = ("jsonl", "json", "nif", "brat", "pubtator", "bioc", "html")
_BY_NAME = {
    "": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".html": "html",
    ".htm": "html",
    ".ttl": "nif",
    ".pubtator": "pubtator",
}


def format_of_name(path: str) -> str:
    """Return the output format for the name of a file, which may be compressed; JSON lines for one without a suffix."""
    suffix = Path(name_without_compression(path.lower())).suffix
    if suffix not in _BY_NAME:
        *others, last = filter(None, _BY_NAME)
        remedy = f"expected {', '.join(others)} or {last}, or choose a format"
        raise OptionError(f"{path} ends in {suffix}, which is no output format; {remedy}", code="output-suffix", where=path)
    return _BY_NAME[suffix]


@dataclass(frozen=True, slots=True)
class _Format:
    """Encodes a document, given its number, with bytes before the first document, between two and behind the last."""

    encode: Callable[[LinkedDocument, int], bytes]
    head: Callable[[Document], bytes] = lambda first: b""
    between: bytes = b""
    tail: bytes = b""


_FORMATS = {
    "jsonl": _Format(lambda linked, number: linked_line(linked)),
    "json": _Format(lambda linked, number: linked_line(linked).rstrip(b"\n"), lambda first: b"[\n", b",\n", b"\n]\n"),
    "nif": _Format(nif.nif_of, lambda first: nif.HEAD),
    "pubtator": _Format(pubtator_of),
    "bioc": _Format(
        lambda linked, number: bioc_of(linked),
        lambda first: orjson.dumps(collection_of(first))[:-1] + b',"documents":[\n',
        b",\n",
        b"\n]}\n",
    ),
    "html": _Format(lambda linked, number: web.html_of(linked), lambda first: web.PAGE_HEAD, tail=web.PAGE_TAIL),
}


@contextmanager
def open_output(name: str, write: Write, *, folder: str | Path | None = None) -> Iterator[Output | BratFolder]:
    """Write documents in a format, with its beginning and end.

    folder  for BRAT, which has two files per document
    """
    if name not in OUTPUT_FORMATS:
        raise OptionError(f"there is no output format {name!r}; choose one of {', '.join(OUTPUT_FORMATS)}", where=name)
    output = BratFolder(folder) if name == "brat" else Output(write, _FORMATS[name])
    yield output
    output.end()


class Output:
    """An output of documents in one stream."""

    def __init__(self, write: Write, format: _Format) -> None:
        self._write, self._format = write, format
        self._documents = 0

    def write(self, linked: LinkedDocument) -> None:
        """Write a document; nothing is written of one that the format cannot hold, which raises a `DocumentError`."""
        encoded = self._format.encode(linked, self._documents + 1)
        before = self._format.between if self._documents else self._format.head(linked.document)
        self._write(before + encoded)
        self._documents += 1

    def end(self) -> None:
        """Write the end of the output."""
        self._write((b"" if self._documents else self._format.head(Document(text=""))) + self._format.tail)


class BratFolder:
    """A folder with the text and the annotations of each document, in files named by its id."""

    def __init__(self, folder: str | Path | None) -> None:
        if folder is None or str(folder) == "-":
            raise OptionError("BRAT is two files for each document; name a folder to write them to", code="output-folder")
        self.folder = Path(folder)
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            kind = "a folder with files in it" if self.folder.is_dir() else "a file"
            problem = f"{folder} is {kind}; name an empty or a new folder for BRAT"
            raise OptionError(problem, code="output-folder", where=str(folder))
        self._taken: dict[str, int] = {}  # name in lower case -> number of documents with it

    def write(self, linked: LinkedDocument) -> None:
        """Write the two files of a document."""
        text, annotations = brat_of(linked)
        name = self._name(linked.document.id)
        with report_write_errors(self.folder / f"{name}.ann", "free some space, or name another folder"):
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / f"{name}.txt").write_bytes(text)
            (self.folder / f"{name}.ann").write_bytes(annotations)

    def end(self) -> None:
        """Make the folder, even if there is no document."""
        self.folder.mkdir(parents=True, exist_ok=True)

    def _name(self, document_id: object) -> str:
        """Return a unique file name for an id of any characters."""
        wanted = "" if document_id is None else re.sub(r"\.(txt|ann)\Z", "", str(document_id))
        wanted = re.sub(r"[^\w.-]+", "_", wanted).strip("._")[:80] or "document"
        name = wanted
        while name.lower() in self._taken:
            self._taken[wanted.lower()] += 1
            name = f"{wanted}-{self._taken[wanted.lower()]}"
        self._taken[name.lower()] = 1
        return name

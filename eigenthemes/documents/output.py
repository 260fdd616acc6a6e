"""Linked documents out, in the formats of the field; JSON lines, the usual one, is in `writer`.

with open_output("html", file.write) as output:
    output.write(linked)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import orjson

from eigenthemes.core.files import COMPRESSED
from eigenthemes.documents import nif, web
from eigenthemes.documents.aida import aida_of
from eigenthemes.documents.bioc import bioc_of, collection_of
from eigenthemes.documents.brat import brat_of
from eigenthemes.documents.json_writer import linked_line
from eigenthemes.documents.pubtator import pubtator_of
from eigenthemes.errors import OptionError, SourceError
from eigenthemes.records import LinkedDocument

Write = Callable[[bytes], object]

OUTPUT_FORMATS = ("jsonl", "json", "nif", "brat", "pubtator", "bioc", "aida", "web-annotation", "html")
_BY_NAME = {
    "": "jsonl",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".html": "html",
    ".htm": "html",
    ".ttl": "nif",
    ".jsonld": "web-annotation",
    ".pubtator": "pubtator",
    ".conll": "aida",
}


def format_of_name(path: str) -> str:
    """Return the output format for the name of a file, which may be compressed; JSON lines for one without a suffix."""
    name = Path(path.lower())
    suffix = Path(name.stem).suffix if name.suffix in COMPRESSED else name.suffix
    if suffix not in _BY_NAME:
        *others, last = filter(None, _BY_NAME)
        raise OptionError(
            f"{path} ends in {suffix}, which is no output format; expected {', '.join(others)} or {last}, or choose a format",
            code="output-suffix",
            where=path,
        )
    return _BY_NAME[suffix]


@contextmanager
def open_output(name: str, write: Write, *, folder: str | Path | None = None) -> Iterator[Output]:
    """Write documents in a format, with its beginning and end.

    folder  for BRAT, which has two files per document
    """
    if name not in OUTPUT_FORMATS:
        raise OptionError(f"there is no output format {name!r}; choose one of {', '.join(OUTPUT_FORMATS)}", where=name)
    if name == "brat":
        output: Output = BratFolder(folder)
    else:
        output = _OUTPUTS[name](write)
    yield output
    output.end()


class Output:
    """An output of documents."""

    def __init__(
        self, write: Write, encode: Callable[[LinkedDocument, int], bytes] | None = None, *, head: bytes = b""
    ) -> None:
        self._write, self._encode, self._head = write, encode, head
        self.count = 0

    def write(self, linked: LinkedDocument) -> None:
        """Write a document; nothing is written of one that the format cannot hold, which raises a `DocumentError`."""
        assert self._encode is not None
        data = self._encode(linked, self.count + 1)
        self._write((b"" if self.count else self._head) + data)
        self.count += 1

    def end(self) -> None:
        """Write the end of the output."""
        if not self.count:
            self._write(self._head)


class _Listed(Output):
    """Items of a list, separated by commas; the head may depend on the first document."""

    def __init__(self, write: Write, items: Callable[[LinkedDocument, int], list[bytes]], head: bytes, tail: bytes) -> None:
        super().__init__(write, head=head)
        self._items, self._tail, self._written = items, tail, 0

    def head_of(self, linked: LinkedDocument) -> bytes:
        return self._head

    def write(self, linked: LinkedDocument) -> None:
        items = self._items(linked, self.count + 1)
        before = b"" if self.count else self.head_of(linked)
        joined = b",\n".join(items)
        self._write(before + (b",\n" + joined if joined and self._written else joined))
        self._written += len(items)
        self.count += 1

    def end(self) -> None:
        self._write((b"" if self.count else self._head) + self._tail)


class _Collection(_Listed):
    """A BioC collection, with the fields of the one that the first document came from."""

    def __init__(self, write: Write) -> None:
        super().__init__(write, lambda linked, number: [bioc_of(linked)], _collection_head({}), b"\n]}\n")

    def head_of(self, linked: LinkedDocument) -> bytes:
        return _collection_head(collection_of(linked.document))


def _collection_head(fields: dict[str, object]) -> bytes:
    fields = {"source": "", "date": "", "key": "", **fields}
    return orjson.dumps(fields)[:-1] + b',"documents":[\n'


class _Page(Output):
    """A web page."""

    def __init__(self, write: Write) -> None:
        super().__init__(write, lambda linked, number: web.html_of(linked), head=web.PAGE_HEAD)

    def end(self) -> None:
        super().end()
        self._write(web.PAGE_TAIL)


class BratFolder(Output):
    """A folder with the text and the annotations of each document, in files named by its id."""

    def __init__(self, folder: str | Path | None) -> None:
        super().__init__(lambda data: None)
        if folder is None or str(folder) == "-":
            raise OptionError("BRAT is two files for each document; name a folder to write them to", code="output-folder")
        self.folder = Path(folder)
        if self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir())):
            kind = "a folder with files in it" if self.folder.is_dir() else "a file"
            raise OptionError(
                f"{folder} is {kind}; name an empty or a new folder for BRAT", code="output-folder", where=str(folder)
            )
        self._taken: dict[str, int] = {}  # name in lower case -> number of documents with it

    def write(self, linked: LinkedDocument) -> None:
        text, annotations = brat_of(linked)
        name = self._name(linked.document.id)
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            (self.folder / f"{name}.txt").write_bytes(text)
            (self.folder / f"{name}.ann").write_bytes(annotations)
        except OSError as error:
            raise SourceError(
                f"{self.folder / name}.ann cannot be written ({error.strerror}); free some space, or name another folder",
                where=str(self.folder),
            ) from None
        self.count += 1

    def end(self) -> None:
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


_OUTPUTS: dict[str, Callable[[Write], Output]] = {
    "jsonl": lambda write: Output(write, lambda linked, number: linked_line(linked)),
    "json": lambda write: _Listed(write, lambda linked, number: [linked_line(linked).rstrip(b"\n")], b"[\n", b"\n]\n"),
    "nif": lambda write: Output(write, nif.nif_of, head=nif.HEAD),
    "pubtator": lambda write: Output(write, pubtator_of),
    "bioc": _Collection,
    "aida": lambda write: Output(write, aida_of),
    "web-annotation": lambda write: _Listed(write, web.web_annotations_of, web.ANNOTATIONS_HEAD, web.ANNOTATIONS_TAIL),
    "html": _Page,
}

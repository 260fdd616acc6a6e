"""WNED XML (`wikipedia.xml`, `clueweb.xml` and their like) with the texts in a folder `RawText` beside it.

    <wikipedia.entityAnnotation>
      <document docName="Paris">
        <annotation><mention>Paris</mention><wikiName>Paris, Texas</wikiName><offset>12</offset><length>5</length></annotation>

Expat fetches no external entity and stops those that grow, so a file from anywhere may be read.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import IO
from xml.etree import ElementTree

from eigenthemes.core.storage import check_input
from eigenthemes.documents.aida import dbpedia_iri
from eigenthemes.documents.located import located
from eigenthemes.errors import DocumentError, SourceError
from eigenthemes.records import Document, Mention

_NEAR = 20  # characters that the offsets of the published files are off at most


def read_wned(stream: IO[bytes], *, origin: str, folder: Path | None = None) -> Iterator[Document]:
    """Yield the documents; their texts are looked for in `RawText` in the folder and in its parent."""
    folders = [] if folder is None else [folder / "RawText", folder.resolve().parent / "RawText"]
    try:
        events = ElementTree.iterparse(stream, events=("start", "end"))
        _, root = next(events)
        if not root.tag.endswith("entityAnnotation"):
            raise SourceError(
                f"{origin} is XML with the root <{root.tag}>; expected WNED's <wikipedia.entityAnnotation> or its like",
                where=origin,
            )
        for event, element in events:
            if event == "end" and element.tag == "document":
                yield _document(element, folders, origin)
                root.clear()  # what was read would stay in memory else
    except ElementTree.ParseError as error:
        line, column = error.position
        raise located(f"{origin}:{line}", f"broken XML at column {column + 1} ({error.msg}); mend the file") from None


def _document(element: ElementTree.Element, folders: list[Path], origin: str) -> Document:
    name = element.get("docName")
    if name is None:
        raise located(origin, "a document has no name; expected <document docName=...>")
    text = _raw_text(name, folders)
    annotations = enumerate(element.iter("annotation"))
    try:
        mentions = tuple(_mention(annotation, text, f"annotation {number}") for number, annotation in annotations)
    except DocumentError as error:
        raise located(origin, f'document "{name}", {error}') from None
    return Document(id=name, text=text, mentions=mentions)


def _raw_text(name: str, folders: list[Path]) -> str | None:
    if Path(name).name != name:  # the XML may not lead to files elsewhere
        return None
    for folder in folders:
        check_input(folder / name, remedy="expected the text of a document there")
        try:
            return (folder / name).read_bytes().decode("utf-8-sig", "replace")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise SourceError(
                f"{folder / name} cannot be read ({error.strerror}); check its permissions", where=str(folder / name)
            ) from None
    return None


def _mention(annotation: ElementTree.Element, text: str | None, label: str) -> Mention:
    name, title = annotation.findtext("mention") or "", (annotation.findtext("wikiName") or "").strip()
    if not name.strip():
        raise DocumentError(f"{label} has no text; expected <mention> with the name")
    gold = () if title in ("", "NIL") else tuple(dict.fromkeys((title, dbpedia_iri(title))))
    start = None if text is None else _nearest(name, text, _offset(annotation, label))
    if start is None:
        return Mention(name, gold=gold)
    return Mention(name, start, start + len(name), gold=gold)


def _offset(annotation: ElementTree.Element, label: str) -> int | None:
    offset = (annotation.findtext("offset") or "").strip()
    if not offset:
        return None
    try:
        return int(offset)
    except ValueError:
        raise DocumentError(f"{label} has the offset {offset!r}; expected a whole number") from None


def _nearest(name: str, text: str, offset: int | None) -> int | None:
    """Return where the mention begins: the position nearest to the offset that has its text."""
    if offset is None:
        return None
    near = sorted(range(max(0, offset - _NEAR), offset + _NEAR + 1), key=lambda start: abs(start - offset))
    return next((start for start in near if text.startswith(name, start)), None)

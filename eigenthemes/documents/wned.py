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

from eigenthemes.documents.aida import dbpedia_iri
from eigenthemes.errors import DocumentError, SourceError
from eigenthemes.records import Document, Mention

_NEAR = 20  # characters that the offsets of the published files are off at most


def read_wned(stream: IO[bytes], *, origin: str, folder: Path | None = None) -> Iterator[Document]:
    """The documents; their texts are looked for in `RawText` in the folder and in its parent."""
    places = [] if folder is None else [folder / "RawText", folder.resolve().parent / "RawText"]
    try:
        events = ElementTree.iterparse(stream, events=("start", "end"))
        _, root = next(events)
        if not root.tag.endswith("entityAnnotation"):
            raise SourceError(
                f"{origin} is XML with the root <{root.tag}>; expected WNED's <wikipedia.entityAnnotation> or its like"
            )
        for event, element in events:
            if event == "end" and element.tag == "document":
                yield _document(element, places, origin)
                root.clear()  # what was read would stay in memory else
    except ElementTree.ParseError as error:
        line, column = error.position
        raise DocumentError(f"{origin}:{line}: broken XML at column {column + 1} ({error.msg}); mend the file") from None


def _document(element: ElementTree.Element, places: list[Path], origin: str) -> Document:
    name = element.get("docName")
    if name is None:
        raise DocumentError(f"{origin}: a document has no name; expected <document docName=...>")
    text = _raw_text(name, places)
    where = f'{origin}: document "{name}", annotation'
    annotations = enumerate(element.iter("annotation"))
    return Document(
        id=name, text=text, mentions=tuple(_mention(each, text, f"{where} {number}") for number, each in annotations)
    )


def _raw_text(name: str, places: list[Path]) -> str | None:
    if Path(name).name != name:  # the XML may not lead to files elsewhere
        return None
    for place in places:
        try:
            return (place / name).read_bytes().decode("utf-8-sig", "replace")
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            raise SourceError(f"{place / name} cannot be read ({error.strerror}); check its permissions") from None
    return None


def _mention(annotation: ElementTree.Element, text: str | None, where: str) -> Mention:
    name, title = annotation.findtext("mention") or "", (annotation.findtext("wikiName") or "").strip()
    if not name.strip():
        raise DocumentError(f"{where} has no text; expected <mention> with the name")
    gold = () if title in ("", "NIL") else tuple(dict.fromkeys((title, dbpedia_iri(title))))
    start = None if text is None else _place(name, text, _offset(annotation, where))
    if start is None:
        return Mention(name, gold=gold)
    return Mention(name, start, start + len(name), gold=gold)


def _offset(annotation: ElementTree.Element, where: str) -> int | None:
    offset = (annotation.findtext("offset") or "").strip()
    if not offset:
        return None
    try:
        return int(offset)
    except ValueError:
        raise DocumentError(f"{where} has the offset {offset!r}; expected a whole number") from None


def _place(name: str, text: str, offset: int | None) -> int | None:
    """Where the mention begins: the place nearest to the offset that has its text."""
    if offset is None:
        return None
    near = sorted(range(max(0, offset - _NEAR), offset + _NEAR + 1), key=lambda place: abs(place - offset))
    return next((place for place in near if text.startswith(name, place)), None)

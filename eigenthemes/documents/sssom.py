"""Links of table cells as a set of SSSOM mappings (Simple Standard for Sharing Ontology Mappings, version 1.0), as TSV.

A mapping gives the entity of a distinct text of a column. Its subject is a literal: the text of the cell, with the name of the
column as its category. A text with different entities in different cells has a mapping to each.
The standard's canonical form is sorted, so the same links give the same bytes.
"""

from __future__ import annotations

import csv
import hashlib
import io
import re
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from urllib.parse import quote

Names = Sequence[str | None]
Numbers = Sequence[float | None]
COMPOSITE, LEXICAL = "semapv:CompositeMatching", "semapv:LexicalMatching"
NO_LICENSE = "https://w3id.org/sssom/license/unspecified"  # written by the standard's own tools if there is none
COLUMNS = (
    "subject_label", "subject_category", "predicate_id", "object_id", "object_label", "mapping_justification", "confidence",
    "comment",
)  # fmt: skip

_IRI = re.compile(r"https?://\S+$|urn:\S+$")
_CURIE = re.compile(r"([A-Za-z_][\w.-]*):(\S+)$")
_OBO = re.compile(r"(http://purl\.obolibrary\.org/obo/([A-Za-z]+)_)(.+)$")
_KNOWN = {
    "http://www.wikidata.org/entity/": "wikidata",
    "https://www.geonames.org/": "geonames",
    "http://dbpedia.org/resource/": "dbr",
}
_ALWAYS = COLUMNS.index("confidence")  # columns that every set has
_LOCAL = "-._~!$&'()*+,;=:@/"  # letters of a reference that need no escape


@dataclass(slots=True)
class Mapped:
    """A mapping: label of its entity, number of cells, and the highest probability, -1 for none."""

    label: str
    cells: int = 0
    confidence: float = -1.0


@dataclass(slots=True)
class MappingSet:
    """The mappings of a table.

    kb             name of the KB, for ids that are no IRIs
    justification  COMPOSITE for links by context, LEXICAL for links by names alone
    """

    kb: str
    title: str
    tool_version: str
    justification: str = COMPOSITE
    found: dict[tuple[str, str], dict[str, Mapped]] = field(default_factory=dict)

    def add_column(self, column: str, texts: Sequence[str], entities: Names, labels: Names, probabilities: Numbers) -> None:
        """Add the links of the cells of a column; the highest probability of a text and an entity is the confidence."""
        for text, entity, label, probability in zip(texts, entities, labels, probabilities, strict=True):
            if entity is not None:
                mapped = self.found.setdefault((column, text), {}).setdefault(entity, Mapped(label or ""))
                mapped.cells += 1
                mapped.confidence = max(mapped.confidence, -1.0 if probability is None else probability)

    def to_bytes(self) -> bytes:
        """Return the file."""
        prefixes = Prefixes(self.kb)
        rows = sorted(row for key, meant in self.found.items() for row in self._rows(prefixes, key, meant))
        used = [number for number in range(len(COLUMNS)) if number < _ALWAYS or any(row[number] for row in rows)]
        text = io.StringIO(newline="")
        csv.writer(text, delimiter="\t", lineterminator="\n").writerows(
            [row[number] for number in used] for row in (COLUMNS, *rows)
        )
        block = text.getvalue()
        return ("".join(f"#{line}\n" for line in self._metadata(prefixes, block)) + block).encode()

    def _rows(self, prefixes: Prefixes, key: tuple[str, str], meant: dict[str, Mapped]) -> Iterator[tuple[str, ...]]:
        column, text = key
        cells = sum(mapped.cells for mapped in meant.values())
        for entity, mapped in meant.items():
            number = f"{mapped.confidence:.3f}".rstrip("0").rstrip(".") if mapped.confidence >= 0 else ""
            comment = f"{mapped.cells} of the {cells} linked cells with this text" if len(meant) > 1 else ""
            curie = prefixes.curie(entity)
            yield text, column, "skos:exactMatch", curie, mapped.label, self.justification, number, comment

    def _metadata(self, prefixes: Prefixes, block: str) -> list[str]:
        identity = uuid.uuid5(uuid.NAMESPACE_URL, hashlib.sha256(block.encode()).hexdigest())
        known = [f"  {prefix}: {_yaml(iri)}" for iri, prefix in sorted(prefixes.known.items(), key=itemgetter(1))]
        return [
            *(["curie_map:", *known] if known else []),
            f"mapping_set_id: urn:uuid:{identity}",
            f"mapping_set_title: {_yaml(self.title)}",
            f"license: {NO_LICENSE}",
            "subject_type: rdfs literal",
            "mapping_tool: eigenthemes",
            f"mapping_tool_version: {_yaml(self.tool_version)}",
        ]


class Prefixes:
    """Converts entity ids to CURIEs, and collects their prefixes."""

    def __init__(self, kb: str) -> None:
        self.known: dict[str, str] = {}  # namespace -> its prefix
        self._own = f"urn:eigenthemes:{quote(kb, safe='')}:"

    def curie(self, id: str) -> str:
        """Return an id as a CURIE: an IRI is split, a CURIE stays, other ids get the prefix of the KB."""
        if _IRI.match(id):
            known = _OBO.match(id)
            space, local = (known[1], known[3]) if known else _split(id)
            wanted = known[2] if known else _KNOWN.get(space, "")
            return f"{self._prefix(space, wanted)}:{quote(local, safe=_LOCAL + '%')}"
        given = _CURIE.match(id)
        if given:
            return f"{self._prefix(f'https://bioregistry.io/{given[1]}:', given[1])}:{quote(given[2], safe=_LOCAL + '%')}"
        return f"{self._prefix(self._own, 'kb')}:{quote(id, safe=_LOCAL)}"

    def _prefix(self, space: str, wanted: str) -> str:
        if space not in self.known:
            prefix, number = wanted or "ns1", 1
            while prefix in self.known.values():
                number += 1
                prefix = f"{wanted or 'ns'}{number}"
            self.known[space] = prefix
        return self.known[space]


def _split(iri: str) -> tuple[str, str]:
    """Split an IRI behind its last # or /, or : where it has none."""
    at = max(iri.rfind("#"), iri.rfind("/"))
    at = at if at > len("https://") else iri.rfind(":")
    return (iri[: at + 1], iri[at + 1 :]) if iri[at + 1 :] else (iri, "")


def _yaml(text: str) -> str:
    """Return a text as a YAML scalar, quoted if necessary."""
    if re.fullmatch(r"[A-Za-z][\w./#-]*(?::[\w./#-]+)*[/#:_]?(?: [\w./-]+)*", text, re.ASCII) and not text.endswith(":"):
        return text
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\t", "\\t") + '"'

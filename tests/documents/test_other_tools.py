"""What other tools write, we read, and the other way round: the packages bioc (BioC, PubTator) and pynif."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from helpers.format_files import COLLECTION, LIDOCAINE, RUNNER
from helpers.gold_files import write
from helpers.linked import link_of

from eigenthemes.documents.bioc import bioc_of, collection_of
from eigenthemes.documents.nif import HEAD, nif_of
from eigenthemes.documents.pubtator import pubtator_of
from eigenthemes.documents.reader import read_gold
from eigenthemes.records import Document, LinkedDocument, Mention

FOX = Document(id="1", text="A fox 🦊 in Rome.\nAnd in Paris.", mentions=(Mention("Rome", 11, 15), Mention("Paris", 24, 29)))
LINKED = LinkedDocument(FOX, tuple(link_of(mention, f"Q{mention.start}") for mention in FOX.mentions or ()))


def needed(name: str) -> Any:
    return pytest.importorskip(name, reason=f"the package {name} is not installed; it is no dependency of ours")


def test_bioc_both_ways(tmp_path: Path) -> None:
    bioc = needed("bioc.biocjson")
    (ours,) = read_gold(write(tmp_path, "a.json", json.dumps(COLLECTION)))
    links = tuple(link_of(mention, f"Q{mention.start}") for mention in ours.mentions or ())
    whole = {**collection_of(ours), "documents": [*map(json.loads, (bioc_of(LINKED), bioc_of(LinkedDocument(ours, links))))]}
    collection = bioc.loads(json.dumps(whole))
    annotations = [each for passage in collection.documents[0].passages for each in passage.annotations]
    assert [(each.text, each.total_span.offset, each.total_span.length) for each in annotations] == [
        ("Rome", 11, 4),
        ("Paris", 24, 5),
    ]
    fox, again = read_gold(write(tmp_path, "b.json", bioc.dumps(collection)))
    for document, expected, linked in ((fox, FOX, LINKED.links), (again, ours, links)):
        assert (document.id, document.text) == (expected.id, expected.text)
        assert [(each.text, each.start, each.gold) for each in document.mentions or ()] == [
            (link.mention.text, link.mention.start, (link.entity,)) for link in linked
        ]


def test_pubtator_both_ways(tmp_path: Path) -> None:
    pubtator = needed("bioc.pubtator")
    (document,) = pubtator.loads(pubtator_of(LINKED, 1).decode())
    assert [(each.text, each.start, each.end, each.id) for each in document.annotations] == [
        ("Rome", 11, 15, "Q11"),
        ("Paris", 24, 29, "Q24"),
    ]
    written = pubtator.dumps(pubtator.loads(LIDOCAINE))
    (ours,), (theirs,) = read_gold(write(tmp_path, "a.txt", LIDOCAINE)), read_gold(write(tmp_path, "b.txt", written))
    assert (theirs.text, theirs.mentions) == (ours.text, ours.mentions)


def test_nif_both_ways(tmp_path: Path) -> None:
    pynif = needed("pynif")
    (context,) = pynif.NIFCollection.loads((HEAD + nif_of(LINKED, 1)).decode(), format="turtle").contexts
    assert context.mention == FOX.text
    assert sorted((each.beginIndex, each.endIndex, each.mention) for each in context.phrases) == [
        (11, 15, "Rome"),
        (24, 29, "Paris"),
    ]
    (ours,) = read_gold(write(tmp_path, "a.ttl", RUNNER))
    collection = pynif.NIFCollection(uri="http://example.org/all")
    made = collection.add_context(uri="http://example.org/runner", mention=ours.text)
    for mention in ours.mentions or ():
        made.add_phrase(beginIndex=mention.start, endIndex=mention.end, taIdentRef=mention.gold[0] if mention.gold else None)
    (theirs,) = read_gold(write(tmp_path, "b.ttl", collection.dumps(format="turtle")))
    spans = [[(each.text, each.start, each.end) for each in found.mentions or ()] for found in (ours, theirs)]
    assert (theirs.text, spans[1]) == (ours.text, spans[0])

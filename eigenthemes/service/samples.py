"""Texts to try a KB on: those of the demos whose names it knows, else some made of its own entities."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import TypedDict

import numpy as np

from eigenthemes.kb.store import KB
from eigenthemes.kg.demo import DOCUMENTS
from eigenthemes.linker import Linker

SAMPLES = 3
_KNOWN = 0.8  # of a demo text's names that a KB must link
_FEWEST = 4  # links, or a text shows nothing
_HUBS = 400  # popular entities that are looked at
_NEIGHBORS = 60  # of each
_NAMED = 5  # neighbours that a made-up text names
_DESCRIBED = 300  # letters of a description in a made-up text
_SHORTEST, _LONGEST = 3, 40  # letters of a name in a made-up text
_CAPITALIZED = re.compile(r"(?<=[a-z,] )[A-Z]\w+")  # names in an English text that does not say what its names are


class Sample(TypedDict):
    """A text to try, and what to call it."""

    title: str
    text: str


def samples_of(linker: Linker) -> list[Sample]:
    """Return up to three texts with names that the KB knows."""
    known = sorted(_known_texts(linker), key=lambda pair: -pair[0])
    texts = (sample for _, sample in known), (each for each in _made_up(linker.kb) if _links(linker, each["text"]) >= _FEWEST)
    return list(islice(chain(*texts), SAMPLES))


def _links(linker: Linker, text: str) -> int:
    return sum(link.entity is not None for link in linker.link(text).links)


def _known_texts(linker: Linker) -> Iterator[tuple[float, Sample]]:
    """Yield the texts of the demos that the KB knows, with the share of their names that it links."""
    for path in DOCUMENTS.values():
        for line in path.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            names = {mention["text"] for mention in record.get("mentions", ())} or set(_CAPITALIZED.findall(record["text"]))
            linked = {link.mention.text for link in linker.link(record["text"]).links if link.entity is not None}
            known = len(names & linked) / len(names)
            if len(names & linked) >= _FEWEST and known >= _KNOWN:
                yield known, {"title": str(record["id"]).replace("-", " ").capitalize(), "text": record["text"]}


def _made_up(kb: KB) -> Iterator[Sample]:
    """Yield texts about popular entities: their description, and some neighbours; each name in one of them only."""
    popular = np.argsort(-np.where(kb.linkable, kb.prior, -np.inf), kind="stable")[:_HUBS].tolist()
    used: set[str] = set()
    for index in popular:
        hub, description = kb.label_of(index), kb.description_of(index)
        if not _usable(hub) or hub in used:
            continue
        labels = dict.fromkeys(each.label for each in kb.neighbors(kb.id_of(index), limit=_NEIGHBORS))
        named = [label for label in labels if _usable(label) and label not in used and label != hub][:_NAMED]
        if len(named) == _NAMED:
            used.update((hub, *named))
            about = f"{hub}: {description.rstrip('. ')}" if 0 < len(description) <= _DESCRIBED else hub
            yield {"title": hub, "text": f"{about}. {', '.join(named)}."}


def _usable(label: str) -> bool:
    """Return whether a label is short, has letters, and nothing that would end a sentence."""
    return _SHORTEST <= len(label) <= _LONGEST and label[0].isalnum() and not set(label) & set(";,.:()[]{}<>|/\\\n")

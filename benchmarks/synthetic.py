"""A synthetic Wikidata-like dump in N-Triples, and mentions drawn from it: python -m benchmarks.synthetic 100000 out.nt.gz

Made-up words with Zipf frequencies, a vocabulary that grows with the KG, persons who share first and last names, aliases,
descriptions, types, and edges whose in-degrees follow a power law. The same size and seed give the same bytes.

What a look-up costs depends on how common the words of a name are, so the words were fitted to the real KGs: 0.4 to 0.5 tokens
per name at every size, more than half of them of one entity only, "of" in a tenth of the names. Entities that have the rarest
word of a name, at the quantiles 50, 75, 90, 95, 99%: 3, 14, 53, 101, 330 in the general KG (147,000 named entities); here 2, 8,
40, 98, 335 for 100,000 entities and 3, 10, 60, 183, 769 for 300,000.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from math import gcd
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB

Ints = NDArray[np.int64]

ENTITY = "http://www.wikidata.org/entity/Q"
DIRECT = "http://www.wikidata.org/prop/direct/P"
LABEL = "<http://www.w3.org/2000/01/rdf-schema#label>"
ALIAS = "<http://www.w3.org/2004/02/skos/core#altLabel>"
DESCRIPTION = "<http://schema.org/description>"

RELATIONS, TYPES = 40, 200
PERSONS, BRACKETED, DESCRIBED = 0.3, 0.05, 1 / 3  # shares of the entities
ALIASES = (0.4, 0.3, 0.2, 0.1)  # shares of entities with 0, 1, 2, 3 aliases
WORDS = (0.2, 0.42, 0.28, 0.1)  # shares of names with 1, 2, 3, 4 words
JOINED, JOINTS = 0.4, ("of", "the", "in", "and", "for", "de")  # share of names of 3 and 4 words with one of these second
_CHUNK = 20_000  # entities written at a time
_ONSETS = "b br c ch d dr f fl g gr h j k kr l m n p pr qu r s sh st t th tr v w z".split()
_VOWELS = "a e i o u a e i o ai ea ou".split()
_CODAS = ("", "", "", "", "l", "m", "n", "n", "r", "r", "s", "t", "nd", "ck")


@dataclass(frozen=True)
class Vocabulary:
    """The words of a dump and how often each is drawn (cumulative shares)."""

    words: NDArray[np.object_]
    first_names: NDArray[np.object_]
    last_names: NDArray[np.object_]
    word_shares: NDArray[np.float64]
    first_shares: NDArray[np.float64]
    last_shares: NDArray[np.float64]


def write_dump(entities: int, out: str | Path, *, seed: int = 1) -> None:
    """Write the dump of a KG of `entities` entities, compressed."""
    rng = np.random.default_rng(seed)
    vocabulary = make_vocabulary(entities, rng)
    with open(out, "wb") as raw, gzip.GzipFile("", "wb", compresslevel=1, fileobj=raw, mtime=0) as compressed:
        for first in range(0, entities, _CHUNK):
            lines = _chunk(first, min(first + _CHUNK, entities), entities, vocabulary, rng)
            compressed.write("".join(lines).encode())


def make_vocabulary(entities: int, rng: np.random.Generator) -> Vocabulary:
    """Words for a KG of this size: most are so rare that few are ever drawn twice."""
    common, first, last = int(1.5 * entities), int(40 * entities**0.35), int(3 * entities**0.85)
    words = make_words(common + first + last, rng)
    capital = np.array([word.capitalize() for word in words], dtype=object)
    return Vocabulary(
        capital[:common],
        capital[common : common + first],
        capital[common + first :],
        _zipf(common, 1.0, 30),
        _zipf(first, 0.9, 3),
        _zipf(last, 0.8, 3),
    )


def make_words(count: int, rng: np.random.Generator) -> list[str]:
    """Distinct words one can pronounce, of 1 to 4 syllables."""
    syllables = np.array([onset + vowel + coda for onset in _ONSETS for vowel in _VOWELS for coda in _CODAS], dtype=object)
    words: dict[str, None] = {}
    while len(words) < count:
        lengths = rng.choice(4, size=count, p=(0.02, 0.2, 0.48, 0.3)) + 1
        drawn = syllables[rng.integers(len(syllables), size=(count, 4))].tolist()
        for row, length in zip(drawn, lengths.tolist(), strict=True):
            words["".join(row[:length])] = None
    return list(words)[:count]


def draw_mentions(kb: KB, count: int, *, seed: int = 1) -> list[str]:
    """Mentions of the entities of a KB: whole labels and aliases, some of their words, misspelt and unknown ones.

    Half of them are drawn evenly, half in favour of high priors, as texts do.
    """
    rng = np.random.default_rng(seed)
    indptr = kb.array("entity_names")
    named = np.flatnonzero(np.diff(indptr) > 0)
    skew = np.where(rng.random(count) < 0.5, 1.0, 3.0)
    entity = named[(rng.random(count) ** skew * len(named)).astype(np.int64)]
    kind = rng.choice(5, size=count, p=(0.55, 0.2, 0.18, 0.04, 0.03))
    row = indptr[entity] + np.where(kind == 1, (rng.random(count) * (indptr[entity + 1] - indptr[entity])).astype(np.int64), 0)
    unknown = iter(make_words(int((kind == 4).sum()) + 1, rng))
    mentions = []
    for name, change in zip((kb.names[r] for r in row.tolist()), kind.tolist(), strict=True):
        if change == 2:
            name = _some_words(name, rng)
        elif change == 3:
            name = _misspelt(name, rng)
        elif change == 4:
            name = f"{next(unknown)}{next(iter(name.split()))}"
        mentions.append(name)
    return mentions


def _chunk(first: int, last: int, entities: int, vocabulary: Vocabulary, rng: np.random.Generator) -> Iterator[str]:
    count = last - first
    labels, person = _names(count, vocabulary, rng), (rng.random(count) < PERSONS).tolist()
    persons = _persons(count, vocabulary, rng)
    aliases = _names(2 * count, vocabulary, rng)
    alias_counts = rng.choice(4, size=count, p=ALIASES).tolist()
    described = (rng.random(count) < DESCRIBED).tolist()
    types = _draw(_zipf(TYPES, 1.0, 3), count, rng).tolist()
    degrees = np.minimum(rng.zipf(2.2, size=count) + rng.integers(0, 5, size=count), 200)
    ends = np.cumsum(degrees)
    targets = _targets(int(ends[-1]), entities, rng).tolist()
    relations = _draw(_zipf(RELATIONS, 1.0, 3), len(targets), rng).tolist()
    bounds = [0, *ends.tolist()]
    for i in range(count):
        subject = f"<{ENTITY}{first + i + 1}> "
        label = persons[i] if person[i] else labels[i]
        yield f'{subject}{LABEL} "{label}"@en .\n'
        for a in range(alias_counts[i]):
            yield f'{subject}{ALIAS} "{_alias(label, person[i], a, aliases[2 * i + a % 2])}"@en .\n'
        if described[i]:
            yield f'{subject}{DESCRIPTION} "{aliases[2 * i].lower()} of {aliases[2 * i + 1]}"@en .\n'
        yield f"{subject}<{DIRECT}31> <{ENTITY}{entities + types[i] + 1}> .\n"
        for e in range(bounds[i], bounds[i + 1]):
            yield f"{subject}<{DIRECT}{relations[e] + 101}> <{ENTITY}{targets[e] + 1}> .\n"


def _names(count: int, vocabulary: Vocabulary, rng: np.random.Generator) -> list[str]:
    """Names of things: of one rare word, or of several words."""
    lengths = rng.choice(4, size=count, p=WORDS) + 1
    rows = _draw(vocabulary.word_shares, (count, 4), rng)
    rows[lengths == 1, 0] = rng.integers(len(vocabulary.words), size=int((lengths == 1).sum()))
    words = vocabulary.words[rows]
    joined = (lengths > 2) & (rng.random(count) < JOINED)
    joints = np.array(JOINTS, dtype=object)
    words[joined, 1] = joints[_draw(_zipf(len(JOINTS), 1.0, 1), int(joined.sum()), rng)]
    names = [" ".join(of_name[:length]) for of_name, length in zip(words.tolist(), lengths.tolist(), strict=True)]
    for i in np.flatnonzero(rng.random(count) < BRACKETED).tolist():
        names[i] += f" ({words[i, 3].lower()})"
    return names


def _persons(count: int, vocabulary: Vocabulary, rng: np.random.Generator) -> list[str]:
    firsts = vocabulary.first_names[_draw(vocabulary.first_shares, count, rng)].tolist()
    lasts = vocabulary.last_names[_draw(vocabulary.last_shares, count, rng)].tolist()
    return [f"{first} {last}" for first, last in zip(firsts, lasts, strict=True)]


def _alias(label: str, person: bool, number: int, other: str) -> str:
    """The first alias varies the label (an initial, or without its last word); the others are names of their own."""
    if number:
        return other
    if person:
        return f"{label[0]}. {label.partition(' ')[2]}"
    return label.rpartition(" ")[0] if label.count(" ") > 1 else other


def _targets(count: int, entities: int, rng: np.random.Generator) -> Ints:
    """Ends of edges: in-degree falls with rank^(-2/3); the popular entities are spread over the file."""
    rank = (entities * rng.random(count) ** 3).astype(np.int64)
    step = int(entities * 0.618) | 1
    while gcd(step, entities) != 1:
        step += 2
    return rank * step % entities


def _zipf(count: int, exponent: float, offset: float) -> NDArray[np.float64]:
    """Cumulative shares of a Zipf-Mandelbrot law."""
    shares = np.cumsum((np.arange(count, dtype=np.float64) + offset) ** -exponent)
    shares /= shares[-1]
    return shares


def _draw(shares: NDArray[np.float64], size: int | tuple[int, ...], rng: np.random.Generator) -> Ints:
    return np.searchsorted(shares, rng.random(size)).clip(max=len(shares) - 1)


def _some_words(name: str, rng: np.random.Generator) -> str:
    words = name.split()
    kept = rng.permutation(len(words))[: max(1, len(words) - 1)]
    return " ".join(words[i] for i in sorted(kept.tolist()))


def _misspelt(name: str, rng: np.random.Generator) -> str:
    """One letter left out, doubled, or changed for another."""
    at = int(rng.integers(len(name)))
    return name[:at] + ("", 2 * name[at], "x")[int(rng.integers(3))] + name[at + 1 :]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("entities", type=int, help="size of the KG")
    parser.add_argument("out", metavar="OUT.nt.gz", help="the file to write")
    arguments = parser.parse_args()
    write_dump(arguments.entities, arguments.out)


if __name__ == "__main__":
    main()

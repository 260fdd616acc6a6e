"""Small KGs for tests of names in other forms: companies and persons, and concepts in English and German."""

from __future__ import annotations

from itertools import islice, product
from pathlib import Path

from eigenthemes import KB, build_kb

COMPANIES = [
    "Netflix, Inc.", "Procter & Gamble Company", "Siemens AG", "Vodafone Group plc", "Walgreens Boots Alliance, Inc.",
    "Deutsche Lufthansa AG", "Palantir Technologies Inc.", "Honeywell International Inc.", "Bristol-Myers Squibb Company",
    "Nestlé S.A.", "Johnson Controls plc", "Starbucks Corporation",
]  # fmt: skip
PERSONS = [
    "Maria Cantwell", "Nigel Farage", "John Baldacci", "Elizabeth Warrington", "Michael Heseltine", "Susan Collingwood",
    "Robert Menendez", "Anna Soubrette", "David Lammington", "Helen Whately", "Thomas Tugendhat", "Karen Buckminster",
]  # fmt: skip
PLACES = [
    "Baker", "Springfield", "Harrisburg", "Nottingham", "Wolverhampton", "Düsseldorf", "Saint-Étienne", "Kingston upon Hull",
]  # fmt: skip
CONCEPTS = [
    ("issuer", "Emittent"), ("wage", "Lohn"), ("supply chain", "Lieferkette"), ("mortgage", "Hypothek"),
    ("savings bank", "Sparkasse"), ("public administration", "öffentliche Verwaltung"), ("monetary policy", "Geldpolitik"),
    ("exchange rate", "Wechselkurs"), ("craft trade", "Handwerk"), ("subsidy", "Subvention"),
    ("environmental pollution", "Umweltverschmutzung"), ("labour market", "Arbeitsmarkt"), ("inflation", "Inflation"),
    ("consumer behaviour", "Konsumentenverhalten"), ("foreign trade", "Außenhandel"), ("unemployment", "Arbeitslosigkeit"),
]  # fmt: skip

_PREFIXES = """@prefix : <http://x.org/> . @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix skos: <http://www.w3.org/2004/02/skos/core#> .
"""


def build_proper_names(folder: Path, *, train: bool, others: int = 0) -> KB:
    """Build a KB of companies, persons and towns, with so many more companies, which make Inc. and Corp. frequent words."""
    syllables = product("bdfgklmn", "aeiou", "lmnrst", "aeiou", "xzvp")
    words = ["".join(each).title() for each in islice(syllables, others)]
    more = [f"{word} {'Inc.' if number % 2 else 'Corp.'}" for number, word in enumerate(words)]
    lines = [_PREFIXES]
    for kind, names in (("Company", COMPANIES + more), ("Person", PERSONS), ("Town", PLACES)):
        for number, name in enumerate(names):
            near = f":Town{number % len(PLACES)}, :{kind}{(number + 1) % len(names)}"
            lines.append(f':{kind}{number} a :{kind} ; rdfs:label "{name}" ; :near {near} .\n')
    return _build(folder, lines, train)


def build_concepts(folder: Path, *, train: bool) -> KB:
    """Build a KB of concepts, each with an English and a German name."""
    lines = [_PREFIXES]
    for number, (english, german) in enumerate(CONCEPTS):
        others = f":C{(number + 1) % len(CONCEPTS)}, :C{(number + 5) % len(CONCEPTS)}"
        lines.append(f':C{number} a skos:Concept ; skos:prefLabel "{english}"@en, "{german}"@de ; skos:related {others} .\n')
    return _build(folder, lines, train)


def _build(folder: Path, lines: list[str], train: bool) -> KB:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "kg.ttl").write_text("".join(lines), encoding="utf-8")
    return build_kb([folder / "kg.ttl"], folder / "my.kb", train=train)

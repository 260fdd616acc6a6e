"""Small KGs of cities and countries: with persons who are called like cities, or with two cities of one name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from eigenthemes import KB
from eigenthemes.records import Table
from helpers.files import write_jsonl
from helpers.kbs import build_untrained, train_quickly

CITIES = ("Avon", "Bern", "Cork", "Dover", "Essen", "Fargo", "Ghent", "Hanoi", "Izmir", "Jena", "Kyoto", "Lyon")
COUNTRIES = ("Arcadia", "Borduria", "Carpania")
NAMESAKES = CITIES[::2]  # of these there is a person, too, who is better known


def country_of(city: str) -> str:
    return COUNTRIES[CITIES.index(city) % 3]


def build_cities(folder: Path) -> KB:
    """Build the KB with a quickly trained ranker."""
    nodes: list[dict[str, Any]] = [{"id": f"c-{name}", "name": name, "types": ["City"]} for name in CITIES]
    nodes += [{"id": f"p-{name}", "name": name, "types": ["Person"]} for name in NAMESAKES]
    nodes += [{"id": f"s-{name}", "name": name, "types": ["Country"]} for name in COUNTRIES]
    nodes += [{"id": f"f-{number}", "name": f"Fan {number}", "types": ["Person"]} for number in range(8)]
    edges = [{"source": f"c-{name}", "target": f"s-{country_of(name)}", "relation": "located in"} for name in CITIES]
    edges += [{"source": f"p-{name}", "target": f"f-{n}", "relation": "knows"} for name in NAMESAKES for n in range(8)]
    folder.mkdir(parents=True, exist_ok=True)
    sources = [write_jsonl(folder / "nodes.jsonl", nodes), write_jsonl(folder / "edges.jsonl", edges)]
    return train_quickly(build_untrained(sources, folder / "cities.kb", dimensions=8))


def city_table(many: int = 10) -> Table:
    return Table(("city", "country"), tuple((name, country_of(name)) for name in CITIES[:many]))


TWIN = CITIES[0]  # a better known one is in another country


def build_twins(folder: Path) -> KB:
    """Build a KB of cities in countries, two cities with the same name, and train a ranker quickly."""
    nodes: list[dict[str, Any]] = [{"id": f"c-{name}", "name": name, "types": ["City"]} for name in CITIES]
    nodes += [{"id": "c-twin", "name": TWIN, "types": ["City"]}]
    nodes += [{"id": f"s-{name}", "name": name, "types": ["Country"]} for name in COUNTRIES]
    nodes += [{"id": f"f-{number}", "name": f"Fan {number}", "types": ["Person"]} for number in range(8)]
    edges = [{"source": f"c-{name}", "target": f"s-{country_of(name)}", "relation": "located in"} for name in CITIES]
    edges += [{"source": "c-twin", "target": f"s-{COUNTRIES[1]}", "relation": "located in"}]
    edges += [{"source": "c-twin", "target": f"f-{number}", "relation": "home of"} for number in range(8)]
    folder.mkdir(parents=True, exist_ok=True)
    sources = [write_jsonl(folder / "nodes.jsonl", nodes), write_jsonl(folder / "edges.jsonl", edges)]
    return train_quickly(build_untrained(sources, folder / "twins.kb", dimensions=8))

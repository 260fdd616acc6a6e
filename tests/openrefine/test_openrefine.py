"""OpenRefine itself: a spreadsheet of 2,000 place names is reconciled with the places KB, and extended by a column.

`make test-openrefine` runs it; it takes some minutes, most of them for building the KB.
"""

from __future__ import annotations

import csv
import gzip
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from helpers.openrefine import OpenRefine

pytestmark = [pytest.mark.openrefine, pytest.mark.slow]

ROWS = 2_000
LEAST_PEOPLE = 15_000  # of a place in the spreadsheet: smaller ones are mostly namesakes of each other


class Places:
    """The places as the sources have them: what is right is known without the KB."""

    def __init__(self, nodes: Path, edges: Path) -> None:
        with gzip.open(nodes, "rt", encoding="utf-8", newline="") as lines:
            self.nodes = {row["id"]: row for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)}
        self.wholes: dict[str, set[str]] = {}
        with gzip.open(edges, "rt", encoding="utf-8", newline="") as lines:
            for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["relation"] == "part_of":
                    self.wholes.setdefault(row["source"], set()).add(row["target"])

    def region(self, place: str) -> str:
        """Return the name of the first-order division that a place is in."""
        regions = [self.nodes[each]["name"] for each in self.wholes.get(place, ()) if self.nodes[each]["type"] == "admin1"]
        return next(iter(regions), "")

    def sample(self) -> list[str]:
        """Return the ids of places of some size, each in a region."""
        towns = [
            each["id"]
            for each in self.nodes.values()
            if each["type"].startswith("PPL") and float(each["prior"] or 0) > LEAST_PEOPLE and self.region(each["id"])
        ]
        return random.Random(16).sample(towns, ROWS)


@pytest.fixture(scope="module")
def places(real_data: Callable[[str], Path]) -> Places:
    return Places(real_data("places/nodes.tsv.gz"), real_data("places/edges.tsv.gz"))


@pytest.fixture(scope="module")
def spreadsheet(places: Places, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two columns that somebody may have, and the ids that nobody has."""
    path = tmp_path_factory.mktemp("spreadsheet") / "places.csv"
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["place", "region", "id"])
        writer.writerows([places.nodes[each]["name"], places.region(each), each] for each in places.sample())
    return path


def matched(rows: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Return (id it was matched with, right id) of each row that was matched."""
    return [
        (row["place"]["r"]["m"]["id"], row["id"]["v"])
        for row in rows
        if "r" in row["place"] and row["place"]["r"].get("j") == "matched"
    ]


def right(pairs: list[tuple[str, str]]) -> int:
    return sum(found == known for found, known in pairs)


@pytest.fixture(scope="module")
def manifest(service: str) -> dict[str, Any]:
    record: dict[str, Any] = httpx.get(service, trust_env=False).json()
    return record


@pytest.fixture(scope="module")
def project(refine: OpenRefine, spreadsheet: Path) -> str:
    return refine.create_project(spreadsheet)


def test_the_types_of_a_column_are_guessed(refine: OpenRefine, project: str, service: str) -> None:
    guessed = refine.guess_types(project, "place", service)

    assert guessed[0]["id"].startswith("PPL")
    assert guessed[0]["name"].startswith("PPL")


def test_a_column_is_reconciled_and_better_with_another_one_beside_it(
    refine: OpenRefine, project: str, manifest: dict[str, Any], service: str
) -> None:
    alone = refine.reconcile(project, "place", manifest, service)
    by_name = matched(refine.rows(project))
    details = [{"column": "region", "property": {"id": "part_of", "name": "part of"}}]
    beside = refine.reconcile(project, "place", manifest, service, columnDetails=details)
    rows = refine.rows(project)
    by_region = matched(rows)

    print(f"\nOpenRefine, {ROWS:,} rows: {alone:.1f} s by name alone, {len(by_name):,} matched, {right(by_name):,} right;")
    print(f"{beside:.1f} s with the region of each row, {len(by_region):,} matched, {right(by_region):,} right")
    assert len(rows) == ROWS
    assert len(by_name) > ROWS * 0.7
    assert right(by_name) > len(by_name) * 0.9
    assert right(by_region) > max(right(by_name), ROWS * 0.85)  # the region tells namesakes apart
    assert right(by_region) > len(by_region) * 0.95


def test_matched_rows_are_extended_by_a_relation(
    refine: OpenRefine, project: str, manifest: dict[str, Any], service: str, places: Places
) -> None:
    rows = refine.rows(project)
    few = [number for number, row in enumerate(rows) if row["place"].get("r", {}).get("j") == "matched"][:5]
    assert few, "nothing was reconciled before"
    properties = [{"id": "part_of", "name": "part of", "settings": {"limit": "1"}}]
    preview = refine.preview_extension(project, "place", few, properties)
    assert preview["columns"] == [{"name": "part of", "id": "part_of", "expectedType": None}]
    for number, row in zip(few, preview["rows"], strict=True):
        assert row[1]["id"] in places.wholes[rows[number]["place"]["r"]["m"]["id"]]

    seconds = refine.extend(project, "place", manifest, service, properties)
    extended = refine.rows(project)
    found = {
        row["place"]["r"]["m"]["id"]: row["part of"]["r"]["m"]["id"] for row in extended if row["part of"]["v"] is not None
    }
    print(f"\nOpenRefine, {len(found):,} matched rows extended by a column in {seconds:.1f} s")
    assert len(extended) == ROWS
    assert len(found) > 0.95 * len({place for place, _ in matched(extended)})
    assert all(whole in places.wholes[place] for place, whole in found.items())


def test_a_type_that_is_chosen_is_what_is_matched(
    refine: OpenRefine, manifest: dict[str, Any], service: str, tmp_path: Path
) -> None:
    csv_file = tmp_path / "states.csv"
    csv_file.write_text("place\nGeorgia\nTexas\nIowa\nOhio\nUtah\nOregon\nAlabama\nMaine\nNevada\n", encoding="utf-8")
    project = refine.create_project(csv_file)
    refine.reconcile(project, "place", manifest, service, type={"id": "admin1", "name": "admin1"})

    cells = [row["place"]["r"] for row in refine.rows(project)]
    assert [cell["m"]["types"] for cell in cells if cell.get("j") == "matched"] == [["admin1"]] * 9


def test_what_its_page_asks_in_the_browser_is_answered_with_the_token(service: str) -> None:
    """The dialogs ask these themselves: URLs are put together as the scripts of OpenRefine 3.6 do."""
    page = {"Origin": "http://127.0.0.1:3333"}
    with httpx.Client(headers=page, trust_env=False) as browser:
        manifest = browser.get(service).json()
        suggest = manifest["suggest"]
        url = suggest["entity"]["service_url"] + suggest["entity"]["service_path"]
        found = browser.get(f"{url}&prefix=Pari").json()["result"]
        assert "2988507" in [each["id"] for each in found]
        flyout = suggest["entity"]["flyout_service_url"] + suggest["entity"]["flyout_service_path"].replace("${id}", "2988507")
        assert "Paris" in browser.get(flyout).json()["html"]
        proposals = manifest["extend"]["propose_properties"]
        proposed = browser.get(proposals["service_url"] + proposals["service_path"] + "?type=PPLC").json()
        assert (proposed["type"], proposed["properties"][0]["id"]) == ("PPLC", "part_of")
        preview = browser.get(manifest["preview"]["url"].replace("{{id}}", "2988507"))
        assert "capital" in preview.text
        assert browser.get(service.partition("?")[0]).status_code == 401

"""Speed and quality of reconciliation through the service.

speed     90,000 place names in batches, by a client in Python over loopback, with two workers
quality   columns of T2D and of Wikipedia's tables: P@1 over gold in the KB, and precision, recall and F1 of matches, by
          context

OpenRefine's own time is printed by `make test-openrefine`.
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import local
from typing import Any
from urllib.parse import urlencode

import orjson

from benchmarks.bench_service import Service, running_service
from benchmarks.common import data_folder, parse_arguments, print_table, read_documents, save_results, say, sources
from eigenthemes import KB, build_kb
from eigenthemes.service.reconcile.service_manifest import BATCH_SIZE

ROWS = 90_000
SETS = ("t2d-dev", "wikitables-dev")
# context, rows in a batch, whether the other columns of a row are sent along
WAYS = (
    ("none", BATCH_SIZE, False),
    ("column", 10, False),
    ("column", BATCH_SIZE, False),
    ("row", 10, True),
    ("column", 10, True),
)

Row = dict[str, Any]
Queries = dict[str, dict[str, Any]]


def main() -> None:
    arguments = parse_arguments(__doc__, _add_options)
    results: dict[str, list[Row]] = {}
    for part in arguments.only:
        results[part] = {"speed": measure_speed, "quality": measure_quality}[part](arguments)
        print_table(part, results[part])
    if arguments.write:
        save_results("reconcile", results)


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--only", type=lambda text: text.split(","), default=["speed", "quality"], help="speed,quality")
    parser.add_argument("--places", type=Path, help="a trained KB of the places; default: built once into the cache")
    parser.add_argument("--general", type=Path, help="a trained KB of the general KG; default: built once into the cache")
    parser.add_argument("--rows", type=int, default=ROWS, help="of the measurement of speed")
    parser.add_argument("--batch", type=int, action="append", help="rows in a batch; may be given several times")
    parser.add_argument("--clients", type=int, default=4, help="that send at once")
    parser.add_argument("--workers", type=int, default=2, help="processes of the service")
    parser.add_argument("--tables", type=int, help="most tables of each set")
    parser.add_argument("--write", action="store_true", help="keep the figures in results/reconcile.json")


def trained_kb(name: str, given: Path | None, cache: Path) -> Path:
    """Return a KB with a ranker: the given one, or one that is built into the cache."""
    path = given or cache / f"{name}-trained.kb"
    if not path.exists():
        say(f"building {path}")
        build_kb(sources(name), path, jobs=2)
    return path


class Client:
    """Sends forms to the endpoint, as OpenRefine does; each thread keeps a connection."""

    def __init__(self, service: Service, path: str = "/reconcile") -> None:
        self._service, self._path, self._own = service, path, local()

    def ask(self, queries: Queries, context: str = "column") -> dict[str, Any]:
        """Send a batch, and return the answers."""
        if not hasattr(self._own, "connection"):
            self._own.connection = http.client.HTTPConnection(self._service.host, self._service.port, timeout=60)
        body = urlencode({"queries": json.dumps(queries)})
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        self._own.connection.request("POST", f"{self._path}?context={context}", body, headers)
        response = self._own.connection.getresponse()
        content = response.read()
        if response.status != 200:
            raise RuntimeError(f"{response.status}: {content[:300]!r}")
        answers: dict[str, Any] = orjson.loads(content)
        return answers


# speed


def measure_speed(arguments: argparse.Namespace) -> list[Row]:
    """Send the names of random places."""
    path = trained_kb("places", arguments.places, arguments.cache)
    rows = []
    with KB.open(path) as kb, running_service(path, arguments.workers) as service:
        draw = random.Random(16)
        names = [kb.label_of(draw.randrange(len(kb))) for _ in range(arguments.rows)]
        for size in arguments.batch or [10, BATCH_SIZE]:
            batches = [{f"q{i}": {"query": name} for i, name in enumerate(part)} for part in _parts(names, size)]
            rows.append({"rows": len(names), "batch": size, **_send(Client(service), batches, arguments.clients)})
            say(str(rows[-1]))
    return rows


def _send(client: Client, batches: list[Queries], clients: int) -> Row:
    def timed(batch: Queries) -> tuple[float, int]:
        start = time.perf_counter()
        answers = client.ask(batch)
        return time.perf_counter() - start, sum(bool(answer["result"]) for answer in answers.values())

    start = time.perf_counter()
    with ThreadPoolExecutor(clients) as threads:
        done = list(threads.map(timed, batches))
    seconds = time.perf_counter() - start
    times = sorted(each for each, _ in done)
    return {
        "clients": clients,
        "seconds": round(seconds, 1),
        "rows_per_second": round(sum(map(len, batches)) / seconds),
        "batch_ms_p50": round(1e3 * times[len(times) // 2], 1),
        "batch_ms_p99": round(1e3 * times[int(len(times) * 0.99)], 1),
        "with_candidates": sum(found for _, found in done),
    }


# quality


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell with gold: its text, the ids of which any is right and in the KB, and the other cells of its row."""

    text: str
    gold: frozenset[str]
    others: tuple[tuple[str, str], ...]


def measure_quality(arguments: argparse.Namespace) -> list[Row]:
    """Reconcile the columns of tables, each way."""
    path = trained_kb("general", arguments.general, arguments.cache)
    rows = []
    with KB.open(path) as kb, running_service(path, arguments.workers) as service:
        for name in SETS:
            columns = [column for table in _tables(name, arguments.tables) for column in _columns(table, kb)]
            for context, size, beside in WAYS:
                counts = _reconciled(Client(service), columns, context, size, beside, arguments.clients)
                rows.append({"set": name, "context": context, "batch": size, "with other columns": beside, **_figures(counts)})
                say(str(rows[-1]))
    return rows


def _tables(name: str, most: int | None) -> list[dict[str, Any]]:
    return list(read_documents(data_folder() / "tables" / f"{name}.jsonl.gz"))[:most]


def _columns(table: dict[str, Any], kb: KB) -> list[list[Cell]]:
    """Return the cells with gold, column by column."""
    columns: dict[int, list[Cell]] = {}
    header, lines = table["table"].get("header") or [], table["table"]["rows"]
    for mention in table["mentions"]:
        gold = [mention["gold"]] if isinstance(mention["gold"], str) else mention["gold"]
        known = frozenset(kb.id_of(index) for each in gold if (index := kb.index_of(each)) is not None)
        cells = enumerate(lines[mention["row"]])
        others = tuple((_property(header, col), text) for col, text in cells if col != mention["col"] and text.strip())
        columns.setdefault(mention["col"], []).append(Cell(mention["text"], known, others))
    return list(columns.values())


def _property(header: list[str], column: int) -> str:
    return header[column] if column < len(header) else str(column)


def _reconciled(client: Client, columns: list[list[Cell]], context: str, size: int, beside: bool, clients: int) -> Counter[str]:
    def count(cells: list[Cell]) -> Counter[str]:
        answers = client.ask({str(i): _query(cell, beside) for i, cell in enumerate(cells)}, context)
        counts: Counter[str] = Counter()
        for i, cell in enumerate(cells):
            best: dict[str, Any] = next(iter(answers[str(i)]["result"]), {"id": None, "match": False})
            is_right, is_match = best["id"] in cell.gold, bool(best["match"])
            counts.update(cells=1, known=bool(cell.gold), first=is_right, matched=is_match, right=is_match and is_right)
        return counts

    with ThreadPoolExecutor(clients) as threads:
        return sum(threads.map(count, (part for column in columns for part in _parts(column, size))), Counter())


def _query(cell: Cell, beside: bool) -> dict[str, Any]:
    query: dict[str, Any] = {"query": cell.text, "limit": 1}
    if beside and cell.others:
        query["properties"] = [{"pid": name, "v": text} for name, text in cell.others]
    return query


def _figures(counts: Counter[str]) -> Row:
    precision, recall = counts["right"] / max(1, counts["matched"]), counts["right"] / max(1, counts["known"])
    return {
        "cells": counts["cells"],
        "in_kb": counts["known"],
        "p_at_1": round(counts["first"] / max(1, counts["known"]), 4),
        "precision": round(precision, 4),
        "recall": round(recall, 4),
        "f1": round(2 * precision * recall / max(1e-9, precision + recall), 4),
    }


def _parts(items: Iterable[Any], size: int) -> Iterator[list[Any]]:
    waiting = list(items)
    return (waiting[first : first + size] for first in range(0, len(waiting), size))


if __name__ == "__main__":
    main()

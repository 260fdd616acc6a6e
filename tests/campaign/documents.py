"""Documents and gold of every layout: each record that goes in comes out linked, or is counted as one that could not be."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

from helpers.commands import json_lines
from helpers.format_files import COLLECTION, LIDOCAINE, OTHER, RUNNER, SONY_ANN
from helpers.gold_files import AIDA, AUTHORS, WNED
from helpers.streaming import mixed_documents
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from campaign.judge import command
from campaign.odd import mutate_bytes, mutate_row, odd_text
from campaign.trial import FINE, Fault, Trial
from campaign.world import World
from eigenthemes.documents.output import OUTPUT_FORMATS

# JSON that has the fields of documents, and in them whatever JSON can hold

_TEXTS = st.one_of(st.text(max_size=30), st.sampled_from(["Michael Jordan in Paris", "Tokyo", "\x1b[2J", "W.H.O."]))
_SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.integers(-3, 20), st.floats(), _TEXTS)
_JSON = st.recursive(
    _SCALARS, lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_TEXTS, inner, max_size=3)), max_leaves=6
)
_MENTIONS = st.fixed_dictionaries(
    {},
    optional={
        "start": st.integers(-2, 30) | _JSON,
        "end": st.integers(-2, 30) | _JSON,
        "text": _TEXTS | _JSON,
        "gold": st.sampled_from(["paris", "mj", "nowhere"]) | _JSON,
        "candidates": st.lists(st.sampled_from(["paris", "paris-tx", "nowhere"]), max_size=4) | _JSON,
        "row": st.integers(-1, 3) | _JSON,
        "col": st.integers(-1, 3) | _JSON,
    },
)
_TABLES = st.fixed_dictionaries(
    {"rows": st.lists(st.lists(_TEXTS | _SCALARS, max_size=3), max_size=3)}, optional={"header": st.lists(_TEXTS, max_size=3)}
)
RECORDS = st.fixed_dictionaries(
    {},
    optional={
        "id": _TEXTS | _JSON,
        "text": _TEXTS | _JSON,
        "mentions": st.lists(_MENTIONS | _JSON, max_size=3) | _JSON,
        "table": _TABLES | _JSON,
        "about": _JSON,
    },
)


def examples(strategy: st.SearchStrategy[Any], number: int, count: int) -> list[Any]:
    """Return examples of a strategy, the same for the same number."""
    found: list[Any] = []

    @seed(number)
    @settings(
        max_examples=count,
        phases=[Phase.generate],
        database=None,
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def collect(example: Any) -> None:
        found.append(example)

    collect()
    return found


# the trials


def records_trial(random: Random, folder: Path, world: World) -> str:
    """JSON lines of odd records among sound ones: as many lines come out as went in, less those that are counted."""
    records = [*mixed_documents(3), *examples(RECORDS, random.randrange(1 << 32), 20)]
    lines = [json.dumps(record, ensure_ascii=random.random() < 0.3) for record in records]
    lines[1:] = [_perhaps(mutate_row, line, random) for line in lines[1:]]
    data = "".join(f"{line}\n" for line in lines).encode("utf-8", random.choice(("replace", "surrogatepass")))
    (folder / "documents.jsonl").write_bytes(data)
    methods = random.choice(([], [], ["--method", "eigen"], ["--method", "degree"], ["--explain"], ["--generator", "paper"]))
    count = sum(bool(line.strip()) for line in data.split(b"\n"))
    return link_and_count(folder / "documents.jsonl", count, world, methods)


def _perhaps(change: Callable[[str, Random], str], line: str, random: Random) -> str:
    return change(line, random) if random.random() < 0.3 else line


def link_and_count(file: Path, records: int | None, world: World, flags: list[str]) -> str:
    """Link a file; every record is on the output or in the file of errors. None: how many there are is not known."""
    errors = file.with_name("errors.jsonl")
    verdict, done = command("link", world.kb, file, "--errors", errors, *flags, for_programs=True)
    linked, failed = len(json_lines(done.stdout)), len(json_lines(errors.read_bytes())) if errors.exists() else 0
    if records is not None and linked + failed != records:
        raise Fault(f"records lost or doubled\n{records} went in, {linked} were linked, {failed} failed\n{done.stderr}")
    if failed and verdict == FINE:
        raise Fault(f"exit code 0 with {failed} failures")
    return verdict


def _tabel(random: Random) -> str:
    cell = {
        "text": "Paris",
        "surfaceLinks": [{"surface": "Paris", "linkType": "INTERNAL", "target": {"id": 1, "language": "en", "title": "Paris"}}],
    }
    table = {"_id": "1", "tableHeaders": [[{"text": "where", "surfaceLinks": []}]], "tableData": [[cell], [cell]]}
    return "".join(json.dumps({**table, "pgTitle": odd_text(random)}) + "\n" for _ in range(3))


LAYOUTS: dict[str, Callable[[Random], str]] = {
    "json": lambda random: "".join(json.dumps(record) + "\n" for record in mixed_documents(5)),
    "array": lambda random: json.dumps(mixed_documents(5), indent=random.choice((None, 1))),
    "authors": lambda random: json.dumps(AUTHORS),
    "aida": lambda random: AIDA,
    "wned": lambda random: WNED,
    "tabel": _tabel,
    "nif": lambda random: RUNNER + OTHER,
    "pubtator": lambda random: LIDOCAINE * 2,
    "bioc": lambda random: json.dumps(COLLECTION, indent=random.choice((None, 1))),
    "brat": lambda random: SONY_ANN,
    "html": lambda random: f"<!doctype html><title>Paris</title><script>{odd_text(random)}</script><p>{odd_text(random)}</p>",
    "text": lambda random: " ".join(odd_text(random) for _ in range(20)),
}


OUTPUTS = [name for name in OUTPUT_FORMATS if name != "brat"]


def file_trial(random: Random, folder: Path, world: World) -> str:
    """A file of any layout, a line or its bytes changed, given to every command that reads documents."""
    lines = random.choice(list(LAYOUTS.values()))(random).split("\n")
    if random.random() < 0.6:
        at = random.randrange(len(lines))
        lines[at] = mutate_row(lines[at], random)
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    file = folder / random.choice(("documents", "documents.jsonl", "documents.xml", "documents.tsv"))
    file.write_bytes(data if random.random() < 0.5 else mutate_bytes(data, random))
    as_json = random.random() < 0.5
    name, *flags = random.choice(
        (
            ("link", *([] if as_json else ["--table"])),
            ("link", "--output-format", random.choice(OUTPUTS)),
            ("link", "--text", *([] if as_json else ["--table"])),
            ("explain", "--document", "all", *(["--json"] if as_json else [])),
            ("eval", "--methods", "eigen,degree", "--by-document", *(["--json"] if as_json else [])),
        )
    )
    written = "--output-format" in flags
    verdict, done = command(name, world.kb, file, *flags, for_programs=as_json or written)
    if as_json and not written and verdict == FINE:
        json.loads(done.stdout) if name == "eval" else json_lines(done.stdout)
    return verdict


TRIALS: dict[str, Trial] = {"documents-records": records_trial, "documents-files": file_trial}

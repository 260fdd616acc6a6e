"""Disks that are full: a command writes everything, or says that it could not, and leaves nothing broken behind."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from random import Random

import orjson
from helpers.commands import Done, call
from helpers.files import file_bytes, write_jsonl
from helpers.streaming import SENTENCE

from campaign.judge import judged
from campaign.kills import CHANGES, demand_old_or_new, place_for
from campaign.trial import FINE, REFUSED, Fault, Trial, note
from campaign.world import GOLD, World
from eigenthemes.service.correction_files import CorrectionFile

_TABLE = "nr,city\n" + "".join(f"{number},Paris\n" for number in range(40))
# IN is a folder of documents, TABLE a table, OUT a name to write to
_OUTPUTS: tuple[tuple[str, ...], ...] = (
    *(("link", "IN", "-o", f"OUT.{name}") for name in ("jsonl", "jsonl.gz", "jsonl.xz", "jsonl.zst", "html", "ttl")),
    ("link", "IN", "-o", "OUT.jsonl", "--errors", "OUT.errors"),
    ("link", "IN", "-o", "OUT", "--output-format", "brat"),
    ("link", "IN", "-o", "OUT/"),
    ("link", "IN", "-o", "OUT/", "--jobs", "2"),
    *(("link-table", "TABLE", "-o", f"OUT.{name}") for name in ("csv", "csv.gz", "csv.bz2", "jsonl", "parquet", "xlsx")),
    ("link-table", "TABLE", "-o", "OUT.csv", "--sssom", "OUT.sssom.tsv"),
    ("link-table", "TABLE", "-o", "OUT.csv", "--report-json", "OUT.json"),
)


@contextmanager
def no_space_behind(size: int) -> Iterator[None]:
    """Let no file grow past a size: the system writes what still fits, as on a disk that gets full."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def _limited(limit: int | None, *arguments: object) -> tuple[str, Done]:
    """Run a command, with a limit on the size of files if there is one; return how it is judged and what it printed."""
    note(*arguments, f"limit {limit}")
    with nullcontext() if limit is None else no_space_behind(limit):
        done = call(*arguments)
    return judged(done), done


def change_trial(random: Random, folder: Path, world: World) -> str:
    """Change or build a KB on a disk that gets full: the old KB is there, or the new one."""
    chosen = random.choice(CHANGES)
    old = None if "NEW" in chosen else world.kb
    change, complete = place_for(chosen, folder / "complete", world)
    call(*change)
    largest = max(file.stat().st_size for file in complete.rglob("*"))
    change, kb = place_for(chosen, folder / "full", world)
    verdict, done = _limited(random.choice((0, 100, random.randrange(largest), largest - 1)), *change)
    if verdict == FINE:
        raise Fault(f"a file was written that does not fit\n{done.stderr}")
    demand_old_or_new(kb, old, complete, " ".join(chosen))
    return verdict


def output_trial(random: Random, folder: Path, world: World) -> str:
    """Link documents or a table to a disk that gets full: what is there is complete, or a beginning of it that is reported."""
    (folder / "in").mkdir()
    for name in ("a.jsonl", "b.jsonl"):
        write_jsonl(folder / "in" / name, [{"id": number, "text": SENTENCE} for number in range(30)])
    (folder / "table.csv").write_text(_TABLE)
    chosen = random.choice(_OUTPUTS)
    complete = _outputs(chosen, folder / "complete", world, None)
    largest = max(map(len, complete.values()))
    written = _outputs(chosen, folder / "full", world, random.choice((0, random.randrange(largest), largest - 1)))
    _demand_beginnings(chosen, written, complete)
    if "OUT/" in chosen:
        again = _outputs(chosen, folder / "full", world, None)
        if again != complete:
            raise Fault(f"the same command does not complete the output\n{sorted(again)}\n{sorted(complete)}")
    return REFUSED


def _outputs(chosen: tuple[str, ...], place: Path, world: World, limit: int | None) -> dict[str, bytes]:
    """Run a command; return the files that it wrote."""
    place.mkdir(exist_ok=True)
    name, *rest = (word.replace("OUT", str(place / "out")) for word in chosen)
    given = {"IN": place.parent / "in", "TABLE": place.parent / "table.csv"}
    arguments = [name, world.kb, *(given.get(word, word) for word in rest), "--method", "degree"]
    verdict, done = _limited(limit, *arguments)
    if (verdict == FINE) != (limit is None):
        raise Fault(f"{verdict} with a limit of {limit} bytes\n{done.stderr}")
    return {name: data for name, data in file_bytes(place).items() if "_eigenthemes" not in name}


def _demand_beginnings(chosen: tuple[str, ...], written: dict[str, bytes], complete: dict[str, bytes]) -> None:
    """Demand that files of tables and corpora are complete, and all others the beginnings of complete ones."""
    for name, data in written.items():
        if name not in complete or not complete[name].startswith(data):
            raise Fault(f"a file that is no beginning of the output\n{chosen} {name}")
        is_main = name.endswith(Path(chosen[3]).suffix) and chosen[0] == "link-table"
        if data != complete[name] and (is_main or "OUT/" in chosen):
            raise Fault(f"a part of an output\n{chosen} {name}")


def corrections_trial(random: Random, folder: Path, world: World) -> str:
    """Store corrections on a disk that gets full: all documents of a request are in the file, or none."""
    file = CorrectionFile(folder / "corrections.jsonl")
    stored = 0
    for _ in range(10):
        records = random.choices(GOLD, k=random.choice((1, 1, 3)))
        size = file.path.stat().st_size if file.path.exists() else 0
        try:
            with no_space_behind(size + random.randrange(600)):
                file.append(records)
            stored += len(records)
        except OSError:
            pass
        lines = file.path.read_bytes().splitlines()
        if len(list(map(orjson.loads, lines))) != stored:
            raise Fault(f"{stored} corrections were stored\n{lines}")
    return FINE


TRIALS: dict[str, Trial] = {
    "full-disk-kb": change_trial,
    "full-disk-output": output_trial,
    "full-disk-corrections": corrections_trial,
}

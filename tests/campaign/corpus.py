"""Past failures: small files in `corpus/`, named by what they show, and big ones made here. They run with every `make test`.

The folder of a file says which command reads it: build, link or import. A fault that the campaign finds is repeated with
`--repeat KIND:SEED`, which keeps its files; make one of them small and put it here.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from campaign.documents import link_and_count
from campaign.sources import Format, build_and_check
from campaign.trial import Trial
from campaign.vectors import change_and_check
from campaign.world import World, copy_kb

FOLDER = Path(__file__).parent / "corpus"
_DEEP_XML = (
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' + b"<a>" * 20_000 + b"</a>" * 20_000 + b"</rdf:RDF>"
)
_ROWS = "".join(f"n{number},Name {number}\n" for number in range(3_001))

# Too big for the repository; each is what took minutes, or swallowed thousands of rows as one problem
BIG: dict[str, Callable[[], bytes]] = {
    "build/jsonl-name-of-200000-letters.jsonl": lambda: b'{"id": "a", "name": "%s"}\n' % (b"Paris " * 33_000),
    "build/csv-3001-rows-behind-a-stray-quote.csv": lambda: f'id,name\na,"Paris\n{_ROWS}'.encode(),
    "build/nt-megabytes-of-nuls.nt": lambda: bytes(3_000_000),
    "build/ttl-megabytes-of-nuls.ttl": lambda: b"@prefix x: <http://x/> .\n" + bytes(1_000_000),
    "build/owl-20000-deep.owl": lambda: _DEEP_XML,
    "build/jsonl-bomb.jsonl.gz": lambda: gzip.compress(b'{"id": "a", "name": "Paris"}\n' + b" " * 30_000_000),
    "link/mention-of-a-megabyte.jsonl": lambda: b'{"mentions": [{"text": "%s"}]}\n' % (b"Paris " * 170_000),
    "link/text-without-a-space.jsonl": lambda: b'{"text": "%s"}\n' % (b"Paris" * 60_000),
}


def cases() -> list[str]:
    """Return the names of all files: folder and file name."""
    return sorted([*BIG, *(f"{file.parent.name}/{file.name}" for file in FOLDER.glob("*/*"))])


def case_trial(case: str) -> Trial:
    """Return the trial of one file."""
    return lambda random, folder, world: _run(case, folder, world)


def _run(case: str, folder: Path, world: World) -> str:
    data = BIG[case]() if case in BIG else (FOLDER / case).read_bytes()
    command, name = case.split("/")
    if command == "build":
        return build_and_check(folder, data, Format(name[name.index(".") :], str), [], ["--embedding", "none"])
    file = folder / name
    file.write_bytes(data)
    if command == "link":
        return link_and_count(file, None, world, [])
    kb = copy_kb(world.kb, folder / "new.kb")
    return change_and_check(kb, "embed", kb, "--import", file, "--no-train")

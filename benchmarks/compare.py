"""Ours beside what people would pick instead to find entities by names: python -m benchmarks.compare

For each set of documents one table: gilda, tantivy, spaCy's candidate step and rapidfuzz, each over the same entities and names
in a process of its own, then our candidates alone and our linker. Peers are installed into an environment of their own, under
--cache.

index s      CPU seconds to make the index from names in memory (ours: to build the KB from the source; linked: with vectors and
             ranker)
memory MB    what the process takes more with the index than before; ours: mapped files, which processes share, included
look-ups/s   CPU, one core, one name at a time (ours also in a batch; linked: mentions/s)
recall@20    share of mentions with gold among the first 20; P@1: with gold first
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.common import (
    CHECKOUT,
    build_in_new_process,
    data_folder,
    parse_arguments,
    print_table,
    read_documents,
    save_results,
    say,
    sources,
)
from eigenthemes.kb.store import KB

SETS = {"gsc": "phenotypes", "lgl": "places"}
PACKAGES = {"gilda": "gilda", "tantivy": "tantivy", "spacy": "spacy", "rapidfuzz": "rapidfuzz"}
SAMPLE = {"rapidfuzz": 50}  # mentions, evenly spaced: it takes tenths of a second for each
LACKS = {
    "gilda": "typos, parts of names; context without a model for each name; NIL",
    "tantivy": "typos unless asked for; context; NIL; its score is no probability",
    "spacy": "all but the same string (capitals apart); context without training on gold",
    "rapidfuzz": "an index: it scans all names; context; NIL",
    "ours, candidates": "context, NIL: by prior only",
    "ours, linked": "",
}
Row = dict[str, Any]
Mentions = list[tuple[str, set[str]]]


def main() -> None:
    def add_options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--sets", default=",".join(SETS), help=f"of {', '.join(SETS)}")
        parser.add_argument("--peers", default=",".join(PACKAGES), help=f"of {', '.join(PACKAGES)}")

    arguments = parse_arguments(__doc__, add_options)
    python = peers_python(arguments.cache)
    for name in arguments.sets.split(","):
        kb, built = trained_kb(SETS[name], arguments.cache)
        mentions = mentions_of(data_folder() / SETS[name] / f"{name}.jsonl.gz")
        names, texts = write_inputs(kb, mentions, arguments.cache / name)
        rows = [measure_peer(peer, python, names, texts, mentions) for peer in arguments.peers.split(",")]
        rows += measure_ours(kb, built, data_folder() / SETS[name] / f"{name}.jsonl.gz", mentions)
        save_results("compare", {name: rows})
        print_table(f"{SETS[name]} ({len(kb):,} entities, {len(kb.names):,} names), {name}, {len(mentions):,} mentions", rows)


def peers_python(cache: Path) -> Path:
    """Return the Python of the environment of the peers; make it where there is none."""
    folder = cache / "peers-env"
    python = folder / "bin" / "python"
    if not python.exists():
        say("making an environment for the peers")
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    installed = subprocess.run([str(python), "-c", f"import {', '.join(PACKAGES)}"], capture_output=True)
    if installed.returncode:
        say("installing " + ", ".join(PACKAGES.values()))
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", *PACKAGES.values()], check=True)
    return python


class Built(NamedTuple):
    """CPU seconds that a KB took: with names and edges only, and with vectors and ranker."""

    names: float
    all: float


def trained_kb(name: str, cache: Path) -> tuple[KB, Built]:
    """Return a trained KB, built once, and what its build took."""
    path, measured = cache / f"compare-{name}.kb", cache / f"compare-{name}.json"
    if not measured.exists():
        say(f"building {path.name}")
        ways: list[dict[str, Any]] = [{"embedding": "none"}, {"embedding": "prone", "train": True}]
        seconds = [build_in_new_process(sources(name), path, jobs=1, **way)["cpu_seconds"] for way in ways]
        measured.write_text(json.dumps(seconds))
    return KB.open(path), Built(*json.loads(measured.read_text()))


def mentions_of(file: Path) -> Mentions:
    """Return the texts and gold ids of the mentions of a set."""
    golds = [(mention["text"], mention["gold"]) for document in read_documents(file) for mention in document["mentions"]]
    return [(text, set(gold) if isinstance(gold, list) else {gold}) for text, gold in golds]


def write_inputs(kb: KB, mentions: Mentions, folder: Path) -> tuple[Path, Path]:
    """Write what peers read: the entities that may be answers with their names, and the mentions."""
    folder.mkdir(exist_ok=True)
    entities = ([kb.id_of(i), float(kb.prior[i]), kb.names_of(i)] for i in range(len(kb)) if kb.linkable[i])
    files = folder / "names.jsonl", folder / "mentions.jsonl"
    for file, lines in zip(files, (entities, (text for text, _ in mentions)), strict=True):
        file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return files


def measure_peer(peer: str, python: Path, names: Path, texts: Path, mentions: Mentions) -> Row:
    """Run a peer in a separate process; a slow one gets a sample of the mentions."""
    say(peer)
    step = max(1, len(mentions) // SAMPLE.get(peer, len(mentions)))
    some = texts.with_name(f"mentions-{peer}.jsonl")
    some.write_text("".join(json.dumps(text) + "\n" for text, _ in mentions[::step]), encoding="utf-8")
    command = [str(python), str(CHECKOUT / "benchmarks" / "peers.py"), peer, str(names), str(some)]
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(command, stdout=subprocess.PIPE, env=environment)
    if done.returncode:
        sys.exit(f"{peer} failed; its message stands above")
    measured = json.loads(done.stdout.splitlines()[-1])
    told = {"what": peer, "index s": measured["index_s"], "memory MB": measured["memory_mb"]}
    speed = {"look-ups/s": measured["per_s"], "in a batch": None}
    return {**told, **speed, **quality(measured["found"], mentions[::step]), "lacks": LACKS[peer]}


def quality(found: Sequence[Sequence[str]], mentions: Mentions) -> Row:
    """Return the share of mentions with gold among what was found, and of those with gold first."""
    pairs = list(zip(found, mentions, strict=True))
    among = sum(not gold.isdisjoint(ids) for ids, (_, gold) in pairs)
    first = sum(bool(ids) and ids[0] in gold for ids, (_, gold) in pairs)
    return {"recall@20": among / len(pairs), "P@1": first / len(pairs)}


def measure_ours(kb: KB, built: Built, documents: Path, mentions: Mentions) -> list[Row]:
    """Measure our candidates, best prior first, and our linker, in this process."""
    from eigenthemes.documents.reader import read_gold
    from eigenthemes.linker import Linker
    from eigenthemes.names.generator import CandidateGenerator

    say("ours")
    generator = CandidateGenerator(kb)
    texts = [text for text, _ in mentions]
    generator.find_batch(texts)
    generator.find(texts[0])
    alone = _per_second(lambda: [generator.find(text) for text in texts], len(texts))
    batch = _per_second(lambda: generator.find_batch(texts), len(texts))
    found = [[kb.id_of(int(entity)) for entity in generator.find(text).entity] for text in texts]
    taken = {"memory MB": _resident_of(kb)}
    told = {"what": "ours, candidates", "index s": built.names, **taken, "look-ups/s": alone, "in a batch": batch}
    rows = [{**told, **quality(found, mentions)}]
    linker = Linker(kb, allow_nil=False)
    gold = list(read_gold(documents))
    answers: list[list[str]] = []

    def link() -> None:
        linked = linker.link_batch(gold)
        answers[:] = [[link.entity] if link.entity else [] for document in linked for link in document.links]

    link()
    speed = _per_second(link, len(texts))
    right = quality(answers, mentions)["P@1"]
    told = {"what": "ours, linked", "index s": built.all, **taken, "in a batch": speed}
    rows.append({**told, "recall@20": rows[0]["recall@20"], "P@1": right})
    return [{**row, "lacks": LACKS[row["what"]]} for row in rows]


def _per_second(task: Any, many: int) -> float:
    best = float("inf")
    for _ in range(3):
        start = time.process_time()
        task()
        best = min(best, time.process_time() - start)
    return many / best


def _resident_of(kb: KB) -> float:
    """Return what a new process takes more for the KB and a look-up in it, in MB."""
    code = (
        "import sys\nfrom benchmarks.peers import memory\n"
        "from eigenthemes.names.generator import CandidateGenerator\nfrom eigenthemes.kb.store import KB\n"
        "import numba\nfrom eigenthemes.core.jit import always_compile\nalways_compile()\n"
        "before = memory()\ngenerator = CandidateGenerator(KB.open(sys.argv[1]))\n"
        "generator.find_batch([generator.kb.label_of(i) for i in range(0, len(generator.kb), 7)])\nprint(memory() - before)"
    )
    environment = {**os.environ, "PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, "-c", code, str(kb.path)]
    return float(subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=True).stdout)


if __name__ == "__main__":
    main()

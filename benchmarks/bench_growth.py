"""Measure cost against the sizes of KG and document: python -m benchmarks.bench_growth [--sizes 1e4,1e5] [--only kgs|documents]

kgs        synthetic KBs, trained: opening one, a look-up, a linked document of 30 names, memory of the process that does it
documents  documents of 1 to 10,000 names, with the KB of the second largest size

Every KB is measured in a process of its own, in CPU time, best of some rounds. The exponent is the slope of the line through
the logarithms: 1 is linear, 0 does not grow. Both together are drawn into docs/images/growth.png.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import (
    CHECKOUT,
    RESULTS,
    build_in_new_process,
    child_environment,
    code_digest,
    parse_arguments,
    print_table,
    save_results,
    say,
    synthetic_dump,
)
from benchmarks.synthetic import draw_mentions
from eigenthemes.kb.store import KB
from eigenthemes.linker import Linker
from eigenthemes.names.generator import CandidateGenerator
from eigenthemes.records import Document, Mention

SIZES = (10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000)
NAMES = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)  # of a document
LOOKED_UP, DOCUMENTS, NAMES_EACH = 10_000, 200, 30
LARGE, LIMIT = 1_000_000, "4G"  # KGs of so many entities are built within this memory
ROUNDS = 3
PICTURE = CHECKOUT / "docs" / "images" / "growth.png"
Row = dict[str, Any]


def main() -> None:
    def add_options(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--sizes", type=lambda text: [int(float(size)) for size in text.split(",")], default=list(SIZES))
        parser.add_argument("--only", choices=("kgs", "documents"))
        parser.add_argument("--one", nargs=2, metavar=("PART", "KB"), help=argparse.SUPPRESS)

    arguments = parse_arguments(__doc__, add_options)
    if arguments.one:
        part, path = arguments.one
        print(json.dumps((_measure_kb if part == "kgs" else _measure_documents)(KB.open(path))))
        return
    paths = {size: trained_kb(size, arguments.cache) for size in sorted(arguments.sizes)}
    if arguments.only != "documents":
        rows = [{"entities": size, **_in_new_process("kgs", path)} for size, path in paths.items()]
        _tell("kgs", "Cost against the size of the KG", rows)
    if arguments.only != "kgs":
        _tell("documents", "Cost against the size of a document", _in_new_process("documents", list(paths.values())[-2:][0]))
    draw(json.loads((RESULTS / "growth.json").read_text()), PICTURE)


def trained_kb(size: int, cache: Path) -> Path:
    """Return the folder of a synthetic KB with vectors and ranker, built once."""
    dump = synthetic_dump(size, cache)
    path = cache / f"growth-{size}-{code_digest()}.kb"
    if not (path / "manifest.json").exists():
        say(f"building {path.name}")
        limit = LIMIT if size >= LARGE else None
        build_in_new_process([dump], path, jobs=2, embedding="prone", train=True, max_memory=limit)
    return path


def _in_new_process(part: str, path: Path) -> Any:
    say(f"{part}: {path.name}")
    command = [sys.executable, "-m", "benchmarks.bench_growth", "--one", part, str(path)]
    done = subprocess.run(command, stdout=subprocess.PIPE, cwd=CHECKOUT, env=child_environment(), check=True)
    return json.loads(done.stdout.splitlines()[-1])


def _measure_kb(kb: KB) -> Row:
    """Measure opening, look-ups and linking with one KB, and the memory of this process."""
    opened = _best(lambda: KB.open(kb.path), 20)
    mentions = list(dict.fromkeys(draw_mentions(kb, 2 * LOOKED_UP)))[:LOOKED_UP]
    generator = CandidateGenerator(kb)
    generator.find_batch(mentions)
    batch = _best(lambda: generator.find_batch(mentions)) / len(mentions)
    alone = _best(lambda: [generator.find(mention) for mention in mentions]) / len(mentions)
    linker = Linker(kb)
    documents = _documents(kb, DOCUMENTS, NAMES_EACH)
    list(linker.link_batch(documents))
    linked = _best(lambda: list(linker.link_batch(documents))) / len(documents)
    own, mapped = _memory()
    return {
        "open, ms": 1e3 * opened,
        "look-up in a batch, us": 1e6 * batch,
        "look-up alone, us": 1e6 * alone,
        "document of 30 names, ms": 1e3 * linked,
        "own memory, MB": own,
        "mapped, MB": mapped,
    }


def _measure_documents(kb: KB) -> list[Row]:
    """Measure documents of more and more names, each alone, by a linker that has linked a long one.

    Before that, a linker looks names up in plain Python, in ten times the time, until a document has 64 or it has met 2,000.
    """
    linker = Linker(kb)
    linker.link(_documents(kb, 1, 100)[0])
    rows = []
    for names in NAMES:
        link = partial(linker.link, _documents(kb, 1, names)[0])
        link()
        seconds = _best(link, 5)
        rows.append({"names": names, "document, ms": 1e3 * seconds, "a name, ms": 1e3 * seconds / names})
    return rows


def _documents(kb: KB, many: int, names: int) -> list[Document]:
    """Return documents of names drawn from a KB."""
    drawn = draw_mentions(kb, many * names, seed=2)
    return [Document(mentions=tuple(map(Mention, drawn[i * names : (i + 1) * names])), id=i) for i in range(many)]


def _best(task: Callable[[], Any], rounds: int = ROUNDS) -> float:
    best = float("inf")
    for _ in range(rounds):
        start = time.process_time()
        task()
        best = min(best, time.process_time() - start)
    return best


def _memory() -> tuple[float, float]:
    """Return the private memory of this process and its resident mapped files, in MB."""
    lines = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines() if ":" in line)
    own, mapped = (1.024e-3 * int(lines[key].split()[0]) for key in ("RssAnon", "RssFile"))
    return own, mapped


def exponent(x: list[float], y: list[float]) -> float:
    """Return the slope of the line through the logarithms."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def _tell(part: str, title: str, rows: list[Row]) -> None:
    first, *columns = rows[0]
    slopes = {column: exponent([row[first] for row in rows], [row[column] for row in rows]) for column in columns}
    save_results("growth", {part: rows})
    print_table(title, [*rows, {first: "exponent", **slopes}])


def draw(results: dict[str, Any], file: Path) -> None:
    """Draw what was measured: time and memory against entities, time against names."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot as plt

    panels = (
        ("kgs", "microseconds per look-up", ("look-up in a batch, us", "look-up alone, us")),
        ("kgs", "milliseconds: a document, opening the KB", ("document of 30 names, ms", "open, ms")),
        ("kgs", "memory of a process, MB", ("own memory, MB", "mapped, MB")),
        ("documents", "milliseconds per document", ("document, ms",)),
    )
    figure, axes = plt.subplots(2, 2, figsize=(9, 6.5), layout="constrained")
    for axis, (part, title, columns) in zip(axes.flat, panels, strict=True):
        rows = results[part]["rows"] if part in results else []
        for column in columns if rows else ():
            x = [row[next(iter(row))] for row in rows]
            y = [row[column] for row in rows]
            axis.plot(x, y, "o-", label=f"{column.rpartition(',')[0]}: exponent {exponent(x, y):.2f}")
        axis.set(xscale="log", yscale="log", title=title, xlabel="entities" if part == "kgs" else "names in the document")
        low, high = axis.get_ylim()
        axis.set_ylim(10 ** np.floor(np.log10(low)), 10 ** (np.ceil(np.log10(high)) + 0.5))  # room for a legend
        axis.grid(visible=True, alpha=0.3)
        axis.legend(loc="upper left")
    file.parent.mkdir(exist_ok=True)
    figure.savefig(file, dpi=110)
    plt.close(figure)


if __name__ == "__main__":
    main()

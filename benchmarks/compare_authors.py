"""The paper's method beside its authors' own program: the same documents, candidates and vectors, by turns in one run.

    python -m benchmarks.compare_authors --program ~/eigenthemes-of-the-authors
    python -m benchmarks.compare_authors --program ... --sets wned-cweb --documents 100

FOLDER is a checkout of the authors' repository (epfl-dlab/eigenthemes), which is no part of this one, made to run with the
numpy, scipy and scikit-learn that are installed. Of it, weighted Eigenthemes alone is timed: `constructRepresentation` of a
document and `computeVecSubspaceSimilarity` of each candidate, from input in memory, in the published layout. Ours is timed end
to end, from the lines of a file with the candidates to the lines of output. One core, BLAS at one thread, CPU time, the best
round of each.
Both must choose the same candidates, but for ties.

reference   what the authors' program was run on for the tests (documents.json.gz and vectors.npz in the folder `reference`
            beside the data)
wned-cweb   with the candidates that our KB of `general` has for the names, and with all of its vectors
"""

from __future__ import annotations

import argparse
import gc
import gzip
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import chdir
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import data_folder, parse_arguments, print_table, real_kb, save_results, say
from eigenthemes.build import build_kb, import_vectors
from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.documents.reader import DocumentFiles, read_gold
from eigenthemes.kb.store import KB
from eigenthemes.linker import Linker
from eigenthemes.pipeline.batch import BATCH, batch_maker, batches_of
from eigenthemes.ranking.options import EigenOptions
from eigenthemes.stream import chunks_of, collect_garbage_rarely, link_chunk

T = 20
KINDS = {"10": 10, "all": None}  # k
_TIE = 1e-6  # of the higher score: so near to each other either is right

Layout = dict[str, list[dict[str, Any]]]  # the published one: document -> mentions with "candidates" [[id, score, name], ...]
Vectors = dict[str, Any]


class Input(NamedTuple):
    """Documents in the published layout, vectors by id, as the authors keep them, and a KB that has them, too."""

    documents: Layout
    vectors: Vectors
    kb: KB

    def write_lines(self, file: Path) -> Path:
        """Write the documents as JSON lines with the candidates that have a vector: the others do not count."""
        with file.open("w", encoding="utf-8") as lines:
            for name, mentions in self.documents.items():
                own = [{"text": each["mention"], "candidates": candidates_of(each, self.vectors)} for each in mentions]
                lines.write(json.dumps({"id": name, "mentions": own}) + "\n")
        return file


def candidates_of(mention: dict[str, Any], vectors: Vectors) -> list[str]:
    """The first T candidates of a mention that have a vector."""
    return [candidate[0] for candidate in mention["candidates"] if candidate[0] in vectors][:T]


# input


def read_reference(cache: Path) -> Input:
    """The documents that the authors' program was run on, with a KB of their candidates."""
    folder = data_folder().parent / "reference"
    if not folder.is_dir():
        sys.exit(
            f"the set reference needs documents.json.gz and vectors.npz in {folder}; put them there, or leave it out of --sets"
        )
    documents: Layout = json.loads(gzip.decompress((folder / "documents.json.gz").read_bytes()))
    arrays = np.load(folder / "vectors.npz")
    with tempfile.TemporaryDirectory(dir=cache) as scratch:
        nodes = Path(scratch) / "nodes.jsonl"
        names = {each[0]: each for mentions in documents.values() for mention in mentions for each in mention["candidates"]}
        records = ({"id": id, "name": name, "prior": prior} for id, prior, name in names.values())
        nodes.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
        path = cache / "reference.kb"
        build_kb([nodes], path, embedding=None, train=False, force=True).close()
        kb = import_vectors(path, folder / "vectors.npz", train=False)
    return Input(documents, dict(zip(arrays["ids"].tolist(), arrays["vectors"], strict=True)), kb)


def look_up(name: str, kb: KB) -> Input:
    """The documents of a real set, with the candidates that our KB has for their mentions."""
    maker = batch_maker(kb, needs_vectors=True)
    assert maker.vectors is not None
    documents: Layout = {}
    for some in batches_of(read_gold(data_folder() / f"{name}.jsonl.gz"), BATCH):
        batch = maker.make(some)
        candidates = [
            [
                [kb.id_of(entity), kb.prior[entity].item(), kb.label_of(entity)]
                for entity in batch.table.entity[first:last].tolist()
            ]
            for first, last in zip(batch.table.bounds[:-1], batch.table.bounds[1:], strict=True)
        ]
        for _, first, last in batch.document_spans():
            mentions = zip(batch.mentions[first:last], candidates[first:last], strict=True)
            documents[str(len(documents))] = [{"mention": mention.text, "candidates": own} for mention, own in mentions]
    vectors = {kb.id_of(entity): maker.vectors.rows[entity] for entity in np.flatnonzero(maker.vectors.has).tolist()}
    return Input(documents, vectors, kb)


SETS: dict[str, Callable[[Path], Input]] = {
    "reference": read_reference,
    "wned-cweb": lambda cache: look_up("general/wned-cweb", real_kb("general", cache)),
}


# the two programs


def load_program(folder: Path) -> Any:
    """The module `utils` of the authors' program, or an end in one sentence."""
    if not (folder / "utils.py").is_file():
        sys.exit(f"{folder} holds no utils.py; give --program the folder of a checkout of the authors' repository")
    sys.path.insert(0, str(folder.resolve()))
    try:
        return import_module("utils")
    except ImportError as error:
        sys.exit(f"{folder}/utils.py does not run here ({error}); install what it needs, or take out the import")
    finally:
        sys.path.pop(0)


def run_theirs(program: Any, given: Input, k: int | None) -> Iterator[list[list[float]]]:
    """Score the candidates of each mention of each document by the authors' weighted Eigenthemes."""
    vectors = given.vectors
    themes = k or len(next(iter(vectors.values())))
    for name, mentions in given.documents.items():
        candidates = [candidates_of(mention, vectors) for mention in mentions]
        elements = [id for own in candidates for id in own]
        weights = [1 / rank for own in candidates for rank in range(1, len(own) + 1)]
        if not elements:
            yield [[] for _ in mentions]
            continue
        subspace, strengths, _ = program.constructRepresentation(elements, weights, vectors, "wpca", False, themes, (name,))
        yield [[_similarity(program, vectors[id], subspace, strengths) for id in own] for own in candidates]


def _similarity(program: Any, vector: Any, subspace: Any, strengths: Any) -> float:
    return float(program.computeVecSubspaceSimilarity(vector / np.linalg.norm(vector), subspace, strengths, True))


def run_ours(linker: Linker, file: Path) -> bytes:
    """Link the file as `eigenthemes link --jobs 1` does; return the lines of output."""
    return b"".join(link_chunk(linker, chunk).output for chunk in chunks_of(DocumentFiles(file)))


# both


def differences(given: Input, theirs: list[list[list[float]]], ours: bytes) -> tuple[int, int]:
    """Count the mentions with candidates, and those for which the programs choose differently, ties apart."""
    mentions = different = 0
    for document, scores, line in zip(given.documents.values(), theirs, ours.splitlines(), strict=True):
        for mention, of_mention, link in zip(document, scores, json.loads(line)["mentions"], strict=True):
            if of_mention:
                chosen = of_mention[candidates_of(mention, given.vectors).index(link["entity"])]
                mentions += 1
                different += max(of_mention) - chosen > _TIE * max(of_mention)
    return mentions, different


def measure(program: Any, given: Input, file: Path, kind: str, rounds: int) -> dict[str, Any]:
    """The best round of each program, taking turns."""
    k = KINDS[kind]
    linker = Linker(given.kb, method="eigen", scoring=EigenOptions(k=k))
    run_ours(linker, file)  # what is loaded at first use
    tasks: dict[str, Callable[[], Any]] = {
        "theirs": lambda: list(run_theirs(program, given, k)),
        "ours": lambda: run_ours(linker, file),
    }
    times, results = dict.fromkeys(tasks, float("inf")), dict.fromkeys(tasks)
    hold_blas_to_one_thread()
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.process_time()
            results[name] = task()
            times[name] = min(times[name], time.process_time() - start)
    mentions, different = differences(given, results["theirs"] or [], results["ours"] or b"")
    milliseconds = {name: 1000 * seconds / len(given.documents) for name, seconds in times.items()}
    return {
        "k": kind,
        "documents": len(given.documents),
        "theirs, ms per document": round(milliseconds["theirs"], 2),
        "ours, end to end": round(milliseconds["ours"], 3),
        "ratio": round(times["theirs"] / times["ours"], 1),
        "mentions": mentions,
        "chosen otherwise": different,
    }


def compare(program: Any, name: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure both programs on a set, at each k; theirs writes its logs into a folder that is removed."""
    given = SETS[name](arguments.cache)
    given = given._replace(documents=dict(list(given.documents.items())[: arguments.documents or None]))
    gc.freeze()  # input in memory is theirs alone: nobody looks for garbage in it
    rows = []
    with tempfile.TemporaryDirectory() as scratch, chdir(scratch):
        file = given.write_lines(Path(scratch) / "documents.jsonl")
        for kind in KINDS:
            rows.append({"set": name, **measure(program, given, file, kind, arguments.rounds)})
            say(str(rows[-1]))
    gc.unfreeze()
    return rows


def main() -> None:
    def add(parser: argparse.ArgumentParser) -> None:
        parser.add_argument(
            "--program", type=Path, required=True, metavar="FOLDER", help="a checkout of the authors' repository"
        )
        parser.add_argument("--sets", default=",".join(SETS), help=f"some of {', '.join(SETS)} (default all)")
        parser.add_argument("--documents", type=int, default=0, help="only the first ones of each set (default all)")
        parser.add_argument("--rounds", type=int, default=3, help="of which the best counts (default 3)")

    arguments = parse_arguments(__doc__, add)
    program = load_program(arguments.program)
    collect_garbage_rarely()  # as `eigenthemes link` does
    rows = [row for name in arguments.sets.split(",") for row in compare(program, name, arguments)]
    save_results("authors", {"weighted eigenthemes": rows})
    print_table("Weighted Eigenthemes, one core, CPU time: the authors' program and ours, end to end", rows)


if __name__ == "__main__":
    main()

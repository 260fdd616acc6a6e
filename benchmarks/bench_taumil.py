"""tau-MIL-ND against the others: python -m benchmarks.bench_taumil [--sets lgl,...] [--seeds 5] [--epochs 20] [--kbs FOLDER]

Trains on the texts of a set without its gold, one model a seed, and links the same documents: P@1 and MRR, mean and deviation,
beside `eigen`, `degree` and `selftrained`; seconds of training, and documents/s of linking beside `eigen`. What random choice
earns is told, too. Models stay in the cache folder: an interrupted run goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import RESULTS, data_folder, parse_arguments, print_table, real_kb, save_results, say
from eigenthemes.batch import gold_rows
from eigenthemes.evaluation.run import evaluate, report
from eigenthemes.formats import read_gold
from eigenthemes.kb import KB
from eigenthemes.linker import batch_maker
from eigenthemes.methods import MethodOptions
from eigenthemes.neural.train import Epoch, train_taumil
from eigenthemes.records import Document

SETS = {"wned-cweb": "general", "lgl": "places", "biored-train": "genes"}
NEURAL = ("taumil", "taumil-weighted")
OTHERS = ("selftrained", "eigen", "degree")

Row = dict[str, Any]


def main() -> None:
    arguments = parse_arguments(__doc__, _add_options)
    for name in arguments.sets.split(","):
        kb = _kb(SETS[name], arguments)
        documents = list(read_gold(data_folder() / f"{SETS[name]}/{name}.jsonl.gz"))
        rows = others(kb, documents)
        runs = [run(kb, documents, name, seed, arguments) for seed in range(arguments.seeds)]
        rows += [summary(method, runs) for method in NEURAL]
        print_table(name, rows)
        save_results("taumil", {name: {"methods": rows, "runs": runs}})


def _add_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--sets", default=",".join(SETS), help="default: %(default)s")
    parser.add_argument("--seeds", type=int, default=5, help="default: %(default)s")
    parser.add_argument("--epochs", type=int, default=20, help="default: %(default)s")
    parser.add_argument("--kbs", type=Path, help="folder of ready-made KBs (default: built into the cache)")


def _kb(name: str, arguments: argparse.Namespace) -> KB:
    return KB.open(arguments.kbs / f"{name}.kb") if arguments.kbs else real_kb(name, arguments.cache)


def others(kb: KB, documents: list[Document]) -> list[Row]:
    """The other methods, and what random choice is expected to earn."""
    methods = [name for name in OTHERS if name != "selftrained" or kb.rankers]
    found = report(evaluate(kb, documents, methods))
    batch = batch_maker(kb, needs_vectors=False).make(documents)
    counts = np.bincount(batch.table.mention_of, minlength=batch.table.mentions)
    chance = (gold_rows(batch, kb) / counts[batch.table.mention_of]).sum() / sum(bool(each.gold) for each in batch.mentions)
    return [*(_row(name, found[name]) for name in methods), {"method": "random choice", "p_at_1": float(chance)}]


def _row(method: str, figures: Row) -> Row:
    parts = {part: figures[part]["p_at_1"] for part in ("easy", "hard")}
    overall = figures["overall"]
    speed = figures["documents_per_second"]
    return {"method": method, "p_at_1": overall["p_at_1"], "mrr": overall["mrr"], **parts, "documents_per_second": speed}


def run(kb: KB, documents: list[Document], name: str, seed: int, arguments: argparse.Namespace) -> Row:
    """One training, and both methods with its model; remembered beside the model."""
    place = arguments.cache / f"taumil-{name}-{seed}.safetensors"
    measured = place.with_suffix(".json")
    if measured.exists():
        return dict(json.loads(measured.read_text()))
    words = data_folder() / "vectors/words-100d.txt.gz"
    seconds: list[float] = []

    def told(epoch: Epoch, took: float) -> None:
        seconds.append(took)
        say(f"{name}, seed {seed}, epoch {epoch.epoch}: objective {epoch.objective:.4f}, {took:.1f} s")

    start = time.perf_counter()
    stored = train_taumil(
        kb, documents, word_vectors=words, output=place, seed=seed, epochs=arguments.epochs, resume=True, on_epoch=told
    )
    found = report(evaluate(kb, documents, NEURAL, options=MethodOptions(model=str(place))))
    row = {
        "seed": seed,
        "mentions": stored.about["trained_on"]["mentions"],
        "epochs": len(stored.about["history"]),
        "kept": stored.about["epoch"],
        "objective": stored.about["history"][stored.about["epoch"] - 1]["objective"],
        "seconds": sum(seconds),
        "seconds_in_all": time.perf_counter() - start,
        "methods": {method: _row(method, found[method]) for method in NEURAL},
    }
    measured.write_text(json.dumps(row))
    return row


def summary(method: str, runs: list[Row]) -> Row:
    """Mean and standard deviation over the seeds."""
    rows = [each["methods"][method] for each in runs]
    found: Row = {"method": method, **{key: float(np.mean([row[key] for row in rows])) for key in rows[0] if key != "method"}}
    for key in ("p_at_1", "mrr"):
        found[f"{key}_deviation"] = float(np.std([row[key] for row in rows], ddof=1)) if len(rows) > 1 else 0.0
    return {**found, "training_seconds": float(np.mean([each["seconds"] for each in runs]))}


if __name__ == "__main__":
    RESULTS.mkdir(exist_ok=True)
    main()

"""The paper's neural rivals: tau-MIL-ND is trained on the texts of a set, gold unread, once for every seed, and compared."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from eigenthemes.core.progress import Advance, Progress
from eigenthemes.errors import MissingExtraError
from eigenthemes.evaluation.run import Run
from eigenthemes.kb.store import KB
from eigenthemes.ranking.batch import Batch
from eigenthemes.ranking.methods import Method, MethodOptions
from eigenthemes.ranking.options import Scores
from eigenthemes.ranking.taumil import need_torch
from eigenthemes.ranking.taumil.store import fingerprint
from eigenthemes.reproduction.earnings import NEURAL, Earnings, Row
from eigenthemes.reproduction.lab import Lab, write_whole
from eigenthemes.reproduction.plan import SectionPlan

CHANCE = "random choice"


def lacks_torch() -> str:
    """What is missing, as a sentence; empty: nothing."""
    try:
        need_torch("tau-MIL-ND")
    except MissingExtraError as error:
        return str(error)
    return ""


def train_models(lab: Lab, planned: SectionPlan, progress: Progress) -> None:
    """Train what is not there yet: a model for every set and seed, kept beside the KBs with the seconds it took."""
    for name in () if lacks_torch() else _readable(lab, planned):
        for seed in range(planned.options["seeds"]):
            place = _place(lab, name, seed, planned)
            if not place.with_suffix(".json").exists():
                _train(lab, name, seed, planned, place, progress)


def neural(lab: Lab, planned: SectionPlan, advance: Advance) -> Iterator[Row]:
    """Table 2 with the neural rivals: what each seed earns, how long it trained, how fast it links; others beside it."""
    generation = {key: planned.options[key] for key in ("generator", "max_candidates")}
    for name in () if lacks_torch() else _readable(lab, planned):
        others = lab.methods(name, planned.options["methods"])
        run = lab.run(name, others, **generation)
        for method in others:
            yield {"set": name, "method": method, "seed": None, **_measured(lab, name, run, method)}
        chance = Earnings.of(lab.run(name, {CHANCE: Method(_all_alike)}, **generation))
        yield {"set": name, "method": CHANCE, "seed": None, **chance.counts(), **chance.figures(CHANCE)}
        for seed in range(planned.options["seeds"]):
            place = _place(lab, name, seed, planned)
            run = lab.run(name, NEURAL, model=str(place), **generation)
            trained = json.loads(place.with_suffix(".json").read_text())
            for method in NEURAL:
                yield {"set": name, "method": method, "seed": seed, **_measured(lab, name, run, method), **trained}
            advance(1 / planned.options["seeds"])


def _readable(lab: Lab, planned: SectionPlan) -> list[str]:
    return [name for name in lab.sets(planned.sets) if lab.reads(name)]


def _place(lab: Lab, name: str, seed: int, planned: SectionPlan) -> Path:
    """Where a model is; its name tells what it was made of, so that nothing outdated is taken."""
    of = lab.plan.sets[name]
    made_of = (fingerprint(lab.kb_of(name)), lab.hash_of(of.documents), of.limit, lab.words_hash, planned.options["epochs"])
    return lab.folder / f"taumil-{name}-{hashlib.sha256(repr(made_of).encode()).hexdigest()[:8]}-{seed}.safetensors"


def _train(lab: Lab, name: str, seed: int, planned: SectionPlan, place: Path, progress: Progress) -> None:
    from eigenthemes.reproduction.taumil_training import train_taumil

    start = time.perf_counter()
    stored = train_taumil(
        lab.kb_of(name),
        lab.documents(name),
        word_vectors=lab.word_vectors,
        output=place,
        seed=seed,
        epochs=planned.options["epochs"],
        progress=progress,
    )
    told = {"epochs": len(stored.about["history"]), "training_seconds": round(time.perf_counter() - start, 2)}
    write_whole(place.with_suffix(".json"), json.dumps(told).encode() + b"\n")


def _measured(lab: Lab, name: str, run: Run, method: str) -> Row:
    earnings = Earnings.of(run)
    speed = len(lab.documents(name)) / (run.seconds + run.methods[method].seconds)
    return {**earnings.counts(), **earnings.figures(method), "documents_per_second": speed}


def _all_alike(batch: Batch, kb: KB, *, options: MethodOptions) -> Scores:
    """Every candidate scores the same: what is earned is what random choice is expected to earn."""
    return np.zeros(len(batch.table))

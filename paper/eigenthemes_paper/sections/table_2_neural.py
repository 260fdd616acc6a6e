"""Table 2, the neural rivals: tau-MIL-ND is trained on the texts of a set, gold unread, once for every seed, and compared."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from eigenthemes.core.progress import Advance, Progress
from eigenthemes.evaluation.comparison import Evaluation
from eigenthemes_paper.mention_scores import MentionScores
from eigenthemes_paper.plan import Section, SectionPlan
from eigenthemes_paper.rows import DIVIDER, NEURAL_METHODS, Claim, Row, Rows, Table, above, by, judge, spread
from eigenthemes_paper.taumil.store import fingerprint
from eigenthemes_paper.workspace import Workspace, write_atomically

CHANCE = "random choice"


def prepare(workspace: Workspace, planned: SectionPlan, progress: Progress) -> None:
    """Train what is not there yet: a model for every set and seed, kept beside the KBs with the seconds it took."""
    for name in _sets(workspace, planned):
        for seed in range(planned.options["seeds"]):
            path = _model_path(workspace, name, seed, planned)
            if not path.with_suffix(".json").exists():
                _train(workspace, name, seed, planned, path, progress)


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Evaluate the model of each seed, how long it trained, how fast it links; other methods beside it."""
    candidates = {key: planned.options[key] for key in ("generator", "max_candidates")}
    for name in _sets(workspace, planned):
        others = workspace.methods(name, planned.options["methods"])
        run = workspace.run(name, others, **candidates)
        for method in others:
            yield {"set": name, "method": method, "seed": None, **_measured(workspace, name, run, method)}
        # where every candidate scores the same, the expected score is that of random choice
        chance = MentionScores.of(workspace.run_scorer(name, CHANCE, lambda batch: np.zeros(len(batch.table)), **candidates))
        yield {"set": name, "method": CHANCE, "seed": None, **chance.counts(), **chance.metrics(CHANCE)}
        for seed in range(planned.options["seeds"]):
            path = _model_path(workspace, name, seed, planned)
            run = workspace.run(name, NEURAL_METHODS, model=str(path), **candidates)
            training = json.loads(path.with_suffix(".json").read_text())
            for method in NEURAL_METHODS:
                yield {"set": name, "method": method, "seed": seed, **_measured(workspace, name, run, method), **training}
            advance(1 / planned.options["seeds"])


def _sets(workspace: Workspace, planned: SectionPlan) -> list[str]:
    """Return the sets with texts."""
    return [name for name in workspace.available(planned.sets) if workspace.is_readable(name)]


def _model_path(workspace: Workspace, name: str, seed: int, planned: SectionPlan) -> Path:
    """Return the file of a model; its name has a hash of all that it depends on, so that outdated models are not used."""
    of_set = workspace.plan.sets[name]
    made_of = (
        fingerprint(workspace.kb_of(name)),
        workspace.hash_of(of_set.documents),
        of_set.limit,
        workspace.word_vectors_hash,
        planned.options["epochs"],
    )
    digest = hashlib.sha256(repr(made_of).encode()).hexdigest()[:8]
    return workspace.folder / f"taumil-{name}-{digest}-{seed}.safetensors"


def _train(workspace: Workspace, name: str, seed: int, planned: SectionPlan, path: Path, progress: Progress) -> None:
    from eigenthemes_paper.taumil.training import train_taumil

    start = time.perf_counter()
    stored = train_taumil(
        workspace.kb_of(name),
        workspace.documents(name),
        word_vectors=workspace.word_vectors,
        output=path,
        seed=seed,
        epochs=planned.options["epochs"],
        progress=progress,
    )
    note = {"epochs": len(stored.about["history"]), "training_seconds": round(time.perf_counter() - start, 2)}
    write_atomically(path.with_suffix(".json"), json.dumps(note).encode() + b"\n")


def _measured(workspace: Workspace, name: str, run: Evaluation, method: str) -> Row:
    scores = MentionScores.of(run)
    speed = len(workspace.documents(name)) / (run.seconds + run.methods[method].seconds)
    return {**scores.counts(), **scores.metrics(method), "documents_per_second": speed}


def tables(rows: Sequence[Row]) -> list[Table]:
    """Show a table for each set: mean and deviation over seeds, training time, and documents a second."""
    header = ("method", "P@1", "easy", "hard", "MRR", "training, s", "documents/s", "times slower than eigen")
    return [_table_of_set(name, of_set, header) for name, of_set in by(rows, "set").items()]


def _table_of_set(name: str, rows: Sequence[Row], header: tuple[str, ...]) -> Table:
    speed_of_eigen = next((row["documents_per_second"] for row in rows if row["method"] == "eigen"), None)
    lines: list[tuple[str, ...]] = []
    for method, of_method in by(rows, "method").items():
        if of_method[0]["seed"] is not None and (not lines or lines[-1][0] not in NEURAL_METHODS):
            lines.append(DIVIDER)
        columns = ("overall_p_at_1", "easy_p_at_1", "hard_p_at_1", "overall_mrr")
        values = ([row[column] for row in of_method] for column in columns)
        cells = (spread(value) if len(value) > 1 else f"{value[0]:.3f}" for value in values)
        seconds = [row["training_seconds"] for row in of_method if "training_seconds" in row]
        timed = "documents_per_second" in of_method[0]
        speed = np.mean([row["documents_per_second"] for row in of_method]) if timed else None
        slower = f"{speed_of_eigen / speed:.1f}" if speed and speed_of_eigen else ""
        lines.append((method, *cells, f"{np.mean(seconds):,.0f}" if seconds else "", f"{speed:,.0f}" if speed else "", slower))
    seeds = len({row["seed"] for row in rows} - {None})
    return Table(f"{name}: {rows[0]['mentions']:,} mentions, {seeds} trainings", header, lines)


def claims(rows: Sequence[Row]) -> list[Claim]:
    def slower(of_set: list[Row]) -> tuple[bool, str] | None:
        speed = {row["method"]: row["documents_per_second"] for row in of_set if "documents_per_second" in row}
        if not {"eigen", "taumil"} <= set(speed):
            return None
        times = speed["eigen"] / speed["taumil"]
        return times >= 10, f"{times:.0f} times"

    metric = "overall_p_at_1"
    means = [
        {"set": name, "method": method, metric: np.mean([row[metric] for row in of_method])}
        for (name, method), of_method in by(rows, "set", "method").items()
    ]
    return [
        judge("Eigenthemes are better than both neural rivals", means, above(metric, "method", "eigen", *NEURAL_METHODS)),
        judge("weights improve tau-MIL-ND", means, above(metric, "method", "taumil-weighted", "taumil")),
        judge("degree is better than tau-MIL-ND, weighted or not", means, above(metric, "method", "degree", *NEURAL_METHODS)),
        judge("tau-MIL-ND is better than random choice", means, above(metric, "method", "taumil", CHANCE)),
        judge("Eigenthemes link at least 10 times faster (training not counted)", rows, slower),
    ]


SECTION = Section(
    title="Table 2, the neural rivals",
    about="tau-MIL-ND (Le and Titov, 2019) and its weighted variant, trained here on the texts of each set without its gold; "
    "mean ± deviation over the seeds. The paper trains it on the New York Times corpus. Models are trained once and "
    "kept; linking times are those of one core.",
    prepare=prepare,
    compute=compute,
    tables=tables,
    claims=claims,
    options={
        "generator": "paper",
        "max_candidates": 20,
        "seeds": 5,
        "epochs": 10,
        "methods": ["degree", "eigen", "prior-name", "selftrained"],
    },
    alone=True,
    reads=True,
)

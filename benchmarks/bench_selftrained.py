"""Measure the self-trained ranker: python -m benchmarks.bench_selftrained [--only PART] [--kbs FOLDER]

sets      `eval` of all methods on every set; calibration, NIL, cost beside `eigen`; the mean over seven of them; also
          reliability diagrams and risk-coverage curves as pictures
gold      self-trained against the same features fitted on gold: of another set, and of the set's own (five-fold by document)
ablation  each group of features left out, trained anew
learning  a little gold: 20 to 2,000 mentions of one half of each set remembered, and fitted on, measured on the other half
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.common import RESULTS, data_folder, parse_arguments, print_table, real_kb, save_results, say
from benchmarks.pictures import draw_reliability, draw_risk_coverage
from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.documents.reader import read_gold
from eigenthemes.evaluation.comparison import evaluate
from eigenthemes.kb.store import KB
from eigenthemes.metrics.calibration import risk_coverage
from eigenthemes.metrics.precision import credit
from eigenthemes.names.name_memory import Memory, remembering
from eigenthemes.pipeline.batch import BATCH, batch_maker, batches_of, gold_rows
from eigenthemes.ranking.features import GROUPS, FeatureContext
from eigenthemes.ranking.features.feature_context import WALKED_IN_TRAINING
from eigenthemes.ranking.ranker import Ranker, feature_context_of, rank_batch
from eigenthemes.records import Document
from eigenthemes.selftrain.cell_training import evidence_of
from eigenthemes.selftrain.gold import gold_train
from eigenthemes.selftrain.recipe import RECIPE
from eigenthemes.selftrain.sampling import Sampler
from eigenthemes.selftrain.training import TrainingBatch, documents_for, fit_rounds, self_train, training_batches
from eigenthemes.train import store_ranker

Row = dict[str, Any]

SEVEN = {
    "aida-testa": "general", "dwie-train": "general", "wned-cweb": "general", "wned-wiki": "general", "lgl": "places",
    "gwn": "places", "biored-train": "genes",
}  # fmt: skip
MORE = {"gsc": "phenotypes", "testa": "aida"}
ANOTHER = {
    "aida-testa": "dwie-train", "dwie-train": "wned-cweb", "wned-cweb": "dwie-train", "wned-wiki": "dwie-train", "lgl": "gwn",
    "gwn": "lgl", "biored-train": "dwie-train",
}  # fmt: skip
METHODS = ("selftrained", "prior-name", "eigen", "degree", "namematch")
LEFT_OUT: dict[str, tuple[str, ...]] = {
    "nothing": (),
    **{name: columns for name, columns in GROUPS.items() if name != "memory"},
    "topic": ("topic",),
    "coherence": ("coherence",),
    "edges and neighbours": ("edges", "shared_rare", "shared"),
    "letters": ("cased",),
    "parts of names": ("covered", "begins", "ends", "in_label"),
    "number of names": ("log_names",),
}  # what is left out -> its columns; without corrections there is no memory
_FOLDS = 5


def main() -> None:
    parts: dict[str, Callable[[argparse.Namespace], list[Row]]] = {
        "sets": measure_sets,
        "gold": measure_gold,
        "ablation": measure_ablation,
        "learning": measure_learning,
    }

    def add_only(parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--only", choices=parts, help="measure one part only")
        parser.add_argument("--kbs", type=Path, help="folder of KBs (general.kb, ...) whose rankers are taken as they are")

    arguments = parse_arguments(__doc__, add_only)
    for name, measure in parts.items():
        if arguments.only in (None, name):
            save_results("selftrained", {name: measure(arguments)})


def trained(arguments: argparse.Namespace, name: str) -> KB:
    """Return the KB of a set; this checkout trains its ranker, unless trained KBs were given."""
    return _trained(name, arguments.cache) if arguments.kbs is None else KB.open(arguments.kbs / f"{name}.kb")


@cache
def _trained(name: str, folder: Path) -> KB:
    kb = real_kb(name, folder)
    return store_ranker(kb, self_train(kb))


def documents_of(name: str) -> list[Document]:
    folder = {**SEVEN, **MORE}[name]
    return list(read_gold(data_folder() / folder / f"{name}.jsonl.gz"))


def measure_sets(arguments: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    reliable, risks = {}, {}
    for name, folder in {**SEVEN, **MORE}.items():
        say(name)
        run = evaluate(trained(arguments, folder), documents_of(name), METHODS)
        figures = run.summary()
        ours = figures["selftrained"]
        confidence = ours["confidence"]
        probability = run.methods["selftrained"].probability
        reliable[name] = confidence["reliability"]
        risks[name] = risk_coverage(probability, run.methods["selftrained"].p_at_1)
        rows.append(
            {
                "set": name,
                "ceiling": ours["overall"]["ceiling"],
                **{method: figures[method]["overall"]["p_at_1"] for method in METHODS},
                "over_prior_name": [ours["against"]["prior-name"][key] for key in ("low", "high")],
                "ece": confidence["ece"],
                "link_f1": confidence["links"]["f1"],
                "link_precision": confidence["links"]["precision"],
                "link_recall": confidence["links"]["recall"],
                "nil_f1": confidence["nil"]["f1"],
                "risk_at": confidence["risk_coverage"]["at"],
                "cost_in_eigen": figures["eigen"]["documents_per_second"] / ours["documents_per_second"],
            }
        )
    draw_reliability(reliable, RESULTS / "selftrained-reliability.png")
    draw_risk_coverage(risks, RESULTS / "selftrained-risk.png")
    rows.append(_mean([row for row in rows if row["set"] in SEVEN], ("ceiling", *METHODS)))
    rows[-1]["share_of_ceiling"] = rows[-1]["selftrained"] / rows[-1]["ceiling"]
    print_table("P@1 and confidence", [{key: value for key, value in row.items() if key != "risk_at"} for row in rows])
    return rows


class GoldSet:
    """A set to fit on and to measure on."""

    def __init__(self, arguments: argparse.Namespace, name: str) -> None:
        self.kb = trained(arguments, SEVEN[name])
        self.batches = batch_maker(self.kb, needs_vectors=False)
        self.context = feature_context_of(self.kb, self.batches.vectors)
        self.documents = documents_of(name)
        self.ranker = Ranker.of(next(iter(self.kb.rankers.values())))

    @cached_property
    def training(self) -> list[TrainingBatch]:
        """Its documents to fit on, one batch each."""
        return [TrainingBatch.of(self.batches.make([document]), self.kb, self.context) for document in self.documents]

    def credit(self, ranker: Ranker, which: Sequence[int] | None = None) -> np.ndarray[Any, Any]:
        """1 for each mention of these documents that is ranked right, shares of it for ties."""
        chosen = range(len(self.documents)) if which is None else which
        batch = self.batches.make([self.documents[i] for i in chosen])
        table = batch.table
        probability = rank_batch(ranker, batch, self.context).candidate_probability
        return credit(table.mentions, table.mention_of, gold_rows(batch, self.kb), probability)[0]


def measure_gold(arguments: argparse.Namespace) -> list[Row]:
    rows: list[Row] = []
    hold_blas_to_one_thread()
    gold_sets = {name: GoldSet(arguments, name) for name in SEVEN}
    fitted = {name: fit_rounds(gold_set.training, gold_set.context) for name, gold_set in gold_sets.items()}
    for name, gold_set in gold_sets.items():
        say(name)
        own = []
        for fold in range(_FOLDS):
            others = [part for i, part in enumerate(gold_set.training) if i % _FOLDS != fold]
            ranker = fit_rounds(others, gold_set.context)
            own.append(gold_set.credit(ranker, range(fold, len(gold_set.documents), _FOLDS)))
        rows.append(
            {
                "set": name,
                "self-trained": float(gold_set.credit(gold_set.ranker).mean()),
                "another": ANOTHER[name],
                "gold of another": float(gold_set.credit(fitted[ANOTHER[name]]).mean()),
                "own gold": float(np.concatenate(own).mean()),
            }
        )
    rows.append(_mean(rows, ("self-trained", "gold of another", "own gold")))
    print_table("Self-trained against fitted on gold (P@1)", rows)
    return rows


def measure_ablation(arguments: argparse.Namespace) -> list[Row]:
    """Each group left out; `themes` also without vectors (coherence) and without the graph (the others).

    Weights are fitted anew, on the same made-up documents; the temperature is that of all columns.
    """
    rows: list[Row] = [{"left out": what} for what in LEFT_OUT]
    hold_blas_to_one_thread()
    for folder in dict.fromkeys(SEVEN.values()):
        kb = trained(arguments, folder)
        gold_sets = {name: GoldSet(arguments, name) for name in SEVEN if SEVEN[name] == folder}
        training, context = _made_up(kb)
        temperature = Ranker.of(next(iter(kb.rankers.values()))).temperature
        for row, (what, columns) in zip(rows, LEFT_OUT.items(), strict=True):
            say(f"{folder}: {what}")
            ranker = replace(fit_rounds(training, context, left_out=columns), temperature=temperature)
            row |= {name: float(gold_set.credit(ranker).mean()) for name, gold_set in gold_sets.items()}
    for row in rows:
        row["mean"] = float(np.mean([row[name] for name in SEVEN]))
    print_table("Left out (P@1)", rows)
    return rows


def _made_up(kb: KB) -> tuple[list[TrainingBatch], FeatureContext]:
    """Return the made-up documents that a ranker is fitted on, as `self_train` makes them, and their feature context."""
    maker = batch_maker(kb, needs_vectors=False, remembers=False)
    evidence = evidence_of(kb)
    context = FeatureContext(kb, maker.vectors, evidence, remembers=False, walked=WALKED_IN_TRAINING)
    sampler = Sampler(kb, np.random.default_rng(0), RECIPE, evidence.profiles)
    documents = sampler.documents(documents_for(kb.manifest["counts"]["named"]), written=True)
    return training_batches(documents, maker, context, lambda amount: None), context


def measure_learning(arguments: argparse.Namespace) -> list[Row]:
    """Measure P@1 on one half of the documents: without gold, with that of the other half remembered, and fitted."""
    rows: list[Row] = []
    for name, folder in {**SEVEN, **MORE}.items():
        say(name)
        kb, documents = trained(arguments, folder), documents_of(name)
        ranker = Ranker.of(next(iter(kb.rankers.values())))
        order = np.random.default_rng(0).permutation(len(documents)).tolist()
        held, others = ([documents[i] for i in half] for half in (order[: len(order) // 2], order[len(order) // 2 :]))
        row: Row = {"set": name, "0": _precision(kb, ranker, held)}
        for wanted in (20, 100, 500, 2000):
            chosen = _first_mentions(others, wanted)
            if chosen is not None:
                taught = remembering(kb, Memory().with_documents(chosen))
                row[f"{wanted} remembered"] = _precision(taught, ranker, held)
                row[f"{wanted} fitted"] = _precision(taught, gold_train(taught, ranker, chosen), held)
        rows.append(row)
        print_table("A little gold (P@1 on the other half)", rows[-1:])
    print_table("A little gold (P@1 on the other half)", rows)
    return rows


def _first_mentions(documents: Sequence[Document], wanted: int) -> list[Document] | None:
    """Return the first documents with this many mentions; None if there are fewer mentions."""
    counts = np.cumsum([len(document.mentions or ()) for document in documents])
    many = int(np.searchsorted(counts, wanted)) + 1
    return list(documents[:many]) if many <= len(documents) else None


def _precision(kb: KB, ranker: Ranker, documents: Sequence[Document]) -> float:
    """P@1 of a ranker over all mentions of some documents."""
    batches = batch_maker(kb, needs_vectors=False)
    context = FeatureContext.of(kb, batches.vectors)
    credits = []
    hold_blas_to_one_thread()
    for some in batches_of(documents, BATCH):
        batch = batches.make(some)
        probability = rank_batch(ranker, batch, context).candidate_probability
        credits.append(credit(len(batch.mentions), batch.table.mention_of, gold_rows(batch, kb), probability)[0])
    return float(np.concatenate(credits).mean())


def _mean(rows: list[Row], columns: Sequence[str]) -> Row:
    return {"set": "mean", **{column: float(np.mean([row[column] for row in rows])) for column in columns}}


if __name__ == "__main__":
    main()

"""The analyses of the paper that link a set again and again: what methods earn, and how settings change it.

Each analysis is `analysis(lab, planned, advance)` and yields rows of figures, a JSON object each; tables and pictures are made
of these and never compute.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.progress import Advance
from eigenthemes.kb.store import KB
from eigenthemes.metrics.precision import EASY, HARD, difficulty
from eigenthemes.ranking.baselines import context_rank
from eigenthemes.ranking.batch import Batch, gold_rows, judged
from eigenthemes.ranking.context import context_scores
from eigenthemes.ranking.methods import METHODS, Method, MethodOptions
from eigenthemes.ranking.options import Scores
from eigenthemes.records import Document
from eigenthemes.reproduction.earnings import Earnings, Row, mean
from eigenthemes.reproduction.lab import Lab
from eigenthemes.reproduction.plan import SectionPlan
from eigenthemes.text.english import forget

Rows = Iterator[Row]


def datasets(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """Table 1: easy, hard and not-found mentions, with all candidates and with T; and how many candidates these have."""
    for name in lab.sets(planned.sets):
        given = any(mention.candidates is not None for document in lab.documents(name) for mention in document.mentions or ())
        for limit in (None, planned.options["max_candidates"]):
            batches = lab.batches(name, generator=planned.options["generator"], max_candidates=limit)
            counted = [_counted(batch, lab.kb_of(name)) for batch in batches]
            level, candidates, in_kb = (np.concatenate(parts) for parts in zip(*counted, strict=True))
            easy, hard = level == EASY, level == HARD
            yield {
                "set": name,
                "kb": lab.plan.sets[name].kb,
                "given": given,
                "max_candidates": limit,
                "documents": len(lab.documents(name)),
                "easy": int(easy.sum()),
                "hard": int(hard.sum()),
                "not_found": int((~easy & ~hard).sum()),
                "oracle_recall": mean(easy | hard),
                "gold_in_kb": mean(in_kb),
                "candidates_easy": mean(candidates[easy]),
                "candidates_hard": mean(candidates[hard]),
            }
        advance(1)


def quality(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """Table 2: precision@1 and MRR of every method, overall, easy and hard; marks where the best is significantly better."""
    for name in lab.sets(planned.sets):
        methods = lab.methods(name, planned.options["methods"])
        earnings = Earnings.of(lab.run(name, methods, **_generation(planned), ties=planned.options["ties"]))
        marks, p_values = earnings.marks(), earnings.p_values("eigen")
        for method in methods:
            figures = {**earnings.counts(), **earnings.figures(method)}
            compared = {"significant": marks[method], "p_against_eigen": p_values.get(method)}
            yield {"set": name, "method": method, **figures, **compared}
        advance(1)


def mutilation(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """Figure 3a: easy mentions are taken out before anything is linked, so that subspaces are fitted to what remains."""
    runs = planned.options["runs"]
    for name in lab.sets(planned.sets):
        methods = lab.methods(name, planned.options["methods"])
        easy = _easy_mentions(lab, name, planned)
        random = np.random.default_rng(lab.plan.seed)
        for fraction in np.linspace(1, 0, 11).round(1).tolist():
            found: dict[str, list[float]] = {method: [] for method in methods}
            for _ in range(1 if fraction in (0, 1) else runs):  # nothing is drawn there
                kept = random.permutation(len(easy))[: round(fraction * len(easy))]
                gone = set(easy) - {easy[i] for i in kept.tolist()}
                documents = _without(lab.documents(name), gone)
                earnings = Earnings.of(lab.run(name, methods, documents=documents, **_generation(planned)))
                for method in methods:
                    found[method].append(earnings.figures(method, ["overall"])["overall_p_at_1"])
            for method, values in found.items():
                yield {
                    "set": name,
                    "method": method,
                    "fraction": fraction,
                    "p_at_1": float(np.mean(values)),
                    "deviation": float(np.std(values)),
                    "runs": len(values),
                }
            advance(1 / 11)


def recall(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """Figure 6: the share of mentions whose gold is among the first T candidates, with and without aliases."""
    for name in lab.sets(planned.sets):
        kb = lab.kb_of(name)
        for aliases in (True, False):
            ranks = [
                _gold_rank(each, kb) for each in lab.batches(name, generator="paper", max_candidates=None, aliases=aliases)
            ]
            rank = np.concatenate(ranks)
            for limit in planned.options["limits"]:
                found = rank <= limit if limit else np.isfinite(rank)
                yield {"set": name, "generator": "paper", "aliases": aliases, "limit": limit or None, "recall": mean(found)}
        for limit in planned.options["limits"]:
            batches = lab.batches(name, generator="default", max_candidates=limit) if limit else ()
            ranks = [_gold_rank(each, kb) for each in batches]
            if ranks:
                found = np.isfinite(np.concatenate(ranks))
                yield {"set": name, "generator": "default", "aliases": True, "limit": limit, "recall": mean(found)}
        advance(1)


def embeddings(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """Figure 7a-b: which vectors are best. The candidates are the same for all; those without a vector come last."""
    for name in lab.sets(planned.sets):
        for vectors in sorted(lab.kb_of(name).vector_sets):
            found = Earnings.of(lab.run(name, ["average", "eigen"], vectors=vectors))
            for method in ("average", "eigen"):
                yield {"set": name, "vectors": vectors, "method": method, **found.figures(method)}
        advance(1)


def components(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """Figure 7c-d: the number of eigenthemes, without weights."""
    for name in lab.sets(planned.sets):
        for k in planned.options["components"]:
            found = Earnings.of(lab.run(name, ["eigen-unweighted"], k=k, **_generation(planned)))
            yield {"set": name, "k": k, **found.figures("eigen-unweighted")}
        advance(1)


def schemes(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """Figure 8c-d: what candidates are ranked by for their weights, and how good that ranking is alone."""
    for name in lab.sets(planned.sets):
        for scheme in ("degree", "local", "global", "none"):
            if scheme in ("local", "global") and not lab.reads(name):
                continue
            found = Earnings.of(lab.run(name, ["eigen"], weights=scheme, **_generation(planned)))
            yield {"set": name, "scheme": scheme, "ranking": "eigen", **found.figures("eigen")}
            if scheme == "degree":
                alone = Earnings.of(lab.run(name, ["degree"], **_generation(planned)))
                yield {"set": name, "scheme": scheme, "ranking": "weight", **alone.figures("degree")}
            elif scheme != "none":
                alone = _by_context(lab, name, scheme, planned)
                yield {"set": name, "scheme": scheme, "ranking": "weight", **alone.figures(scheme)}
        advance(1)


def windows(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """How many words on each side make the best local context (the paper: 5)."""
    for name in lab.sets(planned.sets):
        if lab.reads(name):
            for window in planned.options["windows"]:
                found = Earnings.of(lab.run(name, ["local-context"], window=window, **_generation(planned)))
                yield {"set": name, "window": window, **found.figures("local-context")}
            whole = Earnings.of(lab.run(name, ["global-context"], **_generation(planned)))
            yield {"set": name, "window": None, **whole.figures("global-context")}
        advance(1)


def limits_and_deltas(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """Figure 9: the number of candidates and the exponent of the weights, easy and hard mentions apart.

    What is easy and what is hard is decided once, among all candidates: every point of a line counts the same mentions.
    """
    for name in lab.sets(planned.sets):
        whole = {**_generation(planned), "max_candidates": None}
        level = np.concatenate([_counted(batch, lab.kb_of(name))[0] for batch in lab.batches(name, **whole)])
        for limit in planned.options["limits"]:
            for delta in planned.options["deltas"]:
                options = {**_generation(planned), "max_candidates": limit}
                found = replace(Earnings.of(lab.run(name, ["eigen"], delta=float(delta), **options)), difficulty=level)
                yield {"set": name, "limit": limit, "delta": delta, **found.figures("eigen")}
            advance(1 / len(planned.options["limits"]))


def ablations(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """What the paper states in words: themes scaled by their strength, and vectors of unit length, are better."""
    variants: dict[str, dict[str, Any]] = {
        "as in the paper": {},
        "without strengths": {"strengths": False},
        "vectors of any length": {"unit_length": False},
        "an entity once a document": {"unique": True},
        "all themes": {"k": None},
    }
    for name in lab.sets(planned.sets):
        kb = lab.kb_of(name)
        measured = [each for each in kb.vector_sets if kb.vectors(each).known_lengths is not None]
        for vectors in dict.fromkeys([*measured, next(iter(kb.vector_sets))]):
            for variant, options in variants.items():
                if "unit_length" in options and vectors not in measured:
                    continue
                found = Earnings.of(lab.run(name, ["eigen"], **{**_generation(planned), **options, "vectors": vectors}))
                yield {"set": name, "vectors": vectors, "variant": variant, **found.figures("eigen")}
        advance(1)


def run_times(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """How long each method takes, candidates and scores apart, one thread.

    The best of some runs; of methods that read the text the first, since nouns and descriptions are remembered afterwards.
    """
    for name in lab.sets(planned.sets):
        methods = lab.methods(name, planned.options["methods"])
        fresh, seconds = Lab(lab.plan, lab.folder), {method: list[float]() for method in methods}  # nothing is remembered
        forget()
        candidates: list[float] = []
        for _ in range(planned.options["runs"]):
            run = fresh.run(name, methods, **_generation(planned))
            candidates.append(run.seconds)
            for method in methods:
                seconds[method].append(run.methods[method].seconds)
        for method in methods:
            took = seconds[method][0] if METHODS[method].reads else min(seconds[method])
            yield {
                "set": name,
                "method": method,
                "documents": len(lab.documents(name)),
                "mentions": sum(map(len, run.document)),
                "candidate_seconds": min(candidates),
                "seconds": took,
                "documents_per_second": len(lab.documents(name)) / (min(candidates) + took),
            }
        advance(1)


def graphs(lab: Lab, planned: SectionPlan, advance: Advance) -> Rows:
    """How dense the graphs are, and how their degrees are distributed."""
    for kb_name in sorted({lab.plan.sets[name].kb for name in lab.sets(planned.sets)}):
        graph = lab.kb(kb_name).graph
        if not graph.edges:
            continue
        degree = np.sort(graph.degree)
        points = np.unique(np.geomspace(1, max(1, int(degree[-1])), 60).round().astype(int))
        at_least = 1 - np.searchsorted(degree, points) / len(degree)
        yield {
            "kb": kb_name,
            "nodes": len(graph),
            "edges": int(graph.edges),
            "density": graph.edges / len(graph),
            "median_degree": float(np.median(degree)),
            "degree": points.tolist(),
            "share_at_least": at_least.round(6).tolist(),
        }
    advance(len(planned.sets))


def _generation(planned: SectionPlan) -> dict[str, Any]:
    """How the candidates of a section are found, and with which vectors it works."""
    options = planned.options
    vectors = {"vectors": options["vectors"]} if options.get("vectors") else {}
    return {"generator": options["generator"], "max_candidates": options["max_candidates"], **vectors}


def _counted(batch: Batch, kb: KB) -> tuple[NDArray[Any], ...]:
    """Of each mention with gold: difficulty, number of candidates, is its gold in the KB?"""
    table = batch.table
    level = difficulty(table.mentions, table.mention_of, table.rank, gold_rows(batch, kb))
    candidates = np.bincount(table.mention_of, minlength=table.mentions)
    known = np.array(
        [any(kb.index_of(each) is not None for each in mention.gold or ()) for mention in batch.mentions], dtype=bool
    )
    counted = judged(batch)
    return level[counted], candidates[counted], known[counted]


def _gold_rank(batch: Batch, kb: KB) -> NDArray[np.float64]:
    """The rank of the first gold of each mention with gold; infinite: not found."""
    table, is_gold = batch.table, gold_rows(batch, kb)
    rank = np.full(table.mentions, np.inf)
    np.minimum.at(rank, table.mention_of[is_gold], table.rank[is_gold].astype(np.float64))
    return rank[judged(batch)]


def _easy_mentions(lab: Lab, name: str, planned: SectionPlan) -> list[tuple[int, int]]:
    """(document, mention) of every easy mention."""
    found, before = [], 0
    for batch in lab.batches(name, **_generation(planned)):
        table = batch.table
        level = difficulty(table.mentions, table.mention_of, table.rank, gold_rows(batch, lab.kb_of(name)))
        for i in np.flatnonzero(level == EASY).tolist():
            document = int(np.searchsorted(batch.mention_bounds, i, side="right")) - 1
            found.append((before + document, i - int(batch.mention_bounds[document])))
        before += len(batch.documents)
    return found


def _without(documents: list[Document], gone: set[tuple[int, int]]) -> list[Document]:
    """The documents without some of their mentions."""
    return [
        replace(document, mentions=tuple(each for i, each in enumerate(document.mentions or ()) if (number, i) not in gone))
        for number, document in enumerate(documents)
    ]


def _by_context(lab: Lab, name: str, scheme: str, planned: SectionPlan) -> Earnings:
    """What the ranking behind the weights earns alone: all words of the document where the context is global."""

    def score(batch: Batch, kb: KB, *, options: MethodOptions) -> Scores:
        return -context_rank(batch, context_scores(batch, kb, scheme, options)).astype(np.float64)

    return Earnings.of(lab.run(name, {scheme: Method(score)}, **_generation(planned)))

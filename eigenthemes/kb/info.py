"""The card of a KB: what is in it, in a few figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.attributes import type_label
from eigenthemes.kb.manifest import prior_words, ranker_words, vectors_words
from eigenthemes.kb.store import KB

_WEIGHTS_PER_LINE = 6
_MOST_TYPES = 4  # that a corpus has more often, and as many that it has less often
_OFTEN = 1.5  # times
_DEFAULTS = {"embedding": "prone", "train": True, "header": True}  # of the options of a build; all others are empty


def card(kb: KB) -> dict[str, Any]:
    """Return the figures of a KB."""
    counts = kb.manifest["counts"]
    degree = kb.graph.degree
    return {
        "path": str(kb.path),
        "format_version": kb.manifest["version"],
        "built_with": kb.manifest["tool"],
        "sources": kb.manifest["sources"],
        "options": _given(kb.manifest["options"]),
        "counts": counts,
        "vectors": kb.vector_sets,
        "rankers": kb.rankers,
        "piles": {name: corpus_prior_in_words(kb, ranker["pile"]) for name, ranker in kb.rankers.items() if "pile" in ranker},
        "memory": kb.manifest.get("memory", {}),
        "missing": kb.missing_parts(),
        "left_out": kb.manifest["left_out"],
        "problems": kb.manifest["problems"],
        "notes": kb.manifest.get("notes", []),
        "names_per_entity": counts["names"] / max(1, counts["named"]),
        "ambiguity": counts["ambiguous_names"] / max(1, counts["distinct_names"]),
        "density": counts["edges"] / max(1, counts["entities"]),
        "degree": {
            "mean": float(degree.mean()) if len(degree) else 0.0,
            "median": float(np.median(degree)) if len(degree) else 0.0,
            "max": int(degree.max()) if len(degree) else 0,
            "distribution": degree_bins(degree),
        },
        "bytes": sum(file["bytes"] for file in kb.manifest["files"].values()),
    }


def degree_bins(degree: NDArray[np.int64]) -> list[dict[str, int]]:
    """Count nodes by degree in bins that double: 0, 1, 2-3, 4-7, ..."""
    counts = np.bincount(np.frexp(degree)[1])  # by the number of bits of a degree
    return [{"from": (1 << bits) >> 1, "to": (1 << bits) - 1, "nodes": nodes} for bits, nodes in enumerate(counts.tolist())]


def card_lines(figures: dict[str, Any], *, remedies: Mapping[str, str] | None = None) -> Iterator[str]:
    """Yield the lines of `info`; `remedies` has advice for missing "vectors" and a missing "ranker"."""
    counts, none = figures["counts"], {part: f"none; {remedy}" for part, remedy in (remedies or {}).items()}
    rows = [
        (
            "built with",
            f"{figures['built_with']['name']} {figures['built_with']['version']}, format {figures['format_version']}",
        ),
        *(("source", f"{source['name']} ({source['bytes']:,} bytes)") for source in figures["sources"]),
        ("options", ", ".join(f"{key}={_option(value)}" for key, value in figures["options"].items()) or "defaults"),
        ("size", f"{figures['bytes'] / 1e6:,.1f} MB"),
        ("entities", f"{counts['entities']:,}"),
        ("named", f"{counts['named']:,} ({counts['named'] / max(1, counts['entities']):.1%}; the others only connect)"),
        ("names", f"{counts['names']:,}, {figures['names_per_entity']:.2f} per named entity"),
        ("ambiguity", f"{figures['ambiguity']:.1%} of {counts['distinct_names']:,} distinct names have more than one entity"),
        ("described", f"{counts['described']:,}"),
        ("types", f"{counts['types']:,}"),
        ("redirects", f"{counts['redirects']:,}"),
        (
            "edges",
            f"{counts['edges']:,} distinct, of {counts['edge_statements']:,} statements, {counts['relations']:,} relations",
        ),
        ("density", f"{figures['density']:.2f} edges per entity"),
        ("isolated", f"{counts['isolated']:,} entities without an edge"),
        ("prior", prior_words(counts)),
        *(("vectors", vectors_words(name, about)) for name, about in figures["vectors"].items()),
        *([] if figures["vectors"] else [("vectors", none.get("vectors", "none"))]),
        *(row for name, about in figures["rankers"].items() for row in _ranker(name, about, figures["piles"].get(name))),
        *([] if figures["rankers"] else [("ranker", none.get("ranker", "none"))]),
        *([("corrections", memory_in_words(figures["memory"]))] if figures["memory"] else []),
        *(("missing", sentence) for sentence in figures["missing"]),
        *(("note", note) for note in figures["notes"]),
        *(("left out", f"{count:,} ({reason})") for reason, count in figures["left_out"].items()),
        *(("problem", f"{problem}: {count:,}") for problem, count in figures["problems"].items()),
    ]
    yield figures["path"]
    for name, value in rows:
        yield f"  {name:<11} {value}"
    yield from _degree_lines(figures["degree"])


def memory_in_words(counts: dict[str, int]) -> str:
    """Return the counts of corrections in words."""
    words = []
    if counts["corrections"]:
        parts = ((counts["none"], "none of this KG"), (counts["not_a_name"], "not a name"))
        apart = ", ".join(f"{count:,} {what}" for count, what in parts if count)
        words.append(
            f"{_counted(counts['corrections'], 'correction')} of {_counted(counts['names'], 'name')} in "
            f"{_counted(counts['documents'], 'document')}{f' ({apart})' if apart else ''}"
        )
    if counts["added_names"]:
        words.append(_counted(counts["added_names"], "added name"))
    if counts.get("gone"):
        words.append(f"{counts['gone']:,} without effect, as the KG no longer has their entities")
    return ", ".join(words)


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def corpus_prior_in_words(kb: KB, pile: dict[str, Any]) -> str:
    """Return in words which types are over- and under-represented in the corpus; empty if none is."""
    ranked = sorted(pile["often"].items(), key=lambda item: item[1])
    rare = [item for item in ranked[:_MOST_TYPES] if item[1] <= 1 / _OFTEN]
    often = [item for item in ranked[: -_MOST_TYPES - 1 : -1] if item[1] >= _OFTEN]
    return ", ".join(f"{type_label(kb, type_id)} {times:.2g} x" for type_id, times in (*often, *rare))


def _ranker(name: str, about: dict[str, Any], pile: str | None = None) -> Iterator[tuple[str, str]]:
    """Yield how a ranker was trained, what it goes by, and how often answers of each probability were right."""
    made = about.get("made_up")
    yield "ranker", ranker_words(name, about)
    if "gold" in about:
        yield "", f"and on gold: {about['gold']['documents']:,} documents, {about['gold']['mentions']:,} mentions"
    if "adapted" in about:
        yield "", f"adapted to {about['adapted']['documents']:,} documents, {about['adapted']['names']:,} names found in them"
    if pile is not None:
        yield "", f"and to what {about['pile']['documents']:,} documents are about: {pile or 'nothing in particular'}"
    if made:
        figures = f"{made['p_at_1']:.1%} right on {made['mentions']:,} mentions of other made-up documents"
        yield "", f"{figures}, calibration error there {made['calibration_error']:.3f}"
    yield from _tables(about.get("tables"))
    weights = {column: weight for column, weight in about["rounds"][-1]["choice"].items() if weight}
    texts = [f"{column} {weight:+.2f}" for column, weight in weights.items()]
    for first in range(0, len(texts), _WEIGHTS_PER_LINE):
        yield "" if first else "weights", ", ".join(texts[first : first + _WEIGHTS_PER_LINE])
    if unlearned := [column for column in about.get("unlearned", ()) if column not in weights]:
        yield "", f"never varied, weight 0: {', '.join(unlearned)}"
    rows = [row for row in made["reliability"] if row["mentions"]] if made else []
    bins = ", ".join(f"{row['confidence']:.0%}: {row['accuracy']:.0%}" for row in rows)
    if rows:
        yield "reliability", f"said and right: {bins}"


def _tables(about: dict[str, Any] | None) -> Iterator[tuple[str, str]]:
    """Yield how it was trained for the cells of tables."""
    if about is None:
        yield "", "not trained for the columns of tables: cells are linked as names of a text"
        return
    trained = f"trained on {about['training']['tables']:,} made-up tables; " if "training" in about else ""
    right = f", {about['made_up']['p_at_1']:.1%} right on other made-up tables" if "made_up" in about else ""
    yield "tables", f"{trained}threshold of cells {about['threshold']:.2f}{right}"


def _degree_lines(degree: dict[str, Any]) -> Iterator[str]:
    yield f"  {'degree':<11} mean {degree['mean']:.2f}, median {degree['median']:.0f}, max {degree['max']:,}"
    most = max((bin_["nodes"] for bin_ in degree["distribution"]), default=1)
    for bin_ in degree["distribution"]:
        span = str(bin_["from"]) if bin_["from"] == bin_["to"] else f"{bin_['from']:,}-{bin_['to']:,}"
        bar = "█" * round(40 * bin_["nodes"] / max(1, most)) or ("▏" if bin_["nodes"] else "")
        yield f"  {span:>15} {bin_['nodes']:>10,} {bar}"


def _given(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a build that are neither empty nor the default."""
    return {key: value for key, value in options.items() if (value != _DEFAULTS[key] if key in _DEFAULTS else value)}


def _option(value: Any) -> str:
    return "|".join(map(str, value)) if isinstance(value, list) else "none" if value is None else str(value)

"""A KB in ten lines, from its manifest alone: what a notebook shows of it."""

from __future__ import annotations

from typing import Any


def overview_rows(manifest: dict[str, Any]) -> list[tuple[str, str]]:
    """Return the names and values of the overview of a KB."""
    counts, vectors, rankers = manifest["counts"], manifest.get("vectors", {}), manifest.get("rankers", {})
    ambiguous = counts["ambiguous_names"] / max(1, counts["distinct_names"])
    return [
        ("sources", ", ".join(source["name"] for source in manifest["sources"])),
        ("entities", f"{counts['entities']:,}, {counts['named']:,} of them named"),
        ("names", f"{counts['names']:,}; {ambiguous:.1%} of the distinct ones have more than one entity"),
        ("edges", f"{counts['edges']:,}, of {counts['relations']:,} relations"),
        ("prior", prior_words(counts)),
        *(("vectors", vectors_words(name, about)) for name, about in vectors.items()),
        *(("ranker", ranker_words(name, about)) for name, about in rankers.items()),
        *([] if rankers else [("ranker", "none: there are no probabilities until it is trained")]),
        ("size", f"{sum(file['bytes'] for file in manifest['files'].values()) / 1e6:,.1f} MB, format {manifest['version']}"),
    ]


def prior_words(counts: dict[str, Any]) -> str:
    """Say where the priors come from."""
    return "the degree" if counts["prior"] == "degree" else "given by the sources"


def vectors_words(name: str, about: dict[str, Any]) -> str:
    """Say how a set of vectors was made."""
    source = f" from {about['source']}" if "source" in about else ""
    sizes = "".join(f", {about[key]:,} {key}" for key in ("dimensions", "entities") if key in about)
    return f"{name}: {about.get('method', 'given')}{source}{sizes}"


def ranker_words(name: str, about: dict[str, Any]) -> str:
    """Say how a ranker was trained, and what its threshold is."""
    used = f" with {name}" if name else ""
    trained = f"trained{used} on {about['training']['documents']:,} made-up documents" if "training" in about else "given"
    return f"{trained}; threshold {about['threshold']:.2f}"

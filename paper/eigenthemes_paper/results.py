"""Results on disk: for each section a file of rows, whose first line holds all that they depend on."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
import time
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import orjson

from eigenthemes import __version__
from eigenthemes.core.progress import Advance
from eigenthemes.names.generator import MAX_CANDIDATES
from eigenthemes.ranking.methods import all_methods
from eigenthemes.text.words import noun_tagger
from eigenthemes_paper.plan import SectionPlan
from eigenthemes_paper.rows import Row
from eigenthemes_paper.sections import SECTIONS
from eigenthemes_paper.workspace import Workspace, write_atomically

_PACKAGES = ("numpy", "scipy", "numba", "scikit-learn", "textblob", "torch")


def compute_section(workspace: Workspace, planned: SectionPlan, out: Path, advance: Advance) -> None:
    """Compute the rows of a section and write them, after a line with their options and hashes."""
    compute = SECTIONS[planned.kind].compute
    assert compute is not None
    start = time.perf_counter()
    rows = [
        {"section": planned.name, **_settings(workspace, planned, row), **row} for row in compute(workspace, planned, advance)
    ]
    made = {"commit": commit(), "date": f"{datetime.now(UTC):%Y-%m-%d}", "seconds": round(time.perf_counter() - start, 2)}
    header = {**made_of(workspace, planned), **made, "rows": len(rows)}
    lines = b"".join(
        orjson.dumps(row, option=orjson.OPT_APPEND_NEWLINE | orjson.OPT_SERIALIZE_NUMPY) for row in [header, *rows]
    )
    write_atomically(_file(out, planned.name), lines)


def _settings(workspace: Workspace, planned: SectionPlan, row: Row) -> Row:
    """Return vectors, generator, T, k and delta of a row, where it does not say so itself."""
    section, options = SECTIONS[planned.kind], planned.options
    if "set" not in row:
        return {}
    sets = workspace.kb_of(row["set"]).vector_sets if row["set"] in workspace.plan.sets else ()
    method = all_methods().get(row.get("method", section.method) or "")
    used = None if method is None else method.effective(None)
    needs_vectors = method is None or method.uses_vectors or options.get("generator") == "paper"
    return {
        "vectors": options.get("vectors") or next(iter(sets), None) if needs_vectors else None,
        "generator": options.get("generator", "default"),
        "max_candidates": row.get("limit", options.get("max_candidates", MAX_CANDIDATES)),
        "k": getattr(used, "k", None),
        "delta": getattr(used, "delta", None),
    }


def commit() -> str:
    """Return the commit of the program, with "-dirty" if its code was changed; its version where there is no repository."""
    try:
        changes = _git("status", "--porcelain", "--", ".", ":/eigenthemes")  # the results themselves may be new
        return _git("rev-parse", "--short=10", "HEAD") + ("-dirty" if changes else "")
    except (OSError, subprocess.CalledProcessError):
        return f"version {__version__}"


def _git(*arguments: str) -> str:
    command = ["git", "-C", str(Path(__file__).parent), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def read_rows(out: Path, name: str) -> tuple[Row | None, list[Row]]:
    """Read how the rows of a section were made, and the rows; None: they were not."""
    file = _file(out, name)
    if not file.exists():
        return None, []
    header, *rows = map(orjson.loads, file.read_bytes().splitlines())
    return header, rows


def is_current(workspace: Workspace, planned: SectionPlan, header: Row | None) -> bool:
    """Return whether the rows of a section were computed from the files and options that the plan has now."""
    return header is not None and header["fingerprint"] == made_of(workspace, planned)["fingerprint"]


def made_of(workspace: Workspace, planned: SectionPlan) -> Row:
    """Return all that the rows of a section depend on."""
    sets = workspace.available(planned.sets)
    limits = {name: workspace.plan.sets[name].limit for name in sets}
    made = {
        "section": planned.name,
        "kind": planned.kind,
        "options": dict(planned.options),
        "seed": workspace.plan.seed,
        "limits": {name: limit for name, limit in limits.items() if limit is not None},
        "hashes": {**workspace.hashes(sets), **_hashes_of_other_files(workspace, planned)},
        "missing": _missing(workspace, planned),
        "nouns": noun_tagger_name(),
        "versions": versions(),
    }
    return {**made, "fingerprint": hashlib.sha256(json.dumps(made, sort_keys=True).encode()).hexdigest()[:16]}


def versions() -> dict[str, str]:
    """Return the versions of the packages that results may depend on."""
    installed = {"eigenthemes": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            installed[package] = version(package)
        except PackageNotFoundError:
            continue
    return installed


def noun_tagger_name() -> str:
    """Return the name of the noun tagger."""
    return noun_tagger() or "content words"


def _hashes_of_other_files(workspace: Workspace, planned: SectionPlan) -> dict[str, str]:
    """Return the hashes of files that are no documents: word vectors, a dictionary."""
    words = workspace.word_vectors_hash
    hashes = {} if words is None else {str(workspace.plan.word_vectors): words}
    if file := planned.options.get("dictionary"):
        hashes[file] = workspace.hash_of(file)
    return hashes


def _missing(workspace: Workspace, planned: SectionPlan) -> list[str]:
    """Return what a section lacks, a sentence each."""
    section = SECTIONS[planned.kind]
    sentences = [sentence for name in planned.sets if (sentence := workspace.missing(name))]
    for name in workspace.available(planned.sets):
        if section.reads and (why := workspace.unreadable(name)):
            sentences.append(f"{name}: {why}")
        wanted = planned.options.get("methods", ())
        ready = workspace.methods(name, wanted)
        if unready := [method for method in wanted if method not in ready]:
            sentences.append(f"{', '.join(unready)} on {name}")
    return sentences


def _file(out: Path, name: str) -> Path:
    return out / "results" / f"{name}.jsonl"

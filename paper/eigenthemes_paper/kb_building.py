"""The KBs of an experiment: built once from the files of the plan, and kept in the workspace."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import orjson

from eigenthemes import __version__
from eigenthemes.build import build_kb, embed_kb, import_vectors, store
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.documents.reader import read_gold
from eigenthemes.embeddings.vector_sets import VectorSet
from eigenthemes.errors import KBError, SourceError
from eigenthemes.kb.store import KB
from eigenthemes.train import train_kb
from eigenthemes_paper.pickles import SUFFIXES, read_pickle
from eigenthemes_paper.plan import KBPlan
from eigenthemes_paper.workspace import Workspace, write_atomically

_RANDOM_DIMENSIONS = 128


def build_kbs(workspace: Workspace, *, jobs: int = 1, progress: Progress | None = None) -> list[dict[str, Any]]:
    """Build every KB whose files are there and that was not built before.

    Returns for each the seconds of its steps; of one that was built before, those it took then.
    """
    return [_build(workspace, workspace.plan.kbs[name], jobs, progress or Silent()) for name in workspace.kb_names()]


def _build(workspace: Workspace, planned: KBPlan, jobs: int, progress: Progress) -> dict[str, Any]:
    path, note = workspace.kb_path(planned.name), workspace.folder / f"{planned.name}.json"
    made_of = _fingerprint(workspace, planned)
    before = _read_note(note)
    if before.get("made_of") == made_of and _opens(path):
        return dict(before["steps"])
    workspace.folder.mkdir(parents=True, exist_ok=True)
    note.unlink(missing_ok=True)  # until it is whole
    steps = _Steps(planned.name)
    if planned.published:
        _build_published(workspace, planned, path, steps)
    else:
        sources = [workspace.plan.file(source) for source in planned.sources]
        with steps.time("build"):
            build_kb(sources, path, embedding=None, train=False, force=True, jobs=jobs, progress=progress)
    _add_vectors(workspace, planned, path, steps, jobs, progress)
    write_atomically(note, json.dumps({"made_of": made_of, "steps": steps.seconds}, indent=1).encode() + b"\n")
    return steps.seconds


def _fingerprint(workspace: Workspace, planned: KBPlan) -> dict[str, Any]:
    """Return all that a KB depends on."""
    paths = (*workspace.sources(planned.name), *workspace.published(planned.name))
    files = {path: workspace.hash_of(path) for path in paths}
    options = {"vectors": list(planned.vectors), "deepwalk": dict(planned.deepwalk), "train": planned.train}
    words = workspace.word_vectors_hash if "descriptions" in planned.vectors else None
    return {"version": __version__, "files": files, "words": words, "seed": workspace.plan.seed, **options}


def _build_published(workspace: Workspace, planned: KBPlan, path: Path, steps: _Steps) -> None:
    """Build a KB of every candidate of the authors' documents."""
    nodes = workspace.folder / f"{planned.name}.nodes.jsonl"
    with open(nodes, "wb") as out:
        for node in published_nodes([workspace.plan.file(file) for file in workspace.published(planned.name)]):
            out.write(orjson.dumps(node, option=orjson.OPT_APPEND_NEWLINE))
    with steps.time("build"):
        build_kb([nodes], path, embedding=None, train=False, force=True)
    nodes.unlink()


def _add_vectors(workspace: Workspace, planned: KBPlan, path: Path, steps: _Steps, jobs: int, progress: Progress) -> None:
    """Add the vectors of a plan, and train the ranker with them."""
    seed = workspace.plan.seed
    for name in planned.vectors if planned.sources else ():
        if name == "descriptions" and workspace.word_vectors is None:
            continue
        with steps.time(name):
            if name == "random":
                store(KB.open(path), random_vectors(KB.open(path), seed), train=False)
            elif name == "descriptions":
                embed_kb(path, method=name, word_vectors=workspace.word_vectors, train=False)
            else:
                options = {"unit_length": False, **planned.deepwalk} if name == "deepwalk" else {}
                embed_kb(path, method=name, seed=seed, train=False, jobs=jobs, progress=progress, **options)
    if planned.imported is not None:  # last: what somebody brings is what is used unless another set is asked for
        with steps.time("import"):
            _import(path, workspace.plan.file(planned.imported), workspace.folder)
    if planned.train and planned.sources:
        with steps.time("train"):
            train_kb(path, seed=seed, progress=progress)


def _import(kb: Path, file: Path, folder: Path) -> None:
    """Import a file of vectors; those of a pickle by way of an array, which the product reads."""
    if file.suffix not in SUFFIXES:
        import_vectors(kb, file, train=False)
        return
    names, matrix = read_pickle(file)
    with TemporaryDirectory(dir=folder) as temporary:
        ids, array = Path(temporary, f"{file.stem}.ids"), Path(temporary, f"{file.stem}.npy")
        ids.write_text("".join(f"{name}\n" for name in names), encoding="utf-8")
        np.save(array, matrix)
        import_vectors(kb, array, ids=ids, train=False)


def published_nodes(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yield every candidate that documents in the authors' layout give: its id, name and highest prior."""
    nodes: dict[str, dict[str, Any]] = {}
    for file in files:
        for document in read_gold(file):
            for mention in document.mentions or ():
                for entity_id, prior, name in mention.source.get("candidates") or ():
                    node = nodes.setdefault(str(entity_id), {"id": str(entity_id), "name": name, "prior": prior})
                    node["prior"] = max(node["prior"], prior)
    if not nodes:
        raise SourceError(
            f"{files[0]} gives no candidates; expected the authors' layout, with candidates for each mention",
            where=str(files[0]),
        )
    yield from nodes.values()


def random_vectors(kb: KB, seed: int) -> VectorSet:
    """Return a control: directions at random, for the entities that have a neighbour."""
    rows = np.random.default_rng(seed).standard_normal((len(kb), _RANDOM_DIMENSIONS), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[kb.graph.degree == 0] = 0
    return VectorSet("random", rows, {"method": "random", "seed": seed})


class _Steps:
    """Seconds that each step of making a KB took."""

    def __init__(self, kb: str) -> None:
        self.seconds: dict[str, Any] = {"kb": kb}

    @contextmanager
    def time(self, step: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[step] = round(time.perf_counter() - start, 2)


def _read_note(path: Path) -> dict[str, Any]:
    """Return what was noted when a KB was made; nothing, if it was not, or the note is torn."""
    try:
        return dict(json.loads(path.read_text()))
    except (OSError, ValueError):
        return {}


def _opens(path: Path) -> bool:
    try:
        KB.open(path)
    except KBError:
        return False
    return True

"""What the analyses work with: KBs made once and kept, documents read once, and what is not there said once."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from eigenthemes import __version__
from eigenthemes.build import build_kb, embed_kb, import_vectors, store, train_kb
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.documents.reader import read_gold
from eigenthemes.embeddings.vector_sets import VectorSet
from eigenthemes.errors import DocumentError, KBError, MissingExtraError, OptionError, SourceError
from eigenthemes.evaluation.run import Run, evaluate
from eigenthemes.kb.store import KB
from eigenthemes.ranking.batch import BATCH, Batch, batch_maker
from eigenthemes.ranking.context import has_text, texts_of
from eigenthemes.ranking.methods import METHODS, Method, MethodOptions
from eigenthemes.records import Document
from eigenthemes.reproduction.plan import KBPlan, Plan, SetPlan

_RANDOM_DIMENSIONS = 128


class Lab:
    """The KBs and sets of a plan, as far as their files are there.

    folder  KBs are built here once, and kept
    """

    def __init__(self, plan: Plan, folder: str | Path) -> None:
        self.plan, self.folder = plan, Path(folder)
        self._kbs: dict[str, KB] = {}
        self._documents: dict[str, list[Document]] = {}
        self._hashes: dict[str, str] = {}

    # what is there

    def missing(self, name: str) -> str:
        """What a set lacks, as a sentence; empty: nothing."""
        planned = self.plan.sets[name]
        for path in (planned.documents, *self._sources(self.plan.kbs[planned.kb])):
            if not self.plan.file(path).exists():
                return f"{name}: {path} is not there"
        return ""

    def sets(self, names: Sequence[str]) -> list[str]:
        """Those of the sets that are there."""
        return [name for name in names if not self.missing(name)]

    @cached_property
    def word_vectors(self) -> str | None:
        """The file of word vectors, if it is there."""
        path = self.plan.word_vectors
        return str(self.plan.file(path)) if path is not None and self.plan.file(path).exists() else None

    @cached_property
    def words_hash(self) -> str | None:
        return None if self.word_vectors is None else _sha256(Path(self.word_vectors))

    def hashes(self, names: Sequence[str]) -> dict[str, str]:
        """What results depend on: the documents of some sets, and the data of their KBs."""
        found = {self.plan.sets[name].documents: self.hash_of(self.plan.sets[name].documents) for name in names}
        for kb in sorted({self.plan.sets[name].kb for name in names}):
            found[f"{kb}.kb"] = str(self.kb(kb).manifest["data"])
        return found

    def hash_of(self, path: str) -> str:
        """The SHA-256 of a file of the plan, computed once."""
        if path not in self._hashes:
            self._hashes[path] = _sha256(self.plan.file(path))
        return self._hashes[path]

    @staticmethod
    def _sources(planned: KBPlan) -> Iterator[str]:
        """The files a KB cannot do without; of published documents, those that are there are enough."""
        yield from planned.sources
        if planned.imported is not None:
            yield planned.imported

    def _published(self, planned: KBPlan) -> list[str]:
        return [path for path in planned.published if self.plan.file(path).exists()]

    # KBs

    def kb_names(self) -> list[str]:
        """The KBs whose files are there; that none is, is the user's to mend."""
        found = sorted({planned.kb for planned in self.plan.sets.values() if not self.missing(planned.name)})
        if not found:
            lacks = next((self.missing(name) for name in self.plan.sets), "it has no sets")
            raise SourceError(
                f"none of the files of the plan is under {self.plan.data} ({lacks}); say where they are with --data"
            )
        return found

    def make_kbs(self, *, jobs: int = 1, progress: Progress | None = None) -> list[dict[str, Any]]:
        """Build every KB whose files are there and that was not built before; what each took, told again on later runs."""
        return [self._make(self.plan.kbs[name], jobs, progress or Silent()) for name in self.kb_names()]

    def _make(self, planned: KBPlan, jobs: int, progress: Progress) -> dict[str, Any]:
        place, told = self._place(planned.name), self.folder / f"{planned.name}.json"
        wanted = self._fingerprint(planned)
        before = _read_note(told)
        if before.get("made_of") == wanted and _opens(place):
            return dict(before["steps"])
        self.folder.mkdir(parents=True, exist_ok=True)
        told.unlink(missing_ok=True)  # until it is whole
        steps = _Steps(planned.name)
        if planned.published:
            self._build_published(planned, place, steps)
        else:
            sources = [self.plan.file(path) for path in planned.sources]
            with steps.time("build"):
                build_kb(sources, place, embedding=None, train=False, force=True, jobs=jobs, progress=progress)
        self._add_vectors(planned, place, steps, jobs, progress)
        write_whole(told, json.dumps({"made_of": wanted, "steps": steps.seconds}, indent=1).encode() + b"\n")
        return steps.seconds

    def _fingerprint(self, planned: KBPlan) -> dict[str, Any]:
        files = {path: self.hash_of(path) for path in (*self._sources(planned), *self._published(planned))}
        options = {"vectors": list(planned.vectors), "deepwalk": dict(planned.deepwalk), "train": planned.train}
        words = self.words_hash if "descriptions" in planned.vectors else None
        return {"version": __version__, "files": files, "words": words, "seed": self.plan.seed, **options}

    def _build_published(self, planned: KBPlan, place: Path, steps: _Steps) -> None:
        """A KB of every candidate of the authors' documents, with the vectors they used."""
        nodes = self.folder / f"{planned.name}.nodes.jsonl"
        with open(nodes, "wb") as out:
            for node in published_nodes([self.plan.file(path) for path in self._published(planned)]):
                out.write(orjson.dumps(node, option=orjson.OPT_APPEND_NEWLINE))
        with steps.time("build"):
            build_kb([nodes], place, embedding=None, train=False, force=True)
        nodes.unlink()

    def _add_vectors(self, planned: KBPlan, place: Path, steps: _Steps, jobs: int, progress: Progress) -> None:
        seed = self.plan.seed
        for name in planned.vectors if planned.sources else ():
            if name == "descriptions" and self.word_vectors is None:
                continue
            with steps.time(name):
                if name == "random":
                    store(KB.open(place), random_vectors(KB.open(place), seed), train=False)
                elif name == "descriptions":
                    embed_kb(place, method=name, word_vectors=self.word_vectors, train=False)
                else:
                    own = {"unit_length": False, **planned.deepwalk} if name == "deepwalk" else {}
                    embed_kb(place, method=name, seed=seed, train=False, jobs=jobs, progress=progress, **own)
        if planned.imported is not None:  # last: what somebody brings is what is used unless another set is asked for
            with steps.time("import"):
                import_vectors(place, self.plan.file(planned.imported), train=False)
        if planned.train and planned.sources:
            with steps.time("train"):
                train_kb(place, seed=seed, progress=progress)

    def _place(self, name: str) -> Path:
        return self.folder / f"{name}.kb"

    def kb(self, name: str) -> KB:
        """A KB that was made."""
        if name not in self._kbs:
            self._kbs[name] = KB.open(self._place(name))
        return self._kbs[name]

    def kb_of(self, set_name: str) -> KB:
        return self.kb(self.plan.sets[set_name].kb)

    # documents and methods

    def documents(self, set_name: str) -> list[Document]:
        if set_name not in self._documents:
            planned: SetPlan = self.plan.sets[set_name]
            documents = list(islice(read_gold(self.plan.file(planned.documents)), planned.limit))
            if not any(mention.gold for document in documents for mention in document.mentions or ()):
                raise SourceError(
                    f"{planned.documents}: no mention has gold, so nothing can be compared; leave the set {set_name} out"
                )
            self._documents[set_name] = documents
        return self._documents[set_name]

    def reads(self, set_name: str) -> bool:
        """Do the documents of a set have words around their mentions, and the KB descriptions to compare them with?"""
        return not self.unreadable(set_name)

    def unreadable(self, set_name: str) -> str:
        """Why the words of a set cannot count; empty: they can."""
        if self.word_vectors is None:
            return self.wordless
        if not self.kb_of(set_name).descriptions.blob.size:
            return "its KB has no descriptions"
        bare = sum(not has_text(document) for document in self.documents(set_name))
        return f"{bare:,} of {len(self.documents(set_name)):,} documents have no text" if bare else ""

    @property
    def wordless(self) -> str:
        """Why there are no word vectors; empty: there are."""
        if self.word_vectors is not None:
            return ""
        path = self.plan.word_vectors
        return "the plan names no word_vectors" if path is None else f"the word vectors {path} are not there"

    def methods(self, set_name: str, wanted: Sequence[str]) -> list[str]:
        """Those of some methods that can work on a set: the KB has what they need, and the documents what they read."""
        return [name for name in wanted if self._is_ready(METHODS[name], set_name)]

    def _is_ready(self, method: Method, set_name: str) -> bool:
        kb, options = self.kb_of(set_name), self.options()
        if (method.needs_vectors and not kb.vector_sets) or (method.calibrated and not kb.rankers):
            return False
        if method.needs is texts_of and not self.reads(set_name):
            return False
        try:
            method.check(kb, options)
            for document in self.documents(set_name):
                method.check_document(document, options)
        except (OptionError, DocumentError, MissingExtraError):  # it lacks something; whatever is broken is said
            return False
        return True

    def options(self, **given: Any) -> MethodOptions:
        """Options of methods, with the word vectors of the plan."""
        return MethodOptions(**{"word_vectors": self.word_vectors, **given})

    def batches(self, set_name: str, **options: Any) -> Iterator[Batch]:
        """The documents of a set with their candidates, some at a time; options as in `batch_maker`."""
        makes = batch_maker(self.kb_of(set_name), needs_vectors=False, **options)
        documents = self.documents(set_name)
        for first in range(0, len(documents), BATCH):
            yield makes.make(documents[first : first + BATCH])

    def run(
        self,
        set_name: str,
        methods: Sequence[str] | Mapping[str, Method],
        *,
        documents: list[Document] | None = None,
        **options: Any,
    ) -> Run:
        """What methods earn on a set, or on other documents of its KB."""
        own = {key: options.pop(key) for key in list(options) if key in MethodOptions.__dataclass_fields__}
        chosen = self.documents(set_name) if documents is None else documents
        return evaluate(self.kb_of(set_name), chosen, methods, options=self.options(**own), **options)


class _Steps:
    """How long the steps of making a KB took."""

    def __init__(self, kb: str) -> None:
        self.seconds: dict[str, Any] = {"kb": kb}

    @contextmanager
    def time(self, step: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        self.seconds[step] = round(time.perf_counter() - start, 2)


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there when it is whole, and not before."""
    beside = path.with_name(f"{path.name}.new-{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(path)


def _read_note(path: Path) -> dict[str, Any]:
    """What was noted when a KB was made; nothing, if it was not, or the note is torn."""
    try:
        return dict(json.loads(path.read_text()))
    except (OSError, ValueError):
        return {}


def _opens(place: Path) -> bool:
    try:
        KB.open(place)
    except KBError:
        return False
    return True


def published_nodes(files: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Every candidate that documents in the authors' layout give: its id, name and highest prior."""
    nodes: dict[str, dict[str, Any]] = {}
    for file in files:
        for document in read_gold(file):
            for mention in document.mentions or ():
                for external, prior, name in mention.source.get("candidates") or ():
                    node = nodes.setdefault(str(external), {"id": str(external), "name": name, "prior": prior})
                    node["prior"] = max(node["prior"], prior)
    if not nodes:
        raise SourceError(f"{files[0]} gives no candidates; expected the authors' layout, with candidates for each mention")
    yield from nodes.values()


def random_vectors(kb: KB, seed: int) -> VectorSet:
    """A control: directions at random, for the entities that have a neighbour."""
    rows = np.random.default_rng(seed).standard_normal((len(kb), _RANDOM_DIMENSIONS), dtype=np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    rows[kb.graph.degree == 0] = 0
    return VectorSet("random", rows, {"method": "random", "seed": seed})

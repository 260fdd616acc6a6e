"""The workspace of an experiment: KBs opened once, documents read once, methods run on them, and what is missing.

All that sections use of candidates, methods and evaluation goes through here.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from eigenthemes.core.threads import hold_blas_to_one_thread
from eigenthemes.documents.reader import read_gold
from eigenthemes.errors import DocumentError, OptionError, SourceError
from eigenthemes.evaluation.comparison import Evaluation, evaluate
from eigenthemes.kb.store import KB
from eigenthemes.names.generator import CandidateOptions
from eigenthemes.pipeline.batch import BATCH, Batch, batch_maker, batches_of
from eigenthemes.ranking.baselines import candidate_weights, context_scores, has_text
from eigenthemes.ranking.methods import Method, all_methods, method_named, scoring_options
from eigenthemes.ranking.options import ContextOptions, EigenOptions, Scores
from eigenthemes.records import Document
from eigenthemes_paper.plan import Plan


class Workspace:
    """The KBs and sets of a plan, as far as their files are there.

    folder  where KBs are built once, and kept
    """

    def __init__(self, plan: Plan, folder: str | Path) -> None:
        self.plan, self.folder = plan, Path(folder)
        self._kbs: dict[str, KB] = {}
        self._documents: dict[str, list[Document]] = {}
        self._hashes: dict[str, str] = {}

    # files

    def missing(self, set_name: str) -> str:
        """Return a sentence on the file that a set lacks; empty if none."""
        planned = self.plan.sets[set_name]
        for path in (planned.documents, *self.sources(planned.kb)):
            if not self.plan.file(path).exists():
                return f"{set_name}: {path} is not there"
        return ""

    def available(self, set_names: Iterable[str]) -> list[str]:
        """Return the sets whose files are there."""
        return [name for name in set_names if not self.missing(name)]

    def sources(self, kb_name: str) -> list[str]:
        """Return the files that a KB cannot do without; of published documents, those that are there are enough."""
        planned = self.plan.kbs[kb_name]
        return [*planned.sources, *([] if planned.imported is None else [planned.imported])]

    def published(self, kb_name: str) -> list[str]:
        """Return the files of published documents that are there."""
        return [path for path in self.plan.kbs[kb_name].published if self.plan.file(path).exists()]

    @cached_property
    def word_vectors(self) -> str | None:
        """The file of word vectors, if it is there."""
        path = self.plan.word_vectors
        return str(self.plan.file(path)) if path is not None and self.plan.file(path).exists() else None

    @cached_property
    def word_vectors_hash(self) -> str | None:
        return None if self.word_vectors is None else _sha256(Path(self.word_vectors))

    @property
    def no_word_vectors(self) -> str:
        """Why there are no word vectors; empty: there are."""
        if self.word_vectors is not None:
            return ""
        path = self.plan.word_vectors
        return "the plan names no word_vectors" if path is None else f"the word vectors {path} are not there"

    def hash_of(self, path: str) -> str:
        """Return the SHA-256 of a file of the plan, computed once."""
        if path not in self._hashes:
            self._hashes[path] = _sha256(self.plan.file(path))
        return self._hashes[path]

    def hashes(self, set_names: Sequence[str]) -> dict[str, str]:
        """Return what results depend on: the documents of some sets, and the data of their KBs."""
        paths = [self.plan.sets[name].documents for name in set_names]
        kb_names = sorted({self.plan.sets[name].kb for name in set_names})
        return {
            **{path: self.hash_of(path) for path in paths},
            **{f"{name}.kb": str(self.kb(name).manifest["data"]) for name in kb_names},
        }

    # KBs and documents

    def kb_names(self) -> list[str]:
        """Return the KBs whose files are there; that none is, is the user's to mend."""
        names = sorted({self.plan.sets[name].kb for name in self.available(self.plan.sets)})
        if not names:
            example = next((self.missing(name) for name in self.plan.sets), "it has no sets")
            raise SourceError(
                f"none of the files of the plan is under {self.plan.data} ({example}); give their folder with --data",
                code="plan-files-missing",
                where=str(self.plan.data),
            )
        return names

    def kb_path(self, kb_name: str) -> Path:
        return self.folder / f"{kb_name}.kb"

    def kb(self, kb_name: str) -> KB:
        """Return a KB that was built."""
        if kb_name not in self._kbs:
            self._kbs[kb_name] = KB.open(self.kb_path(kb_name))
        return self._kbs[kb_name]

    def kb_of(self, set_name: str) -> KB:
        return self.kb(self.plan.sets[set_name].kb)

    def documents(self, set_name: str) -> list[Document]:
        """Return the documents of a set; a set without gold is refused."""
        if set_name not in self._documents:
            planned = self.plan.sets[set_name]
            documents = list(islice(read_gold(self.plan.file(planned.documents)), planned.limit))
            if not any(mention.gold for document in documents for mention in document.mentions or ()):
                raise SourceError(
                    f"{planned.documents}: no mention has gold, so nothing can be compared; leave the set {set_name} out",
                    where=str(planned.documents),
                )
            self._documents[set_name] = [
                _with_embedded_candidates(document, self.kb_of(set_name)) if document.embedded_only else document
                for document in documents
            ]
        return self._documents[set_name]

    def is_readable(self, set_name: str) -> bool:
        """Return whether the documents of a set have texts, and the KB descriptions to compare them with."""
        return not self.unreadable(set_name)

    def unreadable(self, set_name: str) -> str:
        """Return why context methods cannot read a set; empty if they can."""
        if self.word_vectors is None:
            return self.no_word_vectors
        if not self.kb_of(set_name).descriptions.blob.size:
            return "its KB has no descriptions"
        textless = sum(not has_text(document) for document in self.documents(set_name))
        return f"{textless:,} of {len(self.documents(set_name)):,} documents have no text" if textless else ""

    # methods

    def methods(self, set_name: str, wanted: Iterable[str]) -> list[str]:
        """Return the methods that can work on a set: the KB has what they need, and the documents what they read."""
        return [name for name in wanted if self._is_ready(name, set_name)]

    def _is_ready(self, name: str, set_name: str) -> bool:
        kb, method = self.kb_of(set_name), method_named(name)
        if (method.needs_vectors and not kb.vector_sets) or (method.calibrated and not kb.rankers):
            return False
        if method.options is ContextOptions and not self.is_readable(set_name):
            return False
        try:
            options = scoring_options({name: method}, self._scoring({name: method}, {}))[name]
            method.make_ready(kb, options)
            for document in self.documents(set_name):
                method.check_document(document, options)
        except (OptionError, DocumentError):  # it lacks something; whatever is broken is said
            return False
        return True

    def _scoring(self, methods: Mapping[str, Method], given: Mapping[str, Any]) -> dict[str, Any]:
        """Return options of methods, with the word vectors of the plan where one of the methods reads them."""
        reads = any("word_vectors" in method.uses_beside(given) for method in methods.values())
        return {**({"word_vectors": self.word_vectors} if reads else {}), **given}

    def run(
        self,
        set_name: str,
        methods: Sequence[str] | Mapping[str, Method],
        *,
        documents: list[Document] | None = None,
        **options: Any,
    ) -> Evaluation:
        """Evaluate methods on a set, or on other documents of its KB; options of the generator, of methods, of `evaluate`."""
        named = methods if isinstance(methods, Mapping) else {name: method_named(name) for name in methods}
        candidates, options = _candidate_options(options)
        of_methods = {key: options.pop(key) for key in list(options) if key in SCORING}
        return evaluate(
            self.kb_of(set_name),
            self.documents(set_name) if documents is None else documents,
            named,
            scoring=self._scoring(named, of_methods),
            candidates=candidates,
            **options,
        )

    def run_scorer(self, set_name: str, label: str, scorer: Callable[[Batch], Scores], **options: Any) -> Evaluation:
        """Evaluate a function of batches that is no method of the product, under a label."""
        return self.run(set_name, {label: Method(lambda batch, kb, options: scorer(batch))}, **options)

    def batches(self, set_name: str, **options: Any) -> Iterator[Batch]:
        """Yield the documents of a set with their candidates, some at a time; options as in `batches_with_candidates`."""
        return batches_with_candidates(self.kb_of(set_name), self.documents(set_name), **options)

    def context_scores(self, set_name: str, batch: Batch, scheme: str) -> Scores:
        """Score how well the words of a text fit each candidate: `local`, `global` or `nouns`."""
        return context_scores(batch, self.kb_of(set_name), scheme, ContextOptions(word_vectors=self.word_vectors))


SCORING = {option for method in all_methods().values() for option in method.uses}


def _with_embedded_candidates(document: Document, kb: KB) -> Document:
    """Drop candidates without a vector for all methods, as the authors' program does before it ranks anything."""
    has_vector = kb.vectors().has
    mentions = []
    for mention in document.mentions or ():
        index = kb.indices_of(mention.candidates or ())
        kept = np.flatnonzero((index >= 0) & has_vector[index]).tolist()
        ids, numbers = mention.candidates or (), mention.priors
        priors = None if numbers is None else tuple(numbers[i] for i in kept)
        mentions.append(replace(mention, candidates=tuple(ids[i] for i in kept), priors=priors))
    return replace(document, mentions=tuple(mentions))


def _candidate_options(options: dict[str, Any]) -> tuple[CandidateOptions, dict[str, Any]]:
    """Return the options of the candidate generator, and all others."""
    names = ("generator", "max_candidates", "aliases", "only_types", "not_types")
    others = {key: value for key, value in options.items() if key not in names}
    return CandidateOptions(**{name: options[name] for name in names if name in options}), others


def batches_with_candidates(kb: KB, documents: Iterable[Document], *, size: int = BATCH, **options: Any) -> Iterator[Batch]:
    """Yield documents with their candidates, `size` at a time; options of the generator and of `batch_maker`."""
    candidates, others = _candidate_options(options)
    maker = batch_maker(kb, candidates=candidates, **{"needs_vectors": False, **others})
    return (maker.make(some) for some in batches_of(documents, size))


def eigen_scores(batch: Batch, kb: KB) -> Scores:
    """Score each candidate by Eigenthemes, as in the paper."""
    hold_blas_to_one_thread()
    return method_named("eigen")(batch, kb).scores


def eigen_weights(batch: Batch, kb: KB, has_vector: Any) -> Any:
    """Return the weight of each candidate in the subspace, as in the paper."""
    return candidate_weights(batch, kb, EigenOptions(), has_vector)


def reads_text(method: str) -> bool:
    """Return whether a method reads the words of the text."""
    return method_named(method).check is not None


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file that is there when it is whole, and not before."""
    beside = path.with_name(f"{path.name}.new-{os.getpid()}")
    beside.write_bytes(data)
    beside.replace(path)


def _sha256(path: Path) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()

"""Documents -> a trained model. Gold is never read: a mention's candidates are its positives, random entities its negatives."""

from __future__ import annotations

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.storage import check_output
from eigenthemes.errors import DocumentError, KBError, OptionError
from eigenthemes.kb.store import KB
from eigenthemes.names.detectors import detector_named
from eigenthemes.names.generator import CandidateGenerator
from eigenthemes.pipeline.batch import BatchMaker, batches_of
from eigenthemes.records import Document
from eigenthemes_paper.taumil.entities import EntityBags
from eigenthemes_paper.taumil.model import TauMIL, best_of, objective
from eigenthemes_paper.taumil.scorer import hold_torch_to_one_thread, new_model, rows_of
from eigenthemes_paper.taumil.sentences import Sentences, Words, mention_spans
from eigenthemes_paper.taumil.store import CHECKPOINT, VERSION, Arrays, StoredModel, fingerprint, model_path, read, write

LEARNING_RATE = 1e-3
CLIP = 5.0
_POOL = 20  # batches whose mentions are sorted by length of sentence before they are cut
_DOCUMENTS = 64  # at a time, when candidates are looked up


@dataclass(frozen=True, slots=True)
class Epoch:
    """The objective of an epoch and its parts (see `model.Objective`), means over its batches."""

    epoch: int
    objective: float
    hinge: float
    kl: float
    noise: float


@dataclass(frozen=True, slots=True)
class TrainingMentions:
    """Training mentions: those with text and candidates.

    sentences        of each mention
    starts, counts   [m] int64: its rows among the candidates
    entity           [n] uint32: the candidates of all mentions
    named            [k] int64: entities that can be negatives, those with a name
    """

    sentences: Sentences
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    entity: NDArray[np.uint32]
    named: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts)

    def digest(self) -> str:
        """Return a hash of everything that is learned from."""
        sentences = self.sentences
        parts = (sentences.words, sentences.starts, sentences.first, sentences.last, self.counts, self.entity)
        return hashlib.sha256(b"".join(np.ascontiguousarray(part).tobytes() for part in parts)).hexdigest()


def train_taumil(
    kb: KB | str | Path,
    documents: Iterable[Document],
    *,
    word_vectors: Any = None,
    output: str | Path | None = None,
    seed: int = 0,
    epochs: int = 20,
    patience: int = 5,
    batch_size: int = 50,
    positives: int = 100,
    negatives: int = 10,
    resume: bool = False,
    on_epoch: Callable[[Epoch, float], None] = lambda epoch, seconds: None,
    progress: Progress | None = None,
) -> StoredModel:
    """Train tau-MIL-ND on documents and write the model.

    documents     with text; where they have no mentions, the KB's names are found
    word_vectors  a file of them, or gensim's KeyedVectors; None: those the KB holds
    output        the file of the model; None: the KB's own
    patience      stop after so many epochs that did not better the objective; the best epoch is kept
    positives     candidates of a mention, at most
    negatives     random entities beside them
    resume        go on where an interrupted training with the same options stopped; one that came to its end is not begun again
    on_epoch      called after each epoch with what it came to, and the seconds it took
    """
    options = {"seed": seed, "batch_size": batch_size, "positives": positives, "negatives": negatives}
    for name, value in {**options, "epochs": epochs, "patience": patience}.items():
        least = 0 if name == "seed" else 1
        if value < least:
            raise OptionError(f"{name} is {value}; expected {least} or more")
    kb = kb if isinstance(kb, KB) else KB.open(kb)
    progress, path = progress or Silent(), model_path(kb, output)
    check_output(path, KBError, remedy="give another place for the model", replaced=True)
    if not os.access(path.parent, os.W_OK):
        raise KBError(
            f"{path.parent} does not exist, or cannot be written to; give another place for the model",
            code="output-place",
            where=str(path.parent),
        )
    words = Words.of(word_vectors, kb)
    mentions = read_training_mentions(kb, documents, words, positives, progress)
    about = {
        "kb": fingerprint(kb),
        "options": options,
        "trained_on": {"mentions": len(mentions), "digest": mentions.digest()},
        "words": hashlib.sha256(words.vectors.tobytes()).hexdigest(),
    }
    if resume and (finished := _finished(path, kb, about, epochs)) is not None:
        return finished
    with deterministic():
        bags = EntityBags.of(kb)
        training = Training(new_model(words, bags, seed=seed), bags, mentions, about)
        checkpoint = _checkpoint_of(path)
        if resume and checkpoint.exists():
            training.restore(checkpoint)
        while not training.is_done(epochs, patience):
            start = time.monotonic()
            epoch = training.run_epoch(progress, epochs, words.unknown)
            training.save(checkpoint)
            on_epoch(epoch, time.monotonic() - start)
    outcome = {"history": training.history, "epoch": training.best_epoch, "epochs": epochs}
    stored = StoredModel(training.best, words, {**about, **outcome})
    stored.save(path)  # replaces the old model at once: until here, whoever links uses that one
    checkpoint.unlink(missing_ok=True)
    return stored


def _checkpoint_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.checkpoint")


def _finished(path: Path, kb: KB, about: dict[str, Any], epochs: int) -> StoredModel | None:
    """Return the model of the same training, if it came to its end before."""
    if not path.exists() or _checkpoint_of(path).exists():
        return None
    stored = StoredModel.open(path, kb)
    same = all(stored.about.get(name) == value for name, value in json.loads(json.dumps(about)).items())
    return stored if same and stored.about.get("epochs") == epochs else None


class Training:
    """A model on its way, with all that is needed to go on after an interruption."""

    def __init__(self, model: TauMIL, bags: EntityBags, mentions: TrainingMentions, about: dict[str, Any]) -> None:
        self.model, self.bags, self.mentions, self.about = model, bags, mentions, about
        self.options: dict[str, int] = about["options"]
        self.parameters = [parameter for parameter in model.parameters() if parameter.requires_grad]
        self.adam = torch.optim.Adam(self.parameters, lr=LEARNING_RATE)
        self.history: list[dict[str, float]] = []
        self.best: Arrays = arrays_of(model)

    @property
    def best_epoch(self) -> int:
        """The epoch with the lowest objective so far, from 1; 0 before the first."""
        return min(range(1, len(self.history) + 1), key=lambda i: self.history[i - 1]["objective"], default=0)

    def is_done(self, epochs: int, patience: int) -> bool:
        return len(self.history) >= epochs or len(self.history) - self.best_epoch >= patience

    def run_epoch(self, progress: Progress, epochs: int, fill: int) -> Epoch:
        """All mentions once. The randomness of an epoch depends on seed and epoch alone: a resumed training is the same."""
        number = len(self.history) + 1
        random = np.random.default_rng((self.options["seed"], number))
        label = f"epoch {number} of {epochs}" + (f", objective {self.history[-1]['objective']:.4f}" if self.history else "")
        sums = np.zeros(4)
        with progress.step(label, total=len(self.mentions), unit="mentions") as advance:
            for which in shuffled_batches(self.mentions.sentences.lengths, self.options["batch_size"], random):
                negatives = random.choice(self.mentions.named, (len(which), self.options["negatives"]))
                sums += len(which) * np.array(self._step(which, negatives, fill))
                advance(len(which))
        epoch = Epoch(number, *(sums / len(self.mentions)).tolist())
        self.history.append(asdict(epoch))
        if self.best_epoch == number:
            self.best = arrays_of(self.model)
        return epoch

    def _step(self, which: NDArray[np.int64], negatives: NDArray[np.int64], fill: int) -> list[float]:
        """One batch: the mentions `which` [m], their negatives [m, k]."""
        model, mentions = self.model, self.mentions
        rows, mention_of = rows_of(mentions.starts[which], mentions.counts[which])
        n, m = len(rows), len(which)
        unique, entity_of = np.unique(np.concatenate((mentions.entity[rows], negatives.ravel())), return_inverse=True)
        pairs = np.concatenate((mention_of, np.repeat(np.arange(m), negatives.shape[1])))
        of_mention, of_entity = torch.from_numpy(pairs), torch.from_numpy(entity_of)
        contexts = model.contexts(mentions.sentences.padded(which, fill))
        entities = model.entities(self.bags.of_types(unique), self.bags.of_relations(unique))
        fits = model.fits(contexts, entities, of_mention, of_entity)
        noise = model.noise(contexts, entities, fits[:n], of_mention[:n], of_entity[:n])
        loss = objective(best_of(fits[:n], of_mention[:n], m), best_of(fits[n:], of_mention[n:], m), noise)
        self.adam.zero_grad()
        loss.total.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.parameters, CLIP)
        self.adam.step()
        return [part.item() for part in (loss.total, loss.hinge, loss.kl, loss.noise)]

    def save(self, path: Path) -> None:
        """All of it into a file."""
        arrays = {f"now.{name}": array for name, array in arrays_of(self.model).items()}
        arrays |= {f"best.{name}": array for name, array in self.best.items()}
        for i, parameter in enumerate(self.parameters):
            for name, value in self.adam.state[parameter].items():
                arrays[f"adam.{i}.{name}"] = value.numpy()
        write(path, arrays, {"format": CHECKPOINT, "version": VERSION, "history": self.history, **self.about})

    def restore(self, path: Path) -> None:
        """Go on from a file; one of another training is refused."""
        arrays, about = read(path, CHECKPOINT)
        differ = [name for name, value in json.loads(json.dumps(self.about)).items() if about.get(name) != value]
        if differ:
            raise OptionError(
                f"{path} is of a training with other {', '.join(differ)}; resume with the same, or begin anew without --resume",
                code="resume-differs",
                where=str(path),
            )
        self.history = about["history"]
        self.model.restore({name: torch.from_numpy(array) for name, array in _part(arrays, "now.").items()})
        self.best = _part(arrays, "best.")
        for i, parameter in enumerate(self.parameters):
            self.adam.state[parameter] = {
                name: torch.from_numpy(array).clone() for name, array in _part(arrays, f"adam.{i}.").items()
            }


def _part(arrays: Arrays, prefix: str) -> Arrays:
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}


def arrays_of(model: TauMIL) -> Arrays:
    """Return a copy of what a model has learned."""
    return {name: value.detach().numpy().copy() for name, value in model.learned().items()}


def read_training_mentions(
    kb: KB, documents: Iterable[Document], words: Words, positives: int, progress: Progress
) -> TrainingMentions:
    """Return the mentions of documents that have candidates, with these."""
    maker = BatchMaker(kb, CandidateGenerator(kb, max_candidates=positives), detector_named("names", kb), None)
    places: list[tuple[str, int, int]] = []
    entities: list[NDArray[np.uint32]] = []
    counts: list[NDArray[np.int64]] = []
    with progress.step("finding candidates", total=None, unit="documents") as advance:
        for some in batches_of(documents, _DOCUMENTS):
            batch = maker.make(some)
            per_mention = np.bincount(batch.table.mention_of, minlength=batch.table.mentions)
            in_batch = [place for document in batch.documents for place in mention_spans(document)]
            places += [place for place, count in zip(in_batch, per_mention.tolist(), strict=True) if count]
            entities.append(batch.table.entity)
            counts.append(per_mention[per_mention > 0])
            advance(len(some))
    if not places:
        raise DocumentError("no mention of the documents has a candidate in the KB; give documents that speak of its entities")
    count = np.concatenate(counts)
    named = np.flatnonzero(kb.linkable)
    return TrainingMentions(Sentences.read(places, words), np.cumsum(count) - count, count, np.concatenate(entities), named)


def shuffled_batches(lengths: NDArray[np.int64], size: int, random: np.random.Generator) -> Iterator[NDArray[np.int64]]:
    """All mentions once, in random batches of sentences of like length, so that little is filled up.

    Shuffled, sorted by length within pools of some batches, cut, and the batches shuffled again.
    """
    order = random.permutation(len(lengths))
    pools = [order[first : first + _POOL * size] for first in range(0, len(order), _POOL * size)]
    ordered = np.concatenate([pool[np.argsort(lengths[pool], kind="stable")] for pool in pools])
    batches = [ordered[first : first + size] for first in range(0, len(ordered), size)]
    for i in random.permutation(len(batches)).tolist():
        yield batches[i]


@contextmanager
def deterministic() -> Iterator[None]:
    """Use one thread and deterministic algorithms, so that the same seed gives the same weights."""
    memory: Any = torch.utils.deterministic
    before, fill = torch.are_deterministic_algorithms_enabled(), memory.fill_uninitialized_memory
    torch.use_deterministic_algorithms(True)
    memory.fill_uninitialized_memory = False  # it costs time, and nothing here reads what it has not written
    try:
        hold_torch_to_one_thread()
        yield
    finally:
        torch.use_deterministic_algorithms(before)
        memory.fill_uninitialized_memory = fill

"""A trained model at work: a batch of documents -> a score for each candidate, and a noise probability for each mention."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray

from eigenthemes.core.threads import keeps_threads
from eigenthemes.errors import OptionError
from eigenthemes.kb.store import KB
from eigenthemes.pipeline.batch import Batch
from eigenthemes_paper.taumil.entities import EntityBags
from eigenthemes_paper.taumil.model import MARGIN, TauMIL
from eigenthemes_paper.taumil.sentences import Sentences, Words, mention_spans
from eigenthemes_paper.taumil.store import StoredModel, model_path

_MENTIONS = 128  # at a time
_PAIRS = 1 << 16
_ENTITIES = 4096


class TaumilScorer:
    """A model beside its KB."""

    def __init__(self, model: TauMIL, words: Words, bags: EntityBags) -> None:
        self.model, self.words, self.bags = model.eval(), words, bags

    @classmethod
    def open(cls, kb: KB, path: str | Path | None) -> TaumilScorer:
        """Open a model file (None: the KB's own); loaded once for an open KB."""
        file = model_path(kb, path)
        if not file.exists():
            what = f"{kb.path} has no model of tau-MIL-ND" if path is None else f"{file} does not exist"
            raise OptionError(
                f"{what}; train one with eigenthemes train-taumil {kb.path} DOCUMENTS --word-vectors FILE, "
                "or choose another method",
                code="no-model" if path is None else "no-model-file",
                where=str(kb.path if path is None else file),
            )
        return kb.cached(cls._load, file, file.stat().st_mtime_ns)

    @classmethod
    def _load(cls, kb: KB, file: Path, modified: int) -> TaumilScorer:
        """Load the model of a file; the time of its last change belongs to the key of the cache."""
        hold_torch_to_one_thread()
        stored = StoredModel.open(file, kb)
        bags = EntityBags.of(kb)
        model = new_model(stored.words, bags, seed=0)
        model.restore({name: torch.from_numpy(array) for name, array in stored.learned.items()})
        return cls(model, stored.words, bags)

    def score(self, batch: Batch) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the score of each candidate [n], and the probability that no candidate is right of each mention [mentions].

        Scores are counted in margins, the only unit that training gives them. The probability is sigmoid(noise score), as in
        the authors' program when it links; while it trains, the score counts threefold. A mention without candidates has 1.
        """
        table = batch.table
        scores, noise = np.zeros(len(table)), np.ones(table.mentions)
        sentences = Sentences.read((span for document in batch.documents for span in mention_spans(document)), self.words)
        if len(table):
            with torch.inference_mode():
                unique, entity_of = np.unique(table.entity, return_inverse=True)
                entities = self._entities(unique)
                for mentions, rows, mention_of in _mention_batches(table.mention_of, sentences.lengths):
                    contexts = self.model.contexts(sentences.padded(mentions, self.words.unknown))
                    pairs = (torch.from_numpy(mention_of), torch.from_numpy(entity_of[rows]))
                    fits = self.model.fits(contexts, entities, *pairs)
                    scores[rows] = fits.numpy() / MARGIN
                    noise[mentions] = torch.sigmoid(self.model.noise(contexts, entities, fits, *pairs)).numpy()
        return scores, noise

    def _entities(self, entities: NDArray[np.uint32]) -> torch.Tensor:
        parts = (entities[first : first + _ENTITIES] for first in range(0, len(entities), _ENTITIES))
        return torch.cat([self.model.entities(self.bags.of_types(part), self.bags.of_relations(part)) for part in parts])


def new_model(words: Words, bags: EntityBags, *, seed: int) -> TauMIL:
    """Make a model that has learned nothing yet; the global random state stays as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return TauMIL(words.vectors, bags.types.shape[1], bags.relations.shape[1])


def _mention_batches(
    mention_of: NDArray[np.int64], lengths: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """Yield (mentions, their rows, mention of each row) of mentions with candidates, sentences of like length together."""
    known = np.unique(mention_of)
    known = known[np.argsort(lengths[known], kind="stable")]
    starts = np.searchsorted(mention_of, known)
    counts = np.searchsorted(mention_of, known, side="right") - starts
    group = np.arange(len(known)) // _MENTIONS + np.cumsum(counts) // _PAIRS  # some mentions have thousands of candidates
    for batch in np.split(np.arange(len(known)), np.flatnonzero(np.diff(group)) + 1):
        yield known[batch], *rows_of(starts[batch], counts[batch])


def rows_of(starts: NDArray[np.int64], counts: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows starts[0], starts[0] + 1, ... of groups that lie anywhere in a table, and the group of each."""
    before = np.cumsum(counts) - counts
    rows = np.arange(int(counts.sum())) + np.repeat(starts - before, counts)
    return rows, np.repeat(np.arange(len(counts)), counts)


def hold_torch_to_one_thread() -> None:
    """Let torch use one thread in this process, for good: more are no faster on small matrices, and sums differ."""
    if torch.get_num_threads() != 1 and not keeps_threads():
        torch.set_num_threads(1)

"""The network of tau-MIL-ND, and the objective it is trained with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional as F

from eigenthemes_paper.taumil.entities import NEIGHBORS, Bag
from eigenthemes_paper.taumil.sentences import MAX_DISTANCE, Padded

POSITION = 5
HIDDEN = 100
TYPE = 50
ENTITY = 100
PERCEPTRON = 300
MARGIN = 0.1  # of the objective: the unit of the scores
_CONTEXT = 4 * HIDDEN  # two directions, at the mention's first and last word


class TauMIL(nn.Module):
    """Sentences are read by a two-layer BiLSTM; an entity is its bags of types and relations; two perceptrons compare them."""

    def __init__(self, words: NDArray[Any], types: int, relations: int) -> None:
        super().__init__()
        self.words = nn.Embedding(len(words), words.shape[1], _weight=torch.from_numpy(words), _freeze=True)
        self.positions = nn.Embedding(2 * MAX_DISTANCE + 1, POSITION)
        self.reader = nn.ModuleList((_BiLSTM(words.shape[1] + POSITION), _BiLSTM(2 * HIDDEN)))
        self.types = nn.Embedding(types, TYPE)
        self.relations = nn.Embedding(relations, ENTITY)
        self.mixing = nn.Parameter(torch.empty(TYPE, ENTITY))
        nn.init.kaiming_normal_(self.mixing, mode="fan_out", nonlinearity="relu")
        for embedding in (self.types, self.relations):
            # Torch's own, 1, makes the sum over 30 neighbours so large that its sign at the start decides for good.
            nn.init.normal_(embedding.weight, std=1 / (1 + NEIGHBORS))
        self.scorer = _Perceptron()
        self.noise_scorer = _Perceptron()

    def contexts(self, sentences: Padded) -> Tensor:
        """Return the vector of each sentence [m, 400]: outputs of the BiLSTM at the mention's first and last word."""
        words, positions, first, last = map(
            torch.from_numpy, (sentences.words, sentences.positions, sentences.first, sentences.last)
        )
        backwards = _backwards(torch.from_numpy(sentences.lengths), words.shape[1])
        read = torch.cat((self.words(words), self.positions(positions)), dim=2)
        for layer in self.reader:
            read = layer(read, backwards)
        row = torch.arange(len(first))
        return torch.cat((read[row, first], read[row, last]), dim=1)

    def entities(self, types: Bag, relations: Bag) -> Tensor:
        """Return the vector of each entity [u, 100]."""
        return torch.relu(_sum(self.types, types) @ self.mixing + _sum(self.relations, relations))

    def fits(self, contexts: Tensor, entities: Tensor, mention_of: Tensor, entity_of: Tensor) -> Tensor:
        """Return the score of each pair of a sentence and an entity [n]."""
        fit: Tensor = self.scorer(contexts, entities, mention_of, entity_of)
        return fit

    def noise(self, contexts: Tensor, entities: Tensor, scores: Tensor, mention_of: Tensor, entity_of: Tensor) -> Tensor:
        """Return the noise score of each mention [m]: its sentence beside the entity its candidates' scores expect."""
        shares = shares_of(scores, mention_of, len(contexts))
        chosen = shares[:, None] * entities.index_select(0, entity_of)
        expected = torch.zeros(len(contexts), ENTITY).index_add(0, mention_of, chosen)
        same = torch.arange(len(contexts))
        noise: Tensor = self.noise_scorer(contexts, expected, same, same)
        return noise

    def learned(self) -> dict[str, Tensor]:
        """Return what training changes, by name: all but the word vectors."""
        return {name: value for name, value in self.state_dict().items() if name != "words.weight"}

    def restore(self, learned: Mapping[str, Tensor]) -> None:
        """Take over what another model has learned."""
        self.load_state_dict({**learned, "words.weight": self.words.weight})


class _BiLSTM(nn.Module):
    """One layer that reads in both directions.

    Two plain LSTMs, the second on sentences turned round within their length: what they are filled up with comes last for both
    and changes nothing. The same as torch's own on packed sequences, whose gradient takes time that is quadratic in the length.
    """

    def __init__(self, width: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(width, HIDDEN, batch_first=True)
        self.backwards = nn.LSTM(width, HIDDEN, batch_first=True)

    def forward(self, words: Tensor, backwards: Tensor) -> Tensor:
        ahead, _ = self.forwards(words)
        back, _ = self.backwards(_turned(words, backwards))
        return torch.cat((ahead, _turned(back, backwards)), dim=2)


def _backwards(lengths: Tensor, longest: int) -> Tensor:
    """Return [m, longest] int64: the positions of each sentence from its end to its beginning, then those after its end."""
    position = torch.arange(longest)
    return torch.where(position < lengths[:, None], lengths[:, None] - 1 - position, position)


def _turned(words: Tensor, order: Tensor) -> Tensor:
    return words.gather(1, order[:, :, None].expand(-1, -1, words.shape[2]))


class _Perceptron(nn.Module):
    """Two layers on [sentence; entity].

    The first one is linear before its ReLU: its halves are computed once for each sentence and each entity, not for each pair.
    """

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Linear(_CONTEXT + ENTITY, PERCEPTRON)
        self.second = nn.Linear(PERCEPTRON, 1)

    def forward(self, contexts: Tensor, entities: Tensor, mention_of: Tensor, entity_of: Tensor) -> Tensor:
        left = F.linear(contexts, self.first.weight[:, :_CONTEXT], self.first.bias)
        right = F.linear(entities, self.first.weight[:, _CONTEXT:])
        hidden = torch.relu(left.index_select(0, mention_of) + right.index_select(0, entity_of))
        out: Tensor = self.second(hidden).squeeze(1)
        return out


def _sum(embedding: nn.Embedding, bag: Bag) -> Tensor:
    ids, weights, offsets = map(torch.from_numpy, (bag.ids, bag.weights, bag.offsets))
    return F.embedding_bag(ids, embedding.weight, offsets, mode="sum", per_sample_weights=weights)


def shares_of(scores: Tensor, mention_of: Tensor, mentions: int) -> Tensor:
    """Compute the softmax over the candidates of each mention [n]."""
    raised = torch.exp(scores - best_of(scores.detach(), mention_of, mentions)[mention_of])
    total = torch.zeros(mentions, dtype=scores.dtype).index_add(0, mention_of, raised)
    return raised / total[mention_of]


def best_of(scores: Tensor, mention_of: Tensor, mentions: int) -> Tensor:
    """Return the highest score of each mention [m]; scores and mention_of are [n], and every mention has one."""
    start = torch.full((mentions,), -torch.inf, dtype=scores.dtype)
    return start.scatter_reduce(0, mention_of, scores, "amax")


PRIOR = 0.9  # share of mentions that are expected to be noise
KL_WEIGHT = 5.0
NOISE_SCALE = 3.0


@dataclass(frozen=True, slots=True)
class Objective:
    """The loss (`total`) and its parts, each a mean over mentions; `noise` is the mean p_noise."""

    total: Tensor
    hinge: Tensor
    kl: Tensor
    noise: Tensor


def objective(positive: Tensor, negative: Tensor, noise: Tensor) -> Objective:
    """mean((1 - p_noise) hinge) + 5 KL(mean p_noise || 0.9); all [m]: best positive, best negative, noise score."""
    p = noise_probability(noise)
    missed = ((1 - p) * hinge(positive, negative)).mean()
    kl = kl_to_prior(p.mean())
    return Objective(missed + KL_WEIGHT * kl, missed, kl, p.mean())


def hinge(positive: Tensor, negative: Tensor) -> Tensor:
    """By how much the best positive is not a margin above the best negative [m]."""
    return torch.relu(negative + MARGIN - positive)


def noise_probability(noise: Tensor) -> Tensor:
    """Return the probability that no candidate is right, as training sees it."""
    return torch.sigmoid(NOISE_SCALE * noise)


def kl_to_prior(p: Tensor, prior: float = PRIOR) -> Tensor:
    """KL divergence of a Bernoulli distribution from the prior's."""
    tiny = torch.finfo(p.dtype).tiny
    yes = p * torch.log((p / prior).clamp_min(tiny))
    return yes + (1 - p) * torch.log(((1 - p) / (1 - prior)).clamp_min(tiny))

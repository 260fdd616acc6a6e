"""The network against values worked out by hand, and against torch's own."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import torch

from eigenthemes import KB
from eigenthemes.embeddings.word_vectors import WordVectors
from eigenthemes_paper.taumil.entities import EntityBags
from eigenthemes_paper.taumil.model import best_of, shares_of
from eigenthemes_paper.taumil.scorer import new_model
from eigenthemes_paper.taumil.sentences import Sentences, Words


def test_best_and_shares_are_per_mention() -> None:
    scores, mention_of = torch.tensor([1.0, 3.0, -2.0, 5.0]), torch.tensor([0, 0, 1, 1])
    assert best_of(scores, mention_of, 2).tolist() == [3, 5]
    shares = shares_of(scores + 1000, mention_of, 2).tolist()
    assert shares == pytest.approx([1 / (1 + math.e**2), 1 / (1 + math.e**-2), 1 / (1 + math.e**7), 1 / (1 + math.e**-7)])


def test_the_encoding_is_the_sum_over_neighbours(family_kb: KB) -> None:
    words = Words.of(WordVectors({"won": 0}, np.ones((1, 2), dtype=np.float32)), family_kb)
    bags = EntityBags.of(family_kb)
    model = new_model(words, bags, seed=1)
    row = np.array([family_kb.index_of("a")])
    found = model.entities(bags.of_types(row), bags.of_relations(row))[0]
    type_of, relation_of = model.types.weight, model.relations.weight
    types = list(family_kb.types)
    code = {name: 2 * i for i, name in enumerate(map(str, family_kb.relations))}
    x, y = type_of[types.index("X")], type_of[types.index("Y")]
    liked = type_of[len(types) + code["likes"] + 1]
    by_hand = (x + y) / 2 @ model.mixing + relation_of[-1]
    by_hand = by_hand + x @ model.mixing + relation_of[code["knows"]] + liked @ model.mixing + relation_of[code["likes"]]
    torch.testing.assert_close(found, torch.relu(by_hand))


def test_the_reader_is_torchs_own_on_packed_sequences(tiny: KB) -> None:
    """Whatever a shorter sentence is filled up with changes nothing."""
    from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

    words = Words.of(WordVectors({w: i for i, w in enumerate("abcdefgh")}, np.eye(8, dtype=np.float32)), tiny)
    model = new_model(words, EntityBags.of(tiny), seed=3)
    sentences = Sentences.read([("a b c d e f g h", 4, 7), ("h c b", 0, 1), ("d", 0, 1)], words)
    ours = model.contexts(sentences.padded(np.arange(3), words.unknown))
    theirs = torch.nn.LSTM(8 + 5, 100, num_layers=2, batch_first=True, bidirectional=True)
    with torch.no_grad():
        for layer, both in enumerate(model.reader):
            for suffix, part in (("", both.forwards), ("_reverse", both.backwards)):
                for name, value in part.named_parameters():
                    getattr(theirs, name.replace("_l0", f"_l{layer}{suffix}")).copy_(value)
    padded = sentences.padded(np.arange(3), 0)
    read = torch.cat((model.words(torch.from_numpy(padded.words)), model.positions(torch.from_numpy(padded.positions))), dim=2)
    packed = pack_padded_sequence(read, torch.from_numpy(padded.lengths), batch_first=True, enforce_sorted=False)
    out, _ = pad_packed_sequence(theirs(packed)[0], batch_first=True)
    expected = torch.stack([torch.cat((out[i, padded.first[i]], out[i, padded.last[i]])) for i in range(3)])
    torch.testing.assert_close(ours, expected, atol=1e-5, rtol=1e-5)


def test_the_perceptron_reads_sentence_and_entity_together(tiny: KB) -> None:
    words = Words.of(WordVectors({"a": 0}, np.ones((1, 3), dtype=np.float32)), tiny)
    model = new_model(words, EntityBags.of(tiny), seed=4)
    contexts, entities = torch.randn(2, 400, generator=torch.Generator().manual_seed(0)), torch.rand(3, 100)
    mention_of, entity_of = torch.tensor([0, 0, 1]), torch.tensor([2, 0, 1])
    fits = model.fits(contexts, entities, mention_of, entity_of)
    together = torch.cat((contexts[mention_of], entities[entity_of]), dim=1)
    torch.testing.assert_close(fits, model.scorer.second(torch.relu(model.scorer.first(together))).squeeze(1))
    noise = model.noise(contexts, entities, fits, mention_of, entity_of)
    share = torch.softmax(fits[:2], dim=0)
    expected = torch.stack((share[0] * entities[2] + share[1] * entities[0], entities[1]))
    together = torch.cat((contexts, expected), dim=1)
    torch.testing.assert_close(noise, model.noise_scorer.second(torch.relu(model.noise_scorer.first(together))).squeeze(1))


def test_a_model_leaves_the_global_random_state_alone(tiny: KB, tmp_path: Path) -> None:
    words = Words.of(WordVectors({"a": 0}, np.ones((1, 3), dtype=np.float32)), tiny)
    before = torch.get_rng_state()
    one, other = (new_model(words, EntityBags.of(tiny), seed=7) for _ in range(2))
    assert torch.equal(before, torch.get_rng_state())
    assert all(torch.equal(value, other.learned()[name]) for name, value in one.learned().items())

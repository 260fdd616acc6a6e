"""The parts of tau-MIL-ND against values worked out by hand: sentences, bags of entities, objective, network."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from conftest import write_jsonl

torch = pytest.importorskip("torch")

from eigenthemes import KB, build_kb  # noqa: E402
from eigenthemes.embeddings.word_vectors import WordVectors  # noqa: E402
from eigenthemes.errors import DocumentError, OptionError  # noqa: E402
from eigenthemes.ranking.taumil.entities import NEIGHBORS, PSEUDO_TYPES, EntityBags  # noqa: E402
from eigenthemes.ranking.taumil.model import best_of, shares_of  # noqa: E402
from eigenthemes.ranking.taumil.scorer import new_model  # noqa: E402
from eigenthemes.ranking.taumil.sentences import Sentences, Words, check_text, sentence_of  # noqa: E402
from eigenthemes.records import Document, Mention, Table  # noqa: E402
from eigenthemes.reproduction.taumil_objective import hinge, kl_to_prior, noise_probability, objective  # noqa: E402

# the objective


def numbers(*values: float) -> torch.Tensor:
    return torch.tensor(values, dtype=torch.float64, requires_grad=True)


def test_the_objective_of_two_mentions_worked_out_by_hand() -> None:
    """Mention 1 misses the margin by 0.3, mention 2 keeps it; noise scores 0 and ln(3)/3 give p_noise 1/2 and 3/4."""
    positive, negative, noise = numbers(0.2, 1.0), numbers(0.4, 0.5), numbers(0.0, math.log(3) / 3)
    found = objective(positive, negative, noise)
    mean = (0.5 + 0.75) / 2
    kl = mean * math.log(mean / 0.9) + (1 - mean) * math.log((1 - mean) / 0.1)
    assert found.hinge.item() == pytest.approx((0.5 * 0.3 + 0.25 * 0) / 2)
    assert found.noise.item() == pytest.approx(mean)
    assert found.kl.item() == pytest.approx(kl)
    assert found.total.item() == pytest.approx(0.075 + 5 * kl)


def test_both_gradients_worked_out_by_hand() -> None:
    """Of the scores: -+(1 - p) / 2 where the margin is missed. Of the noise: 3 p (1 - p) / 2 (5 log odds ratio - hinge)."""
    positive, negative, noise = numbers(0.2, 1.0), numbers(0.4, 0.5), numbers(0.0, math.log(3) / 3)
    objective(positive, negative, noise).total.backward()
    assert positive.grad is not None
    assert negative.grad is not None
    assert noise.grad is not None
    assert positive.grad.tolist() == pytest.approx([-0.25, 0.0])
    assert negative.grad.tolist() == pytest.approx([0.25, 0.0])
    mean = 0.625
    odds = math.log(mean / 0.9) - math.log((1 - mean) / 0.1)
    by_hand = [3 * p * (1 - p) / 2 * (5 * odds - missed) for p, missed in ((0.5, 0.3), (0.75, 0.0))]
    assert noise.grad.tolist() == pytest.approx(by_hand)


def test_the_gradients_are_those_of_finite_differences() -> None:
    arguments = (numbers(0.2, 1.0, 0.3), numbers(0.4, 0.5, 0.9), numbers(0.1, -0.4, 0.9))
    assert torch.autograd.gradcheck(lambda *given: objective(*given).total, arguments)


def test_a_sure_noise_costs_no_more_than_finite() -> None:
    noise = torch.tensor([1e4, -1e4], dtype=torch.float32, requires_grad=True)
    found = objective(torch.zeros(2), torch.zeros(2), noise)
    found.total.backward()
    assert torch.isfinite(found.total)
    assert noise.grad is not None
    assert torch.isfinite(noise.grad).all()
    assert kl_to_prior(torch.tensor(1.0)).item() == pytest.approx(math.log(1 / 0.9))
    assert kl_to_prior(torch.tensor(0.9)).item() == pytest.approx(0, abs=1e-6)


def test_the_margin_and_the_factor_of_the_noise_are_those_of_the_paper() -> None:
    assert hinge(torch.tensor([0.1, 0.0, -1.0]), torch.zeros(3)).tolist() == pytest.approx([0, 0.1, 1.1])
    assert noise_probability(torch.tensor(1.0)).item() == pytest.approx(1 / (1 + math.exp(-3)))


def test_best_and_shares_are_per_mention() -> None:
    scores, mention_of = torch.tensor([1.0, 3.0, -2.0, 5.0]), torch.tensor([0, 0, 1, 1])
    assert best_of(scores, mention_of, 2).tolist() == [3, 5]
    shares = shares_of(scores + 1000, mention_of, 2).tolist()
    assert shares == pytest.approx([1 / (1 + math.e**2), 1 / (1 + math.e**-2), 1 / (1 + math.e**7), 1 / (1 + math.e**-7)])


# sentences


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("Rain fell there. Jordan won. Nobody saw it.", "Jordan", ["Jordan", "won", "."]),
        ("A line\nwith Jordan in it\nand more", "Jordan", ["with", "Jordan", "in", "it"]),
        ("We met Mr. Jordan of the U.S. team", "Jordan", "We met Mr . Jordan of the U . S . team".split()),
        ("Michael Jordan", "Michael Jordan", ["Michael", "Jordan"]),
        ("pre-Jordanian", "Jordan", ["pre", "-", "Jordan", "ian"]),
        ("a ... b", "...", ["a", ".", ".", ".", "b"]),
    ],
)
def test_the_sentence_around_a_mention(text: str, name: str, words: list[str]) -> None:
    start = text.index(name)
    found, first, last = sentence_of(text, start, start + len(name))
    assert found == words
    assert "".join(found[first : last + 1]) == name.replace(" ", "")


def test_long_sentences_are_cut_around_the_mention() -> None:
    text = " ".join(f"w{i}" for i in range(500))
    for at, begins in ((250, 201), (0, 0), (499, 400), (10, 0)):
        start = text.index(f"w{at}")
        found, first, last = sentence_of(text, start, start + len(f"w{at}"))
        assert (len(found), found[first], first, last) == (100, f"w{at}", at - begins, at - begins)


def test_a_mention_longer_than_a_sentence_and_an_empty_one() -> None:
    text = " ".join(["name"] * 300)
    assert [len(sentence_of(text, 0, len(text))[0]), *sentence_of(text, 0, len(text))[1:]] == [100, 0, 99]
    assert sentence_of("a  b", 2, 2) == (["a", "", "b"], 1, 1)


def test_positions_count_from_the_mention_and_are_clipped(tiny: KB) -> None:
    words = Words.of(WordVectors({"won": 0, "he": 1}, np.array([[3.0, 4.0], [0, 0]], dtype=np.float32)), tiny)
    text = "He won " + "x " * 12 + "and Jordan Air won"
    start = text.index("Jordan")
    padded = Sentences.read([(text, start, start + 10), ("Iowa", 0, 4)], words).padded(np.array([0, 1]), words.unknown)
    assert padded.lengths.tolist() == [18, 1]
    assert (padded.positions[0] - 10).tolist() == [-10] * 5 + list(range(-10, 0)) + [0, 0, 1]
    assert (padded.first.tolist(), padded.last.tolist()) == ([15, 0], [16, 0])
    assert padded.words[0, [0, 1, 17]].tolist() == words.rows(["he", "won", "won"]).tolist()
    assert set(padded.words[1].tolist()) == {words.unknown}


def test_word_vectors_have_unit_length_and_unknown_words_none(tiny: KB) -> None:
    words = Words.of(WordVectors({"Won": 0, "won": 1}, np.array([[3.0, 4.0], [0, 2]], dtype=np.float32)), tiny)
    rows = words.rows(["Won", "won", "WON", "lost"])
    assert words.vectors[rows].tolist() == [pytest.approx([0.6, 0.8]), [0, 1], [0, 1], [0, 0]]
    with pytest.raises(
        OptionError, match="holds no word vectors, and none were given; give a file of them with --word-vectors"
    ):
        Words.of(None, tiny)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (Document((Mention("Iowa"),), id="d7"), "the document 'd7' has no text"),
        (Document(table=Table(("x",), (("Iowa",),))), "a document without id has no text"),
        (Document((Mention("Iowa"),), id=3, text="Ohio"), "the document 3 has the mention 'Iowa', which does not stand"),
    ],
)
def test_a_document_without_sentences_is_refused_by_name(document: Document, said: str) -> None:
    with pytest.raises(DocumentError, match=said + r".*; give .*, or choose another method"):
        check_text(document)


def test_a_document_without_names_needs_no_text() -> None:
    check_text(Document(()))
    check_text(Document())


# entities


@pytest.fixture(scope="module")
def family(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """a has types X and Y, b has type X, c has none; a - b and a - c; hub has no type and 40 neighbours."""
    folder = tmp_path_factory.mktemp("family")
    nodes = [{"id": "a", "name": "a", "type": ["X", "Y"]}, {"id": "b", "name": "b", "type": "X"}, {"id": "c", "name": "c"}]
    nodes += [{"id": "hub", "name": "hub"}, {"id": "alone", "name": "alone"}]
    nodes += [{"id": f"n{i}", "name": f"n{i}", "type": "Y"} for i in range(40)]
    edges = [("a", "b", "knows"), ("a", "c", "likes")] + [("hub", f"n{i}", f"r{i % 20}") for i in range(40)]
    lines = [{"source": s, "target": t, "relation": r} for s, t, r in edges]
    return build_kb([write_jsonl(folder / "nodes.jsonl", nodes), write_jsonl(folder / "edges.jsonl", lines)], folder / "f.kb")


def bag(kb: KB, name: str) -> tuple[dict[str, float], dict[str, float]]:
    """The types and the relations of an entity, by name."""
    bags, row = EntityBags.of(kb), np.array([kb.index_of(name)])
    relations = [f"{way}{relation}" for relation in kb.relations for way in (">", "<")]
    types, found = bags.of_types(row), bags.of_relations(row)
    named = [*kb.types, *relations]
    return (
        {str(named[i]): w for i, w in zip(types.ids.tolist(), types.weights.tolist(), strict=True)},
        {[*relations, "itself"][i]: w for i, w in zip(found.ids.tolist(), found.weights.tolist(), strict=True)},
    )


def test_the_bag_of_an_entity_worked_out_by_hand(family: KB) -> None:
    """Itself: X/2, Y/2. Its neighbours: b is X; c has no type, so it is what is liked."""
    types, relations = bag(family, "a")
    assert types == {"X": 1.5, "Y": 0.5, "<likes": 1.0}
    assert relations == {">knows": 1, ">likes": 1, "itself": 1}
    assert bag(family, "b") == ({"X": 1.5, "Y": 0.5}, {"<knows": 1, "itself": 1})
    assert bag(family, "alone") == ({}, {"itself": 1})


def test_neighbours_and_pseudo_types_are_capped(family: KB) -> None:
    types, relations = bag(family, "hub")
    assert types.pop("Y") == NEIGHBORS
    assert types == {name: pytest.approx(1 / PSEUDO_TYPES) for name in types}
    assert len(types) == PSEUDO_TYPES
    assert sum(relations.values()) == NEIGHBORS + 1


def test_the_encoding_is_the_sum_over_neighbours(family: KB) -> None:
    words = Words.of(WordVectors({"won": 0}, np.ones((1, 2), dtype=np.float32)), family)
    bags = EntityBags.of(family)
    model = new_model(words, bags, seed=1)
    row = np.array([family.index_of("a")])
    found = model.entities(bags.of_types(row), bags.of_relations(row))[0]
    type_of, relation_of = model.types.weight, model.relations.weight
    types = list(family.types)
    code = {name: 2 * i for i, name in enumerate(map(str, family.relations))}
    x, y = type_of[types.index("X")], type_of[types.index("Y")]
    liked = type_of[len(types) + code["likes"] + 1]
    by_hand = (x + y) / 2 @ model.mixing + relation_of[-1]
    by_hand = by_hand + x @ model.mixing + relation_of[code["knows"]] + liked @ model.mixing + relation_of[code["likes"]]
    torch.testing.assert_close(found, torch.relu(by_hand))


# the network


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

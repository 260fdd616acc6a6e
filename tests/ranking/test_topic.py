"""The latent topic of a document: in a paper on mice, every gene is the mouse's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from helpers.kbs import build_untrained, copy_kb
from helpers.shared_builds import build_once

from eigenthemes import KB, Linker
from eigenthemes.kb.graph import Hubs, Kinds, kinds_of
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.ranking.ranker import AS_FOUND, Ranker, feature_context_of, rank_batch
from eigenthemes.records import Document, Mention
from eigenthemes.selftrain.training import self_train
from eigenthemes.train import store_ranker

GENES = tuple(f"Gen{letter}" for letter in "abcdefghijklmnopqrstuvwxyz")
ONLY_MOUSE = tuple(f"Mou{letter}" for letter in "abcdefgh")


def build(folder: Path) -> None:
    nodes, edges = ["id,name,description,prior"], ["source,relation,target"]
    nodes += ["human,human,species,900", "mouse,mouse,species,800"]
    for gene in (*GENES, *ONLY_MOUSE):
        for species, prior in (("human", 20), ("mouse", 15)):
            if species == "mouse" or gene in GENES:
                nodes.append(f"{species}-{gene},{gene},gene,{prior}")
                edges.append(f"{species}-{gene},in_taxon,{species}")
    (folder / "nodes.csv").write_text("\n".join(nodes) + "\n")
    (folder / "edges.csv").write_text("\n".join(edges) + "\n")
    kb = build_untrained([folder / "nodes.csv", folder / "edges.csv"], folder / "genes.kb", embedding=None)
    store_ranker(kb, self_train(kb, documents=200))


@pytest.fixture(scope="module")
def genes(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return KB.open(build_once(tmp_path_factory, "genes-topic", build) / "genes.kb")


def ranker_of(kb: KB) -> Ranker:
    return Ranker.of(next(iter(kb.rankers.values())))


def silent(ranker: Ranker) -> Ranker:
    """Return a ranker for which only the topic tells candidates apart."""
    for weights in ranker.rounds:
        weights.choice[:] = 0.0
        weights.nil[:] = 0.0
        weights.nil[0] = -5.0
    return replace(ranker, confidence=AS_FOUND)


MICE = Document(mentions=tuple(map(Mention, (*ONLY_MOUSE[:8], *GENES[:3]))))


def test_hubs_are_what_much_of_the_kg_has_to_do_with(genes: KB) -> None:
    hubs = Hubs.of(genes)
    assert hubs is not None
    assert {genes.id_of(int(hub)) for hub in hubs.entities} == {"human", "mouse"}
    assert (hubs.share > 0.2).all()
    assert (hubs.share < 1).all()


def test_hubs_of_an_entity_are_itself_and_its_neighbours(genes: KB) -> None:
    context = feature_context_of(genes, None)
    hubs, everybody = Hubs.of(genes), np.arange(len(genes))
    assert hubs is not None
    near = [{entity, *genes.graph.around(entity).tolist()} & set(hubs.entities.tolist()) for entity in everybody.tolist()]
    for entities, of_all in ((everybody, True), (everybody[::3], True), (everybody[::3], False)):
        lists, indptr, numbers = context.hubs_near(entities, of_all=of_all)
        found = [set(hubs.entities[numbers[indptr[each] : indptr[each + 1]]].tolist()) for each in lists.tolist()]
        assert found == [near[entity] for entity in entities.tolist()]


def test_what_most_names_have_to_do_with_decides_the_others(genes: KB) -> None:
    batch = batch_maker(genes, needs_vectors=False).make([MICE])
    context = feature_context_of(genes, None)
    told, untold = (rank_batch(replace(silent(ranker_of(genes)), topic=topic), batch, context) for topic in (1.0, 0.0))
    assert told.topics is not None
    assert untold.topics is None
    assert genes.id_of(int(told.topics.topic[0])) == "mouse"
    of_mouse = np.array([genes.id_of(entity).startswith("mouse-") for entity in told.groups.entity.tolist()])
    several = np.diff(told.groups.bounds)[told.groups.group] > 1
    assert (told.probability[of_mouse & several] > untold.probability[of_mouse & several]).all()
    assert (told.probability[~of_mouse] < untold.probability[~of_mouse]).all()
    assert told.nil_probability == pytest.approx(untold.nil_probability)
    total = np.bincount(told.groups.group, weights=told.probability)
    assert total == pytest.approx(np.bincount(untold.groups.group, weights=untold.probability))


def test_a_topic_makes_likelier_what_has_to_do_with_it_not_itself(genes: KB) -> None:
    context, maker = feature_context_of(genes, None), batch_maker(genes, needs_vectors=False)
    mentions = (*(Mention(name) for name in ONLY_MOUSE), Mention("this", candidates=("mouse", f"human-{GENES[0]}")))
    batch, ranker = maker.make([Document(mentions=mentions)]), silent(ranker_of(genes))
    ranking, untold = (rank_batch(replace(ranker, topic=topic), batch, context) for topic in (1.0, 0.0))
    assert ranking.topics is not None
    assert genes.id_of(int(ranking.topics.topic[0])) == "mouse"
    last = ranking.groups.bounds[-2]
    assert ranking.probability[last] == pytest.approx(untold.probability[last], abs=1e-3)


def test_documents_alone_have_the_same_topics_as_in_a_batch(genes: KB) -> None:
    linker = Linker(genes, allow_nil=False)
    humans = Document(mentions=tuple(map(Mention, GENES[:5])))
    together = list(linker.link_batch([MICE, humans, MICE]))
    assert [linked.links for linked in together] == [linker.link(document).links for document in (MICE, humans, MICE)]


def test_it_is_said_in_plain_words(genes: KB, tmp_path: Path) -> None:
    kb = store_ranker(copy_kb(genes, tmp_path / "genes.kb"), silent(ranker_of(genes)))
    linked = Linker(kb, explain=True, allow_nil=False).link(MICE)
    explanation = linked.links[-1].explanation
    assert linked.links[-1].entity == f"mouse-{GENES[2]}"
    assert explanation is not None
    assert explanation.topic is not None
    assert (explanation.topic.id, explanation.topic.names) == ("mouse", len(MICE.mentions or ()))
    assert "most names here have to do with mouse" in explanation.sentence


def test_a_ranker_from_before_has_no_topic(genes: KB) -> None:
    described = ranker_of(genes).to_dict()
    assert described.pop("topic") == 1.0
    assert Ranker.of(described).topic == 0.0
    assert "topic" not in Ranker.of(described).to_dict()


def test_kinds_are_the_few_values_of_a_relation_with_one_value(genes: KB, tmp_path: Path) -> None:
    kinds = Kinds.of(genes)
    assert kinds is not None
    assert [genes.id_of(int(kind)) for kind in kinds.entities] == ["human", "mouse"]
    for entity, kind in enumerate(kinds.kind_of.tolist()):
        species = genes.id_of(entity).partition("-")[0] if "-" in genes.id_of(entity) else None
        assert (genes.id_of(int(kinds.entities[kind - 1])) if kind else None) == species
    edges = ["source,relation,target", *(f"e{i},near,e{j}" for i in range(40) for j in (i + 1, i + 2))]
    (tmp_path / "edges.csv").write_text("\n".join(edges) + "\n")
    (tmp_path / "nodes.csv").write_text("id,name\n" + "".join(f"e{i},name {i}\n" for i in range(42)))
    assert (
        kinds_of(build_untrained([tmp_path / "nodes.csv", tmp_path / "edges.csv"], tmp_path / "my.kb", embedding=None)) is None
    )


@pytest.mark.parametrize(
    ("text", "species"),
    [
        ("Mice that lack Gena live longer than other mice.", "mouse"),
        ("Patients who lack Gena live longer than other patients.", "human"),
    ],
)
def test_words_for_kinds_decide_of_which_kind_a_name_is(genes: KB, text: str, species: str) -> None:
    start = text.index("Gena")
    document = {"text": text, "mentions": [{"text": "Gena", "start": start, "end": start + 4}]}
    assert Linker(genes).link(document).links[0].ranking[0].id == f"{species}-Gena"


def test_words_for_kinds_do_not_change_whether_there_is_a_link(genes: KB) -> None:
    context = feature_context_of(genes, None)
    texts = ("Mice without Gena and Genb", "Somebody without Gena and Genb")
    mentions = tuple(Mention(name, None, None) for name in ("Gena", "Genb"))
    batch = batch_maker(genes, needs_vectors=False).make([Document(text=text, mentions=mentions) for text in texts])
    found = rank_batch(silent(ranker_of(genes)), batch, context)
    total = np.bincount(found.groups.group, weights=found.probability, minlength=len(found.groups))
    assert total + found.nil_probability == pytest.approx(np.ones(len(found.groups)))

"""Coincidence: on a page of results, every city is its team; elsewhere it is a city."""

from __future__ import annotations

import numpy as np
import pytest
from helpers.documents import names_document
from helpers.kbs import build_untrained

from eigenthemes import KB
from eigenthemes.linker import Linker
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features import COLUMN_BOUNDS, COLUMNS, FeatureContext
from eigenthemes.ranking.features.coincidence import CELL_COLUMNS, Coincidence
from eigenthemes.ranking.features.feature_context import Evidence
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document, Mention, Table
from eigenthemes.selftrain.training import self_train
from eigenthemes.train import store_ranker

TOWNS = ("Arbon", "Belmar", "Corvin", "Dalheim", "Estrel", "Farnow", "Gistad", "Holmby")
VILLAGES = tuple(f"{first}{last}" for first in ("Upper ", "Lower ", "New ", "Old ") for last in ("Wyck", "Thorpe", "Leigh"))


@pytest.fixture(scope="module")
def towns(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """A KB of towns and their teams, which are called like them and known less; and of villages that have no team."""
    folder = tmp_path_factory.mktemp("towns")
    nodes = ["id,name,aliases,type,prior"]
    nodes += [f"c-{name},{name},,town,100" for name in TOWNS]
    nodes += [f"t-{name},{name} Rovers,{name},team,60" for name in TOWNS]
    nodes += [f"v-{name},{name},,village,10" for name in VILLAGES]
    nodes += ["land,Landia,,country,500", "league,First League,,league,80"]
    edges = ["source,relation,target"]
    edges += [f"c-{name},part_of,land" for name in TOWNS] + [f"v-{name},part_of,land" for name in VILLAGES]
    edges += [f"t-{name},plays_in,league" for name in TOWNS]
    (folder / "nodes.csv").write_text("\n".join(nodes) + "\n")
    (folder / "edges.csv").write_text("\n".join(edges) + "\n")
    kb = build_untrained([folder / "nodes.csv", folder / "edges.csv"], folder / "towns.kb", embedding=None)
    return store_ranker(kb, self_train(kb, documents=200))


def found_in(kb: KB, *documents: Document) -> tuple[MentionGroups, Coincidence]:
    groups = MentionGroups.of(batch_maker(kb, needs_vectors=False).make(documents))
    found = Coincidence.of(groups, FeatureContext(kb, None, Evidence.of(kb)))
    assert found is not None
    return groups, found


def test_what_all_names_can_be_is_evidence(towns: KB) -> None:
    names = tuple(Mention(name) for name in TOWNS[:6])
    groups, found = found_in(towns, Document(mentions=names))
    of_team = np.array([towns.id_of(entity).startswith("t-") for entity in groups.entity.tolist()])
    assert found.evidence[of_team].min() > 0
    assert (found.others == 5).all()
    assert (found.having[of_team] == 5).all()


def test_fewer_than_three_names_say_nothing(towns: KB) -> None:
    _, found = found_in(towns, Document(mentions=tuple(map(Mention, TOWNS[:2]))))
    assert not found.evidence.any()


def test_tables_have_their_columns_instead(towns: KB) -> None:
    rows = tuple((name,) for name in TOWNS)
    mentions = tuple(Mention(name, row=row, col=0) for row, name in enumerate(TOWNS))
    _, found = found_in(towns, Document(table=Table(("town",), rows), mentions=mentions))
    assert not found.evidence.any()
    assert "coincidence" not in CELL_COLUMNS


def test_documents_of_a_batch_do_not_see_each_other(towns: KB) -> None:
    documents = [Document(mentions=tuple(map(Mention, names))) for names in (TOWNS[:5], VILLAGES[:4], TOWNS[3:])]
    _, together = found_in(towns, *documents)
    apart = [found_in(towns, document)[1] for document in documents]
    for column, of_each in zip(together, zip(*apart, strict=True), strict=True):
        assert np.array_equal(column, np.concatenate(of_each))


def test_the_weight_is_bounded(towns: KB) -> None:
    ranker = Ranker.of(next(iter(towns.rankers.values())))
    column = COLUMNS.index("coincidence")
    low, high = COLUMN_BOUNDS[column]
    assert (low, high) == (0.0, 0.5)
    assert all(low <= weights.choice[column] <= high for weights in ranker.rounds)


def test_it_is_said_in_plain_words(towns: KB) -> None:
    ranker = Ranker.of(next(iter(towns.rankers.values())))
    for weights in ranker.rounds:
        weights.choice[:] = 0.0
        weights.choice[COLUMNS.index("coincidence")] = 0.5
    linker = Linker(store_ranker(towns, ranker), explain=True, allow_nil=False)
    explanation = linker.link(names_document(*TOWNS[:6])).links[0].explanation
    assert explanation is not None
    assert explanation.coincidence is not None
    assert explanation.coincidence.having == explanation.coincidence.others == 5
    assert "5 of the 5 other names here can" in explanation.sentence
    assert "coincidence" in explanation.to_dict()


def test_a_kb_without_attributes_links_as_before(towns: KB) -> None:
    groups = MentionGroups.of(batch_maker(towns, needs_vectors=False).make([Document(mentions=tuple(map(Mention, TOWNS)))]))
    assert Coincidence.of(groups, FeatureContext(towns, None)) is None

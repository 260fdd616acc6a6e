"""A little gold moves the weights of a trained ranker."""

from __future__ import annotations

import pytest
from helpers.kbs import build_from_records
from helpers.rankers import assert_usable, same_weights

from eigenthemes import KB
from eigenthemes.errors import DocumentError
from eigenthemes.linker import Linker
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.ranking.features import (
    COLUMNS,
    FeatureContext,
)
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document, Mention
from eigenthemes.selftrain import gold
from eigenthemes.selftrain.gold import check_gold, gold_train
from eigenthemes.selftrain.training import TrainingBatch, self_train
from eigenthemes.train import store_ranker

# a little gold


@pytest.fixture(scope="module")
def contrary(tmp_path_factory: pytest.TempPathFactory) -> tuple[KB, Ranker]:
    """Two things of each name, one popular; gold will always be the other one."""
    nodes = [
        {"id": f"{kind}{i}", "name": f"Thing{i}", "prior": prior}
        for i in range(40)
        for kind, prior in (("big", 1000), ("low", 1))
    ]
    kb = build_from_records(tmp_path_factory.mktemp("contrary"), nodes)  # fmt: skip
    return kb, self_train(kb, documents=100)


def contrary_gold(many: int) -> list[Document]:
    return [Document(mentions=(Mention(f"Thing{i}", gold=(f"low{i}",)),)) for i in range(many)]


def test_gold_moves_the_weights_towards_gold(contrary: tuple[KB, Ranker], monkeypatch: pytest.MonkeyPatch) -> None:
    kb, before = contrary
    column = COLUMNS.index("log_prior")

    def fitted(many: int, strength: float) -> Ranker:
        monkeypatch.setattr(gold, "_FEW", strength)
        monkeypatch.setattr(gold, "STRENGTHS", (strength,))
        return gold_train(kb, before, contrary_gold(many))

    few, many, timid = fitted(3, 20), fitted(30, 20), fitted(30, 1e6)
    assert all(map(same_shape, (few, many, timid), (before,) * 3))
    assert many.rounds[-1].choice[column] < few.rounds[-1].choice[column] < before.rounds[-1].choice[column]
    assert timid.rounds[-1].choice == pytest.approx(before.rounds[-1].choice, abs=0.01)

    def chance(ranker: Ranker) -> float:
        links = Linker(store_ranker(kb_again(kb), ranker), top=9).link({"mentions": [{"text": "Thing39"}]}).links
        return next(each.score for each in links[0].ranking if each.id == "low39")

    assert chance(before) < chance(few) < chance(many)
    assert chance(many) > 0.5


def same_shape(one: Ranker, other: Ranker) -> bool:
    assert_usable(one)
    return [len(each.choice) for each in one.rounds] == [len(each.choice) for each in other.rounds]


def kb_again(kb: KB) -> KB:
    return KB.open(kb.path)


def test_figures_of_gold_were_measured_on_documents_kept_aside(contrary: tuple[KB, Ranker]) -> None:
    kb, before = contrary
    about = gold_train(kb, before, contrary_gold(30)).about
    assert about["gold"]["documents"] == about["gold"]["mentions"] == 30
    assert about["gold"]["p_at_1"] > about["gold"]["p_at_1_before"]
    assert about["training"] == before.about["training"]
    few = gold_train(kb, before, contrary_gold(3))
    assert few.about["gold"] == {"documents": 3, "mentions": 3}
    assert few.threshold == before.threshold


def test_mentions_that_are_not_annotated_are_no_gold(contrary: tuple[KB, Ranker]) -> None:
    kb, before = contrary
    plain = [Document(mentions=(Mention("Thing1"), Mention("Thing2"))), Document(text="Thing3"), Document(mentions=())]
    one = gold_train(kb, before, contrary_gold(6))
    assert same_weights(one, gold_train(kb, before, [*plain, *contrary_gold(6)]))


def test_empty_gold_says_that_there_is_none(contrary: tuple[KB, Ranker]) -> None:
    """Where much is outside the KB, answers get less likely."""
    kb, before = contrary
    outside = [Document(mentions=(Mention(f"Thing{i}", gold=()),)) for i in range(3, 40)]
    sure, unsure = (gold_train(kb, before, [*contrary_gold(3), *more]) for more in ((), outside))
    chance = [
        Linker(store_ranker(kb_again(kb), each), allow_nil=False).link("Thing0").links[0].probability for each in (sure, unsure)
    ]
    assert chance[0] is not None
    assert chance[1] is not None
    assert chance[1] < chance[0]


@pytest.mark.parametrize("mentions", [None, (), (Mention("Thing1"),), (Mention("Thing1", gold=()),)])
@pytest.mark.parametrize("gold_of_another", [(), ("Q42",), ("low2",)])
def test_gold_that_teaches_nothing_changes_nothing(
    contrary: tuple[KB, Ranker], mentions: tuple[Mention, ...] | None, gold_of_another: tuple[str, ...]
) -> None:
    kb, before = contrary
    documents = [Document(text="Thing1", mentions=mentions), Document(mentions=(Mention("Thing1", gold=gold_of_another),))]
    assert gold_train(kb, before, documents) is before


def test_gold_of_another_kb_is_refused(contrary: tuple[KB, Ranker]) -> None:
    kb, _ = contrary
    for documents, words in (
        ([Document(mentions=(Mention("Thing1"),)), Document(text="Thing1")], "no mention has gold"),
        ([Document(mentions=(Mention("Thing1", gold=("Q42",)),))], "Q42"),
    ):
        with pytest.raises(DocumentError, match=words) as refused:
            check_gold(documents, kb)
        assert "\n" not in str(refused.value)
        assert "; give" in str(refused.value)


def test_a_field_called_removed_is_the_users_own(contrary: tuple[KB, Ranker]) -> None:
    kb, _ = contrary
    batch = batch_maker(kb, needs_vectors=False).make(
        [Document(mentions=(Mention("Thing1", gold=("low1",), source={"text": "Thing1", "removed": False}),))]
    )
    assert TrainingBatch.of(batch, kb, FeatureContext(kb, None)).gold.sum() == 1


def test_what_is_not_a_name_at_all_teaches_nothing_about_names(contrary: tuple[KB, Ranker]) -> None:
    """Corrections of texts are full of words that are no names: as gold they would make every answer doubtful."""
    kb, before = contrary
    no_name = {"not_a_name": True}
    noise = [Document(mentions=(Mention(f"Thing{i}", gold=(), source=no_name),)) for i in range(3, 40)]
    one = gold_train(kb, before, contrary_gold(6))
    assert same_weights(one, gold_train(kb, before, [*noise, *contrary_gold(6)]))

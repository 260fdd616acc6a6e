"""eigenthemes eval: figures that can be counted by hand."""

from __future__ import annotations

import itertools
import shutil
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import assert_one_sentence, call
from helpers.documents import names_document
from helpers.evaluating import GOLD, PLAIN, figures, without_speed
from helpers.files import write_jsonl
from helpers.inspecting import UNTRAINED_METHODS
from helpers.kbs import build_untrained, import_untrained

from eigenthemes import KB
from eigenthemes.linker import Linker


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "gold.jsonl", GOLD)


@pytest.fixture(scope="module")
def twins(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """Three towns that nothing tells apart."""
    folder = tmp_path_factory.mktemp("twins")
    nodes: list[dict[str, object]] = [{"id": each, "name": "Springfield"} for each in "abc"]
    edges: list[dict[str, object]] = [{"source": each, "target": "hub", "relation": "in"} for each in "abc"]
    return build_untrained([write_jsonl(folder / "n.jsonl", nodes), write_jsonl(folder / "e.jsonl", edges)], folder / "t.kb")


# figures


def test_the_figures_of_degree_by_hand(tiny: KB, gold: Path) -> None:
    found = figures(tiny.path, gold, "--methods", "degree")["gold"]["degree"]
    assert found["overall"] == {
        "mentions": 6,
        "p_at_1": pytest.approx(2 / 6),
        "mrr": pytest.approx(3 / 6),
        "ceiling": pytest.approx(4 / 6),
    }
    assert found["easy"] == {"mentions": 2, "p_at_1": 1.0, "mrr": 1.0}
    assert found["hard"] == {"mentions": 2, "p_at_1": 0.0, "mrr": 0.5}
    assert found["macro"]["p_at_1"] == pytest.approx((1 / 3 + 1 / 3) / 2)
    assert found["macro"]["mrr"] == pytest.approx((2 / 3 + 1 / 3) / 2)
    assert (found["gold_in_kb"]["mentions"], found["gold_in_kb"]["p_at_1"]) == (5, pytest.approx(2 / 5))
    assert found["recall_at"]["1"] == pytest.approx(2 / 6)
    assert found["recall_at"]["5"] == pytest.approx(4 / 6)
    assert found["documents_per_second"] > 0
    assert found["against"] == {}


def test_the_figures_of_namematch_by_hand(tiny: KB, gold: Path) -> None:
    found = figures(tiny.path, gold, "--methods", "namematch")["gold"]["namematch"]
    assert (found["overall"]["p_at_1"], found["overall"]["mrr"]) == (0.5, 0.5)  # no answer earns nothing, not even a place
    assert found["overall"]["ceiling"] == pytest.approx(4 / 6)
    assert (found["easy"]["p_at_1"], found["hard"]["p_at_1"]) == (1.0, 0.5)


def test_what_does_not_depend_on_the_method_is_the_same_for_all(tiny: KB, gold: Path) -> None:
    found = figures(tiny.path, gold, "--methods", ",".join(UNTRAINED_METHODS))["gold"]
    assert list(found) == UNTRAINED_METHODS
    for each in found.values():
        assert (each["overall"]["mentions"], each["easy"]["mentions"], each["hard"]["mentions"]) == (6, 2, 2)
        assert each["overall"]["ceiling"] == pytest.approx(4 / 6)
        assert 0 <= each["overall"]["p_at_1"] <= each["overall"]["mrr"] <= each["overall"]["ceiling"]


@pytest.mark.parametrize("method", UNTRAINED_METHODS)
def test_eval_counts_what_link_answers(tiny: KB, gold: Path, method: str) -> None:
    links = [link for document in GOLD for link in Linker(tiny, method=method).link(document).links if link.mention.gold]
    right = sum(link.entity in (link.mention.gold or ()) for link in links)
    assert figures(tiny.path, gold, "--methods", method)["gold"][method]["overall"]["p_at_1"] == pytest.approx(
        right / len(links)
    )


def test_a_mention_without_gold_takes_part_in_its_document(tiny: KB, tmp_path: Path) -> None:
    shutil.copytree(tiny.path, tmp_path / "my.kb")
    (tmp_path / "vectors.txt").write_text("paris 1 0\nparis-tx 0 1\niowa 0 1\n")
    import_untrained(tmp_path / "my.kb", tmp_path / "vectors.txt", name="mine")
    paris = {"text": "Paris", "gold": "paris-tx"}
    write_jsonl(tmp_path / "alone.jsonl", [{"mentions": [paris]}])
    write_jsonl(tmp_path / "among.jsonl", [{"mentions": [paris, *[{"text": "Iowa"}] * 3]}])
    found = figures(tmp_path / "my.kb", tmp_path / "alone.jsonl", tmp_path / "among.jsonl", "--methods", "eigen")
    assert {name: each["eigen"]["overall"]["p_at_1"] for name, each in found.items()} == {"alone": 0.0, "among": 1.0}
    assert found["among"]["eigen"]["overall"]["mentions"] == 1


def test_ties_share_their_credit(twins: KB, tmp_path: Path) -> None:
    for right, p_at_1, mrr in (
        (["a"], 1 / 3, (1 + 1 / 2 + 1 / 3) / 3),
        (["a", "c"], 2 / 3, (2 + 1 / 2) / 3),
        (["a", "b", "c"], 1, 1),
    ):
        file = write_jsonl(tmp_path / "gold.jsonl", [{"mentions": [{"text": "Springfield", "gold": right}]}])
        found = figures(twins.path, file, "--methods", "prior-name")["gold"]["prior-name"]["overall"]
        assert (found["p_at_1"], found["mrr"]) == (pytest.approx(p_at_1), pytest.approx(mrr))


def test_easy_and_hard_go_by_the_candidates_the_document_brings(tiny: KB, tmp_path: Path) -> None:
    mentions = [{"text": "Jordan", "candidates": ["mij", "mj", "jo"], "gold": right} for right in ("mij", "jo", "paris")]
    found = figures(tiny.path, write_jsonl(tmp_path / "g.jsonl", [{"mentions": mentions}]), "--methods", "degree")["g"][
        "degree"
    ]
    assert (found["easy"]["mentions"], found["hard"]["mentions"]) == (1, 1)
    assert found["overall"]["ceiling"] == pytest.approx(2 / 3)


@pytest.mark.parametrize("scored", [False, True])
def test_easy_mentions_degree_and_namematch_use_one_order(tiny: KB, tmp_path: Path, scored: bool) -> None:
    orders = list(itertools.permutations(("mij", "mj", "jo")))
    lists = [[[id, 9 - place] for place, id in enumerate(order)][::-1] if scored else list(order) for order in orders]
    mentions = [{"text": "Jordan", "candidates": given, "gold": order[0]} for given, order in zip(lists, orders, strict=True)]
    file = write_jsonl(tmp_path / "g.jsonl", [{"mentions": mentions}])
    found = figures(tiny.path, file, "--methods", "degree,eigen")["g"]
    assert found["degree"]["easy"] == {"mentions": 6, "p_at_1": 1.0, "mrr": 1.0}


def test_vectors_of_some_entities_do_not_change_methods_that_need_none(tiny: KB, tmp_path: Path) -> None:
    lists = [["tumor", "paris"], ["paris", "tumor"], ["tumor"]]  # tumor has no vector
    mentions = [{"text": "Paris", "candidates": given, "gold": given[0]} for given in lists]
    file = write_jsonl(tmp_path / "g.jsonl", [{"mentions": mentions}])
    for methods in ("degree", "degree,eigen"):
        found = figures(tiny.path, file, "--methods", methods, "--generator", "paper")["g"]["degree"]
        assert found["overall"] == {"mentions": 3, "p_at_1": 1.0, "mrr": 1.0, "ceiling": 1.0}
    done = call("eval", tiny.path, file, "--methods", "degree,eigen", "--generator", "paper")
    assert "3 candidates given by documents left out because they have no vector" in done.stderr
    assert "the generator paper leaves out entities without a vector" in done.stderr
    linked = call("link", tiny.path, file, "--method", "eigen", "--generator", "paper")
    assert "3 candidates given by documents left out because they have no vector" in linked.stderr
    assert "left out because" not in call("link", tiny.path, file, "--method", "degree", "--generator", "paper").stderr


def test_candidates_the_kb_does_not_know_are_reported(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "g.jsonl", [names_document("Jordan", candidates=["Q1", "jo", "Q2"], gold="jo")])
    done = call("eval", tiny.path, file, "--methods", "degree")
    assert done.returncode == 0
    assert "2 candidates" in done.stderr


def test_methods_are_compared_both_ways(tiny: KB, gold: Path) -> None:
    found = figures(tiny.path, gold, "--methods", PLAIN)["gold"]
    for one, other in itertools.permutations(found, 2):
        there, back = found[one]["against"][other], found[other]["against"][one]
        expected = found[one]["overall"]["p_at_1"] - found[other]["overall"]["p_at_1"]
        assert there["difference"] == pytest.approx(expected)
        assert there["difference"] == -back["difference"]
        assert (there["low"], there["high"]) == (-back["high"], -back["low"])
        assert there["low"] <= there["difference"] <= there["high"]
        assert there["p_value"] == back["p_value"]
        assert 0 <= there["p_value"] <= 1
    assert all(name not in found[name]["against"] for name in found)


def test_a_plain_difference_is_significant_and_none_is_not(tiny: KB, tmp_path: Path) -> None:
    documents = [names_document("MJ", "Michael Jordan", gold="mj")] * 40  # namematch does not know MJ
    file = write_jsonl(tmp_path / "g.jsonl", documents)
    found = figures(tiny.path, file, "--methods", "degree,namematch,prior-name")["g"]["degree"]["against"]
    assert found["namematch"]["difference"] == 0.5
    assert found["namematch"]["low"] > 0
    assert found["namematch"]["p_value"] < 0.001
    assert (found["prior-name"]["difference"], found["prior-name"]["low"], found["prior-name"]["high"]) == (0, 0, 0)
    assert found["prior-name"]["p_value"] == 1


@pytest.mark.parametrize(
    "documents",
    [
        [names_document("Paris", gold="paris")],
        [names_document("MJ", gold="mj")],
        [names_document("MJ", gold="mj"), names_document("MJ", gold="mj")],
        [names_document("xyzzy", gold="paris")],
    ],
)
def test_little_gold_is_still_json(tiny: KB, tmp_path: Path, documents: list[dict[str, Any]]) -> None:
    file = write_jsonl(tmp_path / "g.jsonl", documents)
    found = figures(tiny.path, file, "--by-document")["g"]
    golds = sum("gold" in mention for each in documents for mention in each.get("mentions", ()))
    assert {each["overall"]["mentions"] for each in found.values()} == {golds}
    assert call("eval", tiny.path, file).returncode == 0


def test_many_documents_are_counted_as_few(tiny: KB, tmp_path: Path) -> None:
    few = figures(tiny.path, write_jsonl(tmp_path / "few.jsonl", GOLD), "--methods", PLAIN)["few"]
    many = figures(tiny.path, write_jsonl(tmp_path / "many.jsonl", GOLD * 50), "--methods", PLAIN, "--by-document")["many"]
    for method, found in many.items():
        assert found["overall"]["mentions"] == 300
        for kind, figure in itertools.product(("overall", "easy", "hard"), ("p_at_1", "mrr")):
            assert found[kind][figure] == pytest.approx(few[method][kind][figure])
        assert found["macro"]["p_at_1"] == pytest.approx(few[method]["macro"]["p_at_1"])
        assert [each["id"] for each in found["documents"]] == ["people", "places"] * 50


def test_the_figures_of_each_document(tiny: KB, gold: Path) -> None:
    assert "documents" not in figures(tiny.path, gold, "--methods", "degree")["gold"]["degree"]
    rows = figures(tiny.path, gold, "--methods", "degree", "--by-document")["gold"]["degree"]["documents"]
    assert [(each["id"], each["mentions"]) for each in rows] == [("people", 3), ("places", 3)]
    assert [each["p_at_1"] for each in rows] == [pytest.approx(1 / 3)] * 2
    assert [each["mrr"] for each in rows] == [pytest.approx(2 / 3), pytest.approx(1 / 3)]


def test_the_same_again(tiny: KB, gold: Path) -> None:
    first, again = (without_speed(figures(tiny.path, gold)) for _ in range(2))
    assert first == again


def test_the_options_reach_the_methods(tiny: KB, gold: Path) -> None:
    def overall(*options: object, method: str = "degree") -> Any:
        return figures(tiny.path, gold, "--methods", method, *options)["gold"][method]["overall"]

    assert figures(tiny.path, gold, "--methods", "degree", "--max-candidates", 1)["gold"]["degree"]["hard"]["mentions"] == 0
    assert overall("--max-candidates", "all") == overall()
    assert overall("--no-aliases")["mentions"] == 6
    assert overall("--generator", "paper")["ceiling"] == pytest.approx(4 / 6)
    assert overall("--delta", 0, method="eigen") == overall(method="eigen-unweighted")
    assert overall("--k", "all", "--unique", "--vectors", "prone", method="eigen")["mentions"] == 6


@pytest.mark.parametrize(
    ("gold", "sentence"),
    [
        ({}, 'no mention of bad has gold to compare with; give documents whose mentions have "gold"'),
        ({"gold": None}, "no mention of bad has gold"),
        ({"gold": "Q1"}, "no gold id of bad is in the KB (they are like Q1, the KB's are like"),
    ],
)
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_gold_that_says_nothing_is_an_error_and_the_other_sets_are_told(
    tiny: KB, tmp_path: Path, gold: dict[str, Any], sentence: str, options: tuple[str, ...]
) -> None:
    bad = write_jsonl(tmp_path / "bad.jsonl", [{"mentions": [{"text": "Paris", **gold}]}])
    good = write_jsonl(tmp_path / "good.jsonl", [{"mentions": [{"text": "Paris", "gold": tiny.id_of(0)}]}])
    command = ("eval", tiny.path, "--methods", "degree", *options)
    alone = call(*command, bad)
    assert_one_sentence(alone, sentence)
    assert alone.stdout == ""
    both = call(*command, bad, good)
    assert_one_sentence(both, sentence)
    assert "good" in both.stdout
    assert "bad" not in both.stdout


def test_gold_outside_the_kb_is_told_with_examples(tiny: KB, tmp_path: Path) -> None:
    mentions = [{"text": "Paris", "gold": "paris"}, {"text": "Rome", "gold": "rome"}, {"text": "Oslo", "gold": ["oslo", "x"]}]
    gold = write_jsonl(tmp_path / "gold.jsonl", [{"mentions": mentions}])
    done = call("eval", tiny.path, gold, "--methods", "degree")
    assert "the gold of 2 mentions is not in the KB (such as rome, oslo): they count as not found" in done.stdout
    assert "gold: 1 document, 3 mentions" in done.stdout
    inside = write_jsonl(tmp_path / "inside.jsonl", [{"mentions": mentions[:1]}])
    assert "not in the KB" not in call("eval", tiny.path, inside, "--methods", "degree").stdout


def test_duplicates_of_the_gold_are_right_too(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(
        tmp_path / "g.jsonl", [{"mentions": [{"text": "Iowa", "gold": "tumor"}, {"text": "Paris", "gold": "who"}]}]
    )
    (tmp_path / "same.tsv").write_text("tumor\tother\nother\tiowa\n")
    plain = figures(tiny.path, file, "--methods", "degree")["g"]["degree"]
    same = figures(tiny.path, file, "--methods", "degree", "--same-as", tmp_path / "same.tsv")["g"]["degree"]
    assert (plain["overall"]["p_at_1"], same["overall"]["p_at_1"]) == (0, 0.5)
    (tmp_path / "same.tsv").write_text("tumor\n")
    done = call("eval", tiny.path, file, "--same-as", tmp_path / "same.tsv")
    assert_one_sentence(done, "same.tsv:1: 1 cells, expected an id and an id of the same entity")


def test_gold_without_a_name_is_counted_apart(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(
        tmp_path / "g.jsonl", [{"mentions": [{"text": "Iowa", "gold": "iowa"}, {"text": "x", "gold": "nameless"}]}]
    )
    assert figures(tiny.path, file, "--methods", "degree")["g"]["degree"]["gold_nameless"] == {"mentions": 1}
    assert "the gold of 1 mention has no name in the KB" in call("eval", tiny.path, file, "--methods", "degree").stdout

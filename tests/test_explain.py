"""Explanations: true to what the ranker saw, and readable."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from eigenthemes import KB, build_kb
from eigenthemes.build import store_ranker
from eigenthemes.candidates.rules import MATCH_TYPES
from eigenthemes.cli.explain import explain
from eigenthemes.errors import EigenthemesError
from eigenthemes.kg.demo import DOCUMENTS, SMALL
from eigenthemes.linker import as_document
from eigenthemes.ranking.batch import batch_maker
from eigenthemes.ranking.explain.explainer import Explainer, Explanation
from eigenthemes.ranking.explain.words import readable
from eigenthemes.ranking.features import COLUMNS, NONE_COLUMNS, FeatureContext
from eigenthemes.ranking.logit import shares as softmax
from eigenthemes.ranking.ranker import Ranker, Weights, judge
from eigenthemes.ranking.selftrained import ranker_of
from eigenthemes.records import EDGE, GIVEN, LONGER, SAME, SHARED

NODES = """id,name,aliases,description,prior
fr,Paris,City of Light,capital of France,1000
tx,Paris,,city in Texas,50
lamar,Lamar County,,county in Texas,40
red,Red River,Big Red,river,30
texas,Texas,,state,500
france,France,,country,900
springfield,Springfield,,city in Illinois,100
smith,John Smith,,explorer,20
smithy,Smith,,trade,60
spin,Spinward,,,5
dallas,Dallas,,city,80
"""
EDGES = """source,relation,target
tx,part_of,lamar
lamar,part_of,texas
tx,part_of,texas
red,flowsThrough,texas
fr,http://example.org/capital_of,france
smith,visited,springfield
dallas,part_of,texas
"""
WEIGHTS = {
    "alias": -0.5, "contains": -1.0, "typo": -1.0, "covered": 1.0, "log_prior": 0.4,
    "coherence": 0.5, "edges": 2.0, "shared_rare": 1.0, "shared": 1.0, "longer_name": 3.0, "same_entity": 1.0,
}  # fmt: skip


def a_ranker(**weights: float) -> Ranker:
    """Weights a person would give."""
    named = {**WEIGHTS, **weights}
    choice = np.array([named.get(name, 0.0) for name in COLUMNS])
    local = choice[: COLUMNS.index("coherence")]
    none = np.zeros(len(NONE_COLUMNS) + len(COLUMNS))
    none[0], none[len(NONE_COLUMNS) + COLUMNS.index("typo")] = -3.0, 5.0
    first = Weights(local, none[: len(NONE_COLUMNS) + len(local)])
    return Ranker((first, Weights(choice, none), Weights(choice, none)), temperature=1.25, threshold=0.41)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    folder = tmp_path_factory.mktemp("paris")
    (folder / "nodes.csv").write_text(NODES)
    (folder / "edges.csv").write_text(EDGES)
    made = build_kb([folder / "nodes.csv", folder / "edges.csv"], folder / "paris.kb", embedding=None, train=False)
    return store_ranker(made, a_ranker())


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> KB:
    made = build_kb([SMALL], tmp_path_factory.mktemp("demo") / "demo.kb", train=False)
    return store_ranker(made, a_ranker())


def names(*texts: str) -> dict[str, Any]:
    return {"mentions": [{"text": text} for text in texts]}


def explainer(kb: KB, *documents: Any, ranker: Ranker | None = None, **options: Any) -> Explainer:
    makes = batch_maker(kb, needs_vectors=False)
    around = FeatureContext(kb, makes.vectors)
    ranker = ranker or a_ranker()
    batch = makes.make([as_document(each) for each in documents])
    return Explainer(ranker, judge(ranker, batch, around), around, **options)


def explained(kb: KB, *texts: str, **options: Any) -> list[Explanation]:
    found = explainer(kb, names(*texts), **options)
    return [found.explain(i) for i in range(len(texts))]


def test_paris_texas(kb: KB) -> None:
    paris, lamar, red = explained(kb, "Paris", "Lamar County", "Red River")
    assert paris.best
    assert paris.best.id == "tx"
    assert paris.runner_up == paris.more_popular
    assert paris.words == (
        "Paris -> Paris (city in Texas): exact name; all the support is from Lamar County (part of) and Red River "
        "(both linked to Texas); Paris (capital of France) is more popular but shares nothing with the other names."
    )
    assert lamar.words.startswith(
        "Lamar County -> Lamar County (county in Texas): exact name, the only candidate; all the support is from Paris "
        "(part of Lamar County) and Red River (both linked to Texas)"
    )
    assert red.best
    assert red.best.id == "red"


def test_support_names_the_mention_and_the_relation(kb: KB) -> None:
    paris = explained(kb, "Paris", "Lamar County", "Red River", "Springfield")[0]
    lamar, red = paris.support
    assert (lamar.text, lamar.mention, lamar.id, lamar.label) == ("Lamar County", 1, "lamar", "Lamar County")
    assert (lamar.reasons[0].how, lamar.reasons[0].relation, lamar.reasons[0].reverse) == (EDGE, "part of", False)
    assert (lamar.reasons[1].how, lamar.reasons[1].relation, lamar.reasons[1].shared) == (SHARED, "part of", ("Texas",))
    assert (red.text, red.mention, red.reasons[0].how, red.reasons[0].shared) == ("Red River", 2, SHARED, ("Texas",))
    assert lamar.share > red.share
    back = explained(kb, "Lamar County", "Paris")[0].support[0]
    assert (back.id, back.reasons[0].how, back.reasons[0].reverse) == ("tx", EDGE, True)


def test_several_names_with_one_reason_are_told_together(kb: KB) -> None:
    texas = explained(kb, "Texas", "Dallas", "Lamar County", "Xyz")[0]
    assert texas.words == (
        "Texas -> Texas (state): exact name, the only candidate; "
        "all the support is from Lamar County and Dallas (part of Texas)."
    )


def test_shares_sum_to_one_and_what_speaks_against_is_told(kb: KB) -> None:
    paris = explained(kb, "Paris", "Lamar County", "Red River")[0]
    assert sum(paris.shares.values()) == pytest.approx(1)
    assert set(paris.shares) == {"themes"}
    assert set(paris.against) == {"prior"}
    assert paris.best
    assert paris.runner_up
    for group, value in paris.best.contributions.items():
        ahead = value - paris.runner_up.contributions[group]
        assert np.sign(ahead) == np.sign(paris.shares.get(group, 0) - paris.against.get(group, 0))


def test_contributions_give_the_probabilities_back(demo: KB) -> None:
    documents = [json.loads(line) for line in DOCUMENTS["small"].read_text().splitlines()]
    found = explainer(demo, *documents)
    for i in range(len(found.batch.mentions)):
        candidates = found.candidates(i)
        utility = np.array([sum(each.contributions.values()) for each in candidates])
        chance = softmax(utility, np.array([0, len(utility)])) * (1 - found.explain(i).none)
        assert [each.probability for each in candidates] == pytest.approx(chance.tolist(), abs=1e-6)


def test_what_names_put_in_is_what_the_ranker_saw(demo: KB) -> None:
    documents = [json.loads(line) for line in DOCUMENTS["small"].read_text().splitlines()]
    assert checked_columns(explainer(demo, *documents)) > 50


def test_hubs_are_walked_as_the_ranker_does(tmp_path: Path) -> None:
    nodes = [f"l{i},Leaf {i}" for i in range(600)] + [f"{hub},Hub {hub}" for hub in "ab"]
    edges = [f"{hub},l{i}" for hub in "ab" for i in range(600)]
    (tmp_path / "nodes.csv").write_text("\n".join(["id,name", *nodes]))
    (tmp_path / "edges.csv").write_text("\n".join(["source,target", *edges]))
    files = [tmp_path / "nodes.csv", tmp_path / "edges.csv"]
    hubs = build_kb(files, tmp_path / "hubs.kb", embedding=None, train=False)
    found = explainer(hubs, names("Hub a", "Hub b", "Leaf 2", "Leaf 599"))
    assert checked_columns(found) >= 4
    support = {each.text: each.reasons[0] for each in found.explain(0).support}
    assert support.keys() == {"Hub b", "Leaf 2", "Leaf 599"}
    assert (support["Leaf 599"].how, support["Leaf 599"].relation) == (EDGE, "linked")


def checked_columns(found: Explainer) -> int:
    """What all rows put in, found again by walking, gives the columns of each candidate; returns how many were looked at."""
    judged, at, checked = found.judgement, COLUMNS.index("coherence"), 0
    for name, rows in ((name, found._ranked(name)) for name in range(len(judged.names))):
        for row in rows[:3]:
            walk = found._walk(name)
            other, entity = walk.name != walk.name[row - walk.first], int(judged.names.entity[row])
            _, shared, rare = walk._shared(entity, other)
            edges = sum(walk.weight[place] for place in walk._edges(entity, other))
            near = walk._close(entity, other).sum() / max(1, int(judged.names.others[name]))
            expected = np.log((0.02 + near) / 0.02), np.log1p(edges), np.log1p(rare.sum()), np.log1p(shared.sum())
            assert judged.features[row, at : at + 4].tolist() == pytest.approx(expected, abs=1e-3)
            checked += 1
    return checked


def test_the_support_of_every_mention_of_the_demo_sums_to_one(demo: KB) -> None:
    documents = [json.loads(line) for line in DOCUMENTS["small"].read_text().splitlines()]
    found = explainer(demo, *documents)
    whole = [found.explain(i) for i in range(len(found.batch.mentions))]
    assert sum(bool(each.support) for each in whole) > len(whole) / 2
    for each in whole:
        assert len(each.support) <= 5
        if each.support:
            assert sum(one.share for one in each.support) + each.others == pytest.approx(1)
            assert all(one.reasons for one in each.support)
    assert any(each.others > 0 for each in whole)


def test_one_by_one_is_as_in_a_batch(demo: KB) -> None:
    documents = [json.loads(line) for line in DOCUMENTS["small"].read_text().splitlines()]
    together = explainer(demo, {"mentions": []}, *documents)
    number = 0
    for document in documents:
        alone = explainer(demo, document)
        for i in range(len(alone.batch.mentions)):
            assert alone.explain(i).words == together.explain(number).words
            number += 1


def test_nothing_resembles_it(kb: KB) -> None:
    found = explained(kb, "Xyzzq", "Texas")[0]
    assert (found.words, found.nil_reason) == ("Xyzzq -> nothing: no name in the KB resembles it.", "no_candidate")
    assert (found.best, found.none, found.support) == (None, 1.0, ())


def test_too_unlikely(kb: KB) -> None:
    found = explained(kb, "Springfeld", "France")[0]
    assert found.nil_reason == "low_probability"
    assert found.none == pytest.approx(1 / (1 + np.exp(-2 / 1.25)))
    assert found.words == (
        "Springfeld -> nothing: the only candidate, Springfield, has 17% (threshold 41%): similar spelling, and nothing in the "
        "document supports it."
    )
    assert explained(kb, "Springfeld", "France", threshold=0.0)[0].nil_reason is None


def test_nearly_as_likely(kb: KB) -> None:
    found = explained(kb, "Paris", "Xyz", ranker=a_ranker(log_prior=0.1), threshold=0.9)[0]
    assert found.words == (
        "Paris -> nothing: the best candidate, Paris (capital of France), has 51% (threshold 90%): exact name, and nothing in "
        "the document supports it; Paris (city in Texas) is nearly as likely, with 40%."
    )


def test_a_probability_just_below_the_threshold_does_not_look_the_same(kb: KB) -> None:
    found = explained(kb, "Springfeld", "France")[0]
    assert found.best
    close = explained(kb, "Springfeld", "France", threshold=found.best.probability + 0.0002)[0]
    assert "has 16.80% (threshold 16.82%)" in close.words


def test_a_document_with_one_name(kb: KB) -> None:
    (found,) = explained(kb, "Paris")
    assert found.words == (
        "Paris -> Paris (capital of France): exact name, the most popular of 2 candidates; there is no other name in the "
        "document to support it; next best, with 26%, is Paris (city in Texas)."
    )
    assert (found.support, found.others, set(found.shares)) == ((), 0.0, {"prior"})


def test_a_repeated_name_does_not_support_itself(kb: KB) -> None:
    once, twice = explained(kb, "Paris", "Lamar County"), explained(kb, "Paris", "Lamar County", "PARIS")
    assert once[0] == twice[0]
    assert twice[2].words.replace("PARIS", "Paris") == twice[0].words
    assert [each.text for each in twice[2].support] == ["Lamar County"]


def test_a_longer_name_and_another_name_of_the_same(kb: KB) -> None:
    smith, whole = explained(kb, "Smith", "John Smith")
    assert smith.best
    assert smith.best.id == "smith"
    assert [(each.text, each.reasons[0].how) for each in smith.support] == [("John Smith", LONGER)]
    assert smith.words == (
        "Smith -> John Smith: part of its name; all the support is from John Smith (a longer name of it); Smith (trade) is "
        "more popular but is not what the other names mean."
    )
    assert [(each.text, each.reasons[0].how) for each in whole.support] == [("Smith", SAME)]
    assert "Big Red (the same entity)" in explained(kb, "Red River", "Big Red")[0].words


def test_an_alias_and_a_part_of_a_name(kb: KB) -> None:
    light, part = explained(kb, "City of Light", "Lamar")
    assert light.words.startswith("City of Light -> Paris: also called City of Light, the only candidate;")
    assert part.words.startswith("Lamar -> Lamar County: part of its name, the only candidate;")
    assert part.best
    assert (part.best.how, part.best.name) == ("contains all words", "Lamar County")


def test_candidates_the_document_gives(kb: KB) -> None:
    document = {"mentions": [{"text": "the capital", "candidates": ["fr", "texas", "nobody"]}]}
    found = explainer(kb, document).explain(0)
    assert found.best
    assert found.best.how == GIVEN
    assert found.words.startswith("the capital -> Paris: given by the document, the most popular of 2 candidates;")


def test_line_breaks_and_control_characters_stay_out_of_the_sentence(kb: KB) -> None:
    assert explained(kb, "Red\n\x1bRiver", "Texas")[0].words.startswith("Red River -> Red River (river): exact name")


def test_equal_candidates(kb: KB) -> None:
    ranker = a_ranker(**dict.fromkeys(WEIGHTS, 0.0))
    found = explained(kb, "Paris", "Texas", ranker=ranker, threshold=0.0)[0]
    assert (found.shares, found.against, found.support) == ({}, {}, ())
    assert "nothing in the document supports it" in found.words


@pytest.mark.parametrize(
    ("relation", "words"),
    [
        ("http://example.org/capital_of", "capital of"), ("http://example.org/onto#partOf", "part of"), ("part_of", "part of"),
        ("wdt:P131", "P131"), ("link", "linked"), ("Part of", "part of"), ("kind of/sort of", "kind of/sort of"),
    ],
)  # fmt: skip
def test_relations_arereadable(relation: str, words: str) -> None:
    assert readable(relation) == words


def test_every_way_to_match_has_words(kb: KB) -> None:
    from dataclasses import replace

    from eigenthemes.ranking.explain.words import _how

    (found,) = explained(kb, "Paris")
    assert found.best
    said = {how: _how(replace(found.best, how=how)) for how in MATCH_TYPES.values()}
    assert len(set(said.values())) == len(MATCH_TYPES)


# the command


@pytest.fixture
def run(kb: KB, tmp_path: Path) -> Callable[..., Result]:
    file = tmp_path / "docs.jsonl"
    documents = [
        {"id": "texas", **names("Paris", "Lamar County", "Red River", "Xyzzq")},
        {"id": 7, "text": "From Paris to France"},
        {"id": "none", "mentions": []},
    ]
    file.write_text("".join(json.dumps(each) + "\n" for each in documents))

    def invoke(*arguments: str, source: str = str(file), stdin: str = "") -> Result:
        return CliRunner().invoke(explain, [str(kb.path), source, *arguments], input=stdin)

    return invoke


def test_a_sentence_for_each_mention_of_the_first_document(run: Callable[..., Result]) -> None:
    lines = run().stdout.splitlines()
    assert [line[:12] for line in lines] == ["0  Paris -> ", "1  Lamar Cou", "2  Red River", "3  Xyzzq -> "]
    assert lines[0].endswith("is more popular but shares nothing with the other names.")


def test_documents_by_id_by_number_and_all(run: Callable[..., Result]) -> None:
    assert run("--document", "7").stdout == run("--document", "1").stdout
    assert "France" in run("--document", "7").stdout
    whole = run("--document", "all").stdout.splitlines()
    assert [line for line in whole if line and not line[0].isdigit()] == ["texas", "none"]


def test_a_mention_in_detail(run: Callable[..., Result]) -> None:
    found = run("--mention", "0").stdout
    assert "\nAhead of Paris (capital of France) in: themes 100%; behind in: prior" in found
    assert "Paris (city in Texas)" in found
    assert "edge from it: part of; shared: Texas" in found
    assert "None of them: " in found
    assert run("--mention", "3").stdout == "Xyzzq -> nothing: no name in the KB resembles it.\n"


def test_json_round_trip(run: Callable[..., Result], kb: KB) -> None:
    record = json.loads(run("--mention", "0", "--json").stdout)
    expected = explained(kb, "Paris", "Lamar County", "Red River", "Xyzzq")[0]
    assert (record["mention"], len(record["candidates"])) == (0, 2)
    assert {key: record[key] for key in expected.to_dict()} == json.loads(json.dumps(expected.to_dict()))
    assert sum(record["shares"].values()) == pytest.approx(1, abs=1e-3)
    lines = [json.loads(line) for line in run("--document", "all", "--json").stdout.splitlines()]
    assert [(line["id"], len(line["mentions"])) for line in lines] == [("texas", 4), (7, 2), ("none", 0)]
    assert lines[0]["mentions"][0]["words"] == expected.words


def test_a_plain_text_from_stdin(run: Callable[..., Result]) -> None:
    found = run(source="-", stdin="The road from Paris to Lamar County.")
    assert found.stdout.startswith(
        "0  Paris -> Paris (city in Texas): exact name; all the support is from Lamar County (part of)"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--mention", "9"), "there is no mention 9; the document has 4, numbered from 0 to 3"),
        (("--mention", "0", "--document", "none"), "there is no mention 0; the document has none"),
        (("--document", "nowhere"), "there is no document nowhere; there are 3, with ids like texas; give an id"),
        (("--document", "12"), "there is no document 12; there are 3"),
        (("--document", "all", "--mention", "0"), "--mention explains one mention of one document"),
        (("--threshold", "2"), "threshold is 2.0; expected a probability"),
        (("--vectors", "prone"), "has no vectors"),
    ],
)
def test_errors_in_one_sentence(run: Callable[..., Result], arguments: tuple[str, ...], words: str) -> None:
    error = run(*arguments).exception
    assert isinstance(error, EigenthemesError)
    assert words in str(error)


def test_a_kb_without_a_ranker_says_how_to_train_one(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text("")
    untrained = build_kb([_one_node(tmp_path)], tmp_path / "a.kb", embedding=None, train=False)
    error = CliRunner().invoke(explain, [str(untrained.path), str(file)]).exception
    assert isinstance(error, EigenthemesError)
    assert "eigenthemes train" in str(error)
    error = CliRunner().invoke(explain, [str(store_ranker(untrained, a_ranker()).path), str(file)]).exception
    assert "there is no document to explain" in str(error)


def _one_node(folder: Path) -> Path:
    (folder / "nodes.csv").write_text("id,name\na,Alpha\nb,Beta\n")
    return folder / "nodes.csv"


def test_the_ranker_of_the_kb_is_used(kb: KB) -> None:
    assert ranker_of(kb, None).threshold == 0.41

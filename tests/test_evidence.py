"""Experiments: plans, rows worked out by hand, reports, what is kept and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import DATA, write_jsonl
from hypothesis import given
from hypothesis import strategies as st
from test_cli import assert_one_sentence
from test_cli import run as run_process

from eigenthemes.errors import EigenthemesError, OptionError, SourceError
from eigenthemes.reproduction import verdicts
from eigenthemes.reproduction.earnings import Earnings
from eigenthemes.reproduction.lab import Lab, published_nodes
from eigenthemes.reproduction.plan import PLANS, Plan, read_plan
from eigenthemes.reproduction.report import Part, markdown, page
from eigenthemes.reproduction.run import read_rows, run_experiment
from eigenthemes.reproduction.sections import SECTIONS
from eigenthemes.reproduction.shown import Shown, by
from eigenthemes.reproduction.supervised import Counts, Pairs, _counted, _prior, entity_context
from eigenthemes.reproduction.verdicts import Verdict, judge

# Two worlds of friends; "Ann" and "Bob" live in both, and more people know those of the first.
WORLDS = {"sea": ("ship", "sailor", "harbour"), "hill": ("goat", "shepherd", "meadow")}
NODES: list[dict[str, object]] = [
    {"id": f"{name}-{world}", "name": name, "aliases": [f"{name} of the {world}"], "description": f"{word} and {world}"}
    for world, words in WORLDS.items()
    for name, word in zip(("Ann", "Bob", "Cat" if world == "sea" else "Dan"), words, strict=True)
]
EDGES = [(f"{one}-{world}", f"{other}-{world}") for world, last in (("sea", "Cat"), ("hill", "Dan"))
         for one, other in (("Ann", "Bob"), ("Bob", last), ("Ann", last))] + [
    (f"{name}-sea", f"fan-{name}-{i}") for name in ("Ann", "Bob") for i in range(4)
]  # fmt: skip
WORDS = {
    "ship": (1, 0), "sailor": (1, 0.1), "harbour": (0.9, 0), "sea": (1, 0), "goat": (0, 1), "shepherd": (0.1, 1),
    "hill": (0, 1), "meadow": (0, 0.9),
}  # fmt: skip


def document(number: int, world: str) -> dict[str, object]:
    names = ["Ann", "Bob", "Cat" if world == "sea" else "Dan", "Eve"]
    text, mentions = f"At the {world} near the {WORLDS[world][number % 3]}", []
    for name in names:
        text += " and "
        mentions.append({"start": len(text), "end": len(text) + len(name), "text": name, "gold": f"{name}-{world}"})
        text += name
    return {"id": f"{world}-{number}", "text": text, "mentions": mentions}


PLAN = """
title = "A small experiment"
about = "On *two* worlds & <tags>."
word_vectors = "words.txt"

[kb.friends]
sources = ["nodes.jsonl", "edges.csv"]
vectors = ["random", "descriptions", "deepwalk", "prone"]
deepwalk = { walks = 5, length = 10 }

[set.tales]
kb = "friends"
documents = "tales.jsonl"

[set.lost]
kb = "friends"
documents = "lost.jsonl"
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("friends")
    write_jsonl(folder / "nodes.jsonl", NODES)
    (folder / "edges.csv").write_text("source,relation,target\n" + "".join(f"{a},knows,{b}\n" for a, b in EDGES))
    lines = [f"{word} {' '.join(map(str, vector))}" for word, vector in WORDS.items()]
    (folder / "words.txt").write_text(f"{len(lines)} 2\n" + "\n".join(lines) + "\n")
    write_jsonl(folder / "tales.jsonl", [document(i, world) for i in range(6) for world in WORLDS])
    return folder


def plan_of(data: Path, sections: str, path: Path) -> Plan:
    (path / "plan.toml").write_text(PLAN + sections)
    return read_plan(str(path / "plan.toml"), data=data)


SMALLER = {
    "figure-2": "least = 3",
    "figure-3a": "runs = 2",
    "table-3": "seeds = 2\ntrees = 5\nleast_in_leaf = 1",
    "run-times": "runs = 1",
    "table-2-neural": "seeds = 2\nepochs = 1",
}
EVERYTHING = "".join(f'[section.{name}]\nsets = ["tales", "lost"]\n{SMALLER.get(name, "")}\n' for name in SECTIONS)


@pytest.fixture(scope="module")
def finished(data: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Plan, Path]:
    """An experiment with every section there is."""
    out = tmp_path_factory.mktemp("out")
    plan = plan_of(data, EVERYTHING, out)
    run_experiment(plan, out)
    return plan, out


def rows_of(finished: tuple[Plan, Path], name: str) -> list[dict[str, Any]]:
    return read_rows(finished[1], name)[1]


class TestWhole:
    def test_every_section_is_computed_drawn_and_told(self, finished: tuple[Plan, Path]) -> None:
        out = finished[1]
        told, html = (out / "report.md").read_text(), (out / "report.html").read_text()
        for name, section in SECTIONS.items():
            assert section.title in told, name
            if section.compute is not None:
                assert rows_of(finished, name), name
            if section.draw is not None:
                for suffix in ("png", "svg"):
                    assert (out / "figures" / f"{name}.{suffix}").stat().st_size > 1000, name
                assert f"figures/{name}.png" in told
                assert f"figures/{name}.svg" in html
        assert "Not computed" not in told
        assert "lost.jsonl is not there" in told
        assert "&lt;tags&gt;" in html
        assert "<em>two</em>" in html

    def test_a_header_says_how_rows_were_made(self, finished: tuple[Plan, Path]) -> None:
        header, rows = read_rows(finished[1], "table-2")
        assert header is not None
        assert header["rows"] == len(rows)
        assert header["options"]["generator"] == "paper"
        assert len(header["hashes"]["tales.jsonl"]) == 64
        assert header["hashes"]["friends.kb"].startswith("data-")
        assert {"eigenthemes", "numpy", "python"} <= set(header["versions"])
        assert header["missing"] == ["lost: lost.jsonl is not there"]

    def test_the_same_seed_gives_the_same_rows_and_pictures_with_any_jobs(
        self, finished: tuple[Plan, Path], data: Path, tmp_path: Path
    ) -> None:
        plan, out = finished
        names = ["table-1", "table-2", "figure-2", "figure-3a", "figure-9", "table-3"]
        run_experiment(plan, tmp_path, work=out / "kbs", only=names, jobs=2)
        for name in names:
            assert read_rows(tmp_path, name)[1] == rows_of(finished, name), name
        for name in ("figure-2.png", "figure-2.svg", "figure-3a.svg"):
            assert (tmp_path / "figures" / name).read_bytes() == (out / "figures" / name).read_bytes()

    def test_resume_keeps_what_was_made_of_the_same_things(
        self, finished: tuple[Plan, Path], data: Path, tmp_path: Path
    ) -> None:
        out = finished[1]
        sections = '[section.table-2]\nsets = ["tales"]\n[section.figure-7cd]\nsets = ["tales"]\ncomponents = [1, 2]\n'
        first = plan_of(data, sections, tmp_path)
        assert run_experiment(first, tmp_path, work=out / "kbs").computed == 2
        again = run_experiment(first, tmp_path, work=out / "kbs", resume=True)
        assert (again.computed, again.kept) == (0, 2)
        other = plan_of(data, sections.replace("[1, 2]", "[1, 3]"), tmp_path)
        changed = run_experiment(other, tmp_path, work=out / "kbs", resume=True)
        assert (changed.computed, changed.kept) == (1, 1)
        assert [row["k"] for row in read_rows(tmp_path, "figure-7cd")[1]] == [1, 3]

    def test_what_changes_rows_is_in_their_fingerprint(self, finished: tuple[Plan, Path], tmp_path: Path) -> None:
        plan, out = finished
        small = replace(plan, sets={**plan.sets, "tales": replace(plan.sets["tales"], limit=4)})
        wordless = replace(plan, word_vectors=None)
        for changed in (small, wordless):
            run_experiment(plan, tmp_path, work=out / "kbs", only=["gold-score"])
            again = run_experiment(changed, tmp_path, work=out / "kbs", only=["gold-score"], resume=True)
            assert again.computed == 1

    def test_figures_of_other_sections_are_found_by_kind(self, finished: tuple[Plan, Path], data: Path, tmp_path: Path) -> None:
        sections = '[section.mine]\nkind = "table-2"\nsets = ["tales"]\n[section.figure-8ab]\n'
        run_experiment(plan_of(data, sections, tmp_path), tmp_path, work=finished[1] / "kbs")
        assert (tmp_path / "figures" / "figure-8ab.png").exists()

    def test_a_torn_note_of_a_kb_is_not_trusted(self, finished: tuple[Plan, Path], data: Path, tmp_path: Path) -> None:
        plan = plan_of(data, "[section.graphs]\n", tmp_path)
        small = replace(plan, kbs={"friends": replace(plan.kbs["friends"], vectors=("prone",), train=False)})
        Lab(small, tmp_path / "kbs").make_kbs()
        (tmp_path / "kbs" / "friends.json").write_text('{"made_of": ')
        assert Lab(small, tmp_path / "kbs").make_kbs()[0]["build"] > 0

    def test_a_place_that_cannot_be_written(self, finished: tuple[Plan, Path]) -> None:
        with pytest.raises(OptionError, match=r"/proc/nowhere cannot be written .*; give another place with -o"):
            run_experiment(finished[0], "/proc/nowhere", work=finished[1] / "kbs")

    def test_a_section_of_another_plan_is_marked(self, finished: tuple[Plan, Path], data: Path, tmp_path: Path) -> None:
        sections = '[section.table-1]\nsets = ["tales"]\n[section.table-2]\nsets = ["tales"]\n'
        run_experiment(plan_of(data, sections, tmp_path), tmp_path, work=finished[1] / "kbs")
        assert "compute it again" not in (tmp_path / "report.md").read_text()
        plan = plan_of(data, sections, tmp_path)
        small = replace(plan, sets={**plan.sets, "tales": replace(plan.sets["tales"], limit=4)})
        run_experiment(small, tmp_path, work=finished[1] / "kbs", only=["table-1"])
        assert (tmp_path / "report.md").read_text().count("compute it again") == 1

    def test_what_could_not_be_computed_is_told(self, finished: tuple[Plan, Path], data: Path, tmp_path: Path) -> None:
        sections = '[section.table-2]\nsets = ["tales"]\n[section.windows]\nsets = ["tales"]\n'
        plan = replace(plan_of(data, sections, tmp_path), word_vectors="nowhere.txt")
        lab = Lab(plan, finished[1] / "kbs")
        assert lab.wordless == "the word vectors nowhere.txt are not there"
        plan = replace(plan, kbs={"friends": replace(plan.kbs["friends"], vectors=("prone",), train=False)})
        run_experiment(plan, tmp_path, work=tmp_path / "kbs")
        told = (tmp_path / "report.md").read_text()
        assert "Left out: local-context, global-context, selftrained on tales." in told
        assert "Left out: tales: the word vectors nowhere.txt are not there." in told

    def test_only_computes_what_was_asked_for(self, finished: tuple[Plan, Path], tmp_path: Path) -> None:
        plan, out = finished
        run_experiment(plan, tmp_path, work=out / "kbs", only=["graphs"])
        assert [path.name for path in (tmp_path / "results").iterdir()] == ["graphs.jsonl"]
        with pytest.raises(OptionError, match="there is no section 'nonsense' in the plan"):
            run_experiment(plan, tmp_path, work=out / "kbs", only=["nonsense"])

    def test_kbs_are_built_once_and_again_when_their_files_change(self, data: Path, tmp_path: Path) -> None:
        for name in ("nodes.jsonl", "edges.csv", "words.txt", "tales.jsonl"):
            (tmp_path / name).write_bytes((data / name).read_bytes())
        plan = replace(plan_of(tmp_path, "[section.graphs]\n", tmp_path), word_vectors=None)
        small = replace(plan.kbs["friends"], vectors=("prone",), train=False)
        plan = replace(plan, kbs={"friends": small})
        lab = Lab(plan, tmp_path / "kbs")
        lab.make_kbs()
        before = (tmp_path / "kbs" / "friends.kb" / "manifest.json").stat().st_mtime_ns
        Lab(plan, tmp_path / "kbs").make_kbs()
        assert (tmp_path / "kbs" / "friends.kb" / "manifest.json").stat().st_mtime_ns == before
        with open(tmp_path / "edges.csv", "a") as edges:
            edges.write("Ann-sea,knows,Ann-hill\n")
        Lab(plan, tmp_path / "kbs").make_kbs()
        assert (tmp_path / "kbs" / "friends.kb" / "manifest.json").stat().st_mtime_ns != before


class TestRows:
    """12 documents of 4 names: Ann and Bob are easy at the sea and hard on the hill, Cat and Dan easy, Eve is not there."""

    def test_table_1_counts(self, finished: tuple[Plan, Path]) -> None:
        for row in rows_of(finished, "table-1"):
            assert (row["documents"], row["easy"], row["hard"], row["not_found"]) == (12, 24, 12, 12)
            assert row["oracle_recall"] == row["gold_in_kb"] == 0.75
            assert row["candidates_hard"] == 2
            assert row["candidates_easy"] == 1.5
            assert not row["given"]

    def test_table_2_knows_the_worlds(self, finished: tuple[Plan, Path]) -> None:
        value = {row["method"]: row for row in rows_of(finished, "table-2")}
        assert set(value) == set(SECTIONS["table-2"].options["methods"])
        assert value["degree"]["overall_p_at_1"] == 0.5
        assert (value["degree"]["easy_p_at_1"], value["degree"]["hard_p_at_1"]) == (1, 0)
        assert value["local-context"]["overall_p_at_1"] == 0.75, "the words of the text tell the worlds apart"
        assert value["local-context"]["significant"] == [], "the global context is as good"
        assert value["eigen"]["ceiling"] == 0.75

    def test_mutilation_takes_out_easy_mentions_only(self, finished: tuple[Plan, Path]) -> None:
        rows = rows_of(finished, "figure-3a")
        degree = {row["fraction"]: row["p_at_1"] for row in rows if row["method"] == "degree"}
        assert len(degree) == 11
        assert degree[1.0] == 0.5
        for fraction, value in degree.items():  # not-found mentions stay in the denominator
            kept = round(fraction * 24)
            assert value == pytest.approx(kept / (kept + 24))
        assert {row["runs"] for row in rows if row["fraction"] in (0, 1)} == {1}

    def test_recall_grows_with_candidates(self, finished: tuple[Plan, Path]) -> None:
        found = by(rows_of(finished, "figure-6"), "generator", "aliases")
        assert set(found) == {("paper", True), ("paper", False), ("default", True)}
        for rows in found.values():
            values = [row["recall"] for row in rows]
            assert values == sorted(values)
            assert values[0] == 0.5
            assert values[1] == values[-1] == 0.75

    def test_gold_scores_and_spaces(self, finished: tuple[Plan, Path]) -> None:
        (row,) = rows_of(finished, "gold-score")
        assert row["mentions"] == 24, "Ann and Bob; the others have one candidate"
        assert row["low"] <= row["relative_score"] <= row["high"]
        points = rows_of(finished, "figure-1")
        assert {row["label"] for row in points if row["gold"]} >= {"Michael I. Jordan", "Andrew Ng"}
        assert all(-1.001 <= row["x"] <= 1.001 for row in points)

    def test_vectors_components_and_schemes(self, finished: tuple[Plan, Path]) -> None:
        found = {row["vectors"] for row in rows_of(finished, "figure-7ab")}
        assert found == {"random", "descriptions", "deepwalk", "prone"}
        ks = {row["k"]: row for row in rows_of(finished, "figure-7cd")}
        assert list(ks) == SECTIONS["figure-7cd"].options["components"]
        schemes = {(row["scheme"], row["ranking"]): row["overall_p_at_1"] for row in rows_of(finished, "figure-8cd")}
        assert schemes["degree", "weight"] == 0.5
        assert schemes["local", "weight"] == schemes["global", "weight"] == 0.75
        assert ("none", "weight") not in schemes

    def test_limits_deltas_and_ablations(self, finished: tuple[Plan, Path]) -> None:
        grid = {(row["limit"], row["delta"]): row for row in rows_of(finished, "figure-9")}
        for (limit, _), row in grid.items():
            if limit == 1:  # the first candidate alone: hard mentions are still hard, and lost
                assert (row["overall_p_at_1"], row["easy_p_at_1"], row["hard_p_at_1"]) == (0.5, 1, 0)
        variants = {row["variant"] for row in rows_of(finished, "ablations") if row["vectors"] == "deepwalk"}
        assert "vectors of any length" in variants
        assert "vectors of any length" not in {
            row["variant"] for row in rows_of(finished, "ablations") if row["vectors"] == "prone"
        }

    def test_density(self, finished: tuple[Plan, Path]) -> None:
        (row,) = rows_of(finished, "graphs")
        assert (row["nodes"], row["edges"]) == (14, 14)
        assert row["density"] == 1
        assert row["share_at_least"][0] == 1

    def test_neural_rivals_stand_beside_the_others(self, finished: tuple[Plan, Path]) -> None:
        found = by(rows_of(finished, "table-2-neural"), "method")
        assert [row["seed"] for row in found["taumil"]] == [row["seed"] for row in found["taumil-weighted"]] == [0, 1]
        assert all(row["training_seconds"] > 0 and row["epochs"] == 1 for row in found["taumil"])
        assert found["degree"][0]["overall_p_at_1"] == 0.5
        assert found["random choice"][0]["overall_p_at_1"] == pytest.approx(0.5), "one candidate of one, or one of two"
        models = sorted(path.name for path in (finished[1] / "kbs").glob("taumil-*"))
        assert [name.rpartition("-")[2] for name in models] == ["0.json", "0.safetensors", "1.json", "1.safetensors"]

    def test_supervised_learns_the_worlds(self, finished: tuple[Plan, Path]) -> None:
        rows = rows_of(finished, "table-3")
        assert len(rows) == 2 * 2 * 2
        for row in rows:
            assert row["overall_p_at_1"] <= row["ceiling"] == 0.75
        assert np.mean([row["overall_p_at_1"] for row in rows]) > 0.7, "the context tells everything"


def earnings(**of: list[float]) -> Earnings:
    n = len(next(iter(of.values())))
    values = {name: {"p_at_1": np.array(each), "mrr": np.array(each)} for name, each in of.items()}
    return Earnings(np.arange(n), np.zeros(n, dtype=np.int8), np.ones(n, dtype=bool), values)


def test_a_mark_needs_significance() -> None:
    clear = earnings(good=[1.0] * 50, bad=[0.0, 1.0] * 25)
    assert clear.marks() == {"good": ["overall_p_at_1", "overall_mrr", "easy_p_at_1", "easy_mrr"], "bad": []}
    near = earnings(good=[1.0] * 49 + [0.0], bad=[1.0] * 48 + [0.0] * 2)
    assert near.marks() == {"good": [], "bad": []}
    assert earnings(alone=[1.0]).marks() == {"alone": []}


def test_a_verdict_tells_where_a_claim_holds() -> None:
    outcomes = {"a": (True, "x"), "b": (False, ""), "c": (None, "y"), "d": None}
    found = judge("it is so", [{"set": name} for name in outcomes], lambda some: outcomes[some[0]["set"]])
    assert found == Verdict("it is so", ("a (x)",), ("c (y)",), ("b",))


def test_what_is_not_clear_is_not_claimed() -> None:
    """Half a point, or a p-value that is too large, is no difference."""

    def outcome(mine: float, theirs: float, p_value: float) -> Verdict:
        rows = [{"set": "s", "method": name, "overall_p_at_1": value, "hard_p_at_1": value, "p_against_eigen": p_value}
                for name, value in (("eigen", mine), ("degree", theirs))]  # fmt: skip
        return next(each for each in verdicts.quality(rows) if each.claim == "Eigenthemes are better than degree")

    assert outcome(0.6, 0.5, 0.001).holds
    assert outcome(0.5, 0.6, 0.001).fails
    assert outcome(0.6, 0.5, 0.2).same
    assert outcome(0.503, 0.5, 0.001).same


def test_crossing_lines_must_cross() -> None:
    def rows(average: list[float]) -> list[dict[str, Any]]:
        fractions = (1.0, 0.5, 0.0)
        lines = {"degree": [0.6, 0.4, 0.0], "average": average, "eigen": [0.7, 0.6, 0.5]}
        return [{"set": "s", "method": method, "fraction": fraction, "p_at_1": value}
                for method, values in lines.items() for fraction, value in zip(fractions, values, strict=True)]  # fmt: skip

    def overtaken(average: list[float]) -> Verdict:
        return next(each for each in verdicts.mutilation(rows(average)) if "overtakes" in each.claim)

    assert overtaken([0.5, 0.45, 0.3]).holds
    assert overtaken([0.65, 0.5, 0.3]).fails == ("s (always above)",)
    assert overtaken([0.3, 0.2, 0.0]).fails == ("s (never)",)
    without = [row for row in rows([0.5, 0.4, 0.3]) if row["method"] == "eigen"]
    assert all(not each.holds and not each.fails for each in verdicts.mutilation(without))


def test_a_reason_is_told_only_where_something_fails() -> None:
    table, found = Shown("", ("a", "b"), [("x|y", "1")]), (Verdict("c", ("s",), (), ()), Verdict("c", (), (), ("s",)))
    parts = [Part("p", "T|t", "about", None, [table], [verdict], "because", "") for verdict in found]
    for write in (markdown, page):
        assert "because" not in write("t", "a", parts[:1], [])
        assert "because" in write("t", "a", parts[1:], [])
    assert r"| x\|y | 1 |" in markdown("t", "a", parts, [])


class TestSupervised:
    def pairs(self, names: list[str], candidates: list[list[int]], gold: list[int], documents: list[int]) -> Pairs:
        mention = np.repeat(np.arange(len(names)), [len(each) for each in candidates])
        entity = np.array([each for some in candidates for each in some], dtype=np.uint32)
        n = len(entity)
        return Pairs(
            mention=mention,
            entity=entity,
            rank=np.concatenate([np.arange(1, len(each) + 1) for each in candidates]).astype(np.int32),
            gold=entity == np.array(gold)[mention],
            document=np.array(documents)[mention],
            context={"local": np.zeros(n), "global": np.zeros(n)},
            eigen=np.zeros(n),
            names=names,
            difficulty=np.zeros(len(names), dtype=np.int8),
            document_of=np.array(documents),
            judged=np.ones(len(names), dtype=bool),
        )

    def test_what_a_document_says_does_not_count_for_itself(self) -> None:
        pairs = self.pairs(["a", "a", "a"], [[7, 8]] * 3, [7, 7, 8], [0, 1, 2])
        meant, named = _counted(pairs, np.array([True, True, False]))
        assert named.tolist() == [1, 1, 1, 1, 2, 2], "the test document counts nowhere, and sees both others"
        assert meant.tolist() == [1, 0, 1, 0, 2, 0]

    def test_a_name_never_seen_is_shared_out_by_rank(self) -> None:
        pairs = self.pairs(["new"], [[7, 8]], [7], [0])
        assert _prior(pairs, np.array([False]), None).tolist() == pytest.approx([2 / 3, 1 / 3])

    def test_a_dictionary_counts_instead(self, finished: tuple[Plan, Path], tmp_path: Path) -> None:
        kb = Lab(finished[0], finished[1] / "kbs").kb("friends")
        sea, hill = kb.index_of("Ann-sea"), kb.index_of("Ann-hill")
        assert sea is not None
        assert hill is not None
        (tmp_path / "names.tsv").write_text("ann\tAnn-sea\t1\nAnn\tAnn-hill\t2\nAnn\tsomebody-else\t1\n")
        pairs = self.pairs(["ann"], [[sea, hill]], [sea], [0])
        prior = _prior(pairs, np.array([True]), Counts.read(tmp_path / "names.tsv", kb))
        assert prior.tolist() == pytest.approx([(1 + 2 / 3) / 5, (2 + 1 / 3) / 5])

    def test_a_plan_may_name_a_dictionary(self, finished: tuple[Plan, Path], data: Path, tmp_path: Path) -> None:
        (data / "names.tsv").write_text("Ann\tAnn-sea\t90\nBob\tBob-sea\t90\n")
        options = 'dictionary = "names.tsv"\nseeds = 1\ntrees = 5\nleast_in_leaf = 1\n'
        plan = plan_of(data, f'[section.table-3]\nsets = ["tales"]\n{options}', tmp_path)
        run_experiment(plan, tmp_path, work=finished[1] / "kbs")
        header, rows = read_rows(tmp_path, "table-3")
        assert header is not None
        assert "names.tsv" in header["hashes"]
        assert [row["features"] for row in rows] == ["F1+F2+F3", "F1+F2+F3+F4"] * 2

    @pytest.mark.parametrize(
        ("text", "said"),
        [("Ann\tx\n", r"names.tsv:1 is \['Ann', 'x'\]; expected a name, an id and a count"), (None, "does not exist")],
    )
    def test_a_bad_dictionary_is_refused(
        self, text: str | None, said: str, finished: tuple[Plan, Path], tmp_path: Path
    ) -> None:
        if text is not None:
            (tmp_path / "names.tsv").write_text(text)
        with pytest.raises(SourceError, match=said):
            Counts.read(tmp_path / "names.tsv", Lab(finished[0], finished[1] / "kbs").kb("friends"))

    def test_the_entity_context_is_the_average_of_the_chosen(self, finished: tuple[Plan, Path]) -> None:
        vectors = Lab(finished[0], finished[1] / "kbs").kb("friends").vectors()
        some = np.flatnonzero(vectors.has)[:3]
        pairs = self.pairs(["a", "b"], [[int(some[0]), int(some[1])], [int(some[2])]], [0, 0], [0, 0])
        found = entity_context(vectors, pairs, np.array([0.2, 0.9, 0.5]))
        mean = vectors.rows[some[1]] + vectors.rows[some[2]]
        assert found.tolist() == pytest.approx((vectors.rows[pairs.entity] @ mean / np.linalg.norm(mean)).tolist(), abs=1e-6)

    @given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=30))
    def test_counts_are_those_of_a_loop(self, mentions: list[tuple[str, int, int]]) -> None:
        names, gold, documents = (list(each) for each in zip(*mentions, strict=True))
        pairs = self.pairs(names, [[0, 1, 2, 3]] * len(names), gold, documents)
        training = np.array([True, False, True, True])[: max(documents) + 1]
        meant, named = _counted(pairs, training)
        for row, (mention, entity) in enumerate(zip(pairs.mention.tolist(), pairs.entity.tolist(), strict=True)):
            others = [i for i in range(len(names)) if training[documents[i]] and documents[i] != documents[mention]]
            same = [i for i in others if names[i] == names[mention]]
            assert named[row] == len(same)
            assert meant[row] == sum(gold[i] == entity for i in same)


def test_without_torch_the_rivals_are_left_out(
    finished: tuple[Plan, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eigenthemes.ranking.taumil.find_spec", lambda name: None)
    plan, out = finished
    run_experiment(plan, tmp_path, work=out / "kbs", only=["table-2-neural", "graphs"])
    assert rows_of((plan, tmp_path), "table-2-neural") == []
    told = (tmp_path / "report.md").read_text()
    assert "Left out: lost: lost.jsonl is not there; tau-MIL-ND needs the package torch" in told
    assert "pip install 'eigenthemes[neural]'" in told


class TestPlans:
    def test_those_that_come_along_can_be_read(self) -> None:
        for path in PLANS.glob("*.toml"):
            plan = read_plan(path.name)
            assert plan.sections
            assert {each for section in plan.sections.values() for each in section.sets} <= set(plan.sets)
        assert {path.name for path in PLANS.glob("*.toml")} == {"paper.toml", "local.toml"}

    def test_both_have_every_section(self) -> None:
        for name in ("paper", "local"):
            kinds = {section.kind for section in read_plan(name).sections.values()}
            assert kinds == set(SECTIONS), name

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            ("title = ", "is no TOML"),
            ("title = 'x'", "has no section; add at least one"),
            ("tilte = 'x'\n[section.graphs]", "tilte is unknown; expected some of about, data"),
            ("[section.table-9]", r"\[section.table-9\]: there is no such section; expected one of figure-1"),
            ("[section.graphs]\nsets = ['x']", r"there is no \[set.x\]; the plan has none"),
            ("[section.graphs]\ncolour = 1", "colour is unknown"),
            ("[section.figure-3a]\nruns = 'many'", "runs is 'many'; expected a whole number"),
            ("[section.graphs]\nsets = [1]", "expected a list of texts"),
            ("[set.x]\nkb = 'y'\ndocuments = 'z'\n[section.graphs]", r"there is no \[kb.y\]"),
            ("[set.x]\ndocuments = 'z'\n[section.graphs]", "has no kb; add it"),
            ("[kb.x]\n[section.graphs]", "needs sources .* or published"),
            (
                "[kb.x]\nsources = ['a']\nvectors = ['magic']\n[section.graphs]",
                "vectors 'magic' is unknown; expected some of prone",
            ),
            ("[section.table-2]\nmethods = ['egen']", "methods 'egen' is unknown; expected some of selftrained, eigen"),
            ("[section.table-2]\ngenerator = 'magic'", "generator 'magic' is unknown; expected some of default, paper"),
            ("[section.table-2]\nvectors = 'magic'", "vectors 'magic' is unknown"),
            ("[section.figure-9]\nlimits = ['x']", r"limits is \['x'\]; expected a list of numbers like"),
            ("[section.figure-9]\nlimits = []", r"limits is \[\]; expected a list of numbers"),
            ("[section.figure-7cd]\ncomponents = [0]", r"components is \[0\]; expected a list of numbers"),
            ("[section.figure-3a]\nruns = 0", "runs is 0; expected a number above 0"),
            ("[section.figure-3a]\nruns = true", "runs is True; expected a whole number"),
            ("[section.table-3]\ntraining_share = 1.5", "training_share is 1.5; expected a number above 0"),
            ("[kb.y]\nsources=['a']\n[set.x]\nkb='y'\ndocuments='z'\nlimit=0\n[section.graphs]", "limit is 0; expected 1"),
            ("[section.figure-8ab]", r"shows the rows of table-2, which is not in the plan; add \[section.table-2\]"),
            ("kb = 1\n[section.graphs]", "kb is 1; expected a table"),
            ("[kb]\nx = 1\n[section.graphs]", r"\[kb.x\] is 1; expected a table"),
        ],
    )
    def test_what_is_wrong_is_said(self, text: str, said: str, tmp_path: Path) -> None:
        (tmp_path / "p.toml").write_text(text)
        with pytest.raises(OptionError, match=said):
            read_plan(str(tmp_path / "p.toml"))

    def test_a_plan_that_is_not_there(self) -> None:
        with pytest.raises(SourceError, match=r"nowhere.toml does not exist; .*: local.toml, paper.toml"):
            read_plan("nowhere.toml")

    def test_data_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(SourceError, match=r"none of the files of the plan is under .*; say where they are with --data"):
            run_experiment(read_plan("paper", data=tmp_path), tmp_path / "out")
        assert not (tmp_path / "out").exists()


def test_imported_vectors_are_the_ones_used(data: Path, tmp_path: Path) -> None:
    for name in ("nodes.jsonl", "edges.csv", "words.txt", "tales.jsonl"):
        (tmp_path / name).write_bytes((data / name).read_bytes())
    (tmp_path / "v.txt").write_text("".join(f"{node['id']} {i} 1\n" for i, node in enumerate(NODES)))
    text = PLAN.replace(
        'vectors = ["random", "descriptions", "deepwalk", "prone"]', 'import = "v.txt"\nvectors = ["descriptions"]'
    )
    (tmp_path / "p.toml").write_text(text + "[section.graphs]\n")
    plan = read_plan(str(tmp_path / "p.toml"), data=tmp_path)
    plan = replace(plan, kbs={"friends": replace(plan.kbs["friends"], train=False)})
    Lab(plan, tmp_path / "kbs").make_kbs()
    assert list(Lab(plan, tmp_path / "kbs").kb("friends").vector_sets) == ["imported", "descriptions"]


def test_a_set_without_gold_is_refused(finished: tuple[Plan, Path], data: Path, tmp_path: Path) -> None:
    plan = plan_of(data, '[section.table-2]\nsets = ["tales"]\n', tmp_path)
    write_jsonl(tmp_path / "bare.jsonl", [{"id": 1, "mentions": [{"text": "Ann"}]}])
    bare = replace(plan, sets={"tales": replace(plan.sets["tales"], documents=str(tmp_path / "bare.jsonl"))})
    with pytest.raises(SourceError, match="no mention has gold, so nothing can be compared; leave the set tales out"):
        run_experiment(bare, tmp_path, work=finished[1] / "kbs")


class TestCommand:
    def test_it_runs_and_lists(self, finished: tuple[Plan, Path], data: Path, tmp_path: Path) -> None:
        _, out = finished
        options = ["--data", str(data), "--work", str(out / "kbs"), "-o", str(tmp_path / "new")]
        listed = run_process("experiment", str(out / "plan.toml"), "--list", *options)
        assert listed.returncode == 0
        assert "figure-8cd" in listed.stdout
        assert "left out: lost: lost.jsonl is not there" in listed.stderr
        assert not (tmp_path / "new").exists()
        done = run_process("experiment", str(out / "plan.toml"), "--only", "graphs", *options)
        assert done.returncode == 0, done.stderr
        assert "report.html: 1 sections computed, 0 kept" in done.stderr
        assert "graphs: " in done.stderr, "a line for each section where there is no terminal"
        assert (tmp_path / "new" / "report.html").exists()

    @pytest.mark.parametrize(
        ("arguments", "said"),
        [
            (["nowhere.toml"], "does not exist"),
            (["paper", "--data", "nowhere"], "none of the files of the plan is under nowhere"),
        ],
    )
    def test_mistakes_end_in_one_sentence(self, arguments: list[str], said: str, tmp_path: Path) -> None:
        done = run_process("experiment", *arguments, cwd=tmp_path)
        assert_one_sentence(done)
        assert said in done.stderr


def test_published_nodes_are_the_candidates(tmp_path: Path) -> None:
    mention = {"mention": "A", "posI": 1, "wikidata_id": "Q1", "difficulty": 0}
    whole = {"d": [{**mention, "candidates": [["Q1", 3, "A"], ["Q2", 5, "AA"]]}, {**mention, "candidates": [["Q1", 4, "A"]]}]}
    (tmp_path / "d.json").write_text(json.dumps(whole))
    nodes = {node["id"]: node for node in published_nodes([tmp_path / "d.json"])}
    assert nodes == {"Q1": {"id": "Q1", "name": "A", "prior": 4}, "Q2": {"id": "Q2", "name": "AA", "prior": 5}}
    (tmp_path / "e.json").write_text(json.dumps({"d": [mention]}))
    with pytest.raises(EigenthemesError, match="gives no candidates"):
        list(published_nodes([tmp_path / "e.json"]))


@pytest.mark.real_data
def test_the_authors_metrics_come_out_of_the_experiment(tmp_path: Path) -> None:
    """From the published layout to the table, in one command."""
    reference = DATA.parent / "reference"
    if not reference.exists():
        pytest.skip(f"{reference} is not there: what the authors' program computes is not part of the project")
    plan = read_plan("local", data=DATA)
    own = replace(plan, sets={"reference": plan.sets["reference"]}, sections={"reference": plan.sections["reference"]})
    run_experiment(own, tmp_path)
    theirs = json.loads((reference / "metrics.json").read_text())
    names = {"degree": "degree", "average-unweighted": "average", "average": "weighted_average", "eigen-unweighted": "eigen",
             "eigen": "weighted_eigen"}  # fmt: skip
    rows = read_rows(tmp_path, "reference")[1]
    assert len(rows) == len(names)
    for row in rows:
        assert (row["easy"], row["hard"], row["mentions"]) == (900, 227, 1129)
        for group in ("overall", "easy", "hard"):
            for figure in ("p_at_1", "mrr"):
                assert row[f"{group}_{figure}"] == pytest.approx(theirs[names[row["method"]]][group][figure], abs=1e-9)

"""Rows of the small experiment, worked out by hand.

12 documents of 4 names: Ann and Bob are easy at the sea and hard on the hill, Cat and Dan easy, Eve is not there.
"""

from __future__ import annotations

import numpy as np
import pytest
from paper_helpers.two_worlds import Experiment

from eigenthemes.records import Document, Mention, Table
from eigenthemes_paper.rows import by
from eigenthemes_paper.sections import SECTIONS
from eigenthemes_paper.sections.wikilinks import split_tables

# """12 documents of 4 names: Ann and Bob are easy at the sea and hard on the hill, Cat and Dan easy, Eve is not there."""


def test_table_1_counts(finished: Experiment) -> None:
    for row in finished.rows("table-1"):
        assert (row["documents"], row["easy"], row["hard"], row["not_found"]) == (12, 24, 12, 12)
        assert row["oracle_recall"] == row["gold_in_kb"] == 0.75
        assert row["candidates_hard"] == 2
        assert row["candidates_easy"] == 1.5
        assert not row["given"]


def test_table_2_knows_the_worlds(finished: Experiment) -> None:
    value = {row["method"]: row for row in finished.rows("table-2")}
    assert set(value) == set(SECTIONS["table-2"].options["methods"])
    assert value["degree"]["overall_p_at_1"] == 0.5
    assert (value["degree"]["easy_p_at_1"], value["degree"]["hard_p_at_1"]) == (1, 0)
    assert value["local-context"]["overall_p_at_1"] == 0.75, "the words of the text tell the worlds apart"
    assert value["local-context"]["significant"] == [], "the global context is as good"
    assert value["eigen"]["ceiling"] == 0.75


def test_tables_are_judged_as_a_whole_and_in_parts(finished: Experiment) -> None:
    rows = finished.rows("wikilinks")
    whole = {row["method"]: row for row in rows if row["context"] == "table"}
    assert whole["degree"]["overall_p_at_1"] == whole["degree"]["p_at_1_per_table"] == 0.5
    assert whole["degree"]["p_at_1_in_kb"] == pytest.approx(2 / 3)
    assert (whole["degree"]["links"], set(whole["selftrained"]["links"])) == (None, {"precision", "recall", "f1"})
    parts = {row["context"]: row for row in rows if row["method"] == "selftrained"}
    assert set(parts) == {"table", "column", "row", "none"}
    assert {row["mentions"] for row in parts.values()} == {48}
    (table,) = SECTIONS["wikilinks"].tables(rows)  # type: ignore[misc]
    assert [row[0] for row in table.rows][-1] == "selftrained, context none"


def test_tables_are_split_by_column_row_and_cell() -> None:
    mentions = tuple(Mention(f"{row}{col}", row=row, col=col) for row in range(3) for col in range(2))
    documents = [Document(id=number, table=Table(("a", "b"), ()), mentions=mentions) for number in range(2)]
    for context, many in (("table", 1), ("column", 2), ("row", 3), ("none", 6)):
        parts, table_of_part = split_tables(documents, context)
        assert table_of_part.tolist() == [0] * many + [1] * many
        assert sorted(each.text for part in parts[:many] for each in part.mentions or ()) == [each.text for each in mentions]
    parts, _ = split_tables(documents, "column")
    assert [each.text for each in parts[1].mentions or ()] == ["01", "11", "21"]


def test_mutilation_takes_out_easy_mentions_only(finished: Experiment) -> None:
    rows = finished.rows("figure-3a")
    degree = {row["fraction"]: row["p_at_1"] for row in rows if row["method"] == "degree"}
    assert len(degree) == 11
    assert degree[1.0] == 0.5
    for fraction, value in degree.items():  # not-found mentions stay in the denominator
        kept = round(fraction * 24)
        assert value == pytest.approx(kept / (kept + 24))
    assert {row["runs"] for row in rows if row["fraction"] in (0, 1)} == {1}


def test_recall_grows_with_candidates(finished: Experiment) -> None:
    found = by(finished.rows("figure-6"), "generator", "aliases")
    assert set(found) == {("paper", True), ("paper", False), ("default", True)}
    for rows in found.values():
        values = [row["recall"] for row in rows]
        assert values == sorted(values)
        assert values[0] == 0.5
        assert values[1] == values[-1] == 0.75


def test_gold_scores_and_spaces(finished: Experiment) -> None:
    (row,) = finished.rows("gold-score")
    assert row["mentions"] == 24, "Ann and Bob; the others have one candidate"
    assert row["low"] <= row["relative_score"] <= row["high"]
    points = finished.rows("figure-1")
    assert {row["label"] for row in points if row["gold"]} >= {"Michael I. Jordan", "Andrew Ng"}
    assert all(-1.001 <= row["x"] <= 1.001 for row in points)


def test_vectors_components_and_schemes(finished: Experiment) -> None:
    found = {row["vectors"] for row in finished.rows("figure-7ab")}
    assert found == {"random", "descriptions", "deepwalk", "prone"}
    ks = {row["k"]: row for row in finished.rows("figure-7cd")}
    assert list(ks) == SECTIONS["figure-7cd"].options["components"]
    schemes = {(row["scheme"], row["ranking"]): row["overall_p_at_1"] for row in finished.rows("figure-8cd")}
    assert schemes["degree", "weight"] == 0.5
    assert schemes["local", "weight"] == schemes["global", "weight"] == 0.75
    assert ("none", "weight") not in schemes


def test_limits_deltas_and_ablations(finished: Experiment) -> None:
    grid = {(row["limit"], row["delta"]): row for row in finished.rows("figure-9")}
    for (limit, _), row in grid.items():
        if limit == 1:  # the first candidate alone: hard mentions are still hard, and lost
            assert (row["overall_p_at_1"], row["easy_p_at_1"], row["hard_p_at_1"]) == (0.5, 1, 0)
    variants = {row["variant"] for row in finished.rows("ablations") if row["vectors"] == "deepwalk"}
    assert "vectors of any length" in variants
    assert "vectors of any length" not in {row["variant"] for row in finished.rows("ablations") if row["vectors"] == "prone"}


def test_density(finished: Experiment) -> None:
    (row,) = finished.rows("graphs")
    assert (row["nodes"], row["edges"]) == (14, 14)
    assert row["density"] == 1
    assert row["share_at_least"][0] == 1


def test_neural_rivals_stand_beside_the_others(finished: Experiment) -> None:
    found = by(finished.rows("table-2-neural"), "method")
    assert [row["seed"] for row in found["taumil"]] == [row["seed"] for row in found["taumil-weighted"]] == [0, 1]
    assert all(row["training_seconds"] > 0 and row["epochs"] == 1 for row in found["taumil"])
    assert found["degree"][0]["overall_p_at_1"] == 0.5
    assert found["random choice"][0]["overall_p_at_1"] == pytest.approx(0.5), "one candidate of one, or one of two"
    models = sorted(path.name for path in (finished.out / "kbs").glob("taumil-*"))
    assert [name.rpartition("-")[2] for name in models] == ["0.json", "0.safetensors", "1.json", "1.safetensors"]


def test_supervised_learns_the_worlds(finished: Experiment) -> None:
    rows = finished.rows("table-3")
    assert len(rows) == 2 * 2 * 2
    for row in rows:
        assert row["overall_p_at_1"] <= row["ceiling"] == 0.75
    assert np.mean([row["overall_p_at_1"] for row in rows]) > 0.7, "the context tells everything"


def test_every_row_says_how_it_was_computed(finished: Experiment) -> None:
    for name in finished.plan.sections:
        for row in finished.rows(name):
            if "set" in row:
                assert {"vectors", "generator", "max_candidates", "k", "delta"} <= row.keys(), name
    settings = {row["method"]: (row["vectors"], row["k"], row["delta"]) for row in finished.rows("table-2")}
    assert settings["eigen"] == ("prone", 10, 1)
    assert settings["eigen-unweighted"] == ("prone", 10, 0)
    assert settings["average"] == ("prone", None, 1)
    assert {row["generator"] for row in finished.rows("figure-7ab")} == {"default"}
    assert {row["k"] for row in finished.rows("ablations")} == {10, "all"}


def test_tables_and_figures_say_how_they_were_computed(finished: Experiment) -> None:
    report = (finished.out / "report.md").read_text()
    assert "ceiling 0.750: vectors prone; generator paper; T 20; k 10; δ 0, 1**" in report
    drawn = (finished.out / "figures" / "figure-7ab.svg").read_text()
    assert "vectors deepwalk, descriptions, prone, random; generator default; T 20; k 10; δ 1" in drawn


@pytest.mark.parametrize("name", ["figure-3b", "figure-6"])
def test_the_legend_of_one_set_is_within_the_figure(finished: Experiment, name: str) -> None:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    section = SECTIONS[name]
    assert section.draw is not None
    rows = finished.rows(name) or finished.rows("table-2")
    assert {row["set"] for row in rows} == {"tales"}
    figure = section.draw(rows)
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    (legend,) = figure.legends
    box = legend.get_window_extent(canvas.get_renderer())
    assert box.x0 >= 0
    assert box.x1 <= figure.bbox.width

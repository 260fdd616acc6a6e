"""A whole experiment: what is computed, drawn and reported, what is kept, what is left out and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from helpers.files import REAL_DATA, write_jsonl
from paper_helpers.two_worlds import Experiment, plan_of

from eigenthemes.errors import OptionError, SourceError
from eigenthemes_paper.plan_reader import read_plan
from eigenthemes_paper.results import read_rows
from eigenthemes_paper.run import run_experiment
from eigenthemes_paper.sections import SECTIONS
from eigenthemes_paper.workspace import Workspace


def test_every_section_is_computed_drawn_and_reported(finished: Experiment) -> None:
    out = finished.out
    page, html = (out / "report.md").read_text(), (out / "report.html").read_text()
    for name, section in SECTIONS.items():
        assert section.title in page, name
        if section.compute is not None:
            assert finished.rows(name), name
        if section.draw is not None:
            for suffix in ("png", "svg"):
                assert (out / "figures" / f"{name}.{suffix}").stat().st_size > 1000, name
            assert f"figures/{name}.png" in page
            assert f"figures/{name}.svg" in html
    assert "Not computed" not in page
    assert "lost.jsonl is not there" in page
    assert "&lt;tags&gt;" in html
    assert "<em>two</em>" in html


def test_a_header_says_how_rows_were_made(finished: Experiment) -> None:
    header, rows = read_rows(finished.out, "table-2")
    assert header is not None
    assert header["rows"] == len(rows)
    assert header["options"]["generator"] == "paper"
    assert len(header["hashes"]["tales.jsonl"]) == 64
    assert header["hashes"]["friends.kb"].startswith("data-")
    assert {"eigenthemes", "numpy", "python"} <= set(header["versions"])
    assert header["missing"] == ["lost: lost.jsonl is not there"]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_rows_and_pictures_with_any_jobs(
    finished: Experiment, worlds: Path, tmp_path: Path
) -> None:
    plan, out = finished.plan, finished.out
    names = ["table-1", "table-2", "figure-2", "figure-3a", "figure-9", "table-3"]
    run_experiment(plan, tmp_path, work=out / "kbs", only=names, jobs=2)
    for name in names:
        assert read_rows(tmp_path, name)[1] == finished.rows(name), name
    for name in ("figure-2.png", "figure-2.svg", "figure-3a.svg"):
        assert (tmp_path / "figures" / name).read_bytes() == (out / "figures" / name).read_bytes()


def test_resume_keeps_what_was_made_of_the_same_things(finished: Experiment, worlds: Path, tmp_path: Path) -> None:
    out = finished.out
    sections = '[section.table-2]\nsets = ["tales"]\n[section.figure-7cd]\nsets = ["tales"]\ncomponents = [1, 2]\n'
    first = plan_of(worlds, sections, tmp_path)
    assert run_experiment(first, tmp_path, work=out / "kbs").computed == 2
    again = run_experiment(first, tmp_path, work=out / "kbs", resume=True)
    assert (again.computed, again.kept) == (0, 2)
    other = plan_of(worlds, sections.replace("[1, 2]", "[1, 3]"), tmp_path)
    changed = run_experiment(other, tmp_path, work=out / "kbs", resume=True)
    assert (changed.computed, changed.kept) == (1, 1)
    assert [row["k"] for row in read_rows(tmp_path, "figure-7cd")[1]] == [1, 3]


def test_what_changes_rows_is_in_their_fingerprint(finished: Experiment, tmp_path: Path) -> None:
    plan, out = finished.plan, finished.out
    small = replace(plan, sets={**plan.sets, "tales": replace(plan.sets["tales"], limit=4)})
    wordless = replace(plan, word_vectors=None)
    for changed in (small, wordless):
        run_experiment(plan, tmp_path, work=out / "kbs", only=["gold-score"])
        again = run_experiment(changed, tmp_path, work=out / "kbs", only=["gold-score"], resume=True)
        assert again.computed == 1


def test_figures_of_other_sections_are_found_by_kind(finished: Experiment, worlds: Path, tmp_path: Path) -> None:
    sections = '[section.mine]\nkind = "table-2"\nsets = ["tales"]\n[section.figure-8ab]\n'
    run_experiment(plan_of(worlds, sections, tmp_path), tmp_path, work=finished.out / "kbs")
    assert (tmp_path / "figures" / "figure-8ab.png").exists()


def test_a_place_that_cannot_be_written(finished: Experiment) -> None:
    with pytest.raises(OptionError, match=r"/proc/nowhere cannot be written .*; give another place$"):
        run_experiment(finished.plan, "/proc/nowhere", work=finished.out / "kbs")


def test_a_section_of_another_plan_is_marked(finished: Experiment, worlds: Path, tmp_path: Path) -> None:
    sections = '[section.table-1]\nsets = ["tales"]\n[section.table-2]\nsets = ["tales"]\n'
    run_experiment(plan_of(worlds, sections, tmp_path), tmp_path, work=finished.out / "kbs")
    assert "compute it again" not in (tmp_path / "report.md").read_text()
    plan = plan_of(worlds, sections, tmp_path)
    small = replace(plan, sets={**plan.sets, "tales": replace(plan.sets["tales"], limit=4)})
    run_experiment(small, tmp_path, work=finished.out / "kbs", only=["table-1"])
    assert (tmp_path / "report.md").read_text().count("compute it again") == 1


def test_what_could_not_be_computed_is_said(finished: Experiment, worlds: Path, tmp_path: Path) -> None:
    sections = '[section.table-2]\nsets = ["tales"]\n[section.windows]\nsets = ["tales"]\n'
    plan = replace(plan_of(worlds, sections, tmp_path), word_vectors="nowhere.txt")
    workspace = Workspace(plan, finished.out / "kbs")
    assert workspace.no_word_vectors == "the word vectors nowhere.txt are not there"
    plan = replace(plan, kbs={"friends": replace(plan.kbs["friends"], vectors=("prone",), train=False)})
    run_experiment(plan, tmp_path, work=tmp_path / "kbs")
    page = (tmp_path / "report.md").read_text()
    assert "Left out: local-context, global-context, selftrained on tales." in page
    assert "Left out: tales: the word vectors nowhere.txt are not there." in page


def test_only_computes_what_was_asked_for(finished: Experiment, tmp_path: Path) -> None:
    plan, out = finished.plan, finished.out
    run_experiment(plan, tmp_path, work=out / "kbs", only=["graphs"])
    assert [path.name for path in (tmp_path / "results").iterdir()] == ["graphs.jsonl"]
    with pytest.raises(OptionError, match="there is no section 'nonsense' in the plan"):
        run_experiment(plan, tmp_path, work=out / "kbs", only=["nonsense"])


def test_data_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"none of the files of the plan is under .*; give their folder with --data$"):
        run_experiment(read_plan("paper", data=tmp_path), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_set_without_gold_is_refused(finished: Experiment, worlds: Path, tmp_path: Path) -> None:
    plan = plan_of(worlds, '[section.table-2]\nsets = ["tales"]\n', tmp_path)
    write_jsonl(tmp_path / "bare.jsonl", [{"id": 1, "mentions": [{"text": "Ann"}]}])
    bare = replace(plan, sets={"tales": replace(plan.sets["tales"], documents=str(tmp_path / "bare.jsonl"))})
    with pytest.raises(SourceError, match="no mention has gold, so nothing can be compared; leave the set tales out"):
        run_experiment(bare, tmp_path, work=finished.out / "kbs")


@pytest.mark.real_data
def test_the_authors_metrics_come_out_of_the_experiment(tmp_path: Path) -> None:
    """From the published layout to the table, in one command."""
    reference = REAL_DATA.parent / "reference"
    if not reference.exists():
        pytest.skip(f"{reference} is not there: what the authors' program computes is not part of the project")
    plan = read_plan("local", data=REAL_DATA)
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

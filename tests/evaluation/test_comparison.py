"""Evaluation in Python: methods of one's own, rows of figures and of mentions; and their formats on the command line."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from helpers.commands import assert_one_sentence, call
from helpers.evaluating import GOLD
from helpers.files import write_jsonl
from helpers.kbs import build_untrained

from eigenthemes import (
    KB,
    CandidateOptions,
    Document,
    EigenthemesError,
    Evaluation,
    Method,
    OptionError,
    evaluate,
    read_documents,
)


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "gold.jsonl", GOLD)


@pytest.fixture
def run(tiny: KB, gold: Path) -> Evaluation:
    own = {"degree": "degree", "mine": Method(lambda batch, kb, options: (-1.0 / batch.table.rank).tolist()), "eigen": "eigen"}
    return evaluate(tiny.path, read_documents(gold), own)


def test_an_own_method_is_compared_with_others(run: Evaluation) -> None:
    figures = run.summary()
    assert figures["degree"]["easy"]["p_at_1"] == 1
    assert figures["mine"]["easy"]["p_at_1"] < 1, "it takes the last candidate"
    assert figures["mine"]["against"].keys() == {"degree", "eigen"}
    assert figures["mine"]["against"]["degree"]["difference"] < 0


def test_settings_are_those_that_were_used(tiny: KB, gold: Path) -> None:
    options = CandidateOptions(max_candidates=5)
    methods = ["eigen", "eigen-unweighted", "degree", "average"]
    rows = evaluate(tiny, read_documents(gold), methods, candidates=options, scoring={"k": None}).to_rows()
    found = [(row["method"], row["vectors"], row["max_candidates"], row["k"], row["delta"]) for row in rows]
    assert found == [
        ("eigen", "prone", 5, "all", 1.0),
        ("eigen-unweighted", "prone", 5, "all", 0.0),
        ("degree", None, 5, None, None),
        ("average", "prone", 5, None, 1.0),
    ]


def test_rows_of_mentions_add_up_to_the_figures(run: Evaluation) -> None:
    rows = list(run.mention_rows())
    assert len(rows) == 3 * len(run.mentions) == 18
    for name, figures in run.summary().items():
        own = [row for row in rows if row["method"] == name]
        assert np.mean([row["p_at_1"] for row in own]) == pytest.approx(figures["overall"]["p_at_1"])
        assert sum(row["difficulty"] == "easy" for row in own) == figures["easy"]["mentions"]
    first = next(row for row in rows if row["method"] == "degree")
    wanted = {"document": "people", "mention": "Michael Jordan", "gold": ["mj"], "predicted": "mj", "gold_rank": 1}
    assert first.items() >= wanted.items()
    assert {row["predicted"] for row in rows if row["mention"] == "xyzzy"} == {None}


def test_nothing_to_count_is_no_error(tiny: KB) -> None:
    run = evaluate(tiny, [], ["degree"])
    assert run.summary()["degree"]["overall"]["mentions"] == 0
    assert list(run.mention_rows()) == []


@pytest.mark.parametrize(
    ("documents", "methods", "error"),
    [
        ([], [], OptionError),
        ([], "degree", OptionError),
        ([], 5, OptionError),
        ([], {"mine": len}, OptionError),
        ([], {"mine": "nothing"}, OptionError),
        (5, ["degree"], OptionError),
        (["text"], ["degree"], OptionError),
        ([Document(text="Jordan")], {"mine": Method(lambda batch, kb, options: [1.0] * 1000)}, OptionError),
        ([Document(text="Jordan")], {"mine": Method(lambda batch, kb, options: batch.table.rank * np.nan)}, OptionError),
    ],
)
def test_wrong_arguments_are_refused(tiny: KB, documents: Any, methods: Any, error: type[EigenthemesError]) -> None:
    with pytest.raises(error, match=";"):
        evaluate(tiny, documents, methods)


def test_csv(tiny: KB, gold: Path) -> None:
    done = call("eval", tiny.path, gold, "--methods", "degree,eigen", "--csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert [(row["set"], row["method"]) for row in rows] == [("gold", "degree"), ("gold", "eigen")]
    assert float(rows[0]["p_at_1"]) == pytest.approx(2 / 6)
    assert {"vectors", "generator", "max_candidates", "k", "delta"} <= rows[0].keys()


def test_latex(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "my_gold & more.jsonl", GOLD)
    done = call("eval", tiny.path, file, "--methods", "degree,namematch", "--latex")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("\\begin{tabular}{lrrrrrr}\n\\toprule\n")
    assert "my\\_gold \\& more: 6 mentions" in done.stdout
    assert "namematch & \\textbf{0.500} & \\textbf{0.500} & \\textbf{1.000}" in done.stdout
    assert done.stdout.endswith("\\bottomrule\n\\end{tabular}\n")


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_per_mention(tiny: KB, gold: Path, tmp_path: Path, suffix: str) -> None:
    out = tmp_path / f"mentions.{suffix}"
    done = call("eval", tiny.path, gold, "--methods", "degree,eigen", "--per-mention", out)
    assert done.returncode == 0, done.stderr
    text = out.read_text()
    rows: list[dict[str, Any]] = (
        list(csv.DictReader(io.StringIO(text))) if suffix == "csv" else [json.loads(line) for line in text.splitlines()]
    )
    assert len(rows) == 12
    assert (rows[0]["set"], rows[0]["method"], rows[0]["predicted"]) == ("gold", "degree", "mj")
    assert rows[10]["gold"] == ("Q90 paris" if suffix == "csv" else ["Q90", "paris"])


def test_labels_that_a_spreadsheet_would_run_are_escaped_in_csv(tmp_path: Path) -> None:
    nodes: list[dict[str, object]] = [{"id": "=1+1", "name": "=cmd()", "aliases": ["Cmd"]}, {"id": "-5", "name": "Minus"}]
    edge: dict[str, object] = {"source": "=1+1", "target": "-5", "relation": "is"}
    sources = [write_jsonl(tmp_path / "n.jsonl", nodes), write_jsonl(tmp_path / "e.jsonl", [edge])]
    kb = build_untrained(sources, tmp_path / "t.kb")
    mentions = [{"text": "Cmd", "gold": "=1+1"}, {"text": "Minus", "gold": "-5"}]
    gold = write_jsonl(tmp_path / "g.jsonl", [{"mentions": mentions}])
    done = call("eval", kb.path, gold, "--methods", "degree", "--per-mention", tmp_path / "m.csv")
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader(io.StringIO((tmp_path / "m.csv").read_text())))
    assert [(row["gold"], row["predicted"], row["label"]) for row in rows] == [
        ("=1+1", "'=1+1", "'=cmd()"),
        ("-5", "-5", "Minus"),
    ]


def test_every_pair_is_compared(tiny: KB, gold: Path) -> None:
    done = call("eval", tiny.path, gold, "--methods", "degree,eigen,namematch")
    for pair in ("degree - eigen", "degree - namematch", "eigen - namematch"):
        assert pair in done.stdout


@pytest.mark.parametrize(
    "options",
    [
        ["--json", "--csv"],
        ["--csv", "--latex"],
        ["--detect", "--csv"],
        ["--detect", "--per-mention", "out.csv"],
        ["--per-mention", "out.txt"],
        ["--per-mention", "nowhere/out.csv"],
    ],
)
def test_options_that_do_not_go_together(tiny: KB, gold: Path, options: list[str], tmp_path: Path) -> None:
    assert_one_sentence(call("eval", tiny.path, gold, "--methods", "degree", *options, cwd=tmp_path))

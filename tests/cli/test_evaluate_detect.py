"""eigenthemes eval --detect: figures that can be counted by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.commands import call
from helpers.evaluating import figures
from helpers.files import write_jsonl

from eigenthemes import KB

TEXT = "Michael Jordan met nobody in Iowa, but Paris and Oslo."


def mention(text: str, gold: object) -> dict[str, object]:
    start = TEXT.index(text)
    return {"text": text, "start": start, "end": start + len(text), "gold": gold}


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    mentions = [mention("Michael Jordan", "mj"), mention("Iowa", "mj"), mention("Oslo", "Q585"), mention("Paris", "Q90")]
    documents: list[dict[str, Any]] = [{"id": 1, "text": TEXT, "mentions": mentions}, {"id": 2, "mentions": [{"text": "Iowa"}]}]
    return write_jsonl(tmp_path / "gold.jsonl", documents)


def test_the_figures_by_hand(tiny: KB, gold: Path) -> None:
    found = figures(tiny.path, gold, "--detect", "--methods", "degree")["gold"]["degree"]
    assert (found["documents"], found["passed_over"], found["mentions"], found["outside"]) == (1, 1, 4, 2)
    links = found["links"]["strong"]["micro"]
    assert (links["right"], links["annotated"]) == (1, 2)  # Iowa is found, and linked to Iowa
    assert found["linked_spans"]["strong"]["micro"]["right"] == 2
    assert found["given"]["strong"]["micro"]["right"] == 1
    assert found["links"]["weak"]["macro"]["documents"] == 1


def test_the_table_is_for_people(tiny: KB, gold: Path) -> None:
    done = call("eval", tiny.path, gold, "--detect", "--methods", "degree")
    assert done.returncode == 0, done.stderr
    assert "4 annotated spans, 2 of them outside the KB, left out" in done.stdout
    assert "mentions given, linked" in done.stdout


def test_without_texts_it_says_so(tiny: KB, tmp_path: Path) -> None:
    plain = write_jsonl(tmp_path / "plain.jsonl", [{"mentions": [{"text": "Iowa", "gold": "mj"}]}])
    done = call("eval", tiny.path, plain, "--detect", "--methods", "degree")
    assert "no document has a text and mentions with spans and gold" in done.stderr


def test_by_document_is_refused(tiny: KB, gold: Path) -> None:
    done = call("eval", tiny.path, gold, "--detect", "--by-document")
    assert done.returncode == 1
    assert "choose one" in done.stderr

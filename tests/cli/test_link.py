"""eigenthemes link: text, tables, candidates in the document, options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from helpers.commands import call, json_lines, json_output, run_process
from helpers.documents import json_line, linked_entities, names_document
from helpers.files import write_jsonl
from helpers.kbs import import_untrained
from helpers.streaming import LINK_FIELDS, mixed_documents

from eigenthemes import KB
from eigenthemes.linker import Linker
from eigenthemes.ranking.options import EigenOptions

# text and tables


def test_plain_text_by_pipe(tiny: KB) -> None:
    done = run_process("link", tiny.path, "-", stdin="Michael Jordan played in the NBA\n")
    (document,) = json_output(done)
    assert done.stderr == ""
    assert document["text"].rstrip("\n") == "Michael Jordan played in the NBA"
    (mention,) = document["mentions"]
    assert mention.keys() == LINK_FIELDS | {"start", "end", "text"}
    assert (mention["start"], mention["end"], mention["text"], mention["entity"]) == (0, 14, "Michael Jordan", "mj")
    assert mention["ranking"][0] == {"id": "mj", "label": "Michael Jordan", "score": mention["score"]}
    assert (mention["probability"], mention["nil_reason"]) == (None, None)


@pytest.mark.parametrize(
    "line",
    ["The Hashemite Kingdom of Jordan", '{"text": "The Hashemite Kingdom of Jordan"}', '"The Hashemite Kingdom of Jordan"'],
)
def test_the_longest_name_is_found_in_text_however_it_comes(tiny: KB, line: str) -> None:
    (document,) = json_output(call("link", tiny.path, "-", "--method", "degree", stdin=line))
    assert [(each["start"], each["end"], each["entity"]) for each in document["mentions"]] == [(4, 31, "jo")]


def test_a_text_of_several_lines_is_one_document(tiny: KB) -> None:
    text = "Michael Jordan\r\n\r\nwent to Paris.\n"
    (document,) = json_output(call("link", tiny.path, "-", "--method", "degree", stdin=text))
    assert linked_entities([document]) == [["mj", "paris"]]
    for mention in document["mentions"]:
        assert document["text"][mention["start"] : mention["end"]] == mention["text"]


def test_text_that_begins_as_json_is_text_with_the_option(tiny: KB) -> None:
    (document,) = json_output(call("link", tiny.path, "-", "--text", "--method", "degree", stdin='"Paris," he said.'))
    assert linked_entities([document]) == [["paris"]]


def test_a_text_that_is_not_utf_8_is_no_traceback(tiny: KB) -> None:
    done = call("link", tiny.path, "-", "--method", "degree", stdin="Café in Paris".encode("latin-1"))
    assert linked_entities(json_output(done)) == [["paris"]]


def test_a_table_is_linked_as_one_document(tiny: KB, eigen_linker: Linker) -> None:
    table = {
        "header": ["player", "league"],
        "rows": [["Jordan", "National Basketball Association"], ["Shaquille O'Neill", "12"]],
    }
    (document,) = json_output(call("link", tiny.path, "-", stdin=json_line({"table": table})))
    assert document["table"] == table
    assert [(each["row"], each["col"], each["text"]) for each in document["mentions"]] == [
        (0, 0, "Jordan"), (0, 1, "National Basketball Association"), (1, 0, "Shaquille O'Neill"),
    ]  # fmt: skip
    together = eigen_linker.link(names_document("Jordan", "National Basketball Association", "Shaquille O'Neill"))
    assert [each["score"] for each in document["mentions"]] == [link.score for link in together.links]
    assert (
        document["mentions"][0]["score"] != eigen_linker.link(names_document("Jordan")).links[0].score
    )  # the others have their say


def test_the_cells_that_are_asked_for_are_linked(tiny: KB) -> None:
    record = {
        "table": {"header": [], "rows": [["Iowa", "Paris"], ["Tokyo"]]},
        "mentions": [{"row": 0, "col": 1, "x": 1}, {"row": 1, "col": 0}],
    }
    (document,) = json_output(call("link", tiny.path, "-", stdin=json_line(record)))
    assert linked_entities([document]) == [["paris", "tokyo"]]
    assert document["mentions"][0]["x"] == 1
    assert document["mentions"][0]["text"] == "Paris"


# candidates of one's own


def test_given_candidates_are_the_only_ones_and_in_their_order(tiny: KB) -> None:
    for first, second in (("iowa", "nba"), ("nba", "iowa")):
        # with a large delta the first candidate decides what the document is about
        (link,) = (
            Linker(tiny, method="eigen", scoring=EigenOptions(delta=60.0), top=9)
            .link(names_document("Paris", candidates=[first, second]))
            .links
        )
        assert [each.id for each in link.ranking] == [first, second]


def test_equal_candidates_stay_in_the_given_order(tiny: KB) -> None:
    for order in (["who", "thewho", "tokyo"], ["tokyo", "who", "thewho"]):  # one edge each
        (link,) = Linker(tiny, method="degree").link(names_document("x", candidates=order)).links
        assert [each.id for each in link.ranking] == order


def test_unknown_candidates_are_reported(tiny: KB) -> None:
    record = names_document("Paris", candidates=["Q90", "paris", "Q30"])
    record["mentions"].append({"text": "Iowa"})
    done = call("link", tiny.path, "-", stdin=json_line(record))
    (document,) = json_output(done)
    assert linked_entities([document]) == [["paris", "iowa"]]
    assert document["mentions"][0]["unknown_candidates"] == ["Q90", "Q30"]
    assert "unknown_candidates" not in document["mentions"][1]
    assert "warning" in done.stderr
    assert "2 candidates" in done.stderr
    assert "Q90" in done.stderr


def test_only_unknown_candidates_are_no_candidate(tiny: KB) -> None:
    (link,) = Linker(tiny).link(names_document("Paris", candidates=["Q90"])).links
    assert (link.entity, link.nil_reason, link.unknown_candidates) == (None, "no_candidate", ("Q90",))
    (link,) = Linker(tiny).link(names_document("Paris", candidates=[])).links
    assert (link.entity, link.nil_reason, link.unknown_candidates) == (None, "no_candidate", ())


def test_candidates_are_reported_by_several_jobs_too(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "d.jsonl", [names_document("Paris", candidates=["Q90"])] * 130)
    done = call("link", tiny.path, file, "--jobs", 2, "--method", "degree")
    assert len(json_output(done)) == 130
    assert "130 candidates" in done.stderr


# options of the command


def test_the_options_do_what_they_say(tiny: KB) -> None:
    def first(name: str, *options: object) -> Any:
        return json_output(call("link", tiny.path, "-", *options, stdin=json_line(names_document(name))))[0]["mentions"][0]

    assert len(first("Jordan")["ranking"]) == 3
    assert len(first("Jordan", "--top", 1)["ranking"]) == 1
    assert first("Jordan", "--top", 0)["ranking"] == []
    assert len(first("Jordan", "--max-candidates", 2)["ranking"]) == 2
    assert len(first("Jordan", "--max-candidates", "all")["ranking"]) == 3
    assert first("MJ")["entity"] == "mj"
    assert first("MJ", "--no-aliases")["entity"] is None
    assert first("NBA")["entity"] == "nba"
    assert first("NBA", "--generator", "paper")["nil_reason"] == "no_candidate"
    assert first("Jordan", "--method", "namematch")["entity"] == "jo"
    assert first("Jordan", "--k", 1)["score"] != first("Jordan", "--k", "all")["score"]
    assert first("Jordan", "--delta", 0)["score"] == first("Jordan", "--method", "eigen-unweighted")["score"]
    assert first("Jordan", "--delta", 0)["score"] != first("Jordan")["score"]
    assert first("Jordan", "--vectors", "prone") == first("Jordan")
    assert first("Jordan", "--k", "9" * 30) == first("Jordan", "--k", "all") == first("Jordan", "--max-candidates", "9" * 30)


def test_unique_counts_an_entity_once(tiny: KB) -> None:
    twice = json_line(names_document("Michael Jordan", "Michael Jordan", "Paris"))
    plain, unique = (json_output(call("link", tiny.path, "-", *option, stdin=twice)) for option in ((), ("--unique",)))
    assert plain[0]["mentions"][0]["score"] != unique[0]["mentions"][0]["score"]


def test_vectors_are_chosen_by_name(tiny_copy: KB, tmp_path: Path) -> None:
    (tmp_path / "vectors.txt").write_text("paris 1 0\nparis-tx 0 1\niowa 0 1\n")
    import_untrained(tiny_copy.path, tmp_path / "vectors.txt", name="mine")
    record = json_line(names_document("Paris", "Iowa", "Iowa", "Iowa"))
    mine, made = (json_output(call("link", tiny_copy.path, "-", "--vectors", name, stdin=record)) for name in ("mine", "prone"))
    assert linked_entities(mine)[0][0] == "paris-tx"
    assert json_output(call("link", tiny_copy.path, "-", stdin=record)) == mine  # the last ones
    assert made != mine


def test_output_to_a_file(tiny: KB, tmp_path: Path) -> None:
    done = call("link", tiny.path, "-", "-o", tmp_path / "out.jsonl", stdin="Paris")
    assert (done.returncode, done.stdout) == (0, "")
    assert linked_entities(json_lines((tmp_path / "out.jsonl").read_bytes())) == [["paris"]]


def test_output_of_the_command_can_be_linked_again(tiny: KB) -> None:
    once = call("link", tiny.path, "-", stdin=b"".join(map(json_line, mixed_documents(20))))
    assert once.returncode == 0
    assert call("link", tiny.path, "-", stdin=once.stdout).stdout == once.stdout

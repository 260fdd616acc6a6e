"""The files eigenthemes eval reads and writes: names of sets, layouts of gold, broken files, tables for people."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import assert_one_sentence, call, run_process
from helpers.documents import names_document
from helpers.evaluating import GOLD, PLAIN, figures, without_speed
from helpers.files import write_jsonl
from helpers.kbs import build_untrained

from eigenthemes import KB
from eigenthemes.ranking.methods import METHODS


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    return write_jsonl(tmp_path / "gold.jsonl", GOLD)


@pytest.fixture(scope="module")
def dbpedia(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """Paris twice, by the ids that AIDA and WNED lead to."""
    folder = tmp_path_factory.mktemp("dbpedia")
    base = "http://dbpedia.org/resource/"
    nodes: list[dict[str, object]] = [
        {"id": base + "Paris", "name": "Paris"},
        {"id": base + "Paris,_Texas", "name": "Paris (Texas)"},
        {"id": base + "Germany", "name": "Germany", "aliases": ["German"]},
    ]
    edges: list[dict[str, object]] = [{"source": base + "Paris", "target": base + "Germany", "relation": "near"}]
    return build_untrained([write_jsonl(folder / "n.jsonl", nodes), write_jsonl(folder / "e.jsonl", edges)], folder / "d.kb")


# names of sets


def test_sets_are_named_by_their_files(tiny: KB, tmp_path: Path) -> None:
    names = ["plain.jsonl", "packed.jsonl.gz", "dotted.v1.2.jsonl", "bare"]
    for name in names:
        data = json.dumps(names_document("Paris", gold="paris")).encode()
        (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    found = figures(tiny.path, *[tmp_path / name for name in names], "--methods", "degree")
    assert list(found) == ["plain", "packed", "dotted", "bare"]


def test_sets_of_one_name_are_told_apart_by_their_folders(tiny: KB, tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        write_jsonl(tmp_path / folder / "gold.jsonl", [names_document("Paris", gold="paris" if folder == "a" else "iowa")])
    write_jsonl(tmp_path / "other.jsonl", GOLD)
    files = [tmp_path / name for name in ("a/gold.jsonl", "other.jsonl", "b/gold.jsonl")]
    found = figures(tiny.path, *files, "--methods", "degree")
    assert list(found) == ["a/gold", "other", "b/gold"]
    assert [each["degree"]["overall"]["p_at_1"] for each in (found["a/gold"], found["b/gold"])] == [1.0, 0.0]


def test_no_set_takes_the_place_of_another(tiny: KB, tmp_path: Path) -> None:
    files = [tmp_path / folder / "set" / "gold.jsonl" for folder in ("a", "b")]
    for file in files:
        file.parent.mkdir(parents=True)
        write_jsonl(file, [names_document("Paris", gold="paris")])
    assert len(figures(tiny.path, *files, "--methods", "degree")) == 2


# layouts


def test_packed_gold_gives_the_same(tiny: KB, gold: Path) -> None:
    packed = gold.with_name("gold.jsonl.gz")
    packed.write_bytes(gzip.compress(gold.read_bytes()))
    assert without_speed(figures(tiny.path, packed)) == without_speed(figures(tiny.path, gold))


def test_gold_with_blank_lines_and_a_byte_order_mark(tiny: KB, gold: Path) -> None:
    expected = without_speed(figures(tiny.path, gold))
    gold.write_bytes(b"\xef\xbb\xbf\r\n" + gold.read_bytes().rstrip(b"\n").replace(b"\n", b"\r\n\r\n"))
    assert without_speed(figures(tiny.path, gold)) == expected


def _authors_mention(name: str, right: str, *candidates: tuple[str, int]) -> dict[str, Any]:
    given = [[external, score, external] for external, score in candidates]
    return {"mention": name, "posI": 0, "wikidata_id": right, "difficulty": "easy", "candidates": given}


def test_the_authors_layout(tiny: KB, tmp_path: Path) -> None:
    documents = {
        "d1": [
            _authors_mention("Jordan", "mij", ("mij", 9), ("mj", 4)),  # their numbers count, not ours
            _authors_mention("Jordan", "jo", ("mj", 4), ("jo", 3)),
        ],
        "d2": [_authors_mention("Paris", "iowa"), _authors_mention("Paris", "paris", ("paris", 5))],
    }
    (tmp_path / "aida.json").write_text(json.dumps(documents))
    found = figures(tiny.path, tmp_path / "aida.json", "--methods", "degree", "--by-document")["aida"]["degree"]
    assert found["overall"] == {"mentions": 4, "p_at_1": 0.5, "mrr": pytest.approx(2.5 / 4), "ceiling": 0.75}
    assert (found["easy"]["mentions"], found["hard"]["mentions"]) == (2, 1)
    assert [each["id"] for each in found["documents"]] == ["d1", "d2"]


def test_a_method_has_the_same_figures_whichever_others_are_evaluated(tiny: KB, tmp_path: Path) -> None:
    documents = {"d": [_authors_mention("Paris", "paris", ("tumor", 7), ("paris", 5))]}  # tumor has no vector
    (tmp_path / "aida.json").write_text(json.dumps(documents))
    alone, among = (
        figures(tiny.path, tmp_path / "aida.json", "--methods", names)["aida"]["degree"] for names in ("degree", "degree,eigen")
    )
    assert alone["overall"] == among["overall"]
    assert alone["easy"] == among["easy"]


def test_aida_conll(dbpedia: KB, tmp_path: Path) -> None:
    def token(word: str, tag: str, whole: str, title: str) -> str:
        return f"{word}\t{tag}\t{whole}\t{title}\thttp://en.wikipedia.org/wiki/{title}\t1\t/m/1\n"

    (tmp_path / "AIDA.tsv").write_text(
        "-DOCSTART- (1 EU)\n"
        + token("German", "B", "German", "Germany") + "visit\nto\n" + token("Paris", "B", "Paris", "Paris,_Texas")
        + "\n" + "Nobody\tB\tNobody\t--NME--\n.\n"
    )  # fmt: skip
    found = figures(dbpedia.path, tmp_path / "AIDA.tsv", "--methods", "degree", "--by-document")["AIDA"]["degree"]
    assert [each["id"] for each in found["documents"]] == ["1 EU"]
    assert (found["easy"]["mentions"], found["hard"]["mentions"]) == (1, 1)
    assert found["gold_in_kb"]["p_at_1"] == 0.5


def test_wned(dbpedia: KB, tmp_path: Path) -> None:
    (tmp_path / "RawText").mkdir()
    (tmp_path / "RawText" / "Trip").write_text("From Paris to Germany")
    annotation = "<annotation><mention>{}</mention><wikiName>{}</wikiName><offset>{}</offset><length>{}</length></annotation>"
    (tmp_path / "wiki.xml").write_text(
        '<wikipedia.entityAnnotation><document docName="Trip">'
        + annotation.format("Paris", "Paris, Texas", 5, 5) + annotation.format("Germany", "Germany", 14, 7)
        + "</document></wikipedia.entityAnnotation>"
    )  # fmt: skip
    found = figures(dbpedia.path, tmp_path / "wiki.xml", "--methods", "degree", "--by-document")["wiki"]["degree"]
    assert found["overall"] == {"mentions": 2, "p_at_1": 0.5, "mrr": 0.75, "ceiling": 1.0}
    assert [each["id"] for each in found["documents"]] == ["Trip"]


# mistakes


@pytest.mark.parametrize(
    ("name", "content", "words"),
    [
        ("g.jsonl", '{"mentions": []}\n\n{"mentions": [\n', ["g.jsonl:3", "no JSON"]),
        (
            "g.jsonl",
            '{"mentions": []}\n{"text": "a", "mentions": [{"start": 0, "end": 9}]}\n',
            ["g.jsonl:2", "outside the text"],
        ),
        ("g.jsonl", '{"mentions": []}\n[]\n', ["g.jsonl:2"]),
        ("g.jsonl", '{"mentions": [{"text": "a", "gold": {}}]}\n', ["g.jsonl:1", "gold"]),
        ("g.jsonl", '{"mentions": [{"text": "a", "gold": true}]}\n', ["g.jsonl:1", "gold"]),
        ("g.json", '{"d": [{"mention": "a",\n "wikidata_id": "Q1", "candidates": [}]}\n', ["g.json:2"]),
        ("g.json", '{"d": [{"mention": "a", "wikidata_id": "Q1", "candidates": 3}]}', ["g.json", '"d"']),
        ("g.tsv", "-DOCSTART- (1)\nParis\tB\tParis\tParis\nIowa\tX\n", ["g.tsv:3"]),
        ("g.xml", '<a.entityAnnotation>\n<document docName="x">\n</a.entityAnnotation>', ["g.xml:3"]),
        ("g.xml", "<html></html>", ["g.xml", "html"]),
        ("g.jsonl", "", ["g.jsonl", "empty"]),
        ("g.jsonl", "\n \n", ["g.jsonl", "empty"]),
        ("g.txt", "Paris is a town", ["g.txt", "expected"]),
    ],
)
def test_broken_gold_is_one_sentence_with_file_and_line(
    tiny: KB, tmp_path: Path, name: str, content: str, words: list[str]
) -> None:
    (tmp_path / name).write_text(content)
    for options in ([], ["--json"]):
        done = call("eval", tiny.path, tmp_path / name, "--methods", "degree", *options)
        assert_one_sentence(done, *words)
        assert done.stdout == ""


def test_gold_cut_short_is_refused(tiny: KB, tmp_path: Path) -> None:
    packed = gzip.compress(
        "".join(json.dumps(names_document(f"Paris {i * i}", gold="paris")) + "\n" for i in range(3000)).encode()
    )
    (tmp_path / "g.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    done = call("eval", tiny.path, tmp_path / "g.jsonl.gz", "--methods", "degree", "--json")
    assert_one_sentence(done, "g.jsonl.gz")
    assert done.stdout == ""


def test_gold_that_is_not_utf_8(tiny: KB, tmp_path: Path) -> None:
    (tmp_path / "g.jsonl").write_bytes(b'{"mentions": []}\n{"text": "\xff"}\n')
    assert_one_sentence(call("eval", tiny.path, tmp_path / "g.jsonl", "--methods", "degree"), "g.jsonl:2", "UTF-8")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--methods", "eigne"], ["'eigne'", "expected one of"]),
        (["--methods", "degree,eigne"], ["'eigne'"]),
        (["--methods", ""], ["--methods"]),
        (["--methods", " , "], ["--methods"]),
        (["--k", "0"], ["--k"]),
        (["--k", "²"], ["--k"]),
        (["--delta", "nan"], ["delta"]),
        (["--max-candidates", "x"], ["--max-candidates"]),
        (["--generator", "x"], ["'x'", "paper"]),
        (["--vectors", "mine"], ["'mine'", "prone"]),
    ],
)
def test_wrong_options(tiny: KB, gold: Path, options: list[str], words: list[str]) -> None:
    assert_one_sentence(call("eval", tiny.path, gold, *options), *words)


def test_missing_files(tiny: KB, gold: Path, tmp_path: Path) -> None:
    assert_one_sentence(call("eval", tmp_path / "no.kb", gold), "no.kb", "eigenthemes build")
    assert_one_sentence(call("eval", tiny.path, tmp_path / "no.jsonl"), "no.jsonl", "does not exist")
    (tmp_path / "empty").mkdir()
    assert_one_sentence(call("eval", tiny.path, tmp_path / "empty"), "empty")
    assert call("eval", tiny.path).returncode == 2


def test_a_kb_without_vectors(bare: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "g.jsonl", [names_document("Alpha", "First letter", gold="a")])
    assert_one_sentence(call("eval", bare.path, file, "--methods", "eigen"), "no vectors", f"eigenthemes embed {bare.path}")
    assert list(figures(bare.path, file)["g"]) == ["degree", "namematch", "prior-name"]
    found = figures(bare.path, file, "--methods", PLAIN)["g"]
    assert found["degree"]["overall"]["p_at_1"] == 1.0
    assert found["namematch"]["overall"]["p_at_1"] == 0.5


# for people


def test_a_table_for_people(tiny: KB, gold: Path) -> None:
    done = run_process("eval", tiny.path, gold, "--methods", PLAIN)
    assert (done.returncode, done.stderr) == (0, "")
    assert "gold" in done.stdout
    assert "6 mentions" in done.stdout
    rows = {words[0]: words for words in map(str.split, done.stdout.splitlines()) if words and words[0] in METHODS}
    assert list(rows) == PLAIN.split(",")
    assert rows["degree"][1:3] == ["0.333", "0.500"]
    assert rows["namematch"][1:3] == ["0.500", "0.500"]


def test_documents_for_people(tiny: KB, gold: Path) -> None:
    done = call("eval", tiny.path, gold, "--methods", "degree", "--by-document")
    assert done.returncode == 0
    shown = [line for line in done.stdout.splitlines() if "people" in line or "places" in line]
    assert len(shown) == 2
    assert "0.667" in shown[0]


def test_json_is_all_that_stands_on_stdout(tiny: KB, tmp_path: Path) -> None:
    file = write_jsonl(tmp_path / "g.jsonl", [names_document("Ville Lumière", gold="paris", candidates=["Q1", "paris"])])
    done = call("eval", tiny.path, file, "--methods", "degree", "--json")
    assert json.loads(done.stdout)["g"]["degree"]["overall"]["p_at_1"] == 1.0
    assert done.stderr.count("\n") == 1  # the warning


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_figures_that_cannot_be_written_are_one_sentence(tiny: KB, gold: Path) -> None:
    command = f"{sys.executable} -m eigenthemes eval {tiny.path} {gold} --methods degree --json > /dev/full"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert_one_sentence(done, "No space left")

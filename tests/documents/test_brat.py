"""BRAT standoff, with the examples of its documentation."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.format_files import SONY, SONY_ANN
from helpers.gold_files import refusal, write
from helpers.linked import link_of

from eigenthemes.documents.brat import brat_of, reference_of
from eigenthemes.documents.output import open_output
from eigenthemes.documents.reader import DocumentFiles, parse_record, read_documents, read_gold
from eigenthemes.errors import OptionError
from eigenthemes.records import Document, LinkedDocument, Mention


def pair(folder: Path, annotations: str, text: str = SONY, name: str = "doc") -> Path:
    write(folder, f"{name}.txt", text)
    return write(folder, f"{name}.ann", annotations)


def test_the_annotations_of_a_text(tmp_path: Path) -> None:
    (document,) = read_gold(pair(tmp_path, SONY_ANN))
    assert (document.id, document.text) == ("doc", SONY)
    assert document.mentions == (  # the trigger of the event is no name
        Mention("Sony", 0, 4, gold=("Wikipedia:27848", "27848", "freebase:/m/0bmjq", "/m/0bmjq")),
        Mention("Ericsson", 33, 41),
        Mention("Sweden", 75, 81),
    )
    assert [mention.source["type"] for mention in document.mentions] == ["Organization", "Organization", "Country"]


def test_other_annotations_are_kept(tmp_path: Path) -> None:
    (document,) = read_documents(pair(tmp_path, SONY_ANN))
    links = tuple(link_of(mention, "Q1") for mention in document.mentions or ())
    _, annotations = brat_of(LinkedDocument(document, links))
    lines = annotations.decode().splitlines()
    assert lines[:2] == ["T1\tOrganization 0 4\tSony", "N1\tReference T1 KB:Q1\tlabel of Q1"]
    kept = [line for line in SONY_ANN.splitlines() if line[0] in "ER*A#" or line.startswith("T2")]
    assert sorted(lines[6:]) == sorted(kept)


def test_pieces_apart_and_pieces_of_two_lines(tmp_path: Path) -> None:
    text = "North and South America, New\nYork and New\r\nJersey"
    annotations = "T1\tPlace 0 5;16 23\tNorth America\nT2\tPlace 10 23\tSouth America\nT3\tPlace 25 28;29 33\tNew York\n"
    (document,) = read_documents(pair(tmp_path, annotations + "T4\tPlace 38 49\tNew Jersey\n", text))
    assert document.mentions == (
        Mention("North America"),  # no span of its own: another word is between the pieces
        Mention("South America", 10, 23),
        Mention("New\nYork", 25, 33),
        Mention("New\r\nJersey", 38, 49),
    )
    assert document.mentions[0].source["fragments"] == [[0, 5], [16, 23]]
    _, written = brat_of(LinkedDocument(document, tuple(link_of(mention, None) for mention in document.mentions)))
    assert written.decode() == annotations + "T4\tPlace 38 41;43 49\tNew Jersey\n"


@pytest.mark.parametrize("start", [5, 6, 8], ids=["code points", "UTF-16", "bytes"])
def test_offsets_of_other_tools_are_told_by_the_text_they_mark(tmp_path: Path, start: int) -> None:
    (document,) = read_documents(pair(tmp_path, f"T1\tPlace {start} {start + 5}\tParis\n", "🦊 in Paris"))
    assert document.mentions == (Mention("Paris", 5, 10),)


def test_without_annotations_names_are_to_be_found(tmp_path: Path) -> None:
    (document,) = read_documents(pair(tmp_path, ""))
    assert (document.text, document.mentions) == (SONY, None)


@pytest.mark.parametrize(
    ("annotations", "sentence"),
    [
        (
            "T1\tOrganization 0 4\tSony\nT2\tCountry 75\tSweden\n",
            "doc.ann:2: the line is 'T2\\tCountry 75\\tSweden'; expected T1",
        ),
        ("T1\tOrganization 0 4\tSonny\n", "doc.ann:1: 'Sonny' is marked at 0 4, but 'Sony' stands there"),
        ("T1\tOrganization 0 4000\tSony\n", "doc.ann:1: the span 0 4000 is no part of the text, which has 113 code points"),
        ("T1\tOrganization 4 4\t\n", "doc.ann:1: the span 4 4 is no part of the text"),
        ("T1\tX 0 4\tSony\nT1\tX 0 4\tSony\n", "doc.ann:2: T1 is there twice"),
        ("T1\tX 0 4\tSony\nprose\n", "doc.ann:2: the line is 'prose'"),
        ("T1\tX 0 4\tSony\nN1\tReference T9 a:b\n", "a line N refers to T9, which marks nothing"),
    ],
)
def test_broken_annotations_are_one_sentence_with_the_line(tmp_path: Path, annotations: str, sentence: str) -> None:
    path = pair(tmp_path, annotations)
    assert sentence in refusal(lambda: list(read_documents(path)))


def test_annotations_that_are_not_utf_8(tmp_path: Path) -> None:
    path = pair(tmp_path, "")
    path.write_bytes(b"T1\tX 0 4\tS\xe3o\n")
    assert "doc.ann:1: the line is not UTF-8" in refusal(lambda: list(read_documents(path)))


def test_a_text_that_is_missing(tmp_path: Path) -> None:
    path = write(tmp_path, "a.ann", SONY_ANN)
    assert "a.ann has no text; expected a file of the same name that ends in .txt" in refusal(
        lambda: list(read_documents(path))
    )


def test_a_folder_of_pairs_is_read_in_order_and_one_broken_pair_costs_no_other(tmp_path: Path) -> None:
    for name in ("b", "a", "c"):
        pair(tmp_path, SONY_ANN if name != "b" else "T1 broken\n", name=name)
    write(tmp_path, "annotation.conf", "[entities]\nPlace\n")
    write(tmp_path, "plain.txt", "A text that nobody annotated.")
    first, broken, third, plain = DocumentFiles(tmp_path)
    assert [parse_record(record).id for record in (first, third, plain)] == ["a", "c", "plain.txt"]
    assert "the line is 'T1 broken'" in refusal(lambda: parse_record(broken))


def test_both_files_of_a_pair_are_one_document(tmp_path: Path) -> None:
    annotations = pair(tmp_path, SONY_ANN)
    assert [document.id for document in read_documents([tmp_path / "doc.txt", annotations])] == ["doc"]
    (document,) = read_documents(tmp_path / "doc.txt")  # alone, it is a plain text
    assert document.mentions is None
    (document,) = read_documents(tmp_path / "doc.txt", format="brat")
    assert len(document.mentions or ()) == 3


def test_a_folder_out(tmp_path: Path) -> None:
    out = tmp_path / "out"
    documents = [Document(id=name, text="Ada", mentions=()) for name in ("a/../b", "A B", "a_b", None, None, "..", "x.txt")]
    with open_output("brat", lambda data: None, folder=out) as output:
        for document in documents:
            output.write(LinkedDocument(document, (link_of(Mention("Ada", 0, 3), "Q1"),)))
    names = sorted(path.name for path in out.glob("*.ann"))
    assert names == ["A_B.ann", "a_.._b.ann", "a_b-2.ann", "document-2.ann", "document-3.ann", "document.ann", "x.ann"]
    assert len(list(read_gold(out))) == 7
    with (
        pytest.raises(OptionError, match="a folder with files in it; name an empty or a new folder"),
        open_output("brat", print, folder=out),
    ):
        pass
    with pytest.raises(OptionError, match="BRAT is two files for each document"), open_output("brat", print, folder="-"):
        pass


def test_references_have_a_database() -> None:
    assert reference_of("MESH:D001943") == "MESH:D001943"
    assert reference_of("Q42") == "KB:Q42"
    assert reference_of("http://www.wikidata.org/entity/Q42") == "KB:http://www.wikidata.org/entity/Q42"
    assert reference_of("a b") == "KB:a%20b"

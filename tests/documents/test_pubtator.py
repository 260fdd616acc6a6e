"""PubTator, with the example of its documentation."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.format_files import LIDOCAINE
from helpers.gold_files import refusal, write
from helpers.linked import link_of

from eigenthemes.documents.pubtator import pubtator_of
from eigenthemes.documents.reader import DocumentFiles, parse_record, read_documents, read_gold
from eigenthemes.errors import DocumentError
from eigenthemes.records import Document, LinkedDocument, Mention


def test_title_abstract_annotations_and_relations(tmp_path: Path) -> None:
    (document,) = read_gold(write(tmp_path, "corpus", LIDOCAINE))
    assert document.id == "354896"
    assert (document.text or "").startswith("Lidocaine-induced cardiac asystole.\nIntravenous")
    assert document.mentions == (
        Mention("Lidocaine", 0, 9, gold=("D008012",)),
        Mention("cardiac asystole", 18, 34, gold=("D006323",)),
        Mention("lidocaine", 90, 99, gold=("D008012",)),
    )
    linked = LinkedDocument(document, tuple(link_of(mention, (mention.gold or ("",))[0]) for mention in document.mentions))
    assert pubtator_of(linked, 1).decode() == LIDOCAINE


@pytest.mark.parametrize(
    ("ids", "gold"),
    [
        ("-1", ()),
        ("-", ()),
        ("", None),
        ("D1|D2", ("D1|D2", "D1", "D2")),
        ("1,2;3", ("1,2;3", "1", "2", "3")),
        ("MESH:D1", ("MESH:D1",)),
    ],
)
def test_ids(tmp_path: Path, ids: str, gold: tuple[str, ...] | None) -> None:
    (document,) = read_documents(write(tmp_path, "x", f"1|t|Ada\n1|a|\n1\t0\t3\tAda\tPerson\t{ids}\n"))
    assert document.text == "Ada"
    assert [mention.gold for mention in document.mentions or ()] == [gold]


def test_fields_beyond_the_ids_are_kept(tmp_path: Path) -> None:
    lines = "1|t|breast, ovarian cancer\n1|a|\n1\t0\t22\tbreast, ovarian cancer\tDisease\tD1\tbreast cancer|ovarian cancer\n\n"
    (document,) = read_documents(write(tmp_path, "x", lines))
    linked = LinkedDocument(document, tuple(link_of(mention, "D1") for mention in document.mentions or ()))
    assert pubtator_of(linked, 1).decode() == lines


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_documents_without_a_blank_line_between_them(tmp_path: Path, line_end: str) -> None:
    lines = "\ufeff1|t|Ada | Bob\n1|a|Eve\n1\t6\t9\tBob\tP\tQ1\n2|t|Zoë\n2|a|\n\n\n3|t|x\n"
    documents = list(read_documents(write(tmp_path, "x", lines.replace("\n", line_end))))
    assert [(document.id, document.text) for document in documents] == [("1", "Ada | Bob\nEve"), ("2", "Zoë"), ("3", "x")]
    assert documents[1].mentions is None


@pytest.mark.parametrize("start", [5, 6, 8])
def test_offsets_of_other_tools(tmp_path: Path, start: int) -> None:
    (document,) = read_documents(write(tmp_path, "x", f"1|t|🦊 in Paris\n1|a|\n1\t{start}\t{start + 5}\tParis\tPlace\tQ90\n"))
    assert document.mentions == (Mention("Paris", 5, 10, gold=("Q90",)),)


@pytest.mark.parametrize(
    ("broken", "line", "sentence"),
    [
        ("2|t|Ada\n2\t0\tx\tAda\n", 5, "the fields ['0', 'x', 'Ada'] are no annotation"),
        ("2|t|Ada\n2\t0\t4\tAdam\tP\tQ1\n", 5, "the span 0 4 is no part of the text, which has 3 code points"),
        ("2|t|Ada\n2\t0\t3\tBob\tP\tQ1\n", 5, "'Bob' is marked at 0 3, but 'Ada' stands there"),
        ("2|t|Ada\n3\t0\t3\tAda\tP\tQ1\n", 5, "a line of '3' stands among those of '2'"),
        ("2\t0\t3\tAda\tP\tQ1\n", 4, "the document has no title"),
        ("2|t|Ada\n2\t" + "9" * 5000 + "\t3\tAda\n", 5, "the fields ['99999999999999999999', '3', 'Ada'] are no annotation"),
    ],
)
def test_a_broken_document_is_one_sentence_with_the_line_and_costs_no_other(
    tmp_path: Path, broken: str, line: int, sentence: str
) -> None:
    path = write(tmp_path, "x", "1|t|one\n1|a|\n\n" + broken + "\n9|t|last\n")
    first, failed, last = DocumentFiles(path)
    assert [parse_record(first).id, parse_record(last).id] == ["1", "9"]
    with pytest.raises(DocumentError) as refused:
        parse_record(failed)
    assert str(refused.value).startswith(sentence)
    assert refused.value.where == f"x:{line}"


def test_what_pubtator_cannot_hold() -> None:
    table = LinkedDocument(Document(mentions=(Mention("Ada"),)), (link_of(Mention("Ada"), "Q1"),))
    assert "the document is a list of mentions without a text, which PubTator needs" in refusal(lambda: pubtator_of(table, 1))
    lost = LinkedDocument(Document(text="Bob"), (link_of(Mention("Ada"), "Q1"),))
    assert "the mention 'Ada' has no place in the text" in refusal(lambda: pubtator_of(lost, 1))


def test_ids_that_would_break_a_line() -> None:
    linked = LinkedDocument(Document(id="a|b\tc\nd", text="Ada\nBob"), (link_of(Mention("Ada", 0, 3), "Q1\tx"),))
    assert pubtator_of(linked, 1).decode() == "a_b c d|t|Ada\na_b c d|a|Bob\na_b c d\t0\t3\tAda\tEntity\tQ1 x\n\n"

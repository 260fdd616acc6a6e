"""The words around a mention."""

from __future__ import annotations

import numpy as np
import pytest

from eigenthemes import KB
from eigenthemes.embeddings.word_vectors import WordVectors
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.records import Document, Mention, Table
from eigenthemes_paper.taumil.sentences import Sentences, Words, check_text, sentence_of


@pytest.mark.parametrize(
    ("text", "name", "words"),
    [
        ("Rain fell there. Jordan won. Nobody saw it.", "Jordan", ["Jordan", "won", "."]),
        ("A line\nwith Jordan in it\nand more", "Jordan", ["with", "Jordan", "in", "it"]),
        ("We met Mr. Jordan of the U.S. team", "Jordan", "We met Mr . Jordan of the U . S . team".split()),
        ("Michael Jordan", "Michael Jordan", ["Michael", "Jordan"]),
        ("pre-Jordanian", "Jordan", ["pre", "-", "Jordan", "ian"]),
        ("a ... b", "...", ["a", ".", ".", ".", "b"]),
    ],
)
def test_the_sentence_around_a_mention(text: str, name: str, words: list[str]) -> None:
    start = text.index(name)
    found, first, last = sentence_of(text, start, start + len(name))
    assert found == words
    assert "".join(found[first : last + 1]) == name.replace(" ", "")


def test_long_sentences_are_cut_around_the_mention() -> None:
    text = " ".join(f"w{i}" for i in range(500))
    for at, begins in ((250, 201), (0, 0), (499, 400), (10, 0)):
        start = text.index(f"w{at}")
        found, first, last = sentence_of(text, start, start + len(f"w{at}"))
        assert (len(found), found[first], first, last) == (100, f"w{at}", at - begins, at - begins)


def test_a_mention_longer_than_a_sentence_and_an_empty_one() -> None:
    text = " ".join(["name"] * 300)
    assert [len(sentence_of(text, 0, len(text))[0]), *sentence_of(text, 0, len(text))[1:]] == [100, 0, 99]
    assert sentence_of("a  b", 2, 2) == (["a", "", "b"], 1, 1)


def test_positions_count_from_the_mention_and_are_clipped(tiny: KB) -> None:
    words = Words.of(WordVectors({"won": 0, "he": 1}, np.array([[3.0, 4.0], [0, 0]], dtype=np.float32)), tiny)
    text = "He won " + "x " * 12 + "and Jordan Air won"
    start = text.index("Jordan")
    padded = Sentences.read([(text, start, start + 10), ("Iowa", 0, 4)], words).padded(np.array([0, 1]), words.unknown)
    assert padded.lengths.tolist() == [18, 1]
    assert (padded.positions[0] - 10).tolist() == [-10] * 5 + list(range(-10, 0)) + [0, 0, 1]
    assert (padded.first.tolist(), padded.last.tolist()) == ([15, 0], [16, 0])
    assert padded.words[0, [0, 1, 17]].tolist() == words.rows(["he", "won", "won"]).tolist()
    assert set(padded.words[1].tolist()) == {words.unknown}


def test_word_vectors_have_unit_length_and_unknown_words_none(tiny: KB) -> None:
    words = Words.of(WordVectors({"Won": 0, "won": 1}, np.array([[3.0, 4.0], [0, 2]], dtype=np.float32)), tiny)
    rows = words.rows(["Won", "won", "WON", "lost"])
    assert words.vectors[rows].tolist() == [pytest.approx([0.6, 0.8]), [0, 1], [0, 1], [0, 0]]
    with pytest.raises(OptionError, match="holds no word vectors, and none were given; give a file"):
        Words.of(None, tiny)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        (Document(mentions=(Mention("Iowa"),), id="d7"), "the document 'd7' has no text"),
        (Document(table=Table(("x",), (("Iowa",),))), "a document without id has no text"),
        (
            Document(mentions=(Mention("Iowa"),), id=3, text="Ohio"),
            "the document 3 has the mention 'Iowa', which does not stand",
        ),
    ],
)
def test_a_document_without_sentences_is_refused_by_name(document: Document, said: str) -> None:
    with pytest.raises(DocumentError, match=said + r".*; give .*, or choose another method"):
        check_text(document)


def test_a_document_without_names_needs_no_text() -> None:
    check_text(Document(mentions=()))

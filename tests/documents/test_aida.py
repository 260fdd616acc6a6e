"""AIDA-CoNLL: tokens, mentions, gold by several ids."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.gold_files import AIDA, refusal, write

from eigenthemes.documents.reader import read_gold
from eigenthemes.documents.standoff import dbpedia_iri
from eigenthemes.records import Mention


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_aida(tmp_path: Path, line_end: str) -> None:
    first, second = read_gold(write(tmp_path, "aida.tsv", AIDA.replace("\n", line_end)))
    assert (first.id, first.text) == ("1 EU", "EU rejects German call\nPeter Blackburn S\\u00e3o")
    germany = ("http://en.wikipedia.org/wiki/Germany", "http://dbpedia.org/resource/Germany", "11867", "/m/0345h", "Germany")
    assert first.mentions == (
        Mention("EU", 0, 2, gold=()),
        Mention("German", 11, 17, gold=germany),
        Mention("Peter Blackburn", 23, 38, gold=()),
    )
    assert (second.id, second.text) == ("947testa CRICKET", "São Paulo Peru")
    assert second.mentions is not None
    url = "http://en.wikipedia.org/wiki/S%C3%A3o_Paulo"
    assert second.mentions[0].gold == (url, "http://dbpedia.org/resource/São_Paulo", "390875", "São_Paulo")
    for document in (first, second):
        assert document.text is not None
        assert all(document.text[each.start : each.end] == each.text for each in document.mentions or ())


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("-DOCSTART- -X- O O\n\nEU NNP I-NP I-ORG\n", "aida.tsv:1: '-DOCSTART- -X- O O' has no document id"),
        ("-DOCSTART- (1 EU)\n0\t--NME--\n", "aida.tsv:2: 2 columns that begin with ['0', '--NME--']; expected token, B or I"),
        ("-DOCSTART- (1 EU)\nEU\n2\tGermany\thttp\t11867\t/m/0345h\n", "aida.tsv:3: 5 columns"),
        (b"-DOCSTART- (1 EU)\nS\xe3o\n", "aida.tsv:2: the line is not UTF-8"),
    ],
)
def test_bad_aida(tmp_path: Path, text: str | bytes, phrase: str) -> None:
    path = write(tmp_path, "aida.tsv", text)
    assert phrase in refusal(lambda: list(read_gold(path)))


def test_letters_beyond_16_bits_in_names_of_yago(tmp_path: Path) -> None:
    (document,) = read_gold(write(tmp_path, "aida.tsv", "-DOCSTART- (1 EU)\nEU\tB\tEU\t\\ud83d\\ude00_\\u00e3\n"))
    assert document.mentions == (Mention("EU", 0, 2, gold=("😀_ã",)),)


def test_iris_of_dbpedia_keep_letters_and_escape_what_no_iri_may_hold() -> None:
    assert dbpedia_iri("São Paulo, Who? (50%)") == "http://dbpedia.org/resource/São_Paulo,_Who%3F_(50%25)"

"""WNED: annotations in XML with their texts beside them."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.gold_files import WNED, refusal, wned, write

from eigenthemes.documents.reader import read_gold
from eigenthemes.records import Mention


def test_wned_with_its_text(tmp_path: Path) -> None:
    raw = "Zoë of Paris, not Paris, met Bob"
    (tmp_path / "RawText").mkdir()
    write(tmp_path / "RawText", "Paris & co", raw)
    (tmp_path / "wned").mkdir()
    for path in (tmp_path / "wned.xml", tmp_path / "wned" / "wned.xml"):
        path.write_text(WNED, encoding="utf-8")
        (document,) = read_gold(path)
        assert (document.id, document.text) == ("Paris & co", raw)
        assert document.mentions == (
            Mention("Paris", 7, 12, gold=("Paris, Texas", "http://dbpedia.org/resource/Paris,_Texas")),  # 7 is nearer than 18
            Mention("Zoë", 0, 3, gold=()),
            Mention("Bob", 29, 32, gold=()),
            Mention("Eve", gold=("Eve", "http://dbpedia.org/resource/Eve")),
        )


def test_wned_without_its_text(tmp_path: Path) -> None:
    (document,) = read_gold(write(tmp_path, "wned.xml", WNED))
    assert document.text is None
    assert [(each.text, each.start) for each in document.mentions or ()] == [
        ("Paris", None),
        ("Zoë", None),
        ("Bob", None),
        ("Eve", None),
    ]


def test_wned_names_do_not_lead_out_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "RawText").mkdir()
    write(tmp_path, "secret", "Paris")
    (document,) = read_gold(write(tmp_path, "wned.xml", wned(("Paris", "Paris", "0"), name="../secret")))
    assert document.text is None


BOMB = "<!DOCTYPE a [<!ENTITY e0 'ha'>" + "".join(f"<!ENTITY e{i} '{f'&e{i - 1};' * 50}'>" for i in range(1, 9)) + "]>\n"


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        (WNED[:-30], "wned.xml:6: broken XML at column"),
        (wned(("", "Paris", "0")), 'document "Paris & co", annotation 0 has no text'),
        (WNED.replace("docName", "name"), "a document has no name"),
        (
            wned(("&x;", "Paris", "0"), head='<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n'),
            "undefined entity &x;",
        ),
        (wned(("&e8;", "Paris", "0"), head=BOMB), "broken XML"),
    ],
)
def test_bad_wned(tmp_path: Path, text: str, phrase: str) -> None:
    path = write(tmp_path, "wned.xml", text)
    assert phrase in refusal(lambda: list(read_gold(path)))


def test_bad_offset_of_wned(tmp_path: Path) -> None:
    (tmp_path / "RawText").mkdir()
    write(tmp_path / "RawText", "Paris & co", "Paris")
    path = write(tmp_path, "wned.xml", wned(("Paris", "Paris", "five")))
    assert "annotation 0 has the offset 'five'; expected a whole number" in refusal(lambda: list(read_gold(path)))

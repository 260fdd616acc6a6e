"""From pages of Wikipedia, by id, title or IRI, to Wikidata ids."""

from __future__ import annotations

from pathlib import Path

import pytest
from paper_helpers.wikipedia_dumps import Dumps, write_dump

from eigenthemes.errors import OptionError, SourceError
from eigenthemes_paper.prepare import ENTITY
from eigenthemes_paper.wikipedia import WikipediaMap


@pytest.mark.parametrize(
    ("gold", "item"),
    [
        ("11867", "Q183"),
        ("Germany", "Q183"),
        ("germany", "Q183"),
        ("http://en.wikipedia.org/wiki/Germany", "Q183"),
        ("https://en.wikipedia.org/wiki/Germany#History", "Q183"),
        ("http://dbpedia.org/resource/Germany", "Q183"),
        ("Shane O'Neill", "Q5005"),
        ("shane_O'Neill", "Q5005"),
        (" Shane  O'Neill_", "Q5005"),
        ("http://en.wikipedia.org/wiki/Shane_O%27Neill", "Q5005"),
        ("City of Light", "Q90"),  # a redirect
        ("91", "Q90"),
        ("Ville Lumière", None),  # a redirect to a redirect
        ("Ville Lumie\u0300re", None),
        ("Loop", None),
        ("Elsewhere", None),  # a redirect to another Wikipedia
        ("Nobody", None),  # a page without an item
        ("13", None),
        ("Paris (Texas)", None),  # a category
        ("/m/0345h", None),
        ("", None),
        ("9" * 30, None),
        ("Q64", "Q64"),
        (ENTITY + "Q64", "Q64"),
    ],
)
def test_find(pages: WikipediaMap, gold: str, item: str | None) -> None:
    assert pages.find(gold) == item


def test_letters_may_be_composed_or_not(tmp_path: Path) -> None:
    place = (
        write_dump(tmp_path, "page_props", "INSERT INTO `page_props` VALUES (1,'wikibase_item','Q1',NULL);"),
        write_dump(tmp_path, "page", "INSERT INTO `page` VALUES (1,0,'Élan_ß','');"),
    )
    pages = WikipediaMap.read(*place)
    assert [pages.find(each) for each in ("Élan ß", "e\u0301lan ß", "ß")] == ["Q1", "Q1", None]


def test_a_number_is_a_title_where_an_iri_says_so(pages: WikipediaMap) -> None:
    assert pages.find("1990") == "Q19900"  # the page with that id
    assert pages.find_any(("1990", "http://dbpedia.org/resource/1990")) == "Q2069"  # the year
    assert pages.find_any(("Q1", "http://dbpedia.org/resource/Q1")) == "Q90"


def test_the_id_of_a_page_counts_before_its_title_and_the_title_where_the_id_is_gone(pages: WikipediaMap) -> None:
    assert pages.find_any(("http://en.wikipedia.org/wiki/Paris", "11867")) == "Q183"
    assert pages.find_any(("http://en.wikipedia.org/wiki/Paris", "99999")) == "Q90"
    assert pages.find_any(()) is None


def test_without_titles_pages_go_by_their_ids(dumps: Dumps) -> None:
    pages = WikipediaMap.read(dumps[0])
    assert (pages.find("11867"), pages.find("Germany")) == ("Q183", None)
    assert "Q7000000" in set(pages.entities())


def test_entities_are_those_of_articles_each_once(pages: WikipediaMap) -> None:
    assert list(pages.entities()) == ["Q90", "Q183", "Q2069", "Q5005"]


def test_redirects_need_titles(dumps: Dumps) -> None:
    with pytest.raises(OptionError, match="give both"):
        WikipediaMap.read(dumps[0], redirect=dumps[2])


def test_dumps_that_are_cut_missing_or_mixed_up(tmp_path: Path, dumps: Dumps) -> None:
    cut = tmp_path / "cut.sql.gz"
    cut.write_bytes(dumps[0].read_bytes()[:-60])
    with pytest.raises(SourceError, match=r"^cut.sql.gz is a truncated or damaged archive .*; fetch the file again$"):
        WikipediaMap.read(cut)
    with pytest.raises(SourceError, match="does not exist"):
        WikipediaMap.read(dumps[0], tmp_path / "none.sql.gz")
    with pytest.raises(SourceError, match="no rows of the table page_props"):
        WikipediaMap.read(dumps[1])


@pytest.mark.parametrize("number", ["NULL", "'x'", "-5", "9" * 19])
def test_an_id_that_is_none(tmp_path: Path, number: str) -> None:
    path = write_dump(tmp_path, "page_props", f"INSERT INTO `page_props` VALUES ({number},'wikibase_item','Q1',NULL);")
    with pytest.raises(SourceError, match="for the id of a page; expected a number"):
        WikipediaMap.read(path)

"""Analysis of names: their languages, their strong words and their cores."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from helpers.form_kgs import COMPANIES, CONCEPTS, PERSONS, PLACES
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes.core.strings import Strings
from eigenthemes.names.analysis import NameAnalysis, is_person, main_language
from eigenthemes.names.weak_words import is_common
from eigenthemes.text.normalize import normalize

PROPER = NameAnalysis(("en",), False, 0.3, 0.3, 0.2)
COMMON = NameAnalysis(("en", "de"), True, 0.0, 0.0, 0.2)
FRENCH = NameAnalysis(("fr",), True, 0.0, 0.0, 0.2)


def analysed(names: Sequence[str], tags: Sequence[str] = ("",), tag_of_name: Sequence[int] | None = None) -> NameAnalysis:
    of_name = np.array([0] * len(names) if tag_of_name is None else tag_of_name, dtype=np.uint8)
    return NameAnalysis.of_names(Strings.of(names), tags, of_name)


# languages


def test_the_languages_are_those_of_the_tags_the_most_frequent_first() -> None:
    names = [*"abcdef", "Haus", "Baum", "maison", "casa"]
    tags = ["de-AT", "en", "fr", "it"]
    assert analysed(names, tags, [1] * 5 + [0] * 3 + [2, 3]).languages == ("en", "de", "fr")  # inflection of it is not known
    assert analysed([str(i) for i in range(40)], tags, [1] * 39 + [0]).languages == ("en",)  # one name in forty is no language
    assert analysed(["casa", "via"], ["it"]).languages == ("en",)


@pytest.mark.parametrize(
    ("names", "languages"),
    [
        (["Amt für Umwelt", "Schule der Stadt", "Verein für Musik und Tanz"], ("de",)),
        (["Bank of England", "Museum of the City", "Trust for Nature"], ("en",)),
        (["Fédération pour les enfants", "École dans la forêt"], ("fr",)),
        (["Paris", "Berlin", "Roma"], ("en",)),  # nothing tells
        (["Die Hard", "Alien", "Jaws", "Heat", "Rope"], ("en",)),  # one name is no evidence
        ([], ("en",)),
    ],
)
def test_words_tell_the_languages_of_names_without_tags(names: list[str], languages: tuple[str, ...]) -> None:
    assert analysed(names).languages == languages


def test_a_tag_begins_with_its_language() -> None:
    assert [main_language(tag) for tag in ("de-AT", "EN", "", "zh-Hant")] == ["de", "en", "", "zh"]


# kinds of names


def test_kbs_of_companies_persons_and_concepts_are_told_apart() -> None:
    companies, persons = analysed(COMPANIES), analysed(PERSONS)
    assert (companies.has_companies, companies.has_persons, companies.inflects) == (True, False, False)
    assert (persons.has_companies, persons.has_persons, persons.inflects) == (False, True, False)
    names = [name for pair in CONCEPTS for name in pair]
    concepts = analysed(names, ["en", "de"], [0, 1] * len(CONCEPTS))
    assert (concepts.has_companies, concepts.has_persons, concepts.inflects) == (False, False, True)
    assert concepts.languages == ("en", "de")
    assert not analysed(PLACES).is_inflected
    assert analysed(["Haus", "Lohn"], ["de"]).is_inflected  # all German nouns are capitalised


def test_an_analysis_comes_back_from_the_manifest() -> None:
    analysis = analysed(COMPANIES)
    stored = analysis.to_dict()
    assert NameAnalysis(**{**stored, "languages": tuple(stored["languages"])}) == analysis


def test_who_begins_with_a_given_name_may_be_a_person() -> None:
    assert is_person(["maria", "cantwell"])
    assert not is_person(["maria"])
    assert not is_person(["netflix", "inc"])
    assert not is_person("maria a b c d".split())
    assert PROPER.words_of_person("Dr. Maria Cantwell-Jones") == ["maria", "cantwelljones"]
    assert PROPER.words_of_person("Walgreens Boots") == []


# strong words


@pytest.mark.parametrize(
    ("name", "strong"),
    [
        ("The Netflix Inc.", ["netflix"]),
        ("Netflix Holdings Ltd.", ["netflix"]),
        ("Bank of England", ["bank", "england"]),
        ("Procter & Gamble", ["procter", "gamble"]),
        ("Procter and Gamble Company", ["procter", "gamble"]),
        ("Mr. Nigel Farage", ["nigel", "farage"]),
        ("Major Lazer", ["major", "lazer"]),  # a title that may be a part of the name
        ("The", ["the"]),
        ("Inc.", ["inc"]),
        ("Limited Inc", ["limited", "inc"]),  # else nothing would be left
        ("", []),
    ],
)
def test_strong_words(name: str, strong: list[str]) -> None:
    assert list(PROPER.strong_words(normalize(name).split())) == strong


def test_function_words_are_those_of_the_languages_of_the_kb() -> None:
    german = NameAnalysis(("de",), False, 0.0, 0.0, 0.2)
    assert list(german.strong_words("amt fur umwelt und bau".split())) == ["amt", "umwelt", "bau"]
    assert list(PROPER.strong_words("amt fur umwelt und bau".split())) == "amt fur umwelt und bau".split()
    assert list(german.strong_words("bank of england".split())) == ["bank", "england"]  # English names are everywhere


# cores


@pytest.mark.parametrize(
    ("forms", "analysis"),
    [
        (["Netflix, Inc.", "The Netflix Corp.", "Netflix", "Netflix's", "NETFLIX Holdings Ltd", "Netflix (company)"], PROPER),
        (["Procter & Gamble", "Procter and Gamble", "procter and gamble Co."], PROPER),
        (["Saint-Étienne", "St. Etienne", "St Étienne"], PROPER),
        (["Henry VIII", "Henry 8"], PROPER),
        (["supply chains", "Supply chain", "the supply chain"], COMMON),
        (["tumour", "Tumors", "tumor"], COMMON),
        (["programme d'études", "Programmes d\u2019étude"], FRENCH),
    ],
)
def test_forms_of_one_name_share_a_core(forms: list[str], analysis: NameAnalysis) -> None:
    cores = [analysis.cores(form) for form in forms]
    assert set.intersection(*cores), cores


@pytest.mark.parametrize(
    ("one", "other", "analysis"),
    [
        ("Netflix, Inc.", "Netmix, Inc.", PROPER),
        ("issuer", "issuers", PROPER),  # names of companies and persons have no plural
        ("Bank of England", "Bank", PROPER),
        ("Holdings Inc", "Group Ltd", PROPER),
        ("Lehre", "Lehrer", COMMON),
    ],
)
def test_forms_of_different_names_share_none(one: str, other: str, analysis: NameAnalysis) -> None:
    assert not analysis.cores(one) & analysis.cores(other)


def test_a_form_has_a_core_in_each_language_of_the_kb_or_in_its_own() -> None:
    assert COMMON.cores("Löhne", "de") & COMMON.cores("Lohn", "de")
    assert COMMON.cores("Löhne") == COMMON.cores("Löhne", "de") | COMMON.cores("Löhne", "en")
    assert COMMON.cores("Löhne", "xx") == COMMON.cores("Löhne")  # a language that the KB has not got


def test_names_of_the_kb_have_more_cores() -> None:
    assert "severeintellectualdisability" in PROPER.name_cores("Intellectual disability, severe", "en")
    assert "cantwellmaria" in PROPER.name_cores("Maria Cantwell", "en")
    assert "netflix" in PROPER.name_cores("Netflix, Inc.", "en")
    assert PROPER.name_cores("Apple Inc.", "en") == {"apple"}
    assert PROPER.name_cores("The Who", "en") == set()  # a common word with nothing but an article


FORMS = st.one_of(st.sampled_from([*COMPANIES, *PLACES, "the Netflix", "Netflix's", "Université d'Été"]), st.text(max_size=20))


@given(st.lists(FORMS, max_size=8))
def test_forms_whose_core_differs_are_among_those_that_may_have_one(forms: list[str]) -> None:
    may = set(PROPER.with_cores(forms))
    for number, form in enumerate(forms):
        assert number in may or PROPER.cores(form) == {normalize(form).replace(" ", "")}


@given(st.text(max_size=30))
def test_any_string_has_cores(name: str) -> None:
    for analysis in (PROPER, COMMON, FRENCH):
        assert analysis.cores(name) == analysis.cores(name)
        for core in analysis.name_cores(name, "en"):
            assert " " not in core


# common words


def test_common_words_are_known_in_their_forms() -> None:
    assert all(map(is_common, ["march", "reading", "invention", "inventions", "who", "nicht", "restlessness", "the"]))
    assert not any(map(is_common, ["netflix", "cantwell", "farage", "paris", "london", "smith", "xyzzy", ""]))

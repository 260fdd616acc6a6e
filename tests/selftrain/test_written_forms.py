"""Forms in which people write names: each operation, where it applies, and that all are as likely."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from helpers.form_kgs import COMPANIES, PERSONS
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.names.weak_words import is_common
from eigenthemes.selftrain import written_forms
from eigenthemes.selftrain.written_forms import WrittenForms, other_number
from eigenthemes.text.normalize import normalize


def forms(*, companies: float = 0.0, persons: float = 0.0, common_nouns: bool = False, seed: int = 1) -> WrittenForms:
    """The forms of a KB of which this is known."""
    described = {"languages": ["en", "de"], "inflects": common_nouns, "companies": companies, "persons": persons, "common": 0.2}
    kb: KB = SimpleNamespace(manifest={"names": described})  # type: ignore[assignment]
    return WrittenForms(kb, np.random.default_rng(seed), common_nouns=common_nouns)


def written(of: WrittenForms, operation: str, name: str, language: str = "en") -> set[str]:
    """All that an operation writes in a hundred draws."""
    return {form for _ in range(100) for form in getattr(of, operation)(name, language)}


@pytest.mark.parametrize(
    ("operation", "name", "expected"),
    [
        ("_article", "Netflix", {"the Netflix", "The Netflix", "a Netflix"}),
        ("_article", "The Who", {"a The Who"}),
        ("_case", "Saint-Étienne", {"SAINT-ÉTIENNE", "saint-étienne"}),
        ("_case", "東京", set()),
        ("_accents", "Saint-Étienne", {"Saint-Etienne"}),
        ("_accents", "Netflix", set()),
        ("_and", "Procter & Gamble", {"Procter and Gamble"}),
        ("_and", "Marks and Spencer", {"Marks & Spencer"}),
        ("_and", "Netflix", set()),
        ("_hyphen", "Bristol-Myers Squibb", {"Bristol Myers Squibb"}),
        ("_hyphen", "supply chain", {"supply-chain"}),
        ("_hyphen", "a b c", set()),
        ("_turned", "Disability, severe", {"severe Disability"}),
        ("_turned", "Netflix, Inc.", set()),
        ("_without_legal_form", "Netflix, Inc.", {"Netflix"}),
        ("_without_legal_form", "Vodafone Group plc", {"Vodafone"}),
        ("_without_legal_form", "Netflix", set()),
        ("_last_name", "Maria Cantwell", {"Cantwell"}),
        ("_last_name", "Springfield Town Hall", set()),  # no given name
        ("_initial", "Maria Cantwell", {"M. Cantwell"}),
        ("_last_name_first", "Maria Cantwell", {"Cantwell, Maria"}),
        ("_last_name_first", "Dr. Maria Cantwell", {"Cantwell, Maria"}),
        ("_last_name", "Maria Cantwell Inc.", set()),
        ("_last_name", "Maria", set()),
    ],
)
def test_what_operations_write(operation: str, name: str, expected: set[str]) -> None:
    assert written(forms(companies=0.3, persons=0.3), operation, name) == expected


def test_titles_and_legal_forms_are_drawn_from_lists() -> None:
    of = forms(companies=0.3, persons=0.3)
    assert {"Mr. Cantwell", "Sen. Cantwell", "Frau Cantwell"} < written(of, "_title_and_last_name", "Maria Cantwell")
    assert {"Sen. Maria Cantwell", "Mme Maria Cantwell"} < written(of, "_title", "Maria Cantwell")
    assert {"Netflix, Corp.", "Netflix, GmbH"} < written(of, "_other_legal_form", "Netflix, Inc.")
    assert "Netflix, Inc." not in written(of, "_other_legal_form", "Netflix, Inc.")
    assert {"Netflix Inc.", "Netflix, Ltd."} < written(of, "_other_legal_form", "Netflix")


def test_articles_and_endings_are_those_of_the_language() -> None:
    of = forms(common_nouns=True)
    assert written(of, "_article", "Lohn", "de") == {"der Lohn", "die Lohn", "das Lohn", "Die Lohn"}
    assert written(of, "_other_form", "Lohn", "de") == {"Lohne", "Lohnen", "Lohnn", "Lohns", "Lohner", "Lohnes"}
    assert written(of, "_other_form", "supply chain", "en") == {"supply chains"}
    assert written(forms(), "_other_form", "Netflix", "en") == {"Netflix's"}
    assert written(forms(), "_other_form", "Netflix (company)", "en") == set()


@given(st.sampled_from(["Convention", "Netflix Originals", "Restlessness", "Palantir Technologies"]), st.integers(0, 99))
def test_a_typo_is_one_slip_inside_a_long_word_and_makes_no_other_word(name: str, seed: int) -> None:
    for form in forms(seed=seed)._typo(name, "en"):
        assert form != name
        assert len(form) in (len(name), len(name) - 1)
        assert form[0] == name[0]
        changed = [word for word in form.split() if word not in name.split()]
        assert len(changed) == 1
        assert not is_common(normalize(changed[0]))


def test_short_words_get_no_typo() -> None:
    assert written(forms(), "_typo", "Iowa USA") == set()


def test_operations_of_companies_and_persons_need_such_names() -> None:
    usual = {operation.__name__ for operation in forms().operations}
    companies = {operation.__name__ for operation in forms(companies=0.1).operations} - usual
    persons = {operation.__name__ for operation in forms(persons=0.1).operations} - usual
    assert companies == {"_without_legal_form", "_other_legal_form"}
    assert persons == {"_last_name", "_title", "_title_and_last_name", "_initial", "_last_name_first"}
    assert {operation.__name__ for operation in forms(companies=0.09, persons=0.09).operations} == usual


def test_every_operation_that_applies_is_as_likely() -> None:
    of = forms(companies=0.3)
    name = "Walgreens & Boots, Inc."
    applying = [operation for operation in of.operations if list(operation(name, "en"))]
    counts = Counter(of.form(name, "en") for _ in range(4000))
    without, ampersand = counts["Walgreens & Boots"], counts["Walgreens and Boots, Inc."]
    expected = 4000 / len(applying)
    assert 0.8 * expected < without < 1.2 * expected
    assert 0.8 * expected < ampersand < 1.2 * expected


def test_one_operation_for_all_names_of_a_column_or_another_where_it_does_not_apply() -> None:
    of = forms(companies=0.3)
    assert {of.form(name, "en", of._without_legal_form) for name in COMPANIES[:2]} == {"Netflix", "Procter & Gamble"}
    assert of.form("Netflix", "en", of._without_legal_form) != "Netflix"
    assert of.any_operation() in of.operations


def test_a_name_that_nothing_applies_to_stays() -> None:
    of = forms()
    of.operations = [of._and, of._typo]
    assert of.form("東京", "en") == "東京"


NAMES = st.one_of(st.sampled_from([*COMPANIES, *PERSONS, "Lohn", "東京", "-", "&", ","]), st.text(max_size=20))


@given(NAMES, st.integers(0, 20))
def test_any_name_is_written_in_some_form_the_same_for_the_same_seed(name: str, seed: int) -> None:
    languages = ("en", "de", "fr", "es", "tr", "xx", "")
    one, other = (forms(companies=0.3, persons=0.5, common_nouns=seed % 2 == 0, seed=seed) for _ in range(2))
    assert [one.form(name, language) for language in languages] == [other.form(name, language) for language in languages]


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("issuer", "issuers"), ("issuers", "issuer"), ("subsidy", "subsidies"), ("subsidies", "subsidy"), ("tax", "taxes"),
        ("church", "churches"), ("day", "days"), ("virus", "virus"), ("mass", "mass"), ("TGF1", "TGF1"), ("gas", "gas"),
    ],
)  # fmt: skip
def test_the_other_number_of_an_english_name(name: str, other: str) -> None:
    assert other_number(name) == other


def test_legal_forms_at_the_end_are_no_part_of_the_base() -> None:
    assert written_forms._base("Vodafone Group plc") == "Vodafone"
    assert written_forms._base("Inc.") == "Inc."
    assert written_forms._base("Limited Brands") == "Limited Brands"

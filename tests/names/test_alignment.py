"""How a form differs from the names of an entity: facts on small KBs, and the same in plain Python and compiled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.form_kgs import COMPANIES, PERSONS, PLACES, build_concepts, build_proper_names
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from eigenthemes import KB, build_kb
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.names import alignment
from eigenthemes.names.alignment import COLUMNS, align, names_and_tokens
from eigenthemes.names.token_model import Forms, TokenModel, analyse
from eigenthemes.text.normalize import normalize


@pytest.fixture(scope="module")
def proper(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return build_proper_names(tmp_path_factory.mktemp("proper"), train=False, others=300)


@pytest.fixture(scope="module")
def concepts(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return build_concepts(tmp_path_factory.mktemp("concepts"), train=False)


def forms_of(kb: KB, forms: list[str]) -> Forms:
    normalized = [normalize(form) for form in forms]
    words = [form.split() for form in normalized]
    token = kb.name_index.token_table.find_all(hash_strings(Strings.of(word for of_form in words for word in of_form)))
    indptr = np.concatenate(([0], np.cumsum([len(of_form) for of_form in words]))).astype(np.int64)
    return analyse(normalized.__getitem__, indptr, token.astype(np.int64), kb.cached(TokenModel.of))


def aligned(kb: KB, forms: list[str], entities: list[str], *, compiled: bool = False) -> NDArray[np.float32]:
    """Align each form with all the entities: [forms * entities, columns]."""
    rows = [kb.index_of(f"http://x.org/{each}") for each in entities]
    entity = np.array(rows * len(forms), dtype=np.int64)
    bounds = np.arange(len(forms) + 1) * len(entities)
    run = align if compiled else align.plain
    return np.asarray(
        run(forms_of(kb, forms).arrays, bounds, entity, np.zeros(len(entity), bool), *names_and_tokens(kb)), np.float32
    )


def columns(kb: KB, form: str, entity: str) -> dict[str, float]:
    return dict(zip(COLUMNS, aligned(kb, [form], [entity])[0].tolist(), strict=True))


def coverage(kb: KB, form: str, entity: str) -> float:
    return columns(kb, form, entity)["coverage"]


@pytest.mark.parametrize(
    ("form", "entity", "least"),
    [
        ("Netflix, Inc.", "Company0", 1),
        ("Netflix", "Company0", 0.98),
        ("Netflix Corp.", "Company0", 0.95),
        ("Netflix Incorporated", "Company0", 0.9),
        ("Procter and Gamble", "Company1", 0.9),
        ("Nestle", "Company9", 0.9),
        ("Bristol Myers Squibb", "Company8", 0.95),
        ("BristolMyers Squibb Company", "Company8", 0.95),
        ("Mr. Nigel Farage", "Person1", 0.9),
        ("Sen. Maria Cantwell", "Person0", 0.9),
        ("Cantwell, Maria", "Person0", 1),
        ("Palantir Technologis", "Company6", 0.7),
        ("Duesseldorf", "Town5", 0.9),
        ("Saint Etienne", "Town6", 0.95),
        ("St. Etienne", "Town6", 0.9),
    ],
)
def test_what_is_nearly_the_whole_name(proper: KB, form: str, entity: str, least: float) -> None:
    found = columns(proper, form, entity)
    assert found["coverage"] >= least - 1e-6
    assert found["same_name"] == (found["coverage"] >= 0.999)


@pytest.mark.parametrize(
    ("form", "entity", "most"),
    [
        ("Mr. Farage", "Person1", 0.7),  # the first name is missing
        ("N. Farage", "Person1", 0.85),
        ("Mr. Nigel Baker", "Person1", 0.5),
        ("Honeywell Technologies Inc.", "Company6", 0.5),
        ("General Motors", "Company0", 0),
        ("Inc.", "Company0", 0.2),  # a legal form says nothing
        ("the", "Town0", 0),
    ],
)
def test_what_is_not(proper: KB, form: str, entity: str, most: float) -> None:
    assert coverage(proper, form, entity) <= most + 1e-6


def test_a_name_without_its_brackets_is_nearly_whole_however_much_they_hold(tmp_path: Path) -> None:
    names = ("seminar (method)", "seminar room", "lead (a metal of atomic number 82)", "lead poisoning")
    lines = [f':E{number} rdfs:label "{name}" ; :near :E{(number + 1) % 4} .\n' for number, name in enumerate(names)]
    (tmp_path / "kg.ttl").write_text(
        "@prefix : <http://x.org/> .\n@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .\n" + "".join(lines),
        encoding="utf-8",
    )
    kb = build_kb([tmp_path / "kg.ttl"], tmp_path / "my.kb", train=False)
    for form, entity in (("seminar", "E0"), ("lead", "E2")):
        found = columns(kb, form, entity)
        assert found["name_coverage"] == pytest.approx(0.97, abs=0.001)
        assert found["missing"] == found["same_name"] == 0
    assert coverage(kb, "Seminars", "E0") > 0.9
    assert coverage(kb, "seminar method", "E0") == pytest.approx(1, abs=0.001)
    assert coverage(kb, "seminar", "E1") < 0.8


def test_a_part_of_a_name_lacks_the_rest(proper: KB) -> None:
    part, full = columns(proper, "Mr. Farage", "Person1"), columns(proper, "Nigel Farage", "Person1")
    assert part["missing"] > 0 == full["missing"]
    assert part["form_coverage"] > 0.9 > part["name_coverage"]
    more = columns(proper, "Nigel Farage Springfield", "Person1")
    assert more["extra"] > 0 == full["extra"]
    assert more["name_coverage"] > 0.99 > more["form_coverage"]


def test_how_words_stand_for_each_other_is_counted(proper: KB, concepts: KB) -> None:
    assert columns(proper, "N. Farage", "Person1")["initial"] == 1
    assert columns(proper, "Farage, Nigel", "Person1")["reordered"] == 1
    assert columns(proper, "Nigel Fraage", "Person1")["misspelled"] == 1
    assert columns(concepts, "supply chains", "C2")["inflected"] == 1
    plain = columns(proper, "Nigel Farage", "Person1")
    assert not any(
        plain[column] for column in ("initial", "reordered", "misspelled", "inflected", "missing", "extra", "weaker")
    )


@pytest.mark.parametrize(
    ("form", "entity", "least"),
    [
        ("issuers", "C0", 0.9),
        ("Löhne", "C1", 0.9),
        ("supply chains", "C2", 0.9),
        ("Supply Chain", "C2", 1),
        ("Sparkassen", "C4", 0.9),
        ("der öffentlichen Verwaltung", "C5", 0.9),
        ("labor market", "C11", 0.9),
        ("consumer behavior", "C13", 0.9),
        ("Aussenhandel", "C14", 0.9),
    ],
)
def test_other_forms_of_words_in_each_language_of_the_kb(concepts: KB, form: str, entity: str, least: float) -> None:
    assert coverage(concepts, form, entity) >= least


@pytest.mark.parametrize("word", ["subside", "wager", "mortgages", "craft", "Lohe", "Infection"])
def test_a_typo_never_turns_one_word_into_another(concepts: KB, word: str) -> None:
    """Neither a common word nor a word of the KB is a misspelled one."""
    found = aligned(concepts, [word], [f"C{i}" for i in range(16)])
    assert not found[:, alignment.MISSPELLED].any()


def test_a_typo_needs_a_long_word_and_its_first_letter(concepts: KB) -> None:
    assert coverage(concepts, "infaltion", "C12") >= 0.6
    assert coverage(concepts, "onflation", "C12") == 0
    assert coverage(concepts, "wqge", "C1") == 0


def test_candidates_that_fit_much_worse_than_the_best_are_marked(proper: KB) -> None:
    found = aligned(proper, ["Mr. Nigel Farage"], ["Person1", "Person0", "Town0"])
    assert found[:, alignment.WEAKER].tolist() == [0, 1, 1]
    alone = aligned(proper, ["Farage"], ["Person1"])
    assert alone[:, alignment.WEAKER].tolist() == [0]


def test_an_entity_that_is_known_to_have_the_name_is_not_compared(proper: KB) -> None:
    forms = forms_of(proper, ["anything at all"])
    found = align.plain(forms.arrays, np.array([0, 1]), np.array([0]), np.ones(1, bool), *names_and_tokens(proper))[0]
    full = [alignment.NAME_COVERAGE, alignment.FORM_COVERAGE, alignment.COVERAGE, alignment.SAME_NAME]
    assert np.flatnonzero(found).tolist() == full
    assert (found[full] == 1).all()


WORDS = st.sampled_from(
    [*" ".join([*COMPANIES, *PERSONS, *PLACES]).split(), "the", "Mr.", "Sen.", "and", "Corp.", "N.", "Farge", "Technologis",
     "Palantirtechnologies", "Saint", "Etienne", "of", "Zürich", "東京", "\ud800", "x" * 80]
)  # fmt: skip
TEXTS = st.one_of(st.lists(WORDS, min_size=1, max_size=20).map(" ".join), st.text(min_size=1, max_size=20))
ANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
ENTITIES = ["Company0", "Company6", "Company8", "Person0", "Person1", "Town5", "Town6"]


@ANY
@given(forms=st.lists(TEXTS, min_size=1, max_size=4))
def test_coverages_are_shares_and_both_ways_give_the_same(proper: KB, forms: list[str]) -> None:
    plain = aligned(proper, forms, ENTITIES)
    assert plain == pytest.approx(aligned(proper, forms, ENTITIES, compiled=True), abs=1e-6)
    shares = plain[:, [alignment.NAME_COVERAGE, alignment.FORM_COVERAGE, alignment.COVERAGE]]
    assert shares.min() >= 0
    assert shares.max() <= 1
    assert plain.min() >= 0
    assert np.isfinite(plain).all()


NAMED = [
    (kind, i, name)
    for kind, names in (("Company", COMPANIES), ("Person", PERSONS), ("Town", PLACES))
    for i, name in enumerate(names)
]


@pytest.mark.parametrize(("kind", "number", "name"), NAMED)
def test_a_name_aligned_with_itself_is_the_same(proper: KB, kind: str, number: int, name: str) -> None:
    for form in (name, name.upper(), name.lower()):
        found = columns(proper, form, f"{kind}{number}")
        assert found["coverage"] == pytest.approx(1, abs=1e-6)
        assert found["same_name"] == 1
        assert (found["missing"], found["extra"]) == pytest.approx((0, 0), abs=1e-5)

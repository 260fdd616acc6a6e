"""Names as people write them are understood alike in texts, as mentions, in cells and in reconciliation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import pytest
from helpers.form_kgs import COMPANIES, CONCEPTS, PERSONS, PLACES, build_concepts, build_proper_names
from helpers.kbs import build_untrained, write_sources
from helpers.shared_builds import build_once

from eigenthemes import KB, Linker
from eigenthemes.records import Table
from eigenthemes.service.reconcile.queries import parse_batch
from eigenthemes.service.reconcile.reconciler import Reconciler

Names = list[tuple[str, str]]  # the last part of an id, and how the entity is called

LEGAL = {"Inc.": "Corp.", "Company": "Co.", "AG": "GmbH", "plc": "Ltd.", "S.A.": "AG", "Corporation": "Corp."}
GERMAN_PLURALS = {
    "Lohn": "Löhne", "Emittent": "Emittenten", "Hypothek": "Hypotheken", "Sparkasse": "Sparkassen",
    "Lieferkette": "Lieferketten", "Wechselkurs": "Wechselkurse", "Subvention": "Subventionen",
    "Arbeitsmarkt": "Arbeitsmärkte", "öffentliche Verwaltung": "öffentlichen Verwaltungen",
}  # fmt: skip
ENGLISH_PLURALS = {
    "issuer": "issuers", "wage": "wages", "supply chain": "supply chains", "mortgage": "mortgages",
    "savings bank": "savings banks", "exchange rate": "exchange rates", "subsidy": "subsidies", "craft trade": "craft trades",
    "labour market": "labor markets", "consumer behaviour": "consumer behavior",
}  # fmt: skip
TYPOS = {
    "Palantir Technologies Inc.": "Palantir Technolgies Inc.", "Honeywell International Inc.": "Honeywel International",
    "Michael Heseltine": "Michael Heselitne", "Robert Menendez": "Robert Menedez", "Wolverhampton": "Wolverhamptn",
}  # fmt: skip
MISSPELLED_CONCEPTS = {"environmental pollution": "enviromental pollution", "Umweltverschmutzung": "Umweltverschmuzung",
                       "unemployment": "unemploymnet"}  # fmt: skip


def without_legal_form(name: str) -> str:
    return " ".join(word for word in name.split() if word not in LEGAL and word != "Group").rstrip(",")


def other_legal_form(name: str) -> str:
    head, _, last = name.rpartition(" ")
    return f"{head} {LEGAL[last]}"


def numbered(kind: str, names: Iterable[str], change: Callable[[str], str | None]) -> Names:
    """The names of a kind in another form, where they have one."""
    return [(f"{kind}{number}", form) for number, name in enumerate(names) if (form := change(name))]


ENGLISH, GERMAN = [english for english, _ in CONCEPTS], [german for _, german in CONCEPTS]
COMPANY_FORMS: dict[str, Callable[[str], str | None]] = {
    "exact": str,
    "without legal form": without_legal_form,
    "other legal form": other_legal_form,
    "the ...": lambda name: f"the {without_legal_form(name)}",
    "capitals": str.upper,
    "lower case": str.lower,
    "& / and": lambda name: name.replace(" & ", " and ") if "&" in name else None,
    "typo": TYPOS.get,
    "no accents": lambda name: name.replace("é", "e") if "é" in name else None,
    "hyphen": lambda name: name.replace("-", " ") if "-" in name else None,
}
PERSON_FORMS: dict[str, Callable[[str], str | None]] = {
    "exact": str,
    "title": lambda name: f"Sen. {name}",
    "title and last name": lambda name: f"Mr. {name.split()[-1]}",
    "initial": lambda name: f"{name[0]}. {name.split()[-1]}",
    "last name first": lambda name: ", ".join(reversed(name.split())),
    "possessive": lambda name: f"{name}'s",
    "lower case": str.lower,
    "typo": TYPOS.get,
}
FORMS: dict[str, Names] = {
    **{f"company, {form}": numbered("Company", COMPANIES, change) for form, change in COMPANY_FORMS.items()},
    **{f"person, {form}": numbered("Person", PERSONS, change) for form, change in PERSON_FORMS.items()},
    "town, exact": numbered("Town", PLACES, str),
    "town, other spelling": [("Town5", "Duesseldorf"), ("Town6", "St. Etienne"), ("Town7", "Kingston-upon-Hull")],
    **{
        f"concept, {form}": numbered("C", names, change)
        for form, names, change in (
            ("en", ENGLISH, str),
            ("de", GERMAN, str),
            ("capital", ENGLISH, str.capitalize),
            ("Title Case", ENGLISH, str.title),
            ("plural en", ENGLISH, ENGLISH_PLURALS.get),
            ("plural de", GERMAN, GERMAN_PLURALS.get),
            ("the ...", ENGLISH, lambda name: f"the {name}"),
            ("typo en", ENGLISH, MISSPELLED_CONCEPTS.get),
            ("typo de", GERMAN, MISSPELLED_CONCEPTS.get),
        )
    },
}


def proper_names(folder: Path) -> KB:
    return build_proper_names(folder, train=True)


def concepts(folder: Path) -> KB:
    return build_concepts(folder, train=True)


@pytest.fixture(scope="module")
def linkers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Linker]:
    """A linker for each KG."""
    proper, common = (build_once(tmp_path_factory, each.__name__, each) / "my.kb" for each in (proper_names, concepts))
    return {"proper": Linker(proper), "common": Linker(common)}


def in_texts(linker: Linker, names: list[str]) -> list[str | None]:
    documents = [{"text": f"Yesterday we read about {name} in the office."} for name in names]
    return [document.links[0].entity if document.links else None for document in linker.link_batch(documents)]


def in_a_list(linker: Linker, names: list[str]) -> list[str | None]:
    documents = [{"text": f"Keywords: {name}"} for name in names]
    return [document.links[0].entity if document.links else None for document in linker.link_batch(documents)]


def as_mentions(linker: Linker, names: list[str]) -> list[str | None]:
    return [linker.link({"mentions": [{"text": name}]}).links[0].entity for name in names]


def in_cells(linker: Linker, names: list[str]) -> list[str | None]:
    linked = linker.link_table(Table(("name",), tuple((name,) for name in names)), columns=["name"])
    return [link.entity for link in linked.links]


def reconciled(linker: Linker, names: list[str]) -> list[str | None]:
    answers = Reconciler(linker).answer(parse_batch({f"q{number}": {"query": name} for number, name in enumerate(names)}))
    results = [answers[f"q{number}"]["result"] for number in range(len(names))]
    return [result[0]["id"] if result and result[0]["match"] else None for result in results]


INTERFACES = {"text": in_texts, "list": in_a_list, "mention": as_mentions, "cell": in_cells, "reconcile": reconciled}


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("form", FORMS)
def test_names_in_other_forms(linkers: dict[str, Linker], form: str, interface: str) -> None:
    linker = linkers["common" if form.startswith("concept") else "proper"]
    entities, names = zip(*FORMS[form], strict=True)
    found = INTERFACES[interface](linker, list(names))
    wrong = {
        name: entity
        for expected, name, entity in zip(entities, names, found, strict=True)
        if entity != f"http://x.org/{expected}"
    }
    assert not wrong


FOREIGN = [
    "Xiaomi Corporation", "Garmin Ltd.", "Angela Merkel", "Emmanuel Macron", "Reykjavik", "Montevideo", "photosynthesis",
    "plate tectonics", "Quantenmechanik", "Invention", "Restlessness", "march",
]  # fmt: skip


@pytest.mark.parametrize("interface", INTERFACES)
@pytest.mark.parametrize("kg", ["proper", "common"])
def test_names_of_other_kgs_are_not_linked(linkers: dict[str, Linker], kg: str, interface: str) -> None:
    found = INTERFACES[interface](linkers[kg], FOREIGN)
    assert {name: entity for name, entity in zip(FOREIGN, found, strict=True) if entity} == {}


def test_a_form_is_judged_alike_in_every_interface(linkers: dict[str, Linker]) -> None:
    """The probability of one name differs by at most a tenth."""
    for kg, name in (("proper", "Netflix"), ("proper", "Maria Cantwell"), ("common", "supply chains"), ("common", "Löhne")):
        linker = linkers[kg]
        table = Table(("name",), ((name,),))
        links = [
            linker.link({"mentions": [{"text": name}]}).links[0],
            linker.link(f"Yesterday we read about {name} in the office.").links[0],
            linker.link_table(table, columns=["name"]).links[0],
        ]
        probabilities = [link.probability or 0 for link in links]
        score = Reconciler(linker).answer(parse_batch({"q0": {"query": name}}))["q0"]["result"][0]["score"] / 100
        assert max(*probabilities, score) - min(*probabilities, score) <= 0.1, (name, probabilities, score)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("separator", ["; ", ", ", " | ", "\n- "])
def test_a_list_of_keywords_has_the_answers_of_given_mentions(linkers: dict[str, Linker], form: str, separator: str) -> None:
    linker = linkers["common" if form.startswith("concept") else "proper"]
    names = [name for _, name in FORMS[form] if separator.strip() not in name][:3]
    given = linker.link({"mentions": [{"text": name} for name in names]}).links
    head = "Keywords\n- " if "-" in separator else "Keywords: "
    listed = linker.link(head + separator.join(names)).links
    assert [link.entity for link in listed] == [link.entity for link in given]


@pytest.mark.parametrize(("kg", "form"), [("proper", "company, without legal form"), ("common", "concept, plural de")])
def test_a_column_of_names_in_another_form_is_chosen(linkers: dict[str, Linker], kg: str, form: str) -> None:
    """Without a list of columns, "Netflix" counts as a name as "Netflix, Inc." does."""
    table = Table(("number", "name"), tuple((str(number), name) for number, (_, name) in enumerate(FORMS[form])))
    assert linkers[kg].link_table(table).columns == (1,)


def test_a_short_name_is_found_where_the_whole_name_is(linkers: dict[str, Linker]) -> None:
    linked = linkers["proper"].link("Netflix, Inc. was founded in 1997. In 2007 Netflix began to stream.")
    assert [(link.mention.text, link.entity) for link in linked.links] == [
        ("Netflix, Inc.", "http://x.org/Company0"),
        ("Netflix", "http://x.org/Company0"),
    ]


@pytest.mark.parametrize("interface", ["mention", "cell"])
def test_articles_and_function_words_alone_are_no_names(tmp_path: Path, interface: str) -> None:
    nodes = [{"id": "b", "name": "The Big Cheese"}, {"id": "w", "name": "The White Clover Markets"}, {"id": "a", "name": "Of"}]
    kb = build_untrained(write_sources(tmp_path / "sources", nodes, [("b", "w"), ("w", "a")]), tmp_path / "my.kb")
    assert INTERFACES[interface](Linker(kb, method="degree"), ["The", "of the", "Of"]) == [None, None, "a"]


@pytest.mark.parametrize("text", ["hi tom, the netflix bill is here", "Hi Tom, the netflix bill is here"])
def test_an_uncommon_word_in_lower_case_is_found(linkers: dict[str, Linker], text: str) -> None:
    """One capital elsewhere in the text changes nothing."""
    assert [link.entity for link in linkers["proper"].link(text).links] == ["http://x.org/Company0"]

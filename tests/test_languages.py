"""One KG with names in many languages: text in each is linked, and answers come in the language that is asked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.commands import call, json_output
from helpers.kbs import build_untrained
from helpers.many_languages import BASE, TEXTS, build_many_languages, names_in
from helpers.shared_builds import build_once

from eigenthemes import KB, Linker, OptionError


@pytest.fixture(scope="session")
def places(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return KB.open(build_once(tmp_path_factory, "many-languages", build_many_languages) / "places.kb")


@pytest.fixture(scope="session")
def linker(places: KB) -> Linker:
    return Linker(places, method="degree")


def found(linker: Linker, text: str) -> list[tuple[str, str]]:
    return [(link.mention.text, (link.entity or "").removeprefix(BASE)) for link in linker.link(text).links]


@pytest.mark.parametrize("language", TEXTS)
def test_names_are_found_and_linked_in_each_language(linker: Linker, language: str) -> None:
    text, expected = TEXTS[language]
    assert found(linker, text) == expected


@pytest.mark.parametrize("method", ["eigen", "prior-name"])
def test_by_other_methods_too(places: KB, method: str) -> None:
    linker = Linker(places, method=method)
    for text, expected in TEXTS.values():
        assert found(linker, text) == expected


@pytest.mark.parametrize(
    ("text", "entity"),
    [
        ("ISPARTA", "isparta"),  # Turkish: I is the capital of ı, İ of i
        ("ısparta", "isparta"),
        ("İSTANBUL", "istanbul"),
        ("istanbul", "istanbul"),
        ("ISTANBUL", "istanbul"),
        ("MISIR", "egypt"),
        ("mısır", "egypt"),
        ("MÜNCHEN", "munich"),
        ("Mu\u0308nchen", "munich"),  # the dots as a letter of their own
        ("LE CAIRE", "cairo"),
        ("フランス", "france"),
        ("ﾌﾗﾝｽ", "france"),  # narrow letters
        ("फ़्रान्स", "france"),
    ],
)
def test_spellings(linker: Linker, text: str, entity: str) -> None:
    (link,) = linker.link({"mentions": [{"text": text}]}).links
    assert link.entity == BASE + entity


def test_turkish_endings(linker: Linker) -> None:
    expected = [("İstanbul", "istanbul"), ("Mısır", "egypt"), ("Isparta", "isparta")]
    assert found(linker, "Bugün İstanbul'dan Mısır'a, yarın Isparta'ya.") == expected


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("tr", "Ülkenin kütüphaneleri ve halk sağlığının önemi", [("kütüphaneleri", "library"), ("halk sağlığının", "health")]),
        ("tr", "KÜTÜPHANEDE bir kitabı okudu", [("KÜTÜPHANEDE", "library"), ("kitabı", "book")]),
        ("es", "Las bibliotecas y libros de salud", [("bibliotecas", "library"), ("libros", "book")]),
        ("fr", "Il a pris le bus", []),
        ("fr", "Les prix du bus", [("prix", "price")]),
    ],
)  # fmt: skip
def test_inflected_names_of_a_thesaurus(
    tmp_path: Path, quick_disk: None, language: str, text: str, expected: list[tuple[str, str]]
) -> None:
    names = {
        "tr": {"library": "kütüphane", "book": "kitap", "health": "halk sağlığı", "price": "fiyat", "school": "ilk okul"},
        "es": {
            "library": "biblioteca",
            "book": "libro",
            "health": "salud pública",
            "price": "precio",
            "school": "escuela rural",
        },
        "fr": {
            "library": "bibliothèque",
            "book": "livre",
            "health": "santé publique",
            "price": "prix",
            "school": "école rurale",
        },
    }[language]
    source, label = tmp_path / "kg.nt", "<http://www.w3.org/2000/01/rdf-schema#label>"
    source.write_text("".join(f'<{BASE}{name}> {label} "{each}"@{language} .\n' for name, each in names.items()))
    kb = build_untrained([source], tmp_path / "x.kb", embedding=None)
    assert found(Linker(kb, method="degree"), text) == expected
    assert found(Linker(kb, method="degree", language=language), text) == expected


# labels


@pytest.mark.parametrize("language", TEXTS)
def test_answers_in_the_language_that_is_asked_for(places: KB, language: str) -> None:
    names = names_in(language)
    for text, _ in TEXTS.values():
        for link in Linker(places, method="degree", label_lang=language, top=5).link(text).links:
            assert link.label == names[str(link.entity)]
            assert all(candidate.label == names[candidate.id] for candidate in link.ranking)


def test_the_command(places: KB, tmp_path: Path) -> None:
    text, _ = TEXTS["zh"]
    options = ("--method", "degree", "--label-lang", "de")
    (document,) = json_output(call("link", places.path, "-", *options, stdin=text))
    assert [mention["label"] for mention in document["mentions"]] == ["Peking", "Tokio", "Frankreich", "Paris"]
    path = tmp_path / "lines"
    path.write_text(f"{text}\n" * 70)
    both = [call("link", places.path, path, *options, "--per-line", "--jobs", jobs).stdout for jobs in (1, 2)]
    assert both[0] == both[1]
    assert both[0].count('"label":"Tokio"') == 2 * 70  # of the link, and in its ranking


def test_a_linker_keeps_its_language_in_another_process(places: KB) -> None:
    import pickle

    linker = pickle.loads(pickle.dumps(Linker(places, method="degree", label_lang="FR")))
    assert linker.link({"mentions": [{"text": "Peking"}]}).links[0].label == "Pékin"


def test_regions_and_entities_without_a_name_in_the_language(tmp_path: Path, quick_disk: None) -> None:
    source = tmp_path / "kg.nt"
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    names = [
        ("a", "Tomato", "en"),
        ("a", "Paradeiser", "de-AT"),
        ("b", "Potato", "en"),
        ("b", "Erdapfel", "de-AT"),
        ("b", "Kartoffel", "de"),
    ]
    source.write_text(
        "".join(f'<{BASE}{name}> {label} "{text}"@{tag} .\n' for name, text, tag in [*names, ("c", "Rice", "en")])
    )
    kb = build_untrained([source], tmp_path / "x.kb", embedding=None)
    document = {"mentions": [{"text": "Tomato"}, {"text": "Potato"}, {"text": "Rice"}]}

    def labels(language: str) -> list[str | None]:
        return [link.label for link in Linker(kb, method="degree", label_lang=language).link(document).links]

    assert labels("de") == ["Paradeiser", "Kartoffel", "Rice"]
    assert labels("de-at") == labels("de_AT") == ["Paradeiser", "Erdapfel", "Rice"]
    with pytest.raises(OptionError, match="the KB has no name in the language 'german'; it has de, de-at, en: choose another"):
        labels("german")


def test_a_label_that_two_languages_share_comes_before_an_alias(tmp_path: Path, quick_disk: None) -> None:
    source = tmp_path / "kg.nt"
    core = "http://www.w3.org/2004/02/skos/core#"
    names = [
        ("prefLabel", "Albert Einstein", "en"), ("prefLabel", "Albert Einstein", "de"), ("prefLabel", "アルベルト", "ja"),
        ("altLabel", "Albert Einstein", "ja"), ("altLabel", "Einstein", "de"), ("altLabel", "A. Einstein", "en"),
    ]  # fmt: skip
    source.write_text("".join(f'<{BASE}a> <{core}{kind}> "{text}"@{tag} .\n' for kind, text, tag in names))
    kb = build_untrained([source], tmp_path / "x.kb", embedding=None)
    for language, label in (("de", "Albert Einstein"), ("en", "Albert Einstein"), ("ja", "アルベルト")):
        (link,) = Linker(kb, method="degree", label_lang=language).link({"mentions": [{"text": "Einstein"}]}).links
        assert link.label == label
    assert [tag for _, tag in kb.names_with_languages(BASE + "a")] == ["en", "ja", "en", "de"]


def test_a_kb_that_knows_no_languages(tiny: KB) -> None:
    with pytest.raises(OptionError, match="no name in the language 'de'; it does not know the languages of its names"):
        Linker(tiny, method="degree", label_lang="de")


PLURALS = {
    "it": {
        "strumento a corda": "strumenti a corda",
        "biblioteca": "biblioteche",
        "uomo politico": "uomini politici",
        "mano": "mani",
    },
    "nl": {"huis": "huizen", "stad": "steden", "kind": "kinderen", "schilderij": "schilderijen"},
    "sv": {"bok": "böcker", "häst": "hästar", "kvinna": "kvinnor", "flygplan": "flygplanen"},
    "de": {"Museum": "Museen", "Komma": "Kommata", "Tochter": "Töchter", "Kaktus": "Kakteen"},
}


@pytest.mark.parametrize("language", PLURALS)
def test_plurals_of_a_thesaurus_are_understood(tmp_path: Path, language: str) -> None:
    """By the dictionary of a language that has no endings in `text.stems`; in German by both."""
    labels = "".join(f'<x:{n}> s:prefLabel "{name}"@{language} .\n' for n, name in enumerate(PLURALS[language]))
    source = tmp_path / "thesaurus.ttl"
    source.write_text(f"@prefix s: <http://www.w3.org/2004/02/skos/core#> .\n{labels}", encoding="utf-8")
    linker = Linker(build_untrained([source], tmp_path / "my.kb", embedding=None), method="degree")
    for number, plural in enumerate(PLURALS[language].values()):
        assert [link.entity for link in linker.link({"mentions": [{"text": plural}]}).links] == [f"x:{number}"], plural
        assert [link.entity for link in linker.link(f"1999: {plural}, 2001").links] == [f"x:{number}"], plural

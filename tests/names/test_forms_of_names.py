"""Names in other forms: inflection in three languages, spelling, possessives, headlines, shared words, compounds."""

from __future__ import annotations

from pathlib import Path

import pytest
from helpers.form_kgs import build_proper_names
from helpers.kbs import build_untrained

from eigenthemes import KB, Linker
from eigenthemes.errors import OptionError
from eigenthemes.names.detector import NameDetector
from eigenthemes.names.generator import CandidateGenerator
from eigenthemes.names.retrieval import MATCH_TYPES, OTHER_FORM
from eigenthemes.records import Document, Mention

_CODES = {word: code for code, word in MATCH_TYPES.items()}
ENGLISH = [
    "Museums", "Hodgkin disease", "Addison's disease", "tumor necrosis factor", "acute leukaemia", "Neutrophil", "blood",
    "breast cancer", "ovarian cancer", "lung cancer", "hepatitis B", "hepatitis C", "hypothyroidism", "hyperthyroidism",
    "NF-kappa B", "TNF", "public health services", "eye", "GLNS", "delayed speech", "C-reactive protein",
]  # fmt: skip
GERMAN = [
    "Haus", "Krankheit", "Öffentliche Verwaltung", "Museum", "Lehre", "Wasserverschmutzung", "Lungenkrankheit", "Herzkrankheit",
    "T-Zelle", "B-Zelle", "Regierung", "Partei", "Stadt",
]  # fmt: skip
FRENCH = [
    "Musées", "Journal", "Bateau", "Affaires publiques", "Droit européen", "Programme d'études", "Industrie minière",
    "Médecine",
]  # fmt: skip


def build(folder: Path, names: list[str], language: str = "") -> KB:
    tag = f"@{language}" if language else ""
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    lines = [f'<http://x.org/{i}> {label} "{name}"{tag} .\n' for i, name in enumerate(names)]
    (folder / "names.nt").write_text("".join(lines), encoding="utf-8")
    return build_untrained([folder / "names.nt"], folder / "my.kb")


@pytest.fixture(scope="module")
def english(tmp_path_factory: pytest.TempPathFactory) -> NameDetector:
    return NameDetector(build(tmp_path_factory.mktemp("english"), ENGLISH))


@pytest.fixture(scope="module")
def german(tmp_path_factory: pytest.TempPathFactory) -> NameDetector:
    return NameDetector(build(tmp_path_factory.mktemp("german"), GERMAN, "de"))


@pytest.fixture(scope="module")
def french(tmp_path_factory: pytest.TempPathFactory) -> NameDetector:
    return NameDetector(build(tmp_path_factory.mktemp("french"), FRENCH, "fr"))


def found(detector: NameDetector, text: str) -> list[tuple[str, str]]:
    """The mentions of a text: as they stand, and the label of the entity whose name fits best."""
    mentions, candidates = detector.detect([Document(text=text)])[0], CandidateGenerator(detector.kb)
    assert all(mention.text == text[mention.start : mention.end] for mention in mentions)
    nearest = [min(candidates.records(mention.name), key=lambda each: _CODES[each.match_type]) for mention in mentions]
    return [(mention.text, each.label) for mention, each in zip(mentions, nearest, strict=True)]


@pytest.fixture(scope="module")
def companies(tmp_path_factory: pytest.TempPathFactory) -> NameDetector:
    return NameDetector(build_proper_names(tmp_path_factory.mktemp("companies"), train=False, others=60))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("in a museum of", [("museum", "Museums")]),
        ("both eyes hurt", [("eyes", "eye")]),
        ("with Hodgkin's disease and", [("Hodgkin's disease", "Hodgkin disease")]),
        ("with Hodgkins disease and", [("Hodgkins disease", "Hodgkin disease")]),
        ("with Addison disease and", [("Addison disease", "Addison's disease")]),
        ("the tumour necrosis factor was", [("tumour necrosis factor", "tumor necrosis factor")]),
        ("an acute leukemia was", [("acute leukemia", "acute leukaemia")]),
        ("a public health service is", [("public health service", "public health services")]),
        ("NEUTROPHILS IN BLOOD", [("NEUTROPHILS", "Neutrophil"), ("BLOOD", "blood")]),
        ("by NF-kB and", [("NF-kB", "NF-kappa B")]),
        ("with anti-TNF and", [("TNF", "TNF")]),
        ("the Gln of it", []),  # GLNS is no plural
        ("of blood. Cancer", [("blood", "blood")]),
    ],
)
def test_english_forms(english: NameDetector, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(english, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("breast and ovarian cancer", [("breast", "breast cancer"), ("ovarian cancer", "ovarian cancer")]),
        (
            "breast, lung, and ovarian cancer",
            [("breast", "breast cancer"), ("lung", "lung cancer"), ("ovarian cancer", "ovarian cancer")],
        ),
        ("in women and ovarian cancer", [("ovarian cancer", "ovarian cancer")]),
        ("breast. And ovarian cancer", [("ovarian cancer", "ovarian cancer")]),
        ("of hepatitis B and C here", [("hepatitis B", "hepatitis B"), ("C", "hepatitis C")]),
        (
            "of hepatitis B and C-reactive protein",
            [("hepatitis B", "hepatitis B"), ("C-reactive protein", "C-reactive protein")],
        ),
        ("hypo- and hyperthyroidism", [("hypo", "hypothyroidism"), ("hyperthyroidism", "hyperthyroidism")]),
        ("pre- and postnatal blood", [("blood", "blood")]),
    ],
)
def test_names_that_share_a_word(english: NameDetector, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(english, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Wegen des Hauses dort", [("Hauses", "Haus")]),
        ("In den Häusern dort", [("Häusern", "Haus")]),
        ("Es gibt Krankheiten dort", [("Krankheiten", "Krankheit")]),
        ("In der öffentlichen Verwaltung", [("öffentlichen Verwaltung", "Öffentliche Verwaltung")]),
        ("Die Museen sind zu", [("Museen", "Museum")]),
        ("Es kam ein Lehrer an", []),  # no form of Lehre
        ("Es sind B- und T-Zellen da", [("B", "B-Zelle"), ("T-Zellen", "T-Zelle")]),
        ("Bei Herz- und Lungenkrankheiten", [("Herz", "Herzkrankheit"), ("Lungenkrankheiten", "Lungenkrankheit")]),
        ("Der Wasserverschmutzungsgrad steigt", [("Wasserverschmutzung", "Wasserverschmutzung")]),
        ("Die Regierungsparteien stritten", [("Regierung", "Regierung"), ("parteien", "Partei")]),
        ("Die Hausaufgaben und Stadtmauern", []),  # one short part says nothing
    ],
)
def test_german_forms(german: NameDetector, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(german, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("dans un musée de", [("musée", "Musées")]),
        ("les journaux sont", [("journaux", "Journal")]),
        ("des bateaux et", [("bateaux", "Bateau")]),
        ("une affaire publique de", [("affaire publique", "Affaires publiques")]),
        ("les droits européens", [("droits européens", "Droit européen")]),
        ("le programme d'étude est", [("programme d'étude", "Programme d'études")]),
        ("l'industrie minière et", [("industrie minière", "Industrie minière")]),
        ("un médecin est", []),  # no form of Médecine
    ],
)
def test_french_forms(french: NameDetector, text: str, expected: list[tuple[str, str]]) -> None:
    assert found(french, text) == expected


def test_the_language_is_given_or_that_of_the_names(tmp_path: Path) -> None:
    kb = build(tmp_path, ["Haus", "Krankheit", "delayed speech", "short stature"])
    german = "Die Häuser sind nicht auf dem Berg und der See ist bei den Bäumen."
    assert found(NameDetector(kb), german) == []  # nothing is guessed about a text
    assert found(NameDetector(kb, language="de-AT"), german) == [("Häuser", "Haus")]
    assert found(NameDetector(kb, language="de-AT"), "Häuser") == [("Häuser", "Haus")]
    assert found(NameDetector(kb, language="en"), german) == []
    with pytest.raises(OptionError, match="the language is 'xx'; expected one of en, de, fr"):
        Linker(kb, language="xx")


def test_names_of_several_languages_are_each_inflected_in_their_own(tmp_path: Path) -> None:
    label = "<http://www.w3.org/2000/01/rdf-schema#label>"
    names = [("house", "Haus"), ("delayed speech", "verzögerte Sprache"), ("short stature", "Kleinwuchs"), ("museum", "Museum")]
    lines = [f'<http://x.org/{i}> {label} "{en}"@en , "{de}"@de .\n' for i, (en, de) in enumerate(names)]
    (tmp_path / "names.ttl").write_text("".join(lines), encoding="utf-8")
    detector = NameDetector(build_untrained([tmp_path / "names.ttl"], tmp_path / "my.kb"))
    assert [each.text for each in detector.detect([Document(text="Zwei Häuser, two houses.")])[0]] == ["Häuser", "houses"]
    assert [each.text for each in detector.detect([Document(text="In den Museen und in the museums")])[0]] == [
        "Museen",
        "museums",
    ]


def test_a_full_name_is_looked_up_written_and_read_again(english: NameDetector) -> None:
    linker = Linker(english.kb, method="namematch")
    linked = linker.link("breast and ovarian cancer")
    assert [(link.mention.text, link.label) for link in linked.links] == [
        ("breast", "breast cancer"),
        ("ovarian cancer", "ovarian cancer"),
    ]
    record = linked.to_dict()
    assert [mention.get("full_name") for mention in record["mentions"]] == ["breast cancer", None]
    assert linker.link(record).to_dict() == record
    assert linker.link({"mentions": [{"text": "blood", "full_name": 7}]}).to_dict()["mentions"][0]["full_name"] == 7
    assert Mention("x").name == "x"


@pytest.mark.usefixtures("plain_and_compiled")
def test_given_mentions_are_found_by_their_stems(english: NameDetector) -> None:
    kb, generator = english.kb, CandidateGenerator(english.kb)
    names = {
        "Hodgkins disease": "Hodgkin disease",
        "Tumour necrosis factor": "tumor necrosis factor",
        "Addison disease": "Addison's disease",
        "blood": "blood",
    }
    for name, label in names.items():
        match_types = {each.label: each.match_type for each in generator.records(name)}
        assert match_types.pop(label) in (("label",) if name == label else ("same core", "other form"))
        assert not {"label", "alias", "same core", "other form"} & set(match_types.values())
    many = CandidateGenerator(kb).find_batch(list(names) * 40)
    nearest = many.match_type <= OTHER_FORM
    assert [kb.label_of(entity) for entity in many.entity[nearest].tolist()] == list(names.values()) * 40


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Palantir Technologies grew. Palantir's chief and Palantir agreed.",
            ["Palantir Technologies", "Palantir", "Palantir"],
        ),
        ("Walgreens Boots Alliance grew, so Walgreens hired.", ["Walgreens Boots Alliance", "Walgreens"]),
        ("In the summer, Walgreens hired.", []),
        ("Johnson Controls grew, and Johnson Street is closed.", ["Johnson Controls"]),
        ("Nigel Farage spoke. Then Farage's party met.", ["Nigel Farage", "Farage"]),
    ],
)
def test_one_word_of_a_full_name_in_the_same_text(companies: NameDetector, text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in companies.find(text)] == expected

"""The keys under which a name is found."""

from __future__ import annotations

from eigenthemes.kb.name_arrays import ACRONYM, ALIAS, CORE, INITIALS, LABEL, UNBRACKETED
from eigenthemes.names.analysis import NameAnalysis
from eigenthemes.names.name_index import name_keys
from eigenthemes.text.normalize import normalize

PROPER, COMMON = NameAnalysis(("en",), False, 0.2, 0.0, 0.2), NameAnalysis(("en",), True, 0.0, 0.0, 0.2)


def keys_of(name: str, is_label: bool = True, analysis: NameAnalysis = PROPER) -> list[tuple[int, str]]:
    return name_keys(name, normalize(name), is_label, analysis, "en")


def test_name_keys_of_a_label() -> None:
    name = "Christian Democratic Union (Germany)"
    keys = keys_of(name)
    assert keys[0] == (LABEL, "christiandemocraticuniongermany")
    assert (UNBRACKETED, "christiandemocraticunion") in keys
    assert (ACRONYM, "cdu") in keys
    assert (INITIALS, "cdemocraticunion") in keys
    assert keys_of(name, False) == [(ALIAS, "christiandemocraticuniongermany"), (CORE, "christiandemocraticunion")]


def test_two_letters_are_an_acronym_of_names_not_of_words() -> None:
    def acronyms(name: str) -> set[str]:
        return {key for match_type, key in keys_of(name) if match_type == ACRONYM}

    assert acronyms("European Union") == {"eu"}
    assert acronyms("blood cell") == set()
    assert acronyms("Islamic State of Iraq and the Levant") >= {"is", "isil"}
    assert acronyms("Europe") == set()


def test_a_label_with_a_comma_is_turned_round() -> None:
    name = "Intellectual disability, severe"
    assert (UNBRACKETED, "severeintellectualdisability") in keys_of(name)
    assert keys_of(name, False) == [(ALIAS, "intellectualdisabilitysevere"), (CORE, "severeintellectualdisability")]
    for odd in ("Paris,", ", ,", "a, b, c, d"):
        assert [match_type for match_type, _ in keys_of(odd)].count(UNBRACKETED) == 0


def test_names_and_aliases_have_a_core() -> None:
    assert (CORE, "netflix") in keys_of("Netflix, Inc.", False)
    assert (CORE, "bankengland") in keys_of("The Bank of England")
    assert (CORE, "publichealthservice") in keys_of("public health services", analysis=COMMON)
    assert not [key for match_type, key in keys_of("Netflix") if match_type == CORE]  # it is the name itself
    assert not [key for match_type, key in keys_of("X Corp.") if match_type == CORE]  # too short

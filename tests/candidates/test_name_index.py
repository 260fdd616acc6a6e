"""The keys under which a name is found."""

from __future__ import annotations

from eigenthemes.candidates.name_index import name_keys
from eigenthemes.kb.name_arrays import ACRONYM, ALIAS, INITIALS, LABEL, UNBRACKETED
from eigenthemes.text.normalize import normalize


def test_name_keys_of_a_label() -> None:
    name = "Christian Democratic Union (Germany)"
    keys = name_keys(name, normalize(name), True)
    assert keys[0] == (LABEL, "christiandemocraticuniongermany")
    assert (UNBRACKETED, "christiandemocraticunion") in keys
    assert (ACRONYM, "cdu") in keys
    assert (INITIALS, "cdemocraticunion") in keys
    assert name_keys(name, normalize(name), False) == [(ALIAS, "christiandemocraticuniongermany")]


def test_two_letters_are_an_acronym_of_names_not_of_words() -> None:
    def acronyms(name: str) -> set[str]:
        return {key for match_type, key in name_keys(name, normalize(name), True) if match_type == ACRONYM}

    assert acronyms("European Union") == {"eu"}
    assert acronyms("blood cell") == set()
    assert acronyms("Islamic State of Iraq and the Levant") >= {"is", "isil"}
    assert acronyms("Europe") == set()


def test_a_label_with_a_comma_is_turned_round() -> None:
    name = "Intellectual disability, severe"
    assert (UNBRACKETED, "severeintellectualdisability") in name_keys(name, normalize(name), True)
    assert name_keys(name, normalize(name), False) == [(ALIAS, "intellectualdisabilitysevere")]
    for odd in ("Paris,", ", ,", "a, b, c, d"):
        assert [match_type for match_type, _ in name_keys(odd, normalize(odd), True)].count(UNBRACKETED) == 0

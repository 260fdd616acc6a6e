"""The keys under which a name is found."""

from __future__ import annotations

from eigenthemes.candidates.name_index import name_keys
from eigenthemes.kb.name_index import ACRONYM, ALIAS, INITIALS, LABEL, UNBRACKETED
from eigenthemes.text.normalize import normalize


def test_name_keys_of_a_label() -> None:
    name = "Christian Democratic Union (Germany)"
    keys = name_keys(name, normalize(name), True)
    assert keys[0] == (LABEL, "christiandemocraticuniongermany")
    assert (UNBRACKETED, "christiandemocraticunion") in keys
    assert (ACRONYM, "cdu") in keys
    assert (INITIALS, "cdemocraticunion") in keys
    assert name_keys(name, normalize(name), False) == [(ALIAS, "christiandemocraticuniongermany")]

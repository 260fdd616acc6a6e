"""Stems: all forms of a word have one, and other words have another."""

from __future__ import annotations

import pytest

from eigenthemes.text.languages import guess_language
from eigenthemes.text.stems import stem


@pytest.mark.parametrize(
    ("language", "forms"),
    [
        ("en", "museum museums"),
        ("en", "stenosis stenoses"),
        ("en", "analysis analyses"),
        ("en", "disease diseases"),
        ("en", "leukaemia leukemia"),
        ("en", "oesophageal esophageal"),
        ("en", "haemorrhage hemorrhage"),
        ("en", "hospitalisation hospitalization"),
        ("en", "behavioural behavioral"),
        ("en", "fibre fiber fibres fibers"),
        ("en", "bacterium bacteria"),
        ("en", "woman women"),
        ("de", "haus hauses hause hauser hausern"),
        ("de", "offentlich offentliche offentlichen offentlicher offentliches"),
        ("de", "museum museums museen"),
        ("de", "ergebnis ergebnisse ergebnissen ergebnisses"),
        ("de", "arztin arztinnen"),
        ("de", "lehrer lehrers lehrern"),
        ("de", "risiko risiken risikos"),
        ("fr", "journal journaux"),
        ("fr", "bateau bateaux"),
        ("fr", "public publics publique publiques"),
        ("fr", "europeen europeens europeenne europeennes"),
        ("fr", "actif actifs active actives"),
        ("fr", "travail travaux"),
    ],
)
def test_forms_of_one_word_have_one_stem(language: str, forms: str) -> None:
    assert len({stem(form, language) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("en", "four", "for"), ("en", "loss", "los"), ("en", "virus", "viru"), ("en", "nf2", "nf2s"), ("de", "lehrer", "lehre"),
     ("de", "kaufer", "kauf"), ("fr", "medecin", "medecine"), ("fr", "parti", "partie")],
)  # fmt: skip
def test_other_words_have_other_stems(language: str, one: str, other: str) -> None:
    assert stem(one, language) != stem(other, language)


def test_languages_are_guessed_from_common_words() -> None:
    every = ("en", "de", "fr")
    assert guess_language("the cat is on that of which".split(), every) == "en"
    assert guess_language("die Katze ist nicht auf dem Dach".split(), every) == "de"
    assert guess_language("le chat est sur les toits".split(), every) == "fr"
    assert guess_language(["Paris"], every) is None
    assert guess_language([], ()) is None

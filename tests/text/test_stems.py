"""Stems: all forms of a word have one, and other words have another."""

from __future__ import annotations

import pytest

from eigenthemes.text.stems import lemmas, stem
from eigenthemes.text.words import without_turkish_endings


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
        ("fr", "lieu lieux"),
        ("fr", "bijou bijoux"),
        ("fr", "heureux heureuse heureuses"),
        ("es", "hospital hospitales"),
        ("es", "luz luces"),
        ("es", "valle valles"),
        ("es", "clase clases"),
        ("es", "museo museos"),
        ("es", "imagen imagenes"),
        ("tr", "muze muzeler muzenin muzede muzeyi muzesi muzelerinde muzesinde muzeden muzeye muzeleri muzesine"),
        ("tr", "kutuphane kutuphanesi kutuphaneler kutuphanelerinden kutuphanenin kutuphaneye kutuphanesinin"),
        ("tr", "kitap kitabi kitaplar kitabin kitaptan kitaplari"),
        ("tr", "hastalik hastaligi hastaliklar hastaliklarin hastaligin hastaliktan"),
        ("tr", "savas savasi savaslari savasta savasin"),
        ("tr", "orman ormanlar ormani ormanlarin ormanin"),
        ("tr", "saray sarayi saraylar sarayin"),
        ("tr", "okul okulu okullar okulda okulun okuldan okullarinda"),
    ],
)
def test_forms_of_one_word_have_one_stem(language: str, forms: str) -> None:
    assert len({stem(form, language) for form in forms.split()}) == 1


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("en", "four", "for"), ("en", "loss", "los"), ("en", "virus", "viru"), ("en", "nf2", "nf2s"), ("de", "lehrer", "lehre"),
     ("de", "kaufer", "kauf"), ("fr", "medecin", "medecine"), ("fr", "parti", "partie"),
     ("fr", "pris", "prix"), ("fr", "voie", "voix"), ("es", "crisis", "crisi"), ("es", "virus", "viru"),
     ("es", "puerto", "puerta"), ("tr", "hasta", "has"),
     ("tr", "araba", "arap"), ("tr", "dunya", "dun"), ("tr", "kemere", "kemera")],
)  # fmt: skip
def test_other_words_have_other_stems(language: str, one: str, other: str) -> None:
    assert stem(one, language) != stem(other, language)


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("İstanbul'dan Mısır'a", "İstanbul     Mısır  "),
        ("Türkiye’nin, Ankara'dakiler", "Türkiye    , Ankara        "),
        ("Atatürk'ün Paris'teki evi", "Atatürk    Paris      evi"),
        ("Konya'daydı", "Konya      "),
        ("O'Neill, Jeanne d'Arc, Peter's, rock'n'roll, 'dan", "O'Neill, Jeanne d'Arc, Peter's, rock'n'roll, 'dan"),
    ],
)
def test_turkish_endings_behind_an_apostrophe(text: str, plain: str) -> None:
    assert without_turkish_endings(text) == plain
    assert len(plain) == len(text)


def test_a_dictionary_knows_the_forms_of_words_and_of_their_lemmas() -> None:
    assert {"libro", "libri"} <= lemmas({"libri"}, "it").keys()
    assert set(lemmas({"huis", "boek"}, "nl").values()) == {"huis", "boek"}
    assert lemmas({"lohn"}, "de")["lohne"] == "lohn"
    assert not lemmas({"band"}, "de").keys() & {"binden", "gebunden"}  # no verbs: German nouns have a capital


@pytest.mark.parametrize("language", ["en", "fr", "", "tlh"])
def test_no_dictionary_is_read_where_endings_say_enough_or_there_is_none(language: str) -> None:
    assert lemmas({"somme", "house"}, language) == {}

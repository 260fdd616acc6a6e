"""Stems of words in five languages, and words that are typical of them."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import lru_cache

from eigenthemes.errors import OptionError
from eigenthemes.text.normalize import normalize

_SHORTEST = 4  # letters of a word that is inflected

# English: British spellings, where nothing else is spelled so
_BRITISH = tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (r"aem", "em"),
        (r"paed", "ped"),
        (r"(?<=[nd])aes(?=th)", "es"),
        (r"(?<=[cfgn])aec", "ec"),
        (r"^(?:ae|oe)(?=tiolog|sophag|str|nolog)", "e"),
        (r"oedem", "edem"),
        (r"rrhoe", "rrhe"),
        (r"(hom|am|man)oe(?=o|b|u)", r"\1e"),
        (r"foet", "fet"),
        (r"coeliac", "celiac"),
        (r"(behavi|col|fav|flav|harb|hon|hum|lab|neighb|od|rum|sav|tum|vap|vig)our", r"\1or"),
        (r"(?<=[a-z]{3})is(?=e$|ed$|es$|ing$|ation|er$|ers$)", "iz"),
        (r"(?<=[a-z]l)ys(?=e$|ed$|ing$)", "yz"),
        (r"(cent|fib|met|lit|theat|calib|lust|tit|sab|goit|spect|lit)re(?=s?$)", r"\1er"),
        (r"sulph", "sulf"),
        (r"leuco", "leuko"),
        (r"grey", "gray"),
        (r"(mo|smo)uld", r"\1ld"),
        (r"programme(?=s?$)", "program"),
        (r"(catal|dial|anal|homol)ogue(?=s?$)", r"\1og"),
        (r"(def|lic|off)ence", r"\1ense"),
        (r"aluminium", "aluminum"),
        (r"(label|model|travel|counsel|channel|cancel|signal|fuel|tunnel)l(?=ed$|ing$|ers?$)", r"\1"),
        (r"ageing", "aging"),
        (r"^kappa", "k"),  # NF-kappa B, NF-kB
    )
)
_MAY_BE_BRITISH = re.compile(r"ae|oe|our|is[eai]|yse|ysi|res?$|ph|uco|grey|ould|mme|ogue|ence|ium|ll|gei|kappa")
_IRREGULAR = {
    "teeth": "tooth", "feet": "foot", "mice": "mouse", "children": "child", "lice": "louse", "geese": "goose",
    "women": "woman", "leaves": "leaf", "calves": "calf", "wolves": "wolf", "knives": "knife", "shelves": "shelf",
    "hooves": "hoof", "loaves": "loaf", "wives": "wife", "halves": "half",
}  # fmt: skip
# (ending, what stands for it); the first that fits counts
_ENGLISH = (
    ("ies", "y"), ("ie", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("oes", "o"), ("ses", "se"),
    ("sis", "se"), ("ae", "a"), ("erium", "eria"), ("elium", "elia"), ("arium", "aria"),
    ("men", "man"), ("s", ""), ("i", "us"),
)  # fmt: skip

# German: nouns whose plural ends in -er
_ER_PLURAL = re.compile(
    "(amt|bad|band|bild|blatt|brett|buch|dach|denkmal|dorf|fach|fass|feld|gehalt|geist|geld|gesicht|gewand|glas|glied|gott|grab|"
    "gras|gut|haupt|haus|holz|horn|huhn|kalb|kind|kleid|korn|kraut|lamm|land|licht|lied|loch|mann|maul|mund|nest|pfand|rad|rand|"
    "rind|schild|schloss|schwert|spital|strauch|tal|tuch|tum|volk|wald|weib|wort|wurm)er[ns]?$"
)
_ER_ADJECTIVE = re.compile("(lich|isch|ig|al|ell|iv|bar|sam|los|haft|ant|ent|ar|or)er$")
_GERMAN = (
    ("ismus", "ism"), ("ismen", "ism"), ("nissen", "nis"), ("nisses", "nis"), ("nisse", "nis"), ("innen", "in"),
    ("ens", ""), ("en", ""), ("em", ""), ("um", ""), ("es", ""), ("e", ""), ("a", ""), ("us", ""), ("iko", "ik"),
)  # fmt: skip
_GERMAN_S = tuple("abdfghklmnoprt")  # "s" is an ending after these: the Snowball stemmer's, and o

_FRENCH_PLURAL = (
    ("eaux", "eau"), ("aux", "al"), ("ails", "al"), ("ail", "al"), ("ss", "ss"), ("s", ""),
    ("eux", "eu"), ("oux", "ou"),  # x is no ending elsewhere: "pris" is no "prix"
)  # fmt: skip
_FRENCH_FEMININE = (
    ("enne", "en"), ("onne", "on"), ("elle", "el"), ("ive", "if"), ("trice", "teur"), ("euse", "eu"), ("aise", "ai"),
    ("oise", "oi"), ("que", "c"), ("ee", "e"), ("aine", "ain"), ("ine", "ine"), ("ie", "ie"), ("ure", "ure"), ("e", ""),
)  # fmt: skip
_FRENCH_LONG = 6  # letters of a word that may be feminine

# Turkish: (ending, letters before it); plural, possessive and case follow each other, the last one goes first. The
# letter that keeps vowels apart ("müze-s-i-n-de") counts as one, too, and so do those of "savaş", "orman" and "saray": whether
# "savaşı" is savaş-ı or sava-sı, no rule can tell, but both forms of a name lose the same
_TURKISH = (
    ("dan", 3), ("den", 3), ("tan", 3), ("ten", 3), ("lar", 3), ("ler", 3), ("si", 3), ("su", 3), ("da", 4), ("de", 4),
    ("ta", 4), ("te", 4), ("in", 4), ("un", 4), ("ya", 4), ("ye", 4), ("yi", 4), ("yu", 4), ("i", 4), ("u", 4), ("a", 5),
    ("e", 5), ("s", 3), ("n", 3), ("y", 3),
)  # fmt: skip
# what the vowel of an ending may follow: harmony, as far as it is left where ı is i, ö is o and ü is u
_HARMONY = {"a": "aiou", "e": "eiou", "i": "aei", "u": "ou"}
_TURKISH_VOWELS = "aeiou"
_AFTER_VOWELS, _AFTER_ANY = "syn", "dtl"  # an ending that begins with a vowel follows a consonant
_SOFTENED = {"b": "p", "d": "t", "g": "k"}  # kitap, kitabı
_VOWEL, _LAST_VOWEL = re.compile("[aeiou]"), re.compile(r"[aeiou](?=[^aeiou]*$)")


# Endings of words that are derived from one another: Iowa, Iowan, Iowans; ataxia, ataxic; inherited, inheritance. Two words are
# related where the same letters, ROOT or more, are left without an ending of each.
DERIVED_ENDINGS = tuple(
    """s es n an ian i er ese ish y e ia a o ans ians ers is ns ed ing ies ic ical ics ias al ally ality alities ation ations
    ance ant ent ence ive ity ities ous osis otic ism ist ly ar ary us um or ion ions atic oid ment able ability""".split()
)
ROOT = 4


def english_stem(word: str) -> str:
    """Return the stem of an English word: American spelling, singular."""
    if not word.isascii():
        return word
    if _MAY_BE_BRITISH.search(word):
        for british, american in _BRITISH:
            word = british.sub(american, word)
    if word.endswith(("ss", "us")) or (word.endswith("is") and not word.endswith("sis")):
        return word
    return _IRREGULAR.get(word) or _replaced(word, _ENGLISH, 3)


def german_stem(word: str) -> str:
    """Return the stem of a German word, without the endings of case, number and gender."""
    if plural := _ER_PLURAL.search(word):
        word = word[: plural.start()] + plural[1]
    elif (adjective := _ER_ADJECTIVE.search(word)) and adjective.start() > 1:
        word = word[:-2]
    before = ""
    while word != before:  # until nothing is left to take off: "Systeme" loses what "System" does
        before = word
        if len(word) > _SHORTEST and word[-1] == "s" and word[-2] in _GERMAN_S and not word.endswith("ens"):
            word = word[:-1]
        word = word[:-1] if word.endswith(("eln", "ern")) else _replaced(word, _GERMAN, 3)
    return word


def french_stem(word: str) -> str:
    """Return the stem of a French word: singular, masculine."""
    word = _replaced(word, _FRENCH_PLURAL, 2)
    return _replaced(word, _FRENCH_FEMININE, 3) if len(word) >= _FRENCH_LONG else word


def spanish_stem(word: str) -> str:
    """Return the stem of a Spanish word: singular, without the e that only some singulars have."""
    if word.endswith("ces") and len(word) > _SHORTEST:
        return word[:-3] + "z"
    if word[-1] == "s" and word[-2] in "aeo":
        word = word[:-1]
    return word[:-1] if word[-1] == "e" and word[-2] not in "aeiou" and len(word) > _SHORTEST else word


def turkish_stem(word: str) -> str:
    """Return the stem of a Turkish noun, without the endings of number, possession and case."""
    if len(word) == _SHORTEST:
        return word
    shorter = _without_turkish_ending(word)
    while shorter != word:
        word, shorter = shorter, _without_turkish_ending(shorter)
    return word[:-1] + _SOFTENED.get(word[-1], word[-1])


def _without_turkish_ending(word: str) -> str:
    """Return a word without its last ending, if what is left can have it."""
    for ending, letters_before in _TURKISH:
        before = word[: -len(ending)]
        if word.endswith(ending) and len(before) >= letters_before and _may_follow(before, ending):
            return before
    return word


def _may_follow(before: str, ending: str) -> bool:
    """Return whether a Turkish ending can follow these letters: where vowels meet, and whether they agree."""
    after_vowel = before[-1] in _TURKISH_VOWELS
    if ending[0] not in _AFTER_ANY and after_vowel != (ending[0] in _AFTER_VOWELS):
        return False
    own, last = _VOWEL.search(ending), _LAST_VOWEL.search(before)
    return last is not None and (own is None or last[0] in _HARMONY[own[0]])


STEMMERS: dict[str, Callable[[str], str]] = {  # of words of _SHORTEST letters or more
    "en": english_stem,
    "de": german_stem,
    "fr": french_stem,
    "es": spanish_stem,
    "tr": turkish_stem,
}


def _replaced(word: str, endings: tuple[tuple[str, str], ...], letters_before: int) -> str:
    for ending, other in endings:
        if word.endswith(ending) and len(word) - len(ending) >= letters_before:
            return word[: len(word) - len(ending)] + other
    return word


@lru_cache(maxsize=1 << 15)
def stem(word: str, language: str) -> str:
    """Return the stem of a normalised word in a language of `STEMMERS`."""
    return STEMMERS[language](word) if len(word) >= _SHORTEST and word.isalpha() else word


_CAPITALISED = ("de",)  # languages that write nouns with a capital: the dictionary says which words are nouns
KNOWN_BY_ENDINGS = frozenset(STEMMERS) - set(_CAPITALISED)  # verbs of a dictionary would add "sommes" to the name "est"


def lemmas(words: Collection[str], language: str) -> dict[str, str]:
    """Return the lemma of all words that share one with some normalised words; of none where endings say enough.

    The dictionaries of simplemma take a second and 100 MB to read, that of Polish ten: this is for building KBs only.
    """
    from simplemma.strategies import DefaultDictionaryFactory

    try:
        dictionary = {} if language in KNOWN_BY_ENDINGS else DefaultDictionaryFactory(1).get_dictionary(language)
    except ValueError:  # a language that it does not know
        return {}
    is_noun = str.istitle if language in _CAPITALISED else str.isalpha
    wanted = {
        plain
        for form, lemma in dictionary.items()
        if is_noun(form) and ((plain := _plain(lemma)) in words or _plain(form) in words)
    }
    found = ((form, plain) for form, lemma in dictionary.items() if is_noun(form) and (plain := _plain(lemma)) in wanted)
    return {_plain(form): plain for form, plain in found} | {lemma: lemma for lemma in wanted}


@lru_cache(maxsize=1 << 16)  # words of one lemma are near one another
def _plain(word: str) -> str:
    """Normalise a word of a dictionary; most are plain."""
    return word.lower() if word.isascii() else normalize(word)


LANGUAGE_WORDS = {
    "en": frozenset("the of and to in is that for with was on are as by at be this from have which not or had were it".split()),
    "de": frozenset(
        "der die das und ist nicht den von mit ein eine einer im dem auf für zu des sich auch als wird sind bei wie in".split()
    ),
    "fr": frozenset("le la les des et est une un dans que pour qui sur pas au par du de avec sont ce plus aux en il".split()),
    "es": frozenset("una por con para del como más sus fue está pero este entre cuando y también ser".split()),
    "tr": frozenset("ve bir bu için ile olarak çok daha gibi olan sonra kadar değil göre ise bugün yarın dün".split()),
}


def checked_language(language: str) -> str:
    """Return the language of a tag such as de or de-AT, if its inflection is known; else refuse it."""
    main = language.lower().replace("_", "-").partition("-")[0]
    if main not in STEMMERS:
        raise OptionError(
            f"the language is {language[:40]!r}; expected one of {', '.join(STEMMERS)}, whose inflection is known",
            where="language",
        )
    return main

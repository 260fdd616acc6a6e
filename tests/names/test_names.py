"""Names found in plain text: exact spans on small KBs, facts about any text, the same answer both ways."""

from __future__ import annotations

import gzip
import json
import pickle
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from helpers.files import write_jsonl
from helpers.kbs import build_untrained
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eigenthemes import KB, CandidateOptions, Linker
from eigenthemes.kb.name_arrays import INITIALS
from eigenthemes.names.detector import NameDetector
from eigenthemes.names.spans import LONGEST, WordForms, find_names, find_spans
from eigenthemes.records import Document
from eigenthemes.text.normalize import normalize, squash
from eigenthemes.text.segment import split

NAMES = [
    "St. Petersburg", "J. K. Rowling", "Paris London", "Paris", "London", "C++", "C#", "TGF-β1", "Málaga", "Walmart",
    "McDonald's", "McDonald", "Levi's (company)", "Levi", "5-HT(2C)", "Ca2", "हिन्दी", "ประเทศไทย", "カタカナ", "東京",
    "Washington", "D.C.", "Kentucky", "Ky", "Vincent van Gogh", "van Gogh", "de Gaulle", "Smith", "Dr", "In Paris", "1984",
    "T", "p53", "Reading", "Star Wars: A New Hope",
]  # fmt: skip
TERMS = ["Seizure", "Short stature", "Abnormality of the nervous system", "CAN", "Delayed speech", "Bone (mature) mass"]


def build(folder: Path, names: list[str]) -> KB:
    nodes = write_jsonl(folder / "nodes.jsonl", [{"id": str(i), "name": name} for i, name in enumerate(names)])
    return build_untrained([nodes], folder / "my.kb")


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> NameDetector:
    return NameDetector(build(tmp_path_factory.mktemp("names"), NAMES))


@pytest.fixture(scope="module")
def ontology(tmp_path_factory: pytest.TempPathFactory) -> NameDetector:
    return NameDetector(build(tmp_path_factory.mktemp("ontology"), TERMS))


@pytest.fixture(scope="module")
def people(tiny: KB) -> NameDetector:
    return NameDetector(tiny)


def found(finder: NameDetector, text: str) -> list[str]:
    return [text[start:end] for start, end in finder.find(text)]


def test_spans_are_half_open_code_points(people: NameDetector) -> None:
    assert people.find("Michael Jordan wrote in Science") == [(0, 14)]
    assert people.find("😀😀 Iowa, 東京都!") == [(3, 7), (9, 12)]
    assert people.find("") == []
    assert people.find("... 😀 -- !!\n\n") == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jordan's coach flew to Paris.", ["Jordan", "Paris"]),
        ("Shaquille O’Neill’s team and Shaquille O'Neill", ["Shaquille O’Neill", "Shaquille O'Neill"]),
        ("the U.S. state of Iowa", ["U.S.", "Iowa"]),
        ("in the U.S. The Who played", ["U.S.", "The Who"]),
        ("The Who played. Who is it?", ["The Who"]),
        ("who told us? It was the US again", ["US"]),
        ("AL-QAEDA, Al Qaeda and al-Qaeda", ["AL-QAEDA", "Al Qaeda", "al-Qaeda"]),
        ("私は東京都に住む", ["東京都"]),
        ("From Paris (Texas) to Paris, Texas.", ["Paris (Texas)", "Paris, Texas"]),
        ("the Ville Lumière, or Ville Lumiere", ["Ville Lumière", "Ville Lumiere"]),
        ("the City of Light", ["City of Light"]),
        ("World Health\nOrganization", ["World Health\nOrganization"]),
        ("World Health\n\nOrganization", []),
        ("Michael\u00adJordan", ["Michael\u00adJordan"]),
        ("the world health organization said to Ann", ["world health organization"]),
        ("a tumor, said Ann", []),  # one word in lower case, and this KB writes names with capitals
        ("michael jordan went to paris", ["michael jordan", "paris"]),  # no capital at all: case says nothing
    ],
)
def test_names_of_people_and_places(people: NameDetector, text: str, expected: list[str]) -> None:
    assert found(people, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left St. Petersburg early", ["St. Petersburg"]),
        ("As J. K. Rowling wrote", ["J. K. Rowling"]),
        ("JK Rowling", ["JK Rowling"]),
        ("We were in Paris. London is far", ["Paris", "London"]),
        ("the film Paris London ran", ["Paris London"]),
        ("We were in Paris! London? Paris\n\nLondon", ["Paris", "London", "Paris", "London"]),
        ("P = Paris; London", ["Paris", "London"]),
        ("We use C++ and C#.", ["C++", "C#"]),
        ("TGF beta1, TGFβ1 and TGF-β1", ["TGF beta1", "TGFβ1", "TGF-β1"]),
        ("Malaga, MALAGA, Ma\u0301laga", ["Malaga", "MALAGA", "Ma\u0301laga"]),
        ("the Wal-Mart shop", ["Wal-Mart"]),
        ("at McDonald's or Levi's, London's best", ["McDonald's", "Levi's", "London"]),
        ("a 5-HT(2C) receptor (Paris)", ["5-HT(2C)", "Paris"]),
        ("a Ca(2+) ion", []),  # the bracket stays open
        ("यह हिन्दी है", ["हिन्दी"]),
        ("ไปประเทศไทยวันนี้", ["ประเทศไทย"]),
        ("「カタカナ」と・カタカナ", ["カタカナ", "カタカナ"]),
        ("東。京と東京", ["東京"]),
        ("in Washington, D.C. The end", ["Washington", "D.C."]),
        ("from Ky., where Ky. is short", ["Ky.", "Ky."]),
        ("here in Ky.", ["Ky"]),
        ("(all cards and Walmart.) Click", ["Walmart"]),
        ("He saw van Gogh and de Gaulle", ["van Gogh", "de Gaulle"]),
        ("He lives in Paris", ["Paris"]),
        ("When I met Ann Smith and Smith", []),
        ("Then Dr. Smith came", ["Smith"]),
        ("in 1984 a T", []),
        ("the p53 test", ["p53"]),
        ("Reading helps. She is reading in London", ["London"]),
        ("Reading is a town near London", ["Reading", "London"]),
        ("saw Star Wars: A New Hope twice", ["Star Wars: A New Hope"]),
    ],
)
def test_how_names_are_written(names: NameDetector, text: str, expected: list[str]) -> None:
    assert found(names, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The patient had seizures and short stature.", ["seizures", "short stature"]),
        ("Seizures occur; a seizure ends", ["Seizures", "seizure"]),
        ("an abnormality of the nervous system", ["abnormality of the nervous system"]),
        ("It can be, and CAN is a gene", ["CAN"]),
        ("low bone mass", ["bone mass"]),
    ],
)
def test_an_ontology_is_found_in_lower_case(ontology: NameDetector, text: str, expected: list[str]) -> None:
    assert found(ontology, text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("He left London as a boy.", ["London"]),  # not Londonas
        ("A lot of foot ball.", ["foot ball"]),  # not Alot; a space more or less is nothing
        ("In The Hague, a town", ["The Hague"]),
        ("W. A. Mozart", ["W. A. Mozart"]),
    ],
)
def test_a_function_word_at_the_edge_of_a_name_has_its_space(tmp_path: Path, text: str, expected: list[str]) -> None:
    kb = build(tmp_path, ["London", "Londonas", "Alot", "Football", "The Hague", "WA Mozart"])
    assert [text[start:end] for start, end in NameDetector(kb).find(text)] == expected


def test_a_participle_is_no_name_of_an_ontology(tmp_path: Path) -> None:
    detector = NameDetector(build(tmp_path, [*TERMS, "Affected", "Severe", "Localized lesion"]))
    assert found(detector, "an affected girl with severe seizures and a localized lesion") == [
        "severe",
        "seizures",
        "localized lesion",
    ]
    assert found(detector, "Affected") == ["Affected"]


def test_common_words_that_are_names_by_chance_are_found_where_they_are_well_known(tmp_path: Path) -> None:
    towns = [
        f"{first}{second}" for first in ("Aber", "Bren", "Cald", "Dorn", "Eck") for second in ("wick", "stow", "ham", "burgh")
    ]
    names = ["Reading", "Hope", "Police", *(f"{town}{number}" for number in "abcdefghijklmnopqrstuvwxyz" for town in towns)]
    nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": str(i), "name": name} for i, name in enumerate(names)])
    edges = [{"subject": str(i), "relation": "near", "object": "0"} for i in range(3, len(names))]
    edges += [{"subject": str(i), "relation": "near", "object": str(i - 1)} for i in range(4, len(names))]
    kb = build_untrained([nodes, write_jsonl(tmp_path / "edges.jsonl", edges)], tmp_path / "my.kb")
    assert found(NameDetector(kb), "He left Reading with Hope, and the Police came to Dornhamb.") == ["Reading", "Dornhamb"]


def test_a_kb_without_names_finds_nothing(tmp_path: Path) -> None:
    nodes = write_jsonl(tmp_path / "nodes.jsonl", [{"id": "a", "name": "!!!"}])
    assert NameDetector(build_untrained([nodes], tmp_path / "my.kb")).find("Paris is a town") == []


def test_many_names(people: NameDetector) -> None:
    text = "Iowa, " * 100_000
    assert people.find(text) == [(6 * i, 6 * i + 4) for i in range(100_000)]


def test_a_sentence_needs_no_numba(tiny: KB) -> None:
    program = (
        "import sys; from eigenthemes import KB; from eigenthemes.names.detector import NameDetector; "
        f"print(NameDetector(KB.open({str(tiny.path)!r})).find('He saw Iowa'), 'numba' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[(7, 11)] False"


# any text

WORDS = [
    *NAMES, *TERMS, "Michael Jordan", "O’Neill's", "東", "京", "都", "ー", "・", "und", "The", "US", "it", "İ", "ß", "ﬁ",
    "½", "²", "e\u0301", "\u0301", "\u200d", "\ud800", "™", "ʼ", "ﾞ", "\u0640", "한국",
]  # fmt: skip
GAPS = ["", " ", ". ", ".", ", ", "-", "\n", "\n\n", "'", "’s ", "'s", " (", ") ", "! ", "_", " = ", "…", "😀"]
TEXTS = st.lists(
    st.one_of(st.sampled_from(WORDS), st.sampled_from(GAPS), st.characters(exclude_categories=())), max_size=40
).map("".join)
ANY = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)


@ANY
@given(text=TEXTS)
def test_any_text_gives_ordered_spans_that_do_not_overlap(names: NameDetector, ontology: NameDetector, text: str) -> None:
    for finder in (names, ontology):
        end = 0
        for span in finder.find(text):
            assert end <= span[0] < span[1] <= len(text)
            end = span[1]
        assert finder.find(text) == finder.find(text)


@ANY
@given(text=TEXTS)
def test_both_ways_find_the_same(names: NameDetector, ontology: NameDetector, text: str) -> None:
    for finder in (names, ontology):
        assert_same_both_ways(finder, text)


def assert_same_both_ways(finder: NameDetector, text: str) -> None:
    segmented, keys = finder._segment([text]), finder._keys
    pieces, words = segmented.pieces, segmented.words
    cores = finder._cores.of(words, segmented.token, segmented.common)
    for forms in (WordForms.written(words), *cores):
        assert len(forms.misspelled) == len(forms.changed) == len(forms.forms) == len(words.forms)
        arguments = (
            (pieces.word, pieces.joined, pieces.apart),
            (forms.forms.blob, forms.forms.offsets, forms.drops),
            (keys.table.hashes, keys.table.buckets, keys.summary, keys.filter),
            INITIALS,
        )
        assert np.array_equal(find_spans.plain(*arguments), find_spans(*arguments))


@ANY
@given(texts=st.lists(TEXTS, max_size=5))
def test_texts_in_a_batch_have_the_mentions_they_have_alone(
    names: NameDetector, ontology: NameDetector, texts: list[str]
) -> None:
    for finder in (names, ontology):
        together = finder.detect([Document(text=text) for text in texts])
        assert together == [finder.detect([Document(text=text)])[0] for text in texts]


@pytest.mark.parametrize("name", [name for name in NAMES if not set(name) & set("(")])
def test_every_name_is_one_match_of_its_own(names: NameDetector, name: str) -> None:
    pieces, words = split(name, np.zeros(1, np.int64))
    assert len(pieces.word) <= LONGEST
    matches = find_names(pieces, WordForms.written(words), names._keys)
    assert [0, len(pieces.word) - 1, 0] in matches[:, [0, 1, 3]].tolist()


@given(text=st.text(alphabet="aZ é'-.ß1 \u0301한", max_size=12))
def test_the_forms_of_the_pieces_together_are_the_key(text: str) -> None:
    pieces, words = split(text, np.zeros(1, np.int64))
    if len(pieces.word):
        span = text[pieces.starts[0] : pieces.ends[-1]]
        assert "".join(words.forms[word] for word in pieces.word.tolist()) == squash(normalize(span))


@pytest.mark.slow
@pytest.mark.real_data
def test_phenotypes_in_real_abstracts(real_data: Callable[[str], Path], phenotypes_kb: KB) -> None:
    finder = NameDetector(phenotypes_kb)
    hits = spans = gold = 0
    with gzip.open(real_data("phenotypes/gsc.jsonl.gz"), "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            document = json.loads(line)
            said = {(each["start"], each["end"]) for each in document["mentions"]}
            here = set(finder.find(document["text"]))
            hits, spans, gold = hits + len(said & here), spans + len(here), gold + len(said)
            if number < 30:
                assert_same_both_ways(finder, document["text"])
    assert hits / gold > 0.44
    assert hits / spans > 0.68


# dates and contractions


def test_months_and_weekdays_are_no_names_unless_asked_for(tmp_path: Path) -> None:
    kb = build(tmp_path, ["March", "Mai", "Sunday", "March Town", "Ill"])
    text = "On Sunday in March, not in March Town, I'll see March. Im Mai."
    assert found(NameDetector(kb), text) == ["March Town"]
    assert found(NameDetector(kb, dates=True), text) == ["Sunday", "March", "March Town", "March", "Mai"]


# inflection, elision, nested names


@pytest.mark.parametrize(
    ("label", "text", "span"),
    [
        ("Museums", "an old museum here", "museum"),
        ("Libraries", "an old library here", "library"),
        ("Library", "many libraries here", "libraries"),
        ("Public museums", "the public museum of", "public museum"),
        ("Leukemia", "with leukaemia and", "leukaemia"),
        ("Brain tumour", "a brain tumor was", "brain tumor"),
        ("Stenosis", "two stenoses were", "stenoses"),
        ("T cell", "T cells were", "T cells"),
    ],
)
def test_words_are_inflected_where_the_kb_writes_them_small(tmp_path: Path, label: str, text: str, span: str) -> None:
    assert found(NameDetector(build(tmp_path, [label, "Delayed speech", "Short stature"])), text) == [span]


@pytest.mark.parametrize("text", ["dans l'Europe de", "d\u2019Europe", "L'Europe est", "qu'Europe", "dell'Europe"])
def test_an_elided_article_is_no_part_of_a_name(tmp_path: Path, text: str) -> None:
    kb = build(tmp_path, ["Europe", "L'Or\u00e9al"])
    assert found(NameDetector(kb), text) == ["Europe"]
    assert found(NameDetector(kb), "chez L'Or\u00e9al et") == ["L'Or\u00e9al"]


def test_nested_names_where_they_are_asked_for(names: NameDetector) -> None:
    text = "He met Vincent van Gogh."
    assert found(NameDetector(names.kb), text) == ["Vincent van Gogh"]
    assert found(NameDetector(names.kb, nested=True), text) == ["Vincent van Gogh", "van Gogh"]


@pytest.mark.parametrize("persons", [[], ["Maria Cantwell", "Mary Landrieu"]], ids=["places", "persons"])
def test_where_names_begin_together_the_longest_comes_first(tmp_path: Path, persons: list[str]) -> None:
    nested = NameDetector(build(tmp_path, ["Chicago", "Chicago Bulls", *persons]), nested=True)
    assert found(nested, "They saw the Chicago Bulls there.") == ["Chicago Bulls", "Chicago"]


def test_names_of_other_types_than_those_asked_for_are_none(tmp_path: Path) -> None:
    rows = ["id\tname\ttype", "1\tParis\tCity", "2\tParis Hilton\tPerson", "3\tHilton\tHotel", "4\tLyon\tCity"]
    (tmp_path / "n.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    kb = build_untrained([tmp_path / "n.tsv"], tmp_path / "my.kb")
    text = "They met Paris Hilton in Lyon, near the Hilton."
    found = {}
    for types in ((), ("City",), ("Person",)):
        linker = Linker(kb, method="degree", candidates=CandidateOptions(only_types=types))
        found[types] = [link.mention.text for link in pickle.loads(pickle.dumps(linker)).link(text).links]
    assert found == {(): ["Paris Hilton", "Lyon", "Hilton"], ("City",): ["Paris", "Lyon"], ("Person",): ["Paris Hilton"]}


def test_what_follows_a_comma_belongs_to_the_next_name(tmp_path: Path) -> None:
    terms = ["Intellectual disability", "Intellectual disability, mild", "Scoliosis", "Mild hearing loss", "Ataxia"]
    finder = NameDetector(build(tmp_path, terms))
    assert found(finder, "They have intellectual disability, mild scoliosis and ataxia.") == [
        "intellectual disability", "scoliosis", "ataxia"]  # fmt: skip
    assert found(finder, "seen: intellectual disability, mild hearing loss") == ["intellectual disability", "mild hearing loss"]
    assert found(finder, "seen: intellectual disability, mild, and ataxia") == ["intellectual disability, mild", "ataxia"]
    assert found(finder, "seen: Intellectual disability, mild") == ["Intellectual disability, mild"]
    nested = NameDetector(finder.kb, nested=True)
    assert "intellectual disability, mild" not in found(nested, "They have intellectual disability, mild scoliosis.")


def test_a_title_without_its_stop_is_no_name(tmp_path: Path) -> None:
    finder = NameDetector(build(tmp_path, ["MR", "Dr", "Egypt", "Mr Bean"]))
    assert found(finder, "He said that Mr Obama saw Egypt, and so did Dr Baker.") == ["Egypt"]
    assert found(finder, "We saw Mr Bean in Egypt.") == ["Mr Bean", "Egypt"]
    assert found(finder, "The code of Mauritania is MR since 1974.") == ["MR"]

"""Which entities are candidates of a mention, why, and that one by one equals batch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.kbs import build_untrained
from helpers.timing import seconds
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB, CandidateGenerator
from eigenthemes.core.jit import Kernel
from eigenthemes.errors import OptionError
from eigenthemes.names.retrieval import find_candidates, find_containing
from eigenthemes.text.normalize import normalize


def ids(kb: KB, name: str, **options: object) -> list[str]:
    generator = CandidateGenerator(kb, **options)  # type: ignore[arg-type]
    return [kb.id_of(entity) for entity in generator.find(name).entity.tolist()]


@pytest.mark.parametrize(
    ("mention", "entity", "match_type"),
    [
        ("Paris", "paris", "label"),
        ("city of light", "paris", "alias"),
        ("Ville Lumiere", "paris", "alias"),
        ("Paris", "paris-tx", "label but for brackets or commas"),
        ("M. Jordan", "mj", "initials"),
        ("WHO", "who", "acronym"),
        ("WHO", "thewho", "contains all words"),
        ("NBA", "nba", "acronym"),
        ("Iowans", "iowa", "alias"),
        ("Tumors", "tumor", "other form"),
        ("the Iowa", "iowa", "contains all words"),
        ("Cities of Light", "paris", "shares words"),
        ("Jordan, Michael", "mj", "same core"),
        ("Iowa's", "iowa", "other form"),
        ("O'Neill", "oneill", "contains all words"),
        ("oneill", "oneill", "contains all words"),
        ("Al Qaeda", "qaeda", "label"),
        ("alqaeda", "qaeda", "label"),
        ("US", "us", "alias"),
        ("東京", "tokyo", "contains all words"),
        ("Wittgenstien", "wittgenstein", "similar spelling"),
        ("Ludwig Josef Wittgenstein", "wittgenstein", "shares words"),
    ],
)
def test_the_default_generator_finds(tiny: KB, mention: str, entity: str, match_type: str) -> None:
    found = {each.id: each.match_type for each in CandidateGenerator(tiny).records(mention)}
    assert found.get(entity) == match_type


def test_candidates_come_by_prior_and_ranks_count_from_one(tiny: KB) -> None:
    table = CandidateGenerator(tiny).find("Jordan")
    assert [tiny.id_of(e) for e in table.entity.tolist()] == ["mj", "jo", "mij"]
    assert table.rank.tolist() == [1, 2, 3]
    assert (np.diff(table.prior) <= 0).all()


def test_equal_priors_are_in_order_of_id(tiny: KB) -> None:
    same = [tiny.id_of(e) for e in range(len(tiny)) if tiny.prior[e] == 1.0]
    assert same == sorted(same)


def test_the_papers_generator_wants_all_tokens_in_names_and_aliases_together(tiny: KB) -> None:
    assert ids(tiny, "Jordan Air Michael", generator="paper") == ["mj"]
    assert ids(tiny, "WHO", generator="paper") == ["thewho"]
    assert ids(tiny, "Wittgenstien", generator="paper") == []


def test_no_aliases_means_labels_only(tiny: KB) -> None:
    assert ids(tiny, "Michael Jordan", generator="paper", aliases=False) == ["mj", "mij"]
    assert ids(tiny, "Air Jordan", generator="paper", aliases=False) == []
    assert ids(tiny, "MJ", aliases=False) == []


def test_exact_names_are_kept_among_the_first_t(tiny: KB) -> None:
    assert ids(tiny, "Jordan", max_candidates=1) == ["jo"]
    assert ids(tiny, "Jordan", generator="paper", max_candidates=1) == ["mj"]


def test_a_mention_nobody_has_finds_nobody(tiny: KB) -> None:
    table = CandidateGenerator(tiny).find_batch(["xyzzy", "", "Paris"])
    assert table.mentions == 3
    assert set(table.mention_of.tolist()) == {2}


def test_a_connector_without_a_name_is_never_a_candidate(tiny: KB) -> None:
    nameless = tiny.index_of("nameless")
    assert nameless is not None
    assert ids(tiny, "nameless") == []
    assert tiny.label_of(nameless) == "nameless"


@pytest.mark.parametrize(
    ("external_id", "sentence"),
    [
        ("nobody", "is not in the KB"),
        ("nameless", "has no name"),
        ("paris", "lack michael, jordan"),
        ("mij", "not among the best 1 of 2"),
        ("mj", "is candidate 1 of 1"),
    ],
)
def test_why_says_why(tiny: KB, external_id: str, sentence: str) -> None:
    assert sentence in CandidateGenerator(tiny, max_candidates=1).why_not("Michael Jordan", external_id)


def test_unknown_options_are_refused_with_what_is_allowed(tiny: KB) -> None:
    with pytest.raises(OptionError, match="expected one of default, paper"):
        CandidateGenerator(tiny, generator="papr")
    with pytest.raises(OptionError, match="expected 1 or more"):
        CandidateGenerator(tiny, max_candidates=0)


def test_records_name_all_the_names_that_matched_together(tiny: KB) -> None:
    record = CandidateGenerator(tiny, generator="paper").records("Michael MJ")[0]
    assert record.matched_name == "Michael Jordan + MJ"
    assert record.to_dict()["id"] == "mj"


words = st.sampled_from(
    "michael jordan jordans i air mj paris texas the who world health organization nba iowa iowan iowas us u.s. united states "
    "wittgenstein witgenstein wittgenstien ludwig shaquille o'neill oneil tumors tumor city of light lumière 東京 東京都 "
    "tokio al qaeda alqaeda m w 2004 americas americans xx".split()
)
mentions = st.lists(st.one_of(st.lists(words, min_size=1, max_size=5).map(" ".join), st.text(max_size=12)), max_size=12)


def found_by(run: object, generator: CandidateGenerator, names: list[str]) -> list[list[tuple[int, int]]]:
    """Return (entity, match type) of the candidates of each name, found by one of the two runs of a kernel."""
    counts, entities, kinds = generator._run(run, names, generator.kb.name_index, generator._most)
    return [list(zip(e[:n].tolist(), k[:n].tolist(), strict=True)) for n, e, k in zip(counts, entities, kinds, strict=True)]


@given(mentions.filter(bool), st.booleans(), st.booleans(), st.sampled_from([1, 3, 20, None]), st.booleans())
def test_compiled_and_plain_look_ups_are_the_same(
    tiny: KB, ontology: KB, names: list[str], paper: bool, aliases: bool, most: int | None, small: bool
) -> None:
    kernel: Kernel = find_containing if paper else find_candidates
    generator = CandidateGenerator(
        ontology if small else tiny, generator="paper" if paper else "default", max_candidates=most, aliases=aliases
    )
    expected = found_by(kernel.plain, generator, names)
    assert found_by(kernel, generator, names) == expected
    one_by_one = [generator.find(name) for name in names]
    if most is not None:
        assert [table.entity.tolist() for table in one_by_one] == [[entity for entity, _ in each] for each in expected]
    batch = generator.find_batch(names)
    assert [entity for table in one_by_one for entity in table.entity.tolist()] == batch.entity.tolist()


def test_no_names_have_no_candidates(tiny: KB) -> None:
    assert CandidateGenerator(tiny).find_batch([]).mentions == 0


@given(mentions)
def test_the_default_finds_all_that_the_paper_finds(tiny: KB, names: list[str]) -> None:
    default = CandidateGenerator(tiny, max_candidates=None).find_batch(names)
    paper = CandidateGenerator(tiny, max_candidates=None, generator="paper").find_batch(names)
    pairs = set(zip(default.mention_of.tolist(), default.entity.tolist(), strict=True))
    assert set(zip(paper.mention_of.tolist(), paper.entity.tolist(), strict=True)) <= pairs


LONG_MENTIONS = {
    "one word again and again": "ada " * 40_000,
    "unknown words": " ".join(f"w{i:x}" for i in range(20_000)),
    "known and unknown words": " ".join(f"name{i} x{i:x}" for i in range(10_000)),
    "a script without spaces": "東京都" * 20_000,
}
REPEATED = [(words, "default") for words in ("one word again and again", "a script without spaces")]


@pytest.mark.parametrize(("words", "generator"), [*((words, "paper") for words in LONG_MENTIONS), *REPEATED])
def test_a_very_long_mention_takes_little_more_than_its_normalisation(tmp_path: Path, words: str, generator: str) -> None:
    mention = LONG_MENTIONS[words]
    (tmp_path / "n.csv").write_text("id,name\na,Ada\n" + "".join(f"n{i},Name{i}\n" for i in range(3000)))
    kb = build_untrained([tmp_path / "n.csv"], tmp_path / "my.kb")
    lookup = CandidateGenerator(kb, generator=generator)

    normalized = seconds(lambda: normalize(mention).split())
    assert seconds(lambda: lookup.find(mention)) < 300 * normalized  # and not with the square of its words


def test_initials_are_for_names_not_for_words(tmp_path: Path) -> None:
    rows = ["id\tname", "1\tB cell", "2\tblood cell", "3\tBill Cell", "4\tبيل سل"]
    (tmp_path / "n.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    kb = build_untrained([tmp_path / "n.tsv"], tmp_path / "my.kb")
    found = {each.id: each.match_type for each in CandidateGenerator(kb).records("B cell")}
    assert found == {"1": "label", "3": "initials"}
    assert [each.id for each in CandidateGenerator(kb).records("ب سل")] == ["4"]


def build(folder: Path, rows: list[str]) -> KB:
    (folder / "n.tsv").write_text("\n".join(["id\tname\tprior", *rows]) + "\n", encoding="utf-8")
    return build_untrained([folder / "n.tsv"], folder / "my.kb")


def match_types(kb: KB, name: str, **options: object) -> dict[str, str]:
    return {each.id: each.match_type for each in CandidateGenerator(kb, **options).records(name)}  # type: ignore[arg-type]


def test_a_whole_name_with_a_typo_comes_before_longer_names(tmp_path: Path) -> None:
    kb = build(tmp_path, ["1\tHigher education institutions\t9", "2\tHigher education\t1", "3\tPrimary education\t5"])
    found = match_types(kb, "Higer education")
    assert (found["1"], found["2"]) == ("similar spelling", "similar spelling")
    assert match_types(kb, "Higer education", max_candidates=1) == {"2": "similar spelling"}


def test_umlauts_may_be_spelled_out(tmp_path: Path) -> None:
    kb = build(tmp_path, ["1\tJoachim Löw\t1", "2\tHorst Köhler\t1", "3\tLoew Theatres\t9", "4\tSamuel Loe\t1"])
    assert match_types(kb, "Joachim Loew")["1"] == "other form"
    assert match_types(kb, "Koehler") == {"2": "shares words"}
    assert match_types(kb, "Loew") == {"3": "contains all words"}  # beside what contains it, only in an ontology
    assert match_types(kb, "Samuel Loe")["4"] == "label"


def test_labels_that_begin_with_the_mention_are_kept_beside_higher_priors(tmp_path: Path) -> None:
    towns = [f"t{i}\tTown{i} of England\t{100 - i}" for i in range(30)]
    kb = build(tmp_path, [*towns, "team\tEngland cricket team\t1"])
    found = match_types(kb, "England")
    assert len(found) == 20
    assert "team" in found
    assert {f"t{i}" for i in range(19)} < set(found)
    assert "team" not in match_types(kb, "England", generator="paper")


def test_words_of_one_family_stand_for_each_other_where_names_are_written_small(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    small = build(tmp_path / "small", ["1\tAutosomal inheritance pattern\t1", "2\tcardiac arrest\t9", "3\tmild fever\t1"])
    assert match_types(small, "inherited")["1"] == "shares words"
    names = build(tmp_path, ["1\tInheritance Pattern\t1", "2\tInherited Arrest\t9", "3\tMild Fever\t1"])
    assert match_types(names, "inherited") == {"2": "contains all words"}  # other forms only where nothing else is found


def test_two_letters_are_an_acronym_only_in_capitals(tmp_path: Path) -> None:
    kb = build(
        tmp_path, ["1\tBritish Columbia\t9", "2\tBC\t1", "3\tBlood cell\t8", "4\tIslamic State of Iraq\t5", "5\tLa Paz\t3"]
    )
    assert match_types(kb, "BC") == {"1": "acronym", "2": "label"}
    assert match_types(kb, "B.C.") == {"1": "acronym", "2": "label"}
    assert match_types(kb, "bc") == {"2": "label"}
    assert match_types(kb, "IS") == {"4": "acronym"}
    assert match_types(kb, "is") == {}
    assert match_types(kb, "BC", max_candidates=1) == {"2": "label"}  # a name goes before


def test_a_label_may_be_turned_round_at_its_commas(tmp_path: Path) -> None:
    kb = build(
        tmp_path,
        [
            "1\tIntellectual disability, severe\t1",
            "2\tSmith, John\t1",
            "3\tred, white, blue, and green\t1",
            "4\tsevere pain\t9",
        ],
    )
    turned = "label but for brackets or commas"
    assert match_types(kb, "Severe intellectual disability") == {"1": turned}
    assert match_types(kb, "John Smith") == {"2": turned}
    assert match_types(kb, "and green blue white red") == {"3": "contains all words"}  # a list
    [found] = CandidateGenerator(kb).records("severe intellectual disability")
    assert found.matched_name == "Intellectual disability, severe"


def test_a_name_may_be_a_part_of_a_longer_mention(tmp_path: Path) -> None:
    history = "Android operating system history 2006"
    kb = build(tmp_path, ["1\tBarack Obama\t1", "2\tAndroid\t1", "3\tThe\t1", f"4\t{history}\t9", "5\t2006\t2"])
    assert match_types(kb, "President Barack Obama")["1"] == "shares words"
    assert match_types(kb, "Android operating system") == {"4": "contains all words"}  # only where nothing else was found
    assert match_types(kb, "Barack Obama") == {"1": "label"}
    assert match_types(kb, "of " * 8 + "Barack Obama").keys() == {"1"}  # too long for its parts, but words are shared


def test_of_entities_that_share_words_those_with_the_closest_names_are_kept(tmp_path: Path) -> None:
    longer = [f"l{i}\tchronic pain of many other unusual places number{i}\t{50 - i}" for i in range(30)]
    others = [f"o{i}\tthing{i}\t1" for i in range(1000)]  # pain is rare beside them
    kb = build(tmp_path, [*longer, *others, "near\tabdominal pain\t1"])
    found = match_types(kb, "pain running")
    assert len(found) == 20
    assert found["near"] == "shares words"
    assert {f"l{i}" for i in range(19)} < set(found)  # equals by prior


@pytest.fixture(scope="module")
def ontology(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """Names written small that share words with `mentions`, more than 20 of them with the word "paris"."""
    parts = (
        "paris",
        "iowa tumor",
        "tumors of paris",
        "city light",
        "organizational health",
        "witgenstein stated",
        "köhler united",
    )
    rows = [f"{i}-{j}\tabnormal {part} number{j} {('of', 'city', 'paris', 'stating')[j % 4]}\t{i * j % 7}"
            for i, part in enumerate(parts) for j in range(12)]  # fmt: skip
    return build(tmp_path_factory.mktemp("ontology"), [*rows, "x\tmichael united states\t3", "y\tparis tumor\t1"])


def test_two_letters_are_no_acronym_in_an_ontology_however_they_are_looked_up(tmp_path: Path) -> None:
    terms = ("Multiple Sclerosis", "Mitral Stenosis", *(f"some disease of kind {i}" for i in range(80)))
    source = tmp_path / "terms.obo"
    source.write_text("format-version: 1.4\n" + "".join(f"\n[Term]\nid: X:{i}\nname: {term}\n" for i, term in enumerate(terms)))
    generator = CandidateGenerator(build_untrained([source], tmp_path / "my.kb"))
    before = generator.find("MS").entity.tolist()
    in_batch = generator.find_batch([*terms, "MS"])
    assert before == generator.find("MS").entity.tolist()
    assert before == in_batch.entity[in_batch.mention_of == len(terms)].tolist()


def test_an_entity_with_all_words_is_found_behind_many_that_have_the_rarer_one(tmp_path: Path) -> None:
    """Of the entities of the rarer word, only the first 256 by prior are looked at; the other word leads to it, too."""
    rows = [f"z{i},Zorbal {i}x,{9000 - i}" for i in range(300)] + [f"m{i},Mintok {i}x,2" for i in range(340)]
    rows.append("both,Zorbal Mintok Vexlar,500")
    (tmp_path / "n.csv").write_text("id,name,prior\n" + "\n".join(rows) + "\n")
    generator = CandidateGenerator(build_untrained([tmp_path / "n.csv"], tmp_path / "my.kb", embedding=None))
    assert "both" in [candidate.id for candidate in generator.records("Zorbal Mintok")]

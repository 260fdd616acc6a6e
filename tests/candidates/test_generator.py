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
from eigenthemes.errors import OptionError
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
        ("Paris", "paris-tx", "label without brackets"),
        ("M. Jordan", "mj", "initials"),
        ("WHO", "who", "acronym"),
        ("WHO", "thewho", "contains all words"),
        ("NBA", "nba", "acronym"),
        ("Iowans", "iowa", "other ending"),
        ("Tumors", "tumor", "other ending"),
        ("Iowa's", "iowa", "other ending"),
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
        ("mij", "not among the first 1 of 2"),
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


@given(mentions, st.booleans(), st.booleans(), st.sampled_from([1, 3, 20]))
def test_compiled_batches_equal_the_plain_look_up(tiny: KB, names: list[str], paper: bool, aliases: bool, most: int) -> None:
    generator = CandidateGenerator(tiny, generator="paper" if paper else "default", max_candidates=most, aliases=aliases)
    plain, compiled = generator._find_plain(names), generator._find_compiled(names)
    assert plain.mention_of.tolist() == compiled.mention_of.tolist()
    assert plain.entity.tolist() == compiled.entity.tolist()
    assert plain.match_type.tolist() == compiled.match_type.tolist()
    assert plain.rank.tolist() == compiled.rank.tolist()
    one_by_one = [generator.find(name) for name in names]
    assert [e for table in one_by_one for e in table.entity.tolist()] == compiled.entity.tolist()


@given(mentions)
def test_the_default_finds_all_that_the_paper_finds(tiny: KB, names: list[str]) -> None:
    default = CandidateGenerator(tiny, max_candidates=None).find_batch(names)
    paper = CandidateGenerator(tiny, max_candidates=None, generator="paper").find_batch(names)
    pairs = set(zip(default.mention_of.tolist(), default.entity.tolist(), strict=True))
    assert set(zip(paper.mention_of.tolist(), paper.entity.tolist(), strict=True)) <= pairs


@pytest.mark.parametrize("generator", ["default", "paper"])
def test_very_long_mentions_are_none_of_the_kernels(tiny: KB, monkeypatch: pytest.MonkeyPatch, generator: str) -> None:
    finder = CandidateGenerator(tiny, generator=generator)
    names = ["Paris", "paris " * 5000, "MJ", "Paris Texas xyzzy " * 2000, "\ud800 wittgenstien" * 2000, "x" * 20_000, "Paris"]
    expected = finder._find_plain(names)
    run, sizes = finder._run_kernel, list[int]()
    monkeypatch.setattr(finder, "_run_kernel", lambda text, *bounds: [sizes.append(len(text)), run(text, *bounds)][1])
    found = finder._find_compiled(names)
    one_by_one = [finder.find(name) for name in names]
    for column in ("mention_of", "entity", "rank", "match_type"):
        assert getattr(found, column).tolist() == getattr(expected, column).tolist()
    assert [entity for table in one_by_one for entity in table.entity.tolist()] == expected.entity.tolist()
    assert len(expected) > 6
    assert max(sizes) < 100  # they would compare each of its words with all others


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
    assert seconds(lambda: lookup.find(mention)) < 40 * normalized


def test_initials_are_for_names_not_for_words(tmp_path: Path) -> None:
    rows = ["id\tname", "1\tB cell", "2\tblood cell", "3\tBill Cell", "4\tبيل سل"]
    (tmp_path / "n.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    kb = build_untrained([tmp_path / "n.tsv"], tmp_path / "my.kb")
    found = {each.id: each.match_type for each in CandidateGenerator(kb).records("B cell")}
    assert found == {"1": "label", "3": "initials"}
    assert [each.id for each in CandidateGenerator(kb).records("ب سل")] == ["4"]

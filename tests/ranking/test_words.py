"""Words around a name, and text about the source: both speak for candidates to which they belong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from helpers.explaining import build_paris, ranker_by_hand
from helpers.kbs import build_from_records
from helpers.shared_builds import build_once

from eigenthemes import KB, Document, Linker, Mention
from eigenthemes.errors import DocumentError
from eigenthemes.kb.profiles import EntityProfiles, collect_profiles
from eigenthemes.linker import as_document
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features import FeatureContext
from eigenthemes.ranking.features.text_words import WINDOW, compute, windows_of
from eigenthemes.train import store_ranker


@pytest.fixture(scope="module")
def paris(tmp_path_factory: pytest.TempPathFactory) -> KB:
    """The KB of places called Paris, with what a ranker that is trained now has, and a weight for words."""
    return KB.open(build_once(tmp_path_factory, "paris-words", build) / "paris.kb")


def build(folder: object) -> None:
    from dataclasses import replace

    store_ranker(build_paris(folder), replace(ranker_by_hand(words=5.0), topic=1.0))  # type: ignore[arg-type]


def words_of(kb: KB, entity_id: str) -> set[str]:
    profiles, index = EntityProfiles.of(kb), kb.index_of(entity_id)
    assert profiles is not None
    assert index is not None
    words = profiles.words[profiles.indptr[index] : profiles.indptr[index + 1]]
    return {str(kb.name_index.tokens[int(word)]) for word in words}


def groups_of(kb: KB, *documents: Document) -> MentionGroups:
    return MentionGroups.of(batch_maker(kb, needs_vectors=False).make(documents))


def entities(linker: Linker, document: object) -> list[str | None]:
    return [link.entity for link in linker.link(document).links]  # type: ignore[arg-type]


def test_a_profile_has_words_of_description_and_neighbours_but_not_of_its_names(paris: KB) -> None:
    assert words_of(paris, "tx") == {"texas", "lamar", "county", "city"}  # no name has the word "in"
    assert words_of(paris, "fr") == {"france"}
    assert "lamar" not in words_of(paris, "lamar")


def test_function_words_belong_to_nobody(tmp_path: Path, quick_disk: None) -> None:
    """In a small KB "of" and "the" are as rare as any word, and would tell as much."""
    records = [
        {"id": "a", "name": "Bank of the South", "description": "the bank of Georgia"},
        {"id": "b", "name": "Georgia", "description": "of the South"},
        {"id": "c", "name": "Bank", "description": "of Georgia"},
    ]
    kb = build_from_records(tmp_path, records)
    profiles = collect_profiles(kb, kb.spelled_names)
    words = {str(kb.name_index.tokens[int(word)]) for word in profiles.words}
    assert words == {"georgia", "south"}
    assert profiles.indptr[-1] == len(profiles.words)


def test_words_near_a_name_speak_for_it(paris: KB) -> None:
    linker = Linker(paris, allow_nil=False, explain=True)
    for text, expected in (("He left Paris in Texas.", "tx"), ("He left Paris in France.", "fr")):
        linked = linker.link({"text": text, "mentions": [{"start": 8, "end": 13}]})
        assert linked.links[0].entity == expected
    county = {"text": "A county in Texas, Paris.", "mentions": [{"start": 19, "end": 24}]}
    explanation = linker.link(county).links[0].explanation
    assert explanation is not None
    assert set(explanation.words) == {"county", "texas"}
    assert "near it fit" in explanation.sentence


def test_words_far_away_do_not(paris: KB) -> None:
    far = " ".join(["word"] * WINDOW)
    document = Document(text=f"Texas {far} Paris", mentions=(Mention("Paris", start=len(far) + 7, end=len(far) + 12),))
    context = FeatureContext.of(paris, None)
    assert not compute(groups_of(paris, document), context).any()


def test_without_text_or_profiles_they_say_nothing(paris: KB) -> None:
    groups = groups_of(paris, Document(mentions=(Mention("Paris"),)))
    assert not compute(groups, FeatureContext.of(paris, None)).any()
    text = Document(text="Paris Texas", mentions=(Mention("Paris", start=0, end=5),))
    assert not compute(groups_of(paris, text), FeatureContext(paris, None)).any()
    assert compute(groups_of(paris, text), FeatureContext.of(paris, None)).any()


def test_windows_are_those_of_all_mentions_of_a_name(paris: KB) -> None:
    text = "Paris Texas . " + "word " * 40 + "Paris France"
    second = text.rindex("Paris")
    mentions = (Mention("Paris", start=0, end=5), Mention("Paris", start=second, end=second + 5))
    groups = groups_of(paris, Document(text=text, mentions=mentions))
    indptr, near = windows_of(groups, FeatureContext.of(paris, None))
    found = {str(paris.name_index.tokens[int(word)]) for word in near[indptr[0] : indptr[1]] if word >= 0}
    assert found == {"texas", "france"}


# text about the source


def test_names_and_words_about_the_source_are_evidence_not_mentions(paris: KB) -> None:
    linker = Linker(paris, allow_nil=False)
    plain = {"mentions": [{"text": "Paris"}]}
    assert entities(linker, plain) == ["fr"]
    assert entities(linker, {**plain, "about": "News of Lamar County, Texas"}) == ["tx"]
    linked = linker.link({**plain, "about": "News of Lamar County, Texas"})
    assert len(linked.links) == 1
    assert linked.document.mentions == (Mention("Paris"),)
    assert linked.to_dict()["about"] == "News of Lamar County, Texas"


def test_the_linkers_own_text_counts_for_all_documents(paris: KB) -> None:
    linker = Linker(paris, allow_nil=False, about="News of Lamar County, Texas")
    assert entities(linker, {"mentions": [{"text": "Paris"}]}) == ["tx"]
    options = linker.path_and_options[1]
    assert options.about == "News of Lamar County, Texas"


def test_documents_with_and_without_about_in_one_batch(paris: KB) -> None:
    linker = Linker(paris, allow_nil=False)
    names = {"mentions": [{"text": "Paris"}, {"text": "Springfield"}]}
    documents = [names, {**names, "about": "Lamar County, Texas"}, {**names, "about": "xyzzy"}, names]
    found = [[link.entity for link in linked.links] for linked in linker.link_batch(documents)]
    assert found == [entities(linker, document) for document in documents]
    assert [each[0] for each in found] == ["fr", "tx", "fr", "fr"]


def test_witnesses_are_the_last_mentions_of_their_document(paris: KB) -> None:
    documents = [Document(mentions=(Mention("Paris"),), about="Texas"), Document(text="Dallas")]
    batch = batch_maker(paris, needs_vectors=False).make(documents)
    assert [mention.text for mention in batch.mentions] == ["Paris", "Texas", "Dallas"]
    assert batch.is_own.tolist() == [True, False, True]
    assert [(first, last) for _, first, last in batch.own_spans()] == [(0, 1), (2, 3)]
    assert batch.detected is not None
    assert batch.detected.tolist() == [False, False, True]


def test_about_that_is_no_text_passes_through(paris: KB) -> None:
    record = {"mentions": [{"text": "Paris"}], "about": {"@id": "x"}}
    assert as_document(record).about is None
    assert Linker(paris).link(record).to_dict()["about"] == {"@id": "x"}
    with pytest.raises(DocumentError, match="the about of a document is of the type int; expected a string"):
        Document(mentions=(), about=3)  # type: ignore[arg-type]


def test_a_text_and_its_about_are_read_by_all_methods(paris: KB) -> None:
    for method in ("degree", "namematch", "prior-name", "selftrained"):
        linked = Linker(paris, method=method).link({"text": "Paris lies there", "about": "Texas"})
        assert [link.mention.text for link in linked.links] == ["Paris"]


def test_about_alone_changes_nothing_where_nothing_is_said(paris: KB) -> None:
    linker = Linker(paris)
    plain = {"mentions": [{"text": "Paris"}]}
    without, blank = (linker.link(each).links[0] for each in (plain, {**plain, "about": " "}))
    assert without.ranking == blank.ranking
    assert np.isfinite([candidate.score for candidate in blank.ranking]).all()

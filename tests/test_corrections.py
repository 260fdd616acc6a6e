"""People's corrections are remembered: from training to candidates, features, detection and words."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from helpers.kbs import TINY_EDGES, TINY_NODES, build_from_records, write_sources

from eigenthemes import KB, build_kb, read_documents
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.evaluation.comparison import evaluate
from eigenthemes.linker import Linker
from eigenthemes.names.generator import CandidateGenerator, CandidateOptions
from eigenthemes.names.name_memory import Memory
from eigenthemes.names.name_memory import remembering as open_with_memory
from eigenthemes.names.retrieval import MATCH_TYPES, REMEMBERED
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.pipeline.mention_groups import MentionGroups
from eigenthemes.ranking.features import FeatureContext, memory
from eigenthemes.ranking.ranker import Ranker
from eigenthemes.records import Document, Mention
from eigenthemes.selftrain.gold import self_trained, without_own
from eigenthemes.selftrain.training import self_train
from eigenthemes.train import train_kb

HERE, ELSEWHERE = "Yesterday the blue planet won.", "Today the blue planet lost."


def correction(name: str, gold: str | None, text: str = HERE, **source: object) -> Document:
    start = text.index(name)
    mention = Mention(name, start, start + len(name), gold=() if gold is None else (gold,), source=source)
    return Document(text=text, mentions=(mention,))


def linked_names(kb: KB, text: str) -> dict[str, str | None]:
    return {link.mention.text: link.entity for link in Linker(kb).link(text).links}


@pytest.fixture
def remembering(trained_tiny_copy: KB) -> KB:
    return train_kb(trained_tiny_copy.path, [correction("blue planet", "us")])


def test_a_single_correction_to_an_entity_that_no_list_had_is_followed(remembering: KB, trained_tiny: KB) -> None:
    assert "blue planet" not in linked_names(trained_tiny, ELSEWHERE)
    assert linked_names(remembering, ELSEWHERE) == {"blue planet": "us"}
    link = Linker(remembering).link({"mentions": [{"text": "Blue Planet"}]}).links[0]
    assert link.entity == "us"


def test_it_is_a_candidate_of_its_own_match_type(remembering: KB) -> None:
    (found,) = [each for each in CandidateGenerator(remembering).records("Blue planet") if each.id == "us"]
    assert (found.match_type, found.matched_name) == ("remembered", "Blue planet")
    generator = CandidateGenerator(remembering)
    names = ["blue planet", "Paris", "nothing at all", "blue planet"] * 40
    table = generator.find_batch(names)  # compiled
    for number, name in enumerate(names[:4]):
        rows, alone = table.mention_of == number, generator.find(name)
        for column in ("entity", "rank", "prior", "match_type"):
            assert getattr(table, column)[rows].tolist() == getattr(alone, column).tolist()
    assert MATCH_TYPES[REMEMBERED] == "remembered"


@pytest.mark.parametrize(("options", "found"), [({"generator": "paper"}, False), ({"remembers": False}, False), ({}, True)])
def test_only_our_generator_remembers(remembering: KB, options: dict[str, object], found: bool) -> None:
    generator = CandidateGenerator(remembering, **options)  # type: ignore[arg-type]
    assert (remembering.index_of("us") in generator.find("blue planet").entity.tolist()) == found


def test_asked_types_hold_for_what_is_remembered(tmp_path: Path) -> None:
    nodes = [{"id": "a", "name": "Alpha", "type": "A"}, {"id": "b", "name": "Beta", "type": "B"}]
    kb = train_kb(build_from_records(tmp_path, nodes).path, [correction("blue planet", "b")])
    for types, expected in ((("A",), [None]), (("B",), ["b"])):
        linker = Linker(kb, candidates=CandidateOptions(only_types=types), method="prior-name")
        assert [link.entity for link in linker.link({"mentions": [{"text": "blue planet"}]}).links] == expected


def test_none_is_remembered(trained_tiny_copy: KB) -> None:
    text = "He lives in Iowa."
    assert linked_names(trained_tiny_copy, text) == {"Iowa": "iowa"}
    kb = train_kb(trained_tiny_copy.path, [correction("Iowa", None, "Iowa is a film.")])
    assert linked_names(kb, text) == {"Iowa": None}


def test_not_a_name_is_remembered_where_names_are_found(trained_tiny_copy: KB) -> None:
    text = "He lives in Iowa."
    kb = train_kb(trained_tiny_copy.path, [correction("Iowa", None, "The USS Iowa sank.", not_a_name=True)])
    assert linked_names(kb, text) == {"Iowa": None}
    given = Linker(kb).link({"mentions": [{"text": "Iowa"}]}).links[0]
    assert given.entity == "iowa"  # whoever gives a mention says that it is one


def test_what_a_document_said_holds_when_it_is_linked_again(trained_tiny_copy: KB) -> None:
    """However clear the rest of the evidence is."""
    text = "Michael Jordan of the National Basketball Association met America."
    before = linked_names(trained_tiny_copy, text)
    assert before["Michael Jordan"] == "mj"
    kb = train_kb(trained_tiny_copy.path, [correction("Michael Jordan", "wittgenstein", text)])
    assert linked_names(kb, text)["Michael Jordan"] == "wittgenstein"


def test_case_that_was_never_seen_small_is_not_found_small(trained_tiny_copy: KB) -> None:
    kb = train_kb(trained_tiny_copy.path, [correction("AIDS", "who", "They fight AIDS.")])
    assert linked_names(kb, "More AIDS here.") == {"AIDS": "who"}
    assert linked_names(kb, "He aids them.") == {}


def test_a_second_training_adds_and_the_same_document_replaces(remembering: KB) -> None:
    kb = train_kb(remembering.path, [correction("red planet", "iowa", "The red planet.")])
    assert linked_names(kb, "A blue planet, and a red planet.") == {"blue planet": "us", "red planet": "iowa"}
    kb = train_kb(kb.path, [correction("blue planet", "paris")])
    assert linked_names(kb, ELSEWHERE) == {"blue planet": "paris"}


def test_few_corrections_leave_the_weights_and_take_no_training(remembering: KB, trained_tiny: KB) -> None:
    assert remembering.rankers == trained_tiny.rankers


def many_corrections(many: int) -> list[Document]:
    return [correction("Paris", "paris-tx", f"Paris, number {i}.") for i in range(many)]


def test_weights_are_fitted_from_twenty_on_and_start_where_they_did(trained_tiny_copy: KB) -> None:
    """Also where the twenty came in several parts: the memory keeps what fitting needs."""
    path, before = trained_tiny_copy.path, trained_tiny_copy.rankers["prone"]
    first = train_kb(path, many_corrections(12)).rankers["prone"]
    assert first == before
    both = train_kb(path, many_corrections(24)[12:]).rankers["prone"]
    assert both["gold"]["documents"] == both["gold"]["mentions"] == 24
    assert both["rounds"] != before["rounds"]
    assert both["self_trained"]["rounds"] == before["rounds"]
    start = self_trained(KB.open(path), None, seed=before["training"]["seed"])
    assert start is not None
    assert start.to_dict() == Ranker.of(before).to_dict()
    again = train_kb(path, many_corrections(24)[12:]).rankers["prone"]
    assert again == both


def test_corrections_that_fitting_cannot_use_are_remembered_all_the_same(trained_tiny_copy: KB) -> None:
    documents = [correction(f"planet {i}x", "us", f"A planet {i}x.") for i in range(30)]
    kb = train_kb(trained_tiny_copy.path, documents)
    assert "gold" not in kb.rankers["prone"]
    assert linked_names(kb, "The planet 7x shines.") == {"planet 7x": "us"}


def test_gold_that_has_nothing_to_do_with_the_kb_is_refused(trained_tiny_copy: KB) -> None:
    with pytest.raises(DocumentError, match="Q42"):
        train_kb(trained_tiny_copy.path, [correction("blue planet", "Q42")])
    with pytest.raises(DocumentError, match="no mention has gold"):
        train_kb(trained_tiny_copy.path, [Document(text=HERE)])
    assert not Memory.of(KB.open(trained_tiny_copy.path))


# entities that are gone


def rebuilt(kb: KB, folder: Path, drop: str, **node: object) -> KB:
    """Build the KB again without an entity; with another node, if given."""
    folder.mkdir(exist_ok=True)
    nodes = [each for each in TINY_NODES if each["id"] != drop] + ([node] if node else [])
    edges = [edge for edge in TINY_EDGES if drop not in edge]
    return build_kb(write_sources(folder, nodes, edges), kb.path, force=True)


@pytest.fixture
def iowa_corrected(trained_tiny_copy: KB) -> KB:
    return train_kb(trained_tiny_copy.path, [correction("Paris", "iowa", f"Paris, number {i}.") for i in range(3)])


def test_a_correction_to_an_entity_that_is_gone_is_kept_without_effect(iowa_corrected: KB, tmp_path: Path) -> None:
    text = "Yesterday in Paris."
    assert linked_names(iowa_corrected, text) == {"Paris": "iowa"}
    kb = rebuilt(iowa_corrected, tmp_path / "less", "iowa")
    assert linked_names(kb, text)["Paris"] in ("paris", "paris-tx")  # not "none of this KG"
    assert kb.manifest["memory"]["gone"] == 3
    assert any("3 corrections are to entities that the new KG lacks" in note for note in kb.manifest["notes"])
    assert [answer.gone for document in Memory.of(kb).corrected for answer in document.answers] == [True] * 3
    kb = train_kb(kb.path, [correction("blue planet", "us")])  # training keeps the mark
    assert kb.manifest["memory"]["gone"] == 3
    again = build_kb(write_sources(tmp_path, TINY_NODES, TINY_EDGES), kb.path, force=True)  # and it comes back
    assert linked_names(again, text) == {"Paris": "iowa"}
    assert "gone" not in again.manifest["memory"]


def test_corrections_that_are_gone_do_not_teach_that_names_mean_nothing(trained_tiny_copy: KB, tmp_path: Path) -> None:
    gold = [correction("Paris", "iowa", f"Paris, number {i}.") for i in range(12)]
    gold += [correction("Paris", "paris-tx", f"In Paris, number {i}.") for i in range(12)]
    train_kb(trained_tiny_copy.path, gold)
    kb = rebuilt(trained_tiny_copy, tmp_path / "less", "iowa")
    assert kb.rankers["prone"]["gold"]["mentions"] == 12
    lines = [json.loads(line) for line in kb.memory_lines]
    assert sum(mention.get("gone", False) for line in lines for mention in line["mentions"]) == 12
    (tmp_path / "again.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    again = train_kb(kb.path, read_documents([tmp_path / "again.jsonl"]))  # what `corrections --json` prints goes in again
    assert Memory.of(again) == Memory.of(kb)
    assert again.rankers["prone"]["gold"]["mentions"] == 12


def test_a_correction_follows_its_entity_to_another_id(iowa_corrected: KB, tmp_path: Path) -> None:
    turtle = tmp_path / "moved.ttl"
    turtle.write_text(
        '<http://x.org/new> <http://www.w3.org/2000/01/rdf-schema#label> "Hawkeye State" .\n'
        "<iowa> <http://purl.org/dc/terms/isReplacedBy> <http://x.org/new> .\n".replace("<iowa>", "<http://x.org/iowa>")
    )
    path = train_kb(rebuilt(iowa_corrected, tmp_path / "less", "nothing", id="http://x.org/iowa", name="Hawkeye").path, [
        correction("Corn", "http://x.org/iowa", "Corn grows.")]).path  # fmt: skip
    sources = write_sources(tmp_path, TINY_NODES, TINY_EDGES)
    kb = build_kb([*sources, turtle], path, force=True)
    assert linked_names(kb, "They like Corn.") == {"Corn": "http://x.org/new"}


# features


def context_and_groups(kb: KB, said: list[Document], document: Document) -> tuple[FeatureContext, MentionGroups]:
    opened = open_with_memory(kb, Memory().with_documents(said))
    return FeatureContext(opened, None, leaves_out_own=True), MentionGroups.of(
        batch_maker(opened, needs_vectors=False).make([document])
    )


def test_what_a_document_says_itself_does_not_count_in_training(tiny: KB) -> None:
    own, other = correction("Paris", "paris-tx", "Paris!"), correction("Paris", "paris", "Paris?")
    context, groups = context_and_groups(tiny, [own, other], own)
    columns = memory.compute(groups, context)
    by_id = dict(zip((tiny.id_of(int(each)) for each in groups.entity), columns.tolist(), strict=True))
    assert by_id["paris"] == pytest.approx([np.log(2), 0.5, 0, 0, 0])
    assert by_id["paris-tx"] == [0, 0, 0, 0, 0]


def test_a_candidate_that_only_the_document_itself_gave_is_taken_out(tiny: KB) -> None:
    own = correction("blue planet", "us")
    for said, left in (([own], False), ([own, correction("blue planet", "us", ELSEWHERE)], True)):
        context, groups = context_and_groups(tiny, said, own)
        assert (tiny.index_of("us") in without_own(groups.batch, context).table.entity) == left


def test_corrections_of_a_name_that_many_have_count_for_less(tmp_path: Path) -> None:
    nodes = [{"id": f"s{i}", "name": "Springfield"} for i in range(6)] + [{"id": "o", "name": "Only One"}]
    kb = build_from_records(tmp_path, nodes, [("s0", "o")])
    said = [Document(id=i, mentions=(Mention("Springfield", gold=("s2",)), Mention("Only One", gold=("o",)))) for i in range(3)]
    context, groups = context_and_groups(kb, said, Document(id="new", mentions=said[0].mentions))
    so, share = memory.compute(groups, context)[:, :2].T
    chosen = {kb.id_of(entity): row for row, entity in enumerate(groups.entity.tolist())}
    assert so[chosen["o"]] == pytest.approx(np.log(4))
    assert share[chosen["o"]] == pytest.approx(3 / 4)
    assert 0 < so[chosen["s2"]] < so[chosen["o"]]
    assert share[chosen["s2"]] == pytest.approx(3 / (4 + 2 * np.log(6)))
    assert so[chosen["s1"]] == share[chosen["s1"]] == 0


def test_made_up_documents_do_not_see_the_memory(remembering: KB, trained_tiny: KB) -> None:
    assert self_train(remembering, documents=20).to_dict() == self_train(trained_tiny, documents=20).to_dict()


# names that people give, and new builds


def test_names_can_be_given_at_build_and_outlive_a_new_build(tmp_path: Path) -> None:
    sources = write_sources(tmp_path, TINY_NODES, TINY_EDGES)
    kb = build_kb(sources, tmp_path / "a.kb", names=[("Big Apple", "us")], train=False)
    assert [each.id for each in CandidateGenerator(kb).records("big apple")] == ["us"]
    again = build_kb(sources, tmp_path / "a.kb", force=True, train=False)
    assert Memory.of(again) == Memory.of(kb)
    assert all(right for _, right in again.verify())


def test_names_of_unknown_entities_are_refused(tmp_path: Path) -> None:
    sources = write_sources(tmp_path, TINY_NODES, TINY_EDGES)
    with pytest.raises(OptionError, match="Q60 is to be called Big Apple"):
        build_kb(sources, tmp_path / "a.kb", names=[("Big Apple", "Q60")], train=False)
    assert not (tmp_path / "a.kb").exists()


# words and figures


def test_explanations_say_it(remembering: KB) -> None:
    kb = train_kb(remembering.path, [correction("blue planet", "us", f"{i}: a blue planet") for i in range(11)])
    link = Linker(kb, explain=True).link(ELSEWHERE).links[0]
    assert link.explanation is not None
    assert "linked so 12 times in your corrections" in link.explanation.sentence
    assert link.explanation.to_dict()["memory"] == {
        "linked": 12, "otherwise": 0, "none": 0, "not_a_name": 0, "here": False,
    }  # fmt: skip


def test_evaluation_counts_documents_that_were_trained_on(remembering: KB) -> None:
    gold = [correction("blue planet", "us"), correction("blue planet", "us", ELSEWHERE)]
    assert evaluate(remembering, gold, ["selftrained"]).trained_on == 1


def test_an_added_name_holds_in_every_form_and_interface(tmp_path: Path) -> None:
    nodes = [
        {"id": f"c{i}", "name": f"{name} Industries, Inc."} for i, name in enumerate(("Acme", "Globex", "Initech", "Umbrella"))
    ]
    sources = write_sources(tmp_path / "s", nodes, [("c0", "c1"), ("c1", "c2"), ("c2", "c3")])
    kb = build_kb(sources, tmp_path / "my.kb", names=[("Big Blue Box", "c2"), ("Zorblat", "c2")])
    linker = Linker(kb)
    forms = (
        "Big Blue Box",
        "the Big Blue Box",
        "BIG BLUE BOX",
        "Big-Blue Box",
        "Big Blue Box Corp.",
        "big blue box",
        "Big Blue Box's",
    )
    for form in (*forms, "Zorblats", "Zorblat's", "zorblat"):
        (link,) = linker.link({"mentions": [{"text": form}]}).links
        assert link.entity == "c2", form
        assert [each.entity for each in linker.link(f"Yesterday we met {form} again.").links] == ["c2"], form
        table = linker.link_table({"header": ["name"], "rows": [[form], ["Acme Industries"]]}, columns=[0])
        assert [each.entity for each in table.links] == ["c2", "c0"], form


def test_added_names_make_no_links_of_common_words_and_keep_their_meanings(tmp_path: Path) -> None:
    companies = "Acme Industries, Inc.", "Globex Partners, Inc.", "Initech Systems, Inc.", "Umbrella Foods, Inc."
    nodes = [{"id": f"c{i}", "name": name} for i, name in enumerate(companies)]
    sources = write_sources(tmp_path / "s", nodes, [("c0", "c1"), ("c1", "c2"), ("c2", "c3")])
    added = [("The Market", "c0"), ("the bank group", "c1"), ("Delta Inc", "c2"), ("Delta Corp", "c3"), ("Gates", "c3")]
    linker = Linker(build_kb(sources, tmp_path / "my.kb", names=added))
    assert linker.link("The stock market fell, and bank loans rose at the gate.").links == ()
    assert [link.entity for link in linker.link("We went to The Market.").links] == ["c0"]
    assert linker.link({"mentions": [{"text": "gate"}]}).links[0].entity is None
    (delta,) = Linker(linker.kb, top=2).link({"mentions": [{"text": "Delta"}]}).links
    assert {candidate.id for candidate in delta.ranking} == {"c2", "c3"}

"""What people said names mean: kept in the KB folder, by document and by name."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eigenthemes import KB
from eigenthemes.build import embed_kb
from eigenthemes.errors import KBDamagedError
from eigenthemes.kb.manifest import replace_manifest
from eigenthemes.kb.writer import KBWriter
from eigenthemes.names.name_memory import ADDED, Memory, NameMemories, document_key, key_of, name_memories
from eigenthemes.records import Document, Mention, Table
from eigenthemes.train import forget, train_kb

TEXT = "Paris is in Texas."


def said(*pairs: tuple[str, str | None], text: str | None = TEXT, id: str | None = None) -> Document:
    """A document that says what names mean; None: none of the KG."""
    mentions = tuple(Mention(name, gold=() if gold is None else (gold,)) for name, gold in pairs)
    return Document(id=id, text=text, mentions=mentions)


def not_a_name(name: str, text: str = TEXT) -> Document:
    return Document(text=text, mentions=(Mention(name, gold=(), source={"not_a_name": True}),))


def stored(kb: KB, memory: Memory) -> KB:
    """Write a memory into a KB as training does."""
    with KBWriter(kb.path, base=kb) as writer:
        memory.write(writer)
        return writer.commit({**kb.described, **memory.described()})


def test_what_goes_in_comes_out(tiny_copy: KB) -> None:
    memory = Memory().with_documents([said(("Paris", "paris-tx"), ("Yeti", None), id="a"), not_a_name("Will", "Will he?")])
    memory = memory.with_names([("Big Apple", "us")])
    kb = stored(tiny_copy, memory)
    assert Memory.of(kb) == Memory.of(KB.open(kb.path)) == memory
    assert kb.manifest["memory"] == {
        "documents": 2, "corrections": 3, "names": 3, "none": 1, "not_a_name": 1, "added_names": 1,
    }  # fmt: skip
    assert all(right for _, right in kb.verify())


def test_a_kb_without_memory_has_an_empty_one(tiny: KB) -> None:
    assert not Memory.of(tiny)
    assert name_memories(tiny) is None


@given(st.lists(st.tuples(st.text(min_size=1), st.lists(st.text(), max_size=2), st.booleans()), min_size=1, max_size=5))
def test_lines_hold_any_names_and_ids(answers: list[tuple[str, list[str], bool]]) -> None:
    mentions = tuple(Mention(name, gold=tuple(gold), source={"not_a_name": no_name}) for name, gold, no_name in answers)
    document = Document(mentions=mentions)
    (remembered,) = Memory().with_documents([document]).documents.values()
    assert [(each.text, list(each.gold), each.not_a_name) for each in remembered.answers] == answers
    again = remembered.to_document()
    assert document_key(again) == remembered.key
    assert Memory().with_documents([again]).documents == {remembered.key: remembered}


def test_the_same_document_again_replaces_what_it_said() -> None:
    memory = Memory().with_documents([said(("Paris", "paris"), ("Texas", "us"))]).with_documents([said(("Paris", "paris-tx"))])
    (only,) = memory.documents.values()
    assert [(each.text, each.gold) for each in only.answers] == [("Paris", ("paris-tx",))]


def test_a_document_is_the_same_by_its_text_else_its_table_else_its_id_else_its_names() -> None:
    keys = [
        document_key(document)
        for document in (
            said(id="a"), said(id="b"), said(text="Other.", id="a"),
            Document(id="a", table=Table(("x",), (("Paris",),))), Document(id="b", table=Table(("x",), (("Paris",),))),
            Document(id="a", mentions=()), Document(id="a", mentions=(Mention("Paris"),)), Document(id="b", mentions=()),
            Document(mentions=(Mention("Paris"),)), Document(mentions=(Mention("Rome"),)),
        )
    ]  # fmt: skip
    assert [keys.index(key) for key in keys] == [0, 0, 2, 3, 3, 5, 5, 7, 8, 9]


def test_a_document_without_gold_says_nothing() -> None:
    before = Memory().with_documents([said(("Paris", "paris"))])
    assert before.with_documents([Document(text=TEXT, mentions=(Mention("Paris"),)), Document(text="Rome")]) == before


def test_names_count_once_for_each_document(tiny: KB) -> None:
    documents = [said(("Paris", "paris-tx"), ("PARIS", "paris-tx"), text=str(i)) for i in range(3)]
    documents += [
        said(("paris", "paris"), ("Paris", None), text="x"),
        not_a_name("Paris", "y"),
        said(("Paris", "Q90"), text="z"),
    ]
    memories = NameMemories(tiny, Memory().with_documents(documents))
    found = memories.find("paris")
    assert found is not None
    assert found.linked == {tiny.index_of("paris-tx"): 3, tiny.index_of("paris"): 1}
    assert (found.none, found.not_a_name, found.total) == (2, 1, 6)
    assert found.spellings == {"Paris", "PARIS", "paris"}
    assert memories.find("rome") is None


def test_a_document_can_be_left_out(tiny: KB) -> None:
    one, other = said(("Paris", "paris-tx")), said(("Paris", "paris"), text="x")
    memories = NameMemories(tiny, Memory().with_documents([one, other]))
    found = memories.find("paris", without=memories.corrections_in(one)[key_of("Paris")])
    assert found is not None
    assert found.linked == {tiny.index_of("paris"): 1}
    assert one in memories
    assert said(text="never seen") not in memories


def test_names_and_documents_can_be_forgotten() -> None:
    memory = Memory().with_documents(
        [said(("Paris", "paris"), ("Rome", None), id="a"), said(("Paris", "us"), text="x", id="b")]
    )
    memory = memory.with_names([("Paris", "us"), ("Big Apple", "us")])
    rest = memory.without(names=["PARIS"])
    assert [each.text for document in rest.documents.values() for each in document.answers] == ["Rome", "Big Apple"]
    assert {document.id for document in memory.without(document_ids=["a"]).documents.values()} == {"b", None}
    assert not memory.without(document_ids=["a", "b", ADDED])


def test_training_embedding_and_adapting_keep_it(trained_tiny_copy: KB) -> None:
    path = trained_tiny_copy.path
    train_kb(path, [said(("Paris", "paris-tx"))], names=[("Big Apple", "us")])
    before = Memory.of(KB.open(path))
    assert Memory.of(embed_kb(path, name="other", train=False)) == before
    assert Memory.of(train_kb(path, seed=1)) == before


def test_forgetting_all_leaves_no_trace(tiny_copy: KB) -> None:
    before = tiny_copy.manifest
    kb = stored(tiny_copy, Memory().with_documents([said(("Paris", "paris"))]))
    assert kb.manifest != before
    assert forget(kb.path, everything=True).manifest == before


@pytest.mark.parametrize("line", ["{", "[]", '{"key": "a"}', '{"key": "a", "mentions": [{"text": "x"}]}'])
def test_a_damaged_memory_is_told(tiny_copy: KB, line: str) -> None:
    kb = stored(tiny_copy, Memory().with_documents([said(("Paris", "paris"))]))
    with KBWriter(kb.path, base=kb) as writer:
        writer.add("memory_blob", np.frombuffer(line.encode(), np.uint8))
        writer.add("memory_offsets", np.array([0, len(line)]))
        writer.commit(kb.described)
    with pytest.raises(KBDamagedError, match="memory_blob"):
        Memory.of(KB.open(kb.path))


def test_a_manifest_with_a_strange_memory_is_refused(tiny_copy: KB) -> None:
    manifest = {**tiny_copy.manifest, "memory": {"documents": "many"}}
    replace_manifest(tiny_copy.path, manifest)
    with pytest.raises(KBDamagedError, match="is not whole"):
        KB.open(tiny_copy.path)


def test_lines_are_documents_that_training_takes(tiny_copy: KB, tmp_path: Path) -> None:
    memory = Memory().with_documents([said(("Paris", "paris-tx"), ("Yeti", None))])
    lines = [json.loads(line) for line in stored(tiny_copy, memory).memory_lines]
    assert lines == [document.to_dict() for document in memory.documents.values()]
    assert lines[0]["mentions"] == [{"text": "Paris", "gold": ["paris-tx"]}, {"text": "Yeti", "gold": []}]

"""The entities of a KB as people see them: by id, by prefix of a name, in order, with all their relations."""

from __future__ import annotations

import pickle
import threading
from pathlib import Path

import pytest
from helpers.files import write_jsonl
from helpers.kbs import TINY_NODES as NODES

from eigenthemes import KB, build_kb
from eigenthemes.errors import KBError, OptionError
from eigenthemes.records import Entity, Neighbor
from eigenthemes.text.normalize import normalize


def ids(entities: list[Entity]) -> list[str]:
    return [entity.id for entity in entities]


def test_an_entity_by_its_id(tiny: KB) -> None:
    prior = float(tiny.prior[tiny.ids[:].index("mj")])
    expected = Entity("mj", "Michael Jordan", ("Air Jordan", "MJ"), "basketball player", (), prior)
    assert tiny["mj"] == tiny.get("mj") == expected
    assert "mj" in tiny
    assert "nobody" not in tiny
    assert 0 not in tiny
    assert tiny.get("nobody") is None
    with pytest.raises(KeyError, match="nobody"):
        tiny["nobody"]
    with pytest.raises(KeyError):
        tiny[0]  # type: ignore[index]


def test_iterating_gives_every_entity_from_the_highest_prior_down(tiny: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    entities = list(tiny)
    assert len(entities) == len(tiny) == 16
    assert {entity.id for entity in entities} == {str(node["id"]) for node in NODES} | {"nameless"}
    assert [entity.prior for entity in entities] == sorted((entity.prior for entity in entities), reverse=True)
    assert entities == [tiny[entity.id] for entity in entities]
    monkeypatch.setattr("eigenthemes.kb.store._BLOCK", 3)
    assert list(tiny) == entities


def test_a_connector_shows_its_id_as_label(tiny: KB) -> None:
    assert (tiny["nameless"].label, tiny["nameless"].aliases) == ("nameless", ())


def test_types_and_redirects(tmp_path: Path) -> None:
    obo = "format-version: 1.4\n\n[Term]\nid: X:1\nname: heart\nnamespace: organs\nalt_id: X:9\n"
    (tmp_path / "x.obo").write_text(obo)
    kb = build_kb([tmp_path / "x.obo"], tmp_path / "x.kb")
    assert kb["X:9"] == kb["X:1"] == Entity("X:1", "heart", (), "", ("organs",), 0.0)


@pytest.mark.parametrize(
    ("prefix", "expected"),
    [
        ("mich", ["mj", "mij"]),
        ("MICHAEL J", ["mj", "mij"]),
        ("michael i. j", ["mij"]),
        ("jordan", ["jo"]),
        ("par", ["paris", "paris-tx"]),
        ("Ville lumiere", ["paris"]),
        ("al-Q", ["qaeda"]),
        ("東", ["tokyo"]),
        ("東京都", ["tokyo"]),
        ("unit", ["us"]),
        ("unit ", []),
        ("united ", ["us"]),
        ("zzz", []),
        ("Michael Jordan the", []),
    ],
)
def test_search_by_the_beginning_of_a_name(tiny: KB, prefix: str, expected: list[str]) -> None:
    assert ids(tiny.search(prefix)) == expected


def test_search_agrees_with_a_look_at_every_name(tiny: KB) -> None:
    for prefix in ("m", "mi", "i", "io", "t", "the", "u", "us", "w", "world h", "a", "p"):
        begins = [e for e in tiny if e.label != e.id and any(normalize(n).startswith(prefix) for n in (e.label, *e.aliases))]
        assert tiny.search(prefix, limit=None) == begins


def test_search_gives_the_best_few(tiny: KB) -> None:
    named = [entity.id for entity in tiny if entity.id != "nameless"]
    assert ids(tiny.search("", limit=None)) == named
    assert ids(tiny.search("", limit=4)) == named[:4]
    assert len(tiny.search("")) == 10
    with pytest.raises(OptionError, match="limit is 0"):
        tiny.search("a", limit=0)


@pytest.fixture
def friends(tmp_path: Path) -> KB:
    edges = [("a", "knows", "b"), ("b", "knows", "a"), ("a", "married to", "b"), ("a", "knows", "c"), ("c", "knows", "d")]
    records: list[dict[str, object]] = [{"id": name, "name": name.upper()} for name in "abcd"]
    records += [{"source": a, "relation": relation, "target": b} for a, relation, b in [*edges, edges[0]]]
    return build_kb([write_jsonl(tmp_path / "kg.jsonl", records)], tmp_path / "friends.kb", train=False, embedding=None)


def test_all_relations_of_a_pair_are_kept_with_their_direction(friends: KB) -> None:
    relations = [("married to", False), ("knows", False), ("knows", True)]
    assert friends.relations_between("a", "b") == [Neighbor("b", "B", name, reverse) for name, reverse in relations]
    assert friends.relations_between("b", "a") == [Neighbor("a", "A", name, not reverse) for name, reverse in relations]
    assert friends.relations_between("a", "d") == []
    assert friends.manifest["counts"]["further_relations"] == 2


def test_neighbors_are_in_order_of_prior(friends: KB) -> None:
    assert [(n.id, n.relation, n.reverse) for n in friends.neighbors("c")] == [("a", "knows", True), ("d", "knows", False)]
    assert friends.neighbors("c", limit=1) == friends.neighbors("c")[:1]
    assert friends.neighbors("a", limit=2) == friends.neighbors("a")[:2]
    with pytest.raises(KeyError):
        friends.neighbors("nobody")


def test_each_name_keeps_its_language(tmp_path: Path) -> None:
    label, alt = "<http://www.w3.org/2000/01/rdf-schema#label>", "<http://www.w3.org/2004/02/skos/core#altLabel>"
    lines = [f'<x:a> {label} "Rose"@en .', f'<x:a> {label} "Rose"@de .', f'<x:a> {label} "rosier"@fr .', f'<x:a> {alt} "Ros" .']
    (tmp_path / "kg.nt").write_text("\n".join(lines) + "\n")
    kb = build_kb([tmp_path / "kg.nt"], tmp_path / "a.kb")
    # one that comes twice keeps the language of the first
    assert kb.names_with_languages("x:a") == [("Rose", "en"), ("rosier", "fr"), ("Ros", "")]
    kgtk = "node1\tlabel\tnode2\nQ1\tlabel\t'Ada'@en\nQ1\talias\t'Gräfin'@de\nQ1\talias\t\"AAL\"\n"
    (tmp_path / "kg.tsv").write_text(kgtk)
    kb = build_kb([tmp_path / "kg.tsv"], tmp_path / "b.kb")
    assert kb.names_with_languages("Q1") == [("Ada", "en"), ("AAL", ""), ("Gräfin", "de")]  # untagged before foreign
    labels, aliases = {"en": {"language": "en", "value": "Ada"}}, {"de": [{"language": "de", "value": "AAL"}]}
    write_jsonl(tmp_path / "kg.json", [{"id": "Q1", "labels": labels, "aliases": aliases}])
    kb = build_kb([tmp_path / "kg.json"], tmp_path / "c.kb")
    assert kb.names_with_languages("Q1") == [("Ada", "en"), ("AAL", "de")]


def test_names_without_a_language_say_none(bare: KB) -> None:
    assert bare.names_with_languages("a") == [("Alpha", ""), ("First letter", "")]


def test_a_kb_in_a_with_statement_lets_go_of_its_files(tiny: KB) -> None:
    with KB.open(tiny.path) as kb:
        assert kb["mj"].label == "Michael Jordan"
        prior = kb.prior
    with pytest.raises(KBError, match="was closed; open it again"):
        kb["mj"]
    assert prior.tolist() == tiny.prior.tolist()


def test_a_pickled_kb_is_its_path(tiny: KB) -> None:
    list(tiny)
    pickled = pickle.dumps(tiny)
    assert len(pickled) < 1000
    assert list(pickle.loads(pickled)) == list(tiny)


def test_a_pickled_kb_that_was_replaced_is_told(friends: KB, tmp_path: Path) -> None:
    pickled = pickle.dumps(friends)
    build_kb([write_jsonl(tmp_path / "other.jsonl", [{"id": "z", "name": "Z"}])], friends.path, force=True)
    with pytest.raises(KBError, match="replaced by another process since it was opened; open it again"):
        pickle.loads(pickled)


def test_threads_may_share_a_cold_kb(tiny: KB) -> None:
    for _ in range(5):
        made, answers = use_from_threads(KB.open(tiny.path), 8)
        assert answers == [look_around(tiny)] * 8
        assert made == 1


def look_around(kb: KB) -> list[list[str]]:
    return [ids(kb.search("mich")), [entity.id for entity in kb], [neighbor.id for neighbor in kb.neighbors("us")]]


def use_from_threads(kb: KB, count: int) -> tuple[int, list[list[list[str]]]]:
    """How often something cached was made, and what each of the threads saw."""
    start, made, answers = threading.Barrier(count), list[int](), list[list[list[str]]]()

    def make(_: KB) -> None:
        made.append(1)

    def work() -> None:
        start.wait()
        kb.cached(make)
        answers.append(look_around(kb))

    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(made), answers

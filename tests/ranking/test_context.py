"""The words of the text as a method and as weights: local and global context, as the paper has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from helpers.files import write_jsonl
from helpers.kbs import build_untrained, store_vectors
from helpers.scoring import scores_of
from hypothesis import given, settings
from hypothesis import strategies as st

from eigenthemes import KB, Linker
from eigenthemes.cli import cli
from eigenthemes.cli.advice import advise
from eigenthemes.documents.json_lines import as_document
from eigenthemes.errors import DocumentError, OptionError, VectorError
from eigenthemes.evaluation.comparison import evaluate
from eigenthemes.pipeline.batch import batch_maker
from eigenthemes.ranking.baselines import context_scores
from eigenthemes.ranking.methods import method_named, scoring_options
from eigenthemes.ranking.options import ContextOptions, EigenOptions
from eigenthemes.text.words import is_content, noun_tagger, nouns
from eigenthemes.train import train_kb

WORDS = {
    "planet": (1, 0, 0), "orbit": (0.9, 0.1, 0), "telescope": (0.8, 0, 0.2), "metal": (0, 1, 0), "liquid": (0.1, 0.9, 0),
    "god": (0, 0, 1), "roman": (0, 0.1, 0.9), "the": (0, 1, 0), "mercury": (0, 1, 0), "shines": (0, 0.9, 0.1),
}  # fmt: skip
NODES: list[dict[str, object]] = [
    {"id": "planet", "name": "Mercury", "description": "planet in a small orbit", "prior": 1},
    {"id": "metal", "name": "Mercury", "description": "liquid metal", "prior": 3},
    {"id": "god", "name": "Mercury", "description": "roman god", "prior": 2},
    {"id": "blank", "name": "Mercury", "prior": 4},
    {"id": "other", "name": "Venus", "description": "roman god", "prior": 1},
]


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("words") / "words.txt"
    lines = [f"{word} {' '.join(map(str, vector))}" for word, vector in WORDS.items()]
    path.write_text(f"{len(lines)} 3\n" + "\n".join(lines) + "\n")
    return str(path)


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    folder = tmp_path_factory.mktemp("mercury")
    kb = build_untrained([write_jsonl(folder / "nodes.jsonl", NODES)], folder / "my.kb")
    rows = np.zeros((len(kb), 2), dtype=np.float32)
    for external, vector in {"planet": (1, 0), "metal": (0, 1), "god": (0.6, 0.8), "other": (1, 0)}.items():
        rows[kb.index_of(external)] = vector
    return store_vectors(kb, "made", rows)


def document(text: str, name: str = "Mercury") -> dict[str, Any]:
    start = text.index(name)
    return {"id": "d", "text": text, "mentions": [{"start": start, "end": start + len(name), "text": name}]}


def scores(kb: KB, method: str, given: dict[str, Any], **options: Any) -> dict[str, float]:
    batch = batch_maker(kb, needs_vectors=method_named(method).needs_vectors).make([as_document(given)])
    found = scores_of(method, batch, kb, **options)
    of_first = batch.table.mention_of == 0
    return {kb.id_of(int(each)): score for each, score in zip(batch.table.entity[of_first], found[of_first], strict=True)}


def cosine(*sides: list[str]) -> float:
    """Of the averages over the words of two texts."""
    one, other = (np.mean([WORDS[word] for word in side], axis=0) for side in sides)
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


@pytest.mark.parametrize("method", ["local-context", "global-context"])
@pytest.mark.parametrize(
    ("text", "right"),
    [("a telescope shows the planet Mercury", "planet"), ("Mercury is a metal", "metal"), ("Mercury, a god", "god")],
)
def test_the_words_of_the_text_decide(method: str, text: str, right: str, kb: KB, words: str) -> None:
    found = scores(kb, method, document(text), word_vectors=words)
    assert max(found, key=lambda each: found[each]) == right
    assert found["blank"] == 0, "no description: nothing fits"


def test_the_score_is_the_cosine_of_two_averages(kb: KB, words: str) -> None:
    text = "the telescope orbit of Mercury: unheard 1990 x roman"
    found = scores(kb, "local-context", document(text), word_vectors=words)
    assert found["planet"] == pytest.approx(cosine(["telescope", "orbit", "roman"], ["planet", "orbit"]), abs=1e-6)
    assert found["god"] == pytest.approx(cosine(["telescope", "orbit", "roman"], ["roman", "god"]), abs=1e-6)


def test_words_outside_the_window_do_not_count_and_an_empty_window_is_doubled(kb: KB, words: str) -> None:
    text = "liquid planet of Mercury and the unheard things telescope"
    one = scores(kb, "local-context", document(text), word_vectors=words, window=2)
    assert one["planet"] == pytest.approx(cosine(["planet"], ["planet", "orbit"]), abs=1e-6)
    # one word on each side: "of" and "and" say nothing; two: "planet"
    assert scores(kb, "local-context", document(text), word_vectors=words, window=1) == one
    nothing = scores(kb, "local-context", document("so it is Mercury"), word_vectors=words)
    assert set(nothing.values()) == {0.0}


def test_the_whole_document_counts_but_not_the_words_of_the_mention(kb: KB, words: str) -> None:
    text = "Mercury . mercury . " + "unheard " * 30 + " planet"
    options = ContextOptions(word_vectors=words)
    batch = batch_maker(kb, needs_vectors=False).make([as_document(document(text))])
    for kind in ("nouns", "global"):
        found = dict(zip(batch.table.entity.tolist(), context_scores(batch, kb, kind, options), strict=True))
        planet = kb.index_of("planet")
        assert planet is not None
        assert found[planet] == pytest.approx(cosine(["planet"], ["planet", "orbit"]), abs=1e-6)


def test_as_weights_all_words_count_and_as_a_method_nouns_only(kb: KB, words: str) -> None:
    batch = batch_maker(kb, needs_vectors=False).make([as_document(document("the planet Mercury shines"))])
    options = ContextOptions(word_vectors=words)
    planet = batch.table.entity == kb.index_of("planet")
    everything, only_nouns = (context_scores(batch, kb, kind, options)[planet][0] for kind in ("global", "nouns"))
    assert everything == pytest.approx(cosine(["the", "planet", "shines"], ["planet", "orbit"]), abs=1e-6)
    assert noun_tagger(), "the tests install a tagger"
    assert only_nouns == pytest.approx(cosine(["planet"], ["planet", "orbit"]), abs=1e-6)


def test_nouns_are_kept_and_other_words_are_not() -> None:
    assert noun_tagger(), "the tests install a tagger"
    assert nouns("The quick dogs of Paris ran slowly.") == ("dogs", "Paris")
    assert [word for word in "The 3 x dogs ran".split() if is_content(word)] == ["dogs", "ran"]


def test_without_a_tagger_content_words_stand_for_nouns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenthemes.text.words.find_spec", lambda name: None)
    assert noun_tagger() is None
    assert nouns("The quick dogs of Paris ran 7 times") == ("quick", "dogs", "Paris", "ran", "times")


def test_ranks_by_context_are_the_weights(kb: KB, words: str) -> None:
    """Weighed by rank, the candidate that fits the text pulls the average towards itself."""
    for text, right in (("the planet Mercury", "planet"), ("liquid metal Mercury", "metal")):
        found = scores(kb, "average", document(text), weights="local", word_vectors=words, delta=8)
        assert found[right] == pytest.approx(1, abs=1e-3), "its weight is 1, those of the others almost 0"
        assert found["blank"] < 0, "without a vector it comes last"
    # by prior the metal is first among those with a vector
    assert scores(kb, "average", document("the planet Mercury"), delta=8)["metal"] == pytest.approx(1, abs=1e-3)


def test_no_weights_are_the_unweighted_methods(kb: KB, words: str) -> None:
    for method in ("eigen", "average"):
        assert scores(kb, method, document("a Mercury"), weights="none") == scores(
            kb, f"{method}-unweighted", document("a Mercury")
        )


def test_in_a_table_the_row_is_near_and_all_cells_are_the_document(kb: KB, words: str) -> None:
    table = {
        "table": {"header": ["name", "what"], "rows": [["Mercury", "planet"], ["Venus", "metal"]]},
        "mentions": [{"row": 0, "col": 0, "text": "Mercury"}],
    }
    near = scores(kb, "local-context", table, word_vectors=words)
    assert near["planet"] == pytest.approx(cosine(["planet"], ["planet", "orbit"]), abs=1e-6)
    whole = scores(kb, "global-context", table, word_vectors=words)
    assert whole["planet"] == pytest.approx(cosine(["planet", "metal"], ["planet", "orbit"]), abs=1e-6)


def test_the_words_a_kb_keeps_are_the_same_as_those_of_the_file(kb: KB, words: str, tmp_path: Path) -> None:
    own = build_untrained([write_jsonl(tmp_path / "nodes.jsonl", [*NODES, {"id": "x", "name": "X"}])], tmp_path / "own.kb")
    kept = train_kb(own.path, word_vectors=words)
    for method in ("local-context", "global-context"):
        given = document("a liquid orbit near Mercury and a roman planet")
        from_file = scores(kept, method, given, word_vectors=words)
        assert scores(kept, method, given) == pytest.approx(from_file, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.sampled_from([*WORDS, "Mercury", "unheard", "of", "7", ".", "é\u0301", "東京"]), max_size=30),
    st.integers(1, 40),
)
def test_any_text_gets_finite_cosines(kb: KB, words: str, tokens: list[str], window: int) -> None:
    given = document(" ".join([*tokens, "Mercury", *tokens[::-1]]))
    for method, options in (("local-context", {"window": window}), ("global-context", {})):
        found = scores(kb, method, given, word_vectors=words, **options)
        assert len(found) == 4
        assert all(-1.00001 <= score <= 1.00001 for score in found.values())


def test_a_batch_is_the_same_as_one_by_one(kb: KB, words: str) -> None:
    documents = [document("the planet Mercury"), document("liquid Mercury in the orbit"), document("Mercury")]
    for method in ("local-context", "global-context"):
        together = Linker(kb, method=method, scoring=ContextOptions(word_vectors=words)).link_batch(documents)
        assert [each.links for each in together] == [
            Linker(kb, method=method, scoring=ContextOptions(word_vectors=words)).link(each).links for each in documents
        ]


def test_a_mention_without_a_place_is_taken_where_its_name_first_stands(kb: KB, words: str) -> None:
    placed = document("the planet Mercury and " + "unheard " * 20 + "liquid metal Mercury")
    bare = {**placed, "mentions": [{"text": "Mercury"}]}
    assert scores(kb, "local-context", bare, word_vectors=words) == scores(kb, "local-context", placed, word_vectors=words)
    nowhere = {**placed, "text": "the planet", "mentions": [{"text": "Mercury"}]}
    assert set(scores(kb, "local-context", nowhere, word_vectors=words).values()) == {0.0}


class TestErrors:
    def test_no_word_vectors(self, kb: KB) -> None:
        with pytest.raises(OptionError, match=r"keeps no word vectors; give a file of them, or keep them in the KB") as refused:
            Linker(kb, method="local-context")
        assert "--word-vectors FILE" in advise(refused.value, "link")
        with pytest.raises(OptionError, match="keeps no word vectors"):
            Linker(kb, method="eigen", scoring=EigenOptions(weights="global"))
        with pytest.raises(OptionError, match="keeps no word vectors"):
            evaluate(kb, [], ["global-context"])

    def test_no_descriptions(self, words: str, tmp_path: Path) -> None:
        bare = build_untrained([write_jsonl(tmp_path / "nodes.jsonl", [{"id": "a", "name": "A"}])], tmp_path / "bare.kb")
        with pytest.raises(VectorError, match=r"has a description to compare a text with; build it"):
            Linker(bare, method="local-context", scoring=ContextOptions(word_vectors=words))

    @pytest.mark.parametrize(
        ("given", "said"),
        [
            ({"id": "d", "mentions": [{"text": "Mercury"}]}, "document 'd' has no \"text\""),
            ({"mentions": [{"text": "Mercury"}]}, 'a document has no "text"'),
        ],
    )
    def test_documents_without_words_around_their_mentions(self, given: dict[str, Any], said: str, kb: KB, words: str) -> None:
        linker = Linker(kb, method="local-context", scoring=ContextOptions(word_vectors=words))
        with pytest.raises(DocumentError, match=said):
            linker.link(given)
        with pytest.raises(DocumentError, match=f"document 1: {said}"):
            list(linker.link_batch([document("a Mercury"), given]))

    def test_weights_that_mean_nothing(self, kb: KB, words: str) -> None:
        for method in ("degree", "eigen-unweighted", "local-context"):
            with pytest.raises(
                OptionError, match=f"weights means nothing to the method {method}; leave it out, or choose one of"
            ):
                scoring_options({method: method_named(method)}, {"weights": "none"})
        evaluate(kb, [], ["eigen", "degree"], scoring={"weights": "none"})

    def test_unknown_weights_and_windows(self, kb: KB) -> None:
        with pytest.raises(OptionError, match="weights 'magic' is unknown; expected one of degree, local, global, none"):
            EigenOptions(weights="magic")
        with pytest.raises(OptionError, match="window is 0; expected 1 or more"):
            ContextOptions(window=0)

    def test_link_goes_on_after_a_document_without_text(self, kb: KB, words: str, tmp_path: Path) -> None:
        bare: dict[str, object] = {"id": "bare", "mentions": [{"text": "Mercury"}]}
        file = write_jsonl(tmp_path / "d.jsonl", [document("the planet Mercury"), bare, document("liquid Mercury")])
        command = ["link", str(kb.path), str(file), "--method", "local-context", "--word-vectors", words]
        result = CliRunner().invoke(cli, command, standalone_mode=False)
        linked = [json.loads(line)["mentions"][0]["entity"] for line in result.stdout.splitlines()]
        assert linked == ["planet", "metal"]
        assert result.return_value == 1
        assert "line 2: document 'bare' has no \"text\"" in result.stderr


def test_eval_compares_them(kb: KB, words: str, tmp_path: Path) -> None:
    gold = document("the planet Mercury")
    gold["mentions"][0]["gold"] = "planet"
    found = evaluate(kb, [as_document(gold)], ["degree", "local-context"], scoring={"word_vectors": words}).summary()
    assert found["local-context"]["overall"]["p_at_1"] == 1
    assert found["degree"]["overall"]["p_at_1"] == 0
    file = write_jsonl(tmp_path / "gold.jsonl", [gold])
    command = [
        "eval",
        str(kb.path),
        str(file),
        "--methods",
        "eigen,local-context",
        "--word-vectors",
        words,
        "--weights",
        "local",
    ]
    result = CliRunner().invoke(cli, [*command, "--json"])
    assert json.loads(result.stdout)["gold"]["local-context"]["overall"]["p_at_1"] == 1

"""The component for spaCy, and spaCy's entities as mentions."""

from __future__ import annotations

import json
import pickle
from pathlib import Path
from typing import Any

import pytest
import spacy
from helpers.commands import assert_one_sentence, call
from helpers.kbs import build_untrained, write_sources
from spacy import displacy
from spacy.language import Language
from spacy.tokens import Doc, DocBin

from eigenthemes import KB, Linker
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.integrations.spacy_component import LinkerComponent

DEMO = "https://example.org/demo/"
SENTENCE = "Michael Jordan and his students David Blei and Andrew Ng wrote on LDA at Berkeley."
BASKETBALL = "Michael Jordan won six titles with Scottie Pippen and the Chicago Bulls."


def pipeline(kb: KB | Path, language: str = "en", ner: list[dict[str, Any]] | None = None, **config: Any) -> Language:
    nlp = spacy.blank(language)
    if ner is not None:
        nlp.add_pipe("entity_ruler").add_patterns(ner)  # type: ignore[attr-defined]
    nlp.add_pipe("eigenthemes", config={"kb": str(kb.path if isinstance(kb, KB) else kb), **config})
    return nlp


def ids(doc: Doc) -> dict[str, str]:
    return {ent.text: ent.kb_id_.removeprefix(DEMO) for ent in doc.ents}


def test_a_blank_pipeline_finds_and_links_names(demo_kb: KB) -> None:
    doc = pipeline(demo_kb)(SENTENCE)
    expected = {"Michael Jordan": "michael_i_jordan", "David Blei": "david_blei", "Andrew Ng": "andrew_ng"}
    assert expected.items() <= ids(doc).items()
    jordan = doc.ents[0]
    assert (jordan.label_, jordan[0].ent_kb_id_) == ("Person", DEMO + "michael_i_jordan")
    (best, probability), *others = jordan._.kb_ents
    assert (best, probability > 0.5) == (DEMO + "michael_i_jordan", True)
    assert all(other < probability for _, other in others)


def test_the_answers_are_those_of_the_linker(demo_kb: KB) -> None:
    links = [link for link in Linker(demo_kb).link(BASKETBALL).links if link.entity]
    doc = pipeline(demo_kb)(BASKETBALL)
    assert [(ent.text, ent.kb_id_, ent._.kb_ents[0][1]) for ent in doc.ents] == [
        (link.mention.text, link.entity, link.probability) for link in links
    ]


def test_entities_of_a_recogniser_are_kept_and_linked(demo_kb: KB) -> None:
    ner = [{"label": "PERSON", "pattern": "Scottie Pippen", "id": "x"}, {"label": "ORG", "pattern": "Xyzzy Ltd"}]
    doc = pipeline(demo_kb, ner=ner)("Scottie Pippen left Xyzzy Ltd for Amman.")
    assert [(ent.text, ent.label_) for ent in doc.ents] == [("Scottie Pippen", "PERSON"), ("Xyzzy Ltd", "ORG")]
    pippen, xyzzy = doc.ents
    assert pippen.kb_id_ == pippen._.kb_ents[0][0] == DEMO + "scottie_pippen"
    assert pippen.ent_id_ == "x"
    assert (xyzzy.kb_id_, xyzzy._.kb_ents) == ("", [])


def test_names_are_added_beside_a_recognisers_entities_if_asked(demo_kb: KB) -> None:
    ner = [{"label": "TEAM", "pattern": "Chicago Bulls"}]
    doc = pipeline(demo_kb, ner=ner, detect=True, label="NAME")(BASKETBALL)
    labels = {ent.text: ent.label_ for ent in doc.ents}
    assert labels == {"Michael Jordan": "NAME", "Scottie Pippen": "NAME", "Chicago Bulls": "TEAM"}
    assert ids(doc)["Chicago Bulls"] == "chicago_bulls"
    assert not pipeline(demo_kb, detect=False)(BASKETBALL).ents


def test_batches_give_the_same_as_one_by_one(demo_kb: KB) -> None:
    nlp = pipeline(demo_kb, batch_size=3)
    texts = [SENTENCE, BASKETBALL, "", "Nothing here.", "Amman is the capital of Jordan."] * 3
    together = [ids(doc) for doc in nlp.pipe(texts, batch_size=4)]
    assert together == [ids(nlp(text)) for text in texts]


def test_two_processes_share_the_kb(demo_kb: KB) -> None:
    nlp = pipeline(demo_kb)
    texts = [SENTENCE, BASKETBALL] * 4
    assert [ids(doc) for doc in nlp.pipe(texts, n_process=2, batch_size=2)] == [ids(doc) for doc in nlp.pipe(texts)]


def test_a_pipeline_comes_back_from_disk_and_bytes(demo_kb: KB, tmp_path: Path) -> None:
    nlp = pipeline(demo_kb, threshold=0.3, only_types=["Person"])
    nlp.to_disk(tmp_path / "pipeline")
    again = spacy.load(tmp_path / "pipeline")
    assert ids(again(SENTENCE)) == ids(nlp(SENTENCE))
    assert "Berkeley" not in ids(again(SENTENCE))
    assert json.loads(json.dumps(again.config))["components"]["eigenthemes"]["threshold"] == 0.3
    assert ids(pipeline(demo_kb).from_bytes(nlp.to_bytes())(BASKETBALL))
    component = pickle.loads(pickle.dumps(nlp.get_pipe("eigenthemes")))
    assert isinstance(component, LinkerComponent)
    assert ids(component(nlp.make_doc(SENTENCE))) == ids(nlp(SENTENCE))


def test_another_kb_can_be_given_when_a_pipeline_is_loaded(demo_kb: KB, tiny: KB, tmp_path: Path) -> None:
    pipeline(demo_kb).to_disk(tmp_path / "pipeline")
    moved = spacy.load(
        tmp_path / "pipeline", config={"components": {"eigenthemes": {"kb": str(tiny.path), "method": "degree"}}}
    )
    assert ids(moved("They met in Paris.")) == {"Paris": "paris"}


def test_documents_keep_their_links_when_they_are_stored(demo_kb: KB) -> None:
    nlp = pipeline(demo_kb)
    doc = nlp(SENTENCE)
    (again,) = DocBin(store_user_data=True).from_bytes(DocBin(docs=[doc], store_user_data=True).to_bytes()).get_docs(nlp.vocab)
    assert ids(again) == ids(doc)
    assert [tuple(each) for each in again.ents[0]._.kb_ents] == doc.ents[0]._.kb_ents
    assert Doc(nlp.vocab).from_bytes(doc.to_bytes()).ents[0].kb_id_ == doc.ents[0].kb_id_


def test_displacy_shows_the_links(demo_kb: KB) -> None:
    nlp = pipeline(demo_kb)
    html = displacy.render(nlp(SENTENCE), style="ent", options={"kb_url_template": "{}"}, jupyter=False)
    assert f'href="{DEMO}andrew_ng"' in html


@pytest.mark.filterwarnings("ignore:Dictionary.create:DeprecationWarning")  # of spaCy's Japanese tokenizer
@pytest.mark.parametrize(
    ("language", "text", "name", "entity"),
    [
        ("de", "Wir fahren nach München, der Hauptstadt.", "München", "munich"),
        ("ja", "彼は東京都に住んでいます。", "東京都", "tokyo"),
        ("en", "🎉🎉 We saw Munich 🎉 today.", "Munich", "munich"),
    ],
)
def test_other_languages_and_letters_outside_the_plane(
    tmp_path: Path, language: str, text: str, name: str, entity: str
) -> None:
    nodes = [{"id": "munich", "name": "Munich", "aliases": ["München"]}, {"id": "tokyo", "name": "東京都"}]
    kb = build_untrained(write_sources(tmp_path / "sources", nodes, [("munich", "tokyo")]), tmp_path / "my.kb")
    assert ids(pipeline(kb, language, method="degree")(text)) == {name: entity}


def test_only_a_document_that_fails_goes_to_the_error_handler(demo_kb: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    nlp = pipeline(demo_kb)
    component = nlp.get_pipe("eigenthemes")
    assert isinstance(component, LinkerComponent)
    checked = component.linker.checked

    def refuse(document: Any) -> Any:
        if "broken" in (document.text or ""):
            raise DocumentError("it is broken; mend it")
        return checked(document)

    monkeypatch.setattr(component.linker, "checked", refuse)
    with pytest.raises(DocumentError, match="it is broken"):
        list(nlp.pipe([BASKETBALL, "broken"]))
    failed: list[str] = []
    nlp.set_error_handler(lambda name, component, docs, error: failed.extend(doc.text for doc in docs))
    assert [doc.text for doc in nlp.pipe([BASKETBALL, "broken", SENTENCE])] == [BASKETBALL, SENTENCE]
    assert failed == ["broken"]


@pytest.mark.parametrize(("config", "said"), [({}, "was given no KB"), ({"kb": "missing.kb"}, "missing.kb")])
def test_a_missing_kb_is_told_when_the_component_is_made(config: dict[str, Any], said: str) -> None:
    with pytest.raises(Exception, match=said):
        spacy.blank("en").add_pipe("eigenthemes", config=config)


def test_spacy_finds_the_component_by_its_entry_point() -> None:
    from importlib.metadata import entry_points

    (found,) = [point for point in entry_points(group="spacy_factories") if point.name == "eigenthemes"]
    assert found.value == "eigenthemes.integrations.spacy_component:make_component"


# spaCy as a detector


@pytest.fixture
def recogniser(tmp_path: Path) -> Path:
    nlp = spacy.blank("en")
    nlp.add_pipe("entity_ruler").add_patterns([{"label": "X", "pattern": "Jordan"}])  # type: ignore[attr-defined]
    nlp.to_disk(tmp_path / "recogniser")
    return tmp_path / "recogniser"


def test_link_takes_the_spans_of_a_saved_pipeline(demo_kb: KB, recogniser: Path) -> None:
    done = call("link", demo_kb.path, "-", "--detector", f"spacy:{recogniser}", stdin=b'"Jordan met Scottie Pippen."\n')
    (mention,) = json.loads(done.stdout)["mentions"]
    assert (mention["text"], mention["start"], mention["end"]) == ("Jordan", 0, 6)
    given = Linker(demo_kb).link({"text": "Jordan met Scottie Pippen.", "mentions": [{"start": 0, "end": 6}]}).links[0]
    assert mention["ranking"][0]["score"] == given.ranking[0].score  # as of a mention that was given


def test_a_linker_with_a_pipeline_pickles(demo_kb: KB, recogniser: Path) -> None:
    linker = Linker(demo_kb, detector=f"spacy:{recogniser}")
    again = pickle.loads(pickle.dumps(linker))
    assert again.link(BASKETBALL.replace("Michael ", "")).to_dict() == linker.link(BASKETBALL.replace("Michael ", "")).to_dict()


@pytest.mark.parametrize("path", ["no/such/folder", ""])
def test_a_pipeline_that_is_none_is_told(demo_kb: KB, path: str) -> None:
    done = call("link", demo_kb.path, "-", "--detector", f"spacy:{path}", stdin=b'"x"\n')
    assert_one_sentence(done, "the spaCy pipeline", "nlp.to_disk")


def test_a_broken_pipeline_is_told(demo_kb: KB, recogniser: Path) -> None:
    (recogniser / "config.cfg").write_text("[nlp\n")
    with pytest.raises(OptionError, match="cannot be loaded"):
        Linker(demo_kb, detector=f"spacy:{recogniser}")

"""One protocol for every detector: what each finds, what each refuses, and the same answers in many threads."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from eigenthemes import KB, build_kb
from eigenthemes.errors import DocumentError, OptionError
from eigenthemes.names.detector import NameDetector
from eigenthemes.names.detectors import DETECTORS, Detector, detector_named, with_mentions
from eigenthemes.records import Document, Mention, Table

TEXT = "Michael Jordan went to Paris."
TABLE = Table(("who", "when"), (("Michael Jordan", "1984"), ("", "Paris (Texas)")))
CELLS = (Mention("Michael Jordan", row=0, col=0), Mention("Paris (Texas)", row=1, col=1))


@pytest.fixture(scope="module")
def kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    folder = tmp_path_factory.mktemp("detectors")
    names = ["Michael Jordan", "Paris", "Paris (Texas)", "McDonald's", "short stature", "delayed speech"]
    (folder / "nodes.csv").write_text("id,name\n" + "".join(f"e{i},{name}\n" for i, name in enumerate(names)))
    return build_kb([folder / "nodes.csv"], folder / "my.kb", embedding=None, train=False)


@pytest.mark.parametrize(
    ("name", "document", "expected"),
    [
        ("names", Document(text=TEXT), (Mention("Michael Jordan", 0, 14), Mention("Paris", 23, 28))),
        ("names", Document(text=""), ()),
        ("names", Document(table=TABLE), CELLS),
        ("names", Document(text=TEXT, table=TABLE), CELLS),  # the table wins
        ("cells", Document(table=TABLE), CELLS),
        ("cells", Document(text=TEXT, table=TABLE), CELLS),
        ("cells", Document(table=Table((), ())), ()),
    ],
)
def test_what_each_detector_finds(kb: KB, name: str, document: Document, expected: tuple[Mention, ...]) -> None:
    assert detector_named(name, kb).detect([document]) == [expected]


@pytest.mark.parametrize(
    ("name", "document", "words"),
    [
        ("cells", Document(text=TEXT), ["table", "mentions"]),
        ("given", Document(text=TEXT), ["mentions"]),
        ("given", Document(table=TABLE), ["mentions"]),
    ],
)
def test_what_a_detector_refuses(kb: KB, name: str, document: Document, words: list[str]) -> None:
    with pytest.raises(DocumentError) as refused:
        detector_named(name, kb).detect([document])
    assert all(word in str(refused.value) for word in words)
    assert refused.value.remedy.startswith("give ")


def test_an_unknown_name_lists_those_there_are(kb: KB) -> None:
    with pytest.raises(
        OptionError, match=r"the detector is 'spacy'; expected one of names, names-and-dates, nested-names, cells, given"
    ) as refused:
        detector_named("spacy", kb)
    assert refused.value.where == "detector"
    assert [type(detector_named(name, kb)).__name__ for name in DETECTORS] == [
        *["NameDetector"] * 3,
        "CellDetector",
        "GivenDetector",
    ]


@pytest.mark.parametrize("mentions", [(), (Mention("x"),)])
def test_mentions_that_a_document_brings_are_kept(kb: KB, mentions: tuple[Mention, ...]) -> None:
    document = Document(id=1, text=TEXT, mentions=mentions)
    assert with_mentions([document], detector_named("given", kb))[0] is document


def test_mentions_are_added_to_a_document_without(kb: KB) -> None:
    document = Document(id=1, text=TEXT, source={"id": 1, "text": TEXT, "more": 2})
    [complete] = with_mentions([document], detector_named("names", kb))
    assert [mention.text for mention in complete.mentions or ()] == ["Michael Jordan", "Paris"]
    assert (complete.id, complete.text, complete.source) == (document.id, document.text, document.source)


TEXTS = [
    TEXT,
    "He ate at McDonald's in Paris's north; McDonald's is no name of Michael Jordan's.",
    "patients with delayed speech and short stature",
    "Delayed speech. Short stature. PARIS AND MICHAEL JORDAN.",
]


@pytest.mark.usefixtures("plain_and_compiled")
def test_eight_threads_on_a_cold_detector_agree_with_one(kb: KB) -> None:
    expected = [NameDetector(kb).find(text) for text in TEXTS]
    for _ in range(5):
        detector, start = NameDetector(kb), Barrier(8)

        def find_all(detector: NameDetector = detector, start: Barrier = start) -> list[list[tuple[int, int]]]:
            start.wait()
            return [detector.find(text) for text in TEXTS]

        with ThreadPoolExecutor(8) as threads:
            answers = [task.result() for task in [threads.submit(find_all) for _ in range(8)]]
        assert answers == [expected] * 8


def test_what_is_remembered_of_names_is_bounded(kb: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eigenthemes.names.detector._REMEMBERED", 1)
    detector = NameDetector(kb)
    assert [detector.find(text) for text in TEXTS] == [NameDetector(kb).find(text) for text in TEXTS]
    assert len(detector._spelling_of) <= 1


@pytest.mark.parametrize("name", DETECTORS)
def test_detectors_satisfy_the_protocol_and_can_be_sent_to_another_process(kb: KB, name: str) -> None:
    detector: Detector = detector_named(name, kb)
    copy: Detector = pickle.loads(pickle.dumps(detector))
    document = Document(table=TABLE)
    if name == "given":
        with pytest.raises(DocumentError):
            copy.detect([document])
    else:
        assert copy.detect([document]) == detector.detect([document])


@pytest.mark.real_data
def test_real_texts_in_threads(real_data: Callable[[str], Path], phenotypes_kb: KB) -> None:
    from eigenthemes.documents.reader import read_documents

    texts = [document.text or "" for document in read_documents(real_data("phenotypes/gsc.jsonl.gz"))][:40]
    shared, alone = NameDetector(phenotypes_kb), NameDetector(phenotypes_kb)
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(shared.find, texts)) == [alone.find(text) for text in texts]

"""Records in a notebook, in a terminal and in a Python shell: the same facts, whatever their names hold."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from io import StringIO

import pytest
from helpers.linked import link_of, linked_document, linked_documents
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from eigenthemes import KB, Document, Entity, Explanation, Link, LinkedDocument, LinkedTable, Linker, Mention, Table
from eigenthemes.display import Displayed
from eigenthemes.documents.web import html_of

TEXT = "Michael Jordan and his students David Blei and Andrew Ng wrote on LDA at Berkeley."
TAGS = {"div", "style", "h4", "p", "mark", "table", "thead", "tbody", "tr", "th", "td", "br", "span", "a"}
ATTRIBUTES = {"class", "dir", "title", "data-id", "data-probability", "scope", "href", "target", "rel"}
DRIVING = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
HOSTILE = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)',
    "javascript:alert(1)",
    'https://example.org/"><img src=x onerror=alert(1)>',
    "</style><script>alert(1)</script>",
    "[bold red]not markup[/]",
    "[/]",
    "\x1b[31mred\x07\r\x9b\u202e",
    "\x00\ud800",
    "&amp;",
    "'",
    "مصر",
]
hostile = st.one_of(st.sampled_from(HOSTILE), st.text(max_size=12))


class Page(HTMLParser):
    """The tags, attributes, marks and text of some HTML."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags, self.attributes, self.links, self.marks = set[str](), set[str](), list[str](), list[dict[str, str | None]]()
        self.text, self.open = "", list[str]()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self.links += [value or "" for name, value in attrs if name == "href"]
        if tag == "mark":
            self.marks.append(dict(attrs))
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += "" if "style" in self.open else data


def in_a_notebook(record: Displayed) -> Page:
    """What Jupyter shows, which is whole and harmless."""
    html = record._repr_html_()
    html.encode()  # it can be sent
    page = Page(html)
    assert not page.open
    assert page.tags <= TAGS
    assert page.attributes <= ATTRIBUTES
    assert all(re.fullmatch(r"https?://[^\s\"'<>]+", link) for link in page.links)
    assert html.count("<style>") == html.count("</style>") == 1
    return page


def in_a_terminal(record: Displayed) -> str:
    """What rich prints without colours: no control character is left but line breaks."""
    console = Console(file=StringIO(), width=200, color_system=None)
    console.print(record)
    assert isinstance(console.file, StringIO)
    printed = console.file.getvalue()
    assert not DRIVING.search(printed)
    return printed


@pytest.fixture(scope="module")
def linked(demo_kb: KB) -> LinkedDocument:
    return Linker(demo_kb, explain=True).link(TEXT)


def test_a_linked_text(linked: LinkedDocument) -> None:
    page, printed = in_a_notebook(linked), in_a_terminal(linked)
    assert TEXT in page.text
    assert TEXT in printed
    assert [mark["data-id"] for mark in page.marks] == [link.entity for link in linked.links]
    sure = linked.links[0].probability
    assert page.marks[0]["title"] == f"Michael I. Jordan (https://example.org/demo/michael_i_jordan), probability {sure:.2f}"
    for shown in (page.text, printed):
        assert "University of California, Berkeley" in shown
        assert "5 of 5 names linked" in shown
        assert f"{sure:.3f}" in shown
    assert all(link.explanation is not None and link.explanation.sentence in page.text for link in linked.links)
    assert set(page.links) == {link.entity for link in linked.links}


def test_marks_are_those_of_the_html_output(linked: LinkedDocument) -> None:
    assert Page(html_of(linked).decode()).marks == in_a_notebook(linked).marks


def test_a_name_without_a_link_says_why() -> None:
    linked = linked_document("Ada met Bob.", ("Ada", "Q1"), ("Bob", None))
    page = in_a_notebook(linked)
    assert [mark.get("class") for mark in page.marks] == [None, "nil"]
    assert page.marks[1]["title"] == "no link (no_candidate)"
    for shown in (page.text, in_a_terminal(linked)):
        assert "(no_candidate)" in shown
        assert "1 of 2 names linked" in shown


def test_a_document_without_names_or_text() -> None:
    assert "no names were found" in in_a_notebook(LinkedDocument(Document(text=""), ())).text
    mentions = LinkedDocument(Document(mentions=()), (link_of(Mention("Ada"), "Q1"),))
    assert "Ada" in in_a_notebook(mentions).text
    assert "Ada" in in_a_terminal(mentions)


def test_long_texts_and_tables_are_cut_and_say_so() -> None:
    names = 5_000
    text = "Ada " * names * 2
    links = tuple(link_of(Mention("Ada", at, at + 3), "Q1") for at in range(0, names * 8, 8))
    page = in_a_notebook(LinkedDocument(Document(text=text), links))
    assert "and 20,000 letters more" in page.text
    assert "5,000 of 5,000 names linked; the first 50 are shown" in page.text
    assert len(page.text) < 30_000
    rows = tuple(("Ada", str(number)) for number in range(1000))
    table = LinkedTable(Table(("who", "nr"), rows), (0,), ())
    assert "and 950 rows more" in in_a_notebook(table).text
    assert "and 950 rows more" in in_a_terminal(table)


def test_a_linked_table(demo_kb: KB) -> None:
    table = {"header": ["who"], "rows": [["Michael Jordan", "Berkeley"], ["Nobody Atall"], ["David Blei", ""]]}
    linked = Linker(demo_kb).link_table(table, columns=["who"])
    page, printed = in_a_notebook(linked), in_a_terminal(linked)
    assert [mark.get("data-id") is None for mark in page.marks] == [False, True, False]
    for shown in (page.text, printed):
        assert all(text in shown for text in ("Michael Jordan", "Michael I. Jordan", "Nobody Atall", "Berkeley"))
        assert "who: 2 of 3 cells linked" in shown
    report = Linker(demo_kb).report_table(linked)
    assert "who: person (2 of 3 cells)" in in_a_notebook(report).text


def test_an_entity_and_an_explanation(demo_kb: KB, linked: LinkedDocument) -> None:
    entity = demo_kb["https://example.org/demo/david_blei"]
    explanation = linked.links[0].explanation
    assert explanation is not None
    for show in (lambda record: in_a_notebook(record).text, in_a_terminal):
        told = show(entity)
        assert all(text in told for text in ("David Blei", "David M. Blei", entity.id, entity.description, entity.types[0]))
        told = re.sub(r"\s+", " ", show(explanation))
        assert explanation.sentence in told
        assert "doctoral advisor" in told
        assert explanation.best is not None
        assert f"{explanation.best.probability:.1%}" in told
    assert entity.id in in_a_notebook(entity).links


def test_an_explanation_of_no_candidate(demo_kb: KB) -> None:
    given_mention = {"text": "Zorbulon", "mentions": [{"start": 0, "end": 8, "text": "Zorbulon"}]}
    (link,) = Linker(demo_kb, explain=True).link(given_mention).links
    assert isinstance(link.explanation, Explanation)
    assert link.explanation.sentence in in_a_notebook(link.explanation).text
    assert not in_a_notebook(link.explanation).tags & {"table"}


def test_a_kb(demo_kb: KB) -> None:
    page, printed = in_a_notebook(demo_kb), in_a_terminal(demo_kb)
    for shown in (page.text, printed):
        assert "162, 162 of them named" in shown
        assert "trained with prone" in shown
        assert "United States" in shown
    kb = KB.open(demo_kb.path)
    kb.close()
    assert "was closed; open it again" in in_a_notebook(kb).text


def test_an_untrained_kb_says_so(tiny: KB) -> None:
    assert "no probabilities until it is trained" in in_a_notebook(tiny).text


@given(linked_documents())
def test_any_text_is_shown_as_it_is(linked: LinkedDocument) -> None:
    page = in_a_notebook(linked)
    assert (linked.document.text or "") in page.text
    assert [mark.get("data-id") for mark in page.marks] == [link.entity for link in linked.links]
    in_a_terminal(linked)


@given(hostile, hostile, hostile)
def test_hostile_names_are_harmless(name: str, entity_id: str, label: str) -> None:
    link = Link(Mention(name, 0, len(name)), entity_id, label, 0.5, probability=0.5)
    nil = Link(Mention(name, row=0, col=0), None, None, None, nil_reason=label)
    records: list[Displayed] = [
        LinkedDocument(Document(id=entity_id, text=name + label), (link,)),
        LinkedDocument(Document(table=Table((label,), ((name,),))), (nil,)),
        LinkedTable(Table((label,), ((name, name),)), (0,), (nil,), id=entity_id),
        Entity(entity_id, label, (name, label), name, (label,), 1.0),
        Explanation(name, None, 0.1, 0.5, sentence=label),
    ]
    for record in records:
        in_a_notebook(record)
        in_a_terminal(record)
        assert "\n" not in repr(record)
        assert not DRIVING.search(repr(record))


def test_in_a_python_shell_records_are_one_short_line(demo_kb: KB, linked: LinkedDocument) -> None:
    text = TEXT[:60]
    assert repr(linked) == f"LinkedDocument(text={text!r}..., 5 of 5 names linked)"
    blei = "'David Blei' -> 'https://example.org/demo/david_blei', 'David Blei'"
    assert repr(linked.links[1]) == f"Link({blei}, {linked.links[1].probability:.3f})"
    assert repr(link_of(Mention("Ada"), None)) == "Link('Ada' -> NIL, no_candidate)"
    assert repr(Mention("Ada", 0, 3)) == "Mention(text='Ada', start=0, end=3)"
    assert repr(Mention("Ada", gold=())) == "Mention(text='Ada', gold=())"  # annotated as outside every KB
    assert repr(Entity("Q1", "Ada", (), "", (), 2.0)) == "Entity(id='Q1', label='Ada', prior=2.0)"
    assert repr(Document(id=0, text="Ada")) == "Document(id=0, text='Ada')"
    assert repr(Table(("a", "b"), (("1", "2"),))) == "Table(header=('a', 'b'), 1 row)"
    assert repr(LinkedTable(Table(("a",), ()), (0,), ())) == (
        "LinkedTable(Table(header=('a',), 0 rows), columns=('a',), no names were found)"
    )
    assert repr(linked.links[0].explanation).startswith("Explanation(Michael Jordan -> Michael I. Jordan: also called")
    assert repr(Linker(demo_kb, method="degree")) == f"Linker({demo_kb!r}, method='degree')"
    assert re.search(r"method='selftrained', threshold=0\.\d\d\)$", repr(Linker(demo_kb)))


def test_rich_is_imported_only_where_it_is_asked_for(demo_kb: KB) -> None:
    check = f"""
import sys
from eigenthemes import KB, Entity
kb = KB.open({str(demo_kb.path)!r})
html = kb._repr_html_() + repr(kb["https://example.org/demo/david_blei"])
print("rich" in sys.modules, "IPython" in sys.modules, "David Blei" in html)
"""
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False", "True"]

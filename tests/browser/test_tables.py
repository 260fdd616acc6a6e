"""Tables on the page: pasted or dropped, columns chosen, cells linked, files downloaded."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from html.parser import HTMLParser

from helpers.browsing import Visit

from eigenthemes import KB, Linker

Begin = Callable[..., Visit]

TABLE = (
    'name,place,year\nMichael Jordan,Chicago,1993\n"Ng, Andrew",Stanford,2003\nDavid Blei,Princeton,2003\n'
    "Pippen,Chicago Bulls,1991\n"
)


def use_table(at: Visit, content: str = TABLE) -> Visit:
    at.page.get_by_role("tab", name="Table").click()
    at.page.fill("#csv", content)
    at.page.get_by_role("button", name="Use this table").click()
    return at


def test_columns_are_chosen_and_cells_linked_as_by_the_library(visit: Begin, demo_kb: KB) -> None:
    at = use_table(visit())
    boxes = at.page.locator("th input")
    assert [boxes.nth(column).is_checked() for column in range(3)] == [True, True, False]
    boxes.nth(1).uncheck()
    with at.page.expect_response("**/link-table?*"):
        at.page.locator("#panel-table").get_by_role("button", name="Link", exact=True).click()
    at.page.wait_for_selector("td .mention")
    header, *rows = csv.reader(io.StringIO(TABLE))
    linked = Linker(demo_kb).link_table({"header": header, "rows": rows}, columns=[0])
    shown = at.page.locator("td .mention").evaluate_all("all => all.map(m => [m.textContent, !m.classList.contains('nil')])")
    assert shown == [[link.mention.text, link.entity is not None] for link in linked.links]
    downloaded = list(csv.reader(io.StringIO(at.download("CSV", within="#panel-table"))))
    expected = linked.to_table()
    assert downloaded == [list(expected.header), *map(list, expected.rows)]


def test_a_cell_opens_and_is_corrected(visit: Begin) -> None:
    at = use_table(visit())
    at.page.locator("#panel-table").get_by_role("button", name="Link", exact=True).click()
    at.page.locator("td .mention").first.click()
    at.expect("#candidates-title").to_have_text("“Michael Jordan”")
    at.expect("td .mention").to_have_attribute("aria-pressed", "true")
    at.page.get_by_role("button", name="None of this knowledge graph").click()
    at.expect_class(at.page.locator("td .mention").first, "corrected")
    (gold,) = map(json.loads, at.download("Download as gold", within="#corrections").splitlines())
    assert gold["mentions"] == [{"row": 0, "col": 0, "text": "Michael Jordan", "gold": []}]
    assert gold["table"]["header"] == ["name", "place", "year"]
    rows = list(csv.DictReader(io.StringIO(at.download("CSV", within="#panel-table"))))
    assert rows[0]["name_id"] == ""


def test_cells_are_decided_together_as_one_says(visit: Begin, demo_kb: KB) -> None:
    at = use_table(visit())
    at.page.locator("#panel-table").get_by_role("button", name="Link", exact=True).click()
    at.page.wait_for_selector("td .mention")
    header, *rows = csv.reader(io.StringIO(TABLE))
    for context in ("row", "none", "column", "table"):
        with at.page.expect_response("**/link-table?*") as waiting:
            at.page.get_by_label("Decide together").select_option(context)
        linked = Linker(demo_kb).link_table({"header": header, "rows": rows}, columns=[0, 1], context=context)
        answers = [mention["entity"] for mention in waiting.value.json()["mentions"]]
        assert answers == [link.entity for link in linked.links]
    at.page.get_by_label("Decide together").select_option("row")
    at.page.wait_for_function("document.querySelectorAll('td .mention').length > 0")
    at.page.locator("td .mention", has_text="Pippen").click()
    supporter = at.page.locator(".supports button")
    supporter.first.click()
    at.expect("#candidates-title").to_have_text("“Chicago Bulls”")
    at.expect("#map").to_be_hidden()


def test_without_columns_there_is_nothing_to_link(visit: Begin) -> None:
    at = use_table(visit())
    go = at.page.locator("#panel-table").get_by_role("button", name="Link", exact=True)
    at.expect(go).to_be_enabled()
    at.page.locator("th input").nth(0).uncheck()
    at.page.locator("th input").nth(1).uncheck()
    at.expect(go).to_be_disabled()
    at.page.get_by_role("button", name="Another table").click()
    at.expect("#csv").to_be_visible()


def test_a_long_table_is_shown_in_pages(visit: Begin) -> None:
    at = use_table(visit(), "city\n" + "".join(f"Chicago {n}\n" for n in range(250)))
    at.expect_all("tbody tr").to_have_count(100)
    at.page.get_by_role("button", name="Rows after").click()
    at.page.get_by_role("button", name="Rows after").click()
    at.expect_all("tbody tr").to_have_count(50)
    at.expect(at.page.get_by_role("button", name="Rows after")).to_be_disabled()
    at.page.get_by_role("button", name="Rows before").click()
    at.expect("tbody tr >> nth=0").to_contain_text("Chicago 100")


def test_a_table_file_is_opened(visit: Begin) -> None:
    at = visit()
    at.page.get_by_role("tab", name="Table").click()
    content = "city;state\nChicago;Illinois\nPhoenix;Arizona\n".encode("utf-8-sig")
    at.page.set_input_files("#csv-file", {"name": "c.csv", "mimeType": "text/csv", "buffer": content})
    at.page.wait_for_selector("#panel-table table")
    at.expect_all("th bdi").to_have_text(["city", "state"])


def test_a_table_as_western_spreadsheets_save_it_is_read_and_a_spreadsheet_itself_is_refused(visit: Begin) -> None:
    at = visit()
    at.page.get_by_role("tab", name="Table").click()
    at.page.set_input_files("#csv-file", {"name": "t.xlsx", "mimeType": "x/y", "buffer": b"PK\x03\x04" + bytes(100)})
    at.page.get_by_role("alert").get_by_text("t.xlsx is a spreadsheet or an archive").wait_for()
    content = "city;price\nZürich;3 €\n".encode("cp1252")
    at.page.set_input_files("#csv-file", {"name": "c.csv", "mimeType": "text/csv", "buffer": content})
    at.page.wait_for_selector("#panel-table table")
    at.expect("tbody tr >> nth=0").to_contain_text("Zürich")
    at.expect("tbody tr >> nth=0").to_contain_text("3 €")


def test_tabs_go_by_arrow_keys(visit: Begin) -> None:
    at = visit()
    at.page.get_by_role("tab", name="Text").focus()
    at.page.keyboard.press("ArrowRight")
    at.expect(at.page.get_by_role("tab", name="Table")).to_have_attribute("aria-selected", "true")
    at.expect("#panel-table").to_be_visible()
    at.page.keyboard.press("ArrowLeft")
    at.expect("#panel-text").to_be_visible()


def test_csv_of_all_kinds_is_parsed_and_written(visit: Begin) -> None:
    at = visit()

    def parsed(text: str) -> list[list[str]]:
        table = at.call("csv.js", "m.parseCsv(a[0])", text)
        return [table["header"], *table["rows"]]

    for text in (
        "a,b\r\n1,2\r\n",
        "a;b\n1;2,5\n",
        "a\tb\n1\t2\n",
        'a,b\n"x, ""y""","line\nbreak"\n',
        "a,b\n,\n1,2",
        "one\nDüsseldorf\n",
        "a,b,c\n1,2\n",
    ):
        dialect = {";": ";", "\t": "\t"}.get(text[1], ",")
        assert parsed(text) == [row for row in csv.reader(io.StringIO(text, newline=""), delimiter=dialect) if row]
    rows = [["a", "b;c", 'd"e'], ["", "f\ng", "h,i"]]
    written = at.call("csv.js", "m.writeCsv(a[0])", rows)
    assert list(csv.reader(io.StringIO(written, newline=""))) == rows
    assert at.call("csv.js", "m.parseCsv('')")["header"] == []


# links as files


def test_json_is_the_document_as_it_is_shown_and_can_be_linked_again(visit: Begin, demo_kb: KB) -> None:
    text = "🏀 Michael Jordan, Andrew Ng and David Blei"
    at = visit().link(text)
    record = json.loads(at.download("JSON"))
    linked = Linker(demo_kb).link(text).to_dict()
    names = ("start", "end", "text", "entity", "label", "probability", "nil_reason")
    assert [[each[name] for name in names] for each in record["mentions"]] == [
        [each[name] for name in names] for each in linked["mentions"]
    ]
    assert "map" not in record
    Linker(demo_kb).link(record)
    at.page.locator("#threshold").fill("1")
    assert {each["entity"] for each in json.loads(at.download("JSON"))["mentions"]} == {None}
    rows = list(csv.DictReader(io.StringIO(at.download("CSV"))))
    assert [row["text"] for row in rows] == ["Michael Jordan", "Andrew Ng", "David Blei"]
    assert {row["nil_reason"] for row in rows} == {"low_probability"}


class _Marks(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [name for name, _ in attrs]


def test_html_is_one_file_in_which_text_is_text(visit: Begin) -> None:
    at = visit()
    at.page.select_option("#kb", "hostile")
    at.link("Imgtown <script>alert(1)</script> & Jaysville \"onload='x' Yerushalayim")
    at.page.get_by_label("May be unlinked").uncheck()
    content = at.download("HTML")
    parser = _Marks()
    parser.feed(content)
    assert set(parser.tags) <= {*"html head meta title style body h1 article pre mark table thead tbody tr th td".split()}
    assert not any(name.startswith("on") or name in ("src", "href") for name in parser.attributes)
    assert "&lt;script&gt;" in content
    assert "default-src 'none'" in content
    other = Visit(at.page.context.new_page(), at.url)
    other.page.set_content(content)
    assert other.page.locator("mark").count() >= 3
    other.expect("table").to_contain_text("<img src=x onerror=alert(1)>")
    assert other.dialogs == []
    other.check()

"""The page in trouble: errors, a slow server, tokens, hostile names; what it may do, and who can use it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from helpers.browsing import Visit, serving

from eigenthemes import KB
from eigenthemes.service.page_routes import PAGE

Begin = Callable[..., Visit]

HOSTILE_TEXT = "Imgtown, Jaysville, Linkton, Scriptham, Yerushalayim, Longtown, 🏀 City and Twinford; ירושלים."
FAILED = ("Failed to load resource",)  # what Chromium's console says of a status that is an error


def answer_with(page: Any, status: int, record: Any) -> None:
    """Let the server's next answers to /link be these."""
    content = record if isinstance(record, str) else json.dumps(record)
    page.route("**/link?*", lambda route: route.fulfill(status=status, content_type="application/problem+json", body=content))


def test_a_problem_is_a_sentence_with_its_remedy_and_can_be_tried_again(visit: Begin) -> None:
    at = visit(expected=FAILED)
    answer_with(at.page, 413, {"detail": "the body is larger than 8 bytes; send less at once", "remedy": "send less at once"})
    at.page.fill("#text", "Andrew Ng")
    at.page.get_by_role("button", name="Link", exact=True).click()
    alert = at.page.get_by_role("alert")
    alert.get_by_text("The body is larger than 8 bytes. Send less at once.").wait_for()
    at.page.unroute("**/link?*")
    at.page.get_by_role("button", name="Try again").click()
    at.mention("Andrew Ng").wait_for()
    at.expect("[role=alert]").to_have_text("")


def test_real_problems_of_the_server_are_told(visit: Begin) -> None:
    at = visit(expected=FAILED)
    at.drop("documents.jsonl", json.dumps({"text": "Andrew Ng", "mentions": [{"start": 0, "end": 99, "text": "Andrew"}]}))
    at.page.get_by_role("alert").get_by_text("code points").wait_for()
    at.expect_all(".text .mention").to_have_count(0)


@pytest.mark.parametrize(("status", "body"), [(502, "<html>bad gateway"), (500, "[1]"), (503, "null")])
def test_answers_of_somebody_between_are_told(visit: Begin, status: int, body: str) -> None:
    at = visit(expected=FAILED)
    answer_with(at.page, status, body)
    at.page.fill("#text", "Andrew Ng")
    at.page.get_by_role("button", name="Link", exact=True).click()
    at.page.get_by_role("alert").get_by_text(f"The server answered with {status}").wait_for()
    assert at.page.locator("#text").input_value() == "Andrew Ng"


def test_a_server_that_is_gone_is_told(visit: Begin) -> None:
    at = visit(expected=("net::ERR",))
    at.page.route("**/link?*", lambda route: route.abort())
    at.page.fill("#text", "Andrew Ng")
    at.page.get_by_role("button", name="Link", exact=True).click()
    at.page.get_by_role("alert").get_by_text("The server does not answer.").wait_for()
    assert at.page.locator("#text").input_value() == "Andrew Ng"


def test_a_slow_answer_has_a_spinner_and_can_be_stopped(visit: Begin) -> None:
    at = visit()
    held: list[Any] = []
    at.page.route("**/link?*", lambda route: held.append(route))
    at.page.fill("#text", "Andrew Ng")
    at.page.get_by_role("button", name="Link", exact=True).click()
    at.page.get_by_text("Linking …").locator("visible=true").first.wait_for()
    at.page.get_by_role("button", name="Cancel").click()
    at.page.locator("#busy").wait_for(state="hidden")
    assert at.page.locator("#text").input_value() == "Andrew Ng"
    at.expect("[role=alert]").to_have_text("")
    at.page.unroute("**/link?*")
    at.link("Andrew Ng")
    at.mention("Andrew Ng").wait_for()


def test_the_last_of_two_requests_wins(visit: Begin) -> None:
    at = visit().link("Andrew Ng and David Blei")
    held: list[Any] = []
    at.page.route("**/link?*method=eigen*", lambda route: held.append(route))
    with at.page.expect_request("**/link?*method=eigen*"):
        at.page.select_option("#method", "eigen")
    with at.page.expect_response("**/link?*method=degree*"):
        at.page.select_option("#method", "degree")
    at.select("Andrew Ng")
    assert [each["method"] for each in at.posts("link")[-2:]] == [["eigen"], ["degree"]]
    assert len(held) == 1
    at.expect_all("#themes").to_have_count(0)
    at.expect("[role=alert]").to_have_text("")


def test_a_token_is_passed_on_and_asked_for(visit: Begin, demo_kb: KB) -> None:
    with serving(demo_kb, token="secret") as url:
        at = Visit(visit(url=url, query="?token=secret").page, url)
        at.link("Andrew Ng")
        at.mention("Andrew Ng").wait_for()
        assert all("token" not in each.url for each in at.requests)
        page = at.page.context.new_page()
        page.goto(url)
        page.get_by_role("alert").get_by_text("The server asks for a token.").wait_for()
        at.page.context.close()


def test_several_kbs_have_a_chooser(visit: Begin, demo_kb: KB) -> None:
    at = visit()
    at.expect_all("#kb option").to_have_text(["demo", "hostile"])
    at.expect("#kb-about").to_contain_text("entities")
    at.link("Jaysville")
    at.expect_all(".text .mention").to_have_count(0)
    at.page.select_option("#kb", "hostile")
    at.mention("Jaysville").wait_for()
    with serving(demo_kb) as url:
        alone = visit(url=url)
        alone.expect("#kb").to_be_hidden()
        alone.expect("#kb-about").to_contain_text("demo: 162 entities")
        alone.page.close()  # before its server: a request that is under way would fail


# hostile names


@pytest.mark.parametrize("width", [1280, 390])
def test_hostile_names_are_text(visit: Begin, width: int) -> None:
    at = visit(viewport={"width": width, "height": 800})
    at.page.select_option("#kb", "hostile")
    at.link(HOSTILE_TEXT)
    marks = at.page.locator(".text .mention")
    assert marks.count() >= 8
    for number in range(marks.count()):
        marks.nth(number).click()
        at.page.wait_for_selector("#candidates .verdict")
        assert at.page.evaluate("document.documentElement.scrollWidth <= innerWidth"), marks.nth(number).inner_text()
    at.page.get_by_label("Search for any entity").fill("Imgt")
    at.page.locator(".result").first.wait_for()
    at.page.get_by_role("button", name="All other links here are right").click()
    at.expect_all("main img, main script, main svg[onload], main b, main i").to_have_count(0)
    assert at.dialogs == []
    hrefs = at.page.locator("main a[href]").evaluate_all("links => links.map(link => link.protocol)")
    assert set(hrefs) <= {"http:", "https:"}
    assert at.page.locator(".candidate bdi, .verdict bdi").evaluate_all("all => all.every(each => each.dir === 'auto')")


def test_names_from_right_to_left_keep_their_direction(visit: Begin) -> None:
    at = visit()
    at.page.select_option("#kb", "hostile")
    at.link("ירושלים היא עיר, Jaysville too")
    assert at.page.locator(".text").evaluate("each => each.dir") == "auto"
    assert at.page.locator(".text .chunk").first.evaluate("each => getComputedStyle(each).direction") == "rtl"
    at.select("ירושלים")
    label = at.page.locator(".candidate-name bdi").first
    assert label.evaluate("each => getComputedStyle(each).direction") == "rtl"


# what the page may do


def test_nothing_but_its_own_files_can_run(visit: Begin) -> None:
    at = visit(expected=("Content Security Policy", "violates", "Trusted"))
    response = at.page.request.get(at.url)
    policy = response.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert response.headers["referrer-policy"] == "no-referrer"
    ran = at.page.evaluate(
        """() => {
            const script = document.createElement("script");
            try { script.textContent = "window.ran = 1"; document.body.append(script); } catch {}
            try { document.body.insertAdjacentHTML("beforeend", "<img src=x onerror='window.ran = 1'>"); } catch {}
            return window.ran ?? 0;
        }"""
    )
    assert ran == 0


def test_the_files_hold_no_inline_code_and_no_address_elsewhere() -> None:
    html = (PAGE / "index.html").read_text(encoding="utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*src=)", html)
    for file in PAGE.iterdir():
        content = file.read_text(encoding="utf-8")
        addresses = set(re.findall(r"https?://[\w.]+", content)) - {"http://www.w3.org"}
        assert not addresses, (file.name, addresses)
        assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", content), file.name


def test_a_file_is_sent_once(visit: Begin) -> None:
    at = visit()
    first = at.page.request.get(at.url + "page/app.js")
    again = at.page.request.get(at.url + "page/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert again.status == 304
    for name in ("page/nothing.js", "page/..%2f..%2f__init__.py", "page/%2e%2e/app.py"):
        assert at.page.request.get(at.url + name).status == 404


# who can use it


def violations(at: Visit) -> list[str]:
    """Return what axe-core finds wrong."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="install it with: make test-browser")
    found = axe.Axe().run(at.page).response["violations"]
    return [f"{each['id']}: {[node['target'] for node in each['nodes']]}" for each in found]


@pytest.mark.slow
@pytest.mark.parametrize(
    "options",
    [
        {"color_scheme": "light"},
        {"color_scheme": "dark"},
        {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
        {"color_scheme": "dark", "viewport": {"width": 390, "height": 844}},
    ],
    ids=["light", "dark", "phone", "dark phone"],
)
def test_axe_finds_nothing_wrong(visit: Begin, options: dict[str, Any]) -> None:
    at = visit(reduced_motion="reduce", expected=FAILED, **options)
    at.page.wait_for_selector(".samples .chip")
    assert violations(at) == []
    at.link("Michael Jordan and David Blei saw Chicago, Phoenix and Oracle.")
    assert violations(at) == []
    at.select("Michael Jordan")
    at.page.get_by_label("Search for any entity").fill("Chic")
    at.page.locator(".result").first.wait_for()
    assert violations(at) == []
    at.page.get_by_role("button", name="Not a name").click()
    at.page.locator("#threshold").fill("0.9")
    at.page.get_by_text("Show them").click()
    assert violations(at) == []
    at.page.get_by_role("tab", name="Table").click()
    assert violations(at) == []
    at.page.fill("#csv", "name,place\nMichael Jordan,Chicago\nNobody,Nowhere\n")
    at.page.get_by_role("button", name="Use this table").click()
    at.page.locator("#panel-table").get_by_role("button", name="Link", exact=True).click()
    at.page.locator("td .mention").first.click()
    assert violations(at) == []
    at.drop("broken.jsonl", "{broken")
    at.page.wait_for_selector(".notice.error")
    assert violations(at) == []


def test_the_theme_is_chosen_and_remembered(visit: Begin) -> None:
    at = visit(color_scheme="light")
    background = "getComputedStyle(document.body).backgroundColor"
    light = at.page.evaluate(background)
    button = at.page.locator("#theme")
    button.click()
    assert at.page.evaluate(background) == light
    button.click()
    dark = at.page.evaluate(background)
    assert dark != light
    at.open()
    assert at.page.evaluate(background) == dark
    assert button.inner_text().endswith("Dark")
    button.click()
    assert at.page.evaluate(background) == light
    at.page.emulate_media(color_scheme="dark")
    assert at.page.evaluate(background) == dark


@pytest.mark.parametrize("width", [360, 390, 768, 1024])
def test_nothing_is_wider_than_the_screen(visit: Begin, width: int) -> None:
    at = visit(viewport={"width": width, "height": 800}).link("Michael Jordan and David Blei saw Chicago.").select("Chicago")
    assert at.page.evaluate("document.documentElement.scrollWidth") <= width
    at.page.get_by_role("tab", name="Table").click()
    assert at.page.evaluate("document.documentElement.scrollWidth") <= width


def test_every_control_can_be_reached_by_the_tab_key(visit: Begin) -> None:
    at = visit().link("Michael Jordan and David Blei saw Chicago.").select("Chicago")
    wanted = at.page.evaluate(
        """() => [...document.querySelectorAll("button, input, select, a[href], summary, [tabindex='0']")]
            .filter(each => each.tabIndex >= 0 && !each.disabled && each.checkVisibility()).length"""
    )
    at.page.evaluate("document.activeElement.blur()")
    seen = set()
    for _ in range(wanted + 3):
        at.page.keyboard.press("Tab")
        seen.add(at.page.evaluate("[...document.querySelectorAll('*')].indexOf(document.activeElement)"))
    assert len(seen) >= wanted


@pytest.mark.parametrize(
    ("text", "spans", "expected"),
    [
        ("a 🏀b c", [(2, 4)], [["a ", []], ["🏀b", [0]], [" c", []]]),
        ("New York City", [(0, 13), (4, 8)], [["New ", [0]], ["York", [1, 0]], [" City", [0]]]),
        ("ab", [(0, 2), (0, 1)], [["a", [1, 0]], ["b", [0]]]),
        ("ab", [], [["ab", []]]),
        ("", [], []),
        ("𝒳𝒴", [(1, 9)], [["𝒳", []], ["𝒴", [0]]]),
    ],
)
def test_texts_are_cut_at_code_points(visit: Begin, text: str, spans: list[Any], expected: list[Any]) -> None:
    given = [{"start": start, "end": end} for start, end in spans]
    found = visit().call("offsets.js", "m.pieces(a[0], a[1]).map(p => [p.text, p.spans])", text, given)
    assert found == expected

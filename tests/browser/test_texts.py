"""Texts on the page: linked, coloured, opened by click and by key, the same answers as the library's."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from helpers.browsing import Visit

from eigenthemes import KB, Linker

Begin = Callable[..., Visit]

TEXT = "In 2015 Michael Jordan and Tom Mitchell reviewed machine learning in Science. David Blei and Andrew Ng wrote on LDA."


def test_three_samples_are_ready_and_link_at_once(visit: Begin) -> None:
    at = visit()
    page = at.page
    at.expect_all(".samples .chip").to_have_count(3)
    page.locator(".samples .chip").first.click()
    page.wait_for_selector(".text .mention")
    assert page.locator(".text .mention").count() > 3
    page.get_by_role("button", name="Edit the text").click()
    assert len(page.input_value("#text")) > 50


def test_links_are_those_of_the_library(visit: Begin, demo_kb: KB) -> None:
    at = visit().link(TEXT)
    linked = Linker(demo_kb).link(TEXT)
    at.expect_links({link.mention.text: link.entity is not None for link in linked.links})
    assert at.page.locator(".text").text_content() == TEXT
    at.expect("#panel-text").to_contain_text("names found")


def test_control_and_enter_link_too_and_an_empty_text_is_told(visit: Begin) -> None:
    at = visit()
    at.page.get_by_role("button", name="Link", exact=True).click()
    at.expect("[role=alert]").to_contain_text("There is no text yet.")
    at.page.get_by_role("button", name="Dismiss").click()
    at.expect("[role=alert]").to_have_text("")
    at.page.fill("#text", "Andrew Ng")
    at.page.press("#text", "Control+Enter")
    at.mention("Andrew Ng").wait_for()


def test_types_have_colours_and_unlinked_names_another_mark(visit: Begin) -> None:
    at = visit().link("Michael Jordan and David Blei saw Chicago, and the Wizzards of Springfeld, with Pippin.")
    same = [at.mention(name).get_attribute("class") for name in ("Michael Jordan", "David Blei")]
    assert same[0] == same[1]
    assert at.mention("Chicago").get_attribute("class") != same[0]
    legend = at.page.locator(".legend").inner_text()
    assert "Person 2" in legend.replace("\n", " ")
    at.page.locator("#threshold").fill("1")
    unlinked = at.page.locator(".mention.nil").first
    assert "not linked" in (unlinked.get_attribute("aria-label") or "")
    assert unlinked.evaluate("each => getComputedStyle(each, '::after').content").startswith('"?"')
    assert unlinked.evaluate("each => getComputedStyle(each).borderBottomStyle") == "dashed"
    at.expect(".legend").to_contain_text("not linked")


def test_a_click_shows_candidates_with_probabilities_and_reasons(visit: Begin, demo_kb: KB) -> None:
    at = visit().link(TEXT).select("Michael Jordan")
    (link,) = [each for each in Linker(demo_kb, explain=True, top=20).link(TEXT).links if each.mention.text == "Michael Jordan"]
    rows = at.page.locator(".candidate")
    at.expect_all(rows).to_have_count(min(5, len(link.ranking)))
    first = rows.first.inner_text()
    assert link.label in first
    assert demo_kb[link.entity or ""].description in first
    assert f"{link.probability:.0%}" in first
    width = rows.first.locator(".fill").evaluate("each => parseFloat(each.style.width)")
    assert width == pytest.approx(100 * (link.probability or 0), abs=0.1)
    assert link.explanation is not None
    told = at.page.inner_text(".why")
    assert told[1:] == link.explanation.sentence.partition(" -> ")[2][1:]
    if len(link.ranking) > 5:
        at.page.get_by_role("button", name="more candidate").click()
        at.expect_all(rows).to_have_count(len(link.ranking))


def test_keys_go_from_name_to_name_and_open_and_close(visit: Begin) -> None:
    at = visit().link(TEXT)
    at.page.locator(".text .mention[tabindex='0']").focus()
    at.page.keyboard.press("ArrowRight")
    at.page.keyboard.press("ArrowRight")
    at.page.keyboard.press("ArrowLeft")
    focused = at.page.evaluate("document.activeElement.textContent")
    at.page.keyboard.press("Enter")
    at.expect("#candidates-title").to_have_text(f"“{focused}”")
    assert at.page.evaluate("document.activeElement.textContent") == focused
    at.page.keyboard.press("Escape")
    at.expect("#candidates").to_be_hidden()
    at.page.keyboard.press("End")
    assert at.page.evaluate("document.activeElement.textContent") == "LDA"
    at.page.keyboard.press("Home")
    at.page.keyboard.press(" ")
    at.expect("#candidates").to_be_visible()
    at.expect("#status").not_to_have_text("")


def test_next_previous_and_close(visit: Begin) -> None:
    at = visit().link(TEXT).select("Michael Jordan")
    first = at.page.inner_text("#candidates-title")
    at.page.get_by_role("button", name="Next name").click()
    at.expect("#candidates-title").not_to_have_text(first)
    assert at.page.evaluate("document.activeElement.getAttribute('aria-label')") == "Next name"
    at.page.get_by_role("button", name="Previous name").click()
    at.expect("#candidates-title").to_have_text(first)
    at.page.get_by_role("button", name="Close").click()
    at.expect("#candidates").to_be_hidden()
    assert at.page.evaluate("document.activeElement.textContent") == "Michael Jordan"


@pytest.mark.parametrize("threshold", ["0", "0.3", "0.62", "0.9", "1"])
def test_the_slider_decides_as_the_library_would_without_a_request(visit: Begin, demo_kb: KB, threshold: str) -> None:
    at = visit().link(TEXT)
    asked = len(at.requests)
    at.page.locator("#threshold").fill(threshold)
    linked = Linker(demo_kb, threshold=float(threshold)).link(TEXT)
    at.expect_links({link.mention.text: link.entity is not None for link in linked.links})
    assert len(at.requests) == asked
    at.page.get_by_role("button", name="Reset the threshold").click()
    at.expect_links({link.mention.text: link.entity is not None for link in Linker(demo_kb).link(TEXT).links})


def test_the_slider_says_why_in_its_own_words(visit: Begin) -> None:
    at = visit().link(TEXT).select("Andrew Ng")
    at.page.locator("#threshold").fill("1")
    at.expect(".why").to_contain_text("below the threshold of 100% that you chose")
    at.expect(".verdict").to_contain_text("Not linked")


def test_every_name_is_linked_where_nil_is_not_allowed(visit: Begin, demo_kb: KB) -> None:
    at = visit().link("Jordan, Phoenix and Washington")
    at.page.locator("#threshold").fill("1")
    at.expect_links(dict.fromkeys(at.shown_links(), False))
    at.page.get_by_label("May be unlinked").uncheck()
    linked = Linker(demo_kb, allow_nil=False).link("Jordan, Phoenix and Washington")
    at.expect_links({link.mention.text: link.entity is not None for link in linked.links})


def test_another_method_is_asked_at_once_and_k_where_it_has_one(visit: Begin, demo_kb: KB) -> None:
    at = visit().link(TEXT).select("Michael Jordan")
    with at.page.expect_response("**/link?*"):
        at.page.select_option("#method", "eigen")
    at.page.wait_for_selector("#themes")
    at.expect_all("#threshold").to_have_count(0)
    with at.page.expect_response("**/link?*k=2*"):
        at.page.fill("#themes", "2")
        at.page.press("#themes", "Tab")
    assert at.posts("link")[-1]["method"] == ["eigen"]
    at.select("Michael Jordan")
    linker = Linker(demo_kb, method="eigen")
    best = next(link for link in linker.link(TEXT).links if link.mention.text == "Michael Jordan").label
    assert best
    at.expect(".candidate").to_be_visible()
    at.expect(".candidate .figure").not_to_contain_text("%")
    with at.page.expect_response("**/link?*"):
        at.page.select_option("#method", "degree")
    at.expect_all("#themes").to_have_count(0)


def test_names_within_names(visit: Begin, demo_kb: KB) -> None:
    text = "They saw the Chicago Bulls there."
    nested = [link.mention.text for link in Linker(demo_kb, detector="nested-names").link(text).links]
    assert nested == ["Chicago Bulls", "Chicago"]
    at = visit().link(text)
    at.expect_all(".text .mention").to_have_text(["Chicago Bulls"])
    with at.page.expect_response("**/link?*nested=true*"):
        at.page.get_by_label("Names within names").check()
    at.page.wait_for_selector(".mention.nested")
    at.expect_all(".text .mention").to_have_text(["Chicago", " Bulls"])
    assert at.page.locator(".text").text_content() == text
    at.select("Chicago")
    at.expect("#candidates-title").to_have_text("“Chicago”")
    at.page.locator("#candidates .chip", has_text="Chicago Bulls").click()
    at.expect("#candidates-title").to_have_text("“Chicago Bulls”")


def test_emoji_before_a_name_shift_nothing(visit: Begin) -> None:
    text = "🏀👩‍👩‍👧‍👦🏀 Michael Jordan 🏀 and Andrew Ng 𝒳"
    at = visit().link(text)
    at.expect_all(".text .mention").to_have_text(["Michael Jordan", "Andrew Ng"])
    assert at.page.locator(".text").text_content() == text


def test_a_text_without_names_says_so(visit: Begin) -> None:
    at = visit().link("nothing to see here")
    at.expect("#panel-text").to_contain_text("No name of this knowledge graph was found")
    at.expect_all(".text .mention").to_have_count(0)
    at.expect("#map").to_contain_text("no map", ignore_case=True)


def test_files_of_all_kinds_can_be_dropped(visit: Begin, demo_kb: KB) -> None:
    at = visit()
    at.drop("notes.txt", "Andrew Ng wrote on LDA.")
    at.mention("Andrew Ng").wait_for()
    lines = [{"id": f"d{n}", "text": f"David Blei, number {n}"} for n in range(11)]
    at.drop("documents.jsonl", "".join(json.dumps(line) + "\n" for line in lines))
    at.mention("David Blei").wait_for()
    at.expect("#panel-text h2").to_have_text("d0")
    at.page.get_by_role("button", name="Next document").click()
    at.expect("#panel-text h2").to_have_text("d1")
    at.expect(at.page.get_by_role("button", name="Previous document")).to_be_enabled()
    records = [json.loads(line) for line in at.download("JSON").splitlines()]
    assert [record["id"] for record in records] == [line["id"] for line in lines]
    at.drop("mentions.json", json.dumps({"mentions": [{"text": "David Blei"}, {"text": "Andrew Ng"}]}))
    at.mention("Andrew Ng").wait_for()
    at.expect_all(".text .mention").to_have_count(2)
    at.drop("broken.jsonl", '{"text": "a"}\n{broken\n')
    at.expect("[role=alert]").to_contain_text("Line 2 of the file is not JSON")
    at.drop("table.csv", "name,year\nAndrew Ng,2003\n")
    at.expect("#panel-table table").to_be_visible()


def test_a_file_can_be_opened(visit: Begin) -> None:
    at = visit()
    at.page.set_input_files("#file", {"name": "a.txt", "mimeType": "text/plain", "buffer": b"Andrew Ng and LDA"})
    at.mention("Andrew Ng").wait_for()
    at.expect_all(".text .mention").to_have_count(2)


@pytest.mark.slow
def test_a_long_text_stays_usable(visit: Begin) -> None:
    sentence = "Michael Jordan and Tom Mitchell reviewed machine learning; David Blei and Andrew Ng wrote on LDA. 🏀\n"
    text = sentence * (100_000 // len(sentence))
    at = visit().link(text)
    count = at.page.locator(".text .mention").count()
    assert count > 4_000
    assert at.posts("link")[-1].get("explain") is None
    with at.page.expect_response("**/explain?*"):
        at.mention("David Blei", 700).click()
    at.page.wait_for_selector(".why:not(.quiet)")
    at.expect("#edges .supports li").to_be_visible()
    at.page.locator("#threshold").fill("0.5")
    assert at.page.locator(".text").evaluate("each => each.scrollHeight > each.clientHeight")


# the map and the edges


def test_triangles_are_the_links_and_lines_the_support(visit: Begin, demo_kb: KB) -> None:
    at = visit().link(TEXT)
    linker = Linker(demo_kb, explain=True, top=20)
    linked, found = linker.link(TEXT), linker.candidate_map(TEXT)
    assert found is not None
    at.expect_all(".map .point").to_have_count(len(found.points))
    at.expect_all(".map .point.chosen").to_have_count(len({link.entity for link in linked.links if link.entity}))
    assert at.page.locator(".map .lines.faint line").count() > 3
    at.select("Michael Jordan")
    (link,) = [each for each in linked.links if each.mention.text == "Michael Jordan"]
    assert link.explanation is not None
    drawn = {point.id for point in found.points}
    lines = [each for each in link.explanation.support if each.id in drawn and each.id != link.entity]
    at.expect_all(".map .lines:not(.faint) line").to_have_count(len(lines))
    own = [point for point in found.points if linked.links.index(link) in point.mentions]
    at.expect_all(".map .point.own").to_have_count(len(own))
    at.page.locator("#threshold").fill("1")
    at.expect_all(".map .point.chosen").to_have_count(0)


def test_a_point_tells_its_name_and_opens_its_mention(visit: Begin) -> None:
    at = visit().link(TEXT)
    point = at.page.locator(".map .point.chosen[aria-label*='Andrew Ng']")
    point.hover()  # which waits: the map is drawn after the links, and again when its frame gets its width
    at.expect(".tip").to_contain_text("for “")
    at.page.mouse.move(5, 5)
    at.expect(".tip").to_be_hidden()
    point.click()
    at.expect("#candidates").to_be_visible()


def test_the_map_is_one_stop_of_the_tab_key_and_arrows_go_on(visit: Begin) -> None:
    at = visit().link(TEXT)
    stops = at.page.locator(".map .point[tabindex='0']")
    at.expect_all(stops).to_have_count(1)
    stops.focus()
    first = at.page.evaluate("document.activeElement.getAttribute('aria-label')")
    at.expect(".tip").to_be_visible()
    seen = {first}
    for key in ("ArrowLeft", "ArrowRight", "ArrowDown", "ArrowUp") * 2:
        at.page.keyboard.press(key)
        seen.add(at.page.evaluate("document.activeElement.getAttribute('aria-label')"))
    assert len(seen) > 2
    at.page.keyboard.press("Enter")
    at.expect("#candidates").to_be_visible()
    assert at.page.evaluate("document.activeElement.closest('.map') !== null")


def test_the_edges_say_what_spoke_for_a_link_and_lead_on(visit: Begin, demo_kb: KB) -> None:
    at = visit().link(TEXT).select("Michael Jordan")
    links = Linker(demo_kb, explain=True).link(TEXT).links
    explanation = next(link.explanation for link in links if link.mention.text == "Michael Jordan")
    assert explanation is not None
    at.expect_all(".edges .node.supporter").to_have_count(len(explanation.support))
    rows = at.page.locator(".supports li:not(.quiet)")
    at.expect_all(rows).to_have_count(len(explanation.support))
    assert f"{explanation.support[0].share:.0%}" in rows.first.inner_text()
    rows.first.get_by_role("button").click()
    at.expect("#candidates-title").to_have_text(f"“{explanation.support[0].text}”")

"""Corrections: made, kept, forgotten, sent, and taken by training."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from helpers.browsing import Visit, serving
from helpers.kbs import DEMO, copy_kb

from eigenthemes import KB

Begin = Callable[..., Visit]

TEXT = "Michael Jordan and David Blei met Andrew Ng."


def gold(at: Visit) -> list[dict[str, Any]]:
    return [json.loads(line) for line in at.download("Download as gold", within="#corrections").splitlines()]


def test_another_candidate_is_chosen_kept_and_undone(visit: Begin) -> None:
    at = visit().link(TEXT).select("Michael Jordan")
    other = at.page.locator(".candidate:not(.chosen)").first
    label = other.locator(".candidate-name bdi").first.inner_text()
    other.get_by_role("button", name="Choose this").click()
    at.expect(".verdict").to_contain_text("corrected by you")
    at.expect(".verdict").to_contain_text(label)
    at.expect_class(at.mention("Michael Jordan"), "corrected")
    at.expect("#corrections").to_contain_text("1 correction in 1 document")
    assert at.page.evaluate("document.activeElement.closest('#candidates') !== null")
    (document,) = gold(at)
    assert document["text"] == TEXT
    (mention,) = document["mentions"]
    assert (mention["start"], mention["end"], mention["text"]) == (0, 14, "Michael Jordan")
    assert mention["gold"][0].startswith(DEMO)
    at.open().link(TEXT)
    at.expect_class(at.mention("Michael Jordan"), "corrected")
    at.select("Michael Jordan")
    at.page.get_by_role("button", name="Undo").click()
    at.expect("#corrections").to_contain_text("No corrections yet.")
    assert at.stored("demo") == {"items": [], "documents": {}}


def test_a_link_is_confirmed(visit: Begin) -> None:
    at = visit().link(TEXT).select("Andrew Ng")
    at.page.get_by_role("button", name="This is right").click()
    assert gold(at)[0]["mentions"][0]["gold"] == [f"{DEMO}andrew_ng"]


def test_none_and_not_a_name(visit: Begin) -> None:
    at = visit().link(TEXT).select("Andrew Ng")
    at.page.get_by_role("button", name="None of this knowledge graph").click()
    at.expect(".verdict").to_contain_text("you said that no entity")
    at.expect("#corrections").to_contain_text("Training remembers them")
    at.select("David Blei")
    at.page.get_by_role("button", name="Not a name").click()
    at.expect_class(at.mention("David Blei"), "not-a-name")
    (document,) = gold(at)
    assert [(each["gold"], each.get("not_a_name")) for each in document["mentions"]] == [([], None), ([], True)]


def test_any_entity_can_be_searched_for(visit: Begin) -> None:
    at = visit().link(TEXT).select("Andrew Ng")
    at.page.get_by_label("Search for any entity").fill("Chicag")
    result = at.page.locator(".result", has_text="Chicago Bulls")
    result.wait_for()
    result.click()
    at.expect(".verdict").to_contain_text("Chicago Bulls")
    assert gold(at)[0]["mentions"][0]["gold"] == [f"{DEMO}chicago_bulls"]
    at.page.get_by_label("Search for any entity").fill("zzzzqqqq")
    at.page.get_by_text("Nothing of that name.").wait_for()


def test_the_rest_of_a_document_is_confirmed_and_all_is_forgotten(visit: Begin) -> None:
    at = visit().link(TEXT)
    at.page.get_by_role("button", name="All other links here are right").click()
    at.expect("#corrections").to_contain_text("3 corrections in 1 document")
    at.expect_all(at.page.get_by_role("button", name="All other links here are right")).to_have_count(0)
    at.page.get_by_text("Show them").click()
    at.page.get_by_role("button", name="Forget the correction of Andrew Ng").click()
    at.expect("#corrections").to_contain_text("2 corrections")
    at.expect_all("#corrections li").to_have_count(2)
    at.page.get_by_role("button", name="Forget all").click()
    at.expect("#corrections").to_contain_text("No corrections yet.")
    assert at.dialogs == ["Forget 2 corrections of demo?"]


def test_corrections_belong_to_their_kb(visit: Begin) -> None:
    at = visit().link(TEXT)
    at.page.get_by_role("button", name="All other links here are right").click()
    with at.page.expect_response("**/link?kb=hostile*"):
        at.page.select_option("#kb", "hostile")
    at.expect("#corrections").to_contain_text("No corrections yet.")
    at.page.select_option("#kb", "demo")
    at.expect("#corrections").to_contain_text("3 corrections")


def test_a_browser_without_room_says_so(visit: Begin) -> None:
    at = visit().link(TEXT).select("Andrew Ng")
    full = "throw new DOMException('full', 'QuotaExceededError');"
    at.page.evaluate(f"() => {{ Storage.prototype.setItem = () => {{ {full} }}; }}")
    at.page.get_by_role("button", name="This is right").click()
    at.expect("[role=alert]").to_contain_text("no room for more corrections")


def test_storage_of_somebody_else_is_no_reason_to_fail(visit: Begin) -> None:
    at = visit()
    for key, value in (("corrections.demo", "{broken"), ("theme", "x")):
        at.page.evaluate("([key, value]) => localStorage.setItem(`eigenthemes.${key}`, value)", [key, value])
    at.open().link(TEXT)
    at.expect("#corrections").to_contain_text("No corrections yet.")


@pytest.mark.parametrize(
    ("counts", "told"),
    [
        ({"corrections": 0, "documents": 0}, "say what it means"),
        ({"corrections": 2, "documents": 1}, "From 20 names on it also fits its weights. With 4 documents more"),
        ({"corrections": 20, "documents": 5}, "Training remembers them. It will also tell what was gained."),
    ],
)
def test_what_training_needs_is_told(visit: Begin, counts: dict[str, int], told: str) -> None:
    assert told in visit().call("corrections_view.js", "m.needs(a[0])", counts)


def test_the_server_stores_them_where_it_has_a_file(visit: Begin, demo_kb: KB, tmp_path: Path) -> None:
    file = tmp_path / "corrections.jsonl"
    with serving(demo_kb, corrections=file) as url:
        at = visit(url=url).link(TEXT)
        at.expect(at.page.get_by_role("button", name="to the server")).to_be_disabled()
        at.page.get_by_role("button", name="All other links here are right").click()
        at.page.get_by_role("button", name="Send 3 to the server").click()
        at.page.get_by_role("button", name="✓ Sent").wait_for()
        at.page.get_by_text("The server keeps 3 corrections in 1 document.").wait_for()
        (stored,) = map(json.loads, file.read_text(encoding="utf-8").splitlines())
        assert [each["gold"] for each in stored["mentions"]] == [each["gold"] for each in gold(at)[0]["mentions"]]
        at.select("Andrew Ng")
        at.page.get_by_role("button", name="Not a name").click()
        at.page.get_by_role("button", name="Send 1 to the server").click()
        at.page.get_by_role("button", name="✓ Sent").wait_for()
        assert len(file.read_text(encoding="utf-8").splitlines()) == 2
        at.page.close()  # before its server: a request that is under way would fail


@pytest.mark.slow
def test_training_takes_the_file(visit: Begin, demo_kb: KB, tmp_path: Path) -> None:
    at = visit()
    for text in (TEXT, *(f"{number} 🏀 Andrew Ng wrote with David Blei." for number in range(4))):
        at.link(text)
        at.page.get_by_role("button", name="All other links here are right").click()
    at.link(TEXT).select("David Blei")
    at.page.get_by_role("button", name="Not a name").click()
    (tmp_path / "corrections.jsonl").write_text(at.download("Download as gold", within="#corrections"), encoding="utf-8")
    kb = copy_kb(demo_kb, tmp_path / "copy.kb")
    train = [sys.executable, "-m", "eigenthemes", "train", str(kb.path), str(tmp_path / "corrections.jsonl")]
    done = subprocess.run(train, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "remembers 11 corrections of 3 names in 5 documents (1 not a name)" in done.stderr

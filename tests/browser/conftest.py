"""A browser, where one is installed, and servers for it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import pytest
from helpers.browsing import Visit, chromium, serving
from helpers.explaining import ranker_by_hand
from helpers.kbs import build_untrained, write_sources
from helpers.shared_builds import build_once

from eigenthemes import KB
from eigenthemes.train import store_ranker

HOW = "install it with: make test-browser"
LONG_NAME = "Wagga" + " Wagga" * 1_700  # 10 kB
HOSTILE = [  # id, name, other name, description, type
    ("img", "<img src=x onerror=alert(1)>", "Imgtown", "<script>alert(2)</script>", "<b>city</b>"),
    ("js", "Jaysville", "", "\"'><svg onload=alert(3)>", "javascript:alert(4)"),
    ("http://127.0.0.1:9/?<x>", "Linkton", "", "${alert(5)} {{7*7}}", "city"),
    ("javascript:alert(6)", "Scriptham", "", '=HYPERLINK("http://x")', "city"),
    ("he", "ירושלים", "Yerushalayim", "עיר בהרי יהודה", "עיר"),
    ("long", LONG_NAME, "Longtown", "very " * 3_000, "city"),
    ("emoji", "Emojiville", "🏀 City", "👩‍👩‍👧‍👦", "city"),
    ("same-1", "Twinford", "", "", "city"),
    ("same-2", "Twinford", "", "", "city"),
]
EDGES = [("img", "js"), ("js", "he"), ("he", "long"), ("long", "img"), ("emoji", "js"), ("same-1", "js"), ("img", "emoji")]


def build_hostile(folder: Any) -> KB:
    """Build a KB of names that try to be something else, with vectors and a ranker."""
    fields = ("id", "name", "aliases", "description", "type")
    nodes = [dict(zip(fields, (each[0], each[1], [each[2]] if each[2] else [], *each[3:]), strict=True)) for each in HOSTILE]
    sources = write_sources(folder, nodes, EDGES, relation="<i>near</i>")
    return store_ranker(build_untrained(sources, folder / "hostile.kb"), ranker_by_hand())


@pytest.fixture(scope="session")
def hostile_kb(tmp_path_factory: pytest.TempPathFactory) -> KB:
    return KB.open(build_once(tmp_path_factory, "hostile", build_hostile) / "hostile.kb")


def _go_without(reason: str) -> NoReturn:
    """Skip with the reason; `make test-browser`, which installs all, fails instead."""
    if os.environ.get("EIGENTHEMES_BROWSER") == "required":
        pytest.fail(reason)
    pytest.skip(f"{reason}; {HOW}")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, for the tests of a file: while it is open no other event loop can run in this thread."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _go_without("playwright is not installed")
    path = chromium()
    if path is None:
        _go_without("there is no chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def server(browser: Any, demo_kb: KB, hostile_kb: KB) -> Iterator[str]:
    """The demo's KB, and that of hostile names."""
    with serving(demo_kb, hostile_kb) as url:
        yield url


@pytest.fixture
def visit(browser: Any, server: str) -> Iterator[Callable[..., Visit]]:
    """Open the page as somebody new, with options of the browser; faults in it fail the test."""
    visits: list[Visit] = []

    def begin(query: str = "", *, expected: tuple[str, ...] = (), url: str = server, **options: Any) -> Visit:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, "accept_downloads": True, **options})
        visits.append(Visit(context.new_page(), url, expected=expected))
        return visits[-1].open(query)

    yield begin
    for each in visits:
        each.page.context.close()
    for each in visits:
        each.check()

"""The page in a real browser, served by a real server: what tests do on it, in the words of people."""

from __future__ import annotations

import json
import re
import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from eigenthemes import KB
from eigenthemes.service.app import create_app
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.settings import ServiceSettings

_PATIENCE = 60.0  # seconds until a server that does not start is a failure


@contextmanager
def serving(*kbs: KB, **settings: Any) -> Iterator[str]:
    """Serve KBs in a thread; the address of the page."""
    import uvicorn

    app = create_app(ServedKBs.open([kb.path for kb in kbs]), ServiceSettings(**settings))
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error", ws="none", lifespan="off"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    end = time.monotonic() + _PATIENCE
    while not server.started:
        assert thread.is_alive(), "the server did not start"
        assert time.monotonic() < end, "the server did not start"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
    finally:
        server.should_exit = True
        thread.join(_PATIENCE)


def chromium() -> str | None:
    """Return the path of the system's browser."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Visit:
    """A visit to the page; at its end nothing may have gone wrong in the browser, and nothing have left the server."""

    def __init__(self, page: Any, url: str, *, expected: tuple[str, ...] = ()) -> None:
        self.page, self.url, self.expected = page, url, expected
        self.faults: list[str] = []
        self.requests: list[Any] = []
        self.dialogs: list[str] = []
        page.set_default_timeout(30_000)
        page.on("console", lambda message: self._note(message.type, message.text))
        page.on("pageerror", lambda error: self.faults.append(f"error: {error}"))
        page.on("request", lambda request: self.requests.append(request))
        page.on("dialog", self._answer)

    def _note(self, kind: str, text: str) -> None:
        if kind in ("error", "warning") and not any(words in text for words in self.expected):
            self.faults.append(f"{kind}: {text}")

    def _answer(self, dialog: Any) -> None:
        self.dialogs.append(dialog.message)
        dialog.accept()

    def check(self) -> None:
        """Assert that the visit went well."""
        assert self.faults == [], self.faults
        elsewhere = [each.url for each in self.requests if not each.url.startswith((self.url, "blob:", "data:"))]
        assert elsewhere == [], elsewhere

    def open(self, query: str = "") -> Visit:
        self.page.goto(self.url + query)
        self.page.wait_for_selector("#options select", state="attached")
        return self

    def link(self, text: str) -> Visit:
        """Paste a text and link it."""
        if self.page.get_by_role("button", name="Edit the text").is_visible():
            self.page.get_by_role("button", name="Edit the text").click()
        self.page.fill("#text", text)
        self.page.get_by_role("button", name="Link", exact=True).click()
        self.page.wait_for_selector("#panel-text .text")
        return self

    def mention(self, text: str, number: int = 0) -> Any:
        """Return a mention of the text."""
        return self.page.locator(".text .mention").filter(has_text=text).nth(number)

    def select(self, text: str, number: int = 0) -> Visit:
        self.mention(text, number).click()
        self.page.wait_for_selector("#candidates .verdict")
        return self

    def expect(self, where: Any) -> Any:
        """Return assertions on the first element of a selector or locator; they wait until they hold."""
        return self.expect_all(self._locator(where).first)

    def expect_all(self, where: Any) -> Any:
        """Return assertions on all elements of a selector or locator; they wait until they hold."""
        from playwright.sync_api import expect

        expect.set_options(timeout=_PATIENCE * 1_000)
        return expect(self._locator(where))

    def expect_class(self, where: Any, name: str) -> None:
        self.expect(where).to_have_class(re.compile(rf"(^|\s){re.escape(name)}(\s|$)"))

    def expect_links(self, wanted: dict[str, bool]) -> None:
        """Wait until the text shows these names as linked or not."""
        end = time.monotonic() + _PATIENCE
        while (shown := self.shown_links()) != wanted and time.monotonic() < end:
            self.page.wait_for_timeout(50)
        assert shown == wanted

    def _locator(self, where: Any) -> Any:
        return self.page.locator(where) if isinstance(where, str) else where

    def shown_links(self) -> dict[str, bool]:
        """Return which names the text shows as linked, by their words."""
        marks = self.page.locator(".text .mention")
        return marks.evaluate_all("marks => Object.fromEntries(marks.map(m => [m.textContent, !m.classList.contains('nil')]))")

    def posts(self, path: str) -> list[dict[str, list[str]]]:
        """Return the query strings of the requests that were posted to a path."""
        sent = [urlsplit(each.url) for each in self.requests if each.method == "POST"]
        return [parse_qs(url.query) for url in sent if url.path == f"/{path}"]

    def download(self, name: str, *, within: str = "main", exact: bool = True) -> str:
        """Press a button that gives a file; its content."""
        with self.page.expect_download() as waiting:
            self.page.locator(within).get_by_role("button", name=name, exact=exact).locator("visible=true").click()
        return Path(waiting.value.path()).read_text(encoding="utf-8")

    def drop(self, file_name: str, content: str) -> None:
        """Drop a file on the page."""
        self.page.evaluate(
            """([name, content]) => {
                const data = new DataTransfer();
                data.items.add(new File([content], name));
                for (const kind of ["dragover", "drop"])
                    document.body.dispatchEvent(new DragEvent(kind, {dataTransfer: data, bubbles: true, cancelable: true}));
            }""",
            [file_name, content],
        )

    def call(self, module: str, expression: str, *arguments: Any) -> Any:
        """Evaluate an expression with the exports of a module of the page as `m`, and arguments as `a`."""
        return self.page.evaluate(
            f"async a => {{ const m = await import('/page/{module}'); return {expression}; }}", list(arguments)
        )

    def stored(self, kb: str) -> dict[str, Any]:
        """Return the corrections that the browser keeps."""
        kept = self.page.evaluate("kb => localStorage.getItem(`eigenthemes.corrections.${kb}`)", kb)
        return json.loads(kept) if kept else {"items": [], "documents": {}}

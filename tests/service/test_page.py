"""The files of the page and its samples; what people do on it is in tests/browser."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from helpers.kbs import build_from_records
from helpers.serving import Client, MakeClient

from eigenthemes import Linker
from eigenthemes.service.page_routes import PAGE, samples_of

MEDIA_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@pytest.fixture
def client(make_client: MakeClient) -> Client:
    return make_client(token="secret")


def test_every_file_is_served_with_its_type_and_a_policy_and_without_a_token(client: Client) -> None:
    names = {"", *(f"page/{path.name}" for path in PAGE.iterdir())}
    assert len(names) > 15
    for name in names:
        answer = client.get(f"/{name}")
        assert answer.status_code == 200, name
        assert answer.headers["content-type"] == MEDIA_TYPES[Path(name).suffix or ".html"]
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_what_the_page_loads_is_there() -> None:
    files = {path.name for path in PAGE.iterdir()}
    for path in PAGE.iterdir():
        content = path.read_text(encoding="utf-8")
        loaded = re.findall(r'from "\./([\w.]+)"', content) + re.findall(r'(?:href|src)="page/([\w.]+)"', content)
        assert set(loaded) <= files, path.name


def test_other_files_are_not_served(client: Client) -> None:
    for name in ("page/nothing.js", "page/..%2fapp.py", "page/page_routes.py", "page/"):
        assert client.get(f"/{name}").status_code == 404, name


def test_a_file_that_has_not_changed_is_not_sent_again(client: Client) -> None:
    first = client.get("/page/app.js")
    again = client.get("/page/app.js", headers={"If-None-Match": first.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_samples_ask_for_the_token(client: Client) -> None:
    assert client.get("/samples").status_code == 401
    samples = client.get("/samples", headers={"Authorization": "Bearer secret"}).json()
    assert len(samples) == 3
    assert all(set(sample) == {"title", "text"} for sample in samples)


def test_samples_are_texts_that_the_kb_knows(demo_linker: Linker) -> None:
    for sample in samples_of(demo_linker.kb, demo_linker):
        linked = demo_linker.link(sample["text"]).links
        assert sum(link.entity is not None for link in linked) >= 4, sample["title"]


def test_a_kb_that_knows_no_sample_has_some_of_its_own(tmp_path: Path) -> None:
    names = [
        f"{first}{last}"
        for first in ("Quor", "Blim", "Zant", "Vesp")
        for last in ("ton", "ville", "ham", "burg", "mere", "ford")
    ]
    nodes = [{"id": name.lower(), "name": name, "description": f"a place, {number}"} for number, name in enumerate(names)]
    edges = [(one.lower(), other.lower()) for one in names[::6] for other in names if other[:4] == one[:4] and other != one]
    linker = Linker(build_from_records(tmp_path, nodes, edges))
    samples = samples_of(linker.kb, linker)
    assert len(samples) == 3
    assert len({sample["title"] for sample in samples}) == 3
    for sample in samples:
        assert sample["text"].startswith(f"{sample['title']}: a place, ")
        assert sum(link.entity is not None for link in linker.link(sample["text"]).links) >= 4


def test_a_kb_with_nothing_to_say_has_no_samples(tmp_path: Path) -> None:
    kb = build_from_records(tmp_path, [{"id": "a", "name": "Alone"}])
    assert samples_of(kb, Linker(kb)) == []

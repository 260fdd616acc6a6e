"""The middleware: access, limits, and errors as problem JSON."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import httpx
import pytest
from helpers.serving import Client, MakeClient

from eigenthemes import KB
from eigenthemes.errors import OptionError
from eigenthemes.service.app import create_app
from eigenthemes.service.served import ServedKBs
from eigenthemes.service.settings import ServiceSettings

TEXT = "Michael Jordan wrote with David Blei and Andrew Ng."
JSON = {"Content-Type": "application/json"}


def problem(answer: httpx.Response, status: int, code: str) -> dict[str, Any]:
    """The problem of an answer, which must be of this kind."""
    record: dict[str, Any] = answer.json()
    assert (answer.status_code, record["code"]) == (status, code), record
    assert answer.headers["content-type"] == "application/problem+json"
    assert record["status"] == status
    assert record["title"]
    assert "Traceback" not in answer.text
    return record


# bodies


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"nul",
        b'{"text": NaN}',
        b'{"text": "\\ud800"}',
        b"\xff\xfe",
        b'"\xed\xa0\x80"',
        b'{"a": 1} {"a": 2}',
        b"[" * 100_000,
        b'{"a":' * 100_000 + b"1" + b"}" * 100_000,
        b"-",
        b"\x00",
    ],
)
def test_what_is_no_json_is_told(client: Client, body: bytes) -> None:
    for path in ("/link", "/link-table", "/explain"):
        assert problem(client.post(path, content=body, headers=JSON), 400, "json")["remedy"]


@pytest.mark.parametrize("number", [b"1e400", b"-1e400", b"1" * 400, b"-1"])
def test_numbers_beyond_measure_fail_no_request(client: Client, number: bytes) -> None:
    body = b'{"mentions": [{"text": "a", "row": %s, "col": 0, "other": %s}], "id": %s}' % (number, number, number)
    assert client.post("/link", content=body, headers=JSON).status_code in (200, 400, 422)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "", "json"])
def test_only_json_is_read(client: Client, kind: str) -> None:
    """Web pages can send other types to anywhere without being asked."""
    problem(client.post("/link", content=b'"a"', headers={"Content-Type": kind}), 415, "not-json")
    assert client.post("/link", content=b'"a"', headers={"Content-Type": "Application/JSON; charset=utf-8"}).status_code == 200


def test_a_compressed_body_is_refused_with_the_reason(client: Client) -> None:
    """What a few bytes may become is not to be found out here."""
    problem(client.post("/link", content=b'"a"', headers={**JSON, "Content-Encoding": "gzip"}), 415, "encoded")


def test_a_body_that_is_too_large_is_refused_by_its_length_and_by_what_comes(make_client: MakeClient) -> None:
    client = make_client(max_body=1000)

    async def chunks() -> Any:
        for _ in range(30):
            yield b" " * 100

    problem(client.post("/link", content=b" " * 1001, headers=JSON), 413, "too-large")
    answer = client.post("/link", content=chunks(), headers=JSON)
    assert problem(answer, 413, "too-large")["remedy"] == "send less at once"
    assert answer.headers["connection"] == "close"
    problem(client.post("/reload", content=b" " * 1001), 413, "too-large")
    assert client.post("/link", content=b'"a"' + b" " * 997, headers=JSON).status_code == 200


def test_a_body_that_comes_too_slowly_is_refused(make_client: MakeClient) -> None:
    async def endless() -> Any:
        yield b'"a'
        await asyncio.sleep(60)
        yield b'"'

    problem(make_client(max_body_seconds=0.05).post("/link", content=endless(), headers=JSON), 408, "slow")


def test_an_answer_that_takes_too_long_is_given_up(make_client: MakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client = make_client(max_seconds=0.05)

    async def never(*_: Any) -> None:
        await asyncio.sleep(60)

    monkeypatch.setattr("eigenthemes.service.batching.Batcher.link", never)
    answer = client.post("/link", json=TEXT)
    problem(answer, 503, "time")
    assert int(answer.headers["retry-after"]) > 0


def test_more_requests_than_at_once_are_told_to_come_again(make_client: MakeClient, monkeypatch: pytest.MonkeyPatch) -> None:
    client = make_client(max_concurrent=3)
    release = asyncio.Event()

    async def wait(*_: Any) -> list[bytes]:
        await release.wait()
        return [b"{}"]

    monkeypatch.setattr("eigenthemes.service.batching.Batcher.link", wait)

    async def all_at_once() -> list[httpx.Response]:
        waiting = [asyncio.create_task(client.http.post("/link", json=TEXT)) for _ in range(5)]
        done, _ = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        while len(done) < 2:
            done, _ = await asyncio.wait(waiting, timeout=0.01)
        health = await client.http.get("/health")
        release.set()
        return [*await asyncio.gather(*waiting), health]

    *answers, health = client.run(all_at_once())
    refused = [answer for answer in answers if answer.status_code == 503]
    assert len(refused) == 2
    assert all(problem(answer, 503, "busy") and answer.headers["retry-after"] == "1" for answer in refused)
    assert health.status_code == 200  # whoever watches is always answered


# who may ask


@pytest.mark.parametrize(
    "host", ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "a@localhost", "", "[::1", "x y"]
)
def test_a_name_that_is_not_ours_is_refused(client: Client, host: str) -> None:
    """A page can let any name lead to this machine (DNS rebinding)."""
    for method, path in (("GET", "/info"), ("GET", "/health"), ("POST", "/link")):
        problem(client.request(method, path, headers={"Host": host}), 421, "host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8000", "127.0.0.1:8000", "[::1]:8000", "192.168.1.7"])
def test_addresses_and_localhost_are_ours(client: Client, host: str) -> None:
    assert client.get("/health", headers={"Host": host}).status_code == 200


def test_other_names_are_ours_when_they_are_allowed(make_client: MakeClient) -> None:
    assert (
        make_client(allowed_hosts=("Linker.Example",)).get("/health", headers={"Host": "linker.example:80"}).status_code == 200
    )
    assert make_client(allowed_hosts=("*",)).get("/health", headers={"Host": "any.example"}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://localhost:3333", "https://localhost.evil.example", "x", ""]
)
def test_pages_from_elsewhere_may_not_post(client: Client, origin: str) -> None:
    for path in ("/link", "/reload", "/corrections", "/explain", "/link-table"):
        answer = client.post(path, json=TEXT, headers={"Origin": origin})
        problem(answer, 403, "origin")
        assert "access-control-allow-origin" not in answer.headers


def test_our_own_page_may_post(client: Client) -> None:
    for origin, host in (("http://localhost", "localhost"), ("http://127.0.0.1:8000", "127.0.0.1:8000")):
        assert client.post("/link", json=TEXT, headers={"Origin": origin, "Host": host}).status_code == 200


def test_a_page_from_elsewhere_is_not_let_in_by_asking_first(client: Client) -> None:
    asked = {"Origin": "http://evil.example", "Access-Control-Request-Method": "POST"}
    answer = client.request("OPTIONS", "/link", headers=asked)
    problem(answer, 405, "http-405")
    assert "access-control-allow-origin" not in answer.headers


def test_the_token_is_asked_for_and_never_logged(make_client: MakeClient, caplog: pytest.LogCaptureFixture) -> None:
    client = make_client(token="s3cret", access_log=True)
    caplog.set_level(logging.DEBUG, "eigenthemes")
    wrong: list[dict[str, str]] = [
        {},
        {"Authorization": "Bearer s3cre"},
        {"Authorization": "s3cret"},
        {"Authorization": "Basic s3cret"},
    ]
    for headers in wrong:
        answer = client.post("/link", json=TEXT, headers=headers)
        problem(answer, 401, "token")
        assert answer.headers["www-authenticate"] == "Bearer"
    for path in ("/info", "/metrics", "/openapi.json", "/search?q=a", "/link?token=", "/info?token=x&token=s3cret"):
        assert client.get(path).status_code == 401, path
    assert client.post("/link", json=TEXT, headers={"Authorization": "bearer s3cret"}).status_code == 200
    assert client.post("/link?token=s3cret&top=1", json=TEXT).status_code == 200
    assert client.get("/search?q=Jordan&token=s3cret").status_code == 200
    assert client.get("/health").status_code == 200  # whoever watches needs none
    assert "s3cret" not in caplog.text


def test_no_text_is_logged(make_client: MakeClient, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    client = make_client(access_log=True)
    caplog.set_level(logging.DEBUG)
    client.post("/link", json={"text": "geheim", "mentions": [{"start": 0, "end": 99}]})
    client.get("/search?q=geheim")
    client.get("/%1b[31mred%0a")

    def fail(*_: Any) -> None:
        raise RuntimeError("geheim")

    monkeypatch.setattr("eigenthemes.service.link_routes.documents_of", fail)
    problem(client.post("/link", json="geheim"), 500, "fault")
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("eigenthemes")]
    assert not any("geheim" in line or "\x1b" in line or "\n" in line for line in ours)
    assert any(line.startswith("POST /link 422") for line in ours)
    assert any("RuntimeError at test_middleware.py" in line for line in ours)


# errors of all kinds


def test_what_is_not_there_is_told(client: Client) -> None:
    problem(client.get("/no/such"), 404, "http-404")
    problem(client.get("/link"), 405, "http-405")
    problem(client.post("/info"), 405, "http-405")
    problem(client.get("/entity/no-such"), 404, "entity-unknown")
    problem(client.post("/link?kb=other", json=TEXT), 404, "kb-unknown")
    problem(client.request("DELETE", "/info"), 405, "http-405")
    assert client.get("/link").headers["allow"] == "POST"


def test_what_is_sent_is_not_sent_back_without_end(client: Client) -> None:
    for path in (f"/{'a' * 50_000}", f"/search?{'b' * 5000}=1", f"/entity/{'c' * 50_000}", f"/link?kb={'d' * 5000}"):
        assert len(client.get(path).content) < 3000


def test_while_it_starts_it_says_so(demo_kb: KB) -> None:
    served = ServedKBs([demo_kb.path])
    client = Client(create_app(served, ServiceSettings()))
    for path in ("/health", "/info", "/search?q=a"):
        answer = client.get(path)
        problem(answer, 503, "starting")
        assert answer.headers["retry-after"] == "1"
    assert client.get("/metrics").status_code == 200
    served.prepare()
    served.commit()
    assert client.get("/health").json() == {"status": "ready"}
    client.close()


def test_head_is_get_without_a_body(client: Client) -> None:
    assert client.request("HEAD", "/health").status_code == 200


def test_a_library_error_has_the_status_of_its_class() -> None:
    from eigenthemes import errors
    from eigenthemes.service.json_http import problem_of

    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.EigenthemesError)]
    made = [kind("a", "b", "c") if kind is errors.MissingExtraError else kind("a; b") for kind in kinds]
    statuses = {type(error).__name__: problem_of(error).status_code for error in made}
    assert statuses["OptionError"] == statuses["DocumentError"] == statuses["VectorError"] == 422
    assert statuses["MissingExtraError"] == 501
    assert statuses["KBDamagedError"] == statuses["KBNotFoundError"] == statuses["WorkerError"] == 503
    assert json.dumps(statuses)


# behind a proxy


def addresses(answer: httpx.Response) -> set[str]:
    """The addresses that a reconciliation manifest gives, up to /reconcile."""
    assert answer.status_code == 200, answer.text
    manifest = answer.json()
    assert manifest["suggest"]["entity"]["service_url"] == manifest["extend"]["propose_properties"]["service_url"]
    urls = (manifest["view"]["url"], manifest["preview"]["url"], manifest["suggest"]["entity"]["service_url"])
    return {url.partition("/reconcile/")[0] for url in urls}


PROXY = {"Host": "localhost:8443", "X-Forwarded-Proto": "https", "X-Forwarded-Prefix": "/kg/"}


@pytest.mark.parametrize("prefix", ["", "/kg"], ids=["removed", "kept"])
def test_a_trusted_proxy_tells_the_outer_address(client: Client, prefix: str) -> None:
    assert addresses(client.get(f"{prefix}/reconcile", headers=PROXY)) == {"https://localhost:8443/kg"}
    assert client.get(f"{prefix}/openapi.json", headers=PROXY).json()["servers"] == [{"url": "/kg"}]
    assert client.post(f"{prefix}/link", json=TEXT, headers=PROXY).status_code == 200
    assert client.get(f"{prefix}/page/app.js", headers=PROXY).status_code == 200
    view = client.get(f"{prefix}/reconcile/demo/view?id=https://example.org/demo/andrew_ng", headers=PROXY)
    assert 'href="https://localhost:8443/kg/reconcile/demo/view?id=' in view.text


def test_the_root_path_is_used_where_the_proxy_says_none(make_client: MakeClient) -> None:
    client = make_client(root_path="/a/kg/", token="s3cret")
    for path in ("/reconcile", "/a/kg/reconcile"):
        assert addresses(client.get(f"{path}?token=s3cret")) == {"http://localhost/a/kg"}
    assert client.get("/a/kg/info").status_code == 401  # the same rules hold below it
    assert client.get("/a/kg/health").status_code == 200
    answer = client.get("/a/kg?token=s3cret")
    assert (answer.status_code, answer.headers["location"]) == (307, "/a/kg/?token=s3cret")
    assert client.get("/a/kgs").status_code == 401
    assert addresses(client.get("/reconcile?token=s3cret", headers=PROXY)) == {"https://localhost:8443/kg"}


@pytest.mark.parametrize("address", ["192.0.2.7", "::2", ""])
def test_only_trusted_proxies_are_believed(make_client: MakeClient, address: str) -> None:
    assert addresses(make_client(address=address).get("/reconcile", headers=PROXY)) == {"http://localhost:8443"}


@pytest.mark.parametrize("address", ["192.0.2.7", "::ffff:192.0.2.7"])
def test_further_proxies_may_be_trusted(make_client: MakeClient, address: str) -> None:
    client = make_client(address=address, trusted_proxies=("192.0.2.0/24",))
    assert addresses(client.get("/reconcile", headers=PROXY)) == {"https://localhost:8443/kg"}


@pytest.mark.parametrize("prefix", ["//evil.example", "kg", "/k g", "/kg?x", "javascript:", "/\xe9", "/"])
def test_what_is_no_path_is_no_prefix(client: Client, prefix: str) -> None:
    headers = {"X-Forwarded-Prefix": prefix.encode("latin-1"), "X-Forwarded-Proto": b"ftp"}
    assert addresses(client.get("/reconcile", headers=headers)) == {"http://localhost"}  # type: ignore[arg-type]


@pytest.mark.parametrize("settings", [{"root_path": "kg"}, {"root_path": "//x"}, {"trusted_proxies": ("proxy",)}])
def test_settings_of_a_proxy_are_checked(settings: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"; expected a path|; give the address"):
        ServiceSettings(**settings)

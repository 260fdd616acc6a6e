"""The service as processes: reload under load, a worker that dies, hostile requests, a stop that loses nothing."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from helpers.files import ROOT
from helpers.kbs import TINY_EDGES, TINY_NODES, build_untrained, copy_kb, write_sources
from helpers.serving import Load, Service

from eigenthemes import KB

BODY = json.dumps({"text": "Michael Jordan of Iowa", "mentions": [{"text": "Zanzibar"}, {"text": "Iowa"}]}).encode()


def get(service: Service, path: str) -> Any:
    with urllib.request.urlopen(service.address + path, timeout=60) as answer:
        return answer.read().decode()


def post(service: Service, path: str) -> Any:
    with urllib.request.urlopen(urllib.request.Request(service.address + path, b"", method="POST"), timeout=60) as answer:
        return json.load(answer)


def number(service: Service, name: str) -> float:
    lines = get(service, "/metrics").splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(name)))


def wait_until(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.05)


@pytest.mark.slow
def test_two_workers_lose_no_request(tiny: KB, tmp_path: Path) -> None:
    """Under load: a new KB by POST and by SIGHUP, a broken one, a worker killed; then a stop."""
    path = copy_kb(tiny, tmp_path / "tiny.kb").path

    def rebuild(entity: str) -> None:
        sources = write_sources(
            tmp_path / "new", [*TINY_NODES, {"id": entity, "name": "Zanzibar"}], [*TINY_EDGES, (entity, "us")]
        )
        build_untrained(sources, path, force=True)

    with Service(path, "--workers", 2) as service:
        assert len(service.workers()) == 2
        assert number(service, "eigenthemes_ready") == 2
        loads = [Load(service.port, BODY, "/link?method=degree&top=1") for _ in range(6)]
        for load in loads:
            load.start()
        rebuild("first")
        assert post(service, "/reload") == {"replaced": ["tiny"], "unchanged": []}
        assert (
            b"first"
            in urllib.request.urlopen(
                urllib.request.Request(service.address + "/link?method=degree", BODY, {"Content-Type": "application/json"}),
                timeout=60,
            ).read()
        )
        rebuild("second")
        service.process.send_signal(signal.SIGHUP)
        wait_until(lambda: all(any(b"second" in answer for answer in load.answers) for load in loads))
        manifest = (path / "manifest.json").read_bytes()
        (path / "manifest.json").write_bytes(manifest[:-20])
        with pytest.raises(urllib.error.HTTPError, match="503"):
            post(service, "/reload")
        (path / "manifest.json").write_bytes(manifest)
        wait_until(lambda: sum(load.count for load in loads) > 200)
        for load in loads:
            load.finish()
        assert [failure for load in loads for failure in load.failures] == []
        assert number(service, "eigenthemes_reloads_total") == 2
        assert number(service, "eigenthemes_failed_reloads_total") == 1
        assert number(service, 'eigenthemes_requests_total{route="/link",status="200"}') == 1 + sum(
            load.count for load in loads
        )

        killed = service.workers()[-1]
        loads = [Load(service.port, BODY, "/link?method=degree&top=1", is_new=True) for _ in range(4)]
        for load in loads:
            load.start()
        os.kill(killed, signal.SIGKILL)
        wait_until(lambda: len(service.workers()) == 2 and killed not in service.workers())
        wait_until(lambda: number(service, "eigenthemes_ready") == 2)
        for load in loads:
            load.finish()
        # requests of the process that was killed are lost; one that is starting takes none
        assert [failure for load in loads for failure in load.failures if failure.startswith("503")] == []
        assert number(service, "eigenthemes_restarts_total") == 1
        assert service.stop() == 0
    assert "Traceback" not in service.stderr


@pytest.mark.slow
def test_the_folder_of_a_killed_service_is_removed_by_the_next(
    tiny: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Service(tiny.path) as killed:
        [left] = tmp_path.iterdir()
        workers = killed.workers()
        killed.process.kill()
        killed.process.communicate()
    wait_until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))
    with Service(tiny.path) as first:
        assert not left.exists()
        [own] = tmp_path.iterdir()
        with Service(tiny.path) as second:
            assert own.exists()
            assert number(first, "eigenthemes_ready") == number(second, "eigenthemes_ready") == 1
            assert second.stop() == 0
        assert first.stop() == 0
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@pytest.mark.parametrize("is_chunked", [False, True])
def test_a_body_past_the_limit_is_answered_before_the_connection_closes(tiny: KB, is_chunked: bool) -> None:
    """Clients that send everything before they read must see why it was refused, however much they send."""
    size = 120

    def body() -> Iterator[bytes]:
        for _ in range(size):
            yield b" " * (1 << 20)

    headers = {"Content-Type": "application/json"} | ({} if is_chunked else {"Content-Length": str(size << 20)})
    with Service(tiny.path, "--max-body", 1) as service:
        connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=60)
        connection.request("POST", "/link", body(), headers, encode_chunked=is_chunked)
        answer = connection.getresponse()
        assert (answer.status, json.load(answer)["code"]) == (413, "too-large")
        connection.close()
        assert service.stop() == 0


@pytest.mark.slow
def test_hostile_requests_are_answered_while_others_are_served(
    tiny: KB, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT)
    from benchmarks.bench_service import hostile_requests, send_hostile

    with Service(tiny.path, "--workers", 1, "--max-body", 1) as service:
        load = Load(service.port, BODY, "/link?method=degree")
        load.start()

        async def attack() -> list[tuple[str, int]]:
            asked = [(kind, data) for kind, data, is_slow in hostile_requests(80, huge=3 << 20) if not is_slow]
            statuses = await asyncio.gather(*(send_hostile("127.0.0.1", service.port, data) for _, data in asked))
            return [(kind, status) for (kind, _), status in zip(asked, statuses, strict=True)]

        answers = asyncio.run(attack())
        load.finish()
        assert [(kind, status) for kind, status in answers if not 400 <= status < 500] == []
        assert load.failures == []
        assert load.count > 0
        connection = socket.create_connection(("127.0.0.1", service.port))  # what never ends keeps nobody from stopping
        connection.sendall(b"POST /link HTTP/1.1\r\nHost: local")
        assert service.stop(signal.SIGINT) == 0
        connection.close()
    assert "Traceback" not in service.stderr

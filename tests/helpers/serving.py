"""A service: in this process, asked without a network, or as the command that people start."""

from __future__ import annotations

import asyncio
import http.client
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

import httpx
from fastapi import FastAPI

Result = TypeVar("Result")


class Client:
    """Asks an app as httpx would ask a server; `run` runs several requests at once."""

    def __init__(self, app: FastAPI, address: str = "127.0.0.1") -> None:
        self.app = app
        self._loop = asyncio.new_event_loop()
        transport = httpx.ASGITransport(app, client=(address, 123))
        self.http = httpx.AsyncClient(transport=transport, base_url="http://localhost")

    def request(self, method: str, path: str, **given: Any) -> httpx.Response:
        return self.run(self.http.request(method, path, **given))

    def get(self, path: str, **given: Any) -> httpx.Response:
        return self.request("GET", path, **given)

    def post(self, path: str, **given: Any) -> httpx.Response:
        return self.request("POST", path, **given)

    def run(self, coroutine: Coroutine[Any, Any, Result]) -> Result:
        return self._loop.run_until_complete(coroutine)

    def close(self) -> None:
        self.run(self.http.aclose())
        self._loop.close()


MakeClient = Callable[..., Client]


class Service:
    """The command `eigenthemes serve` in a process of its own."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-m", "eigenthemes", "serve", *map(str, arguments), "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().strip().rstrip("/")
        self.stderr = ""

    @property
    def port(self) -> int:
        return int(self.address.rpartition(":")[2])

    def workers(self) -> list[int]:
        """The ids of its processes that answer."""
        command = ["pgrep", "-P", str(self.process.pid), "-f", "spawn_main"]
        return sorted(map(int, subprocess.run(command, capture_output=True, text=True, check=False).stdout.split()))

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Stop it, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        self.stderr += self.process.communicate(timeout=60)[1]
        return self.process.returncode

    def __enter__(self) -> Service:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.stop()


class Load(threading.Thread):
    """Ask again and again over one connection, or each time over a new one, until told to stop; keep failures."""

    def __init__(self, port: int, body: bytes, path: str = "/link", *, is_new: bool = False) -> None:
        super().__init__()
        self.port, self.body, self.path, self.is_new = port, body, path, is_new
        self.count = 0
        self.failures: list[str] = []
        self.answers: set[bytes] = set()
        self.is_over = False

    def run(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        while not self.is_over:
            try:
                connection.request("POST", self.path, self.body, {"Content-Type": "application/json"})
                answer = connection.getresponse()
                content = answer.read()
                if answer.status != 200:
                    self.failures.append(f"{answer.status} {content[:200]!r}")
                self.answers.add(content)
                if self.is_new:
                    connection.close()
            except (OSError, http.client.HTTPException) as error:
                self.failures.append(repr(error))
                connection.close()
            self.count += 1
        connection.close()

    def finish(self) -> None:
        self.is_over = True
        self.join()

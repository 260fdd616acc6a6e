"""OpenRefine itself, without its window: started, told what to do through the commands its own page sends, and stopped."""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx

_START_SECONDS, _PROCESS_SECONDS = 90.0, 240.0
_ALL_ROWS = json.dumps({"facets": [], "mode": "row-based"})


def missing() -> str | None:
    """Return what keeps OpenRefine from running here; None: nothing."""
    for program in ("openrefine", "java"):
        if shutil.which(program) is None:
            return f"{program} is not installed; on Debian: apt-get install openrefine, or make test-openrefine"
    return None


def free_port() -> int:
    """Return a free port of this machine."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def running(folder: Path) -> Iterator[OpenRefine]:
    """Start OpenRefine with its projects in a folder; stop it, and whatever it started, at the end."""
    port = free_port()
    command = ["openrefine", "-i", "127.0.0.1", "-p", str(port), "-d", str(folder), "-m", "1024M", "-x", "refine.headless=true"]
    with open(folder / "openrefine.log", "wb") as log:
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, start_new_session=True)
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}/command/core/", timeout=120, trust_env=False) as client:
            _wait_until_it_answers(client, process)
            yield OpenRefine(client)
    finally:
        os.killpg(process.pid, signal.SIGTERM)  # a shell that started a shell that started java
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(20)


def _wait_until_it_answers(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            client.get("get-version").raise_for_status()
            return
        except httpx.HTTPError:
            time.sleep(0.3)
    raise RuntimeError("OpenRefine does not answer; see openrefine.log")


class OpenRefine:
    """OpenRefine, by its commands."""

    def __init__(self, client: httpx.Client) -> None:
        self._client = client

    def create_project(self, csv: Path) -> str:
        """Make a project of a CSV file; return its id."""
        token = self._client.get("get-csrf-token").json()["token"]
        options = {"encoding": "UTF-8", "separator": ",", "headerLines": 1, "guessCellValueTypes": False}
        response = self._client.post(
            "create-project-from-upload",
            params={"csrf_token": token, "options": json.dumps(options)},
            data={"project-name": csv.stem, "format": "text/line-based/*sv"},
            files={"project-file": (csv.name, csv.read_bytes(), "text/csv")},
        )
        project = parse_qs(urlsplit(response.headers.get("location", "")).query).get("project")
        if not project:
            raise RuntimeError(f"OpenRefine made no project: {response.status_code} {response.text[:300]}")
        return project[0]

    def rows(self, project: str, limit: int = 100_000) -> list[dict[str, Any]]:
        """Return the rows of a project: a dict of column name -> cell, each with what it was reconciled with in "r"."""
        columns = self._get("get-models", project)["columnModel"]["columns"]
        answer = self._post("get-rows", project, {"start": "0", "limit": str(limit), "engine": _ALL_ROWS})
        recons = answer["pool"]["recons"]

        def cell(row: dict[str, Any], place: int) -> dict[str, Any]:
            found = (row["cells"][place] if place < len(row["cells"]) else None) or {"v": None}
            return {**found, "r": recons[found["r"]]} if "r" in found else found

        return [{column["name"]: cell(row, column["cellIndex"]) for column in columns} for row in answer["rows"]]

    def guess_types(self, project: str, column: str, service: str) -> list[dict[str, Any]]:
        """Ask the service which types the names of a column may be of, as the dialog does when it opens."""
        guessed = self._post("guess-types-of-column", project, {}, columnName=column, service=service)
        types: list[dict[str, Any]] = guessed["types"]
        return types

    def reconcile(self, project: str, column: str, manifest: dict[str, Any], service: str, **config: Any) -> float:
        """Reconcile a column; return the seconds it took."""
        config = {
            "mode": "standard-service",
            "service": service,
            "identifierSpace": manifest["identifierSpace"],
            "schemaSpace": manifest["schemaSpace"],
            "type": None,
            "autoMatch": True,
            "columnDetails": [],
            "limit": 0,
            **config,
        }
        return self._process("reconcile", project, {"columnName": column, "config": json.dumps(config)})

    def preview_extension(self, project: str, column: str, rows: list[int], properties: list[dict[str, Any]]) -> dict[str, Any]:
        """Ask for the values of properties of a few rows, as the dialog does."""
        body = {"rowIndices": json.dumps(rows), "extension": json.dumps({"properties": properties})}
        answer: dict[str, Any] = self._post("preview-extend-data", project, body, columnName=column)
        return answer

    def extend(
        self, project: str, column: str, manifest: dict[str, Any], service: str, properties: list[dict[str, Any]]
    ) -> float:
        """Add columns with the values of properties; return the seconds it took."""
        body = {
            "baseColumnName": column,
            "endpoint": service,
            "identifierSpace": manifest["identifierSpace"],
            "schemaSpace": manifest["schemaSpace"],
            "columnInsertIndex": "1",
            "extension": json.dumps({"properties": properties}),
        }
        return self._process("extend-data", project, body)

    def _process(self, command: str, project: str, body: dict[str, str]) -> float:
        start = time.monotonic()
        answer = self._post(command, project, {**body, "engine": _ALL_ROWS})
        if answer.get("code") not in ("pending", "ok"):
            raise RuntimeError(f"{command}: {answer}")
        while self._get("get-processes", project)["processes"]:
            if time.monotonic() > start + _PROCESS_SECONDS:
                raise TimeoutError(f"{command} takes more than {_PROCESS_SECONDS:.0f} s")
            time.sleep(0.2)
        return time.monotonic() - start

    def _get(self, command: str, project: str) -> dict[str, Any]:
        answer: dict[str, Any] = self._client.get(command, params={"project": project}).raise_for_status().json()
        return answer

    def _post(self, command: str, project: str, body: dict[str, str], **params: str) -> dict[str, Any]:
        token = self._client.get("get-csrf-token").json()["token"]
        response = self._client.post(command, params={"project": project, **params}, data={**body, "csrf_token": token})
        answer: dict[str, Any] = response.raise_for_status().json()
        return answer

"""The places KB, a service over it in processes of its own, and OpenRefine."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from helpers.openrefine import OpenRefine, free_port, missing, running
from helpers.shared_builds import build_once

from eigenthemes import build_kb

_START_SECONDS = 120.0
FindRealData = Callable[[str], Path]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave these to whoever asks for them: they take minutes."""
    if "openrefine" not in config.option.markexpr:
        for item in items:
            if item.get_closest_marker("openrefine") is not None:
                item.add_marker(pytest.mark.skip(reason="OpenRefine itself is tested by make test-openrefine"))


@pytest.fixture(scope="session")
def places_kb(real_data: FindRealData, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The KB of 287,000 places, with vectors and a ranker: it takes a minute or two, unless $EIGENTHEMES_PLACES_KB is one."""
    if built := os.environ.get("EIGENTHEMES_PLACES_KB"):
        return Path(built)
    sources = [real_data("places/nodes.tsv.gz"), real_data("places/edges.tsv.gz")]
    return build_once(tmp_path_factory, "places", lambda folder: build_kb(sources, folder / "places.kb", jobs=2)) / "places.kb"


@pytest.fixture(scope="session")
def service(places_kb: Path) -> Iterator[str]:
    """The address of `eigenthemes serve`, with two workers and a token."""
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "eigenthemes",
        "serve",
        str(places_kb),
        "--port",
        str(port),
        "--workers",
        "2",
        "--token",
        "t0&k",
    ]
    process = subprocess.Popen(command)
    try:
        _wait_until_ready(f"http://127.0.0.1:{port}/health", process)
        yield f"http://127.0.0.1:{port}/reconcile?token=t0%26k"
    finally:
        process.terminate()
        process.wait(30)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with suppress(httpx.HTTPError):  # it does not listen yet
            if httpx.get(url, trust_env=False).status_code == 200:
                return
        time.sleep(0.3)
    raise RuntimeError("the service does not answer")


@pytest.fixture(scope="session")
def refine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenRefine]:
    """OpenRefine, running."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    with running(tmp_path_factory.mktemp("openrefine")) as openrefine:
        yield openrefine

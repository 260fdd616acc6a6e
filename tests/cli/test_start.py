"""The first second: commands load only what they need."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from eigenthemes import KB

RUN = """
import json, runpy, sys
try:
    runpy.run_module("eigenthemes", run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""
HEAVY = {"numba", "llvmlite", "scipy", "pandas", "pyarrow", "urllib.request", "http.client", "asyncio", "multiprocessing.pool"}


@pytest.mark.parametrize(
    ("command", "text", "further"),
    [
        (["candidates", "Michael Jordan"], "", set()),  # shown as a table, by rich
        (["link", "-"], "Michael Jordan and Scottie Pippen played in Chicago.\n", {"rich", "rapidfuzz"}),
    ],
)
def test_commands_load_only_what_they_need(demo_kb: KB, command: list[str], text: str, further: set[str]) -> None:
    name, *rest = command
    line = [sys.executable, "-c", RUN, name, str(demo_kb.path), *rest]
    done = subprocess.run(line, input=text, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "michael_jordan" in done.stdout
    assert set(json.loads(done.stderr.splitlines()[-1])) & (HEAVY | further) == set()

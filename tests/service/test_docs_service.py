"""docs/service.md: what it asks is answered as it shows; its unit and Dockerfile start the service as it is."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from helpers.files import ROOT
from helpers.serving import Client

from eigenthemes.cli import all_commands
from eigenthemes.cli.serve import serve

PAGE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
DEPLOY = ROOT / "docs" / "deploy"
ASKED = re.findall(r"^```sh\n(curl .*?)\n```\n\n```json\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


def ask(client: Client, command: str) -> Any:
    """What curl would get."""
    words = shlex.split(command)
    address = next(word for word in words if word.startswith("localhost:8000"))
    options = dict(pairwise(words))
    body, header = options.get("-d"), options.get("-H", "a: b")
    method = options.get("-X", "GET" if body is None else "POST")
    name, _, value = header.partition(": ")
    path = address.removeprefix("localhost:8000")
    return client.request(method, path, content=body, headers={name: value}).json()


def shows(shown: Any, answer: Any) -> bool:
    """Is an answer as shown? Fields may be left out, and "..." stands for anything, at the end of a list for any more."""
    if shown == "...":
        return True
    if isinstance(shown, dict) and isinstance(answer, dict):
        return all(key in answer and shows(value, answer[key]) for key, value in shown.items())
    if isinstance(shown, list) and isinstance(answer, list):
        items = shown[:-1] if shown[-1:] == ["..."] else shown
        complete = len(items) == len(answer) or (items is not shown and len(answer) >= len(items))
        return complete and all(map(shows, items, answer))
    return bool(shown == answer)


@pytest.mark.parametrize(("command", "shown"), ASKED, ids=[command[5:40] for command, _ in ASKED])
def test_answers_are_as_the_page_shows(client: Client, command: str, shown: str) -> None:
    answer = ask(client, command)
    assert shows(json.loads(shown), answer), json.dumps(answer)[:2000]


def test_the_page_shows_every_route(client: Client) -> None:
    assert len(ASKED) >= 9
    paths = client.get("/openapi.json").json()["paths"]
    named = [path.split("{")[0].rstrip("/") for path in paths if "/reconcile" not in path]
    assert [path for path in named if path not in PAGE] == []


def test_the_page_names_every_limit() -> None:
    flags = [option.opts[0] for option in serve.params if option.opts[0].startswith("--")]
    assert [flag for flag in flags if flag not in PAGE and flag not in ("--port", "--context")] == []


def test_differences_are_seen() -> None:
    assert shows({"a": [1, "..."]}, {"a": [1, 2], "b": 3})
    for shown, answer in (({"a": 1}, {"a": 2}), ({"a": 1}, {}), ([1], [1, 2]), ([1, 2, "..."], [1]), ([{"a": 1}], [{"a": 2}])):
        assert not shows(shown, answer)


def parse_command(words: list[str]) -> dict[str, Any]:
    assert words[1] == "serve"
    return all_commands()["serve"].make_context("serve", list(words[2:])).params


def test_the_unit_starts_what_there_is(tmp_path: Path) -> None:
    unit = (DEPLOY / "eigenthemes.service").read_text()
    command = re.search(r"^ExecStart=(.*)$", unit, re.MULTILINE)
    assert command is not None
    assert parse_command(shlex.split(command[1]))["workers"] == 2
    verify = shutil.which("systemd-analyze")
    if verify is None:
        pytest.skip("systemd-analyze is not installed; the unit's command was checked, its other lines were not")
    copy = tmp_path / "eigenthemes.service"
    copy.write_text(unit.replace("/opt/eigenthemes/bin/eigenthemes", "/bin/true"))
    done = subprocess.run([verify, "verify", "--man=no", copy], capture_output=True, text=True, check=False)
    assert [line for line in done.stderr.splitlines() if copy.name in line] == []


def test_the_dockerfile_starts_what_there_is() -> None:
    file = (DEPLOY / "Dockerfile").read_text()
    lists = {name: json.loads(re.search(rf"^{name} (\[.*\])$", file, re.MULTILINE)[1]) for name in ("ENTRYPOINT", "CMD")}  # type: ignore[index]
    given = parse_command([*lists["ENTRYPOINT"], *lists["CMD"]])
    assert (given["host"], given["port"], given["kbs"]) == ("0.0.0.0", 8000, ("/kb/my.kb",))

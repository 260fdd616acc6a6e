"""eigenthemes serve, up to where the processes start; tests/service/test_run.py goes on."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path
from typing import Any

import pytest
from helpers.commands import call
from helpers.kbs import copy_kb

from eigenthemes import KB
from eigenthemes.cli import all_commands
from eigenthemes.service.settings import ServiceSettings


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[ServiceSettings]:
    """The settings of services that would have been started."""
    settings: list[ServiceSettings] = []

    def serve(paths: Any, given: ServiceSettings, *, on_ready: Any, on_start: Any) -> None:
        settings.append(given)
        on_ready("http://127.0.0.1:1")

    monkeypatch.setattr("eigenthemes.service.run.serve", serve)
    return settings


def test_a_port_that_is_taken_is_one_sentence(tiny: KB) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        done = call("serve", tiny.path, "--port", taken.getsockname()[1])
    assert done.returncode == 1
    assert "cannot be listened to (Address already in use); choose another port" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["no.kb"], "eigenthemes build KG_FILE"),
        (["{kb}", "--host", "no.such.host.invalid"], "the host 'no.such.host.invalid' is unknown; give an address"),
        (
            ["{kb}", "--host", "192.0.2.1"],
            "192.0.2.1:0 cannot be listened to (Cannot assign requested address); give an address",
        ),
        (["{kb}", "{kb}"], "are both named tiny; rename one"),
        (["{kb}", "--corrections", "no/such/folder/file"], "corrections cannot be written"),
        (["{kb}", "--token", "ä"], "the token"),
        (["{kb}", "--max-body", "0"], "--max-body is 0"),
        (["{kb}", "--max-seconds", "nan"], "max_seconds is nan; expected more than 0"),
    ],
)
def test_what_cannot_be_served_is_one_sentence(tiny: KB, arguments: list[str], sentence: str) -> None:
    done = call("serve", "--port", 0, *(argument.format(kb=tiny.path) for argument in arguments))
    assert done.returncode == 1
    assert sentence in done.stderr
    assert "opening" not in done.stderr


def test_a_pipe_is_no_file_for_corrections(tiny: KB, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    done = call("serve", tiny.path, "--port", 0, "--corrections", tmp_path / "pipe")
    assert (done.returncode, "is a named pipe" in done.stderr) == (1, True)


@pytest.mark.parametrize("package", ["fastapi", "uvicorn", "httptools", "prometheus_client"])
def test_a_missing_extra_prints_how_to_install_it(tiny: KB, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    for command in (("serve", tiny.path), ("demo", "--serve")):
        done = call(*command)
        assert done.returncode == 1
        assert (
            f"serving needs the package {package}, which is not installed; run: pip install 'eigenthemes[serve]'" in done.stderr
        )


def test_it_prints_where_it_is(tiny: KB, started: list[ServiceSettings]) -> None:
    done = call("serve", tiny.path)
    assert done.stdout.split("\n")[0] == "http://127.0.0.1:1/"
    assert "http://127.0.0.1:1/reconcile\n" in done.stdout
    assert "http://127.0.0.1:1/openapi.json\n" in done.stdout
    assert "warning" not in done.stderr


def test_several_kbs_have_an_address_each(tiny: KB, tmp_path: Path, started: list[ServiceSettings]) -> None:
    other = shutil.copytree(tiny.path, tmp_path / "other.kb")
    done = call("serve", tiny.path, other)
    assert "/reconcile/tiny\n" in done.stdout
    assert "/reconcile/other\n" in done.stdout


def test_a_service_for_everybody_without_a_token_is_warned_of(tiny: KB, started: list[ServiceSettings]) -> None:
    open_to_all = call("serve", tiny.path, "--host", "0.0.0.0")
    assert "warning: anybody who can reach 0.0.0.0 may use the service; give a --token" in open_to_all.stderr
    guarded = call("serve", tiny.path, "--host", "0.0.0.0", "--token", "s3cret")
    assert "warning" not in guarded.stderr
    assert "s3cret" not in guarded.stdout + guarded.stderr  # screens are looked at, and logs are kept


def test_flags_become_settings(
    tiny: KB, started: list[ServiceSettings], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EIGENTHEMES_TOKEN", "from the environment")
    call(
        "serve", tiny.path, "--workers", 3, "--max-body", 0.5, "--max-documents", 4, "--max-mentions", 5, "--max-seconds", 6,
        "--max-requests", 7, "--context", "row", "--allow-host", "a", "--allow-host", "b", "--corrections", tmp_path / "c",
        "--max-characters", 9,
    )  # fmt: skip
    (settings,) = started
    assert settings == ServiceSettings(
        workers=3, max_body=1 << 19, max_documents=4, max_mentions=5, max_seconds=6, max_concurrent=7, context="row",
        allowed_hosts=("a", "b"), corrections=tmp_path / "c", token="from the environment", max_characters=9,
    )  # fmt: skip


def test_the_demo_can_be_served(tiny: KB, started: list[ServiceSettings], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(all_commands()["build"], "callback", lambda output, **_: copy_kb(tiny, Path(output)))
    done = call("demo", "--serve", "--port", 0)
    assert done.returncode == 0, done.stderr
    assert "eigenthemes serve demo.kb" in done.stdout
    assert len(started) == 1

"""What holds for all commands: version, help, usage errors."""

from __future__ import annotations

from helpers.commands import run_process

from eigenthemes import __version__


def test_version_and_help() -> None:
    assert run_process("--version").stdout.strip() == f"eigenthemes, version {__version__}"
    assert "build" in run_process("--help").stdout


def test_usage_errors_exit_with_2() -> None:
    assert run_process("bild").returncode == 2
    assert run_process("build").returncode == 2
    assert run_process("build", "x.nt", "-o", "y.kb", "--jobs", "0").returncode == 2

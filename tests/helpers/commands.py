"""Run commands in a new process, or faster in this one."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from eigenthemes.cli import main

Done = subprocess.CompletedProcess[str]
PROGRAM = [sys.executable, "-m", "eigenthemes"]
PATIENCE = 120  # seconds after which a process that should have ended is stuck, however busy the machine is


def run_process(*arguments: object, stdin: str | bytes = "", cwd: Path | None = None) -> Done:
    """Run a command in a new process, for tests of start-up, signals and streams."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run([*PROGRAM, *map(str, arguments)], input=data, capture_output=True, cwd=cwd, check=False)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def run_shell(command: str, *, stdin: str = "") -> Done:
    """Run a shell command; {program} is replaced by the command line of eigenthemes."""
    line = command.format(program=" ".join(PROGRAM))
    return subprocess.run(line, shell=True, input=stdin, capture_output=True, text=True, check=False)


def call(*arguments: object, stdin: str | bytes = "", cwd: Path | None = None) -> Done:
    """Run a command in this process, from its arguments to its exit code; a traceback fails the test."""
    data = stdin.encode() if isinstance(stdin, str) else stdin
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    argv = ["eigenthemes", *map(str, arguments)]
    code: Any = 0
    before = Path.cwd()
    with mock.patch.multiple(sys, argv=argv, stdin=io.TextIOWrapper(io.BytesIO(data)), stdout=out, stderr=err):
        try:
            os.chdir(cwd or before)
            main()
        except SystemExit as stop:
            code = stop.code or 0
        finally:
            os.chdir(before)
        out.flush()
        err.flush()
    printed = [stream.buffer.getvalue().decode() for stream in (out, err)]
    return subprocess.CompletedProcess(argv, code, *printed)


def without_progress(printed: str) -> str:
    """Remove progress lines from the output of a command: they appear on a busy machine only."""
    return re.sub(r"^  .* s (?:left|so far)\n", "", printed, flags=re.MULTILINE)


def assert_one_sentence(done: Done, *words: str) -> None:
    """Assert that a command failed with one sentence in which these words stand."""
    told = without_progress(done.stderr)
    assert done.returncode == 1
    assert told.startswith("eigenthemes: ")
    assert told.count("\n") == 1
    assert "Traceback" not in done.stderr
    assert not [word for word in words if word not in done.stderr], done.stderr


def json_lines(output: str | bytes) -> list[Any]:
    """Parse JSON lines; each must end with a line break and hold nothing that is no JSON."""
    text = output if isinstance(output, str) else output.decode()
    assert not text or text.endswith("\n")
    return [json.loads(line, parse_constant=pytest.fail) for line in text.split("\n")[:-1]]


def json_output(done: Done) -> list[Any]:
    """Return the JSON lines of a command that must have ended well."""
    assert done.returncode == 0, done.stderr
    return json_lines(done.stdout)


def interrupt(*arguments: object, moment: Callable[[int], bool], cwd: Path, stdin: bytes = b"") -> Done:
    """Start a command, press Ctrl-C as soon as `moment(process id)` is true, and return what the command left.

    Its input is `stdin` over and over, so that it cannot end by itself before the moment comes, however slow or quick the
    machine is. The signal goes to the whole group of processes, as from a terminal: workers get it too.
    """
    process = subprocess.Popen(
        [*PROGRAM, *map(str, arguments)], cwd=cwd, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        start_new_session=True,
    )  # fmt: skip
    feeder = threading.Thread(target=_feed, args=(process, stdin))
    feeder.start()
    output = list[bytes]()
    reader = threading.Thread(target=_read_all, args=(process, output))
    reader.start()  # at once: a command that nobody reads from stands still
    try:
        until = time.monotonic() + PATIENCE
        while not moment(process.pid):
            assert process.poll() is None, "the command ended before Ctrl-C"
            assert time.monotonic() < until, "the moment to press Ctrl-C never came"
            time.sleep(0.002)
        os.killpg(process.pid, signal.SIGINT)
        ending = threading.Timer(PATIENCE, os.killpg, (process.pid, signal.SIGKILL))  # one that never ends fails, and is told
        ending.daemon = True
        ending.start()
        assert process.stderr is not None
        with process.stderr:
            err = process.stderr.read()
        reader.join(PATIENCE)
        ending.cancel()
        return subprocess.CompletedProcess(process.args, process.wait(PATIENCE), b"".join(output).decode(), err.decode())
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        feeder.join()
        reader.join()


def _read_all(process: subprocess.Popen[bytes], output: list[bytes]) -> None:
    """Read what a command prints until it prints no more."""
    assert process.stdout is not None
    with process.stdout:
        output.extend(process.stdout)


def _feed(process: subprocess.Popen[bytes], data: bytes) -> None:
    """Write `data` repeatedly until the reader stops; without data only keep the input open."""
    assert process.stdin is not None
    with contextlib.suppress(BrokenPipeError), process.stdin:
        while data:
            process.stdin.write(data)
        process.wait()


def assert_interrupted(done: Done, sentence: str = "eigenthemes: interrupted") -> None:
    """Assert what Ctrl-C must leave, whenever it is pressed: code 130, one line, no traceback of any process."""
    assert "Traceback" not in done.stderr, done.stderr
    assert done.returncode == 130, done.stderr
    told = without_progress(done.stderr).strip()
    assert told.startswith(sentence), done.stderr
    assert "\n" not in told, done.stderr


def child_processes(process_id: int) -> list[int]:
    """Return the ids of the processes that a process has started (Linux)."""
    try:
        # each thread that starts a process is its parent
        threads = Path(f"/proc/{process_id}/task").iterdir()
        return [int(child) for thread in threads for child in (thread / "children").read_text().split()]
    except FileNotFoundError:  # it has just ended
        return []


def processor_time(process_id: int) -> int:
    """Return how long a process has computed, in hundredths of a second: a clock that stops while others have the machine."""
    try:
        fields = Path(f"/proc/{process_id}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):  # it has just ended
        return 0
    return int(fields[11]) + int(fields[12])


def _computed_by_workers(process_id: int) -> int:
    return max(map(processor_time, child_processes(process_id)), default=0)


# Moments in the life of a command with --jobs 2, told by what its workers have done, never by the clock on the wall.
WORKER_MOMENTS: dict[str, Callable[[int], bool]] = {
    "the first worker starts": lambda command: len(child_processes(command)) >= 1,
    "all workers start": lambda command: len(child_processes(command)) >= 3,  # and the process that looks after them
    "workers import": lambda command: _computed_by_workers(command) >= 5,
    "workers import still": lambda command: _computed_by_workers(command) >= 25,
    "workers are at work": lambda command: _computed_by_workers(command) >= 80,
}


def waits(process_id: int) -> bool:
    """Is a process that has come up asleep for a tenth of a second? (One that others keep from running is not asleep.)"""
    for _ in range(50):
        if processor_time(process_id) < 10 or " S " not in Path(f"/proc/{process_id}/stat").read_text():
            return False
        time.sleep(0.002)
    return True

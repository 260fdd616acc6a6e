"""Worker processes: results in order, errors that come back, and Ctrl-C, which is the caller's alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from eigenthemes.core.workers import Workers, temporary_folder
from eigenthemes.errors import OptionError, WorkerError

# Counts what it receives, works through several sets of workers, and prints whether Ctrl-C came and all results are right.
STARTING = """
import signal, sys, threading, time
from eigenthemes.core.workers import Workers

pressed = []

def work(number):
    return number, signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())

def start():
    for _ in range(3):
        with Workers(4) as workers:
            assert list(workers.map(work, ((number,) for number in range(40)))) == [(number, True) for number in range(40)]

if __name__ == "__main__":
    signal.signal(signal.SIGINT, lambda number, frame: pressed.append(number))
    print("ready", flush=True)
    thread = threading.Thread(target=start)
    if "thread" in sys.argv:
        thread.start()
        thread.join()
    else:
        start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the interpreter ends without handlers of its own
    print("pressed" if pressed else "not pressed", signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))
"""

# Workers that are busy for a minute when Ctrl-C comes; some of what they are to do still waits, too large for a pipe.
BUSY = """
import time
from eigenthemes.core.workers import Workers

def work(data):
    time.sleep(60)

if __name__ == "__main__":
    try:
        with Workers(2) as workers:
            print("ready", flush=True)
            list(workers.map(work, [(bytes(1 << 22),)] * 9))
    except KeyboardInterrupt:
        print("interrupted", flush=True)
"""


def begin(script: str, folder: Path, *arguments: str) -> subprocess.Popen[str]:
    (folder / "script.py").write_text(script)
    process = subprocess.Popen(
        [sys.executable, "script.py", *arguments],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("caller", ["main", "thread"])
def test_workers_never_see_ctrl_c_while_they_start(tmp_path: Path, caller: str) -> None:
    process = begin(STARTING, tmp_path, caller)
    while process.poll() is None:
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: to the workers, too
        time.sleep(0.003)
    printed, complaints = process.communicate()
    assert complaints == ""
    assert (process.returncode, printed) == (0, "pressed False\n")


@pytest.mark.parametrize("moment", [0.0, 0.03, 0.1, 0.3, 1.0])
def test_ctrl_c_ends_busy_workers_at_once(tmp_path: Path, moment: float) -> None:
    process = begin(BUSY, tmp_path)
    time.sleep(moment)
    os.killpg(process.pid, signal.SIGINT)
    printed, complaints = process.communicate(timeout=30)  # they would sleep for minutes
    assert (process.returncode, printed, complaints) == (0, "interrupted\n", "")


def double(number: int) -> int:
    return 2 * number


def refuse(number: int) -> int:
    raise OptionError(f"{number} is odd; give an even one", code="odd", where="here")


def leave(number: int) -> None:
    os._exit(number)


@pytest.mark.parametrize("jobs", [1, 2])
def test_results_come_in_order(jobs: int) -> None:
    with Workers(jobs) as workers:
        last = workers.start(double, 50)
        assert list(workers.map(double, ((number,) for number in range(20)))) == list(range(0, 40, 2))
        assert last() == 100


def test_an_error_comes_back_whole() -> None:
    with pytest.raises(OptionError, match="3 is odd; give an even one") as refused, Workers(2) as workers:
        list(workers.map(refuse, [(3,)]))
    assert (refused.value.code, refused.value.where) == ("odd", "here")


def test_a_worker_that_dies_is_one_sentence() -> None:
    with pytest.raises(WorkerError, match=r"ended abruptly .*; try one process"), Workers(2) as workers:
        list(workers.map(leave, [(1,)]))


ENDS_WITHIN_A_RESULT = """
import sys, time
from eigenthemes.core.workers import Workers

def large(size):
    return bytes(size)

if __name__ == "__main__":
    try:
        with Workers(2) as workers:
            workers.start(large, 1)()
            workers.start(large, 1 << 28)
            time.sleep(float(sys.argv[1]))
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        pass
"""


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [0.1, 0.3, 0.4, 0.5])
def test_nobody_waits_for_the_rest_of_a_result_whose_process_was_ended(tmp_path: Path, seconds: float) -> None:
    (tmp_path / "ends.py").write_text(ENDS_WITHIN_A_RESULT)
    done = subprocess.run([sys.executable, tmp_path / "ends.py", str(seconds)], timeout=60, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


# temporary folders


@pytest.mark.skipif(os.name != "posix", reason="folders are locked by flock")
def test_folders_of_processes_that_were_killed_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    (tmp_path / "eigenthemes-run-left" / "inner").mkdir(parents=True)
    (tmp_path / "eigenthemes-other").mkdir()
    (tmp_path / "eigenthemes-run-link").symlink_to(tmp_path / "eigenthemes-other")
    with temporary_folder() as first, temporary_folder() as second:
        assert first.is_dir()
        assert second.is_dir()
        assert first.stat().st_mode & 0o077 == 0
        assert not (tmp_path / "eigenthemes-run-left").exists()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["eigenthemes-other", "eigenthemes-run-link"]

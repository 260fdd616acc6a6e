"""Processes that are killed at every point of a change, and interrupted at any moment: the old KB is there, or the new one."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

from helpers.commands import call

from campaign.judge import demand_sound
from campaign.trial import FINE, PATIENCE, REFUSED, Fault, Trial
from campaign.world import World, copy_kb
from eigenthemes import KB
from eigenthemes.errors import KBNotFoundError

# What changes a KB; NEW is a place where there is none
CHANGES: tuple[tuple[str, ...], ...] = (
    ("build", "SOURCES", "-o", "NEW", "--no-train", "--jobs", "1"),
    ("build", "SOURCES", "-o", "KB", "--no-train", "--jobs", "1", "--force"),
    ("embed", "KB", "--no-train", "--name", "second"),
    ("embed", "KB", "--no-train", "--import", "VECTORS"),
    ("embed", "KB", "--no-train", "--method", "descriptions", "--word-vectors", "WORDS"),
    ("train", "KB", "--seed", "1"),
)
_KILLS = 4  # in one trial
_EVENTS = ("open", "os.rename", "os.remove", "os.link", "os.mkdir", "os.rmdir", "os.truncate", "shutil.rmtree", "fcntl.flock")


def _arguments(change: Sequence[str], folder: Path, world: World) -> list[object]:
    (folder / "vectors.txt").write_text("mj 1 2\nus 3 4\n")
    places = {
        "SOURCES": world.sources[0],
        "KB": folder / "a.kb",
        "NEW": folder / "new.kb",
        "VECTORS": folder / "vectors.txt",
        "WORDS": world.words,
    }
    return [places.get(word, word) for word in change]


def _in_child(change: Sequence[object], kb: Path, at: int | None) -> int:
    """Run a change in a forked process that kills itself at the `at`-th thing it does to the KB; return how many it did."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        done = 0

        def count() -> None:
            nonlocal done
            done += 1
            os.write(writer, b".")
            if done == at:
                os.kill(os.getpid(), signal.SIGKILL)

        def hook(event: str, arguments: tuple[object, ...]) -> None:
            if event in _EVENTS and (event == "fcntl.flock" or str(arguments[0]).startswith(str(kb))):
                count()

        os.fsync = lambda handle: count()
        sys.addaudithook(hook)
        call(*change)
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as points:
        count = len(points.read())
    os.waitpid(child, 0)
    return count


def kill_trial(random: Random, folder: Path, world: World) -> str:
    """Kill a change at some of its points: opening, writing, syncing, renaming or removing a file of the KB."""
    chosen = random.choice(CHANGES)
    old = None if "NEW" in chosen else world.kb
    change, whole = place_for(chosen, folder / "whole", world)
    points = _in_child(change, whole, None)
    for at in random.sample(range(1, points + 1), min(points, _KILLS)):
        change, killed = place_for(chosen, folder / f"killed-{at}", world)
        _in_child(change, killed, at)
        demand_old_or_new(killed, old, whole, f"{' '.join(chosen)}: killed at point {at} of {points}")
        _demand_cleaned_up(killed, world)
    return FINE


def place_for(chosen: Sequence[str], folder: Path, world: World) -> tuple[list[object], Path]:
    """Make a folder for a change; return its arguments there and the KB that it changes or makes."""
    folder.mkdir()
    kb = folder / "new.kb" if "NEW" in chosen else copy_kb(world.kb, folder / "a.kb")
    return _arguments(chosen, folder, world), kb


def demand_old_or_new(kb: Path, old: Path | None, new: Path, when: str) -> None:
    """Demand that a KB is what it was before a change, or what it is after it."""
    try:
        manifest = KB.open(kb).manifest
    except KBNotFoundError as error:
        if old is None:
            return
        raise Fault(f"the KB is gone\n{when}: {error}") from None
    demand_sound(kb)
    if manifest["files"] not in [KB.open(path).manifest["files"] for path in (old, new) if path is not None]:
        raise Fault(f"neither the old KB nor the new one\n{when}")


def _demand_cleaned_up(kb: Path, world: World) -> None:
    """Demand that the next writer works, and leaves nothing lying."""
    done = call("build", world.sources[0], "-o", kb, "--force", "--no-train", "--jobs", 1)
    if done.returncode != 0:
        raise Fault(f"the next writer is refused\n{done.stderr}")
    left = sorted(entry.name for entry in kb.iterdir() if entry.name not in (".lock", "manifest.json"))
    if left != [KB.open(kb).manifest["data"]]:
        raise Fault(f"the next writer leaves something lying\n{left}")
    demand_sound(kb)


# Ctrl-C, in a real process

_START = """
import os, sys
sys.argv[0] = "eigenthemes"
from eigenthemes.__main__ import main
class Import:
    def find_spec(self, name, path=None, target=None):
        if name == "eigenthemes.cli":
            sys.meta_path.remove(self)
            os.write(3, b"!")
sys.meta_path.insert(0, Import())
main()
"""
_READING: tuple[tuple[str, ...], ...] = (
    ("info", "KB"),
    ("verify", "KB"),
    ("candidates", "KB", "Jordan"),
    ("link", "KB", "DOCUMENTS"),
    ("link", "KB", "DOCUMENTS", "--jobs", "2"),
    ("explain", "KB", "DOCUMENTS"),
    ("eval", "KB", "GOLD"),
)


def interrupt_trial(random: Random, folder: Path, world: World) -> str:
    """Press Ctrl-C once, at any moment after the command line begins to be imported."""
    chosen = random.choice((*_READING, *CHANGES, ("build", "SOURCES", "-o", "KB", "--force", "--jobs", "2")))
    kb = folder / ("new.kb" if "NEW" in chosen else "a.kb")
    if "NEW" not in chosen:
        copy_kb(world.kb, kb)
    more = {"DOCUMENTS": world.documents, "GOLD": world.gold}
    arguments = [more.get(str(word), word) for word in _arguments(chosen, folder, world)]
    code, message = _interrupt(arguments, random.choice((0.0, 0.05, 0.3, 1.0, 2.5)) * random.random())
    lines = [line for line in message.splitlines() if line and not line.startswith(("warning: ", "  "))]
    if code not in (0, 130) or "Traceback" in message:
        raise Fault(f"Ctrl-C ends with code {code}\n{chosen}\n{message}")
    if code == 130 and (len(lines) != 1 or not lines[0].startswith("eigenthemes: interrupted")):
        raise Fault(f"Ctrl-C is not reported in one sentence\n{chosen}\n{message}")
    if kb.exists():
        demand_sound(kb)
    return FINE if code == 0 else REFUSED


def _interrupt(arguments: Sequence[object], seconds: float) -> tuple[int, str]:
    """Start a command, and send Ctrl-C to all its processes so long after its beginning; return its code and its stderr."""
    reader, writer = os.pipe()
    command = [sys.executable, "-c", _START, *map(str, arguments)]
    before: Callable[[], None] = lambda: os.dup2(writer, 3)  # noqa: E731
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=before, pass_fds=(3,) if writer == 3 else (3, writer),
    ) as process:  # fmt: skip
        os.close(writer)
        os.read(reader, 1)
        os.close(reader)
        time.sleep(seconds)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGINT)
        try:
            _, message = process.communicate(timeout=PATIENCE / 2)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            raise Fault(f"Ctrl-C does not end it\n{arguments}") from None
    return process.returncode, message.decode()


TRIALS: dict[str, Trial] = {"kill": kill_trial, "ctrl-c": interrupt_trial}

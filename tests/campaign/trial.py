"""Run one trial in a separate process, with limits on memory and time."""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import os
import pickle
import resource
import select
import shutil
import signal
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

from campaign.world import World

FINE, REFUSED, FAULT = "fine", "refused", "fault"
PATIENCE = 120.0  # seconds; the inputs are small, and other programs may have the machine
_ABOUT = "about.txt"  # in the scratch folder: what was done
_LONGEST = 4_000  # letters of a story: an answer must fit into a pipe
MEMORY = 4 << 30  # bytes of address space beyond what the campaign itself has

Trial = Callable[[Random, Path, World], str]  # FINE or REFUSED; whatever it raises is a fault


class Fault(AssertionError):
    """Report a violated requirement."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """Hold the outcome of a trial; a fault has a `title`, the same for all faults of one cause, and a `story`."""

    verdict: str
    title: str = ""
    story: str = ""


def random_of(kind: str, seed: int) -> Random:
    """Return the random numbers of a trial: all its bytes follow from its kind and one integer."""
    return Random(f"{kind}:{seed}")


def run_trials(kind: str, trial: Trial, seeds: Sequence[int], world: World) -> list[Outcome]:
    """Run trials one after the other in one process, which is quicker; where one is a fault, all again, each alone."""
    with _scratch(world) as folder:
        row = in_child(lambda: _outcome_of_row(kind, trial, seeds, folder, world), 2 * PATIENCE)
        steps = "".join((folder / str(seed) / _ABOUT).read_text(errors="replace") for seed in _begun(folder, seeds))[-_LONGEST:]
    if row.verdict == FINE:
        return [Outcome(verdict) for verdict in row.story.split()]
    outcomes = [run_trial(kind, trial, seed, world) for seed in seeds]
    if all(outcome.verdict != FAULT for outcome in outcomes):
        story = f"alone none of the seeds {seeds[0]} to {seeds[-1]} is a fault\n{row.story}\n{steps}"
        outcomes[-1] = Outcome(FAULT, f"only in a row: {row.title}", story)
    return outcomes


def _begun(folder: Path, seeds: Sequence[int]) -> list[int]:
    return [seed for seed in seeds if (folder / str(seed) / _ABOUT).exists()]


def run_trial(
    kind: str, trial: Trial, seed: int, world: World, *, patience: float = PATIENCE, folder: Path | None = None
) -> Outcome:
    """Run a trial in a forked process, in a scratch folder; keep the folder where the caller gave it."""
    with _scratch(world) if folder is None else contextlib.nullcontext(folder) as place:
        outcome = in_child(lambda: _outcome(kind, trial, seed, place, world), patience)
        about = place / _ABOUT
        steps = about.read_text(errors="replace")[-_LONGEST:] if outcome.verdict == FAULT and about.exists() else ""
    return replace(outcome, story=f"{outcome.story}\n{steps}".strip())


@contextlib.contextmanager
def _scratch(world: World) -> Iterator[Path]:
    folder = Path(tempfile.mkdtemp(prefix="trial-", dir=world.folder))
    folder.chmod(0o755)  # some trials run without rights
    try:
        yield folder
    finally:
        for entry in folder.rglob("*"):
            if entry.is_dir() and not entry.is_symlink():
                entry.chmod(0o755)
        shutil.rmtree(folder, ignore_errors=True)


def note(*words: object) -> None:
    """Log the next step of a trial: a crashed process cannot report it."""
    with open(_ABOUT, "a", encoding="utf-8", errors="backslashreplace") as about:
        about.write("did: " + " ".join(map(repr, map(str, words)))[:500] + "\n")


def in_child(work: Callable[[], Outcome], patience: float = PATIENCE) -> Outcome:
    """Run a function in a forked process with a new process group; return its outcome."""
    return Child(work, leads=True).outcome(patience)


class Child:
    """Run a function in a forked process; `leads`: in a new process group, which ends with it."""

    def __init__(self, work: Callable[[], Outcome], *, leads: bool = False) -> None:
        self.answer, writer = os.pipe()
        self.leads = leads
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # threads that wait do not keep a lock
            self.process = os.fork()
        if self.process == 0:
            if leads:
                os.setpgid(0, 0)
                limit_memory()
            os.fsync = lambda handle: None  # thousands of small KBs need not survive a power cut
            with open(writer, "wb") as out:
                pickle.dump(work(), out)
            os._exit(0)
        os.close(writer)
        if leads:
            with contextlib.suppress(PermissionError, ProcessLookupError):
                os.setpgid(self.process, self.process)  # whoever of the two comes first

    def outcome(self, patience: float = PATIENCE) -> Outcome:
        """Wait for what comes of it."""
        ended = self._wait(patience)
        with contextlib.suppress(ProcessLookupError):
            if self.leads:
                os.killpg(self.process, signal.SIGKILL)  # with everything it started
            else:
                os.kill(self.process, signal.SIGKILL)
        _, status = os.waitpid(self.process, 0)
        with open(self.answer, "rb") as answer:
            os.set_blocking(self.answer, False)  # what it started may hold the other end
            data = answer.read() or b""
        if not ended:
            return Outcome(FAULT, "hang", f"not ended after {patience:.0f} s")
        if data:
            outcome = pickle.loads(data)
            assert isinstance(outcome, Outcome)
            return outcome
        code = os.waitstatus_to_exitcode(status)
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        return Outcome(FAULT, f"crash: {name}", f"the process ended by {name} and said nothing")

    def _wait(self, seconds: float) -> bool:
        """Wait for the end of the process; return whether it came in time."""
        handle = os.pidfd_open(self.process)
        try:
            return bool(select.select([handle], [], [], seconds)[0])
        finally:
            os.close(handle)


def _outcome(kind: str, trial: Trial, seed: int, folder: Path, world: World) -> Outcome:
    os.chdir(folder)
    try:
        verdict = trial(random_of(kind, seed), folder, world)
    except BaseException as error:
        return fault_of(error)
    assert verdict in (FINE, REFUSED), verdict
    return Outcome(verdict)


def _outcome_of_row(kind: str, trial: Trial, seeds: Sequence[int], folder: Path, world: World) -> Outcome:
    verdicts: list[str] = []
    for seed in seeds:
        place = folder / str(seed)
        place.mkdir()
        outcome = _outcome(kind, trial, seed, place, world)
        if outcome.verdict == FAULT:
            return outcome
        verdicts.append(outcome.verdict)
    return Outcome(FINE, story=" ".join(verdicts))


def fault_of(error: BaseException) -> Outcome:
    """Return the fault that an exception is: named by where it was raised, or by what did not hold."""
    frames = _frames(error, 3)
    if isinstance(error, Fault):
        title, _, story = str(error).partition("\n")
    else:
        title, story = f"{type(error).__name__} at {frames.partition(chr(10))[0].strip()}", str(error)
    return Outcome(FAULT, title, f"{story[:_LONGEST]}\n{frames}")


def _frames(error: BaseException, count: int) -> str:
    """Return the innermost frames, the innermost first."""
    frames = traceback.extract_tb(error.__traceback__)[::-1][:count]
    return "\n".join(f"  {'/'.join(Path(frame.filename).parts[-2:])}:{frame.lineno} {frame.name}" for frame in frames)


def limit_memory() -> None:
    """Bound what this process may use from now on: a bomb shall hit it alone."""
    gc.freeze()  # what the campaign has made stays shared with it
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    faulthandler.disable()  # the campaign tells of a crash itself
    signal.signal(signal.SIGINT, signal.default_int_handler)

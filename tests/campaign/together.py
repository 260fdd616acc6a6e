"""Many at once, and the same again and again: readers beside writers, memory and open files that do not grow."""

from __future__ import annotations

import os
import resource
import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

from helpers.commands import Done, call

from campaign.damage import answer
from campaign.judge import demand_sound
from campaign.trial import FINE, Child, Fault, Outcome, Trial, fault_of
from campaign.world import World, copy_kb
from eigenthemes import KB, Linker
from eigenthemes.errors import EigenthemesError

_SECONDS = 2.0


def together_trial(random: Random, folder: Path, world: World) -> str:
    """Open, link and verify while others build, embed and train: the old answers or the new ones, or "was replaced"."""
    kb = copy_kb(world.kb, folder / "a.kb")
    until = time.monotonic() + _SECONDS
    writers = random.sample((_build(kb, world, "none"), _build(kb, world, "prone"), _embed(kb, "a"), _embed(kb, "b")), 2)
    readers = [random.choice((_read_links, _verify, _open_often)) for _ in range(2)]
    steps = [*writers, *(partial(reader, kb) for reader in readers)]
    children = [Child(_repeat(step, until)) for step in steps]
    for outcome in [child.outcome() for child in children]:
        if outcome.verdict != FINE:
            raise Fault(f"beside others: {outcome.title}\n{outcome.story}")
    demand_sound(kb)
    return FINE


def _repeat(step: Callable[[], object], until: float) -> Callable[[], Outcome]:
    def work() -> Outcome:
        while time.monotonic() < until:
            try:
                step()
            except EigenthemesError as error:
                if not _is_expected(str(error)):
                    return fault_of(error)
            except BaseException as error:
                return fault_of(error)
        return Outcome(FINE)

    return work


def _is_expected(message: str) -> bool:
    """Return whether a reader or a second writer may get this message."""
    return "was replaced" in message or "being written" in message


def _build(kb: Path, world: World, embedding: str) -> Callable[[], object]:
    flags = ("--force", "--no-train", "--jobs", 1, "--embedding", embedding)
    return lambda: _demand_done(call("build", *world.sources, "-o", kb, *flags))


def _embed(kb: Path, name: str) -> Callable[[], object]:
    return lambda: _demand_done(call("embed", kb, "--no-train", "--name", name))


def _demand_done(done: Done) -> None:
    if done.returncode != 0 and not _is_expected(done.stderr):
        raise Fault(f"exit code {done.returncode}: {done.stderr}")


def _read_links(kb: Path) -> None:
    linker = Linker(kb, method="degree")
    entities = [link.entity for link in linker.link("Michael Jordan in Paris").links]
    if entities not in (["mj", "paris"], ["mij", "paris"], ["mj", "paris-tx"]):
        raise Fault(f"other answers: {entities}")


def _verify(kb: Path) -> None:
    wrong = [name for name, right in KB.open(kb).verify() if not right]
    if wrong:
        raise Fault(f"verify calls a sound KB damaged: {wrong}")


def _open_often(kb: Path) -> None:
    for _ in range(20):
        with KB.open(kb) as opened:
            opened.index_of("mj")


def fork_trial(random: Random, folder: Path, world: World) -> str:
    """Fork while threads link with a cold linker: every child links as well."""
    linker, is_over = Linker(world.kb, method=random.choice(("selftrained", "degree", "eigen"))), threading.Event()
    texts = random.sample(("Michael Jordan in Paris", "Jordn of Iowa", "The WHO in Tokyo", "Paris, Texas"), 3)

    def link_all() -> Outcome:
        for text in texts:
            linker.link(text)
        return Outcome(FINE)

    def work() -> None:
        while not is_over.is_set():
            link_all()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    outcomes = [Child(link_all).outcome() for _ in range(10)]
    is_over.set()
    for thread in threads:
        thread.join()
    for outcome in outcomes:
        if outcome.verdict != FINE:
            raise Fault(f"forked beside threads: {outcome.title}\n{outcome.story}")
    return FINE


# the same again and again


def growth_trial(random: Random, folder: Path, world: World) -> str:
    """Link or open again and again: after the first rounds nothing grows."""
    name, work = random.choice(list(_WORK.items()))
    work(world)
    work(world)
    before, files = _memory(), _open_files()
    for _ in range(3):
        work(world)
    grown = _memory() - before
    if grown > _MOST_GROWN:
        raise Fault(f"memory grows: {name}\nby {grown >> 20} MB in three rounds")
    if _open_files() > files:
        raise Fault(f"open files grow: {name}\nfrom {files} to {_open_files()}")
    return FINE


_MOST_GROWN = 12 << 20


def _memory() -> int:
    import gc

    gc.collect()
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def _open_files() -> int:
    return len(os.listdir("/proc/self/fd"))  # noqa: PTH208


def _open_and_close(world: World) -> None:
    for _ in range(200):
        with KB.open(world.kb) as kb:
            kb.get("mj")


def _make_linkers(world: World) -> None:
    for _ in range(10):
        Linker(world.kb).link("Michael Jordan in Paris")


def _link_documents(world: World) -> None:
    with KB.open(world.kb) as kb:
        linker = Linker(kb)
        for number in range(100):
            linker.link(f"Michael Jordan {number} of Paris and Tokyo met the WHO {number}.")


def _run_commands(world: World) -> None:
    for _ in range(5):
        assert answer(call("link", world.kb, world.documents, "--explain"))
        assert call("link", world.kb, world.folder / "nothing").returncode == 1


_WORK: dict[str, Callable[[World], None]] = {
    "open and close": _open_and_close,
    "make linkers": _make_linkers,
    "link documents": _link_documents,
    "run commands": _run_commands,
}

TRIALS: dict[str, Trial] = {"together": together_trial, "growth": growth_trial, "fork": fork_trial}

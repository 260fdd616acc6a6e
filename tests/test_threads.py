"""A KB and a linker may be used by any number of threads and processes, from the first call on."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from eigenthemes import KB, EigenOptions, Linker
from eigenthemes.core import threads
from eigenthemes.ranking.ranker import feature_context_of

THREADS = 8
TEXTS = [
    "Michael Jordan and his students David Blei and Andrew Ng wrote on LDA at Berkeley.",
    "Jordan lies between Israel, Syria, Iraq and Saudi Arabia. Most visitors land in Amman.",
    "Jordan and Pippen won six titles with Jackson as their coach in Chicago.",
    "In 2015 Michael Jordan and Tom Mitchell reviewed machine learning in Science.",
] * 6


def answers(linker: Linker, texts: list[str] = TEXTS) -> list[Any]:
    return [linker.link(text).to_dict() for text in texts]


def in_threads(work: Callable[[], Any], threads: int = THREADS) -> list[Any]:
    """What each of several threads returns that begin at the same moment."""
    barrier = threading.Barrier(threads)

    def begin() -> Any:
        barrier.wait()
        return work()

    with ThreadPoolExecutor(threads) as pool:
        return [future.result() for future in [pool.submit(begin) for _ in range(threads)]]


@pytest.mark.parametrize("method", ["selftrained", "eigen", "average", "degree", "namematch", "prior-name"])
def test_threads_on_a_cold_linker_give_the_answers_of_one(demo_kb: KB, method: str) -> None:
    expected = answers(Linker(KB.open(demo_kb.path), method=method))
    cold = Linker(KB.open(demo_kb.path), method=method)
    assert all(found == expected for found in in_threads(lambda: answers(cold)))


def test_threads_on_a_cold_kb_read_the_same(demo_kb: KB) -> None:
    kb = KB.open(demo_kb.path)
    expected = [entity.to_dict() for entity in KB.open(demo_kb.path)]
    assert all(found == expected for found in in_threads(lambda: [entity.to_dict() for entity in kb]))


def test_threads_that_explain_and_link_in_batches(demo_kb: KB) -> None:
    expected = [linked.to_dict() for linked in Linker(demo_kb, explain=True).link_batch(TEXTS)]
    cold = Linker(KB.open(demo_kb.path), explain=True)
    found = in_threads(lambda: [linked.to_dict() for linked in cold.link_batch(TEXTS, batch_size=5)])
    assert all(each == expected for each in found)


def test_many_short_lived_threads_leave_nothing_behind(demo_kb: KB) -> None:
    linker = Linker(KB.open(demo_kb.path))
    linker.link(TEXTS[0])

    def run_one() -> None:
        thread = threading.Thread(target=linker.link, args=(TEXTS[1],))
        thread.start()
        thread.join()

    scratch = feature_context_of(linker.kb, linker.batches.vectors).scratch
    for _ in range(50):
        run_one()
    assert len(scratch) == 1


def test_scratch_that_is_kept_is_bounded_by_the_cores(demo_kb: KB) -> None:
    linker = Linker(KB.open(demo_kb.path))
    in_threads(lambda: answers(linker))
    scratch = feature_context_of(linker.kb, linker.batches.vectors).scratch
    linker.link(TEXTS[0])
    assert 1 <= len(scratch) <= (os.cpu_count() or 1)


def test_a_linker_pickles_as_its_path_and_options(demo_kb: KB) -> None:
    linker = Linker(demo_kb, method="eigen", top=2, scoring=EigenOptions(k=4))
    linker.link(TEXTS[0])
    data = pickle.dumps(linker)
    assert len(data) < 2000
    again = pickle.loads(data)
    assert again.kb.path == linker.kb.path
    assert answers(again) == answers(linker)


def test_a_kb_pickles_as_its_path(demo_kb: KB) -> None:
    demo_kb.graph  # noqa: B018  something is mapped
    data = pickle.dumps(demo_kb)
    assert len(data) < 1000
    assert len(pickle.loads(data)) == len(demo_kb)


def _link_elsewhere(linker: Linker, texts: list[str]) -> list[Any]:
    return answers(linker, texts)


@pytest.mark.parametrize("start", ["fork", "spawn"])
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_processes_give_the_answers_of_one(demo_kb: KB, start: str) -> None:
    linker = Linker(demo_kb)
    expected = answers(linker, TEXTS[:4])
    with multiprocessing.get_context(start).Pool(2) as pool:
        assert pool.starmap(_link_elsewhere, [(linker, TEXTS[:4])] * 2) == [expected] * 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork.*:DeprecationWarning")
def test_a_child_forked_while_threads_link_can_link(demo_kb: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    """A lock that another thread holds at the fork is held for ever in the child: of an import, of numba, of a cache."""
    linker = Linker(demo_kb)
    expected = answers(linker, TEXTS[:1])
    lock, is_locked = threading.Lock(), threading.Event()
    detect = linker.batches.detect

    def detect_slowly(documents: Any) -> Any:
        with lock:
            is_locked.set()
            time.sleep(0.02)
            return detect(documents)

    monkeypatch.setattr(linker.batches, "detect", detect_slowly)
    threads = [threading.Thread(target=answers, args=(linker, TEXTS[:8])) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(3):
        is_locked.wait()
        child = os.fork()
        if child == 0:
            signal.alarm(30)  # kills a child that hangs
            os._exit(answers(linker, TEXTS[:1]) != expected)
        assert os.waitpid(child, 0)[1] == 0
    for thread in threads:
        thread.join()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_inside_a_guarded_block_does_not_wait_for_itself() -> None:
    guard = threads.ForkGuard()
    with guard.block(), guard.block():
        child = os.fork()
        if child == 0:
            with guard.block():
                os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
    done = [threading.Thread(target=guard.block().__enter__) for _ in range(2)]
    for thread in done:
        thread.start()
        thread.join(30)
    assert not any(thread.is_alive() for thread in done)


def test_blas_is_limited_once_and_no_switch_is_turned_while_linking(demo_kb: KB, monkeypatch: pytest.MonkeyPatch) -> None:
    linker = Linker(demo_kb, method="eigen")
    linker.link(TEXTS[0])
    looked: list[int] = []

    class Watched:
        def __init__(self) -> None:
            looked.append(1)

        def limit(self, **options: Any) -> None: ...

    monkeypatch.setattr("threadpoolctl.ThreadpoolController", Watched)
    linker.link(TEXTS[1])
    assert not looked


def test_blas_keeps_its_threads_where_that_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise AssertionError("limited")

    monkeypatch.setattr(threads, "_limited", set())
    monkeypatch.setenv(threads.VARIABLE, "keep")
    monkeypatch.setattr("threadpoolctl.ThreadpoolController", refuse)
    threads.limit_blas_threads()
    monkeypatch.delenv(threads.VARIABLE)
    with pytest.raises(AssertionError, match="limited"):
        threads.limit_blas_threads()


def test_garbage_collection_is_left_alone(demo_kb: KB) -> None:
    import gc

    before = gc.isenabled(), gc.get_threshold()
    seen: list[bool] = []
    linker = Linker(demo_kb)
    for _ in linker.link_batch(TEXTS[:3]):
        seen.append(gc.isenabled())
    assert (gc.isenabled(), gc.get_threshold()) == before
    assert seen == [before[0]] * 3


def test_a_linker_opens_from_a_path(demo_kb: KB) -> None:
    assert answers(Linker(str(demo_kb.path)), TEXTS[:1]) == answers(Linker(Path(demo_kb.path)), TEXTS[:1])

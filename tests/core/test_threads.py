"""The pool: one borrower at a time, and what was given back is lent again."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count

import pytest

from eigenthemes.core.threads import Pool


@pytest.fixture
def numbers() -> Pool[int]:
    """A pool of 1, 2, 3, ... in the order in which they are made."""
    made = count(1)
    return Pool(lambda: next(made))


def test_what_was_given_back_is_lent_again(numbers: Pool[int]) -> None:
    for _ in range(3):
        with numbers.borrow() as number:
            assert number == 1


def test_a_new_one_is_made_only_when_all_are_lent(numbers: Pool[int]) -> None:
    with numbers.borrow() as one, numbers.borrow() as two:
        assert {one, two} == {1, 2}
        with numbers.borrow() as three:
            assert three == 3
        with numbers.borrow() as again:
            assert again == 3


def test_after_a_rush_as_many_wait_as_there_are_cores(numbers: Pool[int]) -> None:
    with ExitStack() as rush:
        for _ in range(500):
            rush.enter_context(numbers.borrow())
    with ExitStack() as rush:
        lent = [rush.enter_context(numbers.borrow()) for _ in range(500)]
    assert sum(number <= 500 for number in lent) == os.cpu_count()


def test_what_an_exception_leaves_is_thrown_away(numbers: Pool[int]) -> None:
    with pytest.raises(KeyboardInterrupt), numbers.borrow():
        raise KeyboardInterrupt
    with numbers.borrow() as number:
        assert number == 2


def test_no_two_threads_hold_the_same_at_the_same_time() -> None:
    pool: Pool[list[int]] = Pool(list)
    errors: list[str] = []

    def work() -> None:
        for _ in range(200):
            with pool.borrow() as held:
                if held:
                    errors.append("another thread holds it")
                held.append(1)
                held.clear()

    run_together([work] * 8)
    assert not errors


def test_many_short_lived_threads_leave_one_behind() -> None:
    made: Iterator[int] = count(1)
    last = [0]

    def make() -> int:
        last[0] = next(made)
        return last[0]

    pool = Pool(make)

    def work() -> None:
        with pool.borrow():
            pass

    for _ in range(300):
        run_together([work])
    assert last[0] == 1


def run_together(tasks: list[Callable[[], None]]) -> None:
    threads = [threading.Thread(target=task) for task in tasks]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

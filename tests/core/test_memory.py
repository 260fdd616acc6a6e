"""The memory of a process: what is held is seen, what is mapped is not."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
import pytest

from eigenthemes.core.memory import PeakMemory, own_memory

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="other systems do not tell it apart")
SIZE = 100_000_000


def test_the_most_that_was_held_is_seen_after_it_was_given_back() -> None:
    before = own_memory()
    with PeakMemory() as peak:
        held = np.ones(SIZE, dtype=np.uint8)
        within = own_memory()
        time.sleep(0.2)
        del held
    assert within - before > 0.9 * SIZE
    assert peak.bytes >= within - 1_000_000
    assert own_memory() < within - 0.9 * SIZE


def test_mapped_files_do_not_count(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones(SIZE, dtype=np.uint8))
    with PeakMemory() as peak:
        before = own_memory()
        assert np.load(tmp_path / "a.npy", mmap_mode="r").sum() == SIZE
    assert peak.bytes < before + SIZE / 2


def test_a_process_that_is_gone_holds_nothing() -> None:
    assert own_memory(2**22 + 1) == 0

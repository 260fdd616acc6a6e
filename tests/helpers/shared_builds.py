"""Expensive folders that are built once for all workers of pytest-xdist."""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def build_once(factory: pytest.TempPathFactory, name: str, build: Callable[[Path], object]) -> Path:
    """Return the folder `name` that `build(folder)` filled: the first worker builds, the others wait and take it as it is.

    Whoever uses it must not change it. A build that failed leaves nothing behind, so that each worker reports the failure.
    """
    folder = _shared_by_all_workers(factory) / name
    with open(folder.with_name(f"{name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            unfinished = folder.with_name(f"{name}.unfinished")
            shutil.rmtree(unfinished, ignore_errors=True)
            unfinished.mkdir()
            build(unfinished)
            unfinished.rename(folder)
    return folder


def _shared_by_all_workers(factory: pytest.TempPathFactory) -> Path:
    """Return the temporary folder of this run; each worker's own is below it."""
    own = factory.getbasetemp()
    folder = (own.parent if "PYTEST_XDIST_WORKER" in os.environ else own) / "shared"
    folder.mkdir(exist_ok=True)
    return folder

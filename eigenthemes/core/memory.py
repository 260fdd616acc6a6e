"""How much memory processes hold, without files that are mapped, which the system takes away where it needs the room."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path
from types import TracebackType

_LOOKS = 0.01  # seconds between two


def own_memory(pid: int | None = None) -> int:
    """Return the bytes of a process that are no files: anonymous and shared memory; 0 where the system does not tell."""
    try:
        lines = Path(f"/proc/{pid or os.getpid()}/status").read_text().splitlines()
    except OSError:
        return _most_ever() if pid is None else 0
    return sum(int(line.split()[1]) for line in lines if line.startswith(("RssAnon:", "RssShmem:"))) << 10


def _most_ever() -> int:
    """Return the most that this process ever held, mapped files included: what systems without /proc tell."""
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


class PeakMemory:
    """Looks from a thread how much memory this process holds while a block runs; `bytes` is the most that was seen."""

    def __init__(self) -> None:
        self.bytes = 0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def _look(self) -> None:
        while not self._over.wait(_LOOKS):
            self.bytes = max(self.bytes, own_memory())

    def __enter__(self) -> PeakMemory:
        self.bytes = own_memory()
        self._thread.start()
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self.bytes = max(self.bytes, own_memory())

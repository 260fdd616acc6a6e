"""Run a command or look names up again and again, with whichever version of eigenthemes is installed: for `compare_speed`.

    python benchmarks/link_worker.py

Reads JSON lines: a list is the arguments of a command, which runs in this process; an object {"kb", "names"} names a KB and a
file of names that are looked up in one batch. Prints the seconds of CPU time of each. The first time something is asked for, it
is done once before the clock starts, so that loading and compiling are not counted: every kernel is compiled, as in long runs.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any


def command(arguments: list[str]) -> Callable[[], Any]:
    """Return a function that runs a command and throws away what it prints."""
    from eigenthemes.cli import main

    def run() -> None:
        sys.argv = ["eigenthemes", *arguments]
        with (
            open(os.devnull, "w", encoding="utf-8") as sink,
            redirect_stdout(sink),
            redirect_stderr(sink),
            suppress(SystemExit),
        ):
            main()

    return run


def look_up(kb: str, names: str) -> Callable[[], Any]:
    """Return a function that looks names up in one batch."""
    from eigenthemes import KB, CandidateGenerator

    generator, listed = CandidateGenerator(KB.open(kb)), Path(names).read_text(encoding="utf-8").splitlines()
    return lambda: generator.find_batch(listed)


def main() -> None:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    with suppress(ImportError):  # the one name here that is not public: a version without it compiles at once
        from eigenthemes.core.jit import always_compile

        always_compile()
    known: dict[str, Callable[[], Any]] = {}
    for line in sys.stdin:
        if line not in known:
            given = json.loads(line)
            known = {line: look_up(**given) if isinstance(given, dict) else command(given)}
            known[line]()
        start = time.process_time()
        known[line]()
        print(time.process_time() - start, flush=True)


if __name__ == "__main__":
    main()

"""The command `eigenthemes warm-up`."""

from __future__ import annotations

import time

import click

from eigenthemes.cli.output import say, terminal_progress


@click.command("warm-up")
@click.option("--all", "every_vectors", is_flag=True, help="Also what DeepWalk, NetSMF and LouvainNE need.")
def warm_up(every_vectors: bool) -> None:
    """Compile once what building and linking need, so that no later run has to.

    For images of containers, and for installations that their users cannot write to. Compiled code is kept beside the
    package, or in the folder NUMBA_CACHE_DIR; it works on this kind of processor only.
    """
    from eigenthemes.warm_up import warm_up as compile_all

    start = time.monotonic()
    folder = compile_all(every_vectors=every_vectors, progress=terminal_progress())
    if folder is None:
        say(
            "compiled code cannot be kept: neither the package's folder nor the user's cache is writable; set NUMBA_CACHE_DIR",
            err=True,
        )
        return
    say(f"compiled in {time.monotonic() - start:.0f} s, kept in {folder}", err=True)

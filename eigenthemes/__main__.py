"""The command eigenthemes, and python -m eigenthemes: Ctrl-C ends them in a sentence, also before and after their work."""

from __future__ import annotations

import os
import signal


def main() -> None:
    """Import the command line and run it."""
    try:
        handler = signal.getsignal(signal.SIGINT)
        ours = handler is signal.default_int_handler  # else it is ignored, as in the background, and stays so
        if ours:
            signal.signal(signal.SIGINT, _stop_before)  # no exception: an import may swallow one, or print it
        from eigenthemes.cli import main as run

        try:
            if ours:
                signal.signal(signal.SIGINT, handler)
            run()
        finally:
            if ours:
                signal.signal(signal.SIGINT, _stop_after)
    except KeyboardInterrupt:  # in the moments between
        _stop_after()


def _stop_before(*_: object) -> None:
    os.write(2, b"eigenthemes: interrupted; nothing was changed\n")
    os._exit(130)


def _stop_after(*_: object) -> None:
    os.write(2, b"eigenthemes: interrupted\n")
    os._exit(130)


if __name__ == "__main__":
    main()

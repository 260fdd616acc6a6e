"""The command eigenthemes, and python -m eigenthemes: Ctrl-C ends them in a sentence, also before and after their work.

Python itself starts before the first line of this file; until then Ctrl-C is Python's.
"""

import sys

try:
    import atexit
    import os
    import signal
except KeyboardInterrupt:
    sys.stderr.write("eigenthemes: interrupted; nothing was changed\n")
    sys.exit(130)

INTERRUPTED = 130
_AGAIN = 0.01  # seconds until an interrupt that got lost comes again
_codes: list[object] = []  # that the command ended with


def main() -> None:
    """Import the command line and run it."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # ignored, as in the background, and stays so
        from eigenthemes.cli import main as run

        run()
        return
    try:
        signal.signal(signal.SIGINT, _stop_before)  # no exception: an import may swallow one, or print it
        atexit.register(_end_now)
        from eigenthemes.cli import main as run

        try:
            signal.signal(signal.SIGINT, _interrupt)
            run()
        except SystemExit as stop:
            _codes.append(stop.code)
            raise
        except Exception:
            if sys.unraisablehook is not _hear:
                raise
            _stop_after()  # compiled modules answer an interrupt with an ImportError
        finally:
            signal.signal(signal.SIGINT, _stop_after)
    except KeyboardInterrupt:  # in the moments between
        _stop_after()


def _stop_before(*_: object) -> None:
    os.write(2, b"eigenthemes: interrupted; nothing was changed\n")
    os._exit(INTERRUPTED)


def _stop_after(*_: object) -> None:
    os.write(2, b"eigenthemes: interrupted\n")
    os._exit(INTERRUPTED)


def _interrupt(*_: object) -> None:
    sys.unraisablehook = _hear
    raise KeyboardInterrupt


def _hear(unraisable: "sys.UnraisableHookArgs") -> None:
    """Silence objects that an interrupt left half made, which complain when they go; one that got lost there comes again."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        import threading

        threading.Timer(_AGAIN, signal.raise_signal, (signal.SIGINT,)).start()


def _end_now() -> None:
    """End the process with the code of the command, once all exit handlers have run.

    What Python does after that takes time for nothing, and Ctrl-C would end it by the signal. Where something
    cannot be written any more, Python has to say so.
    """
    if not _codes or not isinstance(_codes[-1], int | None):
        return
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # closed, or nobody reads it
            if INTERRUPTED not in _codes:
                return
    os._exit(_codes[-1] or 0)


if __name__ == "__main__":
    main()

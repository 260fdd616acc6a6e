"""Entry point of the command eigenthemes, and of python -m eigenthemes: Ctrl-C ends it with one sentence at any time."""

import sys

try:
    import atexit
    import os
    import signal
except KeyboardInterrupt:
    sys.stderr.write("eigenthemes: interrupted; nothing was changed\n")
    sys.exit(130)

INTERRUPTED = 130
_RETRY = 0.01  # seconds until a lost interrupt is sent again
_codes: list[object] = []  # exit codes of the command


def main() -> None:
    """Import the command line and run it."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # ignored, as for a background job: leave it ignored
        from eigenthemes.cli import main as run

        run()
        return
    try:
        signal.signal(signal.SIGINT, _stop_before)  # no exception, because an import may swallow or print it
        atexit.register(_end_now)
        from eigenthemes.cli import main as run

        try:
            signal.signal(signal.SIGINT, _interrupt)
            run()
        except SystemExit as stop:
            _codes.append(stop.code)
            raise
        except Exception:
            if sys.unraisablehook is not _ignore_unraisable:
                raise
            _stop_after()  # compiled modules answer an interrupt with an ImportError
        finally:
            signal.signal(signal.SIGINT, _stop_after)
    except KeyboardInterrupt:  # between two handlers
        _stop_after()


def _stop_before(*_: object) -> None:
    os.write(2, b"eigenthemes: interrupted; nothing was changed\n")
    os._exit(INTERRUPTED)


def _stop_after(*_: object) -> None:
    os.write(2, b"eigenthemes: interrupted\n")
    os._exit(INTERRUPTED)


def _interrupt(*_: object) -> None:
    sys.unraisablehook = _ignore_unraisable
    raise KeyboardInterrupt


def _ignore_unraisable(unraisable: "sys.UnraisableHookArgs") -> None:
    """Ignore errors of half-made objects after an interrupt; send an interrupt again that was lost in one."""
    is_lost = issubclass(unraisable.exc_type, KeyboardInterrupt)
    while is_lost:
        import threading

        try:
            threading.Timer(_RETRY, signal.raise_signal, (signal.SIGINT,)).start()
            is_lost = False
        except KeyboardInterrupt:
            continue  # another one came right here, where it would be lost, too


def _end_now() -> None:
    """End with the code of the command once all other exit handlers have run, without Python's slow shutdown.

    Where output cannot be written and no error was reported, let Python report it.
    """
    if not _codes or not isinstance(_codes[-1], int | None):
        return
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (AttributeError, OSError, ValueError):  # closed, or nobody reads it
            if not _codes[-1]:
                return
    os._exit(_codes[-1] or 0)


if __name__ == "__main__":
    main()

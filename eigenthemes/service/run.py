"""Start the service: check the options, bind the socket, and supervise the worker processes."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from eigenthemes.errors import MissingExtraError, OptionError
from eigenthemes.kb.store import KB
from eigenthemes.service.correction_files import correction_files
from eigenthemes.service.settings import ServiceSettings, named_paths
from eigenthemes.service.supervisor import Supervisor

_BACKLOG = 2048


def serve(
    paths: Sequence[str | Path],
    settings: ServiceSettings,
    *,
    on_ready: Callable[[str], None],
    on_start: Callable[[], None] = lambda: None,
) -> None:
    """Serve KBs until SIGTERM or Ctrl-C; SIGHUP reloads the KBs.

    Parameters
    ----------
    paths : sequence of paths
        Folders of KBs.
    settings : ServiceSettings
        Addresses, token and limits.
    on_ready : callable
        Called with the address once every process is ready to link.
    on_start : callable
        Called after the checks, before the processes start.
    """
    check_installed()
    for path in named_paths(paths).values():
        KB.open(path)
    for file in correction_files(settings.corrections, list(named_paths(paths))).values():
        file.check()
    with bind(settings.host, settings.port) as listening:
        on_start()
        host, port = listening.getsockname()[:2]
        address = f"http://{f'[{host}]' if ':' in host else host}:{port}{settings.root_path.rstrip('/')}"
        Supervisor(tuple(map(str, paths)), settings, listening, lambda: on_ready(address)).run()


def check_installed() -> None:
    """Raise an error if a package of the extra is not installed."""
    for package in ("fastapi", "uvicorn", "httptools", "prometheus_client"):
        try:
            __import__(package)
        except ImportError:
            raise MissingExtraError("serving", package, "serve") from None


def bind(host: str, port: int) -> socket.socket:
    """Return a listening socket; raise an `OptionError` if the port is in use or the host unknown."""
    try:
        infos = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError):
        raise OptionError(f"the host {host!r} is unknown; give an address of this machine", code="host", where=host) from None
    family, kind, _, _, address = min(infos, key=lambda info: info[0] != socket.AF_INET)  # localhost is 127.0.0.1 first
    listening = socket.socket(family, kind)
    try:
        if os.name == "posix":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        is_elsewhere = error.errno == errno.EADDRNOTAVAIL
        remedy = "give an address of this machine" if is_elsewhere else "choose another port, or 0 for any that is free"
        reason = error.strerror or str(error)
        raise OptionError(f"{host}:{port} cannot be listened to ({reason}); {remedy}", code="port", where=str(port)) from None
    return listening

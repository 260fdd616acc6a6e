"""Settings of a service, names of its KBs, and results of reloads: what the parent process shares with its workers."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from eigenthemes.core.checks import check_integer, check_jobs, check_number
from eigenthemes.errors import EigenthemesError, KBError, OptionError

CONTEXTS = ("column", "row", "none")  # rows of a reconciliation batch that are decided together


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """Settings of a service; invalid ones raise an `OptionError`.

    Attributes
    ----------
    token : str, optional
        Token that requests must have. None: no token is needed.
    allowed_hosts : tuple of str
        Names by which the service may be called, besides localhost and addresses; "*": any.
    root_path : str
        Path of the service behind a proxy, such as "/kg", if the proxy does not say it.
    trusted_proxies : tuple of str
        Addresses or networks of proxies whose X-Forwarded-Prefix and X-Forwarded-Proto are used, besides this machine.
    corrections : Path, optional
        File that corrections are appended to. None: corrections are refused.
    context : str
        Rows of a reconciliation batch that are decided together, one of `CONTEXTS`.
    max_body, max_documents, max_mentions, max_characters : int
        Limits of one request.
    max_seconds, max_body_seconds : float
        Time until a request is answered, and until its body has arrived.
    max_concurrent : int
        Requests at a time, per process.
    access_log : bool
        Log every request.
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    allowed_hosts: tuple[str, ...] = ()
    root_path: str = ""
    trusted_proxies: tuple[str, ...] = ()
    workers: int = 1
    corrections: Path | None = None
    context: str = "column"
    max_body: int = 8 << 20
    max_documents: int = 1_000
    max_mentions: int = 20_000
    max_characters: int = 1_000_000
    max_seconds: float = 30.0
    max_body_seconds: float = 20.0
    max_concurrent: int = 128
    access_log: bool = False

    def __post_init__(self) -> None:
        check_jobs(self.workers)
        for name in ("max_body", "max_documents", "max_mentions", "max_characters", "max_concurrent"):
            check_integer(name, getattr(self, name))
        for name in ("max_seconds", "max_body_seconds"):
            check_number(name, getattr(self, name), "more than 0", above=0)
        if self.context not in CONTEXTS:
            raise OptionError(f"context is {self.context!r}; expected one of {', '.join(CONTEXTS)}", where="context")
        if not is_root_path(self.root_path):
            raise OptionError(f"the root path is {self.root_path!r}; expected a path such as /kg", where="root_path")
        for proxy in self.trusted_proxies:
            try:
                ipaddress.ip_network(proxy)
            except ValueError:
                problem = f"{proxy!r} is no address; give the address of a proxy, or a network such as 10.0.0.0/8"
                raise OptionError(problem, where="trusted_proxies") from None
        if not 0 <= self.port <= 65535:
            raise OptionError(f"port is {self.port}; expected 1 to 65535, or 0 for any that is free", where="port")
        if self.token is not None and (len(self.token) < 1 or not self.token.isascii() or not self.token.isprintable()):
            problem = "the token is empty or has letters that headers cannot hold; use letters and digits"
            raise OptionError(problem, where="token")


def ip_address(name: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return a name as IP address, which DNS cannot redirect; None: it is none."""
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return None
    return getattr(address, "ipv4_mapped", None) or address


def is_loopback(name: str) -> bool:
    """Return whether a host is this machine."""
    address = ip_address(name)
    return name == "localhost" or (address is not None and address.is_loopback)


def is_root_path(path: str) -> bool:
    """Return whether a path may be the beginning of the service's URLs."""
    return re.fullmatch(r"(/[A-Za-z0-9._~-]+)*/?", path) is not None


def named_paths(paths: Sequence[str | Path]) -> dict[str, Path]:
    """Return the paths of KBs by name: the name of the folder, without .kb."""
    named: dict[str, Path] = {}
    for path in map(Path, paths):
        name = re.sub(r"[^\w.-]+", "-", path.resolve().name.removesuffix(".kb")) or "kb"
        if name in named:
            raise OptionError(f"{named[name]} and {path} are both named {name}; rename one of the folders", where=str(path))
        named[name] = path
    if not named:
        raise OptionError("there is no KB to serve; give at least one")
    return named


@dataclass(frozen=True, slots=True)
class Reloaded:
    """The result of a reload: names of KBs, or the error."""

    replaced: tuple[str, ...] = ()
    unchanged: tuple[str, ...] = ()
    error: EigenthemesError | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the names as JSON; raise the error, if there is one."""
        if self.error is not None:
            raise KBError(f"{self.error} (the old KB is still served)", code=self.error.code, where=self.error.where)
        return {"replaced": list(self.replaced), "unchanged": list(self.unchanged)}

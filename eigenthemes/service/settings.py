"""What a service is told when it starts: where it listens, whom it trusts, and what it takes at most."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from pathlib import Path

from eigenthemes.core.checks import check_integer, check_jobs, check_number
from eigenthemes.errors import OptionError

CONTEXTS = ("column", "row", "none")  # which rows of a reconciliation batch are decided together


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceSettings:
    """The settings of a service, checked.

    token           what requests must bring; None: nothing is asked
    allowed_hosts   names by which the service may be called, beside localhost and addresses; "*": any
    corrections     a file that corrections are appended to; None: they are not taken
    context         which rows of a reconciliation batch are decided together, see `CONTEXTS`
    max_body        bytes of a request; max_documents, max_mentions, max_characters: what it may hold
    max_seconds     until a request is answered; max_body_seconds: until all of it has come
    max_concurrent  requests at a time, per process
    """

    host: str = "127.0.0.1"
    port: int = 8000
    token: str | None = None
    allowed_hosts: tuple[str, ...] = ()
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
        if not 0 <= self.port <= 65535:
            raise OptionError(f"port is {self.port}; expected 1 to 65535, or 0 for any that is free", where="port")
        if self.token is not None and (len(self.token) < 1 or not self.token.isascii() or not self.token.isprintable()):
            raise OptionError(
                "the token is empty or has letters that headers cannot hold; use letters and digits", where="token"
            )

    @property
    def is_loopback(self) -> bool:
        """Return whether the service listens to this machine only."""
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

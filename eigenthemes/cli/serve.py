"""The command `eigenthemes serve`."""

from __future__ import annotations

import logging
import sys
from pathlib import Path
from typing import Any

import click

from eigenthemes.cli.options import JOBS
from eigenthemes.cli.output import plain, say
from eigenthemes.errors import OptionError

_CONTEXTS = ("column", "row", "none")


@click.command()
@click.argument("kbs", nargs=-1, required=True, type=click.Path(), metavar="KB...")
@click.option("--port", default=8000, type=click.IntRange(0, 65535), help="0: any that is free.")
@click.option("--host", default="127.0.0.1", help="The address to listen at; 0.0.0.0: from anywhere.")
@click.option("--token", envvar="EIGENTHEMES_TOKEN", metavar="TEXT", help="What requests must bring; or in $EIGENTHEMES_TOKEN.")
@click.option("--allow-host", "allowed_hosts", multiple=True, metavar="NAME", help="Another name of the service; *: any.")
@click.option("--root-path", metavar="PATH", default="", show_default=False, help="Path behind a proxy that omits it, as /kg.")
@click.option(
    "--trust-proxy",
    "trusted_proxies",
    multiple=True,
    metavar="ADDRESS",
    help="A proxy whose X-Forwarded-Prefix and -Proto are used, besides those on this machine.",
)
@click.option("--workers", default=1, type=JOBS, help="Processes; they share the KB.")
@click.option("--corrections", type=click.Path(dir_okay=False), metavar="FILE", help="Append corrections of the page here.")
@click.option("--context", type=click.Choice(_CONTEXTS), default="column", help="Reconciliation: cells decided together.")
@click.option("--max-body", default=8.0, type=float, metavar="MB", help="Of a request.")
@click.option("--max-documents", default=1_000, type=click.IntRange(min=1), help="Of a request.")
@click.option("--max-mentions", default=20_000, type=click.IntRange(min=1), help="Of a request.")
@click.option("--max-characters", default=1_000_000, type=click.IntRange(min=1), help="Of a request.")
@click.option("--max-seconds", default=30.0, type=float, metavar="S", help="Until a request is answered.")
@click.option("--max-requests", "max_concurrent", default=128, type=click.IntRange(min=1), help="At a time, per process.")
@click.option("--access-log", is_flag=True, help="Log each request on stderr: method, path, status, time; no text, no token.")
def serve(kbs: tuple[str, ...], **given: Any) -> None:
    """Serve KBs over HTTP: a page for people, REST for programs, reconciliation for OpenRefine.

    Several KBs are served each under the name of its folder. SIGHUP, or POST /reload, picks up KBs that were built anew. Ctrl-C
    or SIGTERM stop the service: what runs is finished first.
    """
    from eigenthemes.kb.store import KB
    from eigenthemes.service.run import serve as run_service
    from eigenthemes.service.settings import ServiceSettings, is_loopback, named_paths

    if not 0 < given["max_body"] <= 4096:
        raise OptionError(f"--max-body is {given['max_body']:g}; expected megabytes, more than 0 up to 4096")
    corrections = None if given["corrections"] is None else Path(given["corrections"])
    settings = ServiceSettings(**{**given, "corrections": corrections, "max_body": int(given["max_body"] * 2**20)})
    if not is_loopback(settings.host) and settings.token is None:
        say(f"warning: anybody who can reach {settings.host} may use the service; give a --token", err=True)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="%(asctime)s %(message)s")
    for kb in kbs:
        for part in KB.open(kb).missing_parts():
            say(f"warning: {part}", err=True)
    run_service(
        kbs,
        settings,
        on_start=lambda: say(f"opening {', '.join(kbs)} ...", err=True),
        on_ready=lambda address: _print_address(address, settings.token, list(named_paths(kbs))),
    )


def _print_address(address: str, token: str | None, names: list[str]) -> None:
    """Print where the service is, once it is ready."""
    end = "" if token is None else "?token=TOKEN"
    click.echo(plain(f"{address}/{end}"))
    for place in ("reconcile",) if len(names) == 1 else (f"reconcile/{name}" for name in names):
        click.echo(f"  for OpenRefine  {address}/{place}{end}")
    click.echo(f"  for programs    {address}/openapi.json{end}")
    sys.stdout.flush()
    say("stop it with Ctrl-C", err=True)

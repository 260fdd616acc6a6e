"""The command `eigenthemes demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from eigenthemes.cli.build import build
from eigenthemes.cli.explain import explain
from eigenthemes.cli.inspect import candidates, info
from eigenthemes.cli.output import plain, print_table, say
from eigenthemes.cli.serve import serve
from eigenthemes.core.workers import temporary_folder

if TYPE_CHECKING:
    from eigenthemes.kb.store import KB
    from eigenthemes.records import Link

_NAMES = {"small": ("Michael Jordan", "Micheal Jordan"), "places": ("San José", "St. Petersburgh")}
_EXPLAINED = {"small": "machine-learning", "places": "storm"}  # documents whose first name is explained


@click.command()
@click.option("--kg", type=click.Choice(("small", "places")), default="small", help="Our small KG, or the cities of GeoNames.")
@click.option("-o", "--output", type=click.Path(), help="Keep the KB in this folder.")
@click.option("--serve", "is_served", is_flag=True, help="Serve the KB: a page in the browser, REST, reconciliation.")
@click.option("--port", default=8000, type=click.IntRange(0, 65535), help="Of the service; 0: any free one.")
@click.pass_context
def demo(context: click.Context, kg: str, output: str | None, is_served: bool, port: int) -> None:
    """Build a KB from a small KG (or the places of GeoNames), and link a text whose names mean several things."""
    from eigenthemes.kg import demo as demo_kgs

    if is_served:
        from eigenthemes.service.run import check_installed

        check_installed()  # before the KB is built
    with temporary_folder() as scratch:
        kb = output or str(scratch / "demo.kb")
        if kg == "small":
            sources = [demo_kgs.SMALL]
        else:
            click.echo(f"Data: {demo_kgs.PLACES_LICENCE}\n")
            sources = demo_kgs.write_places(scratch)
        names = " ".join(source.name for source in sources)
        _say(f"eigenthemes build {names} -o demo.kb")
        context.invoke(build, sources=tuple(map(str, sources)), output=kb, force=output is not None)
        if is_served:
            _say(f"eigenthemes serve demo.kb --port {port}")
            context.invoke(serve, kbs=(kb,), port=port)
            return
        _say("eigenthemes info demo.kb")
        context.invoke(info, kb=kb)
        for name in _NAMES[kg]:
            _say(f'eigenthemes candidates demo.kb "{name}"')
            context.invoke(candidates, kb=kb, names=(name,), max_candidates="8")
        documents, explained = demo_kgs.DOCUMENTS[kg], _EXPLAINED[kg]
        _say(f"eigenthemes link demo.kb {documents.name}")
        _compare_links(kb, documents, most=1 if kg == "small" else None)
        _say(f"eigenthemes explain demo.kb {documents.name} --document {explained} --mention 0")
        context.invoke(explain, kb=kb, documents=(str(documents),), document=explained, mention=0)
    click.echo("\nNow your own: eigenthemes build YOUR_KG_FILE -o my.kb, then eigenthemes link my.kb YOUR_TEXT_FILE")


def _compare_links(kb: str, file: Path, *, most: int | None) -> None:
    """Print texts, and what their names are linked to by all names together and by popularity alone."""
    from eigenthemes.documents.reader import read_gold
    from eigenthemes.linker import Linker

    linker, degree = Linker.open(kb), Linker.open(kb, method="degree")
    documents = list(read_gold(file))[:most]
    for together, alone in zip(linker.link_batch(documents), degree.link_batch(documents), strict=True):
        rows = []
        for ours, theirs in zip(together.links, alone.links, strict=True):
            other = "" if ours.entity == theirs.entity else _about(linker.kb, theirs)
            rows.append((ours.mention.text, _about(linker.kb, ours), other))
        say(together.document.text or "")
        click.echo()
        print_table(("name", "the names together say", "popularity alone would say"), rows)
        click.echo()


def _about(kb: KB, link: Link) -> str:
    """Return the label of a linked entity with its description."""
    if link.entity is None:
        return "nothing"
    about = kb[link.entity].description
    return f"{link.label} ({about})" if about else str(link.label)


def _say(command: str) -> None:
    click.echo(click.style(f"\n$ {plain(command)}", bold=True))

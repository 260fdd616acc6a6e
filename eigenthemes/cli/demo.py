"""eigenthemes demo"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from eigenthemes.cli.build import build
from eigenthemes.cli.inspect import candidates, info

_NAMES = {
    "small": ("Michael Jordan", "Science", "M. Jordan", "NBA", "Micheal Jordan"),
    "places": ("San José", "Springfield", "Muenchen", "St. Petersburgh"),
}


@click.command()
@click.option(
    "--kg",
    type=click.Choice(("small", "places")),
    default="small",
    show_default=True,
    help="The KG written for the project, or the cities of GeoNames.",
)
@click.option("-o", "--output", type=click.Path(), help="Keep the KB in this folder.")
@click.pass_context
def demo(context: click.Context, kg: str, output: str | None) -> None:
    """Build a KB from a small KG (or the places of GeoNames) and show what it finds."""
    from eigenthemes import demo as demo_kgs

    with tempfile.TemporaryDirectory(prefix="eigenthemes-") as scratch:
        place = output or str(Path(scratch) / "demo.kb")
        if kg == "small":
            sources = [demo_kgs.SMALL]
        else:
            click.echo(f"Data: {demo_kgs.PLACES_LICENCE}\n")
            sources = demo_kgs.write_places(Path(scratch))
        shown = " ".join(source.name for source in sources)
        _say(f"eigenthemes build {shown} -o demo.kb")
        context.invoke(build, sources=tuple(map(str, sources)), output=place, force=output is not None)
        _say("eigenthemes info demo.kb")
        context.invoke(info, kb=place)
        for name in _NAMES[kg]:
            _say(f'eigenthemes candidates demo.kb "{name}"')
            context.invoke(candidates, kb=place, names=(name,), max_candidates="8")
    click.echo("Now your own: eigenthemes build YOUR_KG_FILE -o my.kb")


def _say(command: str) -> None:
    click.echo(click.style(f"\n$ {command}", bold=True))

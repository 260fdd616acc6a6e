"""The command `eigenthemes demo`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from eigenthemes.cli.build import build
from eigenthemes.cli.inspect import candidates, info
from eigenthemes.cli.output import plain, print_table, say
from eigenthemes.cli.serve import serve
from eigenthemes.core.workers import temporary_folder

if TYPE_CHECKING:
    from eigenthemes.linker import Linker
    from eigenthemes.records import Link, LinkedDocument

_NAMES = {"small": ("Michael Jordan", "Micheal Jordan"), "places": ("San José", "St. Petersburgh")}
# mentions whose candidates are compared
_COMPARED = {"small": ("Michael Jordan", "Science"), "places": ("Paris", "Birmingham")}


@click.command()
@click.option(
    "--kg",
    type=click.Choice(("small", "places")),
    default="small",
    show_default=True,
    help="The KG written for the project, or the cities of GeoNames.",
)
@click.option("-o", "--output", type=click.Path(), help="Keep the KB in this folder.")
@click.option("--serve", "is_served", is_flag=True, help="Serve the KB: a page in the browser, REST, reconciliation.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535), help="Of the service; 0: any free one.")
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
        _say(f"eigenthemes link demo.kb {demo_kgs.DOCUMENTS[kg].name}")
        _link(kb, demo_kgs.DOCUMENTS[kg], only_first=kg == "small", compared=_COMPARED[kg])
    click.echo("Now your own: eigenthemes build YOUR_KG_FILE -o my.kb, then eigenthemes link my.kb YOUR_TEXT_FILE")


def _link(kb: str, file: Path, *, only_first: bool, compared: tuple[str, ...]) -> None:
    """Print the texts, and the links of their names by popularity alone and by all names together."""
    from eigenthemes.documents.reader import read_gold
    from eigenthemes.linker import Linker

    themes, degree = Linker.open(kb, top=5, explain=True), Linker.open(kb, method="degree")
    documents = list(read_gold(file))[: 1 if only_first else None]
    for by_themes, by_degree in zip(themes.link_batch(documents), degree.link_batch(documents), strict=True):
        say(by_themes.document.text or "")
        click.echo()
        _compare_links(themes, by_themes, by_degree)
        for link in by_themes.links:
            if link.mention.text in compared:
                _compare_candidates(themes, link)


def _compare_links(linker: Linker, by_themes: LinkedDocument, by_degree: LinkedDocument) -> None:
    rows = []
    for ours, theirs in zip(by_themes.links, by_degree.links, strict=True):
        other = "" if ours.entity == theirs.entity else _about(linker, theirs.entity, theirs.label)
        rows.append((ours.mention.text, _about(linker, ours.entity, ours.label), other))
    print_table(("name", "the names together say", "popularity alone would say"), rows)
    click.echo()


def _compare_candidates(linker: Linker, link: Link) -> None:
    kb = linker.kb
    rows = []
    for candidate in link.ranking:
        entity = kb.index_of(candidate.id)
        assert entity is not None
        rows.append((_about(linker, candidate.id, candidate.label), f"{kb.prior[entity]:,.12g}", f"{candidate.score:.3f}"))
    say(f'Candidates of "{link.mention.text}": their popularity, and how likely each is, among the other names:')
    click.echo()
    print_table(("candidate", "popularity", "probability"), rows, right=(1, 2))
    assert link.explanation is not None
    click.echo()
    say(link.explanation.sentence)
    click.echo()


def _about(linker: Linker, external_id: str | None, label: str | None) -> str:
    """Return a label with a few words on what it is."""
    entity = None if external_id is None else linker.kb.index_of(external_id)
    about = "" if entity is None else linker.kb.description_of(entity)
    return f"{label} ({about})" if about else str(label or "nothing")


def _say(command: str) -> None:
    click.echo(click.style(f"\n$ {plain(command)}", bold=True))

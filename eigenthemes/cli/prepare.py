"""eigenthemes prepare"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from eigenthemes.cli.output import counted, say, terminal_progress

if TYPE_CHECKING:
    from eigenthemes.reproduction.prepare import Counts


@click.command()
@click.argument("gold", type=click.Path())
@click.option("--page-props", required=True, type=click.Path(), metavar="FILE", help="page_props.sql of a Wikipedia dump.")
@click.option("--page", type=click.Path(), metavar="FILE", help="page.sql: pages are known by their titles, too.")
@click.option("--redirect", type=click.Path(), metavar="FILE", help="redirect.sql: old titles lead to the page of today.")
@click.option("-o", "--output", type=click.Path(), default="-", help="Write here instead of standard output.")
@click.option(
    "--iri",
    is_flag=True,
    help="Write ids as http://www.wikidata.org/entity/Q90, as in a KB made of N-Triples; default: Q90.",
)
@click.option("--keep-missing", is_flag=True, help="Keep mentions without a Wikidata id, with the gold they had.")
@click.option("--ids", type=click.Path(), metavar="FILE", help="Write the ids of all articles here, for build --keep.")
def prepare(
    gold: str,
    page_props: str,
    page: str | None,
    redirect: str | None,
    output: str,
    iri: bool,
    keep_missing: bool,
    ids: str | None,
) -> None:
    """Rewrite the gold of documents, pages of Wikipedia, as Wikidata ids.

    GOLD: AIDA-CoNLL (AIDA-YAGO2-dataset.tsv), WNED XML, TabEL's tables or JSON lines. The dumps may be compressed with gzip.
    One JSON object per document is written, ready for eigenthemes eval.
    """
    from eigenthemes.reproduction.prepare import prepare_gold

    counts = prepare_gold(
        gold,
        sys.stdout.buffer if output == "-" else output,
        page_props=page_props,
        page=page,
        redirect=redirect,
        ids=ids,
        iri=iri,
        keep_missing=keep_missing,
        progress=terminal_progress(),
    )
    say(_summary(counts, keep_missing), err=True)


def _summary(counts: Counts, keep_missing: bool) -> str:
    first = f" (first: {counts.example})" if counts.example else ""
    textless = f" ({counts.textless:,} without their text: RawText is not beside them?)" if counts.textless else ""
    return (
        f"{counted(counts.documents, 'document')}{textless}, {counted(counts.found, 'mention')} with a Wikidata id; "
        f"{'kept' if keep_missing else 'left out'}: {counts.missing:,} whose page has none{first}, "
        f"{counts.outside:,} annotated as outside Wikipedia"
    )

"""The command `eigenthemes explain`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.cli.link import open_linker
from eigenthemes.cli.options import about_option, candidate_options, language_option, parse_digits, text_option, vectors_option
from eigenthemes.cli.output import note, print_json, print_table, say
from eigenthemes.errors import DocumentError, OptionError

if TYPE_CHECKING:
    from eigenthemes.explanations import Explanation
    from eigenthemes.ranking.explainer import Explainer
    from eigenthemes.records import Document


@click.command()
@click.argument("kb", type=click.Path())
@click.argument("documents", nargs=-1, required=True, type=click.Path(allow_dash=True))
@click.option("--document", metavar="ID", help="Which document: its id, its number from 0, or all. Default: the first.")
@click.option("--mention", type=click.IntRange(min=0), metavar="N", help="One mention in detail, by its number from 0.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per document, or one for the mention.")
@click.option("--threshold", type=float, metavar="P", help="Least probability of a link. Default: the KB's own.")
@vectors_option
@candidate_options
@language_option
@about_option
@text_option
def explain(
    kb: str,
    documents: tuple[str, ...],
    document: str | None,
    mention: int | None,
    as_json: bool,
    plain_text: bool,
    **options: Any,
) -> None:
    """Explain the links of the names in DOCUMENTS.

    DOCUMENTS are read as by link; - reads standard input. Prints a sentence for each mention, or for one mention (--mention)
    the sentence, its candidates and the names that support the best of them. The ranker is the self-trained one of the KB.
    """
    from eigenthemes.documents.reader import read_documents

    if mention is not None and document == "all":
        raise OptionError("--mention explains one mention of one document; give that document with --document, not all")
    linker = open_linker(kb, {**options, "method": "selftrained"})
    for chosen in _chosen(read_documents(documents, plain_text=plain_text), document):
        explainer = linker.explainer([linker.checked(chosen)])
        count = int(explainer.batch.is_own.sum())
        if mention is not None:
            if mention >= count:
                numbers = f"{count}, numbered from 0 to {count - 1}" if count > 1 else "1, number 0" if count else "none"
                raise OptionError(f"there is no mention {mention}; the document has {numbers}")
            _print_mention(explainer, mention, as_json)
        elif as_json:
            records = [explainer.explain(number).to_dict() for number in range(count)]
            print_json({"id": chosen.id, "mentions": records})
        else:
            _print_document(chosen, [explainer.explain(number) for number in range(count)], headed=document == "all")


def _chosen(documents: Iterator[Document], wanted: str | None) -> Iterable[Document]:
    """Return the first document, all, or one by its id, or by its number if no id equals it."""
    if wanted == "all":
        return documents
    by_number: list[Document] = []
    example, count = "", 0
    for each in documents:
        if wanted is None or (each.id is not None and str(each.id) == wanted):
            return [each]
        if count == parse_digits(wanted):
            by_number = [each]
        example = example or ("" if each.id is None else f", with ids like {each.id}")
        count += 1
    if wanted is None:
        raise DocumentError("there is no document to explain; give JSON lines or a text")
    if not by_number:
        there = "there is 1" if count == 1 else f"there are {count:,}"
        raise DocumentError(f"there is no document {wanted}; {there}{example}; give an id, a number from 0, or all")
    return by_number


def _print_document(document: Document, found: list[Explanation], *, headed: bool) -> None:
    if headed:
        say("(document without an id)" if document.id is None else str(document.id))
    if not found:
        note("warning: the document has no mentions, and no name of the KB was found in it")
    width = len(str(len(found) - 1))
    for number, each in enumerate(found):
        say(f"{number:{width}}  {each.sentence}")
    if headed:
        click.echo()


def _print_mention(explainer: Explainer, mention: int, as_json: bool) -> None:
    found, candidates = explainer.explain(mention), explainer.candidates(mention)
    if as_json:
        record = {"mention": mention, **found.to_dict(), "candidates": [each.to_dict() for each in candidates]}
        print_json(record)
        return
    from eigenthemes.display import Grid, Prose
    from eigenthemes.display.views import view_of_explanation

    for number, part in enumerate(view_of_explanation(found, candidates)):
        if number:
            click.echo()
        if isinstance(part, Prose):
            say(part.text)
        elif isinstance(part, Grid):
            print_table(part.header, part.rows, right=part.right)

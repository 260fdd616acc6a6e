"""Options that several commands share: the same flags, the same meaning, and what they are in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.core.checks import MOST_JOBS
from eigenthemes.errors import OptionError

if TYPE_CHECKING:
    from eigenthemes.candidates.options import CandidateOptions
    from eigenthemes.linker import LinkOptions
    from eigenthemes.ranking.options import ScoringOptions

Command = Callable[..., Any]

SEED = click.IntRange(min=0)
JOBS = click.IntRange(min=1, max=MOST_JOBS)
_DIGITS = 4000  # Python itself reads no more than 4,300
SCORING = ("k", "delta", "weights", "window", "word_vectors", "unique", "model")  # options of methods


def candidate_options(command: Command) -> Command:
    """How candidates are found."""
    for option in (
        click.option("--not-type", multiple=True, metavar="TYPE", help="No entities of this type; may be given several times."),
        click.option("--only-type", multiple=True, metavar="TYPE", help="Only entities of this type (id, its end, or label)."),
        click.option("--no-aliases", is_flag=True, help="Look at labels only."),
        click.option("--max-candidates", default="20", show_default=True, metavar="N", help="How many at most, or all."),
        click.option("--generator", default="default", show_default=True, metavar="NAME", help="default or paper."),
    ):
        command = option(command)
    return command


def language_option(command: Command) -> Command:
    """Return the language of the texts."""
    return click.option(
        "--lang",
        "language",
        metavar="TAG",
        help="Language of the texts: en, de, fr, es or tr. Default: that of the KB's names, or what each text looks like.",
    )(command)


def about_option(command: Command) -> Command:
    """Return what is known of the source."""
    return click.option(
        "--about",
        metavar="TEXT",
        help="Text about the source of all documents, as a heading or a place: its words and names are evidence, not mentions.",
    )(command)


def vectors_option(command: Command) -> Command:
    """Which of the KB's vectors."""
    return click.option("--vectors", metavar="NAME", help="Which vectors of the KB; default: those made or imported last.")(
        command
    )


def scoring_flags(command: Command) -> Command:
    """Return what the methods can be told; a method that does not use one refuses it."""
    for option in (
        click.option(
            "--model", type=click.Path(), metavar="FILE", help="taumil (of eigenthemes-paper): a model; default: the KB's own."
        ),
        click.option("--unique", is_flag=True, default=None, help="eigen, average: an entity counts once per document."),
        click.option(
            "--window",
            type=int,
            metavar="N",
            help="Words on each side of a mention that are its local context.  [default: 5]",
        ),
        click.option(
            "--word-vectors",
            type=click.Path(),
            metavar="FILE",
            help="Word vectors, where the text counts; default: those the KB keeps.",
        ),
        click.option(
            "--delta", type=float, help="eigen, average, taumil-weighted: candidates weigh rank^-delta.  [default: 1]"
        ),
        click.option(
            "--weights",
            metavar="NAME",
            help="eigen, average: what ranks candidates for their weights: degree, local, global, none.  [default: degree]",
        ),
        click.option("--k", metavar="N", help="eigen: eigenthemes, or all.  [default: 10]"),
    ):
        command = option(command)
    return command


def link_options(given: Mapping[str, Any], method: str, scoring: ScoringOptions | None) -> LinkOptions:
    """Return the options of a linker from the flags of a command; what a command has no flag for keeps its default."""
    from eigenthemes.linker import LinkOptions

    names = ("threshold", "vectors", "top", "explain", "label_lang", "detector", "language", "about")
    options = {name: given[name] for name in names if name in given}
    if given.get("nested"):
        options["detector"] = "nested-names"
    allow_nil = given.get("nil", "on") == "on"
    return LinkOptions(method=method, scoring=scoring, allow_nil=allow_nil, candidates=parse_candidates(given), **options)


def parse_candidates(given: Mapping[str, Any]) -> CandidateOptions:
    """Return the options of the candidate generator from the flags of a command."""
    from eigenthemes.candidates.options import CandidateOptions

    return CandidateOptions(
        generator=given["generator"],
        max_candidates=parse_count(given["max_candidates"], "--max-candidates"),
        aliases=not given["no_aliases"],
        only_types=given["only_type"],
        not_types=given["not_type"],
    )


def parse_scoring(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of methods that were given as flags."""
    values = {name: given[name] for name in SCORING if given.get(name) is not None}
    if "k" in values:
        values["k"] = parse_count(values["k"], "--k")
    return values


def parse_count(text: str, name: str) -> int | None:
    """Return a whole number of 1 or more, or all."""
    if text == "all":
        return None
    number = parse_digits(text)
    if number is None or number < 1:
        raise OptionError(f"{name} is {text[:40]!r}; expected a number of 1 or more, or all")
    return number


def parse_digits(text: str) -> int | None:
    """Return a whole number that a computer can count to, or None."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None

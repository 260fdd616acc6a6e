"""Options that several commands share, and their values in Python."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import TYPE_CHECKING, Any

import click

from eigenthemes.core.checks import MOST_JOBS
from eigenthemes.errors import OptionError

if TYPE_CHECKING:
    from eigenthemes.linker import LinkOptions
    from eigenthemes.names.generator import CandidateOptions
    from eigenthemes.ranking.options import ScoringOptions

Command = Callable[..., Any]

SEED = click.IntRange(min=0)
JOBS = click.IntRange(min=1, max=MOST_JOBS)
_DIGITS = 4000  # Python itself reads no more than 4,300
SCORING = ("k", "delta", "weights", "window", "word_vectors", "unique", "model")  # options of methods


def option_group(*options: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return a decorator that adds several options to a command, shown in this order."""
    return lambda command: reduce(lambda decorated, option: option(decorated), reversed(options), command)


def cores_option(help: str) -> Callable[[Command], Command]:
    """Return the option --jobs of commands that use all cores by default."""
    return click.option("--jobs", type=JOBS, default=_cores, show_default="the cores of this machine, 8 at most", help=help)


def _cores() -> int:
    from eigenthemes.core.workers import available_cores

    return min(8, available_cores())


language_option = click.option(
    "--lang", "language", metavar="TAG", help="One of the languages of the KB's names: en, de, fr, es or tr. Default: all."
)
about_option = click.option(
    "--about",
    metavar="TEXT",
    help="Text about the source of all documents, such as a heading or a place: evidence for links, never linked itself.",
)
vectors_option = click.option("--vectors", metavar="NAME", help="Vectors of the KB to use; default: those made last.")
text_option = click.option("--text", "plain_text", is_flag=True, help="DOCUMENTS are plain texts, even if they begin as JSON.")
candidate_options = option_group(
    click.option("--generator", default="default", metavar="NAME", help="default or paper."),
    click.option("--max-candidates", default="20", metavar="N", help="At most so many candidates, or all."),
    click.option("--no-aliases", is_flag=True, help="Match labels only."),
    click.option(
        "--only-type", "only_types", multiple=True, metavar="TYPE", help="Only this type: its id, the end of it, or its label."
    ),
    click.option("--not-type", "not_types", multiple=True, metavar="TYPE", help="No entities of this type; may be repeated."),
)
scoring_flags = option_group(
    click.option("--k", metavar="N", help="eigen: number of eigenthemes, or all.  [default: 10]"),
    click.option("--weights", metavar="NAME", help="eigen, average: rank by degree, local, global, none.  [default: degree]"),
    click.option("--delta", type=float, help="eigen, average: candidates are weighted by rank^-delta.  [default: 1]"),
    click.option("--word-vectors", type=click.Path(), metavar="FILE", help="Word vectors; default: those of the KB."),
    click.option("--window", type=int, metavar="N", help="Words of local context on each side of a mention.  [default: 5]"),
    click.option("--unique", is_flag=True, default=None, help="eigen, average: an entity counts once per document."),
    click.option("--model", type=click.Path(), metavar="FILE", help="taumil (eigenthemes-paper): model; default: the KB's."),
)


link_flags = option_group(
    click.option("--method", metavar="NAME", help="See docs/methods.md; default: selftrained if trained, else eigen."),
    click.option("--threshold", type=float, metavar="P", help="Least probability of a link; default: the KB's own, see info."),
    click.option("--nil", type=click.Choice(("on", "off")), default="on", help="off: always link."),
    scoring_flags,
    vectors_option,
    candidate_options,
)


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
    from eigenthemes.names.generator import CandidateOptions

    return CandidateOptions(
        generator=given["generator"],
        max_candidates=parse_count(given["max_candidates"], "--max-candidates"),
        aliases=not given["no_aliases"],
        only_types=given["only_types"],
        not_types=given["not_types"],
    )


def parse_scoring(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of methods from the flags of a command, without those that were not given."""
    values = {name: given[name] for name in SCORING if given.get(name) is not None}
    if "k" in values:
        values["k"] = parse_count(values["k"], "--k")
    return values


def flag_of(name: str) -> str:
    """Return the flag of an option by the name of its value."""
    return f"--{name.replace('_', '-')}"


def refuse_together(given: Mapping[str, Any], *names: str) -> None:
    """Refuse more than one of some options."""
    flags = [flag_of(name) for name in names if given[name]]
    if len(flags) > 1:
        raise OptionError(f"{' and '.join(flags)} were both given; choose one")


def refuse_each(given: Mapping[str, Any], names: Iterable[str], reason: str) -> None:
    """Refuse each of some options."""
    for name in names:
        if given[name]:
            raise OptionError(f"{flag_of(name)} {reason}")


def parse_names(text: str | None) -> tuple[str, ...]:
    """Return the names between commas."""
    return tuple(part.strip() for part in (text or "").split(",") if part.strip())


def parse_columns(given: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Return the role and the name of each --column."""
    pairs = [pair.partition("=") for pair in given]
    for role, _, name in pairs:
        if not name:
            raise OptionError(f"--column {role} is not ROLE=NAME; give both, as in --column {role or 'id'}=code")
    return tuple((role, name) for role, _, name in pairs)


def parse_count(text: str, name: str) -> int | None:
    """Parse a whole number of 1 or more; None for "all"."""
    if text == "all":
        return None
    number = parse_digits(text)
    if number is None or number < 1:
        raise OptionError(f"{name} is {text[:40]!r}; expected a number of 1 or more, or all")
    return number


def parse_digits(text: str) -> int | None:
    """Parse a whole number; None if the text is none."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= _DIGITS else None

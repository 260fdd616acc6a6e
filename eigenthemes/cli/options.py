"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from eigenthemes.errors import OptionError

Command = Callable[..., Any]


def generator_options(command: Command) -> Command:
    """How candidates are found."""
    for option in (
        click.option("--no-aliases", is_flag=True, help="Look at labels only."),
        click.option("--max-candidates", default="20", show_default=True, metavar="N", help="How many at most, or all."),
        click.option("--generator", default="default", show_default=True, metavar="NAME", help="default or paper."),
    ):
        command = option(command)
    return command


def method_options(command: Command) -> Command:
    """What the methods can be told."""
    for option in (
        click.option("--model", type=click.Path(), metavar="FILE", help="Of taumil; default: the KB's, from train-taumil."),
        click.option("--vectors", metavar="NAME", help="Which vectors of the KB; default: those made or imported last."),
        click.option("--unique", is_flag=True, help="An entity counts once a document, however many mentions it may be."),
        click.option(
            "--window",
            default=5,
            show_default=True,
            metavar="N",
            help="Words on each side of a mention: its local context.",
        ),
        click.option(
            "--word-vectors",
            type=click.Path(),
            metavar="FILE",
            help="Word vectors, where the text counts; default: those the KB keeps.",
        ),
        click.option("--delta", default=1.0, show_default=True, help="Candidates weigh rank^-delta."),
        click.option(
            "--weights",
            default="degree",
            show_default=True,
            metavar="NAME",
            help="What ranks the candidates of eigen and average for their weights: degree, local, global, none.",
        ),
        click.option("--k", default="10", show_default=True, metavar="N", help="Eigenthemes, or all."),
    ):
        command = option(command)
    return command


def parse_count(text: str, name: str) -> int | None:
    """A whole number of 1 or more, or all."""
    if text == "all":
        return None
    if not (text.isascii() and text.isdigit()) or int(text) < 1:
        raise OptionError(f"{name} is {text!r}; expected a number of 1 or more, or all")
    return int(text)

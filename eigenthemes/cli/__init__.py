"""The command line: each command parses, calls one library function, prints.

Data goes to stdout, progress and warnings to stderr. Exit code 0: fine; 1: an error of the user, in one sentence; 2: usage.
"""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from eigenthemes import __version__
from eigenthemes.cli.adapt import adapt
from eigenthemes.cli.advice import advise
from eigenthemes.cli.build import build
from eigenthemes.cli.corrections import corrections
from eigenthemes.cli.demo import demo
from eigenthemes.cli.embed import embed
from eigenthemes.cli.evaluate import evaluate
from eigenthemes.cli.experiment import experiment
from eigenthemes.cli.explain import explain
from eigenthemes.cli.inspect import candidates, info, verify
from eigenthemes.cli.link import link
from eigenthemes.cli.link_table import link_table
from eigenthemes.cli.output import plain, say
from eigenthemes.cli.prepare import prepare
from eigenthemes.cli.serve import serve
from eigenthemes.cli.show import show
from eigenthemes.cli.streams import prepare_streams
from eigenthemes.cli.train import train
from eigenthemes.cli.train_taumil import train_taumil
from eigenthemes.errors import EigenthemesError

_HELP = ["-h", "--help"]


class _Group(click.Group):
    """click itself would end with 1 where the reader of the output has gone."""

    def invoke(self, context: click.Context) -> Any:
        try:
            return super().invoke(context)
        except BrokenPipeError:
            _leave_quietly()


@click.group(cls=_Group, context_settings={"help_option_names": _HELP, "max_content_width": 100})
@click.version_option(__version__, prog_name="eigenthemes")
def cli() -> None:
    """Link names in text and tables to your own knowledge graph.

    Start with: eigenthemes build KG_FILE -o my.kb
    """


for _command in (
    build, embed, train, train_taumil, adapt, corrections, info, show, verify, candidates, link, link_table, explain, evaluate,
    experiment, prepare, serve, demo,
):  # fmt: skip
    _command.context_settings.setdefault("help_option_names", _HELP)  # click keeps the option of whoever asks first
    cli.add_command(_command)


def main() -> None:
    """Run a command; errors of the user end in one sentence, never in a traceback."""
    prepare_streams()
    try:
        code = cli.main(prog_name="eigenthemes", standalone_mode=False) or 0
        sys.stdout.flush()
        sys.exit(code)
    except (click.exceptions.Abort, KeyboardInterrupt) as error:
        sentence = str(error.__cause__ or error)  # click puts an Abort in front
        _stop(sentence or "interrupted; nothing was changed", 130)
    except click.ClickException as error:
        _show(error)
        sys.exit(error.exit_code)
    except EigenthemesError as error:
        _stop(advise(error, next(iter(sys.argv[1:]), None)), 1)
    except BrokenPipeError:
        _leave_quietly()
    except OSError as error:
        _stop(f"the system refused ({error.strerror or error}); check the place you read from or write to", 1)
    except MemoryError:
        _stop("the memory of this machine is used up; try a smaller part of the KG, e.g. with --keep", 1)


def _leave_quietly() -> None:
    """The reader of our output has gone (`| head`): no reason to complain."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


def _stop(sentence: str, code: int) -> None:
    say(f"eigenthemes: {sentence.strip()}", err=True)
    sys.exit(code)


def _show(error: click.ClickException) -> None:
    """Print how a command is used and what was wrong: arguments, which it repeats, may hold anything."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    click.UsageError(plain(error.format_message()), context).show()

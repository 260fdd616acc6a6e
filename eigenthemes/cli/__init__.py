"""The command line: each command parses, calls one library function, prints.

Data goes to stdout, progress and warnings to stderr. Exit code 0: fine; 1: an error of the user, in one sentence; 2: usage.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

import click

from eigenthemes import __version__
from eigenthemes.cli.advice import advise
from eigenthemes.cli.output import note, plain, prepare_streams
from eigenthemes.core import extensions
from eigenthemes.core.extensions import find_extension, load_extensions
from eigenthemes.errors import EigenthemesError

_SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}
# command -> its module, imported when the command is used
_COMMANDS = {
    "build": "build",
    "embed": "build",
    "train": "train",
    "adapt": "train",
    "corrections": "train",
    "info": "inspect",
    "show": "inspect",
    "verify": "inspect",
    "candidates": "inspect",
    "link": "link",
    "link-table": "link_table",
    "explain": "explain",
    "eval": "evaluate",
    "serve": "serve",
    "warm-up": "build",
    "demo": "demo",
}


class _Group(click.Group):
    """Import a command when it is used; end with 0, not click's 1, when the reader of the output has gone."""

    def list_commands(self, context: click.Context) -> list[str]:
        """Return the names of all commands, with those of extensions."""
        return [*_COMMANDS, *load_extensions(extensions.COMMANDS)]

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        """Import a command by its name; None if there is none."""
        if name not in self.commands:
            command = _built_in(name) if name in _COMMANDS else find_extension(extensions.COMMANDS, name)
            if command is None:
                return None
            command.context_settings = {**_SETTINGS, **command.context_settings}
            if command.callback is not None and any(parameter.name == "kb" for parameter in command.params):
                command.callback = _report_damage(command.callback)
            self.add_command(command, name)
        return self.commands[name]

    def invoke(self, context: click.Context) -> Any:
        """Run the command, and end quietly if the reader of the output has gone."""
        try:
            return super().invoke(context)
        except BrokenPipeError:
            _leave_quietly()


def _report_damage(run: Callable[..., Any]) -> Callable[..., Any]:
    """Check the hashes of the KB when a command fails unexpectedly: damaged arrays can fail anywhere."""

    @wraps(run)
    def checked(*arguments: Any, **options: Any) -> Any:
        try:
            return run(*arguments, **options)
        except (EigenthemesError, click.ClickException, click.exceptions.Exit, click.Abort, OSError):
            raise
        except Exception:
            from eigenthemes.cli.inspect import check_hashes

            check_hashes(options["kb"])
            raise

    return checked


@click.group(cls=_Group, context_settings={**_SETTINGS, "max_content_width": 100})
@click.version_option(__version__, prog_name="eigenthemes")
def cli() -> None:
    """Link names in text and tables to your own knowledge graph.

    Start with: eigenthemes build KG_FILE -o my.kb
    """


def _built_in(name: str) -> click.Command:
    module = import_module(f"eigenthemes.cli.{_COMMANDS[name]}")
    return next(each for each in vars(module).values() if isinstance(each, click.Command) and each.name == name)


def all_commands() -> dict[str, click.Command]:
    """Return every built-in command by its name."""
    context = click.Context(cli)
    return {name: command for name in _COMMANDS if (command := cli.get_command(context, name))}


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
        context = error.ctx if isinstance(error, click.UsageError) else None
        click.UsageError(plain(error.format_message()), context).show()  # an argument may hold control characters
        sys.exit(error.exit_code)
    except EigenthemesError as error:
        _stop(advise(error, next(iter(sys.argv[1:]), None)), 1)
    except BrokenPipeError:
        _leave_quietly()
    except OSError as error:
        reason = "a standard stream is closed" if error.errno == errno.EBADF else error.strerror or error
        _stop(f"the system refused ({reason}); check the place you read from or write to", 1)
    except MemoryError:
        _stop("the memory of this machine is used up; try a smaller part of the KG, e.g. with --keep", 1)


def _leave_quietly() -> None:
    """End without an error: the reader of the output has gone, as with `| head`."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(0)


def _stop(sentence: str, code: int) -> None:
    note(f"eigenthemes: {sentence.strip()}")
    sys.exit(code)

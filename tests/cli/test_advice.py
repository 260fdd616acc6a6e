"""The library names no flag; the command line adds the flags by the codes of errors, and those flags exist."""

from __future__ import annotations

import ast
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import eigenthemes
from eigenthemes import errors
from eigenthemes.cli import all_commands
from eigenthemes.cli.advice import ADVICE, advise
from eigenthemes.errors import EigenthemesError, KBExistsError, MissingExtraError, OptionError, VectorError

PACKAGE = Path(eigenthemes.__file__).parent
COMMANDS = all_commands()
FLAG = re.compile(r"(?<![\w-])(?:--[a-z][a-z-]*|-o\b)")
COMMAND = re.compile(rf"\beigenthemes ({'|'.join(sorted(COMMANDS, key=len, reverse=True))})\b")

# The flags of other programs.
ALLOWED = {"core/files.py: iconv -f UTF-16 -t UTF-8"}


def error_types(base: type[EigenthemesError] = EigenthemesError) -> Iterator[type[EigenthemesError]]:
    yield base
    for error_type in base.__subclasses__():
        yield from error_types(error_type)


def options_of(command: str) -> set[str]:
    return {flag for parameter in COMMANDS[command].params for flag in (*parameter.opts, *parameter.secondary_opts)}


@pytest.mark.parametrize("code", ADVICE)
def test_the_flags_of_an_advice_exist(code: str) -> None:
    """Those before the name of a command are of one that may fail so, the others of the command they follow."""
    before, *parts = COMMAND.split(ADVICE[code])
    assert FLAG.search(before) or parts
    assert any(options_of(command) >= set(FLAG.findall(before)) for command in COMMANDS)
    for command, text in zip(parts[::2], parts[1::2], strict=True):
        assert set(FLAG.findall(text)) <= options_of(command)


def string_constants(file: Path) -> Iterator[tuple[int, str]]:
    """The strings of a module that a user may come to see: all but its docstrings."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
            yield node.lineno, node.value


def sentences_with_flags() -> Iterator[tuple[str, str]]:
    for file in sorted(PACKAGE.rglob("*.py")):
        name = file.relative_to(PACKAGE).as_posix()
        for line, text in () if name.startswith("cli/") else string_constants(file):
            allowed = any(name == entry.partition(": ")[0] and entry.partition(": ")[2] in text for entry in ALLOWED)
            if not allowed and (FLAG.search(text) or COMMAND.search(text)):
                yield name, f"{name}:{line}: {text}"


def test_no_sentence_of_the_library_names_a_flag() -> None:
    assert not list(sentences_with_flags())


def test_the_advice_stands_behind_the_sentence() -> None:
    error = KBExistsError("a.kb exists; allow it to be replaced, or give another place")
    assert advise(error, "build") == f"{error} (--force replaces it, -o names another place)"
    assert advise(error, "embed") == str(error), "a command without these flags"
    assert advise(OptionError("k is 0; expected 1 or more"), "link") == "k is 0; expected 1 or more"


def test_the_advice_names_what_the_error_is_about() -> None:
    error = VectorError("my kb has no vectors, and this method needs them; make them first", code="no-vectors", where="my kb")
    assert advise(error, "link") == f"{error} (eigenthemes embed 'my kb')"
    nameless = VectorError("the graph has no edges; import vectors instead", code="no-edges")
    assert advise(nameless, "build") == f"{nameless} (eigenthemes embed KB --import FILE)"


def test_a_sentence_that_names_its_flags_is_left_alone() -> None:
    error = KBExistsError("a.kb exists; use --force to replace it")
    assert advise(error, "build") == str(error)


def test_commands_print_the_advice(tmp_path: Path) -> None:
    (tmp_path / "n.csv").write_bytes(b"id,name\na,Alph\xe4\n")
    command = [sys.executable, "-m", "eigenthemes", "build", "n.csv", "-o", "a.kb", "--strict"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.endswith("; mend the file or build without strict to leave it out (leave out --strict)\n")


@pytest.mark.parametrize("error_type", list(error_types()), ids=lambda error_type: error_type.__name__)
def test_errors_come_back_whole_from_other_processes(error_type: type[EigenthemesError]) -> None:
    if error_type is MissingExtraError:
        error: EigenthemesError = MissingExtraError("drawing", "matplotlib", "plot")
    else:
        error = error_type("what was found; what to do", code="own-code", where="a.nt:3")
    back = pickle.loads(pickle.dumps(error))
    assert type(back) is error_type
    assert (str(back), back.code, back.where, back.remedy) == (str(error), error.code, error.where, error.remedy)


def test_every_type_of_error_is_drawn_in_the_tree() -> None:
    assert errors.__doc__ is not None
    assert not [error_type.__name__ for error_type in error_types() if error_type.__name__ not in errors.__doc__]


def test_the_remedy_is_the_last_clause() -> None:
    error = OptionError("k is 0; expected 1 or more")
    assert (error.remedy, error.code) == ("expected 1 or more", "option")

"""Add command line flags to errors, by their code: the library itself names none."""

from __future__ import annotations

import re
import shlex

import click

from eigenthemes.errors import EigenthemesError

_FLAG = re.compile(r"(?<![\w-])(?:--[a-z][a-z-]*|-o\b)")
_COMMAND = re.compile(r"\beigenthemes (?:build|embed|train|link-table)\b")

# code of an error -> the remedy, with `{where}` of the error; flags before the name of a command are of the one that failed
ADVICE = {
    # KB folders
    "kb-exists": "--force replaces it, -o names another place",
    "kb-place": "-o names another place",
    "kb-not-found": "eigenthemes build KG_FILE -o {where}",
    "kb-damaged": "eigenthemes build KG_FILE -o {where} --force",
    # sources
    "strict": "leave out --strict",
    "format-unknown": "--format names it",
    "nothing-read": "--format names the format",
    "column-unknown": "--column {where}",
    "columns-unnamed": "with --column ROLE=NAME, once for each",
    "ids-collide": "with --column, once for each",
    "no-header": "--no-header --column {where}:id=1 --column {where}:name=2",
    "maybe-no-header": "--column id={where}, or --no-header --column id=1 --column name=2",
    "language-unknown": "for instance --lang {where}",
    "keep-unknown": "--keep",
    "no-names": "--names-from-ids makes names of ids",
    "no-names-in-language": "leave out --lang",
    "no-names-in-predicate": "for instance --label {where}",
    "no-names-in-column": "for instance --column name={where}",
    # memory and disk of a build
    "too-little-memory": "--max-memory SIZE, --jobs N",
    "spill": "--temporary FOLDER",
    # vectors
    "no-edges": "eigenthemes embed {where} --import FILE",
    "no-vectors": "eigenthemes embed {where}",
    "no-descriptions": "eigenthemes embed {where}",
    "vectors-from-descriptions": "eigenthemes embed KB --method descriptions --word-vectors FILE",
    "lengths-unknown": "eigenthemes embed {where} --import FILE",
    "no-ids-file": "--ids FILE",
    "own-ids": "leave out --ids",
    "word-vectors-needed": "--word-vectors FILE",
    "no-word-vectors": "--word-vectors FILE, or once and for all eigenthemes train {where} --word-vectors FILE",
    # rankers
    "no-ranker": "eigenthemes train {where}",
    "no-ranker-for-vectors": "eigenthemes train KB --vectors {where}",
    "job-folder": "-o names it",
    "no-text-column": "--column text=NAME",
    # work and results
    "worker": "--jobs 1",
    "output-place": "-o names another place",
    "output-folder": "-o names it",
    "output-suffix": "--output-format NAME",
    "table-input": "--text reads it as a text, as a table it is read by eigenthemes link-table KB {where}",
    "spreadsheet-input": "eigenthemes link-table KB {where}",
    # tables
    "column-taken": "for instance --suffix _kb",
    "columns-needed": "--columns NAME,NAME",
    "sheet-unknown": "--sheet NAME",
    "table-quotes": "--no-quotes",
    "text-input": "--delimiter X reads it as a table, as a text it is read by eigenthemes link KB {where}",
    "table-encoding": "--encoding NAME",
    "table-output": "-o names another file, and its ending the format",
    "table-letters": "for instance -o out.xlsx",
}


def advise(error: EigenthemesError, command: str | None) -> str:
    """Return the message of an error with the remedy for the command that failed, if it has the flags of the remedy."""
    from eigenthemes.cli import cli

    sentence, advice = str(error), ADVICE.get(error.code)
    if advice is None or _FLAG.search(sentence) or _COMMAND.search(sentence):  # messages of the commands name flags themselves
        return sentence
    failed = cli.get_command(click.Context(cli), command or "")
    known = [flag for parameter in (failed.params if failed else ()) for flag in parameter.opts]
    if not all(flag in known for flag in _FLAG.findall(_COMMAND.split(advice)[0])):
        return sentence
    where = "KB" if error.where is None else shlex.quote(error.where)
    return f"{sentence} ({advice.format(where=where)})"

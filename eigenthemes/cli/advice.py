"""Add command line flags to errors, by their code: the library itself names none."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass

from eigenthemes.errors import EigenthemesError

# messages of the commands themselves name flags already
_NAMES_A_FLAG = re.compile(r"(?<![\w-])(?:--[a-z]|-o\b)|\beigenthemes (?:build|embed|train)")


@dataclass(frozen=True, slots=True)
class Advice:
    """A remedy on the command line.

    text      `{where}` stands for the error's `where`
    commands  commands that have the options of the text; empty: it holds whole commands, for any command
    """

    text: str
    commands: tuple[str, ...] = ()


_IMPORT = Advice("eigenthemes embed {where} --import FILE")
_WORD_VECTORS = Advice("--word-vectors FILE", ("link", "link-table", "eval", "embed"))

ADVICE: dict[str, Advice] = {
    # KB folders
    "kb-exists": Advice("--force replaces it, -o names another place", ("build",)),
    "kb-place": Advice("-o names another place", ("build", "demo")),
    "kb-not-found": Advice("eigenthemes build KG_FILE -o {where}"),
    "kb-damaged": Advice("eigenthemes build KG_FILE -o {where} --force"),
    # sources
    "strict": Advice("leave out --strict", ("build",)),
    "format-unknown": Advice("--format names it", ("build",)),
    "nothing-read": Advice("--format names the format", ("build",)),
    "column-unknown": Advice("--column {where}", ("build",)),
    "columns-unnamed": Advice("with --column ROLE=NAME, once for each", ("build",)),
    "ids-collide": Advice("with --column, once for each", ("build",)),
    "no-header": Advice("--no-header --column {where}:id=1 --column {where}:name=2", ("build",)),
    "maybe-no-header": Advice("--column id={where}, or --no-header --column id=1 --column name=2", ("build",)),
    "language-unknown": Advice("for instance --lang {where}", ("build",)),
    "keep-unknown": Advice("--keep", ("build",)),
    "no-names": Advice("--names-from-ids makes names of ids", ("build",)),
    "no-names-in-language": Advice("leave out --lang", ("build",)),
    "no-names-in-predicate": Advice("for instance --label {where}", ("build",)),
    "no-names-in-column": Advice("for instance --column name={where}", ("build",)),
    # memory and disk of a build
    "too-little-memory": Advice("--max-memory SIZE, --jobs N", ("build",)),
    "spill": Advice("--temporary FOLDER", ("build",)),
    # vectors
    "no-edges": _IMPORT,
    "no-vectors": Advice("eigenthemes embed {where}"),
    "no-descriptions": Advice("eigenthemes embed {where}"),
    "vectors-from-descriptions": Advice("eigenthemes embed KB --method descriptions --word-vectors FILE"),
    "lengths-unknown": _IMPORT,
    "no-ids-file": Advice("--ids FILE", ("embed",)),
    "own-ids": Advice("leave out --ids", ("embed",)),
    "word-vectors-needed": _WORD_VECTORS,
    "no-word-vectors": Advice(
        "--word-vectors FILE, or once and for all eigenthemes train {where} --word-vectors FILE", ("link", "link-table", "eval")
    ),
    # rankers
    "no-ranker": Advice("eigenthemes train {where}"),
    "no-ranker-for-vectors": Advice("eigenthemes train KB --vectors {where}"),
    "job-folder": Advice("-o names it", ("link",)),
    "no-text-column": Advice("--column text=NAME", ("link",)),
    # work and results
    "worker": Advice("--jobs 1", ("build", "link", "link-table")),
    "output-place": Advice("-o names another place", ("link-table",)),
    "output-folder": Advice("-o names it", ("link",)),
    "output-suffix": Advice("--output-format NAME", ("link",)),
    "table-input": Advice(
        "--text reads it as a text, as a table it is read by eigenthemes link-table KB {where}", ("link", "explain")
    ),
    "spreadsheet-input": Advice("eigenthemes link-table KB {where}"),
    # tables
    "column-taken": Advice("for instance --suffix _kb", ("link-table",)),
    "columns-needed": Advice("--columns NAME,NAME", ("link-table",)),
    "sheet-unknown": Advice("--sheet NAME", ("link-table",)),
    "table-quotes": Advice("--no-quotes", ("link-table",)),
    "table-encoding": Advice("--encoding NAME", ("link-table",)),
    "table-output": Advice("-o names another file, and its ending the format", ("link-table",)),
    "table-letters": Advice("for instance -o out.xlsx", ("link-table",)),
}


def advise(error: EigenthemesError, command: str | None) -> str:
    """Return the message of an error with the remedy for the command that failed."""
    sentence, advice = str(error), ADVICE.get(error.code)
    if advice is None or (advice.commands and command not in advice.commands) or _NAMES_A_FLAG.search(sentence):
        return sentence
    where = "KB" if error.where is None else shlex.quote(error.where)
    return f"{sentence} ({advice.text.format(where=where)})"

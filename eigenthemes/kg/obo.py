"""OBO ontologies, parsed by fastobo."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import fastobo

from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.patience import Patience
from eigenthemes.kg.statements import ALIAS, Statements

_FRAMES_AT_ONCE = 500  # fastobo is four times faster on many frames than on one; one by one only where there is an error


def read_lines(lines: Iterator[str], options: ReadOptions, origin: str, statements: Statements) -> None:
    """Read the statements of an OBO file; a frame that does not parse is noted and left out."""
    frames, patience = _frames(lines), Patience()
    while batch := list(islice(frames, _FRAMES_AT_ONCE)):
        _read_frames(batch, options, origin, statements, patience)
        if patience.is_over:
            patience.give_up(statements.diagnostics, f"{origin}:{batch[-1][0]}", sum(1 for _ in frames), "frames")


def _frames(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """Yield (number of the first line, text) of each `[Term]` frame; the header and other frames hold no entity of the KG.

    fastobo cannot open `[Instance]` frames, and comment lines make it panic: an empty line stands for those.
    """
    start, frame = 0, list[str]()
    for number, line in enumerate(lines, 1):
        if line.startswith("["):
            if frame:
                yield start, "\n".join(frame) + "\n"
            start, frame = number, [line] if line.startswith("[Term]") else []
        elif frame:
            frame.append("" if line.startswith("!") else line)
    if frame:
        yield start, "\n".join(frame) + "\n"


def _read_frames(
    batch: list[tuple[int, str]], options: ReadOptions, origin: str, statements: Statements, patience: Patience
) -> None:
    try:
        frames = list(_parse("\n".join(text for _, text in batch)))
    except SyntaxError:
        for number, text in batch:
            try:
                (frame,) = _parse(text)
            except SyntaxError as error:
                line = number + max(0, (error.lineno or 1) - 1)
                statements.diagnostics.add("broken OBO frame", f"{origin}:{line}", error.msg)
                patience.bad()
            else:
                patience.good()
                _read_frame(frame, number, options, statements)
    else:
        patience.good()
        for frame, (number, _) in zip(frames, batch, strict=True):
            _read_frame(frame, number, options, statements)


def _parse(text: str) -> Any:
    try:
        return fastobo.loads(text)
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise SyntaxError(f"the parser gave up: {error}") from None


def _read_frame(frame: Any, line: int, options: ReadOptions, statements: Statements) -> None:
    external_id = str(frame.id)
    node = statements.record(external_id, line)
    clauses = list(frame)
    statements.count += len(clauses)
    if any(clause.raw_tag() == "is_obsolete" and clause.obsolete for clause in clauses):
        statements.leave_out(node, "obsolete")
        for clause in clauses:
            if clause.raw_tag() == "replaced_by":
                statements.redirects[external_id] = str(clause.term)
        return
    for clause in clauses:
        _read_clause(clause, external_id, node, line, options, statements)


def _read_clause(clause: Any, external_id: str, node: int, line: int, options: ReadOptions, statements: Statements) -> None:
    tag = clause.raw_tag()
    if tag == "name":
        statements.name(node, clause.name, 0)
    elif tag == "synonym":
        synonym = clause.synonym
        if synonym.scope.lower() in options.synonyms:
            statements.name(node, synonym.desc, ALIAS)
    elif tag == "def":
        statements.description(node, clause.definition, 0)
    elif tag == "namespace":
        statements.type(node, str(clause.namespace))
    elif tag == "is_a":
        statements.record_edge(node, statements.node(str(clause.term)), "is_a", line)
    elif tag == "relationship":
        statements.record_edge(node, statements.node(str(clause.term)), str(clause.typedef), line)
    elif tag == "alt_id":
        statements.redirects[str(clause.alt_id)] = external_id

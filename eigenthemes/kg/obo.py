"""OBO ontologies, parsed by fastobo."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

import fastobo

from eigenthemes.core.diagnostics import ErrorBudget
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import ALIAS, Statements

_FRAMES_AT_ONCE = 500  # fastobo is four times faster on many frames than on one; fewer only where there is an error
_NAMES = {"skos:prefLabel": 0, "skos:altLabel": ALIAS, "IAO:0000118": ALIAS}  # properties with names, and their rank
_REFERENCES = re.compile(r"\[[^\"]*\]([^\"\]]*)$")  # the list behind the text of a definition or synonym

Frame = tuple[int, list[str]]  # number of the first line, lines


def read_lines(lines: Iterator[str], options: ReadOptions, origin: str, statements: Statements) -> None:
    """Read the statements of an OBO file; a clause that does not parse is reported and left out, its term is kept."""
    statements.is_ontology = True
    frames, budget = _frames(lines), ErrorBudget()
    while batch := list(islice(_terms(frames, statements), _FRAMES_AT_ONCE)):
        _read_frames(batch, options, origin, statements, budget)
        if budget.is_spent:
            budget.report(statements.diagnostics, f"{origin}:{batch[-1][0]}", sum(1 for _ in frames), "frames")


def _terms(frames: Iterator[Frame], statements: Statements) -> Iterator[Frame]:
    """Yield the terms; names of relations go to the statements."""
    for number, frame in frames:
        if frame[0].startswith("[Typedef]"):
            _read_typedef(frame, statements)
        else:
            yield number, frame


def _frames(lines: Iterator[str]) -> Iterator[Frame]:
    """Yield the `[Term]` and `[Typedef]` frames, with empty lines for comment lines, on which fastobo panics."""
    start, frame = 0, list[str]()
    for number, line in enumerate(lines, 1):
        if line.startswith("["):
            if frame:
                yield start, frame
            start, frame = number, [line] if line.startswith(("[Term]", "[Typedef]")) else []
        elif frame:
            frame.append("" if line.startswith("!") else line)
    if frame:
        yield start, frame


def _read_typedef(frame: list[str], statements: Statements) -> None:
    """Add the name of a relation."""
    values = {tag: text.partition(" !")[0].strip() for tag, _, text in (line.partition(":") for line in frame)}
    if values.get("id") and values.get("name"):
        statements.relation_names.setdefault(values["id"], values["name"])


def _read_frames(batch: list[Frame], options: ReadOptions, origin: str, statements: Statements, budget: ErrorBudget) -> None:
    try:
        frames = list(_parse("".join(_text(lines) for _, lines in batch)))
    except SyntaxError as error:
        if len(batch) > 1:
            for half in (batch[: len(batch) // 2], batch[len(batch) // 2 :]):
                _read_frames(half, options, origin, statements, budget)
            return
        frames = _read_clauses(*batch[0], error, origin, statements)
    budget.errors = 0 if frames else budget.errors + 1
    for frame, (number, _) in zip(frames, batch, strict=False):
        _read_frame(frame, number, options, statements)


def _text(lines: list[str]) -> str:
    return "\n".join(lines) + "\n\n"


def _read_clauses(number: int, lines: list[str], error: SyntaxError, origin: str, statements: Statements) -> list[Any]:
    """Return a frame without the clauses that do not parse; an empty list if its id is one of them."""
    head = [*lines[:1], *(line for line in lines if line.startswith("id:"))][:2]
    try:
        list(_parse(_text(head)))
    except SyntaxError:
        statements.diagnostics.add("broken OBO frame", f"{origin}:{number + max(0, (error.lineno or 1) - 1)}", error.msg)
        return []
    kept = list(head)
    for line_number, line in enumerate(lines, number):
        if not line.strip() or line in head:
            continue
        if not _is_clause(head, line):
            statements.diagnostics.add("broken OBO clause (its term is kept)", f"{origin}:{line_number}", line[:80])
        # the references of a text are often free text: without them, the clause parses
        kept += [clause for clause in dict.fromkeys((line, _REFERENCES.sub(r"[]\1", line))) if _is_clause(head, clause)][:1]
    try:
        return list(_parse(_text(kept)))
    except SyntaxError:  # each clause parses, but not all together
        return list(_parse(_text(head)))


def _is_clause(head: list[str], line: str) -> bool:
    try:
        list(_parse(_text([*head, line])))
    except SyntaxError:
        return False
    return True


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
    elif tag == "comment":
        statements.description(node, clause.comment, ALIAS)  # where there is no definition
    elif tag == "namespace":
        statements.type(node, str(clause.namespace))
    elif tag == "is_a":
        statements.record_edge(node, statements.node(str(clause.term)), "is_a", line)
    elif tag == "relationship":
        statements.record_edge(node, statements.node(str(clause.term)), str(clause.typedef), line)
    elif tag == "property_value":
        _read_property(clause.property_value, node, statements)
    elif tag == "alt_id":
        statements.redirects[str(clause.alt_id)] = external_id


def _read_property(given: Any, node: int, statements: Statements) -> None:
    """Read a name given as a property."""
    rank = _NAMES.get(str(given.relation))
    if rank is not None and isinstance(given, fastobo.pv.LiteralPropertyValue):
        statements.name(node, given.value, rank)

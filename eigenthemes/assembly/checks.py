"""What is refused, and what is named by its id, before a KB is made of statements."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import numpy as np

from eigenthemes.core.entity_ids import PREFIXES
from eigenthemes.core.storage import check_input
from eigenthemes.errors import BuildError, OptionError, SourceError
from eigenthemes.kg.columns import known_headers
from eigenthemes.kg.options import ReadOptions
from eigenthemes.kg.statements import Statements


def check_buildable(statements: Statements, options: ReadOptions) -> None:
    """Stop where the sources gave no node, no name, or under `strict` no edge; say what would help."""
    if not statements.ids:
        broken = f" ({sum(statements.diagnostics.counts.values()):,} problems)" if statements.diagnostics.counts else ""
        examples = (f"{kind}: {examples[0]}" for kind, examples in statements.diagnostics.examples.items())
        first = next(examples, "no statement was found")
        raise BuildError(
            f"nothing could be read from the sources{broken}: {first}; check the files, or say of which format they are",
            code="nothing-read",
        )
    if not statements.size("name_node"):
        raise _no_names(statements, options)
    if not statements.size("edge_source"):
        if options.strict:
            raise BuildError(
                "the sources have no edges at all, so no themes can be found; add edges, or do not build strictly",
                code="strict",
            )
        statements.diagnostics.add(
            "no edges at all", "all sources", "every prior is 0 unless given, and no themes can be found"
        )


def _no_names(statements: Statements, options: ReadOptions) -> BuildError:
    """Return the error for sources without any name, with the likeliest remedy."""
    code, where, remedy = "no-names", None, "give names with a column or predicate for them, or have the ids read as names"
    if statements.blank_names:
        names = f"all {statements.blank_names:,} names are of blank nodes, which have no id to link to"
        return BuildError(f"{names}; give them ids (rdf:about, @id, an IRI)", code="blank-nodes")
    if statements.left_out:
        code, remedy = "all-left-out", left_out_reasons(statements)
    elif statements.other_languages:
        languages = ", ".join(language for language, _ in statements.other_languages.most_common(5))
        code = "no-names-in-language"
        remedy = f"no name is tagged {', '.join(options.languages)} or untagged, but {languages}: keep these languages, too"
    elif statements.literal_predicates:
        from eigenthemes.kg.options import shorten

        where = shorten(statements.literal_predicates.most_common(1)[0][0], {**PREFIXES, **statements.prefixes})
        code, remedy = "no-names-in-predicate", f"the most frequent predicate with texts is {where}: if it holds names, say so"
    elif columns := [column for column in statements.columns_seen if not known_headers([column])]:
        seen, where = (" ".join(", ".join(headers).split()) for headers in (statements.columns_seen, columns[:1]))
        code, remedy = "no-names-in-column", f"say which of the columns {seen} holds them, e.g. name={where}"
    message = f"0 of {len(statements.ids):,} nodes have a name in a known predicate or column; {remedy}"
    return BuildError(message, code=code, where=where)


def name_by_id(statements: Statements) -> None:
    """Name nodes that have no name by the last part of their id, as people would read it."""
    named = np.zeros(len(statements.ids), dtype=bool)
    named[statements.numbers("name_node")] = True
    for external_id, node in statements.ids.items():
        if not named[node] and not external_id.startswith("_:"):
            last = external_id.rstrip("/#").replace("#", "/").rsplit("/", 1)[-1]
            statements.name(node, unquote(last).replace("_", " "), 0)


def read_ids(path: str | Path) -> set[str]:
    """Read the ids to keep: a text file, one id per line."""
    remedy = "give a text file, one id per line"
    check_input(path, remedy=remedy, once=True)
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"the ids to keep cannot be read from {path} ({error}); {remedy}", where=str(path)) from None
    wanted = {line.strip().removeprefix("<").removesuffix(">") for line in lines} - {""}
    if not wanted:
        raise OptionError(f"{path} holds no ids; {remedy}", where=str(path))
    return wanted


def left_out_reasons(statements: Statements) -> str:
    """Return why nodes are not part of the KG, for people."""
    reasons = ", ".join(f"{len(members):,} {reason}" for reason, members in statements.left_out.items() if members)
    return f"left out: {reasons}; check the options that leave them out, or the source"

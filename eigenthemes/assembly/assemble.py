"""From statements to what a KB holds, step by step."""

from __future__ import annotations

from collections.abc import Sequence

from eigenthemes.assembly.content import Content, collect_content
from eigenthemes.assembly.names import choose_answers, collect_names
from eigenthemes.assembly.nodes import choose_universe, order_nodes, resolve_redirects
from eigenthemes.candidates.name_index import index_answers
from eigenthemes.core.progress import Progress
from eigenthemes.core.workers import Workers
from eigenthemes.kg.statements import Statements


def assemble(
    statements: Statements,
    wanted: set[str] | None,
    types: tuple[Sequence[str], Sequence[str]],
    workers: Workers,
    progress: Progress,
) -> Content:
    """Return the entities in order, their graph, their names and the index of those.

    wanted  the only ids that may be entities; None: all
    types   the only types of answers, and types that are none; see `choose_answers`
    """
    redirects = resolve_redirects(statements)
    nodes = order_nodes(statements, choose_universe(statements, redirects, wanted), redirects)
    names = collect_names(statements, nodes)
    answers = choose_answers(statements, nodes, names, *types)
    scratch = statements.scratch
    index = index_answers(
        names.texts, names.owner, names.is_label, answers, scratch=scratch, workers=workers, progress=progress
    )
    return collect_content(statements, nodes, names, answers, index, redirects)

"""The view of each record, as parts; long ones are cut, with a note."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from eigenthemes.display import Cell, EntityId, Grid, Heading, MarkedCell, MarkedText, Part, Prose

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eigenthemes.explanations import ExplainedCandidate, Explanation, Reason
    from eigenthemes.records import Entity, Link, LinkedDocument, LinkedTable, RankedCandidate, Table

_LETTERS, _ROWS = 20_000, 50  # shown of a text, and of a table


def view_of_document(linked: LinkedDocument) -> Iterator[Part]:
    """Yield the text or table with its links marked, and a row for each mention."""
    document = linked.document
    if document.id is not None:
        yield Heading(str(document.id))
    if document.text is not None:
        yield text_with_links(linked, letters=_LETTERS)
        if len(document.text) > _LETTERS:
            yield Prose(f"... and {len(document.text) - _LETTERS:,} letters more", quiet=True)
    elif document.table is not None:
        yield from _table(document.table, linked.links)
    shown = linked.links[:_ROWS]
    if shown:
        yield Grid(*links_table(shown), right=(3,))
    yield Prose(counted_links(linked.links, len(shown)), quiet=True)
    yield from (Prose(link.explanation.sentence) for link in shown if link.explanation is not None)


def text_with_links(linked: LinkedDocument, *, letters: int | None = None) -> MarkedText:
    """Return the text of a document, or its first letters, with the places of its mentions; some may have none."""
    document = linked.document
    text = (document.text or "")[:letters]
    placed = [(span, link) for link in linked.links for span in document.spans_of(link.mention) if span[0] < len(text)]
    return MarkedText(text, placed)


def links_table(links: Sequence[Link]) -> tuple[tuple[str, ...], list[tuple[Cell, ...]]]:
    """Return the header and a row for each link: name, id and label of its entity, probability, next best candidates."""
    calibrated = not any(link.entity is not None and link.probability is None for link in links)
    header = ("name", "entity", "label", "probability" if calibrated else "score", "next best")
    return header, [_row(link) for link in links]


def _row(link: Link) -> tuple[Cell, ...]:
    times = Counter(candidate.label for candidate in link.ranking)
    ranking = [f"{_distinct_label(candidate, times)} {candidate.score:.3f}" for candidate in link.ranking]
    if link.entity is None:
        return link.mention.text, f"({link.nil_reason})", "", "", ", ".join(ranking)
    return link.mention.text, EntityId(link.entity), str(link.label), f"{link.score:.3f}", ", ".join(ranking[1:])


def _distinct_label(candidate: RankedCandidate, times: Counter[str]) -> str:
    """Return the label of a candidate, with its id where another candidate has the same."""
    return candidate.label if times[candidate.label] == 1 else f"{candidate.label} ({candidate.id})"


def counted_links(links: Sequence[Link], shown: int | None = None) -> str:
    """Return a phrase with the number of linked names."""
    if not links:
        return "no names were found"
    linked = sum(link.entity is not None for link in links)
    more = f"; the first {shown:,} are shown" if shown is not None and shown < len(links) else ""
    return f"{linked:,} of {len(links):,} {'name' if len(links) == 1 else 'names'} linked{more}"


def view_of_table(linked: LinkedTable) -> Iterator[Part]:
    """Yield the table with its links in their cells, and how many cells of each column are linked."""
    if linked.id is not None:
        yield Heading(str(linked.id))
    yield from _table(linked.table, linked.links)
    for column in linked.columns:
        links = [link for link in linked.links if link.mention.col == column]
        count = sum(link.entity is not None for link in links)
        yield Prose(f"{linked.column_name(column)}: {count:,} of {len(links):,} cells linked", quiet=True)


def _table(table: Table, links: Sequence[Link]) -> Iterator[Part]:
    by_cell = {(link.mention.row, link.mention.col): link for link in links}
    rows = [
        [_cell(text, by_cell.get((number, column))) for column, text in enumerate(row)]
        for number, row in enumerate(table.rows[:_ROWS])
    ]
    width = max([len(table.header), *map(len, rows)], default=0)
    header = list(table.header) + [""] * (width - len(table.header))
    if width:
        yield Grid(header, [row + [""] * (width - len(row)) for row in rows])
    if len(table.rows) > _ROWS:
        yield Prose(f"... and {len(table.rows) - _ROWS:,} rows more", quiet=True)


def _cell(text: str, link: Link | None) -> Cell:
    return text if link is None else MarkedCell(text, link)


def view_of_entity(entity: Entity) -> Iterator[Part]:
    """Yield the fields of an entity."""
    yield Heading(entity.label)
    if entity.description:
        yield Prose(entity.description)
    rows: dict[str, Cell] = {"id": EntityId(entity.id), "aliases": ", ".join(entity.aliases), "types": ", ".join(entity.types)}
    yield Grid((), [*((name, value) for name, value in rows.items() if value), ("prior", f"{entity.prior:,.12g}")])


def view_of_entities(entities: Sequence[Entity]) -> Grid:
    """Return entities as a table."""
    rows = [(EntityId(each.id), each.label, each.description, f"{each.prior:,.12g}") for each in entities]
    return Grid(("id", "label", "description", "prior"), rows, right=(3,))


def view_of_explanation(found: Explanation, candidates: Sequence[ExplainedCandidate] | None = None) -> Iterator[Part]:
    """Yield the explanation of a link; `candidates` are all of the mention, None: only those of the explanation."""
    yield Prose(found.sentence)
    if candidates is None:
        explained = (found.best, found.runner_up, found.more_popular)  # the same candidate may be two of them
        candidates = list({each.id: each for each in explained if each is not None}.values())
    if not candidates:
        return
    yield Prose(_decision(found))
    yield Prose("Candidates: what each group of features adds; 1 more makes 2.7 times as likely")
    groups = tuple(group for group in candidates[0].contributions if any(each.contributions[group] for each in candidates))
    header = ("label", "id", "probability", *groups, "match type", "matched name")
    yield Grid(header, [_candidate_row(each, groups) for each in candidates], right=range(2, 3 + len(groups)))
    yield Prose(f"None of them: {found.nil_probability:.1%}; threshold {found.threshold:.0%}")
    if found.support:
        yield Prose("Support: the other names that speak for the best candidate")
        yield _support(found)


def _decision(found: Explanation) -> str:
    """Return a phrase with the features that separate the best candidate from the next."""
    if found.runner_up is None:
        return f"Speaks for it: {_shares(found.shares) or 'nothing'}"
    if not found.shares:
        return f"Level with {found.runner_up.display_label}"
    behind = f"; behind in: {_shares(found.against)}" if found.against else ""
    return f"Ahead of {found.runner_up.display_label} in: {_shares(found.shares)}{behind}"


def _shares(shares: dict[str, float]) -> str:
    return ", ".join(f"{group} {share:.0%}" for group, share in shares.items() if share >= 0.005)


def _candidate_row(each: ExplainedCandidate, groups: tuple[str, ...]) -> tuple[Cell, ...]:
    parts = (f"{each.contributions[group]:+.2f}" for group in groups)
    return each.display_label, EntityId(each.id), f"{each.probability:.1%}", *parts, each.match_type, each.matched_name


def _support(found: Explanation) -> Grid:
    rows: list[tuple[Cell, ...]] = []
    for each in found.support:
        how = "; ".join(map(_reason, each.reasons))
        rows.append((f"{each.share:.0%}", each.text, each.label, EntityId(each.id), f"{each.probability:.0%}", how))
    if found.other_support > 0:
        rows.append((f"{found.other_support:.0%}", "(others)", "", "", "", ""))
    return Grid(("share", "name", "candidate", "id", "probability", "how"), rows, right=(0, 4))


def _reason(reason: Reason) -> str:
    if reason.shared:
        return f"shared: {', '.join(reason.shared)}"
    if reason.relation:
        return f"{'edge to it' if reason.reverse else 'edge from it'}: {reason.relation}"
    return reason.type

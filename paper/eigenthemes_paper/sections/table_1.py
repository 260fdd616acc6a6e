"""Table 1: the sets of documents."""

from __future__ import annotations

from collections.abc import Sequence

from eigenthemes.core.progress import Advance
from eigenthemes.metrics.precision import EASY, HARD
from eigenthemes_paper.mention_scores import GoldMentions, mean
from eigenthemes_paper.plan import Section, SectionPlan
from eigenthemes_paper.rows import Claim, Row, Rows, Table, judge
from eigenthemes_paper.workspace import Workspace


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Count easy, hard and not-found mentions, with all candidates and with T; and how many candidates these have."""
    for name in workspace.available(planned.sets):
        documents, kb = workspace.documents(name), workspace.kb_of(name)
        given = any(mention.candidates is not None for document in documents for mention in document.mentions or ())
        for limit in (None, planned.options["max_candidates"]):
            batches = workspace.batches(name, generator=planned.options["generator"], max_candidates=limit)
            mentions = GoldMentions.of(batches, kb)
            easy, hard = mentions.difficulty == EASY, mentions.difficulty == HARD
            yield {
                "set": name,
                "kb": workspace.plan.sets[name].kb,
                "given": given,
                "max_candidates": limit,
                "documents": len(documents),
                "easy": int(easy.sum()),
                "hard": int(hard.sum()),
                "not_found": int((~easy & ~hard).sum()),
                "oracle_recall": mean(easy | hard),
                "gold_in_kb": mean(mentions.in_kb),
                "candidates_easy": mean(mentions.candidates[easy]),
                "candidates_hard": mean(mentions.candidates[hard]),
            }
        advance(1)


def tables(rows: Sequence[Row]) -> list[Table]:
    """Show one table with all candidates and one with T of them."""
    header = ("set", "documents", "easy", "hard", "not found", "oracle recall", "gold in KB", "candidates, easy", "hard")
    limits = dict.fromkeys(row["max_candidates"] for row in rows)
    return [
        Table(
            "All candidates" if limit is None else f"At most {limit} candidates",
            header,
            [_line(row) for row in rows if row["max_candidates"] == limit],
        )
        for limit in limits
    ]


def _line(row: Row) -> tuple[str, ...]:
    return (
        row["set"] + ("*" if row["given"] else ""),
        *(f"{row[key]:,}" for key in ("documents", "easy", "hard", "not_found")),
        *(f"{row[key]:.1%}" for key in ("oracle_recall", "gold_in_kb")),
        *(f"{row[key]:,.1f}" for key in ("candidates_easy", "candidates_hard")),
    )


def claims(rows: Sequence[Row]) -> list[Claim]:
    def finds_most(of_set: list[Row]) -> tuple[bool, str]:
        row = of_set[0]
        return row["oracle_recall"] >= 0.8, f"{row['oracle_recall']:.0%}, gold in KB {row['gold_in_kb']:.0%}"

    def hard_have_more(of_set: list[Row]) -> tuple[bool, str]:
        row = of_set[0]
        hard, easy = row["candidates_hard"], row["candidates_easy"]
        return hard > easy, f"{hard:,.1f} against {easy:,.1f}"

    everything = [row for row in rows if row["max_candidates"] is None]
    looked_up = [row for row in everything if not row["given"]]
    return [
        judge("the plain generator finds the gold of at least 80 % of the mentions (paper: 80 to 89 %)", looked_up, finds_most),
        judge("hard mentions have more candidates than easy ones", everything, hard_have_more),
    ]


SECTION = Section(
    title="Table 1: the sets of documents",
    about="Easy: the candidate with the highest prior is right. Hard: another candidate is. Not found: none is. First with "
    "all candidates, as in the paper's Table 1, then with at most T. The paper's generator finds every entity whose "
    "names contain all words of the mention; sets marked * bring the candidates that were published for them.",
    compute=compute,
    tables=tables,
    claims=claims,
    options={"generator": "paper", "max_candidates": 20},
    method=None,
)

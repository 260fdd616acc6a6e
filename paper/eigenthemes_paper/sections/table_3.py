"""Table 3: the gain by the Eigenthemes score where there is gold to learn from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from eigenthemes.core.progress import Advance
from eigenthemes_paper.forests import MentionDictionary, can_be_learned, judge_by_forests, mention_prior, pairs_of, split
from eigenthemes_paper.mention_scores import mean
from eigenthemes_paper.plan import Section, SectionPlan, candidate_options
from eigenthemes_paper.rows import GROUPS, Claim, Outcome, Row, Rows, Table, by, is_gain, judge, spread
from eigenthemes_paper.workspace import Workspace

WITHOUT, WITH = "F1+F2+F3", "F1+F2+F3+F4"


def compute(workspace: Workspace, planned: SectionPlan, advance: Advance) -> Rows:
    """Evaluate forests with and without F4, over some seeds, which draw the split and grow the forest."""
    options, file = planned.options, planned.options["dictionary"]
    for name in workspace.available(planned.sets):
        if not workspace.is_readable(name):
            advance(1)
            continue
        pairs, kb = pairs_of(workspace, name, **candidate_options(planned)), workspace.kb_of(name)
        dictionary = MentionDictionary.read(workspace.plan.file(file), kb) if file else None
        for seed in range(options["seeds"]):
            training = split(pairs, options["training_share"], seed)
            if not can_be_learned(pairs, training):
                continue
            prior = mention_prior(pairs, training, dictionary)
            forest = {"trees": options["trees"], "least_in_leaf": options["least_in_leaf"], "seed": seed}
            for context in ("local", "global"):
                for features, metrics in judge_by_forests(kb.vectors(), pairs, training, prior, context, **forest):
                    yield {"set": name, "context": context, "features": features, "seed": seed, **metrics}
            advance(1 / options["seeds"])


def tables(rows: Sequence[Row]) -> list[Table]:
    header = ("set", "context", WITHOUT, WITH, "gain of F4", "on easy", "on hard", "ceiling")
    lines = [
        (
            name,
            context,
            *(spread([row["overall_p_at_1"] for row in some if row["features"] == each]) for each in (WITHOUT, WITH)),
            *(_signed(_gains(some, group)) for group in GROUPS),
            f"{np.mean([row['ceiling'] for row in some]):.3f}",
        )
        for (name, context), some in by(rows, "set", "context").items()
    ]
    return [Table("", header, lines)]


def _signed(values: Sequence[float]) -> str:
    return f"{round(float(np.mean(values)), 3) + 0.0:+.3f} ± {np.std(values):.3f}" if len(values) else ""


def _gains(rows: Sequence[Row], group: str) -> list[float]:
    """Return what F4 adds to P@1, seed by seed, where there are mentions of the group."""
    value = {(row["seed"], row["features"]): row[f"{group}_p_at_1"] for row in rows}
    pairs = ((value[seed, WITHOUT], value[seed, WITH]) for seed in dict.fromkeys(row["seed"] for row in rows))
    return [after - before for before, after in pairs if before is not None and after is not None]


def claims(rows: Sequence[Row]) -> list[Claim]:
    def gain(of_set: list[Row], group: str) -> float:
        return mean(np.array(_gains(of_set, group)))

    def improves(of_set: list[Row]) -> Outcome:
        """Judge the gain; one that is smaller than its deviation over the seeds is none."""
        gains = _gains(of_set, "overall")
        deviation = float(np.std(gains)) if gains else 0.0
        return None if abs(gain(of_set, "overall")) < deviation else is_gain(gain(of_set, "overall"))

    def overall(of_set: list[Row]) -> tuple[Outcome, str]:
        return improves(of_set), f"{gain(of_set, 'overall'):+.3f}"

    def hard(of_set: list[Row]) -> tuple[bool, str] | None:
        if not improves(of_set):
            return None  # there is no gain to share out
        of_hard, of_easy = gain(of_set, "hard"), gain(of_set, "easy")
        return of_hard > of_easy, f"hard {of_hard:+.3f}, easy {of_easy:+.3f}"

    labelled = [{**row, "set": f"{row['set']}, {row['context']}"} for row in rows]
    return [
        judge("the Eigenthemes score improves a supervised model (paper: by 1 to 2 points)", labelled, overall),
        judge("where it does, most is gained on hard mentions (paper: more than 5 points)", labelled, hard),
    ]


SECTION = Section(
    title="Table 3: supervised",
    about="A random forest judges each candidate from the prior P(e|m) (F1), the context score (F2), the coherence with the "
    "entities chosen in a first pass (F3), and the Eigenthemes score (F4). Split by document; every seed draws another "
    "split and another forest; mean ± deviation over the seeds. F2 compares words with descriptions, the paper's had "
    "word and entity vectors trained together; F1 is counted in the training documents unless the plan names a "
    "dictionary of mentions, which the paper had. Both forests choose from two features at a split.",
    compute=compute,
    tables=tables,
    claims=claims,
    options={
        "generator": "paper",
        "max_candidates": 20,
        "dictionary": "",
        "seeds": 5,
        "training_share": 0.67,
        "trees": 40,
        "least_in_leaf": 10,
    },
    long=True,
    reads=True,
)

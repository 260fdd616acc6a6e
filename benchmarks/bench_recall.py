"""Measure recall@20 of the candidate generators: python -m benchmarks.bench_recall

*paper*: all tokens are contained in the names. *whole names*: the default generator without what only shares words. *same
words*: without related words (other forms, derived words, typos). *default*: all of it. A mention whose gold is not in the KB
counts as not found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks.common import parse_arguments, print_table, read_mentions, real_kb, save_results, say
from eigenthemes.kb.name_arrays import ACRONYM
from eigenthemes.kb.store import KB
from eigenthemes.names.generator import MAX_CANDIDATES, CandidateGenerator, CandidateTable
from eigenthemes.names.retrieval import CONTAINS
from eigenthemes.names.token_model import TokenModel, UnknownWord

# set -> KB; the last two are reported, never tuned on
TUNED = {
    "general/aida-testa": "general",
    "general/dwie-train": "general",
    "general/wned-cweb": "general",
    "places/lgl": "places",
    "genes/biored-train": "genes",
    "phenotypes/gsc": "phenotypes",
}
REPORTED = {"general/wned-wiki": "general", "places/gwn": "places"}
Row = dict[str, Any]


@dataclass(frozen=True)
class MentionSet:
    """Mentions of one set: their texts, and the gold entities of each that the KB has."""

    texts: list[str]
    gold: list[set[int]]

    @classmethod
    def read(cls, name: str, kb: KB) -> MentionSet:
        mentions = read_mentions(name)
        return cls(
            [text for text, _ in mentions],
            [{entity for entity in map(kb.index_of, gold) if entity is not None} for _, gold in mentions],
        )

    def recall(self, table: CandidateTable, match_types: set[int] | None = None) -> float:
        """Share of mentions with a gold entity among the candidates, or among those of some match types, in percent."""
        wanted = np.ones(len(table), bool) if match_types is None else np.isin(table.match_type, list(match_types))
        pairs = zip(table.mention_of[wanted].tolist(), table.entity[wanted].tolist(), strict=True)
        found = {mention for mention, entity in pairs if entity in self.gold[mention]}
        return 100 * len(found) / len(self.texts)


class _SameWords(TokenModel):
    """A model in which no two words are related."""

    def unknown_words(self, words: Any) -> dict[str, UnknownWord]:
        return {word: known._replace(tokens=(), relations=()) for word, known in super().unknown_words(words).items()}


def recalls(name: str, kb: KB) -> dict[str, float]:
    """Recall of each generator on one set."""
    mentions = MentionSet.read(name, kb)
    say(f"{name}: {len(mentions.texts):,} mentions")
    default = CandidateGenerator(kb, remembers=False).find_batch(mentions.texts)
    paper = CandidateGenerator(kb, generator="paper").find_batch(mentions.texts)
    model = kb.cached(TokenModel.of)
    none = np.zeros(len(model.tokens) + 1, np.int64), model.related[1][:0], model.related[2][:0]
    fields = {field: getattr(model, field) for field in TokenModel.__dataclass_fields__}
    reopened = KB.open(kb.path)
    reopened.set_cached(_SameWords(**{**fields, "related": none, "_unknown_words": {}}), TokenModel.of)
    same = CandidateGenerator(reopened, remembers=False).find_batch(mentions.texts)
    return {
        "paper": mentions.recall(paper),
        "whole names": mentions.recall(default, set(range(ACRONYM + 1))),
        "and containing": mentions.recall(default, {*range(ACRONYM + 1), CONTAINS}),
        "same words": mentions.recall(same),
        "default": mentions.recall(default),
    }


def main() -> None:
    arguments = parse_arguments(__doc__)
    found = {name: recalls(name, real_kb(kb, arguments.cache)) for name, kb in {**TUNED, **REPORTED}.items()}
    rows: list[Row] = []
    for generator in next(iter(found.values())):
        by_set = {name.partition("/")[2]: values[generator] for name, values in found.items()}
        rows.append(
            {"generator": generator, **by_set, "mean of six": float(np.mean([by_set[n.partition("/")[2]] for n in TUNED]))}
        )
    save_results("recall", {"by_generator": rows})
    print_table(f"Recall@{MAX_CANDIDATES} in percent of all mentions; the last two sets are only reported", [
        {key: round(value, 2) if isinstance(value, float) else value for key, value in row.items()} for row in rows
    ])  # fmt: skip


if __name__ == "__main__":
    main()

"""Measure recall@20 rule by rule: python -m benchmarks.bench_recall

Rules are added one at a time, in the order of `candidates.rules`. All rules off must give the paper's candidates, all on
those of the default generator, mention by mention; the run stops where they do not. A mention whose gold is not in the KB
counts as not found.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.common import parse_arguments, print_table, read_mentions, real_kb, save_results, say
from eigenthemes.candidates.generator import CandidateGenerator
from eigenthemes.candidates.options import MAX_CANDIDATES
from eigenthemes.candidates.plain import Lookup, MatchTypes, Options, endings_of
from eigenthemes.candidates.rules import PLURALS, RARE_LIST, SHARING, SHARING_UNWEIGHED, TYPO_TENTHS
from eigenthemes.kb.name_arrays import ACRONYM, ALIAS, CORE, INITIALS, LABEL, UNBRACKETED
from eigenthemes.kb.store import KB
from eigenthemes.text.normalize import normalize

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

RULES = (
    "exact names kept",
    "bracketed part optional",
    "initials",
    "acronyms",
    "endings",
    "shared words",
    "typos",
    "cores",
    "other spelling",
    "labels that begin so",
    "more sharing",
    "word families",
    "two letters in capitals",
    "another word",
    "names within",
    "closest names first",
)
_MATCH_TYPES = {
    "exact names kept": {LABEL, ALIAS},
    "bracketed part optional": {UNBRACKETED},
    "cores": {CORE},
    "initials": {INITIALS},
    "acronyms": {ACRONYM},
}
Row = dict[str, Any]
Entities = NDArray[np.uint32]
Weights = NDArray[np.int64]
Scores = NDArray[np.float64]


class RuledLookup(Lookup):
    """The default generator with the first `rules` of RULES only."""

    def __init__(self, kb: KB, rules: int) -> None:
        generator = CandidateGenerator(kb, sharing=SHARING)
        plain, self.rules = generator._lookup, frozenset(RULES[:rules])
        sharing = SHARING if "more sharing" in self.rules else SHARING_UNWEIGHED
        super().__init__(
            kb.name_index,
            plain.label_words,
            len(kb),
            has_families=plain.has_families,
            other_words=plain.other_words,
            sharing=sharing,
        )
        self.generator = generator
        self.match_types = set[int]().union(*(types for rule, types in _MATCH_TYPES.items() if rule in self.rules))

    def candidates(self, name: str) -> set[int]:
        """Return the candidates of the default generator with these rules."""
        in_capitals = name.isupper() and "two letters in capitals" in self.rules
        return set(self.default(normalize(name), MAX_CANDIDATES, in_capitals=in_capitals))

    def whole_names(self, key: str) -> tuple[list[int], list[int]]:
        pairs = [pair for pair in zip(*super().whole_names(key), strict=True) if pair[1] in self.match_types]
        return [entity for entity, _ in pairs], [match_type for _, match_type in pairs]

    def _by_ending(self, key: str) -> Iterator[int]:
        return super()._by_ending(key) if "endings" in self.rules else iter(())

    def _by_spelling(self, all_words: list[str], words: list[str], tokens: list[int]) -> Iterator[int]:
        return super()._by_spelling(all_words, words, tokens) if "other spelling" in self.rules else iter(())

    def _by_wording(self, all_words: list[str]) -> Iterator[int]:
        return super()._by_wording(all_words) if "another word" in self.rules else iter(())

    def _add_parts(self, all_words: list[str], match_types: MatchTypes, most: int) -> None:
        if "names within" in self.rules:
            super()._add_parts(all_words, match_types, most)

    def _closeness(self, entities: Entities, options: Options, weights: list[int], shared: Weights) -> Scores:
        if "closest names first" in self.rules:
            return super()._closeness(entities, options, weights, shared)
        return shared / max(1, sum(weights))

    def _rare_list(self) -> int:
        return super()._rare_list() if "closest names first" in self.rules else RARE_LIST

    def _chosen(self, contained: list[int], nearer: MatchTypes, tokens: list[int], most: int) -> list[int]:
        if "labels that begin so" in self.rules:
            return super()._chosen(contained, nearer, tokens, most)
        return [entity for entity in contained if entity not in nearer]

    def _sharing(self, words: list[str], tokens: list[int], nearer: MatchTypes, room: int) -> MatchTypes:
        return super()._sharing(words, tokens, nearer, room) if "shared words" in self.rules else {}

    def _forms(self, word: str, token: int) -> list[int]:
        if "word families" in self.rules:
            return super()._forms(word, token)
        plurals = self.tokens(endings_of(word, PLURALS)) if token < 0 else []
        return [row for row in dict.fromkeys(plurals) if row >= 0]

    def _alternatives(self, words: list[str], tokens: list[int]) -> list[list[tuple[int, int]]]:
        alternatives = super()._alternatives(words, tokens)
        if "typos" in self.rules:
            return alternatives
        return [[pair for pair in of_word if pair[1] != TYPO_TENTHS] for of_word in alternatives]


@dataclass(frozen=True)
class MentionSet:
    """Mentions of one set, equal ones together: text -> gold entities of each of its mentions."""

    kb: KB
    golds: dict[str, list[set[int]]]
    mentions: int

    @classmethod
    def read(cls, name: str, kb: KB) -> MentionSet:
        golds: dict[str, list[set[int]]] = {}
        mentions = read_mentions(name)
        for text, gold in mentions:
            known = {entity for entity in map(kb.index_of, gold) if entity is not None}
            golds.setdefault(text, []).append(known)
        return cls(kb, golds, len(mentions))

    def recall(self, candidates: dict[str, set[int]]) -> float:
        """Share of mentions with a gold entity among the candidates, in percent."""
        hits = sum(not gold.isdisjoint(candidates[text]) for text, golds in self.golds.items() for gold in golds)
        return 100 * hits / self.mentions


def main() -> None:
    arguments = parse_arguments(__doc__)
    kbs = {name: real_kb(name, arguments.cache) for name in {*TUNED.values(), *REPORTED.values()}}
    steps = ("paper", *(f"+ {rule}" for rule in RULES))
    by_rule = {name: recall_by_rule(name, MentionSet.read(name, kbs[kb])) for name, kb in TUNED.items()}
    rows = [_row(step, {name: values[i] for name, values in by_rule.items()}) for i, step in enumerate(steps)]
    rows.append({"rule": "gain", **{column: rows[-1][column] - rows[0][column] for column in rows[0] if column != "rule"}})
    reported = [report_only(name, MentionSet.read(name, kbs[kb])) for name, kb in REPORTED.items()]
    save_results("recall", {"by_rule": rows, "reported_only": reported})
    print_table(f"Recall@{MAX_CANDIDATES} in percent of all mentions, rules added one by one", [_rounded(row) for row in rows])
    print_table("Reported only, never tuned on", [_rounded(row) for row in reported])


def recall_by_rule(name: str, mentions: MentionSet) -> list[float]:
    """Recall of the paper's generator, then with each rule added; the ends are checked against the generators."""
    say(f"{name}: {mentions.mentions:,} mentions, {len(mentions.golds):,} distinct")
    values, candidates = [], dict[str, set[int]]()
    for rules in range(len(RULES) + 1):
        lookup = RuledLookup(mentions.kb, rules)
        candidates = {text: lookup.candidates(text) for text in mentions.golds}
        if rules == 0:
            _must_equal(f"{name}: all rules off", candidates, generated(mentions, "paper"))
        values.append(mentions.recall(candidates))
    _must_equal(f"{name}: all rules on", candidates, generated(mentions, "default"))
    return values


def report_only(name: str, mentions: MentionSet) -> Row:
    """Recall of the two generators."""
    paper, default = (mentions.recall(generated(mentions, generator)) for generator in ("paper", "default"))
    return {"set": name, "mentions": mentions.mentions, "paper": paper, "default": default, "gain": default - paper}


def generated(mentions: MentionSet, generator: str) -> dict[str, set[int]]:
    """The candidates the generator itself finds for each text."""
    texts = list(mentions.golds)
    table = CandidateGenerator(mentions.kb, generator=generator, sharing=SHARING).find_batch(texts)
    candidates: dict[str, set[int]] = {text: set() for text in texts}
    for mention, entity in zip(table.mention_of.tolist(), table.entity.tolist(), strict=True):
        candidates[texts[mention]].add(entity)
    return candidates


def _must_equal(what: str, ours: dict[str, set[int]], theirs: dict[str, set[int]]) -> None:
    differing = [text for text in ours if ours[text] != theirs[text]]
    if differing:
        sys.exit(f"{what} does not equal the generator for {len(differing):,} names, first {differing[0]!r}")


def _row(step: str, values: dict[str, float]) -> Row:
    named = {Path(name).name: value for name, value in values.items()}
    return {"rule": step, **named, "mean": sum(values.values()) / len(values)}


def _rounded(row: Row) -> Row:
    return {key: f"{value:.2f}" if isinstance(value, float) else value for key, value in row.items()}


if __name__ == "__main__":
    main()

"""Why a candidate won, from the very features it was ranked by: in figures, and in a sentence.

What other names contributed to a candidate comes from the kernel that computes its features.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.entity_ids import last_part
from eigenthemes.core.threads import lazy
from eigenthemes.explanations import (
    GIVEN,
    ColumnReason,
    ExplainedCandidate,
    Explanation,
    MemoryReason,
    Support,
    TopicReason,
)
from eigenthemes.kb.attributes import described_attribute
from eigenthemes.names.generator import matched_name
from eigenthemes.names.retrieval import CONTAINS, MATCH_TYPES
from eigenthemes.ranking.adaptation import GROUP as CORPUS
from eigenthemes.ranking.decide import DecisionRule
from eigenthemes.ranking.features import COLUMNS, GROUPS, JOINT_GROUPS, Contributions, FeatureContext, WeightedCandidates
from eigenthemes.ranking.features.coincidence import COINCIDENCE, COLUMN, CellEvidence, Coincidence
from eigenthemes.ranking.features.row import GROUP as ROW
from eigenthemes.ranking.features.text_words import WORDS, windows_of
from eigenthemes.ranking.features.topic import GROUP as TOPIC
from eigenthemes.ranking.ranker import BatchRanking, Ranker
from eigenthemes.ranking.sentences import cut, in_words, shares_of
from eigenthemes.text.normalize import normalize, squash, tokenize
from eigenthemes.text.segment import FUNCTION_WORDS

Floats = NDArray[np.float64]

_MAX_SUPPORT = 5  # names that support
_MAX_WORDS = 3  # near a name
_LIKELY = 0.3  # probability of a topic from which on it is named
_WORTH_SAYING = 0.05  # share of what speaks for a candidate from which on it is named
_LEAST_FACTOR = 1e-9  # of a row that rules a candidate out
_COLUMNS_OF = {group: np.array([COLUMNS.index(column) for column in columns]) for group, columns in GROUPS.items()}
_CONNECTIONS = [COLUMNS.index(column) for group in JOINT_GROUPS for column in group.connections]


class Explainer:
    """Explains the mentions of a batch that was ranked.

    nil_reasons  of each mention, as it was decided: None where it is linked
    rule         the rule of that decision
    aliases      were candidates looked up by their aliases?
    """

    def __init__(
        self,
        ranker: Ranker,
        ranking: BatchRanking,
        context: FeatureContext,
        *,
        nil_reasons: Sequence[str | None],
        rule: DecisionRule,
        aliases: bool = True,
    ) -> None:
        self.ranking, self.context, self.kb, self.aliases = ranking, context, context.kb, aliases
        self.groups, self.batch, self.nil_reasons = ranking.groups, ranking.groups.batch, nil_reasons
        self._thresholds = rule.thresholds(self.batch) * rule.allow_nil
        self._probability = ranking.candidate_probability  # in the order of the batch's table
        self._factor = np.ones(len(self.groups)) if ranking.detection is None else ranking.detection.factor
        self._weights, self._temperature = ranker.rounds[-1].choice / ranker.temperature, ranker.temperature
        self._candidates = WeightedCandidates.weighing(ranking.groups, context, ranking.weight)
        self._explanations: dict[tuple[int, str, int], Explanation] = {}

    def explain(self, mention: int) -> Explanation:
        """Explain why a mention of the batch (by its number there) was linked as it was.

        Mentions of one group have the same reasons, but for those that their rows give.
        """
        rows = self.ranking.rows
        by_row = mention if rows is not None and mention in rows.place else -1
        key = int(self.groups.group_of[mention]), self.batch.mentions[mention].text, by_row
        if key not in self._explanations:
            explanation = self._explain(mention)
            self._explanations[key] = replace(explanation, sentence=in_words(explanation))
        return self._explanations[key]

    def candidates(self, mention: int) -> list[ExplainedCandidate]:
        """Return all candidates of a mention, the most likely first."""
        return [self._candidate(mention, row) for row in self._ranked_rows(mention)]

    def _explain(self, mention: int) -> Explanation:
        ranking, group = self.ranking, int(self.groups.group_of[mention])
        factor, is_given = float(self._factor[group]), self.batch.detected is None or not self.batch.detected[mention]
        nil = ranking.nil_probability[group] if ranking.rows is None else ranking.rows.nil_probability[mention]
        explanation = Explanation(
            self.batch.mentions[mention].text,
            self.nil_reasons[mention],
            1 - factor * (1 - float(nil)),
            float(self._thresholds[mention]),
            other_names=int(self.groups.other_names[group]),
        )
        rows = self._ranked_rows(mention)
        if not rows:
            return explanation
        best = self._candidate(mention, rows[0])
        runner_up = self._candidate(mention, rows[1]) if len(rows) > 1 else None
        popular = self._more_popular(rows)
        shares, against = shares_of(best, runner_up)
        support, other_support = self._support(rows[0])
        cells, coincides = ranking.cells, shares.get(COINCIDENCE.name, 0.0) >= _WORTH_SAYING
        return replace(
            explanation,
            candidate_count=len(rows),
            best=best,
            runner_up=runner_up,
            more_popular=None if popular is None else self._candidate(mention, popular),
            shares=shares,
            against=against,
            support=support,
            other_support=other_support,
            detection=None if is_given else factor,
            stands_for="" if ranking.detection is None else ranking.detection.abbreviated[group],
            column=None if cells is None else self._attribute_reason(cells.evidence, rows[0]),
            row=None if ranking.rows is None else ranking.rows.reason(mention, int(self.groups.entity[rows[0]]), self.context),
            memory=self._memory_reason(group, rows[0]),
            coincidence=self._attribute_reason(self._coincidence, rows[0]) if coincides else None,
            topic=self._topic_reason(rows[0], shares),
            words=self._telling_words(rows[0], shares),
        )

    # candidates

    def _ranked_rows(self, mention: int) -> list[int]:
        probability = self._probability[slice(*self.batch.table.bounds[mention : mention + 2])]
        first = int(self.groups.bounds[self.groups.group_of[mention]])
        return [first + int(i) for i in np.argsort(-probability, kind="stable")]

    def _more_popular(self, rows: list[int]) -> int | None:
        prior = self.batch.table.prior[self.groups.table_row[rows]]
        popular = int(np.argmax(prior))
        return rows[popular] if prior[popular] > prior[0] else None

    def _candidate(self, mention: int, row: int) -> ExplainedCandidate:
        table, group, entity = self.batch.table, self.groups.group[row], int(self.groups.entity[row])
        first, last = self.groups.bounds[group : group + 2].tolist()
        place, table_row = int(table.bounds[mention]) + row - first, self.groups.table_row[row]
        match_type, matched = self._match(mention, entity, int(table.match_type[table_row]))
        rivals = self.groups.entity[first:last].tolist()
        return ExplainedCandidate(
            id=self.kb.id_of(entity),
            label=self.kb.label_of(entity),
            display_label=self._display_label(entity, self.batch.mentions[mention].name, rivals),
            description=self.kb.description_of(entity),
            probability=float(self._probability[place]) * float(self._factor[group]),
            prior=float(table.prior[table_row]),
            match_type=match_type,
            matched_name=matched,
            contributions=self._contributions(mention, row, place),
            connected=bool(self.ranking.features[row, _CONNECTIONS].any()),
        )

    def _utilities(self, row: int) -> Floats:
        """Return what each column adds to the utility of a candidate [c]."""
        return np.asarray(self.ranking.features[row] * self._weights)

    def _contributions(self, mention: int, row: int, place: int) -> dict[str, float]:
        """Return what each feature group adds to the utility of a candidate, by its row and its place in the batch's table."""
        ranking, utilities = self.ranking, self._utilities(row)
        contributions = {group: float(utilities[columns].sum()) for group, columns in _COLUMNS_OF.items()}
        if ranking.cells is not None and ranking.cells.evidence.rows[row]:
            contributions[COLUMN.name] = float(ranking.cells.utility[row]) / self._temperature
        if ranking.topics is not None:
            contributions[TOPIC.name] = float(np.log(ranking.topics.factor[row]))
        if ranking.kinds is not None:
            contributions[TOPIC.name] = contributions.get(TOPIC.name, 0.0) + float(ranking.kinds[row]) / self._temperature
        if ranking.rows is not None and mention in ranking.rows.place:
            contributions[ROW.name] = float(np.log(max(ranking.rows.factor[place], _LEAST_FACTOR)))
        if ranking.corpus_prior is not None:
            contributions[CORPUS.name] = float(ranking.corpus_prior[row]) / self._temperature
        return contributions

    def _match(self, mention: int, entity: int, match_type: int) -> tuple[str, str]:
        text, names = self.batch.names[mention], self.kb.names_of(entity) or [self.kb.id_of(entity)]
        names += self.kb.derived_names_of(entity)
        matched = matched_name(text, names, match_type, aliases=self.aliases)
        contains = set(tokenize(text)) <= set(tokenize(matched))
        is_given = match_type == CONTAINS and self.batch.mentions[mention].candidates is not None and not contains
        return GIVEN if is_given else MATCH_TYPES[match_type], matched

    def _display_label(self, entity: int, text: str, rivals: list[int]) -> str:
        """Return the label, qualified where it equals the mention's text or a rival's label."""
        label = self.kb.label_of(entity)
        twins = [rival for rival in rivals if rival != entity and self.kb.label_of(rival) == label]
        if not twins and normalize(label) != normalize(text):
            return label
        described = cut(self.kb.description_of(entity))
        if not described or described in (cut(self.kb.description_of(twin)) for twin in twins):
            described = last_part(self.kb.id_of(entity))
        return label if described == label else f"{label} ({described})"

    # reasons

    def _document_of(self, group: int) -> int:
        return int(np.searchsorted(self.groups.document_bounds, group, side="right")) - 1

    def _topic_reason(self, row: int, shares: Mapping[str, float]) -> TopicReason | None:
        """Return what the text is about, where that puts a candidate ahead."""
        topics = self.ranking.topics if shares.get(TOPIC.name, 0.0) >= _WORTH_SAYING else None
        if topics is None:
            return None
        document = self._document_of(self.groups.group[row])
        topic, weight = int(topics.topic[document]), float(topics.weight[document])
        if weight < _LIKELY or not self._has_to_do(row, topic):
            return None
        first, last = self.groups.document_bounds[document : document + 2].tolist()
        best = [rows[0] for mention in self.groups.first_mention[first:last].tolist() if (rows := self._ranked_rows(mention))]
        having = sum(self._has_to_do(other, topic) for other in best)
        return TopicReason(self.kb.id_of(topic), self.kb.label_of(topic), weight, having, len(best))

    def _has_to_do(self, row: int, topic: int) -> bool:
        """Return whether a candidate is a topic, or a neighbour of it."""
        entity = int(self.groups.entity[row])
        return entity == topic or bool((self.kb.graph.around(entity) == topic).any())

    @lazy
    def _windows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return windows_of(self.groups, self.context)

    def _telling_words(self, row: int, shares: Mapping[str, float]) -> tuple[str, ...]:
        """Return the rarest words near a name that belong to a candidate, where they put it ahead.

        Words of the document's names are explained as support; "the" and "of", which count a little in a small KB, say nothing.
        """
        profiles = self.context.profiles
        if profiles is None or shares.get(WORDS.name, 0.0) < _WORTH_SAYING:
            return ()
        (indptr, near), group, entity = self._windows, self.groups.group[row], self.groups.entity[row]
        own = profiles.words[profiles.indptr[entity] : profiles.indptr[entity + 1]]
        document, (name_words, hashes) = self._document_of(group), self.groups.words
        first, last = name_words[self.groups.document_names[document : document + 2]]
        of_names = self.context.tokens(hashes[first:last])
        told = np.setdiff1d(np.intersect1d(near[indptr[group] : indptr[group + 1]], own), of_names)
        rarest = told[np.argsort(-profiles.rarity[told], kind="stable")].tolist()
        words = (str(self.kb.name_index.tokens[word]) for word in rarest)
        return tuple(islice((word for word in words if word not in FUNCTION_WORDS), _MAX_WORDS))

    @lazy
    def _coincidence(self) -> Coincidence | None:
        return Coincidence.of(self.groups, self.context)

    def _attribute_reason(self, found: Coincidence | CellEvidence | None, row: int) -> ColumnReason | None:
        """Return what the column of a table, or the other names of a text, have in common with a candidate."""
        if found is None or found.attribute[row] < 0:
            return None
        attribute = described_attribute(self.kb, int(found.attribute[row]))
        return ColumnReason(*attribute, int(found.having[row]), int(found.others[row]))

    def _memory_reason(self, group: int, row: int) -> MemoryReason | None:
        """Return the corrections of a group's name, compared with its best candidate."""
        memory, name = self.context.memory, self.groups.names[int(self.groups.name_of[group])]
        said = None if memory is None else memory.find(name)
        if memory is None or said is None:
            return None
        linked = said.linked.get(int(self.groups.entity[row]), 0)
        here = squash(name) in memory.corrections_in(self.batch.documents[self._document_of(group)])
        return MemoryReason(linked, sum(said.linked.values()) - linked, said.none, said.not_a_name, here)

    def _support(self, row: int) -> tuple[tuple[Support, ...], float]:
        """Return the names that support a candidate most, and the share of all others."""
        contributions = self._candidates.contributions(row)
        shares = {column: share(contributions) for group in JOINT_GROUPS for column, share in group.shares.items()}
        utility = dict(zip(COLUMNS, self._utilities(row).tolist(), strict=True))
        amount = np.asarray(sum(_in_proportion(utility[column], share) for column, share in shares.items()))
        group_of_candidate = contributions.groups - int(contributions.groups[0])
        total = np.maximum(np.bincount(group_of_candidate, weights=amount), 0)
        if not total.sum() > 0:
            return (), 0.0
        share_of_group = total / total.sum()
        order = [int(i) for i in np.argsort(-share_of_group, kind="stable") if share_of_group[i] > 0]
        support = []
        for group in order[:_MAX_SUPPORT]:
            strongest = int(np.argmax(np.where(group_of_candidate == group, amount, -np.inf)))
            support.append(self._supporter(contributions, shares, strongest, float(share_of_group[group])))
        return tuple(support), float(share_of_group[order[_MAX_SUPPORT:]].sum())

    def _supporter(self, contributions: Contributions, shares: Mapping[str, Floats], position: int, share: float) -> Support:
        row = contributions.first + position
        group, entity = int(self.groups.group[row]), int(self.groups.entity[row])
        mention = int(self.groups.first_mention[group])
        return Support(
            self.batch.mentions[mention].text,
            mention - int(self.batch.mention_bounds[self._document_of(group)]),
            self.kb.id_of(entity),
            self.kb.label_of(entity),
            float(self.ranking.probability[row]) * float(self._factor[group]),
            share,
            tuple(reason for joint in JOINT_GROUPS for reason in joint.reasons(contributions, shares, position)),
        )


def _in_proportion(amount: float, shares: Floats) -> Floats:
    """Share out an amount in proportion; nothing where there is no share."""
    return amount * shares / total if (total := shares.sum()) > 0 else np.zeros(len(shares))

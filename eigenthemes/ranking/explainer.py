"""Why a candidate won, from the very features it was ranked by: in figures, and in a sentence.

What other names contributed to a candidate comes from the kernel that computes its features.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.rules import CONTAINS, MATCH_TYPES
from eigenthemes.candidates.whole_names import matched_name
from eigenthemes.core.threads import lazy
from eigenthemes.explanations import (
    GIVEN,
    ColumnReason,
    ExplainedCandidate,
    Explanation,
    MemoryReason,
    Reason,
    RowReason,
    Support,
    TopicReason,
)
from eigenthemes.kb.attributes import described_attribute, last_part
from eigenthemes.ranking.adaptation import GROUP as CORPUS
from eigenthemes.ranking.features import COLUMNS, GROUPS, JOINT_GROUPS, Contributions, FeatureContext, WeightedCandidates
from eigenthemes.ranking.features.coincidence import COINCIDENCE, COLUMN, Coincidence
from eigenthemes.ranking.features.row import GROUP as ROW
from eigenthemes.ranking.features.text_words import WORDS, windows_of
from eigenthemes.ranking.features.topic import GROUP as TOPIC
from eigenthemes.ranking.ranker import BatchRanking, Ranker
from eigenthemes.ranking.sentences import cut, in_words, shares_of
from eigenthemes.records import Mention
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
    threshold    the least probability of a link
    detected     the same for mentions found by their spelling; None: the same
    cells        the same for cells of tables; None: the same
    aliases      were candidates looked up by their aliases?
    """

    def __init__(
        self,
        ranker: Ranker,
        ranking: BatchRanking,
        context: FeatureContext,
        *,
        nil_reasons: Sequence[str | None],
        threshold: float,
        detected: float | None = None,
        cells: float | None = None,
        aliases: bool = True,
    ) -> None:
        self.ranking, self.context, self.kb, self.aliases = ranking, context, context.kb, aliases
        self.groups, self.batch = ranking.groups, ranking.groups.batch
        self.nil_reasons, self.threshold = nil_reasons, threshold
        self._detected = threshold if detected is None else detected
        self._of_cells = threshold if cells is None else cells
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
            explanation = self._explain(mention, *key[:2])
            self._explanations[key] = replace(explanation, sentence=in_words(explanation))
        return self._explanations[key]

    def candidates(self, mention: int) -> list[ExplainedCandidate]:
        """Return all candidates of a mention, the most likely first."""
        return list(self._explained_candidates(mention, self._ranked_rows(mention)))

    def _explain(self, mention: int, group: int, text: str) -> Explanation:
        factor, other_names = self._factor(group), int(self.groups.other_names[group])
        nil_probability = 1 - factor * (1 - self._nil_probability(mention))
        threshold = self._threshold_of(group)
        rows = self._ranked_rows(mention)
        if not rows:
            return Explanation(text, self.nil_reasons[mention], nil_probability, threshold, other_names=other_names)
        best, *others = self._explained_candidates(mention, rows[:2])
        runner_up = others[0] if others else None
        popular = self._more_popular(rows)
        shares, against = shares_of(best, runner_up)
        support, other_support = self._support(rows[0])
        return Explanation(
            text,
            self.nil_reasons[mention],
            nil_probability,
            threshold,
            len(rows),
            other_names,
            best,
            runner_up,
            next(self._explained_candidates(mention, [popular]), None) if popular is not None else None,
            shares,
            against,
            support,
            other_support,
            None if self._is_given(group) else factor,
            "" if self.ranking.detection is None else self.ranking.detection.abbreviated[group],
            self._column_reason(rows[0]),
            self._row_reason(mention, rows[0]),
            self._memory_reason(group, rows[0]),
            self._coincidence_reason(rows[0], shares),
            self._topic_reason(rows[0], shares),
            self._telling_words(rows[0], shares),
        )

    def _threshold_of(self, group: int) -> float:
        if self.groups.column_of[group] >= 0:
            return self._of_cells
        return self.threshold if self._is_given(group) else self._detected

    def _is_given(self, group: int) -> bool:
        detected = self.batch.detected
        return detected is None or not detected[self.groups.first_mention[group]]

    def _factor(self, group: int) -> float:
        """Return how likely a mention group is a name at all; 1 where it was given."""
        return 1.0 if self.ranking.detection is None else float(self.ranking.detection.factor[group])

    # candidates

    def _ranked_rows(self, mention: int) -> list[int]:
        first = int(self.groups.bounds[self.groups.group_of[mention]])
        return [first + int(i) for i in np.argsort(-self._probabilities(mention), kind="stable")]

    def _probabilities(self, mention: int) -> Floats:
        """Return the probabilities of the candidates of a mention, in the order of its group's rows."""
        first, last = self.groups.bounds[self.groups.group_of[mention] :][:2].tolist()
        rows = self.ranking.rows
        return self.ranking.probability[first:last] if rows is None else rows.probability[rows.candidates(mention)]

    def _nil_probability(self, mention: int) -> float:
        rows = self.ranking.rows
        return float(
            self.ranking.nil_probability[self.groups.group_of[mention]] if rows is None else rows.nil_probability[mention]
        )

    def _more_popular(self, rows: list[int]) -> int | None:
        prior = self.batch.table.prior[self.groups.table_row[rows]]
        popular = int(np.argmax(prior))
        return rows[popular] if prior[popular] > prior[0] else None

    def _explained_candidates(self, number: int, rows: Sequence[int]) -> Iterator[ExplainedCandidate]:
        mention, table = self.batch.mentions[number], self.batch.table
        first, last = self.groups.bounds[self.groups.group_of[number] :][:2].tolist()
        rivals, probability = self.groups.entity[first:last].tolist(), self._probabilities(number)
        for row in rows:
            entity, table_row = int(self.groups.entity[row]), self.groups.table_row[row]
            match_type, matched_name = self._match(mention, self.batch.names[number], entity, int(table.match_type[table_row]))
            utilities = self._utilities(row)
            yield ExplainedCandidate(
                id=self.kb.id_of(entity),
                label=self.kb.label_of(entity),
                display_label=self._display_label(entity, mention.name, rivals),
                description=self.kb.description_of(entity),
                probability=float(probability[row - first]) * self._factor(int(self.groups.group[row])),
                prior=float(table.prior[table_row]),
                match_type=match_type,
                matched_name=matched_name,
                contributions={
                    **{group: float(utilities[columns].sum()) for group, columns in _COLUMNS_OF.items()},
                    **self._of_column(row),
                    **self._of_topic(row),
                    **self._of_row(number, row - first),
                    **self._corpus_contribution(row),
                },
                connected=bool(self.ranking.features[row, _CONNECTIONS].any()),
            )

    def _utilities(self, row: int) -> Floats:
        """Return what each column adds to the utility of a candidate [c]."""
        return np.asarray(self.ranking.features[row] * self._weights)

    def _of_column(self, row: int) -> dict[str, float]:
        """Return what the column of a table adds to the utility of a candidate; nothing where it is no cell."""
        cells = self.ranking.cells
        is_cell = cells is not None and cells.evidence.rows[row]
        return {COLUMN.name: float(cells.utility[row]) / self._temperature} if cells is not None and is_cell else {}

    def _of_topic(self, row: int) -> dict[str, float]:
        """Return what the topic of a text adds to the utility of a candidate; nothing where there is none."""
        topics = self.ranking.topics
        return {} if topics is None else {TOPIC.name: float(np.log(topics.factor[row]))}

    def _topic_reason(self, row: int, shares: Mapping[str, float]) -> TopicReason | None:
        """Return what the text is about, where that puts a candidate ahead."""
        topics = self.ranking.topics if shares.get(TOPIC.name, 0.0) >= _WORTH_SAYING else None
        if topics is None:
            return None
        document = int(np.searchsorted(self.groups.document_bounds, self.groups.group[row], side="right")) - 1
        topic, weight = int(topics.topic[document]), float(topics.weight[document])
        if weight < _LIKELY or not self._has_to_do(int(self.groups.entity[row]), topic):
            return None
        first, last = self.groups.document_bounds[document : document + 2].tolist()
        best = [rows[0] for mention in self.groups.first_mention[first:last].tolist() if (rows := self._ranked_rows(mention))]
        having = sum(self._has_to_do(int(self.groups.entity[other]), topic) for other in best)
        return TopicReason(self.kb.id_of(topic), self.kb.label_of(topic), weight, having, len(best))

    @lazy
    def _windows(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        return windows_of(self.groups, self.context)

    def _telling_words(self, row: int, shares: Mapping[str, float]) -> tuple[str, ...]:
        """Return the rarest words near a name that belong to a candidate, where they put it ahead.

        Words of other names are told as support; "the" and "of", which count a little in a small KB, tell nobody anything.
        """
        profiles = self.context.profiles
        if profiles is None or shares.get(WORDS.name, 0.0) < _WORTH_SAYING:
            return ()
        (indptr, near), group, entity = self._windows, self.groups.group[row], self.groups.entity[row]
        own = profiles.words[profiles.indptr[entity] : profiles.indptr[entity + 1]]
        told = np.setdiff1d(np.intersect1d(near[indptr[group] : indptr[group + 1]], own), self._words_of_names(int(group)))
        rarest = told[np.argsort(-profiles.rarity[told], kind="stable")].tolist()
        words = (str(self.kb.name_index.tokens[word]) for word in rarest)
        return tuple(islice((word for word in words if word not in FUNCTION_WORDS), _MAX_WORDS))

    def _words_of_names(self, group: int) -> NDArray[np.int64]:
        """Return the words of all names in a group's document; these are explained as support instead."""
        document = int(np.searchsorted(self.groups.document_bounds, group, side="right")) - 1
        indptr, words = self.groups.words
        first, last = indptr[self.groups.document_names[document : document + 2]]
        return self.context.tokens(words[first:last])

    def _has_to_do(self, entity: int, topic: int) -> bool:
        """Return whether an entity is a topic, or a neighbour of it."""
        near = self.kb.graph.around(entity)
        at = int(np.searchsorted(near, topic))
        return entity == topic or bool(at < len(near) and near[at] == topic)

    def _of_row(self, mention: int, candidate: int) -> dict[str, float]:
        """Return what its row adds to the utility of a candidate of a mention; nothing where rows do not count."""
        rows = self.ranking.rows
        if rows is None or mention not in rows.place:
            return {}
        return {ROW.name: float(np.log(max(rows.factor[rows.candidates(mention)][candidate], _LEAST_FACTOR)))}

    def _row_reason(self, mention: int, row: int) -> RowReason | None:
        """Return the cell of the same row that supports a candidate."""
        rows = self.ranking.rows
        return None if rows is None else rows.reason(mention, int(self.groups.entity[row]), self.context)

    def _corpus_contribution(self, row: int) -> dict[str, float]:
        """Return the utility that the corpus prior adds to a candidate; empty if the KB was not adapted."""
        prior = self.ranking.corpus_prior
        return {} if prior is None else {CORPUS.name: float(prior[row]) / self._temperature}

    def _column_reason(self, row: int) -> ColumnReason | None:
        """Return what the column of a table has in common with a candidate."""
        cells = self.ranking.cells
        if cells is None or cells.evidence.attribute[row] < 0:
            return None
        evidence = cells.evidence
        attribute = described_attribute(self.kb, int(evidence.attribute[row]))
        return ColumnReason(*attribute, int(evidence.having[row]), int(evidence.others[row]))

    @lazy
    def _coincidence(self) -> Coincidence | None:
        return Coincidence.of(self.groups, self.context)

    def _coincidence_reason(self, row: int, shares: Mapping[str, float]) -> ColumnReason | None:
        """Return what the other names of a text could have in common with a candidate, where that puts it ahead."""
        found = self._coincidence if shares.get(COINCIDENCE.name, 0.0) >= _WORTH_SAYING else None
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
        document = int(np.searchsorted(self.groups.document_bounds, group, side="right")) - 1
        linked = said.linked.get(int(self.groups.entity[row]), 0)
        here = squash(name) in memory.corrections_in(self.batch.documents[document])
        return MemoryReason(linked, sum(said.linked.values()) - linked, said.none, said.not_a_name, here)

    def _match(self, mention: Mention, text: str, entity: int, match_type: int) -> tuple[str, str]:
        names = self.kb.names_of(entity) or [self.kb.id_of(entity)]
        matched = matched_name(text, names, match_type, aliases=self.aliases)
        contains = set(tokenize(text)) <= set(tokenize(matched))
        is_given = match_type == CONTAINS and mention.candidates is not None and not contains
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

    # support

    def _support(self, row: int) -> tuple[tuple[Support, ...], float]:
        """Return the names that support a candidate most, and the share of all others."""
        contributions = self._candidates.contributions(row)
        shares = {column: share(contributions) for group in JOINT_GROUPS for column, share in group.shares.items()}
        amount = self._amount(row, shares)
        first_group = int(contributions.groups[0])
        group_of_candidate = contributions.groups - first_group
        total = np.maximum(np.bincount(group_of_candidate, weights=amount), 0)
        if not total.sum() > 0:
            return (), 0.0
        share_of_group = total / total.sum()
        order = [int(i) for i in np.argsort(-share_of_group, kind="stable") if share_of_group[i] > 0]
        support = []
        for group in order[:_MAX_SUPPORT]:
            strongest = int(np.argmax(np.where(group_of_candidate == group, amount, -np.inf)))
            reasons = self._reasons(contributions, shares, strongest)
            support.append(self._supporter(contributions.first + strongest, float(share_of_group[group]), reasons))
        return tuple(support), float(share_of_group[order[_MAX_SUPPORT:]].sum())

    def _amount(self, row: int, shares: Mapping[str, Floats]) -> Floats:
        """Return what each candidate of the document adds to the utility of one of them: its share of each column [r]."""
        utility = dict(zip(COLUMNS, self._utilities(row).tolist(), strict=True))
        amounts = [_in_proportion(utility[column], share) for column, share in shares.items()]
        return np.asarray(sum(amounts))

    def _reasons(self, contributions: Contributions, shares: Mapping[str, Floats], position: int) -> tuple[Reason, ...]:
        return tuple(reason for group in JOINT_GROUPS for reason in group.reasons(contributions, shares, position))

    def _supporter(self, row: int, share: float, reasons: tuple[Reason, ...]) -> Support:
        mention = int(self.groups.first_mention[self.groups.group[row]])
        first_of_document = self.batch.mention_bounds[np.searchsorted(self.batch.mention_bounds, mention, side="right") - 1]
        entity = int(self.groups.entity[row])
        return Support(
            self.batch.mentions[mention].text,
            mention - int(first_of_document),
            self.kb.id_of(entity),
            self.kb.label_of(entity),
            float(self.ranking.probability[row]) * self._factor(int(self.groups.group[row])),
            share,
            reasons,
        )


def _in_proportion(amount: float, shares: Floats) -> Floats:
    """Share out an amount in proportion; nothing where there is no share."""
    return amount * shares / total if (total := shares.sum()) > 0 else np.zeros(len(shares))

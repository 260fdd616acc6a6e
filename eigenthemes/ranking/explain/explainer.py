"""Why a candidate won, from the very features it was ranked by: in figures, and in a sentence.

What other names put in is found again by walking the neighbours of the one candidate asked for, `MOST` of each entity at
most, as the ranker did: never all pairs of candidates.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.generator import matched_names
from eigenthemes.candidates.rules import CONTAINS, MATCH_TYPES
from eigenthemes.kb.name_index import ACRONYM, INITIALS, UNBRACKETED
from eigenthemes.ranking.explain.shares import shares_of
from eigenthemes.ranking.explain.walk import Pull, Walk
from eigenthemes.ranking.explain.words import cut, in_words, last_part, readable
from eigenthemes.ranking.features import COLUMNS, GROUPS, FeatureContext
from eigenthemes.ranking.ranker import Judgement, Ranker
from eigenthemes.records import (
    CLOSE,
    EDGE,
    GIVEN,
    LONGER,
    SAME,
    SHARED,
    ExplainedCandidate,
    Explanation,
    Mention,
    Reason,
    Support,
)
from eigenthemes.text.normalize import normalize, tokenize

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_MOST_SHOWN = 5  # names that support
_MOST_SHARED = 3  # neighbours shown
_AT = {group: np.array([COLUMNS.index(name) for name in names]) for group, names in GROUPS.items()}
_LINKS = [COLUMNS.index(name) for name in ("edges", "shared", "longer_name", "same_entity")]


class Explainer:
    """Explains the mentions of a judged batch.

    threshold  a less likely answer is none; None: the ranker's own
    aliases    were aliases looked at?
    """

    def __init__(
        self,
        ranker: Ranker,
        judgement: Judgement,
        around: FeatureContext,
        *,
        threshold: float | None = None,
        aliases: bool = True,
    ) -> None:
        self.judgement, self.around, self.kb, self.aliases = judgement, around, around.kb, aliases
        self.names, self.batch = judgement.names, judgement.names.batch
        self.threshold = ranker.threshold if threshold is None else threshold
        self._weights = ranker.rounds[-1].choice / ranker.temperature
        self._walked: tuple[int, Walk] | None = None
        self._known: dict[tuple[int, str], Explanation] = {}

    def explain(self, mention: int) -> Explanation:
        """Why a mention of the batch (by its number there) was linked as it was; a repeated name has the same reasons."""
        key = int(self.names.name_of[mention]), self.batch.mentions[mention].text
        if key not in self._known:
            explanation = self._explain(mention, *key)
            self._known[key] = replace(explanation, sentence=in_words(explanation))
        return self._known[key]

    def candidates(self, mention: int) -> list[ExplainedCandidate]:
        """All candidates of a mention, the most likely first."""
        return list(self._considered(mention, self._ranked(int(self.names.name_of[mention]))))

    def _explain(self, mention: int, name: int, text: str) -> Explanation:
        none, other_names = float(self.judgement.none[name]), int(self.names.others[name])
        rows = self._ranked(name)
        if not rows:
            return Explanation(text, "no_candidate", none, self.threshold, other_names=other_names)
        considered = list(self._considered(mention, rows[:2]))
        best, runner_up = considered[0], considered[1] if len(considered) > 1 else None
        popular = self._more_popular(rows)
        shares, against = shares_of(best, runner_up)
        support, others = self._support(name, rows[0])
        return Explanation(
            text,
            self._nil_reason(rows[0]),
            none,
            self.threshold,
            len(rows),
            other_names,
            best,
            runner_up,
            next(self._considered(mention, [popular]), None) if popular is not None else None,
            shares,
            against,
            support,
            others,
        )

    # candidates

    def _ranked(self, name: int) -> list[int]:
        first, last = self.names.bounds[name : name + 2].tolist()
        return [first + int(i) for i in np.argsort(-self.judgement.probability[first:last], kind="stable")]

    def _more_popular(self, rows: list[int]) -> int | None:
        prior = self.batch.table.prior[self.names.row[rows]]
        popular = int(np.argmax(prior))
        return rows[popular] if prior[popular] > prior[0] else None

    def _nil_reason(self, row: int) -> str | None:
        if self.judgement.probability[row] >= self.threshold:
            return None
        vectors = self.around.vectors
        return "low_probability" if vectors is None or vectors.has[self.names.entity[row]] else "no_embedding"

    def _considered(self, mention: int, rows: Sequence[int]) -> Iterator[ExplainedCandidate]:
        said, entity, table = self.batch.mentions[mention], self.names.entity, self.batch.table
        first, last = self.names.bounds[self.names.name_of[mention] :][:2].tolist()
        rivals = [int(each) for each in entity[first:last]]
        for row in rows:
            number = int(entity[row])
            how, name = self._match(said, number, int(table.match_type[self.names.row[row]]))
            parts = self._parts(row)
            yield ExplainedCandidate(
                id=self.kb.id_of(number),
                label=self.kb.label_of(number),
                display_label=self._display_label(number, said.text, rivals),
                description=self.kb.description_of(number),
                probability=float(self.judgement.probability[row]),
                prior=float(table.prior[self.names.row[row]]),
                match_type=how,
                matched_name=name,
                contributions={group: float(parts[at].sum()) for group, at in _AT.items()},
                connected=bool(self.judgement.features[row, _LINKS].any()),
            )

    def _parts(self, row: int) -> Floats:
        """What each column adds to a candidate [c]."""
        return np.asarray(self.judgement.features[row] * self._weights)

    def _match(self, said: Mention, entity: int, kind: int) -> tuple[str, str]:
        names = self.kb.names_of(entity) or [self.kb.id_of(entity)]
        only_label = not self.aliases or kind in (UNBRACKETED, INITIALS, ACRONYM)
        matched = names[0] if only_label else matched_names(said.text, names)
        if kind == CONTAINS and said.candidates is not None and not set(tokenize(said.text)) <= set(tokenize(matched)):
            return GIVEN, matched
        return MATCH_TYPES[kind], matched

    def _display_label(self, entity: int, said: str, rivals: list[int]) -> str:
        label = self.kb.label_of(entity)
        twins = [each for each in rivals if each != entity and self.kb.label_of(each) == label]
        if not twins and normalize(label) != normalize(said):
            return label
        described = cut(self.kb.description_of(entity))
        if not described or described in (cut(self.kb.description_of(each)) for each in twins):
            described = last_part(self.kb.id_of(entity))
        return label if described == label else f"{label} ({described})"

    # support

    def _support(self, name: int, row: int) -> tuple[tuple[Support, ...], float]:
        """The names that pulled a candidate most, and the share of all others."""
        walk = self._walk(name)
        pull = walk.pull(row, self._parts(row))
        first_name, of = walk.first_name, walk.name - walk.first_name
        total = np.maximum(np.bincount(of, weights=pull.amount), 0)
        if not total.sum() > 0:
            return (), 0.0
        shares = total / total.sum()
        order = [int(i) for i in np.argsort(-shares, kind="stable") if shares[i] > 0]
        shown = []
        for each in order[:_MOST_SHOWN]:
            strongest = int(np.argmax(np.where(of == each, pull.amount, -np.inf)))
            shown.append(self._supporter(first_name + each, strongest, pull, float(shares[each])))
        return tuple(shown), float(shares[order[_MOST_SHOWN:]].sum())

    def _supporter(self, name: int, place: int, pull: Pull, share: float) -> Support:
        first = int(self.names.mention[name])
        before = self.batch.mention_bounds[np.searchsorted(self.batch.mention_bounds, first, side="right") - 1]
        row = pull.first + place
        entity = int(self.names.entity[row])
        return Support(
            self.batch.mentions[first].text,
            first - int(before),
            self.kb.id_of(entity),
            self.kb.label_of(entity),
            float(self.judgement.probability[row]),
            share,
            tuple(self._reasons(place, pull)),
        )

    def _reasons(self, place: int, pull: Pull) -> Iterator[Reason]:
        """From the plainest on: whoever is joined by an edge is also close in the vectors."""
        if pull.same[place]:
            yield Reason(LONGER if pull.longer[place] else SAME)
            return
        if place in pull.codes:
            code = pull.codes[place]
            yield Reason(EDGE, self._relation(code), bool(code & 1))
        nodes = pull.met[1][pull.met[0] == place]
        if len(nodes):
            yield self._shared(pull.entity, int(self.names.entity[pull.first + place]), nodes)
        if pull.close[place] > 0:
            yield Reason(CLOSE)

    def _shared(self, entity: int, other: int, nodes: Ints) -> Reason:
        rarest = [int(node) for node in nodes[np.argsort(-self.around.graph[2][nodes], kind="stable")]]
        named = [node for node in rarest if self.kb.names_of(node)] or rarest
        one, two = (self._code(each, named[0]) for each in (entity, other))
        relation = self._relation(one) if one == two and not one & 1 else ""
        return Reason(SHARED, relation, shared=tuple(self.kb.label_of(node) for node in named[:_MOST_SHARED]))

    def _code(self, entity: int, neighbor: int) -> int:
        graph = self.kb.graph
        return int(graph.relations[graph.indptr[entity] + np.searchsorted(graph.around(entity), neighbor)])

    def _relation(self, code: int) -> str:
        return readable(str(self.kb.relations[code >> 1]))

    def _walk(self, name: int) -> Walk:
        """What the document of a name is walked by; kept for the next mention."""
        document = int(np.searchsorted(self.names.documents, name, side="right")) - 1
        if self._walked is None or self._walked[0] != document:
            self._walked = document, Walk(self.judgement, self.around, document)
        return self._walked[1]

"""Why a candidate won, from the very features it was ranked by: in figures, and in a sentence.

What other names put in is found again by walking the neighbours of the one candidate asked for, `MOST` of each entity at
most, as the ranker did: never all pairs of candidates.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates import matched_names
from eigenthemes.kernels.support import LEAST, MOST
from eigenthemes.matching import CONTAINS, HOW
from eigenthemes.names import ACRONYM, INITIALS, UNBRACKETED
from eigenthemes.records import Mention
from eigenthemes.selftrain.features import COLUMNS, GROUPS, Surroundings
from eigenthemes.selftrain.ranker import Judgement, Ranker
from eigenthemes.text import normalize, tokenize

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

EDGE, SHARED, SAME, LONGER, CLOSE = "edge", "shared", "same entity", "longer name", "close in the vectors"
GIVEN = "given by the document"

_MOST_SHOWN = 5  # names that support
_MOST_SHARED = 3  # neighbours shown
_MOST_SAID = 3  # names in a sentence, fewer where they give `_ENOUGH` of the support
_ENOUGH = 0.8
_WORTH_SAYING = 0.05  # a runner-up less likely than this is not in the sentence
_LONGEST = 80  # characters of a description in a sentence
_AT = {group: np.array([COLUMNS.index(name) for name in names]) for group, names in GROUPS.items()}
_JOINTS = (
    " of",
    " in",
    " at",
    " for",
    " by",
    " on",
    " to",
    " from",
    " with",
)  # "both part of Texas", but not "both league NBA"
_LINKS = [COLUMNS.index(name) for name in ("edges", "shared", "longer_name", "same_entity")]


@dataclass(frozen=True, slots=True)
class Considered:
    """A candidate as the ranker saw it.

    shown          its label, told apart from the mention and from other candidates of the same label
    how, name      how its name matched (a value of `matching.HOW`, or GIVEN), and which
    contributions  group of features -> what it adds; 1 more than another candidate is 2.7 times as likely
    linked         do the other names share an edge, a neighbour or the entity itself with it?
    """

    id: str
    label: str
    shown: str
    description: str
    probability: float
    prior: float
    how: str
    name: str
    contributions: dict[str, float]
    linked: bool

    def to_dict(self) -> dict[str, Any]:
        found: dict[str, Any] = _rounded(asdict(self))
        return found


@dataclass(frozen=True, slots=True)
class Reason:
    """How a candidate of another name supports.

    how       EDGE, SHARED, SAME, LONGER or CLOSE
    relation  of the edge; of both edges, where shared neighbours are reached by the same one
    reverse   the statement runs from the other candidate to the one it supports
    shared    labels of the shared neighbours, the rarest first
    """

    how: str
    relation: str = ""
    reverse: bool = False
    shared: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Support:
    """Another name of the document that pulled, and its candidate that pulled most.

    mention  the number of the (first) mention of that name in the document, from 0
    share    of the support by all other names
    reasons  the most telling first
    """

    text: str
    mention: int
    id: str
    label: str
    probability: float
    share: float
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a mention was linked as it was.

    nil_reason    None where the best candidate is the answer
    none          the probability that no candidate is right
    choices       how many candidates there were
    other_names   how many other names the document has
    more_popular  the candidate of the highest prior, if that is not the best one
    shares        group of features -> its share of what speaks for the best candidate against the runner-up; sums to 1
    against       the same for what speaks against it, in the same measure
    support       the names that pulled most
    others        the share of the support by further names
    words         all this in a sentence
    """

    text: str
    nil_reason: str | None
    none: float
    threshold: float
    choices: int = 0
    other_names: int = 0
    best: Considered | None = None
    runner_up: Considered | None = None
    more_popular: Considered | None = None
    shares: dict[str, float] = field(default_factory=dict)
    against: dict[str, float] = field(default_factory=dict)
    support: tuple[Support, ...] = ()
    others: float = 0.0

    @property
    def words(self) -> str:
        return in_words(self)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, the words first."""
        found: dict[str, Any] = _rounded({"words": self.words, **asdict(self)})
        return found


class Explainer:
    """Explains the mentions of a judged batch.

    threshold  a less likely answer is none; None: the ranker's own
    aliases    were aliases looked at?
    """

    def __init__(
        self,
        ranker: Ranker,
        judgement: Judgement,
        around: Surroundings,
        *,
        threshold: float | None = None,
        aliases: bool = True,
    ) -> None:
        self.judgement, self.around, self.kb, self.aliases = judgement, around, around.kb, aliases
        self.names, self.batch = judgement.names, judgement.names.batch
        self.threshold = ranker.threshold if threshold is None else threshold
        self._weights = ranker.rounds[-1].choice / ranker.temperature
        self._walked: tuple[int, _Walk] | None = None
        self._known: dict[tuple[int, str], Explanation] = {}

    def explain(self, mention: int) -> Explanation:
        """Why a mention of the batch (by its number there) was linked as it was; a repeated name has the same reasons."""
        key = int(self.names.name_of[mention]), self.batch.mentions[mention].text
        if key not in self._known:
            self._known[key] = self._explain(mention, *key)
        return self._known[key]

    def candidates(self, mention: int) -> list[Considered]:
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
        shares, against = _shares(best, runner_up)
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

    def _considered(self, mention: int, rows: Sequence[int]) -> Iterator[Considered]:
        said, entity, table = self.batch.mentions[mention], self.names.entity, self.batch.table
        first, last = self.names.bounds[self.names.name_of[mention] :][:2].tolist()
        rivals = [int(each) for each in entity[first:last]]
        for row in rows:
            number = int(entity[row])
            how, name = self._match(said, number, int(table.name_match[self.names.row[row]]))
            parts = self._parts(row)
            yield Considered(
                id=self.kb.id(number),
                label=self.kb.label(number),
                shown=self._shown(number, said.text, rivals),
                description=self.kb.description(number),
                probability=float(self.judgement.probability[row]),
                prior=float(table.prior[self.names.row[row]]),
                how=how,
                name=name,
                contributions={group: float(parts[at].sum()) for group, at in _AT.items()},
                linked=bool(self.judgement.features[row, _LINKS].any()),
            )

    def _parts(self, row: int) -> Floats:
        """What each column adds to a candidate [c]."""
        return np.asarray(self.judgement.features[row] * self._weights)

    def _match(self, said: Mention, entity: int, kind: int) -> tuple[str, str]:
        names = self.kb.names_of(entity) or [self.kb.id(entity)]
        only_label = not self.aliases or kind in (UNBRACKETED, INITIALS, ACRONYM)
        matched = names[0] if only_label else matched_names(said.text, names)
        if kind == CONTAINS and said.candidates is not None and not set(tokenize(said.text)) <= set(tokenize(matched)):
            return GIVEN, matched
        return HOW[kind], matched

    def _shown(self, entity: int, said: str, rivals: list[int]) -> str:
        label = self.kb.label(entity)
        twins = [each for each in rivals if each != entity and self.kb.label(each) == label]
        if not twins and normalize(label) != normalize(said):
            return label
        described = _cut(self.kb.description(entity))
        if not described or described in (_cut(self.kb.description(each)) for each in twins):
            described = _last_part(self.kb.id(entity))
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

    def _supporter(self, name: int, place: int, pull: _Pull, share: float) -> Support:
        first = int(self.names.mention[name])
        before = self.batch.mention_bounds[np.searchsorted(self.batch.mention_bounds, first, side="right") - 1]
        row = pull.first + place
        entity = int(self.names.entity[row])
        return Support(
            self.batch.mentions[first].text,
            first - int(before),
            self.kb.id(entity),
            self.kb.label(entity),
            float(self.judgement.probability[row]),
            share,
            tuple(self._reasons(place, pull)),
        )

    def _reasons(self, place: int, pull: _Pull) -> Iterator[Reason]:
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
        return Reason(SHARED, relation, shared=tuple(self.kb.label(node) for node in named[:_MOST_SHARED]))

    def _code(self, entity: int, neighbor: int) -> int:
        graph = self.kb.graph
        return int(graph.relations[graph.indptr[entity] + np.searchsorted(graph.around(entity), neighbor)])

    def _relation(self, code: int) -> str:
        return _readable(str(self.kb.relations[code >> 1]))

    def _walk(self, name: int) -> _Walk:
        """What the document of a name is walked by; kept for the next mention."""
        document = int(np.searchsorted(self.names.documents, name, side="right")) - 1
        if self._walked is None or self._walked[0] != document:
            self._walked = document, _Walk(self.judgement, self.around, document)
        return self._walked[1]


class _Pull(NamedTuple):
    """What each row of a document (from `first` on) put in for one candidate.

    entity    the candidate
    amount    [n] what it adds to the candidate
    close     [n] in the vectors
    same      [n] bool: the same entity; longer [n] bool: as a candidate of a longer name
    codes     row -> relation of the edge
    met       (rows, shared neighbours)
    """

    first: int
    entity: int
    amount: Floats
    close: Floats
    same: NDArray[np.bool_]
    longer: NDArray[np.bool_]
    codes: dict[int, int]
    met: tuple[Ints, Ints]


class _Walk:
    """The rows of a document, and the nodes they reach, in order of node."""

    def __init__(self, judgement: Judgement, around: Surroundings, document: int) -> None:
        names = judgement.names
        self.first_name, last_name = names.documents[document : document + 2].tolist()
        first, last = names.bounds[[self.first_name, last_name]].tolist()
        self.around, self.first, self._longer_names = around, first, names.longer
        self.entity, self.name = names.entity[first:last], names.name[first:last]
        self.weight = judgement.weight[first:last].astype(np.float32).astype(np.float64)  # as the kernel saw it
        indptr, neighbors, _ = around.graph
        rows = np.flatnonzero(self.weight >= LEAST)
        starts = indptr[self.entity[rows]]
        counts = np.minimum(indptr[self.entity[rows] + 1] - starts, MOST)
        nodes = neighbors[np.repeat(starts - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
        order = np.argsort(nodes, kind="stable")
        self._node, self._row = nodes[order], np.repeat(rows, counts)[order]

    def pull(self, row: int, parts: Floats) -> _Pull:
        """What each row adds to the candidate of one of them, whose columns add `parts`."""
        place, entity = row - self.first, int(self.entity[row - self.first])
        other = self.name != self.name[place]
        adds = dict(zip(COLUMNS, parts.tolist(), strict=True))
        codes = self._edges(entity, other)
        edges = np.zeros(len(other))
        edges[list(codes)] = self.weight[list(codes)]
        met, shared, rare = self._shared(entity, other)
        close = self._close(entity, other)
        same = other & (self.entity == entity)
        longer = same & np.isin(self.name, self._longer(int(self.name[place])))
        amount = (
            _spread(adds["edges"], edges)
            + _spread(adds["shared"], shared)
            + _spread(adds["shared_rare"], rare)
            + _spread(adds["coherence"], close)
            + _spread(adds["longer_name"], self.weight * longer)
            + _spread(adds["same_entity"], self.weight * (same & ~longer))
        )
        return _Pull(self.first, entity, amount, close, same, longer, codes, met)

    def _longer(self, name: int) -> Ints:
        indptr, longer = self._longer_names
        return np.asarray(longer[indptr[name] : indptr[name + 1]] + self.first_name)

    def _edges(self, entity: int, other: NDArray[np.bool_]) -> dict[int, int]:
        """Row -> relation, of the rows whose entity is a neighbour."""
        graph = self.around.kb.graph
        start, neighbors = int(graph.indptr[entity]), graph.around(entity)
        if not len(neighbors):
            return {}
        at = np.minimum(np.searchsorted(neighbors, self.entity), len(neighbors) - 1)
        rows = np.flatnonzero((neighbors[at] == self.entity) & other & (self.weight >= LEAST))
        return dict(zip(rows.tolist(), graph.relations[start + at[rows]].tolist(), strict=True))

    def _shared(self, entity: int, other: NDArray[np.bool_]) -> tuple[tuple[Ints, Ints], Floats, Floats]:
        """Which rows meet at which neighbours, and what each row put there [n], as it is and times their rarity."""
        indptr, neighbors, rarity = self.around.graph
        nodes = neighbors[indptr[entity] : min(indptr[entity + 1], indptr[entity] + MOST)]
        first, last = (np.searchsorted(self._node, nodes, side=side) for side in ("left", "right"))
        counts = last - first
        at = np.repeat(np.arange(len(nodes)), counts)
        rows = self._row[np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
        at, rows = at[other[rows]], rows[other[rows]]
        mass = np.bincount(at, weights=self.weight[rows], minlength=len(nodes))
        put = self.weight[rows] * (np.minimum(1, mass) / np.maximum(mass, LEAST))[at]
        rare = put * rarity[nodes[at]]
        shared, shared_rare = (np.bincount(rows, each, len(other)).astype(np.float64) for each in (put, rare))
        return (rows, nodes[at].astype(np.int64)), shared, shared_rare

    def _close(self, entity: int, other: NDArray[np.bool_]) -> Floats:
        if self.around.vectors is None:
            return np.zeros(len(other))
        rows = self.around.vectors.rows
        return np.asarray(other * self.weight * np.square(rows[self.entity] @ rows[entity]), np.float64)


def _spread(whole: float, put: Floats) -> Floats:
    """A whole, in proportion to what each put in."""
    return whole * put / total if (total := put.sum()) > 0 else np.zeros(len(put))


def _shares(best: Considered, runner_up: Considered | None) -> tuple[dict[str, float], dict[str, float]]:
    """What speaks for the best candidate, and against it; without a runner-up, what it adds by itself."""
    ahead = _ahead(best, runner_up)
    total = sum(value for value in ahead.values() if value > 0)
    if not total > 0:
        return {}, {}
    shares = {group: value / total for group, value in ahead.items()}
    ordered = sorted(shares.items(), key=lambda item: -abs(item[1]))
    return {group: value for group, value in ordered if value > 0}, {group: -value for group, value in ordered if value < 0}


def _ahead(best: Considered, other: Considered | None) -> dict[str, float]:
    less = other.contributions if other is not None else dict.fromkeys(GROUPS, 0.0)
    return {group: value - less[group] for group, value in best.contributions.items()}


# in words


def in_words(found: Explanation) -> str:
    """An explanation as a sentence."""
    sentence = f"{found.text} -> {_answer(found)}."
    return " ".join("".join(char if char.isprintable() else " " for char in sentence).split())


def _answer(found: Explanation) -> str:
    best = found.best
    if best is None:
        return "nothing: no name in the KB resembles it"
    if found.nil_reason is None:
        return f"{best.shown}: " + "; ".join((_name_clause(found, best), _support_clause(found, best), *_rivals(found, best)))
    chance, threshold = _percents(best.probability, found.threshold)
    which = "the only candidate" if found.choices == 1 else "the best candidate"
    why = f"{_how(best)}{'; ' if best.linked and found.support else ', and '}{_support_clause(found, best)}"
    rival = found.runner_up
    if rival is not None and rival.probability >= max(_WORTH_SAYING, best.probability / 2):
        why += f"; {rival.shown} is nearly as likely, with {_percent(rival.probability)}"
    return f"nothing: {which}, {best.shown}, has {chance} (threshold {threshold}): {why}"


def _name_clause(found: Explanation, best: Considered) -> str:
    if found.choices == 1:
        return f"{_how(best)}, the only candidate"
    if found.more_popular is None and found.shares.get("prior", 0) > 0:
        return f"{_how(best)}, the most popular of {found.choices} candidates"
    return _how(best)


def _how(best: Considered) -> str:
    own = best.name == best.label
    if best.how == "contains all words":
        if " + " in best.name and not own:
            return "its names together have all the words"
        return "part of its name" if own else f"part of its other name {best.name}"
    return {
        "label": "exact name",
        "alias": f"also called {best.name}",
        "label without brackets": "exact name but for the brackets",
        "initials": "its name with initials",
        "acronym": "an acronym of its name",
        "other ending": f"{best.name} with another ending",
        "shares words": "some words of its name" if own else f"some words of its other name {best.name}",
    }.get(best.how, best.how)


def _support_clause(found: Explanation, best: Considered) -> str:
    if not found.other_names:
        return "there is no other name in the document to support it"
    if not found.support:
        return "nothing in the document supports it"
    if found.nil_reason is not None and not best.linked:  # close in the vectors, as everything is a little
        return "no other name in the document is linked to it"
    said: list[Support] = []
    for each in found.support[:_MOST_SAID]:
        if sum(one.share for one in said) < _ENOUGH:
            said.append(each)
    whole = sum(each.share for each in said)
    amount = "all the support is" if whole > 0.995 else f"{_percent(whole)} of the support is"
    by_reason: dict[Reason, list[str]] = {}
    for each in said:
        by_reason.setdefault(each.reasons[0], []).append(each.text)
    parts = [f"{_listed(texts)} ({_because(reason, best.label, len(texts))})" for reason, texts in by_reason.items()]
    return f"{amount} from {_listed(parts, ', and ' if len(parts) < len(said) else ' and ')}"


def _because(reason: Reason, label: str, names: int) -> str:
    if reason.how == EDGE:
        return f"{reason.relation} {label}" if reason.reverse else reason.relation
    if reason.how == SHARED:
        joined = reason.relation if reason.relation.endswith(_JOINTS) else "linked to"
        return f"{'both' if names == 1 else 'all'} {joined} {reason.shared[0]}"
    return {SAME: "the same entity", LONGER: "a longer name of it", CLOSE: "on the same theme"}[reason.how]


def _rivals(found: Explanation, best: Considered) -> Iterator[str]:
    popular, runner_up = found.more_popular, found.runner_up
    if popular is not None:
        yield f"{popular.shown} is more popular but {_weakness(best, popular)}"
    if runner_up is not None and runner_up != popular and runner_up.probability >= _WORTH_SAYING:
        yield f"next best, with {_percent(runner_up.probability)}, is {runner_up.shown}"


def _weakness(best: Considered, rival: Considered) -> str:
    """What holds a more popular candidate back most."""
    ahead = {group: value for group, value in _ahead(best, rival).items() if group != "prior"}
    group = max(ahead, key=lambda each: ahead[each])
    if group == "themes" and best.linked and not rival.linked:
        return "shares nothing with the other names"
    return {
        "name": "its name fits less well",
        "themes": "fits the other names less well",
        "context": "fits the text less well",
        "coreference": "is not what the other names mean",
    }[group]


def _listed(parts: Sequence[str], last: str = " and ") -> str:
    return last.join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.005 else "less than 1%"


def _percents(one: float, two: float) -> tuple[str, str]:
    """Two that differ must not look the same."""
    same = _percent(one) == _percent(two)
    return (f"{one:.2%}", f"{two:.2%}") if same else (_percent(one), _percent(two))


def _cut(text: str) -> str:
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rpartition(" ")[0].rstrip(" ,;.") + "…"


def _last_part(name: str) -> str:
    """The part of an IRI that people read."""
    if "://" not in name:
        return name
    return re.split(r"[/#]", name.rstrip("/#>"))[-1] or name


def _readable(relation: str) -> str:
    """A relation as words: https://example.org/partOf and part_of are both "part of"."""
    name = re.sub(r"^[\w.-]*:(?=\w)", "", _last_part(relation)).replace("_", " ").strip()
    words = re.sub(r"(?<=[a-z])[A-Z](?=[a-z])", lambda capital: f" {capital[0].lower()}", name)
    words = words[:1].lower() + words[1:] if words[1:2].islower() else words
    return "linked" if words in ("", "link") else words


def _rounded(value: Any) -> Any:
    """Figures as people read them."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    return [_rounded(each) for each in value] if isinstance(value, list | tuple) else value

"""Sentences that explain a link: the reasons for and against each candidate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from eigenthemes.explanations import (
    CLOSE,
    EDGE,
    LONGER,
    SAME,
    SHARED,
    ColumnReason,
    ExplainedCandidate,
    Explanation,
    MemoryReason,
    Reason,
    Support,
)
from eigenthemes.ranking.adaptation import GROUP as CORPUS
from eigenthemes.ranking.features import FEATURE_GROUPS
from eigenthemes.ranking.features.coincidence import COLUMN
from eigenthemes.ranking.features.row import GROUP as ROW
from eigenthemes.ranking.features.topic import GROUP as TOPIC


def shares_of(best: ExplainedCandidate, runner_up: ExplainedCandidate | None) -> tuple[dict[str, float], dict[str, float]]:
    """Return the contributions for and against the best candidate; without a runner-up, all of them."""
    ahead = ahead_in(best, runner_up)
    total = sum(value for value in ahead.values() if value > 0)
    if not total > 0:
        return {}, {}
    shares = {group: value / total for group, value in ahead.items()}
    ordered = sorted(shares.items(), key=lambda item: -abs(item[1]))
    return {group: value for group, value in ordered if value > 0}, {group: -value for group, value in ordered if value < 0}


def ahead_in(best: ExplainedCandidate, other: ExplainedCandidate | None) -> dict[str, float]:
    """Return by how much each feature group puts a candidate ahead of another one, or of nothing."""
    less = other.contributions if other is not None else dict.fromkeys(best.contributions, 0.0)
    return {group: value - less[group] for group, value in best.contributions.items()}


_GROUPS = {**FEATURE_GROUPS, COLUMN.name: COLUMN, ROW.name: ROW, CORPUS.name: CORPUS, TOPIC.name: TOPIC}
_MOST_NAMED = 3  # names in a sentence, fewer where they give `_ENOUGH` of the support
_ENOUGH = 0.8
_WORTH_SAYING = 0.05  # a runner-up less likely than this is not in the sentence
_SURELY_NAMED = 0.8  # a higher detection factor is not in the sentence
_LONGEST = 80  # characters of a description in a sentence
# "both part of Texas", but not "both league NBA"
_JOINTS = (" of", " in", " at", " for", " by", " on", " to", " from", " with")


def in_words(explanation: Explanation) -> str:
    """Put an explanation into a sentence."""
    sentence = f"{explanation.text} -> {_answer(explanation)}."
    return " ".join("".join(char if char.isprintable() else " " for char in sentence).split())


def _answer(explanation: Explanation) -> str:
    best, clauses = explanation.best, tuple(_clauses(explanation))
    if best is None:
        return "nothing: no name in the KB resembles it"
    support, detection = _support_clause(explanation, best), tuple(_detection_clause(explanation))
    if explanation.nil_reason is None:
        parts = (_name_clause(explanation, best), *clauses, support, *_rivals(explanation, best), *detection)
        return f"{best.display_label}: " + "; ".join(parts)
    probability, threshold = _percents(best.probability, explanation.threshold)
    which = "the only candidate" if explanation.candidate_count == 1 else "the best candidate"
    joint = "; " if best.connected and explanation.support else ", and "
    why = f"{_match_clause(best)}{joint}{support}"
    rival = explanation.runner_up
    if rival is not None and rival.probability >= max(_WORTH_SAYING, best.probability / 2):
        why += f"; {rival.display_label} is nearly as likely, with {_percent(rival.probability)}"
    why = "; ".join((why, *clauses, *detection))
    return f"nothing: {which}, {best.display_label}, has {probability} (threshold {threshold}): {why}"


def _clauses(explanation: Explanation) -> Iterator[str]:
    """Yield a clause for whatever supports the best candidate beside its name and the names around it."""
    row, topic = explanation.row, explanation.topic
    if explanation.memory is not None:
        yield _memory_clause(explanation.memory, linked=explanation.nil_reason is None)
    if row is not None:
        to = f"from {cut(row.text)} in its row to it" if row.reverse else f"from it to {cut(row.text)} in its row"
        yield f'"{cut(row.label)}" leads {to}, as in {row.having} of {row.rows} rows'
    for reason, where in ((explanation.column, "in this column"), (explanation.coincidence, "here")):
        if reason is not None:
            yield f"{reason.having} of the {reason.others} other names {where} can {_can(reason)}"
    if topic is not None and topic.names > 1:
        some = "most names" if 2 * topic.having > topic.names else f"{topic.having} of the {topic.names} names"
        yield f"{some} here have to do with {cut(topic.label)}"
    if explanation.words:
        yield f"words near it fit ({', '.join(map(cut, explanation.words))})"


def _detection_clause(explanation: Explanation) -> Iterator[str]:
    """Yield a clause if the probability is lower because the words may be no name."""
    if explanation.detection is None or explanation.detection > _SURELY_NAMED:
        return
    factor = _percent(explanation.detection)
    if explanation.stands_for:
        yield f"the text defines it as {cut(explanation.stands_for)}, so that it is a name of this KG with {factor} only"
    else:
        yield f"only spelled like this name: that it is one here at all has {factor}, by which the probability was multiplied"


def _memory_clause(memory: MemoryReason, *, linked: bool) -> str:
    """Return a clause on corrections of the name."""
    counts = {
        "linked so" if linked else "linked to it": memory.linked,
        "linked otherwise": memory.otherwise,
        "none of this KG": memory.none,
        "not a name": memory.not_a_name,
    }
    said = [f"{what} {_times(times)}" for what, times in counts.items() if times]
    return f"{_listed(said)} in your corrections{', this document among them' if memory.here else ''}"


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number:,} times"


def _can(column: ColumnReason) -> str:
    if column.is_type:
        return f"be {'an' if column.label[:1].lower() in tuple('aeiou') else 'a'} {cut(column.label)}"
    relation = f'the relation "{cut(column.label)}"'
    return f"be at the other end of {relation}" if column.reverse else f"have {relation}"


def _name_clause(explanation: Explanation, best: ExplainedCandidate) -> str:
    if explanation.candidate_count == 1:
        return f"{_match_clause(best)}, the only candidate"
    if explanation.more_popular is None and explanation.shares.get("prior", 0) > 0:
        return f"{_match_clause(best)}, the most popular of {explanation.candidate_count} candidates"
    return _match_clause(best)


def _match_clause(best: ExplainedCandidate) -> str:
    own = best.matched_name == best.label
    if best.match_type == "contains all words":
        if " + " in best.matched_name and not own:
            return "its names together have all the words"
        return "part of its name" if own else f"part of its other name {best.matched_name}"
    return {
        "label": "exact name",
        "alias": f"also called {best.matched_name}",
        "label but for brackets or commas": "exact name but for brackets or commas",
        "initials": "its name with initials",
        "acronym": "an acronym of its name",
        "same core": f"{best.matched_name} but for small words, titles or legal forms",
        "other form": f"{best.matched_name} in another form",
        "similar spelling": f"{best.matched_name} in another spelling",
        "remembered": "no name of it in the KG",
        "shares words": "some words of its name" if own else f"some words of its other name {best.matched_name}",
    }.get(best.match_type, best.match_type)


def _support_clause(explanation: Explanation, best: ExplainedCandidate) -> str:
    if not explanation.other_names:
        return "there is no other name in the document to support it"
    if not explanation.support:
        return "nothing in the document supports it"
    if explanation.nil_reason is not None and not best.connected:  # close in the vectors, as everything is a little
        return "no other name in the document is linked to it"
    named: list[Support] = []
    for supporter in explanation.support[:_MOST_NAMED]:
        if sum(other.share for other in named) < _ENOUGH:
            named.append(supporter)
    named_share = sum(supporter.share for supporter in named)
    amount = "all the support is" if named_share > 0.995 else f"{_percent(named_share)} of the support is"
    by_reason: dict[Reason, list[str]] = {}
    for supporter in named:
        by_reason.setdefault(supporter.reasons[0], []).append(supporter.text)
    parts = [f"{_listed(texts)} ({because(reason, best.label, len(texts))})" for reason, texts in by_reason.items()]
    return f"{amount} from {_listed(parts, ', and ' if len(parts) < len(named) else ' and ')}"


def because(reason: Reason, label: str, names: int = 1) -> str:
    """Return a phrase for why names support a candidate with this label."""
    if reason.type == EDGE:
        return f"{reason.relation} {label}" if reason.reverse else reason.relation
    if reason.type == SHARED:
        joined = reason.relation if reason.relation.endswith(_JOINTS) else "linked to"
        return f"{'both' if names == 1 else 'all'} {joined} {reason.shared[0]}"
    return {SAME: "the same entity", LONGER: "a longer name of it", CLOSE: "on the same theme"}[reason.type]


def _rivals(explanation: Explanation, best: ExplainedCandidate) -> Iterator[str]:
    popular, runner_up = explanation.more_popular, explanation.runner_up
    if popular is not None:
        yield f"{popular.display_label} is more popular but {_weakness(best, popular)}"
    if runner_up is not None and runner_up != popular and runner_up.probability >= _WORTH_SAYING:
        yield f"next best, with {_percent(runner_up.probability)}, is {runner_up.display_label}"


def _weakness(best: ExplainedCandidate, rival: ExplainedCandidate) -> str:
    """Return the main weakness of a more popular candidate."""
    ahead = {group: value for group, value in ahead_in(best, rival).items() if _GROUPS[group].weakness}
    group = _GROUPS[max(ahead, key=lambda name: ahead[name])]
    unconnected = best.connected and not rival.connected
    return group.weakness_unconnected if unconnected and group.weakness_unconnected else group.weakness


def _listed(parts: Sequence[str], last: str = " and ") -> str:
    return last.join((", ".join(parts[:-1]), parts[-1])) if len(parts) > 1 else parts[0]


def _percent(share: float) -> str:
    return f"{share:.0%}" if share >= 0.005 else "less than 1%"


def _percents(probability: float, threshold: float) -> tuple[str, str]:
    """Format both with enough digits to differ."""
    same = _percent(probability) == _percent(threshold)
    return (f"{probability:.2%}", f"{threshold:.2%}") if same else (_percent(probability), _percent(threshold))


def cut(text: str) -> str:
    """Shorten a description for a sentence."""
    if len(text) <= _LONGEST:
        return text
    return text[:_LONGEST].rpartition(" ")[0].rstrip(" ,;.") + "…"

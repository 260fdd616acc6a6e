"""The links of a batch as JSON, put together from pieces that are encoded once: per entity, and all numbers at once.

Every link has the same pieces in the same order, so that those of a whole batch are one list, filled column by column:

    mention ,"entity": answer score ,"probability": probability ,"ranking":[ ({"id": candidate score)... }],"nil_reason":null},
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from eigenthemes.documents.writer import cannot_write
from eigenthemes.kb.labels import Labels
from eigenthemes.records import Mention, PlainMentions

_ADDED = frozenset(("entity", "label", "score", "probability", "ranking", "nil_reason", "unknown_candidates"))
_ENTITY, _PROBABILITY, _RANKING = b',"entity":', b',"probability":', b',"ranking":['
_FIRST, _NEXT = b'{"id":', b'},{"id":'  # of a ranking: the object before is closed by the next one, or by the end
_NO_ANSWER = b'null,"label":null,"score":'
_ANSWER, _SCORE, _CHANCE, _CANDIDATES = 2, 3, 5, 7  # places of pieces; of a candidate there are three: _FIRST, itself, score
_BETWEEN = b"},"  # mentions of a list


@dataclass(frozen=True, slots=True)
class EncodedLinks:
    """What was decided for the mentions of a batch, ready to be written.

    pieces    of the links of all mentions, `size` of each, but for the mentions themselves
    unknown   mention -> ids the document gave that are not in the KB
    """

    pieces: list[bytes]
    size: int
    unknown: Mapping[int, tuple[str, ...]]

    @classmethod
    def of(
        cls,
        entity: NDArray[np.uint32],
        scores: NDArray[np.float64],
        bounds: NDArray[np.int64],
        probability: NDArray[np.float64],
        nil_reason: NDArray[np.int8],
        reasons: Sequence[str | None],
        *,
        labels: Labels,
        top: int,
        unknown: Mapping[int, tuple[str, ...]],
    ) -> EncodedLinks:
        """Encode the best candidates of mentions: `entity` and `scores` [k], those of mention i in bounds[i]:bounds[i + 1].

        probability  [mentions], nan: null; nil_reason [mentions]: why each is not linked, a number of `reasons`, of which the
        first says that it is; top: how many a ranking shows
        """
        named = [*labels.encoded(entity.tolist()), _NO_ANSWER, b""]
        numbers = [*_encoded(scores), b"null", b""]
        first, linked = bounds[:-1], nil_reason == 0
        ranked = np.minimum(np.diff(bounds), top)
        template = [b"", _ENTITY, b"", b"", _PROBABILITY, b"", _RANKING, *(b"" for _ in range(3 * top)), b""]
        size, pieces = len(template), template * len(first)
        answer = np.where(linked, first, -2).tolist()
        pieces[_ANSWER::size] = map(named.__getitem__, answer)
        pieces[_SCORE::size] = map(numbers.__getitem__, answer)
        pieces[_CHANCE::size] = _encoded(np.where(linked, probability, np.nan))
        for place in range(top):
            is_there = ranked > place
            candidate, at = np.where(is_there, first + place, -1).tolist(), _CANDIDATES + 3 * place
            pieces[at::size] = map((b"", _NEXT if place else _FIRST).__getitem__, is_there.tolist())
            pieces[at + 1 :: size] = map(named.__getitem__, candidate)
            pieces[at + 2 :: size] = map(numbers.__getitem__, candidate)
        ends = [b'%b],"nil_reason":%b},' % (last, orjson.dumps(reason)) for reason in reasons for last in (b"", b"}")]
        pieces[size - 1 :: size] = map(ends.__getitem__, (2 * nil_reason.astype(np.int64) + (ranked > 0)).tolist())
        return cls(pieces, size, unknown)

    def of_mentions(self, mentions: Sequence[Mention], first: int) -> orjson.Fragment:
        """Return the links of a document's mentions, from `first` on, as an array of JSON: as `Link.to_dict` has them."""
        last = first + len(mentions)
        pieces = self.pieces[first * self.size : last * self.size]
        try:
            pieces[:: self.size] = _beginnings(mentions)
        except TypeError as error:
            raise cannot_write(error) from None
        for number in self.unknown.keys() & range(first, last) if self.unknown else ():
            end = (number - first + 1) * self.size - 1
            pieces[end] = b'%b,"unknown_candidates":%b},' % (pieces[end][:-2], orjson.dumps(self.unknown[number]))
        return orjson.Fragment(b"[%b]" % b"".join(pieces)[:-1])


def _beginnings(mentions: Sequence[Mention]) -> list[bytes]:
    """Return the fields of mentions but those that links add, each without the end of the object."""
    if isinstance(mentions, PlainMentions):
        objects, fields = mentions.sources, mentions.fields
    else:
        objects = [mention.source if _is_as_given(mention) else mention.to_dict() for mention in mentions]
        fields = set[str]().union(*objects)
    if not _ADDED.isdisjoint(fields):
        objects = [{name: value for name, value in each.items() if name not in _ADDED} for each in objects]
    encoded = orjson.dumps(objects)
    if encoded.count(_BETWEEN) == len(objects) - 1:  # nowhere else: no mention has an object inside, nor a text like it
        return encoded[1:-2].split(_BETWEEN)
    return [orjson.dumps(each)[:-1] for each in objects]


def _is_as_given(mention: Mention) -> bool:
    source: dict[str, Any] = mention.source
    return source.get("text") is not None and source.get("end") == mention.end


def _encoded(numbers: NDArray[np.float64]) -> list[bytes]:
    """Return each number as JSON has it; null where it is none."""
    data = orjson.dumps(np.ascontiguousarray(numbers), option=orjson.OPT_SERIALIZE_NUMPY)
    return data[1:-1].split(b",") if len(numbers) else []

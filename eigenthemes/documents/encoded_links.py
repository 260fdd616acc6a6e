"""The links of a batch as JSON, put together from pieces that are encoded once: per entity, and all numbers at once.

Every link has the same pieces in the same order, so that those of a whole batch are one list, filled column by column:

    mention ,"entity": answer score ,"probability": probability ,"ranking":[ candidates }],"nil_reason":null},
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from eigenthemes.documents.writer import cannot_write
from eigenthemes.kb.entity_records import Labels
from eigenthemes.records import Mention, PlainMentions

_ADDED = frozenset(("entity", "label", "score", "probability", "ranking", "nil_reason", "unknown_candidates"))
_ENTITY, _PROBABILITY, _RANKING = b',"entity":', b',"probability":', b',"ranking":['
_FIRST, _NEXT = b'\n{"id":', b'},{"id":'  # of a ranking: a new line, which is nowhere in JSON, parts those of two mentions
_NO_ANSWER = b'null,"label":null,"score":'
_ANSWER, _SCORE, _CHANCE, _RANKED, _END = 2, 3, 5, 7, 8  # places of pieces
_TEMPLATE = [b"", _ENTITY, b"", b"", _PROBABILITY, b"", _RANKING, b"", b""]
_SIZE = len(_TEMPLATE)
_BETWEEN = b"},"  # mentions of a list


@dataclass(frozen=True, slots=True)
class EncodedLinks:
    """What was decided for the mentions of a batch, ready to be written.

    pieces   of the links of all mentions, but for the mentions themselves
    unknown  mention -> ids the document gave that are not in the KB
    """

    pieces: list[bytes]
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
        named, numbers = labels.encoded(entity.tolist()), _encoded(scores)
        linked, is_ranked = nil_reason == 0, (np.diff(bounds) > 0) & (top > 0)
        rankings = _rankings(named, numbers, bounds[:-1][is_ranked]) if top else [b""]
        answer = np.where(linked, bounds[:-1], -1).tolist()
        pieces = _TEMPLATE * len(answer)
        pieces[_ANSWER::_SIZE] = map([*named, _NO_ANSWER].__getitem__, answer)
        pieces[_SCORE::_SIZE] = map([*numbers, b"null"].__getitem__, answer)
        pieces[_CHANCE::_SIZE] = _encoded(np.where(linked, probability, np.nan))
        pieces[_RANKED::_SIZE] = map(rankings.__getitem__, np.where(is_ranked, np.cumsum(is_ranked), 0).tolist())
        ends = [b'%b],"nil_reason":%b},' % (last, orjson.dumps(reason)) for reason in reasons for last in (b"", b"}")]
        pieces[_END::_SIZE] = map(ends.__getitem__, (2 * nil_reason.astype(np.int64) + is_ranked).tolist())
        return cls(pieces, unknown)

    def of_mentions(self, mentions: Sequence[Mention], first: int) -> list[bytes]:
        """Return the links of a document's mentions, from `first` on, as pieces of an array: as `Link.to_dict` has them."""
        last = first + len(mentions)
        pieces = self.pieces[first * _SIZE : last * _SIZE]
        try:
            pieces[::_SIZE] = _beginnings(mentions)
        except TypeError as error:
            raise cannot_write(error) from None
        for number in self.unknown.keys() & range(first, last) if self.unknown else ():
            end = (number - first) * _SIZE + _END
            pieces[end] = b'%b,"unknown_candidates":%b},' % (pieces[end][:-2], orjson.dumps(self.unknown[number]))
        if not pieces:
            return [b"[]"]
        pieces[0], pieces[-1] = b"[" + pieces[0], pieces[-1][:-1] + b"]"
        return pieces


def _rankings(named: list[bytes], numbers: list[bytes], first: NDArray[np.int64]) -> list[bytes]:
    """Return nothing, then the candidates of each ranking, of which the first ones are given; the last object is left open."""
    begins = [_NEXT] * len(named)
    for place in first.tolist():
        begins[place] = _FIRST
    pieces = [b""] * (3 * len(named))
    pieces[0::3], pieces[1::3], pieces[2::3] = begins, named, numbers
    return b"".join(pieces).split(b"\n")


def _beginnings(mentions: Sequence[Mention]) -> list[bytes]:
    """Return the fields of mentions but those that links add, each without the end of the object."""
    if isinstance(mentions, PlainMentions):
        objects, fields = mentions.sources, mentions.fields
    else:
        objects = [mention.source if is_as_given(mention) else mention.to_dict() for mention in mentions]
        fields = set[str]().union(*objects)
    if not _ADDED.isdisjoint(fields):
        objects = [{name: value for name, value in each.items() if name not in _ADDED} for each in objects]
    encoded = orjson.dumps(objects)[1:-2].split(_BETWEEN)
    if len(encoded) == len(objects):  # no mention has an object inside, nor a text like what is between two
        return encoded
    return [orjson.dumps(each)[:-1] for each in objects]


def is_as_given(mention: Mention) -> bool:
    """Return whether the object that a mention came from says all of it."""
    source: dict[str, Any] = mention.source
    return source.get("text") is not None and source.get("end") == mention.end


def _encoded(numbers: NDArray[np.float64]) -> list[bytes]:
    """Return each number as JSON has it; null where it is none."""
    data = orjson.dumps(np.ascontiguousarray(numbers), option=orjson.OPT_SERIALIZE_NUMPY)
    return data[1:-1].split(b",") if len(numbers) else []

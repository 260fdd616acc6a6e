"""The links of a batch as JSON, put together from pieces that are encoded once: per entity, and all scores at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from eigenthemes.documents.writer import cannot_write
from eigenthemes.kb.labels import Labels
from eigenthemes.records import Mention

_ADDED = frozenset(("entity", "label", "score", "probability", "ranking", "nil_reason", "unknown_candidates"))
_PROBABILITY, _RANKING, _LINKED = b',"probability":', b',"ranking":[', b'],"nil_reason":null}'
_NO_ANSWER, _NIL = b',"entity":null,"label":null,"score":null,"probability":null,"ranking":[', b'],"nil_reason":'


@dataclass(frozen=True, slots=True)
class EncodedLinks:
    """What was decided for the mentions of a batch, ready to be written.

    mentions       of the batch
    bounds         [mentions + 1] where the best candidates of each mention begin
    pieces         of each candidate what names it as the answer, and in a ranking, up to its score
    scores         of each candidate, encoded
    rankings       of each mention, encoded
    probabilities  of each mention, encoded
    reasons        of each mention why it is not linked, encoded; None: it is
    unknown        mention -> ids the document gave that are not in the KB
    """

    mentions: Sequence[Mention]
    bounds: list[int]
    pieces: list[tuple[bytes, bytes]]
    scores: list[bytes]
    rankings: list[bytes]
    probabilities: list[bytes]
    reasons: list[bytes | None]
    unknown: Mapping[int, tuple[str, ...]]

    @classmethod
    def of(
        cls,
        mentions: Sequence[Mention],
        entity: NDArray[np.uint32],
        scores: NDArray[np.float64],
        bounds: NDArray[np.int64],
        probability: NDArray[np.float64],
        reasons: Sequence[str | None],
        *,
        labels: Labels,
        top: int,
        unknown: Mapping[int, tuple[str, ...]],
    ) -> EncodedLinks:
        """Encode the best candidates of mentions: `entity` and `scores` [k], those of mention i in bounds[i]:bounds[i + 1].

        probability  [mentions], nan: null; reasons: why each mention is not linked, None: it is; top: how many a ranking shows
        """
        pieces, numbers = labels.encoded(entity.tolist()), _encoded(scores)
        ranked = [b"},"] * (3 * len(pieces))
        ranked[0::3], ranked[1::3] = [piece for _, piece in pieces], numbers
        starts, ends = 3 * bounds[:-1], 3 * np.minimum(bounds[:-1] + top, bounds[1:])
        rankings = [b"".join(ranked[start:end])[:-1] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)]
        whys = {reason: None if reason is None else orjson.dumps(reason) for reason in set(reasons)}
        encoded_reasons = [whys[reason] for reason in reasons]
        return cls(mentions, bounds.tolist(), pieces, numbers, rankings, _encoded(probability), encoded_reasons, unknown)

    def of_mentions(self, first: int, last: int) -> orjson.Fragment:
        """Return the links of some mentions as an array of JSON, each as `records.Link.to_dict` has it."""
        try:
            links = self._links(first, last)
        except TypeError as error:
            raise cannot_write(error) from None
        for number in self.unknown.keys() & range(first, last) if self.unknown else ():
            unknown = orjson.dumps(self.unknown[number])
            links[number - first] = b'%b,"unknown_candidates":%b}' % (links[number - first][:-1], unknown)
        return orjson.Fragment(b"[%b]" % b",".join(links))

    def _links(self, first: int, last: int) -> list[bytes]:
        pieces, scores, links, join = self.pieces, self.scores, list[bytes](), b"".join
        columns = (self.mentions, self.bounds, self.reasons, self.rankings, self.probabilities)
        for mention, start, reason, ranking, probability in zip(*(column[first:last] for column in columns), strict=True):
            if reason is None:
                piece = pieces[start][0]
                link: tuple[bytes, ...] = (
                    _beginning(mention),
                    piece,
                    scores[start],
                    _PROBABILITY,
                    probability,
                    _RANKING,
                    ranking,
                    _LINKED,
                )
            else:
                link = _beginning(mention), _NO_ANSWER, ranking, _NIL, reason, b"}"
            links.append(join(link))
        return links


def _beginning(mention: Mention) -> bytes:
    """Return the fields of a mention but those that a link adds, without the end of the object."""
    source: dict[str, Any] = mention.source
    if source.get("text") is None or source.get("end") != mention.end:
        source = mention.to_dict()
    if not _ADDED.isdisjoint(source):
        source = {name: value for name, value in source.items() if name not in _ADDED}
    return orjson.dumps(source)[:-1]


def _encoded(numbers: NDArray[np.float64]) -> list[bytes]:
    """Return each number as JSON has it; null where it is none."""
    data = orjson.dumps(np.ascontiguousarray(numbers), option=orjson.OPT_SERIALIZE_NUMPY)
    return data[1:-1].split(b",") if len(numbers) else []

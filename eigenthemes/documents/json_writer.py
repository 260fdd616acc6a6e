"""Encode linked documents as JSON lines.

`linked_line` encodes one record. `LinkEncoder` encodes the links of a batch column by column, without making the records:
every entity is encoded once, all numbers in one call. Both give the same line.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from eigenthemes.errors import DocumentError
from eigenthemes.explanations import Explanation
from eigenthemes.kb.entity_records import Labels
from eigenthemes.records import Document, LinkedDocument, Mention, PlainMentions, document_fields

_LINK_FIELDS = frozenset(
    """entity label score probability probability_if_in_kg ranking nil_reason unknown_candidates ambiguous_with""".split()
)
# The pieces of a link; those that differ between links are filled in by column.
_TEMPLATE = [
    b"", b',"entity":', b"", b"", b',"probability":', b"", b',"probability_if_in_kg":', b"", b',"ranking":[', b"", b"",
]  # fmt: skip
_MENTION, _ENTITY, _SCORE, _PROBABILITY, _IF_IN_KG, _RANKING, _END = 0, 2, 3, 5, 7, 9, 10
_SIZE = len(_TEMPLATE)
_NO_ENTITY = b'null,"label":null,"score":'
_FIRST, _NEXT = b'\n{"id":', b'},{"id":'  # candidates; JSON holds no line break, so it can separate two rankings


def linked_line(linked: LinkedDocument) -> bytes:
    """Return a linked document as a line of JSON."""
    return json_line(linked.document, [link.to_dict() for link in linked.links])


def json_line(document: Document, mentions: list[dict[str, Any]] | orjson.Fragment) -> bytes:
    """Return a document as a line of JSON, with the given mentions."""
    try:
        return orjson.dumps({**document_fields(document), "mentions": mentions}, option=orjson.OPT_APPEND_NEWLINE)
    except TypeError as error:  # orjson writes fewer levels than it reads
        raise _unwritable(error) from None


class LinkEncoder:
    """Encode the documents of a decided batch.

    entity, scores  [k] the best candidates of all mentions, those of mention i in bounds[i]:bounds[i + 1]
    probability     [mentions], nan where there is none; if_in_kg: the same, if the right entity is in the KG
    nil_reason      [mentions] index of `reasons`, whose first one means linked
    top             candidates in a ranking
    ids             field -> mention -> ids, of fields that few links have
    explanations    of each mention
    """

    def __init__(
        self,
        entity: NDArray[np.uint32],
        scores: NDArray[np.float64],
        bounds: NDArray[np.int64],
        probability: NDArray[np.float64],
        if_in_kg: NDArray[np.float64],
        nil_reason: NDArray[np.int8],
        *,
        reasons: Sequence[str | None],
        labels: Labels,
        top: int,
        ids: Mapping[str, Mapping[int, tuple[str, ...]]],
        explanations: Sequence[Explanation] | None = None,
    ) -> None:
        self._ids, self._explanations = ids, explanations
        entities, numbers = labels.encoded(entity.tolist()), _encode_numbers(scores)
        linked, is_ranked = nil_reason == 0, (np.diff(bounds) > 0) & (top > 0)
        rankings = _encode_rankings(entities, numbers, bounds[:-1][is_ranked]) if top else [b""]
        answer = np.where(linked, bounds[:-1], -1).tolist()
        self._pieces = pieces = _TEMPLATE * len(answer)
        pieces[_ENTITY::_SIZE] = map([*entities, _NO_ENTITY].__getitem__, answer)
        pieces[_SCORE::_SIZE] = map([*numbers, b"null"].__getitem__, answer)
        pieces[_PROBABILITY::_SIZE] = _encode_numbers(np.where(linked, probability, np.nan))
        pieces[_IF_IN_KG::_SIZE] = _encode_numbers(np.where(linked, if_in_kg, np.nan))
        pieces[_RANKING::_SIZE] = map(rankings.__getitem__, np.where(is_ranked, np.cumsum(is_ranked), 0).tolist())
        ends = [b'%b],"nil_reason":%b},' % (last, orjson.dumps(reason)) for reason in reasons for last in (b"", b"}")]
        pieces[_END::_SIZE] = map(ends.__getitem__, (2 * nil_reason.astype(np.int64) + is_ranked).tolist())

    def line(self, document: Document, first: int) -> bytes:
        """Return the line of a document; `first` is the number of its first mention in the batch."""
        try:
            mentions = b"".join(self._links(document.mentions or (), first))
        except TypeError as error:
            raise _unwritable(error) from None
        return json_line(document, orjson.Fragment(mentions))

    def _links(self, mentions: Sequence[Mention], first: int) -> list[bytes]:
        """Return the links of some mentions, as pieces of an array."""
        last = first + len(mentions)
        pieces = self._pieces[first * _SIZE : last * _SIZE]
        pieces[_MENTION::_SIZE] = _encode_mentions(mentions)
        for field, ids in self._ids.items():
            for number in ids.keys() & range(first, last) if ids else ():
                _add_field(pieces, number - first, field, ids[number])
        if self._explanations is not None:
            for number, explanation in enumerate(self._explanations[first:last]):
                _add_field(pieces, number, "explanation", explanation.to_dict())
        if not pieces:
            return [b"[]"]
        pieces[0], pieces[-1] = b"[" + pieces[0], pieces[-1][:-1] + b"]"
        return pieces


def _add_field(pieces: list[bytes], number: int, name: str, value: object) -> None:
    """Add a field to the end of a link."""
    end = number * _SIZE + _END
    pieces[end] = b'%b,"%b":%b},' % (pieces[end][:-2], name.encode(), orjson.dumps(value))


def _encode_rankings(entities: list[bytes], numbers: list[bytes], first: NDArray[np.int64]) -> list[bytes]:
    """Return an empty ranking, then each ranking from its first candidate on, without the last bracket."""
    begins = [_NEXT] * len(entities)
    for place in first.tolist():
        begins[place] = _FIRST
    pieces = [b""] * (3 * len(entities))
    pieces[0::3], pieces[1::3], pieces[2::3] = begins, entities, numbers
    return b"".join(pieces).split(b"\n")


def _encode_mentions(mentions: Sequence[Mention]) -> list[bytes]:
    """Return the fields of mentions without those that a link adds, each without the last bracket."""
    if isinstance(mentions, PlainMentions):
        objects, fields = mentions.sources, mentions.fields
    else:
        objects = [mention.to_dict() for mention in mentions]
        fields = set[str]().union(*objects)
    if not _LINK_FIELDS.isdisjoint(fields):
        objects = [{name: value for name, value in each.items() if name not in _LINK_FIELDS} for each in objects]
    return [orjson.dumps(each)[:-1] for each in objects]


def _encode_numbers(numbers: NDArray[np.float64]) -> list[bytes]:
    """Return each number as JSON; null for nan."""
    data = orjson.dumps(np.ascontiguousarray(numbers), option=orjson.OPT_SERIALIZE_NUMPY)
    return data[1:-1].split(b",") if len(numbers) else []


def _unwritable(error: TypeError) -> DocumentError:
    """Return the error of a record that orjson cannot write."""
    return DocumentError(f"the record cannot be written as JSON ({error}); simplify its other fields")

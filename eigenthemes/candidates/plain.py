"""Candidates of one mention, in plain Python and numpy: quick to start, easy to read. The rules are in `matching`."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates import rules as matching
from eigenthemes.candidates.rules import CONTAINS, ENDING, ENDINGS, PLURALS, QUOTA, SHARES, TYPO
from eigenthemes.candidates.typos import similar_tokens
from eigenthemes.core.strings import hash_bytes
from eigenthemes.kb.name_index import ACRONYM, ALIAS, INITIALS, LABEL, UNBRACKETED, NameIndexArrays
from eigenthemes.text.normalize import squash

Found = dict[int, int]  # entity -> how it was found


class Lookup:
    """Looks up normalised mentions in the name index of a KB."""

    def __init__(self, index: NameIndexArrays, entities: int, *, aliases: bool = True) -> None:
        self.index, self.entities, self.aliases = index, entities, aliases
        self.worst_whole = ALIAS if aliases else LABEL

    def paper(self, normalized: str, limit: int | None) -> Found:
        """The paper's generator: all tokens contained, by prior."""
        tokens = [self.token(word) for word in normalized.split()]
        found = self._containing(tokens, limit)
        kinds = dict(zip(*self.whole(squash(normalized)), strict=True))
        return {entity: _whole_kind(kinds.get(entity), self.worst_whole) for entity in found}

    def default(self, normalized: str, limit: int | None) -> Found:
        """Our generator; see `matching`."""
        most = limit or self.entities
        key = squash(normalized)
        found: Found = {}
        entities, kinds = self.whole(key)
        for allowed, quota in (
            ((LABEL, ALIAS) if self.aliases else (LABEL,), most),
            ((UNBRACKETED,), most),
            ((INITIALS,), QUOTA),
            ((ACRONYM,), QUOTA),
        ):
            hits = [(entity, kind) for entity, kind in zip(entities, kinds, strict=True) if kind in allowed]
            for entity, kind in hits[:quota]:
                _add(found, entity, kind, most)
        for entity in self._by_ending(key):
            _add(found, entity, ENDING, most)
        words = normalized.split()
        for entity in self._containing([self.token(word) for word in words], None if limit is None else most):
            _add(found, entity, CONTAINS, most)
        if not found and words:
            found = self._sharing(words, most)
        return dict(sorted(found.items()))

    def token(self, word: str) -> int:
        """The number of a token, or -1."""
        return self.index.token_table.find(hash_bytes(word.encode("utf-8", "replace")))

    def postings(self, token: int) -> NDArray[np.uint32]:
        """The entities with a token in their names (labels), by prior."""
        first, last = self.index.postings_indptr[token : token + 2].tolist()
        entities = self.index.postings[first:last]
        return entities if self.aliases else entities[self.index.in_label[first:last] == 1]

    def whole(self, key: str) -> tuple[list[int], list[int]]:
        """The entities with this squashed name, by prior, and the kind of name it is to each."""
        row = self.index.key_table.find(hash_bytes(key.encode("utf-8", "replace"))) if key else -1
        if row < 0:
            return [], []
        first, last = self.index.key_indptr[row : row + 2].tolist()
        return self.index.key_entities[first:last].tolist(), self.index.key_kinds[first:last].tolist()

    def _by_ending(self, key: str) -> Iterator[int]:
        quota = QUOTA
        for other in endings_of(key, ENDINGS):
            for entity, kind in zip(*self.whole(other), strict=True):
                if quota and (kind <= self.worst_whole or kind == UNBRACKETED):
                    quota -= 1
                    yield entity

    def _containing(self, tokens: list[int], limit: int | None) -> list[int]:
        if not tokens or min(tokens) < 0:
            return []
        lists = sorted((self.postings(token) for token in tokens), key=len)
        if len(lists) == 1:
            return [int(entity) for entity in lists[0][:limit].tolist()]
        hits: list[int] = []
        shortest = lists[0]
        step = len(shortest) if limit is None else 4096
        for start in range(0, len(shortest), max(1, step)):
            some = shortest[start : start + step]
            for other in lists[1:]:
                some = some[is_member(some, other)]
            hits.extend(some.tolist())
            if limit is not None and len(hits) >= limit:
                break
        return hits[:limit]

    def _sharing(self, words: list[str], most: int) -> Found:
        """Entities that share most of the words' weight."""
        words = list(dict.fromkeys(words))
        options = [self._alternatives(word) for word in words]
        lists = [[(self.postings(token), tenths) for token, tenths in each] for each in options]
        having = [sum(len(posting) for posting, _ in each) for each in lists]
        weights = [matching.rarity(self.entities, count) for count in having]
        common = [matching.is_common(self.entities, count) for count in having]
        if not all(common):
            weights = [0 if each else weight for each, weight in zip(common, weights, strict=True)]
        total = sum(weights)
        score: dict[int, int] = {}
        slipped: set[int] = set()
        for entity in self._rare_entities(lists, weights, total):
            shared = 0
            for each, weight in zip(lists, weights, strict=True):
                if not weight:
                    continue
                tenths = max((tenths for posting, tenths in each if _holds(posting, entity)), default=0)
                shared += weight * tenths // 10
                if tenths == matching.TYPO_TENTHS:
                    slipped.add(entity)
            if shared * 10 >= total * matching.SHARE_OF_TEN:
                score[entity] = shared
        best = sorted(score, key=lambda entity: (-score[entity], entity))[: min(most, matching.MOST_SHARING)]
        return {entity: TYPO if entity in slipped else SHARES for entity in best}

    def _alternatives(self, word: str) -> list[tuple[int, int]]:
        """Tokens of the vocabulary a word may stand for, with what each counts in tenths."""
        exact = self.token(word)
        if exact >= 0:
            return [(exact, 10)]
        plurals = [self.token(other) for other in endings_of(word, PLURALS)]
        found = [(token, matching.PLURAL_TENTHS) for token in plurals if token >= 0]
        if not found:
            near = similar_tokens(word, self.index.tokens, self.index.typos)[: matching.MOST_TYPOS]
            found = [(token, matching.TYPO_TENTHS) for token in near]
        return found

    def _rare_entities(self, lists: list[list[tuple[NDArray[np.uint32], int]]], weights: list[int], total: int) -> list[int]:
        """Entities of the rarest words: any that shares enough weight has one of them."""
        order = sorted(range(len(weights)), key=lambda i: (-weights[i], i))
        left, entities = total, set[int]()
        for i in order[: matching.RARE_TOKENS]:
            if left * 10 < total * matching.SHARE_OF_TEN:
                break
            left -= weights[i]
            for posting, _ in lists[i]:
                entities.update(posting[: matching.RARE_LIST].tolist())
        return sorted(entities)


def endings_of(word: str, endings: tuple[tuple[str, str, int], ...]) -> list[str]:
    """The other forms of a word, in the order of the rules."""
    return [
        word.removesuffix(said) + named
        for said, named, before in endings
        if word.endswith(said) and len(word.encode()) - len(said) >= before
    ]


def is_member(some: NDArray[np.uint32], other: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Which of `some` are in the ascending `other`."""
    if not len(other):
        return np.zeros(len(some), dtype=bool)
    place = np.searchsorted(other, some)
    place[place == len(other)] = 0
    return np.asarray(other[place] == some)


def _holds(posting: NDArray[np.uint32], entity: int) -> bool:
    place = int(np.searchsorted(posting, entity))
    return place < len(posting) and int(posting[place]) == entity


def _add(found: Found, entity: int, how: int, most: int) -> None:
    if len(found) < most and entity not in found:
        found[entity] = how


def _whole_kind(kind: int | None, worst: int) -> int:
    return CONTAINS if kind is None or kind > worst else kind

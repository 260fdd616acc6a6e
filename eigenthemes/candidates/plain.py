"""Look-up of candidates for a single name, in numpy."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from heapq import nsmallest

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates import rules
from eigenthemes.candidates.other_words import OtherWords, no_other_words
from eigenthemes.candidates.rules import (
    CONTAINS,
    ENDING,
    ENDINGS,
    NAMES_COMPARED,
    PLURALS,
    QUOTA,
    SHARES,
    SPELLING,
    TYPO,
    WORDING,
)
from eigenthemes.core.strings import OutOfBoundsError, Strings, bounds_of, hash_bytes, hash_strings
from eigenthemes.kb.name_arrays import (
    ACRONYM,
    ALIAS,
    CORE,
    INITIALS,
    LABEL,
    SHORT_ACRONYM,
    UNBRACKETED,
    LabelWords,
    NameIndexArrays,
)
from eigenthemes.names.typos import similar_to_all
from eigenthemes.text.normalize import squash

Options = list[list[tuple[int, int]]]  # of each word: the tokens it may stand for, with what each counts in tenths


def closeness(
    entities: NDArray[np.uint32],
    options: Options,
    weights: list[int],
    spelled: LabelWords,
    are_common: Callable[[NDArray[np.uint32]], NDArray[np.bool_]],
    *,
    labels_only: bool,
) -> NDArray[np.float64]:
    """Return how much of the words' weight the closest name of each entity has, as a part of that of its words and theirs [n].

    A word of a name that is none of the mention's weighs as much as these do on average, a common one nothing.
    """
    first = spelled.names[entities]
    last = np.minimum(spelled.names[entities.astype(np.int64) + 1], first + (1 if labels_only else NAMES_COMPARED))
    name, entity_of = _ranges(first, last, "name", len(spelled.indptr) - 1)
    row, name_of = _ranges(spelled.indptr[name], spelled.indptr[name + 1], "word", len(spelled.tokens))
    token = spelled.tokens[row]
    total, other = sum(weights), np.ones(len(token), dtype=bool)
    shared = np.zeros(len(name), dtype=np.int64)
    for of_word, weight in zip(options, weights, strict=True):
        if weight:
            tenths = np.zeros(len(token), dtype=np.int64)
            for standing_for, counts in of_word:
                same = token == standing_for
                tenths[same] = np.maximum(tenths[same], counts)
            other &= tenths == 0
            best = np.zeros(len(name), dtype=np.int64)
            np.maximum.at(best, name_of, tenths)
            shared += weight * best // 10
    others = np.bincount(name_of[other & ~are_common(token)], minlength=len(name))
    average = total // max(1, sum(weight > 0 for weight in weights))
    scores = np.zeros(len(entities))
    np.maximum.at(scores, entity_of, shared / np.maximum(1, total + others * average))
    return scores


def _ranges(
    first: NDArray[np.int64], last: NDArray[np.int64], what: str, size: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the rows first[i] to last[i] of each i, and that i; refused where a damaged file leads past `size` rows."""
    counts = np.maximum(0, last - first)
    if len(first) and (int(first.min()) < 0 or int(last.max()) > size or int(counts.sum()) > size):
        raise OutOfBoundsError(f"{what} {int(last.max()):,} of {size:,}")
    which = np.repeat(np.arange(len(first)), counts)
    return np.arange(len(which)) - np.repeat(np.cumsum(counts) - counts, counts) + first[which], which


_MANY = 64  # words from which they are looked up together

MatchTypes = dict[int, int]  # entity -> match type: a key of `rules.MATCH_TYPES`


class Lookup:
    """Looks up normalised mentions in the name index of a KB.

    has_families  tells whether words of one family stand for each other, as in ontologies; asked when first needed
    other_words   returns the words that its names use for each other; asked when first needed
    """

    def __init__(
        self,
        index: NameIndexArrays,
        label_words: LabelWords,
        entities: int,
        *,
        aliases: bool = True,
        has_families: Callable[[], bool] = lambda: False,
        other_words: Callable[[], OtherWords] = no_other_words,
        sharing: rules.Sharing = rules.SHARING,
    ) -> None:
        self.index, self.label_words, self.entities, self.aliases = index, label_words, entities, aliases
        self.has_families, self.other_words, self.sharing = has_families, other_words, sharing
        self.worst_whole = ALIAS if aliases else LABEL

    def paper(self, normalized: str, limit: int | None) -> MatchTypes:
        """Find candidates as the paper does: all tokens contained, by prior."""
        contained = self._containing(self.tokens(distinct(normalized)), limit)
        match_types = dict(zip(*self.whole_names(squash(normalized)), strict=True))
        return {entity: _full_name_type(match_types.get(entity), self.worst_whole) for entity in contained}

    def default(self, normalized: str, limit: int | None, *, in_capitals: bool = False) -> MatchTypes:
        """Find candidates by our own rules; see `rules`. `in_capitals`: the mention is written so, before it was normalised."""
        most = limit or self.entities
        key = squash(normalized)
        match_types: MatchTypes = {}
        entities, types_of_keys = self.whole_names(key)
        for allowed, quota in (
            ((LABEL, ALIAS) if self.aliases else (LABEL,), most),
            ((UNBRACKETED,), most),
            ((CORE,) if self.aliases else (), most),
            ((INITIALS,), QUOTA),
            ((ACRONYM,), QUOTA if in_capitals or len(key) != SHORT_ACRONYM else 0),
        ):
            hits = [
                (entity, match_type)
                for entity, match_type in zip(entities, types_of_keys, strict=True)
                if match_type in allowed
            ]
            for entity, match_type in hits[:quota]:
                _add(match_types, entity, match_type, most)
        for entity in self._by_ending(key):
            _add(match_types, entity, ENDING, most)
        words = distinct(normalized)
        tokens = self.tokens(words)
        if not match_types and len(key) <= rules.LONGEST_SPELLED >= len(key.encode("utf-8", "replace")):
            all_words = normalized.split()
            for entity in self._by_spelling(all_words, words, tokens):
                _add(match_types, entity, SPELLING, most)
            if not match_types:
                for entity in self._by_wording(all_words):
                    _add(match_types, entity, WORDING, most)
        contained = self._containing(tokens, None if limit is None else max(most, rules.LOOKED_AT))
        for entity in self._chosen(contained, match_types, tokens, most):
            _add(match_types, entity, CONTAINS, most)
        is_found = bool(match_types)
        if not match_types:
            self._add_parts(normalized.split(), match_types, most)
        room = len(match_types) < most and bool(words)
        if room and (not is_found or (self.sharing.fills_up and self.has_families())):  # the last takes longest to know
            match_types.update(self._sharing(words, tokens, match_types, most - len(match_types)))
        return dict(sorted(match_types.items()))

    def is_name(self, match_type: int) -> bool:
        """Return whether a key of this match type is a name, without brackets or weak words; cores may be those of aliases."""
        return match_type <= self.worst_whole or match_type == UNBRACKETED or (self.aliases and match_type == CORE)

    def token(self, word: str) -> int:
        """Return the number of a token, or -1."""
        return self.index.token_table.find(hash_bytes(word.encode("utf-8", "replace")))

    def tokens(self, words: list[str]) -> list[int]:
        """Return the number of each token, or -1."""
        if len(words) < _MANY:
            return [self.token(word) for word in words]
        encoded = Strings.of(word if word.isascii() else word.encode("utf-8", "replace").decode("utf-8") for word in words)
        rows: list[int] = self.index.token_table.find_all(hash_strings(encoded)).tolist()
        return rows

    def postings(self, token: int) -> NDArray[np.uint32]:
        """Return the entities with a token in their names (labels), by prior."""
        first, last = bounds_of(self.index.postings_indptr, token, len(self.index.postings))
        entities = self._known(self.index.postings[first:last])
        return entities if self.aliases else entities[self.index.in_label[first:last] == 1]

    def whole_names(self, key: str) -> tuple[list[int], list[int]]:
        """Return the entities with this normalised name, by prior, and the match type of each."""
        row = self._key_row(key)
        return self.names_of_key(row) if row >= 0 else ([], [])

    def _key_row(self, key: str) -> int:
        """Return the row of a squashed name in the key table, or -1."""
        return self.index.key_table.find(hash_bytes(key.encode("utf-8", "replace"))) if key else -1

    def names_of_key(self, row: int) -> tuple[list[int], list[int]]:
        """Return the entities of a row of the key table, by prior, and the match type of each."""
        first, last = bounds_of(self.index.key_indptr, row, len(self.index.key_entities))
        return self._known(self.index.key_entities[first:last]).tolist(), self.index.key_kinds[first:last].tolist()

    def _known(self, entities: NDArray[np.uint32]) -> NDArray[np.uint32]:
        """Return the entities, or raise if a damaged file has invalid indices."""
        if len(entities) and int(entities.max()) >= self.entities:
            raise OutOfBoundsError(f"entity {int(entities.max()):,} of {self.entities:,}")
        return entities

    def _by_ending(self, key: str) -> Iterator[int]:
        quota = QUOTA
        for other in endings_of(key, ENDINGS):
            for entity, match_type in zip(*self.whole_names(other), strict=True):
                if quota and self.is_name(match_type):
                    quota -= 1
                    yield entity

    def _by_spelling(self, all_words: list[str], words: list[str], tokens: list[int]) -> Iterator[int]:
        """Return the entities with the mention as a name with umlauts or with one typo."""
        key = "".join(all_words)
        keys = [rules.with_umlauts(key.encode("utf-8", "replace")).decode("utf-8", "replace")]
        unknown = [word for word, token in zip(words, tokens, strict=True) if token < 0]
        if len(unknown) == 1 and all_words.count(unknown[0]) == 1:
            at = all_words.index(unknown[0])
            similar = similar_to_all(unknown, self.index.tokens, self.index.typos)[0][: rules.MOST_TYPOS]
            keys += ["".join([*all_words[:at], self.index.tokens[token], *all_words[at + 1 :]]) for token in similar]
        yield from self._named([self._key_row(other) for other in keys if other != key])

    def _by_wording(self, all_words: list[str]) -> Iterator[int]:
        """Return the entities with the mention as a name after one word is replaced by an alternative."""
        if not 2 <= len(all_words) <= rules.MOST_WORDS:
            return iter(())
        stands_for, rows = self.other_words(), list[int]()
        for at, word in enumerate(all_words):
            token = self.token(word)
            others = [other for form in [token, *self._forms(word, token)] for other in stands_for.of(form)]
            for other in others:
                rows.append(self._key_row("".join([*all_words[:at], self.index.tokens[other], *all_words[at + 1 :]])))
        return self._named([row for row in rows if row >= 0][: rules.MOST_WORDINGS])

    def _named(self, rows: list[int]) -> Iterator[int]:
        """Return the first entities, QUOTA at most, that have one of these keys as a name."""
        quota = QUOTA
        for row in rows:
            for entity, match_type in zip(*self.names_of_key(row), strict=True) if row >= 0 else ():
                if quota and self.is_name(match_type):
                    quota -= 1
                    yield entity

    def _add_parts(self, all_words: list[str], match_types: MatchTypes, most: int) -> None:
        """Add the entities with a name that is a part of the mention, longest parts first."""
        if not 2 <= len(all_words) <= rules.MOST_WORDS:
            return
        quota = QUOTA
        for size in range(len(all_words) - 1, 0, -1):
            for start in range(len(all_words) - size + 1):
                part = all_words[start : start + size]
                if size == 1 and not self._is_name_alone(part[0]):
                    continue
                for entity, match_type in zip(*self.whole_names("".join(part)), strict=True):
                    is_name = self.is_name(match_type)
                    if quota and is_name and entity not in match_types and len(match_types) < most:
                        quota -= 1
                        match_types[entity] = SHARES

    def _is_name_alone(self, word: str) -> bool:
        """Return whether a single word of a mention may be a name within it: it is no number, not short and not common."""
        encoded, token = word.encode("utf-8", "replace"), self.token(word)
        if len(encoded) < rules.SHORTEST_PART or any(48 <= byte <= 57 for byte in encoded):
            return False
        if token < 0:
            return True
        first, last = bounds_of(self.index.postings_indptr, token, len(self.index.postings))
        return not rules.is_common(self.entities, last - first)

    def _chosen(self, contained: list[int], nearer: MatchTypes, tokens: list[int], most: int) -> list[int]:
        """Order entities that contain all tokens by how they are kept: some by prior, then by the beginning of their label."""
        others, room = [entity for entity in contained if entity not in nearer], most - len(nearer)
        if len(others) <= room:
            return others
        by_prior = rules.by_prior(room)
        rest = np.array(others[by_prior:], dtype=np.uint32)
        begins = self.label_words.first(rest) == tokens[0]
        chosen: list[int] = np.concatenate((rest[begins], rest[~begins])).tolist()
        return others[:by_prior] + chosen

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
            block = shortest[start : start + step]
            for other in lists[1:]:
                block = block[is_member(block, other)]
                if not len(block):
                    break
            hits.extend(block.tolist())
            if limit is not None and len(hits) >= limit:
                break
        return hits[:limit]

    def _sharing(self, words: list[str], tokens: list[int], nearer: MatchTypes, room: int) -> MatchTypes:
        """Find the entities, not among the nearer ones, that share most of the weight of distinct words."""
        options = self._alternatives(words, tokens)
        lists = [[(self.postings(token), tenths) for token, tenths in alternatives] for alternatives in options]
        having = [sum([len(posting) for posting, _ in postings]) for postings in lists]
        weight_of = {count: rules.rarity(self.entities, count) for count in set(having)}
        common = {count for count in weight_of if rules.is_common(self.entities, count)}
        if len(common) < len(weight_of):
            weight_of.update(dict.fromkeys(common, 0))
        weights = [weight_of[count] for count in having]
        total = sum(weights)
        entities = np.array(self._rare_entities(lists, weights, total), dtype=np.uint32)
        shared, slipped = np.zeros(len(entities), dtype=np.int64), np.zeros(len(entities), dtype=bool)
        for postings, weight in zip(lists, weights, strict=True):
            if not weight or not postings:
                continue
            tenths = np.zeros(len(entities), dtype=np.int64)
            for posting, tenths_of_token in postings:
                tenths = np.maximum(tenths, tenths_of_token * is_member(entities, posting))
            shared += weight * tenths // 10
            slipped |= tenths == rules.TYPO_TENTHS
        is_new = ~np.isin(entities, np.fromiter(nearer, dtype=np.uint32))
        best, most = np.flatnonzero((shared * 10 >= total * self.sharing.tenths) & is_new), min(room, self.sharing.most)
        if len(best) > most:
            scores = self._closeness(entities[best], options, weights, shared[best])
            best = best[np.argsort(-scores, kind="stable")][:most]  # ties in order of entity
        match_types = np.where(slipped[best], TYPO, SHARES)
        return dict(zip(entities[best].tolist(), match_types.tolist(), strict=True))

    def _closeness(
        self, entities: NDArray[np.uint32], options: Options, weights: list[int], shared: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """Return how near entities are to the words; `shared`: the weight that all names of each share with them."""
        if not self.has_families():
            return shared / max(1, sum(weights))
        indptr = self.index.postings_indptr

        def are_common(tokens: NDArray[np.uint32]) -> NDArray[np.bool_]:
            rows = tokens.astype(np.int64)
            if len(rows) and int(rows.max()) >= len(indptr) - 1:
                raise OutOfBoundsError(f"token {int(rows.max()):,} of {len(indptr) - 1:,}")
            return rules.are_common(self.entities, indptr[rows + 1] - indptr[rows])

        return closeness(entities, options, weights, self.label_words, are_common, labels_only=not self.aliases)

    def _alternatives(self, words: list[str], tokens: list[int]) -> Options:
        """Return the alternative tokens of each word, with their weights in tenths."""
        alternatives = []
        for word, token in zip(words, tokens, strict=True):
            forms = [(form, rules.FORM_TENTHS) for form in self._forms(word, token)]
            alternatives.append([(token, 10), *forms] if token >= 0 else forms)
        misspelt = [i for i, of_word in enumerate(alternatives) if not of_word]
        similar = similar_to_all([words[i] for i in misspelt], self.index.tokens, self.index.typos)
        for i, near in zip(misspelt, similar, strict=True):
            alternatives[i] = [(row, rules.TYPO_TENTHS) for row in near[: rules.MOST_TYPOS]]
        return alternatives

    def _forms(self, word: str, token: int) -> list[int]:
        """Return the tokens that are another form of a word, in the order of the rules."""
        own = word.encode("utf-8", "replace")
        forms = [form.encode("utf-8", "replace") for form in endings_of(word, PLURALS)] if token < 0 else []
        forms += [rules.with_umlauts(own), *(rules.family_of(own) if self.has_families() else ())]
        rows = dict.fromkeys(self.index.token_table.find(hash_bytes(form)) for form in forms)
        return [row for row in rows if row >= 0 and row != token][: rules.MOST_FORMS]

    def _rare_entities(self, lists: list[list[tuple[NDArray[np.uint32], int]]], weights: list[int], total: int) -> list[int]:
        """Return the entities of the rarest words: any that shares enough weight has one of them."""
        order = nsmallest(rules.RARE_TOKENS, range(len(weights)), key=lambda i: (-weights[i], i))
        left, entities = total, set[int]()
        for i in order:
            if left * 10 < total * self.sharing.tenths:
                break
            left -= weights[i]
            for posting, _ in lists[i]:
                entities.update(posting[: self._rare_list()].tolist())
        return sorted(entities)

    def _rare_list(self) -> int:
        """Return how many entities are taken of a rare token's list."""
        return rules.LONG_RARE_LIST if self.has_families() else rules.RARE_LIST


def distinct(normalized: str) -> list[str]:
    """Return the words of a normalised mention, each once."""
    return list(dict.fromkeys(normalized.split()))


def endings_of(word: str, endings: tuple[tuple[str, str, int], ...]) -> list[str]:
    """Return the forms of a word with other endings, in the order of the rules."""
    size = len(word) if word.isascii() else len(word.encode("utf-8", "replace"))
    return [
        word.removesuffix(of_mention) + of_name
        for of_mention, of_name, letters_before in endings
        if word.endswith(of_mention) and size - len(of_mention) >= letters_before
    ]


def is_member(entities: NDArray[np.uint32], ascending: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """Return which of the entities are in an ascending list."""
    if not len(ascending):
        return np.zeros(len(entities), dtype=bool)
    row = np.searchsorted(ascending, entities)
    row[row == len(ascending)] = 0
    return np.asarray(ascending[row] == entities)


def _add(match_types: MatchTypes, entity: int, match_type: int, most: int) -> None:
    if len(match_types) < most and entity not in match_types:
        match_types[entity] = match_type


def _full_name_type(match_type: int | None, worst: int) -> int:
    return CONTAINS if match_type is None or match_type > worst else match_type

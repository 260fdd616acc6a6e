"""What is known of each candidate: columns over the candidates of the distinct names of each document.

A name that occurs again in its document has the same candidates for the same reasons: it is looked at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.name_index import letters_of
from eigenthemes.candidates.rules import CONTAINS, ENDING, SHARES, TYPO
from eigenthemes.core.strings import Strings, hash_strings
from eigenthemes.embeddings.word_context import WordContext
from eigenthemes.kb.name_index import ACRONYM, ALIAS, INITIALS, UNBRACKETED, WHOLE
from eigenthemes.kb.store import KB, Vectors
from eigenthemes.ranking.batch import Batch
from eigenthemes.records import Mention
from eigenthemes.text.normalize import normalize

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_KINDS = {
    "alias": ALIAS, "unbracketed": UNBRACKETED, "initials": INITIALS, "acronym": ACRONYM, "ending": ENDING,
    "contains": CONTAINS, "shares": SHARES, "typo": TYPO,
}  # fmt: skip
_SPELLING = ("cased", "covered", "begins", "ends", "in_label")

# The columns, by what they are about. `docs/selftrained.md` says what each means.
GROUPS = {
    "name": (*_KINDS, *_SPELLING),
    "prior": ("log_prior", "log_rank", "log_names"),
    "context": ("local_context", "global_context"),
    "themes": ("coherence", "edges", "shared_rare", "shared"),
    "coreference": ("longer_name", "same_entity"),
}
LOCAL = (*GROUPS["name"], *GROUPS["prior"], *GROUPS["context"])  # what a mention says by itself
COLUMNS = (*LOCAL, *GROUPS["themes"], *GROUPS["coreference"])
NONE_COLUMNS = ("none", "alone", "words", "candidates", "doubt")  # of a name; beside them, the columns of its best candidate

_FLOOR = 0.02  # coherence below this is noise
_MOST_LONGER = 32  # longer names looked at for a name


class FeatureContext:
    """What the features need of a KB, and room to work in; one for each thread."""

    def __init__(self, kb: KB, vectors: Vectors | None, context: WordContext | None = None) -> None:
        self.kb, self.vectors, self.context = kb, vectors, context

    @cached_property
    def graph(self) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.float32]]:
        """Neighbours, and how rare each node is as one: 1 for a lonely node, 0 for one that is everybody's neighbour."""
        degree = self.kb.graph.degree
        rarity = 1 - np.log1p(degree) / np.log1p(max(1, len(degree)))
        return self.kb.graph.indptr, self.kb.graph.neighbors, rarity.astype(np.float32)

    @cached_property
    def names_of(self) -> Ints:
        """How many names each entity has."""
        return np.asarray(np.diff(self.kb.array("entity_names")))

    @cached_property
    def scratch(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int64]]:
        size = len(self.kb)
        return np.zeros(size, np.float32), np.zeros(size, np.float32), np.full(size, -1, np.int64)

    @cached_property
    def names(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint64]]:
        """The names of each entity, and the tokens and letters of each name: what the spelling kernel compares with."""
        spelled = self.kb.spelled_names
        return self.kb.array("entity_names"), spelled.indptr, spelled.tokens, spelled.letters

    def tokens(self, said: Sequence[str]) -> tuple[Ints, Ints]:
        """The tokens of normalised mentions (indptr, tokens), -1 where the KB does not know a word."""
        words = [text.split() for text in said]
        indptr = np.concatenate(([0], np.cumsum([len(each) for each in words]))).astype(np.int64)
        return indptr, self.kb.name_index.token_table.find_all(hash_strings(Strings.of([w for each in words for w in each])))


@dataclass(frozen=True)
class MentionGroups:
    """The distinct names of the documents of a batch, and their candidates (rows).

    mention    [m] a mention of each name: the first; said [m] its text, normalised
    name_of    [mentions] the name of each mention
    documents  [d + 1] names of each document
    bounds     [m + 1] rows of each name
    row        [n] row of the batch's table
    longer     (indptr [m + 1], names of the same document, counted within it) that contain a name as a part
    """

    batch: Batch
    mention: Ints
    said: list[str]
    name_of: Ints
    documents: Ints
    bounds: Ints
    row: Ints
    longer: tuple[Ints, Ints]

    @classmethod
    def of(cls, batch: Batch) -> MentionGroups:
        table = batch.table
        first = np.searchsorted(table.mention_of, np.arange(table.mentions + 1))
        mention: list[int] = []
        texts: list[str] = []
        name_of = np.zeros(table.mentions, np.int64)
        documents, longer, longer_bounds = [0], list[int](), [0]
        for start, stop in pairwise(batch.mention_bounds.tolist()):
            seen: dict[tuple[Any, ...], int] = {}
            for i in range(start, stop):
                each = batch.mentions[i]
                said = normalize(each.text)
                key = (said, first[i + 1] - first[i], each.candidates, each.priors)
                name = seen.setdefault(key, len(mention))
                if name == len(mention):
                    mention.append(i)
                    texts.append(said)
                name_of[i] = name
            for names in _longer(texts[documents[-1] :]):
                longer.extend(names)
                longer_bounds.append(len(longer))
            documents.append(len(mention))
        chosen = np.array(mention, np.int64)
        counts = first[chosen + 1] - first[chosen] if len(chosen) else np.zeros(0, np.int64)
        bounds = np.concatenate(([0], np.cumsum(counts))).astype(np.int64)
        row = np.repeat(first[chosen] - bounds[:-1], counts) + np.arange(bounds[-1]) if len(chosen) else np.zeros(0, np.int64)
        inside = np.array(longer_bounds), np.array(longer, np.int64)
        return cls(batch, chosen, texts, name_of, np.array(documents), bounds, row, inside)

    def __len__(self) -> int:
        return len(self.mention)

    @cached_property
    def entity(self) -> Ints:
        return self.batch.table.entity[self.row].astype(np.int64)

    @cached_property
    def name(self) -> Ints:
        """The name of each row."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    @cached_property
    def others(self) -> Ints:
        """How many other names the document of each name has [m]."""
        counts = np.diff(self.documents)
        return np.repeat(counts, counts) - 1

    @cached_property
    def back(self) -> Ints:
        """The row, here, of each row of the batch's table."""
        mention_of = self.batch.table.mention_of
        first = np.searchsorted(mention_of, mention_of)
        return self.bounds[self.name_of[mention_of]] + np.arange(len(mention_of)) - first

    def best(self, values: Floats) -> Floats:
        """The highest value among the rows of each row's name."""
        best = np.full(len(self), -np.inf)
        np.maximum.at(best, self.name, values)
        return best[self.name]

    def spans(self) -> Iterator[tuple[int, int, int, int]]:
        """First and last name, first and last row of each document."""
        for first, last in pairwise(self.documents.tolist()):
            yield first, last, int(self.bounds[first]), int(self.bounds[last])


def _longer(names: list[str]) -> list[list[int]]:
    """For each name the names that contain it, words for words."""
    having: dict[str, list[int]] = {}
    for number, name in enumerate(names):
        for word in dict.fromkeys(name.split()):
            having.setdefault(word, []).append(number)
    found = []
    for name in names:
        padded = f" {name} "
        near = having.get(name.partition(" ")[0], [])[:_MOST_LONGER] if name else []
        found.append([other for other in near if len(names[other]) > len(name) and padded in f" {names[other]} "])
    return found


def local_features(names: MentionGroups, around: FeatureContext) -> NDArray[np.float32]:
    """The columns LOCAL [n, l]: name, prior, and context where there are word vectors and a text."""
    from eigenthemes.kernels.spelling import spelling

    table = names.batch.table
    kind, rank = table.match_type[names.row], table.rank[names.row]
    prior = np.log1p(np.maximum(table.prior[names.row], 0))
    found = np.zeros((len(names.row), len(LOCAL)), np.float32)
    for column, kind_of_column in enumerate(_KINDS.values()):
        found[:, column] = kind == kind_of_column
    letters = hash_strings(Strings.of([letters_of(names.batch.mentions[i].text) for i in names.mention.tolist()]))
    spelled = spelling(around.tokens(names.said), letters, names.bounds, names.entity, kind, WHOLE, around.names)
    found[:, len(_KINDS) : len(_KINDS) + len(_SPELLING)] = spelled
    given = np.array([names.batch.mentions[i].candidates is not None for i in names.mention.tolist()], dtype=bool)[names.name]
    if given.any():  # whoever gave them has compared names already, with more than the KB's
        found[given, : len(GROUPS["name"])] = 0
        found[given, LOCAL.index("covered")] = 1
    found[:, LOCAL.index("log_prior")] = prior - names.best(prior)
    found[:, LOCAL.index("log_rank")] = -np.log(rank)
    known = np.log1p(around.names_of[names.entity])
    found[:, LOCAL.index("log_names")] = known - names.best(known)
    if around.context is not None:
        found[:, LOCAL.index("local_context") :] = context_features(around.context, names)
    return found


def context_features(context: WordContext, names: MentionGroups) -> NDArray[np.float32]:
    """Cosines [n, 2] of each candidate's description with the words near its mentions, and with all words of its document."""
    found = np.zeros((len(names.row), 2), np.float32)
    mentions_of: list[list[Mention]] = [[] for _ in range(len(names))]
    for mention, name in zip(names.batch.mentions, names.name_of.tolist(), strict=True):
        mentions_of[name].append(mention)
    for document, (first_name, last_name, first, last) in zip(names.batch.documents, names.spans(), strict=True):
        if first == last or not document.text:
            continue
        starts, words = context.read(document.text)
        found[first:last, 1] = context.entities[names.entity[first:last]] @ context.vector(words)
        for name in range(first_name, last_name):
            near = np.concatenate([context.around(starts, words, mention) for mention in mentions_of[name]])
            rows = slice(names.bounds[name], names.bounds[name + 1])
            found[rows, 0] = context.entities[names.entity[rows]] @ context.vector(near)
    return found


def theme_features(names: MentionGroups, around: FeatureContext, weight: Floats) -> NDArray[np.float32]:
    """The columns after LOCAL [n, t], given how likely each candidate is [n]."""
    from eigenthemes.kernels.support import EDGES, LONGER, SAME, SHARED, SHARED_RARE, support

    weights = weight.astype(np.float32)
    found = support(names.documents, names.bounds, names.entity, weights, around.graph, names.longer, around.scratch)
    others = names.others[names.name]
    near = coherence(names, around.vectors, weights) / np.maximum(1, others)
    themes = np.stack(
        (
            np.where(others > 0, np.log((_FLOOR + near) / _FLOOR), 0.0),
            np.log1p(found[:, EDGES]),
            np.log1p(found[:, SHARED_RARE]),
            np.log1p(found[:, SHARED]),
            found[:, LONGER],
            found[:, SAME],
        ),
        axis=1,
    )
    return themes.astype(np.float32)


def coherence(names: MentionGroups, vectors: Vectors | None, weight: NDArray[np.float32]) -> Floats:
    """Eigenthemes at full rank with one's own name left out: e^T (G - G_s) e, G = sum_j w_j e_j e_j^T [n].

    G is one d x d matrix for the document, G_s the same sum over the candidates of the row's own name.
    """
    found = np.zeros(len(names.row))
    if vectors is None:
        return found
    for first_name, last_name, first, last in names.spans():
        if last_name - first_name < 2 or first == last:
            continue
        rows = vectors.rows[names.entity[first:last]]
        weighted = rows * weight[first:last, None]
        whole = np.einsum("ij,ij->i", rows @ (weighted.T @ rows), rows)
        for start, stop in pairwise((names.bounds[first_name : last_name + 1] - first).tolist()):
            own = rows[start:stop]
            whole[start:stop] -= np.square(own @ own.T) @ weight[first + start : first + stop]
        found[first:last] = np.maximum(whole, 0)
    return found


def none_features(names: MentionGroups, features: NDArray[np.float32], chance: Floats) -> NDArray[np.float32]:
    """What tells whether none of a name's candidates is right [m]: NONE_COLUMNS, and the columns of the best one.

    Zeros for a name without candidates.
    """
    found = np.zeros((len(names), len(NONE_COLUMNS) + features.shape[1]), np.float32)
    best = np.flatnonzero(chance == names.best(chance))[::-1]
    at = np.full(len(names), -1)
    at[names.name[best]] = best  # of equal ones the first
    some = np.flatnonzero(at >= 0)
    found[some, 0] = 1
    found[some, 1] = names.others[some] == 0
    found[some, 2] = np.log([max(1, len(names.said[i].split())) for i in some.tolist()])
    found[some, 3] = np.log(np.diff(names.bounds)[some])
    found[some, 4] = -np.log(np.maximum(chance[at[some]], 1e-6))
    found[some, len(NONE_COLUMNS) :] = features[at[some]]
    return found

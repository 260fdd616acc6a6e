"""Sample synthetic documents from the KG: related entities and some unrelated ones, named as people would."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.profiles import EntityProfiles
from eigenthemes.kb.store import KB
from eigenthemes.records import Document, Mention
from eigenthemes.selftrain.naming import Namer
from eigenthemes.selftrain.recipe import RECIPE, Recipe
from eigenthemes.text.normalize import normalize

_MANY = 2000  # neighbours from which a few are taken at random
_FEW = 64
_TRIES = 6  # for each entity that is wanted
_WORDS = 8  # of a description that stand before a name
REMOVED = "\0removed"  # in a mention's source: its entity is to be taken out of its candidates


def _draw(cumulative: NDArray[np.float64], rng: np.random.Generator, many: int) -> NDArray[np.int64]:
    index = np.searchsorted(cumulative, rng.random(many) * cumulative[-1], side="right")
    return np.asarray(np.minimum(index, len(cumulative) - 1))


class Sampler:
    """Sample synthetic documents; with profiles, their words become context."""

    def __init__(
        self, kb: KB, rng: np.random.Generator, recipe: Recipe = RECIPE, profiles: EntityProfiles | None = None
    ) -> None:
        self.kb, self.rng, self.recipe, self.profiles = kb, rng, recipe, profiles
        names = np.diff(kb.array("entity_names"))
        self.popularity = (1.0 + np.maximum(kb.prior, 0)) ** recipe.popularity * (1.0 + names) ** recipe.renown
        self.named, self._graph, self._degree = kb.linkable, kb.graph, kb.graph.degree.astype(np.float64)
        self.namer = Namer(kb, recipe, rng)
        self._cumulative = np.cumsum(np.where(self.named, self.popularity, 0.0))

    def documents(self, many: int, *, written: bool = False) -> Iterator[Document]:
        """Yield documents; `written`: some of them with a text, where words of descriptions stand around the names."""
        for number in range(many):
            document = Document(mentions=tuple(self._mentions()), id=number)
            yield self._written(document) if written and self.rng.random() < self.recipe.written else document

    def _written(self, document: Document) -> Document:
        text, mentions = "", []
        for mention in document.mentions or ():
            text += f"{self._words(mention)} "
            start = len(text)
            text += f"{mention.text} "
            mentions.append(replace(mention, start=start, end=start + len(mention.text)))
        return replace(document, mentions=tuple(mentions), text=text)

    def _words(self, mention: Mention) -> str:
        """Return words that stand beside a mention: some of a neighbour's description, or of anybody's, and of profiles."""
        entity = self.kb.index_of(mention.gold[0]) if mention.gold else None
        near = self._any_neighbor(entity) if entity is not None and self.rng.random() < self.recipe.fitting else None
        words = self.kb.description_of(self.entity() if near is None else near).split()
        first = int(self.rng.integers(max(1, len(words) - _WORDS + 1)))
        own = self.rng.random() < self.recipe.telling
        told = (self._word_of(entity if own else None), self._word_of(None))
        return " ".join((*words[first : first + _WORDS], *told))

    def _word_of(self, entity: int | None) -> str:
        """Draw a word of the profile of an entity, or of anybody's; nothing where there is none."""
        if self.profiles is None:
            return ""
        owner = self.entity() if entity is None else entity
        first, last = self.profiles.indptr[owner : owner + 2].tolist()
        return str(self.kb.name_index.tokens[int(self.profiles.words[self.rng.integers(first, last)])]) if last > first else ""

    def _neighbors(self, node: int) -> NDArray[np.uint32]:
        near = self._graph.around(node)
        return near[self.rng.integers(len(near), size=_FEW)] if len(near) > _MANY else near

    def _any_neighbor(self, node: int) -> int | None:
        near = self._neighbors(node)
        return int(near[self.rng.integers(len(near))]) if len(near) else None

    def _popular_neighbor(self, node: int) -> int | None:
        """Draw a named neighbour by popularity; None if a few tries find none."""
        near = self._neighbors(node)
        drawn = near[_draw(np.cumsum(self.popularity[near]), self.rng, 4)] if len(near) else near
        return next((int(each) for each in drawn if self.named[each]), None)

    def _large_neighbor(self, node: int) -> int | None:
        """Draw a neighbour by its degree."""
        near = self._neighbors(node)
        return int(near[_draw(np.cumsum(self._degree[near]), self.rng, 1)[0]]) if len(near) else None

    def entity(self) -> int:
        """Draw an entity with a name, by popularity."""
        return int(_draw(self._cumulative, self.rng, 1)[0])

    def entities(self, many: int) -> list[int]:
        """Draw the entities of one document: its topic's, those near one another, and unrelated ones."""
        first = self.entity()
        topic = self._large_neighbor(first)
        chosen = [first]
        if many > 1 and topic is not None and self.named[topic] and self.rng.random() < self.recipe.names_topic:
            chosen.append(topic)
        for _ in range(_TRIES * many):
            if len(chosen) >= many:
                break
            entity = self._next(chosen, topic)
            if entity is not None and entity not in chosen and self._fits(entity, topic):
                chosen.append(entity)
        return chosen

    def _next(self, chosen: list[int], topic: int | None) -> int | None:
        recipe, luck = self.recipe, self.rng.random()
        if luck < recipe.related:
            near: int | None = chosen[int(self.rng.integers(len(chosen)))]
            if self.rng.random() < recipe.two_steps and near is not None:
                near = self._any_neighbor(near)
            return None if near is None else self._popular_neighbor(near)
        if luck < recipe.related + recipe.topic and topic is not None:
            return self._popular_neighbor(topic)
        return self.entity()

    def _fits(self, entity: int, topic: int | None) -> bool:
        return topic is None or self.rng.random() < self.recipe.strangers or bool((self._graph.around(entity) == topic).any())

    def crossed(self, entity: int) -> Mention | None:
        """Return, at the recipe's rate, a mention made of halves of two names instead of an entity."""
        if self.rng.random() < self.recipe.crossed and (other := self.entity()) != entity:
            return Mention(self.namer.crossed(entity, other), gold=())
        return None

    def _mentions(self) -> Iterator[Mention]:
        recipe, rng = self.recipe, self.rng
        many = 1 if rng.random() < recipe.single else min(recipe.largest, 1 + int(rng.geometric(1 / recipe.size)))
        for entity in self.entities(many):
            if (crossed := self.crossed(entity)) is not None:
                yield crossed
                continue
            gold = (self.kb.id_of(entity),)
            source = {REMOVED: True} if rng.random() < recipe.removed else {}
            names = [self.namer.name(entity)]
            if rng.random() < recipe.extra:
                names[0] = self.namer.with_extra_word(names[0], self.entity())
            if rng.random() < recipe.again:
                names.append(self.namer.name(entity))
            if rng.random() < recipe.shortened * self.namer.short:
                names.append(self.namer.shortened(self.kb.label_of(entity)))
            for name in dict.fromkeys(names):
                if normalize(name):
                    yield Mention(name, gold=gold, source=source)

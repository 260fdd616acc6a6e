"""Made-up tables: a column of entities that have something in common, and a second one that follows a relation from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.store import KB
from eigenthemes.records import Document, Mention, Table
from eigenthemes.selftrain.recipe import TABLE_RECIPE, TableRecipe
from eigenthemes.selftrain.sampling import REMOVED, Sampler
from eigenthemes.text.normalize import normalize

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]

_TRIES = 20
_HEADER = ("first", "second")


class TableSampler:
    """Makes up tables.

    attributes  (indptr, attributes) of the entities, as of `kb.attributes.collect_attributes`
    """

    def __init__(
        self,
        kb: KB,
        rng: np.random.Generator,
        attributes: tuple[Ints, NDArray[np.uint32]],
        recipe: TableRecipe = TABLE_RECIPE,
    ) -> None:
        self.kb, self.rng, self.recipe = kb, rng, recipe
        self.sampler = Sampler(kb, rng, recipe.cells)
        self._types = len(kb.types)
        self._members, self._first = _entities_by_attribute(*attributes, kb.linkable, self._types + 2 * len(kb.relations))
        self._counts = np.diff(self._first)
        self._roots_of_degrees = self._roots(kb.graph.degree)

    def tables(self, many: int) -> Iterator[Document]:
        """Yield tables."""
        for number in range(many):
            self._choose_form()
            table = self._from_document() if self.rng.random() < self.recipe.documents else self._from_graph()
            yield replace(table, id=number)

    def _choose_form(self) -> None:
        """Draw in which form the names of a table are written, and how many of them."""
        namer, (share, often, seldom) = self.sampler.namer, self.recipe.written_alike
        namer.form_rate = often if self.rng.random() < share else seldom
        namer.operation = namer.written.any_operation() if self.rng.random() < self.recipe.one_form else None

    def _from_document(self) -> Document:
        """Make a table of a synthetic document: its names one below the other."""
        document, missing = next(self.sampler.documents(1)), self._missing()
        return _table_of([[self._perhaps_missing(mention, missing)] for mention in document.mentions or ()])

    def _from_graph(self) -> Document:
        members = self._theme()
        if not len(members):
            return self._from_document()
        recipe, rng = self.recipe, self.rng
        many = min(recipe.largest, recipe.smallest + int(rng.geometric(1 / recipe.size)))
        entities = _some(members, many, rng)
        entities = [self.sampler.entity() if rng.random() < recipe.strangers else entity for entity in entities]
        relation, first, second = self._relation_of(entities), self._missing(), self._missing()
        return _table_of([[self._cell(entity, first), self._related_cell(entity, relation, second)] for entity in entities])

    def _theme(self) -> Ints:
        """Draw the entities of a column: those with an attribute, or with a relation to a node."""
        luck = self.rng.random()
        is_type = luck < self.recipe.type and self._types > 0
        if luck < self.recipe.type + self.recipe.relation:
            first, last = (0, self._types) if is_type else (self._types, len(self._counts))
            drawn = self._draw(self._roots(self._counts[first:last]))
            if drawn is not None:
                return self._members[self._first[first + drawn] : self._first[first + drawn + 1]]
        return self._around_a_node()

    def _around_a_node(self) -> Ints:
        """Draw a node and a relation; return the entities with this relation to it."""
        graph = self.kb.graph
        for _ in range(_TRIES):
            node = self._draw(self._roots_of_degrees)
            if node is None:
                break
            codes = graph.relations[graph.indptr[node] : graph.indptr[node + 1]]
            near = graph.around(node).astype(np.int64)
            named = self.sampler.named[near]
            known, counts = np.unique(codes[named], return_counts=True)
            drawn = self._draw(self._roots(counts))
            if drawn is not None:
                return np.asarray(near[named & (codes == known[drawn])])
        return np.zeros(0, np.int64)

    def _roots(self, counts: Ints) -> Floats:
        """Return the sums of the roots of the counts up to each, of those that are enough: what `_draw` draws by."""
        return np.cumsum(np.where(counts >= self.recipe.least, np.sqrt(counts), 0.0))

    def _draw(self, cumulative: Floats) -> int | None:
        """Draw one by its share of the sum; None where that is 0."""
        if not len(cumulative) or not cumulative[-1] > 0:
            return None
        return int(np.searchsorted(cumulative, self.rng.random() * cumulative[-1], side="right"))

    def _relation_of(self, entities: Sequence[int]) -> int | None:
        """Draw a relation of one of the entities."""
        graph = self.kb.graph
        entity = entities[int(self.rng.integers(len(entities)))]
        codes = np.unique(graph.relations[graph.indptr[entity] : graph.indptr[entity + 1]])
        return int(codes[self.rng.integers(len(codes))]) if len(codes) else None

    def _related_cell(self, entity: int, relation: int | None, missing: float) -> Mention | None:
        """Return a cell with an entity related to another; None for an empty cell."""
        graph = self.kb.graph
        first, last = graph.indptr[entity], graph.indptr[entity + 1]
        if relation is None or self.rng.random() >= self.recipe.filled:
            return None
        related = graph.neighbors[first:last][graph.relations[first:last] == relation]
        related = related[self.sampler.named[related]]
        return self._cell(int(related[self.rng.integers(len(related))]), missing) if len(related) else None

    def _cell(self, entity: int, missing: float) -> Mention:
        """Return a cell that names an entity or, at the rate `missing`, none of the KG."""
        crossed = self.sampler.crossed(entity)
        if crossed is not None:
            return crossed
        return self._perhaps_missing(Mention(self.sampler.namer.name(entity), gold=(self.kb.id_of(entity),)), missing)

    def _missing(self) -> float:
        """Draw the share of the cells of a column whose entity is not to be found."""
        return float(self.rng.beta(*self.recipe.missing))

    def _perhaps_missing(self, mention: Mention, missing: float) -> Mention:
        return replace(mention, source={REMOVED: True}) if self.rng.random() < missing and mention.gold else mention


def _table_of(rows: Sequence[Sequence[Mention | None]]) -> Document:
    """Make a table of cells; those without a name are empty."""
    named = [[cell if cell is not None and normalize(cell.text) else None for cell in row] for row in rows]
    width = max(map(len, rows), default=1)
    table = Table(_HEADER[:width], tuple(tuple("" if cell is None else cell.text for cell in row) for row in named))
    mentions = (
        replace(cell, row=row, col=col) for row, line in enumerate(named) for col, cell in enumerate(line) if cell is not None
    )
    return Document(table=table, mentions=tuple(mentions))


def _entities_by_attribute(
    indptr: Ints, attributes: NDArray[np.uint32], named: NDArray[np.bool_], many: int
) -> tuple[Ints, Ints]:
    """Return the named entities that have each attribute, and where those of each begin [attributes + 1]."""
    owner = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    kept = named[owner]
    counts = np.bincount(attributes[kept], minlength=many)
    members = owner[kept][np.argsort(attributes[kept], kind="stable")]
    return members, np.concatenate(([0], np.cumsum(counts))).astype(np.int64)


def _some(members: Ints, many: int, rng: np.random.Generator) -> list[int]:
    """Draw some of the members, each once, in any order."""
    if len(members) <= 4 * many:
        return [int(member) for member in rng.permutation(members)[:many]]
    return list(dict.fromkeys(members[rng.integers(len(members), size=many)].tolist()))

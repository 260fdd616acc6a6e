"""The recipe of synthetic documents, the same for all KGs; docs/selftrained.md has the evidence for its numbers."""

from __future__ import annotations

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Recipe:
    """Shares are of documents, of entities in a document, or of mentions.

    Which entities
    popularity   entities are drawn in proportion to (1 + prior)^popularity,
    renown       times (1 + number of names)^renown: what has many names is talked about
    single       documents with one entity
    size         mean number of entities of the others, up to `largest`
    topic        entities that are neighbours of the document's topic, a neighbour of its first entity (large ones first)
    related      entities one or two steps from another one of the document; the rest is unrelated
    two_steps    of these, two steps away: else a direct edge gives the answer away
    names_topic  documents that name their topic
    strangers    related or unrelated entities that are kept although they are not neighbours of the topic

    How they are called
    alias        by an alias instead of the label
    form         in another form that people write (`written_forms`); the following shares are of the others
    short        by a part of the name ("Jordan", "Chicago" for the White Sox): so many times as the KG's aliases are,
                 `shortest` at most
    known        of these, by a part that is itself a name in the KG, where there is one
    reworded     in other words of its names: so many times as the KG's aliases are; none where weights are fitted, which
                 would learn to rank by scraps of names
    ending       with another ending ("Russian" for Russia), if the KG knows the word; common nouns also in the other number
    case         in other letters (RUSSIA, russia)
    typo, extra  with a slip of the pen; with a word too many
    again        named a second time by another name
    shortened    named a second time by a part of the name, in proportion to `short`

    What stands around them
    written      documents that have a text
    fitting      windows with words of a neighbour's description, never the entity's own; the others have anybody's
    telling      names beside which a word of the entity's profile stands

    Not in the KG
    removed      mentions whose entity is taken out of their candidates
    crossed      mentions made of half of one name and half of another
    """

    popularity: float = 0.5
    renown: float = 0.75
    single: float = 0.1
    size: float = 12.0
    largest: int = 40
    topic: float = 0.5
    related: float = 0.35
    two_steps: float = 0.8
    names_topic: float = 0.8
    strangers: float = 0.3
    alias: float = 0.4
    form: float = 0.35
    short: float = 1.5
    shortest: float = 0.4
    known: float = 0.7
    reworded: float = 0.0
    ending: float = 0.2
    case: float = 0.4
    typo: float = 0.02
    extra: float = 0.02
    again: float = 0.08
    shortened: float = 0.15
    written: float = 0.5
    fitting: float = 0.3
    telling: float = 0.3
    removed: float = 0.08
    crossed: float = 0.04


RECIPE = Recipe()


def harsher(recipe: Recipe) -> Recipe:
    """Return a recipe for documents that are less coherent, and whose names are less exact, in other words even."""
    return replace(recipe, topic=0.3, related=0.2, alias=0.5, short=2.0, shortest=0.5, ending=0.3, reworded=0.25)


@dataclass(frozen=True, slots=True)
class TableRecipe:
    """The recipe of synthetic tables; shares are of tables, rows or cells.

    type, relation  tables of entities of one type; that stand in one relation; the rest: in one relation to one neighbour
    least           entities that a type, a relation or a neighbour must have; drawn in proportion to the root of their number
    smallest, size  rows: so many and a geometric number of this mean, up to `largest`
    strangers       rows with any other entity
    documents       tables that are synthetic documents as a column
    filled          cells of the second column that are not empty: it follows one relation from the first
    missing         cells of a column whose entity is taken out of their candidates: each column has a share of its own, drawn
                    from this beta distribution. Real columns are known to a KG nearly as a whole, or hardly at all
    written_alike   tables whose names are mostly in another form, the share of these there, and in other tables
    one_form        tables in which that is always the same form
    cells           how entities are called there
    """

    type: float = 0.2
    relation: float = 0.4
    least: int = 8
    smallest: int = 3
    size: float = 18.0
    largest: int = 100
    strangers: float = 0.1
    documents: float = 0.2
    filled: float = 0.8
    missing: tuple[float, float] = (0.8, 1.2)
    written_alike: tuple[float, float, float] = (0.3, 0.9, 0.1)
    one_form: float = 0.7
    cells: Recipe = field(default_factory=lambda: replace(RECIPE, ending=0.02, case=0.1, short=0.75, removed=0.0))


TABLE_RECIPE = TableRecipe()

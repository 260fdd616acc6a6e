"""What must hold of the numbers in a KB's arrays before anything is indexed with them: a flipped bit must not crash a kernel.

An array that compiled code takes is checked once, as a whole; a single look-up checks the rows it reads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.kb.name_index import ACRONYM

# Bounds of parts: array -> (what each part belongs to, what is cut into parts). They ascend from 0 to the size of the latter.
_BOUNDS = {
    "graph_indptr": ("entities", "graph_neighbors"),
    "entity_names": ("entities", "names"),
    "type_indptr": ("entities", "entity_types"),
    "attribute_indptr": ("entities", "entity_attributes"),
    "postings_indptr": ("tokens", "postings"),
    "key_indptr": ("key_hashes", "key_entities"),
    "name_token_indptr": ("names", "name_tokens"),
    "ids_offsets": ("entities", "ids_blob"),
    "descriptions_offsets": ("entities", "descriptions_blob"),
    "names_offsets": ("names", "names_blob"),
    "tokens_offsets": ("tokens", "tokens_blob"),
    "types_offsets": ("types", "types_blob"),
    "relations_offsets": ("relations", "relations_blob"),
    "languages_offsets": ("languages", "languages_blob"),
    "memory_offsets": ("memory", "memory_blob"),
}
# Bounds of buckets, of which there is a power of two: array -> what is in them.
_BUCKETS = {
    "id_buckets": "id_hashes",
    "token_buckets": "token_hashes",
    "key_buckets": "key_hashes",
    "typo_indptr": "typo_members",
}
# Numbers: array -> what they number, each less than its size.
_NUMBERS = {
    "graph_neighbors": "entities",
    "graph_relations": "directed relations",
    "graph_more_entries": "graph_neighbors",
    "graph_more_relations": "directed relations",
    "entity_types": "types",
    "entity_attributes": "attributes",
    "postings": "entities",
    "key_entities": "entities",
    "key_kinds": "match types",
    "id_entities": "entities",
    "typo_members": "tokens",
    "name_tokens": "tokens",
    "name_languages": "languages",
    "name_more_entries": "names",
    "name_more_languages": "languages",
}
# Columns: array -> what it has one entry for each of.
_COLUMNS = {
    "prior": "entities",
    "answers": "entities",
    "attribute_share": "attributes",
    "graph_relations": "graph_neighbors",
    "graph_more_relations": "graph_more_entries",
    "postings_in_label": "postings",
    "key_kinds": "key_entities",
    "id_entities": "id_hashes",
    "token_hashes": "tokens",
    "typo_checks": "typo_members",
    "name_letters": "names",
    "name_languages": "names",
    "name_more_languages": "name_more_entries",
}
_BIT_FILTERS = ("key_filter", "typo_filter")
_COUNTED_BY_OFFSETS = ("names", "tokens", "types", "relations", "languages", "memory")


def sizes_of(entities: int, files: dict[str, dict[str, Any]]) -> dict[str, int]:
    """Return the size of everything that arrays number or have entries for, as the manifest gives it."""
    sizes = {name: int(described["shape"][0]) for name, described in files.items() if described["shape"]}
    for name in _COUNTED_BY_OFFSETS:
        sizes[name] = max(0, sizes.get(f"{name}_offsets", 1) - 1)
    directed = 2 * sizes["relations"]
    attributes = sizes["types"] + directed
    numbered = {"directed relations": directed, "attributes": attributes, "match types": ACRONYM + 1}
    return {**sizes, "entities": entities, **numbered}


def damage_of_array(name: str, array: NDArray[Any], sizes: dict[str, int]) -> str | None:
    """Say what is wrong with the numbers of an array; None: nothing, or there is no rule for it."""
    expected = sizes.get(_COLUMNS.get(name, ""), len(array))
    if name.startswith("vectors-"):
        expected = sizes["entities"]
    if name in _BOUNDS:
        expected = sizes[_BOUNDS[name][0]] + 1
    if len(array) != expected:
        return f"has {len(array):,} rows, not {expected:,}"
    if name in _BUCKETS and not _is_power_of_two(len(array) - 1):
        return f"has {len(array) - 1:,} buckets, which is no power of two"
    if name in _BIT_FILTERS and not _is_power_of_two(len(array)):
        return f"has {len(array):,} bytes, which is no power of two"
    if name in _BOUNDS or name in _BUCKETS:
        return _damage_of_bounds(array, sizes[_BOUNDS[name][1] if name in _BOUNDS else _BUCKETS[name]])
    if name == "prior":
        return None if np.all(np.isfinite(array)) else "has a number that is no prior"
    if name == "attribute_share":
        return None if np.all((array > 0) & (array < 1)) else "has a number that is no share"
    return damage_of_numbers(name, array, sizes)


def damage_of_numbers(name: str, numbers: NDArray[Any], sizes: dict[str, int]) -> str | None:
    """Say what is wrong with some of the numbers of an array that numbers things; None: nothing."""
    counted = _NUMBERS.get(name)
    if counted is None or not len(numbers):
        return None
    if numbers.dtype.kind == "i" and int(numbers.min()) < 0:
        return f"has the number {int(numbers.min()):,}"
    largest = int(numbers.max())
    return f"has the number {largest:,}, and there are {sizes[counted]:,} {counted}" if largest >= sizes[counted] else None


def part_size(name: str, sizes: dict[str, int]) -> int:
    """Return the size of what the bounds in an array cut into parts."""
    return sizes[_BOUNDS[name][1]]


def _damage_of_bounds(bounds: NDArray[Any], last: int) -> str | None:
    if not len(bounds) or bounds[0] != 0 or bounds[-1] != last:
        return f"does not lead from 0 to {last:,}"
    return None if np.all(bounds[1:] >= bounds[:-1]) else "does not ascend"


def _is_power_of_two(number: int) -> bool:
    return number > 0 and number & (number - 1) == 0

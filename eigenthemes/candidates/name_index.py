"""Build the name index: token -> entities, whole name -> entities, and the tokens a slip of the pen away.

Entities carry their number in order of prior, so every posting list is in rank order already: an intersection may stop
after T hits and nobody sorts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.candidates.typos import build_typo_index
from eigenthemes.core.arrays import sort_rows
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.strings import HashTable, Strings, bit_filter, hash_strings
from eigenthemes.core.workers import Workers
from eigenthemes.kb.name_index import ACRONYM, ALIAS, INITIALS, LABEL, UNBRACKETED, NameIndexArrays, SpelledNames
from eigenthemes.text.normalize import normalize, squash

_CHUNK = 50_000  # names a worker indexes at a time
_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_LONGEST_ACRONYM = 8
_JOINTS = ("of", "for", "in")
_MOST_WORDS = 4  # longer labels are seldom persons: no initials


def only_entities(index: NameIndexArrays, wanted: NDArray[np.bool_]) -> NameIndexArrays:
    """Return the index as if no others had names."""
    kept, kept_keys = wanted[index.postings], wanted[index.key_entities]
    if kept.all() and kept_keys.all():
        return index
    before, keys_before = (np.concatenate(([0], np.cumsum(each))) for each in (kept, kept_keys))
    return replace(
        index,
        postings_indptr=before[index.postings_indptr].astype(np.int64),
        postings=index.postings[kept],
        in_label=index.in_label[kept],
        key_indptr=keys_before[index.key_indptr].astype(np.int64),
        key_entities=index.key_entities[kept_keys],
        key_kinds=index.key_kinds[kept_keys],
    )


def index_answers(
    names: Strings, owner: NDArray[np.uint32], is_label: NDArray[np.bool_], answers: NDArray[np.bool_], **how: Any
) -> NameIndexArrays:
    """Index the names of `answers` [entities]; those of others are in no list, and are spelled by no tokens."""
    rows = np.flatnonzero(answers[owner])
    if len(rows) == len(names):
        return build_name_index(names, owner, is_label, len(answers), **how)
    index = build_name_index(names.take(rows), owner[rows], is_label[rows], len(answers), **how)
    assert index.spelled is not None
    lengths, letters = np.zeros(len(names), dtype=np.int64), np.zeros(len(names), dtype=np.uint64)
    lengths[rows], letters[rows] = np.diff(index.spelled.indptr), index.spelled.letters
    indptr = np.concatenate(([0], np.cumsum(lengths))).astype(np.int64)
    return replace(index, spelled=SpelledNames(indptr, index.spelled.tokens, letters))


@dataclass(frozen=True, slots=True)
class _Chunk:
    """The index of the names that one worker got; names are counted from the chunk's first."""

    vocabulary: list[str]
    token: NDArray[np.uint32]  # local token
    token_name: NDArray[np.uint32]
    key_hash: NDArray[np.uint64]
    key_name: NDArray[np.uint32]
    key_kind: NDArray[np.uint8]
    letters: NDArray[np.uint64]  # of each name


def build_name_index(
    names: Strings,
    entity_of_name: NDArray[np.uint32],
    is_label: NDArray[np.bool_],
    entities: int,
    *,
    workers: Workers | None = None,
    progress: Progress | None = None,
) -> NameIndexArrays:
    """Index `names` [m], which belong to `entity_of_name` [m]."""
    workers = workers or Workers(1)
    vocabulary: dict[str, int] = {}
    tokens, token_names, keys, key_names, key_kinds, letters = [], [], [], [], [], []
    with (progress or Silent()).step("indexing names", total=len(names), unit="names") as advance:
        first_name = 0
        for chunk, size in _index_chunks(names, is_label, workers):
            local = [vocabulary.setdefault(token, len(vocabulary)) for token in chunk.vocabulary]
            tokens.append(np.array(local, dtype=np.uint32)[chunk.token])
            token_names.append(chunk.token_name + np.uint32(first_name))
            keys.append(chunk.key_hash)
            key_names.append(chunk.key_name + np.uint32(first_name))
            key_kinds.append(chunk.key_kind)
            letters.append(chunk.letters)
            first_name += size
            advance(size)
    strings, table, new_number = _sorted_vocabulary(vocabulary)
    typos = workers.start(build_typo_index, strings, many=len(strings) > _CHUNK)
    token_name = _joined(token_names, np.uint32)
    token = new_number[_joined(tokens, np.uint32)]
    indptr, postings, in_label = _postings(token, entity_of_name[token_name], is_label[token_name], len(strings), entities)
    key_name, key_hash, key_kind = _joined(key_names, np.uint32), _joined(keys, np.uint64), _joined(key_kinds, np.uint8)
    key_table, key_indptr, key_entities, kinds = _keys(key_hash, entity_of_name[key_name], key_kind, entities)
    key_filter = bit_filter(key_hash[key_kind <= UNBRACKETED])
    return NameIndexArrays(
        strings,
        table,
        indptr,
        postings,
        in_label,
        key_table,
        key_indptr,
        key_entities,
        kinds,
        key_filter,
        typos(),
        SpelledNames(_indptr(token_name, len(names)), token, _joined(letters, np.uint64)),
    )


def spell(names: Strings, token_table: HashTable) -> SpelledNames:
    """Spell names as `build_name_index` does, by the tokens of an index that was made of them."""
    words = [normalize(name).split() for name in names]
    indptr = np.concatenate(([0], np.cumsum([len(of_name) for of_name in words]))).astype(np.int64)
    token = token_table.find_all(hash_strings(Strings.of([word for of_name in words for word in of_name])))
    return SpelledNames(indptr, token.astype(np.uint32), hash_strings(Strings.of(map(letters_of, names))))


def name_keys(name: str, normalized: str, is_label: bool) -> list[tuple[int, str]]:
    """Return the squashed forms under which a whole name is found, with their match types; only labels have shorter forms."""
    if not is_label:
        return [(ALIAS, squash(normalized))]
    keys = [(LABEL, squash(normalized))]
    if "(" in name or "[" in name:
        name = _BRACKETED.sub(" ", name)
        short = normalize(name)
        if short and short != normalized:
            keys.append((UNBRACKETED, squash(short)))
            normalized = short
    words = normalized.split(" ")
    if 2 <= len(words) <= _MOST_WORDS and not _ends_in_lower_case(name):  # "B cell" is no "blood cell"
        keys.append((INITIALS, words[0][0] + "".join(words[1:])))
        if len(words) > 2:
            keys.append((INITIALS, "".join([word[0] for word in words[:-1]]) + words[-1]))
        if len(words) > 2 and all(len(word) == 1 for word in words[1:-1]):
            keys.append((INITIALS, words[0][0] + words[-1]))  # M. Jordan for Michael I. Jordan
    if len(words) > 2:
        keys.extend((ACRONYM, acronym) for acronym in _acronyms(name, words))
    return keys


def _ends_in_lower_case(name: str) -> bool:
    """Is the last word written small, as in no name of a person?"""
    words = name.split()
    return bool(words) and words[-1][0].islower()


def _acronyms(name: str, words: list[str]) -> set[str]:
    """Return acronyms: Christian Democratic Union of Germany -> cdug, cduog and, before the "of", cdu."""
    initials = "".join([word[0] for word in words])
    capitals = "".join([word[0] for word in name.split() if word[0].isupper()])
    acronyms = {initials, capitals.lower() if capitals.isascii() else squash(normalize(capitals))}
    for joint in _JOINTS:
        if joint in words:
            acronyms.add(initials[: words.index(joint)])
    return {acronym for acronym in acronyms if 2 < len(acronym) <= _LONGEST_ACRONYM}


def _index_chunks(names: Strings, is_label: NDArray[np.bool_], workers: Workers) -> Iterator[tuple[_Chunk, int]]:
    starts = range(0, len(names), _CHUNK)
    pieces = ((_piece(names, start), is_label[start : start + _CHUNK].tolist()) for start in starts)
    chunks = workers.map(_index_chunk, pieces, many=len(starts) > 2)
    for start, chunk in zip(starts, chunks, strict=True):
        yield chunk, min(_CHUNK, len(names) - start)


def _piece(names: Strings, start: int) -> Strings:
    stop = min(start + _CHUNK, len(names))
    offsets = names.offsets[start : stop + 1]
    return Strings(names.blob[offsets[0] : offsets[-1]], offsets - offsets[0])


def _index_chunk(names: Iterable[str], is_label: list[bool]) -> _Chunk:
    vocabulary: dict[str, int] = {}
    tokens: list[int] = []
    tokens_of_name: list[int] = []
    keys, key_name, key_kind = list[str](), list[int](), bytearray()
    number_of = vocabulary.setdefault
    for number, (name, label) in enumerate(zip(names, is_label, strict=True)):
        normalized = normalize(name)
        words = normalized.split()
        tokens += [number_of(word, len(vocabulary)) for word in words]
        tokens_of_name.append(len(words))
        if not words:
            continue
        for match_type, key in name_keys(name, normalized, label):
            keys.append(key)
            key_name.append(number)
            key_kind.append(match_type)
    return _Chunk(
        list(vocabulary),
        np.array(tokens, dtype=np.uint32),
        np.repeat(np.arange(len(tokens_of_name), dtype=np.uint32), tokens_of_name),
        hash_strings(Strings.of(keys)),
        np.array(key_name, dtype=np.uint32),
        np.frombuffer(bytes(key_kind), dtype=np.uint8),
        hash_strings(Strings.of(map(letters_of, names))),
    )


def letters_of(name: str) -> str:
    """Return the letters and digits of a name as they are written: "IL-10" and "IL10" are the same, "Il10" is not."""
    return "".join(filter(str.isalnum, name))


def _joined(parts: list[Any], dtype: Any) -> NDArray[Any]:
    return np.concatenate(parts) if parts else np.zeros(0, dtype=dtype)


def _sorted_vocabulary(vocabulary: dict[str, int]) -> tuple[Strings, HashTable, NDArray[np.uint32]]:
    strings = Strings.of(vocabulary)
    hashes = hash_strings(strings)
    order = np.argsort(hashes, kind="stable")
    new_number = np.empty(len(order), dtype=np.uint32)
    new_number[order] = np.arange(len(order), dtype=np.uint32)
    return strings.take(order), HashTable.of(hashes[order]), new_number


def _postings(
    token: NDArray[np.uint32], entity: NDArray[np.uint32], label: NDArray[np.bool_], tokens: int, entities: int
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]:
    token, entity, alias_only = sort_rows((token, entity, ~label), (tokens, entities, 2))
    first = _first_of_pair(token, entity)
    token, entity, alias_only = token[first], entity[first], alias_only[first]
    return _indptr(token, tokens), entity, (1 - alias_only).astype(np.uint8)


def _keys(
    hashes: NDArray[np.uint64], entity: NDArray[np.uint32], match_type: NDArray[np.uint8], entities: int
) -> tuple[HashTable, NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]:
    order = np.argsort(hashes, kind="stable")
    in_order = hashes[order]
    new = np.ones(len(order), dtype=bool)
    new[1:] = in_order[1:] != in_order[:-1]
    distinct = in_order[new]
    key = np.empty(len(order), dtype=np.uint32)
    key[order] = np.cumsum(new, dtype=np.uint32) - np.uint32(1)
    key, entity, kinds = sort_rows((key, entity, match_type), (max(1, len(distinct)), entities, 8))
    first = _first_of_pair(key, entity)
    return (
        HashTable.of(distinct),
        _indptr(key[first], len(distinct)),
        entity[first],
        kinds[first].astype(np.uint8),
    )


def _first_of_pair(a: NDArray[np.uint32], b: NDArray[np.uint32]) -> NDArray[np.bool_]:
    first = np.ones(len(a), dtype=bool)
    first[1:] = (a[1:] != a[:-1]) | (b[1:] != b[:-1])
    return first


def _indptr(sorted_rows: NDArray[np.uint32], rows: int) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(np.bincount(sorted_rows, minlength=rows)))).astype(np.int64)

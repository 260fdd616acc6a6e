"""Build the name index: token -> entities, full name -> entities, and tokens at one edit.

Entities carry their number in order of prior, so every posting list is in rank order already: an intersection may stop
after T hits and nobody sorts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes.core.array_kernels import HashTable
from eigenthemes.core.jit import kernel
from eigenthemes.core.progress import Progress, Silent
from eigenthemes.core.scratch import GrowingColumn, Scratch
from eigenthemes.core.strings import Strings, bit_filter, hash_strings, part_of
from eigenthemes.core.workers import Workers
from eigenthemes.kb.name_arrays import (
    ACRONYM,
    ALIAS,
    BEGINS_LABEL,
    BEST_KIND,
    CORE,
    IN_ALIAS,
    IN_LABEL,
    INITIALS,
    LABEL,
    POSSESSIVE,
    SHORT_ACRONYM,
    SMALL,
    UNBRACKETED,
    NameIndexArrays,
    SpelledNames,
    TypoIndex,
)
from eigenthemes.names.analysis import NameAnalysis, main_language
from eigenthemes.names.typos import build_typo_index
from eigenthemes.text.normalize import normalize, squash, turned_round
from eigenthemes.text.segment import POSSESSIVE as HAS_POSSESSIVE

_CHUNK = 50_000  # names a worker indexes at a time
_BRACKETED = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*")
_LONGEST_ACRONYM = 8
_JOINTS = ("of", "for", "in")
_SHORTEST_CORE = 2  # letters
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
        share=None if index.share is None else index.share[kept],
        key_indptr=keys_before[index.key_indptr].astype(np.int64),
        key_entities=index.key_entities[kept_keys],
        key_kinds=index.key_kinds[kept_keys],
    )


def index_answers(
    names: Strings,
    owner: NDArray[np.uint32],
    is_label: NDArray[np.bool_],
    answers: NDArray[np.bool_],
    tags: Sequence[str],
    tag_of_name: NDArray[Any],
    analysis: NameAnalysis,
    *,
    scratch: Scratch | None = None,
    **how: Any,
) -> NameIndexArrays:
    """Index the names of `answers` [entities]; those of others are in no list, and are spelled by no tokens.

    tags  language tags; tag_of_name [names] their rows
    """
    scratch = scratch or Scratch()
    how |= {"analysis": analysis, "languages": [main_language(tag) for tag in tags]}
    wanted = scratch.take(answers, owner)
    rows = np.flatnonzero(wanted)
    if len(rows) == len(names):
        return build_name_index(names, owner, is_label, tag_of_name, len(answers), scratch=scratch, **how)
    owner, is_label, tag_of_name = scratch.chosen(wanted, owner, is_label, tag_of_name)
    wanted_names = scratch.take_strings(names, rows)
    index = build_name_index(wanted_names, owner, is_label, tag_of_name, len(answers), scratch=scratch, **how)
    assert index.spelled is not None
    lengths, letters = scratch.empty(len(names), np.int64), scratch.empty(len(names), np.uint64)
    lengths[:], letters[:] = 0, 0
    lengths[rows], letters[rows] = np.diff(index.spelled.indptr), index.spelled.letters
    return replace(index, spelled=SpelledNames(scratch.offsets(lengths), index.spelled.tokens, letters))


@dataclass(frozen=True, slots=True)
class _Chunk:
    """The index of the names that one worker got; names are counted from the chunk's first."""

    vocabulary: Strings
    token: NDArray[np.uint32]  # local token
    tokens_of_name: NDArray[np.uint32]
    key_hash: NDArray[np.uint64]
    key_name: NDArray[np.uint32]
    key_kind: NDArray[np.uint8]  # the match type, and above it how the name is written
    letters: NDArray[np.uint64]  # of each name


def build_name_index(
    names: Strings,
    entity_of_name: NDArray[np.uint32],
    is_label: NDArray[np.bool_],
    tag_of_name: NDArray[Any],
    entities: int,
    *,
    analysis: NameAnalysis,
    languages: Sequence[str],
    workers: Workers | None = None,
    progress: Progress | None = None,
    scratch: Scratch | None = None,
) -> NameIndexArrays:
    """Index `names` [m], which belong to `entity_of_name` [m] and are in languages[tag_of_name] [m].

    Names are indexed by chunks. The tokens of a chunk are numbered within it; when all are known, they get their numbers in the
    whole vocabulary, in order of hash.
    """
    workers, scratch = workers or Workers(1), scratch or Scratch()
    chunks = _Chunks(scratch)
    with (progress or Silent()).step("indexing names", total=len(names), unit="names") as advance:
        first_name = 0
        for chunk, size in _index_chunks(names, is_label, tag_of_name, analysis, languages, workers):
            chunks.add(chunk, first_name)
            first_name += size
            advance(size)
    strings, table, token = chunks.vocabulary()
    in_other_process = workers.jobs > 1 and type(scratch) is Scratch and len(strings) > _CHUNK
    start = workers.start if in_other_process else _later
    typos = start(build_typo_index, strings, *(() if in_other_process else (scratch,)))
    spelled = SpelledNames(scratch.offsets(chunks.tokens_of_name()), token, chunks.letters())
    indptr, postings, in_label = _postings(spelled, entity_of_name, is_label, len(strings), entities, scratch)
    keys = _keys(*chunks.keys(), entity_of_name, entities, scratch)
    return NameIndexArrays(strings, table, indptr, postings, in_label, *keys, typos(), spelled=spelled)


def _later(function: Callable[..., TypoIndex], *arguments: Any) -> Callable[[], TypoIndex]:
    return lambda: function(*arguments)


class _Chunks:
    """The chunks of all names, moved to scratch files to bound memory."""

    def __init__(self, scratch: Scratch) -> None:
        self._scratch = scratch
        self._columns: dict[str, GrowingColumn] = {
            name: GrowingColumn(scratch, dtype)
            for name, dtype in (
                ("vocabulary_hash", np.uint64),
                ("vocabulary_bytes", np.uint8),
                ("vocabulary_length", np.int64),
                ("token", np.uint32),
                ("tokens_of_name", np.uint32),
                ("key_hash", np.uint64),
                ("key_name", np.uint32),
                ("key_kind", np.uint8),
                ("letters", np.uint64),
            )
        }

    def add(self, chunk: _Chunk, first_name: int) -> None:
        """Take in the index of the names from `first_name` on."""
        columns = self._columns
        columns["token"].append(chunk.token + np.uint32(len(columns["vocabulary_hash"])))
        columns["vocabulary_hash"].append(hash_strings(chunk.vocabulary))
        columns["vocabulary_bytes"].append(chunk.vocabulary.blob)
        columns["vocabulary_length"].append(np.diff(chunk.vocabulary.offsets))
        columns["tokens_of_name"].append(chunk.tokens_of_name)
        columns["key_hash"].append(chunk.key_hash)
        columns["key_name"].append(chunk.key_name + np.uint32(first_name))
        columns["key_kind"].append(chunk.key_kind)
        columns["letters"].append(chunk.letters)

    def vocabulary(self) -> tuple[Strings, HashTable, NDArray[np.uint32]]:
        """Return the distinct tokens in order of hash, a table of them, and the token of each word of all names."""
        scratch = self._scratch
        hashes, lengths = self._whole("vocabulary_hash"), self._whole("vocabulary_length")
        rows = np.arange(len(hashes), dtype=np.uint32)
        hashes, row = scratch.sort_rows((hashes, rows), (1 << 64, max(1, len(rows))))
        first = scratch.first_of_equal(hashes)
        number = scratch.empty(len(rows), np.uint32)
        number[row] = scratch.offsets(first)[1:] - 1
        strings = Strings(self._whole("vocabulary_bytes"), scratch.offsets(lengths))
        strings = scratch.take_strings(strings, scratch.chosen(first, row)[0].astype(np.int64))
        token = scratch.take(number, self._whole("token"))
        return strings, HashTable.of(scratch.chosen(first, hashes)[0]), token

    def tokens_of_name(self) -> NDArray[np.uint32]:
        return self._whole("tokens_of_name")

    def letters(self) -> NDArray[np.uint64]:
        return self._whole("letters")

    def keys(self) -> tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.uint8]]:
        """Return the hash, the name, and the match type with its style of each squashed form."""
        return self._whole("key_hash"), self._whole("key_name"), self._whole("key_kind")

    def _whole(self, name: str) -> NDArray[Any]:
        return self._columns.pop(name).concatenate()


def name_keys(name: str, normalized: str, is_label: bool, analysis: NameAnalysis, language: str) -> list[tuple[int, str]]:
    """Return the squashed forms under which a whole name is found, with their match types.

    All names have cores, labels have other forms, too.
    """
    keys = [(LABEL if is_label else ALIAS, squash(normalized))]
    cores = analysis.name_cores(name, language) - {keys[0][1]}
    keys += [(CORE, core) for core in sorted(cores) if len(core) >= _SHORTEST_CORE]
    if not is_label:
        return keys
    if "," in name and (other := turned_round(name)):
        keys.append((UNBRACKETED, squash(normalize(other))))
    if "(" in name or "[" in name:
        name = _BRACKETED.sub(" ", name)
        short = normalize(name)
        if short and short != normalized:
            keys.append((UNBRACKETED, squash(short)))
            normalized = short
    words = analysis.words_of_person(name) if analysis.has_persons else []
    words = words or normalized.split(" ")
    if 2 <= len(words) <= _MOST_WORDS and not _ends_in_lower_case(name):  # "B cell" is no "blood cell"
        keys.append((INITIALS, words[0][0] + "".join(words[1:])))
        if len(words) > 2:
            keys.append((INITIALS, "".join([word[0] for word in words[:-1]]) + words[-1]))
        if len(words) > 2 and all(len(word) == 1 for word in words[1:-1]):
            keys.append((INITIALS, words[0][0] + words[-1]))  # M. Jordan for Michael I. Jordan
    if len(words) > 1:
        keys.extend((ACRONYM, acronym) for acronym in _acronyms(name, words))
    return keys


def _ends_in_lower_case(name: str) -> bool:
    """Return whether the last word is in lower case, as in no name of a person."""
    words = name.split()
    return bool(words) and words[-1][0].islower()


def _acronyms(name: str, words: list[str]) -> set[str]:
    """Return acronyms: Christian Democratic Union of Germany -> cdug, cduog and, before the "of", cdu.

    Two letters are few: only those of names that end with a capital have them, and only mentions in capitals find them.
    """
    initials = "".join([word[0] for word in words])
    capitals = "".join([word[0] for word in name.split() if word[0].isupper()])
    acronyms = {initials, capitals.lower() if capitals.isascii() else squash(normalize(capitals))}
    for joint in _JOINTS:
        if joint in words:
            acronyms.add(initials[: words.index(joint)])
    has_two = not _ends_in_lower_case(name)
    return {
        acronym
        for acronym in acronyms
        if 2 < len(acronym) <= _LONGEST_ACRONYM or (len(acronym) == SHORT_ACRONYM and has_two and acronym.isascii())
    }


def _index_chunks(
    names: Strings,
    is_label: NDArray[np.bool_],
    tag_of_name: NDArray[Any],
    analysis: NameAnalysis,
    languages: Sequence[str],
    workers: Workers,
) -> Iterator[tuple[_Chunk, int]]:
    starts = range(0, len(names), _CHUNK)
    spans = [(start, min(start + _CHUNK, len(names))) for start in starts]
    pieces = (
        (
            part_of(names, start, stop),
            is_label[start:stop].tolist(),
            [languages[tag] for tag in tag_of_name[start:stop].tolist()],
            analysis,
        )
        for start, stop in spans
    )
    chunks = workers.map(_index_chunk, pieces, many=len(starts) > 2)
    for start, chunk in zip(starts, chunks, strict=True):
        yield chunk, min(_CHUNK, len(names) - start)


def _index_chunk(names: Iterable[str], is_label: list[bool], languages: Sequence[str], analysis: NameAnalysis) -> _Chunk:
    vocabulary: dict[str, int] = {}
    tokens: list[int] = []
    tokens_of_name: list[int] = []
    keys, key_name, key_kind = list[str](), list[int](), bytearray()
    number_of = vocabulary.setdefault
    for number, (name, label, language) in enumerate(zip(names, is_label, languages, strict=True)):
        normalized = normalize(name)
        words = normalized.split()
        tokens += [number_of(word, len(vocabulary)) for word in words]
        tokens_of_name.append(len(words))
        if not words:
            continue
        style = _style(name)
        for match_type, key in name_keys(name, normalized, label, analysis, language):
            keys.append(key)
            key_name.append(number)
            key_kind.append(match_type | style)
    return _Chunk(
        Strings.of(vocabulary),
        np.array(tokens, dtype=np.uint32),
        np.array(tokens_of_name, dtype=np.uint32),
        hash_strings(Strings.of(keys)),
        np.array(key_name, dtype=np.uint32),
        np.frombuffer(bytes(key_kind), dtype=np.uint8),
        hash_strings(Strings.of(map(letters_of, names))),
    )


def _style(name: str) -> int:
    """Return how a name is written, apart from what is in brackets."""
    rest = name.partition(" (")[0][1:]
    return (SMALL if rest == rest.lower() else 0) | (POSSESSIVE if HAS_POSSESSIVE.match(name) else 0)


def letters_of(name: str) -> str:
    """Return the letters and digits of a name with their case: "IL-10" equals "IL10", not "Il10"."""
    return name if name.isalnum() else "".join(filter(str.isalnum, name))


def _postings(
    spelled: SpelledNames,
    entity_of_name: NDArray[np.uint32],
    is_label: NDArray[np.bool_],
    tokens: int,
    entities: int,
    scratch: Scratch,
) -> tuple[NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8]]:
    """Return for each token the entities that have it in a name, and where: in an alias, in the label, or first in it."""
    counts = scratch.by_blocks(lambda first, last: (last - first,), (spelled.indptr[:-1], spelled.indptr[1:]), (np.int64,))[0]
    entity, elsewhere = scratch.by_blocks(
        lambda entity, label, count: (np.repeat(entity, count), BEGINS_LABEL - _places(label, count)),
        (entity_of_name, is_label, counts),
        (np.uint32, np.uint8),
        most=len(spelled.tokens),
    )
    token, entity, elsewhere = scratch.sort_rows((spelled.tokens, entity, elsewhere), (max(1, tokens), max(1, entities), 3))
    token, entity, elsewhere = scratch.chosen(scratch.first_of_equal(token, entity), token, entity, elsewhere)
    in_label = scratch.by_blocks(lambda some: (BEGINS_LABEL - some,), (elsewhere,), (np.uint8,))[0]
    return scratch.indptr(token, tokens), entity, in_label


def _places(is_label: NDArray[np.bool_], counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return where each token of some names, of which they have `counts`, is in the names of its entity."""
    places = np.repeat(np.where(is_label, IN_LABEL, IN_ALIAS).astype(np.uint8), counts)
    places[(np.cumsum(counts) - counts)[is_label & (counts > 0)]] = BEGINS_LABEL
    return places


def _keys(
    hashes: NDArray[np.uint64],
    name: NDArray[np.uint32],
    kind_and_style: NDArray[np.uint8],
    entity_of_name: NDArray[np.uint32],
    entities: int,
    scratch: Scratch,
) -> tuple[HashTable, NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint8], NDArray[np.uint8], NDArray[np.uint8]]:
    """Return a table of the keys, for each key its entities, each with its best match type, its summary, and a filter.

    The filter is of whole names, cores and initials.
    """
    kinds, styles = scratch.by_blocks(
        lambda some: (some & BEST_KIND, some & ~np.uint8(BEST_KIND)), (kind_and_style,), (np.uint8, np.uint8)
    )
    whole = scratch.by_blocks(lambda kind: (kind <= INITIALS,), (kinds,), (np.bool_,))[0]
    key_filter = bit_filter(scratch.chosen(whole, hashes)[0])
    entity = scratch.take(entity_of_name, name)
    bounds = 1 << 64, max(1, entities), 8, 256
    hashes, entity, kinds, styles = scratch.sort_rows((hashes, entity, kinds, styles), bounds)
    new = scratch.first_of_equal(hashes)
    summary = scratch.empty(int(np.count_nonzero(new)), np.uint8)
    summarise_keys.select_backend(len(new))(new, kinds, styles, summary)
    hashes, entity, kinds = scratch.chosen(scratch.first_of_equal(hashes, entity), hashes, entity, kinds)
    new = scratch.first_of_equal(hashes)
    begins = scratch.by_blocks(lambda row, some: (row[some],), (np.arange(len(new)), new), (np.int64,))[0]
    indptr = scratch.joined((begins, np.array([len(new)])), np.int64)
    kinds = scratch.by_blocks(lambda some: (some,), (kinds,), (np.uint8,))[0]
    return HashTable.of(scratch.chosen(new, hashes)[0]), indptr, entity, kinds, summary, key_filter


@kernel
def summarise_keys(is_new: Any, kinds: Any, styles: Any, summary: Any) -> None:
    """Write for each key its best match type, and the styles of its names; is_new [n]: a key begins."""
    key = -1
    for row in range(len(kinds)):
        if is_new[row]:
            key += 1
            summary[key] = BEST_KIND
        best, style = summary[key] & BEST_KIND, summary[key] & ~np.uint8(BEST_KIND)
        summary[key] = min(best, kinds[row]) | style | (styles[row] if kinds[row] <= CORE else np.uint8(0))

"""Candidates of many mentions at once, compiled: the same rules, in the same order, as the plain `lookup`.

Importing this module imports numba; only batches do. Mentions come normalised, as UTF-8 bytes in one buffer, tokens apart by a
space. A property test holds both look-ups together, entity by entity.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eigenthemes import matching, typos
from eigenthemes.jit import announce_compilation, kernel
from eigenthemes.names import ACRONYM, ALIAS, LABEL, UNBRACKETED, NameIndexArrays
from eigenthemes.strings import FNV_OFFSET, FNV_PRIME, MIX

_OFFSET, _PRIME, _MIX = np.uint64(FNV_OFFSET), np.uint64(FNV_PRIME), np.uint64(MIX)
_S29, _S32, _LOW = np.uint64(29), np.uint64(32), np.uint64(0xF)
_SPACE = np.uint8(32)
_ENDING, _CONTAINS, _SHARES, _TYPO = matching.ENDING, matching.CONTAINS, matching.SHARES, matching.TYPO
_PREFIX, _LONGEST, _ONE_SLIP, _TWO_SLIPS = typos.PREFIX, typos.LONGEST, typos.ONE_SLIP, typos.TWO_SLIPS
_UNIT = matching.UNIT
_CHECKED = 1021  # tokens remembered while one word is mended
_PLURALS = len(matching.PLURALS)


def _ending_table() -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """The endings as bytes [rules, 2, 4] and their lengths with the letters before [rules, 3]."""
    rules = matching.ENDINGS
    letters, lengths = np.zeros((len(rules), 2, 4), dtype=np.uint8), np.zeros((len(rules), 3), dtype=np.int64)
    for row, (said, named, before) in enumerate(rules):
        for side, text in enumerate((said, named)):
            letters[row, side, : len(text)] = list(text.encode())
        lengths[row] = len(said), len(named), before
    return letters, lengths


ENDING_LETTERS, ENDING_LENGTHS = _ending_table()
LIMITS = np.array(matching.LIMITS, dtype=np.int64)


@kernel
def _step(h: Any, byte: Any) -> Any:
    return (h ^ np.uint64(byte)) * _PRIME


@kernel
def _finish(h: Any) -> Any:
    h = h ^ (h >> _S32)
    return (h * _MIX) ^ (h >> _S29)


@kernel
def _shift(buckets: Any) -> Any:
    """`HashTable.shift`: the bits of a hash below those that number its bucket."""
    size, bits = len(buckets) - 1, 0
    while size > 1:
        size >>= 1
        bits += 1
    return np.uint64(64 - bits)


@kernel
def _find(h: Any, hashes: Any, buckets: Any, shift: Any) -> Any:
    """`HashTable.find`."""
    bucket = np.int64(h >> shift)
    for row in range(buckets[bucket], buckets[bucket + 1]):
        if hashes[row] == h:
            return np.int64(row)
    return np.int64(-1)


@kernel
def _other_form(letters: Any, lengths: Any, rule: Any, word: Any, states: Any) -> Any:
    """Hash of a word with its ending changed by a rule; (applies, hash). `states[i]`: hash state after i bytes."""
    said, named, before = lengths[rule, 0], lengths[rule, 1], lengths[rule, 2]
    stem = len(word) - said
    if stem < before:
        return False, _OFFSET
    for i in range(said - 1, -1, -1):  # the last letter tells most
        if word[stem + i] != letters[rule, 0, i]:
            return False, _OFFSET
    h = states[stem]
    for i in range(named):
        h = _step(h, letters[rule, 1, i])
    return True, _finish(h)


@kernel
def _find_forms(
    letters: Any, lengths: Any, word: Any, states: Any, hashes: Any, buckets: Any, shift: Any, forms: Any, rows: Any
) -> Any:
    """Rows of the word's other forms that are in the table, in the order of the rules; returns how many.

    Three short loops, not one: the look-ups do not wait for each other's memory.
    """
    count = 0
    for rule in range(len(lengths)):
        applies, h = _other_form(letters, lengths, rule, word, states)
        if applies:
            forms[count] = h
            count += 1
    for f in range(count):
        rows[f] = buckets[np.int64(forms[f] >> shift)]
    found = 0
    for f in range(count):
        for row in range(rows[f], buckets[np.int64(forms[f] >> shift) + 1]):
            if hashes[row] == forms[f]:
                rows[found] = row
                found += 1
                break
    return found


@kernel
def _position(entities: Any, first: Any, last: Any, wanted: Any) -> Any:
    """First place in entities[first:last] (ascending) not below `wanted`, galloping from `first`."""
    step, low, high = 1, first, first
    while high < last and entities[high] < wanted:
        low = high + 1
        high += step
        step *= 2
    high = min(high, last)
    while low < high:
        middle = (low + high) // 2
        if entities[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _add(entity: Any, how: Any, count: Any, among: Any, most: Any, out: Any, out_how: Any) -> Any:
    """Append a candidate unless it is there already, among the first `among`; returns the new count."""
    if count >= most:
        return count
    for i in range(among):
        if out[i] == entity:
            return count
    out[count] = entity
    out_how[count] = how
    return count + 1


@kernel
def _contain(
    tokens: Any, order: Any, at: Any, postings_indptr: Any, postings: Any, in_label: Any, labels_only: Any, most: Any, hits: Any
) -> Any:
    """Leap-frog intersection of the tokens' lists, stopping after `most` hits."""
    n = len(tokens)
    for i in range(n):  # shortest list first
        order[i] = tokens[i]
        j = i
        while j > 0 and _length(order[j], postings_indptr) < _length(order[j - 1], postings_indptr):
            order[j], order[j - 1] = order[j - 1], order[j]
            j -= 1
    for i in range(n):
        at[i] = postings_indptr[order[i]]
    count = 0
    for place in range(at[0], postings_indptr[order[0] + 1]):
        entity = postings[place]
        if labels_only and in_label[place] == 0:
            continue
        everywhere = True
        for i in range(1, n):
            last = postings_indptr[order[i] + 1]
            at[i] = _position(postings, at[i], last, entity)
            if at[i] == last:
                return count
            if postings[at[i]] != entity or (labels_only and in_label[at[i]] == 0):
                everywhere = False
                break
        if everywhere:
            hits[count] = entity
            count += 1
            if count == most:
                break
    return count


@kernel
def _length(token: Any, postings_indptr: Any) -> Any:
    return postings_indptr[token + 1] - postings_indptr[token]


@kernel
def _decode(blob: Any, first: Any, last: Any, points: Any) -> Any:
    """UTF-8 to code points; -1 where there are more than LONGEST."""
    count, i = 0, first
    while i < last:
        if count == _LONGEST:
            return -1
        byte = np.int64(blob[i])
        if byte < 0x80:
            point, more = byte, 0
        elif byte < 0xE0:
            point, more = byte & 0x1F, 1
        elif byte < 0xF0:
            point, more = byte & 0x0F, 2
        else:
            point, more = byte & 0x07, 3
        for j in range(more):
            point = (point << 6) | (np.int64(blob[i + 1 + j]) & 0x3F)
        points[count] = point
        count += 1
        i += 1 + more
    return count


@kernel
def _slips(points: Any, count: Any) -> Any:
    """`typos.slips`."""
    if count < _ONE_SLIP:
        return 0
    for i in range(count):
        if 48 <= points[i] <= 57:
            return 0
    return 2 if count >= _TWO_SLIPS else 1


@kernel
def _distance(a: Any, m: Any, b: Any, n: Any, limit: Any, rows: Any) -> Any:
    """Edit distance with swaps of neighbours (optimal string alignment); limit + 1 where it is more than `limit`.

    Only the diagonals within `limit` are looked at; `rows` [3, LONGEST + 1] is scratch.
    """
    if abs(m - n) > limit:
        return limit + 1
    before, last, now = 0, 1, 2
    for j in range(min(n, limit) + 1):
        rows[last, j] = j
    for i in range(1, m + 1):
        low, high = max(1, i - limit), min(n, i + limit)
        rows[now, low - 1] = i if low == 1 else limit + 1
        smallest = rows[now, low - 1]
        for j in range(low, high + 1):
            best = rows[last, j - 1] + (0 if a[i - 1] == b[j - 1] else 1)
            if j < i + limit:
                best = min(best, rows[last, j] + 1)
            best = min(best, rows[now, j - 1] + 1)
            if i > 1 and j > 1 and a[i - 1] == b[j - 2] and a[i - 2] == b[j - 1]:
                best = min(best, rows[before, j - 2] + 1)
            rows[now, j] = best
            smallest = min(smallest, best)
        if smallest > limit:
            return limit + 1
        before, last, now = last, now, before
    return min(rows[last, n], limit + 1)


@kernel
def _typos(
    blob: Any,
    first: Any,
    last: Any,
    token_blob: Any,
    token_offsets: Any,
    indptr: Any,
    members: Any,
    checks: Any,
    scratch: Any,
    checked: Any,
    out: Any,
) -> Any:
    """`typos.similar_tokens`, as many as `out` holds; returns how many.

    `checked` remembers the tokens met for this word, whose serial number stands in its last place.
    """
    word, other, rows = scratch[0], scratch[1], scratch[2:5]
    length = _decode(blob, first, last, word)
    allowed = 0 if length < 0 else _slips(word, length)
    if allowed == 0:
        return 0
    prefix = min(length, _PREFIX)
    shift = _shift(indptr)
    slots = len(checked) - 1
    checked[slots] += 1
    serial = checked[slots] << 32
    hashes, places = np.empty(_PREFIX * _PREFIX, dtype=np.uint64), np.empty(_PREFIX * _PREFIX, dtype=np.int64)
    nearest, count = allowed, 0
    for pairs in range(allowed):  # none or one letter deleted, then two; what one slip reaches is nearer
        if count and nearest <= pairs:
            break
        patterns = _deletions(word, prefix, pairs == 1, hashes)
        for p in range(patterns):
            places[p] = indptr[np.int64(hashes[p] >> shift)]
        for p in range(patterns):
            check = np.int64(hashes[p] & _LOW)
            for place in range(places[p], indptr[np.int64(hashes[p] >> shift) + 1]):
                if (checks[place] & 0xF) != check:
                    continue
                n = np.int64(checks[place]) >> 4
                if n < 15 and abs(n + _ONE_SLIP - length) > nearest:
                    continue
                token = np.int64(members[place])
                if checked[token % slots] == serial + token:
                    continue
                checked[token % slots] = serial + token
                n = _decode(token_blob, token_offsets[token], token_offsets[token + 1], other)
                limit = min(_slips(other, n), nearest)
                distance = _distance(word, length, other, n, limit, rows)
                if distance > limit:
                    continue
                if distance < nearest:
                    nearest, count = distance, 0
                count = _insert(token, count, out)
    return count


@kernel
def _deletions(word: Any, prefix: Any, pairs: Any, hashes: Any) -> Any:
    """Hashes of the word's first `prefix` letters with none or one deleted, or with two; returns how many."""
    count = 0
    for gone_a in range(0 if pairs else -1, prefix):
        for gone_b in range(gone_a + 1 if pairs else gone_a, prefix if pairs else gone_a + 1):
            h = _OFFSET
            for i in range(prefix):
                if i != gone_a and i != gone_b:
                    h = _step(h, word[i])
            hashes[count] = _finish(h)
            count += 1
    return count


@kernel
def _insert(token: Any, count: Any, out: Any) -> Any:
    """Keep the smallest distinct tokens, ascending, as many as `out` holds."""
    place = count
    for i in range(count):
        if out[i] == token:
            return count
        if out[i] > token:
            place = i
            break
    if place == len(out):
        return count
    for i in range(min(count, len(out) - 1), place, -1):
        out[i] = out[i - 1]
    out[place] = token
    return min(count + 1, len(out))


@kernel
def _share(
    text: Any,
    starts: Any,
    ends: Any,
    word_hashes: Any,
    entities: Any,
    letters: Any,
    lengths: Any,
    token_blob: Any,
    token_offsets: Any,
    token_hashes: Any,
    token_buckets: Any,
    postings_indptr: Any,
    postings: Any,
    in_label: Any,
    typo_indptr: Any,
    typo_members: Any,
    typo_checks: Any,
    limits: Any,
    labels_only: Any,
    most: Any,
    scratch: Any,
    checked: Any,
    out: Any,
    out_how: Any,
) -> Any:
    """`Lookup._sharing`: entities that share most of the words' weight."""
    words = len(starts)
    share_of_ten, most_sharing, most_typos, plural_tenths, typo_tenths = limits[1], limits[2], limits[5], limits[6], limits[7]
    alternatives = max(_PLURALS + 1, most_typos)
    token = np.full((words, alternatives), -1, dtype=np.int64)
    tenths = np.zeros((words, alternatives), dtype=np.int64)
    options, weights = np.zeros(words, dtype=np.int64), np.zeros(words, dtype=np.int64)
    states = np.empty(len(text) + 1, dtype=np.uint64)
    met = np.empty(most_typos, dtype=np.int64)
    token_shift = _shift(token_buckets)
    total = 0
    for w in range(words):
        again = False
        for v in range(w):
            again = again or word_hashes[v] == word_hashes[w]
        if again:
            continue  # a repeated word has no weight
        count = 0
        exact = _find(word_hashes[w], token_hashes, token_buckets, token_shift)
        if exact >= 0:
            token[w, 0], tenths[w, 0], count = exact, 10, 1
        word = text[starts[w] : ends[w]]
        states[0] = _OFFSET
        for i in range(len(word)):
            states[i + 1] = _step(states[i], word[i])
        for rule in range(_PLURALS):
            applies, h = _other_form(letters, lengths, rule, word, states)
            row = _find(h, token_hashes, token_buckets, token_shift) if applies else -1
            if row >= 0:
                token[w, count], tenths[w, count] = row, plural_tenths
                count += 1
        if count == 0:
            count = _typos(text, starts[w], ends[w], token_blob, token_offsets, typo_indptr, typo_members, typo_checks, scratch, checked, met)
            for i in range(count):
                token[w, i], tenths[w, i] = met[i], typo_tenths
        options[w] = count
        having = 0
        for i in range(count):
            if labels_only:
                for place in range(postings_indptr[token[w, i]], postings_indptr[token[w, i] + 1]):
                    having += in_label[place]
            else:
                having += _length(token[w, i], postings_indptr)
        weights[w] = np.int64(_UNIT * math.log2(1.0 + entities / max(1, having)))
        total += weights[w]
    heads, opened = _open_rare_lists(token, options, weights, total, postings_indptr, limits)
    at = np.empty((words, alternatives), dtype=np.int64)
    for w in range(words):
        for i in range(options[w]):
            at[w, i] = postings_indptr[token[w, i]]
    scores = np.empty(most_sharing, dtype=np.int64)
    most = min(most, most_sharing)
    count = 0
    while True:
        entity = _next_entity(heads, opened, postings, in_label, labels_only)
        if entity < 0:
            return count
        shared, slipped = 0, False
        for w in range(words):
            best = 0
            for i in range(options[w]):
                last = postings_indptr[token[w, i] + 1]
                place = _position(postings, at[w, i], last, entity)
                at[w, i] = place  # entities ascend: the next look starts here
                if place < last and postings[place] == entity and (not labels_only or in_label[place] == 1):
                    best = max(best, tenths[w, i])
            shared += weights[w] * best // 10
            slipped = slipped or best == typo_tenths
        if shared * 10 >= total * share_of_ten:
            count = _rank(entity, shared, slipped, count, most, scores, out, out_how)


@kernel
def _open_rare_lists(token: Any, options: Any, weights: Any, total: Any, postings_indptr: Any, limits: Any) -> Any:
    """(place, end) of the lists of the rarest words [lists, 2], and how many entities may still be taken of each.

    Any entity that shares enough weight is in one of them.
    """
    share_of_ten, rare_list, rare_tokens = limits[1], limits[3], limits[4]
    heads = np.empty((rare_tokens * token.shape[1], 2), dtype=np.int64)
    taken = np.zeros(len(weights), dtype=np.bool_)
    lists, left = 0, total
    for _ in range(rare_tokens):
        rarest = -1
        for w in range(len(weights)):
            if not taken[w] and weights[w] > 0 and (rarest < 0 or weights[w] > weights[rarest]):
                rarest = w
        if rarest < 0 or left * 10 < total * share_of_ten:
            break
        taken[rarest] = True
        left -= weights[rarest]
        for i in range(options[rarest]):
            heads[lists, 0] = postings_indptr[token[rarest, i]]
            heads[lists, 1] = postings_indptr[token[rarest, i] + 1]
            lists += 1
    return heads[:lists], np.full(lists, rare_list, dtype=np.int64)


@kernel
def _next_entity(heads: Any, left: Any, postings: Any, in_label: Any, labels_only: Any) -> Any:
    """The next entity of the opened lists, ascending, each once; -1 at the end."""
    entity = np.int64(-1)
    for k in range(len(heads)):
        while labels_only and heads[k, 0] < heads[k, 1] and in_label[heads[k, 0]] == 0:
            heads[k, 0] += 1
        if left[k] > 0 and heads[k, 0] < heads[k, 1]:
            head = np.int64(postings[heads[k, 0]])
            if entity < 0 or head < entity:
                entity = head
    for k in range(len(heads)):
        if left[k] > 0 and heads[k, 0] < heads[k, 1] and postings[heads[k, 0]] == entity:
            heads[k, 0] += 1
            left[k] -= 1
    return entity


@kernel
def _rank(entity: Any, score: Any, slipped: Any, count: Any, most: Any, scores: Any, out: Any, out_how: Any) -> Any:
    """Keep the `most` best scores, best first; of equals the one that came first, which has the higher prior."""
    if count == most and score <= scores[count - 1]:
        return count
    place = min(count, most - 1)
    while place > 0 and scores[place - 1] < score:
        scores[place], out[place], out_how[place] = scores[place - 1], out[place - 1], out_how[place - 1]
        place -= 1
    scores[place], out[place], out_how[place] = score, entity, _TYPO if slipped else _SHARES
    return min(count + 1, most)


@kernel
def find_candidates(
    text: Any,
    starts: Any,
    ends: Any,
    entities: Any,
    letters: Any,
    lengths: Any,
    token_blob: Any,
    token_offsets: Any,
    token_hashes: Any,
    token_buckets: Any,
    postings_indptr: Any,
    postings: Any,
    in_label: Any,
    key_hashes: Any,
    key_buckets: Any,
    key_indptr: Any,
    key_entities: Any,
    key_kinds: Any,
    typo_indptr: Any,
    typo_members: Any,
    typo_checks: Any,
    limits: Any,
    most: Any,
    labels_only: Any,
    paper: Any,
) -> Any:
    """Candidates of each mention text[starts[i]:ends[i]]: counts [m], entities [m, most], how [m, most].

    `paper`: only entities that contain all tokens. Both in order of prior.
    """
    mentions = len(starts)
    counts = np.zeros(mentions, dtype=np.int64)
    out = np.empty((mentions, most), dtype=np.uint32)
    out_how = np.empty((mentions, most), dtype=np.uint8)
    longest = 0
    for m in range(mentions):
        longest = max(longest, ends[m] - starts[m])
    states = np.empty(longest + 1, dtype=np.uint64)
    squashed = np.empty(longest, dtype=np.uint8)
    tokens, order, at = np.empty(longest, np.int64), np.empty(longest, np.int64), np.empty(longest, np.int64)
    word_starts, word_ends = np.empty(longest, np.int64), np.empty(longest, np.int64)
    word_hashes = np.empty(longest, np.uint64)
    hits = np.empty(most, dtype=np.uint32)
    forms, rows = np.empty(len(lengths), dtype=np.uint64), np.empty(len(lengths), dtype=np.int64)
    scratch = np.empty((5, _LONGEST + 1), dtype=np.int64)
    checked = np.zeros(_CHECKED + 1, dtype=np.int64)
    worst_whole = LABEL if labels_only else ALIAS
    token_shift, key_shift = _shift(token_buckets), _shift(key_buckets)
    for m in range(mentions):
        first, last = starts[m], ends[m]
        words, size, known = 0, 0, True
        states[0] = _OFFSET
        h = _OFFSET
        for i in range(first, last + 1):
            if i == last or text[i] == _SPACE:
                begin = word_ends[words - 1] + 1 if words else first
                if i == begin:
                    continue
                word_starts[words], word_ends[words] = begin, i
                word_hashes[words] = _finish(h)
                tokens[words] = _find(word_hashes[words], token_hashes, token_buckets, token_shift)
                known = known and tokens[words] >= 0
                words += 1
                h = _OFFSET
            else:
                h = _step(h, text[i])
                squashed[size] = text[i]
                states[size + 1] = _step(states[size], text[i])
                size += 1
        if words == 0:
            continue
        contained = 0
        if known:
            contained = _contain(
                tokens[:words], order, at, postings_indptr, postings, in_label, labels_only, most, hits
            )
        row = _find(_finish(states[size]), key_hashes, key_buckets, key_shift)
        key_first, key_last = np.int64(0), np.int64(0)
        if row >= 0:
            key_first, key_last = key_indptr[row], key_indptr[row + 1]
        count = 0
        if paper:
            place = key_first
            for i in range(contained):
                place = _position(key_entities, place, key_last, hits[i])
                whole = place < key_last and key_entities[place] == hits[i] and key_kinds[place] <= worst_whole
                out[m, i] = hits[i]
                out_how[m, i] = key_kinds[place] if whole else _CONTAINS
            counts[m] = contained
            continue
        for place in range(key_first, key_last):
            if key_kinds[place] <= worst_whole:
                if count == most:
                    break
                count = _add(key_entities[place], key_kinds[place], count, 0, most, out[m], out_how[m])
        for kind in range(UNBRACKETED, ACRONYM + 1):
            quota = most if kind == UNBRACKETED else limits[0]
            for place in range(key_first, key_last):
                if quota == 0 or count == most:
                    break
                if key_kinds[place] == kind:
                    quota -= 1
                    count = _add(key_entities[place], kind, count, 0, most, out[m], out_how[m])
        if count < most:
            quota = limits[0]
            found = _find_forms(letters, lengths, squashed[:size], states, key_hashes, key_buckets, key_shift, forms, rows)
            for f in range(found):
                row = rows[f]
                for place in range(key_indptr[row], key_indptr[row + 1]):
                    if quota and (key_kinds[place] <= worst_whole or key_kinds[place] == UNBRACKETED):
                        quota -= 1
                        count = _add(key_entities[place], _ENDING, count, count, most, out[m], out_how[m])
        nearer = count
        for i in range(contained):
            count = _add(hits[i], _CONTAINS, count, nearer, most, out[m], out_how[m])
        if count == 0:
            count = _share(
                text,
                word_starts[:words],
                word_ends[:words],
                word_hashes[:words],
                entities,
                letters,
                lengths,
                token_blob,
                token_offsets,
                token_hashes,
                token_buckets,
                postings_indptr,
                postings,
                in_label,
                typo_indptr,
                typo_members,
                typo_checks,
                limits,
                labels_only,
                most,
                scratch,
                checked,
                out[m],
                out_how[m],
            )
        _sort(out[m], out_how[m], count)
        counts[m] = count
    return counts, out, out_how


@kernel
def _sort(entities: Any, how: Any, count: Any) -> Any:
    for i in range(1, count):
        j = i
        while j > 0 and entities[j] < entities[j - 1]:
            entities[j], entities[j - 1] = entities[j - 1], entities[j]
            how[j], how[j - 1] = how[j - 1], how[j]
            j -= 1


def arguments(index: NameIndexArrays, entities: int) -> tuple[Any, ...]:
    """What `find_candidates` takes between the mentions and the options."""
    announce_compilation(find_candidates, "looking up many names at once")
    return (
        np.int64(entities),
        ENDING_LETTERS,
        ENDING_LENGTHS,
        index.tokens.blob,
        index.tokens.offsets,
        index.token_table.hashes,
        index.token_table.buckets,
        index.postings_indptr,
        index.postings,
        index.in_label,
        index.key_table.hashes,
        index.key_table.buckets,
        index.key_indptr,
        index.key_entities,
        index.key_kinds,
        index.typos.indptr,
        index.typos.members,
        index.typos.checks,
        LIMITS,
    )

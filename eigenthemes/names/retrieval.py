"""Look-up of candidates: whole names by their keys, then entities that share words with the form, best names first.

1. The form equals a name of the entity (spaces apart), a label without brackets or turned at its commas, or the core of a name:
   always among the T. It equals initials or an acronym of a label: at most QUOTA of each. An acronym of two letters counts
   only if the form is written in capitals, and not in ontologies.
2. Entities that have words of the form in their names, or words related to them (`token_model`): those of the rarest word and,
   where these are few, of the second rarest. They are ranked by

       2 ln(form coverage) + ln(name coverage) - 0.3 ln(place by prior) + 1 if the label begins with the first word

   The form coverage is the share of the form's information that the names have, the name coverage the share of a name's
   information that the form has, added up over words, each for the name where it is highest (`name_arrays.NameIndexArrays`).

The weights were chosen by recall on the tuning sets. The logarithms are whole numbers from tables, so that compiled and plain
code agree. What is found is in order of prior, like the candidates of the paper.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from eigenthemes.core.array_kernels import position
from eigenthemes.core.jit import kernel
from eigenthemes.kb.name_arrays import (
    ACRONYM,
    ALIAS,
    BEGINS_LABEL,
    CORE,
    IN_ALIAS,
    INITIALS,
    LABEL,
    UNBRACKETED,
)
from eigenthemes.names.token_model import MOST_RELATED, MOST_TOKENS, SAME, STRENGTH, TYPO, WHOLE_SHARE

OTHER_FORM, CONTAINS, SHARES, MISSPELLED, REMEMBERED = range(ACRONYM + 1, ACRONYM + 6)
MATCH_TYPES = {
    LABEL: "label",
    ALIAS: "alias",
    UNBRACKETED: "label but for brackets or commas",
    CORE: "same core",
    INITIALS: "initials",
    ACRONYM: "acronym",
    OTHER_FORM: "other form",
    CONTAINS: "contains all words",
    SHARES: "shares words",
    MISSPELLED: "similar spelling",
    REMEMBERED: "remembered",
}

QUOTA = 5  # entities with the same initials or acronym
LOOKED_AT, FEWER = 256, 64  # entities of the rarest word that are looked at, and of the second rarest one
RELATED_LOOKED_AT = 32  # of a word related to one that as many have: recall is the same from 24 to 64
LEAST_SHARED = np.float32(0.3)  # of the form's information that a name must have
LOOKED_UP = 3  # tokens related to one of the KB: with all 8, the recall is the same and a look-up takes 1.3 x as long
EVERYTHING = 1 << 40
_UNIT = 1024
_LEVELS = 256  # of coverage
_WHOLE_LEVEL = 0.75 * _LEVELS  # of a name in another form: related words count less than the same
_LOGS = np.round(_UNIT * np.log(np.maximum(np.arange(_LEVELS + 1), 0.25) / _LEVELS)).astype(np.int64)
_PLACES = np.round(_UNIT * np.log(np.maximum(np.arange(2 * _LEVELS), 1))).astype(np.int64)
_LOG_2 = round(_UNIT * float(np.log(2)))
_MOST, _OF_SHARE = np.float32(_LEVELS), np.float32(_LEVELS / WHOLE_SHARE)
_OPTIONS = MOST_TOKENS * (1 + 2 * MOST_RELATED)


@kernel
def find_candidates(forms: Any, keys: Any, index: Any, related: Any, options: Any, found: Any) -> None:
    """Find the candidates of each form, and write them into `found`.

    forms    the arrays of `token_model.Forms`
    keys     (row of each form in the key table or -1 [m], whether it is written in capitals [m])
    index    (key_indptr, key_entities, key_kinds, postings_indptr, postings, in_label, share) of `NameIndexArrays`
    related  tokens related to those of the KB (indptr, tokens, relations)
    options  (labels only, entities that lack words are found beside others, all that there are, which are in any order)
    found    counts [m], entities [m, T] in order of prior, match types [m, T]
    """
    most = found[1].shape[1]
    first, weight = np.zeros(MOST_TOKENS + 1, np.int64), np.zeros(MOST_TOKENS, np.float32)
    lists = np.zeros(
        (5, _OPTIONS), np.int64
    )  # of each option: where its list begins, is read and ends; its relation; how far it was looked at
    best = np.zeros((3, most), np.int64)  # entities, scores and match types
    for m in range(len(keys[0])):
        entities, kinds = found[1][m], found[2][m]
        count = _whole_names(keys[0][m], keys[1][m], index, options[0], entities, kinds)
        if count < most:
            words = _open_lists(m, forms, related, index[3], options[2], first, weight, lists)
            count = _add_sharing(words, first, weight, lists, index, options, best, count, entities, kinds)
        if not options[2]:
            _sort(entities, kinds, count)
        found[0][m] = count


@kernel
def _whole_names(key: Any, in_capitals: Any, index: Any, labels_only: Any, entities: Any, kinds: Any) -> Any:
    """Write the entities of a key, the best match types first; returns how many."""
    count, most = 0, len(entities)
    if key < 0:
        return count
    key_indptr, key_entities, key_kinds = index[0], index[1], index[2]
    begin, end = key_indptr[key], key_indptr[key + 1]
    highest = LABEL
    for entry in range(begin, end):
        highest = max(highest, key_kinds[entry])
    for kind in range(highest + 1):
        quota = most if kind <= CORE else (QUOTA if kind != ACRONYM or in_capitals else 0)
        if not (labels_only and kind in (ALIAS, CORE)):
            for entry in range(begin, end):
                if key_kinds[entry] == kind and quota > 0 and count < most:
                    entities[count], kinds[count] = key_entities[entry], kind
                    count += 1
                    quota -= 1
    return count


@kernel
def _open_lists(
    form: Any, forms: Any, related: Any, postings_indptr: Any, weak_too: Any, first: Any, weight: Any, lists: Any
) -> Any:
    """Write the words of a form, each once, with their weights, and the posting lists of the tokens they may mean.

    Returns how many words there are; the lists of word i are first[i]:first[i + 1].
    """
    indptr, token, information, cost, of_unknown = forms[0], forms[1], forms[2], forms[3], forms[4]
    words, many = 0, 0
    for at in range(indptr[form], min(indptr[form + 1], indptr[form] + MOST_TOKENS)):
        # weak words are in too many names, and may well be missing
        is_new = weak_too or 2 * cost[at] > information[at]
        for before in range(indptr[form], at):
            is_new = is_new and (token[before] != token[at] or token[at] < 0)
        if not is_new:
            continue
        first[words], weight[words] = many, cost[at]
        if token[at] >= 0:
            many = _open_list(np.int64(token[at]), SAME, postings_indptr, many, lists)
            begin, end = related[0][token[at]], related[0][token[at] + 1]
            for k in range(begin, min(end, begin + LOOKED_UP)):
                many = _open_list(np.int64(related[1][k]), related[2][k], postings_indptr, many, lists)
        else:
            for k in range(of_unknown[at], of_unknown[at + 1]):
                many = _open_list(np.int64(forms[5][k]), forms[6][k], postings_indptr, many, lists)
        words += 1
    first[words] = many
    return words


@kernel
def _open_list(token: Any, relation: Any, postings_indptr: Any, many: Any, lists: Any) -> Any:
    if many == lists.shape[1]:
        return many
    lists[0, many], lists[2, many] = postings_indptr[token], postings_indptr[token + 1]
    lists[3, many], lists[4, many] = relation, 0
    return many + 1


@kernel
def _add_sharing(
    words: Any,
    first: Any,
    weight: Any,
    lists: Any,
    index: Any,
    options: Any,
    best: Any,
    count: Any,
    entities: Any,
    kinds: Any,
) -> Any:
    """Add the best entities that share words with the form; returns the new count."""
    total, rarest, second = np.float32(0), -1, -1
    for i in range(words):
        total += weight[i]
        if first[i + 1] > first[i]:
            if rarest < 0 or weight[i] > weight[rarest]:
                rarest, second = i, rarest
            elif second < 0 or weight[i] > weight[second]:
                second = i
    if rarest < 0:
        return count
    looked_at, fewer = (EVERYTHING, EVERYTHING) if options[2] else (LOOKED_AT, FEWER)
    room, there = len(entities) - count, entities[:count]
    kept = _gather(rarest, looked_at, words, first, weight, lists, total, index, options, there, best, 0, room)
    complete = 0
    for k in range(kept):
        complete += best[2, k] != SHARES
    lacking = options[1] or complete + len(there) == 0
    if second >= 0 and lacking and complete < room and total - weight[rarest] >= LEAST_SHARED * total:
        kept = _gather(second, fewer, words, first, weight, lists, total, index, options, there, best, kept, room)
    for k in range(kept):
        if best[2, k] != SHARES or lacking:
            entities[count], kinds[count] = best[0, k], best[2, k]
            count += 1
    return count


@kernel
def _gather(
    rare: Any,
    looked_at: Any,
    words: Any,
    first: Any,
    weight: Any,
    lists: Any,
    total: Any,
    index: Any,
    options: Any,
    there: Any,
    best: Any,
    kept: Any,
    room: Any,
) -> Any:
    """Score the entities that have the word `rare` or a related one, and keep the `room` best; returns how many are kept.

    looked_at  entities of each of its lists
    there      entities that are candidates already
    best       entities, scores and match types, best first
    """
    postings, in_label, share, labels_only = index[4], index[5], index[6], options[0]
    needs_all = len(there) > 0 and not options[1]  # entities that lack words are not wanted
    begins, at, ends, relation, seen = lists[0], lists[1], lists[2], lists[3], lists[4]
    is_frequent = ends[first[rare]] - begins[first[rare]] >= RELATED_LOOKED_AT and looked_at < EVERYTHING
    for of_rare in range(first[rare], first[rare + 1]):
        if is_frequent and of_rare > first[rare]:
            looked_at = min(looked_at, RELATED_LOOKED_AT)
        for k in range(first[words]):
            at[k] = begins[k]
        halvings, end = 0, min(ends[of_rare], begins[of_rare] + looked_at)
        for here in range(begins[of_rare], end):
            entity = np.int64(postings[here])
            while (entity + 1) >> halvings >= 2 * _LEVELS:  # entities ascend
                halvings += 1
            prior = -3 * (halvings * _LOG_2 + _PLACES[(entity + 1) >> halvings]) // 10
            if kept == room and prior + _UNIT <= best[1, room - 1]:  # nothing that follows is better
                break
            of_form, of_name, rest, at_start = np.float32(0), np.float32(0), total, False
            farthest, is_complete = SAME, True
            for i in range(words):
                if of_form + rest < LEAST_SHARED * total or (needs_all and not is_complete):
                    break
                rest -= weight[i]
                place, of_word = here, of_rare
                if i != rare:
                    place, of_word = -1, first[i]
                    while place < 0 and of_word < first[i + 1]:
                        if at[of_word] < ends[of_word] and postings[at[of_word]] < entity:
                            at[of_word] = position(postings, at[of_word], ends[of_word], entity)
                        if at[of_word] < ends[of_word] and postings[at[of_word]] == entity:
                            place = at[of_word]
                        else:
                            of_word += 1
                if place >= 0 and not (labels_only and in_label[place] == IN_ALIAS):
                    strength = STRENGTH[relation[of_word]]
                    of_form += weight[i] * strength
                    of_name += strength * np.float32(share[place])
                    farthest = max(farthest, relation[of_word])
                    at_start = at_start or (i == 0 and in_label[place] == BEGINS_LABEL)
                else:
                    is_complete = False
            if not (is_complete if needs_all else of_form >= LEAST_SHARED * total):
                continue
            form_level: Any = min(_LEVELS, np.int64(_MOST * of_form / total))
            name_level: Any = min(_LEVELS, np.int64(_OF_SHARE * of_name))
            score = 2 * _LOGS[form_level] + _LOGS[name_level] + prior + (_UNIT if at_start else 0)
            if kept == room and score <= best[1, room - 1]:
                continue
            is_new = True
            for k in range(len(there)):
                is_new = is_new and np.int64(there[k]) != entity
            for k in range(first[words] if is_new else 0):
                if seen[k] > 0:
                    place = position(postings, begins[k], seen[k], entity)
                    is_new = is_new and (place == seen[k] or postings[place] != entity)
            if not is_new:
                continue
            if farthest >= TYPO:
                kind = MISSPELLED
            elif is_complete and farthest == SAME:
                kind = CONTAINS
            elif is_complete and name_level >= _WHOLE_LEVEL:
                kind = OTHER_FORM
            else:
                kind = SHARES
            place = min(kept, room - 1)
            kept = place + 1
            while place > 0 and best[1, place - 1] < score and looked_at < EVERYTHING:
                best[0, place], best[1, place], best[2, place] = best[0, place - 1], best[1, place - 1], best[2, place - 1]
                place -= 1
            best[0, place], best[1, place], best[2, place] = entity, score, kind
        seen[of_rare] = end
    return kept


@kernel
def _sort(entities: Any, kinds: Any, count: Any) -> None:
    """Put candidates in order of prior."""
    for i in range(1, count):
        entity, kind, j = entities[i], kinds[i], i
        while j > 0 and entities[j - 1] > entity:
            entities[j], kinds[j] = entities[j - 1], kinds[j - 1]
            j -= 1
        entities[j], kinds[j] = entity, kind


@kernel
def find_containing(forms: Any, key_row: Any, index: Any, labels_only: Any, found: Any) -> None:
    """Find the first entities whose names contain all tokens of each form, as the paper does; `found` as in `find_candidates`.

    forms  (indptr [m + 1], tokens or -1)
    """
    indptr, token = forms
    key_indptr, key_entities, key_kinds, postings_indptr, postings, in_label = index[:6]
    worst = LABEL if labels_only else ALIAS
    at = np.zeros(max(1, _longest(indptr)), np.int64)
    for m in range(len(key_row)):
        begin, words, most = indptr[m], indptr[m + 1] - indptr[m], found[1].shape[1]
        shortest, is_known = 0, words > 0
        for i in range(words):
            is_known = is_known and token[begin + i] >= 0
        for i in range(words if is_known else 0):
            at[i] = postings_indptr[token[begin + i]]
            size, least = (
                postings_indptr[token[begin + i] + 1] - at[i],
                postings_indptr[token[begin + shortest] + 1] - at[shortest],
            )
            shortest = i if size < least else shortest
        entry, last = (key_indptr[key_row[m]], key_indptr[key_row[m] + 1]) if key_row[m] >= 0 else (0, 0)
        count = 0
        while is_known and count < most and at[shortest] < postings_indptr[token[begin + shortest] + 1]:
            entity, has_all = postings[at[shortest]], True
            for i in range(words):
                end = postings_indptr[token[begin + i] + 1]
                if has_all:
                    at[i] = position(postings, at[i], end, entity)
                    has_all = at[i] < end and postings[at[i]] == entity and not (labels_only and in_label[at[i]] == IN_ALIAS)
            at[shortest] += 1
            if has_all:
                entry = position(key_entities, entry, last, entity)
                is_whole = entry < last and key_entities[entry] == entity and key_kinds[entry] <= worst
                found[1][m, count], found[2][m, count] = entity, key_kinds[entry] if is_whole else CONTAINS
                count += 1
        found[0][m] = count


@kernel
def _longest(indptr: Any) -> Any:
    longest = 0
    for i in range(len(indptr) - 1):
        longest = max(longest, indptr[i + 1] - indptr[i])
    return longest

"""Odd texts, and odd changes to sound files: of a token, of a row, of the bytes as a whole."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from helpers.files import COMPRESS

_NAMES = ["Paris", "New York City", "O'Neill", "al-Qaeda", "Zoë", "東京都", "Москва", "قاهرة", "U.S.", "3M", "C++", "x"]
_ODD = [
    "", " ", "\u00a0", "\u200b", "\u0301", "e\u0301" * 40, "\ufeff", "😀", "👩‍👩‍👧", "\u202eevil", "\x1b[31mred\x1b[0m",
    "\x07", "\x00", "a\x00b", "\x85", "\u2028", "\x9b2J", "\r", "a\r\nb", "\t", "|", "a|b|", ",", ";", '"', '""', "'", "\\",
    "\\u0041", "<b>", "&amp;", "]]>", "{}", "[]", "null", "NaN", "1e999", "-1", "0", "true", "@en", "^^<x>", "#", "!", "_:b",
    "\U0010ffff", "\ufffe", "ﬁ", "İ", "ß", "ǆ", "९", "½", "%00", "../../x", "${HOME}", "-", "--", "=1+1",
]  # fmt: skip
_LONG = (2_000, 2_000, 70_000)  # times
_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")


def odd_text(random: Random) -> str:
    """Return a name as people have them, something odd, or both."""
    kind = random.random()
    if kind < 0.5:
        return random.choice(_NAMES)
    if kind < 0.75:
        return random.choice(_ODD)
    if kind < 0.995:
        return random.choice(_NAMES) + random.choice(_ODD) + random.choice(_NAMES)
    return random.choice(_NAMES) * random.choice(_LONG)


def plain_name(random: Random) -> str:
    """Return a name that any format can hold."""
    return " ".join(random.sample(_NAMES, random.randint(1, 3)))


def mutate_row(row: str, random: Random) -> str:
    """Change one row: drop, double, swap or replace tokens, nest, or put something odd in."""
    for _ in range(random.choice((1, 1, 1, 2, 4))):
        row = random.choice(_ROW_CHANGES)(_TOKEN.findall(row), random)
    return row


def _drop(tokens: list[str], random: Random) -> str:
    at = _place(tokens, random)
    return "".join(tokens[:at] + tokens[at + 1 :])


def _double(tokens: list[str], random: Random) -> str:
    at, times = _place(tokens, random), random.choice((2, 2, 3, 500))
    return "".join(tokens[:at] + tokens[at : at + 1] * times + tokens[at + 1 :])


def _swap(tokens: list[str], random: Random) -> str:
    one, two = _place(tokens, random), _place(tokens, random)
    if tokens:
        tokens[one], tokens[two] = tokens[two], tokens[one]
    return "".join(tokens)


def _replace(tokens: list[str], random: Random) -> str:
    at = _place(tokens, random)
    return "".join(tokens[:at] + [_one_line(random)] + tokens[at + 1 :])


def _insert(tokens: list[str], random: Random) -> str:
    at = _place(tokens, random)
    return "".join(tokens[:at] + [_one_line(random)] + tokens[at:])


def _nest(tokens: list[str], random: Random) -> str:
    at, (left, right) = _place(tokens, random), random.choice(("[]", "{}", "()", "<>"))
    depth = random.choice((1, 1, 2, 300, 5_000))
    return "".join([*tokens[:at], left * depth, *tokens[at : at + 1], right * depth, *tokens[at + 1 :]])


def _cut(tokens: list[str], random: Random) -> str:
    return "".join(tokens[: _place(tokens, random)])


_ROW_CHANGES: tuple[Callable[[list[str], Random], str], ...] = (_drop, _double, _swap, _replace, _insert, _nest, _cut)


def _one_line(random: Random) -> str:
    """Return an odd text that keeps a row one row."""
    return re.sub(r"[\r\n]", "", odd_text(random))


def _place(tokens: list[str], random: Random) -> int:
    return random.randrange(len(tokens)) if tokens else 0


def mutate_bytes(data: bytes, random: Random) -> bytes:
    """Change a file as a whole: its bytes, its encoding, its compression."""
    return random.choice(_FILE_CHANGES)(data, random)


def _flip(data: bytes, random: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(random.choice((1, 1, 2, 16))):
        if changed:
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _truncate(data: bytes, random: Random) -> bytes:
    return data[: random.randrange(len(data) + 1)]


def _splice(data: bytes, random: Random) -> bytes:
    begin, end, to = (random.randrange(len(data) + 1) for _ in range(3))
    return data[:to] + data[min(begin, end) : max(begin, end)] + data[to:]


def _encode(data: bytes, random: Random) -> bytes:
    encoding = random.choice(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-7", "cp037", "latin-1"])
    return data.decode("utf-8", "replace").encode(encoding, "replace")


def _mark(data: bytes, random: Random) -> bytes:
    mark = random.choice([b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff", b"\xff\xfe\x00\x00", b"\x1f\x8b", b"PK\x03\x04", b"PAR1"])
    return mark + data


def _zeros(data: bytes, random: Random) -> bytes:
    at = random.randrange(len(data) + 1)
    return data[:at] + bytes(random.choice((1, 512, 100_000))) + data[at:]


def _compress(data: bytes, random: Random) -> bytes:
    compressed = random.choice(list(COMPRESS.values()))(data)
    return random.choice((_whole, _truncate, _flip, _twice))(compressed, random)


def _whole(data: bytes, random: Random) -> bytes:
    return data


def _twice(data: bytes, random: Random) -> bytes:
    return data + data


_FILE_CHANGES: tuple[Callable[[bytes, Random], bytes], ...] = (_flip, _truncate, _splice, _encode, _mark, _zeros, _compress)

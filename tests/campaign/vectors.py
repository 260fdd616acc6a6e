"""Files of vectors in every format, changed and imported: a refusal leaves the KB as it was, and no pickle runs anything."""

from __future__ import annotations

import io
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from random import Random

import numpy as np
from helpers.vector_files import in_every_format, npz

from campaign.judge import command, demand_sound
from campaign.odd import mutate_bytes, mutate_row, odd_text
from campaign.trial import FINE, Fault, Trial
from campaign.world import World, copy_kb

_IDS = ["mj", "paris", "jo", "tokyo", "nowhere"]
_SPECIAL = (0.0, np.nan, np.inf, -np.inf, 1e38, 1e-45)


def _matrix(random: Random) -> np.ndarray:
    rows = np.array([[random.gauss(0, 1) for _ in range(random.choice((1, 3, 8)))]] * len(_IDS))
    rows[random.randrange(len(_IDS)), 0] = random.choice((1.0, 1.0, *_SPECIAL))
    with np.errstate(over="ignore"):
        return rows.astype(random.choice(("<f4", "<f8", ">f4", "<f2")))


class _Attack:
    """Pickle to a call that creates a file when it is unpickled without care."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("attacked",)


def _npy_of_objects(random: Random) -> bytes:
    file = io.BytesIO()
    np.save(file, np.array([_Attack(), {}], dtype=object), allow_pickle=True)
    return file.getvalue()


_TRAPS: tuple[Callable[[Random], bytes], ...] = (
    lambda random: pickle.dumps(_Attack(), random.randrange(5)),
    lambda random: pickle.dumps({"mj": _Attack()}, random.randrange(5)),
    _npy_of_objects,
    lambda random: npz(ids=np.array(_IDS), vectors=np.zeros((len(_IDS), 0), np.float32)),
    lambda random: b"%d %d\nmj " % (random.choice((-1, 0, 1, 10**18)), random.choice((-1, 0, 10**9, 10**18))),
    lambda random: (
        b"\x93NUMPY\x01\x00v\x00{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000, 300), }".ljust(128) + b"\n"
    ),
    lambda random: (
        b"@\x00\x00\x00\x00\x00\x00\x00" + b'{"vectors":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}}'.ljust(64)
    ),  # safetensors
    lambda random: odd_text(random).encode("utf-8", "surrogatepass"),
)


def import_trial(random: Random, folder: Path, world: World) -> str:
    """Import a file of vectors."""
    kb = copy_kb(world.kb, folder / "new.kb")
    formats = in_every_format(_IDS, _matrix(random))
    name = random.choice(list(formats))
    data = formats[name]
    if random.random() < 0.2:
        data = random.choice(_TRAPS)(random)
    elif name == "word2vec-text" and random.random() < 0.5:
        lines = data.decode().split("\n")
        at = random.randrange(len(lines))
        data = "\n".join([*lines[:at], mutate_row(lines[at], random), *lines[at + 1 :]]).encode("utf-8", "surrogatepass")
    elif random.random() < 0.8:
        data = mutate_bytes(data, random)
    flags: list[object] = random.choice(([], [], ["--format", random.choice(list(formats))]))
    if name == "npy":
        (folder / "of.ids").write_text("\n".join(_IDS[: random.choice((5, 5, 5, 4))]))
        flags = [*flags, "--ids", folder / "of.ids"]
    (folder / "vectors").write_bytes(data)
    return change_and_check(kb, "embed", kb, "--import", folder / "vectors", "--no-train", *flags)


def change_and_check(kb: Path, *arguments: object) -> str:
    """Run a command that changes a KB: where it refuses, nothing is changed; where it does not, the KB is sound."""
    before = (kb / "manifest.json").read_bytes()
    verdict, done = command(*arguments)
    if (kb.parent / "attacked").exists():
        raise Fault("a file of vectors ran a call of its own")
    if verdict != FINE and (kb / "manifest.json").read_bytes() != before:
        raise Fault(f"refused, and the KB was changed\n{done.stderr}")
    demand_sound(kb)
    return verdict


def word_vectors_trial(random: Random, folder: Path, world: World) -> str:
    """Give a changed file of word vectors to the commands that take one."""
    kb = copy_kb(world.kb, folder / "new.kb")
    lines = world.words.read_text().split("\n")
    if random.random() < 0.5:
        at = random.randrange(len(lines))
        lines[at] = mutate_row(lines[at], random)
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    words = folder / "words"
    words.write_bytes(data if random.random() < 0.5 else mutate_bytes(data, random))
    embed = ("embed", kb, "--no-train", "--word-vectors", words)
    return change_and_check(kb, *random.choice(((*embed, "--method", "descriptions"), (*embed, "--inductive"))))


TRIALS: dict[str, Trial] = {"vectors-import": import_trial, "vectors-words": word_vectors_trial}

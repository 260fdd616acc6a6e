"""Give KBs with a damaged file to every command: answers stay the same, or `verify` names the file."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import numpy as np
from helpers.commands import Done, call

from campaign.judge import judged
from campaign.trial import FINE, Fault, Trial, note
from campaign.world import World, copy_kb, own_file

READING: tuple[tuple[str, ...], ...] = (
    ("info", "KB"),
    ("info", "KB", "--json"),
    ("verify", "KB"),
    ("candidates", "KB", "Jordan", "Jordn", "Paris", "W.H.O.", "the Who", "Tokyo"),
    ("candidates", "KB", "Michael Jordan", "--why", "jo"),
    ("candidates", "KB", "Jordan", "--generator", "paper", "--json"),
    ("link", "KB", "DOCUMENTS"),
    ("link", "KB", "DOCUMENTS", "--explain", "--table"),
    ("link", "KB", "DOCUMENTS", "--method", "eigen"),
    ("link", "KB", "DOCUMENTS", "--method", "degree", "--generator", "paper"),
    ("explain", "KB", "DOCUMENTS", "--document", "all"),
    ("eval", "KB", "GOLD", "--json"),
)
WRITING: tuple[tuple[str, ...], ...] = (
    ("embed", "KB", "--no-train", "--jobs", "1"),
    ("embed", "KB", "--no-train", "--method", "deepwalk", "--jobs", "1", "--walks", "2", "--length", "5"),
    ("embed", "KB", "--no-train", "--method", "netsmf", "--jobs", "1"),
    ("embed", "KB", "--no-train", "--inductive", "--word-vectors", "WORDS"),
    ("embed", "KB", "--no-train", "--method", "descriptions", "--word-vectors", "WORDS"),
    ("train", "KB"),
    ("build", "SOURCES", "-o", "KB", "--force", "--no-train", "--jobs", "1"),
)
COMMANDS = (*READING, *READING, *WRITING)  # reading is what happens most
_TIMES = re.compile(r'\d+\.\d+ s\b|"documents_per_second": [\d.e+]+|"seconds": [\d.e-]+')


def run(command: Sequence[str], kb: Path, world: World) -> Done:
    """Run a command on a KB."""
    places = {"KB": kb, "DOCUMENTS": world.documents, "GOLD": world.gold, "WORDS": world.words, "SOURCES": world.sources[0]}
    return call(*(places.get(argument, argument) for argument in command))


def answer(done: Done) -> str:
    """Return what a command printed, without the time it took."""
    return _TIMES.sub("", done.stdout)


# ways to damage a file

_WILD_FLOATS = (np.nan, np.inf, -np.inf, 1e30, -1.0)


def _flip(file: Path, random: Random) -> None:
    data = bytearray(own_file(file).read_bytes())
    for _ in range(random.choice((1, 1, 1, 8))):
        data[random.randrange(len(data))] ^= 1 << random.randrange(8)
    file.write_bytes(data)


def _wild_number(file: Path, random: Random) -> None:
    """Put numbers that no array should hold into an array: what is indexed with them lies far outside."""
    if file.suffix != ".npy":
        return _flip(file, random)
    array = np.load(own_file(file))
    flat = array.reshape(-1)
    wild = _WILD_FLOATS if array.dtype.kind == "f" else (np.iinfo(array.dtype) if array.dtype.kind in "iu" else None)
    for _ in range(random.choice((1, 1, 3)) if flat.size else 0):
        at = random.randrange(flat.size)
        if isinstance(wild, np.iinfo):
            flat[at] = random.choice((wild.max, wild.min, wild.max // 2, len(flat) % wild.max, 1_000_000 % wild.max))
        else:
            flat[at] = random.choice(_WILD_FLOATS) if wild else not flat[at]
    np.save(file, array)
    return None


def _flip_header(file: Path, random: Random) -> None:
    data = bytearray(own_file(file).read_bytes())
    data[random.randrange(min(128, len(data)))] = random.randrange(256)
    file.write_bytes(data)


def _truncate(file: Path, random: Random) -> None:
    data = own_file(file).read_bytes()
    file.write_bytes(data[: random.randrange(len(data))])


def _zero(file: Path, random: Random) -> None:
    size = file.stat().st_size
    file.unlink()
    file.write_bytes(bytes(size))


def _random(file: Path, random: Random) -> None:
    data = own_file(file).read_bytes()
    file.write_bytes(data[:128] + random.randbytes(len(data[128:])))


def _swap(file: Path, random: Random) -> None:
    other = random.choice(sorted(file.parent.glob("*.*")))
    data = other.read_bytes()
    file.unlink()
    file.write_bytes(data)


def _remove(file: Path, random: Random) -> None:
    file.unlink()


def _folder(file: Path, random: Random) -> None:
    file.unlink()
    file.mkdir()


def _loop(file: Path, random: Random) -> None:
    file.unlink()
    file.symlink_to(file.name)


FILE_DAMAGE: tuple[Callable[[Path, Random], None], ...] = (
    _flip, _flip, _wild_number, _wild_number, _wild_number, _flip_header, _truncate, _zero, _random,
    _swap, _remove, _folder, _loop,
)  # fmt: skip


def damage_trial(random: Random, folder: Path, world: World) -> str:
    """Damage a file of a KB and run a command."""
    kb = copy_kb(world.kb, folder / "damaged.kb")
    file = random.choice([kb / "manifest.json", *sorted(kb.glob("data-*/*"))])
    command, damage = random.choice(COMMANDS), random.choice(FILE_DAMAGE)
    damage(file, random)
    note(damage.__name__, file.name)
    return require_report(kb, command, file.name, world)


def require_report(kb: Path, command: Sequence[str], damaged: str, world: World) -> str:
    """Run a command on a damaged KB; require that `verify` names the damaged file, or that nothing changed."""
    note(*command)
    before = call("verify", kb)
    judged(before)
    done = run(command, kb, world)
    verdict = judged(done, for_programs=_for_programs(command))
    after = call("verify", kb)
    if command[0] == "build" and done.returncode == 0:
        if after.returncode != 0:
            raise Fault(f"built anew, and still damaged\n{after.stderr}")
        return verdict
    if before.returncode == 0:
        sound = run(command, copy_kb(world.kb, kb.with_name("sound.kb")), world)
        if answer(done).replace(kb.name, "") != answer(sound).replace("sound.kb", ""):
            raise Fault(f"other answers from a KB that verifies\n{command}, {damaged}:\n{answer(done)}\n{answer(sound)}")
    elif damaged not in before.stderr and "manifest" not in before.stderr and done.returncode == 0:
        raise Fault(f"verify names another file than {damaged}\n{before.stderr}")
    elif command[0] in ("embed", "train") and done.returncode == 0 and after.returncode == 0:
        rewritten = damaged.startswith("vectors-") and command[0] == "embed"
        if not rewritten:
            raise Fault(f"a change hides damage: {command[0]} of a KB with a damaged {damaged} verifies\n{command}")
    return verdict


# the manifest, changed by somebody who writes JSON, with or without a right hash of it

_VALUES = (None, [], {}, "", "x", 0, -1, 1e308, True, [[]], {"prone": {}}, [0] * 100)


def manifest_trial(random: Random, folder: Path, world: World) -> str:
    """Change a value deep in the manifest, in half of the trials with the hash that belongs to it."""
    from eigenthemes.kb.manifest import seal

    kb = copy_kb(world.kb, folder / "damaged.kb")
    file = own_file(kb / "manifest.json")
    manifest = json.loads(file.read_text())
    place = manifest
    while True:
        key = random.choice(list(place))
        if not isinstance(place[key], dict) or not place[key] or random.random() < 0.3:
            break
        place = place[key]
    if random.random() < 0.3:
        del place[key]
    else:
        place[key] = random.choice(_VALUES)
    if random.random() < 0.5:
        manifest = seal(manifest)
    file.write_text(json.dumps(manifest))
    command = random.choice(COMMANDS)
    verdict = judged(run(command, kb, world), for_programs=_for_programs(command))
    judged(call("verify", kb))
    return verdict


def _for_programs(command: Sequence[str]) -> bool:
    return "--json" in command or (command[0] == "link" and "--table" not in command)


_NOBODY = 65534


def rights_trial(random: Random, folder: Path, world: World) -> str:
    """A file that may not be read: the sentence speaks of rights, not of damage."""
    kb = copy_kb(world.kb, folder / "guarded.kb")
    file = own_file(random.choice([kb / "manifest.json", *sorted(kb.glob("data-*/*.npy"))]))
    file.chmod(0)
    command = random.choice(READING)
    user = os.geteuid()
    for place in (folder, world.kb):
        _open_to_all(place)
    try:
        if user == 0:
            os.seteuid(_NOBODY)  # else rights count for nothing
        done = run(command, kb, world)
    finally:
        os.seteuid(user)
    verdict = judged(done, for_programs=_for_programs(command))
    if verdict != FINE and ("build" in done.stderr or "ermission" not in done.stderr):
        raise Fault(f"no permission is reported as something else\n{command}, {file.name}: {done.stderr}")
    return verdict


def _open_to_all(place: Path) -> None:
    """Let everybody into a folder: temporary ones are their owner's alone."""
    for folder in (place, *place.parents):
        if folder == Path(tempfile.gettempdir()) or folder == folder.parent:
            return
        folder.chmod(0o755)


TRIALS: dict[str, Trial] = {"damage-files": damage_trial, "damage-manifest": manifest_trial, "damage-rights": rights_trial}

"""Every option of every command with odd values. They come from the commands' own parameters, so a new option is covered."""

from __future__ import annotations

import os
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import click
from helpers.commands import call

from campaign.judge import judged
from campaign.odd import odd_text
from campaign.trial import Trial, note
from campaign.world import World, copy_kb
from eigenthemes.cli import all_commands
from eigenthemes.embeddings.vector_sets import METHODS as VECTORS
from eigenthemes.kg.source_formats import FORMATS
from eigenthemes.ranking.methods import METHODS

_NUMBERS = ["0", "1", "2", "3", "-1", "1.5", "nan", "inf", "-inf", "1e3", "1e308", "9" * 30, "9" * 5000, "x", "", "0x10", "١"]
_WORDS = [
    *METHODS, *VECTORS, *FORMATS, "all", "none", "paper", "default", "names", "cells", "given", "on", "off", "mj", "prone",
    "rdfs:label", "x:y", "id=id", "=", "en,de", ",", "1G",
]  # fmt: skip
_QUICK = ("build", "embed", "info", "verify", "candidates", "link", "explain", "eval") * 3  # the others take seconds
# Sound values of the options that would fill the machine or the day if they were only odd
_HARMLESS = {
    "jobs": ["1", "1", "0", "-1", "x", "9" * 12],
    "epochs": ["1", "0", "-1", "x"],
    "walks": ["1", "0", "99999999999", "x"],
    "length": ["2", "0", "99999999999", "x"],
    "window": ["1", "2", "0", "-1", "99999999999", "x"],
    "preset": ["x"],
}


def option_trial(random: Random, folder: Path, world: World) -> str:
    """Run a command with odd options in a scratch folder."""
    name = random.choice([*all_commands(), *_QUICK])
    command = all_commands()[name]
    paths = _paths(folder, world)
    words = [name]
    for parameter in command.params:
        if isinstance(parameter, click.Argument):
            words += _argument(parameter, paths, random)
        elif random.random() < 0.15 or (parameter.required and random.random() < 0.9):
            words += _option(parameter, paths, random)
    if name in ("build", "embed") and random.random() < 0.9:
        words.append("--no-train")  # else most of the time goes by in training
    note(*words)
    with mock.patch("eigenthemes.service.run.Supervisor.run"):  # it would serve for ever
        done = call(*words, stdin=random.choice(("", "Paris is in Texas.", '{"text": "Paris"}\n', odd_text(random))))
    return judged(done, for_programs=True)  # JSON on stdout is for programs; stderr is not


def _paths(folder: Path, world: World) -> list[str]:
    """Make files of every kind in the folder."""
    copy_kb(world.kb, folder / "a.kb")
    for source in (*world.sources, world.documents, world.gold, world.words):
        os.link(source, folder / source.name)
    (folder / "empty").touch()
    (folder / "folder").mkdir()
    (folder / "noise").write_bytes(Random(0).randbytes(500))
    (folder / "\x1b[31m\n\udcff").write_text("x")
    os.mkfifo(folder / "pipe")
    names = ("a.kb", "nodes.jsonl", "edges.jsonl", "documents.jsonl", "gold.jsonl", "words.txt")
    odd = ("empty", "folder", "noise", "\x1b[31m\n\udcff", "pipe", "missing", "missing/deep")
    return [*names, *odd, "-", "", ".", "/dev/null", "new", "x" * 300]


_SOUND_ARGUMENTS = {
    "kb": "a.kb", "kbs": "a.kb", "documents": "documents.jsonl", "gold": "gold.jsonl", "sources": "nodes.jsonl",
    "names": "Jordan", "table": "documents.jsonl",
}  # fmt: skip


def _argument(parameter: click.Parameter, paths: list[str], random: Random) -> list[str]:
    sound = _SOUND_ARGUMENTS.get(parameter.name or "", "noise")
    count = random.choice((1, 1, 1, 2, 0)) if parameter.nargs == -1 else 1
    return [sound if random.random() < 0.75 else _odd_value(parameter, paths, random) for _ in range(count)]


def _option(parameter: click.Parameter, paths: list[str], random: Random) -> list[str]:
    flag = random.choice([*parameter.opts, *parameter.secondary_opts])
    if getattr(parameter, "is_flag", False):
        return [flag]
    return [word for _ in range(random.choice((1, 1, 1, 2))) for word in (flag, _odd_value(parameter, paths, random))]


def _odd_value(parameter: click.Parameter, paths: list[str], random: Random) -> str:
    """Return a value for a parameter: often of the type it wants, sometimes of none."""
    if parameter.name in _HARMLESS:
        return random.choice(_HARMLESS[parameter.name])
    pools: list[Any] = [_NUMBERS, _WORDS, paths]
    kind = parameter.type
    if isinstance(kind, click.Path):
        pools = [paths] * 9 + pools
    elif isinstance(kind, click.Choice):
        pools = [list(kind.choices)] * 9 + pools
    elif isinstance(kind, (click.types.IntParamType, click.types.FloatParamType)):
        pools = [_NUMBERS] * 9 + pools
    else:
        pools = [_WORDS] * 3 + [[odd_text(random).replace("\x00", "")]] + pools
    return random.choice(random.choice(pools))


TRIALS: dict[str, Trial] = {"options": option_trial}

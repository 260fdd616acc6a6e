"""A small experiment: two worlds of friends, documents with gold about them, word vectors, and a plan with every section."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from helpers.files import write_jsonl

from eigenthemes_paper.plan import Plan
from eigenthemes_paper.plan_reader import read_plan
from eigenthemes_paper.results import read_rows
from eigenthemes_paper.run import run_experiment
from eigenthemes_paper.sections import SECTIONS

# Two worlds of friends; "Ann" and "Bob" live in both, and more people know those of the first.
WORLDS = {"sea": ("ship", "sailor", "harbour"), "hill": ("goat", "shepherd", "meadow")}
NODES: list[dict[str, Any]] = [
    {"id": f"{name}-{world}", "name": name, "aliases": [f"{name} of the {world}"], "description": f"{word} and {world}"}
    for world, words in WORLDS.items()
    for name, word in zip(("Ann", "Bob", "Cat" if world == "sea" else "Dan"), words, strict=True)
]
EDGES = [(f"{one}-{world}", f"{other}-{world}") for world, last in (("sea", "Cat"), ("hill", "Dan"))
         for one, other in (("Ann", "Bob"), ("Bob", last), ("Ann", last))] + [
    (f"{name}-sea", f"fan-{name}-{i}") for name in ("Ann", "Bob") for i in range(4)
]  # fmt: skip
WORDS = {
    "ship": (1, 0), "sailor": (1, 0.1), "harbour": (0.9, 0), "sea": (1, 0), "goat": (0, 1), "shepherd": (0.1, 1),
    "hill": (0, 1), "meadow": (0, 0.9),
}  # fmt: skip


def document(number: int, world: str) -> dict[str, object]:
    """A text about a world: Ann, Bob and a friend of theirs, and Eve, who is not in the KB."""
    names = ["Ann", "Bob", "Cat" if world == "sea" else "Dan", "Eve"]
    text, mentions = f"At the {world} near the {WORLDS[world][number % 3]}", []
    for name in names:
        text += " and "
        mentions.append({"start": len(text), "end": len(text) + len(name), "text": name, "gold": f"{name}-{world}"})
        text += name
    return {"id": f"{world}-{number}", "text": text, "mentions": mentions}


PLAN = """
title = "A small experiment"
about = "On *two* worlds & <tags>."
word_vectors = "words.txt"

[kb.friends]
sources = ["nodes.jsonl", "edges.csv"]
vectors = ["random", "descriptions", "deepwalk", "prone"]
deepwalk = { walks = 5, length = 10 }

[set.tales]
kb = "friends"
documents = "tales.jsonl"

[set.lost]
kb = "friends"
documents = "lost.jsonl"
"""


SMALLER = {
    "figure-2": "least = 3",
    "figure-3a": "runs = 2",
    "table-3": "seeds = 2\ntrees = 5\nleast_in_leaf = 1",
    "run-times": "runs = 1",
    "table-2-neural": "seeds = 2\nepochs = 1",
}
EVERY_SECTION = "".join(f'[section.{name}]\nsets = ["tales", "lost"]\n{SMALLER.get(name, "")}\n' for name in SECTIONS)


@dataclass(frozen=True)
class Experiment:
    """A plan and the folder of its results."""

    plan: Plan
    out: Path

    def rows(self, name: str) -> list[dict[str, Any]]:
        return read_rows(self.out, name)[1]


def write_worlds(folder: Path) -> None:
    """Write the files of the plan but for the set `lost`."""
    write_jsonl(folder / "nodes.jsonl", NODES)
    (folder / "edges.csv").write_text("source,relation,target\n" + "".join(f"{a},knows,{b}\n" for a, b in EDGES))
    lines = [f"{word} {' '.join(map(str, vector))}" for word, vector in WORDS.items()]
    (folder / "words.txt").write_text(f"{len(lines)} 2\n" + "\n".join(lines) + "\n")
    write_jsonl(folder / "tales.jsonl", [document(i, world) for i in range(6) for world in WORLDS])


def plan_of(data: Path, sections: str, folder: Path) -> Plan:
    """Write a plan with these sections into a folder, and read it."""
    (folder / "plan.toml").write_text(PLAN + sections)
    return read_plan(str(folder / "plan.toml"), data=data)


def run_every_section(data: Path, out: Path) -> None:
    """Run the experiment with every section there is."""
    run_experiment(plan_of(data, EVERY_SECTION, out), out)

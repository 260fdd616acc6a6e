"""Build what all trials share and none may change: a small KB with vectors and ranker, its sources, documents, word vectors."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

from helpers.commands import call
from helpers.files import write_jsonl
from helpers.kbs import TINY_EDGES, TINY_NODES, build_untrained, train_quickly, write_sources
from helpers.streaming import mixed_documents

GLOVE = "basketball 1 0 2\nplayer 1 1 0\ncomputer 0 1 1\nscientist 0 2 1\nparis 1 2 3\nunited 0 0 1\n"
GOLD = [
    {"id": "g1", "text": "Michael Jordan of the NBA", "mentions": [{"start": 0, "end": 14, "gold": "mj"}]},
    {"id": "g2", "mentions": [{"text": "Paris", "gold": "paris"}, {"text": "Jordan", "gold": "jo"}]},
]


@dataclass(frozen=True, slots=True)
class World:
    """The files that trials work on copies of."""

    folder: Path

    @property
    def kb(self) -> Path:
        return self.folder / "tiny.kb"

    @property
    def sources(self) -> list[Path]:
        return [self.folder / "nodes.jsonl", self.folder / "edges.jsonl"]

    @property
    def documents(self) -> Path:
        return self.folder / "documents.jsonl"

    @property
    def gold(self) -> Path:
        return self.folder / "gold.jsonl"

    @property
    def words(self) -> Path:
        return self.folder / "words.txt"

    @classmethod
    def make(cls, folder: Path) -> World:
        """Build everything, and use it once, so that what forks off finds all modules imported and all kernels compiled."""
        world = cls(folder)
        folder.chmod(0o755)  # trials without rights read it
        kb = build_untrained(write_sources(folder, TINY_NODES, TINY_EDGES), world.kb)
        train_quickly(kb)
        write_jsonl(world.documents, mixed_documents(14))
        write_jsonl(world.gold, GOLD)
        world.words.write_text(GLOVE)
        world._warm_up()
        return world

    def _warm_up(self) -> None:
        from campaign.documents import RECORDS, examples

        examples(RECORDS, 0, 50)  # loads tables of all letters
        call("warm-up")  # else the trial that draws this command compiles for minutes on a busy machine: "only in a row: hang"
        copied = copy_kb(self.kb, self.folder / "warm.kb")
        for method in ("prone", "deepwalk", "netsmf"):
            call("embed", copied, "--no-train", "--method", method, "--jobs", 1)
        call("link", copied, self.documents, "--explain", "--table")
        call("eval", copied, self.gold)
        call("candidates", copied, "Jordn", "Jordan", "--generator", "paper")
        call("link", copied, self.documents, "--method", "eigen", "--errors", self.folder / "errors")
        shutil.rmtree(copied)


def copy_kb(kb: Path, path: Path) -> Path:
    """Copy a KB by giving its files second names; replace a file to change it, never write into it."""
    return Path(shutil.copytree(kb, path, copy_function=os.link))


def own_file(file: Path) -> Path:
    """Make a file of a copied KB one that may be written into."""
    data = file.read_bytes()
    file.unlink()
    file.write_bytes(data)
    return file

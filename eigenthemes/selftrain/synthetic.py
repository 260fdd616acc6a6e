"""Generate synthetic documents and tables in worker processes while features are computed here.

One stream of random numbers runs through all documents, whatever the number of processes: so the same are made by any.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from eigenthemes.core.workers import Workers
from eigenthemes.kb.store import KB
from eigenthemes.records import Document
from eigenthemes.selftrain.cell_training import Evidence
from eigenthemes.selftrain.false_matches import with_false_matches
from eigenthemes.selftrain.recipe import Recipe, harsher
from eigenthemes.selftrain.sampling import Sampler
from eigenthemes.selftrain.synthetic_tables import TableSampler

_WORTH_A_PROCESS = 1000  # documents

_Where = KB | tuple[Path, str]  # the KB itself, or for another process its path and manifest: it may not be committed yet


class Amounts(NamedTuple):
    """Numbers of documents to fit, to calibrate (twice) and with false matches; tables to fit and to calibrate."""

    training: int
    aside: int
    with_false_matches: int
    tables: int
    tables_aside: int


class Rest(NamedTuple):
    """Documents for calibration: of the harder recipe, of the ordinary one, and with false matches."""

    harder: list[Document]
    held_out: list[Document]
    with_false_matches: list[Document]


class Tables(NamedTuple):
    """Tables to fit on, and those kept aside."""

    training: list[Document]
    held_out: list[Document]


class MadeUp(NamedTuple):
    """Documents to fit on, and functions that wait for the others."""

    training: list[Document]
    rest: Callable[[], Rest]
    tables: Callable[[], Tables]


def make_up(kb: KB, recipe: Recipe, seed: int, amounts: Amounts, workers: Workers) -> MadeUp:
    """Make the documents to fit on, and begin to make the others."""
    many = amounts.training >= _WORTH_A_PROCESS
    where: _Where = (kb.path, json.dumps(kb.manifest)) if workers.jobs > 1 and many else kb
    tables = workers.start(_tables, where, seed, amounts, many=many)
    training, state = workers.start(_training, where, recipe, seed, amounts, many=many)()
    return MadeUp(training, workers.start(_rest, where, recipe, seed, amounts, state, many=many), tables)


def _opened(where: _Where) -> KB:
    return where if isinstance(where, KB) else _open_once(*where)


@lru_cache(maxsize=1)
def _open_once(path: Path, manifest: str) -> KB:
    """Return the KB of another process, committed or not; this process opens it once."""
    return KB(path, json.loads(manifest))


def _sampler(kb: KB, recipe: Recipe, seed: int) -> Sampler:
    return Sampler(kb, np.random.default_rng(seed), recipe, Evidence.of(kb).profiles)


def _training(where: _Where, recipe: Recipe, seed: int, amounts: Amounts) -> tuple[list[Document], Any]:
    """Make the documents to fit on; return also where the random numbers are then."""
    sampler = _sampler(_opened(where), recipe, seed)
    documents = list(sampler.documents(amounts.training, written=True))
    return documents, sampler.rng.bit_generator.state


def _rest(where: _Where, recipe: Recipe, seed: int, amounts: Amounts, state: Any) -> Rest:
    """Make the other documents, from random numbers that go on where those to fit on ended."""
    sampler = _sampler(_opened(where), recipe, seed)
    sampler.rng.bit_generator.state = state
    harsher_sampler = Sampler(sampler.kb, sampler.rng, harsher(recipe), sampler.profiles)
    return Rest(
        list(harsher_sampler.documents(amounts.aside, written=True)),
        list(sampler.documents(amounts.aside, written=True)),
        list(with_false_matches(sampler, amounts.with_false_matches)),
    )


def _tables(where: _Where, seed: int, amounts: Amounts) -> Tables:
    kb = _opened(where)
    sampler = TableSampler(kb, np.random.default_rng(seed), Evidence.of(kb).attributes.lists)
    return Tables(list(sampler.tables(amounts.tables)), list(sampler.tables(amounts.tables_aside)))

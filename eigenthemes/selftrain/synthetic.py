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
from eigenthemes.selftrain.cell_training import evidence_of
from eigenthemes.selftrain.false_matches import with_false_matches
from eigenthemes.selftrain.recipe import RECIPE, harsher
from eigenthemes.selftrain.sampling import Sampler
from eigenthemes.selftrain.synthetic_tables import TableSampler

_WORTH_A_PROCESS = 1000  # documents

Lists = list[list[Document]]
_Where = KB | tuple[Path, str]  # the KB itself, or for another process its path and manifest: it may not be committed yet


class Amounts(NamedTuple):
    """Numbers of documents to fit, to calibrate (twice) and with false matches; tables to fit and to calibrate."""

    training: int
    aside: int
    with_false_matches: int
    tables: int
    tables_aside: int


def make_up(
    kb: KB, seed: int, amounts: Amounts, workers: Workers
) -> tuple[list[Document], Callable[[], Lists], Callable[[], Lists]]:
    """Make the documents to fit on, and begin to make the others: return functions that wait for `_rest` and `_tables`."""
    many = amounts.training >= _WORTH_A_PROCESS
    where: _Where = (kb.path, json.dumps(kb.manifest)) if workers.jobs > 1 and many else kb
    tables = workers.start(_tables, where, seed, amounts, many=many)
    training, state = workers.start(_training, where, seed, amounts, many=many)()
    return training, workers.start(_rest, where, seed, amounts, state, many=many), tables


def _opened(where: _Where) -> KB:
    return where if isinstance(where, KB) else _open_once(*where)


@lru_cache(maxsize=1)
def _open_once(path: Path, manifest: str) -> KB:
    """Return the KB of another process, committed or not; this process opens it once."""
    return KB(path, json.loads(manifest))


def _sampler(kb: KB, seed: int) -> Sampler:
    return Sampler(kb, np.random.default_rng(seed), profiles=evidence_of(kb).profiles)


def _training(where: _Where, seed: int, amounts: Amounts) -> tuple[list[Document], Any]:
    """Make the documents to fit on; return also where the random numbers are then."""
    sampler = _sampler(_opened(where), seed)
    documents = list(sampler.documents(amounts.training, written=True))
    return documents, sampler.rng.bit_generator.state


def _rest(where: _Where, seed: int, amounts: Amounts, state: Any) -> Lists:
    """Make documents of the harder recipe, of the ordinary one, and with false matches.

    The random numbers go on where those of the documents to fit on ended.
    """
    sampler = _sampler(_opened(where), seed)
    sampler.rng.bit_generator.state = state
    harsher_sampler = Sampler(sampler.kb, sampler.rng, harsher(RECIPE), sampler.profiles)
    return [
        list(harsher_sampler.documents(amounts.aside, written=True)),
        list(sampler.documents(amounts.aside, written=True)),
        list(with_false_matches(sampler, amounts.with_false_matches)),
    ]


def _tables(where: _Where, seed: int, amounts: Amounts) -> Lists:
    """Make tables to fit on, and those kept aside."""
    kb = _opened(where)
    attributes = evidence_of(kb).attributes
    assert attributes is not None
    sampler = TableSampler(kb, np.random.default_rng(seed), attributes.lists)
    return [list(sampler.tables(many)) for many in (amounts.tables, amounts.tables_aside)]

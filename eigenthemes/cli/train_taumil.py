"""eigenthemes train-taumil"""

from __future__ import annotations

import time
from itertools import chain
from typing import TYPE_CHECKING

import click

from eigenthemes.cli.inspect import tells_damage
from eigenthemes.cli.options import SEED
from eigenthemes.cli.output import say, terminal_progress

if TYPE_CHECKING:
    from eigenthemes.reproduction.taumil_training import Epoch


@click.command("train-taumil")
@click.argument("kb", type=click.Path())
@click.argument("documents", nargs=-1, required=True, type=click.Path())
@click.option("--word-vectors", type=click.Path(), metavar="FILE", help="Vectors of words; default: those the KB holds.")
@click.option("-o", "--output", type=click.Path(), metavar="FILE", help="Write the model here instead of into the KB.")
@click.option("--seed", type=SEED, default=0, show_default=True, help="The same seed gives the same weights.")
@click.option("--epochs", default=20, show_default=True, help="Times that all mentions are read, at most.")
@click.option("--patience", default=5, show_default=True, help="Stop after so many epochs that did not better the objective.")
@click.option("--positives", default=100, show_default=True, help="Candidates of a mention, at most.")
@click.option("--resume", is_flag=True, help="Go on where a training with the same options was interrupted.")
@tells_damage
def train_taumil(
    kb: str,
    documents: tuple[str, ...],
    word_vectors: str | None,
    output: str | None,
    seed: int,
    epochs: int,
    patience: int,
    positives: int,
    resume: bool,
) -> None:
    """Train tau-MIL-ND, the paper's neural rival, for the methods taumil and taumil-weighted.

    DOCUMENTS have text, and mentions or none: then the KB's names are found. Gold is not read. Needs the extra neural. The
    objective of each epoch is printed on stderr; an interrupted training goes on with --resume.
    """
    from eigenthemes.documents.reader import read_gold
    from eigenthemes.ranking.taumil import need_torch

    need_torch("eigenthemes train-taumil")
    from eigenthemes.reproduction.taumil_training import train_taumil as train

    start = time.monotonic()
    files = [read_gold(path) for path in documents]
    try:
        stored = train(
            kb,
            chain.from_iterable(files),
            word_vectors=word_vectors,
            output=output,
            seed=seed,
            epochs=epochs,
            patience=patience,
            positives=positives,
            resume=resume,
            on_epoch=_tell,
            progress=terminal_progress(),
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt("interrupted; --resume goes on after the last epoch that was told") from None
    about, history = stored.about, stored.about["history"]
    say(
        f"{output or kb}: trained on {about['trained_on']['mentions']:,} mentions in {time.monotonic() - start:.1f} s; epoch "
        f"{about['epoch']} of {len(history)} was kept, objective {history[about['epoch'] - 1]['objective']:.4f}",
        err=True,
    )


def _tell(epoch: Epoch, seconds: float) -> None:
    say(
        f"epoch {epoch.epoch}: objective {epoch.objective:.4f} (hinge {epoch.hinge:.4f}, KL {epoch.kl:.4f}), "
        f"p_noise {epoch.noise:.3f}, {seconds:.1f} s",
        err=True,
    )

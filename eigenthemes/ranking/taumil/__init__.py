"""tau-MIL-ND, the neural rival of the paper (Le and Titov, ACL 2019): sentences and entities -> scores, trained without gold.

    sentences.py   the words around a mention
    entities.py    what the KG says of an entity: a bag of types and a bag of relations
    loss.py        the objective
    model.py       the network
    train.py       documents -> a trained model
    store.py       the model as a file

torch is imported by loss, model and train only; whoever needs one of these calls `need_torch` first.
"""

from __future__ import annotations

from importlib.util import find_spec

from eigenthemes.errors import MissingExtraError


def need_torch(purpose: str) -> None:
    """Say in one sentence what is missing, before an import does it in many."""
    for package in ("torch", "safetensors"):
        if find_spec(package) is None:
            raise MissingExtraError(purpose, package, "neural")

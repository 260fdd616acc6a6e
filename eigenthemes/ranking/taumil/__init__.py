"""tau-MIL-ND, the neural rival of the paper (Le and Titov, ACL 2019): a trained model scores candidates by their sentence.

    method.py      the method: options, and the scores of a batch
    scorer.py      a trained model at work
    model.py       the network
    sentences.py   the words around a mention
    entities.py    what the KG says of an entity: a bag of types and a bag of relations
    store.py       the model as a file

The objective and the training are in `reproduction`. torch is imported by model and scorer only; call `need_torch` before
importing one of these.
"""

from __future__ import annotations

from importlib.util import find_spec

from eigenthemes.errors import MissingExtraError


def need_torch(purpose: str) -> None:
    """Say in one sentence what is missing, before an import does it in many."""
    for package in ("torch", "safetensors"):
        if find_spec(package) is None:
            raise MissingExtraError(purpose, package, "neural")

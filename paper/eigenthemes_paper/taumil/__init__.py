"""tau-MIL-ND, the neural baseline of the paper (Le and Titov, ACL 2019): a trained model scores candidates by their sentence.

    method.py      the methods `taumil` and `taumil-weighted`
    scorer.py      scores of a trained model
    model.py       the network and its objective
    training.py    training, with checkpoints
    sentences.py   the words around a mention
    entities.py    what the KG says of an entity: a bag of types and a bag of relations
    store.py       the model as a file

Only model, scorer and training import torch.
"""

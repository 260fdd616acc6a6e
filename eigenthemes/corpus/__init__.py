"""Corpora: many files of documents in, as many out, each written once; any engine that calls a function may run them."""

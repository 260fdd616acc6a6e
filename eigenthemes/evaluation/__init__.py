"""Evaluation of methods against gold."""

"""Vectors for the nodes of a graph: made from the graph, or brought by the user."""

"""Statements to the arrays of a KB: its nodes, their order, their names, the graph."""

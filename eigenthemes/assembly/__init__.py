"""From statements to the arrays of a KB: which nodes are part of it, their order, their names, the graph."""

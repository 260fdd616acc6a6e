"""The paper's tables and figures, computed on the data one has."""
